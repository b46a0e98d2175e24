//! Files of a memory, or of runs, that git tracks: they came with the repository, and are the word of whoever
//! committed them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::Tracked;
use aictx_artifacts::root::find_repository;
use aictx_files::child;
use aictx_repomap::discover::{Look, git_index, look_at};

/// Repositories that are remembered.
const MAX_ROOTS: usize = 64;

/// Tracked files of one directory, by repository; read again when git's index changed.
#[derive(Debug)]
pub struct TrackedBelow {
    /// The directory, with a slash at its end.
    below: &'static str,
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Debug, Clone)]
struct Known {
    index: PathBuf,
    look: Option<Look>,
    files: Arc<Tracked>,
}

impl TrackedBelow {
    /// Of a directory of repositories, which has a dot at its beginning and a slash at its end.
    pub fn new(below: &'static str) -> Self {
        Self {
            below,
            known: Mutex::default(),
        }
    }

    /// The files below the directory in the repository (or worktree) at `root` that git tracks. One look at git's
    /// index where that did not change.
    pub fn of(&self, root: &Path) -> Arc<Tracked> {
        let all = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all().get(root).cloned();
        if let Some(known) = known
            && look_at(&known.index) == known.look
        {
            return known.files;
        }
        let git = find_repository(root).ok().and_then(|found| found.git_dir);
        // Where there is no repository, one may be made.
        let index = git.unwrap_or_else(|| root.join(".git")).join("index");
        // What is read after a look follows from what was looked at.
        let look = look_at(&index);
        let files = match git_index::load(&index) {
            Ok((bytes, _)) => tracked(bytes, self.below).unwrap_or_else(|| asked(root, self.below)),
            Err(error) if error.is_missing() => Tracked::default(),
            Err(_) => asked(root, self.below),
        };
        let known = Known {
            index,
            look,
            files: Arc::new(files),
        };
        let files = Arc::clone(&known.files);
        let mut all = all();
        if all.len() >= MAX_ROOTS {
            all.clear();
        }
        all.insert(root.to_owned(), known);
        files
    }
}

/// The name of a file below a directory, relative to it, by its path in the repository.
fn inside(path: &[u8], below: &str) -> Option<String> {
    let (directory, name) = path.split_at_checked(below.len())?;
    // Some file systems make no difference between upper and lower case.
    let is_inside = directory.eq_ignore_ascii_case(below.as_bytes());
    is_inside.then(|| String::from_utf8_lossy(name).into_owned())
}

/// Bytes of an object's id, as a rule.
const SHA_1: usize = 20;

/// Files below a directory among what an index names; nothing where the index does not say it all.
fn tracked(index: Vec<u8>, below: &str) -> Option<Tracked> {
    // Most repositories track none, and their index need not be taken apart. Version 4 leaves out what a
    // path shares with the one before, and of a split index most is in another file.
    let is_link = |at: usize| {
        let length = index.get(at + 4..)?.first_chunk::<4>()?;
        // Of a path that has this word in it, the next four bytes make a huge number.
        Some((u32::from_be_bytes(*length) as usize) < index.len())
    };
    let mut links = memchr::memmem::find_iter(&index, b"link");
    let is_whole = index.get(7).is_some_and(|version| *version < 4)
        && !links.any(|at| is_link(at).unwrap_or(true));
    let named = || {
        let mut dots = memchr::memchr_iter(b'.', &index);
        dots.any(|at| {
            let name = index.get(at..at + below.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(below.as_bytes()))
        })
    };
    if is_whole && !named() {
        return Some(Tracked::default());
    }
    // One with SHA-256 cannot be read to its end.
    let parsed = git_index::parse(&index, SHA_1);
    let files = parsed.entries.iter();
    let files = files.filter_map(|entry| Some((inside(&entry.path, below)?, entry.is_file())));
    (!parsed.incomplete).then(|| Tracked::new(files))
}

/// The same, as git says it.
fn asked(root: &Path, below: &str) -> Tracked {
    let mut command = super::command(root);
    command.args(["ls-files", "-s", "-z", "--", below.trim_end_matches('/')]);
    let limits = child::Limits::new(super::LISTING_DEADLINE, super::MAX_OUTPUT);
    let output = child::output(&mut command, limits);
    let Some(output) = output.ok().filter(child::Output::is_success) else {
        return Tracked::unknown();
    };
    let entries = output.bytes.split(|byte| *byte == 0);
    Tracked::new(entries.filter_map(|entry| {
        // `<mode> <id> <stage>\t<path>`
        let at = memchr::memchr(b'\t', entry)?;
        let path = entry.get(at + 1..)?;
        Some((inside(path, below)?, entry.starts_with(b"100")))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(version: u32, paths: &[&str], extension: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((paths.len() as u32).to_be_bytes());
        for path in paths {
            let mut entry = vec![0; 40];
            entry[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            entry.extend([7; 20]);
            entry.extend((path.len() as u16).to_be_bytes());
            entry.extend(path.as_bytes());
            entry.resize(entry.len() + 8 - entry.len() % 8, 0);
            bytes.extend(entry);
        }
        bytes.extend(extension);
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn an_index_that_does_not_say_it_all_is_left_to_git() {
        let tracked =
            |paths: &[&str], extension: &[u8]| tracked(index(2, paths, extension), ".aictx/");
        let some = tracked(&[".AICTX/a", ".aictx/b", "c"], b"").unwrap();
        assert!(some.holds("a") && some.holds("b") && !some.holds("c"));
        assert!(tracked(&["a", "b"], b"").unwrap().is_empty());
        let split = [b"link".as_slice(), &24_u32.to_be_bytes(), &[1; 24]].concat();
        assert!(tracked(&["a"], &split).is_none());
    }
}
