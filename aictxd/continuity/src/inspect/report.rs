//! `aictx report real-usage`: what the logs show, and nothing else.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use aictx_proto::Timestamp;
use aictx_proto::record::{
    AgentExecutionRow, ComplianceRow, ExecutionFeedbackRow, ExecutionLogRow, Origin,
};
use aictx_proto::snapshot::Snapshot;
use serde_json::{Map, Value, json};

use crate::file_anchors::missing;
use crate::finalize::{CAPTURED, is_captured};
use crate::memory_freshness;
use crate::origin::labelled;
use crate::project::Project;
use crate::relevance::{Context, Hand};

/// Rows beyond these are candidates for compaction.
const MANY_STRATEGIES: usize = 50;

/// What was read for the report: newest rows, those in the archive included.
#[derive(Debug, Clone)]
pub struct Reported<'r> {
    /// The execution log.
    pub executions: &'r [ExecutionLogRow],
    /// The log of agents' executions.
    pub runs: &'r [AgentExecutionRow],
    /// Feedback of executions: of those recorded by the Python program, the only word on strategies.
    pub feedback: &'r [ExecutionFeedbackRow],
    /// How contracts were kept.
    pub compliance: &'r [ComplianceRow],
    /// `staleness.json` and `dedupe_report.json` as the last compaction wrote them; null without one.
    pub staleness: Value,
    /// The same.
    pub dedupe: Value,
    /// Executions that there ever were.
    pub total: u64,
    /// State of the map, in the members of the report.
    pub map: Value,
}

/// The report. Reads nothing but what it is given.
pub fn report(snapshot: &Snapshot, project: &Project, read: &Reported, now: Timestamp) -> Value {
    let executions = read.executions;
    let mean = |values: Vec<u64>| -> Value {
        if values.is_empty() {
            return Value::Null;
        }
        json!(values.iter().sum::<u64>() / values.len() as u64)
    };
    let count =
        |test: &dyn Fn(&ExecutionLogRow) -> bool| executions.iter().filter(|e| test(e)).count();
    let reused = reused(read);
    let failed = count(&|e| e.success == Some(false));
    let with_pattern = snapshot
        .failures
        .iter()
        .filter(|p| {
            executions
                .iter()
                .any(|e| e.task_id == p.last_execution_id && e.success == Some(false))
        })
        .count();
    let open = snapshot
        .failures
        .iter()
        .filter(|p| p.status != "resolved")
        .count();
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for thread in snapshot.threads.iter() {
        *statuses.entry(&thread.status).or_default() += 1;
    }
    let redundant = executions.iter().filter(|e| {
        e.files_reopened.len() > 2 || e.files_opened.len() > 8 && e.files_edited.is_empty()
    });
    let redundant = used(
        read,
        "possible_redundant_exploration",
        redundant.map(|e| e.task_id.as_str()),
    );
    let all_runs = all_runs(read);
    let task = snapshot.active_task.as_ref();
    let toolchains: BTreeSet<&String> = executions
        .iter()
        .flat_map(|e| e.error_events.iter().map(|event| &event.toolchain))
        .filter(|toolchain| !toolchain.is_empty())
        .collect();
    let mut kinds = HashSet::new();
    let strategies = snapshot.strategies.iter();
    let alike = strategies
        .filter(|s| !kinds.insert((&s.task_type, &s.files_used, &s.commands_executed)))
        .count();
    json!({
        "total_executions": read.total,
        "executions_read": executions.len(),
        "avg_execution_time_ms": mean(executions.iter().filter_map(|e| e.execution_time_ms).collect()),
        "avg_files_opened": mean(executions.iter().map(|e| e.files_opened.len() as u64).collect()),
        "avg_reopened_files": mean(executions.iter().map(|e| e.files_reopened.len() as u64).collect()),
        "strategy_usage": reused,
        "strategy_reuse_rate": ratio(reused, all_runs),
        "packet_usage": packets(read),
        "feedback_rows": read.feedback.len(),
        "redundant_exploration_cases": redundant,
        "capture_coverage": {
            "files_opened": count(&|e| !e.files_opened.is_empty()),
            "files_edited": count(&|e| !e.files_edited.is_empty()),
            "commands_executed": count(&|e| !e.commands_executed.is_empty()),
            "tests_executed": count(&|e| !e.tests_executed.is_empty()),
            "notable_errors": count(&|e| !e.notable_errors.is_empty()),
            "error_events": count(&|e| !e.error_events.is_empty()),
        },
        "error_capture": {
            "notable_error_count": executions.iter().map(|e| e.notable_errors.len()).sum::<usize>(),
            "executions_with_notable_errors": count(&|e| !e.notable_errors.is_empty()),
            "error_event_count": executions.iter().map(|e| e.error_events.len()).sum::<usize>(),
            "executions_with_error_events": count(&|e| !e.error_events.is_empty()),
            "toolchains_seen": toolchains,
            "top_toolchains": top(executions, |e| &e.toolchain),
            "top_phases": top(executions, |e| &e.phase),
            "failure_patterns_with_error_events":
                snapshot.failures.iter().filter(|p| !p.error_events.is_empty()).count(),
            "failed_executions": failed,
            "failed_executions_with_failure_pattern": with_pattern.min(failed),
            "failed_executions_without_failure_pattern": failed.saturating_sub(with_pattern),
        },
        "failure_pattern_count": snapshot.failures.len(),
        "failure_patterns": { "open": open, "resolved": snapshot.failures.len() - open },
        "area_count": snapshot.areas.areas.len(),
        "agent_summaries": read.runs.iter().filter(|e| !e.result_summary.is_empty()).count(),
        "memory_hygiene": {
            "stale_strategy_candidates": snapshot.strategies.len().saturating_sub(MANY_STRATEGIES),
            "duplicate_strategy_candidates": alike,
            // There is one live row of each pattern.
            "duplicate_failure_candidates": 0,
            "destructive_cleanup_performed": false,
            "staleness": read.staleness,
            "dedupe_report": read.dedupe,
        },
        "continuity_metrics": if snapshot.metrics.is_object() { (*snapshot.metrics).clone() } else { json!({}) },
        "continuity_health": health(snapshot, project, read, now),
        "repo_map": read.map,
        "work_state": labelled(&json!({
            "active": task.is_some(), "task_id": task.map(|t| t.task_id.clone()).unwrap_or_default(),
            "status": task.map(|t| t.status.clone()).unwrap_or_default(),
            "threads_count": snapshot.threads.len(), "recent_statuses": statuses,
            "last_updated_at": task.map(|t| t.updated_at.clone()).unwrap_or_default(),
        }), task.map(|t| t.origin).unwrap_or_default(), &[]),
        "came_with_repository": foreign(snapshot),
        "contract_compliance": compliance(read.compliance),
    })
}

