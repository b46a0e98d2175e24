//! One open repository: what is read of it, what is observed, what keeps it bounded.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_artifacts::{Store, StoreError, Tidied};
use aictx_continuity::failure_list;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::RepoStatus;
use aictx_proto::record::files;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::file_stem;

use super::commit_queue::Queue;
use crate::app::{App, Mode};
use crate::storage_location::MEMORY;
use crate::watch::Watch;

/// Finalizes after which a repository is bounded again.
const TIDY_AFTER: u64 = 8;

/// Interval at which the list of all failure patterns is written where there are many.
const LIST_EVERY: Duration = Duration::from_secs(60);

/// One open repository.
pub struct Host {
    /// Root of the main worktree.
    pub root: PathBuf,
    /// Directory that `.aictx` lies in; the root, unless nothing may be seen of it there.
    pub home: PathBuf,
    /// Its files.
    pub store: Arc<Store>,
    /// Its watcher; off in one-shot processes.
    pub watch: Watch,
    pub(super) queue: Mutex<Queue>,
    pub(super) commits: AtomicU64,
    /// The disk will be asked soon to confirm what was answered.
    pub(super) settling: AtomicBool,
    /// Histories will be bounded as soon as nobody writes.
    pub(super) archiving: AtomicBool,
    /// True while retention runs.
    tidying: AtomicBool,
    /// Answers wait here for a commit, not for the disk: files are made ahead for them, and those that a commit
    /// wrote are looked at behind it.
    pub(super) stocks: AtomicBool,
    /// Executions finalized since it was bounded last.
    finalized: AtomicU64,
    /// Observations that could not be written since this was opened, and why the last could not.
    unrecorded: Mutex<(u64, String)>,
    /// Observations that wait for a quiet moment, oldest first.
    pending: Mutex<Vec<Pending>>,
    /// Verdicts that are not in the audit log yet.
    pub verdicts: crate::audit::Waiting,
    /// Index of recall.
    pub recalled: crate::recall_index::RecallIndex,
}

/// Makes a session's row when it is written, so that the work is not done before an answer.
type Pending = Box<dyn FnOnce() -> (String, LedgerRow) + Send>;

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// Megabytes below which a repository's memory stays.
const CEILING_VARIABLE: &str = "AICTXD_MAX_MEMORY_MB";

/// The ceiling that the environment sets, or the usual one, in bytes.
fn ceiling() -> u64 {
    let own = std::env::var(CEILING_VARIABLE).ok();
    let own = own.and_then(|megabytes| megabytes.trim().parse::<u64>().ok());
    own.map_or(aictx_artifacts::MAX_TOTAL, |megabytes| {
        megabytes.saturating_mul(1024 * 1024)
    })
}

impl Host {
    /// Over an open store whose memory lies in `home`.
    pub(super) fn new(root: &Path, home: PathBuf, store: Store) -> Self {
        Self {
            root: root.to_owned(),
            home,
            store: Arc::new(store),
            watch: Watch::default(),
            queue: Mutex::default(),
            commits: AtomicU64::new(0),
            settling: AtomicBool::new(false),
            archiving: AtomicBool::new(false),
            tidying: AtomicBool::new(false),
            stocks: AtomicBool::new(false),
            verdicts: crate::audit::Waiting::default(),
            recalled: crate::recall_index::RecallIndex::default(),
            finalized: AtomicU64::new(0),
            pending: Mutex::default(),
            unrecorded: Mutex::default(),
        }
    }

