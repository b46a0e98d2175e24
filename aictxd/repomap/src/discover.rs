//! Which files does a tree have?
//!
//! A tracked file belongs to the tree whatever the ignore rules say; an untracked one when no rule
//! excludes it (nested `.gitignore`, `.ignore`, `.git/info/exclude`, the user's global excludes, and
//! `.aictxignore`, which also excludes tracked files). Submodules and nested repositories are named,
//! not entered. Symbolic links are never followed. What is not looked at is counted.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use aictx_files::{mounts, untrusted};

use crate::file_class::is_below_sources;
use crate::segment::ContentId;

pub mod git_index;
mod rules;
mod stat_batch;
mod walk;

pub(crate) use rules::{RULE_FILES, outside, shared_dir};
pub use rules::{RuledTree, Rules, Unlisted};
pub use stat_batch::{Look, Sort, look, look_at};

/// Directories that nobody indexes unless their files are tracked: what tools install.
const BY_TOOLS: [&str; 15] = [
    "node_modules",
    "bower_components",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".terraform",
    ".cache",
];

/// The same where tools build. Among sources they are named after what their code is for.
const OUTPUTS: [&str; 4] = ["target", "build", "dist", "coverage"];

/// Longest configuration of git that is read, in bytes.
const MAX_CONFIG: u64 = 1 << 20;

/// Never part of a tree, tracked or not.
const NEVER: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".aictx"];

/// How much of a tree is taken. What goes beyond is counted in [`Listing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most files.
    pub files: usize,
    /// Most time for listing.
    pub time: Duration,
    /// Threads that list.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 400_000,
            time: Duration::from_secs(60),
            threads: 2,
        }
    }
}

/// How a file looked on disk. Equal stamps mean equal content, unless the file changed in the very
/// tick in which it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch.
    pub modified: i64,
    /// Inode.
    pub inode: u64,
}

impl Stamp {
    /// The stamp of a file.
    pub fn of(meta: &std::fs::Metadata) -> Self {
        Self {
            size: meta.len(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            inode: meta.ino(),
        }
    }

    /// The stamp of a file by what the system says of it.
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types differ between systems"
    )]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            size: stat.st_size as u64,
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            inode: stat.st_ino as u64,
        }
    }
}

/// A time in nanoseconds, as far as that can be said.
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Path relative to the root, as the system spells it.
    pub path: Vec<u8>,
    /// How it looked.
    pub stamp: Stamp,
    /// Its content's id, where git's index vouches for it.
    pub id: Option<ContentId>,
}

/// All files of a tree.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files in the order of their paths' bytes.
    pub files: Vec<Found>,
    /// True if git's index was read.
    pub git: bool,
    /// Files beyond [`Limits::files`].
    pub over: u64,
    /// True if [`Limits::time`] ended the listing.
    pub timed_out: bool,
    /// Submodules and nested repositories: not entered.
    pub nested: Vec<String>,
    /// Directories that could not be read.
    pub unreadable: u64,
    /// Directories whose entries decide what the tree holds, relative to the root, in order. Empty
    /// when there are others.
    pub directories: Vec<Vec<u8>>,
}

/// Why a directory is not indexed at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is the root of the file system.
    #[error("{0} is the root of the file system; name a repository inside it")]
    FileSystemRoot(PathBuf),
    /// It is somebody's home directory.
    #[error("{0} is a home directory; name a repository inside it")]
    Home(PathBuf),
    /// It is no directory.
    #[error("{0} is not a directory")]
    NotADirectory(PathBuf),
}

/// Whether a directory may be indexed. `home` is the user's home directory.
///
/// # Errors
/// The reason why not.
pub fn check_root(root: &Path, home: Option<&Path>) -> Result<(), Refused> {
    if !root.is_dir() {
        return Err(Refused::NotADirectory(root.to_owned()));
    }
    if root.parent().is_none() {
        return Err(Refused::FileSystemRoot(root.to_owned()));
    }
    let same = |other: &Path| {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        real(root) == real(other)
    };
    if home.is_some_and(same) {
        return Err(Refused::Home(root.to_owned()));
    }
    Ok(())
}

