//! What a tree's index leaves on disk, so that the next start need not parse again.
//!
//! One directory a repository, shared by its worktrees: `<fingerprint>.seg` files that hold contents
//! and one `<worktree>.tree` file each that says which path holds which content. Segments are
//! written once and never changed; tree files are replaced by rename. Whatever does not check out is
//! ignored and made anew. Deleting the directory costs time, nothing else.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aictx_files::untrusted;
use xxhash_rust::xxh3::xxh3_64;

use crate::discover::Stamp;
use crate::history::{Commit, store};
use crate::index_view::Class;
use crate::segment::{ContentId, Segment, content_version};
use crate::tree::{Graph, Paths, Place, Row, Tree};

const MAGIC: &[u8; 8] = b"aictxtre";
const FORMAT: u32 = 1;
const HEADER: usize = 24;
/// Longest file of the cache beside segments that is read, in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// Segments that no tree names are removed when they are older than this; a younger one may belong
/// to a tree that is being written.
const ORPHAN_AGE: Duration = Duration::from_secs(3_600);

/// The cache of one worktree.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    worktree: String,
}

impl Cache {
    /// The cache in `directory`, which belongs to one repository, for the worktree called `worktree`
    /// (a file name of the caller's choice, unique within the repository).
    pub fn new(directory: PathBuf, worktree: &str) -> Self {
        Self {
            directory,
            worktree: worktree.to_owned(),
        }
    }

    fn tree_file(&self) -> PathBuf {
        self.directory.join(format!("{}.tree", self.worktree))
    }

    fn segment_file(&self, fingerprint: u64) -> PathBuf {
        self.directory.join(format!("{fingerprint:016x}.seg"))
    }

    /// The tree as it was saved; for a worktree that was never saved an empty tree with the
    /// contents that another worktree of the repository knows. Nothing when there is nothing whole.
    pub(super) fn load(&self) -> Option<Tree> {
        if let Ok(bytes) = untrusted::read(&self.tree_file(), MAX_BYTES)
            && let Some(saved) = decode(&bytes)
        {
            // Files of a segment that is gone wait to be parsed again.
            let segments = saved.segments.iter().map(|f| self.open_segment(*f));
            let segments = segments.map(|segment| segment.unwrap_or_else(Segment::empty));
            let segments = segments.collect();
            let paths = saved.paths.iter().map(Vec::as_slice);
            let paths = Arc::new(Paths::new(paths));
            return Some(Tree::new(paths, saved.rows, segments, Arc::default()));
        }
        let mut others: Vec<_> = self.tree_files().collect();
        others.sort_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
        let segments = others.iter().rev().find_map(|path| {
            let saved = decode(&untrusted::read(path, MAX_BYTES).ok()?)?;
            let segments = saved.segments.iter().map(|f| self.open_segment(*f));
            segments.collect::<Option<Vec<_>>>()
        })?;
        Some(Tree::new(
            Arc::default(),
            Vec::new(),
            segments,
            Arc::new(Graph::default()),
        ))
    }

    fn history_file(&self) -> PathBuf {
        self.directory.join(format!("{}.log", self.worktree))
    }

    /// The commits that were saved; none where there is nothing whole.
    pub fn load_history(&self) -> Vec<Commit> {
        let bytes = untrusted::read(&self.history_file(), MAX_BYTES);
        bytes
            .ok()
            .and_then(|b| store::decode(&b))
            .unwrap_or_default()
    }

