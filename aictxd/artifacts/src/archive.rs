//! The archive: what makes room, compressed, in numbered segments below `archive/`.
//!
//! A segment is a gzip file of JSONL; what comes later is a further gzip member of the newest one,
//! until that is large enough. `zcat` reads them in order. Small members are compressed again
//! together with what follows them: rows resemble each other, and alone each pays for it anew.

use std::io::{Read, Write};

use aictx_proto::record::Origin;
use aictx_proto::record::files::ARCHIVE_DIR;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::fs::{self, Root, is_draft};
use crate::trust::{Tagged, Trust};

/// A segment that is at least this long gets no further members, in bytes.
const FULL_SEGMENT: u64 = 256 * 1024;
/// Rows of a member, in bytes: beyond it a new one is begun, so that what is compressed again stays
/// little.
pub(crate) const MAX_MEMBER: usize = 192 * 1024;
/// Places of a member at which rows that come again may have begun: each is compared with all of them.
const MAX_STARTS: usize = 64;
/// Most bytes of a segment that are read for its last members: one that is full, and what came to it last.
pub(crate) const MAX_READ_SEGMENT: u64 = FULL_SEGMENT + MAX_MEMBER as u64;
/// First bytes of a gzip member without optional fields (RFC 1952, 2.3).
const MEMBER: &[u8] = &[0x1f, 0x8b, 8, 0];
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

impl Segment {
    /// Returns the origin of its rows.
    pub(crate) fn origin(&self, root: &Root) -> Origin {
        match root.names().tracked.holds(&self.file) {
            true => Origin::Repository,
            false => Origin::Own,
        }
    }
}

/// Returns the name of a history's segments up to their number: `archive/` and its own name.
fn stem(file: &str) -> String {
    let name = file.strip_suffix(".jsonl").unwrap_or(file);
    let name = name.strip_prefix("archive/").unwrap_or(name);
    format!("{ARCHIVE_DIR}/{name}-")
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
    let newest = segments(root, file).pop();
    let number = newest.as_ref().map_or(0, |s| s.number);
    // What git tracks is not added to.
    let is_ours = |s: &Segment| s.bytes < FULL_SEGMENT && s.origin(root).is_own();
    if let Some(open) = newest.filter(is_ours)
        && let Some(there) = root.read_if_there(&open.file)?
    {
        let mut bytes = fs::read_range(&there, 0, FULL_SEGMENT)?;
        // Interrupted between here and there, it comes again, with more behind it.
        let before = end_of(&bytes, rows.len());
        let rows = rows.get(overlap(&before, rows)..).unwrap_or_default();
        let (begins, mut last) = last_member(&bytes, MAX_MEMBER.saturating_sub(rows.len()));
        bytes.truncate(begins);
        last.extend_from_slice(rows);
        bytes.extend_from_slice(&compress(&last)?);
        root.replace(&open.file, &bytes)?;
        root.sync_parent(&open.file)?;
        return Ok(open.file);
    }
    let name = format!("{}{:0DIGITS$}{SUFFIX}", stem(file), number + 1);
    root.replace(&name, &compress(rows)?)?;
    root.sync_parent(&name)?;
    Ok(name)
}

/// Rows as members of at most [`MAX_MEMBER`] bytes each, as far as rows are no longer.
fn compress(rows: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let mut rest = rows;
    while !rest.is_empty() {
        let most = rest.get(..MAX_MEMBER).unwrap_or(rest);
        let end = match most.len() == rest.len() {
            true => rest.len(),
            false => line_end(rest, most),
        };
        let (member, after) = rest.split_at(end);
        let mut encoder = GzEncoder::new(packed, Compression::default());
        encoder.write_all(member)?;
        packed = encoder.finish()?;
        rest = after;
    }
    Ok(packed)
}

/// The end of the last line within `most` of `rest`, or of its first line.
fn line_end(rest: &[u8], most: &[u8]) -> usize {
    let end = memchr::memrchr(b'\n', most).or_else(|| memchr::memchr(b'\n', rest));
    end.map_or(rest.len(), |at| at + 1)
}

/// Unpacks the last members of a segment: at least `most` bytes, where there are so many.
fn end_of(bytes: &[u8], most: usize) -> Vec<u8> {
    let (mut end, mut members) = (bytes.len(), Vec::new());
    let mut held = 0;
    while held < most {
        let (begins, rows) = last_member(bytes.get(..end).unwrap_or_default(), MAX_MEMBER);
        if begins == end {
            break;
        }
        end = begins;
        held += rows.len();
        members.push(rows);
    }
    members.reverse();
    members.concat()
}

/// Returns the length of the overlap of `last` and `rows`: two lines at least, since one may well
/// be said twice.
fn overlap(last: &[u8], rows: &[u8]) -> usize {
    let Some(first) = rows.split_inclusive(|b| *b == b'\n').next() else {
        return 0;
    };
    let starts = memchr::memmem::find_iter(last, first);
    let again = starts
        .filter(|at| *at == 0 || last.get(at - 1) == Some(&b'\n'))
        .take(MAX_STARTS)
        .filter_map(|at| last.get(at..))
        .find(|end| rows.starts_with(end) && end.iter().filter(|b| **b == b'\n').count() > 1);
    again.map_or(0, <[u8]>::len)
}

