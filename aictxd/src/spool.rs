//! Events that clients left behind while no daemon could be reached, taken in in order.

#![expect(clippy::disallowed_methods, reason = "files of the state directory")]

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aictx_proto::methods::{HookParams, SpoolReport};
use aictx_proto::rpc::{MAX_LINE_BYTES, NOT_WRITABLE, UNAVAILABLE};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{App, unix_nanos};
use crate::hook;
use crate::socket::private_directory;

/// Events that may wait; what comes on top is counted as lost.
const MAX_WAITING: usize = 5_000;
/// Rejected events kept for inspection; older ones make room.
const MAX_REJECTED: usize = 100;
/// How often an event is taken that ends the process each time.
const MAX_ATTEMPTS: u32 = 3;
/// Larger rejected events are not kept.
const MAX_REJECTED_BYTES: u64 = 64 * 1024;
/// How long the spool's lock is waited for; less than what a session's end may take.
const LOCK_DEADLINE: Duration = Duration::from_millis(500);
/// How often it is tried meanwhile.
const LOCK_STEP: Duration = Duration::from_millis(5);
/// An unfinished event older than this has lost its writer.
const DRAFT_AGE: Duration = Duration::from_secs(3_600);

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    params: &'a RawValue,
}

/// The spool's lock. Its file names the event that is being taken and how often that was begun, so
/// that the next process notices an event that ended this one.
struct Lock {
    file: File,
    /// What the last process was at when it ended; empty when it was done.
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
    fn begin(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
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

/// What became of one event.
enum Taken {
    Recorded,
    /// It is good and its repository has no space for it now, or does not answer.
    Later,
    Never,
}

/// Takes in everything that waits. Two drains never take the same event: within this process they
/// queue up, and of two processes one holds the spool's lock. An event is removed after it was
/// recorded; a crash in between repeats it, which the ledger tolerates, and loses nothing. An event
/// that crashes the process again and again is moved aside.
pub fn drain(app: &Arc<App>) -> Pin<Box<dyn Future<Output = SpoolReport> + Send + '_>> {
    // Boxed: a session's end drains, and an end may be in the spool.
    Box::pin(drain_all(app))
}

async fn drain_all(app: &Arc<App>) -> SpoolReport {
    let directory = app.locations.spool();
    let mut report = SpoolReport::default();
    if entries(&directory).is_empty() {
        return report;
    }
    // The file lock is never waited for on this thread: whoever holds it in this process goes on
    // on this very thread.
    let _turn = app.spool_turn.lock().await;
    let Some(lock) = take_lock(&directory).await else {
        report.waiting = waiting(&directory);
        return report;
    };
    remove_old_drafts(&directory);
    // Sessions whose earlier event found no space: what came behind it waits, too, or a session's
    // end would overtake its work as soon as there is space again.
    let mut held = HashSet::new();
    for path in entries(&directory) {
        let taken = match read(&path) {
            Ok(Some(bytes)) if lock.begin(&path) => take(app, &bytes, &mut held).await,
            Ok(Some(_)) => {
                tracing::error!(event = %path.display(), "taking it in ended the daemon {MAX_ATTEMPTS} times");
                Taken::Never
            }
            Ok(None) => Taken::Never,
            Err(_) => continue,
        };
        match taken {
            Taken::Recorded => {
                report.drained += 1;
                let _ = fs::remove_file(&path);
            }
            Taken::Later => {}
            Taken::Never => {
                tracing::warn!(event = %path.display(), "cannot be taken in; kept in `rejected`");
                report.rejected += 1;
                reject(&directory, &path);
            }
        }
    }
    lock.note("");
    report.waiting = waiting(&directory);
    report
}

/// The bytes of an event; `None` when it is longer than any client writes.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let meta = fs::symlink_metadata(path)?;
    if !meta.is_file() || meta.len() > MAX_LINE_BYTES as u64 {
        return Ok(None);
    }
    fs::read(path).map(Some)
}

async fn take(app: &Arc<App>, bytes: &[u8], held: &mut HashSet<String>) -> Taken {
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
        return Taken::Later;
    }
    match hook::handle(app, params).await {
        Ok(_) => Taken::Recorded,
        Err(error) if [NOT_WRITABLE.code, UNAVAILABLE.code].contains(&error.code) => {
            held.insert(session);
            Taken::Later
        }
        Err(_) => Taken::Never,
    }
}

/// Puts an event that could not be recorded where clients put theirs. When that fails, too, it is
/// counted as lost, and the answer is false.
pub fn keep(app: &App, params: &HookParams) -> bool {
    match write(&app.locations.spool(), params) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "an event was lost");
            let counter = app.locations.lost_counter();
            let counted = OpenOptions::new().create(true).append(true).open(counter);
            let _ = counted.and_then(|mut file| file.write_all(b"."));
            false
        }
    }
}

