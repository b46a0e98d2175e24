//! Waits for the end of a daemon.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::paths::Places;

/// Time limit for a stop: the daemon drains for at most 2 s.
pub(crate) const STOP_DEADLINE: Duration = Duration::from_secs(3);
/// Pause between two looks at something that is about to change.
pub(crate) const STEP: Duration = Duration::from_millis(5);

/// Waits until the daemon with this process id has gone; false at the deadline. Connecting would
/// be no proof: behind a service manager's socket it would start the next daemon.
pub(crate) fn wait_until_gone(places: &Places, pid: u32) -> bool {
    let end = Instant::now() + STOP_DEADLINE;
    let lock = places.locations.daemon_lock();
    loop {
        if is_gone(pid) || is_free(&lock) {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(STEP);
    }
}

fn is_gone(pid: u32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else {
        return false;
    };
    // SAFETY: signal 0 delivers nothing; it only asks whether the process exists.
    let answer = unsafe { libc::kill(pid, 0) };
    pid > 0 && answer == -1 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

/// Returns true if nobody holds the daemon's lock for life. A process that has ended but was not reaped
/// still has its id, never its lock.
fn is_free(lock: &Path) -> bool {
    match File::open(lock) {
        Ok(file) => !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_is_gone_and_one_that_is_not() {
        assert!(!is_gone(std::process::id()));
        let mut child = Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(is_gone(pid));
        assert!(!is_gone(0));
    }

    #[test]
    fn a_lock_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert!(is_free(&path));
        let holder = File::create(&path).unwrap();
        holder.lock().unwrap();
        assert!(!is_free(&path));
        drop(holder);
        assert!(is_free(&path));
    }
}
