//! The records of an execution and the effects that write them.

use std::sync::Arc;

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::ledger::{LedgerKind, LedgerRow, Provenance};
use aictx_proto::record::{
    AgentExecutionRow, ExecutionFeedbackRow, ExecutionLogRow, FailurePattern, LifecycleEvent,
    Origin, Strategy, files,
};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, slug};
use serde_json::{Map, Value, json};

use super::reply::{Summary, feedback};
use super::report::notable_errors;
use super::{Decided, value};
use crate::lru_cache::is_test_command;
use crate::project::PASSED_CHECK;
use crate::strategies::{self, StrategyChange};
use crate::{failures, row_value, stale_sessions};

/// Up to so many failure patterns or strategies are written anew each time: a row for each.
const FEW: usize = 16;
/// With more of them, rows that newer ones have superseded stay until they are this share of the rest:
/// then each row costs the writing of four others.
const SUPERSEDED_SHARE: usize = 4;

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

/// The file has a row for each pattern. Where there are many, what changed goes behind what is there (a
/// reader takes the newest row of a pattern), and all rows are written anew only when enough of them are
/// superseded, or a pattern had to go.
fn failure_rows(there: u64, patterns: &[Arc<FailurePattern>], change: &failures::Change) -> Effect {
    let file = files::FAILURE_PATTERNS.to_owned();
    let order = KeyOrder::Sorted;
    let there = usize::try_from(there).unwrap_or(usize::MAX);
    let after = there.saturating_add(change.changed.len());
    let few = patterns.len() <= FEW;
    if few || !change.evicted.is_empty() || is_crowded(after, patterns.len()) {
        let rows = patterns.iter().map(|p| row_value(&**p)).collect();
        return Effect::ReplaceRows { file, rows, order };
    }
    let changed = patterns
        .iter()
        .filter(|p| change.changed.contains(&p.signature));
    let rows = changed.map(|p| row_value(&**p)).collect();
    Effect::AppendRows { file, rows, order }
}

/// Returns true if too many of a file's rows are superseded for one more to go behind them.
fn is_crowded(rows: usize, current: usize) -> bool {
    let superseded = rows.saturating_sub(current);
    let may_be = if current <= FEW {
        0
    } else {
        current / SUPERSEDED_SHARE
    };
    superseded > may_be
}

/// A new row goes behind what is there; so does a renewed one where there are many (a reader takes the
/// last row of an execution), and all are written anew only when enough of them are superseded, or
/// some have to go.
pub(super) fn strategy_effects(
    strategy: &StrategyChange,
    snapshot: &Snapshot,
    effects: &mut Effects,
) {
    let append = |file: &str, rows: Vec<Value>| Effect::AppendRows {
        file: file.to_owned(),
        rows,
        order: KeyOrder::Sorted,
    };
    let (StrategyChange::Append(row) | StrategyChange::Renew(row)) = strategy else {
        return;
    };
    let is_other = |known: &&Arc<Strategy>| known.task_id != row.task_id;
    let others = snapshot.strategies.iter().filter(is_other);
    let after = others.clone().count() + 1;
    let there = usize::try_from(snapshot.strategy_rows).unwrap_or(usize::MAX);
    if after <= strategies::MAX_ROWS && !is_crowded(there.saturating_add(1), after) {
        effects.push(append(files::STRATEGIES, vec![row_value(&**row)]));
        return;
    }
    let mut all: Vec<Arc<Strategy>> = others.cloned().collect();
    all.push(Arc::new(Strategy::clone(row)));
    let gone = strategies::overflow(&mut all);
    if !gone.is_empty() {
        let rows = gone.iter().map(|row| row_value(&**row)).collect();
        effects.push(append("archive/strategy_memory/evicted.jsonl", rows));
    }
    effects.push(Effect::ReplaceRows {
        file: files::STRATEGIES.to_owned(),
        rows: all.iter().map(|row| row_value(&**row)).collect(),
        order: KeyOrder::Sorted,
    });
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

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::snapshot::shared;

    #[test]
    fn failure_rows_are_appended_where_there_are_many_and_rewritten_in_time() {
        let patterns = |n: usize| {
            shared((0..n).map(|i| FailurePattern {
                signature: format!("s{i}"),
                ..FailurePattern::default()
            }))
        };
        let change = |evicted: usize| failures::Change {
            changed: ["s1".to_owned()].into(),
            evicted: patterns(evicted).to_vec(),
            ..failures::Change::default()
        };
        let rows = |there: usize, n: usize, evicted: usize| match failure_rows(
            there as u64,
            &patterns(n),
            &change(evicted),
        ) {
            Effect::AppendRows { rows, .. } => ("append", rows.len()),
            Effect::ReplaceRows { rows, .. } => ("replace", rows.len()),
            _ => ("", 0),
        };
        assert_eq!(rows(2, 2, 0), ("replace", 2), "a row for each");
        assert_eq!(rows(100, 100, 0), ("append", 1));
        assert_eq!(rows(124, 100, 0), ("append", 1));
        assert_eq!(rows(125, 100, 0), ("replace", 100), "enough superseded");
        assert_eq!(rows(100, 100, 1), ("replace", 100), "one had to go");
    }

    #[test]
    fn a_renewed_strategy_is_appended_where_there_are_many_and_rewritten_in_time() {
        let strategy = |id: String| Strategy {
            task_id: id,
            success: true,
            ..Strategy::default()
        };
        let written = |rows: usize, strategies: usize, change: StrategyChange| {
            let snapshot = Snapshot {
                strategies: shared((0..strategies).map(|n| strategy(format!("s{n}")))),
                strategy_rows: rows as u64,
                ..Snapshot::default()
            };
            let mut effects = Effects::new();
            strategy_effects(&change, &snapshot, &mut effects);
            let count = |effect: &Effect| match effect {
                Effect::AppendRows { file, rows, .. } => (format!("append {file}"), rows.len()),
                Effect::ReplaceRows { rows, .. } => ("replace".to_owned(), rows.len()),
                _ => (String::new(), 0),
            };
            effects.iter().map(count).collect::<Vec<_>>()
        };
        let append = |n| (format!("append {}", files::STRATEGIES), n);
        let replace = |n| ("replace".to_owned(), n);
        let new = || StrategyChange::Append(Box::new(strategy("new".to_owned())));
        let again = || StrategyChange::Renew(Box::new(strategy("s1".to_owned())));
        assert_eq!(written(3, 3, new()), [append(1)]);
        assert_eq!(written(3, 3, again()), [replace(3)], "a row for each");
        assert_eq!(written(100, 100, again()), [append(1)]);
        assert_eq!(written(124, 100, again()), [append(1)]);
        assert_eq!(written(125, 100, again()), [replace(100)]);
        let most = strategies::MAX_ROWS;
        let kept = strategies::MAX_STRATEGIES;
        let evicted = "append archive/strategy_memory/evicted.jsonl".to_owned();
        assert_eq!(
            written(most, most, new()),
            [(evicted, most + 1 - kept), replace(kept)]
        );
        assert_eq!(written(0, 0, StrategyChange::None), []);
    }
}
