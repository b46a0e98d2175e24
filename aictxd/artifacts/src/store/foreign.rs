//! Files in a memory that are not this user's.

use std::sync::PoisonError;

use aictx_proto::record::files;
use aictx_proto::snapshot::ReadIssue;

use super::Store;
use crate::cached_file::is_told;
use crate::fs::Root;
use crate::ledger_file::is_ledger;
use crate::read;

/// Files that are reported by name.
const MAX_REPORTED: usize = 12;
/// Directories of files that belong to one machine and that other files are not mistaken for.
const OF_MACHINE: &[&str] = &["continuity/", "metrics/", "tasks/", "failure_memory/"];

impl Store {
    /// Replaces what was reported of a directory.
    pub(crate) fn report_foreign(&self, directory: &'static str, found: Vec<ReadIssue>) {
        let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        match found.is_empty() {
            true => drop(foreign.remove(directory)),
            false => drop(foreign.insert(directory, found)),
        }
    }

    /// Returns the ignored files of other users, each once, at most [`MAX_REPORTED`].
    pub(super) fn foreign_issues(&self, root: &Root) -> Vec<ReadIssue> {
        let names = root.names();
        let find = || {
            let consequence = |file: &str| match file {
                _ if file.starts_with("journal/") => Some("not carried out"),
                _ if is_ledger(file) => Some("not read as a session of yours"),
                _ if is_told(file) || files::travels(file) || !names.is_foreign(file) => None,
                _ => is_of_machine(file).then_some("this machine has its own in another place"),
            };
            let tracked = names.tracked.iter();
            let found = tracked.filter_map(|file| Some(read::unproven(file, consequence(file)?)));
            found.take(MAX_REPORTED).collect()
        };
        let mut issues: Vec<ReadIssue> = names.ignored.get_or_init(find).clone();
        let foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        for issue in foreign.values().flatten() {
            let is_known = issues.iter().any(|known| known.file == issue.file);
            if issues.len() < MAX_REPORTED && !is_known {
                issues.push(issue.clone());
            }
        }
        issues
    }
}

/// Returns true if a file belongs to one machine, by its place.
fn is_of_machine(file: &str) -> bool {
    let inside = OF_MACHINE
        .iter()
        .any(|directory| file.starts_with(directory));
    inside || matches!(file, files::FORMAT | files::STATE)
}
