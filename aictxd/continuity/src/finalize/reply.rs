//! The answer to a finalize.

use aictx_proto::methods::FinalizeReply;
use aictx_proto::record::{AgentExecutionRow, files};
use aictx_proto::shown::{self};
use aictx_proto::snapshot::GitState;
use serde_json::{Map, Value, json};

use super::decided::Decided;
use super::execution_summary::{Summary, feedback, saved, strategy_reply, thread_reply};
use super::input::Finalize;
use super::records::Records;
use super::rejected_fields::unheard;
use crate::decision_memory;
use crate::preferences::is_muted;
use crate::record_json::record_value as value;

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
