//! One host per repository: an immutable snapshot to read, one queue of operations to commit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use aictx_artifacts::root::{Repository, find_repository};
use aictx_artifacts::{Store, StoreError, Trust};
use aictx_files::key::UserKey;
use aictx_proto::rpc::{NO_REPOSITORY, NOT_WRITABLE, RpcError, UNAVAILABLE, UNSAFE_PATH};

use crate::app::Mode;
use crate::git::TrackedBelow;
use crate::permissions::Obstacle;
use crate::storage_location::Homes;

mod commit_queue;
mod repository;

pub use self::repository::Host;

/// Remembered answers to "which repository is this directory in?".
const MAX_REMEMBERED: usize = 1_024;

/// Repository and worktree of a directory.
#[derive(Debug, Clone)]
pub struct Place {
    /// Root of the main worktree, by which a repository is known.
    pub root: PathBuf,
    /// Root of the worktree the directory is in.
    pub worktree: PathBuf,
}

/// All open repositories.
#[derive(Debug)]
pub struct Hosts {
    homes: Homes,
    mode: Mode,
    /// Candidate places of the user's key, in order.
    key_places: Vec<PathBuf>,
    /// The user's key, and why it does not outlive this process, if it does not.
    key: OnceLock<(Option<UserKey>, String)>,
    tracked: Arc<TrackedBelow>,
    tracked_runs: TrackedBelow,
    open: RwLock<HashMap<PathBuf, Arc<Host>>>,
    remembered: RwLock<HashMap<PathBuf, Place>>,
}

impl Hosts {
    /// With memories in these homes, and the user's key in the first of these directories in which it can
    /// be kept. None is open.
    pub fn new(mode: Mode, homes: Homes, key_places: Vec<PathBuf>) -> Self {
        Self {
            homes,
            mode,
            key_places,
            key: OnceLock::new(),
            tracked: Arc::new(TrackedBelow::new(".aictx/")),
            tracked_runs: TrackedBelow::new(".agents/runs/"),
            open: RwLock::default(),
            remembered: RwLock::default(),
        }
    }

    /// The user's key, made when there is none; and what is wrong with where it is kept.
    fn key(&self) -> &(Option<UserKey>, String) {
        self.key.get_or_init(|| {
            let mut trouble = String::new();
            for place in &self.key_places {
                match UserKey::load_or_create(place) {
                    Ok(key) => return (Some(key), trouble),
                    Err(error) => {
                        tracing::warn!(%error, "the user's key is not kept");
                        trouble = format!(
                            "what is recorded now may not be known as yours later: {error}"
                        );
                    }
                }
            }
            (UserKey::ephemeral().ok(), trouble)
        })
    }

    /// Why ledgers that are begun now will not be known as the user's later; empty as a rule.
    pub fn key_trouble(&self) -> &str {
        self.key.get().map_or("", |(_, trouble)| trouble)
    }

    /// The files of the memory of the repository at `root` that git tracks.
    pub fn tracked(&self, root: &Path) -> Arc<aictx_artifacts::Tracked> {
        match self.homes.of(root) == root {
            true => self.tracked.of(root),
            // What the repository has of that name is not its memory.
            false => Arc::default(),
        }
    }

    /// The files of the runs of a worktree that git tracks.
    pub fn tracked_runs(&self, worktree: &Path) -> Arc<aictx_artifacts::Tracked> {
        self.tracked_runs.of(worktree)
    }

    /// Returns the proof by which the memory of the repository at `root` tells what is the user's.
    fn trust(&self, root: &Path, home: &Path) -> Result<Trust, RpcError> {
        let trust = self.plain_trust()?;
        if home != root {
            return Ok(trust);
        }
        let (tracked, root) = (Arc::clone(&self.tracked), root.to_owned());
        Ok(trust.asking(Arc::new(move || tracked.of(&root))))
    }

    /// The user's key, for files that are not of a memory: nothing of them is told apart by what git tracks.
    ///
    /// # Errors
    /// There is no key and none can be made.
    pub fn plain_trust(&self) -> Result<Trust, RpcError> {
        let (key, trouble) = self.key();
        let no_key = || RpcError::new(NOT_WRITABLE, trouble.clone());
        Ok(Trust::new(key.clone().ok_or_else(no_key)?))
    }

    /// Which repository `directory` is in. Only positive answers are remembered, for as long as
    /// no other repository is made or removed on the way.
    ///
    /// # Errors
    /// When there is none, in words for people.
    pub fn place(&self, directory: &Path) -> Result<Place, RpcError> {
        let remembered = self.remembered.read();
        let remembered = remembered.ok().and_then(|all| all.get(directory).cloned());
        // The disk is looked at without anything in hand: it may be a slow one.
        if let Some(place) = remembered
            && nearest(directory) == Some(place.worktree.as_path())
        {
            return Ok(place);
        }
        let Repository { root, worktree, .. } = find_repository(directory).map_err(|e| {
            RpcError::new(NO_REPOSITORY, e.to_string()).hint(
                "give the path of a git repository, or run `aictx init --force` in a plain folder",
            )
        })?;
        let place = Place { root, worktree };
        if let Ok(mut remembered) = self.remembered.write() {
            if remembered.len() >= MAX_REMEMBERED {
                remembered.clear();
            }
            remembered.insert(directory.to_owned(), place.clone());
        }
        Ok(place)
    }

