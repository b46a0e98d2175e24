//! The directories of a repository that are worth watching.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aictx_files::untrusted;
use aictx_repomap::discover::{RuledTree, Rules, Unlisted};
use rustix::fs::FileType;

use crate::storage_location::MEMORY;

/// Most directories of one repository.
const MAX_DIRECTORIES: usize = 200_000;
/// Number of new directories in one batch above which one walk is cheaper.
const MANY: usize = 64;
/// Directories below `.aictx` whose files other programs may change. Ledgers and the journal are
/// not among them: the daemon would wake itself with every observation.
const ARTIFACTS: &[&str] = &[
    "",
    "continuity",
    "failure_memory",
    "strategy_memory",
    "area_memory",
    "memory",
    "metrics",
    "tasks",
    "tasks/threads",
];
/// Files in the git directory that say what is checked out. The index and its lock are not among
/// them: `git status` writes both.
const GIT_FILES: &[&str] = &["HEAD", "packed-refs", "MERGE_HEAD", "reftable/tables.list"];
/// Rules of a git directory about which files belong to the tree, and the settings that name more.
const GIT_RULES: &[&str] = &["info/exclude", "config"];

/// The watched directories of one repository.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    /// The memory.
    artifacts: PathBuf,
    directories: BTreeSet<PathBuf>,
}

/// Changes of the set.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) new: Vec<PathBuf>,
    pub(super) gone: Vec<PathBuf>,
}

impl Tree {
    /// Walks a repository whose memory lies in `home`.
    pub(super) fn walk(root: &Path, home: &Path) -> Self {
        Self::of(root, &home.join(MEMORY))
    }

    fn of(root: &Path, artifacts: &Path) -> Self {
        let mut directories: BTreeSet<PathBuf> =
            source_directories(root, None).into_iter().collect();
        for name in ARTIFACTS {
            let path = artifacts.join(name);
            if path.is_dir() {
                directories.insert(path.components().collect());
            }
        }
        let git = root.join(".git");
        for directory in [git.join("info"), git.join("reftable"), git] {
            if directory.is_dir() {
                directories.insert(directory);
            }
        }
        Self {
            root: root.to_owned(),
            artifacts: artifacts.to_owned(),
            directories,
        }
    }

    /// The directories.
    pub(super) fn directories(&self) -> impl Iterator<Item = &PathBuf> {
        self.directories.iter()
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.directories.len()
    }

