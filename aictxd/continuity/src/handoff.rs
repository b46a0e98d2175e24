//! Handoffs: what one execution leaves to the next.

use std::collections::BTreeSet;
use std::sync::Arc;

use aictx_proto::record::{FailurePattern, Handoff, HandoffRow, Origin};
use aictx_proto::shown::{Line, Name};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, shorten};
use aictx_proto::told;

use crate::item_flags;
use crate::ledger_facts::{Failure, MAX_LINE_COMMAND, Observation, has_begun};
use crate::tasks::{Checkout, active_thread};
use crate::text_similarity::{shared, terms};

/// Longest summary, in characters.
pub(crate) const MAX_SUMMARY: usize = 200;
const MAX_REASON: usize = 240;
pub(crate) const MAX_ITEMS: usize = 8;
/// Of what was said before an interruption, in characters.
const MAX_SAID: usize = 120;
/// Of a command that fails, in characters.
const MAX_FAILING: usize = 80;
/// Caveats beside an outcome; each holds for one execution alone.
pub(crate) const SEEN_TO_FAIL: &str = "reported as a success, while a check was seen to fail";
pub(crate) const ONLY_REPORTED: &str =
    "reported, not observed: no check was seen to pass after the last edit";
pub(crate) const PARTLY_SEEN: &str =
    "reported; what was seen to pass after the last edit tests something else than what was edited";
pub(crate) const INTERRUPTED: &str = "interrupted in the middle of a turn";
pub(crate) const CAVEATS: [&str; 4] = [SEEN_TO_FAIL, ONLY_REPORTED, PARTLY_SEEN, INTERRUPTED];
/// Our own words where an agent said nothing.
const SESSION_ENDED: &str = "Session ended: ";
const STILL_FAILING: &str = "still failing: ";

/// Handoffs among which the last of a branch is looked for.
const RECENT: usize = 64;
/// Usual names of the branch from which new work starts, whatever was left on it, and that others are merged into.
const TRUNKS: &[&str] = &[
    "main",
    "master",
    "trunk",
    "develop",
    "development",
    "dev",
    "default",
    "(detached)",
];

/// Returns true for the usual names of the branch that others are merged into.
pub fn is_trunk(branch: &str) -> bool {
    TRUNKS.contains(&branch)
}

/// The last handoff of the branch checked out, where the last of all is of another: who goes back to a
/// branch wants to know where it stands, and what was done elsewhere since only as news. Without one, the last of a
/// branch that still exists. And the one before, where somebody said of the last one that it is wrong.
pub fn handoff_of_branch(
    snapshot: &Snapshot,
    branch: &str,
    gone: &BTreeSet<String>,
) -> Option<Handoff> {
    let last = snapshot.handoff.as_ref()?;
    let wrong = item_flags::is_wrong(&last.extra);
    let is_here = [branch, &last.branch].contains(&"") || last.branch == branch;
    if is_here && !wrong {
        return None;
    }
    let newest = snapshot.handoffs.iter().rev().take(RECENT);
    let mut right = newest.filter(|row| {
        let is_last = row.execution_id == last.source_execution_id;
        !(item_flags::is_wrong(&row.extra) || wrong && is_last || row.status == ANSWERED)
    });
    let of_branch = right.clone().find(|row| row.branch == branch);
    let row = of_branch.or_else(|| {
        let other = right.clone().find(|row| !gone.contains(&row.branch));
        other.or_else(|| right.next())
    })?;
    // That one says more.
    (row.execution_id != last.source_execution_id).then(|| of_row(row))
}

/// A row of the history in the shape of the newest handoff.
fn of_row(row: &HandoffRow) -> Handoff {
    Handoff {
        summary: row.summary.clone(),
        status: row.status.clone(),
        reason: row.reason.clone(),
        task_type: row.task_type.clone(),
        completed: row.completed.clone(),
        next_steps: row.next_steps.clone(),
        blocked: row.blocked.clone(),
        open_items: row.blocked.clone(),
        risks: row.risks.clone(),
        recommended_starting_points: row.recommended_starting_points.clone(),
        updated_at: row.timestamp.clone(),
        source_execution_id: row.execution_id.clone(),
        agent_id: row.agent_id.clone(),
        adapter_id: row.adapter_id.clone(),
        session_id: row.session_id.clone(),
        evidence_quality: row.evidence_quality.clone(),
        branch: row.branch.clone(),
        origin: row.origin,
        ..Handoff::default()
    }
}

/// Status of a history row of a session that was only talked with: it can be found, and is nobody's last work.
pub(crate) const ANSWERED: &str = "answered";

/// Shortest answer that is kept of such a session, in characters: a greeting tells nobody anything.
pub(crate) const MIN_ANSWER: usize = 60;

