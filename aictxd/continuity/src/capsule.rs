//! The session capsule: what an agent is told when a session begins.
//!
//! Facts, in the order in which they matter, each labelled with where it comes from. Stored prose
//! is quoted and made printable: it is data that a pull request could have changed, never an
//! instruction. The whole text stays below [`MAX_CAPSULE`](lines::MAX_CAPSULE).

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::identity::Identity;
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::record::{FailurePattern, Handoff, HandoffRow, files};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, printable};
use serde_json::json;

use self::lines::{CLOSING, Lines, newest, quote};
use crate::failures;
use crate::observe::{Observation, open_rows};
use crate::project::Project;
use crate::session::{Touch, touch};
use crate::suggest;

pub(crate) use self::lines::age;

mod lines;
#[cfg(test)]
mod tests;

/// Lines of each kind.
const MAX_FAILURES: usize = 3;
const MAX_DECISIONS: usize = 3;
const MAX_FILES: usize = 6;

/// A session that begins, goes on or was compacted.
#[derive(Debug, Clone, Copy)]
pub struct SessionStart<'a> {
    /// Whose.
    pub identity: &'a Identity,
    /// Where.
    pub project: &'a Project,
    /// `startup`, `resume`, `clear`, `compact` or `fork`.
    pub source: &'a str,
    /// Branch checked out.
    pub branch: &'a str,
    /// The session's ledger so far.
    pub rows: &'a [LedgerRow],
    /// Now.
    pub now: Timestamp,
}

/// The capsule, and the session counted.
pub fn session_start(snapshot: &Snapshot, start: &SessionStart) -> (String, Effects) {
    let mut touched = touch(snapshot, start.identity, start.now);
    touched.mark_banner(start.now);
    let text = match start.source {
        // The session's own context is gone: bring back what it was doing.
        "compact" => after_compaction(snapshot, start, &touched),
        // The transcript still holds the first capsule, and an agent drops a text that it already
        // has; what is new since then is told with the time, which makes the text a new one.
        "resume" => resumed(snapshot, start, &touched),
        _ => opening(snapshot, start, &touched),
    };
    let event = json!({
        "schema_version": "1.0",
        "event_type": "resume_called",
        "timestamp": start.now,
        "source": "hook",
        "agent_id": start.identity.agent_id,
        "adapter_id": start.identity.adapter_id,
        "session_id": start.identity.session_id,
        "files_opened_count": 0, "files_edited_count": 0, "commands_count": 0, "tests_count": 0,
    });
    let effects = vec![
        touched.effect(),
        Effect::AppendRows {
            file: files::LIFECYCLE_EVENTS.to_owned(),
            rows: vec![event],
            order: KeyOrder::Sorted,
        },
    ];
    (text, effects)
}

/// `aictx · claude@demo · session #3 · awake`
pub(crate) fn banner(touched: &Touch, branch: &str) -> String {
    let mut line = format!(
        "aictx · {} · session #{} · awake",
        touched.agent_label, touched.number
    );
    if !branch.is_empty() {
        line.push_str(&format!(" · branch {}", clean(&printable(branch), 80)));
    }
    line
}

fn opening(snapshot: &Snapshot, start: &SessionStart, touched: &Touch) -> String {
    let mut lines = Lines::default();
    lines.push(banner(touched, start.branch));
    if snapshot.handoff.is_none() {
        repository(&mut lines, start.project);
        lines.push("No handoff is recorded here yet.");
    }
    memory(&mut lines, snapshot, start.now);
    if let Some(files) = suggest::capsule_line(&start.project.map) {
        lines.push(format!("Likely entry points: {files}"));
    }
    if let Some((command, _)) = start.project.canonical_check(snapshot) {
        lines.push(format!("Tests: `{command}`"));
    }
    lines.close(CLOSING)
}

