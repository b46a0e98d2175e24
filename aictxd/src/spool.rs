//! Events that clients left behind while no daemon could be reached, taken in in order.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aictx_proto::methods::{HookParams, SpoolReport};
use aictx_proto::rpc::{MAX_LINE_BYTES, NOT_WRITABLE};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{App, unix_nanos};
use crate::hook;
use crate::socket::private_directory;

/// Events that may wait; what comes on top is counted as lost.
const MAX_WAITING: usize = 5_000;
/// Rejected events kept for inspection; older ones make room.
const MAX_REJECTED: usize = 100;
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

/// What became of one event.
enum Taken {
    Recorded,
    /// It is good and its repository has no space for it now.
    Later,
    Never,
}

/// Takes in everything that waits. Two drains never take the same event: within this process they
/// queue up, and of two processes one holds the spool's lock. An event is removed after it was
/// recorded; a crash in between repeats it, which the ledger tolerates, and loses nothing.
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
    let Some(_lock) = take_lock(&directory).await else {
        report.waiting = waiting(&directory);
        return report;
    };
    remove_old_drafts(&directory);
    for path in entries(&directory) {
        let taken = match read(&path) {
            Ok(Some(bytes)) => take(app, &bytes).await,
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
                report.rejected += 1;
                reject(&directory, &path);
            }
        }
    }
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

async fn take(app: &Arc<App>, bytes: &[u8]) -> Taken {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = serde_json::from_str::<Line>(text.trim()) else {
        return Taken::Never;
    };
    let Ok(mut params) = serde_json::from_str::<HookParams>(line.params.get()) else {
        return Taken::Never;
    };
    // Whatever stands in the file: it came by way of the spool.
    params.spooled_at.get_or_insert(unix_nanos() / 1_000_000);
    match hook::handle(app, params).await {
        Ok(_) => Taken::Recorded,
        Err(error) if error.code == NOT_WRITABLE.code => Taken::Later,
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
async fn take_lock(directory: &Path) -> Option<File> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(directory.join(".lock"))
        .ok()?;
    let end = Instant::now() + LOCK_DEADLINE;
    loop {
        match lock.try_lock() {
            Ok(()) => return Some(lock),
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
