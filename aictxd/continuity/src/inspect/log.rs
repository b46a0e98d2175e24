//! `aictx log`: what happened here, newest first.

use std::collections::HashSet;

use aictx_proto::Timestamp;
use aictx_proto::record::{
    AgentExecutionRow, ComplianceRow, ExecutionLogRow, HandoffRow, LifecycleEvent, Origin,
};
use aictx_proto::shown;
use serde_json::{Value, json};

use crate::contracts::NOT_EVALUATED;
use crate::origin::labelled;

/// Which executions are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogQuery<'a> {
    /// Of this session.
    pub session: &'a str,
    /// That touched this file, or a file below this directory.
    pub path: &'a str,
    /// That saw, or were about, this failure: its id or signature.
    pub failure: &'a str,
    /// At most this many.
    pub limit: usize,
}

/// The files that say what happened, each oldest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Happened<'a> {
    /// Every execution.
    pub executions: &'a [ExecutionLogRow],
    /// What those that did something handed over.
    pub handoffs: &'a [HandoffRow],
    /// What became of their contracts.
    pub compliance: &'a [ComplianceRow],
    /// Who ran them, and what came of it.
    pub telemetry: &'a [AgentExecutionRow],
    /// What they were asked for.
    pub events: &'a [LifecycleEvent],
}

/// Executions with what became of them: rows of the execution log joined with what else is known of
/// them, newest first, and whether there are more.
pub fn log(happened: &Happened, query: &LogQuery) -> (Vec<Value>, bool) {
    let Happened {
        executions,
        handoffs,
        compliance,
        telemetry,
        events,
    } = *happened;
    let wanted = |row: &&ExecutionLogRow| {
        let session = query.session.is_empty() || row.session_id.starts_with(query.session);
        let path = query.path.trim_end_matches('/');
        let touches = |p: &String| {
            p.strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let file = path.is_empty()
            || row
                .files_edited
                .iter()
                .chain(&row.files_opened)
                .any(touches);
        let bare = query
            .failure
            .strip_prefix("failure::")
            .unwrap_or(query.failure);
        let failure = bare.is_empty()
            || row
                .error_events
                .iter()
                .any(|e| e.fingerprint.starts_with(bare));
        session && file && failure
    };
    let mut ids = HashSet::new();
    let again = executions.iter().filter(|row| !ids.insert(&row.task_id));
    let shared: HashSet<&String> = again.map(|row| &row.task_id).collect();
    let mut found = executions.iter().rev().filter(wanted);
    let mut out = Vec::new();
    for row in found.by_ref().take(query.limit) {
        let namesakes: Vec<&ExecutionLogRow> = match shared.contains(&row.task_id) {
            true => executions
                .iter()
                .filter(|it| it.task_id == row.task_id)
                .collect(),
            false => Vec::new(),
        };
        let handoff = about(row, &namesakes, handoffs, |h| {
            (&h.execution_id, &h.timestamp)
        });
        let contract = about(row, &namesakes, compliance, |c| {
            (&c.execution_id, &c.timestamp)
        });
        // Who only asked handed nothing over.
        let alone = handoff.is_none();
        let agent = about(row, &namesakes, telemetry, |t| {
            (&t.execution_id, &t.recorded_at)
        });
        let agent = agent.filter(|_| alone);
        let event = about(row, &namesakes, events, |e| (&e.execution_id, &e.timestamp));
        let event = event.filter(|_| alone);
        let agent_id = handoff
            .map(|h| &h.agent_id)
            .or(agent.map(|a| &a.agent_id))
            .cloned();
        let request = handoff.map(|h| &h.reason).or(event.map(|e| &e.task));
        let summary = handoff
            .map(|h| &h.summary)
            .or(agent.map(|a| &a.result_summary));
        let outcome = handoff.map_or(
            match row.success {
                Some(true) => "resolved",
                Some(false) => "failed",
                None => "unresolved",
            },
            |h| h.status.as_str(),
        );
        let text = |t: &str, n| shown::line(t, n);
        let newest = |list: &[String], n: usize| -> Vec<String> {
            list.iter().rev().take(n).map(|t| text(t, 200)).collect()
        };
        let origins = [
            handoff.map(|h| h.origin),
            contract.map(|c| c.origin),
            agent.map(|a| a.origin),
            event.map(|e| e.origin),
        ];
        let origins = origins.into_iter().flatten();
        let origin = origins.fold(row.origin, Origin::and);
        let entry = json!({
            "execution_id": row.task_id, "timestamp": row.timestamp, "session_id": row.session_id,
            "agent_id": agent_id.unwrap_or_default(),
            "task_type": row.task_type, "area_id": row.area_id, "outcome": outcome,
            "request": text(request.map_or("", String::as_str), 240),
            "summary": text(summary.map_or("", String::as_str), 240),
            "files_edited": newest(&row.files_edited, 8), "files_opened": row.files_opened.len(),
            "tests": newest(&row.tests_executed, 4), "commands": row.commands_executed.len(),
            "errors": row.error_events.iter().take(3).map(|e| text(&e.render(), 200)).collect::<Vec<_>>(),
            "contract": contract.filter(|c| c.status != NOT_EVALUATED).map(|c| text(&c.compact_summary, 120)).unwrap_or_default(),
            "execution_time_ms": row.execution_time_ms, "finalized_from": row.finalized_from,
        });
        out.push(labelled(
            &entry,
            origin,
            &["request", "summary", "contract"],
        ));
    }
    (out, found.next().is_some())
}

/// The newest row of a list that is about an execution. The ancestor gives all executions of a session that
/// names itself one id: of those each has the rows nearest to it in time.
fn about<'r, T>(
    execution: &ExecutionLogRow,
    namesakes: &[&ExecutionLogRow],
    rows: &'r [T],
    of: impl Fn(&T) -> (&String, &String),
) -> Option<&'r T> {
    let its = |row: &&T| *of(row).0 == execution.task_id;
    let mut found = rows.iter().rev().filter(its);
    let newest = found.next()?;
    if namesakes.is_empty() {
        return Some(newest);
    }
    let time = |text: &str| Timestamp::parse(text);
    let apart = |a: &str, b: &str| match (time(a), time(b)) {
        (Some(a), Some(b)) => a.since(b).max(b.since(a)),
        _ => u64::MAX,
    };
    let own = &execution.timestamp;
    let near = std::iter::once(newest).chain(found);
    let nearest = near.min_by_key(|row| apart(of(row).1, own))?;
    // What another execution is nearer to is not about this one.
    let at = of(nearest).1;
    let others = namesakes.iter();
    let others = others.map(|other| apart(&other.timestamp, at)).min();
    (others == Some(apart(own, at))).then_some(nearest)
}
