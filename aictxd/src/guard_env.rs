//! Facts for the guard beside memory: the things a command would hit, the contract that
//! counts, the user's limits.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aictx_files::mounts;
use aictx_guard::{
    CommandRisk, Facts, HookVerdict, Kinds, Known, Limit, MAX_TEXT, NoFacts, Place as Where, Rules,
    Say, command_risk, command_risk_in, covers, is_deletion, is_made_again, names_among,
};
use aictx_proto::RepoPath;
use aictx_proto::path::{Located, split_name};
use aictx_proto::snapshot::GitState;
use aictx_repomap::tree::Tree;
use aictx_shell::Dialect;
use aictx_steer::{EVERYTHING, SteerState, SteerVerdict};
use hashbrown::HashMap;
use rustix::fs::FileType;

use self::lstat_cache::Lying;
use crate::app::App;
use crate::{git, project};

mod lstat_cache;

/// Facts of a worktree without asking git: one `stat` a path and a look into the warm map.
pub struct WorktreeFacts {
    /// Source of other worktrees, and the root of the repository.
    home: Option<(Arc<App>, PathBuf)>,
    /// The worktree, and what lies in it.
    lying: Lying,
    /// Limits of the user, and the policy's rules for paths.
    limits: Arc<SteerState>,
    rules: Arc<Rules>,
    /// All files that git does not ignore; none while the map does not know them all.
    map: Option<Arc<Tree>>,
    /// Git state of the worktree, if it was asked for.
    git: Option<GitState>,
    /// Paths and texts that were asked for: a command asks for the same ones again and again.
    seen: RefCell<HashMap<RepoPath, Seen>>,
    /// Files that other live sessions edited.
    others: Vec<RepoPath>,
    /// True if somebody wants to know what is written, and what is.
    watches: bool,
    written: RefCell<Vec<RepoPath>>,
    swept: RefCell<Swept>,
    /// Those of them that are certainly changed.
    edited: RefCell<Vec<RepoPath>>,
    /// Scripts that were followed into, where somebody wants to know: the directory, and the commands.
    followed: RefCell<Vec<(String, String)>>,
    texts: RefCell<HashMap<RepoPath, Option<Arc<str>>>>,
}

/// Cached facts of one path.
#[derive(Debug)]
struct Seen {
    /// File type, links not followed.
    lying: Option<FileType>,
    known: Option<Known>,
    /// Target, if it is a link.
    link: Option<Option<Arc<str>>>,
}

/// Paths a command may write that its words do not name one by one.
#[derive(Debug, Clone, Default)]
pub struct Swept {
    /// Directories with everything below them.
    below: Vec<RepoPath>,
    /// Patterns.
    like: Vec<String>,
}

impl Swept {
    /// Returns true if there is nothing of the kind.
    pub fn is_empty(&self) -> bool {
        self.below.is_empty() && self.like.is_empty()
    }

    /// Returns true if a path is among it.
    pub fn holds(&self, path: &RepoPath) -> bool {
        let below = |directory: &RepoPath| directory.is_root() || covers(directory.as_str(), path);
        self.below.iter().any(below) || self.like.iter().any(|pattern| covers(pattern, path))
    }
}

/// Paths and texts that are remembered while a command is judged.
const MAX_PATHS: usize = 1_024;
const MAX_TEXTS: usize = 32;
/// Paths that a command writes and somebody wants to know of.
const MAX_WRITTEN: usize = 16;
/// Files of others, or limits, that are told of a command that takes up everything.
const MAX_TOLD: usize = 8;

impl std::fmt::Debug for WorktreeFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorktreeFacts")
            .field("worktree", &self.lying.worktree())
            .finish_non_exhaustive()
    }
}

impl WorktreeFacts {
    /// Of a worktree, with whatever its map knows now.
    pub fn of(app: &App, worktree: &Path, limits: Arc<SteerState>, rules: Arc<Rules>) -> Self {
        Self {
            map: app.maps.complete_tree(worktree),
            ..Self::without_map(worktree, limits, rules)
        }
    }

    fn without_map(worktree: &Path, limits: Arc<SteerState>, rules: Arc<Rules>) -> Self {
        Self {
            limits,
            rules,
            home: None,
            lying: Lying::of(worktree),
            map: None,
            git: None,
            others: Vec::new(),
            seen: RefCell::default(),
            watches: false,
            written: RefCell::default(),
            swept: RefCell::default(),
            edited: RefCell::default(),
            followed: RefCell::default(),
            texts: RefCell::default(),
        }
    }
}

