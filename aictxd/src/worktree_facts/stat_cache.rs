//! Cache of files' metadata, valid while the watcher reports no change.
//!
//! Memory speaks of more files the longer it gets, and to ask the system for each of them every time costs
//! more than all else that a resume does.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::AtFlags;

use super::stamp::{Stamp, stamps};
use crate::watch::change_log::{Listener, Mark};

/// Files of a worktree that are remembered, and directories.
const MAX_FILES: usize = 8_192;
/// Age above which files are read again: not all changes are reported.
const OLDEST: Duration = Duration::from_secs(600);

/// Looks by worktree.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<HashMap<PathBuf, Arc<Mutex<Known>>>>);

/// A state of a worktree's files. Two of them are equal only where nothing was heard of in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    listener: u64,
    round: u64,
}

/// Directories of a worktree to be asked about.
#[derive(Debug)]
pub(super) struct Strange {
    pub(super) directories: Vec<String>,
    round: u64,
}

#[derive(Debug, Default)]
struct Known {
    listener: Option<Arc<Listener>>,
    /// Since when he is asked.
    since: Option<Instant>,
    /// Everything that was done before then is taken in.
    heard_until: Option<Instant>,
    /// The last mark that was made ahead, not before the time beside it.
    ahead: Option<(Instant, Mark)>,
    /// Times that something was heard of.
    round: u64,
    files: BTreeMap<String, Option<Stamp>>,
    /// Directories (relative) of which everything is heard.
    watched: BTreeSet<String>,
    /// Directories that somebody asked for files of, and that are to be asked about.
    strange: BTreeSet<String>,
    /// Those of which it is known that nothing is heard.
    silent: BTreeSet<String>,
    /// Somebody finds that out.
    asking: bool,
}

impl Known {
    fn forget(&mut self) {
        self.listener = None;
        self.heard_until = None;
        self.ahead = None;
        self.files.clear();
        self.strange.append(&mut self.watched);
        self.strange.append(&mut self.silent);
        self.round += 1;
    }

    /// Forgets what may look otherwise by now; the state that is left, if any is.
    fn take_in(&mut self) -> Option<Version> {
        let listener = self.listener.as_ref()?;
        let number = listener.number();
        if self.since.is_none_or(|since| since.elapsed() > OLDEST) {
            self.forget();
            return None;
        }
        let Some(told) = listener.take() else {
            self.forget();
            return None;
        };
        self.round += u64::from(!told.is_empty());
        for path in told {
            // Paths of memory are text.
            let Ok(path) = String::from_utf8(path) else {
                continue;
            };
            if self.leads_on(&path) {
                // Another directory may be there now, of which nothing is heard.
                self.forget();
                return None;
            }
            self.files.remove(&path);
        }
        Some(Version {
            listener: number,
            round: self.round,
        })
    }

    /// Returns true if something is known of what lies below a path.
    fn leads_on(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let after = || (Bound::Included(below.as_str()), Bound::Unbounded);
        let file = self.files.range::<str, _>(after()).next();
        let directory = self.watched.range::<str, _>(after()).next();
        self.watched.contains(path)
            || file.is_some_and(|(file, _)| file.starts_with(&below))
            || directory.is_some_and(|directory| directory.starts_with(&below))
    }

    /// Returns true if everything is heard of a file that was just looked at.
    fn hears_of(&mut self, worktree: &Path, path: &str, is_there: bool) -> bool {
        // Events have one name for a file, and of git's own and those of memory nothing is kept.
        let mut parts = path.split('/');
        let apart = path.starts_with(".git/") || path.starts_with(".aictx/");
        if apart || parts.any(|part| matches!(part, "" | "." | "..")) {
            return false;
        }
        let mut directory = parent_of(path);
        loop {
            if self.watched.contains(directory) {
                return true;
            }
            // What is not there has to be made first, in the nearest directory that is.
            let missing = !is_there && worktree.join(directory).symlink_metadata().is_err();
            if !missing || directory.is_empty() {
                if !self.silent.contains(directory) && self.strange.len() < MAX_FILES {
                    self.strange.insert(directory.to_owned());
                }
                return false;
            }
            directory = parent_of(directory);
        }
    }
}

