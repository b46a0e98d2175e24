//! Work State: threads of work that outlive sessions.
//!
//! A thread belongs to the branch and the worktree in which it was last worked on; one is active
//! for each pair of them. What is stored stays within the bounds of the format, and in full lists
//! the oldest entry makes room.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::record::{ActivePointer, Focus, LifecycleEvent, MAX_FOCUS, Thread, files};
use aictx_proto::shown::Quoted;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::told;
use serde_json::{Map, Value, json};

use crate::origin::{labelled, with_origin};
use crate::record_json::record_value;

pub use self::branch::{Active, Checkout, Loadable, active_thread, loadable};
pub use self::commands::{
    TaskOutcome, close_task, resume_task, start_task, status_line, update_task,
};
pub(crate) use self::merge::{Evidence, merge_execution};
pub(crate) use self::patch::{apply as apply_patch, changed as changed_members, severity_rank};
pub use self::ticket::{
    ClaimOf, claim_ticket, claimed_tickets, finish_ticket, held_ticket, passed_since_edit,
    release_ticket, ticket_at_hand, ticket_line,
};

mod branch;
mod commands;
mod merge;
mod patch;
#[cfg(test)]
mod tests;
mod ticket;

/// Longest text of a thread, in characters.
const MAX_TEXT: usize = 240;
/// Longest id.
const MAX_ID: usize = 80;

/// A member name made of a goal: lower-case letters and digits with dashes, at most 80. A goal
/// that is not wholly said by that gets eight digits of its hash, so that goals in any script get
/// distinct ids.
pub fn task_id(goal: &str) -> String {
    let goal = goal.trim();
    let mut id = String::new();
    for c in goal.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_matches('-');
    let said = goal
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c.is_ascii_punctuation() || c.is_ascii_whitespace());
    if said && !id.is_empty() && id.len() <= MAX_ID {
        return id.to_owned();
    }
    let hash = crate::ids::short_hash(&[goal]);
    let head: String = id.chars().take(MAX_ID - 9).collect();
    let head = head.trim_matches('-');
    if head.is_empty() {
        format!("task-{hash}")
    } else {
        format!("{head}-{hash}")
    }
}

/// Returns the path of a thread's file, below the memory.
pub fn thread_file(id: &str) -> String {
    format!("{}/{id}.json", files::THREADS_DIR)
}

/// A thread by id.
pub fn find_thread<'s>(snapshot: &'s Snapshot, id: &str) -> Option<&'s Thread> {
    snapshot
        .threads
        .iter()
        .find(|thread| thread.task_id == id)
        .map(AsRef::as_ref)
}

/// Longest text of a thread in its line, in characters.
const MAX_LINE: usize = 400;

/// A thread in one line: goal, next action, hypothesis.
pub fn thread_line(thread: &Thread) -> String {
    let quoted = |text: &str, limit| Quoted::new(text.trim().trim_end_matches('.'), limit);
    let mut line = told!("{}.", quoted(&thread.goal, MAX_LINE));
    if !thread.next_action.is_empty() {
        line.push(&told!(" Next: {}.", quoted(&thread.next_action, MAX_LINE)));
    }
    if !thread.current_hypothesis.is_empty() {
        let said = quoted(&thread.current_hypothesis, 120);
        line.push(&told!(" Hypothesis: {}.", said));
    }
    with_origin(line.to_string(), thread.origin)
}

/// The short form that packets carry; empty members are left out.
pub(crate) fn compact(thread: &Thread) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        let empty = match &value {
            Value::String(s) => s.is_empty(),
            Value::Array(a) => a.is_empty(),
            Value::Null => true,
            _ => false,
        };
        if !empty {
            out.insert(name.to_owned(), value);
        }
    };
    let newest =
        |list: &[String], n: usize| json!(list.iter().rev().take(n).collect::<Vec<&String>>());
    put("task_id", json!(thread.task_id));
    put("status", json!(thread.status));
    put("goal", json!(thread.goal));
    put("current_hypothesis", json!(thread.current_hypothesis));
    put("active_files", newest(&thread.active_files, 5));
    put("verified", newest(&thread.verified, 4));
    put("unverified", newest(&thread.unverified, 4));
    put("next_action", json!(thread.next_action));
    put(
        "recommended_commands",
        newest(&thread.recommended_commands, 4),
    );
    put("risks", newest(&thread.risks, 4));
    let some = |list: &[Value], n: usize| json!(list.iter().rev().take(n).collect::<Vec<_>>());
    put(
        "discarded_hypotheses",
        some(&thread.discarded_hypotheses, 3),
    );
    put("contract_gaps", some(&thread.contract_gaps, 4));
    put(
        "strongest_contract_gap",
        thread.strongest_contract_gap.clone().unwrap_or(Value::Null),
    );
    put("updated_at", json!(thread.updated_at));
    let texts = ["goal", "current_hypothesis", "next_action"];
    labelled(&Value::Object(out), thread.origin, &texts)
}