fn resumed(snapshot: &Snapshot, start: &SessionStart, touched: &Touch) -> String {
    let mut lines = Lines::default();
    lines.push(banner(touched, start.branch));
    lines.push(format!("Session resumed at {}.", start.now));
    // When this session was heard of before: what others left later is news to it.
    let before = start
        .rows
        .iter()
        .rev()
        .find(|row| row.kind != LedgerKind::SessionStart);
    let left_off = before.map_or(Timestamp::from_unix(0), |row| row.at);
    let own = &start.identity.session_id;
    let news = snapshot.handoff.as_ref().filter(|handoff| {
        handoff.session_id != *own
            && Timestamp::parse(&handoff.updated_at).is_some_and(|at| at > left_off)
    });
    if news.is_some() {
        lines.push("Another session has worked here since:");
        memory(&mut lines, snapshot, start.now);
    } else {
        session_so_far(&mut lines, start.rows);
    }
    lines.close(CLOSING)
}

fn after_compaction(snapshot: &Snapshot, start: &SessionStart, touched: &Touch) -> String {
    let mut lines = Lines::default();
    lines.push(banner(touched, start.branch));
    lines.push(format!(
        "Context was compacted at {}. This session so far, as observed:",
        start.now
    ));
    session_so_far(&mut lines, start.rows);
    decisions(&mut lines, snapshot);
    lines.close(CLOSING)
}

/// What this session itself did: its open execution, else all of it.
fn session_so_far(lines: &mut Lines, rows: &[LedgerRow]) {
    let open = Observation::of(open_rows(rows));
    let seen = if open.is_empty() {
        Observation::of(rows)
    } else {
        open
    };
    if !seen.request.is_empty() {
        lines.push(format!("Request: {}", quote(&seen.request, 300)));
    }
    if !seen.files_edited.is_empty() {
        lines.push(format!("Edited: {}", newest(&seen.files_edited)));
    }
    if !seen.files_opened.is_empty() {
        lines.push(format!("Read: {}", newest(&seen.files_opened)));
    }
    for failure in seen.open_failures.iter().rev().take(MAX_FAILURES) {
        lines.push(format!("Failing: {}", printable(&failure.line())));
    }
    if let Some(passed) = seen.passed.last().filter(|_| seen.validated) {
        lines.push(format!(
            "Passing since the last edit: `{}`",
            clean(&printable(passed), 120)
        ));
    }
}

/// What the repository is, for a session that has nothing else.
fn repository(lines: &mut Lines, project: &Project) {
    let mut line = format!("Repository: {}", clean(&printable(&project.name), 80));
    let languages = project.languages();
    if !languages.is_empty() {
        line.push_str(&format!(" ({})", languages.join(", ")));
    }
    let headline = project.headline();
    if !headline.is_empty() {
        line.push_str(&format!("; README: {}", quote(&headline, 120)));
    }
    lines.push(line);
    if !project.directories.is_empty() {
        let names: Vec<String> = project
            .directories
            .iter()
            .map(|d| clean(&printable(d), 40))
            .collect();
        lines.push(format!("Top level: {}", names.join(", ")));
    }
}

/// Everything that is remembered, newest and most important first.
fn memory(lines: &mut Lines, snapshot: &Snapshot, now: Timestamp) {
    let open = failures::open(&snapshot.failures);
    if let Some(handoff) = &snapshot.handoff {
        handoff_lines(lines, handoff, &open, now);
        if let Some(row) = of_another_session(snapshot, handoff) {
            lines.push(format!(
                "Before that ({}, {}, {}): {}",
                clean(&printable(&row.agent_id), 40),
                clean(&printable(&row.status), 24),
                age(&row.timestamp, now),
                quote(&row.summary, 160)
            ));
        }
    }
    work_state(lines, snapshot);
    for pattern in open.iter().take(MAX_FAILURES) {
        lines.push(failure_line(pattern, now));
    }
    if open.len() > MAX_FAILURES {
        lines.push(format!(
            "({} more open failures)",
            open.len() - MAX_FAILURES
        ));
    }
    decisions(lines, snapshot);
}

