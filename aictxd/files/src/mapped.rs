//! Mapped files that may be cut short or fail to be read while they are mapped.
//!
//! The system answers an access to a page that a file no longer has, or that the disk does not
//! give, with SIGBUS, whose default is to end the process. A handler puts a page of zeros in the
//! place of the one that is missing, marks the mapping as damaged and lets the access go on. Whoever
//! reads a mapping must therefore survive any bytes, and ask [`Mapped::is_damaged`] before it
//! believes what it made of them.
//!
//! A signal at any other address goes to the handler that was there before.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::untrusted;

/// Most files that are mapped at a time.
const MAX_MAPPED: usize = 1_024;
/// Start of a range that nobody uses, and of one that is being set up; nothing is ever mapped there.
const FREE: usize = 0;
const TAKEN: usize = 1;

/// A mapped range of addresses, readable from a signal handler.
struct Range {
    start: AtomicUsize,
    end: AtomicUsize,
    is_damaged: AtomicBool,
}

static RANGES: [Range; MAX_MAPPED] = [const {
    Range {
        start: AtomicUsize::new(FREE),
        end: AtomicUsize::new(0),
        is_damaged: AtomicBool::new(false),
    }
}; MAX_MAPPED];

impl Range {
    /// Returns true if an address lies in it.
    fn holds(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Acquire);
        let end = self.end.load(Ordering::Acquire);
        // Another mapping may have taken the range between the two.
        let is_whole = self.start.load(Ordering::Acquire) == start;
        is_whole && start > TAKEN && (start..end).contains(&address)
    }
}

/// A file in memory, read-only.
#[derive(Debug)]
pub struct Mapped {
    map: memmap2::Mmap,
    range: &'static Range,
    path: PathBuf,
    /// Device, inode, length and time of the last change of the content.
    stamp: (u64, u64, u64, i64, i64),
}

impl std::fmt::Debug for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Range")
    }
}

fn stamp(meta: &std::fs::Metadata) -> (u64, u64, u64, i64, i64) {
    (
        meta.dev(),
        meta.ino(),
        meta.size(),
        meta.mtime(),
        meta.mtime_nsec(),
    )
}

impl Mapped {
    /// Maps a regular file.
    ///
    /// # Errors
    /// When it is empty, cannot be opened or mapped, or when [`MAX_MAPPED`] files are mapped already.
    #[expect(clippy::disallowed_methods, reason = "the one place for it")]
    pub fn open(path: &Path) -> io::Result<Self> {
        install()?;
        let file: File = untrusted::open(path)?.into_file();
        let stamp = stamp(&file.metadata()?);
        if stamp.2 == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let is_free = |range: &&Range| {
            let taken =
                range
                    .start
                    .compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok()
        };
        let range = RANGES.iter().find(is_free);
        let range = range.ok_or_else(|| io::Error::other("too many files are mapped"))?;
        // SAFETY: nobody writes through the mapping. The file can change beneath it, which is what
        // this module is for: accesses never fail, and users take any bytes.
        let map = match unsafe { memmap2::Mmap::map(&file) } {
            Ok(map) => map,
            Err(error) => {
                range.start.store(FREE, Ordering::Release);
                return Err(error);
            }
        };
        let start = map.as_ptr() as usize;
        range.is_damaged.store(false, Ordering::Release);
        // The system maps whole pages.
        let end = start + map.len().next_multiple_of(page());
        range.end.store(end, Ordering::Release);
        range.start.store(start, Ordering::Release);
        Ok(Self {
            map,
            range,
            path: path.to_owned(),
            stamp,
        })
    }

    /// Returns true if a part of the file could not be read since it was mapped, and zeros were read instead.
    pub fn is_damaged(&self) -> bool {
        self.range.is_damaged.load(Ordering::Acquire)
    }

    /// Returns true if somebody wrote to the file since it was mapped. Costs a `stat`. A file that was
    /// removed, or replaced by another, is still what it was.
    pub fn was_written(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|meta| {
            let now = stamp(&meta);
            (now.0, now.1) == (self.stamp.0, self.stamp.1) && now != self.stamp
        })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // Before its addresses can be anybody else's.
        self.range.start.store(FREE, Ordering::Release);
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

/// The action before [`handle`], and the size of a page: nothing in a signal handler may ask the
/// system for it.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

fn page() -> usize {
    BEFORE.get().map_or(4_096, |(_, page)| *page)
}

/// Installs the handler, once.
fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: `sigaction` is plain data for which zeros are valid, and the calls only read and
        // write the two structures. The handler is in place after what it reads (`BEFORE`) is.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) != 0 {
                return false;
            }
            let _ = BEFORE.set((before, rustix::param::page_size()));
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = handle as *const () as usize;
            // Stacks that overflow are reported by the same signal on some systems, and then there
            // is no other stack to handle it on.
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigemptyset(&raw mut ours.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const ours, std::ptr::null_mut()) == 0
        }
    });
    match installed {
        true => Ok(()),
        false => Err(io::Error::other("signals cannot be handled")),
    }
}

