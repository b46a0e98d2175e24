//! Watching: file system events, settled into batches, one set of directories per repository.
//!
//! Only directories that are not ignored are registered, and the kernel is asked for creations,
//! removals, renames, changed modes and finished writes only: nobody's reading wakes the daemon, its
//! own included. When the kernel drops events or a tree changes shape, the directories are walked
//! again and compared; when there are too many of them, the repository is looked at once a minute
//! instead and `status` says why.
//!
//! One thread owns the system's watchers and sleeps until something happens.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use aictx_files::beneath;
use aictx_proto::methods::WatchStats;
use notify::Event;
use tokio::sync::oneshot;

use crate::app::App;
use crate::hosts::Host;

mod backend;
pub mod change_log;
mod dir_set;
mod thread;

#[cfg(test)]
pub(crate) use backend::config;
use change_log::{Heard, Listener};
use thread::{Own, Watching};

/// State of a host's watcher.
#[derive(Debug, Default)]
pub struct Watch {
    stats: Mutex<WatchStats>,
}

impl Watch {
    /// Counters and mode.
    pub fn stats(&self) -> WatchStats {
        let mut stats = self
            .stats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if stats.mode.is_empty() {
            stats.mode = "off".to_owned();
        }
        stats
    }

    fn change(&self, edit: impl FnOnce(&mut WatchStats)) {
        edit(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

enum Message {
    Watch(Arc<Host>),
    KeepOnly(Vec<PathBuf>),
    /// With its number among those that came.
    Event(Result<Event, notify::Error>, u64),
    LookAround,
    Unwatched(Question),
}

/// Which of these directories of a repository are not watched.
struct Question {
    root: PathBuf,
    directories: Vec<PathBuf>,
    reply: oneshot::Sender<Option<Vec<PathBuf>>>,
}

/// Handle to the watching thread.
#[derive(Debug, Clone)]
pub struct Service {
    messages: Sender<Message>,
    spool: Arc<tokio::sync::Notify>,
    heard: Arc<Heard>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Message::Watch(_) => "Watch",
            Message::KeepOnly(_) => "KeepOnly",
            Message::Event(..) => "Event",
            Message::LookAround => "LookAround",
            Message::Unwatched(_) => "Unwatched",
        })
    }
}

impl Service {
    /// Starts the thread. It ends with the last handle.
    pub fn start(app: &Arc<App>) -> Self {
        let (messages, inbox) = channel();
        let spool = Arc::new(tokio::sync::Notify::new());
        let service = Self {
            messages: messages.clone(),
            spool: Arc::clone(&spool),
            heard: Arc::new(Heard::new(app.locations.state.join("heard"))),
        };
        let own = Own {
            spools: [app.locations.spool(), app.locations.runtime_spool()],
            socket: app.locations.socket.clone(),
            lock: app.locations.daemon_lock(),
            place_changed: Arc::clone(&app.place_changed),
        };
        let (maps, heard) = (Arc::clone(&app.maps), Arc::clone(&service.heard));
        let started = std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || {
                Watching::new(messages, spool, own, maps, heard).run(&inbox);
            });
        if let Err(error) = started {
            tracing::error!(%error, "repositories are not watched");
        }
        service
    }

    /// Watches a repository; nothing happens when it is watched already.
    pub fn watch(&self, host: &Arc<Host>) {
        let _ = self.messages.send(Message::Watch(Arc::clone(host)));
    }

    /// Stops watching all repositories but these.
    pub fn keep_only(&self, roots: Vec<PathBuf>) {
        let _ = self.messages.send(Message::KeepOnly(roots));
    }

    /// The minute has passed: look at what cannot be watched.
    pub fn look_around(&self) {
        let _ = self.messages.send(Message::LookAround);
    }

    /// Begins to listen to a worktree whose watched directories are all those that are known to be there
    /// now. Nothing where the watcher would not tell of every change.
    pub async fn listen(&self, worktree: &Path) -> Option<Arc<Listener>> {
        let all = beneath::directory(worktree).is_ok_and(aictx_artifacts::tells_of_all);
        if !all {
            return None;
        }
        let listener = Arc::new(self.heard.listen(worktree));
        let listening = Arc::clone(&listener);
        let caught_up = tokio::task::spawn_blocking(move || listening.caught_up());
        if !caught_up.await.unwrap_or(false) {
            return None;
        }
        // What was made before may be watched only now.
        self.unwatched(worktree, Vec::new()).await?;
        Some(listener)
    }

    /// Which of some directories (absolute) of a repository are not watched, now that everything that was
    /// heard of before is taken in. Nothing where none is.
    pub async fn unwatched(&self, root: &Path, directories: Vec<PathBuf>) -> Option<Vec<PathBuf>> {
        let (reply, answer) = oneshot::channel();
        let question = Question {
            root: root.to_owned(),
            directories,
            reply,
        };
        self.messages.send(Message::Unwatched(question)).ok()?;
        answer.await.ok()?
    }

    /// Resolves when something was put into the spool.
    pub async fn spool_changed(&self) {
        self.spool.notified().await;
    }
}
