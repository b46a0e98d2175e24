//! Retention: everything that would grow for ever has a bound here.
//!
//! Nothing is dropped from a history: its older rows move to the [`archive`](crate::archive), and
//! so do files that nobody needs any more. Only the archive itself forgets, its oldest segments
//! first. What is open, live, pinned or still to be finalized stays where it is.

use std::time::{Instant, SystemTime};

use aictx_proto::record::files::{
    AGENT_EXECUTION_LOG, CONTRACT_COMPLIANCE, CONTRACTS_DIR, DECISIONS, EXECUTION_FEEDBACK,
    EXECUTION_LOGS, FORGOTTEN, HANDOFFS, LIFECYCLE_EVENTS, SESSIONS_DIR, THREADS_DIR, VERDICTS,
};

use crate::archive::{self, Packed};
use crate::commit;
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::ledger;
use crate::lock::DEADLINE;
use crate::read;
use crate::store::Store;
use aictx_proto::record::files::ARCHIVE_DIR;

pub(crate) use self::pinned_rows::Stays;

mod pinned_rows;

/// Default limit of `.aictx` in bytes: the archive,
/// and [`BESIDE_ARCHIVE`]. Not in it: ledgers of sessions that are live or still to be finalized, open
/// threads, notes that people wrote, files that git tracks, and files that are not ours.
pub const MAX_TOTAL: u64 = 256 * 1024 * 1024;
/// Bytes of everything but the archive: ledgers (8 MiB), the histories at their limits (about 9 MiB),
/// 600 strategies and 500 failure patterns (in practice 2 MiB), threads, contracts, documents and what
/// was set aside (about 12 MiB), and room for rows that are longer than usual.
pub const BESIDE_ARCHIVE: u64 = 64 * 1024 * 1024;
/// Most ledgers of ended sessions kept as files; older ones are read from the archive.
pub const MAX_LEDGERS: usize = 64;
/// Most bytes of ledgers kept.
pub const MAX_LEDGER_BYTES: u64 = 8 * 1024 * 1024;
/// Largest history that is split at once; whoever made a larger one has to decide about it.
const MAX_SPLIT: u64 = 256 * 1024 * 1024;
/// Bytes of small files that go to the archive together.
const MAX_PACK: u64 = 16 * 1024 * 1024;
/// Entries of a directory that are looked at.
const MAX_LISTED: usize = 10_000;
/// Bounds of a history.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<'f> {
    pub(crate) file: &'f str,
    /// Above it the older rows move, in bytes.
    pub(crate) limit: u64,
    /// Bytes that stay then.
    pub(crate) keep: u64,
    /// Rows that stay at least, however long: what readers look at.
    pub(crate) rows: usize,
    /// Rows that stay besides.
    pub(crate) stays: Stays,
}

const fn bound(file: &str, limit: u64, keep: u64, rows: usize) -> Bound<'_> {
    Bound {
        file,
        limit: limit * 1024,
        keep: keep * 1024,
        rows,
        stays: Stays::Newest,
    }
}

impl Bound<'_> {
    const fn and(self, stays: Stays) -> Self {
        Self { stays, ..self }
    }
}

/// Every history that is appended to. Failure patterns and strategies are bounded by their writer,
/// by what they are worth.
///
/// The newest 500 executions stay as rows, whatever they weigh: programs that read the format look for
/// them here. Compressed, a row costs a tenth; reports, `log` and `recall` read on in the archive.
pub(crate) const BOUNDS: &[Bound] = &[
    // A finalize that is repeated is known by this file.
    bound(AGENT_EXECUTION_LOG, 1_024, 512, 500),
    bound(EXECUTION_LOGS, 1_024, 512, 500),
    bound(EXECUTION_FEEDBACK, 1_024, 512, 500),
    // A repository may share these.
    bound(HANDOFFS, 1_024, 512, 500).and(Stays::LastOfBranch),
    // Some four rows an execution. Sessions that were begun within the week and never finalized are
    // known by this one.
    bound(LIFECYCLE_EVENTS, 1_024, 512, 2_000).and(Stays::Unfinished),
    bound(CONTRACT_COMPLIANCE, 1_024, 512, 500),
    bound(DECISIONS, 1_024, 512, 500),
    bound(VERDICTS, 512, 256, 500),
    bound(FORGOTTEN, 64, 0, 0),
    bound("archive/failure_memory/evicted.jsonl", 16, 0, 0),
    bound("archive/strategy_memory/evicted.jsonl", 16, 0, 0),
    // Written by the ancestor only.
    bound("memory/workflow_learnings.jsonl", 1_024, 512, 500),
];

