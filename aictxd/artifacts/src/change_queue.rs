//! Tells with one system call if directories changed since they were read.
//!
//! The kernel puts an event into the queue (inotify(7)) before the call that caused it returns: an empty
//! queue says that nothing happened. Nobody has to be woken for that, and memory that did not change need
//! not be looked at file by file.
//!
//! Not told of: what is written through a mapping, or to a file by a name that it was given in another directory
//! after it was looked at (files with several names are looked at each time). So silence is believed for a
//! minute only.

#[cfg(target_os = "linux")]
pub(crate) use linux::Bell;

/// Nobody tells; everything is looked at each time.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Default)]
pub(crate) struct Bell;

#[cfg(not(target_os = "linux"))]
impl Bell {
    pub(crate) fn look_again(&mut self) {}

    pub(crate) fn is_silent(&mut self, _: &crate::fs::Root) -> bool {
        false
    }

    pub(crate) fn listen(&mut self, _: &crate::fs::Root, _: &[&str]) {}

    pub(crate) fn looked(&mut self, _: &crate::fs::Root) {}
}

/// Returns true if the kernel tells of every change in the file system of a directory, whoever makes it: on a
/// network's, and in a folder that a virtual machine shares, it knows of its own alone.
#[cfg(target_os = "linux")]
pub fn tells_of_all(directory: impl std::os::fd::AsFd) -> bool {
    // statfs(2): ext2 to ext4, btrfs, XFS, tmpfs, F2FS, overlayfs, ZFS, bcachefs.
    const LOCAL: [u32; 8] = [
        0xef53,
        0x9123_683e,
        0x5846_5342,
        0x0102_1994,
        0xf2f5_2010,
        0x794c_7630,
        0x2fc1_2fc1,
        0xca45_1a4e,
    ];
    // The type's width and sign differ between machines; the numbers have 32 bits.
    let sort = rustix::fs::fstatfs(directory).map(|s| s.f_type as u32);
    sort.is_ok_and(|sort| LOCAL.contains(&sort))
}

