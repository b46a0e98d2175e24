//! `mcp.status`: which agents have an entry for the MCP server, and whether it leads anywhere.

use std::path::Path;

use aictx_proto::methods::{McpEntry, McpLevel, McpStatus, McpStatusParams};
use aictx_proto::rpc::RpcError;
use aictx_runners::merge::{Owner, install, server};
use aictx_runners::plan::{Detected, Edit, Scope};

use super::init::Site;
use crate::app::App;
use crate::setup::agent_detection::Around;
use crate::setup::files::{self, Bounds};

pub(super) fn status(app: &App, params: &McpStatusParams) -> Result<McpStatus, RpcError> {
    let site = Site::find(app, &params.repo, false).ok();
    let worktree = site.as_ref().map(|site| site.worktree.as_path());
    let around = Around::at(&params.surroundings, worktree)?;
    let there = around.choose(&[])?;
    Ok(standing(&around, &there, site.as_ref()))
}

/// The places of these agents, and what stands there.
pub(super) fn standing(around: &Around, agents: &[Detected], site: Option<&Site>) -> McpStatus {
    let shared = Scope::Repository { shared: true };
    McpStatus {
        global: level(around, agents, Scope::User, &around.user_bounds()),
        repo: site.map_or_else(McpLevel::default, |site| {
            level(around, agents, shared, &site.bounds(&[]))
        }),
    }
}

fn level(around: &Around, agents: &[Detected], scope: Scope, bounds: &Bounds) -> McpLevel {
    let mut files: Vec<McpEntry> = Vec::new();
    for agent in agents {
        for edit in around.server_files(agent.agent, scope) {
            let entry = entry(around, &edit, bounds);
            if !files.iter().any(|there| there.file == entry.file) {
                files.push(entry);
            }
        }
    }
    McpLevel {
        enabled: files.iter().any(|entry| entry.state == "registered"),
        files,
    }
}

fn entry(around: &Around, edit: &Edit, bounds: &Bounds) -> McpEntry {
    let entry = |state: &str, command: Vec<String>| McpEntry {
        agent: edit.agent.to_owned(),
        file: edit.file.clone(),
        state: state.to_owned(),
        command,
    };
    let Ok(found) = files::read(Path::new(&edit.file), bounds) else {
        return entry("unreadable", Vec::new());
    };
    let text = found.text.as_deref();
    match server(text.unwrap_or_default(), &edit.content) {
        None if install(&edit.file, text, &edit.content, false).is_err() => {
            entry("unreadable", Vec::new())
        }
        None => entry("missing", Vec::new()),
        Some(server) if server.switched_off => entry("off", server.command),
        Some(server) if server.owner == Some(Owner::Us) => {
            let command = server.command;
            let program = command.first().map(String::as_str).unwrap_or_default();
            let there = around.is_program(program);
            entry(if there { "registered" } else { "broken" }, command)
        }
        Some(server) => entry("yours", server.command),
    }
}
