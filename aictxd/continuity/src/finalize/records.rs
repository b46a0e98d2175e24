//! The records of an execution and the effects that write them.

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::ledger::{LedgerKind, LedgerRow, Provenance};
use aictx_proto::record::{
    AgentExecutionRow, ExecutionFeedbackRow, ExecutionLogRow, LifecycleEvent, Origin, files,
};
use aictx_proto::text::{clean, slug};
use serde_json::{Map, Value, json};

use super::decided::Decided;
use super::execution_summary::{Summary, feedback};
use super::report::notable_errors;
use super::superseded_rows::failure_rows;
use crate::lru_cache::is_test_command;
use crate::project::PASSED_CHECK;
use crate::record_json::record_value as value;
use crate::record_json::row_value;
use crate::{failures, stale_sessions};

/// The two rows that every execution leaves; the reply repeats them.
pub(super) struct Records {
    pub(super) log: ExecutionLogRow,
    pub(super) telemetry: AgentExecutionRow,
}

impl Records {
    pub(super) fn of(d: &Decided) -> Self {
        Self {
            log: execution_log(d),
            telemetry: telemetry(d),
        }
    }

    /// Everything to be written, in the order in which it is written.
    pub(super) fn effects(&self, d: &mut Decided, summary: &Summary) -> Effects {
        let mut effects: Effects = Vec::new();
        if !d.is_recorded {
            self.execution_rows(d, summary, &mut effects);
        }
        if !d.decisions.is_empty() {
            effects.push(append(
                files::DECISIONS,
                d.decisions.iter().map(row_value).collect(),
                KeyOrder::Sorted,
            ));
        }
        if let Some(patterns) = &d.change.patterns {
            let rows = failure_rows(d.snapshot.failure_rows, patterns, &d.change);
            // Where there are many patterns, the list of them all follows when files are tidied.
            let lists = matches!(rows, Effect::ReplaceRows { .. });
            effects.push(rows);
            effects.extend(lists.then(|| failures::list(patterns)));
        }
        if !d.change.evicted.is_empty() {
            let rows = d
                .change
                .evicted
                .iter()
                .map(|row| row_value(&**row))
                .collect();
            effects.push(append(
                "archive/failure_memory/evicted.jsonl",
                rows,
                KeyOrder::Sorted,
            ));
        }
        effects.append(&mut d.learned.effects);
        if !d.is_recorded {
            Self::execution_state(d, summary, &mut effects);
        }
        let mut session_file = d.session.file.clone();
        session_file.last_execution_at = d.input.now.to_string();
        effects.push(Effect::ReplaceJson {
            file: files::SESSION.to_owned(),
            value: value(&session_file),
            order: KeyOrder::Sorted,
        });
        effects.push(Effect::Ledger {
            session_id: d.input.identity.session_id.clone(),
            row: Box::new(LedgerRow {
                provenance: if d.input.report.is_some() {
                    Provenance::Explicit
                } else {
                    Provenance::RuntimeObserved
                },
                session_id: d.input.identity.session_id.clone(),
                execution_id: d.execution_id.clone(),
                ..LedgerRow::observed(d.input.now, LedgerKind::Finalized)
            }),
        });
        effects
    }

    /// The rows that an execution leaves, and its handoff.
    fn execution_rows(&self, d: &Decided, summary: &Summary, effects: &mut Effects) {
        effects.push(append(
            files::EXECUTION_LOGS,
            vec![row_value(&self.log)],
            KeyOrder::AsBuilt,
        ));
        effects.push(append(
            files::AGENT_EXECUTION_LOG,
            vec![row_value(&self.telemetry)],
            KeyOrder::AsBuilt,
        ));
        effects.push(append(
            files::EXECUTION_FEEDBACK,
            vec![row_value(&execution_feedback(d, summary))],
            KeyOrder::AsBuilt,
        ));
        if d.worth_a_handoff || d.is_answer {
            effects.push(append(
                files::HANDOFFS,
                vec![row_value(&d.handoff_row)],
                KeyOrder::Sorted,
            ));
        }
        if d.worth_a_handoff {
            effects.push(Effect::ReplaceJson {
                file: files::HANDOFF.to_owned(),
                value: value(&d.handoff),
                order: KeyOrder::Sorted,
            });
        }
    }

    /// The newest execution in short.
    fn execution_state(d: &Decided, summary: &Summary, effects: &mut Effects) {
        effects.push(append(
            files::LIFECYCLE_EVENTS,
            vec![lifecycle_event(d)],
            KeyOrder::Sorted,
        ));
        effects.push(Effect::ReplaceJson {
            file: files::AGENT_EXECUTION_STATUS.to_owned(),
            value: json!({
                "version": 2,
                "executions_total": d.snapshot.executions_total + 1,
                "last_execution_id": d.execution_id,
                "last_execution_mode": "plain",
                "last_success": d.success,
                "last_recorded_at": d.input.now,
                "last_execution_time_ms": d.elapsed_ms,
            }),
            order: KeyOrder::Sorted,
        });
        effects.push(Effect::ReplaceText {
            file: files::LAST_SUMMARY.to_owned(),
            text: summary.markdown.clone(),
        });
    }
}

