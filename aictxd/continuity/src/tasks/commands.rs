//! `task start`, `update`, `resume` and `close`: what they want written, or why they refuse.

use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::record::{Origin, THREAD_STATES, Thread};
use aictx_proto::shown::{self, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use serde_json::{Map, Value, json};

use crate::error::TaskError;

use super::branch::{Active, Checkout, active_thread, loadable};
use super::patch::{apply, changed};
use super::{
    MAX_ID, MAX_TEXT, find_thread, focus_on, forget_focus, lifecycle_event, pointer_effect,
    task_id, thread_effects, thread_line,
};

/// Result of a task command.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOutcome {
    /// The thread now.
    pub thread: Thread,
    /// Members that changed, sorted.
    pub changed_fields: Vec<String>,
}

/// Identity, checkout and time of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Act<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) checkout: &'a Checkout,
    pub(super) caller: (&'a str, &'a str, &'a str),
    pub(super) now: Timestamp,
}

impl Act<'_> {
    /// Stamps the thread and gives everything to be written. Only what begins or goes on with a
    /// thread brings it to another branch: a note made from elsewhere leaves it where it belongs.
    pub(super) fn save(
        &self,
        thread: &mut Thread,
        event: &str,
        patch: &Value,
        pointer: bool,
    ) -> Effects {
        thread.version = 1;
        thread.updated_at = self.now.to_string();
        let moves = matches!(event, "started" | "resumed");
        if moves || loadable(thread, self.checkout).yes {
            thread.git_context = Some(self.checkout.context(&thread.updated_at));
        }
        let mut effects = thread_effects(thread, event, "cli", patch, self.now);
        if pointer {
            let before = &self.snapshot.pointer;
            let after = if thread.status == "in_progress" {
                focus_on(before, self.checkout, &thread.task_id, self.now)
            } else {
                forget_focus(before, &thread.task_id, self.now)
            };
            effects.push(pointer_effect(&after));
        }
        let kind = match event {
            "started" => "work_state_started",
            "closed" => "work_state_closed",
            _ => "work_state_updated",
        };
        effects.push(lifecycle_event(kind, thread, self.caller, "cli", self.now));
        effects
    }
}

/// Starts a thread and makes it the active one of this worktree and branch.
///
/// # Errors
/// No goal, a bad id, or one that is taken (unless `force`).
#[allow(clippy::too_many_arguments)]
pub fn start_task(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    goal: &str,
    id: &str,
    initial: &Map<String, Value>,
    force: bool,
    now: Timestamp,
) -> Result<(TaskOutcome, Effects), TaskError> {
    let said = initial.get("goal").and_then(Value::as_str);
    let goal = clean(
        if goal.trim().is_empty() {
            said.unwrap_or_default()
        } else {
            goal
        },
        MAX_TEXT,
    );
    if goal.is_empty() {
        return Err(TaskError::NoGoal);
    }
    let id = if id.trim().is_empty() {
        task_id(&goal)
    } else {
        checked(id.trim())?
    };
    if !force && find_thread(snapshot, &id).is_some() {
        return Err(TaskError::Exists(id));
    }
    let mut thread = Thread {
        task_id: id,
        goal: goal.clone(),
        status: "in_progress".to_owned(),
        created_at: now.to_string(),
        ..Thread::default()
    };
    let mut patch = initial.clone();
    patch.insert("goal".to_owned(), json!(goal));
    apply(&mut thread, &patch)?;
    let changed_fields = changed(&Thread::default(), &thread);
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    let effects = act.save(&mut thread, "started", &Value::Object(patch), true);
    Ok((
        TaskOutcome {
            thread,
            changed_fields,
        },
        effects,
    ))
}

/// Changes a thread; the active one when no id is given.
///
/// # Errors
/// No such thread, or a patch that is not one; nothing is changed then.
pub fn update_task(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    id: &str,
    patch: &Map<String, Value>,
    now: Timestamp,
) -> Result<(TaskOutcome, Effects), TaskError> {
    if patch.is_empty() {
        return Err(TaskError::Empty);
    }
    let mut thread = pick(snapshot, checkout, id)?;
    let before = thread.status.clone();
    let changed_fields = apply(&mut thread, patch)?;
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    // Only a change of state moves the focus: updating another open task leaves it where it is.
    let moved = thread.status != before;
    let effects = act.save(&mut thread, "updated", &json!(patch), moved);
    Ok((
        TaskOutcome {
            thread,
            changed_fields,
        },
        effects,
    ))
}

