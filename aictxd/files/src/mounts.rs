//! Mounted file systems that can hang: those of a network, or of another process.
//!
//! Nothing interrupts a thread that waits for a dead file server. Which paths lead to one is told by
//! `/proc/self/mountinfo`, which never waits itself ([`hanging`]). Threads that everybody depends on
//! are [guarded](guard_this_thread): they refuse to open such paths ([`check`]). Linux only; elsewhere
//! nothing is known to hang.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Most mounts that are looked at.
const MAX_MOUNTS: usize = 8_192;
/// Most symbolic links that are followed on the way to a mount.
const MAX_HOPS: usize = 40;
/// Types of file systems whose server is another machine or another process.
const HANGING: &[&str] = &[
    "9p", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "fuse", "fuseblk", "gfs2", "gpfs",
    "hgfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs",
    "vboxsf",
];
/// FUSE file systems that hold no repositories, but are mounted on many desktops.
const HARMLESS: &[&str] = &[
    "fuse.lxcfs",
    "fuse.portal",
    "fuse.snapfuse",
    "fuse.squashfuse",
];

/// A mounted file system that can hang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The kernel's number for it; another one when it is mounted anew.
    pub id: u64,
    /// Mount point.
    pub path: PathBuf,
    /// Its type, `nfs4` say.
    pub kind: String,
}

/// All mounts by their paths; nothing in the place of those that do not hang.
#[derive(Debug, Default)]
struct Table(HashMap<PathBuf, Option<Arc<Mount>>>);

/// True if any mount can hang: most machines have none, and then nothing else is asked.
static ANY: AtomicBool = AtomicBool::new(false);
static TABLE: RwLock<Option<Arc<Table>>> = RwLock::new(None);

fn may_hang(kind: &str) -> bool {
    let is_listed = HANGING.contains(&kind) || kind.starts_with("fuse.");
    is_listed && !HARMLESS.contains(&kind)
}

impl Table {
    /// Reads a text in the format of `/proc/self/mountinfo` (proc(5)).
    fn parse(text: &[u8]) -> Self {
        let mut table = HashMap::new();
        for line in text.split(|byte| *byte == b'\n').take(MAX_MOUNTS) {
            let mut fields = line.split(|byte| *byte == b' ');
            let id = fields.next().map(String::from_utf8_lossy);
            let id = id.and_then(|id| id.parse().ok());
            let path = fields.nth(3).map(unescaped);
            // Optional fields end with a hyphen.
            let kind = fields.skip_while(|field| *field != b"-").nth(1);
            let (Some(id), Some(path), Some(kind)) = (id, path, kind) else {
                continue;
            };
            let kind = String::from_utf8_lossy(kind).into_owned();
            // Where everything hangs, nothing is gained by telling one from another.
            let hangs = may_hang(&kind) && path != Path::new("/");
            // Of two in one place the later one is seen.
            let mount = hangs.then(|| {
                Arc::new(Mount {
                    id,
                    path: path.clone(),
                    kind,
                })
            });
            table.insert(path, mount);
        }
        Self(table)
    }

    fn of(&self, path: &Path) -> Option<Arc<Mount>> {
        let mounted = path.ancestors().find_map(|above| self.0.get(above));
        mounted.cloned().flatten()
    }
}

/// A path without the escapes of `mountinfo`: `\` and three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = more
            .get(if code.is_some() { 3 } else { 0 }..)
            .unwrap_or_default();
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn table() -> Option<Arc<Table>> {
    if !any_can_hang() {
        return None;
    }
    TABLE.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the mount point of an absolute path; `None` where the system does not tell.
#[expect(clippy::disallowed_methods, reason = "a file of /proc")]
pub fn mount_point(path: &Path) -> Option<PathBuf> {
    let text = std::fs::read("/proc/self/mountinfo").ok()?;
    let table = Table::parse(&text);
    let mut above = path.ancestors();
    let mounted = above.find(|above| table.0.contains_key(*above));
    mounted.map(Path::to_owned)
}

/// Returns true if anything is mounted that can hang.
pub fn any_can_hang() -> bool {
    ANY.load(Ordering::Acquire)
}

/// The mount that an absolute path lies on, when that can hang. By the text of the path: links are
/// not followed.
pub fn hanging(path: &Path) -> Option<Arc<Mount>> {
    table()?.of(path)
}

/// The mount that an absolute path leads to, when that can hang. Links are followed as far as the
/// way to them cannot hang.
pub fn hanging_behind(path: &Path) -> Option<Arc<Mount>> {
    let table = table()?;
    let mut at = PathBuf::from("/");
    let mut todo: Vec<OsString> = parts(path);
    let mut hops = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        if let Some(mount) = table.of(&at) {
            return Some(mount);
        }
        if let Ok(target) = std::fs::read_link(&at) {
            hops += 1;
            if hops > MAX_HOPS {
                return None;
            }
            at.pop();
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            todo.extend(parts(&target));
        }
    }
    None
}