/// Handles SIGBUS. Uses atomics, `mmap` and `sigaction` only.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes a valid `siginfo_t` to a handler that was installed with
    // `SA_SIGINFO`, and for this signal it has an address.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some(range) = RANGES.iter().find(|range| range.holds(address))
        && put_zeros(address)
    {
        range.is_damaged.store(true, Ordering::Release);
        return;
    }
    // SAFETY: the previous disposition of this very signal is called, or set again, as the system
    // would have.
    unsafe { pass_on(signal, info, context) }
}

/// Replaces the page of an address in one of our mappings by zeros.
fn put_zeros(address: usize) -> bool {
    let page = page();
    let at = (address & !(page - 1)) as *mut libc::c_void;
    // SAFETY: the page belongs to a mapping that is alive, as a thread is just accessing it, and
    // that nobody writes to; `errno` is the interrupted thread's and is given back as it was.
    unsafe {
        let errno = errno();
        let before = *errno;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let mapped = libc::mmap(at, page, libc::PROT_READ, flags, -1, 0);
        *errno = before;
        mapped != libc::MAP_FAILED
    }
}

/// Returns the address of the calling thread's `errno`.
fn errno() -> *mut libc::c_int {
    // SAFETY: it only gives an address.
    #[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
    return unsafe { libc::__error() };
    // SAFETY: it only gives an address.
    #[cfg(not(any(target_os = "macos", target_os = "ios", target_os = "freebsd")))]
    return unsafe { libc::__errno_location() };
}

/// Does with a signal what would have been done without [`handle`].
///
/// # Safety
/// Only from a handler of this signal, with its arguments.
unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = BEFORE.get().map(|(before, _)| before);
    // SAFETY: a handler is called as its flags say that it wants to be; the default is set again and
    // the signal raised anew, which ends the process when this handler returns.
    unsafe {
        match before {
            Some(before)
                if before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN =>
            {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    type Handler =
                        extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    let handler: Handler = std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
            _ => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, std::ptr::null_mut());
                libc::raise(signal);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    fn mapped(pages: usize) -> (tempfile::NamedTempFile, Mapped) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![7; pages * rustix::param::page_size()])
            .unwrap();
        let map = Mapped::open(file.path()).unwrap();
        (file, map)
    }

    #[test]
    fn a_file_that_is_cut_short_reads_as_zeros() {
        let (file, map) = mapped(4);
        let page = rustix::param::page_size();
        assert!(map.iter().all(|byte| *byte == 7));
        assert!(!map.is_damaged() && !map.was_written());
        file.as_file().set_len(page as u64 + 10).unwrap();
        assert!(map.was_written() && !map.is_damaged());
        assert_eq!(map[3 * page], 0);
        assert!(map.is_damaged());
        assert_eq!(map.iter().filter(|byte| **byte == 7).count(), page + 10);
        // Another mapping in the same place knows nothing of it.
        drop(map);
        assert!(!mapped(4).1.is_damaged());
        file.as_file().set_len(0).unwrap();
        assert!(Mapped::open(file.path()).is_err());
    }

    #[test]
    fn threads_that_read_at_once_all_go_on() {
        let (file, map) = mapped(64);
        file.as_file().set_len(0).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert!(map.iter().all(|byte| *byte == 0)));
            }
        });
        assert!(map.is_damaged());
    }

    #[test]
    fn a_file_that_is_replaced_stays_what_it_was() {
        let (file, map) = mapped(1);
        let other = tempfile::NamedTempFile::new().unwrap();
        other.persist(file.path()).unwrap();
        assert!(!map.was_written() && map.iter().all(|byte| *byte == 7));
    }

    /// Set in the process that faults at an address of nobody's.
    const FAULTS: &str = "AICTX_TEST_FOREIGN_FAULT";

    #[test]
    fn a_fault_elsewhere_still_ends_the_process() {
        use std::os::unix::process::ExitStatusExt;
        if std::env::var_os(FAULTS).is_some() {
            let (_file, _map) = mapped(1);
            let foreign = tempfile::tempfile().unwrap();
            foreign.set_len(1).unwrap();
            // SAFETY: it is the point of the test that this mapping fails.
            let map = unsafe { memmap2::Mmap::map(&foreign) }.unwrap();
            foreign.set_len(0).unwrap();
            std::hint::black_box(map[0]);
            std::process::exit(0);
        }
        let own = std::env::current_exe().unwrap();
        let name = "mapped::tests::a_fault_elsewhere_still_ends_the_process";
        let mut child = std::process::Command::new(own);
        let ended = child.args([name, "--exact"]).env(FAULTS, "1").output();
        assert_eq!(ended.unwrap().status.signal(), Some(libc::SIGBUS));
    }
}
