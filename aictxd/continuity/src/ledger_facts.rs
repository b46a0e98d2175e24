//! From ledger rows to facts: what a session or one execution of it read, wrote, ran and saw fail.

use aictx_proto::Timestamp;
use aictx_proto::event::{ErrorEvent, MAX_EVENTS};
use aictx_proto::ledger::{LedgerKind, LedgerRow, Outcome, Provenance};
use aictx_shell::{Aside, command_word, edits_behind, only_formats, only_looks, sets_aside};
use aictx_steer::{decisions_told, rules_kept, rules_taken_back};

use crate::agent_summary::{Deed, Said};
use crate::lru_cache::{Pass, same_check};
use crate::session_goal::Asked;
use crate::tasks::Checkout;
use crate::text_similarity::most_alike;

mod failure;
mod sessions;
mod test_coverage;
mod test_evidence;
mod test_run;
mod untested_edits;

pub(crate) use self::failure::{Failure, MAX_LINE_COMMAND, covers, has_begun};
pub use self::sessions::{OpenSession, open_session, session_report, session_summary};
pub use self::test_coverage::{FileCheck, Ground};
pub use self::untested_edits::{Unchecked, unchecked_edits};

/// Most entries of each list of an execution; the newest are kept.
pub(crate) const MAX_LIST: usize = 40;
/// Failures kept that were fixed in the execution that saw them, the newest ones.
const MAX_FIXED: usize = 5;
/// Exit statuses with which an agent ends a command itself (interrupt, time limit).
const ENDED_BY_AGENT: &[i32] = &[130, 137, 143];
/// Programs whose exit status 1 is an answer, not a failure.
const ASKING: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "ls", "cat", "find",
    "which", "pgrep", "stat", "head", "tail", "wc", "file", "type", "sleep", "true", "false", "cd",
    "echo",
];

/// State of the stash from command to command: true while uncommitted changes are set aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere(bool);

impl Elsewhere {
    /// Returns true if a command sees the code from before the edits, and true if only a part of it may.
    fn after(&mut self, command: &str) -> (bool, bool) {
        let aside = sets_aside(command);
        let within = aside == Aside::Within;
        let elsewhere = self.0 && aside != Aside::Ends || within;
        self.0 = match aside {
            Aside::Begins => true,
            Aside::Ends => false,
            Aside::No | Aside::Within => self.0,
        };
        (elsewhere, within)
    }
}

/// A command that passed since code was last edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// As it was called.
    pub(crate) command: String,
    /// The same from the root, and what it runs where it is the name of a script.
    pub(crate) lines: Vec<String>,
}

/// Observed work of one execution, newest entries last.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Observation {
    pub(crate) files_opened: Vec<String>,
    pub(crate) files_edited: Vec<String>,
    pub(crate) files_reopened: Vec<String>,
    pub(crate) commands: Vec<String>,
    pub(crate) tests: Vec<String>,
    pub(crate) error_events: Vec<ErrorEvent>,
    /// Commands that failed and whose check never passed afterwards.
    pub(crate) open_failures: Vec<Failure>,
    /// Commands that failed with an error and passed afterwards.
    pub(crate) fixed: Vec<Failure>,
    /// Commands that passed, oldest first.
    pub(crate) passed: Vec<String>,
    /// The same with the branches that they passed on.
    pub(crate) passes: Vec<Pass>,
    /// A test passed after the last edit that says something of what was edited.
    pub(crate) validated: bool,
    /// A test passed after the last edit, be it of something else.
    pub(crate) tested: bool,
    /// Commands that passed since code was last edited.
    pub(crate) since_edit: Vec<Fresh>,
    /// Edited files whose changes a command may have taken back since; whether it did, the worktree says.
    pub(crate) given_up: Vec<String>,
    /// Edited files that were committed since.
    pub(crate) recorded: Vec<String>,
    /// Edited code of which no test said anything since.
    pub(crate) unproven: Vec<String>,
    /// Requests of its user.
    pub(crate) asked: Asked,
    /// Rules that its user wants remembered.
    pub(crate) kept: Vec<String>,
    /// Decisions that its agent reported.
    pub(crate) decided: Vec<String>,
    /// Words for earlier rules that hold no longer.
    pub(crate) taken_back: Vec<String>,
    /// State of the stash.
    pub(crate) aside: Elsewhere,
    /// Errors that were reported, not seen.
    pub(crate) told_errors: Vec<ErrorEvent>,
    /// The last turn has not ended: its agent was stopped, or is still at work.
    pub(crate) interrupted: bool,
    /// Statements of the agent.
    pub(crate) said: Said,
    pub(crate) first_at: Option<Timestamp>,
    pub(crate) last_at: Option<Timestamp>,
    /// Tools used, of any kind.
    pub(crate) tools: usize,
}

