//! The user's registry of repositories: `projects_registry.json` in the state directory, in the
//! ancestor's format `{version: 1, projects: [{name, repo_path, workspace}]}`. A row of ours also has
//! the `identity` of the directory, by which it is found again after it was moved.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, UNIX_EPOCH};

use aictx_files::untrusted::{self, ReadError};
use aictx_files::{mounts, private};
use aictx_proto::Timestamp;
use aictx_proto::methods::RepoEntry;
use serde_json::{Map, Value, json};

/// Longest registry that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Most repositories registered.
pub const MAX_REPOSITORIES: usize = 1_000;

/// Longest wait for another process that changes the registry.
const LOCK_DEADLINE: Duration = Duration::from_secs(2);

/// The registry file and what was read from it.
#[derive(Debug)]
pub struct Registry {
    path: PathBuf,
    entries: RwLock<Vec<Known>>,
    /// Of the file when it was last read.
    stamp: Mutex<Stamp>,
}

/// A row of the file.
#[derive(Debug, Clone)]
struct Known {
    entry: RepoEntry,
    /// Of the directory when it was last seen; empty when nobody looked.
    identity: String,
}

impl Known {
    fn is(&self, root: &Path) -> bool {
        Path::new(&self.entry.repo_path) == root
    }
}

/// Returns an identity of a directory that survives a move within its file system and is never reused:
/// inode and time of birth. Nothing where the file system knows no births.
fn identity(root: &Path) -> Option<String> {
    mounts::check(root).ok()?;
    let meta = fs::metadata(root).ok().filter(fs::Metadata::is_dir)?;
    let born = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}", meta.ino(), born.as_nanos()))
}

/// The name that a repository goes by.
fn name_of(root: &Path) -> String {
    root.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Inode, size and time of change: another file or another content has another stamp.
type Stamp = Option<(u64, u64, i64, i64)>;

fn stamp(path: &Path) -> Stamp {
    let meta = fs::metadata(path).ok()?;
    Some((meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec()))
}

impl Registry {
    /// Reads the file; a missing or broken one reads as empty and is not touched by that.
    pub fn load(path: PathBuf) -> Self {
        let stamp = Mutex::new(stamp(&path));
        let entries = read(&path).unwrap_or_default();
        Self {
            path,
            entries: RwLock::new(entries),
            stamp,
        }
    }

    /// All entries, by path, with `exists` as of now.
    pub fn list(&self) -> Vec<RepoEntry> {
        let known = self.entries.read().map(|e| e.clone()).unwrap_or_default();
        let mut list: Vec<RepoEntry> = known.into_iter().map(|known| known.entry).collect();
        for entry in &mut list {
            let path = Path::new(&entry.repo_path);
            // What may not answer is taken to be there.
            entry.exists = mounts::check(path).is_err() || path.is_dir();
        }
        list.sort_by(|a, b| a.repo_path.cmp(&b.repo_path));
        list
    }

    /// Returns true if `root` (canonical) is registered. What is unknown is looked up in the file again if
    /// another process has changed it.
    pub fn contains(&self, root: &Path) -> bool {
        let known = || {
            self.entries
                .read()
                .is_ok_and(|entries| entries.iter().any(|known| known.is(root)))
        };
        if known() {
            return true;
        }
        let read = *self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp(&self.path) == read {
            return false;
        }
        self.refresh();
        known()
    }

    /// Returns true if nobody can say which repositories are registered.
    pub fn is_unreadable(&self) -> bool {
        read(&self.path).is_err()
    }

    /// Reads the file again, because another process may have changed it.
    pub fn refresh(&self) {
        let stamp = stamp(&self.path);
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
        if let (Ok(fresh), Ok(mut entries)) = (read(&self.path), self.entries.write()) {
            *entries = fresh;
        }
    }

    /// Adds or renews an entry.
    ///
    /// # Errors
    /// When the file cannot be written, or is broken (it is left alone then).
    pub fn add(&self, root: &Path, now: Timestamp) -> io::Result<RepoEntry> {
        let entry = RepoEntry {
            name: name_of(root),
            repo_path: root.to_string_lossy().into_owned(),
            workspace: "default".to_owned(),
            last_seen: now.to_string(),
            exists: true,
        };
        self.change(|entries| {
            entries.retain(|known| !known.is(root));
            if entries.len() >= MAX_REPOSITORIES {
                return Err(io::Error::other(format!(
                    "{MAX_REPOSITORIES} repositories are registered; remove some with `aictx repo remove`"
                )));
            }
            entries.push(Known {
                entry: entry.clone(),
                identity: identity(root).unwrap_or_default(),
            });
            Ok(())
        })?;
        Ok(entry)
    }

    /// Removes an entry; `None` when there was none.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn remove(&self, root: &Path) -> io::Result<Option<RepoEntry>> {
        let mut removed = None;
        self.change(|entries| {
            if let Some(at) = entries.iter().position(|known| known.is(root)) {
                removed = Some(entries.remove(at).entry);
            }
            Ok(())
        })?;
        Ok(removed)
    }

    /// Recognises a registered repository that was moved to `root`: the same directory, and nothing is
    /// where it was. Gives where that is.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn follow(&self, root: &Path) -> io::Result<Option<PathBuf>> {
        let Some(found) = identity(root) else {
            return Ok(None);
        };
        // A link that was left in its place leads to it. One directory at two places is no move.
        let gone = |path: &str| fs::symlink_metadata(path).map_or(true, |meta| meta.is_symlink());
        let moved = |known: &Known| {
            known.identity == found && !known.is(root) && gone(&known.entry.repo_path)
        };
        let known = self.entries.read();
        if known.is_ok_and(|entries| !entries.iter().any(moved)) {
            return Ok(None);
        }
        let mut from = None;
        self.change(|entries| {
            if let Some(known) = entries.iter_mut().find(|known| moved(known)) {
                let path = root.to_string_lossy().into_owned();
                from = Some(std::mem::replace(&mut known.entry.repo_path, path).into());
                known.entry.name = name_of(root);
            }
            Ok(())
        })?;
        Ok(from)
    }

    /// Notes what every repository is known by, should it be moved one day.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn identify(&self) -> io::Result<()> {
        let changed = |known: &Known| {
            let found = identity(Path::new(&known.entry.repo_path));
            found.filter(|found| *found != known.identity)
        };
        let known = self.entries.read();
        if known.is_ok_and(|entries| !entries.iter().any(|known| changed(known).is_some())) {
            return Ok(());
        }
        self.change(|entries| {
            for known in entries {
                if let Some(found) = changed(known) {
                    known.identity = found;
                }
            }
            Ok(())
        })
    }

    /// Read, change, replace, under a lock file: two processes never lose each other's entries.
    #[expect(clippy::disallowed_methods, reason = "files of the state directory")]
    fn change(&self, edit: impl FnOnce(&mut Vec<Known>) -> io::Result<()>) -> io::Result<()> {
        let context =
            |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", self.path.display()));
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        private::directory(parent)?;
        let _lock = private::lock(&self.path.with_extension("lock"), LOCK_DEADLINE)?;
        let mut entries = read(&self.path).map_err(context)?;
        edit(&mut entries)?;
        let text = render(&entries);
        let draft = self.path.with_extension("tmp");
        let mut file = File::create(&draft).map_err(context)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(context)?;
        fs::rename(&draft, &self.path).map_err(context)?;
        if let Ok(mut held) = self.entries.write() {
            *held = entries;
        }
        Ok(())
    }
}