    /// The newest snapshot; re-reads what changed on disk.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.store.snapshot()
    }

    /// Appends to a session's ledger at once; survives the death of this process, not of the
    /// machine. Failures are counted and logged.
    ///
    /// # Errors
    /// Full disk, read-only or gone; whether that fails the event is up to the caller.
    pub fn observe(&self, session_id: &str, rows: &[LedgerRow]) -> Result<(), StoreError> {
        self.flush();
        self.append(session_id, rows)
    }

    /// Keeps an observation for [`Self::flush`]; whether it is the first to wait, so that the
    /// caller must see to it that somebody flushes. Order is kept: whatever is observed at once
    /// flushes first.
    pub fn observe_later(
        &self,
        row: impl FnOnce() -> (String, LedgerRow) + Send + 'static,
    ) -> bool {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push(Box::new(row));
        pending.len() == 1
    }

    /// Writes what waits.
    pub fn flush(&self) {
        let waiting =
            std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let mut rows = waiting.into_iter().map(|row| row()).peekable();
        while let Some((session_id, row)) = rows.next() {
            let mut group = vec![row];
            while let Some((_, row)) = rows.next_if(|(next, _)| *next == session_id) {
                group.push(row);
            }
            // Counted and logged there; the call's outcome will come as an event of its own.
            let _ = self.append(&session_id, &group);
        }
    }

    /// As [`observe`](Self::observe) for the row of an event that another process may have recorded.
    ///
    /// # Errors
    /// As [`observe`](Self::observe).
    pub fn observe_once(&self, session_id: &str, row: &LedgerRow) -> Result<(), StoreError> {
        self.flush();
        let written = self.store.append_ledger_once(session_id, row);
        self.counted(1, written.map(drop))
    }

    fn append(&self, session_id: &str, rows: &[LedgerRow]) -> Result<(), StoreError> {
        let written = self.store.append_ledger(session_id, rows);
        self.counted(rows.len(), written.map(drop))
    }

    /// Counts and logs rows that were not written.
    fn counted(&self, rows: usize, written: Result<(), StoreError>) -> Result<(), StoreError> {
        if let Err(error) = &written {
            tracing::warn!(repo = %self.root.display(), %error, "an observation was not recorded");
            let mut unrecorded = self
                .unrecorded
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *unrecorded = (unrecorded.0 + rows as u64, error.to_string());
        }
        written
    }

    /// The directory with its files.
    pub fn memory(&self) -> PathBuf {
        self.home.join(MEMORY)
    }

    /// Returns the state of the repository's files.
    fn state(&self) -> &'static str {
        use rustix::fs::{Access, access};
        let memory = self.memory();
        if !memory.is_dir() {
            "missing"
        } else if access(&memory, Access::WRITE_OK).is_err() {
            "read_only"
        } else {
            "open"
        }
    }

    fn warnings(&self, snapshot: &Snapshot) -> Vec<String> {
        let mut warnings: Vec<String> = snapshot
            .issues
            .iter()
            .map(|i| i.warning())
            .take(20)
            .collect();
        let unrecorded = self
            .unrecorded
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if unrecorded.0 > 0 {
            warnings.push(format!(
                "{} observations were not recorded here, last because {}",
                unrecorded.0, unrecorded.1
            ));
        }
        warnings
    }

    /// Notes that an execution was finalized; whether it is time to [`Self::tidy`]. A process that
    /// serves one call always has to.
    pub fn is_untidy(&self, mode: Mode) -> bool {
        let count = self.finalized.fetch_add(1, Ordering::Relaxed) + 1;
        mode == Mode::Once || count.is_multiple_of(TIDY_AFTER)
    }

    /// Returns true if this process has finalized an execution here.
    pub(super) fn has_finalized(&self) -> bool {
        self.finalized.load(Ordering::Relaxed) > 0
    }

    /// Bounds what the repository keeps. Ledgers of live sessions and of those that are still to be
    /// finalized stay.
    pub async fn tidy(self: &Arc<Self>, app: &Arc<App>) {
        self.recalled.forget();
        if app.mode == Mode::Daemon {
            // Whoever waits already does it for all that came before.
            if self.tidying.swap(true, Ordering::AcqRel) {
                return;
            }
            self.quiet().await;
            self.tidying.store(false, Ordering::Release);
        }
        let live: HashSet<String> = app
            .sessions
            .all()
            .iter()
            .map(|(id, _)| file_stem(id))
            .collect();
        let host = Arc::clone(self);
        let every = match app.mode {
            Mode::Daemon => LIST_EVERY,
            Mode::Once => Duration::ZERO,
        };
        let tidied = tokio::task::spawn_blocking(move || {
            host.archive();
            host.list_failures(every)?;
            host.store.tidy(ceiling(), &|stem| {
                live.contains(stem) || {
                    let ledger = host.store.read_ledger(stem);
                    aictx_continuity::open_session(&ledger.rows).is_some_and(|open| open.has_work)
                }
            })
        });
        let repo = self.root.display();
        match tidied.await {
            Ok(Ok(done)) if done == Tidied::default() => {}
            Ok(Ok(done)) => tracing::info!(
                %repo, ledgers = done.ledgers, files = done.files, dropped = done.dropped,
                "old files went to the archive"
            ),
            Ok(Err(error)) => tracing::warn!(%repo, %error, "old files were not archived"),
            Err(_) => {}
        }
    }

    /// Brings the list of failure patterns up to them, when they were written later and it is older
    /// than `every`.
    ///
    /// # Errors
    /// Locked, or not writable.
    pub fn list_failures(&self, every: Duration) -> Result<(), StoreError> {
        // Only after work of this process: what others left is theirs until there is some.
        if !self.has_finalized() {
            return Ok(());
        }
        let memory = self.memory();
        let written = |file| memory.join(file).metadata().and_then(|m| m.modified()).ok();
        let (patterns, list) = (
            written(files::FAILURE_PATTERNS),
            written(files::FAILURE_INDEX),
        );
        let is_new = list
            .and_then(|at| at.elapsed().ok())
            .is_some_and(|age| age < every);
        if patterns <= list || is_new {
            return Ok(());
        }
        let list = |snapshot: &Snapshot| ((), vec![failure_list(&snapshot.failures)]);
        self.store.transact(list).map(drop)
    }

    /// For `status`.
    pub fn status(&self) -> RepoStatus {
        // Finds ledgers that are not this user's.
        self.store.ledgers();
        let snapshot = self.snapshot();
        RepoStatus {
            repo: self.root.to_string_lossy().into_owned(),
            state: self.state().to_owned(),
            generation: snapshot.generation,
            queued: self
                .queue
                .lock()
                .map(|q| q.waiting.len() as u64)
                .unwrap_or(0),
            commits: self.commits.load(Ordering::Relaxed),
            warnings: self.warnings(&snapshot),
            watch: self.watch.stats(),
        }
    }
}
