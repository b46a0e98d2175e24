//! Events that clients left behind while no daemon could be reached, taken in in order.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_proto::methods::{HookParams, SpoolReport};
use aictx_proto::rpc::MAX_LINE_BYTES;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::App;
use crate::hook;

/// Rejected events kept for inspection; older ones make room.
const MAX_REJECTED: usize = 100;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    params: &'a RawValue,
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
    let Some(_lock) = take_lock(&directory) else {
        report.waiting = waiting(&directory);
        return report;
    };
    for path in entries(&directory) {
        let taken = match fs::read(&path) {
            Ok(bytes) if bytes.len() <= MAX_LINE_BYTES => take(app, &bytes).await,
            Ok(_) => false,
            Err(_) => continue,
        };
        if taken {
            report.drained += 1;
            let _ = fs::remove_file(&path);
        } else {
            report.rejected += 1;
            reject(&directory, &path);
        }
    }
    report.waiting = waiting(&directory);
    report
}

async fn take(app: &Arc<App>, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = serde_json::from_str::<Line>(text.trim()) else {
        return false;
    };
    let Ok(params) = serde_json::from_str::<HookParams>(line.params.get()) else {
        return false;
    };
    hook::handle(app, params).await.is_ok()
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

fn take_lock(directory: &Path) -> Option<File> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join(".lock"))
        .ok()?;
    lock.lock().ok()?;
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
