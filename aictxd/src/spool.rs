//! Events that clients left behind while no daemon could be reached, taken in in order.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_proto::methods::{HookParams, SpoolReport};
use aictx_proto::rpc::{MAX_LINE_BYTES, NOT_WRITABLE};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{App, Mode, unix_nanos};
use crate::hook;
use crate::socket::private_directory;

/// Events that may wait; what comes on top is counted as lost.
const MAX_WAITING: usize = 5_000;
/// Rejected events kept for inspection; older ones make room.
const MAX_REJECTED: usize = 100;

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

/// Takes in everything that waits. Two processes never take the same event: one of them holds the
/// spool's lock. An event is removed after it was recorded; a crash in between repeats it, which
/// the ledger tolerates, and loses nothing.
pub async fn drain(app: &Arc<App>) -> SpoolReport {
    let directory = app.locations.spool();
    let mut report = SpoolReport::default();
    if !directory.is_dir() {
        return report;
    }
    let Some(_lock) = take_lock(&directory, app.mode) else {
        report.waiting = waiting(&directory);
        return report;
    };
    for path in entries(&directory) {
        let taken = match fs::read(&path) {
            Ok(bytes) if bytes.len() <= MAX_LINE_BYTES => take(app, &bytes).await,
            Ok(_) => Taken::Never,
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

async fn take(app: &Arc<App>, bytes: &[u8]) -> Taken {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = serde_json::from_str::<Line>(text.trim()) else {
        return Taken::Never;
    };
    let Ok(params) = serde_json::from_str::<HookParams>(line.params.get()) else {
        return Taken::Never;
    };
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

/// A process of one call waits for whoever holds the lock, because what waits happened before its
/// own event. The daemon must not stand still for that; it will be told of the next event.
fn take_lock(directory: &Path, mode: Mode) -> Option<File> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join(".lock"))
        .ok()?;
    match mode {
        Mode::Daemon => lock.try_lock().ok()?,
        Mode::Once => lock.lock().ok()?,
    }
    Some(lock)
}

/// Moves an unreadable event aside; bounded.
fn reject(directory: &Path, path: &Path) {
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
