//! Cache of `git status`, valid while git would answer the same.
//!
//! An answer rests on what is checked out, git's index, rules and configuration, the names in the
//! directories that git enters, and how each tracked file looks. While all of that looks as it did, so
//! does the answer. Two changes are frequent and need no git either: a directory that was written to
//! and has the same names as before, and a tracked file whose size is no longer the one in the index,
//! which git calls changed without reading it. Anything else asks git again.
//!
//! Where the watcher would tell of every change, only what it told of is looked at. Not all changes are told
//! of ([`crate::watch::change_log`]), so an answer lasts no longer than [`OLDEST`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aictx_artifacts::root::{self, find_repository};
use aictx_files::untrusted::Directory;
use aictx_proto::snapshot::GitState;
use aictx_repomap::discover::{Look, Sort, git_index, look, look_at};
use rustix::fs::FileType;

use super::{MAX_PATHS, says};
use crate::watch::change_log::Listener;

/// Worktrees that are remembered.
const MAX_WORKTREES: usize = 64;
/// Tracked files of a worktree that is remembered, and names in its directories.
const MAX_TRACKED: usize = 30_000;
const MAX_NAMES: usize = 60_000;
/// File systems stamp with the clock of the kernel's last tick, at most this long ago: what changed so
/// shortly before git looked, or since, may look the same and be another.
const CLOCK_TICK: Duration = Duration::from_millis(20);
/// The same where file systems stamp in seconds, or in two of them, in nanoseconds.
const COARSE: i64 = 2_000_000_000;
/// Older answers are not relied upon: some file systems do not tell what changed.
const OLDEST: Duration = Duration::from_secs(600);
/// Asking for what an answer rests on takes at most one part in so many of the time.
const SHARE: u32 = 20;
const THREADS: usize = 2;

/// Answers of git, by worktree.
#[derive(Debug, Default)]
pub struct Answers(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug, Default)]
struct Known {
    ground: Option<Arc<Ground>>,
    learning: bool,
    /// Changes were heard of and are not any more.
    deaf: bool,
    /// Not to be learnt again before.
    next: Option<Instant>,
}

impl Answers {
    /// Returns git's answer, if it is certain. Looks at every tracked file, unless all that may have
    /// changed was heard of.
    pub(super) fn state(&self, worktree: &Path) -> Option<GitState> {
        let ground = Arc::clone(self.all().get(worktree)?.ground.as_ref()?);
        let told = ground.told();
        let state = ground.state(worktree, told.as_ref());
        if let Some(known) = self.all().get_mut(worktree) {
            if state.is_none() {
                known.ground = None;
            }
            known.deaf = told.is_none() && ground.listener.is_some();
        }
        state
    }

    /// Returns true if it could be told with fewer looks what git would say, if its answer were learnt anew.
    pub(super) fn is_deaf(&self, worktree: &Path) -> bool {
        self.all().get(worktree).is_some_and(|known| known.deaf)
    }

    /// Returns true if it is time to learn what git's answer rests on; if so, [`Self::learnt`] must follow.
    pub(super) fn begin(&self, worktree: &Path) -> bool {
        let mut all = self.all();
        if all.len() >= MAX_WORKTREES && !all.contains_key(worktree) {
            all.clear();
        }
        let known = all.entry(worktree.to_owned()).or_default();
        let due = known.next.is_none_or(|next| Instant::now() >= next);
        let begin = (known.ground.is_none() || known.deaf) && !known.learning && due;
        known.learning |= begin;
        begin
    }

