//! One writer at a time: a gate between threads, an advisory file lock between processes.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::fs::{self, Root};

/// The lock file. It is empty and stays.
pub(crate) const LOCK: &str = ".lock";
/// How long a writer waits for another one.
pub(crate) const DEADLINE: Duration = Duration::from_secs(5);

/// Lets one thread of this process in. A plain mutex has no deadline, and without one every
/// waiting thread would add its own wait for a stuck process to that of the one before.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    taken: Mutex<bool>,
    free: Condvar,
}

/// Held by the one thread inside.
#[derive(Debug)]
pub(crate) struct Inside<'a>(&'a Gate);

impl Gate {
    pub(crate) fn enter(&self, deadline: Instant) -> Option<Inside<'_>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            let left = deadline.checked_duration_since(Instant::now())?;
            let (guard, _) = self
                .free
                .wait_timeout(taken, left)
                .unwrap_or_else(PoisonError::into_inner);
            taken = guard;
        }
        *taken = true;
        Some(Inside(self))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = false;
        self.0.free.notify_one();
    }
}

/// Takes the file lock; it is released when the file is dropped (also by the end of the process).
pub(crate) fn take(root: &Root, deadline: Instant) -> Result<File, StoreError> {
    let mut pause = Duration::from_micros(100);
    loop {
        let file = root.lock_file(LOCK).map_err(|e| root.error(LOCK, e))?;
        match file.try_lock() {
            // Somebody may have removed the file between open and lock; then it guards nothing.
            Ok(()) if is_the_one(root, &file) => return Ok(file),
            Ok(()) => continue,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(e)) => return Err(root.error(LOCK, e)),
        }
        if Instant::now() >= deadline {
            return Err(StoreError::Locked {
                path: root.path(LOCK),
                waited: DEADLINE,
            });
        }
        drop(file);
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(4));
    }
}

fn is_the_one(root: &Root, file: &File) -> bool {
    match (fs::stamp_of(file), root.stamp(LOCK)) {
        (Ok(mine), Ok(Some(there))) => mine.inode == there.inode,
        _ => false,
    }
}
