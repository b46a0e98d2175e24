//! Running daemons of the user, known by files in the state directory that each of them locks for
//! life: a daemon can be found although its socket, or the directory of its socket, is gone.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::private;

/// Most entries that are looked at.
const MAX_ENTRIES: usize = 1_000;
/// Most bytes of an entry.
const MAX_ENTRY: u64 = 4_096;

/// One running daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Process id.
    pub pid: u32,
    /// Path of its socket.
    pub socket: PathBuf,
    entry: PathBuf,
}

fn directory(state: &Path) -> PathBuf {
    state.join("daemons")
}

/// Enters a daemon that serves `socket`. The entry counts for as long as the file that is given
/// stays open.
///
/// # Errors
/// When the state directory cannot be written.
pub fn enter(state: &Path, pid: u32, socket: &Path) -> io::Result<File> {
    let directory = directory(state);
    private::directory(state)?;
    private::directory(&directory)?;
    let mut entry = private::file(&directory.join(pid.to_string()))?;
    entry.try_lock()?;
    entry.set_len(0)?;
    write!(entry, "{pid} {}", socket.display())?;
    Ok(entry)
}

/// The daemons that run. Entries of those that have ended are removed.
#[expect(clippy::disallowed_methods, reason = "the user's own directory")]
pub fn running(state: &Path) -> Vec<Running> {
    let entries = fs::read_dir(directory(state))
        .into_iter()
        .flatten()
        .flatten();
    let paths = entries.take(MAX_ENTRIES).map(|entry| entry.path());
    let mut found: Vec<Running> = paths.filter_map(read).collect();
    found.sort_by_key(|daemon| daemon.pid);
    found
}

fn read(path: PathBuf) -> Option<Running> {
    let file = private::file(&path).ok()?;
    if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        let _ = fs::remove_file(&path);
        return None;
    }
    let mut text = String::new();
    file.take(MAX_ENTRY).read_to_string(&mut text).ok()?;
    let (pid, socket) = text.split_once(' ')?;
    Some(Running {
        pid: pid.parse().ok().filter(|pid| *pid > 1)?,
        socket: socket.into(),
        entry: path,
    })
}

impl Running {
    /// Returns true if it has ended meanwhile.
    pub fn has_ended(&self) -> bool {
        #[expect(clippy::disallowed_methods, reason = "the user's own file")]
        match File::open(&self.entry) {
            Ok(file) => !matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
            Err(_) => true,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_is_found_for_as_long_as_it_holds_its_entry() {
        let state = tempfile::tempdir().unwrap();
        let state = state.path().join("state");
        assert!(running(&state).is_empty());
        let entry = enter(&state, 4_711, Path::new("/run/with blank/sock")).unwrap();
        let found = running(&state);
        assert_eq!(found[0].pid, 4_711);
        assert_eq!(found[0].socket, Path::new("/run/with blank/sock"));
        assert!(!found[0].has_ended());
        drop(entry);
        assert!(found[0].has_ended() && running(&state).is_empty());
        assert_eq!(fs::read_dir(directory(&state)).unwrap().count(), 0);
    }
}