    /// Remembers what was learnt in the time that it took.
    pub(super) fn learnt(&self, worktree: &Path, ground: Result<Ground, Trouble>, took: Duration) {
        let mut all = self.all();
        let known = all.entry(worktree.to_owned()).or_default();
        let pause = match ground {
            Err(Trouble::Unfit) => OLDEST,
            _ => took * SHARE,
        };
        known.learning = false;
        // What is known holds for as long as it does.
        if ground.is_ok() || !known.deaf {
            known.ground = ground.ok().map(Arc::new);
            known.deaf = false;
        }
        known.next = Instant::now().checked_add(pause);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why it cannot be told what an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Something changed just now.
    Unsettled,
    /// Git does more here than is known of it, or there is too much to look at.
    Unfit,
}

/// Files in a worktree by which git decides what is ignored and how files are compared.
const RULES: [&[u8]; 2] = [b".gitignore", b".gitattributes"];

/// Freshness of an answer.
#[derive(Debug)]
pub(super) struct Ground {
    answer: GitState,
    index: PathBuf,
    index_look: Option<Look>,
    /// Paths, contents and modes of the index, hashed: git writes it anew whenever it looked at files.
    entries: u64,
    /// Git's other files, configuration and rules outside of the worktree's directories.
    outside: Vec<(PathBuf, Option<Look>)>,
    /// [`RULES`] in the worktree's directories.
    rules: Vec<Vec<u8>>,
    rules_look: Vec<Option<Look>>,
    /// Directories that git enters, the root first, how they look, and a hash of their names.
    directories: Vec<Vec<u8>>,
    inside: Vec<(Option<Look>, u64)>,
    /// Tracked files with their sizes in the index; no look where it may not have been git's.
    tracked: Vec<Vec<u8>>,
    sizes: Vec<u32>,
    files: Vec<Option<Option<Look>>>,
    since: Instant,
    /// Subscription to changes.
    listener: Option<Arc<Listener>>,
}

/// Inputs to be checked, by their positions.
enum Suspects {
    All,
    These {
        rules: Vec<usize>,
        directories: Vec<usize>,
        tracked: Vec<usize>,
    },
}

impl Ground {
    /// Collects the inputs of `answer`, which git began to compute at `started` and which excludes the
    /// `ignored` directories.
    ///
    /// # Errors
    /// Where that cannot be told in full.
    pub(super) fn of(
        worktree: &Path,
        answer: GitState,
        ignored: &HashSet<Vec<u8>>,
        started: SystemTime,
    ) -> Result<Self, Trouble> {
        Self::look(worktree, answer, ignored, started)
            .ok_or(Trouble::Unfit)?
            .ok_or(Trouble::Unsettled)
    }

    /// Nothing where it is unfit, nothing in it where it is not settled.
    fn look(
        worktree: &Path,
        answer: GitState,
        ignored: &HashSet<Vec<u8>>,
        started: SystemTime,
    ) -> Option<Option<Self>> {
        let settled = started.checked_sub(CLOCK_TICK)?;
        let settled = settled.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let settled = i64::try_from(settled.as_nanos()).ok()?;
        // Whole seconds: the file system knows no smaller ones.
        let coarse = settled.saturating_sub(COARSE);
        let is_settled = |look: &Option<Look>| {
            look.is_none_or(|look| match look.changed % 1_000_000_000 {
                0 => look.changed < coarse,
                _ => look.changed < settled,
            })
        };
        let places = Places::of(worktree)?;
        let outside: Vec<_> = places
            .outside
            .into_iter()
            .map(|place| {
                let look = look_at(&place);
                (place, look)
            })
            .collect();
        // What is read after a look follows from what was looked at.
        let index_look = look_at(&places.index);
        let (tracked, sizes, entries) = read_index(&places.index, &answer)?;
        let head = root::head(worktree);
        let plain = answer.available
            && !answer.truncated
            && (&head.head, &head.branch) == (&answer.head, &answer.branch);
        if !plain {
            return None;
        }
        let (directories, hashes): (Vec<_>, Vec<_>) = walk(worktree, ignored)?.into_iter().unzip();
        let looks = look_directories(worktree, &directories)?;
        let inside: Vec<_> = looks.into_iter().zip(hashes).collect();
        let rules = directories.iter();
        let rules: Vec<_> = rules
            .flat_map(|d| RULES.map(|name| below_of(d, name)))
            .collect();
        let rules_look = look_all(worktree, &rules)?;
        let still = is_settled(&index_look)
            && outside.iter().all(|(_, look)| is_settled(look))
            && inside.iter().all(|(look, _)| is_settled(look))
            && rules_look.iter().all(is_settled);
        if !still {
            return Some(None);
        }
        let looks = look_all(worktree, &tracked)?;
        let looks = looks
            .into_iter()
            .map(|look| is_settled(&look).then_some(look));
        Some(Some(Self {
            answer,
            index: places.index,
            index_look,
            entries,
            outside,
            rules,
            rules_look,
            directories,
            inside,
            tracked,
            sizes,
            files: looks.collect(),
            since: Instant::now(),
            listener: None,
        }))
    }