/// The newest unfinished work: of this branch, else of any, but not where a task is at hand or other work was done on
/// a branch that is no trunk. `None` where nothing is known to be left. `except`: the session that asks.
pub fn unfinished(snapshot: &Snapshot, checkout: &Checkout, except: &str) -> Option<Handoff> {
    let branch = checkout.branch.as_str();
    let is_left = |row: &HandoffRow| {
        row.status == "failed" || !row.next_steps.is_empty() || !row.blocked.is_empty()
    };
    let rows = snapshot.handoffs.iter().rev().map(|row| &**row);
    let open = rows.enumerate().filter(|(_, row)| is_left(row));
    let mut left = open
        .filter(|(later, row)| !was_done(row, snapshot.handoffs.iter().rev().take(*later)))
        .map(|(_, row)| row)
        .filter(|row| !item_flags::is_wrong(&row.extra) && row.session_id != except);
    let of_branch = left.clone().find(|row| row.branch == branch);
    let known = snapshot.handoffs.iter().any(|row| row.branch == branch);
    let stays =
        known && !TRUNKS.contains(&branch) || active_thread(snapshot, checkout).thread.is_some();
    let elsewhere = || {
        let is_there = |row: &&HandoffRow| !checkout.gone.contains(&row.branch);
        let other = left.clone().find(is_there).or_else(|| left.next());
        other.filter(|_| !stays)
    };
    of_branch.or_else(elsewhere).map(of_row)
}

/// Terms that a later report shares with a next step that it did.
const DONE: usize = 2;

/// Returns true where a later report says that the next step of a handoff was done.
fn was_done<'r>(row: &HandoffRow, later: impl Iterator<Item = &'r Arc<HandoffRow>>) -> bool {
    let Some(step) = row.next_steps.first() else {
        return false;
    };
    let step = terms(step);
    let mut later = later.filter(|row| row.status == "resolved");
    later.any(|done| {
        let text = format!("{} {}", done.reason, done.summary);
        shared(&step, &terms(&text)) >= DONE.min(step.len().max(1))
    })
}

/// Returns true if a command that failed when a handoff was left was seen to pass since; by as many characters of
/// it as are known.
fn passed_since(
    failures: &[Arc<FailurePattern>],
    command: &str,
    limit: usize,
    since: &str,
) -> bool {
    let is_it = |p: &&Arc<FailurePattern>| {
        !p.failed_command.is_empty() && clean(&p.failed_command, limit) == command
    };
    let mut known = failures.iter().filter(is_it).peekable();
    // One that was settled before is another failure than the one that is told of.
    known.peek().is_some() && known.all(|p| p.status == "resolved" && p.timestamp.as_str() >= since)
}

/// Returns false for a block of a handoff whose command was seen to pass after it.
pub(crate) fn still_blocks(item: &str, since: &str, failures: &[Arc<FailurePattern>]) -> bool {
    let command = blocked_command(item);
    !command.is_some_and(|c| passed_since(failures, &c, MAX_LINE_COMMAND, since))
}

/// The summary of a handoff as it has to be read now, where that is not how it was left.
pub(crate) fn summary_as_of_now(
    summary: &str,
    since: &str,
    failures: &[Arc<FailurePattern>],
) -> Option<String> {
    // In our own words only.
    let ours = summary.starts_with(SESSION_ENDED);
    let (done, command) = summary.rsplit_once(STILL_FAILING).filter(|_| ours)?;
    let known = command.trim_end_matches('.');
    passed_since(failures, known, MAX_FAILING, since)
        .then(|| format!("{done}failing then, passed since: {command}"))
}

/// A handoff as it has to be read now: what failed when it was left and was seen to pass since is not told as
/// failing. `None` when all of it holds.
pub fn handoff_as_of_now(handoff: &Handoff, failures: &[Arc<FailurePattern>]) -> Option<Handoff> {
    let since = handoff.updated_at.as_str();
    let holds = |item: &String| still_blocks(item, since, failures);
    let summary = summary_as_of_now(&handoff.summary, since, failures);
    if summary.is_none() && handoff.blocked.iter().all(holds) {
        return None;
    }
    let mut now = handoff.clone();
    now.blocked.retain(holds);
    now.open_items.retain(holds);
    now.summary = summary.unwrap_or(now.summary);
    Some(now)
}

/// Inputs of a handoff besides the observation.
pub(crate) struct Input<'a> {
    pub(crate) execution_id: &'a str,
    pub(crate) timestamp: String,
    pub(crate) summary: &'a str,
    pub(crate) success: Option<bool>,
    pub(crate) failure_recorded: bool,
    pub(crate) request: &'a str,
    /// Last request, if it differs.
    pub(crate) latest: Option<&'a str>,
    pub(crate) task_type: &'a str,
    pub(crate) next_steps: &'a [String],
    pub(crate) blocked: &'a [String],
    pub(crate) risks: &'a [String],
    pub(crate) agent_id: &'a str,
    pub(crate) adapter_id: &'a str,
    pub(crate) session_id: &'a str,
    pub(crate) session_number: u64,
    pub(crate) branch: &'a str,
}