    /// The host of a repository root, opened when needed.
    ///
    /// # Errors
    /// When `.aictx` is missing or unusable.
    pub fn open(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        if let Some(host) = self.known(root)
            && host.memory().is_dir()
        {
            return Ok(host);
        }
        let home = self.homes.of(root);
        let trust = self.trust(root, &home)?;
        let store = Store::open_at(root, &home, trust).map_err(|e| store_error(&e))?;
        Ok(self.insert(root, home, store))
    }

    /// A directory of another program at the root of a worktree, opened to work along with it.
    ///
    /// # Errors
    /// When it is missing or unusable.
    pub fn beside(&self, worktree: &Path, name: &'static str) -> Result<Store, RpcError> {
        let (key, trouble) = self.key();
        let no_key = || RpcError::new(NOT_WRITABLE, trouble.clone());
        let trust = Trust::new(key.clone().ok_or_else(no_key)?);
        Store::open_directory(worktree, name, trust).map_err(|e| store_error(&e))
    }

    /// The host of a repository root, if it is open.
    pub fn known(&self, root: &Path) -> Option<Arc<Host>> {
        self.open.read().ok()?.get(root).cloned()
    }

    /// As [`Self::open`], but creates what is missing.
    ///
    /// # Errors
    /// When `.aictx` cannot be created or is unusable.
    pub fn create(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        self.create_at(root, self.homes.of(root))
    }

    /// As [`Self::create`], in the home outside of the repository.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_outside(&self, root: &Path) -> Result<Arc<Host>, RpcError> {
        let home = self.homes.make_outside(root).map_err(|e| {
            RpcError::new(NOT_WRITABLE, e.to_string())
                .hint("set XDG_STATE_HOME to a directory that can be written")
        })?;
        self.create_at(root, home)
    }

    fn create_at(&self, root: &Path, home: PathBuf) -> Result<Arc<Host>, RpcError> {
        let trust = self.trust(root, &home)?;
        let store = Store::create_at(root, &home, trust).map_err(|e| store_error(&e))?;
        Ok(self.insert(root, home, store))
    }

    fn insert(&self, root: &Path, home: PathBuf, store: Store) -> Arc<Host> {
        let store = match self.mode {
            Mode::Daemon => store.listening(),
            Mode::Once => store,
        };
        let host = Arc::new(Host::new(root, home, store));
        if let Ok(mut open) = self.open.write() {
            open.insert(root.to_owned(), Arc::clone(&host));
        }
        host
    }

    /// Forgets a repository.
    pub fn close(&self, root: &Path) {
        let closed = self
            .open
            .write()
            .ok()
            .and_then(|mut open| open.remove(root));
        if let Some(host) = closed {
            host.settle();
            host.archive();
        }
        if let Ok(mut remembered) = self.remembered.write() {
            remembered.retain(|_, place| place.root != root);
        }
    }

    /// All open hosts, by root.
    pub fn all(&self) -> Vec<Arc<Host>> {
        let mut hosts: Vec<_> = self
            .open
            .read()
            .map(|o| o.values().cloned().collect())
            .unwrap_or_default();
        hosts.sort_by(|a: &Arc<Host>, b| a.root.cmp(&b.root));
        hosts
    }
}

/// The nearest directory from `directory` upwards that looks like a worktree.
fn nearest(directory: &Path) -> Option<&Path> {
    directory
        .ancestors()
        .find(|dir| dir.join(".git").exists())
        .or_else(|| {
            directory
                .ancestors()
                .find(|dir| dir.join(".aictx").exists())
        })
}

/// Returns the obstacle to writing a file, unless it is a lack of space.
fn obstacle(error: &StoreError, path: &Path) -> Option<Obstacle> {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let kind = error.io()?.kind();
    let is_permission = matches!(kind, PermissionDenied | ReadOnlyFilesystem);
    is_permission.then(|| Obstacle::of_write(path)).flatten()
}

/// A store's failure in the words of the wire.
pub fn store_error(error: &StoreError) -> RpcError {
    let text = error.to_string();
    match error {
        StoreError::UnsafePath { .. } => RpcError::new(UNSAFE_PATH, text)
            .hint("replace the link by a real directory, or remove it"),
        StoreError::NotInitialised { .. } => {
            RpcError::new(NO_REPOSITORY, text).hint("run `aictx init` in the repository")
        }
        StoreError::Locked { .. } => RpcError::new(UNAVAILABLE, text).hint("try again"),
        StoreError::NotWritable { path, .. } | StoreError::Deferred { path, .. }
            if let Some(obstacle) = obstacle(error, path) =>
        {
            let hint = format!("{}; run: {}", obstacle.summary(), obstacle.remedy_line());
            RpcError::new(NOT_WRITABLE, text).hint(hint)
        }
        _ => RpcError::new(NOT_WRITABLE, text).hint("check free space and permissions of .aictx"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_made_inside_a_remembered_directory_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        let inner = root.join("vendor/inner");
        let deep = inner.join("src");
        std::fs::create_dir_all(root.join(".aictx")).unwrap();
        std::fs::create_dir_all(&deep).unwrap();
        let state = dir.path().join("state");
        let hosts = Hosts::new(Mode::Daemon, Homes::new(&state), vec![state]);
        assert_eq!(hosts.place(&deep).unwrap().root, root);
        assert!(hosts.remembered.read().unwrap().contains_key(&deep));
        std::fs::create_dir(inner.join(".aictx")).unwrap();
        assert_eq!(hosts.place(&deep).unwrap().root, inner);
        std::fs::remove_dir(inner.join(".aictx")).unwrap();
        assert_eq!(hosts.place(&deep).unwrap().root, root);
    }
}
