//! Threads of their own for repositories on file systems that can hang.
//!
//! A thread that waits for a dead file server cannot be interrupted, so everything that concerns such
//! a repository runs on the *lane* of its mount: a runtime of one thread and few for blocking work.
//! While somebody waits for long, the file system itself is asked for a sign of life; without one
//! everybody gives up, and the lane takes nothing more until something on it has ended. The daemon's
//! other threads are [guarded](mounts::guard_this_thread).

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_files::mounts::{self, Mount};
use aictx_proto::rpc::{INTERNAL, RpcError, UNAVAILABLE};
use tokio::runtime::{Builder, Handle};

/// Most lanes; those on which nothing runs make room.
const MAX_LANES: usize = 16;
/// Most requests that run or wait on one lane.
const MAX_IN_FLIGHT: usize = 32;
/// Threads of a lane for work that blocks.
const BLOCKING_THREADS: usize = 4;
/// Longest that anything waits for a lane whose file system answers.
const LONGEST: Duration = Duration::from_secs(900);
/// Wait of a request before the file system is probed, and between two
/// such questions. Hooks give up earlier by themselves.
const PATIENCE: Duration = Duration::from_secs(2);

/// All lanes, by the kernel's number of their mounts.
#[derive(Debug, Default)]
pub struct Lanes(Mutex<HashMap<u64, Arc<Lane>>>);

/// The threads for one mount.
#[derive(Debug)]
pub struct Lane {
    mount: Arc<Mount>,
    /// Nothing when its thread could not be started.
    runtime: Option<Handle>,
    in_flight: AtomicUsize,
    /// The file system gave no sign of life, and nothing has ended since.
    is_stuck: AtomicBool,
    /// Somebody waits for a sign of life.
    is_asking: Arc<AtomicBool>,
    patience: Duration,
    /// Asks the file system that is mounted at a path; may hang.
    ask: fn(&Path),
}

impl Lanes {
    /// The lane for a path. Nothing where the path cannot hang, and on threads that may wait for it,
    /// such as a lane's own.
    pub fn of(&self, path: &Path) -> Option<Arc<Lane>> {
        if !mounts::is_guarded() {
            return None;
        }
        let mount = mounts::hanging_behind(path)?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = all.get(&mount.id) {
            return Some(Arc::clone(lane));
        }
        if all.len() >= MAX_LANES {
            all.retain(|_, lane| lane.in_flight.load(Ordering::Acquire) > 0);
        }
        let runtime = (all.len() < MAX_LANES).then(|| start(&mount)).flatten();
        let is_open = runtime.is_some();
        let lane = Arc::new(Lane::new(
            Arc::clone(&mount),
            runtime,
            PATIENCE,
            ask_for_life,
        ));
        if is_open {
            all.insert(mount.id, Arc::clone(&lane));
        }
        Some(lane)
    }
}

/// Starts the thread of a lane. It ends with the process: it may never come back.
fn start(mount: &Mount) -> Option<Handle> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(Duration::from_secs(5))
        .build();
    let started = runtime.and_then(|runtime| {
        let handle = runtime.handle().clone();
        std::thread::Builder::new()
            .name("lane".into())
            .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(handle)
    });
    match started {
        Ok(handle) => Some(handle),
        Err(error) => {
            tracing::warn!(mount = %mount.path.display(), %error, "has no threads of its own");
            None
        }
    }
}

/// Asks a file system for something that no cache knows.
fn ask_for_life(mounted_at: &Path) {
    // An error is an answer.
    let _ = rustix::fs::statfs(mounted_at);
}

