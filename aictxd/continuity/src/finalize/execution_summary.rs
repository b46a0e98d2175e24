//! What an execution did, in the words and figures that people read.

use std::sync::Arc;

use aictx_proto::record::{Strategy, files};
use aictx_proto::shown::{self, Line, Name};
use serde_json::{Map, Value, json};

use super::decided::Decided;
use super::derive_memory::Learned;
use crate::origin::{marked, with_origin};
use crate::strategies::StrategyChange;
use crate::summary;
use crate::tasks::{active_thread, thread_file};

/// What was done, in words.
pub(super) struct Summary {
    pub(super) text: String,
    pub(super) payload: Value,
    /// `agent_summary` of the reply and of the feedback row.
    pub(super) members: Map<String, Value>,
    pub(super) markdown: String,
}

impl Summary {
    pub(super) fn of(d: &Decided) -> Self {
        let left = d.handoff.next_steps.iter().chain(&d.handoff.blocked);
        let mut next: Vec<String> = left.cloned().collect();
        if next.is_empty() {
            next.extend(next_of_task(d));
        }
        let (text, payload, polished) = summary::render(&summary::Facts {
            loaded: d.learned.loaded.clone(),
            failure: failure(d),
            resolved: d.change.resolved.len(),
            strategy: strategy_files(d),
            map: d.input.project.map_state.clone(),
            contract: if d.learned.compliance.evaluated() {
                d.learned.compliance.compact_summary.clone()
            } else {
                String::new()
            },
            saved: saved(d),
            next: next.clone(),
            entry_points: d.handoff.recommended_starting_points.clone(),
            observed: d.seen.tools > 0,
        });
        Self {
            text,
            payload,
            members: agent_summary(d, polished),
            markdown: markdown(d, &next),
        }
    }
}

/// Next action of the active task.
fn next_of_task(d: &Decided) -> Option<String> {
    let task = match &d.learned.thread {
        Some(thread) => thread.clone(),
        None => (*active_thread(d.snapshot, &d.input.project.checkout).thread?).clone(),
    };
    // What came with the repository is no word of this work.
    let goes_on = task.status == "in_progress" && task.origin.is_own();
    Some(task.next_action).filter(|next| goes_on && !next.trim().is_empty())
}

fn markdown(d: &Decided, next: &[String]) -> String {
    let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
    let offered = d.learned.offered.as_ref();
    let reason = offered.and_then(|(hint, _, _)| hint["selection_reason"].as_str());
    let or_none = |text: String| match text.as_str() {
        "" => "none".to_owned(),
        _ => text,
    };
    let strategy = strategy_files(d);
    let files = strategy.iter().take(4);
    let files = Line::join(files.map(|path| marked(path, Name::new, 200)), ", ");
    let fields = match d.learned.thread.as_ref() {
        Some(thread) => {
            let fields = d.learned.thread_fields.iter().take(5);
            let fields = fields.map(String::as_str).collect::<Vec<_>>();
            format!(
                "{} ({})",
                shown::line(&thread.task_id, 120),
                fields.join(", ")
            )
        }
        None => "none".to_owned(),
    };
    summary::markdown(
        &[
            ("prepared task type", d.prepared_type.clone()),
            ("final task type", d.final_type.clone()),
            ("effective task type", d.task_type.clone()),
            ("prepared area", d.area.clone()),
            ("final area", d.area.clone()),
            ("effective area", d.area.clone()),
            ("outcome", d.handoff.status.clone()),
            ("reused strategy", yes(offered.is_some_and(|o| o.2))),
            (
                "strategy reason",
                shown::line(reason.unwrap_or("none"), 240),
            ),
            ("strategy entry points", or_none(files.to_string())),
            (
                "reuse confidence",
                offered.map_or("low", |o| o.1).to_owned(),
            ),
            ("value sources", or_none(d.learned.loaded.join(", "))),
            ("RepoMap", or_none(d.input.project.map_state.clone())),
            ("work state updated", fields),
            ("handoff stored", yes(d.worth_a_handoff)),
            ("decision stored", yes(!d.decisions.is_empty())),
            ("failure recorded", yes(d.change.persisted.is_some())),
            ("failures resolved", d.change.resolved.len().to_string()),
            (
                "strategy stored",
                yes(d.learned.strategy != StrategyChange::None),
            ),
            ("contract", d.learned.compliance.compact_summary.clone()),
        ],
        &[
            ("files opened", d.seen.files_opened.len()),
            ("files edited", d.seen.files_edited.len()),
            ("files reopened", d.seen.files_reopened.len()),
            ("commands", d.seen.commands.len()),
            ("tests", d.seen.tests.len()),
            ("errors", d.seen.error_events.len()),
        ],
        &d.seen.tests,
        next,
        &d.handoff.recommended_starting_points,
    )
}

