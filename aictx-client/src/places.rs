//! The user's places and the programs beside us, for everything off the fast path.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use aictx_proto::locations::{DAEMON_VARIABLE, Locations, may_start};

/// Where things are for this process.
#[derive(Debug, Clone)]
pub struct Places {
    /// Socket, state and cache.
    pub locations: Locations,
    /// The daemon program: `AICTX_DAEMON`, else `aictxd` beside this program.
    pub daemon: Option<PathBuf>,
    may_start: bool,
}

impl Places {
    /// Reads the environment.
    pub fn from_env() -> Self {
        let get = |name: &str| std::env::var(name).ok();
        let home = std::env::home_dir().filter(|h| h.is_absolute());
        let beside = || {
            let own = std::env::current_exe().ok()?;
            Some(own.parent()?.join("aictxd")).filter(|p| p.exists())
        };
        Self {
            locations: Locations::derive(get, home.as_deref(), user_id()),
            daemon: get(DAEMON_VARIABLE)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
                .or_else(beside),
            may_start: may_start(get),
        }
    }

    /// Whether this process may start a daemon.
    pub fn may_start(&self) -> bool {
        self.may_start
    }
}

/// The effective user id.
pub fn user_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() }
}

/// Makes sure that `path` is a directory of ours with mode 0700, creating what is missing.
///
/// # Errors
/// When it is somebody else's, a link, or cannot be created; the text says which.
pub fn private_directory(path: &Path) -> io::Result<()> {
    if !path.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    }
    let found = fs::symlink_metadata(path)?;
    let complaint = if !found.is_dir() {
        "is not a directory"
    } else if found.uid() != user_id() {
        "belongs to another user"
    } else if found.mode() & 0o077 != 0 {
        "is open to other users (mode must be 0700)"
    } else {
        return Ok(());
    };
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} {complaint}", path.display()),
    ))
}

/// Opens a new or existing file for this user only, never through a link.
///
/// # Errors
/// As the system reports them.
pub fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
        .open(path)
}