/// How many of the records that are counted came with the repository.
fn foreign(snapshot: &Snapshot) -> Value {
    let is_theirs = |origin: Origin| !origin.is_own();
    let failures = snapshot.failures.iter().filter(|f| is_theirs(f.origin));
    let strategies = snapshot.strategies.iter().filter(|s| is_theirs(s.origin));
    let decisions = snapshot.decisions.iter().filter(|d| is_theirs(d.origin));
    let tasks = snapshot.threads.iter().filter(|t| is_theirs(t.origin));
    let areas = snapshot
        .areas
        .areas
        .values()
        .filter(|a| is_theirs(a.origin));
    json!({
        "failures": failures.count(), "strategies": strategies.count(),
        "decisions": decisions.count(), "tasks": tasks.count(), "areas": areas.count(),
        "handoff": snapshot.handoff.as_ref().is_some_and(|h| is_theirs(h.origin)),
    })
}

/// How far what is told can be relied on, and how much was seen of the work.
fn health(snapshot: &Snapshot, project: &Project, read: &Reported, now: Timestamp) -> Value {
    let context = Context::load(snapshot, project, "", "", Hand::default(), now);
    let stale = snapshot.decisions.iter().filter(|d| {
        memory_freshness::staleness(&d.timestamp, now) == "stale"
            || !missing(&d.related_paths, &project.presents).is_empty()
    });
    let handoff_stale = !context.handoff_stale.is_empty();
    let unseen = |row: &ExecutionLogRow, field: &str| !is_captured(&row.capture_provenance, field);
    let gaps: BTreeMap<&str, usize> = CAPTURED
        .iter()
        .map(|field| {
            (
                *field,
                read.executions.iter().filter(|e| unseen(e, field)).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    let all = read.executions.len() * CAPTURED.len();
    let quality = (all > 0).then(|| ratio(all - gaps.values().sum::<usize>(), all));
    let used = packets(read);
    let reused = reused(read);
    json!({
        "packet_context_usefulness": {
            "packet_usage": used, "packet_usage_rate": ratio(used, read.executions.len()),
            "strategy_usage_rate": ratio(reused, all_runs(read)),
        },
        "stale_memory_excluded": stale.count() + usize::from(handoff_stale),
        // Nobody saw what did not happen.
        "redundant_exploration_avoided": null,
        "capture_coverage_gaps": gaps,
        "avg_capture_quality": quality,
        "handoff_freshness": {
            "present": context.handoff.is_some(),
            "updated_at": context.handoff.map(|h| h.updated_at.clone()).unwrap_or_default(),
            "stale": handoff_stale,
        },
    })
}

/// Executions that used a packet: a device of the Python program, whose rows say so.
fn packets(read: &Reported) -> usize {
    let logged = read.executions.iter().filter(|e| e.used_packet);
    used(read, "used_packet", logged.map(|e| e.task_id.as_str()))
}

/// Executions that followed a strategy.
fn reused(read: &Reported) -> usize {
    let logged = read.runs.iter().filter(|e| e.used_strategy);
    used(
        read,
        "used_strategy",
        logged.map(|e| e.execution_id.as_str()),
    )
}

/// Executions of which it is known whether they followed a strategy.
fn all_runs(read: &Reported) -> usize {
    let fed_back = read.feedback.iter().map(|row| row.task_id.as_str());
    let runs = read.runs.iter().map(|e| e.execution_id.as_str());
    runs.chain(fed_back).collect::<BTreeSet<_>>().len()
}

/// Executions of which the log or the feedback says that they used something.
fn used<'r>(read: &Reported<'r>, member: &str, logged: impl Iterator<Item = &'r str>) -> usize {
    let is_used =
        |row: &&ExecutionFeedbackRow| row.aictx_feedback.get(member) == Some(&Value::Bool(true));
    let fed_back = read.feedback.iter().filter(is_used);
    let all: BTreeSet<&str> = fed_back
        .map(|row| row.task_id.as_str())
        .chain(logged)
        .collect();
    all.len()
}

fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 {
        return 0.0;
    }
    (part as f64 / all as f64 * 10_000.0).round() / 10_000.0
}

fn top(executions: &[ExecutionLogRow], pick: fn(&aictx_proto::ErrorEvent) -> &String) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for event in executions.iter().flat_map(|e| &e.error_events) {
        *counts.entry(pick(event)).or_default() += 1;
    }
    sorted(counts, 5)
}

