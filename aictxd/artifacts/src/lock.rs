//! One writer at a time: a gate between threads, an advisory file lock between processes.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::fs::{self, Root};

/// The lock file. It is empty and stays.
pub(crate) const LOCK: &str = ".lock";
/// How long a writer waits for others. On a busy machine with many writers each waits for all that
/// come before it, so this must only tell a queue from a process that is stuck.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);
/// Stack of a thread that does nothing but wait.
const STACK: usize = 64 * 1024;

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
    let fail = |e| root.error(LOCK, e);
    let locked = || StoreError::Locked {
        path: root.path(LOCK),
        waited: DEADLINE,
    };
    loop {
        let file = root.lock_file(LOCK).map_err(fail)?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => {
                let waited = queue(file, deadline).map_err(fail)?;
                waited.ok_or_else(locked)?
            }
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(e)) => return Err(fail(e)),
        };
        // Somebody may have removed the file between open and lock; then it guards nothing.
        if is_the_one(root, &file) {
            return Ok(file);
        }
        if Instant::now() >= deadline {
            return Err(locked());
        }
    }
}

/// Waits in the system's own queue, which is fair and costs nothing while one waits: with many
/// writers, whoever looks again and again may find the lock taken every time. That wait knows no
/// deadline, so a thread does it; one that comes too late lets go of the lock at once.
fn queue(file: File, deadline: Instant) -> io::Result<Option<File>> {
    let Some(left) = deadline.checked_duration_since(Instant::now()) else {
        return Ok(None);
    };
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("lock".into())
        .stack_size(STACK)
        .spawn(move || {
            let locked = loop {
                match file.lock() {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            let _ = sender.send(locked.map(|()| file));
        })?;
    receiver.recv_timeout(left).ok().transpose()
}

fn is_the_one(root: &Root, file: &File) -> bool {
    match (fs::stamp_of(file), root.stamp(LOCK)) {
        (Ok(mine), Ok(Some(there))) => mine.inode == there.inode,
        _ => false,
    }
}
