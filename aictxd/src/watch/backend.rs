//! The watchers that the system gives.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use notify::{Config, Event, EventKindMask, PathOp, RecommendedWatcher, Watcher};

use super::Message;
use super::change_log::Heard;
use super::thread::NAP;
use crate::index_service::Maps;
use crate::storage_location::MEMORY;

/// Share of the system's watches that one user's daemon takes at most.
const SHARE_OF_SYSTEM: u64 = 2;
/// Variable that lowers the number of watches (tests, shared machines).
const LIMIT_VARIABLE: &str = "AICTXD_MAX_WATCHES";

/// Directories that the system does not watch.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchError {
    /// The system has no watcher for us.
    #[error("the system gives no watcher")]
    NoWatcher,
    /// Others need watches, too.
    #[error(
        "{adding} more directories would exceed {limit} watches; raise fs.inotify.max_user_watches"
    )]
    Limit {
        /// Directories to be watched.
        adding: u64,
        /// Watches that the daemon may take.
        limit: u64,
    },
    /// All watches of the user are taken.
    #[error("the system has no watches left; raise fs.inotify.max_user_watches")]
    Exhausted,
}

/// The system's watchers: of memories, where nobody is in a hurry, and of all else.
pub(super) struct System {
    sources: RecommendedWatcher,
    /// Second watcher, if the system gives one.
    memories: Option<RecommendedWatcher>,
    /// Watches that they have.
    used: u64,
}

impl System {
    /// Nothing where the system gives no watcher. What happens goes to `messages`, and to `maps` and `heard` at
    /// once.
    pub(super) fn open(
        messages: Sender<Message>,
        maps: Arc<Maps>,
        heard: Arc<Heard>,
    ) -> Option<Self> {
        let inbox = messages.clone();
        let sources = RecommendedWatcher::new(
            move |event: Result<Event, notify::Error>| {
                match &event {
                    Ok(event) if heard.take(event) => return,
                    Ok(_) => {}
                    Err(_) => heard.lose_all(),
                }
                // Whoever asks from now on knows that there is something new.
                let paths = event.iter().flat_map(|event| &event.paths);
                let number = maps.arrived(paths.map(PathBuf::as_path));
                let _ = inbox.send(Message::Event(event, number));
            },
            config(),
        );
        if let Err(error) = &sources {
            tracing::warn!(%error, "the system gives no watcher; repositories are looked at once a minute");
        }
        let mut slept = Instant::now();
        let memories = RecommendedWatcher::new(
            move |event: Result<Event, notify::Error>| {
                // Most of what happens there is our own doing, dozens of events at a time, and whoever is
                // woken by each of them takes the time from those who do it.
                if slept.elapsed() > NAP {
                    std::thread::sleep(NAP);
                    slept = Instant::now();
                }
                let _ = messages.send(Message::Event(event, 0));
            },
            config(),
        );
        Some(Self {
            sources: sources.ok()?,
            memories: memories.ok(),
            used: 0,
        })
    }

    /// Watches a directory of our own; whether that could be done.
    pub(super) fn watch(&mut self, directory: &Path) -> bool {
        let watch = PathOp::watch_non_recursive(directory);
        self.sources.update_paths(vec![watch]).is_ok()
    }

    /// Registers and unregisters directories: those that could not be registered, being gone, say.
    ///
    /// # Errors
    /// When there are too few watches.
    pub(super) fn register(
        &mut self,
        new: Vec<PathBuf>,
        gone: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, WatchError> {
        let limit = watch_limit();
        let (adding, dropping) = (new.len() as u64, gone.len() as u64);
        if self.used + adding > limit {
            return Err(WatchError::Limit { adding, limit });
        }
        // What is gone from the disk is gone from the kernel too; errors here mean nothing.
        for path in gone {
            let _ = self.of(&path).update_paths(vec![PathOp::unwatch(path)]);
        }
        let (memories, sources): (Vec<_>, Vec<_>) = new.into_iter().partition(|p| is_memory(p));
        let mut failures = Vec::new();
        for new in [memories, sources] {
            let Some(first) = new.first() else {
                continue;
            };
            let watcher = self.of(first);
            let mut pending: Vec<PathOp> =
                new.into_iter().map(PathOp::watch_non_recursive).collect();
            while !pending.is_empty() {
                match watcher.update_paths(pending) {
                    Ok(()) => break,
                    // A directory that vanished between walk and registration is skipped.
                    Err(failed) => match failed.source.kind {
                        notify::ErrorKind::MaxFilesWatch => {
                            return Err(WatchError::Exhausted);
                        }
                        _ => {
                            let path = failed.origin.map(PathOp::into_path);
                            failures.extend(path);
                            pending = failed.remaining;
                        }
                    },
                }
            }
        }
        self.used = (self.used + adding).saturating_sub(dropping);
        Ok(failures)
    }

    fn of(&mut self, path: &Path) -> &mut RecommendedWatcher {
        match &mut self.memories {
            Some(memories) if is_memory(path) => memories,
            _ => &mut self.sources,
        }
    }
}

/// Returns true if a path lies in a memory.
pub(super) fn is_memory(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == MEMORY)
}

/// Returns the configuration of watchers.
pub(crate) fn config() -> Config {
    let kinds = EventKindMask::CREATE
        | EventKindMask::REMOVE
        | EventKindMask::MODIFY_NAME
        | EventKindMask::MODIFY_META
        | EventKindMask::ACCESS_CLOSE;
    Config::default()
        .with_event_kinds(kinds)
        .with_follow_symlinks(false)
}

#[expect(clippy::disallowed_methods, reason = "a file of /proc")]
fn watch_limit() -> u64 {
    let own = std::env::var(LIMIT_VARIABLE)
        .ok()
        .and_then(|v| v.parse().ok());
    let system = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map_or(u64::MAX, |n| n / SHARE_OF_SYSTEM);
    own.unwrap_or(u64::MAX).min(system)
}
