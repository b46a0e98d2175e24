//! The user's places and the programs beside us, for everything off the fast path.

use std::path::{Path, PathBuf};

use aictx_files::spool;
use aictx_proto::locations::{DAEMON_VARIABLE, Locations, may_start};

/// Paths of this process.
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

    /// Returns the spools for an event of an agent that works in `directory`.
    pub fn spools(&self, directory: &Path) -> spool::Places {
        let mut memories = directory.ancestors().map(|dir| dir.join(".aictx"));
        spool::Places {
            state: self.locations.state.clone(),
            memory: memories.find(|memory| memory.symlink_metadata().is_ok_and(|m| m.is_dir())),
            runtime: self.locations.runtime_spool(),
        }
    }

    /// Returns true if this process may start a daemon.
    pub fn may_start(&self) -> bool {
        self.may_start
    }
}

/// The effective user id.
pub fn user_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() }
}
