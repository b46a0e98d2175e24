//! Per-command cache of directory listings and `lstat` results: one look a path, and of a directory that is
//! looked into again and again, what is in it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::hash::BuildHasher as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use aictx_files::{beneath, mounts};
use aictx_proto::RepoPath;
use aictx_proto::path::split_name;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

/// Looks into one directory before it is read, and how many of its entries may be read for each look so far: to look
/// costs what eight entries do or more, so a directory that turns out to be large costs twice the looks at most.
const LOOKS: usize = 16;
const ENTRIES_A_LOOK: usize = 8;
/// Directories whose looks are counted.
const MAX_DIRECTORIES: usize = 256;
/// Directories of one line that are read, each with a descriptor until it is, and entries of one: of a larger one every
/// path is looked at.
const MAX_READ: usize = 16;
const MAX_ENTRIES: usize = 4_096;
/// Bytes of a name that is looked for among those of a directory: no file system has longer ones.
const MAX_NAME: usize = 255;

/// A worktree, looked at.
pub(super) struct Lying {
    worktree: PathBuf,
    /// It, opened once something in it is looked at: the way to it need not be walked for every path.
    opened: OnceCell<Option<OwnedFd>>,
    directories: RefCell<HashMap<String, Directory>>,
    /// Directories that may still be read.
    unread: Cell<usize>,
}

impl Lying {
    pub(super) fn of(worktree: &Path) -> Self {
        Self {
            worktree: worktree.to_owned(),
            opened: OnceCell::new(),
            directories: RefCell::default(),
            unread: Cell::new(MAX_READ),
        }
    }

    pub(super) fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// Returns the file type at a path. A link is not followed when the path ends at it.
    pub(super) fn at(&self, path: &RepoPath) -> Option<FileType> {
        if mounts::any_can_hang() {
            mounts::check(&self.worktree.join(path.as_str())).ok()?;
        }
        let held_by = self.opened()?;
        let path = path.as_str();
        let (directory, name) = split_name(path);
        let directory = directory.unwrap_or(".");
        match self.among_its_own(held_by, directory, name) {
            Found::Lies(lying) => Some(lying),
            Found::Nothing => None,
            Found::Unclear => {
                let stat = statat(held_by, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                Some(FileType::from_raw_mode(stat.st_mode))
            }
        }
    }

    /// Returns true where anything below a directory is `wanted` by its path and its kind, among the entries of the first
    /// [`MAX_READ`] directories, at most [`MAX_ENTRIES`]. Links are not followed.
    pub(super) fn any_below(
        &self,
        directory: &RepoPath,
        wanted: impl Fn(&str, FileType) -> bool,
    ) -> bool {
        let Some(held_by) = self.opened() else {
            return false;
        };
        if mounts::check(&self.worktree.join(directory.as_str())).is_err() {
            return false;
        }
        let mut waiting = VecDeque::from([directory.as_str().to_owned()]);
        let mut left = MAX_ENTRIES;
        for _ in 0..MAX_READ {
            let Some(directory) = waiting.pop_front() else {
                break;
            };
            let opened = beneath::directory_at(held_by, &directory).and_then(Dir::new);
            let entries = opened.into_iter().flatten().flatten();
            for entry in entries {
                let Some(rest) = left.checked_sub(1) else {
                    return false;
                };
                left = rest;
                let Ok(name) = entry.file_name().to_str() else {
                    continue;
                };
                if matches!(name, "." | "..") {
                    continue;
                }
                let path = format!("{directory}/{name}");
                if wanted(&path, entry.file_type()) {
                    return true;
                }
                if entry.file_type() == FileType::Directory {
                    waiting.push_back(path);
                }
            }
        }
        false
    }

    fn opened(&self) -> Option<BorrowedFd<'_>> {
        let open = || beneath::hold(&self.worktree).ok();
        Some(self.opened.get_or_init(open).as_ref()?.as_fd())
    }

    /// Looks for a name in what is known to be in its directory.
    fn among_its_own(&self, held_by: BorrowedFd, directory: &str, name: &str) -> Found {
        let mut directories = self.directories.borrow_mut();
        if let Some(known) = directories.get_mut(directory) {
            return known.look(held_by, directory, name, &self.unread);
        }
        if directories.len() < MAX_DIRECTORIES {
            directories.insert(directory.to_owned(), Directory::default());
        }
        Found::Unclear
    }
}

/// Result of looking a name up in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Lies(FileType),
    Nothing,
    /// Only a look tells.
    Unclear,
}

