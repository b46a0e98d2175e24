//! Facts about processes and program files, read from the system.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, getuid};

/// Programs that only stand between an agent and its hook.
const WRAPPERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox", "env", "timeout", "nice",
];

/// Identity of a program file: it changes whenever the file is replaced, also by a build of the
/// same version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    path: PathBuf,
    identity: String,
}

impl Build {
    /// Of the file this process was started from.
    pub fn of_this_program() -> Self {
        let path = std::env::current_exe().unwrap_or_default();
        let identity = Self::identify(&path).unwrap_or_default();
        Self { path, identity }
    }

    fn identify(path: &PathBuf) -> Option<String> {
        let meta = fs::metadata(path).ok()?;
        Some(format!(
            "{}-{:x}-{:x}-{:x}",
            aictx_proto::VERSION,
            meta.ino(),
            meta.size(),
            meta.mtime() * 1_000 + meta.mtime_nsec() / 1_000_000
        ))
    }

    /// The identity as text.
    pub fn as_str(&self) -> &str {
        &self.identity
    }

    /// Returns true if another build lies where this one was started from. A file that is gone is not
    /// another build: whoever removes a program does not ask for a restart.
    pub fn was_replaced(&self) -> bool {
        Self::identify(&self.path).is_some_and(|now| now != self.identity)
    }
}

/// A process that can be recognised again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AgentProcess {
    /// Process id; 0 when unknown.
    pub pid: u32,
    /// Start time in clock ticks since boot; 0 when unknown.
    pub start: u64,
}

/// A start time that no process has: the id is of one that was gone before it was looked at.
const GONE_BEFORE: u64 = u64::MAX;

struct Stat {
    name: String,
    parent: u32,
    start: u64,
}

/// Reads `/proc/<pid>/stat`; the name may hold anything, so fields are counted from the last `)`. A
/// process that has ended and only waits for its parent to ask how (`Z`, `X`) is none.
#[expect(clippy::disallowed_methods, reason = "a file of /proc")]
fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let open = text.find('(')?;
    let close = text.rfind(')')?;
    let rest: Vec<&str> = text.get(close + 1..)?.split_ascii_whitespace().collect();
    if matches!(*rest.first()?, "Z" | "X") {
        return None;
    }
    Some(Stat {
        name: text.get(open + 1..close)?.to_owned(),
        parent: rest.get(1)?.parse().ok()?,
        start: rest.get(19)?.parse().ok()?,
    })
}

impl AgentProcess {
    /// The agent behind a hook's parent: shells and other wrappers between the two are skipped, at
    /// most four of them. On Linux a parent that is gone already, as it is when an event waited for
    /// long and its agent was killed meanwhile, is known to be gone ([`Self::was_missed`]).
    pub fn behind(parent: u32) -> Self {
        let mut pid = parent;
        if cfg!(target_os = "linux") && pid > 1 && stat(pid).is_none() {
            return Self {
                pid,
                start: GONE_BEFORE,
            };
        }
        for _ in 0..4 {
            match stat(pid) {
                Some(found) if WRAPPERS.contains(&found.name.as_str()) && found.parent > 1 => {
                    pid = found.parent;
                }
                Some(found) => {
                    return Self {
                        pid,
                        start: found.start,
                    };
                }
                None => return Self::default(),
            }
        }
        Self::default()
    }

    /// Returns true if all that is known of it is that a process between it and us is gone: it may be
    /// alive, and its next event tells.
    pub fn was_missed(self) -> bool {
        self.start == GONE_BEFORE
    }

