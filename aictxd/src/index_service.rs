//! Keeping indexes of worktrees warm.
//!
//! One thread does all indexing, one worktree after the other, at low priority; requests read what is
//! published and, when they want to, wait for the thread. A watched worktree is told what changed;
//! any other is compared with its index when somebody asks and the last look is too old.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aictx_artifacts::root::{self, Repository, find_repository};
use aictx_files::mounts;
use aictx_proto::methods::MapHit;
use aictx_proto::rpc::{INVALID_PARAMS, NO_REPOSITORY, RpcError};
use aictx_repomap::discover::check_root;
use aictx_repomap::history::Commit;
use aictx_repomap::index_view::View;
use aictx_repomap::indexer::{Cache, Indexer, Options};
use aictx_repomap::query;
use aictx_repomap::rank::{Hit, Query, sources_first};
use aictx_repomap::tree::Tree;
use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::app::Mode;
use crate::storage_location::{Homes, name_of};

pub mod repo_map_files;
mod worktree_index;

use repo_map_files::Config;
pub use worktree_index::{Evidence, Map, warnings};
use worktree_index::{State, scrub, show};

/// Without a watcher, a look at the tree is good for this long at most.
const UNWATCHED_AGE: Duration = Duration::from_secs(2);
/// It is good for so many times as long as it took: small trees are looked at again and again.
const UNWATCHED_SHARE: u32 = 20;
/// It is good for this long at least.
const UNWATCHED_LEAST: Duration = Duration::from_millis(20);
/// Worktrees whose index stays open. The least recently used one beyond it is closed.
const MAX_OPEN: usize = 64;
/// Most threads that index.
const MAX_QUEUES: usize = 16;
/// Changed paths that are remembered for one worktree; beyond it everything is looked at.
const MAX_DIRTY: usize = 2_000;
/// Agents see the whole of a smaller tree at a glance, and are told its files only when they ask.
pub const MIN_FILES: u32 = 10;
/// Longest wait that a caller may ask for.
pub const MAX_WAIT: Duration = Duration::from_secs(600);

/// All open indexes.
#[derive(Debug)]
pub struct Maps {
    homes: Homes,
    open: Mutex<HashMap<PathBuf, Arc<Map>>>,
    cache: PathBuf,
    home: Option<PathBuf>,
    mode: Mode,
    /// The threads that index: one for each mount that can hang, by the kernel's number, and one
    /// for everything else, 0.
    queues: Mutex<HashMap<u64, Sender<Arc<Map>>>>,
    stop: Arc<AtomicBool>,
    /// Number of the newest event of the file system that came, and of the newest that was handed on.
    arrived: AtomicU64,
    delivered: watch::Sender<u64>,
    /// Segments that were found damaged.
    damaged: Arc<AtomicU64>,
}

/// Place of a question.
#[derive(Debug)]
pub struct At<'a> {
    /// The repository.
    pub root: &'a Path,
    /// The worktree in it.
    pub worktree: &'a Path,
    /// The commit checked out there, where it is known already.
    pub head: Option<&'a str>,
}

impl Maps {
    /// No index is open yet. `cache` is the directory that holds what survives a restart.
    pub fn new(mode: Mode, cache: &Path, homes: Homes) -> Self {
        Self {
            homes,
            open: Mutex::default(),
            cache: cache.join("map"),
            home: directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
            mode,
            queues: Mutex::default(),
            stop: Arc::default(),
            arrived: AtomicU64::new(0),
            delivered: watch::Sender::new(0),
            damaged: Arc::default(),
        }
    }

    /// Segments of indexes that were found damaged on disk since this process started.
    pub fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// The index of the worktree that `directory` is in, opened when needed.
    ///
    /// # Errors
    /// When there is no repository, or it is not one that is indexed.
    pub fn open(&self, directory: &Path) -> Result<Arc<Map>, RpcError> {
        let repository = find_repository(directory).map_err(|e| {
            RpcError::new(NO_REPOSITORY, e.to_string())
                .hint("give the path of a git repository, or run `aictx init --force` in a folder")
        })?;
        if let Some(map) = used(&lock(&self.open), &repository.worktree) {
            return Ok(map);
        }
        check_root(&repository.worktree, self.home.as_deref())
            .map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
        // The disk was looked at without anything in hand: it may be a slow one.
        let map = Arc::new(self.make(&repository));
        let mut open = lock(&self.open);
        if let Some(map) = used(&open, &repository.worktree) {
            return Ok(map);
        }
        if open.len() >= MAX_OPEN {
            let oldest = open.iter().filter(|(_, map)| !map.state().watched);
            let oldest = oldest.min_by_key(|(_, map)| map.state().used_at);
            if let Some(root) = oldest.map(|(root, _)| root.clone()) {
                open.remove(&root);
            }
        }
        open.insert(repository.worktree, Arc::clone(&map));
        Ok(map)
    }

