//! A turn that was finalized by its agent and goes on: what follows is work of its own, and its handoff
//! goes on with what was left before.

use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::FinalizeParams;
use aictx_proto::record::{AgentExecutionRow, Handoff, HandoffRow};

use super::input::Finalize;
use super::report::{is_made_here, known_execution};
use crate::handoff::{CAVEATS, MAX_ITEMS, MAX_SUMMARY, SEEN_TO_FAIL};
use crate::ledger_facts::{Observation, is_work, reports_an_execution, told_in_turn, turn_of};
use aictx_proto::text::shorten;

/// Returns the id under which the Python package recorded the work of the open rows, if its agent ran
/// that package's finalize and only looked around since. Both programs then make one execution, which
/// keeps the words that it was given.
pub(super) fn recorded_by_ancestor(input: &Finalize, open: &[LedgerRow]) -> Option<String> {
    let reported = open.iter().rposition(reports_an_execution)?;
    if input.report.is_some() || open.iter().skip(reported + 1).any(is_work) {
        return None;
    }
    let begun = open.first()?.at;
    let newest = input.snapshot.executions.iter().rev();
    let since = |row: &&Arc<AgentExecutionRow>| {
        Timestamp::parse(&row.recorded_at).is_some_and(|at| at >= begun)
    };
    let row = newest
        .take_while(since)
        .find(|row| row.origin.is_own() && !is_made_here(&row.execution_id))?;
    Some(row.execution_id.clone())
}

/// What this turn's finalize recorded.
pub(super) struct Before {
    pub(super) row: Arc<AgentExecutionRow>,
    handoff: Option<Arc<HandoffRow>>,
}

impl Before {
    /// Of the turn that the rows end in, when its agent has finalized it.
    pub(super) fn of(input: &Finalize) -> Option<Self> {
        let told = told_in_turn(input.rows)?;
        let row = known_execution(input, &told.execution_id)?;
        let mut handoffs = input.snapshot.handoffs.iter().rev();
        let handoff = handoffs.find(|h| h.execution_id == row.execution_id && h.origin.is_own());
        Some(Self {
            handoff: handoff.cloned(),
            row,
        })
    }

    /// Returns true if a second report says what the first one said, and does not want to be told apart.
    pub(super) fn says_all_of(&self, told: &FinalizeParams) -> bool {
        let Some(handoff) = &self.handoff else {
            return false;
        };
        let known = |list: &[String], before: &[String]| {
            list.iter().all(|item| before.contains(&shorten(item, 240)))
        };
        let structured = told.decisions.len()
            + told.semantic_updates.len()
            + told.work_state.len()
            + told.error_events.len()
            + told.resolved_failures.len()
            + told.files_edited.len();
        structured == 0
            && told.execution_id.trim().is_empty()
            && (told.summary.trim().is_empty()
                || shorten(&told.summary, MAX_SUMMARY) == handoff.summary)
            && self.reported_success(handoff) == Some(told.status == "success")
            && known(&told.next_steps, &handoff.next_steps)
            && known(&told.blocked, &handoff.blocked)
            && known(&told.risks, &handoff.risks)
    }

    fn reported_success(&self, handoff: &HandoffRow) -> Option<bool> {
        match handoff.risks.iter().any(|risk| risk == SEEN_TO_FAIL) {
            true => Some(true),
            false => self.row.success,
        }
    }

    /// What the turn was about: nothing was asked since.
    pub(super) fn ask(&self, seen: &mut Observation, input: &Finalize) {
        if seen.asked.goal().is_empty() {
            seen.asked = Observation::of(turn_of(input.rows)).asked;
        }
    }

    /// The summary of what was seen to follow, behind what was said before.
    pub(super) fn summary(&self, since: &str) -> String {
        let said = self.handoff.as_ref().map_or("", |h| h.summary.as_str());
        match said.trim_end() {
            "" => since.to_owned(),
            said if said.ends_with(['.', '!', '?', '。']) => format!("{said} Then: {since}"),
            said => format!("{said}. Then: {since}"),
        }
    }

    /// Carries over what the new handoff says nothing of.
    pub(super) fn carry(&self, success: Option<bool>, handoff: &mut Handoff, row: &mut HandoffRow) {
        let Some(before) = &self.handoff else {
            return;
        };
        let or = |list: &mut Vec<String>, before: &[String]| {
            if list.is_empty() {
                let lasting = before
                    .iter()
                    .filter(|item| !CAVEATS.contains(&item.as_str()));
                list.extend(lasting.cloned());
            }
        };
        // What was still to be done when it failed was done, if it succeeded since.
        let done = success == Some(true) && self.row.success != Some(true);
        if !done {
            or(&mut handoff.next_steps, &before.next_steps);
            or(&mut row.next_steps, &before.next_steps);
        }
        or(&mut handoff.risks, &before.risks);
        or(&mut row.risks, &before.risks);
        let points = &mut handoff.recommended_starting_points;
        for path in &before.recommended_starting_points {
            if points.len() < MAX_ITEMS && !points.contains(path) {
                points.push(path.clone());
            }
        }
        row.recommended_starting_points = points.iter().take(5).cloned().collect();
    }
}