    /// Returns true if it is known and known to be gone.
    pub fn is_gone(self) -> bool {
        if self.pid == 0 {
            return false;
        }
        if cfg!(target_os = "linux") {
            return stat(self.pid).is_none_or(|found| self.start != 0 && found.start != self.start);
        }
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| {
            rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
        })
    }

    /// Waits until the process is gone; at once when it already is, never when it is unknown or
    /// the system has no way to wait (a periodic look catches it then).
    pub async fn gone(self) {
        #[cfg(target_os = "linux")]
        if let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            use rustix::process::{PidfdFlags, pidfd_open};
            match pidfd_open(pid, PidfdFlags::empty()) {
                Ok(fd) => {
                    // The id may have been reused between reading `start` and opening.
                    if self.is_gone() {
                        return;
                    }
                    // SAFETY: the descriptor is owned, stays open inside the `AsyncFd`, and always
                    // names the same pidfd.
                    if let Ok(fd) = unsafe {
                        use tokio::io::{Interest, unix::AsyncFd};
                        AsyncFd::register_with_interest(fd, Interest::READABLE)
                    } {
                        let _ = fd.readable().await;
                        return;
                    }
                }
                Err(rustix::io::Errno::SRCH) => return,
                Err(_) => {}
            }
        }
        std::future::pending::<()>().await;
    }
}

/// Resident memory of this process in bytes; 0 when unknown.
#[expect(clippy::disallowed_methods, reason = "a file of /proc")]
pub fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// Most descriptors that the daemon allows itself where the system would allow more.
const MAX_FILES: u64 = 65_536;

/// Raises the soft limit on open files to the hard one, as far as a daemon may need it.
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(MAX_FILES).min(MAX_FILES);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limit.maximum,
        };
        let _ = setrlimit(Resource::Nofile, raised);
    }
}

/// Descriptors that are kept in reserve.
const RESERVE: usize = 16;

/// Descriptors held for the moment in which there are no others: what happens then can still be
/// recorded and answered.
#[derive(Debug, Default)]
pub struct Reserve(Mutex<Vec<File>>);

impl Reserve {
    /// Fills the reserve, as far as there are descriptors.
    #[expect(clippy::disallowed_methods, reason = "/dev/null")]
    pub fn fill(&self) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while held.len() < RESERVE
            && let Ok(null) = File::open("/dev/null")
        {
            held.push(null);
        }
    }

    /// Lets go of the reserve.
    pub fn release(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

/// Files that this process may have open; none where there is no limit.
pub fn file_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// Files that this process has open; 0 when unknown.
#[expect(clippy::disallowed_methods, reason = "a directory of /proc")]
pub fn open_files() -> u64 {
    let directory = match cfg!(target_os = "linux") {
        true => "/proc/self/fd",
        false => "/dev/fd",
    };
    // The directory itself is open while it is read.
    fs::read_dir(directory).map_or(0, |entries| (entries.count() as u64).saturating_sub(1))
}

/// CPU time used by this process in milliseconds.
pub fn cpu_ms() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1000 + time.tv_nsec / 1_000_000).unwrap_or(0)
}

/// The user this process runs as.
pub fn user_id() -> u32 {
    getuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_recognised() {
        let me = std::process::id();
        let found = AgentProcess::behind(me);
        assert_eq!(found.pid, me);
        assert!(!found.is_gone());
        assert!(
            AgentProcess { pid: me, start: 1 }.is_gone(),
            "a reused id is somebody else"
        );
        assert!(!AgentProcess::default().is_gone());
    }

    /// Its parent may never ask: a terminal that hangs, a supervisor that is busy.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_killed_is_gone_before_its_parent_asks_how_it_ended() {
        let mut child = std::process::Command::new("sleep")
            .arg("600")
            .spawn()
            .unwrap();
        let agent = AgentProcess::behind(child.id());
        assert!(!agent.is_gone());
        child.kill().unwrap();
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(agent.gone());
        assert!(agent.is_gone(), "waited for nobody");
        child.wait().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_parent_that_is_gone_when_its_event_is_read_is_known_to_be_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        let missed = AgentProcess::behind(pid);
        assert!(missed.pid == pid && missed.was_missed() && missed.is_gone());
        assert_eq!(AgentProcess::behind(0), AgentProcess::default());
    }
}