    fn make(&self, repository: &Repository) -> Map {
        let common = repository.common_dir.as_ref().unwrap_or(&repository.root);
        let directory = self.cache.join(name_of(common));
        let cache = Cache::new(directory, &name_of(&repository.worktree));
        let options = Options {
            background: self.mode == Mode::Daemon,
            threads: threads(self.mode),
            release: release_memory,
            scrub,
            max_file_bytes: Config::read(&self.homes.of(&repository.root)).max_file_bytes,
            ..Options::default()
        };
        let indexer = Indexer::open(
            &repository.worktree,
            repository.git_dir.clone(),
            Some(cache.clone()),
            options,
        );
        Map {
            worktree: repository.worktree.clone(),
            indexer,
            cache,
            evidence: ArcSwap::default(),
            newest_event: AtomicU64::new(0),
            delivered: self.delivered.subscribe(),
            damaged: Arc::clone(&self.damaged),
            state: Mutex::new(State {
                used_at: Some(Instant::now()),
                ..State::default()
            }),
            finished: watch::Sender::new(0),
        }
    }

    /// Says whether changes of a worktree will be reported from now on. The first time, and whenever
    /// reports may have been missed, the tree is looked at as a whole.
    pub fn set_watched(&self, worktree: &Path, watched: bool) {
        let Ok(map) = self.open(worktree) else {
            return;
        };
        map.state().watched = watched;
        self.request(&map, |state| state.rescan = true);
    }

    /// Takes note that something happened to these paths (absolute), before anything is made of it. The
    /// event's number, for [`Maps::delivered`].
    pub fn arrived<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> u64 {
        let number = self.arrived.fetch_add(1, Ordering::Relaxed) + 1;
        let open = lock(&self.open);
        for path in paths {
            let mut above = path.ancestors().skip(1);
            let Some((root, map)) = above.find_map(|root| open.get_key_value(root)) else {
                continue;
            };
            // What is no source concerns nobody who asks for sources.
            let inside = path.strip_prefix(root).unwrap_or(path);
            if !inside.starts_with(".aictx") && !inside.starts_with(".git") {
                map.newest_event.fetch_max(number, Ordering::Relaxed);
            }
        }
        number
    }

    /// Notes that events up to this one were handed on.
    pub fn delivered(&self, number: u64) {
        self.delivered
            .send_modify(|delivered| *delivered = number.max(*delivered));
    }

