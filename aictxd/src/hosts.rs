//! One host per repository: an immutable snapshot to read, one queue of operations to commit.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use aictx_artifacts::root::{Repository, find_repository};
use aictx_artifacts::{Op, Store, StoreError, Tidied};
use aictx_proto::effect::Effects;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::RepoStatus;
use aictx_proto::rpc::{INTERNAL, NO_REPOSITORY, NOT_WRITABLE, RpcError, UNAVAILABLE, UNSAFE_PATH};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::file_stem;
use tokio::sync::oneshot;

use crate::app::{App, Mode};
use crate::homes::{Homes, MEMORY};
use crate::watch::Watch;

/// Operations that one commit takes together.
const GROUP: usize = 64;
/// Operations that may wait for one repository; beyond it callers are told to come back.
const MAX_QUEUE: usize = 1_024;
/// Finalizes after which a repository is bounded again.
const TIDY_AFTER: u64 = 16;
/// Remembered answers to "which repository is this directory in?".
const MAX_REMEMBERED: usize = 1_024;

/// Where a directory belongs.
#[derive(Debug, Clone)]
pub struct Place {
    /// Root of the main worktree, by which a repository is known.
    pub root: PathBuf,
    /// Root of the worktree the directory is in.
    pub worktree: PathBuf,
}

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
    queue: Mutex<Queue>,
    commits: AtomicU64,
    /// Executions finalized since it was bounded last.
    finalized: AtomicU64,
    /// Observations that could not be written since this was opened, and why the last could not.
    unrecorded: Mutex<(u64, String)>,
    /// Observations that wait for a quiet moment, oldest first.
    pending: Mutex<Vec<Pending>>,
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

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    draining: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

struct Job {
    operation: Op<'static, ()>,
    /// Its answer need not wait for the disk.
    soon: bool,
    done: oneshot::Sender<Result<aictx_artifacts::scrub::Report, StoreError>>,
}

/// All open repositories.
#[derive(Debug)]
pub struct Hosts {
    homes: Homes,
    open: RwLock<HashMap<PathBuf, Arc<Host>>>,
    remembered: RwLock<HashMap<PathBuf, Place>>,
}

impl Hosts {
    /// With memories in these homes. None is open.
    pub fn new(homes: Homes) -> Self {
        Self {
            homes,
            open: RwLock::default(),
            remembered: RwLock::default(),
        }
    }

    /// Which repository `directory` is in. Only positive answers are remembered, for as long as
    /// no other repository is made or removed on the way.
    ///
    /// # Errors
    /// When there is none, in words for people.
    pub fn place(&self, directory: &Path) -> Result<Place, RpcError> {
        if let Ok(remembered) = self.remembered.read()
            && let Some(place) = remembered.get(directory)
            && nearest(directory) == Some(place.worktree.as_path())
        {
            return Ok(place.clone());
        }
        let Repository { root, worktree, .. } = find_repository(directory).map_err(|e| {
            RpcError::new(NO_REPOSITORY, e.to_string()).hint(
                "give the path of a git repository, or run `aictx init --force` in a plain folder",
            )
        })?;
        let place = Place { root, worktree };
        if let Ok(mut remembered) = self.remembered.write() {
            if remembered.len() >= MAX_REMEMBERED {
                remembered.clear();
            }
            remembered.insert(directory.to_owned(), place.clone());
        }
        Ok(place)
    }

    /// The host of a repository root, opened when needed.
    ///
    /// # Errors
    /// When `.aictx` is missing or unusable.
    pub fn open(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        if let Ok(open) = self.open.read()
            && let Some(host) = open.get(root)
            && host.memory().is_dir()
        {
            return Ok(Arc::clone(host));
        }
        let home = self.homes.of(root);
        let store = Store::open_at(root, &home).map_err(|e| store_error(&e))?;
        Ok(self.insert(root, home, store))
    }

    /// As [`Self::open`], but creates what is missing.
    ///
    /// # Errors
    /// When `.aictx` cannot be created or is unusable.
    pub fn create(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        self.create_at(root, self.homes.of(root))
    }

