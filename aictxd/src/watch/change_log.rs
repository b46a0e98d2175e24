//! Log of watcher events by worktree, for subscribers.
//!
//! The kernel puts an event into the watcher's queue before the call that caused it returns, and the queue
//! keeps its order. So whoever makes a mark of his own in a watched directory and has heard of that has
//! heard of everything that was done before: no directory need be looked at to know that nothing changed.
//!
//! Not told of: what is written through a mapping, by a program that does not close the file, by truncate(2)
//! and through a name that the file has in another directory. So whoever relies on this looks from time to time.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::Event;
use notify::event::{AccessKind, AccessMode, EventKind};

use crate::app::unix_nanos;

/// Changed paths kept of one worktree; where there are more, it is looked at as a whole.
const MAX_PATHS: usize = 256;
/// A mark that is not heard of within this time is not waited for: looking at everything takes as long.
const PATIENCE: Duration = Duration::from_millis(20);
/// So many in a row, and the marks are counted anew: one of them was lost.
const MAX_LATE: u32 = 3;
/// Directories of a worktree of which nothing is kept: git's own files and the memory.
const NOT_ASKED_ABOUT: [&[u8]; 2] = [b".git", b".aictx"];
/// Files by which it is decided what is watched.
const WATCH_RULES: [&[u8]; 2] = [b".ignore", b".aictxignore"];

/// The event log. One per process; without a watcher it stays empty.
#[derive(Debug)]
pub struct Heard {
    place: PathBuf,
    /// Name of this process's marker files: another process may make some there, too.
    name: String,
    patience: Duration,
    state: Mutex<State>,
    news: Condvar,
    /// Held while a mark is made, so that marks are made in the order of their numbers.
    turn: Mutex<()>,
}

/// Made in the directory that is watched for it: what was done before is heard of before.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    round: u64,
    number: u64,
}

#[derive(Debug, Default)]
struct State {
    ready: bool,
    /// Marks of another round mean nothing: the kernel dropped events since.
    round: u64,
    made: u64,
    seen: u64,
    late: u32,
    listened: u64,
    worktrees: HashMap<PathBuf, Vec<Listening>>,
}

#[derive(Debug, Default)]
struct Listening {
    number: u64,
    paths: BTreeSet<Vec<u8>>,
    /// Something may have been missed, or there was too much.
    lost: bool,
}

impl State {
    fn next_round(&mut self) {
        self.round += 1;
        (self.made, self.seen, self.late) = (0, 0, 0);
        for listening in self.worktrees.values_mut().flatten() {
            listening.lose();
        }
    }

    fn listening(&mut self, worktree: &Path, number: u64) -> Option<&mut Listening> {
        let mut all = self.worktrees.get_mut(worktree)?.iter_mut();
        all.find(|listening| listening.number == number && !listening.lost)
    }
}

impl Listening {
    fn lose(&mut self) {
        self.lost = true;
        self.paths.clear();
    }

    fn add(&mut self, inside: &[u8]) {
        let name = inside.rsplit(|b| *b == b'/').next().unwrap_or_default();
        if inside.is_empty() || WATCH_RULES.contains(&name) || self.paths.len() >= MAX_PATHS {
            self.lose();
        } else if !self.lost && !self.paths.contains(inside) {
            self.paths.insert(inside.to_vec());
        }
    }
}

impl Heard {
    /// Marks are made in the private directory `place`.
    pub fn new(place: PathBuf) -> Self {
        Self {
            place,
            name: format!("{}-{:x}", std::process::id(), unix_nanos()),
            patience: PATIENCE,
            state: Mutex::default(),
            news: Condvar::new(),
            turn: Mutex::default(),
        }
    }

