//! `task.*`.

use std::path::Path;
use std::sync::Arc;

use aictx_artifacts::root;
use aictx_continuity::{
    Checkout, TaskError, TaskOutcome, active_thread, close_task, find_thread, resume_task,
    start_task, status_line, thread_line, update_task,
};
use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::methods::TaskParams;
use aictx_proto::path::Located;
use aictx_proto::record::{Thread, files};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_proto::snapshot::Snapshot;
use serde_json::{Map, Value, json};

use super::{as_value, base, place};
use crate::app::App;
use crate::hosts::Place;
use crate::{git, worktree_facts};

/// Caller: agent, adapter, session.
type Who<'a> = (&'a str, &'a str, &'a str);
type Decision = Result<(TaskOutcome, Effects), TaskError>;

/// `task.status`, `task.list` and `task.show`: nothing is written.
pub(super) fn look(app: &App, params: &TaskParams, what: &str) -> Result<Value, RpcError> {
    let place = place(app, &params.repo)?;
    let snapshot = app.hosts.open(&place.root)?.snapshot();
    let checkout = worktree_facts::checkout(app, &place, &snapshot);
    let active = active_thread(&snapshot, &checkout);
    let is_active = |t: &Thread| {
        let active = active.thread.as_ref();
        active.is_some_and(|a| a.task_id == t.task_id)
    };
    match what {
        "status" if params.all => {
            let tasks = newest(&snapshot).into_iter().map(|thread| {
                let mut task = shown(thread);
                aictx_proto::json::set(&mut task, "active", json!(is_active(thread)));
                task
            });
            Ok(json!({ "tasks": tasks.collect::<Vec<_>>() }))
        }
        "status" => {
            let mut out = match active.thread.as_deref() {
                Some(thread) => shown(thread),
                None => json!({}),
            };
            aictx_proto::json::set(&mut out, "active", json!(active.thread.is_some()));
            aictx_proto::json::set(&mut out, "text", json!(status_line(&active)));
            if let Some(skipped) = active.skipped {
                aictx_proto::json::set(&mut out, "skipped_work_state", skipped);
            }
            if let Some(status) = active.status {
                aictx_proto::json::set(&mut out, "work_state_git_status", status);
            }
            Ok(out)
        }
        "list" => {
            let tasks: Vec<Value> = newest(&snapshot)
                .into_iter()
                .map(|t| {
                    let goal = format!("{}{}", t.goal, t.origin.label());
                    let mut task = json!({
                        "task_id": t.task_id, "status": t.status, "goal": goal,
                        "updated_at": t.updated_at, "active": is_active(t),
                    });
                    t.origin.mark(&mut task);
                    task
                })
                .collect();
            let issues = snapshot.issues.iter();
            let warnings: Vec<String> = issues
                .filter(|issue| issue.file.starts_with(files::THREADS_DIR))
                .map(|issue| issue.warning())
                .collect();
            Ok(json!({ "tasks": tasks, "warnings": warnings }))
        }
        _ => match find_thread(&snapshot, params.task_id.trim()) {
            Some(thread) => {
                let mut out = shown(thread);
                aictx_proto::json::set(&mut out, "text", json!(thread_line(thread)));
                Ok(out)
            }
            None => Err(refused(TaskError::NoSuch(params.task_id.trim().to_owned()))),
        },
    }
}

fn newest(snapshot: &Snapshot) -> Vec<&Thread> {
    let mut all: Vec<&Thread> = snapshot.threads.iter().map(AsRef::as_ref).collect();
    all.sort_by(|a, b| {
        b.updated_at
            .cmp(&a.updated_at)
            .then_with(|| a.task_id.cmp(&b.task_id))
    });
    all
}

fn shown(thread: &Thread) -> Value {
    serde_json::to_value(thread).unwrap_or_default()
}

