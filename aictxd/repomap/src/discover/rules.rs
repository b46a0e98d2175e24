//! Ignore rules of a tree, and listing directories by them. The map and the watcher use the same ones.
//!
//! The rules are read here and not by the `ignore` crate, which opens whatever lies in their place:
//! a pipe, a device, a file without end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aictx_files::beneath;
use aictx_files::mounts::{self, Mount};
use aictx_files::untrusted::{self, Directory, Entries, Regular};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Files of ignore rules, the strongest first.
pub(crate) const RULE_FILES: [&str; 3] = [".aictxignore", ".ignore", ".gitignore"];

/// Longest file of git's settings that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Most bytes of rules in force in one directory. A pattern takes hundreds of times its length when
/// it is compiled.
const MAX_IN_FORCE: u64 = 256 << 10;
/// Most bytes of rules of one tree, each time it is walked.
const MAX_OF_TREE: u64 = 4 << 20;

/// Reason why a directory is not walked.
#[derive(Debug, thiserror::Error)]
pub enum Unlisted {
    /// One of its files of rules is a link, no regular file or too long, or the tree has too many.
    #[error("its ignore rules cannot be read")]
    Rules,
    /// It cannot be opened or read.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<Errno> for Unlisted {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

/// Ignore rules in force in one directory of a tree.
#[derive(Debug, Clone)]
pub struct Rules(Arc<Level>);

#[derive(Debug)]
struct Level {
    /// The rules of each of [`RULE_FILES`] in this directory.
    files: [Option<Gitignore>; RULE_FILES.len()],
    /// The nearest directory above that has rules; the root has them in any case.
    above: Option<Rules>,
    /// Rules from elsewhere, the strongest first.
    elsewhere: Arc<[Gitignore]>,
    /// Bytes of the rules of this directory and those above.
    bytes: u64,
}

impl Rules {
    /// Returns true if a path relative to the tree's root is excluded. Of the directories above it only
    /// rules are heeded, not whether they are excluded themselves.
    pub fn exclude(&self, path: &Path, is_directory: bool) -> bool {
        let verdict = |rules: &Gitignore| match rules.matched(path, is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        let levels = || std::iter::successors(Some(self), |rules| rules.0.above.as_ref());
        let here = (0..RULE_FILES.len()).find_map(|at| {
            let mut files = levels().filter_map(|rules| rules.0.files.get(at)?.as_ref());
            files.find_map(verdict)
        });
        here.or_else(|| self.0.elsewhere.iter().find_map(verdict))
            .unwrap_or(false)
    }

    /// Returns true if the `.aictxignore` of this directory excludes a file or a directory above it.
    pub(super) fn own_exclude(&self, path: &Path) -> bool {
        let own = self.0.files.first().and_then(Option::as_ref);
        own.is_some_and(|own| own.matched_path_or_any_parents(path, false).is_ignore())
    }
}

/// A tree that is walked by its rules: nested `.gitignore`, `.ignore` and `.aictxignore`,
/// `.git/info/exclude`, and what git's `core.excludesFile` names, which is the repository's own
/// before the user's. Rules from above the repository do not count. Links are never followed.
#[derive(Debug)]
pub struct RuledTree {
    root: Directory,
    path: PathBuf,
    /// The mount that the root lies on, where that can hang.
    mount: Option<Arc<Mount>>,
    /// Bytes of rules that were read so far.
    bytes: AtomicU64,
}

impl RuledTree {
    /// Opens the tree at `root`.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self {
            root: Directory::open(root)?,
            path: root.to_owned(),
            mount: mounts::hanging(root),
            bytes: AtomicU64::new(0),
        })
    }

    /// Refuses a directory below on which something that can hang was mounted.
    fn check(&self, directory: &Path) -> io::Result<()> {
        if mounts::any_can_hang() && mounts::hanging(&self.path.join(directory)) != self.mount {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    /// Rules in force in the directory at a relative path; `above` are those of the directory that
    /// it lies in, none for the root.
    ///
    /// # Errors
    /// See [`Unlisted`].
    pub fn rules(&self, directory: &Path, above: Option<&Rules>) -> Result<Rules, Unlisted> {
        self.check(directory)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let open = beneath::open(&self.root, directory, flags, Mode::empty())?;
        self.read(directory, open.as_fd(), above)
    }

    /// Everything in the directory at a relative path, excluded or not, in no order, and the rules
    /// in force there.
    ///
    /// # Errors
    /// See [`Unlisted`].
    pub fn list(
        &self,
        directory: &Path,
        above: Option<&Rules>,
    ) -> Result<(Entries, Rules), Unlisted> {
        self.check(directory)?;
        let entries = self.root.entries(directory)?;
        let rules = self.read(directory, entries.directory()?, above)?;
        Ok((entries, rules))
    }

    fn read(
        &self,
        directory: &Path,
        open: BorrowedFd<'_>,
        above: Option<&Rules>,
    ) -> Result<Rules, Unlisted> {
        let mut files: [Option<Gitignore>; RULE_FILES.len()] = Default::default();
        let mut bytes = above.map_or(0, |above| above.0.bytes);
        for (name, rules) in RULE_FILES.iter().zip(&mut files) {
            match beneath::open(open, name, OFlags::RDONLY, Mode::empty()) {
                Err(Errno::NOENT) => {}
                Err(_) => return Err(Unlisted::Rules),
                Ok(file) => {
                    let most = MAX_IN_FORCE.saturating_sub(bytes);
                    let text = Regular::of(file).and_then(|file| file.read(most));
                    let text = text.map_err(|_| Unlisted::Rules)?;
                    let length = text.len() as u64;
                    if self.bytes.fetch_add(length, Ordering::Relaxed) + length > MAX_OF_TREE {
                        return Err(Unlisted::Rules);
                    }
                    bytes += length;
                    *rules = Some(parse(directory, &text));
                }
            }
        }
        let elsewhere = match above {
            Some(above) if files.iter().all(Option::is_none) => return Ok(above.clone()),
            Some(above) => Arc::clone(&above.0.elsewhere),
            None => elsewhere(&self.path),
        };
        Ok(Rules(Arc::new(Level {
            files,
            above: above.cloned(),
            elsewhere,
            bytes,
        })))
    }
}

/// Rules that hold for paths relative to `directory`. A line that is no pattern takes nothing from
/// the others.
fn parse(directory: &Path, text: &[u8]) -> Gitignore {
    let text = String::from_utf8_lossy(text);
    let mut builder = GitignoreBuilder::new(directory);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    // Too many of them make no automaton.
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The repository's `info/exclude`, and one file that `core.excludesFile` names. What cannot be
/// read to its end is not read.
fn elsewhere(root: &Path) -> Arc<[Gitignore]> {
    let exclude = common_dir(root).map(|common| common.join("info/exclude"));
    // As with git, the repository's own setting takes the place of the user's.
    let named = own_excludes(root).or_else(gitconfig_excludes_path);
    let texts = [exclude, named].into_iter().flatten();
    texts
        .filter_map(|path| untrusted::read(&path, MAX_IN_FORCE).ok())
        // The user's rules, too, speak of paths from the root of the repository.
        .map(|text| parse(Path::new(""), &text))
        .collect()
}

/// Git's files that are read for rules, wherever they are: the repository's settings, and what
/// these name.
pub(crate) fn outside(root: &Path) -> impl Iterator<Item = PathBuf> {
    let settings = common_dir(root).map(|common| common.join("config"));
    settings.into_iter().chain(own_excludes(root))
}

/// The file that the repository's own settings name as `core.excludesFile`. Settings that they
/// include, or that belong to one worktree, are not looked into.
fn own_excludes(root: &Path) -> Option<PathBuf> {
    let settings = common_dir(root)?.join("config");
    let settings = untrusted::read(&settings, MAX_BYTES).ok()?;
    let named = setting(&settings, "core", "excludesfile")?;
    let named = match named.strip_prefix("~/") {
        Some(inside) => PathBuf::from(std::env::var_os("HOME")?).join(inside),
        None => root.join(named),
    };
    Some(named)
}

/// The directory that holds the settings: `.git`, or what a linked worktree's `.git` leads to.
fn common_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let git = match untrusted::read_text(&git, MAX_BYTES) {
        Ok(link) => root.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    Some(shared_dir(&git))
}

/// The git directory that a worktree's git directory shares with others; itself where it shares
/// none.
pub(crate) fn shared_dir(git_dir: &Path) -> PathBuf {
    match untrusted::read_text(&git_dir.join("commondir"), MAX_BYTES) {
        Ok(shared) => git_dir.join(shared.trim_end()),
        Err(_) => git_dir.to_owned(),
    }
}

/// The last value of a name in a section without a subsection of git's settings (git-config(1),
/// "Syntax"). An empty one is none.
pub(super) fn setting(settings: &[u8], section: &str, name: &str) -> Option<String> {
    let settings = String::from_utf8_lossy(settings);
    let mut inside = false;
    let mut last = None;
    for line in settings.lines().map(str::trim) {
        let mut line = line;
        if let Some((header, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            inside = header.trim().eq_ignore_ascii_case(section);
            // A setting may follow on the same line.
            line = rest.trim_start();
        }
        if let Some((key, value)) = line.split_once('=')
            && inside
            && key.trim().eq_ignore_ascii_case(name)
        {
            last = Some(unquoted(value.trim_start()));
        }
    }
    last.filter(|value| !value.is_empty())
}

/// A value without its quotes, escapes and comment. A backslash before anything else than a quote
/// or a backslash has no place in a path's spelling, and is left out with it.
fn unquoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let (mut quoted, mut kept) = (false, 0);
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => match letters.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                _ => continue,
            },
            '#' | ';' if !quoted => break,
            other => text.push(other),
        }
        if quoted || !letter.is_whitespace() {
            kept = text.len();
        }
    }
    text.truncate(kept);
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let cases: [(&str, Option<&str>); 12] = [
            ("[core]\n\texcludesFile = .mine\n", Some(".mine")),
            ("[CORE]\nEXCLUDESFILE=~/rules # mine", Some("~/rules")),
            ("[core] excludesfile = a", Some("a")),
            (
                "[core]\nexcludesfile = \"with ; sign \"  ",
                Some("with ; sign "),
            ),
            ("[core]\nexcludesfile = a b  ; comment", Some("a b")),
            ("[core]\nexcludesfile = \"a\\\"b\\\\c\"", Some("a\"b\\c")),
            ("[core]\nexcludesfile = a\nexcludesfile = b", Some("b")),
            ("[core]\nexcludesfile =\n", None),
            ("[core]\n[other]\nexcludesfile = a", None),
            ("[core \"sub\"]\nexcludesfile = a", None),
            ("[core]\n# excludesfile = a", None),
            ("[core\nexcludesfile = a]\n\\", None),
        ];
        for (text, expected) in cases {
            let found = setting(text.as_bytes(), "core", "excludesfile");
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
