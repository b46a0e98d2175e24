//! Keeping indexes of worktrees warm.
//!
//! One thread does all indexing, one worktree after the other, at low priority; requests read what is
//! published and, when they want to, wait for the thread. A watched worktree is told what changed;
//! any other is compared with its index when somebody asks and the last look is too old.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use aictx_artifacts::root::{self, Repository, find_repository};
use aictx_artifacts::scrub::scrub_text;
use aictx_proto::methods::{MapFreshness, MapHit, MapHitMetadata};
use aictx_proto::rpc::{INVALID_PARAMS, NO_REPOSITORY, RpcError};
use aictx_repomap::ask;
use aictx_repomap::discover::check_root;
use aictx_repomap::history::{GitCommand, History, Limits as HistoryLimits, mine};
use aictx_repomap::indexer::{Cache, Indexer, Options, Report};
use aictx_repomap::rank::{Hit, Past, Query, Weights, rank_with};
use aictx_repomap::segment::ContentId;
use aictx_repomap::tree::{Paths, Tree};
use aictx_repomap::view::View;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::app::Mode;

pub mod files;

use files::Config;

/// Without a watcher, a look at the tree is good for this long.
const UNWATCHED_AGE: Duration = Duration::from_secs(2);
/// Worktrees whose index stays open. The least recently used one beyond it is closed.
const MAX_OPEN: usize = 64;
/// Changed paths that are remembered for one worktree; beyond it everything is looked at.
const MAX_DIRTY: usize = 2_000;
/// Between two saves of the same index after small changes.
const SAVE_EVERY: Duration = Duration::from_secs(300);
/// An update that parsed this much is saved at once.
const SAVE_AT: u32 = 200;
/// Updates shorter than this need no rest after them; no rest is longer than that, and it is taken in
/// steps so that a stop is noticed.
const LONG_UPDATE: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(2);
const REST_STEP: Duration = Duration::from_millis(50);
/// Agents see the whole of a smaller tree at a glance.
const MIN_FILES: u32 = 10;
/// Longest wait that a caller may ask for.
pub const MAX_WAIT: Duration = Duration::from_secs(600);

/// The index of one worktree.
#[derive(Debug)]
pub struct Map {
    /// Root of the worktree.
    pub worktree: PathBuf,
    /// The index.
    pub indexer: Indexer,
    cache: Cache,
    evidence: ArcSwap<Evidence>,
    state: Mutex<State>,
    /// Number of the newest request that was carried out.
    finished: watch::Sender<u64>,
}

/// What past commits say, tied to the paths of a tree.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Commits.
    pub history: Arc<History>,
    /// The same by file.
    pub past: Past,
    /// Commit that it was read at.
    head: String,
    paths: Arc<Paths>,
}

