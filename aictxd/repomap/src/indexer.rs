//! Keeping a tree right: list, compare, parse what was never seen, publish.
//!
//! One update runs at a time; readers take the published tree and never wait. Files that changed
//! last are parsed first, and the tree is published again and again while a long update runs, so the
//! files somebody works on are known long before the last vendored header is.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aictx_files::untrusted::{Directory, Links};
use arc_swap::ArcSwap;

use crate::discover::{self, Found, Listing};
use crate::index_view::{FileId, View};
use crate::manifest;
use crate::segment::ContentId;
use crate::tree::{Graph, Paths, Place, Row, Tree};

mod cache;
mod changes;
mod compaction;
mod from_memory;
mod listing_cache;
mod manifests;
mod parse_batch;

pub use cache::Cache;
pub use from_memory::index_contents;
use listing_cache::Ground;
use parse_batch::Fill;

/// How a tree is indexed.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// What is listed at most.
    pub discover: discover::Limits,
    /// Files above this size, in bytes, are found by path only.
    pub max_file_bytes: u64,
    /// Most bytes that one update reads; the files changed last are read first.
    pub max_total_bytes: u64,
    /// Threads that parse. The daemon leaves one core free.
    pub threads: usize,
    /// True if parsing threads lower their priority.
    pub background: bool,
    /// Called after memory was let go in bulk.
    pub release: fn(),
    /// Gives the text to keep instead of one that holds secrets. Whatever is kept of a file passes
    /// through it first: words, names, signatures, documentation, imports.
    pub scrub: fn(&str) -> Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            discover: discover::Limits::default(),
            max_file_bytes: 1 << 20,
            max_total_bytes: 4 << 30,
            threads: (cores - 1).max(1),
            background: true,
            release: || {},
            scrub: |_| None,
        }
    }
}

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Files in the tree now.
    pub files: u32,
    /// Contents parsed.
    pub parsed: u32,
    /// Changed files whose content was known already.
    pub reused: u32,
    /// Files that are gone.
    pub removed: u32,
    /// Files left for later: the update was stopped.
    pub pending: u32,
    /// Files not read because [`Options::max_total_bytes`] was reached.
    pub left_out: u32,
    /// Files beyond [`discover::Limits::files`].
    pub over: u64,
    /// True if listing ran out of time.
    pub timed_out: bool,
    /// Submodules and nested repositories.
    pub nested: Vec<String>,
    /// True if git's index was read.
    pub git: bool,
    /// Duration.
    pub took: Duration,
}

/// How far a running update is.
#[derive(Debug, Default)]
pub struct Progress {
    /// Files to parse in this update.
    pub total: std::sync::atomic::AtomicU32,
    /// Files done.
    pub done: std::sync::atomic::AtomicU32,
    /// True if an update runs.
    pub running: AtomicBool,
}

/// Keeps one tree.
#[derive(Debug)]
pub struct Indexer {
    root: PathBuf,
    git_dir: Option<PathBuf>,
    options: Options,
    cache: Option<Cache>,
    tree: ArcSwap<Tree>,
    /// Held while an update runs: what the last listing rested on.
    updating: Mutex<Option<Ground>>,
    progress: Progress,
    manifests: Mutex<manifest::Known>,
}

/// What an update will make of the tree, before anything is parsed.
struct Plan {
    paths: Arc<Paths>,
    rows: Vec<Row>,
    graph: Arc<Graph>,
    /// Files whose content is not known, the ones changed last first.
    waiting: Vec<Waiting>,
    removed: u32,
    reused: u32,
    /// True if anything differs from the tree before.
    changed: bool,
}

impl Plan {
    /// For a tree that is as it should be.
    fn nothing(base: &Tree) -> Self {
        Self {
            paths: Arc::clone(base.paths()),
            rows: Vec::new(),
            graph: Arc::clone(base.graph()),
            waiting: Vec::new(),
            removed: 0,
            reused: 0,
            changed: false,
        }
    }
}

