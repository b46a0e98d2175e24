//! The answer to a finalize, and the summary that people read.

use std::sync::Arc;

use aictx_proto::methods::FinalizeReply;
use aictx_proto::record::{AgentExecutionRow, Strategy, files};
use aictx_proto::shown::{self, Line, Name};
use aictx_proto::snapshot::GitState;
use serde_json::{Map, Value, json};

use super::derive_memory::thread_reply;
use super::records::Records;
use super::rejected_fields::unheard;
use super::{Decided, Finalize, value};
use crate::decision_memory;
use crate::origin::{marked, with_origin};
use crate::preferences::is_muted;
use crate::strategies::StrategyChange;
use crate::summary;
use crate::tasks::active_thread;

/// What was done, in words.
pub(super) struct Summary {
    text: String,
    payload: Value,
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

/// Answer for an execution that was recorded now.
pub(super) fn reply(d: Decided, records: &Records, summary: Summary) -> FinalizeReply {
    let feedback = feedback(&d);
    let warnings = warnings(&d);
    let muted = is_muted(&d.snapshot.preferences);
    let value_evidence = value_evidence(&d, records);
    let continuity_value = continuity_value(&d);
    let work_state_updated = thread_reply(&d.learned);
    let strategy_persisted = strategy_reply(&d);
    FinalizeReply {
        schema_version: "1.0".to_owned(),
        execution_id: d.execution_id,
        session_id: d.input.identity.session_id.clone(),
        recorded: true,
        execution_mode: "plain".to_owned(),
        prepared_task_type: d.prepared_type,
        final_task_type: d.final_type,
        effective_task_type: d.task_type,
        prepared_area_id: d.area.clone(),
        final_area_id: d.area.clone(),
        effective_area_id: d.area,
        final_task_resolution: d.final_resolution,
        telemetry_entry: value(&records.telemetry),
        handoff_persisted: d.worth_a_handoff.then(|| {
            json!({
                "path": format!(".aictx/{}", files::HANDOFF),
                "handoff": value(&d.handoff),
                "history": { "path": format!(".aictx/{}", files::HANDOFFS), "count": (d.snapshot.handoffs.len() + 1).min(10) },
            })
        }),
        failure_persisted: d.change.persisted,
        resolved_failures: d.change.resolved,
        decisions_persisted: d.decisions.iter().map(value).collect(),
        strategy_persisted,
        semantic_repo_persisted: d.learned.semantic,
        continuity_metrics_persisted: Some(json!({
            "path": format!(".aictx/{}", files::CONTINUITY_METRICS), "metrics": d.learned.metrics,
        })),
        work_state_updated,
        contract_compliance: d.learned.compliance.object,
        contract_adherence: d.learned.adherence,
        contract_gaps: d.learned.gaps,
        differences: d.differences,
        aictx_feedback: Value::Object(feedback),
        capture_quality: capture_quality(&d.provenance),
        git_state: git_state(d.input.git, &records.log.files_edited),
        execution_observation: value(&records.log),
        agent_summary: summary.members,
        agent_summary_text: if muted { String::new() } else { summary.text },
        agent_summary_render_payload: summary.payload,
        agent_summary_policy: json!({
            "append_to_final_response": !muted, "render_in_user_language": true,
            "render_payload_field": "agent_summary_render_payload", "muted": muted,
        }),
        continuity_value,
        reuse_confidence: d.learned.offered.map_or("low", |o| o.1).to_owned(),
        value_evidence,
        redacted: Map::new(),
        finalized_at: d.input.now.to_string(),
        warnings,
    }
}

/// Answer for an execution that is recorded already.
pub(super) fn repeated(input: &Finalize, known: &AgentExecutionRow) -> FinalizeReply {
    FinalizeReply {
        schema_version: "1.0".to_owned(),
        execution_id: known.execution_id.clone(),
        session_id: input.identity.session_id.clone(),
        recorded: false,
        execution_mode: known.execution_mode.clone(),
        prepared_task_type: known.prepared_task_type.clone(),
        final_task_type: known.final_task_type.clone(),
        effective_task_type: known.resolved_task_type.clone(),
        prepared_area_id: String::new(),
        final_area_id: String::new(),
        effective_area_id: String::new(),
        final_task_resolution: json!({}),
        telemetry_entry: value(known),
        handoff_persisted: None,
        failure_persisted: None,
        resolved_failures: Vec::new(),
        decisions_persisted: Vec::new(),
        strategy_persisted: None,
        semantic_repo_persisted: None,
        continuity_metrics_persisted: None,
        work_state_updated: None,
        contract_compliance: json!({}),
        contract_adherence: json!({}),
        contract_gaps: Vec::new(),
        differences: Vec::new(),
        aictx_feedback: json!({}),
        capture_quality: json!({}),
        git_state: git_state(input.git, &[]),
        execution_observation: json!({}),
        agent_summary: Map::new(),
        agent_summary_text: "This execution was recorded before; nothing was changed.".to_owned(),
        agent_summary_render_payload: json!({}),
        agent_summary_policy: json!({}),
        continuity_value: json!({}),
        reuse_confidence: "low".to_owned(),
        value_evidence: json!({}),
        redacted: Map::new(),
        finalized_at: known.recorded_at.clone(),
        warnings: vec!["already_finalized".to_owned()],
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

fn saved(d: &Decided) -> Vec<&'static str> {
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

fn strategy_reply(d: &Decided) -> Option<Value> {
    let (id, renewed) = match &d.learned.strategy {
        StrategyChange::None => return None,
        StrategyChange::Append(row) => (row.task_id.clone(), false),
        StrategyChange::Renew(row) => (row.task_id.clone(), true),
    };
    Some(json!({
        "path": format!(".aictx/{}", files::STRATEGIES), "task_id": id, "renewed": renewed,
    }))
}

fn value_evidence(d: &Decided, records: &Records) -> Value {
    json!({
        "task_fingerprint": records.telemetry.task_fingerprint,
        "repeated_context_request": records.telemetry.repeated_context_request,
        "execution_time_ms": d.elapsed_ms, "used_packet": false,
        "used_strategy": records.telemetry.used_strategy,
        "files_opened": d.seen.files_opened, "files_edited": d.seen.files_edited,
        "commands_executed": d.seen.commands, "tests_executed": d.seen.tests,
        "error_events": d.seen.error_events,
    })
}

fn continuity_value(d: &Decided) -> Value {
    let fields = [
        ("files_opened", d.seen.files_opened.is_empty()),
        ("files_edited", d.seen.files_edited.is_empty()),
        ("commands_executed", d.seen.commands.is_empty()),
        ("tests_executed", d.seen.tests.is_empty()),
        ("error_events", d.seen.error_events.is_empty()),
    ];
    let observed: Vec<&str> = fields.iter().filter(|f| !f.1).map(|f| f.0).collect();
    json!({
        "loaded_sources": d.learned.loaded, "ranked_item_count": d.learned.ranked.0,
        "top_ranked_kind": d.learned.ranked.1, "stored_sources": saved(d),
        "observed_fields": observed, "brief_available": true,
    })
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

fn warnings(d: &Decided) -> Vec<String> {
    let mut warnings: Vec<String> = d
        .snapshot
        .issues
        .iter()
        .map(|i| i.warning())
        .take(12)
        .collect();
    let told = d.input.params().map(|params| params.status.as_str());
    if told == Some("success") {
        let failing = d.seen.open_failures.iter().filter(|f| f.is_check()).take(3);
        warnings.extend(
            failing.map(|f| format!("reported as success, but seen failing: {}", f.line())),
        );
    }
    if let Some(report) = d.input.report
        && !report.outside.is_empty()
    {
        warnings.push(match report.outside.len() {
            1 => "1 path outside the repository was not recorded".to_owned(),
            n => format!("{n} paths outside the repository were not recorded"),
        });
    }
    warnings.extend(
        d.input
            .params()
            .map_or_else(Vec::new, |told| unheard(d, told)),
    );
    let known = &d.snapshot.decisions;
    for named in d.decisions.iter().flat_map(|new| &new.supersedes) {
        if !known.iter().any(|old| decision_memory::names(named, old)) {
            warnings.push(format!(
                "supersedes names no decision on record: {}",
                shown::line(named, 80)
            ));
        }
    }
    warnings
}

/// The lists of an execution that somebody has to have seen or said.
pub(crate) const CAPTURED: [&str; 6] = [
    "files_opened",
    "files_edited",
    "commands_executed",
    "tests_executed",
    "notable_errors",
    "error_events",
];

/// Returns true if it is known how one of these lists came about.
pub(crate) fn is_captured(provenance: &Map<String, Value>, field: &str) -> bool {
    let how = provenance.get(field).and_then(Value::as_str);
    how.is_some_and(|how| how != "unknown")
}

/// Which of the six lists are known.
fn capture_quality(provenance: &Map<String, Value>) -> Value {
    let known = |field: &&&str| is_captured(provenance, field);
    let covered: Vec<&&str> = CAPTURED.iter().filter(known).collect();
    let unknown: Vec<&&str> = CAPTURED.iter().filter(|f| !known(f)).collect();
    let ratio = (covered.len() as f64 / CAPTURED.len() as f64 * 10_000.0).round() / 10_000.0;
    json!({
        "covered_fields": covered, "unknown_fields": unknown, "coverage_ratio": ratio,
        "provenance": provenance,
    })
}

/// `git_state` of a handoff: of the edited files alone, so that a large change stays small.
pub(super) fn handoff_git_state(git: &GitState, edited: &[String]) -> Value {
    const MEMBERS: [&str; 7] = [
        "available",
        "reason",
        "branch",
        "commit",
        "dirty",
        "changed_count",
        "files_edited_uncommitted",
    ];
    let mut state = git_state(git, edited);
    if let Some(members) = state.as_object_mut() {
        members.retain(|name, _| MEMBERS.contains(&name.as_str()));
    }
    state
}

fn git_state(git: &GitState, edited: &[String]) -> Value {
    if !git.available {
        let reason = if git.reason.is_empty() {
            "not_git_repo"
        } else {
            &git.reason
        };
        return json!({ "available": false, "reason": reason });
    }
    let mut changed: Vec<&String> = Vec::new();
    for path in git.staged.iter().chain(&git.unstaged).chain(&git.untracked) {
        if !changed.contains(&path) {
            changed.push(path);
        }
    }
    // git names an untracked directory, not the files in it.
    let among = |lists: &[&Vec<String>]| -> Vec<String> {
        let changed = |file: &String| {
            lists.iter().flat_map(|list| list.iter()).any(|path| {
                path == file || (path.ends_with('/') && file.starts_with(path.as_str()))
            })
        };
        edited
            .iter()
            .filter(|file| changed(file))
            .cloned()
            .collect()
    };
    let uncommitted = among(&[&git.staged, &git.unstaged, &git.untracked]);
    let unstaged = among(&[&git.unstaged, &git.untracked]);
    json!({
        "available": true,
        "branch": git.branch,
        "commit": git.head.get(..7).unwrap_or(&git.head),
        "dirty": !changed.is_empty(),
        "changed_count": changed.len(),
        "changed_files": changed,
        "staged_files": git.staged,
        "unstaged_files": git.unstaged,
        "untracked_files": git.untracked,
        "files_edited_uncommitted": uncommitted,
        "files_edited_unstaged": unstaged,
        "truncated": git.truncated,
    })
}