fn append(file: &str, rows: Vec<Value>, order: KeyOrder) -> Effect {
    Effect::AppendRows {
        file: file.to_owned(),
        rows,
        order,
    }
}

fn execution_log(d: &Decided) -> ExecutionLogRow {
    ExecutionLogRow {
        task_id: d.execution_id.clone(),
        timestamp: d.input.now.to_string(),
        task_type: d.task_type.clone(),
        prepared_task_type: d.prepared_type.clone(),
        final_task_type: d.final_type.clone(),
        files_opened: d.seen.files_opened.clone(),
        files_edited: d.seen.files_edited.clone(),
        files_reopened: d.seen.files_reopened.clone(),
        commands_executed: d.seen.commands.iter().map(|c| clean(c, 400)).collect(),
        tests_executed: d.seen.tests.iter().map(|c| clean(c, 400)).collect(),
        notable_errors: notable_errors(d.input.params(), &d.seen),
        error_events: d.seen.error_events.clone(),
        capture_provenance: d.provenance.clone(),
        area_id: d.area.clone(),
        prepared_area_id: d.area.clone(),
        final_area_id: d.area.clone(),
        execution_time_ms: d.elapsed_ms,
        success: d.success,
        used_packet: false,
        contract_adherence: d.learned.adherence.clone(),
        session_id: d.input.identity.session_id.clone(),
        finalized_from: if d.input.report.is_some() {
            "explicit"
        } else {
            "observed"
        }
        .to_owned(),
        origin: Origin::Own,
        extra: Map::new(),
    }
}

fn telemetry(d: &Decided) -> AgentExecutionRow {
    let fingerprint = slug(
        &format!("{}:{}:{}", d.input.project.name, d.task_type, d.request),
        80,
        "item",
    );
    AgentExecutionRow {
        execution_id: d.execution_id.clone(),
        agent_id: d.input.identity.agent_id.clone(),
        execution_mode: "plain".to_owned(),
        resolved_task_type: d.task_type.clone(),
        prepared_task_type: d.prepared_type.clone(),
        final_task_type: d.final_type.clone(),
        repeated_context_request: d
            .snapshot
            .executions
            .iter()
            .any(|e| e.task_fingerprint == fingerprint),
        task_fingerprint: fingerprint,
        success: d.success,
        validated_learning: d.success == Some(true) && d.seen.validated,
        result_summary: clean(&d.summary, 240),
        execution_time_ms: d.elapsed_ms,
        used_strategy: d.learned.offered.as_ref().is_some_and(|o| o.2),
        used_packet: false,
        recorded_at: d.input.now.to_string(),
        contract_adherence: d.learned.adherence.clone(),
        origin: Origin::Own,
        extra: passed_check(d),
    }
}

fn execution_feedback(d: &Decided, summary: &Summary) -> ExecutionFeedbackRow {
    ExecutionFeedbackRow {
        task_id: d.execution_id.clone(),
        execution_id: d.execution_id.clone(),
        timestamp: d.input.now.to_string(),
        aictx_feedback: feedback(d),
        agent_summary: summary.members.clone(),
        ..ExecutionFeedbackRow::default()
    }
}

/// The test run that was seen to pass last, where there was one: what later sessions are told to
/// run is what really ran.
fn passed_check(d: &Decided) -> Map<String, Value> {
    let passed = d.seen.passed.iter().rev();
    let mut tests = passed.filter(|command| is_test_command(command));
    let check = tests
        .next()
        .map(|command| aictx_shell::normalise_command(command));
    let member = check.map(|check| (PASSED_CHECK.to_owned(), json!(clean(&check, 200))));
    member.into_iter().collect()
}

fn lifecycle_event(d: &Decided) -> Value {
    let status = match d.success {
        Some(true) => "success",
        Some(false) => "failure",
        None => "unknown",
    };
    let report = d.input.report;
    let source = report.map_or("hook", |report| report.params.caller.source());
    stale_sessions::row(&LifecycleEvent {
        schema_version: "1.0".to_owned(),
        event_type: "finalize_called".to_owned(),
        timestamp: d.input.now.to_string(),
        source: source.to_owned(),
        agent_id: d.input.identity.agent_id.clone(),
        adapter_id: d.input.identity.adapter_id.clone(),
        session_id: d.input.identity.session_id.clone(),
        execution_id: d.execution_id.clone(),
        task: clean(&d.request, stale_sessions::MAX_TASK),
        task_type: d.task_type.clone(),
        status: status.to_owned(),
        files_opened_count: d.seen.files_opened.len() as u64,
        files_edited_count: d.seen.files_edited.len() as u64,
        commands_count: d.seen.commands.len() as u64,
        tests_count: d.seen.tests.len() as u64,
        ..LifecycleEvent::default()
    })
}