impl Observation {
    /// Nothing that would be worth a record.
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty()
            && self.kept.is_empty()
            && self.taken_back.is_empty()
            && self.tools == 0
    }

    /// Reads the rows of one execution.
    pub(crate) fn of(rows: &[LedgerRow]) -> Self {
        let mut seen = Self::default();
        for row in rows {
            if row.kind != LedgerKind::SessionStart {
                seen.first_at.get_or_insert(row.at);
            }
            seen.last_at = Some(row.at);
            match row.kind {
                LedgerKind::Prompt if row.agent_id.is_empty() => {
                    seen.asked.hear(row);
                    seen.said.asked();
                    seen.interrupted = true;
                    for rule in rules_kept(&row.text) {
                        push(&mut seen.kept, &rule);
                    }
                    for which in rules_taken_back(&row.text) {
                        match most_alike(&which, seen.kept.iter().map(String::as_str)) {
                            Some(at) => drop(seen.kept.remove(at)),
                            None => push(&mut seen.taken_back, &which),
                        }
                    }
                }
                LedgerKind::Stop => {
                    seen.interrupted &= !row.agent_id.is_empty();
                    if !row.text.is_empty() {
                        seen.said.hear(&row.text);
                        for decision in decisions_told(&row.text) {
                            push(&mut seen.decided, &decision);
                        }
                    }
                }
                LedgerKind::Read if row.outcome != Outcome::Failed => {
                    seen.said.did(Deed::Looked);
                    for path in &row.paths {
                        if seen.files_opened.contains(path) {
                            push(&mut seen.files_reopened, path);
                        }
                        push(&mut seen.files_opened, path);
                    }
                }
                LedgerKind::Edit if row.outcome != Outcome::Failed => {
                    seen.edited(&row.paths);
                }
                LedgerKind::Command => seen.command(row),
                _ => {}
            }
            seen.tools += usize::from(matches!(
                row.kind,
                LedgerKind::Read | LedgerKind::Edit | LedgerKind::Command | LedgerKind::Tool
            ));
        }
        seen
    }

    fn edited(&mut self, paths: &[String]) {
        self.said.did(Deed::Edited);
        for path in paths {
            push(&mut self.files_edited, path);
        }
        for list in [&mut self.given_up, &mut self.recorded] {
            list.retain(|path| !paths.contains(path));
        }
        self.unproves(paths);
    }

    fn command(&mut self, row: &LedgerRow) {
        if row.command.is_empty() || is_own(&row.command) {
            return;
        }
        self.said.did(Deed::Ran);
        push(&mut self.commands, &row.command);
        if !row.paths.is_empty() && only_formats(&row.command) {
            // Who lays out anew what was tested has nothing to test again.
            for path in &row.paths {
                push(&mut self.files_edited, path);
            }
        } else if !row.paths.is_empty() {
            // Before it checked anything: `sed -i … && pytest`.
            self.edited(&row.paths);
        }
        if row.test {
            push(&mut self.tests, &row.command);
        }
        for event in &row.errors {
            if !self
                .error_events
                .iter()
                .any(|e| e.fingerprint == event.fingerprint)
                && self.error_events.len() < MAX_EVENTS
            {
                self.error_events.push(event.clone());
            }
        }
        let (elsewhere, within) = self.aside.after(&row.command);
        if row.outcome != Outcome::Failed {
            self.gives_up(&row.command);
        }
        match row.outcome {
            // It is about the code as it was before.
            Outcome::Passed if elsewhere => push(&mut self.passed, &row.command),
            Outcome::Failed if elsewhere && !within => {}
            Outcome::Passed => {
                let failing = self.open_failures.len();
                // By the name of a script, and by what that runs.
                for command in [&row.ran, &row.command] {
                    if command.is_empty() {
                        continue;
                    }
                    let pass = Pass {
                        command: command.clone(),
                        branch: row.branch.clone(),
                    };
                    let settled = |failed: &mut Failure| failed.is_settled_by(&pass);
                    for failed in self.open_failures.extract_if(.., settled) {
                        if !failed.events.is_empty() {
                            self.fixed.push(failed);
                        }
                    }
                    let old = self.fixed.len().saturating_sub(MAX_FIXED);
                    self.fixed.drain(..old);
                    self.pass(pass);
                }
                let behind = !row.paths.is_empty() && edits_behind(&row.command);
                if !behind {
                    self.is_fresh(row);
                }
                if row.test && !behind {
                    self.proves(row, self.open_failures.len() < failing);
                }
            }
            Outcome::Failed if !is_answer(row) => {
                if row.test && has_begun(&row.errors) {
                    (self.validated, self.tested) = (false, false);
                    self.since_edit.retain(|fresh| {
                        let mut lines = fresh.lines.iter();
                        !lines.any(|line| same_check(line, &row.command))
                    });
                }
                let same = |f: &Failure| {
                    covers(&row.branch, &f.branch) && same_check(&f.command, &row.command)
                };
                // What never began says nothing of what failed before.
                if !has_begun(&row.errors) && self.open_failures.iter().any(same) {
                    return;
                }
                self.open_failures.retain(|f| !same(f));
                self.open_failures.push(Failure {
                    branch: row.branch.clone(),
                    ran: row.ran.clone(),
                    ..Failure::new(&row.command, row.test, &row.errors)
                });
                if self.open_failures.len() > MAX_LIST {
                    self.open_failures.remove(0);
                }
            }
            Outcome::Failed | Outcome::Unknown => {}
        }
    }

    /// A command passed.
    pub(crate) fn pass(&mut self, pass: Pass) {
        push(&mut self.passed, &pass.command);
        self.passes.retain(|known| *known != pass);
        self.passes.push(pass);
        if self.passes.len() > MAX_LIST {
            self.passes.remove(0);
        }
    }

    /// With what is known of branches at the end: failures whose check passed on the branch checked out
    /// are settled where that has the work of theirs in it, too.
    pub(crate) fn settle(&mut self, checkout: &Checkout) {
        let standing = self.standing(checkout.changed_files.as_deref());
        self.unproven.retain(|file| standing.contains(file));
        self.validated |= self.tested && self.unproven.is_empty();
        let here = &checkout.branch;
        self.open_failures.retain(|failure| {
            !(checkout.joined.contains(&failure.branch) && failure.passed_on.contains(here))
        });
    }

    /// Returns the observed success; `None` when unknown.
    pub(crate) fn success(&self) -> Option<bool> {
        if self.open_failures.iter().any(Failure::is_check) {
            Some(false)
        } else if self.validated {
            Some(true)
        } else if self.open_failures.iter().any(|f| !f.events.is_empty()) && self.passed.is_empty()
        {
            // A command that failed without saying why decides nothing.
            Some(false)
        } else {
            None
        }
    }
}

