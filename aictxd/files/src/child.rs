//! Child processes that read what a repository controls, bounded in time and in output.
//!
//! git opens a pipe that lies in the place of its configuration and waits for ever. A child that is
//! late is killed; one that cannot even be killed (it waits for a dead file server) is left behind
//! and reaped later, so that nobody waits for it.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// Time that a killed child gets to be gone.
const GRACE: Duration = Duration::from_millis(100);
/// Killed children that are not gone yet and are remembered; further ones are reaped by nobody.
const MAX_LEFT_BEHIND: usize = 64;

/// Limits of a child process.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest time from its start to its end.
    pub time: Duration,
    /// Longest time in which it says nothing.
    pub silence: Duration,
    /// Most bytes of its output.
    pub bytes: usize,
}

impl Limits {
    /// Limits with as long a silence as the whole may take.
    pub fn new(time: Duration, bytes: usize) -> Self {
        Self {
            time,
            silence: time,
            bytes,
        }
    }
}

/// Output of a child process.
#[derive(Debug)]
pub struct Output {
    /// Standard output, as far as it was read.
    pub bytes: Vec<u8>,
    /// Exit status; `None` when a limit ended it.
    pub status: Option<ExitStatus>,
}

impl Output {
    /// Returns true if the child ended by itself, and successfully.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// A git process that runs nothing else: no hooks, no monitor, no transport. Filters of its
/// configuration are left on; `log` and the commands on references run none.
pub fn git(worktree: &Path) -> Command {
    let mut command = Command::new("git");
    // git itself goes there: a child that hangs on its way, before it is git, would keep our descriptors.
    command
        .arg("-C")
        .arg(worktree)
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "--no-pager",
        ])
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // A partial clone would fetch what it lacks, by a program that its configuration names.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs a command to its end or to one of the limits. Blocks; standard input is empty, and standard
/// error goes where the command says.
///
/// # Errors
/// When it cannot be started.
#[expect(clippy::disallowed_methods, reason = "the bounded way to do it")]
pub fn output(command: &mut Command, limits: Limits) -> io::Result<Output> {
    let started = Instant::now();
    reap();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut bytes = Vec::new();
    let has_ended = match child.stdout.take() {
        Some(stdout) => read(&stdout, &mut bytes, started, limits),
        None => true,
    };
    let left = limits.time.saturating_sub(started.elapsed());
    let status = has_ended.then(|| wait(&mut child, left)).flatten();
    if status.is_none() {
        end(child);
    }
    Ok(Output { bytes, status })
}

/// Reads to the end of the output; whether that was reached.
fn read(
    stdout: &std::process::ChildStdout,
    bytes: &mut Vec<u8>,
    started: Instant,
    limits: Limits,
) -> bool {
    loop {
        let left = limits.time.saturating_sub(started.elapsed());
        let patience = left.min(limits.silence);
        if patience.is_zero() {
            return false;
        }
        let timeout = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(stdout, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return false,
        }
        // One byte more tells an output that is too long from one that is just as long as it may be.
        let before = bytes.len();
        let room = limits.bytes.saturating_sub(before).saturating_add(1);
        bytes.resize(before + room.min(CHUNK), 0);
        let read = rustix::io::read(stdout, bytes.get_mut(before..).unwrap_or_default());
        bytes.truncate(before + read.unwrap_or(0));
        if bytes.len() > limits.bytes {
            bytes.truncate(limits.bytes);
            return false;
        }
        match read {
            Ok(0) => return true,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Waits until a child is gone, which is soon after it closed its output.
fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    let mut nap = Duration::from_micros(20);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if started.elapsed() < patience => std::thread::sleep(nap),
            Ok(None) | Err(_) => return None,
        }
        nap = (nap * 2).min(Duration::from_millis(5));
    }
}

fn end(mut child: Child) {
    // It may be gone already.
    let _ = child.kill();
    if wait(&mut child, GRACE).is_none() {
        let mut left = LEFT_BEHIND.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() < MAX_LEFT_BEHIND {
            left.push(child);
        }
    }
}

/// Killed children that were not gone when they were last looked at.
static LEFT_BEHIND: Mutex<Vec<Child>> = Mutex::new(Vec::new());

fn reap() {
    let mut left = LEFT_BEHIND.lock().unwrap_or_else(PoisonError::into_inner);
    left.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shell(line: &str, limits: Limits) -> Output {
        let mut command = Command::new("sh");
        output(command.args(["-c", line]), limits).unwrap()
    }

    #[test]
    fn a_child_says_all_it_has_to_say() {
        let limits = Limits::new(Duration::from_secs(20), 1 << 20);
        let all = shell("printf one; sleep 0.05; printf two", limits);
        assert_eq!(
            (all.bytes.as_slice(), all.is_success()),
            (&b"onetwo"[..], true)
        );
        let failed = shell("exit 3", limits);
        assert_eq!(failed.status.unwrap().code(), Some(3));
        assert!(output(&mut Command::new("/no/such/program"), limits).is_err());
    }

    #[test]
    fn a_child_that_never_ends_is_ended() {
        let started = Instant::now();
        let limits = Limits::new(Duration::from_millis(50), 1 << 20);
        assert!(shell("exec sleep 60", limits).status.is_none());
        // One that closes its output and goes on.
        assert!(shell("exec sleep 60 >&-", limits).status.is_none());
        let silent = Limits {
            silence: Duration::from_millis(50),
            ..Limits::new(Duration::from_secs(60), 1 << 20)
        };
        let cut = shell("printf one; exec sleep 60", silent);
        assert_eq!((cut.bytes.as_slice(), cut.status), (&b"one"[..], None));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn output_without_end_is_cut() {
        let limits = Limits::new(Duration::from_secs(20), 100_000);
        let cut = shell("exec cat /dev/zero", limits);
        assert_eq!((cut.bytes.len(), cut.status), (100_000, None));
        let quiet = Limits::new(Duration::from_secs(20), 0);
        assert!(shell("exit 0", quiet).is_success());
        assert!(!shell("echo", quiet).is_success());
    }
}