/// Directories of small files of which only the newest are of use.
const DIRECTORIES: &[(&str, usize)] = &[
    (CONTRACTS_DIR, 48),
    ("delta/last_packets", 16),
    ("quarantine", 64),
    ("archive/manifests", 32),
];
/// Threads beyond these: the closed ones, longest ago first.
const MAX_THREADS: usize = 200;
/// Largest event log of a thread; above it all but the newest [`KEPT_EVENTS`] bytes move.
const MAX_EVENTS: u64 = 64 * 1024;
const KEPT_EVENTS: u64 = 16 * 1024;

/// Result of a retention pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Ledgers that moved to the archive.
    pub ledgers: usize,
    /// Other files that did.
    pub files: usize,
    /// Segments of the archive that were dropped because it was full.
    pub dropped: usize,
}

impl Store {
    /// Moves the older rows of histories above their limit into the archive; gives how many
    /// histories were split. A handful of `stat`s in the usual case.
    ///
    /// # Errors
    /// Locked, or not writable. Interrupted at any point every row is there: in the history, in
    /// the archive, or (until the next split) in both. What git tracks stays as it is.
    pub fn archive_histories(&self) -> Result<usize, StoreError> {
        self.archive_above(BOUNDS)
    }

    pub(crate) fn archive_above(&self, bounds: &[Bound]) -> Result<usize, StoreError> {
        let root = self.root();
        let is_large = |bound: &&Bound| {
            let stamp = root.stamp(bound.file).ok().flatten();
            stamp.is_some_and(|s| s.is_file && s.len > bound.limit && s.len < MAX_SPLIT)
                && !root.names().is_shared(bound.file)
        };
        let mut split = 0;
        // One at a time: between them it is the turn of whoever waits for an answer.
        for bound in bounds.iter().filter(is_large) {
            let moved = self.locked(Instant::now() + DEADLINE, |root, _| {
                split_history(root, bound).map_err(|e| root.error(bound.file, e))
            });
            split += usize::from(moved?);
        }
        Ok(split)
    }

    /// Bounds everything that histories are not: ledgers, threads, contracts, packets, what was set
    /// aside, and the archive, so that all of it stays below `ceiling` bytes. `is_needed` is asked
    /// for each ledger that would go: that of a live
    /// session, or one that is still to be finalized, stays.
    ///
    /// # Errors
    /// Locked, or not writable. Interrupted at any point a file is at its place, in the archive, or
    /// (until the next pass) in both.
    pub fn tidy(
        &self,
        ceiling: u64,
        is_needed: &dyn Fn(&str) -> bool,
    ) -> Result<Tidied, StoreError> {
        let archive = ceiling.saturating_sub(BESIDE_ARCHIVE);
        self.tidy_within(MAX_LEDGERS, MAX_LEDGER_BYTES, archive, is_needed)
    }

    pub(crate) fn tidy_within(
        &self,
        ledgers: usize,
        ledger_bytes: u64,
        archive: u64,
        is_needed: &dyn Fn(&str) -> bool,
    ) -> Result<Tidied, StoreError> {
        let root = self.root();
        let old = self.old_ledgers(ledgers, ledger_bytes, is_needed);
        let mut piles = vec![(SESSIONS_DIR, old)];
        for (dir, keep) in DIRECTORIES {
            piles.push((dir, old_files(&root, dir, *keep)));
        }
        piles.push((THREADS_DIR, closed_threads(&root)));
        let mut long_events = long_event_logs(&root);
        long_events.retain(|file| !root.names().is_shared(file));
        let archived = archive_bytes(&root);
        let quiet = piles.iter().all(|(_, pile)| pile.is_empty());
        if quiet && long_events.is_empty() && archived <= archive {
            return Ok(Tidied::default());
        }
        let mut done = Tidied::default();
        for (dir, pile) in piles.iter().filter(|(_, pile)| !pile.is_empty()) {
            let moved = self.locked(Instant::now() + DEADLINE, |root, _| {
                pack(root, dir, pile).map_err(|e| root.error(dir, e))
            })?;
            match *dir {
                SESSIONS_DIR => done.ledgers += moved,
                _ => done.files += moved,
            }
        }
        for file in long_events {
            let bound = Bound {
                file: &file,
                limit: MAX_EVENTS,
                keep: KEPT_EVENTS,
                rows: 0,
                stays: Stays::Newest,
            };
            self.locked(Instant::now() + DEADLINE, |root, _| {
                split_history(root, &bound).map_err(|e| root.error(&file, e))
            })?;
            done.files += 1;
        }
        done.dropped = self.locked(Instant::now() + DEADLINE, |root, _| {
            archive::bound(root, archive).map_err(|e| root.error(ARCHIVE_DIR, e))
        })?;
        Ok(done)
    }

