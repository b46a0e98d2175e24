//! The watching thread: takes events, settles them into batches and hands these on.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

use aictx_files::{mounts, private};
use aictx_proto::methods::WatchStats;
use notify::Event;
use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};

use super::backend::{System, WatchError, is_memory};
use super::change_log::{self, Heard, Identity};
use super::dir_set::Tree;
use super::{Message, Question};
use crate::hosts::Host;
use crate::index_service::Maps;
use crate::storage_location::MEMORY;

/// Silence that ends a burst.
const QUIET: Duration = Duration::from_millis(30);
/// Interval at which events of a burst are taken.
pub(super) const NAP: Duration = Duration::from_millis(10);
/// Longest burst; then what is there is delivered and the rest is the next batch.
const LONGEST_BURST: Duration = Duration::from_millis(500);
/// While git holds its index lock (a checkout), bursts may last this long.
const LONGEST_GIT_BURST: Duration = Duration::from_secs(5);
/// Most times that new directories are listed again for what was made in them meanwhile.
const MAX_LOOKS: usize = 16;
/// Directories that changed longer ago than this were listed as they are.
const SETTLED: Duration = Duration::from_secs(10);
/// Distinct paths kept of one burst; beyond it the batch is a rescan.
const MAX_BATCH: usize = 20_000;

/// Watches of the user's own directories.
pub(super) struct Own {
    /// Spools of the state directory and beside the socket; repositories have theirs in their memory.
    pub(super) spools: [PathBuf; 2],
    pub(super) socket: PathBuf,
    pub(super) lock: PathBuf,
    /// Told when socket, lock or their directory are removed or replaced.
    pub(super) place_changed: Arc<tokio::sync::Notify>,
}

/// The thread's state.
pub(super) struct Watching {
    system: Option<System>,
    repositories: HashMap<PathBuf, Watched>,
    spool: Arc<tokio::sync::Notify>,
    own: Own,
    maps: Arc<Maps>,
    heard: Arc<Heard>,
    /// Asked during a burst.
    questions: Vec<Question>,
    /// Number of the newest event that was taken.
    newest: u64,
}

struct Watched {
    host: Arc<Host>,
    tree: Tree,
    native: bool,
    /// Changed paths, and whether directories may have come or gone under that name.
    dirty: HashMap<PathBuf, bool>,
    rescan: bool,
    overflowed: bool,
    /// Watched directories that were removed; whatever bears their names now is not watched.
    lost: Vec<PathBuf>,
    /// Which directory the root was when it was walked.
    identity: Option<Identity>,
}

impl Watching {
    pub(super) fn new(
        messages: Sender<Message>,
        spool: Arc<tokio::sync::Notify>,
        own: Own,
        maps: Arc<Maps>,
        heard: Arc<Heard>,
    ) -> Self {
        let mut watching = Self {
            system: System::open(messages, Arc::clone(&maps), Arc::clone(&heard)),
            repositories: HashMap::new(),
            spool,
            own,
            maps,
            heard,
            questions: Vec::new(),
            newest: 0,
        };
        watching.watch_own();
        watching.watch_marks();
        watching
    }

    fn watch_own(&mut self) {
        if let (Some(directory), Some(system)) = (self.own.socket.parent(), self.system.as_mut()) {
            system.watch(directory);
        }
        for spool in &self.own.spools {
            let made = private::directory(spool).is_ok();
            if let (true, Some(system)) = (made, self.system.as_mut()) {
                system.watch(spool);
            }
        }
    }

    fn watch_marks(&mut self) {
        let heard = Arc::clone(&self.heard);
        let (Ok(place), Some(system)) = (heard.prepare(), self.system.as_mut()) else {
            return;
        };
        if system.watch(place) {
            heard.ready();
        }
    }

    pub(super) fn run(mut self, inbox: &Receiver<Message>) {
        mounts::guard_this_thread();
        // Asleep until something happens: no timeout here.
        while let Ok(first) = inbox.recv() {
            if self.take(first) && !self.take_burst(inbox) {
                return;
            }
            self.deliver();
            self.answer();
        }
    }

