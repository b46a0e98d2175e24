//! Metadata of files, by name and by handle.

use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, Stat};

use aictx_files::range::{is_line_end, read_of};

/// Whatever tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub(crate) len: u64,
    pub(crate) inode: u64,
    pub(crate) modified: (i64, i64),
    changed: (i64, i64),
    pub(crate) is_file: bool,
}

impl Stamp {
    /// Of what the system says of a file.
    // Field types differ between systems; the casts keep every bit that matters to equality.
    #[allow(
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        clippy::cast_lossless
    )]
    pub fn of(stat: &Stat) -> Self {
        Self {
            len: stat.st_size.max(0) as u64,
            inode: stat.st_ino as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            is_file: FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile,
        }
    }

    /// Returns the last change of the file or its name, in seconds since 1970 and nanoseconds.
    pub fn newest(&self) -> (i64, i64) {
        self.modified.max(self.changed)
    }

    /// Last change of the content.
    pub(crate) fn modified_at(&self) -> SystemTime {
        let (seconds, nanos) = self.modified;
        let whole = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        SystemTime::UNIX_EPOCH + whole + Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }
}

/// An open plain file, and how it looked when it was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(super) file: File,
    pub(super) stat: Stat,
}

impl Opened {
    /// Bytes that it had.
    pub(crate) fn len(&self) -> u64 {
        Stamp::of(&self.stat).len
    }

    /// Stamp of the file when it was opened.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp::of(&self.stat)
    }

    /// Its number in its file system.
    pub(crate) fn inode(&self) -> u64 {
        Stamp::of(&self.stat).inode
    }

    /// Returns the permissions.
    pub(crate) fn mode(&self) -> Mode {
        Mode::from_raw_mode(self.stat.st_mode)
    }

    /// Its first bytes, at most `limit`.
    pub(crate) fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        read_of(&self.file, self.len(), 0, limit)
    }

    /// Its newest bytes ([`crate::read::tail`]).
    pub(crate) fn tail(mut self, limit: u64) -> io::Result<(u64, Vec<u8>)> {
        crate::read::tail(&mut self.file, limit)
    }

    /// Returns true if the last byte ends a line, or the file is empty.
    pub(crate) fn ends_a_line(&self) -> io::Result<bool> {
        let last = self.len().checked_sub(1);
        last.map_or(Ok(true), |last| is_line_end(&self.file, last))
    }
}

/// Length of an open file.
pub(crate) fn len(file: &File) -> io::Result<u64> {
    Ok(stamp_of(file)?.len)
}

/// State of an open file.
pub(crate) fn stamp_of(file: &File) -> io::Result<Stamp> {
    Ok(Stamp::of(&rustix::fs::fstat(file)?))
}