/// A directory that was looked into.
#[derive(Default)]
struct Directory {
    /// Number of lookups after the first.
    looks: usize,
    read: Reading,
    names: Names,
}

/// Progress of reading a directory.
#[derive(Default)]
enum Reading {
    #[default]
    NotYet,
    Partly(Dir),
    Whole,
    /// It cannot be.
    Never,
}

impl Directory {
    fn look(&mut self, held_by: BorrowedFd, path: &str, name: &str, unread: &Cell<usize>) -> Found {
        self.looks += 1;
        if self.looks >= LOOKS {
            self.read_on(held_by, path, unread);
        }
        match self.read {
            Reading::Whole => self.names.find(name),
            _ => Found::Unclear,
        }
    }

    /// Reads as many entries as the looks so far are worth.
    fn read_on(&mut self, held_by: BorrowedFd, path: &str, unread: &Cell<usize>) {
        if matches!(self.read, Reading::NotYet) {
            let Some(left) = unread.get().checked_sub(1) else {
                self.read = Reading::Never;
                return;
            };
            unread.set(left);
            let opened = beneath::directory_at(held_by, path).and_then(Dir::new);
            self.read = match opened {
                Ok(dir) => Reading::Partly(dir),
                // Nothing is in what is not there.
                Err(Errno::NOENT | Errno::NOTDIR) => Reading::Whole,
                Err(_) => Reading::Never,
            };
        }
        let Reading::Partly(dir) = &mut self.read else {
            return;
        };
        while self.names.len() < self.looks * ENTRIES_A_LOOK {
            if self.names.len() >= MAX_ENTRIES {
                (self.read, self.names) = (Reading::Never, Names::default());
                return;
            }
            match dir.read() {
                Some(Ok(entry)) => self
                    .names
                    .keep(entry.file_name().to_bytes(), entry.file_type()),
                Some(Err(_)) => {
                    self.read = Reading::Never;
                    return;
                }
                None => {
                    self.read = Reading::Whole;
                    return;
                }
            }
        }
    }
}

/// Names in one directory. They are found in whatever case they are written: some file systems do not tell `a` from `A`,
/// so of a name that is there in other letters only a look tells.
#[derive(Default)]
struct Names {
    text: Vec<u8>,
    entries: HashTable<Entry>,
    places: DefaultHashBuilder,
    /// One of them is not ASCII: what it is the same as, the file system decides.
    any_foreign: bool,
}

struct Entry {
    start: usize,
    end: usize,
    lying: FileType,
}

impl Names {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn keep(&mut self, name: &[u8], lying: FileType) {
        self.any_foreign |= !name.is_ascii();
        let (start, hash) = (self.text.len(), hash(&self.places, name));
        self.text.extend_from_slice(name);
        let end = self.text.len();
        let entry = Entry { start, end, lying };
        let (text, places) = (&self.text, &self.places);
        let again = |entry: &Entry| hash_of(places, text, entry);
        self.entries.insert_unique(hash, entry, again);
    }

    fn find(&self, name: &str) -> Found {
        // Short names of old systems (`PROGRA~1`), dots at the end that are dropped, directories that are there but not
        // listed (`.snapshot`).
        let plain = !name.is_empty()
            && name.len() <= MAX_NAME
            && name
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'~')
            && !name.ends_with('.');
        if !plain {
            return Found::Unclear;
        }
        let name = name.as_bytes();
        let written = |entry: &Entry| self.text.get(entry.start..entry.end).unwrap_or_default();
        let same = |entry: &Entry| written(entry).eq_ignore_ascii_case(name);
        match self.entries.find(hash(&self.places, name), same) {
            Some(entry) if written(entry) == name && entry.lying != FileType::Unknown => {
                Found::Lies(entry.lying)
            }
            None if !self.any_foreign && !name.starts_with(b".") => Found::Nothing,
            _ => Found::Unclear,
        }
    }
}

fn hash_of(places: &DefaultHashBuilder, text: &[u8], entry: &Entry) -> u64 {
    hash(places, text.get(entry.start..entry.end).unwrap_or_default())
}