/// Makes a thread the active one of this worktree and branch.
///
/// # Errors
/// No such thread.
pub fn resume_task(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    id: &str,
    now: Timestamp,
) -> Result<(TaskOutcome, Effects), TaskError> {
    let mut thread = find_thread(snapshot, id.trim())
        .cloned()
        .ok_or_else(|| TaskError::NoSuch(id.trim().to_owned()))?;
    let before = thread.clone();
    thread.status = "in_progress".to_owned();
    let changed_fields = changed(&before, &thread);
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    let patch = json!({ "status": "in_progress" });
    let effects = act.save(&mut thread, "resumed", &patch, true);
    Ok((
        TaskOutcome {
            thread,
            changed_fields,
        },
        effects,
    ))
}

/// Closes a thread; the active one when no id is given. Other threads stay as they are.
///
/// # Errors
/// No such thread, an unknown state, or a patch that is not one.
pub fn close_task(
    snapshot: &Snapshot,
    checkout: &Checkout,
    caller: (&str, &str, &str),
    id: &str,
    status: &str,
    patch: &Map<String, Value>,
    now: Timestamp,
) -> Result<(TaskOutcome, Effects), TaskError> {
    let status = if status.is_empty() {
        "resolved"
    } else {
        status
    };
    if status == "in_progress" || !THREAD_STATES.contains(&status) {
        let why = "must be resolved, abandoned, blocked or paused";
        return Err(TaskError::field("status", why));
    }
    let mut thread = pick(snapshot, checkout, id)?;
    let before = thread.clone();
    let mut patch = patch.clone();
    patch.insert("status".to_owned(), json!(status));
    apply(&mut thread, &patch)?;
    let changed_fields = changed(&before, &thread);
    let act = Act {
        snapshot,
        checkout,
        caller,
        now,
    };
    let effects = act.save(&mut thread, "closed", &Value::Object(patch), true);
    Ok((
        TaskOutcome {
            thread,
            changed_fields,
        },
        effects,
    ))
}

fn pick(snapshot: &Snapshot, checkout: &Checkout, id: &str) -> Result<Thread, TaskError> {
    let id = id.trim();
    if id.is_empty() {
        let active = active_thread(snapshot, checkout).thread;
        return active.map(|t| (*t).clone()).ok_or(TaskError::NoActive);
    }
    let found = find_thread(snapshot, id).cloned();
    found.ok_or_else(|| TaskError::NoSuch(id.to_owned()))
}

/// An id as somebody gave it, which becomes a file's name.
fn checked(id: &str) -> Result<String, TaskError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.len() <= MAX_ID && id.chars().all(plain) && !id.starts_with('-') && !id.is_empty() {
        return Ok(id.to_owned());
    }
    // What the format made of other texts: lower-case with dashes.
    let made = task_id(id);
    if made.is_empty() {
        Err(TaskError::BadId(id.to_owned()))
    } else {
        Ok(made)
    }
}

/// The active thread in one line; else that there is none, and where the nearest one is.
pub fn status_line(active: &Active) -> String {
    if let Some(thread) = &active.thread {
        return thread_line(thread);
    }
    let mut line = "No task is active here.".to_owned();
    if let Some(left) = &active.recent {
        line.push_str(&format!(
            " One was left {}: {}",
            shown::line(&left.status, 24),
            thread_line(left)
        ));
        // What stands in the way was put down last.
        if let Some(risk) = left.risks.last() {
            let label = left.origin.label();
            line.push_str(&format!(" ({}{label})", Quoted::new(risk, 160)));
        }
    }
    if let Some(skipped) = &active.skipped {
        let text = |name: &str| Name::new(skipped[name].as_str().unwrap_or_default(), 80);
        line.push_str(&format!(
            " {} is in progress on branch {} ({}); `aictx task resume {0}` goes on with it here.",
            text("task_id"),
            text("saved_branch"),
            text("reason").to_string().replace('_', " "),
        ));
        line.push_str(Origin::of(skipped).label());
    }
    line
}