/// Builds the newest handoff and its history row from the same facts, so that a clone that has
/// only the history says the same.
pub(crate) fn build(input: &Input, seen: &Observation) -> (Handoff, HandoffRow) {
    let status = match input.success {
        Some(true) => "resolved",
        Some(false) if input.failure_recorded => "failed",
        Some(false) | None => "unresolved",
    };
    let summary = shorten(input.summary, MAX_SUMMARY);
    let completed = if input.success == Some(true) {
        vec![summary.clone()]
    } else {
        Vec::new()
    };
    let mut blocked = items(input.blocked);
    let begun = |failure: &&Failure| has_begun(&failure.events);
    for failure in seen.open_failures.iter().filter(begun) {
        if blocked.len() < MAX_ITEMS {
            blocked.push(clean(&failure.line(), 240));
        }
    }
    let next_steps = items(input.next_steps);
    let mut starting_points: Vec<String> = Vec::new();
    for path in seen
        .files_edited
        .iter()
        .rev()
        .chain(seen.files_opened.iter().rev())
    {
        if starting_points.len() < MAX_ITEMS && !starting_points.contains(path) {
            starting_points.push(path.clone());
        }
    }
    let evidence_quality = evidence(seen);
    let handoff = Handoff {
        summary: summary.clone(),
        status: status.to_owned(),
        reason: reason(input.request, input.latest),
        task_type: input.task_type.to_owned(),
        completed: completed.clone(),
        next_steps: next_steps.clone(),
        open_items: blocked.clone(),
        blocked: blocked.clone(),
        risks: items(input.risks),
        recommended_starting_points: starting_points.clone(),
        updated_at: input.timestamp.clone(),
        source_session: input.session_number,
        source_execution_id: input.execution_id.to_owned(),
        agent_id: input.agent_id.to_owned(),
        adapter_id: input.adapter_id.to_owned(),
        session_id: input.session_id.to_owned(),
        evidence_quality: evidence_quality.to_owned(),
        branch: input.branch.to_owned(),
        contract_gaps: Vec::new(),
        git_state: serde_json::Value::Null,
        anchors: Vec::new(),
        origin: Origin::Own,
        extra: serde_json::Map::new(),
    };
    let five = |list: &[String]| list.iter().take(5).cloned().collect::<Vec<_>>();
    let row = HandoffRow {
        execution_id: input.execution_id.to_owned(),
        timestamp: input.timestamp.clone(),
        summary,
        status: status.to_owned(),
        reason: handoff.reason.clone(),
        task_type: input.task_type.to_owned(),
        completed,
        next_steps: five(&next_steps),
        blocked: five(&blocked),
        risks: five(&handoff.risks),
        recommended_starting_points: five(&starting_points),
        files_observed: (seen.files_opened.len() + seen.files_edited.len()) as u64,
        tests_observed: seen
            .tests
            .iter()
            .rev()
            .take(8)
            .map(|t| clean(t, 200))
            .collect(),
        agent_id: input.agent_id.to_owned(),
        adapter_id: input.adapter_id.to_owned(),
        session_id: input.session_id.to_owned(),
        evidence_quality: evidence_quality.to_owned(),
        branch: handoff.branch.clone(),
        requests: requests(&handoff.reason, seen.asked.requests()),
        message: rest(input.summary, MAX_SUMMARY),
        origin: Origin::Own,
        extra: serde_json::Map::new(),
    };
    (handoff, row)
}

/// Longest report kept beside the summary, and longest request, in characters.
const MAX_MESSAGE: usize = 2_000;
const MAX_REQUEST: usize = 400;

/// A report of which the summary is a part.
fn rest(text: &str, limit: usize) -> String {
    match clean(text, limit + 1).chars().count() > limit {
        true => clean(text, MAX_MESSAGE),
        false => String::new(),
    }
}

/// The requests, unless the reason is the only one.
fn requests(reason: &str, all: &[String]) -> Vec<String> {
    let all: Vec<String> = all.iter().map(|one| clean(one, MAX_REQUEST)).collect();
    match all.as_slice() {
        [] => all,
        [only] if only == reason => Vec::new(),
        _ => all,
    }
}

/// Returns the request: the goal and, if it differs, the last request.
fn reason(goal: &str, latest: Option<&str>) -> String {
    match latest {
        None => clean(goal, MAX_REASON),
        Some(latest) => {
            let half = MAX_REASON / 2 - 5;
            format!("{} (then: {})", clean(goal, half), clean(latest, half))
        }
    }
}