/// The hash of a name in small letters.
fn hash(places: &DefaultHashBuilder, name: &[u8]) -> u64 {
    let mut small = [0; MAX_NAME];
    let small = small
        .get_mut(..name.len().min(MAX_NAME))
        .unwrap_or_default();
    for (small, byte) in small.iter_mut().zip(name) {
        *small = byte.to_ascii_lowercase();
    }
    places.hash_one(&*small)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    /// `lstat` and the listing of a directory agree.
    #[test]
    fn a_directory_that_was_read_says_what_a_look_says() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("src/inner")).unwrap();
        for name in ["src/a.rs", "src/B.rs", "src/.hidden", "src/x~1", "src/dot."] {
            std::fs::write(at(name), "").unwrap();
        }
        std::os::unix::fs::symlink("nowhere", at("src/lost")).unwrap();
        std::os::unix::fs::symlink("src", at("led")).unwrap();
        let names = [
            "a.rs", "A.rs", "B.rs", "b.rs", ".hidden", ".gone", "x~1", "x~2", "dot.", "gone.",
            "inner", "lost", "gone", "\u{e9}", "inner/x",
        ];
        for directory in ["src", "led", "nothing", "src/a.rs"] {
            let (first, read) = (Lying::of(dir.path()), Lying::of(dir.path()));
            for _ in 0..2 * LOOKS {
                read.at(&path(&format!("{directory}/gone")));
            }
            for name in names {
                let name = path(&format!("{directory}/{name}"));
                assert_eq!(first.at(&name), read.at(&name), "{name}");
            }
            let known = read.directories.borrow();
            let whole = known
                .get(directory)
                .map(|known| matches!(known.read, Reading::Whole));
            assert_eq!(whole, Some(true), "{directory}");
        }
    }

    #[test]
    fn what_lies_below_a_directory_is_found_within_bounds() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("data/inner/deep")).unwrap();
        std::fs::write(at("data/inner/deep/app.db"), "").unwrap();
        std::fs::create_dir_all(at("other")).unwrap();
        std::os::unix::fs::symlink("../data", at("other/led")).unwrap();
        let lying = Lying::of(dir.path());
        let finds = |directory: &str| {
            lying.any_below(&path(directory), |path, kind| {
                kind == FileType::RegularFile && path == "data/inner/deep/app.db"
            })
        };
        assert!(finds("data") && finds("data/inner/deep"));
        assert!(!finds("other") && !finds("gone") && !finds("data/inner/deep/app.db"));
        for nth in 0..2 * MAX_READ {
            std::fs::create_dir(at(&format!("data/a{nth}"))).unwrap();
        }
        let seen = Cell::new(0);
        lying.any_below(&path("data"), |_, _| {
            seen.set(seen.get() + 1);
            false
        });
        assert!(seen.get() <= MAX_ENTRIES);
    }

    /// Of a large directory no more is read than the looks are worth.
    #[test]
    fn a_large_directory_is_read_as_far_as_it_is_worth() {
        let dir = tempfile::tempdir().unwrap();
        for nth in 0..600 {
            std::fs::write(dir.path().join(format!("file{nth}")), "").unwrap();
        }
        let lying = Lying::of(dir.path());
        for nth in 0..100 {
            let there = lying.at(&path(&format!("file{}", nth * 7)));
            assert_eq!(there.is_some(), nth * 7 < 600, "{nth}");
            let directories = lying.directories.borrow();
            let root = directories.get(".").unwrap();
            assert!(root.names.len() <= root.looks * ENTRIES_A_LOOK);
            // The first look counts none, and `.` and `..` are entries.
            let whole = matches!(root.read, Reading::Whole);
            assert_eq!(whole, root.looks * ENTRIES_A_LOOK > 602, "{nth}");
        }
    }

    /// However many directories a line looks into, few are open at a time; and none is that has too many entries.
    #[test]
    fn directories_that_are_read_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let lying = Lying::of(dir.path());
        for nth in 0..2 * MAX_READ {
            std::fs::create_dir(dir.path().join(format!("d{nth}"))).unwrap();
            std::fs::write(dir.path().join(format!("d{nth}/a")), "").unwrap();
            for _ in 0..2 * LOOKS {
                assert_eq!(
                    lying.at(&path(&format!("d{nth}/a"))),
                    Some(FileType::RegularFile)
                );
                assert_eq!(lying.at(&path(&format!("d{nth}/b"))), None);
            }
        }
        let read = |known: &&Directory| matches!(known.read, Reading::Whole | Reading::Partly(_));
        assert_eq!(
            lying.directories.borrow().values().filter(read).count(),
            MAX_READ
        );
        for nth in 0..=MAX_ENTRIES {
            std::fs::write(dir.path().join(format!("file{nth}")), "").unwrap();
        }
        let lying = Lying::of(dir.path());
        for nth in 0..MAX_ENTRIES {
            assert!(lying.at(&path(&format!("file{nth}"))).is_some());
        }
        let directories = lying.directories.borrow();
        let root = directories.get(".").unwrap();
        assert!(matches!(root.read, Reading::Never) && root.names.len() == 0);
    }
}