    /// As [`Self::create`], in the home outside of the repository.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_outside(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        let home = self.homes.make_outside(root).map_err(|e| {
            RpcError::new(NOT_WRITABLE, e.to_string())
                .hint("set XDG_STATE_HOME to a directory that can be written")
        })?;
        self.create_at(root, home)
    }

    fn create_at(&self, root: &Path, home: PathBuf) -> Result<Arc<Host>, RpcError> {
        let store = Store::create_at(root, &home).map_err(|e| store_error(&e))?;
        Ok(self.insert(root, home, store))
    }

    fn insert(&self, root: &Path, home: PathBuf, store: Store) -> Arc<Host> {
        let host = Arc::new(Host {
            root: root.to_owned(),
            home,
            store: Arc::new(store),
            watch: Watch::default(),
            queue: Mutex::default(),
            commits: AtomicU64::new(0),
            finalized: AtomicU64::new(0),
            pending: Mutex::default(),
            unrecorded: Mutex::default(),
        });
        if let Ok(mut open) = self.open.write() {
            open.insert(root.to_owned(), Arc::clone(&host));
        }
        host
    }

    /// Forgets a repository.
    pub fn close(&self, root: &Path) {
        if let Ok(mut open) = self.open.write() {
            open.remove(root);
        }
        if let Ok(mut remembered) = self.remembered.write() {
            remembered.retain(|_, place| place.root != root);
        }
    }

    /// All open hosts, by root.
    pub fn all(&self) -> Vec<Arc<Host>> {
        let mut hosts: Vec<_> = self
            .open
            .read()
            .map(|o| o.values().cloned().collect())
            .unwrap_or_default();
        hosts.sort_by(|a: &Arc<Host>, b| a.root.cmp(&b.root));
        hosts
    }
}

impl Host {
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

    fn append(&self, session_id: &str, rows: &[LedgerRow]) -> Result<(), StoreError> {
        let written = self.store.append_ledger(session_id, rows);
        if let Err(error) = &written {
            tracing::warn!(repo = %self.root.display(), %error, "an observation was not recorded");
            let mut unrecorded = self
                .unrecorded
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *unrecorded = (unrecorded.0 + rows.len() as u64, error.to_string());
        }
        written.map(drop)
    }

    /// The directory with its files.
    pub fn memory(&self) -> PathBuf {
        self.home.join(MEMORY)
    }

    /// What the files of the repository are to this process.
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

