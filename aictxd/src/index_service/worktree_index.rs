//! The index of one worktree: what is asked of it, what is done about it, what it is as of.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_proto::methods::{MapFreshness, MapHit, MapHitMetadata};
use aictx_redact::scrub_text;
use aictx_repomap::history::{History, Limits as HistoryLimits, mine};
use aictx_repomap::index_view::View;
use aictx_repomap::indexer::{Cache, Indexer, Report};
use aictx_repomap::query;
use aictx_repomap::rank::{Hit, Past, Query, Weights, rank_with};
use aictx_repomap::tree::{Paths, Tree};
use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::git;

use super::{MAX_WAIT, UNWATCHED_AGE, UNWATCHED_LEAST, UNWATCHED_SHARE, lock, release_memory};

/// git may take this long to compare two commits, while nobody waits.
const GIT_DEADLINE: Duration = Duration::from_secs(2);
/// Between two saves of the same index after small changes.
const SAVE_EVERY: Duration = Duration::from_secs(300);
/// An update that parsed this much is saved at once.
const SAVE_AT: u32 = 200;
/// Updates shorter than this need no rest after them; no rest is longer than that, and it is taken in
/// steps so that a stop is noticed.
const LONG_UPDATE: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(2);
const REST_STEP: Duration = Duration::from_millis(50);

/// The index of one worktree.
#[derive(Debug)]
pub struct Map {
    /// Root of the worktree.
    pub worktree: PathBuf,
    /// The index.
    pub indexer: Indexer,
    pub(super) cache: Cache,
    pub(super) evidence: ArcSwap<Evidence>,
    pub(super) state: Mutex<State>,
    /// Number of the newest request that was carried out.
    pub(super) finished: watch::Sender<u64>,
    /// Number of the newest event of the file system that concerns this worktree.
    pub(super) newest_event: AtomicU64,
    /// Number of the newest event that was handed on.
    pub(super) delivered: watch::Receiver<u64>,
    /// Segments of all indexes that were found damaged.
    pub(super) damaged: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// True if somebody tells us of changes.
    pub(super) watched: bool,
    pub(super) dirty: Vec<Vec<u8>>,
    pub(super) rescan: bool,
    /// Everything is to be parsed again.
    pub(super) forget: bool,
    /// Number of the newest request.
    pub(super) requested: u64,
    pub(super) queued: bool,
    /// Time at which the tree was last known to be right.
    pub(super) right_at: Option<Instant>,
    pub(super) done_at: Option<Instant>,
    pub(super) used_at: Option<Instant>,
    pub(super) saved_at: Option<Instant>,
    pub(super) last: Option<Report>,
}

impl State {
    /// Returns the lifetime of a look at an unwatched tree.
    pub(super) fn good_for(&self) -> Duration {
        let took = self.last.as_ref().map_or(UNWATCHED_AGE, |last| last.took);
        (took * UNWATCHED_SHARE).clamp(UNWATCHED_LEAST, UNWATCHED_AGE)
    }
}

/// Evidence from past commits, tied to the paths of a tree.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Commits.
    pub history: Arc<History>,
    /// The same by file.
    pub past: Past,
    /// Commit that it was read at.
    pub(super) head: String,
    pub(super) paths: Arc<Paths>,
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

impl Map {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Nothing more can be done for what was asked for by now.
    pub(super) fn give_up(&self) {
        self.indexer
            .progress()
            .running
            .store(false, Ordering::Relaxed);
        let requested = self.state().requested;
        self.finished.send_modify(|finished| *finished = requested);
    }

