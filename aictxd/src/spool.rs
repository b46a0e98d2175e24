//! Events that clients could not hand over, or that could not be recorded, taken in in order.
//!
//! They wait in up to three kinds of places ([`aictx_files::spool::Places`]): the state directory,
//! a repository's memory, and a directory beside the socket.

use std::collections::{HashMap, HashSet};
use std::fs::{File, TryLockError};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aictx_files::spool::{MAX_EVENTS, Places, Spool, sequence};
use aictx_proto::methods::{HookParams, SpoolReport};
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{App, unix_nanos};
use crate::hook;
use crate::storage_location::MEMORY;

/// Waiting events beyond which the daemon keeps no more: one repository that cannot be written must
/// not take the room that clients need while there is no daemon.
const MAX_KEPT: u64 = MAX_EVENTS as u64 / 2;
/// Most attempts at an event that ends the process each time.
const MAX_ATTEMPTS: u32 = 3;
/// Longest wait for the spool's lock; less than what a session's end may take.
const LOCK_DEADLINE: Duration = Duration::from_millis(500);
/// Interval between attempts.
const LOCK_STEP: Duration = Duration::from_millis(5);

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    params: &'a RawValue,
}

/// Events that were tried and have to wait, and losses that no file counts.
#[derive(Debug, Default)]
pub struct Waiting {
    /// By file: whose event it is. Bounded by [`MAX_EVENTS`].
    later: Mutex<HashMap<PathBuf, String>>,
    uncounted: AtomicU64,
}

impl Waiting {
    fn later(&self) -> MutexGuard<'_, HashMap<PathBuf, String>> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if earlier events of an event's session wait.
    pub fn is_behind(&self, params: &HookParams) -> bool {
        let later = self.later();
        !later.is_empty()
            && hook::whose(params).is_ok_and(|whose| later.values().any(|other| *other == whose))
    }

    /// Lets the next drain try all events again.
    pub fn try_again(&self) {
        self.later().clear();
    }
}

/// The spool's lock. Its file names the event that is being taken and how often that was begun, so
/// that the next process notices an event that ended this one.
struct Lock {
    file: File,
    /// Event that the last process worked on when it ended; empty when it was done.
    suspect: String,
    attempts: u32,
}

impl Lock {
    fn held(mut file: File) -> Self {
        let mut text = String::new();
        let _ = (&mut file).take(512).read_to_string(&mut text);
        let (attempts, suspect) = text.split_once(' ').unwrap_or_default();
        Self {
            attempts: attempts.parse().unwrap_or(0),
            suspect: suspect.to_owned(),
            file,
        }
    }

    /// Notes that an event is about to be taken; false when that was tried often enough. Where it
    /// cannot be noted (a full disk), it is taken all the same.
    fn begin(&self, name: &str) -> bool {
        let before = if name == self.suspect {
            self.attempts
        } else {
            0
        };
        if before >= MAX_ATTEMPTS {
            return false;
        }
        self.note(&format!("{} {name}", before + 1));
        true
    }

    fn note(&self, text: &str) {
        let _ = self.file.set_len(0);
        let _ = self.file.write_all_at(text.as_bytes(), 0);
    }
}

/// Fate of one event.
enum Taken {
    Recorded,
    /// It is good and cannot be recorded now.
    Later(String),
    Never,
}

/// One spool.
struct Source {
    spool: Spool,
    /// It lies in a repository: what does not open in there is none of ours and stays as it is.
    is_shared: bool,
}

/// A spool whose lock this process holds.
struct Locked {
    source: Source,
    lock: Lock,
}

/// Returns the spools of a repository's events.
fn places(app: &App, memory: Option<PathBuf>) -> Places {
    Places {
        state: app.locations.state.clone(),
        memory,
        runtime: app.locations.runtime_spool(),
    }
}

/// All spools that exist: the user's, and those of registered and open repositories.
fn sources(app: &App) -> Vec<Source> {
    let of = |spool: std::io::Result<Spool>, is_shared| {
        spool.ok().map(|spool| Source { spool, is_shared })
    };
    let own = [app.locations.spool(), app.locations.runtime_spool()];
    let own = own
        .into_iter()
        .filter_map(|path| of(Spool::open(&path), false));
    let registered = app.registry.list().into_iter();
    let mut homes: Vec<PathBuf> = registered
        .map(|entry| app.homes.of(Path::new(&entry.repo_path)))
        .chain(app.hosts.all().iter().map(|host| host.home.clone()))
        .collect();
    homes.sort_unstable();
    homes.dedup();
    let shared = homes
        .iter()
        .filter_map(|home| of(Spool::in_memory(&home.join(MEMORY), false), true));
    own.chain(shared).collect()
}