/// The names of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    let parts = parts.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Lets this thread open nothing that can hang from now on.
pub fn guard_this_thread() {
    IS_GUARDED.set(true);
}

/// Returns true if this thread is guarded.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// Refuses a path that can hang on a thread that is guarded; by the text of the path.
///
/// # Errors
/// `TimedOut`, with the mount in the text.
pub fn check(path: &Path) -> io::Result<()> {
    check_by(path, hanging)
}

/// [`check`] of where a path leads.
///
/// # Errors
/// As [`check`].
pub fn check_behind(path: &Path) -> io::Result<()> {
    check_by(path, hanging_behind)
}

fn check_by(path: &Path, find: fn(&Path) -> Option<Arc<Mount>>) -> io::Result<()> {
    if !any_can_hang() || !is_guarded() {
        return Ok(());
    }
    match find(path) {
        None => Ok(()),
        Some(mount) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("{} ({}) may not answer", mount.path.display(), mount.kind),
        )),
    }
}

/// Reads what is mounted, and again whenever that changes, on a thread that sleeps in between.
pub fn watch() {
    #[cfg(target_os = "linux")]
    {
        let Some(file) = linux::read() else {
            return;
        };
        // Without the thread what is mounted later is not known.
        let _ = std::thread::Builder::new()
            .name("mounts".into())
            .spawn(move || linux::follow(&file));
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{Read, Seek};
    use std::sync::atomic::Ordering;
    use std::sync::{Arc, PoisonError};

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    use super::{ANY, TABLE, Table};

    /// Longest list of mounts that is read, in bytes.
    const MAX_BYTES: u64 = 16 * 1024 * 1024;

    /// Reads what is mounted. The file tells of changes for as long as it is open.
    #[expect(clippy::disallowed_methods, reason = "a file of /proc")]
    pub(super) fn read() -> Option<File> {
        let file = File::open("/proc/self/mountinfo").ok()?;
        take(&file)?;
        Some(file)
    }

    fn take(mut file: &File) -> Option<()> {
        let mut text = Vec::new();
        file.rewind().ok()?;
        file.take(MAX_BYTES).read_to_end(&mut text).ok()?;
        let table = Table::parse(&text);
        let any = table.0.values().any(Option::is_some);
        let mut known = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        *known = any.then(|| Arc::new(table));
        ANY.store(any, Ordering::Release);
        Some(())
    }

    /// Reads it again whenever something is mounted or unmounted.
    pub(super) fn follow(file: &File) {
        loop {
            let mut changes = [PollFd::new(file, PollFlags::PRI)];
            match poll(&mut changes, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            if take(file).is_none() {
                return;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &[u8] = b"22 27 0:21 / /proc rw,relatime - proc proc rw\n\
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
        40 27 0:39 / /net/home rw - nfs4 server:/home rw,hard\n\
        41 40 0:40 / /net/home/me/tmp rw - tmpfs none rw\n\
        42 27 0:41 / /mnt/two\\040words rw - fuse.sshfs a:b rw\n\
        43 27 0:42 / /run/user/1/doc rw - fuse.portal portal rw\n\
        44 27 0:43 / /data rw - fuse.sshfs a:c rw\n\
        45 27 254:1 / /data rw - ext4 /dev/vdb rw\n\
        x y\n";

    #[test]
    fn the_nearest_mount_decides() {
        let table = Table::parse(TEXT);
        let kind = |path: &str| table.of(Path::new(path)).map(|m| (m.id, m.kind.clone()));
        assert_eq!(kind("/net/home/me/repo"), Some((40, "nfs4".to_owned())));
        assert_eq!(kind("/net/home"), Some((40, "nfs4".to_owned())));
        assert_eq!(
            kind("/mnt/two words/x"),
            Some((42, "fuse.sshfs".to_owned()))
        );
        for path in [
            "/net/home/me/tmp/x",
            "/net/homes",
            "/home/me",
            "/run/user/1/doc/x",
            "/data/x",
            "/",
        ] {
            assert_eq!(kind(path), None, "{path}");
        }
        // Where all hangs, nothing does.
        let root = Table::parse(b"1 1 0:1 / / rw - fuse.fuse-overlayfs none rw\n");
        assert!(root.of(Path::new("/home")).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_a_table(text in proptest::collection::vec(any::<u8>(), 0..300)) {
            Table::parse(&text);
            let lossy = String::from_utf8_lossy(&text).replace(|c: char| !c.is_ascii_digit(), " ");
            Table::parse(lossy.as_bytes());
        }
    }
}
