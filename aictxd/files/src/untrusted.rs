//! Reads of files that somebody else controls: whoever wrote a repository chose what lies in it.
//!
//! Everything that a repository can name is read through this module. It waits for nobody (a pipe,
//! a terminal), reads regular files only, which is checked on the open descriptor, and never more
//! than a bound that the caller states. A file counts as long as it was when it was opened: one that
//! is appended to meanwhile ends, and one that claims to be empty (as those of `/proc` do) is.
//!
//! [`Directory`] reads below a directory and never leaves it. The functions that take a path follow
//! links wherever they lead: they are for git's own files, which may lie outside of the worktree,
//! and for files that the user names.

#![expect(clippy::disallowed_methods, reason = "the one place for it")]

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::beneath::{self, CAREFULLY};
use crate::mounts;
use crate::range::read_of;

/// Reason why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system refused, or nothing is there.
    #[error("{0}")]
    System(#[from] io::Error),
    /// A pipe, a device, a socket or a directory.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file is longer than the caller reads.
    #[error("it is longer than {limit} bytes")]
    TooLong {
        /// The caller's bound.
        limit: u64,
    },
    /// The file is not UTF-8.
    #[error("it is not UTF-8")]
    NotText,
}

impl ReadError {
    /// Returns true if nothing is there.
    pub fn is_missing(&self) -> bool {
        let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self, Self::System(error) if kinds.contains(&error.kind()))
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::System(error) => error,
            other => Self::new(io::ErrorKind::InvalidData, other),
        }
    }
}

impl From<Errno> for ReadError {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

/// An open regular file.
#[derive(Debug)]
pub struct Regular {
    file: File,
    stat: Stat,
}

impl Regular {
    /// Takes a descriptor that was opened with [`CAREFULLY`].
    ///
    /// # Errors
    /// When it is of anything but a regular file.
    pub fn of(descriptor: OwnedFd) -> Result<Self, ReadError> {
        let stat = rustix::fs::fstat(&descriptor)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(ReadError::NotRegular);
        }
        Ok(Self {
            file: File::from(descriptor),
            stat,
        })
    }

    /// Returns the metadata of the opened file.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Bytes that the file had when it was opened.
    pub fn len(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    /// Returns true if the file was empty when it was opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The open file itself.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// When it is longer than `limit` bytes, and as the system reports them.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, ReadError> {
        if self.len() > limit {
            return Err(ReadError::TooLong { limit });
        }
        Ok(self.beginning(limit)?)
    }

    /// Reads the first `limit` bytes.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn beginning(&self, limit: u64) -> io::Result<Vec<u8>> {
        match self.len().min(limit) {
            // Files of `/proc` claim to be empty, and some of them wait for somebody to write.
            0 => Ok(Vec::new()),
            wanted => read_of(&self.file, wanted, 0, wanted),
        }
    }
}

/// Opens a file, following links wherever they lead.
///
/// # Errors
/// See [`ReadError`].
pub fn open(path: &Path) -> Result<Regular, ReadError> {
    mounts::check(path)?;
    let flags = OFlags::RDONLY | CAREFULLY;
    match rustix::fs::open(path, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::LOOP) => {}
        opened => return Regular::of(opened?),
    }
    mounts::check_behind(path)?;
    // To open a device can do something to it, so what a link leads to is looked at first.
    let stat = rustix::fs::stat(path)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(ReadError::NotRegular);
    }
    Regular::of(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens a file that is no link itself; those on the way are followed.
///
/// # Errors
/// See [`ReadError`].
pub fn open_itself(path: &Path) -> Result<Regular, ReadError> {
    mounts::check(path)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | CAREFULLY;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Err(Errno::LOOP) => Err(ReadError::NotRegular),
        opened => Regular::of(opened?),
    }
}

/// Reads a whole file of at most `limit` bytes, following links wherever they lead.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    open(path)?.read(limit)
}

/// [`read`] of a file that must be UTF-8.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read(path, limit)?).map_err(|_| ReadError::NotText)
}

/// Symbolic links that are followed below a [`Directory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// None: a link is an error, at the end of a path and on the way.
    Refused,
    /// Those that stay below the directory, absolute ones included.
    Inside,
}

/// A directory below which files are read, and which nothing leads out of.
#[derive(Debug)]
pub struct Directory {
    descriptor: OwnedFd,
    path: PathBuf,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, as the system spells it.
    pub name: OsString,
    /// The type of what bears it, links not followed.
    pub kind: FileType,
}

impl Directory {
    /// Opens a directory, which may itself be reached through links.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn open(path: &Path) -> io::Result<Self> {
        mounts::check(path)?;
        Ok(Self {
            descriptor: beneath::hold(path)?,
            path: path.to_owned(),
        })
    }

    /// Opens a file at a path relative to the directory.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn file(&self, path: impl AsRef<Path>, links: Links) -> Result<Regular, ReadError> {
        let path = path.as_ref();
        match beneath::open(&self.descriptor, path, OFlags::RDONLY, Mode::empty()) {
            Err(Errno::LOOP) if links == Links::Inside => {}
            opened => return Regular::of(opened?),
        }
        // Both ends resolved, the way between them has no links, unless somebody is putting them
        // there.
        let target = self.path.join(path).canonicalize()?;
        let root = self.path.canonicalize()?;
        let inside = target.strip_prefix(root).map_err(|_| Errno::XDEV)?;
        let opened = beneath::open(&self.descriptor, inside, OFlags::RDONLY, Mode::empty());
        Regular::of(opened?)
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn read(
        &self,
        path: impl AsRef<Path>,
        links: Links,
        limit: u64,
    ) -> Result<Vec<u8>, ReadError> {
        self.file(path, links)?.read(limit)
    }

    /// Lists a directory at a relative path that passes no link; `.` and `..` are left out.
    ///
    /// # Errors
    /// As the system reports them; so does each entry. After an error no entry follows.
    pub fn entries(&self, path: impl AsRef<Path>) -> io::Result<Entries> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let descriptor = beneath::open(&self.descriptor, path, flags, Mode::empty())?;
        Ok(Entries {
            directory: Dir::new(descriptor)?,
            has_failed: false,
        })
    }
}

