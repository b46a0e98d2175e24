//! Cache of project facts, valid while nothing in the roots changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_continuity::Project;
use rustix::fs::AtFlags;

use super::stamp::{Stamp, stamps};
use crate::project;

/// A file that changed so shortly before it was looked at may change again without its times saying
/// so, in seconds.
const SETTLED: i64 = 1;

/// Directories that are remembered to be projects or none.
const MAX_DIRECTORIES: usize = 1_024;

/// Projects as they were looked at last.
#[derive(Debug, Default)]
pub(super) struct Projects(Mutex<HashMap<PathBuf, Arc<Known>>>);

/// Directories as they were looked at last, and whether they were projects.
#[derive(Debug, Default)]
pub(super) struct Directories(Mutex<HashMap<PathBuf, (Stamp, bool)>>);

/// Returns true if whatever had a stamp at a time would have another one had it changed since.
fn is_settled(stamp: &Stamp, at: SystemTime) -> bool {
    let since = at.duration_since(UNIX_EPOCH).ok();
    let now = since.and_then(|since| i64::try_from(since.as_secs()).ok());
    now.is_some_and(|now| stamp.newest().0 < now - SETTLED)
}

#[derive(Debug)]
struct Known {
    project: Project,
    /// Sources, with their stamps.
    sources: Vec<String>,
    stamps: Vec<Option<Stamp>>,
}

impl Projects {
    /// As [`project::look`]; of a root where nothing changed it costs a few `stat`s. At most `most`
    /// worktrees are remembered.
    pub(super) fn look(&self, worktree: &Path, most: usize) -> Project {
        if let Some(known) = self.known(worktree) {
            return known;
        }
        // Before looking: what changes meanwhile is seen the next time.
        let before = SystemTime::now();
        let (project, sources) = project::look(worktree);
        let stamps = stamps(worktree, &sources, AtFlags::empty());
        let settled = |stamp: &Stamp| is_settled(stamp, before);
        if stamps.iter().flatten().all(settled) {
            let known = Known {
                project: project.clone(),
                sources,
                stamps,
            };
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= most && !all.contains_key(worktree) {
                all.clear();
            }
            all.insert(worktree.to_owned(), Arc::new(known));
        }
        project
    }

    fn known(&self, worktree: &Path) -> Option<Project> {
        let known = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // A slow disk is nobody else's business.
            Arc::clone(all.get(worktree)?)
        };
        let now = stamps(worktree, &known.sources, AtFlags::empty());
        (now == known.stamps).then(|| known.project.clone())
    }
}

impl Directories {
    /// As [`project::is_project`]; of a directory whose names did not change it costs one `stat`.
    pub(super) fn is_project(&self, directory: &Path) -> bool {
        let before = SystemTime::now();
        let stamp = rustix::fs::stat(directory).map(|stat| Stamp::of(&stat));
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(stamp) = stamp else {
            return false;
        };
        if let Some((known, answer)) = all().get(directory)
            && *known == stamp
        {
            return *answer;
        }
        let answer = project::is_project(directory);
        if is_settled(&stamp, before) {
            let mut all = all();
            if all.len() >= MAX_DIRECTORIES {
                all.clear();
            }
            all.insert(directory.to_owned(), (stamp, answer));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn a_root_is_read_again_when_anything_that_was_read_changed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let long_ago = SystemTime::now() - Duration::from_secs(600);
        let age = |path: &Path| {
            let file = fs::File::open(path).unwrap();
            file.set_modified(long_ago).unwrap();
        };
        fs::create_dir_all(root.join(".github/workflows")).unwrap();
        fs::write(root.join("README.md"), "# One\n").unwrap();
        let projects = Projects::default();
        assert_eq!(projects.look(root, 8).readme, "# One\n");
        assert!(
            projects.known(root).is_none(),
            "it may change again within the same tick"
        );
        // A change's own time cannot be set: as if it were remembered long after.
        let remember = || {
            let (project, sources) = project::look(root);
            let stamps = stamps(root, &sources, AtFlags::empty());
            let known = Known {
                project,
                sources,
                stamps,
            };
            let mut all = projects.0.lock().unwrap();
            all.insert(root.to_owned(), Arc::new(known));
        };
        remember();
        assert_eq!(projects.known(root).unwrap().readme, "# One\n");
        fs::write(root.join("README.md"), "# Two!\n").unwrap();
        assert_eq!(projects.look(root, 8).readme, "# Two!\n");
        remember();
        fs::write(root.join("Cargo.toml"), "").unwrap();
        assert_eq!(projects.look(root, 8).manifests, ["Cargo.toml"]);
        remember();
        let workflow = root.join(".github/workflows/ci.yml");
        fs::write(&workflow, "- run: cargo test\n").unwrap();
        assert_eq!(projects.look(root, 8).ci_commands, ["cargo test"]);
        remember();
        fs::write(&workflow, "- run: cargo nextest run\n").unwrap();
        age(&workflow);
        assert_eq!(projects.look(root, 8).ci_commands, ["cargo nextest run"]);
    }

    #[test]
    fn a_directory_is_looked_into_again_when_its_names_changed() {
        let dir = tempfile::tempdir().unwrap();
        let directories = Directories::default();
        assert!(!directories.is_project(dir.path()));
        assert!(!directories.is_project(&dir.path().join("gone")));
        let stamp = Stamp::of(&rustix::fs::stat(dir.path()).unwrap());
        // As if it were remembered long after.
        let remember = |stamp, answer| {
            let known = (stamp, answer);
            let mut all = directories.0.lock().unwrap();
            all.insert(dir.path().to_owned(), known);
        };
        remember(stamp, true);
        assert!(directories.is_project(dir.path()), "nothing changed");
        remember(stamp, false);
        fs::write(dir.path().join("Cargo.toml"), "").unwrap();
        assert!(directories.is_project(dir.path()));
    }
}
