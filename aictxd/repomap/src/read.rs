//! Reading one file of a tree without ever leaving the tree.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::discover::Stamp;

/// An open root directory.
#[derive(Debug)]
pub(crate) struct Root {
    directory: OwnedFd,
}

/// What reading a file gave.
#[derive(Debug)]
pub(crate) enum Content {
    /// All of it, and how the file looked while it was read.
    Whole(Vec<u8>, Stamp),
    /// It is larger than the limit.
    TooLarge(Stamp),
}

const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

impl Root {
    /// Opens the root.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(root, flags, Mode::empty())?;
        Ok(Self { directory })
    }

    /// Reads a regular file of at most `most` bytes. No symbolic link is followed, neither the last
    /// part of the path nor one on the way, so a directory that is swapped for a link while the tree
    /// is indexed leads nowhere.
    ///
    /// # Errors
    /// When it cannot be opened or read, or is no regular file.
    pub(crate) fn read(&self, path: &Path, most: u64) -> io::Result<Content> {
        let mut file = File::from(self.open_beneath(path)?);
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let stamp = Stamp::of(&meta);
        if meta.len() > most {
            return Ok(Content::TooLarge(stamp));
        }
        let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
        // A file may grow while it is read.
        Read::by_ref(&mut file)
            .take(most + 1)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Ok(Content::TooLarge(stamp));
        }
        Ok(Content::Whole(bytes, stamp))
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(&self, path: &Path) -> io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.directory, path, FLAGS, Mode::empty(), resolve) {
            // Kernels before 5.6 and some sandboxes do not have it.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => self.open_by_parts(path),
            other => Ok(other?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, path: &Path) -> io::Result<OwnedFd> {
        self.open_by_parts(path)
    }

    /// Opens directory after directory, none of them through a link.
    fn open_by_parts(&self, path: &Path) -> io::Result<OwnedFd> {
        use std::path::Component;
        let mut parts = path.components().peekable();
        let mut directory: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            let Component::Normal(name) = part else {
                return Err(io::Error::other("not a path inside the tree"));
            };
            let flags = if parts.peek().is_some() {
                FLAGS | OFlags::DIRECTORY
            } else {
                FLAGS
            };
            let at = directory.as_ref().unwrap_or(&self.directory);
            directory = Some(rustix::fs::openat(at, name, flags, Mode::empty())?);
        }
        directory.ok_or_else(|| io::Error::other("not a path inside the tree"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed_and_limits_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        std::fs::create_dir_all(root.join("in")).unwrap();
        std::fs::create_dir_all(home.path().join("out")).unwrap();
        std::fs::write(root.join("in/a"), "12345").unwrap();
        std::fs::write(home.path().join("out/b"), "secret").unwrap();
        std::os::unix::fs::symlink(home.path().join("out"), root.join("way")).unwrap();
        std::os::unix::fs::symlink("in/a", root.join("link")).unwrap();
        let open = Root::open(&root).unwrap();
        for path in ["way/b", "link", "../out/b", "in", "missing"] {
            assert!(open.read(Path::new(path), 100).is_err(), "{path}");
            let by_parts = open.open_by_parts(Path::new(path));
            let file = by_parts.map(File::from).and_then(|f| f.metadata());
            assert!(file.is_err() || !file.unwrap().is_file(), "{path}");
        }
        assert!(
            matches!(open.read(Path::new("in/a"), 5), Ok(Content::Whole(b, _)) if b == b"12345")
        );
        assert!(matches!(
            open.read(Path::new("in/a"), 4),
            Ok(Content::TooLarge(_))
        ));
        assert!(open.open_by_parts(Path::new("in/a")).is_ok());
    }
}
