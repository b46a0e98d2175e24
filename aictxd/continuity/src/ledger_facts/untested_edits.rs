//! What a turn edited without a check passing since that covers it.

use aictx_proto::Timestamp;
use aictx_proto::ledger::{BACKGROUND, LedgerKind, LedgerRow, Outcome};
use aictx_shell::{edits_behind, gives_up, is_untested, only_formats, records};

use super::test_coverage::Ground;
use super::test_run::Ran;
use super::{Elsewhere, MAX_LIST, Observation, has_begun, is_own, open_rows, push};

/// What the open execution of a session edited without a check passing since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unchecked {
    /// Edited files, newest last; without those that a check which passed after their last edit covers.
    pub files: Vec<String>,
    /// Of those: the ones whose changes a command seen after their last edit may have taken back (`git stash`,
    /// `git checkout -- a.py`, `rm`). Whether it did, the worktree says.
    pub given_up: Vec<String>,
    /// A test run that passed since the first of those edits and does not cover them all; empty when there is none.
    pub partly: String,
    /// What the user asked for.
    pub request: String,
    /// The agent was asked back already since the user's last request.
    pub asked_back: bool,
    /// Something was committed since then, as far as commands tell.
    pub committed: bool,
    /// When the first of the edits was seen.
    pub since: Timestamp,
}

/// Test runs that are remembered, the newest.
const MAX_RUNS: usize = 64;

/// Reads that off a ledger.
pub fn unchecked_edits(rows: &[LedgerRow], ground: &dyn Ground) -> Unchecked {
    // A report of success in the middle of a turn checks nothing.
    let finalized = rows.len() - open_rows(rows).len();
    let asked = rows.iter().rposition(|r| r.kind == LedgerKind::Prompt);
    let from = asked.map_or(finalized, |asked| asked.min(finalized));
    let open = rows.get(from..).unwrap_or_default();
    let last_prompt = open
        .iter()
        .rposition(|r| r.kind == LedgerKind::Prompt)
        .unwrap_or(0);
    // Only what this turn edited: what an earlier one left unchecked was asked about then.
    let mut edits: Vec<(String, usize)> = Vec::new();
    let mut runs: Vec<Ran> = Vec::new();
    // Checks that still run, as far as is known.
    let mut running: Vec<Ran> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    let mut elsewhere = Elsewhere::default();
    for (at, row) in open.iter().enumerate() {
        let command = row.kind == LedgerKind::Command && !is_own(&row.command);
        // Who lays out anew what was tested has nothing to test again.
        let edited = row.kind == LedgerKind::Edit && row.outcome != Outcome::Failed
            || command && !row.paths.is_empty() && !only_formats(&row.command);
        if edited {
            // `pytest && sed -i … a.py` edits behind its run, other lines before.
            let behind = usize::from(command && row.test && edits_behind(&row.command));
            for path in &row.paths {
                push(&mut all, path);
                edits.retain(|(known, _)| known != path);
                if at >= last_prompt && !is_untested(path) {
                    edits.push((path.clone(), 2 * at + behind));
                    if edits.len() > MAX_LIST {
                        edits.remove(0);
                    }
                }
            }
        }
        if !command {
            continue;
        }
        if runs.len() > MAX_RUNS {
            runs.remove(0);
        }
        let (aside, within) = elsewhere.after(&row.command);
        if row.test && row.source == BACKGROUND && !aside && running.len() < MAX_RUNS {
            running.push(Ran::new(2 * at, row, true, &[]));
        }
        if row.test && row.outcome == Outcome::Passed && !aside {
            runs.push(Ran::new(2 * at, row, true, &runs));
        } else if row.test
            && row.outcome == Outcome::Failed
            && has_begun(&row.errors)
            && (!aside || within)
        {
            runs.push(Ran::new(2 * at, row, false, &runs));
        }
    }
    let checked = |(file, at): &(String, usize)| {
        let last = runs.iter().rev().take_while(|ran| ran.at >= *at);
        // The newest that is about the file decides.
        let check = ground.check(file).unwrap_or_default();
        let mut about = last.filter(|ran| ran.is_about(file, &check, &all, ground));
        about.next().is_some_and(|ran| ran.passed)
    };
    let is_running = |(file, at): &(String, usize)| {
        let check = ground.check(file).unwrap_or_default();
        let mut since = running.iter().filter(|ran| ran.at >= *at);
        since.any(|ran| ran.is_about(file, &check, &all, ground))
    };
    edits.retain(|edit| !checked(edit) && !is_running(edit));
    let from = edits.iter().map(|(_, at)| *at).min();
    let partly = runs
        .iter()
        .rev()
        .find(|ran| ran.passed && from.is_some_and(|from| ran.at >= from));
    let partly = partly.map(|ran| ran.row.command.clone());
    let given_up = edits.iter().filter(|(_, at)| {
        let since = open.get(at / 2..).unwrap_or_default().iter();
        let mut since =
            since.filter(|r| r.kind == LedgerKind::Command && r.outcome != Outcome::Failed);
        // What was committed first is not taken back by them.
        let decides = since.find(|row| records(&row.command) || gives_up(&row.command));
        decides.is_some_and(|row| !records(&row.command))
    });
    let turn = open.get(last_prompt..).unwrap_or_default();
    let edits_at = |row: &LedgerRow| {
        matches!(row.kind, LedgerKind::Edit | LedgerKind::Command) && !row.paths.is_empty()
    };
    Unchecked {
        partly: partly.unwrap_or_default(),
        given_up: given_up.map(|(file, _)| file.clone()).collect(),
        files: edits.iter().map(|(file, _)| file.clone()).collect(),
        request: Observation::of(open).asked.goal().to_owned(),
        asked_back: turn.iter().any(|r| r.kind == LedgerKind::AskedBack),
        committed: turn.iter().any(|r| records(&r.command)),
        since: turn
            .iter()
            .find(|r| edits_at(r))
            .map_or_else(Timestamp::default, |r| r.at),
    }
}