    /// Returns true if `path` is one of them.
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.directories.contains(path)
    }

    /// `path` and those below it, as far as they are among them.
    pub(super) fn below<'t>(&'t self, path: &'t Path) -> impl Iterator<Item = &'t PathBuf> {
        let from = self
            .directories
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        from.take_while(move |directory| directory.starts_with(path))
    }

    /// One of them is not watched after all.
    pub(super) fn remove(&mut self, path: &Path) {
        self.directories.remove(path);
    }

    /// Returns true if an event on `path` means anything: most of what happens in the git directory does
    /// not.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        match path.strip_prefix(self.root.join(".git")) {
            Ok(inside) => {
                let mut names = GIT_FILES.iter().chain(GIT_RULES);
                names.any(|name| inside == Path::new(name))
            }
            Err(_) => true,
        }
    }

    /// Returns true if `path` holds rules about which files belong to the tree.
    pub(super) fn is_rules(&self, path: &Path) -> bool {
        let git = path.strip_prefix(self.root.join(".git"));
        git.is_ok_and(|inside| GIT_RULES.iter().any(|name| inside == Path::new(name)))
            || path
                .file_name()
                .is_some_and(|n| n == ".gitignore" || n == ".ignore" || n == ".aictxignore")
    }

    /// Takes in changed paths: new directories (unless ignored) and vanished ones.
    pub(super) fn absorb<'p>(&mut self, paths: impl Iterator<Item = &'p PathBuf>) -> Change {
        let mut change = Change::default();
        let mut appeared = Vec::new();
        for path in paths {
            let known = self.directories.contains(path);
            let is_directory = path.symlink_metadata().is_ok_and(|m| m.is_dir());
            if known && !is_directory {
                let gone: Vec<PathBuf> = self.below(path).cloned().collect();
                for directory in gone {
                    self.directories.remove(&directory);
                    change.gone.push(directory);
                }
            } else if !known && is_directory {
                appeared.push(path);
            }
        }
        if appeared.len() > MANY {
            let whole = self.rescan();
            change.new.extend(whole.new);
            change.gone.extend(whole.gone);
            return change;
        }
        for path in appeared {
            if path.starts_with(&self.artifacts) {
                let mut names = ARTIFACTS.iter();
                let wanted = names.any(|name| *path == self.artifacts.join(name));
                if wanted && self.directories.insert(path.clone()) {
                    change.new.push(path.clone());
                }
                continue;
            }
            if path.starts_with(self.root.join(".git")) {
                continue;
            }
            for directory in source_directories(&self.root, Some(path)) {
                if self.directories.len() < MAX_DIRECTORIES
                    && self.directories.insert(directory.clone())
                {
                    change.new.push(directory);
                }
            }
        }
        change
    }

    /// Directories right below some of ours that are not known, ignored ones among them. Only
    /// directories that something was made in within `recent` are listed.
    pub(super) fn children<'d>(
        &self,
        directories: &'d [PathBuf],
        recent: Duration,
    ) -> Vec<PathBuf> {
        let is_recent = |dir: &&PathBuf| {
            let changed = dir.symlink_metadata().and_then(|m| m.modified());
            // A clock that jumped says nothing: then it is listed.
            changed.is_ok_and(|at| at.elapsed().map_or(true, |age| age < recent))
        };
        let below = |dir: &'d PathBuf| {
            let entries = untrusted::entries(dir).into_iter().flatten();
            let entries = entries.filter(|entry| entry.kind == FileType::Directory);
            entries.map(|entry| dir.join(entry.name))
        };
        let all = directories.iter().filter(is_recent).flat_map(below);
        all.filter(|path| !self.directories.contains(path))
            .take(MAX_DIRECTORIES)
            .collect()
    }

    /// Walks again and says what changed.
    pub(super) fn rescan(&mut self) -> Change {
        let fresh = Self::of(&self.root, &self.artifacts);
        let change = Change {
            new: fresh
                .directories
                .difference(&self.directories)
                .cloned()
                .collect(),
            gone: self
                .directories
                .difference(&fresh.directories)
                .cloned()
                .collect(),
        };
        *self = fresh;
        change
    }

    /// A number that differs when a directory's entries differ; for polling.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for directory in &self.directories {
            directory.hash(&mut hasher);
            if let Ok(meta) = directory.symlink_metadata() {
                (meta.mtime(), meta.mtime_nsec()).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

/// Lists the directories that the map's rules do not exclude: all, or those at and below `only`. The
/// walk starts at the root in either case, because rules of parent directories decide; other branches
/// are cut.
fn source_directories(root: &Path, only: Option<&Path>) -> Vec<PathBuf> {
    let Ok(tree) = RuledTree::open(root) else {
        return Vec::new();
    };
    let only = only.map(|only| only.strip_prefix(root).unwrap_or(Path::new("")));
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, Option<Rules>)> = vec![(PathBuf::new(), None)];
    while let Some((directory, above)) = waiting.pop() {
        if found.len() + waiting.len() >= MAX_DIRECTORIES {
            break;
        }
        let listed = tree.list(&directory, above.as_ref());
        if matches!(listed, Err(Unlisted::Rules)) {
            continue;
        }
        // `join` of nothing would end in a slash.
        found.push(match directory.as_os_str().is_empty() {
            true => root.to_owned(),
            false => root.join(&directory),
        });
        let Ok((entries, rules)) = listed else {
            continue;
        };
        for entry in entries.map_while(Result::ok) {
            if entry.kind != FileType::Directory || entry.name == ".git" || entry.name == MEMORY {
                continue;
            }
            let path = directory.join(&entry.name);
            let is_on_the_way = only.is_none_or(|o| o.starts_with(&path) || path.starts_with(o));
            if is_on_the_way && waiting.len() < MAX_DIRECTORIES && !rules.exclude(&path, true) {
                waiting.push((path, Some(rules.clone())));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(tree: &Tree) -> Vec<String> {
        tree.directories()
            .map(|d| {
                d.strip_prefix(&tree.root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn ignored_directories_are_not_watched_whenever_they_appear() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("r");
        for d in [
            ".git/info",
            "src/deep",
            "target/debug",
            ".git/objects",
            ".aictx/continuity",
            ".aictx/sessions",
        ] {
            fs::create_dir_all(root.join(d)).unwrap();
        }
        fs::write(root.join(".gitignore"), "target/\n/out\n").unwrap();
        let mut tree = Tree::walk(&root, &root);
        assert_eq!(
            names(&tree),
            [
                "",
                ".aictx",
                ".aictx/continuity",
                ".git",
                ".git/info",
                "src",
                "src/deep"
            ]
        );

        for d in ["out/x", "new/a/b", "src/target/y"] {
            fs::create_dir_all(root.join(d)).unwrap();
        }
        let paths = ["out", "new", "src/target"].map(|d| root.join(d));
        let change = tree.absorb(paths.iter());
        let new: Vec<_> = change
            .new
            .iter()
            .map(|d| d.strip_prefix(&root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(new, ["new", "new/a", "new/a/b"]);

        fs::remove_dir_all(root.join("new")).unwrap();
        let change = tree.absorb([root.join("new")].iter());
        assert_eq!(change.gone.len(), 3);
        fs::rename(root.join("src"), root.join("lib")).unwrap();
        let change = tree.rescan();
        assert_eq!((change.new.len(), change.gone.len()), (2, 2));
        assert_eq!(
            names(&tree),
            [
                "",
                ".aictx",
                ".aictx/continuity",
                ".git",
                ".git/info",
                "lib",
                "lib/deep"
            ]
        );
    }
}
