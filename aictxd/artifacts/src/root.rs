//! Finds repositories, their checkouts, and locations of paths.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use aictx_files::{mounts, untrusted};
use aictx_proto::path::{self, Located, Outside};

pub use crate::head::Head;
use crate::head::is_commit;
use crate::reftable;

/// Longest `.git` file, `HEAD` or loose reference that is read.
const MAX_GIT_FILE: u64 = 4096;
/// Most of `packed-refs` that is read.
const MAX_PACKED_REFS: u64 = 64 * 1024 * 1024;
/// Symbolic references and links followed.
const MAX_HOPS: u32 = 40;

/// A repository as found on disk. All paths are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Root of the main worktree, where `.aictx` is; linked worktrees share it.
    pub root: PathBuf,
    /// Root of the worktree that the path lies in.
    pub worktree: PathBuf,
    /// Git directory of the worktree; none outside of git.
    pub git_dir: Option<PathBuf>,
    /// Git directory shared by all worktrees.
    pub common_dir: Option<PathBuf>,
}

/// Why no repository was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// The path does not exist or cannot be entered.
    #[error("{} cannot be entered: {why}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
        /// Error of the system.
        why: String,
    },
    /// Neither `.git` nor `.aictx` here or above.
    #[error("{} is in no repository: there is no .git and no .aictx here or above", path.display())]
    NotARepository {
        /// The path.
        path: PathBuf,
    },
    /// A git repository without a worktree.
    #[error("{} is a bare repository: there is no worktree to remember anything of", path.display())]
    Bare {
        /// The path.
        path: PathBuf,
    },
    /// The home directory or `/`: memory of everything would be memory of nothing.
    #[error("{} is not accepted as a repository", path.display())]
    Refused {
        /// The path.
        path: PathBuf,
    },
}

/// Finds the repository that `path` (a directory or a file) lies in.
///
/// # Errors
/// See [`RootError`].
pub fn find_repository(path: &Path) -> Result<Repository, RootError> {
    let home = std::env::var_os("HOME").and_then(|h| std::fs::canonicalize(h).ok());
    find(path, home.as_deref())
}

pub(crate) fn find(path: &Path, home: Option<&Path>) -> Result<Repository, RootError> {
    let start = canonical(path).map_err(|e| RootError::Missing {
        path: path.to_owned(),
        why: e.to_string(),
    })?;
    // A directory with a memory and without git, should no repository of git hold it: in one, it may
    // have come with a commit, and would keep the repository's own memory and rules from what is below.
    let mut plain: Option<&Path> = None;
    let or_plain = |plain: Option<&Path>, error| match plain {
        Some(dir) => Ok(Repository {
            root: dir.to_owned(),
            worktree: dir.to_owned(),
            git_dir: None,
            common_dir: None,
        }),
        None => Err(error),
    };
    for dir in start.ancestors() {
        let refused = dir.parent().is_none() || Some(dir) == home;
        let git = git_dir(dir);
        if refused {
            // `~/.aictx` is the ancestor's own directory, not a repository's.
            let error = if is_bare(&start) {
                RootError::Bare {
                    path: start.clone(),
                }
            } else if git.is_some() || dir == start {
                RootError::Refused {
                    path: dir.to_owned(),
                }
            } else {
                RootError::NotARepository {
                    path: start.clone(),
                }
            };
            return or_plain(plain, error);
        }
        if let Some(git_dir) = git {
            return Ok(worktree(dir, git_dir, home));
        }
        if plain.is_none() && dir.join(crate::fs::DIR).is_dir() {
            plain = Some(dir);
        }
    }
    or_plain(
        plain,
        RootError::NotARepository {
            path: start.clone(),
        },
    )
}

fn is_bare(dir: &Path) -> bool {
    dir.join("HEAD").is_file() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
}

fn worktree(dir: &Path, git_dir: PathBuf, home: Option<&Path>) -> Repository {
    let common_dir = common_dir(dir, &git_dir);
    let main = common_dir
        .as_deref()
        .filter(|c| *c != git_dir && c.file_name().is_some_and(|n| n == ".git"))
        .and_then(Path::parent)
        .filter(|main| main.parent().is_some() && Some(*main) != home);
    Repository {
        root: main.unwrap_or(dir).to_owned(),
        worktree: dir.to_owned(),
        common_dir: Some(common_dir.unwrap_or_else(|| git_dir.clone())),
        git_dir: Some(git_dir),
    }
}

/// The git directory of a worktree whose root is `dir`, if it is one.
fn git_dir(dir: &Path) -> Option<PathBuf> {
    let git = git_place(dir)?;
    git.join("HEAD").symlink_metadata().ok()?;
    Some(git)
}