/// Adds, moving a repetition to the end; the oldest entry makes room.
pub(crate) fn push(list: &mut Vec<String>, item: &str) {
    list.retain(|have| have != item);
    list.push(item.to_owned());
    if list.len() > MAX_LIST {
        list.remove(0);
    }
}

/// A failing search found nothing, and a command that the agent stopped says nothing about the
/// code, unless it was a test.
fn is_answer(row: &LedgerRow) -> bool {
    if row.test {
        return false;
    }
    let stopped = row.exit_status.is_some_and(|s| ENDED_BY_AGENT.contains(&s));
    // What a pipe shows of a build that failed (`make | tail`) is no answer of `tail`.
    let is_its_own = row.exit_status.is_some_and(|s| s != 0) || only_looks(&row.command);
    stopped || is_its_own && ASKING.contains(&command_word(&row.command).as_str())
}

/// Returns true if a row shows that an agent reported its execution: by a command or a tool of a server.
pub(crate) fn reports_an_execution(row: &LedgerRow) -> bool {
    let by_command =
        is_own(&row.command) && row.command.split_whitespace().any(|w| w == "finalize");
    by_command || row.tool.contains("aictx") && row.tool.ends_with("finalize")
}

/// Our own commands are no work.
fn is_own(command: &str) -> bool {
    command_word(command) == "aictx"
}

