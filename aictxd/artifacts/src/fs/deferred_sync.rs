//! Syncs files now or later, and frees files that lost their last name.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use aictx_files::beneath::HOLDING;
use rustix::fs::{Mode, OFlags};

use super::point;
use crate::fault::Op;

/// Makes a file's content, or a directory's entries, durable; now, or in the order in which it was
/// wanted when the thread [puts syncs off](put_off), which keeps the file open until then.
pub(crate) fn sync(file: impl Into<Arc<File>>, what: &str) -> io::Result<()> {
    let file = file.into();
    let put_off = PUT_OFF.with_borrow_mut(|put_off| {
        let due = &mut put_off.as_mut()?.due;
        due.push((Arc::clone(&file), what.to_owned()));
        Some(())
    });
    if put_off.is_some() {
        return Ok(());
    }
    point(Op::Sync, what)?;
    file.sync_data()
}

/// A name below a directory is about to go. To free what it names takes a disk longer than to take the name away:
/// where the thread [puts off](put_off), that comes later as well.
#[expect(
    clippy::disallowed_methods,
    reason = "holds the file and never reads it"
)]
pub(super) fn going(directory: impl AsFd, name: &str) {
    PUT_OFF.with_borrow_mut(|put_off| {
        let Some(gone) = put_off.as_mut().map(|put_off| &mut put_off.gone) else {
            return;
        };
        // Where there is none, nothing is freed.
        let flags = HOLDING | OFlags::NOFOLLOW;
        gone.extend(rustix::fs::openat(directory, name, flags, Mode::empty()));
    });
}

/// File to be synced, with its name.
type Due = (Arc<File>, String);

thread_local! {
    /// Syncs that this thread has put off.
    static PUT_OFF: RefCell<Option<PutOff>> = const { RefCell::new(None) };
}

#[derive(Debug, Default)]
struct PutOff {
    due: Vec<Due>,
    gone: Vec<OwnedFd>,
}

/// Syncs that still have to be done.
#[derive(Debug, Default)]
pub(crate) struct Syncs(Vec<Due>);

/// File without a name, freed with this.
#[derive(Debug, Default)]
pub(crate) struct Gone(#[allow(dead_code, reason = "held until it is dropped")] Vec<OwnedFd>);

impl Syncs {
    /// Adds later ones. What was to be synced under the same name is another file by now, or the same.
    pub(crate) fn add(&mut self, later: Self) {
        let names: HashSet<&str> = later.0.iter().map(|(_, what)| what.as_str()).collect();
        self.0.retain(|(_, what)| !names.contains(what.as_str()));
        self.0.splice(0..0, later.0);
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Does them, in order, all of them whatever becomes of one; the first error.
    pub(crate) fn finish(self) -> io::Result<()> {
        let mut first = Ok(());
        for (file, what) in self.0 {
            let done = sync(file, &what);
            if first.is_ok() {
                first = done;
            }
        }
        first
    }
}

/// Does something with every sync put off, and with every freeing; gives both with its answer.
pub(crate) fn put_off<T>(work: impl FnOnce() -> T) -> (T, Syncs, Gone) {
    /// Ends the putting off whatever happens inside.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            PUT_OFF.with_borrow_mut(Option::take);
        }
    }
    PUT_OFF.with_borrow_mut(|put_off| *put_off = Some(PutOff::default()));
    let end = End;
    let answer = work();
    let PutOff { due, gone } = PUT_OFF.with_borrow_mut(Option::take).unwrap_or_default();
    drop(end);
    (answer, Syncs(due), Gone(gone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::Root;

    /// Names of what is held: none.
    fn names_left(gone: &Gone) -> Vec<u64> {
        let stats = gone.0.iter().map(|held| rustix::fs::fstat(held).unwrap());
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
        stats.map(|stat| stat.st_nlink as u64).collect()
    }

    #[test]
    fn what_loses_its_name_is_freed_behind() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::create(dir.path(), &Arc::new(crate::tests::trust(dir.path()))).unwrap();
        for name in ["replaced", "removed"] {
            root.create_new(name, b"old").unwrap();
        }
        let (done, syncs, gone) = put_off(|| {
            root.replace("replaced", b"new")?;
            root.unlink("removed")?;
            root.unlink("never there")?;
            root.create_new("made", b"new")
        });
        done.unwrap();
        assert_eq!(names_left(&gone), [0, 0]);
        assert!(syncs.len() > 0);
        assert_eq!(std::fs::read(root.path("replaced")).unwrap(), b"new");
        let ((), _, gone) = put_off(|| ());
        assert!(names_left(&gone).is_empty());
        // Nothing is held where nothing is put off.
        root.unlink("made").unwrap();
        PUT_OFF.with_borrow(|put_off| assert!(put_off.is_none()));
    }
}
