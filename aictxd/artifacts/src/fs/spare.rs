//! Files that have no name yet, made while nobody waits for them.
//!
//! Making a file can take longer than all else that is done with it: ext4 without a journal passes
//! over every inode that was freed within the last minutes, one by one. A commit that is waited for
//! writes into a file that is there already and gives it its name. One that never gets a name is
//! gone with the process.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::AtFlags;
#[cfg(target_os = "linux")]
use rustix::fs::OFlags;

use super::{Root, check, file_mode, is_private, point, split, stamp_of, sync, write};
use crate::fault::Op;

/// Spare files of one directory: what a resume makes.
const MOST: usize = 5;
/// Spare files of this process: each is an open file.
const MOST_IN_ALL: usize = 64;

/// Files held by this process.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// A file without a name.
#[derive(Debug)]
pub(super) struct Spare {
    file: File,
    held: Held,
}

/// One of the files held by this process.
#[derive(Debug)]
struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Spare {
    fn new(make: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        let others = HELD.fetch_add(1, Ordering::Relaxed);
        let held = Held;
        (others < MOST_IN_ALL).then_some(())?;
        let file = make().ok()?;
        Some(Self { file, held })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn file_mut(&mut self) -> &mut File {
        &mut self.file
    }

    /// The file, which is no spare one any more.
    pub(crate) fn into_file(self) -> File {
        drop(self.held);
        self.file
    }
}

/// The spare files of a directory.
#[derive(Debug, Default)]
pub(super) struct Spares(Mutex<Vec<Spare>>);

impl Spares {
    pub(crate) fn take(&self) -> Option<Spare> {
        self.held().pop()
    }

    /// Makes as many as are missing; stops at the first that cannot be made.
    pub(crate) fn fill(&self, make: impl Fn() -> io::Result<File>) {
        while self.held().len() < MOST {
            // Made without the list in hand: whoever wants one now need not wait for the next.
            let Some(spare) = Spare::new(&make) else {
                return;
            };
            self.held().push(spare);
        }
    }

    /// Lets all of them go; the number of files held is that of repositories that are worked in.
    pub(crate) fn clear(&self) {
        self.held().clear();
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Vec<Spare>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Root {
    /// [`create_with`](Self::create_with) with a file that has no name yet; nothing when it can be given
    /// none here.
    pub(super) fn create_of<'b>(
        &self,
        mut spare: Spare,
        rel: &str,
        content: &dyn Fn(u64) -> Cow<'b, [u8]>,
    ) -> Option<io::Result<()>> {
        let inode = match stamp_of(spare.file()) {
            Ok(stamp) => stamp.inode,
            Err(e) => return Some(Err(e)),
        };
        let bytes = content(inode);
        let written = write(spare.file_mut(), &bytes, rel).and_then(|()| point(Op::Create, rel));
        if let Err(e) = written {
            return Some(Err(e));
        }
        match self.name(&spare, rel) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Some(Err(e)),
            Err(_) => return None,
        }
        let synced = sync(spare.into_file(), rel);
        if synced.is_err() {
            let _ = self.unlink_named(rel);
        }
        Some(synced)
    }

    /// Gives a file its name, which must not exist.
    pub(super) fn name(&self, spare: &Spare, rel: &str) -> io::Result<()> {
        check(rel)?;
        let (parent, name) = split(rel);
        let dir = self.open_dir(parent)?;
        let file = spare.file();
        if is_private(rel) {
            rustix::fs::fchmod(file, file_mode(rel))?;
        }
        // The way to name an open file that needs no privilege (open(2), O_TMPFILE).
        let there = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::linkat(
            rustix::fs::CWD,
            there,
            &dir,
            name,
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }

    /// Makes files ahead that later ones will be, where the system can.
    #[expect(clippy::disallowed_methods, reason = "makes a file that has no name")]
    pub(crate) fn stock(&self) {
        #[cfg(target_os = "linux")]
        self.spares.fill(|| {
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            Ok(File::from(rustix::fs::openat(
                &self.fd,
                ".",
                flags,
                file_mode(""),
            )?))
        });
    }

    /// Lets go what [`stock`](Self::stock) made.
    pub(crate) fn unstock(&self) {
        self.spares.clear();
    }
}
