//! The archive: what makes room, compressed, in numbered segments below `archive/`.
//!
//! A segment is a gzip file of JSONL; what comes later is a further gzip member of the newest one,
//! until that is large enough. `zcat` reads them in order.

use std::io::{Read, Write};

use aictx_proto::record::files;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;

use crate::fs::{self, Root};
use crate::read;
use crate::store::Store;

/// Directory of all segments.
pub(crate) const ARCHIVE: &str = "archive";
/// A segment that is at least this long gets no further members, in bytes.
const FULL_SEGMENT: u64 = 256 * 1024;
/// Most bytes of a segment after decompression that are read: a damaged one must not fill memory.
const MAX_UNPACKED: u64 = 64 * 1024 * 1024;
/// Most entries of one directory of the archive that are looked at.
const MAX_SEGMENTS: usize = 10_000;
/// Digits of a segment's number.
const DIGITS: usize = 6;
/// End of every segment's name.
const SUFFIX: &str = ".jsonl.gz";
/// Histories whose segments go last when the archive is full: each row is something that somebody
/// learned, decided or said.
const DEAR: &[&str] = &[
    "archive/continuity/decisions",
    "archive/failure_memory/",
    "archive/strategy_memory/",
    "archive/tasks/",
    "archive/forgotten",
];

/// One segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Below `.aictx/`.
    pub(crate) file: String,
    number: u32,
    pub(crate) bytes: u64,
    modified: std::time::SystemTime,
}

/// What the segments of a history are called, up to their number: `archive/` and its own name.
fn stem(file: &str) -> String {
    let name = file.strip_suffix(".jsonl").unwrap_or(file);
    let name = name.strip_prefix("archive/").unwrap_or(name);
    format!("{ARCHIVE}/{name}-")
}

/// The segments of a history, oldest first.
pub(crate) fn segments(root: &Root, file: &str) -> Vec<Segment> {
    let stem = stem(file);
    let dir = stem.rsplit_once('/').map_or("", |(dir, _)| dir);
    let names = root.list(dir, MAX_SEGMENTS).unwrap_or_default();
    let mut found: Vec<Segment> = names
        .iter()
        .map(|name| format!("{dir}/{name}"))
        .filter_map(|path| segment(root, path, &stem))
        .collect();
    found.sort_by_key(|s| s.number);
    found
}

fn segment(root: &Root, file: String, stem: &str) -> Option<Segment> {
    let digits = file.strip_prefix(stem)?.strip_suffix(SUFFIX)?;
    if digits.len() != DIGITS || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().ok()?;
    let stamp = root.stamp(&file).ok()??;
    stamp.is_file.then(|| Segment {
        number,
        bytes: stamp.len,
        modified: stamp.modified_at(),
        file,
    })
}

/// Puts rows into the archive of a history, durably; gives the segment's name. Needs the lock.
pub(crate) fn put(root: &Root, file: &str, rows: &[u8]) -> std::io::Result<String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(rows)?;
    let member = packed.finish()?;
    let newest = segments(root, file).pop();
    let number = newest.as_ref().map_or(0, |s| s.number);
    if let Some(open) = newest.filter(|s| s.bytes < FULL_SEGMENT)
        && let Some(mut there) = root.read_if_there(&open.file)?
    {
        let mut bytes = fs::read_range(&mut there, 0, FULL_SEGMENT)?;
        bytes.extend_from_slice(&member);
        root.replace(&open.file, &bytes)?;
        root.sync_parent(&open.file)?;
        return Ok(open.file);
    }
    let name = format!("{}{:0DIGITS$}{SUFFIX}", stem(file), number + 1);
    root.replace(&name, &member)?;
    root.sync_parent(&name)?;
    Ok(name)
}

/// Removes the oldest segments until all together are at most `limit` bytes, those of histories
/// that are dear last; gives how many. What others put into the directory is not touched.
pub(crate) fn bound(root: &Root, limit: u64) -> std::io::Result<usize> {
    let mut all: Vec<(bool, Segment)> = Vec::new();
    for dir in directories(root) {
        let names = root.list(&dir, MAX_SEGMENTS).unwrap_or_default();
        for name in names {
            let path = format!("{dir}/{name}");
            let Some(at) = path.strip_suffix(SUFFIX).and_then(|p| p.rfind('-')) else {
                continue;
            };
            let stem = path.get(..=at).unwrap_or_default().to_owned();
            if let Some(segment) = segment(root, path, &stem) {
                let dear = DEAR.iter().any(|d| segment.file.starts_with(d));
                all.push((dear, segment));
            }
        }
    }
    let mut total: u64 = all.iter().map(|(_, s)| s.bytes).sum();
    let when = |s: &Segment| (s.modified, s.number);
    all.sort_by(|(a_dear, a), (b_dear, b)| (a_dear, when(a)).cmp(&(b_dear, when(b))));
    let mut dropped = 0;
    for (_, segment) in all {
        if total <= limit {
            break;
        }
        root.unlink(&segment.file)?;
        total -= segment.bytes;
        dropped += 1;
    }
    Ok(dropped)
}

/// The archive's own directory and those in it.
fn directories(root: &Root) -> Vec<String> {
    let names = root.list(ARCHIVE, MAX_SEGMENTS).unwrap_or_default();
    let inside = names
        .iter()
        .filter(|name| !name.contains('.'))
        .map(|name| format!("{ARCHIVE}/{name}"));
    std::iter::once(ARCHIVE.to_owned()).chain(inside).collect()
}

/// What a segment holds; of a damaged one, what comes before the damage.
pub(crate) fn unpack(root: &Root, file: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if let Ok(Some(open)) = root.read_if_there(file) {
        let mut rows = MultiGzDecoder::new(open).take(MAX_UNPACKED);
        let _ = rows.read_to_end(&mut out);
    }
    out
}

impl Store {
    /// The newest `limit` archived rows of a history, oldest first. Unreadable lines are passed
    /// over.
    pub fn archived_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> Vec<T> {
        let root = self.root();
        let mut newest_first: Vec<Vec<T>> = Vec::new();
        let mut count = 0;
        for segment in segments(&root, file).iter().rev() {
            if count >= limit {
                break;
            }
            let rows = read::rows::<T>(&unpack(&root, &segment.file), limit - count).rows;
            count += rows.len();
            newest_first.push(rows);
        }
        newest_first.into_iter().rev().flatten().collect()
    }

    /// A session's ledger as it lies in the archive; empty when it is not there any more.
    pub fn archived_ledger(&self, stem: &str) -> String {
        let name = format!("{}/{stem}.jsonl", files::SESSIONS_DIR);
        let packed = self.archived_rows::<crate::retain::Packed>(files::SESSIONS_DIR, usize::MAX);
        let of_it = packed.into_iter().filter(|p| p.file == name);
        of_it.map(|p| p.text).collect()
    }
}