/// Returns the start of a segment's last member and its content; the segment's end and nothing when
/// that is more than `most` bytes or not whole.
pub(crate) fn last_member(bytes: &[u8], most: usize) -> (usize, Vec<u8>) {
    let begins = memchr::memmem::rfind_iter(bytes, MEMBER);
    // The same four bytes inside of a member are not followed by a whole one.
    for at in begins.take(8) {
        let mut member = GzDecoder::new(bytes.get(at..).unwrap_or_default());
        let mut rows = Vec::new();
        let read = (&mut member).take(most as u64 + 1).read_to_end(&mut rows);
        match read {
            Ok(_) if rows.len() > most => break,
            Ok(_) if member.into_inner().is_empty() => return (at, rows),
            _ => {}
        }
    }
    (bytes.len(), Vec::new())
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
    // What git tracks is removed by nobody here.
    all.retain(|(_, segment)| segment.origin(root).is_own());
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

/// Lists drafts that interrupted writing left in the archive: the next row of that history may be long in coming
/// or go to another segment. Who holds the lock may remove them, as nobody is writing them.
pub(crate) fn drafts(root: &Root) -> Vec<String> {
    let of = |dir: String| {
        let names = root.list(&dir, MAX_SEGMENTS).unwrap_or_default();
        let drafts = names.into_iter().filter(|name| is_draft(name));
        let drafts = drafts.map(|name| format!("{dir}/{name}"));
        let tracked = &root.names().tracked;
        drafts
            .filter(|file| !tracked.holds(file))
            .collect::<Vec<_>>()
    };
    directories(root).into_iter().flat_map(of).collect()
}

/// The archive's own directory and those in it.
fn directories(root: &Root) -> Vec<String> {
    let names = root.list(ARCHIVE_DIR, MAX_SEGMENTS).unwrap_or_default();
    let inside = names
        .iter()
        .filter(|name| !name.contains('.'))
        .map(|name| format!("{ARCHIVE_DIR}/{name}"));
    std::iter::once(ARCHIVE_DIR.to_owned())
        .chain(inside)
        .collect()
}

/// Unpacks a segment; of a damaged one, the rows before the damage.
pub(crate) fn unpack(root: &Root, file: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if let Ok(Some(open)) = root.read_if_there(file) {
        let mut rows = MultiGzDecoder::new(open).take(MAX_UNPACKED);
        let _ = rows.read_to_end(&mut out);
    }
    out
}

/// Rows of the segments of a history that git tracks, oldest first.
pub(crate) fn foreign_text(root: &Root, file: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for segment in segments(root, file) {
        if !segment.origin(root).is_own() && (out.len() as u64) < MAX_UNPACKED {
            out.extend(unpack(root, &segment.file));
            out.push(b'\n');
        }
    }
    out
}

/// A small file in the archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Packed {
    /// Path below `.aictx/`.
    pub(crate) file: String,
    /// Content; bytes that were no text are lost in it.
    pub(crate) text: String,
    /// Of a ledger: proof that this user put it there ([`proof`]).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) proof: String,
}

/// Parts of the tag of a ledger in the archive: its stem and its text, in this memory's directory.
fn tagged<'p>(inode: &'p [u8; 8], parts: &[&'p [u8]; 2]) -> [&'p [u8]; 3] {
    let [stem, text] = *parts;
    [inode, stem, text]
}

/// The tag of a ledger that goes to the archive.
pub(crate) fn proof(root: &Root, parts: &[&[u8]; 2]) -> String {
    let inode = root.inode().to_le_bytes();
    let trust: &Trust = root.trust();
    trust.tag(Tagged::ArchivedLedger, &tagged(&inode, parts))
}

pub(crate) fn verifies(root: &Root, parts: &[&[u8]; 2], proof: &str) -> bool {
    let inode = root.inode().to_le_bytes();
    (root.trust()).verifies(Tagged::ArchivedLedger, &tagged(&inode, parts), proof)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpacked(segment: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        MultiGzDecoder::new(segment).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn a_full_or_damaged_member_is_left_alone() {
        let first = compress(&[b'a'; 1_000]).unwrap();
        let whole = [first.as_slice(), &compress(b"second\n").unwrap()].concat();
        assert_eq!(
            last_member(&whole, 100),
            (first.len(), b"second\n".to_vec())
        );
        assert_eq!(last_member(&first, 999), (first.len(), Vec::new()));
        let torn = &whole[..whole.len() - 1];
        assert_eq!(last_member(torn, 100), (torn.len(), Vec::new()));
        assert_eq!(last_member(b"no gzip", 100), (7, Vec::new()));
    }

    #[test]
    fn what_comes_again_is_put_once() {
        for (last, rows, more) in [
            ("a\nb\nc\n", "b\nc\nd\n", "d\n"),
            ("a\nb\nc\n", "b\nc\n", ""),
            ("a\nb\n", "b\nc\n", "b\nc\n"),
            ("a\nb\nc\n", "c\nd\n", "c\nd\n"),
            ("xb\nc\n", "b\nc\n", "b\nc\n"),
            ("", "a\n", "a\n"),
        ] {
            let at = overlap(last.as_bytes(), rows.as_bytes());
            assert_eq!(&rows[at..], more, "{last:?} {rows:?}");
        }
    }

    proptest! {
        #[test]
        fn rows_stay_in_order_whatever_members_they_share(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..400), 1..12),
            most in 0_usize..1_500,
        ) {
            let mut segment = Vec::new();
            for part in &parts {
                let (at, last) = last_member(&segment, most);
                segment.truncate(at);
                segment.extend(compress(&[last.as_slice(), part].concat()).unwrap());
            }
            prop_assert_eq!(unpacked(&segment), parts.concat());
        }
    }
}