fn items(list: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for item in list {
        let item = shorten(item, 240);
        if !item.is_empty() && !out.contains(&item) && out.len() < MAX_ITEMS {
            out.push(item);
        }
    }
    out
}

/// `low` when files were edited and nothing was run; `high` with at least three kinds of facts.
fn evidence(seen: &Observation) -> &'static str {
    let kinds = [
        !seen.files_opened.is_empty(),
        !seen.files_edited.is_empty(),
        !seen.commands.is_empty(),
        !seen.tests.is_empty(),
        !seen.error_events.is_empty(),
    ];
    let known = kinds.iter().filter(|k| **k).count();
    if !seen.files_edited.is_empty() && seen.commands.is_empty() && seen.tests.is_empty() {
        "low"
    } else if known >= 3 {
        "high"
    } else if known >= 1 {
        "medium"
    } else {
        "low"
    }
}

/// Describes the work when the agent said nothing.
pub(crate) fn describe(seen: &Observation) -> String {
    let said = seen.said.summary();
    let passed = seen.tests.iter().rev();
    let passed = passed.filter(|test| seen.validated && seen.passed.contains(test));
    let passed = passed
        .map(|test| format!("`{}` passed", clean(test, 80)))
        .next();
    if !said.trim().is_empty() {
        // What was said is of an earlier turn than what was seen last.
        return match passed.filter(|_| seen.interrupted) {
            Some(passed) => format!(
                "{} Then, when interrupted: {passed}.",
                shorten(&said, MAX_SAID)
            ),
            None => said,
        };
    }
    let mut parts = Vec::new();
    if !seen.files_edited.is_empty() {
        let names: Vec<&str> = seen
            .files_edited
            .iter()
            .take(4)
            .map(String::as_str)
            .collect();
        parts.push(format!("edited {}", names.join(", ")));
    }
    if !seen.tests.is_empty() {
        parts.push(format!("ran {}", counted(seen.tests.len(), "test command")));
    } else if !seen.commands.is_empty() {
        parts.push(format!("ran {}", counted(seen.commands.len(), "command")));
    }
    parts.extend(passed);
    let mut failures = seen.open_failures.iter().rev();
    if let Some(failure) = failures.find(|failure| has_begun(&failure.events)) {
        parts.push(format!(
            "{STILL_FAILING}{}",
            clean(&failure.command, MAX_FAILING)
        ));
    }
    if parts.is_empty() && !seen.files_opened.is_empty() {
        parts.push(format!("read {}", counted(seen.files_opened.len(), "file")));
    }
    if parts.is_empty() {
        clean(seen.asked.goal(), MAX_SUMMARY)
    } else {
        format!("{SESSION_ENDED}{}.", parts.join("; "))
    }
}

/// `1 file`, `2 files`.
fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// The command of a blocker that was observed: "`command`: error".
pub(crate) fn blocked_command(item: &str) -> Option<String> {
    let (command, _) = item.strip_prefix('`')?.split_once("`: ")?;
    Some(command.to_owned())
}

/// `on branch x`, where that is known and not the one checked out; says where it is `gone`.
pub(crate) fn on_other_branch(branch: &str, here: &str, gone: &BTreeSet<String>) -> Option<Line> {
    if branch.is_empty() || here.is_empty() || branch == here {
        return None;
    }
    let name = Name::new(branch, 80);
    Some(match gone.contains(branch) {
        true => told!("on branch {}, deleted since", name),
        false => told!("on branch {}", name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_since_is_not_told_as_failing() {
        let handoff = Handoff {
            summary: "Session ended: edited a.py; still failing: pytest -q.".into(),
            blocked: vec![
                "`pytest -q`: assert 0 == 4".into(),
                "`make lint`: a.py:1: E1".into(),
                "no credentials".into(),
            ],
            updated_at: "2026-01-02T00:00:00Z".into(),
            ..Handoff::default()
        };
        let pattern = |status: &str, at: &str| {
            Arc::new(FailurePattern {
                failed_command: "pytest -q".into(),
                status: status.into(),
                timestamp: at.into(),
                ..FailurePattern::default()
            })
        };
        let (open, resolved) = (
            pattern("open", "2026-01-02T00:00:00Z"),
            pattern("resolved", "2026-01-03T00:00:00Z"),
        );
        let now = handoff_as_of_now(&handoff, &[Arc::clone(&resolved)]).unwrap_or_default();
        assert_eq!(
            now.summary,
            "Session ended: edited a.py; failing then, passed since: pytest -q."
        );
        assert_eq!(now.blocked, handoff.blocked[1..]);
        assert_eq!(handoff_as_of_now(&handoff, &[]), None);
        assert_eq!(handoff_as_of_now(&handoff, &[open, resolved]), None);
        let before = pattern("resolved", "2026-01-01T00:00:00Z");
        assert_eq!(handoff_as_of_now(&handoff, &[before]), None);
    }
}
