//! The verdict on a tool call where nothing but the call is to be had: the daemon does not answer, or the memory
//! of the repository cannot be opened. Nothing is recorded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_artifacts::root;
use aictx_guard::{HookVerdict, hook_edit};
use aictx_proto::hook::is_gate;
use aictx_proto::methods::HookParams;
use aictx_proto::path::Located;
use aictx_proto::rpc::RpcError;
use aictx_runners::{Action, Dialect, HookEvent, Moment};
use aictx_steer::SteerState;
use serde_json::Value;

use super::pre_tool_use::{answer, worse};
use super::{Recording, Session, understand};
use crate::app::App;
use crate::guard_env::WorktreeFacts;
use crate::hosts::Place;
use crate::process::AgentProcess;
use crate::sessions::Live;

/// The verdict in the words of the agent; nothing where there is no objection, no tool call, or no repository of
/// ours.
///
/// # Errors
/// When runner or payload cannot be understood.
pub fn verdict_alone(app: &Arc<App>, params: &HookParams) -> Result<Option<Value>, RpcError> {
    match understand(params) {
        Ok((dialect, event)) => Ok(verdict(app, dialect, &event)),
        Err(error) => unreadable(app, params).ok_or(error),
    }
}

/// The question about a call whose payload makes no sense. Where it would happen is not known: the repository is that
/// of this process's directory, which is the agent's.
fn unreadable(app: &App, params: &HookParams) -> Option<Option<Value>> {
    let dialect = aictx_runners::dialect(params.runner).ok()?;
    let event = params.event.filter(|event| is_gate(event))?;
    let place = app.hosts.place(&std::env::current_dir().ok()?).ok()?;
    if !is_ours(app, &place) {
        return None;
    }
    let (answer, _) = answer(aictx_guard::hook_unreadable(), String::new());
    Some(dialect.answer(event, &answer))
}

/// [`verdict_alone`] on an event that was understood.
pub(super) fn verdict(app: &Arc<App>, dialect: &dyn Dialect, event: &HookEvent) -> Option<Value> {
    let Moment::ToolIntent(call) = &event.moment else {
        return None;
    };
    let mut cwd = PathBuf::from(event.cwd.as_ref());
    let place = app.hosts.place(&cwd).ok()?;
    if let Some(dir) = event.moment.runs_in() {
        cwd.push(dir);
    }
    if !is_ours(app, &place) {
        return None;
    }
    let (verdict, note) = match app.hosts.open(&place.root) {
        Ok(host) => {
            let live = Live {
                host,
                runner: dialect.name().to_owned(),
                worktree: place.worktree,
                process: AgentProcess::default(),
                last_seen: app.now(),
                at_rest: false,
                events: 0,
            };
            let session = Session {
                app: Arc::clone(app),
                id: event.session_id.clone().into_owned(),
                live,
                cwd,
                now: app.now(),
                event: String::new(),
                recording: Recording::Done,
                trouble: Arc::default(),
            };
            let (verdict, note, _) = session.verdict(call, None);
            (verdict, note)
        }
        Err(_) => {
            let limits = app.presence.known_limits(&event.session_id);
            let verdict = by_itself(app, &call.action, &call.tool, &place, &cwd, limits);
            (verdict, String::new())
        }
    };
    let (answer, _) = answer(verdict, note);
    dialect.answer(&event.name, &answer)
}

/// Returns true if a repository is one that is looked after. When nobody can say which are, those with a memory.
fn is_ours(app: &App, place: &Place) -> bool {
    // Most that are not ours have no memory either, and the file is not read for them.
    let has_memory = || place.root.join(".aictx").symlink_metadata().is_ok();
    app.registry.contains(&place.root) || has_memory() && app.registry.is_unreadable()
}

/// The verdict without any memory: by the policies, and the limits of the session that this process knows.
fn by_itself(
    app: &Arc<App>,
    action: &Action,
    tool: &str,
    place: &Place,
    cwd: &Path,
    limits: Arc<SteerState>,
) -> HookVerdict {
    let rules = app.policy(&place.root);
    let on_path = |path: &str| {
        let located = root::locate(&place.worktree, cwd, path);
        let own = hook_edit(&located, &cwd.join(path).to_string_lossy());
        let ruled = match &located {
            Located::Inside(inside) => rules.apply(own, rules.on_path(inside)),
            Located::Outside(_) if own == HookVerdict::Pass => own,
            Located::Outside(_) => rules.apply(own, rules.on_outside()),
        };
        worse(ruled, aictx_guard::hook_limits(&limits, &located, path))
    };
    match action {
        Action::Edit(path) => on_path(path),
        Action::Patch(paths) => {
            let all = paths.iter().map(|path| on_path(path));
            all.fold(HookVerdict::Pass, |worst, next| worse(next, worst))
        }
        Action::Command { command, .. } => {
            let (limits, rules) = (Arc::clone(&limits), Arc::clone(&rules));
            let facts = WorktreeFacts::of(app, &place.worktree, limits, rules);
            let (root, cwd) = (place.worktree.to_string_lossy(), cwd.to_string_lossy());
            facts.judge(command, tool, &root, &cwd).0
        }
        Action::Discard => aictx_guard::hook_discard(),
        Action::Read(_) | Action::Other => HookVerdict::Pass,
    }
}