    /// Directories in which something could change the answer.
    pub(super) fn places(&self, worktree: &Path) -> Vec<PathBuf> {
        let parents = self.tracked.iter().map(|path| parent_of(path));
        let mut all: Vec<&[u8]> = self.directories.iter().map(Vec::as_slice).collect();
        all.extend(parents);
        all.sort_unstable();
        all.dedup();
        let absolute = |path: &[u8]| match path {
            b"" => worktree.to_owned(),
            path => worktree.join(OsStr::from_bytes(path)),
        };
        all.into_iter().map(absolute).collect()
    }

    /// Since before it was looked at, every change in its [`Self::places`] is heard of by `listener`.
    pub(super) fn is_told_by(&mut self, listener: Arc<Listener>) {
        self.listener = Some(listener);
    }

    /// All that may have changed, where that is known.
    fn told(&self) -> Option<BTreeSet<Vec<u8>>> {
        let listener = self.listener.as_ref()?;
        listener.caught_up().then(|| listener.told())?
    }

    /// Returns the inputs to be checked when nothing but `told` may have changed.
    fn suspects(&self, told: &BTreeSet<Vec<u8>>) -> Suspects {
        let mut rules = BTreeSet::new();
        let mut directories = BTreeSet::new();
        let unsure = self.files.iter().enumerate();
        let unsure = unsure.filter(|(_, look)| look.is_none());
        let mut tracked: BTreeSet<usize> = unsure.map(|(at, _)| at).collect();
        for path in told {
            let below = [path.as_slice(), b"/"].concat();
            let first = self.tracked.partition_point(|t| *t < below);
            let leads_to_tracked = self
                .tracked
                .get(first)
                .is_some_and(|t| t.starts_with(&below));
            if leads_to_tracked || self.directories.binary_search(path).is_ok() {
                // Another directory may be there now, of which nothing is heard.
                return Suspects::All;
            }
            let from = self.tracked.partition_point(|t| t < path);
            let same = self.tracked.iter().skip(from).take_while(|t| *t == path);
            tracked.extend(from..from + same.count());
            let parent = parent_of(path);
            let Ok(at) = self
                .directories
                .binary_search_by(|d| d.as_slice().cmp(parent))
            else {
                continue;
            };
            directories.insert(at);
            let name = path.get(parent.len()..).unwrap_or_default();
            let name = name.strip_prefix(b"/").unwrap_or(name);
            let rule = RULES.iter().position(|rule| *rule == name);
            rules.extend(rule.map(|rule| at * RULES.len() + rule));
        }
        Suspects::These {
            rules: rules.into_iter().collect(),
            directories: directories.into_iter().collect(),
            tracked: tracked.into_iter().collect(),
        }
    }

    /// Returns git's present answer, if it is certain. With `told` nothing else may have changed.
    fn state(&self, worktree: &Path, told: Option<&BTreeSet<Vec<u8>>>) -> Option<GitState> {
        let suspects = told.map_or(Suspects::All, |told| self.suspects(told));
        let (rules, directories, tracked) = match &suspects {
            Suspects::All => (None, None, None),
            Suspects::These {
                rules,
                directories,
                tracked,
            } => (Some(rules), Some(directories), Some(tracked)),
        };
        let head = root::head(worktree);
        let same = self.since.elapsed() <= OLDEST
            && (&head.head, &head.branch) == (&self.answer.head, &self.answer.branch)
            && self
                .outside
                .iter()
                .all(|(place, look)| look_at(place) == *look)
            && among(rules, &self.rules_look).eq(&look_all(worktree, &pick(rules, &self.rules))?)
            && self.has_the_same_names(worktree, directories)?;
        if !same {
            return None;
        }
        if look_at(&self.index) != self.index_look {
            let (_, sizes, entries) = read_index(&self.index, &self.answer)?;
            // Sizes follow what filters make of a file: git may see it in another way now.
            if entries != self.entries || sizes != self.sizes {
                return None;
            }
        }
        let mut changed = BTreeSet::new();
        let paths = pick(tracked, &self.tracked);
        let looks = look_all(worktree, &paths)?;
        let files = among(tracked, &self.files).zip(among(tracked, &self.sizes));
        for (path, ((before, size), now)) in paths.iter().zip(files.zip(looks)) {
            if *before == Some(now) {
                continue;
            }
            let now = now.filter(|look| look.sort == Sort::File)?;
            // Git writes no size where it could not trust what it saw, and keeps 32 bits.
            let now = u32::try_from(now.stamp.size).ok()?;
            if *size == 0 || now == *size {
                return None;
            }
            changed.insert(String::from_utf8_lossy(path).into_owned());
        }
        let mut answer = self.answer.clone();
        if !changed.is_empty() {
            changed.extend(answer.unstaged);
            answer.unstaged = changed.into_iter().collect();
        }
        (answer.unstaged.len() <= MAX_PATHS).then_some(answer)
    }

