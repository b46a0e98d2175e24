//! What was tested of what was edited, while the rows of an execution are read.

use aictx_proto::Timestamp;
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_shell::{gives_up, is_untested, records};

use super::test_coverage::{FileCheck, Unseen};
use super::test_run::{Ran, placed};
use super::{Fresh, MAX_LIST, Observation, push};

impl Observation {
    /// What was tested before these files were edited says nothing any longer, unless no test looks at them.
    pub(crate) fn unproves(&mut self, paths: &[String]) {
        for path in paths.iter().filter(|path| !is_untested(path)) {
            push(&mut self.unproven, path);
            (self.validated, self.tested) = (false, false);
            self.since_edit.clear();
        }
    }

    /// A test run passed. It says something of all that is written in its language if it speaks of any of that:
    /// whoever tests one of two files that were edited together tests the other by it.
    pub(super) fn proves(&mut self, row: &LedgerRow, mended: bool) {
        if !self.unproven.is_empty() {
            let run = Ran::passing(row, mended);
            let none = FileCheck::default();
            let about = |file: &String| run.is_about(file, &none, &self.files_edited, &Unseen);
            if self.unproven.iter().any(about) {
                self.unproven.retain(|file| !run.fits(file));
            }
        }
        self.tested = true;
        self.validated = self.unproven.is_empty();
    }

    /// A command passed as the row says.
    pub(super) fn is_fresh(&mut self, row: &LedgerRow) {
        self.since_edit.retain(|fresh| fresh.command != row.command);
        self.since_edit.push(Fresh {
            command: row.command.clone(),
            lines: placed(row),
        });
        if self.since_edit.len() > MAX_LIST {
            self.since_edit.remove(0);
        }
    }

    /// What was committed first is not taken back by what follows.
    pub(super) fn gives_up(&mut self, command: &str) {
        let may = ["git", "rm", "unlink", "patch"];
        if self.files_edited.is_empty() || !may.iter().any(|name| command.contains(name)) {
            return;
        }
        if records(command) {
            self.recorded = self.files_edited.clone();
            self.given_up.clear();
        } else if gives_up(command) {
            let recorded = &self.recorded;
            let open = self
                .files_edited
                .iter()
                .filter(|file| !recorded.contains(file));
            self.given_up = open.cloned().collect();
        }
    }

    /// Edited files without those whose changes were taken back: a command seen may have done that, and git, where
    /// it was asked, does not show them as `changed`.
    pub(crate) fn standing(&self, changed: Option<&[String]>) -> Vec<String> {
        let back = |file: &String| {
            let clean = changed.is_some_and(|changed| !changed.contains(file));
            clean && self.given_up.contains(file)
        };
        let files = self.files_edited.iter().filter(|file| !back(file));
        files.cloned().collect()
    }

    /// A command that is told to have passed, from the root.
    pub(crate) fn told_passed(&mut self, command: &str, test: bool) {
        let row = LedgerRow {
            command: command.to_owned(),
            ..LedgerRow::observed(Timestamp::default(), LedgerKind::Command)
        };
        self.is_fresh(&row);
        if test {
            self.proves(&row, false);
        }
    }
}