    /// Takes note of changed paths (absolute), or that anything may have changed.
    pub fn changed<'a>(
        &self,
        worktree: &Path,
        paths: impl Iterator<Item = &'a Path>,
        anything: bool,
    ) {
        use std::os::unix::ffi::OsStrExt;
        let Some(map) = lock(&self.open).get(worktree).cloned() else {
            return;
        };
        let mut relative: Vec<Vec<u8>> = Vec::new();
        let mut head = false;
        for path in paths {
            let Ok(inside) = path.strip_prefix(worktree) else {
                continue;
            };
            match inside.components().next() {
                None => {}
                Some(first) if first.as_os_str() == ".aictx" => {}
                Some(first) if first.as_os_str() == ".git" => head = true,
                Some(_) => relative.push(inside.as_os_str().as_bytes().to_vec()),
            }
        }
        if relative.is_empty() && !anything && !head {
            return;
        }
        self.request(&map, |state| {
            state.rescan |= anything || state.dirty.len() + relative.len() > MAX_DIRTY;
            if state.rescan {
                state.dirty.clear();
            } else {
                state.dirty.append(&mut relative);
            }
        });
    }

    /// Closes the index of a worktree.
    pub fn close(&self, worktree: &Path) {
        lock(&self.open).remove(worktree);
    }

    /// Asks for the tree to be compared with its index.
    fn request(&self, map: &Arc<Map>, what: impl FnOnce(&mut State)) -> u64 {
        let mut state = map.state();
        what(&mut state);
        state.requested += 1;
        let ticket = state.requested;
        let wake = !std::mem::replace(&mut state.queued, true);
        drop(state);
        if self.mode == Mode::Once {
            map.work(&self.stop);
        } else if wake && let Some(queue) = self.queue_of(map) {
            let _ = queue.send(Arc::clone(map));
        }
        ticket
    }

    /// The queue of the thread that indexes a worktree; nothing when there are too many threads.
    fn queue_of(&self, map: &Map) -> Option<Sender<Arc<Map>>> {
        let mount = mounts::hanging_behind(&map.worktree);
        let number = mount.as_ref().map_or(0, |mount| mount.id);
        let mut queues = lock(&self.queues);
        if queues.len() >= MAX_QUEUES && !queues.contains_key(&number) {
            return None;
        }
        let queue = queues.entry(number).or_insert_with(|| {
            let (sender, inbox) = channel();
            let stop = Arc::clone(&self.stop);
            let started = std::thread::Builder::new()
                .name("map".into())
                .spawn(move || {
                    if mount.is_none() {
                        mounts::guard_this_thread();
                    }
                    run(&inbox, &stop);
                });
            if let Err(error) = started {
                tracing::error!(%error, "nothing is indexed");
            }
            sender
        });
        Some(queue.clone())
    }

    /// Sees to it that the index is right, with the commit checked out where that is known already. The ticket of the update that has to be waited for, when
    /// there is something to wait for.
    pub fn ask(&self, map: &Arc<Map>, head: Option<&str>) -> Option<u64> {
        let (good, working, newest) = {
            let state = map.state();
            let fresh = match (state.right_at, state.done_at) {
                (None, _) => false,
                _ if state.watched => true,
                (Some(at), done) => done.unwrap_or(at).elapsed() < state.good_for(),
            };
            let working = state.queued || *map.finished.borrow() < state.requested;
            (fresh, working, state.requested)
        };
        if working {
            return Some(newest);
        }
        if !good || map.indexer.tree().is_damaged() {
            return Some(self.request(map, |state| state.rescan = true));
        }
        // A commit may change nothing but what is known of the past.
        let head = head.map_or_else(|| root::head(&map.worktree).head, str::to_owned);
        let moved = !head.is_empty() && map.evidence.load().head != head;
        moved.then(|| self.request(map, |_| {}))
    }

    /// The index of a worktree, unless the map is off there.
    fn map_of(&self, root: &Path, worktree: &Path) -> Option<Arc<Map>> {
        if !Config::read(&self.homes.of(root)).enabled {
            return None;
        }
        let known = used(&lock(&self.open), worktree);
        known.or_else(|| self.open(worktree).ok())
    }

    /// Returns true if the map of a worktree is on and knows any file yet.
    pub fn knows_files(&self, root: &Path, worktree: &Path) -> bool {
        let map = self.map_of(root, worktree);
        map.is_some_and(|map| map.indexer.tree().files() > 0)
    }

    /// Waits until a worktree of which nothing is known yet has its first index, at most `longest`.
    pub async fn first(&self, root: &Path, worktree: &Path, longest: Duration) {
        let map = self.map_of(root, worktree);
        let Some(map) = map.filter(|map| map.indexer.tree().files() == 0) else {
            return;
        };
        if let Some(ticket) = self.ask(&map, None) {
            map.finished(ticket, longest).await;
        }
    }

    /// Files for a request, from the index as it is: nobody waits here. Without a request, the files
    /// that explain the repository. Nothing where the map is off or knows nothing yet.
    /// Nothing in trees of fewer than `least` files, either.
    pub fn suggestions(&self, at: &At, request: &str, near: &[String], least: u32) -> Vec<MapHit> {
        let Some(map) = self.map_of(at.root, at.worktree) else {
            return Vec::new();
        };
        let tree = match self.mode {
            Mode::Daemon => {
                self.ask(&map, at.head);
                map.indexer.tree()
            }
            Mode::Once => map.indexer.tree(),
        };
        if tree.files() < least {
            return Vec::new();
        }
        let limit = aictx_continuity::MAX_SUGGESTIONS;
        if request.trim().is_empty() {
            // Nothing asked for, and nothing known yet but names: there is no telling.
            let files = query::by_weight(&*tree).into_iter().take(limit);
            let files = files.filter(|(file, _)| tree.symbol_count(*file) > 0);
            let hit = |(file, _)| Hit {
                file,
                ..Hit::default()
            };
            return files.map(|file| show(&tree, &hit(file))).collect();
        }
        let near = near.iter().filter_map(|path| tree.file_at(path));
        let near: Vec<_> = near.map(|file| (file, 1.0)).collect();
        let query = Query {
            text: request,
            active: &near,
            limit,
        };
        let mut hits = map.rank(&tree, &query);
        sources_first(&*tree, request, &mut hits);
        if tree.is_damaged() {
            // Nobody is told what may be wrong; the next one is told again.
            self.request(&map, |_| {});
            return Vec::new();
        }
        hits.iter().map(|hit| show(&tree, hit)).collect()
    }

    /// Commits that the map of a worktree has read, newest first, with scrubbed messages; none where it is off.
    pub fn commits(&self, root: &Path, worktree: &Path) -> Vec<Commit> {
        let map = self.map_of(root, worktree);
        map.map(|map| map.cache.load_history()).unwrap_or_default()
    }

    /// The published tree of a worktree, when it is open and its map knows every file that git does
    /// not ignore. Nothing is opened here and nobody waits.
    pub fn complete_tree(&self, worktree: &Path) -> Option<Arc<Tree>> {
        let map = lock(&self.open).get(worktree).cloned()?;
        let right = map.state().right_at.is_some();
        // What people leave out of the map may still be tracked.
        let whole = right && !worktree.join(".aictxignore").exists();
        whole.then(|| map.indexer.tree())
    }

    /// Has some files looked at again (as the system spells their paths, relative to the root). The
    /// ticket to wait for.
    pub fn look_again(&self, map: &Arc<Map>, mut paths: Vec<Vec<u8>>) -> u64 {
        self.request(map, |state| state.dirty.append(&mut paths))
    }

    /// Compares the tree with its index now; with `full` everything is parsed again. The ticket to
    /// wait for.
    pub fn refresh(&self, map: &Arc<Map>, full: bool) -> u64 {
        self.request(map, |state| {
            state.rescan = true;
            state.forget |= full;
        })
    }

    /// Ends indexing; nobody waits for it any longer.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        for map in lock(&self.open).values() {
            map.finished.send_modify(|finished| *finished = u64::MAX);
        }
    }

    /// Saves what is not on disk yet.
    pub fn save(&self) {
        for map in lock(&self.open).values() {
            // Another daemon, or the next one, finds what this one parsed.
            if let Err(error) = map.indexer.save() {
                tracing::debug!(%error, "an index was not saved");
            }
        }
    }

    /// Heap and mapped bytes of all open indexes.
    pub fn bytes(&self) -> (u64, u64) {
        lock(&self.open).values().fold((0, 0), |(heap, all), map| {
            let (h, a) = map.indexer.tree().bytes();
            (heap + h, all + a)
        })
    }
}

/// The indexing thread.
fn run(inbox: &Receiver<Arc<Map>>, stop: &AtomicBool) {
    // On Linux this concerns the calling thread alone.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
    while let Ok(map) = inbox.recv() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        // A parser is foreign code: what it breaks must not end the work for everybody.
        let worked = catch_unwind(AssertUnwindSafe(|| map.work(stop)));
        if worked.is_err() {
            tracing::error!(worktree = %map.worktree.display(), "indexing failed");
            map.give_up();
        }
    }
}

/// One core is left free for whoever is being answered.
fn threads(mode: Mode) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match mode {
        Mode::Daemon => cores.saturating_sub(1).clamp(1, 8),
        Mode::Once => cores.min(8),
    }
}

/// Gives memory that is free back to the system.
fn release_memory() {
    aictx_repomap::parse::allocator::release();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes a number and touches nothing but the allocator's own free memory,
    // under its own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
/// The map of a worktree, if it is open, as used now.
fn used(open: &HashMap<PathBuf, Arc<Map>>, worktree: &Path) -> Option<Arc<Map>> {
    let map = open.get(worktree)?;
    map.state().used_at = Some(Instant::now());
    Some(Arc::clone(map))
}