/// As on Linux; elsewhere the order of events is not known to be that of what happened.
#[cfg(not(target_os = "linux"))]
pub fn tells_of_all(_: impl std::os::fd::AsFd) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
    use std::time::{Duration, Instant};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use crate::fs::Root;

    /// Watches of this process; the system's are shared by all programs of the user.
    const MAX_WATCHES: usize = 2_048;

    /// So long is silence believed.
    const OLDEST: Duration = Duration::from_secs(60);

    /// Events that count as changes. Closing is not among them: locks are opened for writing and closed.
    const EVENTS: WatchFlags = WatchFlags::CREATE
        .union(WatchFlags::DELETE)
        .union(WatchFlags::MOVED_FROM)
        .union(WatchFlags::MOVED_TO)
        .union(WatchFlags::MODIFY)
        .union(WatchFlags::ATTRIB)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MOVE_SELF);

    /// The one queue of this process: a user may have 128 of them.
    static QUEUE: OnceLock<Option<Queue>> = OnceLock::new();

    #[derive(Debug)]
    struct Queue {
        fd: OwnedFd,
        /// Subscribers by watch.
        told: Mutex<HashMap<i32, Vec<Weak<Rung>>>>,
    }

    /// Events since the last question.
    #[derive(Debug, Default)]
    struct Rung {
        any: AtomicBool,
        /// Directories came or went, or the queue was too long.
        shape: AtomicBool,
    }

    impl Rung {
        fn ring(&self, shape: bool) {
            // Whoever sees that it rang sees why.
            if shape {
                self.shape.store(true, Ordering::Release);
            }
            self.any.store(true, Ordering::Release);
        }
    }

    impl Queue {
        fn get() -> Option<&'static Self> {
            let make = || {
                let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
                let told = Mutex::default();
                Some(Self { fd, told })
            };
            QUEUE.get_or_init(make).as_ref()
        }

        fn told(&self) -> MutexGuard<'_, HashMap<i32, Vec<Weak<Rung>>>> {
            self.told.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Tells everybody of what happened until now.
        fn empty(&self) {
            let mut told = self.told();
            let mut room = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.fd, &mut room);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(Errno::AGAIN) => return,
                    Err(Errno::INTR) => continue,
                    Err(_) => {
                        told.values().flatten().for_each(|rung| ring(rung, true));
                        return;
                    }
                };
                let flags = event.events();
                if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                    told.values().flatten().for_each(|rung| ring(rung, true));
                    continue;
                }
                let shape = flags.intersects(
                    ReadFlags::ISDIR
                        | ReadFlags::IGNORED
                        | ReadFlags::UNMOUNT
                        | ReadFlags::DELETE_SELF
                        | ReadFlags::MOVE_SELF,
                );
                let listeners = told.get(&event.wd()).into_iter().flatten();
                listeners.for_each(|rung| ring(rung, shape));
                // The watch is gone with its directory.
                if flags.contains(ReadFlags::IGNORED) {
                    told.remove(&event.wd());
                }
            }
        }

        /// Rings from now on when something happens in a directory below `root`; whether it does, or the
        /// directory is not there.
        fn watch(&self, root: &Root, directory: &str, rung: &Arc<Rung>) -> bool {
            // By the open directory, wherever it is by now.
            let mut path = format!("/proc/self/fd/{}", root.fd().as_raw_fd());
            if !directory.is_empty() {
                path.push('/');
                path.push_str(directory);
            }
            let mut flags = EVENTS | WatchFlags::ONLYDIR;
            if !directory.is_empty() {
                flags |= WatchFlags::DONT_FOLLOW;
            }
            let mut told = self.told();
            match inotify::add_watch(&self.fd, path, flags) {
                Ok(watch) => {
                    let listeners = told.entry(watch).or_default();
                    listeners.retain(|known| known.strong_count() > 0);
                    if !listeners
                        .iter()
                        .any(|known| known.as_ptr() == Arc::as_ptr(rung))
                    {
                        listeners.push(Arc::downgrade(rung));
                    }
                    told.len() <= MAX_WATCHES
                }
                // Nor is there a file system of processes, where not even the root is found.
                Err(Errno::NOENT) => !directory.is_empty(),
                Err(_) => false,
            }
        }

        fn forget(&self, rung: &Rung) {
            self.told().retain(|watch, listeners| {
                listeners.retain(|known| {
                    known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), rung)
                });
                if listeners.is_empty() {
                    let _ = inotify::remove_watch(&self.fd, *watch);
                }
                !listeners.is_empty()
            });
        }
    }

    fn ring(rung: &Weak<Rung>, shape: bool) {
        if let Some(rung) = rung.upgrade() {
            rung.ring(shape);
        }
    }

    /// Rings when something changed in the directories of a root.
    #[derive(Debug, Default)]
    pub(crate) struct Bell {
        rung: Arc<Rung>,
        /// Identity of the repository of these directories.
        of: Option<(u64, u64)>,
        /// Time of the last full look, if nothing changed since.
        looked: Option<Instant>,
        /// Not to be tried again.
        broken: bool,
    }

    impl Bell {
        /// Everything is looked at from now on.
        pub(crate) fn hang_up(&mut self) {
            (self.looked, self.of, self.broken) = (None, None, true);
            if let Some(queue) = Queue::get() {
                queue.forget(&self.rung);
            }
        }

        /// Discards the last look.
        pub(crate) fn look_again(&mut self) {
            self.looked = None;
        }

        /// Returns true if nothing happened since everything was [looked at](Self::looked).
        pub(crate) fn is_silent(&mut self, root: &Root) -> bool {
            let recent = |at: Instant| at.elapsed() < OLDEST;
            if !self.looked.is_some_and(recent) || self.of != Some(root.id()) {
                return false;
            }
            if let Some(queue) = Queue::get() {
                queue.empty();
            }
            if self.rung.any.load(Ordering::Acquire) {
                self.looked = None;
            }
            self.looked.is_some()
        }

        /// Listens to those of the directories that are there, before everything is looked at.
        pub(crate) fn listen(&mut self, root: &Root, directories: &[&str]) {
            if self.broken {
                return;
            }
            let Some(queue) = Queue::get() else {
                return self.hang_up();
            };
            queue.empty();
            self.rung.any.swap(false, Ordering::AcqRel);
            let shape = self.rung.shape.swap(false, Ordering::AcqRel);
            if self.of == Some(root.id()) && !shape {
                return;
            }
            // Directories may be elsewhere by now.
            queue.forget(&self.rung);
            self.of = None;
            let all = super::tells_of_all(root.fd())
                && directories
                    .iter()
                    .all(|directory| queue.watch(root, directory, &self.rung));
            match all {
                true => self.of = Some(root.id()),
                false => self.hang_up(),
            }
        }

        /// Everything was looked at since [`Self::listen`]; files with several names are not all heard of.
        pub(crate) fn looked(&mut self, root: &Root) {
            let heard = !root.saw_other_names() && self.of == Some(root.id());
            self.looked = heard.then(Instant::now);
        }
    }

    impl Drop for Bell {
        fn drop(&mut self) {
            if let Some(Some(queue)) = QUEUE.get() {
                queue.forget(&self.rung);
            }
        }
    }
}