    fn has_the_same_names(&self, worktree: &Path, which: Option<&Vec<usize>>) -> Option<bool> {
        let same = |path: &[u8], now: Option<Look>, (look, names): &(Option<Look>, u64)| {
            if now == *look {
                return true;
            }
            let directory = now.is_some_and(|look| look.sort == Sort::Directory);
            directory && list(worktree, path).is_some_and(|found| hash(&found) == *names)
        };
        let paths = pick(which, &self.directories);
        let looks = look_directories(worktree, &paths)?;
        let mut all = paths.iter().zip(looks).zip(among(which, &self.inside));
        Some(all.all(|((path, now), before)| same(path, now, before)))
    }
}

/// Paths of git's own files of a worktree.
struct Places {
    index: PathBuf,
    outside: Vec<PathBuf>,
}

impl Places {
    /// Nothing where git might look elsewhere than at this directory.
    fn of(worktree: &Path) -> Option<Self> {
        let found = find_repository(worktree).ok()?;
        let (git, common) = (found.git_dir?, found.common_dir?);
        if git == common && git.join("commondir").exists() {
            return None;
        }
        // The directory itself changes whenever git writes.
        let link = Some(worktree.join(".git")).filter(|link| !link.is_dir());
        let mut outside: Vec<PathBuf> = link.into_iter().collect();
        let shared = Some(&common).filter(|common| **common != git);
        for dir in [&git].into_iter().chain(shared) {
            let names = [
                "config",
                "config.worktree",
                "commondir",
                "info/exclude",
                "info/attributes",
            ];
            outside.extend(names.map(|name| dir.join(name)));
        }
        let configured = ["config", "config.worktree"].map(|name| common.join(name));
        let elsewhere: &[&[u8]] = &[b"worktree", b"include", b"excludesfile", b"attributesfile"];
        if configured.iter().any(|file| says(file, elsewhere)) {
            return None;
        }
        // Other files than these may be meant.
        if ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"]
            .iter()
            .any(|v| std::env::var_os(v).is_some())
        {
            return None;
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let own = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let own = own.or_else(|| Some(home.as_ref()?.join(".config")));
        let mut global = vec![PathBuf::from("/etc/gitconfig")];
        global.extend(home.map(|home| home.join(".gitconfig")));
        global.extend(own.as_ref().map(|own| own.join("git/config")));
        if global
            .iter()
            .any(|file| says(file, &[b"include", b"attributesfile"]))
        {
            return None;
        }
        outside.extend(global);
        outside.push(PathBuf::from("/etc/gitattributes"));
        outside.extend(own.map(|own| own.join("git/attributes")));
        outside.extend(ignore::gitignore::gitconfig_excludes_path());
        Some(Self {
            index: git.join("index"),
            outside,
        })
    }
}

/// Paths and sizes of what is tracked, and a hash of all that does not change when git looks again.
/// Nothing where git compares otherwise than by that.
fn read_index(index: &Path, answer: &GitState) -> Option<(Vec<Vec<u8>>, Vec<u32>, u64)> {
    let (bytes, _) = git_index::load(index).ok()?;
    let index = git_index::parse(&bytes, if answer.head.len() == 64 { 32 } else { 20 });
    let unfit = index.incomplete || index.special || index.entries.len() > MAX_TRACKED;
    let in_order = index.entries.is_sorted_by(|a, b| a.path <= b.path);
    if unfit || !in_order || index.entries.iter().any(git_index::Entry::is_submodule) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    for entry in &index.entries {
        (&entry.path, entry.id, entry.mode).hash(&mut hasher);
    }
    let entries = index.entries.into_iter();
    let entries = entries.filter(|entry| !entry.path.starts_with(b".aictx/"));
    let (paths, sizes) = entries.map(|e| (e.path, e.size)).unzip();
    Some((paths, sizes, hasher.finish()))
}

fn look_all(worktree: &Path, paths: &[Vec<u8>]) -> Option<Vec<Option<Look>>> {
    let looks = look(worktree, paths, THREADS, None, &AtomicBool::new(false));
    (looks.len() == paths.len()).then_some(looks)
}

/// As [`look_all`], of directories with the root first.
fn look_directories(worktree: &Path, paths: &[Vec<u8>]) -> Option<Vec<Option<Look>>> {
    let mut looks = look_all(worktree, paths)?;
    if let (Some([]), Some(look)) = (paths.first().map(Vec::as_slice), looks.first_mut()) {
        *look = look_at(worktree);
    }
    Some(looks)
}

/// Some of a list, by their places, or all of it.
fn among<'a, T>(
    which: Option<&'a Vec<usize>>,
    all: &'a [T],
) -> impl Iterator<Item = &'a T> + use<'a, T> {
    let whole = if which.is_none() { all } else { &[] };
    let some = which.into_iter().flatten().filter_map(|at| all.get(*at));
    whole.iter().chain(some)
}

/// As [`among`], in one piece.
fn pick<'a>(which: Option<&Vec<usize>>, all: &'a [Vec<u8>]) -> Cow<'a, [Vec<u8>]> {
    match which {
        None => Cow::Borrowed(all),
        Some(_) => among(which, all).cloned().collect(),
    }
}

