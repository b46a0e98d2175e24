//! How many files look, each asked for from its directory: the system need not go down from the root
//! for every one of them.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use aictx_files::beneath;
use aictx_files::mounts::{self, Mount};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{Stamp, nanoseconds};

/// How something looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What tells whether its content is another.
    pub stamp: Stamp,
    /// When anything of it changed, in nanoseconds since the epoch. Nobody can set it back.
    pub changed: i64,
    /// Kind.
    pub sort: Sort,
}

/// Kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, a pipe, a device.
    Other,
}

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// How often clock and flag are looked at.
const BETWEEN: usize = 512;

/// How each path below the root looks; nothing where nothing is. Ends early, with fewer answers,
/// when `stop` says so or `end` is over. Paths in order need the fewest directories opened.
pub fn look<P: AsRef<[u8]> + Sync>(
    root: &Path,
    paths: &[P],
    threads: usize,
    end: Option<Instant>,
    stop: &AtomicBool,
) -> Vec<Option<Look>> {
    let over = || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() > end);
    let part = |paths: &[P]| {
        let mut looks = Vec::with_capacity(paths.len());
        let mut directories = Directories::new(root);
        for (number, path) in paths.iter().enumerate() {
            if number % BETWEEN == 0 && over() {
                break;
            }
            looks.push(directories.look(path.as_ref()));
        }
        looks
    };
    let size = paths.len().div_ceil(threads.clamp(1, 64)).max(BETWEEN);
    let (first, rest) = paths.split_at(size.min(paths.len()));
    std::thread::scope(|scope| {
        let others: Vec<_> = rest
            .chunks(size)
            .map(|chunk| scope.spawn(|| part(chunk)))
            .collect();
        let mut looks = part(first);
        let mut whole = looks.len() == first.len();
        for (other, chunk) in others.into_iter().zip(rest.chunks(size)) {
            let more = other.join().unwrap_or_default();
            if whole {
                whole = more.len() == chunk.len();
                looks.extend(more);
            }
        }
        looks
    })
}

/// How one thing looks, links followed.
pub fn look_at(path: &Path) -> Option<Look> {
    Some(of(&rustix::fs::stat(path).ok()?))
}

/// The directories on the way to the path that was asked for last, open.
struct Directories<'a> {
    root: &'a Path,
    /// The mount that the root lies on, where that can hang.
    mount: Option<Arc<Mount>>,
    open: Vec<(Vec<u8>, OwnedFd)>,
}

impl<'a> Directories<'a> {
    fn new(root: &'a Path) -> Self {
        let directory = beneath::directory(root);
        Self {
            root,
            mount: mounts::hanging(root),
            open: directory.into_iter().map(|d| (Vec::new(), d)).collect(),
        }
    }

    fn look(&mut self, path: &[u8]) -> Option<Look> {
        let (directory, name) = match memchr::memrchr(b'/', path) {
            Some(at) => (path.get(..at)?, path.get(at + 1..)?),
            None => (&[][..], path),
        };
        let directory = match self.directory(directory) {
            Ok(directory) => directory,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return None,
            // It may not be read, or too many are open: the long way.
            Err(_) => {
                let path = self.root.join(Path::new(OsStr::from_bytes(path)));
                return Some(of(&rustix::fs::lstat(path).ok()?));
            }
        };
        let found = rustix::fs::statat(
            directory,
            OsStr::from_bytes(name),
            AtFlags::SYMLINK_NOFOLLOW,
        );
        Some(of(&found.ok()?))
    }

    /// Opens a directory through no symbolic link.
    fn directory(&mut self, path: &[u8]) -> Result<BorrowedFd<'_>, Errno> {
        let elsewhere = |(open, _): &(Vec<u8>, OwnedFd)| !is_within(path, open);
        while self.open.last().is_some_and(elsewhere) {
            self.open.pop();
        }
        let mut at = self.open.last().map_or(0, |(open, _)| open.len());
        while at < path.len() {
            let start = if at == 0 { 0 } else { at + 1 };
            let rest = path.get(start..).unwrap_or_default();
            let length = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            at = start + length;
            let path_here = path.get(..at).unwrap_or_default();
            let here = || self.root.join(OsStr::from_bytes(path_here));
            if mounts::any_can_hang() && mounts::hanging(&here()) != self.mount {
                // Nothing is to be seen behind a server that may be dead.
                return Err(Errno::NOENT);
            }
            let (_, directory) = self.open.last().ok_or(Errno::BADF)?;
            let name = OsStr::from_bytes(rest.get(..length).unwrap_or_default());
            let next = beneath::open(directory, name, FLAGS, Mode::empty())?;
            self.open.push((path_here.to_vec(), next));
        }
        let last = self.open.last();
        last.map(|(_, directory)| directory.as_fd())
            .ok_or(Errno::BADF)
    }
}

/// Returns true if a path is a directory or lies below it; everything lies below the root.
fn is_within(path: &[u8], directory: &[u8]) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the types differ between systems"
)]
fn of(stat: &rustix::fs::Stat) -> Look {
    Look {
        stamp: Stamp::of_stat(stat),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        sort: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Sort::File,
            FileType::Directory => Sort::Directory,
            _ => Sort::Other,
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_those_of_the_long_way() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::fs::create_dir_all(root.join("a-b")).unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
        let mut paths: Vec<String> = ["a-b/1", "a/b/c/2", "a/b.c", "a/b/3", "a/z", "4"]
            .map(String::from)
            .into();
        paths.extend((0..2_000).map(|n| format!("a/b/c/{n:05}")));
        for path in &paths {
            std::fs::write(root.join(path), path).unwrap();
        }
        let (gone, linked) = ("a/b/gone".to_owned(), "link/z".to_owned());
        paths.extend([gone, linked.clone(), "a".into(), "link".into()]);
        paths.sort();
        let looks = look(root, &paths, 3, None, &AtomicBool::new(false));
        assert_eq!(looks.len(), paths.len());
        for (path, look) in paths.iter().zip(looks) {
            let stamp = look.map(|look| look.stamp);
            let meta = std::fs::symlink_metadata(root.join(path)).ok();
            let meta = meta.filter(|_| *path != linked);
            assert_eq!(stamp, meta.as_ref().map(Stamp::of), "{path}");
        }
        let none = look(root, &paths, 3, None, &AtomicBool::new(true));
        assert!(none.is_empty());
    }
}
