//! The install ledger: `install.json` in the state directory, what was done to which file for whom.
//! It only makes removal exact; without it our entries are still found and taken out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aictx_files::{private, untrusted};
use aictx_runners::merge::Record;
use serde::{Deserialize, Serialize};

/// Format of the file.
const VERSION: u32 = 1;
/// Longest ledger that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most entries kept; the oldest make room.
const MAX_ENTRIES: usize = 10_000;

/// Longest wait for another installation.
const LOCK_DEADLINE: Duration = Duration::from_secs(10);

/// Change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// `user`, or the root of a repository.
    pub scope: String,
    /// Runner; empty when it is for all.
    pub agent: String,
    /// Which of our contents in that file.
    pub slot: String,
    /// It is meant for a commit.
    pub shared: bool,
    /// Record for undoing it.
    pub record: Record,
    /// Directories that were made for it, outermost first.
    pub directories: Vec<PathBuf>,
}

/// All entries, in the order in which they were made.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    entries: Vec<Entry>,
    _lock: Option<File>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Document {
    version: u32,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Reads the ledger of a state directory. For changes it is locked until dropped, so that two
    /// installations do not forget each other's entries. A damaged one counts as empty.
    ///
    /// # Errors
    /// When the directory cannot be made or the lock cannot be taken.
    pub fn open(state: &Path, for_changes: bool) -> io::Result<Self> {
        let path = state.join("install.json");
        let lock = if for_changes {
            private::directory(state)?;
            Some(private::lock(&path.with_extension("lock"), LOCK_DEADLINE)?)
        } else {
            None
        };
        let document: Document = untrusted::read_text(&path, MAX_BYTES)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Ok(Self {
            path,
            entries: document.entries,
            _lock: lock,
        })
    }

    /// Entries of one scope, oldest first.
    pub fn of(&self, scope: &str) -> Vec<Entry> {
        let of = self.entries.iter().filter(|entry| entry.scope == scope);
        of.cloned().collect()
    }

    /// Repositories that have entries.
    pub fn repositories(&self) -> Vec<String> {
        let scopes = self.entries.iter().map(|entry| entry.scope.clone());
        let mut roots: Vec<String> = scopes.filter(|scope| scope.starts_with('/')).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Adds an entry; it goes on from an earlier one for the same place.
    pub fn note(&mut self, mut entry: Entry) {
        let same = |other: &Entry| {
            other.scope == entry.scope
                && other.slot == entry.slot
                && other.record.file == entry.record.file
        };
        if let Some(at) = self.entries.iter().position(same) {
            let earlier = self.entries.remove(at);
            // A file that was made anew has no past.
            if !entry.record.created_by_us {
                entry.record = entry.record.following(&earlier.record);
            }
            if entry.directories.is_empty() {
                entry.directories = earlier.directories;
            }
        }
        self.entries.push(entry);
        let excess = self.entries.len().saturating_sub(MAX_ENTRIES);
        self.entries.drain(..excess);
    }

    /// The repository at `from` is at `to` now.
    pub fn moved(&mut self, from: &Path, to: &Path) {
        let moved = |path: &Path| path.strip_prefix(from).ok().map(|rest| to.join(rest));
        for entry in &mut self.entries {
            if Path::new(&entry.scope) != from {
                continue;
            }
            entry.scope = to.to_string_lossy().into_owned();
            if let Some(path) = moved(Path::new(&entry.record.file)) {
                entry.record.file = path.to_string_lossy().into_owned();
            }
            for directory in &mut entry.directories {
                if let Some(path) = moved(directory) {
                    *directory = path;
                }
            }
        }
    }

    /// Removes an entry.
    pub fn forget(&mut self, entry: &Entry) {
        self.entries.retain(|other| other != entry);
    }

    /// Writes the file; an empty ledger is no file.
    ///
    /// # Errors
    /// As the system reports them.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    pub fn save(&self) -> io::Result<()> {
        if self.entries.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => Ok(()),
            };
        }
        let document = Document {
            version: VERSION,
            entries: self.entries.clone(),
        };
        let text = serde_json::to_string_pretty(&document).map_err(io::Error::other)?;
        let draft = self.path.with_extension("tmp");
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &self.path)
    }
}