/// Whether the failure pattern was known, and what kind of failure it is.
fn failure(d: &Decided) -> Option<(bool, String)> {
    d.change.persisted.as_ref().map(|p| {
        let first = |name: &str| {
            p[name]
                .get(0)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let words = [first("toolchains"), first("phases"), first("error_codes")];
        // What is not known of it is left out.
        let known = |word: &String| !word.is_empty() && word != "unknown";
        let words: Vec<String> = words.into_iter().filter(known).collect();
        (p["existing"].as_bool().unwrap_or(false), words.join(" "))
    })
}

pub(super) fn saved(d: &Decided) -> Vec<&'static str> {
    let mut saved = Vec::new();
    if d.worth_a_handoff {
        saved.push("handoff");
    }
    if !d.decisions.is_empty() {
        saved.push("decision memory");
    }
    if d.change.persisted.is_some() {
        saved.push("failure pattern");
    }
    if d.learned.strategy != StrategyChange::None && d.success == Some(true) {
        saved.push("strategy");
    }
    if d.learned.semantic.is_some() {
        saved.push("semantic memory");
    }
    if d.learned.thread.is_some() {
        saved.push("Work State");
    }
    saved
}

/// Files of the strategy that was offered, when the first of them was really used.
fn strategy_files(d: &Decided) -> Vec<String> {
    let Some((hint, _, true)) = &d.learned.offered else {
        return Vec::new();
    };
    let rows = d.snapshot.strategies.iter().rev();
    let mut rows = rows.filter(|s| Some(s.task_id.as_str()) == hint["task_id"].as_str());
    let told = |s: &Arc<Strategy>| {
        let points = s.entry_points.iter();
        let told = points.map(|path| with_origin(path.clone(), s.origin));
        told.collect()
    };
    rows.next().map(told).unwrap_or_default()
}

pub(super) fn strategy_reply(d: &Decided) -> Option<Value> {
    let (id, renewed) = match &d.learned.strategy {
        StrategyChange::None => return None,
        StrategyChange::Append(row) => (row.task_id.clone(), false),
        StrategyChange::Renew(row) => (row.task_id.clone(), true),
    };
    Some(json!({
        "path": format!(".aictx/{}", files::STRATEGIES), "task_id": id, "renewed": renewed,
    }))
}

/// `aictx_feedback` of the reply and of the feedback row.
pub(super) fn feedback(d: &Decided) -> Map<String, Value> {
    let used_strategy = d.learned.offered.as_ref().is_some_and(|o| o.2);
    let reopened = d.seen.files_reopened.len();
    let members = [
        ("files_opened", json!(d.seen.files_opened.len())),
        ("reopened_files", json!(reopened)),
        ("used_strategy", json!(used_strategy)),
        ("used_packet", json!(false)),
        (
            "possible_redundant_exploration",
            json!(reopened > 2 && d.seen.files_edited.is_empty()),
        ),
        ("previous_strategy_reused", json!(used_strategy)),
        ("commands_observed", json!(d.seen.commands.len())),
        ("tests_observed", json!(d.seen.tests.len())),
    ];
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn agent_summary(d: &Decided, polished: Value) -> Map<String, Value> {
    let mut agent_summary = Map::new();
    for (name, member) in [
        ("prepared_task_type", json!(d.prepared_type)),
        ("final_task_type", json!(d.final_type)),
        ("effective_task_type", json!(d.task_type)),
        ("prepared_area_id", json!(d.area)),
        ("final_area_id", json!(d.area)),
        ("effective_area_id", json!(d.area)),
        ("handoff_stored", json!(d.worth_a_handoff)),
        ("decision_stored", json!(!d.decisions.is_empty())),
        ("failure_recorded", json!(d.change.persisted.is_some())),
        ("resolved_failures", json!(d.change.resolved)),
        ("continuity_loaded", json!(d.learned.loaded)),
        ("contract_compliance", d.learned.compliance.object.clone()),
        (
            "strategy_reused",
            json!(d.learned.offered.as_ref().is_some_and(|o| o.2)),
        ),
        (
            "work_state_updated",
            thread_reply(&d.learned).unwrap_or_else(|| json!({})),
        ),
        ("learning_persisted", json!(strategy_reply(d).is_some())),
        ("strategy_persisted", json!(strategy_reply(d).is_some())),
        (
            "reuse_confidence",
            json!(d.learned.offered.as_ref().map_or("low", |o| o.1)),
        ),
        ("reopened_files", json!(d.seen.files_reopened.len())),
        ("files_opened", json!(d.seen.files_opened.len())),
        ("files_edited", json!(d.seen.files_edited.len())),
        ("commands_observed", json!(d.seen.commands)),
        ("tests_observed", json!(d.seen.tests)),
        ("polished_summary", polished),
    ] {
        agent_summary.insert(name.to_owned(), member);
    }
    agent_summary
}

/// The thread's file, for the reply.
pub(super) fn thread_reply(learned: &Learned) -> Option<Value> {
    let thread = learned.thread.as_ref()?;
    Some(json!({
        "updated": true, "task_id": thread.task_id,
        "path": format!(".aictx/{}", thread_file(&thread.task_id)), "fields": learned.thread_fields,
    }))
}
