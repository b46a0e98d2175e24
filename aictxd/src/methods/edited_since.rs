//! Files edited by a command under observation: those written meanwhile, and by nobody else
//! that is known.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use aictx_files::untrusted;
use aictx_proto::Timestamp;
use aictx_proto::ledger::LedgerKind;
use aictx_proto::snapshot::GitState;
use aictx_proto::text::file_stem;
use rustix::fs::FileType;

use crate::hosts::Host;

/// Entries of untracked directories that are looked at.
const MAX_UNTRACKED: usize = 4_096;

/// Files below a directory, links not followed, as paths that begin with the directory's.
fn files_below(worktree: &Path, directory: &str, looked: &mut usize, found: &mut Vec<String>) {
    let mut pending = vec![directory.trim_end_matches('/').to_owned()];
    while let Some(directory) = pending.pop() {
        let Ok(entries) = untrusted::entries(&worktree.join(&directory)) else {
            continue;
        };
        for entry in entries {
            *looked += 1;
            if *looked > MAX_UNTRACKED {
                return;
            }
            let path = format!("{directory}/{}", entry.name.to_string_lossy());
            match entry.kind {
                FileType::Directory => pending.push(path),
                FileType::RegularFile => found.push(path),
                _ => {}
            }
        }
    }
}

/// Files that other sessions edited since a moment.
pub(super) fn edited_by_others(host: &Host, session_id: &str, since_ms: u64) -> HashSet<String> {
    let since = std::time::UNIX_EPOCH + Duration::from_millis(since_ms);
    let own = file_stem(session_id);
    let ledgers = host.store.ledgers();
    let busy = ledgers
        .iter()
        .filter(|ledger| ledger.stem != own && ledger.modified >= since);
    let rows = busy.flat_map(|ledger| host.store.read_ledger(&ledger.stem).rows);
    // Rows are stamped with the second they are of.
    let begun = i64::try_from(since_ms / 1000).unwrap_or(i64::MAX);
    rows.filter(|row| row.kind == LedgerKind::Edit && row.at >= Timestamp::from_unix(begun))
        .flat_map(|row| row.paths)
        .collect()
}

/// Changed files that were written since a moment.
pub(super) fn written_since(worktree: &Path, git: &GitState, since_ms: u64) -> Vec<String> {
    let changed = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
    let written = |path: &&String| {
        let modified = std::fs::symlink_metadata(worktree.join(path)).and_then(|m| m.modified());
        let at = modified
            .ok()
            .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        at.is_some_and(|at| at.as_millis() > u128::from(since_ms))
    };
    let mut found: Vec<String> = Vec::new();
    let mut looked = 0;
    for path in changed {
        // git names an untracked directory, not the files in it.
        if path.ends_with('/') {
            files_below(worktree, path, &mut looked, &mut found);
        } else {
            found.push(path.clone());
        }
    }
    let mut files: Vec<String> = found.iter().filter(written).cloned().collect();
    files.sort_unstable();
    files.dedup();
    files
}
