//! Merges an execution into the thread it worked on.

use aictx_proto::record::Thread;
use aictx_proto::text::clean;
use serde_json::Value;

use super::MAX_TEXT;
use super::patch::{add, strongest};

/// Observations of an execution that matter to a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) execution_id: &'a str,
    pub(crate) files: &'a [String],
    /// Commands that passed, tests and other checks only.
    pub(crate) passed_checks: &'a [String],
    /// Checks run, however they ended.
    pub(crate) checks: &'a [String],
    /// Errors that are still there.
    pub(crate) errors: &'a [String],
    pub(crate) success: Option<bool>,
    /// The next step that was named, if one was.
    pub(crate) next_step: Option<&'a str>,
    /// Open points of the contract after this execution; gaps of the same kind are replaced.
    pub(crate) gaps: &'a [Value],
    /// Kinds of gaps that this execution closed.
    pub(crate) closed: &'a [&'a str],
}

/// The thread after an execution. A named next step replaces the old one; one that names a check
/// which has now passed is done.
pub(crate) fn merge_execution(thread: &Thread, evidence: &Evidence) -> Thread {
    let mut next = thread.clone();
    let cleaned = |list: &[String]| -> Vec<String> {
        list.iter()
            .map(|t| clean(t, MAX_TEXT))
            .filter(|t| !t.is_empty())
            .collect()
    };
    add(&mut next.active_files, cleaned(evidence.files), 12);
    add(
        &mut next.source_execution_ids,
        vec![evidence.execution_id.to_owned()],
        12,
    );
    add(&mut next.recommended_commands, cleaned(evidence.checks), 8);
    if evidence.success == Some(true) {
        let verified = evidence
            .passed_checks
            .iter()
            .map(|c| format!("Test command passed: {}", clean(c, 200)))
            .collect();
        add(&mut next.verified, verified, 12);
        // What was unverified or at risk for want of just these checks no longer is.
        let done = |line: &String| {
            evidence
                .passed_checks
                .iter()
                .any(|c| line.contains(c.as_str()))
        };
        next.unverified.retain(|line| !done(line));
        next.risks.retain(|line| !done(line));
    } else if evidence.success == Some(false) {
        let risks = evidence
            .errors
            .iter()
            .map(|e| format!("Observed error: {}", clean(e, 200)))
            .collect();
        add(&mut next.risks, risks, 8);
    }
    match evidence.next_step {
        Some(step) => next.next_action = clean(step, MAX_TEXT),
        None => {
            let names = |check: &String| next.next_action.contains(check.as_str());
            if evidence.passed_checks.iter().any(names) {
                next.next_action.clear();
            }
        }
    }
    let kind = |gap: &Value| {
        gap.get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let replaced: Vec<String> = evidence.gaps.iter().map(kind).collect();
    next.contract_gaps.retain(|gap| {
        let kind = kind(gap);
        !replaced.contains(&kind) && !evidence.closed.contains(&kind.as_str())
    });
    add(&mut next.contract_gaps, evidence.gaps.to_vec(), 8);
    next.strongest_contract_gap = strongest(&next.contract_gaps);
    next
}