/// The newest handoff that another session left: sessions that work side by side must not hide
/// each other.
fn of_another_session<'a>(snapshot: &'a Snapshot, handoff: &Handoff) -> Option<&'a HandoffRow> {
    snapshot.handoffs.iter().rev().find(|row| {
        row.execution_id != handoff.source_execution_id
            && !row.session_id.is_empty()
            && row.session_id != handoff.session_id
    })
}

fn handoff_lines(lines: &mut Lines, handoff: &Handoff, open: &[&FailurePattern], now: Timestamp) {
    let status = if handoff.status.is_empty() {
        "outcome not recorded"
    } else {
        &handoff.status
    };
    let who = if handoff.agent_id.is_empty() {
        "an agent"
    } else {
        &handoff.agent_id
    };
    let when = age(&handoff.updated_at, now);
    lines.push(format!(
        "Last handoff ({}, {}, {when}): {}",
        clean(&printable(who), 40),
        clean(&printable(status), 24),
        quote(&handoff.summary, 240)
    ));
    if !handoff.reason.is_empty() && handoff.reason != handoff.summary {
        lines.push(format!("  Request then: {}", quote(&handoff.reason, 160)));
    }
    // What stands below as an open failure is not said twice.
    let shown = |item: &&String| {
        let command = blocked_command(item);
        open.iter()
            .take(MAX_FAILURES)
            .any(|p| command == Some(clean(&p.failed_command, 100)))
    };
    for item in handoff.blocked.iter().filter(|i| !shown(i)).take(2) {
        lines.push(format!("  Blocked: {}", clean(&printable(item), 220)));
    }
    if let Some(next) = next_action(handoff) {
        lines.push(format!("  Next: {next}"));
    }
    if !handoff.recommended_starting_points.is_empty() {
        let paths: Vec<String> = handoff
            .recommended_starting_points
            .iter()
            .take(MAX_FILES)
            .map(|p| clean(&printable(p), 120))
            .collect();
        lines.push(format!("  Start from: {}", paths.join(", ")));
    }
}

/// The next step somebody named; else what is in the way.
pub(crate) fn next_action(handoff: &Handoff) -> Option<String> {
    if let Some(step) = handoff.next_steps.iter().find(|s| !s.trim().is_empty()) {
        return Some(clean(&printable(step), 220));
    }
    let blocked = handoff.blocked.iter().find(|s| !s.trim().is_empty())?;
    Some(match blocked_command(blocked) {
        Some(command) => format!("make `{}` pass", clean(&printable(&command), 200)),
        None => format!("resolve {}", clean(&printable(blocked), 200)),
    })
}

/// The command of a blocker that was observed: "`command`: error".
fn blocked_command(item: &str) -> Option<String> {
    let (command, _) = item.strip_prefix('`')?.split_once("`: ")?;
    Some(command.to_owned())
}

fn work_state(lines: &mut Lines, snapshot: &Snapshot) {
    let Some(task) = &snapshot.active_task else {
        return;
    };
    let text = |text: &str| clean(&printable(text), 160);
    let goal = text(&task.goal);
    if goal.is_empty() {
        return;
    }
    lines.push(format!("Active task: {}", quote(&goal, 160)));
    let next = text(&task.next_action);
    if !next.is_empty() {
        lines.push(format!("  Next: {}", quote(&next, 160)));
    }
}

fn failure_line(pattern: &FailurePattern, now: Timestamp) -> String {
    let what = pattern.symptoms.first().unwrap_or(&pattern.error_text);
    let mut line = format!(
        "Open failure (seen {}x, {}): {}",
        pattern.occurrences.max(1),
        age(&pattern.timestamp, now),
        clean(&printable(what), 200)
    );
    if !pattern.failed_command.is_empty() {
        line.push_str(&format!(
            " [`{}`]",
            clean(&printable(&pattern.failed_command), 100)
        ));
    }
    line
}

/// Newest first (W5).
fn decisions(lines: &mut Lines, snapshot: &Snapshot) {
    for decision in snapshot.decisions.iter().rev().take(MAX_DECISIONS) {
        lines.push(format!("Decided: {}", quote(&decision.decision, 160)));
    }
}