/// `task.start`, `task.update`, `task.resume` and `task.close`.
pub(super) async fn change(
    app: &Arc<App>,
    mut params: TaskParams,
    what: &'static str,
) -> Result<Value, RpcError> {
    let place = place(app, &params.repo)?;
    locate(&place.worktree, &params.cwd, &mut params.patch)?;
    let host = app.hosts.open(&place.root)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let checkout = checkout(app, &place, &host.snapshot()).await?;
    let now = app.now();
    let decided = host
        .write(move |snapshot| {
            let who = (
                identity.agent_id.as_str(),
                identity.adapter_id.as_str(),
                identity.session_id.as_str(),
            );
            match decide(snapshot, &checkout, who, &params, what, now) {
                Ok((outcome, effects)) => (Ok(outcome), effects),
                Err(error) => (Err(error), Effects::new()),
            }
        })
        .await?;
    let outcome = decided.0.map_err(refused)?;
    let mut out = as_value(&outcome.thread)?;
    aictx_proto::json::set(&mut out, "text", json!(thread_line(&outcome.thread)));
    match what {
        "update" => aictx_proto::json::set(&mut out, "updated", json!(true)),
        "close" => aictx_proto::json::set(&mut out, "closed", json!(true)),
        _ => {}
    }
    aictx_proto::json::set(&mut out, "changed_fields", json!(outcome.changed_fields));
    Ok(out)
}

fn decide(
    snapshot: &Snapshot,
    checkout: &Checkout,
    who: Who<'_>,
    params: &TaskParams,
    what: &str,
    now: Timestamp,
) -> Decision {
    let id = params.task_id.as_str();
    match what {
        "start" => {
            let (goal, initial) = (params.goal.as_str(), &params.patch);
            start_task(
                snapshot,
                checkout,
                who,
                goal,
                id,
                initial,
                params.force,
                now,
            )
        }
        "update" => update_task(snapshot, checkout, who, id, &params.patch, now),
        "resume" => resume_task(snapshot, checkout, who, id, now),
        _ => close_task(
            snapshot,
            checkout,
            who,
            id,
            &params.status,
            &params.patch,
            now,
        ),
    }
}

/// Members of a patch that are lists of paths.
const PATHS: [&str; 3] = ["active_files", "files", "discarded_paths"];

/// Makes the paths of a patch relative to the repository: they start from the working directory
/// where that is in it, else from its root. What is no text is left to whoever reads the patch, and
/// so is a pattern.
///
/// # Errors
/// A path leads out of the repository, or names all of it.
fn locate(worktree: &Path, cwd: &str, patch: &mut Map<String, Value>) -> Result<(), RpcError> {
    let base = base(worktree, cwd);
    for (member, value) in patch
        .iter_mut()
        .filter(|(m, _)| PATHS.contains(&m.as_str()))
    {
        let lists: Vec<&mut Value> = match value {
            // `{set, add, remove}`.
            Value::Object(operations) => operations.values_mut().collect(),
            list => vec![list],
        };
        for path in lists.into_iter().filter_map(Value::as_array_mut).flatten() {
            let Value::String(text) = path else { continue };
            if text.trim().is_empty() || text.contains(['*', '?']) {
                continue;
            }
            match root::locate(worktree, base, text) {
                Located::Inside(inside) if !inside.is_root() => {
                    inside.as_str().clone_into(text);
                }
                _ => {
                    let text = format!("`{member}`: {text} is not a path in this repository");
                    return Err(RpcError::new(INVALID_PARAMS, text));
                }
            }
        }
    }
    Ok(())
}

/// Returns the checkout and its git state: the thread remembers both.
pub(super) async fn checkout(
    app: &Arc<App>,
    place: &Place,
    snapshot: &Arc<Snapshot>,
) -> Result<Checkout, RpcError> {
    let git = git::state(app, &place.worktree).await;
    let (task, place, snapshot) = (Arc::clone(app), place.clone(), Arc::clone(snapshot));
    tokio::task::spawn_blocking(move || {
        worktree_facts::checkout(&task, &place, &snapshot).with_git(&git)
    })
    .await
    .map_err(|_| RpcError::new(INTERNAL, "the handler failed"))
}

fn refused(error: TaskError) -> RpcError {
    let text = error.to_string();
    match error {
        TaskError::NoSuch(_) => {
            RpcError::new(NOT_FOUND, text).hint("`aictx task list` shows what there is")
        }
        TaskError::NoActive => RpcError::new(NOT_FOUND, text)
            .hint("`aictx task start GOAL` starts one, `aictx task resume ID` goes on with one"),
        TaskError::Exists(_) => RpcError::new(INVALID_PARAMS, text)
            .hint("`aictx task resume ID` goes on with it, `--task-id` names another, `--force` begins it anew"),
        _ => RpcError::new(INVALID_PARAMS, text),
    }
}