impl Evidence {
    fn tie(history: Arc<History>, head: String, tree: &Tree) -> Self {
        Self {
            past: Past::new(tree, &history),
            head,
            history,
            paths: Arc::clone(tree.paths()),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Whether somebody tells us of changes.
    watched: bool,
    dirty: Vec<Vec<u8>>,
    rescan: bool,
    /// Everything is to be parsed again.
    forget: bool,
    /// Number of the newest request.
    requested: u64,
    queued: bool,
    /// When the tree was last known to be right, and when that was known.
    right_at: Option<Instant>,
    done_at: Option<Instant>,
    used_at: Option<Instant>,
    saved_at: Option<Instant>,
    last: Option<Report>,
}

/// All open indexes.
#[derive(Debug)]
pub struct Maps {
    open: Mutex<HashMap<PathBuf, Arc<Map>>>,
    cache: PathBuf,
    home: Option<PathBuf>,
    mode: Mode,
    queue: OnceLock<Sender<Arc<Map>>>,
    stop: Arc<AtomicBool>,
}

impl Maps {
    /// No index is open yet. `cache` is the directory that holds what survives a restart.
    pub fn new(mode: Mode, cache: &Path) -> Self {
        Self {
            open: Mutex::default(),
            cache: cache.join("map"),
            home: directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
            mode,
            queue: OnceLock::new(),
            stop: Arc::default(),
        }
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
        let mut open = lock(&self.open);
        if let Some(map) = open.get(&repository.worktree) {
            map.state().used_at = Some(Instant::now());
            return Ok(Arc::clone(map));
        }
        check_root(&repository.worktree, self.home.as_deref())
            .map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
        if open.len() >= MAX_OPEN {
            let oldest = open.iter().filter(|(_, map)| !map.state().watched);
            let oldest = oldest.min_by_key(|(_, map)| map.state().used_at);
            if let Some(root) = oldest.map(|(root, _)| root.clone()) {
                open.remove(&root);
            }
        }
        let map = Arc::new(self.make(&repository));
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
            max_file_bytes: Config::read(&repository.root).max_file_bytes,
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
        } else if wake {
            let _ = self.sender().send(Arc::clone(map));
        }
        ticket
    }

    fn sender(&self) -> &Sender<Arc<Map>> {
        self.queue.get_or_init(|| {
            let (sender, inbox) = channel();
            let stop = Arc::clone(&self.stop);
            let started = std::thread::Builder::new()
                .name("map".into())
                .spawn(move || run(&inbox, &stop));
            if let Err(error) = started {
                tracing::error!(%error, "nothing is indexed");
            }
            sender
        })
    }

    /// Sees to it that the index is right. The ticket of the update that has to be waited for, when
    /// there is something to wait for.
    pub fn ask(&self, map: &Arc<Map>) -> Option<u64> {
        let (good, working, newest) = {
            let state = map.state();
            let fresh = match (state.right_at, state.done_at) {
                (None, _) => false,
                _ if state.watched => true,
                (Some(at), done) => done.unwrap_or(at).elapsed() < UNWATCHED_AGE,
            };
            let working = state.queued || *map.finished.borrow() < state.requested;
            (fresh, working, state.requested)
        };
        if working {
            return Some(newest);
        }
        if !good {
            return Some(self.request(map, |state| state.rescan = true));
        }
        // A commit may change nothing but what is known of the past.
        let head = root::head(&map.worktree).head;
        let moved = !head.is_empty() && map.evidence.load().head != head;
        moved.then(|| self.request(map, |_| {}))
    }

    /// Files for a request, from the index as it is: nobody waits here. Without a request, the files
    /// that explain the repository. Nothing where the map is off or knows nothing yet.
    pub fn suggestions(&self, root: &Path, worktree: &Path, request: &str) -> Vec<MapHit> {
        if !Config::read(root).enabled {
            return Vec::new();
        }
        let Ok(map) = self.open(worktree) else {
            return Vec::new();
        };
        let tree = match self.mode {
            Mode::Daemon => {
                self.ask(&map);
                map.indexer.tree()
            }
            Mode::Once => map.indexer.tree(),
        };
        if tree.files() < MIN_FILES {
            return Vec::new();
        }
        let limit = aictx_continuity::MAX_SUGGESTIONS;
        if request.trim().is_empty() {
            let files = ask::by_weight(&*tree).into_iter().take(limit);
            let hit = |(file, _)| Hit {
                file,
                ..Hit::default()
            };
            return files.map(|file| show(&tree, &hit(file))).collect();
        }
        let query = Query {
            text: request,
            active: &[],
            limit,
        };
        map.ranked(&tree, &query)
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

impl Map {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Nothing more can be done for what was asked for by now.
    fn give_up(&self) {
        self.indexer
            .progress()
            .running
            .store(false, Ordering::Relaxed);
        let requested = self.state().requested;
        self.finished.send_modify(|finished| *finished = requested);
    }

    /// Carries out what was asked for by now.
    fn work(&self, stop: &AtomicBool) {
        let (dirty, rescan, forget, ticket) = {
            let mut state = self.state();
            state.queued = false;
            (
                std::mem::take(&mut state.dirty),
                std::mem::take(&mut state.rescan),
                std::mem::take(&mut state.forget),
                state.requested,
            )
        };
        if rescan && !forget {
            self.rest(stop);
        }
        let looked_at = Instant::now();
        let report = if forget {
            self.indexer.rebuild(stop)
        } else if rescan || self.state().right_at.is_none() {
            self.indexer.reconcile(stop)
        } else {
            // What a listing said stays true.
            let last = self.state().last.clone().unwrap_or_default();
            let changed = self.indexer.changed(&dirty, stop);
            Report {
                git: last.git || changed.git,
                over: last.over.max(changed.over),
                left_out: last.left_out.max(changed.left_out),
                timed_out: last.timed_out,
                nested: if changed.nested.is_empty() {
                    last.nested
                } else {
                    changed.nested
                },
                ..changed
            }
        };
        self.read_history();
        let unsaved = {
            let mut state = self.state();
            let due = state.saved_at.is_none_or(|at| at.elapsed() > SAVE_EVERY);
            let changed = report.parsed + report.reused + report.removed;
            let save = changed > 0 && (due || changed >= SAVE_AT);
            if save {
                state.saved_at = Some(Instant::now());
            }
            save
        };
        if unsaved && let Err(error) = self.indexer.save() {
            tracing::debug!(worktree = %self.worktree.display(), %error, "an index was not saved");
        }
        if report.parsed > 0 {
            release_memory();
        }
        let mut state = self.state();
        if !stop.load(Ordering::Relaxed) {
            state.right_at = Some(looked_at);
            state.done_at = Some(Instant::now());
        }
        state.last = Some(report);
        drop(state);
        self.finished
            .send_modify(|finished| *finished = (*finished).max(ticket));
    }

    /// A tree that changes all over again and again (a checkout, a build) must not keep a core busy:
    /// after a long update the next one waits half as long as that took.
    fn rest(&self, stop: &AtomicBool) {
        let due = {
            let state = self.state();
            let took = state.last.as_ref().map_or(Duration::ZERO, |l| l.took);
            let rest = (took / 2).min(LONGEST_REST);
            if took < LONG_UPDATE {
                return;
            }
            state.done_at.map(|at| at + rest)
        };
        while let Some(left) = due.and_then(|due| due.checked_duration_since(Instant::now())) {
            if stop.load(Ordering::Relaxed) || left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(REST_STEP));
        }
    }

    /// Waits until an update is done, holding no thread meanwhile; at most `longest`.
    pub async fn finished(&self, ticket: u64, longest: Duration) {
        let mut finished = self.finished.subscribe();
        let done = finished.wait_for(|done| *done >= ticket);
        // Whoever asked goes on with what is there.
        let _ = tokio::time::timeout(longest.min(MAX_WAIT), done).await;
    }

    /// Files that the running update has parsed, and has to; zeros while none runs.
    pub fn progress(&self) -> (u32, u32) {
        let progress = self.indexer.progress();
        if progress.running.load(Ordering::Relaxed) {
            let read = |n: &std::sync::atomic::AtomicU32| n.load(Ordering::Relaxed);
            (read(&progress.done), read(&progress.total))
        } else {
            (0, 0)
        }
    }

    /// The repository's past, tied to a tree.
    pub fn evidence(&self, tree: &Tree) -> Arc<Evidence> {
        let known = self.evidence.load_full();
        if Arc::ptr_eq(&known.paths, tree.paths()) {
            return known;
        }
        // Files came or went since the past was tied to the tree.
        let tied = Arc::new(Evidence::tie(
            Arc::clone(&known.history),
            known.head.clone(),
            tree,
        ));
        self.evidence.store(Arc::clone(&tied));
        tied
    }

    /// Ranks the files of a tree.
    pub fn rank(&self, tree: &Tree, query: &Query<'_>) -> Vec<Hit> {
        let evidence = self.evidence(tree);
        let weights = Weights::default();
        rank_with(tree, &evidence.history, &evidence.past, query, &weights)
    }

    /// The same as answers show it.
    pub fn ranked(&self, tree: &Tree, query: &Query<'_>) -> Vec<MapHit> {
        let hits = self.rank(tree, query);
        hits.iter().map(|hit| show(tree, hit)).collect()
    }

    /// Reads what was committed since the past was read, if anything was.
    fn read_history(&self) {
        let head = root::head(&self.worktree).head;
        let known = self.evidence.load_full();
        if head.is_empty() || known.head == head {
            return;
        }
        let git = || crate::git::command(&self.worktree);
        let limits = HistoryLimits::default();
        // Kept on disk, not in memory: it is needed once a commit.
        let mut commits = self.cache.load_history();
        // What is known of an ancestor stays true.
        let before = commits.first().map(|c| c.hash.clone());
        let before = before.filter(|before| is_ancestor(&git, before, &head));
        let mined = match mine(&git, &head, before.as_deref(), limits) {
            Ok(mined) => mined,
            Err(error) => {
                tracing::debug!(worktree = %self.worktree.display(), %error, "no history");
                // What is known stays; the next commit is another chance.
                let tied = Evidence::tie(Arc::clone(&known.history), head, &self.indexer.tree());
                self.evidence.store(Arc::new(tied));
                return;
            }
        };
        let news = !mined.is_empty();
        if before.is_none() {
            commits.clear();
        }
        commits.splice(0..0, mined);
        // A merged branch is reachable from both sides.
        let mut seen = HashSet::new();
        commits.retain(|commit| seen.insert(commit.hash.clone()));
        commits.truncate(limits.commits as usize);
        if news && let Err(error) = self.cache.save_history(&commits, &scrub) {
            tracing::debug!(worktree = %self.worktree.display(), %error, "a history was not saved");
        }
        let history = Arc::new(History::new(&commits));
        let evidence = Evidence::tie(history, head, &self.indexer.tree());
        self.evidence.store(Arc::new(evidence));
    }

    /// What the last update did.
    pub fn last(&self) -> Option<Report> {
        self.state().last.clone()
    }

    /// As of what an answer from `tree` is.
    pub fn freshness(&self, tree: &Tree) -> MapFreshness {
        let state = self.state();
        let age = state.right_at.map(|at| at.elapsed());
        let watched_and_idle =
            state.watched && !state.queued && *self.finished.borrow() >= state.requested;
        let working = self.progress().1 > 0;
        let left_out = state.last.as_ref().map_or(0, |l| l.left_out);
        let pending = tree.pending().saturating_sub(left_out);
        let word = if tree.files() == 0 && age.is_none() {
            "empty"
        } else if working || pending > 0 {
            "building"
        } else if watched_and_idle || state.done_at.is_some_and(|at| at.elapsed() < UNWATCHED_AGE) {
            "fresh"
        } else {
            "stale"
        };
        let age = if watched_and_idle && age.is_some() {
            Duration::ZERO
        } else {
            age.unwrap_or_default()
        };
        MapFreshness {
            state: word.to_owned(),
            head: root::head(&self.worktree).head,
            files: tree.files(),
            pending,
            age_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
            commits: self.evidence.load().history.commits(),
            warnings: state.last.as_ref().map(warnings).unwrap_or_default(),
        }
    }
}

/// What an update left out, in words.
pub fn warnings(report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.over > 0 {
        warnings.push(format!(
            "max_files_exceeded: {} files beyond the limit are not indexed",
            report.over
        ));
    }
    if report.left_out > 0 {
        warnings.push(format!(
            "max_bytes_exceeded: {} files are found by path only",
            report.left_out
        ));
    }
    if report.timed_out {
        warnings.push("budget_exceeded: listing took too long; the index is partial".to_owned());
    }
    if !report.git {
        warnings
            .push("git_unavailable: ignore rules only, nothing is known to be tracked".to_owned());
    }
    for nested in report.nested.iter().take(5) {
        warnings.push(format!("nested_repository: {nested} is not entered"));
    }
    warnings
}

fn show(tree: &Tree, hit: &Hit) -> MapHit {
    let path = tree.path(hit.file).to_owned();
    let symbols: Vec<_> = hit
        .symbols
        .iter()
        .filter_map(|(number, _)| tree.symbol(hit.file, *number))
        .map(|symbol| ask::show(tree, hit.file, &symbol))
        .collect();
    let best = symbols.first();
    let mut evidence = BTreeMap::new();
    for reason in &hit.reasons {
        evidence.insert(reason.name.to_owned(), two_digits(reason.value));
    }
    MapHit {
        score: hit.score.into(),
        confidence: two_digits(hit.share),
        reasons: hit.reasons.iter().map(|r| r.name.to_owned()).collect(),
        evidence,
        kind: "repo_map".to_owned(),
        id: best.map_or_else(|| path.clone(), |best| format!("{path}::{}", best.name)),
        title: best.map_or_else(|| path.clone(), |best| format!("{} in {path}", best.name)),
        paths: vec![path.clone()],
        metadata: MapHitMetadata {
            symbol: best.map(|best| best.name.clone()).unwrap_or_default(),
            symbol_kind: best.map(|best| best.kind.clone()).unwrap_or_default(),
            language: tree.language(hit.file).to_owned(),
            class: tree.class(hit.file).as_str().to_owned(),
            line: best.map_or(0, |best| best.line),
        },
        path,
        symbols,
    }
}

/// Two digits say enough, and the same on every machine.
fn two_digits(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}

/// One core is left free for whoever is being answered.
fn threads(mode: Mode) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match mode {
        Mode::Daemon => cores.saturating_sub(1).clamp(1, 8),
        Mode::Once => cores.min(8),
    }
}

/// A file name for a path: short, the same every time, different for different paths.
fn name_of(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let id = ContentId::of(path.as_os_str().as_bytes());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{}-{id:?}", aictx_proto::text::slug(&name, 40, "root"))
}

/// What to keep instead of a text with secrets.
fn scrub(text: &str) -> Option<String> {
    match scrub_text(text, &mut aictx_artifacts::scrub::Report::default()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(clean) => Some(clean),
    }
}

/// Whether one commit is in the past of another.
fn is_ancestor(git: GitCommand<'_>, ancestor: &str, of: &str) -> bool {
    let mut command = git();
    command.args([
        "merge-base",
        "--is-ancestor",
        "--end-of-options",
        ancestor,
        of,
    ]);
    command.status().is_ok_and(|status| status.success())
}

/// Gives memory that is free back to the system.
fn release_memory() {
    aictx_repomap::parse::memory::release();
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
