//! Decisions as they come in: which say enough, which are new, what of the code they speak of.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::identity::{Identity, SessionSource};
use aictx_proto::record::{Decision, Origin, files};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use serde_json::Value;

use crate::decision_memory::holding;
use crate::error::ReportError;
use crate::file_anchors;
use crate::project::Project;
use crate::record_json::row_value;
use crate::session::touch;

/// Most decisions of one report.
const MAX_DECISIONS: usize = 20;

/// Rows of the decisions among these that say what and why (or what else was weighed), tied to the
/// code they speak of as it is now. The same words again are no new decision, unless what they said
/// does not hold any more. `whose` is the execution and the number of its session.
pub(crate) fn decided(
    snapshot: &Snapshot,
    told: &[Value],
    whose: (&str, u64),
    project: &Project,
    head: &str,
    now: Timestamp,
) -> Vec<Decision> {
    let mut rows: Vec<Decision> = told
        .iter()
        .map(|given| row(given, whose, now))
        .filter(says_something)
        .take(MAX_DECISIONS)
        .collect();
    if rows.is_empty() {
        return rows;
    }
    for row in &mut rows {
        let text = format!(
            "{} {} {}",
            row.decision,
            row.rationale,
            row.constraints.join(" ")
        );
        row.anchors = file_anchors::anchor(&row.related_paths, &text, &project.presents, head);
    }
    let holding = holding(&snapshot.decisions);
    let is_new = |d: &Decision| {
        !holding
            .iter()
            .any(|known| known.decision == d.decision && known.related_paths == d.related_paths)
    };
    rows.retain(is_new);
    rows
}

fn row(given: &Value, (execution_id, session): (&str, u64), now: Timestamp) -> Decision {
    let texts = |name: &str| -> Vec<String> {
        let texts = match given.get(name) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            // One of them needs no list around it.
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        texts
            .into_iter()
            .map(|s| clean(s, 400))
            .filter(|s| !s.is_empty())
            .take(8)
            .collect()
    };
    let text = |name: &str| {
        let text = given.get(name).and_then(Value::as_str);
        clean(text.unwrap_or_default(), 1_000)
    };
    Decision {
        decision: text("decision"),
        rationale: text("rationale"),
        alternatives: texts("alternatives"),
        constraints: texts("constraints"),
        risks: texts("risks"),
        related_paths: texts("related_paths"),
        subsystem: text("subsystem"),
        timestamp: now.to_string(),
        session,
        execution_id: execution_id.to_owned(),
        supersedes: texts("supersedes"),
        origin: Origin::of(given),
        ..Decision::default()
    }
}

/// Returns true if a decision says enough to be kept: what was decided, and why or what for.
pub(crate) fn is_kept(given: &Value) -> bool {
    says_something(&row(given, ("", 0), Timestamp::default()))
}

fn says_something(d: &Decision) -> bool {
    let weighed = [&d.alternatives, &d.constraints, &d.risks, &d.related_paths];
    !d.decision.is_empty()
        && (!d.rationale.is_empty() || weighed.iter().any(|list| !list.is_empty()))
}

/// Keeps a decision in the midst of a session. A decision that stands already is not kept twice.
///
/// # Errors
/// When it does not say what was decided and why.
pub fn record_decision(
    snapshot: &Snapshot,
    told: &Value,
    identity: &Identity,
    project: &Project,
    head: &str,
    now: Timestamp,
) -> Result<(Option<Decision>, Effects), ReportError> {
    let session = touch(snapshot, identity, now);
    if !says_something(&row(told, ("", session.number), now)) {
        return Err(ReportError::EmptyDecision);
    }
    let told = std::slice::from_ref(told);
    let mut rows = decided(snapshot, told, ("", session.number), project, head, now);
    let Some(row) = rows.pop() else {
        return Ok((None, Effects::new()));
    };
    let append = Effect::AppendRows {
        file: files::DECISIONS.to_owned(),
        rows: vec![row_value(&row)],
        order: KeyOrder::Sorted,
    };
    // Who has no session only writes something down.
    let anonymous = session.is_new && identity.session_source == SessionSource::Process;
    let counted = (!anonymous).then(|| session.effect());
    Ok((Some(row), counted.into_iter().chain([append]).collect()))
}