/// Returns the git directory of `dir`, if it has a `HEAD`.
fn git_place(dir: &Path) -> Option<PathBuf> {
    let dot = dir.join(".git");
    let kind = dot.symlink_metadata().ok()?;
    // The usual case needs no look at every directory on the way.
    let git = if kind.is_dir() {
        dot
    } else if mounts::check_behind(&dot).is_ok() && dot.is_dir() {
        canonical(&dot).ok()?
    } else {
        let text = read_short(&dot)?;
        canonical(&dir.join(text.strip_prefix("gitdir:")?.trim())).ok()?
    };
    Some(git)
}

/// The shared git directory of a linked worktree, if it acknowledges this worktree: otherwise a
/// repository could claim the memory of any other by a `.git` file.
fn common_dir(worktree: &Path, git_dir: &Path) -> Option<PathBuf> {
    let text = read_short(&git_dir.join("commondir"))?;
    let common = canonical(&git_dir.join(text.trim())).ok()?;
    let back = read_short(&git_dir.join("gitdir"))?;
    let back = canonical(&git_dir.join(back.trim())).ok()?;
    let mine = canonical(&worktree.join(".git")).ok()?;
    (back == mine && git_dir.starts_with(&common)).then_some(common)
}

/// A path without links, unless the way to it may hang.
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    mounts::check_behind(path)?;
    std::fs::canonicalize(path)
}

fn read_short(path: &Path) -> Option<String> {
    String::from_utf8(read_beginning(path)?).ok()
}

fn read_beginning(path: &Path) -> Option<Vec<u8>> {
    untrusted::open(path).ok()?.beginning(MAX_GIT_FILE).ok()
}

/// Reads what is checked out at `worktree` (the root of one) from git's files, without a process.
pub fn head(worktree: &Path) -> Head {
    let Some(git) = git_place(worktree) else {
        return Head::default();
    };
    let Some(text) = read_short(&git.join("HEAD")) else {
        return Head::default();
    };
    if is_reftable(&text) {
        let common = common_dir(worktree, &git).unwrap_or_else(|| git.clone());
        return reftable::head(worktree, &git, &common);
    }
    let branch = branch_in(&text);
    let head = match text.trim().strip_prefix("ref:") {
        _ if branch.is_empty() => String::new(),
        None => text.trim().to_owned(),
        Some(name) => {
            let common = common_dir(worktree, &git).unwrap_or_else(|| git.clone());
            resolve_ref(&git, &common, name.trim()).unwrap_or_default()
        }
    };
    Head { branch, head }
}

/// The branch of [`head`] alone, for one short file.
pub fn branch(worktree: &Path) -> String {
    let text = git_place(worktree).and_then(|git| read_short(&git.join("HEAD")));
    match text {
        Some(text) if is_reftable(&text) => head(worktree).branch,
        Some(text) => branch_in(&text),
        None => String::new(),
    }
}

/// Returns true if the references are in another store, which only git reads: its `HEAD` is a stand-in.
fn is_reftable(text: &str) -> bool {
    text.trim() == "ref: refs/heads/.invalid"
}

fn branch_in(text: &str) -> String {
    let text = text.trim();
    let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
        return if is_commit(text) { "(detached)" } else { "" }.to_owned();
    };
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// A branch, as git's files tell of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branch {
    /// Its commit.
    pub commit: String,
    /// The commit that it was made at; empty when nothing tells.
    pub made_at: String,
    /// Time of creation, in seconds since the Unix epoch; 0 when nothing tells.
    pub made: u64,
}

/// Returns the facts of a branch of the repository that `worktree` (the root of one) belongs to.
/// `None` where there is no such branch.
pub fn branch_named(worktree: &Path, branch: &str) -> Option<Branch> {
    let git = git_dir(worktree)?;
    let common = common_dir(worktree, &git).unwrap_or_else(|| git.clone());
    let name = format!("refs/heads/{branch}");
    if read_short(&git.join("HEAD")).is_some_and(|text| is_reftable(&text)) {
        let commit = reftable::branch(worktree, &git, &common, branch)?;
        return Some(Branch {
            commit,
            ..Branch::default()
        });
    }
    // A name that resolves is one that leads nowhere else.
    let commit = resolve_ref(&git, &common, &name)?;
    let log = read_beginning(&common.join("logs").join(&name)).unwrap_or_default();
    // `<before> <after> <who> <seconds> <zone>\t<why>`
    let first = String::from_utf8_lossy(&log);
    let first = first.lines().next().unwrap_or_default();
    let made_at = first.split(' ').nth(1).filter(|id| is_commit(id));
    let who = first.split('\t').next().unwrap_or_default();
    let made = who.rsplit(' ').nth(1).and_then(|at| at.parse().ok());
    Some(Branch {
        commit,
        made_at: made_at.unwrap_or_default().to_owned(),
        made: made.unwrap_or(0),
    })
}