fn read(path: &Path) -> io::Result<Vec<Known>> {
    let text = match untrusted::read_text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(ReadError::System(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, format!("it is not JSON: {e}")))?;
    let projects = value
        .get("projects")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    Ok(projects
        .into_iter()
        .filter_map(|row| {
            let identity = row.get("identity").and_then(Value::as_str);
            Some(Known {
                identity: identity.unwrap_or_default().to_owned(),
                entry: serde_json::from_value(row).ok()?,
            })
        })
        .filter(|known| Path::new(&known.entry.repo_path).is_absolute())
        .take(MAX_REPOSITORIES)
        .collect())
}

fn render(entries: &[Known]) -> String {
    let projects: Vec<Value> = entries
        .iter()
        .map(|Known { entry: e, identity }| {
            let mut row = Map::new();
            if !identity.is_empty() {
                row.insert("identity".into(), json!(identity));
            }
            row.insert("last_seen".into(), json!(e.last_seen));
            row.insert("name".into(), json!(e.name));
            row.insert("repo_path".into(), json!(e.repo_path));
            row.insert("workspace".into(), json!(e.workspace));
            Value::Object(row)
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&json!({ "projects": projects, "version": 1 }))
        .unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w_g6_two_processes_never_lose_each_others_entries() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/projects_registry.json");
        let (a, b) = (Registry::load(path.clone()), Registry::load(path.clone()));
        let now = Timestamp::from_unix(0);
        a.add(Path::new("/r/one"), now).unwrap();
        b.add(Path::new("/r/two"), now).unwrap();
        a.add(Path::new("/r/one"), now).unwrap();
        assert_eq!(Registry::load(path.clone()).list().len(), 2);
        assert!(b.remove(Path::new("/r/one")).unwrap().is_some());
        assert!(b.remove(Path::new("/r/one")).unwrap().is_none());
        a.refresh();
        assert!(!a.contains(Path::new("/r/one")) && a.contains(Path::new("/r/two")));
    }

    #[test]
    fn what_was_moved_is_the_same_and_a_copy_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::load(dir.path().join("state/projects_registry.json"));
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("one")).unwrap();
        fs::create_dir(at("other")).unwrap();
        registry.add(&at("one"), Timestamp::from_unix(0)).unwrap();
        if identity(&at("one")).is_none() {
            return;
        }
        assert_eq!(registry.follow(&at("other")).unwrap(), None);
        fs::rename(at("one"), at("two")).unwrap();
        assert_eq!(registry.follow(&at("other")).unwrap(), None);
        assert_eq!(registry.follow(&at("two")).unwrap(), Some(at("one")));
        let again = Registry::load(dir.path().join("state/projects_registry.json"));
        assert!(again.contains(&at("two")) && !again.contains(&at("one")));
        // What takes the place of a registered one is another, from then on.
        fs::remove_dir(at("two")).unwrap();
        fs::rename(at("other"), at("two")).unwrap();
        again.identify().unwrap();
        fs::rename(at("two"), at("three")).unwrap();
        assert_eq!(again.follow(&at("three")).unwrap(), Some(at("two")));
    }

    #[test]
    fn a_broken_registry_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(
            dir.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .unwrap();
        let path = dir.path().join("projects_registry.json");
        fs::write(&path, "{bad").unwrap();
        let registry = Registry::load(path.clone());
        assert!(registry.list().is_empty());
        assert!(
            registry
                .add(Path::new("/r"), Timestamp::from_unix(0))
                .is_err()
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "{bad");
    }
}
