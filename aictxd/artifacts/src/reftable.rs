//! References of repositories with the reftable format, as git tells them.
//!
//! Only git reads that format. It is asked again when `tables.list`, which every change of a
//! reference replaces, is another file.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_files::child::{self, Limits};

use crate::head::{Head, is_commit};

/// Longest time that git may take.
const PATIENCE: Duration = Duration::from_millis(500);
/// Most bytes of names of branches.
const MAX_BRANCHES: usize = 16 * 1024 * 1024;
/// Worktrees whose answers are remembered.
const MAX_KNOWN: usize = 256;

/// Identity of a file that is only ever replaced: device, inode, length and time of change.
type Stamp = (u64, u64, u64, i64, i64);
/// Commits by the names of branches.
type Branches = HashMap<String, String>;

/// Answers of git about one worktree.
#[derive(Debug, Default)]
struct Known {
    stamps: Vec<Option<Stamp>>,
    head: Option<Head>,
    branches: Option<Arc<Branches>>,
}

static KNOWN: Mutex<Option<HashMap<PathBuf, Known>>> = Mutex::new(None);

/// The branch and commit checked out in a worktree; empty when git does not say.
pub(crate) fn head(worktree: &Path, git: &Path, common: &Path) -> Head {
    let stamps = stamps(git, common);
    if let Some(head) = known(git, &stamps, |known| known.head.clone()) {
        return head;
    }
    let Some(branch) = ask(worktree, &["symbolic-ref", "-q", "HEAD"], &[0, 1]) else {
        return Head::default();
    };
    let Some(commit) = ask(worktree, &["rev-parse", "-q", "--verify", "HEAD"], &[0, 1]) else {
        return Head::default();
    };
    let commit = commit.trim();
    let name = branch.trim();
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    let head = Head {
        branch: match name {
            "" if is_commit(commit) => "(detached)".to_owned(),
            name => name.to_owned(),
        },
        head: if is_commit(commit) { commit } else { "" }.to_owned(),
    };
    remember(git, stamps, |known| known.head = Some(head.clone()));
    head
}

/// The commit of a branch; none where there is no such branch.
pub(crate) fn branch(worktree: &Path, git: &Path, common: &Path, name: &str) -> Option<String> {
    let stamps = stamps(git, common);
    if let Some(branches) = known(git, &stamps, |known| known.branches.clone()) {
        return branches.get(name).cloned();
    }
    let format = "--format=%(objectname) %(refname:lstrip=2)";
    let listed = ask(worktree, &["for-each-ref", format, "refs/heads"], &[0])?;
    let pairs = listed.lines().filter_map(|line| line.split_once(' '));
    let pairs = pairs.filter(|(commit, _)| is_commit(commit));
    let branches: Branches = pairs
        .map(|(commit, name)| (name.to_owned(), commit.to_owned()))
        .collect();
    let found = branches.get(name).cloned();
    remember(git, stamps, |known| {
        known.branches = Some(Arc::new(branches));
    });
    found
}

/// Runs git; `None` when it ends with another status than these, or not in time.
fn ask(worktree: &Path, arguments: &[&str], statuses: &[i32]) -> Option<String> {
    let mut command = child::git(worktree);
    command.args(arguments);
    let said = child::output(&mut command, Limits::new(PATIENCE, MAX_BRANCHES)).ok()?;
    let status = said.status?.code()?;
    let text = String::from_utf8_lossy(&said.bytes).into_owned();
    statuses.contains(&status).then_some(text)
}

/// Stamps of the lists of tables: a linked worktree has one of its own for its `HEAD`.
fn stamps(git: &Path, common: &Path) -> Vec<Option<Stamp>> {
    let stamp = |directory: &Path| {
        let meta = directory.join("reftable/tables.list").symlink_metadata();
        let meta = meta.ok().filter(std::fs::Metadata::is_file)?;
        let (seconds, nanoseconds) = (meta.ctime(), meta.ctime_nsec());
        Some((meta.dev(), meta.ino(), meta.len(), seconds, nanoseconds))
    };
    vec![stamp(git), stamp(common)]
}

fn known<T>(git: &Path, stamps: &[Option<Stamp>], get: impl Fn(&Known) -> Option<T>) -> Option<T> {
    let all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.as_ref()?.get(git)?;
    // Without a list nothing tells of changes.
    (known.stamps == stamps && stamps.iter().any(Option::is_some))
        .then(|| get(known))
        .flatten()
}

fn remember(git: &Path, stamps: Vec<Option<Stamp>>, set: impl FnOnce(&mut Known)) {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if all.len() >= MAX_KNOWN && !all.contains_key(git) {
        all.clear();
    }
    let known = all.entry(git.to_owned()).or_default();
    if known.stamps != stamps {
        *known = Known {
            stamps,
            ..Known::default()
        };
    }
    set(known);
}