    /// Decides on the newest snapshot under the repository's lock and makes the effects durable,
    /// together with whatever else is waiting. Gives the reply once it is on disk.
    ///
    /// # Errors
    /// When nothing could be written, or too much is waiting.
    pub async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, aictx_artifacts::scrub::Report), RpcError> {
        self.write_as(false, decide).await
    }

    /// As [`Self::write`] for what is derived from other records and can be derived again: the reply
    /// comes when the files hold it, before the disk has confirmed them.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn write_soon<T: Send + 'static>(
        self: &Arc<Self>,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, aictx_artifacts::scrub::Report), RpcError> {
        self.write_as(true, decide).await
    }

    async fn write_as<T: Send + 'static>(
        self: &Arc<Self>,
        soon: bool,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, aictx_artifacts::scrub::Report), RpcError> {
        let slot = Arc::new(Mutex::new(None));
        let inner = Arc::clone(&slot);
        let operation: Op<'static, ()> = Box::new(move |snapshot: &Snapshot| {
            let (reply, effects) = decide(snapshot);
            *inner.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
            ((), effects)
        });
        let (done, committed) = oneshot::channel();
        self.submit(Job {
            operation,
            soon,
            done,
        })?;
        let outcome = committed
            .await
            .map_err(|_| RpcError::new(INTERNAL, "the writer gave up"))?;
        let report = outcome.map_err(|e| store_error(&e))?;
        let reply = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        reply
            .map(|reply| (reply, report))
            .ok_or_else(|| RpcError::new(INTERNAL, "no reply was made"))
    }

    fn submit(self: &Arc<Self>, job: Job) -> Result<(), RpcError> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.waiting.len() >= MAX_QUEUE {
            return Err(RpcError::new(
                UNAVAILABLE,
                "too many operations wait for this repository",
            ));
        }
        queue.waiting.push_back(job);
        if !queue.draining {
            queue.draining = true;
            let host = Arc::clone(self);
            tokio::task::spawn_blocking(move || host.drain());
        }
        Ok(())
    }

    /// Commits what waits, in groups, until nothing does.
    fn drain(&self) {
        loop {
            let group: Vec<Job> = {
                let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if queue.waiting.is_empty() {
                    queue.draining = false;
                    return;
                }
                let take = queue.waiting.len().min(GROUP);
                queue.waiting.drain(..take).collect()
            };
            self.commits.fetch_add(1, Ordering::Relaxed);
            if group.iter().all(|job| job.soon) {
                self.commit_soon(group);
            } else {
                let (operations, waiting): (Vec<_>, Vec<_>) = group
                    .into_iter()
                    .map(|job| (job.operation, job.done))
                    .unzip();
                let outcomes = self.store.transact_many(operations);
                for (outcome, done) in outcomes.into_iter().zip(waiting) {
                    let _ = done.send(outcome.map(|committed| committed.report));
                }
            }
            if let Err(error) = self.store.archive_histories() {
                tracing::warn!(repo = %self.root.display(), %error, "a history was not archived");
            }
        }
    }

    /// Commits a group whose answers need not wait for the disk. What was redacted is not told: only
    /// finalize tells it.
    fn commit_soon(&self, group: Vec<Job>) {
        let (operations, waiting): (Vec<_>, Vec<_>) = group
            .into_iter()
            .map(|job| (job.operation, job.done))
            .unzip();
        let mut waiting: Vec<Option<_>> = waiting.into_iter().map(Some).collect();
        let mut seen = || {
            for done in waiting.iter_mut().filter_map(Option::take) {
                // An operation that failed alone left no reply; its caller is told so.
                let _ = done.send(Ok(aictx_artifacts::scrub::Report::default()));
            }
        };
        let outcomes = self.store.transact_soon(operations, &mut seen);
        for (outcome, done) in outcomes.into_iter().zip(waiting) {
            match (outcome, done) {
                (outcome, Some(done)) => {
                    let _ = done.send(outcome.map(|committed| committed.report));
                }
                (Err(error), None) => {
                    tracing::warn!(repo = %self.root.display(), %error, "answered, but not on disk yet");
                }
                (Ok(_), None) => {}
            }
        }
    }

    /// Notes that an execution was finalized; whether it is time to [`Self::tidy`]. A process that
    /// serves one call always has to.
    pub fn is_untidy(&self, mode: Mode) -> bool {
        let count = self.finalized.fetch_add(1, Ordering::Relaxed) + 1;
        mode == Mode::Once || count.is_multiple_of(TIDY_AFTER)
    }

    /// Bounds what the repository keeps. Ledgers of live sessions and of those that are still to be
    /// finalized stay.
    pub async fn tidy(self: &Arc<Self>, app: &Arc<App>) {
        let live: HashSet<String> = app
            .sessions
            .all()
            .iter()
            .map(|(id, _)| file_stem(id))
            .collect();
        let host = Arc::clone(self);
        let tidied = tokio::task::spawn_blocking(move || {
            host.store.tidy(&|stem| {
                live.contains(stem) || {
                    let ledger = host.store.read_ledger(stem);
                    aictx_continuity::open_session(&ledger.rows).is_some()
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

    /// For `status`.
    pub fn status(&self) -> RepoStatus {
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

/// The nearest directory from `directory` upwards that looks like a worktree.
fn nearest(directory: &Path) -> Option<&Path> {
    directory
        .ancestors()
        .find(|dir| dir.join(".git").exists() || dir.join(".aictx").exists())
}

/// A store's failure in the words of the wire.
pub fn store_error(error: &StoreError) -> RpcError {
    let text = error.to_string();
    match error {
        StoreError::UnsafePath { .. } => RpcError::new(UNSAFE_PATH, text)
            .hint("replace the link by a real directory, or remove it"),
        StoreError::NotInitialised { .. } => {
            RpcError::new(NO_REPOSITORY, text).hint("run `aictx init` in the repository")
        }
        StoreError::Locked { .. } => RpcError::new(UNAVAILABLE, text).hint("try again"),
        _ => RpcError::new(NOT_WRITABLE, text).hint("check free space and permissions of .aictx"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_made_inside_a_remembered_directory_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        let inner = root.join("vendor/inner");
        let deep = inner.join("src");
        std::fs::create_dir_all(root.join(".aictx")).unwrap();
        std::fs::create_dir_all(&deep).unwrap();
        let hosts = Hosts::new(Homes::new(&dir.path().join("state")));
        assert_eq!(hosts.place(&deep).unwrap().root, root);
        assert!(hosts.remembered.read().unwrap().contains_key(&deep));
        std::fs::create_dir(inner.join(".aictx")).unwrap();
        assert_eq!(hosts.place(&deep).unwrap().root, inner);
        std::fs::remove_dir(inner.join(".aictx")).unwrap();
        assert_eq!(hosts.place(&deep).unwrap().root, root);
    }
}