/// What git says of a worktree's tracked files.
#[derive(Debug, Default)]
struct Tracked {
    known: bool,
    entries: Vec<git_index::Entry>,
    /// When the index was written: files as new as it may have changed since (git calls them racy).
    written: i64,
}

/// Lists a tree. `git_dir` is the worktree's own git directory, if it has one.
pub fn list(root: &Path, git_dir: Option<&Path>, limits: &Limits, stop: &AtomicBool) -> Listing {
    let tracked = git_dir.map(read_tracked).unwrap_or_default();
    let tracked_directories = directories_of(&tracked.entries);
    let mut listing = Listing {
        git: tracked.known,
        nested: tracked
            .entries
            .iter()
            .filter(|e| e.is_submodule())
            .map(|e| String::from_utf8_lossy(&e.path).into_owned())
            .collect(),
        ..Listing::default()
    };
    let end = Instant::now() + limits.time;
    let mut walked = walk::walk(root, &tracked_directories, limits, end, stop);
    walked.files.sort_unstable();
    let looks = look(root, &walked.files, limits.threads, Some(end), stop);
    listing.timed_out = walked.timed_out || looks.len() < walked.files.len();
    let mut files: Vec<Found> = walked
        .files
        .into_iter()
        .zip(looks)
        .filter_map(|(path, look)| {
            Some(Found {
                path,
                stamp: look.filter(|look| look.sort == Sort::File)?.stamp,
                id: None,
            })
        })
        .collect();
    // Git's entries are in the same order: what it vouches for, and what the rules exclude but it
    // tracks.
    let mut missing = Vec::new();
    let mut ways = std::collections::HashSet::new();
    let is_excluded = |path: &Path| {
        let rules = walked.rules.as_ref();
        rules.is_some_and(|rules| rules.own_exclude(path))
    };
    let mut walked_on = files.iter_mut().peekable();
    for entry in tracked.entries.iter().filter(|entry| entry.is_file()) {
        while walked_on.next_if(|f| f.path < entry.path).is_some() {}
        if let Some(file) = walked_on.next_if(|f| f.path == entry.path) {
            file.id = vouched(entry, &file.stamp, tracked.written);
            continue;
        }
        // Whether it is there is told by directories that the walk may not have entered.
        ways.extend(directories_of(std::slice::from_ref(entry)));
        let relative = Path::new(OsStr::from_bytes(&entry.path));
        let is_ours =
            || !is_excluded(relative) && !is_never(&entry.path) && !through_link(root, relative);
        let there = root.join(relative);
        if let Ok(meta) = mounts::check(&there).and_then(|()| std::fs::symlink_metadata(there))
            && meta.is_file()
            && is_ours()
        {
            let stamp = Stamp::of(&meta);
            missing.push(Found {
                path: entry.path.clone(),
                id: vouched(entry, &stamp, tracked.written),
                stamp,
            });
        }
    }
    if !missing.is_empty() {
        files.append(&mut missing);
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }
    if files.len() > limits.files {
        listing.over += (files.len() - limits.files) as u64;
        files.truncate(limits.files);
    }
    listing.over += walked.over;
    listing.unreadable = walked.unreadable;
    listing.directories = walked.directories;
    if !listing.directories.is_empty() {
        listing.directories.extend(ways);
        listing.directories.sort_unstable();
        listing.directories.dedup();
    }
    listing.nested.extend(walked.nested);
    listing.nested.sort();
    listing.nested.dedup();
    listing.files = files;
    listing
}