    /// The oldest ledgers beyond a number or size, as they were when they were listed.
    fn old_ledgers(
        &self,
        count: usize,
        bytes: u64,
        is_needed: &dyn Fn(&str) -> bool,
    ) -> Vec<(String, fs::Stamp)> {
        let root = self.root();
        let mut seen = 0;
        let mut old = Vec::new();
        let tracked = &root.names().tracked;
        for (index, ledger) in self.ledgers().iter().enumerate() {
            seen += ledger.bytes;
            let fits = index < count && seen <= bytes;
            // The newest may be large, but it is the newest.
            let stays = fits || index == 0 || tracked.holds(&ledger.file);
            if stays || is_needed(&ledger.stem) {
                continue;
            }
            let stamp = root.stamp(&ledger.file).ok().flatten();
            let same = |s: &fs::Stamp| s.len == ledger.bytes && s.modified_at() == ledger.modified;
            // Heard of since it was listed: not old after all.
            old.extend(stamp.filter(same).map(|stamp| (ledger.file.clone(), stamp)));
        }
        old
    }
}

/// Moves all but the newest rows of a history, and those that stay besides, to the archive. Says whether any
/// moved: few do not, so that a history whose rows are long is not rewritten for each of them.
fn split_history(root: &Root, bound: &Bound) -> std::io::Result<bool> {
    let file = bound.file;
    let Some(open) = root.read_if_there(file)? else {
        return Ok(false);
    };
    let bytes = fs::read_range(&open, 0, MAX_SPLIT)?;
    let keep = usize::try_from(bound.keep).unwrap_or(0);
    let (old, new) = bytes.split_at(cut(&bytes, keep, bound.rows));
    let (mut left, gone) = bound.stays.divide(old, new);
    let worth = (bound.limit.saturating_sub(bound.keep) / 2).max(new.len() as u64 / 4);
    if gone.is_empty() || (gone.len() as u64) < worth {
        return Ok(false);
    }
    archive::put(root, file, &gone)?;
    left.extend_from_slice(new);
    // Rows that a program without the lock appends meanwhile are carried over.
    commit::replace_rows(root, file, left, bytes.len() as u64)?;
    root.sync_parent(file)?;
    Ok(true)
}

/// Returns the start of the rows that stay: at most `keep` bytes of whole lines, or `rows` lines if that is
/// more. A last line without its newline stays.
fn cut(bytes: &[u8], keep: usize, rows: usize) -> usize {
    let mut at = memchr::memrchr(b'\n', bytes).map_or(0, |n| n + 1);
    let mut lines = 0;
    while at > 0 {
        let before = bytes.get(..at - 1).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(0, |n| n + 1);
        if bytes.len() - start > keep && lines >= rows {
            break;
        }
        at = start;
        lines += 1;
    }
    at
}

/// Plain files of a directory beyond the newest `keep`. An index is no such file.
fn old_files(root: &Root, dir: &str, keep: usize) -> Vec<(String, fs::Stamp)> {
    let names = root.list(dir, MAX_LISTED).unwrap_or_default();
    if names.len() <= keep {
        return Vec::new();
    }
    let tracked = &root.names().tracked;
    let mut files: Vec<(String, fs::Stamp)> = names
        .iter()
        .filter(|name| *name != "index.json" && !name.starts_with('.'))
        .map(|name| format!("{dir}/{name}"))
        .filter(|file| !tracked.holds(file))
        .filter_map(|file| Some((root.stamp(&file).ok()??, file)))
        .filter(|(stamp, _)| stamp.is_file)
        .map(|(stamp, file)| (file, stamp))
        .collect();
    files.sort_by(|(a, at), (b, bt)| bt.modified.cmp(&at.modified).then_with(|| b.cmp(a)));
    files.split_off(keep.min(files.len()))
}