    /// Takes what comes until nothing does for a while; whether more can come at all. What came
    /// meanwhile is taken at one go: to be woken by each event costs those who make them more than
    /// the events do.
    fn take_burst(&mut self, inbox: &Receiver<Message>) -> bool {
        let started = Instant::now();
        let mut silent = Duration::ZERO;
        while silent < QUIET {
            let lasts = started.elapsed();
            if lasts >= LONGEST_BURST && (lasts >= LONGEST_GIT_BURST || !self.git_is_busy()) {
                break;
            }
            std::thread::sleep(NAP);
            silent += NAP;
            loop {
                match inbox.try_recv() {
                    Ok(message) => {
                        if self.take(message) {
                            silent = Duration::ZERO;
                        }
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return false,
                }
            }
        }
        true
    }

    /// Takes one message; whether it belongs to a burst of events.
    fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Watch(host) => {
                self.add(host);
                false
            }
            Message::KeepOnly(roots) => {
                let gone: Vec<PathBuf> = self
                    .repositories
                    .keys()
                    .filter(|root| !roots.contains(root))
                    .cloned()
                    .collect();
                gone.iter().for_each(|root| self.forget(root));
                false
            }
            Message::LookAround => {
                self.look_at_unwatched();
                false
            }
            Message::Unwatched(question) => {
                self.questions.push(question);
                false
            }
            Message::Event(Ok(event), number) => {
                self.newest = number.max(self.newest);
                self.note(&event);
                true
            }
            Message::Event(Err(error), number) => {
                self.newest = number.max(self.newest);
                tracing::warn!(%error, "the watcher failed; everything is looked at again");
                self.overflow();
                true
            }
        }
    }

    fn note(&mut self, event: &Event) {
        if event.need_rescan() {
            self.overflow();
            return;
        }
        for path in &event.paths {
            if self.is_spooled(path) {
                self.spool.notify_one();
            }
            if self.is_of_place(path) {
                self.own.place_changed.notify_one();
            }
            if self.own.spools.iter().any(|spool| path.starts_with(spool)) {
                continue;
            }
            let Some(watched) = self.owner(path) else {
                continue;
            };
            if !watched.tree.concerns(path) {
                continue;
            }
            let shape_changed = matches!(
                event.kind,
                EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(RemoveKind::Folder)
            ) && watched.tree.contains(path)
                || watched.tree.is_rules(path);
            watched.rescan |= shape_changed;
            if shape_changed && watched.tree.contains(path) && watched.lost.len() < MAX_BATCH {
                watched.lost.push(path.clone());
            }
            if watched.dirty.len() >= MAX_BATCH {
                watched.rescan = true;
            } else {
                let shape = watched.dirty.entry(path.clone()).or_default();
                *shape |= may_change_shape(event.kind);
            }
        }
    }

    /// Returns true if a path is that of an event in a spool.
    fn is_spooled(&self, path: &Path) -> bool {
        let is_spool = |directory: &Path| {
            self.own.spools.iter().any(|own| own == directory)
                || directory.ends_with(Path::new(MEMORY).join("spool"))
        };
        path.extension().is_some_and(|end| end == "event") && path.parent().is_some_and(is_spool)
    }

    /// Returns true if a path is that of the socket, of its lock, or of their directory.
    fn is_of_place(&self, path: &Path) -> bool {
        path == self.own.socket || path == self.own.lock || Some(path) == self.own.socket.parent()
    }

    fn overflow(&mut self) {
        for watched in self.repositories.values_mut() {
            watched.rescan = true;
            watched.overflowed = true;
        }
    }

    /// The repository a path belongs to: the deepest root above it.
    fn owner(&mut self, path: &Path) -> Option<&mut Watched> {
        let inside = |dir: &&Path| self.repositories.contains_key(*dir);
        let outside = || {
            let mut all = self.repositories.iter();
            let found = all.find(|(_, watched)| path.starts_with(&watched.host.home));
            found.map(|(root, _)| root.as_path())
        };
        let root = path.ancestors().find(inside).or_else(outside)?.to_owned();
        self.repositories.get_mut(&root)
    }

    fn git_is_busy(&self) -> bool {
        self.repositories
            .iter()
            .filter(|(root, w)| !w.dirty.is_empty() && mounts::check(root).is_ok())
            .any(|(root, _)| root.join(".git/index.lock").exists())
    }

    fn add(&mut self, host: Arc<Host>) {
        let root = host.root.clone();
        if let Err(reason) = mounts::check(&root) {
            self.forget(&root);
            host.watch.change(|stats| stats.reason = reason.to_string());
            return;
        }
        if let Some(known) = self.repositories.get_mut(&root) {
            // Opened anew (closed in between): the new host is told from now on.
            let moved = known.host.home != host.home;
            let replaced = known.identity != change_log::identity(&root);
            known.host = Arc::clone(&host);
            if !moved && !replaced {
                return;
            }
            self.forget(&root);
        }
        let identity = change_log::identity(&root);
        let mut tree = Tree::walk(&root, &host.home);
        let first = tree.directories().cloned().collect();
        let refusal = self.follow(&mut tree, first, Vec::new());
        let mut watched = Watched {
            host,
            tree,
            native: false,
            dirty: HashMap::new(),
            rescan: false,
            overflowed: false,
            lost: Vec::new(),
            identity,
        };
        watched.settle_mode(refusal);
        // Only now: what changes while the index is compared with the tree is reported.
        self.maps.set_watched(&root, watched.native);
        self.repositories.insert(root, watched);
    }

    /// Stops watching a repository: it is gone, or not registered any more. When it comes back, it
    /// is watched like a new one.
    fn forget(&mut self, root: &Path) {
        let Some(watched) = self.repositories.remove(root) else {
            return;
        };
        self.heard.lose(root);
        if watched.native {
            let _ = self.register(Vec::new(), watched.tree.directories().cloned().collect());
            self.keep_shared(root, &watched.tree);
        }
        self.maps.close(root);
        watched
            .host
            .watch
            .change(|stats| *stats = WatchStats::default());
    }

    /// Directories of a tree that is not followed any more may belong to others around it, too.
    fn keep_shared(&mut self, root: &Path, tree: &Tree) {
        let around = self.repositories.iter();
        let around = around.filter(|(other, w)| w.native && root.starts_with(other));
        let mut shared = Vec::new();
        for (other, watched) in around {
            self.heard.lose(other);
            let theirs = tree.directories().filter(|dir| watched.tree.contains(dir));
            shared.extend(theirs.cloned());
        }
        // Counted for them already.
        let _ = self.register(shared.clone(), shared);
    }

    /// Registers and unregisters directories of a tree, and whatever came into being below the new
    /// ones before they were watched: of that the kernel says nothing. Why it cannot be done, when it
    /// cannot.
    fn follow(
        &mut self,
        tree: &mut Tree,
        mut new: Vec<PathBuf>,
        mut gone: Vec<PathBuf>,
    ) -> Option<String> {
        for _ in 0..MAX_LOOKS {
            let looked_at = new.clone();
            match self.register(new, gone) {
                Err(refusal) => return Some(refusal.to_string()),
                // Made again later, they are new.
                Ok(failed) => failed.iter().for_each(|path| tree.remove(path)),
            }
            let late = tree.children(&looked_at, SETTLED);
            if late.is_empty() {
                return None;
            }
            let change = tree.absorb(late.iter());
            if change.new.is_empty() && change.gone.is_empty() {
                return None;
            }
            (new, gone) = (change.new, change.gone);
        }
        // Somebody makes directories faster than they are listed; the next events tell of them.
        None
    }

    /// As [`System::register`].
    fn register(
        &mut self,
        new: Vec<PathBuf>,
        gone: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, WatchError> {
        let system = self.system.as_mut().ok_or(WatchError::NoWatcher)?;
        system.register(new, gone)
    }

    /// Ends a burst: directories are registered, counters kept, readers told.
    fn deliver(&mut self) {
        let roots: Vec<PathBuf> = self
            .repositories
            .iter()
            .filter(|(_, w)| !w.dirty.is_empty() || w.rescan)
            .map(|(root, _)| root.clone())
            .collect();
        for root in roots {
            let Some(mut watched) = self.repositories.remove(&root) else {
                continue;
            };
            self.deliver_one(&mut watched);
            self.repositories.insert(root.clone(), watched);
            if is_gone(&root) {
                self.forget(&root);
            }
        }
        self.maps.delivered(self.newest);
    }

    /// Answers what was asked; whatever came before is delivered.
    fn answer(&mut self) {
        for question in std::mem::take(&mut self.questions) {
            let watched = self.repositories.get(&question.root);
            // Of a worktree that lies within a memory events come late.
            let told = |w: &&Watched| {
                w.native
                    && !is_memory(&question.root)
                    && w.identity.is_some()
                    && w.identity == change_log::identity(&question.root)
            };
            let unwatched = watched.filter(told).map(|w| {
                let mut directories = question.directories;
                directories.retain(|path| !w.tree.contains(path));
                directories
            });
            let _ = question.reply.send(unwatched);
        }
    }

    fn deliver_one(&mut self, watched: &mut Watched) {
        let dirty = std::mem::take(&mut watched.dirty);
        let rescanned = std::mem::take(&mut watched.rescan);
        let overflowed = std::mem::take(&mut watched.overflowed);
        let change = if rescanned {
            watched.tree.rescan()
        } else {
            let shape = dirty.iter().filter(|(_, shape)| **shape);
            watched.tree.absorb(shape.map(|(path, _)| path))
        };
        let mut new = change.new;
        let mut gone = change.gone;
        // Made again before we looked: other directories of the same names, those below included.
        let lost = std::mem::take(&mut watched.lost);
        let again = lost.iter().flat_map(|path| watched.tree.below(path));
        let mut again: BTreeSet<PathBuf> = again.cloned().collect();
        for path in &new {
            again.remove(path);
        }
        gone.extend(again.iter().cloned());
        new.extend(again);
        // Some are still there and only left out from now on: nothing is heard of them any more.
        if !gone.is_empty() {
            self.heard.lose(&watched.host.root);
        }
        if watched.native && !(new.is_empty() && gone.is_empty()) {
            let refusal = self.follow(&mut watched.tree, new, gone);
            watched.settle_mode(refusal);
            if !watched.native {
                self.heard.lose(&watched.host.root);
                self.maps.set_watched(&watched.host.root, false);
            }
        }
        let paths = dirty.keys().map(PathBuf::as_path);
        self.maps.changed(&watched.host.root, paths, rescanned);
        // Artifact files changed from outside are read again now rather than by the next hook.
        aictx_continuity::warm(&watched.host.snapshot());
        watched.host.watch.change(|stats| {
            stats.batches += 1;
            stats.changed_paths += dirty.len() as u64;
            stats.rescans += u64::from(rescanned);
            stats.overflows += u64::from(overflowed);
            stats.directories = watched.tree.len() as u64;
        });
    }

    /// Repositories without native watching: compare what is there with what was there.
    fn look_at_unwatched(&mut self) {
        for watched in self.repositories.values_mut().filter(|w| !w.native) {
            let before = watched.tree.fingerprint();
            watched.tree.rescan();
            let changed = watched.tree.fingerprint() != before;
            watched.host.watch.change(|stats| {
                stats.rescans += 1;
                stats.batches += u64::from(changed);
                stats.directories = watched.tree.len() as u64;
            });
            if changed {
                self.maps
                    .changed(&watched.host.root, std::iter::empty(), true);
                aictx_continuity::warm(&watched.host.snapshot());
            }
        }
        let gone: Vec<PathBuf> = self
            .repositories
            .keys()
            .filter(|root| is_gone(root))
            .cloned()
            .collect();
        gone.iter().for_each(|root| self.forget(root));
    }
}

impl Watched {
    fn settle_mode(&mut self, refusal: Option<String>) {
        self.native = refusal.is_none();
        if let Some(reason) = &refusal {
            tracing::warn!(repo = %self.host.root.display(), reason, "looked at once a minute instead of watched");
        }
        let directories = self.tree.len() as u64;
        self.host.watch.change(|stats| {
            stats.mode = if refusal.is_none() {
                "native"
            } else {
                "polling"
            }
            .to_owned();
            stats.reason = refusal.unwrap_or_default();
            stats.directories = directories;
        });
    }
}

/// Returns true if a repository cannot be watched any more: it is not there, or something that can hang was
/// mounted over it.
fn is_gone(root: &Path) -> bool {
    mounts::check(root).is_err() || !root.is_dir()
}

/// Returns true if an event may tell of a directory that is there or gone: most tell of files that were written.
fn may_change_shape(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Access(_)
            | EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Modify(ModifyKind::Metadata(_) | ModifyKind::Data(_))
    )
}
