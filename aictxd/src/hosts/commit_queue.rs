//! The queue of operations of one repository: committed in order, in groups, behind one journal entry
//! each.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_artifacts::{Committed, Op, StoreError};
use aictx_proto::effect::Effects;
use aictx_proto::rpc::{INTERNAL, RpcError, UNAVAILABLE};
use aictx_proto::snapshot::Snapshot;
use aictx_redact::Report;
use tokio::sync::oneshot;

use super::{Host, store_error};

/// Operations that one commit takes together.
const GROUP: usize = 64;
/// Operations that may wait for one repository; beyond it callers are told to come back.
const MAX_QUEUE: usize = 1_024;

/// Delay before the sync of an answer that need not wait for it: who asks again at once
/// would wait with it.
const SETTLE: Duration = Duration::from_millis(50);
/// So many times as long as that a host that is written to again and again is waited for.
const MAX_WAITS: usize = 40;

/// Operations that wait for one repository.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) waiting: VecDeque<Job>,
    draining: bool,
}

impl Queue {
    /// Returns the number of waiting jobs to commit together: no two that look at the same file.
    fn group(&self) -> usize {
        let mut names: HashSet<&str> = HashSet::new();
        let together = self.waiting.iter().take(GROUP).take_while(|job| {
            let name = job.looks_at.as_deref();
            name.is_none_or(|name| names.insert(name))
        });
        together.count()
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

/// One operation and who waits for it.
pub(super) struct Job {
    operation: Op<'static, ()>,
    /// Its answer need not wait for the disk.
    soon: bool,
    /// File that it reads besides its snapshot: of one name, each sees what the one before wrote.
    looks_at: Option<String>,
    done: Done,
}

/// Channel for the result of a commit.
type Done = oneshot::Sender<Result<Report, RpcError>>;

/// Sender of a job's decision.
struct Promise<T> {
    decided: Arc<Mutex<Option<T>>>,
    done: Done,
}

/// Receiver of a job's decision, ready once it is committed.
struct Pending<T> {
    decided: Arc<Mutex<Option<T>>>,
    committed: oneshot::Receiver<Result<Report, RpcError>>,
}

fn promise<T>() -> (Promise<T>, Pending<T>) {
    let decided = Arc::new(Mutex::new(None));
    let (done, committed) = oneshot::channel();
    let promise = Promise {
        decided: Arc::clone(&decided),
        done,
    };
    (promise, Pending { decided, committed })
}

impl<T: Send + 'static> Promise<T> {
    /// The job that keeps it.
    fn job(
        self,
        soon: bool,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Job {
        let slot = self.decided;
        let operation: Op<'static, ()> = Box::new(move |snapshot: &Snapshot| {
            let (reply, effects) = decide(snapshot);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
            ((), effects)
        });
        Job {
            operation,
            soon,
            looks_at: None,
            done: self.done,
        }
    }
}

impl<T> Pending<T> {
    async fn reply(self) -> Result<(T, Report), RpcError> {
        let outcome = self
            .committed
            .await
            .map_err(|_| RpcError::new(INTERNAL, "the writer gave up"))?;
        let report = outcome?;
        let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = decided.take();
        reply
            .map(|reply| (reply, report))
            .ok_or_else(|| RpcError::new(INTERNAL, "no reply was made"))
    }
}

