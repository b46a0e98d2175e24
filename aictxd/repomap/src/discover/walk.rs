//! Walking a tree by its rules: which paths are there, not how they look.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::fs::{AtFlags, FileType, statat};

use super::rules::{RuledTree, Rules, Unlisted};
use super::{Limits, NEVER, is_by_tools, is_never};

/// Entries between two looks at clock and flag.
const BETWEEN: usize = 4_096;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Paths of regular files, in no order.
    pub(super) files: Vec<Vec<u8>>,
    pub(super) nested: Vec<String>,
    pub(super) over: u64,
    pub(super) timed_out: bool,
    pub(super) unreadable: u64,
    /// Directories that were entered, and nested repositories, in no order. Empty when others have a
    /// say, too.
    pub(super) directories: Vec<Vec<u8>>,
    /// Rules of the root; none where nothing can be said of the tree.
    pub(super) rules: Option<Rules>,
}

pub(super) fn walk(
    root: &Path,
    tracked: &HashSet<Vec<u8>>,
    limits: &Limits,
    end: Instant,
    stop: &AtomicBool,
) -> Walked {
    let nothing = || Walked {
        timed_out: true,
        unreadable: 1,
        ..Walked::default()
    };
    let Ok(tree) = RuledTree::open(root) else {
        return nothing();
    };
    let walk = Walk {
        tree,
        tracked,
        limits,
        end,
        stop,
        progress: Mutex::new(Progress {
            waiting: vec![(PathBuf::new(), None)],
            seen: 1,
            ..Progress::default()
        }),
        news: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..limits.threads.clamp(1, 64) {
            scope.spawn(|| walk.run());
        }
        walk.run();
    });
    let progress = walk.progress.into_inner();
    let Progress {
        mut found,
        has_odd_rules,
        ..
    } = progress.unwrap_or_else(PoisonError::into_inner);
    if has_odd_rules {
        // A directory with odd rules may get plain ones without any other directory noticing.
        found.directories.clear();
    }
    if found.rules.is_some() {
        found
    } else {
        nothing()
    }
}

/// A walk by several threads.
struct Walk<'a> {
    tree: RuledTree,
    tracked: &'a HashSet<Vec<u8>>,
    limits: &'a Limits,
    end: Instant,
    stop: &'a AtomicBool,
    progress: Mutex<Progress>,
    /// More waits, or nothing will any more.
    news: Condvar,
}

/// What the threads of a walk share.
#[derive(Default)]
struct Progress {
    /// Directories to be listed, with the rules above them.
    waiting: Vec<(PathBuf, Option<Rules>)>,
    /// Directories that are being listed.
    under_way: usize,
    /// Directories that were put into `waiting`, at most [`Limits::files`].
    seen: usize,
    has_odd_rules: bool,
    found: Walked,
}

/// One directory that is being listed.
struct Turn<'a>(&'a Walk<'a>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.progress().under_way -= 1;
        self.0.news.notify_all();
    }
}

impl Walk<'_> {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists directories until none is left.
    fn run(&self) {
        while let Some((directory, above)) = self.next() {
            // Whatever happens, the others do not wait for this one for ever.
            let _turn = Turn(self);
            self.list(&directory, above.as_ref());
        }
    }

    fn next(&self) -> Option<(PathBuf, Option<Rules>)> {
        let mut progress = self.progress();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if !progress.waiting.is_empty() && Instant::now() > self.end {
                progress.found.timed_out = true;
                progress.waiting.clear();
            }
            if let Some(next) = progress.waiting.pop() {
                progress.under_way += 1;
                return Some(next);
            }
            if progress.under_way == 0 {
                return None;
            }
            let woken = self.news.wait(progress);
            progress = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, directory: &Path, above: Option<&Rules>) {
        let bytes = directory.as_os_str().as_bytes();
        let (entries, rules) = match self.tree.list(directory, above) {
            Ok(listed) => listed,
            Err(Unlisted::Rules) => return self.progress().has_odd_rules = true,
            Err(Unlisted::System(_)) => {
                let mut progress = self.progress();
                progress.found.directories.push(bytes.to_vec());
                progress.found.unreadable += 1;
                return;
            }
        };
        let git = entries.directory();
        let git = git.is_ok_and(|at| statat(at, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok());
        let is_nested = git && !bytes.is_empty();
        let (mut files, mut below) = (Vec::new(), Vec::new());
        // What is beyond the limit is only counted.
        let most = self.limits.files;
        let (mut over, mut unreadable) = (0, 0);
        for (number, entry) in entries.take_while(|_| !is_nested).enumerate() {
            let Ok(entry) = entry else {
                unreadable = 1;
                break;
            };
            if number % BETWEEN == BETWEEN - 1 && self.is_over() {
                self.progress().found.timed_out = true;
                break;
            }
            let path = directory.join(&entry.name);
            let is_directory = entry.kind == FileType::Directory;
            let is_wanted = match entry.kind {
                FileType::Directory => self.may_enter(&path),
                FileType::RegularFile => !is_never(path.as_os_str().as_bytes()),
                _ => false,
            };
            if !is_wanted || rules.exclude(&path, is_directory) {
                continue;
            }
            if files.len() >= most || below.len() >= most {
                over += 1;
            } else if is_directory {
                below.push((path, Some(rules.clone())));
            } else {
                files.push(path.into_os_string().into_vec());
            }
        }
        let mut progress = self.progress();
        let Progress {
            waiting,
            seen,
            found,
            ..
        } = &mut *progress;
        if bytes.is_empty() {
            found.rules = Some(rules);
        }
        // Whether it is a repository of its own is told by its entries, too.
        found.directories.push(bytes.to_vec());
        if is_nested {
            found
                .nested
                .push(String::from_utf8_lossy(bytes).into_owned());
        }
        found.unreadable += unreadable;
        let room = most.saturating_sub(found.files.len());
        found.over += over + files.len().saturating_sub(room) as u64;
        files.truncate(room);
        found.files.append(&mut files);
        let room = most.saturating_sub(*seen);
        found.over += below.len().saturating_sub(room) as u64;
        below.truncate(room);
        *seen += below.len();
        if below.len() > 1 {
            self.news.notify_all();
        }
        waiting.append(&mut below);
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() > self.end
    }

    fn may_enter(&self, directory: &Path) -> bool {
        let name = directory.file_name().unwrap_or_default();
        if NEVER.iter().any(|never| OsStr::new(never) == name) {
            return false;
        }
        let bytes = directory.as_os_str().as_bytes();
        !is_by_tools(bytes) || self.tracked.contains(bytes)
    }
}