struct Waiting {
    file: FileId,
    id: Option<ContentId>,
}

impl Indexer {
    /// Opens a tree: what the cache knows of it is published at once, unproven until the first
    /// [`Indexer::reconcile`].
    pub fn open(
        root: &Path,
        git_dir: Option<PathBuf>,
        cache: Option<Cache>,
        options: Options,
    ) -> Self {
        let tree = cache.as_ref().and_then(Cache::load).unwrap_or_default();
        Self {
            root: root.to_owned(),
            git_dir,
            options,
            cache,
            tree: ArcSwap::from_pointee(tree),
            updating: Mutex::default(),
            progress: Progress::default(),
            manifests: Mutex::default(),
        }
    }

    /// The published tree.
    pub fn tree(&self) -> Arc<Tree> {
        self.tree.load_full()
    }

    /// How far the running update is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Reads a file of a tree as it is on disk now, within the limits of [`Options`].
    pub fn read(&self, tree: &Tree, file: FileId) -> Option<Vec<u8>> {
        use std::os::unix::ffi::OsStrExt;
        if crate::parse::is_private(tree.paths().text(file)) {
            return None;
        }
        let path = Path::new(std::ffi::OsStr::from_bytes(tree.paths().raw(file)));
        let root = Directory::open(&self.root).ok()?;
        let most = self.options.max_file_bytes;
        root.read(path, Links::Refused, most).ok()
    }

    /// Those of some files of a tree that are on disk now other than the tree knows them, as the system
    /// spells their paths. A look at each, nothing is read.
    pub fn outdated(&self, tree: &Tree, files: &[FileId]) -> Vec<Vec<u8>> {
        let mut files = files.to_vec();
        files.sort_unstable();
        files.dedup();
        let paths: Vec<&[u8]> = files.iter().map(|file| tree.paths().raw(*file)).collect();
        let looks = discover::look(&self.root, &paths, 1, None, &AtomicBool::new(false));
        let outdated = |file: &FileId, look: Option<discover::Look>| {
            let row = tree.rows().get(file.0 as usize);
            let (Some(row), Some(look)) = (row, look) else {
                return true;
            };
            let (known, now) = (row.stamp, look.stamp);
            // The inode of a stamp that proves nothing is turned around.
            let inode = known.inode == now.inode || known.inode == !now.inode;
            look.sort != discover::Sort::File
                || !inode
                || (known.size, known.modified) != (now.size, now.modified)
        };
        let both = files.iter().zip(looks).zip(paths);
        both.filter(|((file, look), _)| outdated(file, *look))
            .map(|(_, path)| path.to_vec())
            .collect()
    }

    /// Lists the whole tree and brings the index up to it. Costs a walk and a look at each file
    /// when nothing changed. `stop` ends it early with a usable tree.
    pub fn reconcile(&self, stop: &AtomicBool) -> Report {
        self.compare(stop, false)
    }

    /// The same, but parses everything again. The tree before serves until then.
    pub fn rebuild(&self, stop: &AtomicBool) -> Report {
        self.compare(stop, true)
    }

    fn compare(&self, stop: &AtomicBool, anew: bool) -> Report {
        let mut ground = self.updating.lock().unwrap_or_else(PoisonError::into_inner);
        let started = Instant::now();
        if !anew && let Some(report) = ground.as_ref().and_then(|g| self.look_again(g, stop)) {
            return Report {
                took: started.elapsed(),
                ..report
            };
        }
        let listed = std::time::SystemTime::now();
        let mut listing = discover::list(
            &self.root,
            self.git_dir.as_deref(),
            &self.options.discover,
            stop,
        );
        if stop.load(Ordering::Relaxed) {
            // Half a listing would look like files deleted.
            return self.stopped(started);
        }
        let before = self.tree();
        if listing.timed_out || listing.unreadable > 0 {
            self.keep_what_is_there(&before, &mut listing);
        }
        let base = if anew { Arc::default() } else { before };
        let plan = plan(&base, &listing);
        *ground = Ground::of(self, &listing, &plan.paths, listed, stop);
        let mut report = self.carry_out(&base, plan, stop);
        report.over = listing.over;
        report.timed_out = listing.timed_out;
        report.nested = listing.nested;
        report.git = listing.git;
        report.took = started.elapsed();
        report
    }