/// The directory that a path lies in; the root has no name.
fn parent_of(path: &[u8]) -> &[u8] {
    let end = memchr::memrchr(b'/', path).unwrap_or(0);
    path.get(..end).unwrap_or_default()
}

/// Hashes of the names in the root and in every directory below that is not ignored, links not
/// followed. Nothing where another repository lies among them, or too much.
fn walk(worktree: &Path, ignored: &HashSet<Vec<u8>>) -> Option<BTreeMap<Vec<u8>, u64>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![Vec::new()];
    let mut count = 0;
    while let Some(directory) = pending.pop() {
        let names = list(worktree, &directory)?;
        count += names.len();
        if count > MAX_NAMES {
            return None;
        }
        for (name, sort) in &names {
            if !directory.is_empty() && name == b".git" {
                return None;
            }
            let path = below_of(&directory, name);
            if *sort == Sort::Directory && !ignored.contains(&path) {
                pending.push(path);
            }
        }
        found.insert(directory, hash(&names));
    }
    Some(found)
}

/// Names in a directory and what they are, in order; at the root without what git is not asked about.
fn list(worktree: &Path, directory: &[u8]) -> Option<Vec<(Vec<u8>, Sort)>> {
    let mut names = Vec::new();
    let place = worktree.join(OsStr::from_bytes(directory));
    for entry in Directory::open(&place).ok()?.entries(".").ok()? {
        let entry = entry.ok()?;
        let name = entry.name.into_vec();
        if directory.is_empty() && matches!(name.as_slice(), b".git" | b".aictx") {
            continue;
        }
        let sort = match entry.kind {
            FileType::Directory => Sort::Directory,
            FileType::RegularFile => Sort::File,
            FileType::Unknown => return None,
            _ => Sort::Other,
        };
        names.push((name, sort));
        if names.len() > MAX_NAMES {
            return None;
        }
    }
    names.sort_unstable();
    Some(names)
}

fn below_of(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

fn hash(names: &[(Vec<u8>, Sort)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    names.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