/// A place among the requests in flight.
struct Place(Arc<Lane>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.is_stuck.store(false, Ordering::Release);
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Lane {
    fn new(mount: Arc<Mount>, runtime: Option<Handle>, patience: Duration, ask: fn(&Path)) -> Self {
        Self {
            mount,
            runtime,
            in_flight: AtomicUsize::new(0),
            is_stuck: AtomicBool::new(false),
            is_asking: Arc::default(),
            patience,
            ask,
        }
    }

    fn enter(self: &Arc<Self>) -> Option<(Place, &Handle)> {
        let runtime = self.runtime.as_ref()?;
        let before = self.in_flight.fetch_add(1, Ordering::AcqRel);
        if before >= MAX_IN_FLIGHT || before > 0 && self.is_stuck.load(Ordering::Acquire) {
            self.in_flight.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        Some((Place(Arc::clone(self)), runtime))
    }

    /// Does something on the lane and waits for it. It may still be done after the waiting ended.
    ///
    /// # Errors
    /// When the file system does not answer; else what the work says.
    pub async fn run<T: Send + 'static>(
        self: Arc<Self>,
        work: impl Future<Output = Result<T, RpcError>> + Send + 'static,
    ) -> Result<T, RpcError> {
        let Some((place, runtime)) = self.enter() else {
            return Err(self.silence());
        };
        let mut done = runtime.spawn(async move {
            let _place = place;
            work.await
        });
        let end = tokio::time::Instant::now() + LONGEST;
        loop {
            if let Ok(done) = tokio::time::timeout(self.patience, &mut done).await {
                return done.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")));
            }
            if !self.is_alive().await || tokio::time::Instant::now() > end {
                return Err(self.silence());
            }
        }
    }

    /// Returns true if the file system answers. The question is asked on a thread of its own, one at a time.
    async fn is_alive(&self) -> bool {
        if !self.is_asking.swap(true, Ordering::AcqRel) {
            let (path, is_asking, ask) = (
                self.mount.path.clone(),
                Arc::clone(&self.is_asking),
                self.ask,
            );
            let asked = std::thread::Builder::new()
                .name("life".into())
                .spawn(move || {
                    ask(&path);
                    is_asking.store(false, Ordering::Release);
                });
            if asked.is_err() {
                self.is_asking.store(false, Ordering::Release);
            }
        }
        tokio::time::sleep(self.patience).await;
        let is_silent = self.is_asking.load(Ordering::Acquire);
        if is_silent && !self.is_stuck.swap(true, Ordering::AcqRel) {
            let (mount, kind) = (self.mount.path.display(), &self.mount.kind);
            tracing::warn!(%mount, kind, "a file system does not answer");
        }
        !is_silent
    }

    /// Does something on the lane while nobody waits; nothing when too much is in flight.
    pub fn spawn(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        if let Some((place, runtime)) = self.enter() {
            runtime.spawn(async move {
                let _place = place;
                work.await;
            });
        }
    }

    fn silence(&self) -> RpcError {
        let (path, kind) = (self.mount.path.display(), &self.mount.kind);
        let text = format!("the file system at {path} ({kind}) does not answer");
        RpcError::new(UNAVAILABLE, text).hint("try again when its server answers, or unmount it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::mpsc;

    fn lane(ask: fn(&Path)) -> Arc<Lane> {
        let mount = Arc::new(Mount {
            id: 1,
            path: PathBuf::from("/mnt/far"),
            kind: "nfs4".to_owned(),
        });
        let (runtime, patience) = (start(&mount), Duration::from_millis(20));
        Arc::new(Lane::new(mount, runtime, patience, ask))
    }

    fn waiting(test: impl Future<Output = ()>) {
        let runtime = Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(test);
    }

    #[test]
    fn a_lane_that_hangs_takes_nothing_more_until_it_moves() {
        waiting(async {
            let lane = lane(|_| std::thread::park());
            let done = Arc::clone(&lane).run(async { Ok(7) }).await;
            assert_eq!(done.unwrap(), 7);
            // A thread that waits for a file server.
            let (answer, server) = mpsc::channel::<()>();
            let hangs = async move {
                let _ = server.recv();
                Ok(())
            };
            let refused = Arc::clone(&lane).run(hangs).await.unwrap_err();
            assert_eq!(refused.code, UNAVAILABLE.code);
            // The others need not even wait.
            for _ in 0..MAX_IN_FLIGHT * 2 {
                let refused = Arc::clone(&lane).run(async { Ok(()) }).await;
                assert!(refused.unwrap_err().message.contains("/mnt/far"));
                lane.spawn(async {});
            }
            assert_eq!(lane.in_flight.load(Ordering::Acquire), 1);
            drop(answer);
            while lane.in_flight.load(Ordering::Acquire) > 0 {
                tokio::task::yield_now().await;
            }
            let done = Arc::clone(&lane).run(async { Ok(8) }).await;
            assert_eq!(done.unwrap(), 8);
        });
    }

    #[test]
    fn work_that_takes_long_on_a_file_system_that_answers_is_waited_for() {
        waiting(async {
            let lane = lane(|_| {});
            let slow = async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Ok(9)
            };
            assert_eq!(Arc::clone(&lane).run(slow).await.unwrap(), 9);
        });
    }
}
