//! What tells a file that changed from one that did not.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, statat};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    // Field types differ between systems; the casts keep every bit that matters to equality.
    #[allow(
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        clippy::cast_lossless
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino as u64,
            len: stat.st_size.max(0) as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// When the file or its name changed last, in seconds since 1970 and nanoseconds.
    pub(super) fn newest(&self) -> (i64, i64) {
        self.modified.max(self.changed)
    }
}

/// Stamps of files, in the order of their paths; none of one that is not there.
pub(super) fn stamps<'p>(
    worktree: &Path,
    paths: impl IntoIterator<Item = &'p String>,
    flags: AtFlags,
) -> Vec<Option<Stamp>> {
    let directory = rustix::fs::open(worktree, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let stat = |path: &String| match &directory {
        Ok(directory) => statat(directory, path.as_str(), flags),
        Err(_) => statat(CWD, worktree.join(path), flags),
    };
    let stamp = |path| Some(Stamp::of(&stat(path).ok()?));
    paths.into_iter().map(stamp).collect()
}
