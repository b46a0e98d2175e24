//! One writer at a time: a gate between threads, an advisory file lock between processes.

use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io;
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use aictx_proto::record::files;

use crate::error::StoreError;
use crate::fs::{self, Root};

/// Longest wait of a writer for others. On a busy machine with many writers each waits for all that
/// come before it, so this must only tell a queue from a process that is stuck.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);
/// Stack of a thread that does nothing but wait.
const STACK: usize = 64 * 1024;

/// Lets one thread of this process in, in the order in which they came: whoever takes many short turns does
/// not keep out who waits for one. A plain mutex has no deadline, and without one every waiting thread would
/// add its own wait for a stuck process to that of the one before.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    line: Mutex<Line>,
    moved: Condvar,
}

/// Queue of a lock: the holder and the waiters.
#[derive(Debug, Default)]
struct Line {
    taken: bool,
    /// Numbers of those that wait, the first one first.
    waiting: VecDeque<u64>,
    last: u64,
}

/// Held by the one thread inside.
#[derive(Debug)]
pub(crate) struct Inside<'a>(&'a Gate);

impl Gate {
    pub(crate) fn enter(&self, deadline: Instant) -> Option<Inside<'_>> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.last += 1;
        let own = line.last;
        line.waiting.push_back(own);
        while line.taken || line.waiting.front() != Some(&own) {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                line.waiting.retain(|number| *number != own);
                // Whoever stood behind may be the first one now.
                self.moved.notify_all();
                return None;
            };
            let (guard, _) = self
                .moved
                .wait_timeout(line, left)
                .unwrap_or_else(PoisonError::into_inner);
            line = guard;
        }
        line.waiting.pop_front();
        line.taken = true;
        Some(Inside(self))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.taken = false;
        let waits = !line.waiting.is_empty();
        drop(line);
        if waits {
            self.0.moved.notify_all();
        }
    }
}

/// Takes the file lock; it is released when the file is dropped (also by the end of the process).
pub(crate) fn take(root: &Root, deadline: Instant) -> Result<File, StoreError> {
    let fail = |e| root.error(files::LOCK, e);
    let locked = || StoreError::Locked {
        path: root.path(files::LOCK),
        waited: DEADLINE,
    };
    loop {
        let file = root.lock_file(files::LOCK).map_err(fail)?;
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
    match (fs::stamp_of(file), root.stamp(files::LOCK)) {
        (Ok(mine), Ok(Some(there))) => mine.inode == there.inode,
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn waiting(gate: &Gate) -> usize {
        gate.line.lock().unwrap().waiting.len()
    }

    #[test]
    fn whoever_waits_has_the_next_turn() {
        let gate = Gate::default();
        let far = || Instant::now() + DEADLINE;
        let turns = AtomicUsize::new(0);
        thread::scope(|scope| {
            let first = gate.enter(far()).unwrap();
            let other = scope.spawn(|| {
                let _inside = gate.enter(far()).unwrap();
                turns.load(Ordering::SeqCst)
            });
            while waiting(&gate) == 0 {
                thread::yield_now();
            }
            drop(first);
            // It takes its turns as fast as it can.
            for _ in 0..100 {
                let _inside = gate.enter(far()).unwrap();
                turns.fetch_add(1, Ordering::SeqCst);
            }
            assert_eq!(other.join().unwrap(), 0);
        });
    }

    #[test]
    fn whoever_gave_up_is_passed_over() {
        let gate = Gate::default();
        let inside = gate.enter(Instant::now() + DEADLINE).unwrap();
        assert!(gate.enter(Instant::now()).is_none());
        thread::scope(|scope| {
            let gives_up = scope.spawn(|| {
                let soon = Instant::now() + Duration::from_millis(50);
                gate.enter(soon).is_none()
            });
            while waiting(&gate) == 0 && !gives_up.is_finished() {
                thread::yield_now();
            }
            let waits = scope.spawn(|| gate.enter(Instant::now() + DEADLINE).is_some());
            assert!(gives_up.join().unwrap());
            drop(inside);
            assert!(waits.join().unwrap());
        });
        assert_eq!(waiting(&gate), 0);
        assert!(gate.enter(Instant::now()).is_some());
    }
}
