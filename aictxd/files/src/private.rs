//! Directories and files of this user alone.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// Pause between two tries of a lock that somebody else holds.
const LOCK_STEP: Duration = Duration::from_millis(1);

/// Makes sure that `path` is a directory of this user with mode 0700, creating what is missing.
/// Never changes the mode of a directory that exists.
///
/// # Errors
/// When it cannot be created, is a symbolic link, belongs to somebody else, is open to others, or
/// lies in a directory in which another user can replace it. The text names the path and the cause.
pub fn directory(path: &Path) -> io::Result<()> {
    let user = geteuid().as_raw();
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?,
        _ => {}
    }
    let found = fs::symlink_metadata(path)?;
    let parent = path.parent().and_then(|parent| fs::metadata(parent).ok());
    let is_exposed = parent.is_some_and(|parent| {
        let is_trusted = parent.uid() == user || parent.uid() == 0;
        !is_trusted && parent.mode() & 0o1000 == 0
    });
    let complaint = if !found.is_dir() {
        "is not a directory"
    } else if found.uid() != user {
        "belongs to another user"
    } else if is_exposed {
        "lies in a directory of another user"
    } else if found.mode() & 0o077 != 0 {
        "is open to other users; run chmod 700 on it"
    } else {
        return Ok(());
    };
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} {complaint}", path.display()),
    ))
}

/// Opens a file for writing with mode 0600, creating it where it is missing. Never follows a
/// symbolic link and never truncates.
///
/// # Errors
/// As the system reports them.
#[expect(clippy::disallowed_methods, reason = "the user's own file")]
pub fn file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Locks the file at `path`, creating it where it is missing, and waits for whoever holds the lock
/// for at most `patience`. The lock ends with the file that is given.
///
/// # Errors
/// `WouldBlock` when somebody else keeps the lock; as the system reports them.
pub fn lock(path: &Path, patience: Duration) -> io::Result<File> {
    let end = Instant::now() + patience;
    let file = file(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(LOCK_STEP),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    format!("{} is held by another process", path.display()),
                ));
            }
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn open_directories_and_links_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let private = dir.path().join("a/b");
        directory(&private).unwrap();
        assert_eq!(fs::metadata(&private).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&private, fs::Permissions::from_mode(0o755)).unwrap();
        let refused = directory(&private).unwrap_err().to_string();
        assert!(refused.contains("open to other users"), "{refused}");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("a"), &link).unwrap();
        let refused = directory(&link).unwrap_err().to_string();
        assert!(refused.contains("not a directory"), "{refused}");
        assert!(file(&link).is_err());
    }

    #[test]
    fn a_lock_is_waited_for_within_limits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = lock(&path, Duration::ZERO).unwrap();
        let refused = lock(&path, Duration::from_millis(5)).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
        drop(held);
        lock(&path, Duration::ZERO).unwrap();
    }
}