    /// Looks at every file of the tree, when nothing says that there may be others; nothing when the
    /// tree must be listed.
    fn look_again(&self, ground: &Ground, stop: &AtomicBool) -> Option<Report> {
        let base = self.tree();
        let found = ground.changed(self, &base, stop)?;
        let plan = match found.is_empty() {
            true => Plan::nothing(&base),
            false => changes::apply(&base, &found),
        };
        let mut report = self.carry_out(&base, plan, stop);
        ground.report(&mut report);
        Some(report)
    }

    /// What a listing did not see is not gone: files of the tree that are still there stay in it.
    fn keep_what_is_there(&self, before: &Tree, listing: &mut Listing) {
        use std::os::unix::ffi::OsStrExt;
        let seen: std::collections::HashSet<&[u8]> =
            listing.files.iter().map(|f| f.path.as_slice()).collect();
        let kept: Vec<Found> = before
            .paths()
            .iter()
            .zip(before.rows())
            .filter(|(path, _)| !seen.contains(path))
            .filter(|(path, _)| {
                let path = self.root.join(Path::new(std::ffi::OsStr::from_bytes(path)));
                // A root that is gone for a moment takes nothing along either.
                std::fs::symlink_metadata(path).is_ok_and(|m| m.is_file()) || !self.root.is_dir()
            })
            .map(|(path, row)| Found {
                path: path.to_vec(),
                stamp: row.stamp,
                id: None,
            })
            .collect();
        drop(seen);
        listing.files.extend(kept);
        listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }

    /// Drops the segments whose files were cut short or written to; how many those were. The files
    /// that they held are parsed by the next [`Indexer::reconcile`].
    pub fn drop_damaged(&self) -> usize {
        let _one = self.updating.lock().unwrap_or_else(PoisonError::into_inner);
        let tree = self.tree();
        if !tree.was_changed() {
            return 0;
        }
        let (rest, dropped) = tree.without_changed();
        self.publish(rest);
        dropped
    }

    fn stopped(&self, started: Instant) -> Report {
        let tree = self.tree.load();
        Report {
            files: tree.files(),
            pending: tree.pending(),
            took: started.elapsed(),
            ..Report::default()
        }
    }

    /// Parses what a plan lacks, publishing as it goes.
    fn carry_out(&self, base: &Arc<Tree>, plan: Plan, stop: &AtomicBool) -> Report {
        let mut report = Report {
            removed: plan.removed,
            reused: plan.reused,
            ..Report::default()
        };
        if plan.changed || !plan.waiting.is_empty() {
            self.progress
                .total
                .store(plan.waiting.len() as u32, Ordering::Relaxed);
            self.progress.done.store(0, Ordering::Relaxed);
            self.progress.running.store(true, Ordering::Relaxed);
            let fill = Fill {
                indexer: self,
                base,
                stop,
            };
            fill.run(plan, &mut report);
            self.tidy(base, &mut report, stop);
            self.progress.running.store(false, Ordering::Relaxed);
        } else if !base.graph().is_made() {
            // It comes from the cache, which keeps no edges.
            self.link(stop);
        }
        let tree = self.tree.load();
        report.files = tree.files();
        report.pending = tree.pending().saturating_sub(report.left_out);
        report
    }

    fn publish(&self, tree: Tree) -> Arc<Tree> {
        let tree = Arc::new(tree);
        self.tree.store(Arc::clone(&tree));
        tree
    }