fn write(directory: &Path, params: &HookParams) -> io::Result<()> {
    private_directory(directory)?;
    let waiting = entries(directory);
    if waiting.len() >= MAX_WAITING {
        return Err(io::Error::other("the spool is full"));
    }
    let nanos = unix_nanos();
    let params = HookParams {
        spooled_at: Some(nanos / 1_000_000),
        ..params.clone()
    };
    let text = serde_json::to_string(&serde_json::json!({ "params": params }))?;
    let last = waiting.last().and_then(|path| sequence(path)).unwrap_or(0);
    let name = format!("{:020}-{}", nanos.max(last + 1), std::process::id());
    let draft = directory.join(format!(".{name}.tmp"));
    let written = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&draft, directory.join(format!("{name}.json"))));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// The number that a waiting event's name begins with.
fn sequence(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.split_once('-')?
        .0
        .parse()
        .ok()
        .filter(|n| *n < u64::MAX)
}

/// Files that wait, oldest first: their names begin with the time they were written.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|e| e.path())
                .filter(|p| p.extension().is_some_and(|e| e == "json"))
                .collect()
        })
        .unwrap_or_default();
    found.sort_unstable();
    found
}

/// How many events wait.
pub fn waiting(directory: &Path) -> u64 {
    entries(directory).len() as u64
}

/// The lock, unless another process keeps it for longer than a drain takes.
async fn take_lock(directory: &Path) -> Option<Lock> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(directory.join(".lock"))
        .ok()?;
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

/// Removes what clients that were killed while writing left.
fn remove_old_drafts(directory: &Path) {
    let Ok(found) = fs::read_dir(directory) else {
        return;
    };
    for entry in found.filter_map(Result::ok) {
        let old = entry
            .metadata()
            .ok()
            .and_then(|meta| meta.modified().ok()?.elapsed().ok())
            .is_some_and(|age| age > DRAFT_AGE);
        if old && entry.path().extension().is_some_and(|e| e == "tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Moves an unreadable event aside, or removes it when it is large; bounded.
fn reject(directory: &Path, path: &Path) {
    if !fs::symlink_metadata(path).is_ok_and(|meta| meta.len() <= MAX_REJECTED_BYTES) {
        let _ = fs::remove_file(path);
        return;
    }
    let aside = directory.join("rejected");
    let _ = fs::create_dir_all(&aside);
    for old in entries(&aside).iter().rev().skip(MAX_REJECTED - 1) {
        let _ = fs::remove_file(old);
    }
    let moved = path
        .file_name()
        .is_some_and(|name| fs::rename(path, aside.join(name)).is_ok());
    if !moved {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::locations::Locations;

    /// An app whose spool holds two events of directories that are in no repository.
    fn spooled(home: &Path) -> (Arc<App>, PathBuf) {
        let locations = Locations::derive(|_| None, Some(home), 0);
        let spool = locations.spool();
        fs::create_dir_all(&spool).unwrap();
        for name in ["1-7", "2-7"] {
            let params = serde_json::json!({
                "runner": "claude",
                "payload": {"hook_event_name": "Stop", "session_id": "s", "cwd": home},
            });
            let line = serde_json::json!({ "params": params }).to_string();
            fs::write(spool.join(name).with_extension("json"), line).unwrap();
        }
        (Arc::new(App::new(crate::app::Mode::Once, locations)), spool)
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
        let lock = spool.join(".lock");
        let first = spool.join("1-7.json");
        for attempt in 1..=MAX_ATTEMPTS {
            // What a process leaves that ends while it takes the event.
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&lock)
                .unwrap();
            assert!(Lock::held(file).begin(&first));
            let noted = fs::read_to_string(&lock).unwrap();
            assert_eq!(noted, format!("{attempt} 1-7.json"));
        }
        let report = drained(&app);
        assert_eq!((report.drained, report.rejected), (1, 1));
        assert!(spool.join("rejected/1-7.json").exists() && entries(&spool).is_empty());
        assert_eq!(fs::read_to_string(&lock).unwrap(), "");
    }

    #[test]
    fn an_event_that_was_begun_before_is_taken_and_an_empty_spool_is_not_locked() {
        let home = tempfile::tempdir().unwrap();
        let (app, spool) = spooled(home.path());
        fs::write(spool.join(".lock"), "2 1-7.json").unwrap();
        assert_eq!(drained(&app).drained, 2);
        fs::remove_file(spool.join(".lock")).unwrap();
        assert_eq!(drained(&app), SpoolReport::default());
        assert!(!spool.join(".lock").exists());
    }
}
