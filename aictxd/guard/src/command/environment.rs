//! What is known about the things a command would hit.

use std::collections::HashMap;
use std::sync::Arc;

use aictx_proto::path::RepoPath;

use super::Kinds;
use crate::policy::Say;

/// What is known about one path; `None` where nothing is.
///
/// For a directory, `tracked` means that something beneath is tracked, `dirty` that something
/// beneath differs from the last commit (untracked files included), and `ignored` that the
/// directory itself is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known {
    /// It is there.
    pub exists: Option<bool>,
    /// It is a directory.
    pub directory: Option<bool>,
    /// Version control knows it.
    pub tracked: Option<bool>,
    /// Version control is told to overlook it.
    pub ignored: Option<bool>,
    /// It differs from the last commit.
    pub dirty: Option<bool>,
}

/// Why something must be left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// The user said so in this session.
    Forbidden,
    /// The user limited this session to other paths.
    Outside,
    /// A policy does, in whose words.
    Policy(Say, String),
}

/// Answers questions about a repository, from memory.
///
/// A hook has about 100 µs for everything, so an implementation looks up what is warm and says
/// "unknown" instead of touching the disk. Without facts a command is judged by its words, and more
/// carefully: facts about files can make a verdict milder (`rm -rf` of something ignored) or
/// sterner (of something tracked), never better than `caution`. Texts are only read, never run,
/// and can only make the verdict on the command that calls them worse.
pub trait Facts {
    /// What is known about a path. The root of the repository stands for everything in it.
    fn path(&self, path: &RepoPath) -> Known {
        let _ = path;
        Known::default()
    }

    /// Whether anything lies at a path, be it a link that leads nowhere: [`Known::exists`], for whoever asks for
    /// nothing else.
    fn is_there(&self, path: &RepoPath) -> Option<bool> {
        self.path(path).exists
    }

    /// Returns true if anything must be left alone: [`Facts::limit`] and its sisters can answer.
    fn has_limits(&self) -> bool {
        false
    }

    /// What speaks against writing a path.
    fn limit(&self, path: &RepoPath) -> Option<Limit> {
        let _ = path;
        None
    }

    /// What speaks against writing everything below a directory: something in it is named by a limit.
    fn limit_below(&self, directory: &RepoPath) -> Option<Limit> {
        let _ = directory;
        None
    }

    /// The same of the files below a directory that end in one of some ways, or of all where none is named.
    fn limit_among(&self, directory: &RepoPath, endings: &[&str]) -> Option<Limit> {
        let _ = endings;
        self.limit_below(directory)
    }

    /// What speaks against writing a file outside of the worktree, by its absolute path, which may begin with `~`: in
    /// another worktree it is the same file of the repository.
    fn limit_elsewhere(&self, path: &str) -> Option<Limit> {
        let _ = path;
        None
    }

    /// What speaks against writing whatever a pattern of paths stands for.
    fn limit_like(&self, pattern: &str) -> Option<Limit> {
        let _ = pattern;
        None
    }

    /// Files below `directory` whose changes are not the caller's: other sessions, still at work, made them.
    fn of_others(&self, directory: &RepoPath) -> Vec<String> {
        let _ = directory;
        Vec::new()
    }

    /// The words in which the user set the limits, where all are of one message.
    fn limit_words(&self) -> Option<String> {
        None
    }

    /// What the user said must be left alone in this session, as entries.
    fn off_limits(&self) -> Vec<String> {
        Vec::new()
    }

    /// Paths that [`Facts::limit`] was asked about: what the command writes, as far as its text tells.
    fn written(&self) -> Vec<RepoPath> {
        Vec::new()
    }

    /// Returns true if somebody has rules for commands by their words: every one that would run is kept then.
    fn minds_commands(&self) -> bool {
        false
    }

    /// Kinds of effects that somebody has rules for: they are kept however mild they are.
    fn minded(&self) -> Kinds {
        Kinds::default()
    }

    /// Is told each file that is changed by a command, as an edit would.
    fn edits(&self, path: &RepoPath) {
        let _ = path;
    }

    /// Those of them that are part of the work: not what is temporary, ignored or built.
    fn edited(&self) -> Vec<RepoPath> {
        Vec::new()
    }

    /// Returns true if [`Facts::path`] and [`Facts::link`] can ever answer.
    fn has_paths(&self) -> bool {
        true
    }

    /// The text of a path that is a symbolic link: where it leads, absolute or from its directory.
    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        let _ = path;
        None
    }

    /// Returns true where something below a directory has no copy anywhere, as far as a bounded listing tells: a
    /// repository or worktree of its own, or an untracked file that [`is_precious`](crate::is_precious).
    fn holds_precious(&self, directory: &RepoPath) -> bool {
        let _ = directory;
        false
    }

    /// Whether there is a branch of this name here.
    fn has_branch(&self, name: &str) -> Option<bool> {
        let _ = name;
        None
    }

    /// Returns true if [`Facts::text`] can ever answer.
    fn has_texts(&self) -> bool {
        true
    }

    /// Text of a file that a command would run or take its commands from (`Makefile`,
    /// `package.json`, `justfile`, a shell script). Texts longer than [`MAX_TEXT`] are not looked
    /// at, so there is no need to return them.
    fn text(&self, path: &RepoPath) -> Option<Arc<str>> {
        let _ = path;
        None
    }

    /// Text of a file outside of the repository, by its absolute path, which may begin with `~`.
    fn text_elsewhere(&self, path: &str) -> Option<Arc<str>> {
        let _ = path;
        None
    }

    /// Is told the commands of each script or target that is followed into, run in `dir` of the repository,
    /// empty for its root.
    fn follows(&self, dir: &str, commands: &str) {
        let _ = (dir, commands);
    }
}

/// Bytes of a text that is looked at.
pub const MAX_TEXT: usize = 128 * 1024;

/// Nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn has_paths(&self) -> bool {
        false
    }

    fn has_texts(&self) -> bool {
        false
    }
}

/// Facts held in maps, for tests and for callers that have few.
#[derive(Debug, Clone, Default)]
pub struct MemoryFacts {
    /// By path.
    pub paths: HashMap<RepoPath, Known>,
    /// By path.
    pub texts: HashMap<RepoPath, Arc<str>>,
    /// Where symbolic links lead, by path.
    pub links: HashMap<RepoPath, Arc<str>>,
    /// Directories with something in them that has no copy.
    pub precious: Vec<RepoPath>,
}

impl Facts for MemoryFacts {
    fn path(&self, path: &RepoPath) -> Known {
        self.paths.get(path).copied().unwrap_or_default()
    }

    fn text(&self, path: &RepoPath) -> Option<Arc<str>> {
        self.texts.get(path).cloned()
    }

    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        self.links.get(path).cloned()
    }

    fn holds_precious(&self, directory: &RepoPath) -> bool {
        self.precious.contains(directory)
    }
}