    /// Writes what the cache does not have yet.
    ///
    /// # Errors
    /// When the cache directory cannot be written.
    pub fn save(&self) -> std::io::Result<()> {
        let tree = self.tree.load();
        match &self.cache {
            // What cannot be read any more is not written again either.
            Some(cache) if !tree.is_damaged() => cache.save(&tree),
            _ => Ok(()),
        }
    }
}

/// Compares a listing with a tree.
fn plan(base: &Tree, listing: &Listing) -> Plan {
    let mut rows = Vec::with_capacity(listing.files.len());
    let mut waiting = Vec::new();
    let (mut reused, mut kept) = (0, 0);
    let mut old = base.paths().iter().zip(base.rows()).peekable();
    let mut same_paths = listing.files.len() == base.rows().len();
    for (number, found) in listing.files.iter().enumerate() {
        while old
            .next_if(|(path, _)| *path < found.path.as_slice())
            .is_some()
        {
            same_paths = false;
        }
        let before = old.next_if(|(path, _)| *path == found.path.as_slice());
        same_paths &= before.is_some();
        let before = before.map(|(_, row)| row);
        kept += u32::from(before.is_some());
        let (row, known) = row_for(base, found, before);
        reused += u32::from(known == Known::Elsewhere);
        if row.place.is_none() {
            waiting.push(Waiting {
                file: FileId(number as u32),
                id: (row.id != ContentId::default()).then_some(row.id),
            });
        }
        rows.push(row);
    }
    let removed = base.rows().len() as u32 - kept;
    let paths = if same_paths {
        Arc::clone(base.paths())
    } else {
        Arc::new(Paths::new(listing.files.iter().map(|f| f.path.as_slice())))
    };
    let changed = !same_paths || rows != base.rows();
    finish_plan(base, paths, rows, waiting, (removed, reused, changed))
}

fn finish_plan(
    base: &Tree,
    paths: Arc<Paths>,
    rows: Vec<Row>,
    mut waiting: Vec<Waiting>,
    (removed, reused, changed): (u32, u32, bool),
) -> Plan {
    let modified = |w: &Waiting| rows.get(w.file.0 as usize).map_or(0, |r| r.stamp.modified);
    waiting.sort_by_key(|w| (std::cmp::Reverse(modified(w)), w.file));
    let graph = if Arc::ptr_eq(&paths, base.paths()) {
        Arc::clone(base.graph())
    } else {
        let numbers = base.paths().numbers_in(&paths);
        let renumber = |old: FileId| numbers.get(old.0 as usize).copied().flatten();
        Arc::new(base.graph().renumbered(paths.len() as u32, &renumber))
    };
    Plan {
        paths,
        rows,
        graph,
        waiting,
        removed,
        reused,
        changed,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Unchanged,
    Elsewhere,
    No,
}

/// A file's row: the one before when it looks the same, one with a known content when git names it,
/// one that waits otherwise.
fn row_for(base: &Tree, found: &Found, before: Option<&Row>) -> (Row, Known) {
    if let Some(before) = before
        && before.stamp == found.stamp
        && before.place.is_some()
    {
        return (*before, Known::Unchanged);
    }
    let path = String::from_utf8_lossy(&found.path);
    // What a name promises to be secret is not known by its content, wherever that was seen before.
    let private = crate::parse::is_private(&path);
    let id = found.id.filter(|_| !private);
    let id = id.map(|id| crate::document::key(&path, id));
    let mut row = Row {
        stamp: found.stamp,
        id: id.unwrap_or_default(),
        place: None,
        class: before.map_or_else(|| crate::file_class::classify(&path), |before| before.class),
    };
    row.place = id.and_then(|id| base.find_content(&id));
    let known = if row.place.is_some() {
        Known::Elsewhere
    } else {
        Known::No
    };
    (row, known)
}

/// Merged places: for each old segment, each document's new place.
type Moves = Vec<Vec<Option<Place>>>;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