    /// Saves commits. Their messages are written as they are.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn save_history(&self, commits: &[Commit]) -> io::Result<()> {
        self.replace(&self.history_file(), &store::encode(commits))
    }

    fn tree_files(&self) -> impl Iterator<Item = PathBuf> {
        files_with(&self.directory, "tree")
    }

    /// Opens a segment; nothing when it is gone or is not the one of that name. What is damaged is
    /// removed.
    fn open_segment(&self, fingerprint: u64) -> Option<Arc<Segment>> {
        let path = self.segment_file(fingerprint);
        match Segment::open(&path) {
            Ok(segment) if segment.fingerprint() == fingerprint => Some(Arc::new(segment)),
            Ok(_) => None,
            Err(error) => {
                if error.kind() == io::ErrorKind::InvalidData {
                    let _ = fs::remove_file(&path);
                }
                None
            }
        }
    }

    /// Takes over a segment's bytes: they go to disk and come back mapped. Where the disk does not
    /// take them they stay in memory.
    pub(super) fn store(&self, bytes: Vec<u8>) -> Option<Segment> {
        let segment = Segment::from_bytes(bytes).ok()?;
        match self.write_segment(&segment) {
            Ok(path) => Some(Segment::open(&path).unwrap_or(segment)),
            Err(_) => Some(segment),
        }
    }

    fn write_segment(&self, segment: &Segment) -> io::Result<PathBuf> {
        let path = self.segment_file(segment.fingerprint());
        let there = fs::metadata(&path).is_ok_and(|m| m.len() == segment.bytes().len() as u64);
        if !there {
            self.replace(&path, segment.bytes())?;
        }
        Ok(path)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "makes a file in the cache directory"
    )]
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        name.push(format!(".{}.{count}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        let written = fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Writes what is not there yet and forgets what no tree needs.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(super) fn save(&self, tree: &Tree) -> io::Result<()> {
        for segment in tree.segments() {
            // Also a mapped one: its file may have been removed since.
            self.write_segment(segment)?;
        }
        let bytes = encode(tree);
        // The same tree need not be written again.
        if untrusted::read(&self.tree_file(), MAX_BYTES).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        self.replace(&self.tree_file(), &bytes)?;
        self.prune();
        Ok(())
    }

    fn prune(&self) {
        let old = |path: &Path| {
            let modified = fs::metadata(path).and_then(|m| m.modified());
            let age = modified.map(|m| SystemTime::now().duration_since(m));
            matches!(age, Ok(Ok(age)) if age > ORPHAN_AGE)
        };
        let mut wanted = Vec::new();
        for path in self.tree_files() {
            match untrusted::read(&path, MAX_BYTES)
                .ok()
                .and_then(|bytes| decode(&bytes))
            {
                Some(saved) => wanted.extend(saved.segments),
                // Perhaps another version's; gone when nobody renews it.
                None if old(&path) => {
                    let _ = fs::remove_file(path);
                }
                None => {}
            }
        }
        for path in files_with(&self.directory, "seg") {
            let name = path.file_stem().and_then(|s| s.to_str());
            let fingerprint = name.and_then(|n| u64::from_str_radix(n, 16).ok());
            if fingerprint.is_none_or(|f| !wanted.contains(&f)) && old(&path) {
                let _ = fs::remove_file(path);
            }
        }
        for path in files_with(&self.directory, "tmp") {
            if old(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn files_with(directory: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let entries = untrusted::entries(directory).into_iter().flatten();
    let extension = extension.to_owned();
    entries
        .map(|entry| directory.join(entry.name))
        .filter(move |path| path.extension().is_some_and(|e| *e == *extension))
}

/// A tree file's content.
#[derive(Debug, Default, PartialEq)]
struct Saved {
    segments: Vec<u64>,
    paths: Vec<Vec<u8>>,
    rows: Vec<Row>,
}

fn encode(tree: &Tree) -> Vec<u8> {
    let mut body = Vec::new();
    let number = |body: &mut Vec<u8>, n: usize| body.extend((n as u32).to_le_bytes());
    number(&mut body, tree.segments().len());
    for segment in tree.segments() {
        body.extend(segment.fingerprint().to_le_bytes());
    }
    number(&mut body, tree.rows().len());
    for (path, row) in tree.paths().iter().zip(tree.rows()) {
        number(&mut body, path.len());
        body.extend(path);
        body.extend(row.stamp.size.to_le_bytes());
        body.extend(row.stamp.modified.to_le_bytes());
        body.extend(row.stamp.inode.to_le_bytes());
        body.extend(row.id.0);
        let place = row.place.map_or([u32::MAX; 2], |p| [p.segment, p.doc]);
        body.extend(place.map(u32::to_le_bytes).as_flattened());
        body.push(row.class as u8);
    }
    let mut out = Vec::with_capacity(HEADER + body.len());
    out.extend(MAGIC);
    out.extend(FORMAT.to_le_bytes());
    out.extend(content_version().to_le_bytes());
    out.extend(xxh3_64(&body).to_le_bytes());
    out.extend(body);
    out
}

/// Reads a tree file; nothing when it is not exactly what [`encode`] writes.
fn decode(bytes: &[u8]) -> Option<Saved> {
    let (head, body) = bytes.split_at_checked(HEADER)?;
    let (magic, head) = head.split_at_checked(8)?;
    let mut head = head;
    let fits = magic == MAGIC
        && u32::from_le_bytes(array(&mut head)?) == FORMAT
        && u32::from_le_bytes(array(&mut head)?) == content_version()
        && u64::from_le_bytes(array(&mut head)?) == xxh3_64(body);
    if !fits {
        return None;
    }
    let mut rest = body;
    let mut saved = Saved::default();
    for _ in 0..u32::from_le_bytes(array(&mut rest)?) {
        saved.segments.push(u64::from_le_bytes(array(&mut rest)?));
    }
    for _ in 0..u32::from_le_bytes(array(&mut rest)?) {
        let length = u32::from_le_bytes(array(&mut rest)?) as usize;
        let (path, tail) = rest.split_at_checked(length)?;
        rest = tail;
        if saved
            .paths
            .last()
            .is_some_and(|last| last.as_slice() >= path)
        {
            return None;
        }
        saved.paths.push(path.to_vec());
        let stamp = Stamp {
            size: u64::from_le_bytes(array(&mut rest)?),
            modified: i64::from_le_bytes(array(&mut rest)?),
            inode: u64::from_le_bytes(array(&mut rest)?),
        };
        let id = ContentId(array(&mut rest)?);
        let segment = u32::from_le_bytes(array(&mut rest)?);
        let doc = u32::from_le_bytes(array(&mut rest)?);
        let [class] = array(&mut rest)?;
        saved.rows.push(Row {
            stamp,
            id,
            place: (segment != u32::MAX).then_some(Place { segment, doc }),
            class: Class::from_number(class),
        });
    }
    rest.is_empty().then_some(saved)
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn foreign_bytes_are_no_tree(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), sealed: bool) {
            // With a right checksum the body itself is put to the test.
            if sealed {
                let mut head = MAGIC.to_vec();
                head.extend(FORMAT.to_le_bytes());
                head.extend(content_version().to_le_bytes());
                head.extend(xxh3_64(&bytes).to_le_bytes());
                head.append(&mut bytes);
                bytes = head;
            }
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn an_empty_tree_comes_back() {
        let saved = decode(&encode(&Tree::default()));
        assert_eq!(saved, Some(Saved::default()));
    }
}
