//! One test run of a ledger, and of which files it says something: the notion that the question at the end of a
//! turn and the facts of an execution share.

use aictx_proto::ledger::LedgerRow;
use aictx_shell::{Coverage, Reach, quoted, reaches};

use super::MAX_LIST;
use super::test_coverage::{Covering, FileCheck, Ground, fits};
use crate::lru_cache::{self, same_check};

/// A test run that ended.
pub(super) struct Ran<'r> {
    pub(super) at: usize,
    pub(super) row: &'r LedgerRow,
    pub(super) passed: bool,
    /// It failed before, and passes now: what was edited was about it.
    mended: bool,
    reaches: Vec<Reach>,
}

impl<'r> Ran<'r> {
    /// A run that passed, of which is known whether it `mended` what failed before.
    pub(super) fn passing(row: &'r LedgerRow, mended: bool) -> Self {
        Self {
            mended,
            ..Self::new(0, row, true, &[])
        }
    }

    /// Returns true if it tests what is written in the language of a file.
    pub(super) fn fits(&self, file: &str) -> bool {
        self.reaches.iter().any(|reach| fits(reach, file))
    }

    pub(super) fn new(at: usize, row: &'r LedgerRow, passed: bool, before: &[Ran<'r>]) -> Self {
        let failed = |ran: &&Ran| !ran.passed && proves(row, ran.row);
        let command = if row.ran.is_empty() {
            &row.command
        } else {
            &row.ran
        };
        Self {
            at,
            row,
            passed,
            mended: passed && before.iter().rev().take(MAX_LIST).any(|ran| failed(&ran)),
            reaches: reaches(command),
        }
    }

    /// Returns true if it says something of a file.
    pub(super) fn is_about(
        &self,
        file: &str,
        check: &FileCheck,
        edited: &[String],
        ground: &dyn Ground,
    ) -> bool {
        let is_it = |wanted: &str| {
            let ran: Vec<_> = placed(self.row)
                .iter()
                .map(|line| lru_cache::check(line))
                .collect();
            let ran = ran.iter().map(AsRef::as_ref);
            !wanted.is_empty() && lru_cache::check(wanted).coverage(ran) == Coverage::Whole
        };
        if is_it(&check.command) || is_it(&check.ran) {
            return true;
        }
        // What tests the file in this project may be of another language.
        let by = if check.ran.is_empty() {
            &check.command
        } else {
            &check.ran
        };
        let by = reaches(by);
        self.reaches.iter().any(|reach| {
            let usual = by
                .iter()
                .any(|by| !by.language.is_empty() && by.language == reach.language);
            let covering = Covering {
                reach,
                cwd: &self.row.cwd,
                edited,
                ground,
            };
            (usual || fits(reach, file)) && (self.mended || covering.covers(file))
        })
    }
}

/// The names that a command is known by, as somebody at the root would call it.
pub(super) fn placed(row: &LedgerRow) -> Vec<String> {
    let at_root = |line: &String| match row.cwd.is_empty() {
        true => line.clone(),
        false => format!("cd {} && {line}", quoted(&row.cwd)),
    };
    let names = [&row.command, &row.ran].into_iter();
    names.filter(|name| !name.is_empty()).map(at_root).collect()
}

fn proves(passed: &LedgerRow, failed: &LedgerRow) -> bool {
    let failed = placed(failed);
    let proven = |passed: &String| failed.iter().any(|failed| same_check(passed, failed));
    placed(passed).iter().any(proven)
}