/// The writes of a changed thread: its file, its event and, when `pointer` changed, that.
pub(crate) fn thread_effects(
    thread: &Thread,
    event: &str,
    source: &str,
    patch: &Value,
    now: Timestamp,
) -> Vec<Effect> {
    let fields: Vec<&String> = patch
        .as_object()
        .map(|p| p.keys().collect())
        .unwrap_or_default();
    let mut row = json!({
        "event": event, "task_id": thread.task_id, "timestamp": now, "source": source,
        "fields": fields, "patch": patch,
    });
    if event == "closed" {
        aictx_proto::json::set(&mut row, "status", json!(thread.status));
    }
    vec![
        Effect::ReplaceJson {
            file: thread_file(&thread.task_id),
            value: record_value(thread),
            order: KeyOrder::Sorted,
        },
        Effect::AppendRows {
            file: format!("{}/{}.events.jsonl", files::THREADS_DIR, thread.task_id),
            rows: vec![row],
            order: KeyOrder::Sorted,
        },
    ]
}

/// The write of a pointer.
pub(crate) fn pointer_effect(pointer: &ActivePointer) -> Effect {
    Effect::ReplaceJson {
        file: files::ACTIVE_TASK.to_owned(),
        value: record_value(pointer),
        order: KeyOrder::Sorted,
    }
}

/// Points the worktree and branch of `checkout` at a thread.
pub(crate) fn focus_on(
    pointer: &ActivePointer,
    checkout: &Checkout,
    id: &str,
    now: Timestamp,
) -> ActivePointer {
    let mut pointer = forget_focus(pointer, id, now);
    pointer
        .focus
        .retain(|f| !(f.worktree == checkout.worktree && f.branch == checkout.branch));
    pointer.focus.insert(
        0,
        Focus {
            worktree: checkout.worktree.clone(),
            branch: checkout.branch.clone(),
            task_id: id.to_owned(),
        },
    );
    pointer.focus.truncate(MAX_FOCUS);
    pointer.active_task_id = id.to_owned();
    pointer
}

/// A pointer that does not name a thread any more; its time stays.
pub(crate) fn without(pointer: &ActivePointer, id: &str) -> ActivePointer {
    let at = Timestamp::parse(&pointer.updated_at).unwrap_or_default();
    forget_focus(pointer, id, at)
}

/// Points nothing at a thread any more. Closing one thread leaves the others where they are.
pub(crate) fn forget_focus(pointer: &ActivePointer, id: &str, now: Timestamp) -> ActivePointer {
    let mut pointer = pointer.clone();
    pointer.version = 1;
    pointer.updated_at = now.to_string();
    pointer.focus.retain(|f| f.task_id != id);
    if pointer.active_task_id == id {
        pointer.active_task_id = pointer
            .focus
            .first()
            .map(|f| f.task_id.clone())
            .unwrap_or_default();
    }
    pointer
}

/// The lifecycle event of a change to a thread.
pub(crate) fn lifecycle_event(
    kind: &str,
    thread: &Thread,
    caller: (&str, &str, &str),
    source: &str,
    now: Timestamp,
) -> Effect {
    let (agent, adapter, session) = caller;
    let event = LifecycleEvent {
        schema_version: "1.0".to_owned(),
        event_type: kind.to_owned(),
        timestamp: now.to_string(),
        source: source.to_owned(),
        agent_id: agent.to_owned(),
        adapter_id: adapter.to_owned(),
        session_id: session.to_owned(),
        task: thread.goal.clone(),
        work_state_task_id: thread.task_id.clone(),
        status: thread.status.clone(),
        ..LifecycleEvent::default()
    };
    Effect::AppendRows {
        file: files::LIFECYCLE_EVENTS.to_owned(),
        rows: vec![crate::stale_sessions::row(&event)],
        order: KeyOrder::Sorted,
    }
}