fn sorted(counts: BTreeMap<&str, usize>, limit: usize) -> Value {
    let mut list: Vec<(&str, usize)> = counts
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let map: Map<String, Value> = list
        .into_iter()
        .take(limit)
        .map(|(n, c)| (n.to_owned(), json!(c)))
        .collect();
    Value::Object(map)
}

/// Aggregate of the compliance rows.
fn compliance(rows: &[ComplianceRow]) -> Value {
    let count = |status: &str| rows.iter().filter(|r| r.status == status).count();
    let scores: Vec<f64> = rows.iter().filter_map(|r| r.score).collect();
    let mean = (!scores.is_empty())
        .then(|| (scores.iter().sum::<f64>() / scores.len() as f64 * 10_000.0).round() / 10_000.0);
    let rate = |check: &str| {
        let kept = rows
            .iter()
            .filter(|r| r.checks.get(check).and_then(Value::as_bool) == Some(true));
        ratio(kept.count(), rows.len())
    };
    let codes = |pick: fn(&ComplianceRow) -> &Vec<Value>| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for code in rows
            .iter()
            .flat_map(pick)
            .filter_map(|i| i["code"].as_str())
        {
            *counts.entry(code).or_default() += 1;
        }
        sorted(counts, 8)
    };
    let latest = rows.last().map_or_else(
        || json!({}),
        |r| {
            json!({
                "status": r.status, "score": r.score, "main_issue": r.main_issue,
                "compact_summary": r.compact_summary,
            })
        },
    );
    json!({
        "evaluated": rows.len() - count("not_evaluated"),
        "not_evaluated": count("not_evaluated"), "followed": count("followed"), "partial": count("partial"),
        "violated": count("violated"), "avg_score": mean,
        "first_action_follow_rate": rate("followed_first_action"),
        "edit_scope_follow_rate": rate("edited_within_scope"),
        "canonical_test_use_rate": rate("canonical_test_used"),
        "finalize_use_rate": rate("finalize_used"),
        "top_violations": codes(|r| &r.violations), "top_warnings": codes(|r| &r.warnings),
        "latest": latest,
    })
}