/// Takes in everything that waits. Two drains never take the same event: within this process they
/// queue up, and of two processes one holds a spool's lock. An event is removed after it was
/// recorded; a crash in between repeats it, and its id keeps it from being recorded twice. An event
/// that crashes the process again and again is moved aside.
pub fn drain(app: &Arc<App>) -> Pin<Box<dyn Future<Output = SpoolReport> + Send + '_>> {
    // Boxed: a session's end drains, and an end may be in the spool.
    Box::pin(drain_all(app))
}

async fn drain_all(app: &Arc<App>) -> SpoolReport {
    let mut report = SpoolReport::default();
    if waiting(app) == 0 {
        return report;
    }
    // File locks are never waited for on this thread: whoever holds one in this process goes on
    // on this very thread.
    let _turn = app.spool_turn.lock().await;
    let mut spools = Vec::new();
    for source in sources(app) {
        // One that cannot be written cannot be drained either.
        if let Some(lock) = take_lock(&source.spool).await {
            spools.push(Locked { source, lock });
        }
    }
    let (now, keys) = (SystemTime::now(), places(app, None).keys());
    for Locked { source, .. } in spools.iter().filter(|one| !one.source.is_shared) {
        source.spool.tidy(now);
    }
    // Sessions whose earlier event has to wait: what came behind it waits, too, or a session's end
    // would overtake its work as soon as there is space again.
    let mut held = HashSet::new();
    for (Locked { source, lock }, name) in in_order(&spools) {
        let path = source.spool.path().join(&name);
        let known = app.waiting.later().get(&path).cloned();
        if let Some(whose) = known {
            held.insert(whose);
            continue;
        }
        let taken = match source.spool.read(&keys, &name) {
            Ok(Some(bytes)) if lock.begin(&name) => take(app, &bytes, &held).await,
            Ok(Some(_)) => {
                tracing::error!(event = %path.display(), "taking it in ended the daemon {MAX_ATTEMPTS} times");
                Taken::Never
            }
            Ok(None) if source.is_shared => Taken::Later(String::new()),
            Ok(None) => Taken::Never,
            Err(_) => continue,
        };
        match taken {
            Taken::Recorded => {
                report.drained += 1;
                source.spool.remove(&name);
            }
            Taken::Later(whose) if !whose.is_empty() && source.spool.is_expired(&name, now) => {
                tracing::warn!(event = %path.display(), "waited for too long and is lost");
                lose(app, None);
                source.spool.remove(&name);
            }
            Taken::Later(whose) => {
                held.insert(whose.clone());
                let mut later = app.waiting.later();
                if later.len() < MAX_EVENTS {
                    later.insert(path, whose);
                }
            }
            Taken::Never => {
                tracing::warn!(event = %path.display(), "cannot be taken in; kept in `rejected`");
                report.rejected += 1;
                source.spool.reject(&name);
            }
        }
    }
    for Locked { lock, .. } in &spools {
        lock.note("");
    }
    report.waiting = waiting(app);
    report
}

/// The events of all spools, oldest first.
fn in_order(spools: &[Locked]) -> Vec<(&Locked, String)> {
    let mut all: Vec<(&Locked, String)> = spools
        .iter()
        .flat_map(|one| {
            let names = one.source.spool.names().unwrap_or_default();
            names.into_iter().map(move |name| (one, name))
        })
        .collect();
    all.sort_by_key(|(_, name)| sequence(name));
    all
}

async fn take(app: &Arc<App>, bytes: &[u8], held: &HashSet<String>) -> Taken {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = serde_json::from_str::<Line>(text.trim()) else {
        return Taken::Never;
    };
    let Ok(mut params) = serde_json::from_str::<HookParams>(line.params.get()) else {
        return Taken::Never;
    };
    // Whatever stands in the file: it came by way of the spool.
    params.spooled_at.get_or_insert(unix_nanos() / 1_000_000);
    let Ok(session) = hook::whose(&params) else {
        return Taken::Never;
    };
    if held.contains(&session) {
        return Taken::Later(session);
    }
    match hook::handle(app, params).await {
        Ok(_) => Taken::Recorded,
        Err(error) if error.code == INVALID_PARAMS.code => Taken::Never,
        Err(_) => Taken::Later(session),
    }
}