/// Returns true if a walk of the tree would find this file: no rule excludes it, nor a directory above it.
/// Reads the directories on the way, no others.
/// `known` tells whether the tree has files below a directory: then tools do not own it.
pub fn would_list(root: &Path, relative: &Path, known: &dyn Fn(&[u8]) -> bool) -> bool {
    if is_never(relative.as_os_str().as_bytes()) || through_link(root, relative) {
        return false;
    }
    let by_tools = relative.parent().is_some_and(|parent| {
        let mut above = parent.ancestors().filter(|a| !a.as_os_str().is_empty());
        above.any(|directory| {
            let directory = directory.as_os_str().as_bytes();
            is_by_tools(directory) && !known(directory)
        })
    });
    if by_tools {
        return false;
    }
    let nested = relative.parent().is_some_and(|parent| {
        let mut above = parent.ancestors().filter(|a| !a.as_os_str().is_empty());
        above.any(|directory| std::fs::symlink_metadata(root.join(directory).join(".git")).is_ok())
    });
    if nested {
        return false;
    }
    let way: Vec<&Path> = relative.ancestors().collect();
    let Ok(tree) = RuledTree::open(root) else {
        return false;
    };
    let mut rules: Option<Rules> = None;
    for (at, path) in way.iter().enumerate().rev() {
        let is_directory = at > 0;
        if rules
            .as_ref()
            .is_some_and(|rules| rules.exclude(path, is_directory))
        {
            return false;
        }
        if is_directory {
            match tree.rules(path, rules.as_ref()) {
                Ok(here) => rules = Some(here),
                Err(_) => return false,
            }
        }
    }
    true
}

fn read_tracked(git_dir: &Path) -> Tracked {
    let path = git_dir.join("index");
    let (bytes, written) = match git_index::load(&path) {
        Ok((bytes, stat)) => (bytes, Stamp::of_stat(&stat).modified),
        Err(error) => {
            // Before the first `git add` there is no index: nothing is tracked, and that is known.
            let none_yet = error.is_missing() && git_dir.join("HEAD").is_file();
            return Tracked {
                known: none_yet,
                ..Tracked::default()
            };
        }
    };
    let index = git_index::parse(&bytes, hash_length(git_dir));
    Tracked {
        known: true,
        written,
        entries: index.entries,
    }
}

/// 32 in a repository with `extensions.objectFormat = sha256`, 20 otherwise.
fn hash_length(git_dir: &Path) -> usize {
    let config = shared_dir(git_dir).join("config");
    let config = untrusted::read(&config, MAX_CONFIG).unwrap_or_default();
    match rules::setting(&config, "extensions", "objectformat") {
        Some(format) if format.eq_ignore_ascii_case("sha256") => 32,
        _ => 20,
    }
}

/// Directories with a tracked file somewhere below.
fn directories_of(entries: &[git_index::Entry]) -> std::collections::HashSet<Vec<u8>> {
    let mut directories = std::collections::HashSet::new();
    for entry in entries {
        let mut path = entry.path.as_slice();
        while let Some(at) = memchr::memrchr(b'/', path) {
            path = path.get(..at).unwrap_or_default();
            if !directories.insert(path.to_vec()) {
                break;
            }
        }
    }
    directories
}

/// The content id that the index states, when the file still looks as git saw it and was not
/// changed in the moment of the comparison.
fn vouched(entry: &git_index::Entry, stamp: &Stamp, written: i64) -> Option<ContentId> {
    let modified = i64::from(entry.modified.0) * 1_000_000_000 + i64::from(entry.modified.1);
    let same = entry.size == stamp.size as u32
        && modified == stamp.modified
        && (entry.inode == 0 || entry.inode == stamp.inode as u32)
        && stamp.modified < written;
    same.then_some(ContentId(entry.id))
}

fn is_never(path: &[u8]) -> bool {
    path.split(|b| *b == b'/')
        .any(|part| NEVER.iter().any(|never| never.as_bytes() == part))
}

/// Returns true if a directory is where tools put what they install or build.
fn is_by_tools(directory: &[u8]) -> bool {
    let name = directory.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let is = |names: &[&str]| names.iter().any(|tool| tool.as_bytes() == name);
    is(&BY_TOOLS) || is(&OUTPUTS) && !is_below_sources(directory)
}

/// Returns true if a directory on the way is a symbolic link: such a path leads who knows where.
fn through_link(root: &Path, relative: &Path) -> bool {
    let mut at = root.to_owned();
    let Some(parent) = relative.parent() else {
        return false;
    };
    parent.components().any(|part| {
        at.push(part);
        std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