impl WorktreeFacts {
    /// Keeps what commands write for [`Facts::written`], when that is wanted.
    #[must_use]
    pub fn watching(mut self, watches: bool) -> Self {
        self.watches = watches;
        self
    }

    /// As a worktree of the repository at `root`, which may have others.
    #[must_use]
    pub fn one_of(mut self, app: &Arc<App>, root: &Path) -> Self {
        self.home = Some((Arc::clone(app), root.to_owned()));
        self
    }

    /// Beside sessions that edited these files.
    #[must_use]
    pub fn beside(mut self, others: Vec<RepoPath>) -> Self {
        self.others = others;
        self
    }

    /// Notes that a command may write whatever is in a directory.
    fn sweeps(&self, directory: &RepoPath) {
        if self.watches {
            keep(&mut self.swept.borrow_mut().below, directory);
        }
    }

    /// Returns the paths the judged command may have written beside [`Facts::written`]; of a command that is
    /// [watched](Self::watching).
    pub fn swept(&self) -> Swept {
        self.swept.borrow().clone()
    }

    /// Forgets which scripts were followed into: before another command is judged.
    pub fn follows_anew(&self) {
        self.followed.borrow_mut().clear();
    }

    /// The test runs behind the one script that a command calls by name, for whoever works in `cwd`, relative to the
    /// worktree; empty where there is nothing to be said. Of a command that was judged, and
    /// [watched](Self::watching).
    pub fn tests_behind(&self, command: &str, cwd: &str) -> String {
        if !aictx_shell::calls_tests_by_name(command) && !aictx_shell::calls_a_script(command) {
            return String::new();
        }
        let followed = self.followed.borrow();
        // A recipe ends where a line of it fails; a file may go on.
        let first = followed.first().map(|(_, commands)| commands.as_str());
        let goes_on = |text: &str| !aictx_shell::ends_as_its_tests(text);
        if aictx_shell::calls_a_file(command) && first.is_none_or(goes_on) {
            return String::new();
        }
        let scripts = followed.iter().map(|(dir, commands)| {
            let below = Path::new(dir).strip_prefix(cwd).ok()?;
            Some((below.to_str()?, commands.as_str()))
        });
        let scripts: Option<Vec<_>> = scripts.collect();
        scripts
            .and_then(aictx_shell::tests_behind)
            .unwrap_or_default()
    }

    /// With what git says of the worktree.
    #[must_use]
    pub fn knowing(mut self, git: Option<GitState>) -> Self {
        self.git = git.filter(|git| git.available && !git.truncated);
        self
    }

    /// The verdict on a command that `tool` of an agent would run in `cwd` of the worktree `root`, both absolute, with
    /// the policy's word in it; and what it would do.
    pub fn judge(
        &self,
        command: &str,
        tool: &str,
        root: &str,
        cwd: &str,
    ) -> (HookVerdict, CommandRisk) {
        let risk = command_risk_in(command, dialect_of(tool), Where { root, cwd }, self);
        (self.rules.on_command(command, &risk), risk)
    }
}

/// Which shell an agent's tool is, by its name.
fn dialect_of(tool: &str) -> Dialect {
    let windows = ["powershell", "pwsh", "cmd"];
    if windows.iter().any(|name| tool.eq_ignore_ascii_case(name)) {
        Dialect::Windows
    } else {
        Dialect::Posix
    }
}

/// Returns true if a command deletes something, by its words alone: what a budget counts.
pub fn deletes(command: &str, root: &str, cwd: &str) -> bool {
    let risk = command_risk(command, Where { root, cwd }, &NoFacts);
    let kinds: Vec<String> = risk.reply().effects.into_iter().map(|e| e.kind).collect();
    risk.deletes || is_deletion(&kinds)
}

/// Commands of git that take back what was not committed: whether there is anything is worth asking.
const TAKING_BACK: &[&str] = &["checkout", "restore", "reset", "switch", "clean"];
/// Those that take along what others have changed: it matters where others are at work.
const TAKING_ALONG: &[&str] = &["stash", "add", "stage", "commit"];
/// Longest wait of an agent for git.
const GIT_PATIENCE: Duration = Duration::from_millis(60);

/// Returns true if a command may take along whatever has changed in its worktree.
pub fn may_take_along(command: &str) -> bool {
    command.contains("git") && TAKING_ALONG.iter().any(|verb| command.contains(verb))
}