    /// Carries out what was asked for by now.
    pub(super) fn work(&self, stop: &AtomicBool) {
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
        let rescan = self.drop_damaged() || rescan;
        let looked_at = Instant::now();
        let mut report = if forget {
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
        if self.drop_damaged() {
            // While it was read from.
            report = self.indexer.reconcile(stop);
        }
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

    /// Drops what of the index was damaged on disk since it was opened; whether there was any.
    fn drop_damaged(&self) -> bool {
        let dropped = self.indexer.drop_damaged();
        if dropped > 0 {
            self.damaged.fetch_add(dropped as u64, Ordering::Relaxed);
            tracing::warn!(
                worktree = %self.worktree.display(), segments = dropped,
                "a part of the index was damaged on disk; it is made again"
            );
        }
        dropped > 0
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

    /// Returns true if something happened in the worktree that nothing was made of yet.
    fn is_unsettled(&self) -> bool {
        *self.delivered.borrow() < self.newest_event.load(Ordering::Relaxed)
    }

    /// Waits until what happened by now was handed on, at most `longest`.
    pub async fn settled(&self, longest: Duration) {
        if !self.is_unsettled() {
            return;
        }
        let newest = self.newest_event.load(Ordering::Relaxed);
        let mut delivered = self.delivered.clone();
        let done = delivered.wait_for(|done| *done >= newest);
        let _ = tokio::time::timeout(longest, done).await;
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
        let git = || git::command(&self.worktree);
        let limits = HistoryLimits::default();
        // Kept on disk, not in memory: it is needed once a commit.
        let mut commits = self.cache.load_history();
        // What is known of an ancestor stays true.
        let before = commits.first().map(|c| c.hash.clone());
        let before = before.filter(|before| {
            let merged = git::is_ancestor(&self.worktree, before, &head, GIT_DEADLINE);
            merged == Some(true)
        });
        let mut mined = match mine(&git, &head, before.as_deref(), limits) {
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
        for commit in &mut mined {
            if let Some(clean) = scrub(&commit.message) {
                commit.message = clean;
            }
        }
        if before.is_none() {
            commits.clear();
        }
        commits.splice(0..0, mined);
        // A merged branch is reachable from both sides.
        let mut seen = HashSet::new();
        commits.retain(|commit| seen.insert(commit.hash.clone()));
        commits.truncate(limits.commits as usize);
        if news && let Err(error) = self.cache.save_history(&commits) {
            tracing::debug!(worktree = %self.worktree.display(), %error, "a history was not saved");
        }
        let history = Arc::new(History::new(&commits));
        let evidence = Evidence::tie(history, head, &self.indexer.tree());
        self.evidence.store(Arc::new(evidence));
    }

    /// Returns the report of the last update.
    pub fn last(&self) -> Option<Report> {
        self.state().last.clone()
    }

    /// As of what an answer from `tree` is.
    pub fn freshness(&self, tree: &Tree) -> MapFreshness {
        let state = self.state();
        let age = state.right_at.map(|at| at.elapsed());
        let unsettled = self.is_unsettled();
        let watched_and_idle = state.watched
            && !unsettled
            && !state.queued
            && *self.finished.borrow() >= state.requested;
        let working = self.progress().1 > 0;
        let left_out = state.last.as_ref().map_or(0, |l| l.left_out);
        // What came, and was not looked at yet, is at least one file.
        let waits = state.watched && age.is_some() && !watched_and_idle;
        let pending = tree.pending().saturating_sub(left_out).max(waits.into());
        let word = if tree.files() == 0 && age.is_none() {
            "empty"
        } else if working || pending > 0 {
            "building"
        } else if watched_and_idle
            || !state.watched
                && state
                    .done_at
                    .is_some_and(|at| at.elapsed() < state.good_for())
        {
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

pub(super) fn show(tree: &Tree, hit: &Hit) -> MapHit {
    let path = tree.path(hit.file).to_owned();
    let symbols: Vec<_> = hit
        .symbols
        .iter()
        .filter_map(|(number, _)| tree.symbol(hit.file, *number))
        .map(|symbol| query::show(tree, hit.file, &symbol))
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

/// Describes the omissions of an update.
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

/// Returns a text without its secrets; `None` if it has none.
pub(super) fn scrub(text: &str) -> Option<String> {
    match scrub_text(text, &mut aictx_redact::Report::default()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(clean) => Some(clean),
    }
}
