//! What of an explicit report was not kept, and why: nothing that somebody says is dropped without a
//! word.

use aictx_proto::methods::FinalizeParams;
use aictx_proto::shown;
use serde_json::Value;

use super::decided::Decided;
use crate::decision_intake;

/// Members of a decision that are read or that a row of the format has.
const OF_DECISIONS: &[&str] = &[
    "decision",
    "rationale",
    "alternatives",
    "constraints",
    "risks",
    "related_paths",
    "subsystem",
    "supersedes",
    "title",
    "timestamp",
    "session",
    "execution_id",
    "anchors",
];
/// Most lines of one kind.
const FEW: usize = 4;

/// A line for each part of the report that was not kept.
pub(super) fn unheard(d: &Decided, report: &FinalizeParams) -> Vec<String> {
    let short = |text: &str| shown::line(text, 80);
    let mut lines = Vec::new();
    for given in report.decisions.iter().take(FEW) {
        let said = given.get("decision").and_then(Value::as_str);
        let said = said.unwrap_or_default();
        if !decision_intake::is_kept(given) {
            lines.push(format!(
                "a decision was not kept, for it does not say what was decided, and why (`rationale`) or what \
                 for: {}",
                short(said)
            ));
        }
        let members = given.as_object().into_iter().flatten();
        for (name, _) in members.filter(|(name, _)| !OF_DECISIONS.contains(&name.as_str())) {
            lines.push(format!(
                "a decision has no member `{}`; it was not kept",
                short(name)
            ));
        }
    }
    let known = |id: &String| d.snapshot.failures.iter().any(|p| p.failure_id == *id);
    let unknown = report.resolved_failures.iter().filter(|id| !known(id));
    lines.extend(unknown.take(FEW).map(|id| {
        format!(
            "resolved_failures names no failure on record: {}",
            short(id)
        )
    }));
    if !report.work_state.is_empty() && d.learned.thread.is_none() {
        lines.push(
            "work_state was not kept, for no task is active here; `aictx task start` begins one"
                .to_owned(),
        );
    }
    let empty = report
        .error_events
        .iter()
        .filter(|e| e.message.trim().is_empty());
    let empty = empty.count();
    if empty > 0 {
        lines.push(format!(
            "{empty} error events without a `message` were not kept"
        ));
    }
    lines
}