/// Puts an event that could not be recorded where clients put theirs. `memory` is that of its
/// repository, where it can be opened.
///
/// # Errors
/// `why` again, when there is no place for it either.
pub fn keep(
    app: &App,
    params: &HookParams,
    memory: Option<PathBuf>,
    why: RpcError,
) -> Result<(), RpcError> {
    let params = HookParams {
        spooled_at: Some(unix_nanos() / 1_000_000),
        ..params.clone()
    };
    if waiting(app) >= MAX_KEPT {
        return Err(why);
    }
    let text = serde_json::json!({ "params": params }).to_string();
    let kept = places(app, memory).keep(text.as_bytes());
    kept.map_err(|error| {
        tracing::warn!(%error, cause = %why, "an event could not be recorded and has no place to wait");
        why
    })
}

/// Counts a lost event wherever that can be written, else in memory.
pub fn lose(app: &App, memory: Option<PathBuf>) {
    if !places(app, memory).count_lost() {
        app.waiting.uncounted.fetch_add(1, Ordering::Relaxed);
    }
}

/// Events that were lost.
pub fn lost(app: &App) -> u64 {
    let own = places(app, None).lost();
    let shared = app.hosts.all();
    let shared = shared
        .iter()
        .map(|host| places(app, Some(host.memory())).lost());
    let counted = shared.max().unwrap_or(0).max(own);
    counted + app.waiting.uncounted.load(Ordering::Relaxed)
}

/// Events that wait.
pub fn waiting(app: &App) -> u64 {
    let names = |source: Source| source.spool.names().map_or(0, |names| names.len() as u64);
    sources(app).into_iter().map(names).sum()
}

/// A spool's lock, unless another process keeps it for longer than a drain takes.
async fn take_lock(spool: &Spool) -> Option<Lock> {
    let lock = spool.lock_file().ok()?;
    let end = Instant::now() + LOCK_DEADLINE;
    loop {
        match lock.try_lock() {
            Ok(()) => return Some(Lock::held(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                tokio::time::sleep(LOCK_STEP).await;
            }
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_files::key::UserKey;
    use aictx_files::private;
    use aictx_proto::locations::Locations;

    /// An app whose spool holds two events of directories that are in no repository.
    fn spooled(home: &Path) -> (Arc<App>, Spool) {
        let locations = Locations::derive(|_| None, Some(home), 0);
        let app = Arc::new(App::new(crate::app::Mode::Once, locations));
        for _ in 0..2 {
            let params = serde_json::json!({
                "runner": "claude",
                "payload": {"hook_event_name": "Stop", "session_id": "s", "cwd": home},
            });
            let line = serde_json::json!({ "params": params }).to_string();
            places(&app, None).keep(line.as_bytes()).unwrap();
        }
        let spool = Spool::open(&app.locations.spool()).unwrap();
        (app, spool)
    }

    fn drained(app: &Arc<App>) -> SpoolReport {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(drain(app))
    }

    #[test]
    fn an_event_that_ends_the_process_again_and_again_is_moved_aside() {
        let home = tempfile::tempdir().unwrap();
        let (app, spool) = spooled(home.path());
        let lock = spool.path().join(".lock");
        let first = spool.names().unwrap().remove(0);
        for attempt in 1..=MAX_ATTEMPTS {
            // What a process leaves that ends while it takes the event.
            assert!(Lock::held(private::file(&lock).unwrap()).begin(&first));
            let noted = std::fs::read_to_string(&lock).unwrap();
            assert_eq!(noted, format!("{attempt} {first}"));
        }
        let report = drained(&app);
        assert_eq!((report.drained, report.rejected), (1, 1));
        assert!(spool.path().join("rejected").join(first).exists());
        assert!(spool.names().unwrap().is_empty());
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "");
    }

    #[test]
    fn an_event_that_was_begun_before_is_taken_and_an_empty_spool_is_not_locked() {
        let home = tempfile::tempdir().unwrap();
        let (app, spool) = spooled(home.path());
        let lock = spool.path().join(".lock");
        let first = spool.names().unwrap().remove(0);
        std::fs::write(&lock, format!("2 {first}")).unwrap();
        assert_eq!(drained(&app).drained, 2);
        std::fs::remove_file(&lock).unwrap();
        assert_eq!(drained(&app), SpoolReport::default());
        assert!(!lock.exists());
    }

    #[test]
    fn an_event_of_another_key_is_rejected() {
        let home = tempfile::tempdir().unwrap();
        let (app, spool) = spooled(home.path());
        spool.put(&UserKey::ephemeral().unwrap(), b"{}").unwrap();
        let report = drained(&app);
        assert_eq!((report.drained, report.rejected, report.waiting), (2, 1, 0));
    }
}