/// Returns true if the newest of the session's starts and ends is an end.
fn has_ended(rows: &[LedgerRow]) -> bool {
    rows.iter()
        .rev()
        .find(|r| matches!(r.kind, LedgerKind::SessionStart | LedgerKind::SessionEnd))
        .is_some_and(|r| r.kind == LedgerKind::SessionEnd)
}

/// The user's own requests begin turns.
fn begins_turn(row: &LedgerRow) -> bool {
    row.kind == LedgerKind::Prompt && row.agent_id.is_empty()
}

/// The rows since the user last asked for something.
pub(crate) fn turn_of(rows: &[LedgerRow]) -> &[LedgerRow] {
    let from = rows.iter().rposition(begins_turn).unwrap_or(0);
    rows.get(from..).unwrap_or_default()
}

/// The `finalized` row with which the agent itself closed the turn that the rows end in.
pub(crate) fn told_in_turn(rows: &[LedgerRow]) -> Option<&LedgerRow> {
    let last = turn_of(rows).iter().rev();
    let mut finalized = last.filter(|r| r.kind == LedgerKind::Finalized);
    finalized
        .next()
        .filter(|r| r.provenance != Provenance::RuntimeObserved)
}

/// Returns true if a row shows that work goes on: a file changed, a test ran, something failed. What is done is
/// committed after a finalize as often as before it.
pub(crate) fn is_work(row: &LedgerRow) -> bool {
    match row.kind {
        LedgerKind::Edit => row.outcome != Outcome::Failed,
        LedgerKind::Command => {
            let failed = row.outcome == Outcome::Failed && !is_answer(row);
            (row.test || failed || !row.paths.is_empty()) && !is_own(&row.command)
        }
        _ => false,
    }
}

/// The rows of the execution that is open: everything since the last `finalized` row, but only
/// once the user has asked for something again. What an agent says or reads after it has finalized belongs
/// to that; what it does is work that goes on. A session that was only thought to be gone goes on with
/// whatever is seen of it.
pub(crate) fn open_rows(rows: &[LedgerRow]) -> &[LedgerRow] {
    let Some(last) = rows.iter().rposition(|r| r.kind == LedgerKind::Finalized) else {
        return rows;
    };
    let after = rows.get(last + 1..).unwrap_or_default();
    let told = rows
        .get(last)
        .is_some_and(|r| r.provenance != Provenance::RuntimeObserved);
    if !told && !has_ended(rows.get(..last).unwrap_or_default()) {
        return after;
    }
    let goes_on = |r: &LedgerRow| begins_turn(r) || told && is_work(r);
    match after.iter().position(goes_on) {
        Some(from) => after.get(from..).unwrap_or_default(),
        None => &[],
    }
}

#[cfg(test)]
mod shapes_tests;
#[cfg(test)]
mod tests;