/// Threads that are closed, longest ago first, as many as there are too many; with their events.
fn closed_threads(root: &Root) -> Vec<(String, fs::Stamp)> {
    let names = root.list(THREADS_DIR, MAX_LISTED).unwrap_or_default();
    let threads: Vec<&String> = names.iter().filter(|n| n.ends_with(".json")).collect();
    let over = threads.len().saturating_sub(MAX_THREADS);
    if over == 0 {
        return Vec::new();
    }
    let mut closed: Vec<(SystemTime, &str)> = threads
        .iter()
        .filter_map(|name| {
            let file = format!("{THREADS_DIR}/{name}");
            if root.names().tracked.holds(&file) {
                return None;
            }
            let open = root.read_if_there(&file).ok()??;
            let bytes = fs::read_range(&open, 0, read::MAX_FILE).ok()?;
            let thread = read::object(&bytes).ok()?;
            let status = thread.get("status")?.as_str()?;
            let pinned = thread.get("pinned").is_some_and(|p| p == true);
            let done = matches!(status, "resolved" | "abandoned") && !pinned;
            let at = root.stamp(&file).ok()??.modified_at();
            done.then_some((at, name.trim_end_matches(".json")))
        })
        .collect();
    closed.sort_unstable();
    closed.truncate(over);
    let files = closed.iter().flat_map(|(_, id)| {
        [".json", ".events.jsonl"].map(|end| format!("{THREADS_DIR}/{id}{end}"))
    });
    files
        .filter_map(|file| Some((root.stamp(&file).ok()??, file)))
        .map(|(stamp, file)| (file, stamp))
        .collect()
}

fn long_event_logs(root: &Root) -> Vec<String> {
    let names = root.list(THREADS_DIR, MAX_LISTED).unwrap_or_default();
    names
        .iter()
        .filter(|name| name.ends_with(".events.jsonl"))
        .map(|name| format!("{THREADS_DIR}/{name}"))
        .filter(|file| {
            let stamp = root.stamp(file).ok().flatten();
            stamp.is_some_and(|s| s.is_file && s.len > MAX_EVENTS && s.len < MAX_SPLIT)
        })
        .collect()
}

/// Moves small files to the archive of their directory; gives how many. One that changed since it
/// was listed stays.
fn pack(root: &Root, dir: &str, files: &[(String, fs::Stamp)]) -> std::io::Result<usize> {
    let mut rows = Vec::new();
    let mut packed = Vec::new();
    // A longer one stays: what is not read must not be lost.
    let files = files.iter().filter(|(_, stamp)| stamp.len <= MAX_PACK);
    for (file, stamp) in files {
        let size = rows.len() as u64;
        if size > 0 && size + stamp.len > MAX_PACK {
            // The rest has its turn in the next pass.
            break;
        }
        let Some(open) = root.read_if_there(file)? else {
            continue;
        };
        let bytes = fs::read_range(&open, 0, MAX_PACK)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let row = match ledger::unproven_text(file, &text) {
            Some((stem, text)) => Packed {
                file: format!("{SESSIONS_DIR}/{stem}.jsonl"),
                proof: archive::proof(root, &[stem.as_bytes(), text.as_bytes()]),
                text: text.to_owned(),
            },
            None => Packed {
                file: file.clone(),
                text,
                proof: String::new(),
            },
        };
        serde_json::to_writer(&mut rows, &row)?;
        rows.push(b'\n');
        packed.push((file, stamp));
    }
    if packed.is_empty() {
        return Ok(0);
    }
    archive::put(root, dir, &rows)?;
    let mut moved = 0;
    for (file, stamp) in packed {
        if root.stamp(file)?.as_ref() == Some(stamp) {
            root.unlink(file)?;
            moved += 1;
        }
    }
    Ok(moved)
}

/// Bytes below `archive/`, two levels deep.
fn archive_bytes(root: &Root) -> u64 {
    let len = |file: &str| root.stamp(file).ok().flatten().map_or(0, |s| s.len);
    let below = |dir: &str| root.list(dir, MAX_LISTED).unwrap_or_default();
    below(ARCHIVE_DIR)
        .iter()
        .map(|name| format!("{ARCHIVE_DIR}/{name}"))
        .flat_map(|path| {
            let inner = below(&path);
            let inner: Vec<String> = inner.iter().map(|n| format!("{path}/{n}")).collect();
            if inner.is_empty() { vec![path] } else { inner }
        })
        .map(|file| len(&file))
        .sum()
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
