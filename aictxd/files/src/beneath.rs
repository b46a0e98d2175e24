//! Opens of names below an open directory that cannot be led out of it.

#![expect(clippy::disallowed_methods, reason = "the one place for it")]

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Flags of every open: it never waits for the other end of a pipe, gets no terminal and is not
/// inherited by child processes.
pub const CAREFULLY: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Flags of an open of what is only held, or opened below, and never read; Linux asks for no
/// permission then.
#[cfg(target_os = "linux")]
pub const HOLDING: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
/// The same where a system only opens what can be read.
#[cfg(not(target_os = "linux"))]
pub const HOLDING: OFlags = CAREFULLY;

/// Opens a directory for reading, following links on the way.
///
/// # Errors
/// `NOTDIR` for anything else, and as the system reports them.
pub fn directory(path: impl AsRef<Path>) -> rustix::io::Result<OwnedFd> {
    directory_at(CWD, path)
}

/// [`directory`] at a path relative to an open one.
///
/// # Errors
/// As [`directory`].
pub fn directory_at(base: impl AsFd, path: impl AsRef<Path>) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | CAREFULLY;
    rustix::fs::openat(base, path.as_ref(), flags, Mode::empty())
}

/// Opens a directory to look or to open below it, following links on the way.
///
/// # Errors
/// As [`directory`].
pub fn hold(path: impl AsRef<Path>) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open(path.as_ref(), HOLDING | OFlags::DIRECTORY, Mode::empty())
}

/// Opens `path` below `directory` without passing a symbolic link, neither at its end nor on the
/// way. The empty path is the directory itself. [`CAREFULLY`] is added to the flags.
///
/// # Errors
/// `LOOP` for a link, `INVAL` for a path that is not relative and plain, else as the system reports
/// them.
pub fn open(
    directory: impl AsFd,
    path: impl AsRef<Path>,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let (directory, mut path) = (directory.as_fd(), path.as_ref());
    if path.as_os_str().is_empty() {
        path = Path::new(".");
    }
    let flags = flags | CAREFULLY;
    // The system refuses a mode where nothing can be created.
    let mode = if flags.contains(OFlags::CREATE) {
        mode
    } else {
        Mode::empty()
    };
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        // Missing in kernels before 5.6, forbidden in some sandboxes: asked once.
        static NO_OPENAT2: AtomicBool = AtomicBool::new(false);
        let is_plain = path
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if is_plain && !NO_OPENAT2.load(Ordering::Relaxed) {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match openat2(directory, path, flags, mode, resolve) {
                Err(Errno::NOSYS | Errno::PERM) => NO_OPENAT2.store(true, Ordering::Relaxed),
                other => return other,
            }
        }
    }
    open_by_parts(directory, path, flags, mode)
}

/// [`open`] a part of the path at a time.
fn open_by_parts(
    directory: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let mut names: Vec<&OsStr> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => {
                return Err(Errno::INVAL);
            }
        }
    }
    let last = names.pop().unwrap_or(OsStr::new("."));
    let mut at: Option<OwnedFd> = None;
    for name in names {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | CAREFULLY;
        let base = at.as_ref().map_or(directory.as_fd(), AsFd::as_fd);
        at = Some(open_one(base, name, flags, Mode::empty())?);
    }
    let base = at.as_ref().map_or(directory.as_fd(), AsFd::as_fd);
    open_one(base, last, flags, mode)
}

fn open_one(
    directory: impl AsFd,
    name: &OsStr,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let is_link = || {
        rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    };
    match rustix::fs::openat(&directory, name, flags | OFlags::NOFOLLOW, mode) {
        Err(Errno::NOTDIR) if is_link() => Err(Errno::LOOP),
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Systems without `openat2` get the same answers a part at a time.
    #[test]
    fn both_ways_refuse_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), b"x").unwrap();
        std::fs::write(dir.path().join("secret"), b"x").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("file", root.join("a/b/alias")).unwrap();
        let open_root = rustix::fs::open(&root, OFlags::DIRECTORY, Mode::empty()).unwrap();
        let directory = OFlags::RDONLY | OFlags::DIRECTORY;
        for (path, flags, refused) in [
            ("a/b/file", OFlags::RDONLY, None),
            ("./a/b/file", OFlags::RDONLY, None),
            ("a/b", directory, None),
            (".", directory, None),
            ("a/b/alias", OFlags::RDONLY, Some(Errno::LOOP)),
            ("link/b/file", OFlags::RDONLY, Some(Errno::LOOP)),
            ("link", directory, Some(Errno::LOOP)),
            ("a/none", OFlags::RDONLY, Some(Errno::NOENT)),
            ("a/b/file/x", OFlags::RDONLY, Some(Errno::NOTDIR)),
            ("../secret", OFlags::RDONLY, Some(Errno::INVAL)),
            ("a/../../secret", OFlags::RDONLY, Some(Errno::INVAL)),
            ("/etc/hostname", OFlags::RDONLY, Some(Errno::INVAL)),
        ] {
            let whole = open(&open_root, path, flags, Mode::empty());
            assert_eq!(whole.err(), refused, "{path}");
            let flags = flags | CAREFULLY;
            let parts = open_by_parts(&open_root, Path::new(path), flags, Mode::empty());
            assert_eq!(parts.err(), refused, "{path}");
        }
    }
}
