//! `mcp`: serving is the other program's; the entries of agents are looked at and written here.

use std::ffi::OsString;

use aictx_proto::methods::{
    INSTALL, InstallParams, InstallReply, MCP_STATUS, McpLevel, McpStatus, McpStatusParams,
};
use serde_json::{Value, json};

use super::setup::{self, PARTIAL_STATUS};
use super::{absolute, daemon};
use crate::cli::Answer;
use crate::cli::arguments::{Mcp, McpCommand, McpProfile, McpServe};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::{self, setup as show};
use crate::cli::terminal_text::{clean, table};

/// `aictx mcp`.
pub(super) fn mcp(backend: &Backend, options: Mcp, json: bool) -> Result<Answer, CliError> {
    match options.command {
        // Standard output belongs to the protocol.
        None => daemon::become_daemon_program(backend, &serve(options.serve), false),
        Some(McpCommand::Status { at }) => {
            let params = McpStatusParams {
                repo: absolute(&at.repo)?,
                surroundings: setup::surroundings(backend)?,
            };
            let mut value = backend.call(MCP_STATUS, &params)?;
            let status: McpStatus = parse(value.clone())?;
            aictx_proto::json::set(&mut value, "ok", true);
            Ok(Answer {
                value,
                text: shown(&status),
                ..Answer::default()
            })
        }
        Some(McpCommand::Install {
            agents,
            profile,
            dry_run,
            ..
        }) => install(backend, agents, profile, dry_run, json),
    }
}

/// The command line of the server.
fn serve(options: McpServe) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["mcp".into(), "--repo".into(), options.repo.into()];
    for root in options.allow_root {
        words.extend(["--allow-root".into(), root.into()]);
    }
    words.extend(["--profile".into(), options.profile.as_str().into()]);
    let caller = options.caller;
    for (name, value) in [
        ("--agent-id", caller.agent_id),
        ("--adapter-id", caller.adapter_id),
        ("--session-id", caller.session_id),
    ] {
        if !value.is_empty() {
            words.extend([name.into(), value.into()]);
        }
    }
    words
}

fn install(
    backend: &Backend,
    agents: Vec<String>,
    profile: Option<McpProfile>,
    dry_run: bool,
    json: bool,
) -> Result<Answer, CliError> {
    let profile = profile.map(McpProfile::as_str);
    let params = InstallParams {
        surroundings: setup::surroundings(backend)?,
        agents,
        mcp_profile: profile.unwrap_or_default().to_owned(),
        only_mcp: true,
        dry_run,
        ..InstallParams::default()
    };
    let reply: InstallReply = parse(backend.call(INSTALL, &params)?)?;
    let failed = reply.files.iter().any(|file| file.action == "skipped");
    let changed = reply.files.iter().any(|file| show::changes(&file.action));
    let value = json!({
        "ok": !failed, "enabled": !failed, "profile": profile.unwrap_or("standard"),
        "transport": "stdio", "changed": changed, "dry_run": reply.dry_run, "files": reply.files,
        "warnings": reply.warnings,
    });
    Ok(Answer {
        value: if json { value } else { Value::Null },
        text: show::files_only(&reply),
        notes: render::warnings(&reply.warnings),
        status: if failed { PARTIAL_STATUS } else { 0 },
    })
}

fn shown(status: &McpStatus) -> String {
    let rows = |level: &McpLevel| -> Vec<Vec<String>> {
        let entries = level.files.iter();
        entries
            .map(|entry| {
                vec![
                    clean(&entry.agent),
                    match entry.state.as_str() {
                        "off" => "switched off".to_owned(),
                        state => clean(state),
                    },
                    clean(&entry.file),
                    clean(&entry.command.join(" ")),
                ]
            })
            .collect()
    };
    let mut text = format!("your own files\n{}", table(&rows(&status.global), 2));
    if !status.repo.files.is_empty() {
        text.push_str(&format!(
            "shared files of this repository\n{}",
            table(&rows(&status.repo), 2)
        ));
    }
    if !status.global.enabled && !status.repo.enabled {
        text.push_str("no agent has an entry; `aictx mcp install` writes them\n");
    }
    text
}
