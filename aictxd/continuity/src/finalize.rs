//! Finalize: one execution becomes durable, exactly once.

use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::identity::Identity;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::{FinalizeParams, FinalizeReply};
use aictx_proto::record::{Handoff, HandoffRow};
use aictx_proto::snapshot::{GitState, Snapshot};
use serde::Serialize;
use serde_json::{Map, Value};

use self::records::Records;
use self::reply::{Summary, repeated, reply};
use self::report::{decision_rows, execution_id, known_execution, merge_report};
use crate::area::derive_area;
use crate::classify::{Observed, effective, observed, provisional};
use crate::failures;
use crate::handoff;
use crate::observe::{Failure, Observation, open_rows};
use crate::project::Project;
use crate::session::{Touch, touch};

mod records;
mod reply;
mod report;

/// What an agent or a person reported, with paths already relative.
#[derive(Debug, Clone, Default)]
pub struct ExplicitReport {
    /// The report.
    pub params: FinalizeParams,
    /// Paths that lie outside the repository; reported back, never stored.
    pub outside: Vec<String>,
}

/// Everything a finalize decides on.
#[derive(Debug, Clone, Copy)]
pub struct Finalize<'a> {
    /// Whose execution it is.
    pub identity: &'a Identity,
    /// What was reported; `None` when the session ended by itself.
    pub report: Option<&'a ExplicitReport>,
    /// The session's ledger, oldest first.
    pub rows: &'a [LedgerRow],
    /// The worktree's state.
    pub git: &'a GitState,
    /// The repository.
    pub project: &'a Project,
    /// Makes execution ids unique within one second.
    pub nonce: u64,
    /// Now.
    pub now: Timestamp,
}

impl<'a> Finalize<'a> {
    fn params(&self) -> Option<&'a FinalizeParams> {
        self.report.map(|r| &r.params)
    }
}

/// Decides. Without a report, an execution that did nothing gives `None` and no effects; so does
/// one that was finalized already.
pub fn finalize(snapshot: &Snapshot, input: &Finalize) -> (Option<FinalizeReply>, Effects) {
    let params = input.params();
    if let Some(known) = params.and_then(|p| known_execution(snapshot, &p.execution_id)) {
        return (Some(repeated(input, &known)), Vec::new());
    }
    let open = open_rows(input.rows);
    let seen = Observation::of(open);
    if params.is_none() && seen.is_empty() {
        return (None, Vec::new());
    }
    let decided = decide(snapshot, input, seen);
    let summary = Summary::of(&decided);
    let records = Records::of(&decided);
    let effects = records.effects(&decided, &summary);
    (Some(reply(decided, &records, summary)), effects)
}

/// Everything that follows from one execution, before it is written or told.
struct Decided<'a> {
    snapshot: &'a Snapshot,
    input: &'a Finalize<'a>,
    /// What was observed, with the report merged in.
    seen: Observation,
    /// How each list of it is known.
    provenance: Map<String, Value>,
    success: Option<bool>,
    summary: String,
    request: String,
    /// The task type of the request alone.
    prepared_type: String,
    /// The task type with the outcome known.
    final_type: String,
    /// The one that counts.
    task_type: String,
    area: String,
    execution_id: String,
    session: Touch,
    change: failures::Change,
    handoff: Handoff,
    handoff_row: HandoffRow,
    worth_a_handoff: bool,
    /// Rows of decision memory.
    decisions: Vec<Value>,
    elapsed_ms: Option<u64>,
}

fn decide<'a>(
    snapshot: &'a Snapshot,
    input: &'a Finalize<'a>,
    mut seen: Observation,
) -> Decided<'a> {
    let params = input.params();
    let provenance = merge_report(&mut seen, params);
    let success = match params {
        Some(p) => Some(p.status == "success"),
        None => seen.success(),
    };
    if success == Some(true) {
        // Observed beats said: a check that was seen to fail and never to pass stays open. Other
        // commands that failed on the way to a success are no news.
        seen.open_failures.retain(Failure::is_check);
    }
    let summary = match params {
        Some(p) if !p.summary.trim().is_empty() => p.summary.clone(),
        _ => handoff::describe(&seen),
    };
    let request = [
        params.map_or("", |p| p.task.as_str()),
        &seen.request,
        &summary,
    ]
    .into_iter()
    .find(|t| !t.trim().is_empty())
    .unwrap_or_default()
    .to_owned();
    let explicit_type = params.map_or("", |p| p.task_type.as_str());
    let touched = seen.files_edited.iter().map(String::as_str);
    let prepared = provisional(explicit_type, &request, touched);
    let errors: Vec<String> = seen.open_failures.iter().map(Failure::line).collect();
    let last = observed(&Observed {
        explicit: explicit_type,
        request: &request,
        summary: &summary,
        errors: &errors,
        commands: &seen.commands,
        files_edited: &seen.files_edited,
        files_opened: &seen.files_opened,
    });
    let task_type = effective(&prepared, &last).name.clone();
    let area = derive_area(
        seen.files_edited
            .iter()
            .chain(&seen.files_opened)
            .map(String::as_str),
    );
    let execution_id = execution_id(params, input);
    let session = touch(snapshot, input.identity, input.now);

    let change = failures::apply(
        &snapshot.failures,
        &seen,
        &failures::Context {
            execution_id: &execution_id,
            task_type: &task_type,
            area_id: &area,
            summary: &summary,
            session: session.number,
            now: input.now,
            claimed: params.map_or(&[], |p| p.resolved_failures.as_slice()),
            failed: success == Some(false),
            reported: params.map_or(&[], |p| p.notable_errors.as_slice()),
        },
    );
    let worth_a_handoff = seen.tools > 0
        || params.is_some_and(|p| !p.summary.trim().is_empty())
        || change.persisted.is_some();
    let (handoff, handoff_row) = handoff::build(
        &handoff::Input {
            execution_id: &execution_id,
            timestamp: input.now.to_string(),
            summary: &summary,
            success,
            failure_recorded: change.persisted.is_some(),
            request: &request,
            task_type: &task_type,
            next_steps: params.map_or(&[], |p| p.next_steps.as_slice()),
            blocked: params.map_or(&[], |p| p.blocked.as_slice()),
            risks: params.map_or(&[], |p| p.risks.as_slice()),
            agent_id: &input.identity.agent_id,
            adapter_id: &input.identity.adapter_id,
            session_id: &input.identity.session_id,
            session_number: session.number,
        },
        &seen,
    );
    let decisions = decision_rows(params, &execution_id, session.number, input.now);
    let elapsed_ms = match (seen.first_at, seen.last_at) {
        (Some(first), Some(_)) => Some(input.now.since(first) * 1000),
        _ => None,
    };
    Decided {
        snapshot,
        input,
        seen,
        provenance,
        success,
        summary,
        request,
        prepared_type: prepared.name,
        final_type: last.name,
        task_type,
        area,
        execution_id,
        session,
        change,
        handoff,
        handoff_row,
        worth_a_handoff,
        decisions,
        elapsed_ms,
    }
}

fn value(record: &impl Serialize) -> Value {
    // Records are plain data with string keys: they always serialise.
    serde_json::to_value(record).unwrap_or(Value::Null)
}
