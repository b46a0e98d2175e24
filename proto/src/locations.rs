//! Paths outside of repositories. Pure: the caller supplies the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest socket path that `bind` takes: 108 bytes on Linux, 104 elsewhere, a NUL included.
pub const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };
/// Environment variable that names the socket outright.
pub const SOCKET_VARIABLE: &str = "AICTX_SOCKET";
/// Environment variable that names the daemon program.
pub const DAEMON_VARIABLE: &str = "AICTX_DAEMON";
/// Environment variable that forbids starting a daemon.
pub const NO_DAEMON_VARIABLE: &str = "AICTX_NO_DAEMON";

/// Variables that a daemon may inherit from whoever starts it first. Everything else (API keys,
/// the agent's own settings) stays out of a process that outlives the agent.
const INHERITED: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "AICTX_LOG",
    SOCKET_VARIABLE,
];
/// Prefix of the daemon's own switches, all inherited.
const OWN_PREFIX: &str = "AICTXD_";

/// Returns true if a daemon inherits a variable of the process that starts it.
pub fn is_inherited(variable: &str) -> bool {
    INHERITED.contains(&variable) || variable.starts_with(OWN_PREFIX)
}

/// Returns true if the environment allows to start a daemon.
pub fn may_start(env: impl Fn(&str) -> Option<String>) -> bool {
    !env(NO_DAEMON_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// The directory that `XDG_RUNTIME_DIR` names on most systems.
pub fn usual_runtime_dir(uid: u32) -> String {
    format!("/run/user/{uid}")
}

/// The variables that put the daemon's socket and files elsewhere than usual. Some agents start their
/// servers without most of the environment; those servers are told these.
pub fn unusual(env: impl Fn(&str) -> Option<String>, uid: u32) -> BTreeMap<String, String> {
    let usual = usual_runtime_dir(uid);
    let names = [
        SOCKET_VARIABLE,
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
    ];
    let set = names.into_iter().filter_map(|name| {
        let value = env(name)?;
        let told = Path::new(&value).is_absolute() && (name != "XDG_RUNTIME_DIR" || value != usual);
        told.then(|| (name.to_owned(), value))
    });
    set.collect()
}

/// The user's places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locations {
    /// Socket; its directory also holds the locks.
    pub socket: PathBuf,
    /// Why the socket is not where one would look first; empty when it is.
    pub socket_note: &'static str,
    /// Registry, spool, logs.
    pub state: PathBuf,
    /// Rebuildable indexes.
    pub cache: PathBuf,
}

impl Locations {
    /// Derives all places from environment variables, the home directory and the user id.
    ///
    /// Socket: `AICTX_SOCKET`, else `$XDG_RUNTIME_DIR/aictx/v1/sock`, else (macOS)
    /// `$TMPDIR/aictx-<uid>/v1/sock`, else `/tmp/aictx-<uid>/v1/sock`; the last also when the
    /// path would be too long for a socket.
    pub fn derive(env: impl Fn(&str) -> Option<String>, home: Option<&Path>, uid: u32) -> Self {
        let absolute = |name: &str| {
            env(name)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let fits = |p: &PathBuf| p.as_os_str().len() <= MAX_SOCKET_PATH;
        let temporary = || PathBuf::from(format!("/tmp/aictx-{uid}/v1/sock"));
        let (socket, socket_note) = if let Some(path) = absolute(SOCKET_VARIABLE) {
            (path, "")
        } else {
            let preferred = match absolute("XDG_RUNTIME_DIR") {
                Some(dir) => Some(dir.join("aictx/v1/sock")),
                None if cfg!(target_os = "macos") => {
                    absolute("TMPDIR").map(|dir| dir.join(format!("aictx-{uid}/v1/sock")))
                }
                None => None,
            };
            match preferred {
                Some(path) if fits(&path) => (path, ""),
                Some(_) => (temporary(), "XDG_RUNTIME_DIR is too long for a socket path"),
                None => (temporary(), "XDG_RUNTIME_DIR is not set"),
            }
        };
        let home = home.map_or_else(
            || PathBuf::from(format!("/tmp/aictx-{uid}")),
            Path::to_path_buf,
        );
        let (state_home, cache_home) = if cfg!(target_os = "macos") {
            (
                home.join("Library/Application Support"),
                home.join("Library/Caches"),
            )
        } else {
            (home.join(".local/state"), home.join(".cache"))
        };
        Self {
            socket,
            socket_note,
            state: absolute("XDG_STATE_HOME")
                .unwrap_or(state_home)
                .join("aictx"),
            cache: absolute("XDG_CACHE_HOME")
                .unwrap_or(cache_home)
                .join("aictx"),
        }
    }

    /// Directory of the socket, mode 0700.
    pub fn runtime_dir(&self) -> &Path {
        self.socket.parent().unwrap_or(Path::new("/"))
    }

    /// Lock held by the daemon for life.
    pub fn daemon_lock(&self) -> PathBuf {
        self.socket.with_extension("lock")
    }

    /// Lock held by a client while it starts a daemon.
    pub fn start_lock(&self) -> PathBuf {
        self.socket.with_extension("start")
    }

    /// Events that no daemon recorded, one sealed file each, in order of name.
    pub fn spool(&self) -> PathBuf {
        self.state.join("spool")
    }

    /// Spool beside the socket, for when the state directory cannot be written.
    pub fn runtime_spool(&self) -> PathBuf {
        self.socket.with_extension("spool")
    }

    /// Registered repositories.
    pub fn registry(&self) -> PathBuf {
        self.state.join("projects_registry.json")
    }

    /// Directory of the daemon's logs.
    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(vars: &[(&str, &str)]) -> Locations {
        let get = |name: &str| {
            vars.iter()
                .find(|(k, _)| *k == name)
                .map(|(_, v)| (*v).to_owned())
        };
        Locations::derive(get, Some(Path::new("/home/u")), 7)
    }

    #[test]
    fn what_is_usual_is_not_told() {
        let of = |vars: &[(&str, &str)]| {
            let get = |name: &str| {
                let found = vars.iter().find(|(k, _)| *k == name);
                found.map(|(_, v)| (*v).to_owned())
            };
            unusual(get, 7).into_keys().collect::<Vec<_>>()
        };
        assert!(of(&[("XDG_RUNTIME_DIR", "/run/user/7"), ("XDG_STATE_HOME", "x")]).is_empty());
        assert_eq!(
            of(&[
                ("XDG_RUNTIME_DIR", "/r"),
                ("XDG_STATE_HOME", "/s"),
                ("HOME", "/h")
            ]),
            ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"]
        );
    }

    #[test]
    fn socket_places_in_order() {
        assert_eq!(
            derive(&[("AICTX_SOCKET", "/x/s")]).socket,
            Path::new("/x/s")
        );
        let run = derive(&[("XDG_RUNTIME_DIR", "/run/user/7")]);
        assert_eq!(run.socket, Path::new("/run/user/7/aictx/v1/sock"));
        assert_eq!(run.socket_note, "");
        let long = format!("/{}", "d".repeat(120));
        for vars in [
            &[][..],
            &[("XDG_RUNTIME_DIR", "relative")],
            &[("XDG_RUNTIME_DIR", &long)],
        ] {
            let places = derive(vars);
            assert_eq!(places.socket, Path::new("/tmp/aictx-7/v1/sock"));
            assert_ne!(places.socket_note, "");
        }
    }
}