    /// The directory that has to be watched for marks, empty.
    ///
    /// # Errors
    /// When it cannot be made.
    #[expect(
        clippy::disallowed_methods,
        reason = "a directory of the state directory"
    )]
    pub(crate) fn prepare(&self) -> std::io::Result<&Path> {
        aictx_files::private::directory(&self.place)?;
        for entry in fs::read_dir(&self.place)?.flatten() {
            let _ = fs::remove_file(entry.path());
        }
        Ok(&self.place)
    }

    /// The directory of marks is watched from now on.
    pub(crate) fn ready(&self) {
        self.state().ready = true;
    }

    /// Takes note of an event, in the order of events; whether it tells of nothing but a mark.
    pub(crate) fn take(&self, event: &Event) -> bool {
        let mut paths = event.paths.iter();
        let is_mark =
            !event.paths.is_empty() && paths.all(|p| p.parent() == Some(self.place.as_path()));
        if is_mark {
            self.note_mark(event);
        } else {
            self.note(event);
        }
        is_mark
    }

    fn note_mark(&self, event: &Event) {
        if event.kind != EventKind::Access(AccessKind::Close(AccessMode::Write)) {
            return;
        }
        let mut state = self.state();
        let round = format!("{}-{}-", self.name, state.round);
        let of_round = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_bytes();
            name.starts_with(round.as_bytes())
        };
        if event.paths.iter().any(of_round) {
            state.seen += 1;
            self.news.notify_all();
        }
    }

    fn note(&self, event: &Event) {
        let mut state = self.state();
        if event.need_rescan() {
            state.next_round();
            self.news.notify_all();
            return;
        }
        if state.worktrees.is_empty() {
            return;
        }
        for path in &event.paths {
            for root in path.ancestors() {
                let Some(listening) = state.worktrees.get_mut(root) else {
                    continue;
                };
                let inside = path.strip_prefix(root).unwrap_or(path);
                let inside = inside.as_os_str().as_bytes();
                let first = inside.split(|b| *b == b'/').next().unwrap_or_default();
                if !NOT_ASKED_ABOUT.contains(&first) {
                    listening.iter_mut().for_each(|l| l.add(inside));
                }
            }
        }
    }

    /// Something may have been missed everywhere.
    pub(super) fn lose_all(&self) {
        self.state().next_round();
        self.news.notify_all();
    }

    /// Something may have been missed in a worktree, or is going to be.
    pub(super) fn lose(&self, worktree: &Path) {
        if let Some(listening) = self.state().worktrees.get_mut(worktree) {
            listening.iter_mut().for_each(Listening::lose);
        }
    }

    /// Begins to listen to a worktree.
    pub fn listen(self: &Arc<Self>, worktree: &Path) -> Listener {
        let mut state = self.state();
        state.listened += 1;
        let number = state.listened;
        let listening = Listening {
            number,
            ..Listening::default()
        };
        let all = state.worktrees.entry(worktree.to_owned()).or_default();
        all.push(listening);
        drop(state);
        Listener {
            heard: Arc::clone(self),
            worktree: worktree.to_owned(),
            identity: identity(worktree),
            number,
        }
    }

    /// Waits until everything that was done before a mark was made has been heard of; whether it has.
    fn has_heard(&self, mark: Mark) -> bool {
        let Mark { round, number } = mark;
        let waiting = |state: &mut State| state.round == round && state.seen < number;
        let waited = self
            .news
            .wait_timeout_while(self.state(), self.patience, waiting);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let heard = state.round == round && state.seen >= number;
        if heard {
            state.late = 0;
        } else if state.round == round {
            state.late += 1;
            if state.late >= MAX_LATE {
                state.next_round();
                self.news.notify_all();
            }
        }
        heard
    }

    /// Makes a mark. Opening a file for writing tells of it and changes nothing.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    fn mark(&self) -> Option<Mark> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (round, number) = {
            let mut state = self.state();
            if !state.ready {
                return None;
            }
            state.made += 1;
            (state.round, state.made)
        };
        // In turns: the kernel makes one of two equal events that follow each other.
        let file = self
            .place
            .join(format!("{}-{round}-{}", self.name, number % 2));
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(file);
        if opened.is_err() {
            // Its number will never be seen.
            self.lose_all();
            return None;
        }
        Some(Mark { round, number })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who listens to a worktree, until he is dropped.
#[derive(Debug)]
pub struct Listener {
    heard: Arc<Heard>,
    worktree: PathBuf,
    /// Which directory that was.
    identity: Option<Identity>,
    number: u64,
}

/// Identity of a directory: device and inode.
pub(super) type Identity = (u64, u64);

/// The directory of a name, if there is one.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "the types differ between systems"
)]
pub(super) fn identity(directory: &Path) -> Option<Identity> {
    let stat = rustix::fs::stat(directory).ok()?;
    Some((stat.st_dev as u64, stat.st_ino as u64))
}

impl Listener {
    /// Another one than every other in this process.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Waits until everything that was done before now has been heard of, some ten microseconds as a rule;
    /// whether it has.
    pub fn caught_up(&self) -> bool {
        self.mark().is_some_and(|mark| self.has_heard(mark))
    }

    /// Makes a mark, which is heard of while its maker does something else; none where nothing is heard.
    pub fn mark(&self) -> Option<Mark> {
        self.listens().then(|| self.heard.mark()).flatten()
    }

    /// As [`Self::caught_up`], of what was done before a mark was made.
    pub fn has_heard(&self, mark: Mark) -> bool {
        // Asked behind the mark: until then it was this directory, or it is seen that it is another.
        let same = || self.identity.is_some() && identity(&self.worktree) == self.identity;
        self.listens() && same() && self.heard.has_heard(mark)
    }

    fn listens(&self) -> bool {
        let mut state = self.heard.state();
        state.listening(&self.worktree, self.number).is_some()
    }

    /// Paths that may have changed since he began to listen, as far as was heard. Nothing where something
    /// may have been missed.
    pub fn told(&self) -> Option<BTreeSet<Vec<u8>>> {
        let mut state = self.heard.state();
        let listening = state.listening(&self.worktree, self.number)?;
        Some(listening.paths.clone())
    }

    /// As [`Self::told`], and from now on those are not told of unless they change again.
    pub fn take(&self) -> Option<BTreeSet<Vec<u8>>> {
        let mut state = self.heard.state();
        let listening = state.listening(&self.worktree, self.number)?;
        Some(std::mem::take(&mut listening.paths))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut state = self.heard.state();
        if let Some(all) = state.worktrees.get_mut(&self.worktree) {
            all.retain(|listening| listening.number != self.number);
            if all.is_empty() {
                state.worktrees.remove(&self.worktree);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod ears;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
