//! Reader of git's index file (`.git/index`, versions 2 to 4): which files are tracked, with what
//! content, and how they looked on disk when git last compared them.
//!
//! Format: git's `Documentation/gitformat-index.txt`. Extensions are skipped; a split index (`link`)
//! or a sparse directory entry makes the answer incomplete, which is said.

use std::io;
use std::path::Path;

use aictx_files::untrusted::{self, ReadError};
use rustix::fs::Stat;

/// Longest index that is read, in bytes: more than half a million files have.
const MAX_BYTES: u64 = 64 << 20;
/// Most bytes of paths that are kept: version 4 lets a few bytes stand for a long path.
const MAX_PATHS: usize = 64 << 20;
/// Most entries that are kept.
const MAX_ENTRIES: usize = 600_000;
/// First bytes of every index.
const MAGIC: &[u8] = b"DIRC";

/// Reads an index file, and how it looked then.
///
/// # Errors
/// See [`ReadError`]; so is a file that is no index.
pub fn load(index: &Path) -> Result<(Vec<u8>, Stat), ReadError> {
    let file = untrusted::open(index)?;
    // What only claims to be long is not read for that.
    if file.beginning(MAGIC.len() as u64)? != MAGIC {
        return Err(io::Error::from(io::ErrorKind::InvalidData).into());
    }
    Ok((file.read(MAX_BYTES)?, *file.stat()))
}

/// One tracked path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path as bytes, relative to the worktree.
    pub path: Vec<u8>,
    /// Blob id, the first 20 bytes of it.
    pub id: [u8; 20],
    /// Unix mode: `0o160000` is a submodule, `0o120000` a symbolic link.
    pub mode: u32,
    /// Modification time: seconds and nanoseconds, as stored (32 bits each).
    pub modified: (u32, u32),
    /// Inode, low 32 bits.
    pub inode: u32,
    /// Size in bytes, low 32 bits.
    pub size: u32,
}

/// Mode of a submodule's entry.
pub const SUBMODULE: u32 = 0o160_000;
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

impl Entry {
    /// Returns true if this is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode & TYPE == REGULAR
    }

    /// Returns true if this is a submodule.
    pub fn is_submodule(&self) -> bool {
        self.mode & TYPE == SUBMODULE
    }
}

/// What an index file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Entries of stage 0 or, of a path in conflict, the first stage, in the order of the file.
    pub entries: Vec<Entry>,
    /// True if entries are missing: the file is torn, split, or sparse.
    pub incomplete: bool,
    /// True if git compares some entry with its file otherwise than by what is said here: it is in
    /// conflict, to be added only, left out of the worktree, or promised not to change.
    pub special: bool,
}

/// Reads an index file. `hash` is the length of object ids: 20, or 32 with SHA-256. Never fails:
/// what cannot be read is missing and [`Index::incomplete`]. Linear.
pub fn parse(bytes: &[u8], hash: usize) -> Index {
    let mut index = Index::default();
    if read(bytes, hash, &mut index).is_none() {
        index.incomplete = true;
    }
    index
}

fn read(bytes: &[u8], hash: usize, index: &mut Index) -> Option<()> {
    let mut rest = bytes.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut previous: Vec<u8> = Vec::new();
    let mut path_bytes = 0;
    for _ in 0..count {
        let start = rest.len();
        let mut fixed = take(&mut rest, 40)?;
        let _changed = (number(&mut fixed)?, number(&mut fixed)?);
        let modified = (number(&mut fixed)?, number(&mut fixed)?);
        let _device = number(&mut fixed)?;
        let inode = number(&mut fixed)?;
        let mode = number(&mut fixed)?;
        let _owner = (number(&mut fixed)?, number(&mut fixed)?);
        let size = number(&mut fixed)?;
        let id = take(&mut rest, hash)?.first_chunk::<20>().copied()?;
        let flags = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
        // Promised not to change; a stage other than the first.
        index.special |= flags & 0xb000 != 0;
        if flags & 0x4000 != 0 {
            if version < 3 {
                return None;
            }
            let extended = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
            index.special |= extended & 0x6000 != 0;
            // A sparse index has directories as entries: mode 040000 with skip-worktree.
            index.incomplete |= extended & 0x4000 != 0 && mode & TYPE == 0o040_000;
        }
        let path = if version == 4 {
            let drop = offset(&mut rest)?;
            let end = memchr::memchr(0, rest)?;
            let tail = take(&mut rest, end)?;
            take(&mut rest, 1)?;
            previous.truncate(previous.len().checked_sub(drop)?);
            previous.extend_from_slice(tail);
            if previous.len() > MAX_PATH {
                return None;
            }
            previous.clone()
        } else {
            let end = memchr::memchr(0, rest)?;
            let path = take(&mut rest, end)?.to_vec();
            // One to eight NULs bring the entry to a multiple of eight.
            let used = start - rest.len();
            take(&mut rest, 8 - used % 8)?;
            path
        };
        if !is_inside(&path) {
            index.incomplete = true;
            continue;
        }
        if index.entries.last().is_some_and(|last| last.path >= path) {
            // Another stage of the same path; out of order git never writes.
            index.incomplete |= index.entries.last().is_some_and(|last| last.path > path);
            continue;
        }
        path_bytes += path.len();
        if path_bytes > MAX_PATHS || index.entries.len() >= MAX_ENTRIES {
            return None;
        }
        index.entries.push(Entry {
            path,
            id,
            mode,
            modified,
            inode,
            size,
        });
    }
    // A split index keeps most entries in another file.
    while let (Some(name), Some(length)) = (take(&mut rest, 4), number(&mut rest)) {
        if name == b"link" {
            index.incomplete = true;
        }
        if take(&mut rest, length as usize).is_none() || rest.len() <= hash {
            break;
        }
    }
    Some(())
}

