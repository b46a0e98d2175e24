//! Walking a tree by its rules: which paths are there, not how they look.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ignore::WalkState;

use super::{Limits, NEVER, is_by_tools, is_never, may_enter, rules, rules_are_plain};

/// What a walk found.
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
}

pub(super) fn walk(
    root: &Path,
    tracked: &HashSet<Vec<u8>>,
    limits: &Limits,
    end: Instant,
    stop: &AtomicBool,
) -> Walked {
    if !rules_are_plain(root) || std::fs::read_dir(root).is_err() {
        // Nothing can be said of the tree.
        return Walked {
            files: Vec::new(),
            nested: Vec::new(),
            over: 0,
            timed_out: true,
            unreadable: 1,
            directories: Vec::new(),
        };
    }
    let (count, over, unreadable) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let timed_out = AtomicBool::new(false);
    let refused = Arc::new(AtomicBool::new(false));
    let collected: Mutex<Found> = Mutex::default();
    let mut rules = rules(root);
    let any_refused = Arc::clone(&refused);
    rules.filter_entry(move |entry| {
        let may = may_enter(entry);
        any_refused.fetch_or(!may, Ordering::Relaxed);
        may
    });
    rules
        .threads(limits.threads.max(1))
        .build_parallel()
        .run(|| {
            let mut mine = Collected {
                found: Found::default(),
                all: &collected,
            };
            let (count, over, unreadable, timed_out) = (&count, &over, &unreadable, &timed_out);
            Box::new(move |entry| {
                if stop.load(Ordering::Relaxed) || timed_out.load(Ordering::Relaxed) {
                    return WalkState::Quit;
                }
                let Ok(entry) = entry else {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                    return WalkState::Continue;
                };
                let Some(kind) = entry.file_type() else {
                    return WalkState::Continue;
                };
                let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
                let bytes = relative.as_os_str().as_bytes();
                if kind.is_dir() {
                    if Instant::now() > end {
                        timed_out.store(true, Ordering::Relaxed);
                        return WalkState::Quit;
                    }
                    return enter(entry.path(), bytes, tracked, &mut mine.found);
                }
                if !kind.is_file() || entry.depth() == 0 || is_never(bytes) {
                    return WalkState::Continue;
                }
                if count.fetch_add(1, Ordering::Relaxed) >= limits.files as u64 {
                    over.fetch_add(1, Ordering::Relaxed);
                    return WalkState::Continue;
                }
                mine.found.files.push(bytes.to_vec());
                WalkState::Continue
            })
        });
    let found = collected
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // A directory with odd rules may get plain ones without any other directory noticing.
    let all_known = !refused.load(Ordering::Relaxed);
    Walked {
        files: found.files,
        nested: found.nested,
        over: over.into_inner(),
        timed_out: timed_out.into_inner(),
        unreadable: unreadable.into_inner(),
        directories: if all_known {
            found.directories
        } else {
            Vec::new()
        },
    }
}

#[derive(Default)]
struct Found {
    files: Vec<Vec<u8>>,
    nested: Vec<String>,
    directories: Vec<Vec<u8>>,
}

/// What one walking thread found; joins the others' when the thread ends.
struct Collected<'a> {
    found: Found,
    all: &'a Mutex<Found>,
}

impl Drop for Collected<'_> {
    fn drop(&mut self) {
        let mut all = self
            .all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        all.files.append(&mut self.found.files);
        all.nested.append(&mut self.found.nested);
        all.directories.append(&mut self.found.directories);
    }
}

/// Whether the walk enters a directory.
fn enter(path: &Path, relative: &[u8], tracked: &HashSet<Vec<u8>>, found: &mut Found) -> WalkState {
    if relative.is_empty() {
        found.directories.push(Vec::new());
        return WalkState::Continue;
    }
    let name = path.file_name().unwrap_or_default();
    if NEVER.iter().any(|never| OsStr::new(never) == name) {
        return WalkState::Skip;
    }
    if is_by_tools(relative) && !tracked.contains(relative) {
        return WalkState::Skip;
    }
    // Whether it is a repository of its own is told by its entries, too.
    found.directories.push(relative.to_vec());
    if std::fs::symlink_metadata(path.join(".git")).is_ok() {
        found
            .nested
            .push(String::from_utf8_lossy(relative).into_owned());
        return WalkState::Skip;
    }
    WalkState::Continue
}
