//! `install`: hooks for the user's agents, in all repositories.

use std::path::Path;

use aictx_proto::methods::{FileChange, InstallParams, InstallReply};
use aictx_proto::rpc::{NOT_WRITABLE, RpcError};
use aictx_runners::plan::{Edit, Options, Scope, plan, plan_all};
use aictx_runners::python_aictx;

use super::init::Site;
use crate::app::App;
use crate::setup::agent_detection::{Around, holds_ours};
use crate::setup::ledger::Ledger;
use crate::setup::{Carrier, USER, slot};

pub(super) fn install(app: &App, params: &InstallParams) -> Result<InstallReply, RpcError> {
    let around = Around::new(&params.surroundings, "")?;
    let agents = around.choose(&params.agents)?;
    let mut options = around.options(!params.no_mcp, &params.mcp_profile);
    if params.only_mcp {
        options.hooks = false;
        options.vscode = false;
    }
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent).collect();
    let edits = plan_all(&names, Scope::User, &around.paths, &options).unwrap_or_default();
    let mut ledger = Ledger::open(&app.locations.state, !params.dry_run)
        .map_err(|e| RpcError::new(NOT_WRITABLE, format!("the install ledger: {e}")))?;
    let bounds = around.user_bounds();
    let mut carrier = Carrier::new(&mut ledger, bounds, Path::new(""), params.dry_run);
    carrier.replace_ancestor = params.ancestor;
    let mut files = Vec::new();
    if params.ancestor {
        for place in python_aictx::places(Scope::User, &around.paths) {
            files.extend(carrier.take_ancestor(&place));
        }
    }
    if params.no_mcp {
        files.extend(without_server(&mut carrier, &around, &names));
    }
    let mut warnings = Vec::new();
    for edit in &edits {
        let change = carrier.put(USER, edit);
        if !edit.caution.is_empty() && matches!(change.action.as_str(), "created" | "updated") {
            warnings.push(format!("{}: {}", change.path, edit.caution));
        }
        if change.action == "skipped" {
            warnings.push(format!("{}: {}", change.path, change.reason));
        }
        files.push(change);
    }
    warnings.append(&mut carrier.warnings);
    drop(carrier);
    for agent in names.iter().filter(|_| options.hooks) {
        let has = params.dry_run || around.user_has_hooks(agent);
        if has {
            files.extend(local_copies(
                app,
                &mut ledger,
                &around,
                agent,
                params.dry_run,
            ));
        }
    }
    if agents.is_empty() {
        warnings.push(
            "no coding agent was found; `aictx install --agents NAME` registers for one that is yet \
             to come"
                .to_owned(),
        );
    }
    Ok(InstallReply {
        agents: around.told(&agents),
        files,
        steps: if options.hooks {
            around.steps(&agents, Scope::User, &options)
        } else {
            Vec::new()
        },
        dry_run: params.dry_run,
        warnings,
    })
}

/// Takes earlier entries for the MCP server out. Where hooks stand in the same file they go, too, and
/// are put in again by whoever calls.
fn without_server(carrier: &mut Carrier<'_>, around: &Around, agents: &[&str]) -> Vec<FileChange> {
    let places = agents
        .iter()
        .flat_map(|agent| around.server_files(agent, Scope::User));
    let bounds = around.user_bounds();
    let there: Vec<Edit> = places.filter(|edit| holds_ours(edit, &bounds)).collect();
    let mut own = carrier.ledger.of(USER);
    own.retain(|entry| {
        let mut places = there.iter();
        places.any(|edit| edit.file == entry.record.file && slot(&edit.content) == entry.slot)
    });
    let (mut taken, _) = carrier.take(&own, &there);
    taken.retain(|change| change.action != "unchanged");
    for change in &mut taken {
        if change.reason.is_empty() {
            "the entry for the MCP server goes".clone_into(&mut change.reason);
        }
    }
    taken
}

/// Takes an agent's hooks out of the personal settings of registered repositories: the user's own
/// registration serves them all, and nothing must be told twice.
fn local_copies(
    app: &App,
    ledger: &mut Ledger,
    around: &Around,
    agent: &str,
    dry_run: bool,
) -> Vec<FileChange> {
    let scope = Scope::Repository { shared: false };
    let mut changes = Vec::new();
    for entry in app.registry.list().iter().filter(|entry| entry.exists) {
        let Ok(site) = Site::find(app, &entry.repo_path, true) else {
            continue;
        };
        let mut paths = around.paths.clone();
        paths.repository = site.worktree.to_string_lossy().into_owned();
        let edits = plan(agent, scope, &paths, &Options::default()).unwrap_or_default();
        let mut own = ledger.of(&site.scope());
        own.retain(|entry| entry.agent == agent && !entry.shared);
        let mut carrier = Carrier::new(ledger, site.bounds(&[]), Path::new(""), dry_run);
        let (taken, _) = carrier.take(&own, &edits);
        let taken = taken
            .into_iter()
            .filter(|change| change.action != "unchanged");
        changes.extend(taken.map(|change| FileChange {
            reason: if change.reason.is_empty() {
                "your own registration serves all repositories".to_owned()
            } else {
                change.reason
            },
            ..change
        }));
    }
    changes
}
