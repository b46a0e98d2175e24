//! Errors of a store, typed so that callers can answer with a kind and a hint.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why a store could not be opened or written. Reading never fails with it: what cannot be read
/// is a [`ReadIssue`](aictx_proto::snapshot::ReadIssue) of the snapshot.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no `.aictx` directory.
    #[error("{} is not initialised: there is no .aictx directory", path.display())]
    NotInitialised {
        /// Repository root.
        path: PathBuf,
    },
    /// A symbolic link, a special file or a climbing name where a plain file or directory belongs.
    #[error("{} is refused: {why}", path.display())]
    UnsafePath {
        /// The offending path.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// Disk full, read-only, no permission, input/output error. Nothing of the commit happened.
    #[error("{} cannot be written: {source}", path.display())]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
        /// Error of the system.
        source: Arc<io::Error>,
    },
    /// The commit is in the journal but could not be applied to the end (disk full in the middle,
    /// say). The next open or transaction finishes it before it looks at anything, so a repetition
    /// decides on a snapshot that holds it.
    #[error("{} cannot be written, the commit waits in the journal: {source}", path.display())]
    Deferred {
        /// The file or directory that could not be written.
        path: PathBuf,
        /// Error of the system.
        source: Arc<io::Error>,
    },
    /// Another process kept the lock.
    #[error("{} is held by another process for more than {waited:?}", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Time waited.
        waited: Duration,
    },
    /// A row or file above its bound, which shortening long texts could not bring below.
    #[error("{file} would take {bytes} bytes where {limit} are the bound")]
    TooLarge {
        /// File, relative to `.aictx/`.
        file: String,
        /// Size.
        bytes: usize,
        /// Bound.
        limit: usize,
    },
    /// A directory with more files than are read.
    #[error("{directory} has more than {limit} files")]
    TooMany {
        /// Directory, relative to `.aictx/`.
        directory: String,
        /// Bound.
        limit: usize,
    },
    /// `format.json` names a version this program does not know.
    #[error("the .aictx directory has format {found}, this program knows {supported}")]
    NewerFormat {
        /// Version found.
        found: u64,
        /// Newest version known.
        supported: u64,
    },
    /// The decision function of one operation of a group panicked; the others were not affected.
    #[error("the operation failed inside (panic); nothing of it was written")]
    Panicked,
}

impl StoreError {
    /// Returns the error of the system, if there was one.
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            Self::NotWritable { source, .. } | Self::Deferred { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Returns true if the disk (or quota) is full.
    pub fn is_disk_full(&self) -> bool {
        self.io().is_some_and(|e| {
            matches!(
                e.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        })
    }

    /// Returns true if the process or the system has no descriptor left.
    pub fn is_out_of_descriptors(&self) -> bool {
        use rustix::io::Errno;
        let errno = self.io().and_then(Errno::from_io_error);
        matches!(errno, Some(Errno::MFILE | Errno::NFILE))
    }

    /// From an error of the system at `path`: links and escapes are unsafe, the rest not writable.
    pub(crate) fn at(path: impl Into<PathBuf>, error: io::Error) -> Self {
        use rustix::io::Errno;
        let path = path.into();
        match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => Self::UnsafePath {
                path,
                why: "it is a symbolic link or lies behind one",
            },
            Some(Errno::ISDIR | Errno::NOTDIR) => Self::UnsafePath {
                path,
                why: "a directory and a file are in each other's place",
            },
            Some(Errno::XDEV) => Self::UnsafePath {
                path,
                why: "it leads out of the directory",
            },
            // Made here, not by the system.
            None if error.kind() == io::ErrorKind::InvalidInput => Self::UnsafePath {
                path,
                why: "it is not a plain file with a plain name",
            },
            _ => Self::NotWritable {
                path,
                source: Arc::new(error),
            },
        }
    }
}