impl Host {
    /// Decides on the newest snapshot under the repository's lock and makes the effects durable,
    /// together with whatever else is waiting. Gives the reply once it is on disk.
    ///
    /// # Errors
    /// When nothing could be written, or too much is waiting.
    pub async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, Report), RpcError> {
        self.write_looking_at(None, decide).await
    }

    /// As [`Self::write`] for what also looks at a file that other operations of the same name write: the
    /// snapshot of a group holds what the group decided, the disk does not yet.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn write_looking_at<T: Send + 'static>(
        self: &Arc<Self>,
        name: Option<String>,
        decide: impl FnOnce(&Snapshot) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, Report), RpcError> {
        let (promise, pending) = promise();
        let mut job = promise.job(false, decide);
        job.looks_at = name;
        if self.queue(job) {
            let host = Arc::clone(self);
            tokio::task::spawn_blocking(move || host.drain());
        }
        pending.reply().await
    }

    /// As [`Self::write`] for what is derived from other records and can be derived again: the reply
    /// comes when the files hold it, before the disk has confirmed them. `look` looks at the disk
    /// before, without the lock and on the same thread: all of it takes so little time that going
    /// from one thread to another is a part of it. What it saw is let go of behind the reply, where no other thread was
    /// committing already.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn look_and_write_soon<L: Send + Sync + 'static, T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce() -> L + Send + 'static,
        decide: impl FnOnce(&Snapshot, &L) -> (T, Effects) + Send + 'static,
    ) -> Result<(T, Report), RpcError> {
        let host = Arc::clone(self);
        let (promise, pending) = promise();
        tokio::task::spawn_blocking(move || {
            let looked = Arc::new(look());
            let seen = Arc::clone(&looked);
            if host.queue(promise.job(true, move |snapshot: &Snapshot| decide(snapshot, &seen))) {
                host.drain();
            }
            drop(looked);
        });
        pending.reply().await
    }

    /// Puts a job into the queue; whether the caller has to drain it. One that finds no room is told
    /// so.
    fn queue(&self, job: Job) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.waiting.len() >= MAX_QUEUE {
            let why = "too many operations wait for this repository";
            let _ = job.done.send(Err(RpcError::new(UNAVAILABLE, why)));
            return false;
        }
        queue.waiting.push_back(job);
        !std::mem::replace(&mut queue.draining, true)
    }

    /// Commits what waits, in groups, until nothing does.
    fn drain(self: &Arc<Self>) {
        self.commit_all();
        // The next one who waits does not wait for files to be made, nor for a look at those just written.
        if self.stocks.load(Ordering::Relaxed) {
            self.store.stock();
            self.store.snapshot();
        }
        if self.store.owes() && !self.settling.swap(true, Ordering::AcqRel) {
            let host = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(SETTLE).await;
                host.settling.store(false, Ordering::Release);
                drop(tokio::task::spawn_blocking(move || host.settle()));
            });
        }
        if self.has_finalized() && !self.archiving.swap(true, Ordering::AcqRel) {
            let host = Arc::clone(self);
            tokio::spawn(async move {
                host.quiet().await;
                host.archiving.store(false, Ordering::Release);
                drop(tokio::task::spawn_blocking(move || host.archive()));
            });
        }
    }

    /// Waits for a moment in which nobody writes, but not for ever: what bounds files takes the lock
    /// for longer than an answer may take.
    pub(super) async fn quiet(&self) {
        for _ in 0..MAX_WAITS {
            let before = self.commits.load(Ordering::Relaxed);
            tokio::time::sleep(SETTLE).await;
            if self.commits.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }

    /// Moves the older rows of histories that have become long into the archive, once something was
    /// finalized here: whoever only looks and guards moves nothing.
    pub fn archive(&self) {
        if !self.has_finalized() {
            return;
        }
        if let Err(error) = self.store.archive_histories() {
            tracing::warn!(repo = %self.root.display(), %error, "a history was not archived");
        }
    }

    /// Lets the disk confirm what was answered before it had.
    pub fn settle(&self) {
        if let Err(error) = self.store.settle() {
            tracing::warn!(repo = %self.root.display(), %error, "answered, but not on disk yet");
        }
    }

    fn commit_all(&self) {
        loop {
            let group: Vec<Job> = {
                let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if queue.waiting.is_empty() {
                    queue.draining = false;
                    return;
                }
                let take = queue.group();
                queue.waiting.drain(..take).collect()
            };
            self.commits.fetch_add(1, Ordering::Relaxed);
            if group.iter().all(|job| job.soon) {
                self.stocks.store(true, Ordering::Relaxed);
                self.commit_soon(group);
            } else {
                let (operations, waiting): (Vec<_>, Vec<_>) = group
                    .into_iter()
                    .map(|job| (job.operation, job.done))
                    .unzip();
                let outcomes = self.store.transact_many(operations);
                for (outcome, done) in outcomes.into_iter().zip(waiting) {
                    tell(done, outcome);
                }
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
                let _ = done.send(Ok(Report::default()));
            }
        };
        let outcomes = self.store.transact_soon(operations, &mut seen);
        for (outcome, done) in outcomes.into_iter().zip(waiting) {
            match (outcome, done) {
                (outcome, Some(done)) => tell(done, outcome),
                (Err(error), None) => {
                    tracing::warn!(repo = %self.root.display(), %error, "answered, but not on disk yet");
                }
                (Ok(_), None) => {}
            }
        }
    }
}

/// Says what came of an operation to whoever waits for it.
fn tell(done: Done, outcome: Result<Committed<()>, StoreError>) {
    let outcome = outcome.map(|committed| committed.report);
    let _ = done.send(outcome.map_err(|e| store_error(&e)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_that_look_at_one_file_go_together() {
        let mut queue = Queue::default();
        for name in [None, Some("a"), None, Some("b"), Some("a"), Some("c")] {
            let (promise, _) = promise();
            let mut job = promise.job(false, |_| ((), Vec::new()));
            job.looks_at = name.map(str::to_owned);
            queue.waiting.push_back(job);
        }
        assert_eq!(queue.group(), 4);
        queue.waiting.drain(..4);
        assert_eq!(queue.group(), 2);
        queue.waiting.clear();
        assert_eq!(queue.group(), 0);
    }
}