/// Longest path that the system takes.
const MAX_PATH: usize = 4_096;

/// Returns true if a path names something in the worktree.
fn is_inside(path: &[u8]) -> bool {
    let part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
    path.len() <= MAX_PATH && path.split(|b| *b == b'/').all(part)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(head)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

/// The variable-length number of pack offsets: big-endian groups of seven bits, each continued
/// group adds one.
fn offset(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value = value
            .checked_shl(7)?
            .checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
        if value > usize::MAX >> 8 {
            return None;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    fn git(at: &std::path::Path, arguments: &[&str]) {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(at)
            .env("HOME", at)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(status.status.success(), "{status:?}");
    }

    #[test]
    fn reads_what_git_wrote_in_every_version() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        git(root, &["init", "-q"]);
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        let paths = ["a", "src/deep/one.rs", "src/deep/one_more.rs", "src/ü.txt"];
        for (size, path) in paths.iter().enumerate() {
            std::fs::write(root.join(path), "x".repeat(size + 1)).unwrap();
        }
        git(root, &["add", "."]);
        for version in ["2", "3", "4"] {
            git(root, &["update-index", "--index-version", version]);
            let index = parse(&std::fs::read(root.join(".git/index")).unwrap(), 20);
            assert!(!index.incomplete, "version {version}");
            let found: Vec<_> = index.entries.iter().map(|e| e.path.as_slice()).collect();
            assert_eq!(found, paths.map(str::as_bytes), "version {version}");
            let sizes: Vec<_> = index.entries.iter().map(|e| e.size).collect();
            assert_eq!(sizes, [1, 2, 3, 4], "version {version}");
            assert!(index.entries.iter().all(Entry::is_file));
            let id = crate::segment::ContentId::of(b"xx");
            assert_eq!(index.entries[1].id, id.0, "version {version}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(tail in proptest::collection::vec(any::<u8>(), 0..300), version in 0_u32..6) {
            let mut bytes = b"DIRC".to_vec();
            bytes.extend(version.to_be_bytes());
            bytes.extend(3_u32.to_be_bytes());
            bytes.extend(tail);
            let index = parse(&bytes, 20);
            prop_assert!(index.entries.len() <= 3);
        }
    }

    /// Version 4, where each entry is the one before with a byte more or less.
    #[test]
    fn long_paths_that_take_no_room_are_bounded() {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(4_u32.to_be_bytes());
        let count = 40_000_u32;
        bytes.extend(count.to_be_bytes());
        for number in 0..count {
            bytes.extend([0; 62]);
            let path = format!("{number:08}");
            // Drops the number at the end of the path before and writes its own.
            match number {
                0 => {
                    bytes.push(0);
                    bytes.extend([b'a'; 4_000]);
                }
                _ => bytes.push(8),
            }
            bytes.extend(path.as_bytes());
            bytes.push(0);
        }
        assert!(bytes.len() < 4 << 20);
        let index = parse(&bytes, 20);
        assert!(index.incomplete);
        let kept: usize = index.entries.iter().map(|entry| entry.path.len()).sum();
        assert!(!index.entries.is_empty() && kept <= MAX_PATHS, "{kept}");
    }
}