/// Returns true if a command may put changes aside, where nobody sees them.
pub fn may_put_aside(command: &str) -> bool {
    command.contains("stash")
}

/// Returns the git state of a worktree if a command would take back changes, or take along those of `others`.
pub async fn state_for(
    app: &Arc<App>,
    worktree: &Path,
    command: &str,
    others: bool,
) -> Option<GitState> {
    let takes_back = || TAKING_BACK.iter().any(|verb| command.contains(verb));
    let asks = command.len() < MAX_TEXT
        && command.contains("git")
        && (takes_back() || others && may_take_along(command));
    if !asks {
        return None;
    }
    tokio::time::timeout(GIT_PATIENCE, git::state(app, worktree))
        .await
        .ok()
}

/// Returns true if a file differs from the last commit.
pub fn differs(git: &GitState, path: &RepoPath) -> bool {
    let path = path.as_str();
    let lists = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
    // Of an untracked directory git names only itself.
    let mut lists = lists.map(|listed| listed.trim_end_matches('/'));
    lists.any(|listed| {
        let rest = path.strip_prefix(listed);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Returns true if anything that an entry stands for, a directory or a pattern, differs from the last commit.
fn differs_below(git: &GitState, entry: &RepoPath) -> bool {
    let lists = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
    let mut paths = lists.filter_map(|listed| RepoPath::parse(listed.trim_end_matches('/')).ok());
    paths.any(|path| covers(entry.as_str(), &path))
}

/// Returns true if a file only keeps what a command printed, by its name.
pub fn is_record(path: &RepoPath) -> bool {
    let name = path.as_str();
    [".log", ".out", ".tmp"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Puts a path or pattern to others, once.
fn keep<T: Clone + PartialEq>(kept: &mut Vec<T>, one: &T) {
    if kept.len() < MAX_WRITTEN && !kept.contains(one) {
        kept.push(one.clone());
    }
}

/// Limit from a policy's rule.
fn by_policy((say, whose): (Say, String)) -> Option<Limit> {
    (say != Say::Allow).then_some(Limit::Policy(say, whose))
}

impl Facts for WorktreeFacts {
    fn path(&self, path: &RepoPath) -> Known {
        self.seen(path, |seen| {
            let known = || self.known(path, seen.lying);
            *seen.known.get_or_insert_with(known)
        })
    }

    fn is_there(&self, path: &RepoPath) -> Option<bool> {
        Some(self.seen(path, |seen| seen.lying.is_some()))
    }

    fn holds_precious(&self, directory: &RepoPath) -> bool {
        let is_tracked = |path: &str| {
            RepoPath::parse(path).is_ok_and(|path| self.path(&path).tracked == Some(true))
        };
        self.lying.any_below(directory, |path, kind| {
            path.ends_with("/.git")
                || kind == FileType::RegularFile
                    && aictx_guard::is_precious(path)
                    && !is_tracked(path)
        })
    }

    fn has_limits(&self) -> bool {
        self.watches || !self.limits.is_empty() || self.rules.has_paths()
    }

    fn written(&self) -> Vec<RepoPath> {
        self.written.borrow().clone()
    }

    fn edits(&self, path: &RepoPath) {
        if self.watches {
            keep(&mut self.edited.borrow_mut(), path);
        }
    }

    fn edited(&self) -> Vec<RepoPath> {
        let edited = self.edited.borrow().clone();
        let of_the_work = |path: &RepoPath| {
            let there = self.path(path);
            let built = there.tracked != Some(true) && path.segments().any(is_made_again);
            !built && !is_record(path) && !self.is_ignored(path) && there.directory != Some(true)
        };
        edited.into_iter().filter(of_the_work).collect()
    }

    fn minded(&self) -> Kinds {
        self.rules.minded()
    }

    fn minds_commands(&self) -> bool {
        self.rules.has_commands()
    }

    fn of_others(&self, directory: &RepoPath) -> Vec<String> {
        // What they claimed may be a directory or a pattern.
        let below = |path: &RepoPath| {
            directory.is_root()
                || covers(directory.as_str(), path)
                || covers(path.as_str(), directory)
        };
        // What they have committed since is theirs no more.
        let open = |path: &RepoPath| {
            let git = self.git.as_ref();
            git.is_none_or(|git| differs(git, path) || differs_below(git, path))
        };
        let mut theirs: Vec<String> = Vec::new();
        for path in self.others.iter().filter(|path| below(path) && open(path)) {
            if theirs.len() < MAX_TOLD && !theirs.iter().any(|told| told == path.as_str()) {
                theirs.push(path.as_str().to_owned());
            }
        }
        theirs
    }

    fn limit_words(&self) -> Option<String> {
        self.limits.only_words().map(str::to_owned)
    }

    fn off_limits(&self) -> Vec<String> {
        let limits = &self.limits;
        let only = limits.allowed_paths.iter();
        let only = only.map(|path| format!("everything but {path}"));
        let forbidden = limits
            .forbidden_paths
            .iter()
            .map(|path| match path.as_str() {
                EVERYTHING => "any file".to_owned(),
                path => path.to_owned(),
            });
        forbidden.chain(only).take(MAX_TOLD).collect()
    }

    fn limit(&self, path: &RepoPath) -> Option<Limit> {
        if self.watches {
            keep(&mut self.written.borrow_mut(), path);
        }
        if self.is_in_a_nested_worktree(path) {
            return self.limit_elsewhere(self.lying.worktree().join(path.as_str()).to_str()?);
        }
        self.limit_of(path)
    }

    fn limit_elsewhere(&self, path: &str) -> Option<Limit> {
        if self.limits.is_empty() && !self.rules.has_paths() {
            return None;
        }
        let full = at_home(path)?;
        let (app, root) = self.home.as_ref()?;
        let mut directories = full.ancestors();
        let other = directories
            .find(|directory| mounts::check(directory).is_ok() && directory.is_dir())
            .and_then(|directory| app.hosts.place(directory).ok())
            .filter(|other| other.root == *root)?;
        let located =
            aictx_artifacts::root::locate(&other.worktree, &other.worktree, full.to_str()?);
        let Located::Inside(inside) = located else {
            return None;
        };
        let there = || full.symlink_metadata().is_ok();
        self.limit_of(&inside)
            // What is no path lies outside of everything.
            .filter(|limit| *limit != Limit::Outside || there())
            .or_else(|| self.limit_below(&inside))
            .or_else(|| {
                let pattern = inside.as_str().contains(['*', '?', '[']);
                pattern.then(|| self.limit_like(inside.as_str())).flatten()
            })
    }

    fn limit_below(&self, directory: &RepoPath) -> Option<Limit> {
        self.sweeps(directory);
        if self.limits.forbids_below(directory) {
            return Some(Limit::Forbidden);
        }
        by_policy(self.rules.below(directory)?)
    }

    fn limit_among(&self, directory: &RepoPath, endings: &[&str]) -> Option<Limit> {
        self.sweeps(directory);
        let forbidden = self.limits.forbidden_paths.iter().map(String::as_str);
        if names_among(forbidden, directory, endings) {
            return Some(Limit::Forbidden);
        }
        by_policy(self.rules.among(directory, endings)?)
    }

    fn limit_like(&self, pattern: &str) -> Option<Limit> {
        if self.watches {
            keep(&mut self.swept.borrow_mut().like, &pattern.to_owned());
        }
        if self.limits.forbids_like(pattern) {
            return Some(Limit::Forbidden);
        }
        by_policy(self.rules.like(pattern)?)
    }

    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        self.seen(path, |seen| {
            if seen.lying != Some(FileType::Symlink) {
                return None;
            }
            let read = || {
                let target = std::fs::read_link(self.lying.worktree().join(path.as_str())).ok()?;
                Some(target.to_str()?.into())
            };
            seen.link.get_or_insert_with(read).clone()
        })
    }

    fn has_branch(&self, name: &str) -> Option<bool> {
        Some(aictx_artifacts::root::branch_named(self.lying.worktree(), name).is_some())
    }

    fn follows(&self, dir: &str, commands: &str) {
        if self.watches {
            let mut followed = self.followed.borrow_mut();
            if followed.len() < MAX_TEXTS {
                followed.push((dir.to_owned(), commands.to_owned()));
            }
        }
    }

    fn text_elsewhere(&self, path: &str) -> Option<Arc<str>> {
        let path = at_home(path)?;
        let name = path.file_name()?.to_str()?.to_owned();
        Some(project::beginning(path.parent()?, &name, MAX_TEXT as u64)?.into())
    }

    fn text(&self, path: &RepoPath) -> Option<Arc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        // Most of what is looked for is not there.
        let there = self.seen(path, |seen| seen.lying.is_some());
        let read = || project::beginning(self.lying.worktree(), path.as_str(), MAX_TEXT as u64);
        let text: Option<Arc<str>> = there.then(read).flatten().map(Into::into);
        let mut texts = self.texts.borrow_mut();
        if texts.len() < MAX_TEXTS {
            texts.insert(path.clone(), text.clone());
        }
        text
    }
}

/// A path that may begin with the user's home.
fn at_home(path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(below) => Some(directories::BaseDirs::new()?.home_dir().join(below)),
        None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
    }
}

impl WorktreeFacts {
    /// Returns true if a path lies in another worktree, or another repository, that lies in this one.
    fn is_in_a_nested_worktree(&self, path: &RepoPath) -> bool {
        if self.home.is_none() || (self.limits.is_empty() && !self.rules.has_paths()) {
            return false;
        }
        let text = path.as_str();
        let mut above = text.match_indices('/').filter_map(|(at, _)| text.get(..at));
        above.any(|directory| {
            let mark = RepoPath::parse(&format!("{directory}/.git"));
            mark.is_ok_and(|mark| self.path(&mark).exists == Some(true))
        })
    }

    /// Returns the limit on writing a file of the repository.
    fn limit_of(&self, path: &RepoPath) -> Option<Limit> {
        let by_user = self.limits.verdict(path).and_then(|verdict| match verdict {
            // What git ignores is no part of the work that was limited: logs, caches, what was built.
            _ if self.is_ignored(path) && !self.limits.names(path) => None,
            SteerVerdict::Forbidden(entry) if entry != EVERYTHING => Some(Limit::Forbidden),
            // Nor is what only keeps an output.
            _ if is_record(path) => None,
            SteerVerdict::Forbidden(_) | SteerVerdict::OutsideAllowed => Some(Limit::Outside),
        });
        by_user.or_else(|| by_policy(self.rules.on_path(path)?))
    }

    /// Returns true if git is told to overlook a path, as far as the map tells; of what is not there yet, whether
    /// that is said of the directory that it would be in.
    pub(crate) fn is_ignored(&self, path: &RepoPath) -> bool {
        let parent = path.as_str().rsplit_once('/');
        let parent = parent.and_then(|(parent, _)| RepoPath::parse(parent).ok());
        self.path(path).ignored == Some(true)
            || parent.is_some_and(|parent| self.path(&parent).ignored == Some(true))
    }

    /// Answers `ask` from the cached facts of a path, which is read once: whether it is a link and what is
    /// known of it are asked one after the other.
    fn seen<T>(&self, path: &RepoPath, ask: impl FnOnce(&mut Seen) -> T) -> T {
        if let Some(seen) = self.seen.borrow_mut().get_mut(path) {
            return ask(seen);
        }
        let mut seen = Seen {
            lying: self.look_at(path),
            known: None,
            link: None,
        };
        let answer = ask(&mut seen);
        let mut all = self.seen.borrow_mut();
        if all.len() < MAX_PATHS {
            all.insert(path.clone(), seen);
        }
        answer
    }

    /// Returns the file type at a path; nothing is read where the directory is missing.
    fn look_at(&self, path: &RepoPath) -> Option<FileType> {
        match self.is_in_nothing(path) {
            true => None,
            false => self.lying.at(path),
        }
    }

    /// Returns true if it is known already that a path cannot be there: what should hold it is not, or holds nothing.
    fn is_in_nothing(&self, path: &RepoPath) -> bool {
        let seen = self.seen.borrow();
        let mut above = std::iter::successors(split_name(path.as_str()).0, |at| split_name(at).0);
        let held_by = above.find_map(|at| seen.get(at));
        held_by.is_some_and(|by| !matches!(by.lying, Some(FileType::Directory | FileType::Symlink)))
    }

    fn known(&self, path: &RepoPath, lying: Option<FileType>) -> Known {
        let directory = lying.map(|lying| lying == FileType::Directory);
        let known = self.map.as_ref().map(|tree| {
            let bytes = path.as_str().as_bytes();
            path.is_root() || tree.paths().holds(bytes)
        });
        Known {
            exists: Some(lying.is_some()),
            directory,
            // The map holds what git tracks and what it would show as untracked: both are worth care.
            tracked: known,
            ignored: known.map(|known| !known && lying.is_some()),
            // Of single files only: whoever takes back a whole tree means what is in it when that runs.
            dirty: (self.git.as_ref())
                .filter(|_| directory == Some(false))
                .map(|git| differs(git, path)),
        }
    }
}

#[cfg(test)]
mod tests;
