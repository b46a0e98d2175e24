//! The task of the memory that mirrors a run: it brings the run's hypotheses into resume, recall and the start of
//! sessions, within their budgets.

use aictx_proto::methods::HypothesisStatus;
use aictx_proto::text::clean;
use serde_json::{Map, Value, json};

use super::handoff::next_action;
use super::ledger::text;
use super::state::{Hypothesis, Run};

/// Longest text of an entry of a task, in characters.
const MAX_TEXT: usize = 240;
/// Longest evidence in it, in characters.
const MAX_EVIDENCE: usize = 100;
/// Most discarded hypotheses that a task holds.
const MAX_DISCARDED: usize = 5;
/// Most verified items that a task holds.
const MAX_VERIFIED: usize = 12;
/// Most of what may go wrong, and of commands that check, that a task holds.
const MAX_OTHERS: usize = 8;

/// Builds the patch that makes a task say what the run says; the same patch for the same run. In a task that was there
/// before the run, entries of others stay.
pub fn patch(run: &Run, is_runs_own: bool) -> Map<String, Value> {
    let newest = run.in_state(HypothesisStatus::Open).next_back();
    let name = |h: &Hypothesis| format!("{} {}", h.id, run.id);
    let said = |h: &Hypothesis, with_evidence: bool| {
        // The first, so that later evidence does not make another entry of it.
        let evidence = run.evidence_of(&h.id).next().filter(|_| with_evidence);
        let evidence = evidence.map_or(String::new(), |row| {
            let line = format!("; {}: {}", text(row, "id"), text(row, "text"));
            clean(&line, MAX_EVIDENCE)
        });
        // Behind the text, so that what is cut is the text and not the provenance.
        let behind = format!(" ({}{evidence})", name(h));
        let room = MAX_TEXT.saturating_sub(behind.chars().count());
        format!("{}{behind}", clean(&h.text, room))
    };
    let is_accepted = |h: &&Hypothesis| h.status == HypothesisStatus::Accepted;
    let (accepted, others): (Vec<_>, Vec<_>) = run.hypotheses.iter().partition(is_accepted);
    let verified = accepted.iter().rev().take(MAX_VERIFIED).rev();
    let verified: Vec<String> = verified.map(|h| said(h, true)).collect();
    let both = others.into_iter().map(|h| said(h, true));
    let both = both.chain(run.hypotheses.iter().map(|h| said(h, false)));
    let others: Vec<String> = both.filter(|entry| !verified.contains(entry)).collect();
    let dead = |h: &&Hypothesis| {
        matches!(
            h.status,
            HypothesisStatus::Rejected | HypothesisStatus::Superseded
        )
    };
    let dead: Vec<&Hypothesis> = run.hypotheses.iter().filter(dead).collect();
    let newest_dead = dead.len().saturating_sub(MAX_DISCARDED);
    let discarded = dead.get(newest_dead..).unwrap_or_default();
    let discarded: Vec<Value> = discarded
        .iter()
        .map(|h| {
            let evidence = run.evidence_of(&h.id).next_back();
            let evidence = evidence.map_or(String::new(), |row| {
                format!("; {}: {}", text(row, "id"), text(row, "text"))
            });
            let reason = h.notes.last().map_or(h.status.name(), String::as_str);
            json!({
                "hypothesis": h.text, "reason": reason, "evidence": name(h) + &evidence,
                "confidence": h.extra.get("confidence"), "created_at": h.updated_at,
            })
        })
        .collect();
    let risks = last(&run.closeouts, "residual_risks")
        .unwrap_or_else(|| aictx_proto::json::texts(run.problem.get("risks")));
    let carried = last(&run.closeouts, "carried").unwrap_or_default();
    let uncertainties: Vec<Value> = run
        .hypotheses
        .iter()
        .filter(|h| carried.contains(&h.id))
        .map(|h| json!({ "claim": said(h, true), "needs_validation": true }))
        .collect();
    let commands = aictx_proto::json::texts(run.problem.get("expected_verification"));
    let how = if is_runs_own { "set" } else { "add" };
    let patch = json!({
        "current_hypothesis": newest.map_or(String::new(), |h| clean(&h.text, MAX_TEXT)),
        "next_action": clean(&next_action(run), MAX_TEXT),
        "verified": { "remove": others, "add": verified },
        "discarded_hypotheses": { how: discarded },
        "uncertainties": { how: uncertainties },
        "risks": { "add": risks.into_iter().take(MAX_OTHERS).collect::<Vec<_>>() },
        "recommended_commands": { "add": commands.into_iter().take(MAX_OTHERS).collect::<Vec<_>>() },
    });
    match patch {
        Value::Object(patch) => patch,
        _ => Map::new(),
    }
}

fn last(closeouts: &[Value], name: &str) -> Option<Vec<String>> {
    let list = closeouts.last()?.get(name)?;
    Some(aictx_proto::json::texts(Some(list)))
}