/// Entries of a directory, read as they are asked for.
#[derive(Debug)]
pub struct Entries {
    directory: Dir,
    has_failed: bool,
}

impl Entries {
    /// The directory itself.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn directory(&self) -> io::Result<BorrowedFd<'_>> {
        Ok(self.directory.fd()?)
    }
}

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        loop {
            let entry = match self.directory.read()? {
                Ok(entry) => entry,
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(error.into()));
                }
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => self
                    .directory
                    .fd()
                    .and_then(|fd| rustix::fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW))
                    .map_or(FileType::Unknown, |stat| {
                        FileType::from_raw_mode(stat.st_mode)
                    }),
                kind => kind,
            };
            let name = OsString::from_vec(name.to_bytes().to_vec());
            return Some(Ok(Entry { name, kind }));
        }
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Lists a directory, following links on the way to it. Entries that cannot be read end the list.
///
/// # Errors
/// When it cannot be opened.
pub fn entries(path: &Path) -> io::Result<impl Iterator<Item = Entry> + use<>> {
    Ok(Directory::open(path)?.entries(".")?.map_while(Result::ok))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        // The standard library makes none.
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }

    /// Everything that is no regular file of a few bytes, by its name in the returned directory.
    fn hostile() -> (tempfile::TempDir, PathBuf, Vec<&'static str>) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        let at = |name: &str| root.join(name);
        fifo(&at("pipe"));
        symlink("pipe", at("to-pipe")).unwrap();
        symlink("/dev/zero", at("to-device")).unwrap();
        symlink("/dev/tty", at("to-terminal")).unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("nothing", at("to-nothing")).unwrap();
        fs::create_dir(at("directory")).unwrap();
        drop(std::os::unix::net::UnixListener::bind(at("socket")).unwrap());
        let sparse = fs::File::create(at("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let names = [
            "pipe",
            "to-pipe",
            "to-device",
            "to-terminal",
            "loop",
            "to-nothing",
            "directory",
            "socket",
            "sparse",
            "missing",
        ];
        (dir, root, names.to_vec())
    }

    #[test]
    fn nothing_but_a_regular_file_within_the_bound_is_read() {
        let (_dir, root, names) = hostile();
        let directory = Directory::open(&root).unwrap();
        for name in names {
            let refused = read(&root.join(name), 4_096).unwrap_err();
            assert!(open_itself(&root.join(name)).map_or(true, |file| file.read(4_096).is_err()));
            assert_eq!(
                refused.is_missing(),
                matches!(name, "missing" | "to-nothing"),
                "{name}: {refused}"
            );
            for links in [Links::Refused, Links::Inside] {
                assert!(
                    directory.read(name, links, 4_096).is_err(),
                    "{name} {links:?}"
                );
            }
        }
        let sparse = open(&root.join("sparse")).unwrap();
        assert_eq!(sparse.beginning(10).unwrap(), [0; 10]);
    }

    #[test]
    fn files_that_claim_to_be_empty_are() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        for target in ["/proc/self/mem", "/proc/self/environ", "/proc/kmsg"] {
            symlink(target, &link).unwrap();
            // Some are refused to most users.
            assert!(
                read(&link, 4_096).map_or(true, |bytes| bytes.is_empty()),
                "{target}"
            );
            fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn a_file_that_grows_ends_where_it_ended() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "one").unwrap();
        let open = open(file.path()).unwrap();
        let mut more = fs::OpenOptions::new()
            .append(true)
            .open(file.path())
            .unwrap();
        more.write_all(b"two").unwrap();
        assert_eq!(open.read(3).unwrap(), b"one");
        fs::write(file.path(), "").unwrap();
        assert_eq!(open.read(3).unwrap(), b"");
    }

    #[test]
    fn links_lead_nowhere_outside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        fs::write(root.join("in/a"), "12345").unwrap();
        symlink("in/a", root.join("relative")).unwrap();
        symlink(root.join("in/a"), root.join("absolute")).unwrap();
        symlink("in", root.join("way")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink(dir.path(), root.join("up")).unwrap();
        // The directory itself may be reached by a link.
        symlink(&root, dir.path().join("alias")).unwrap();
        let directory = Directory::open(&dir.path().join("alias")).unwrap();
        for name in ["relative", "absolute", "way/a"] {
            assert!(directory.read(name, Links::Refused, 9).is_err(), "{name}");
            assert_eq!(directory.read(name, Links::Inside, 9).unwrap(), b"12345");
        }
        for name in ["out", "up/secret", "../secret", "/etc/hostname"] {
            assert!(directory.read(name, Links::Refused, 9).is_err(), "{name}");
            assert!(directory.read(name, Links::Inside, 9).is_err(), "{name}");
        }
        assert!(directory.read("in/a", Links::Refused, 4).is_err());
        let mut names: Vec<_> = entries(&root).unwrap().map(|entry| entry.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["absolute", "in", "out", "relative", "up", "way"]);
        assert!(directory.entries("way").is_err());
        assert_eq!(directory.entries("in").unwrap().count(), 1);
    }
}
