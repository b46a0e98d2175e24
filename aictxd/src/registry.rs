//! The user's registry of repositories: `projects_registry.json` in the state directory, in the
//! ancestor's format `{version: 1, projects: [{name, repo_path, workspace}]}`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use aictx_proto::Timestamp;
use aictx_proto::methods::RepoEntry;
use serde_json::{Map, Value, json};

/// Most repositories registered.
pub const MAX_REPOSITORIES: usize = 1_000;

/// The registry file and what was read from it.
#[derive(Debug)]
pub struct Registry {
    path: PathBuf,
    entries: RwLock<Vec<RepoEntry>>,
    /// Of the file when it was last read.
    stamp: Mutex<Stamp>,
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
        let mut list = self.entries.read().map(|e| e.clone()).unwrap_or_default();
        for entry in &mut list {
            entry.exists = Path::new(&entry.repo_path).is_dir();
        }
        list.sort_by(|a, b| a.repo_path.cmp(&b.repo_path));
        list
    }

    /// Whether `root` (canonical) is registered. What is unknown is looked up in the file again if
    /// another process has changed it.
    pub fn contains(&self, root: &Path) -> bool {
        let known = || {
            self.entries
                .read()
                .is_ok_and(|entries| entries.iter().any(|e| Path::new(&e.repo_path) == root))
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
            name: root
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default(),
            repo_path: root.to_string_lossy().into_owned(),
            workspace: "default".to_owned(),
            last_seen: now.to_string(),
            exists: true,
        };
        self.change(|entries| {
            entries.retain(|e| e.repo_path != entry.repo_path);
            if entries.len() >= MAX_REPOSITORIES {
                return Err(io::Error::other(format!(
                    "{MAX_REPOSITORIES} repositories are registered; remove some with `aictx repo remove`"
                )));
            }
            entries.push(entry.clone());
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
            if let Some(at) = entries.iter().position(|e| Path::new(&e.repo_path) == root) {
                removed = Some(entries.remove(at));
            }
            Ok(())
        })?;
        Ok(removed)
    }

    /// Read, change, replace, under a lock file: two processes never lose each other's entries.
    fn change(&self, edit: impl FnOnce(&mut Vec<RepoEntry>) -> io::Result<()>) -> io::Result<()> {
        let context =
            |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", self.path.display()));
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        crate::socket::private_directory(parent)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.with_extension("lock"))
            .map_err(context)?;
        lock.lock().map_err(context)?;
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

fn read(path: &Path) -> io::Result<Vec<RepoEntry>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e),
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
        .filter_map(|p| serde_json::from_value::<RepoEntry>(p).ok())
        .filter(|e| Path::new(&e.repo_path).is_absolute())
        .take(MAX_REPOSITORIES)
        .collect())
}

fn render(entries: &[RepoEntry]) -> String {
    let projects: Vec<Value> = entries
        .iter()
        .map(|e| {
            let mut row = Map::new();
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