impl Looks {
    /// Returns the metadata of files (relative paths) in their order, and the state in which they have it, where all of
    /// them are heard of. What was done before `asked_at` is seen.
    pub(super) fn look<'p>(
        &self,
        worktree: &Path,
        paths: impl Iterator<Item = &'p String> + Clone,
        asked_at: Instant,
    ) -> (Vec<Option<Stamp>>, Option<Version>) {
        let known = self.of(worktree);
        let version = version_of(&known, asked_at);
        let (mut looks, mut missing): (Vec<_>, Vec<_>) = {
            let known = lock(&known);
            let files = version.map(|_| &known.files);
            let look = |path| match files.and_then(|files| files.get(path)) {
                Some(look) => (*look, None),
                None => (None, Some(path)),
            };
            paths.map(look).unzip()
        };
        let asked: Vec<&String> = missing.iter().copied().flatten().collect();
        if asked.is_empty() {
            return (looks, version);
        }
        let mut found = stamps(worktree, asked, AtFlags::SYMLINK_NOFOLLOW).into_iter();
        let mut known = lock(&known);
        // What was heard of since may have been looked at before it changed.
        let now = known.take_in();
        let same = now.is_some() && now == version;
        let mut all_heard = same;
        for (look, path) in looks.iter_mut().zip(missing.drain(..)) {
            let Some(path) = path else {
                continue;
            };
            *look = found.next().flatten();
            if !known.hears_of(worktree, path, look.is_some()) {
                all_heard = false;
            } else if same {
                if known.files.len() >= MAX_FILES {
                    known.files.clear();
                }
                known.files.insert(path.clone(), *look);
            }
        }
        (looks, version.filter(|_| all_heard))
    }

    /// Has the watcher hear of everything until now, the time that is given: who asks for files as of then, and
    /// does something else before, hardly waits for it.
    pub(super) fn ask_ahead(&self, worktree: &Path) -> Instant {
        let now = Instant::now();
        let known = self.of(worktree);
        let listener = lock(&known).listener.clone();
        if let Some(mark) = listener.and_then(|listener| listener.mark()) {
            lock(&known).ahead = Some((now, mark));
        }
        now
    }

    /// The state of a worktree's files now, or not before `asked_at`, where that is known.
    pub(super) fn version(&self, worktree: &Path, asked_at: Instant) -> Option<Version> {
        let known = lock(&self.0).get(worktree).map(Arc::clone)?;
        version_of(&known, asked_at)
    }

    /// Directories that have to be asked about, where there are any; then [`Self::learnt`] must follow.
    pub(super) fn strange(&self, worktree: &Path) -> Option<Strange> {
        let known = self.of(worktree);
        let mut known = lock(&known);
        if known.asking || known.strange.is_empty() {
            return None;
        }
        known.asking = true;
        Some(Strange {
            directories: known.strange.iter().cloned().collect(),
            round: known.round,
        })
    }

    /// Returns the subscription to a worktree.
    pub(super) fn listener(&self, worktree: &Path) -> Option<Arc<Listener>> {
        lock(&self.of(worktree)).listener.clone()
    }

    /// Which of the `strange` directories `listener` hears of, since he was asked to; none where nobody
    /// hears of any.
    pub(super) fn learnt(
        &self,
        worktree: &Path,
        strange: Strange,
        heard_by: Option<(Arc<Listener>, BTreeSet<String>)>,
    ) {
        let known = self.of(worktree);
        let mut known = lock(&known);
        known.asking = false;
        let Some((listener, unwatched)) = heard_by else {
            return;
        };
        let same = known.listener.as_ref();
        if !same.is_some_and(|known| Arc::ptr_eq(known, &listener)) {
            known.forget();
            known.listener = Some(listener);
            known.since = Some(Instant::now());
        } else if known.round != strange.round {
            // One of them may be another by now, and what told of that is taken in.
            return;
        }
        if known.watched.len() + known.silent.len() > MAX_FILES {
            known.forget();
            return;
        }
        // What was looked at before they were watched does not count.
        known.round += 1;
        for directory in strange.directories {
            known.strange.remove(&directory);
            if unwatched.contains(&directory) {
                known.silent.insert(directory);
            } else {
                known.watched.insert(directory);
            }
        }
    }

    fn of(&self, worktree: &Path) -> Arc<Mutex<Known>> {
        let mut all = lock(&self.0);
        if all.len() >= super::MAX_WORKTREES && !all.contains_key(worktree) {
            all.clear();
        }
        Arc::clone(all.entry(worktree.to_owned()).or_default())
    }
}

/// Everything that was done before `asked_at` is taken in.
fn version_of(known: &Mutex<Known>, asked_at: Instant) -> Option<Version> {
    let (listener, ahead) = {
        let mut known = lock(known);
        if known.heard_until.is_some_and(|until| until >= asked_at) {
            return known.take_in();
        }
        let ahead = known.ahead.filter(|(at, _)| *at >= asked_at);
        (known.listener.clone()?, ahead)
    };
    // The watcher is waited for without anything in hand.
    let (until, caught_up) = match ahead {
        Some((at, mark)) => (at, listener.has_heard(mark)),
        None => (Instant::now(), listener.caught_up()),
    };
    let mut known = lock(known);
    if !caught_up {
        known.forget();
        return None;
    }
    known.heard_until = known.heard_until.max(Some(until));
    known.take_in()
}

/// The directory of a path; the root has no name.
fn parent_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