/// Returns true where git keeps each ref in a file of its own or in `packed-refs`, as [`branch_named`] reads them.
pub fn has_ref_files(worktree: &Path) -> bool {
    let Some(git) = git_dir(worktree) else {
        return false;
    };
    let common = common_dir(worktree, &git).unwrap_or(git);
    // With reftables `refs/heads` is a file.
    common.join("refs/heads").is_dir()
}

fn resolve_ref(git: &Path, common: &Path, name: &str) -> Option<String> {
    let mut name = name.to_owned();
    for _ in 0..5 {
        let plain = name.starts_with("refs/")
            && name
                .split('/')
                .all(|s| !s.is_empty() && s != ".." && s != ".");
        if !plain {
            return None;
        }
        let loose = [git, common]
            .iter()
            .find_map(|dir| read_short(&dir.join(&name)));
        match loose.as_deref().map(str::trim) {
            Some(text) if is_commit(text) => return Some(text.to_owned()),
            Some(text) => name = text.strip_prefix("ref:")?.trim().to_owned(),
            None => return packed_ref(common, &name),
        }
    }
    None
}

fn packed_ref(common: &Path, name: &str) -> Option<String> {
    let file = untrusted::open(&common.join("packed-refs")).ok()?;
    let mut lines = BufReader::new(file.into_file().take(MAX_PACKED_REFS));
    let mut line = Vec::new();
    loop {
        line.clear();
        // A longer line is no reference; it is read in parts.
        let mut part = (&mut lines).take(MAX_GIT_FILE);
        if part.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let found = std::str::from_utf8(&line)
            .ok()
            .and_then(|l| l.trim_end().split_once(' '))
            .filter(|(id, ref_name)| *ref_name == name && is_commit(id));
        if let Some((id, _)) = found {
            return Some(id.to_owned());
        }
    }
}

/// Locates `raw` (as an agent or a user wrote it, relative to `cwd`) in the repository at
/// `root`, with all symbolic links on the way resolved as far as they exist.
pub fn locate(root: &Path, cwd: &Path, raw: &str) -> Located {
    let (Some(root_text), Some(cwd_text)) = (root.to_str(), cwd.to_str()) else {
        return Located::Outside(Outside::Unusable);
    };
    let lexical = path::locate(root_text, cwd_text, raw);
    if let Located::Outside(Outside::Unusable | Outside::Nul | Outside::Home | Outside::Drive) =
        lexical
    {
        return lexical;
    }
    let text = raw.replace('\\', "/");
    let base = if cwd_text.is_empty() { root } else { cwd };
    let full = base.join(text);
    let real = resolve(PathBuf::from("/"), root).and_then(|real_root| {
        // Most paths begin as the root does, which need not be walked twice.
        let real = match full.strip_prefix(root) {
            Ok(rest) => resolve(real_root.clone(), rest),
            Err(_) => resolve(PathBuf::from("/"), &full),
        };
        Some((real_root, real?))
    });
    let Some((root, real)) = real.as_ref().and_then(|(r, p)| r.to_str().zip(p.to_str())) else {
        return Located::Outside(Outside::Unusable);
    };
    match (path::locate(root, "", real), lexical) {
        (Located::Inside(path), _) => Located::Inside(path),
        // The reason that can be seen in the text itself is the clearer one.
        (_, Located::Outside(why)) => Located::Outside(why),
        _ => Located::Outside(Outside::Elsewhere),
    }
}

/// Resolves links and dots of a path as the system would, from a directory that is resolved; what does not exist is
/// taken as it is written.
fn resolve(from: PathBuf, path: &Path) -> Option<PathBuf> {
    use std::path::Component;
    let mut todo: VecDeque<PathBuf> = path.components().map(|c| c.as_os_str().into()).collect();
    let mut out = from;
    let mut hops = 0;
    while let Some(part) = todo.pop_front() {
        match part.components().next()? {
            Component::RootDir => out = PathBuf::from("/"),
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => {
                let next = out.join(name);
                // Behind a server that may be dead nobody looks.
                match mounts::check(&next).and_then(|()| std::fs::read_link(&next)) {
                    Ok(target) => {
                        hops += 1;
                        if hops > MAX_HOPS {
                            return None;
                        }
                        for part in target.components().rev() {
                            todo.push_front(part.as_os_str().into());
                        }
                    }
                    Err(_) => out = next,
                }
            }
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(out)
}
