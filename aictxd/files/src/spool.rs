//! The spool: events that no daemon recorded yet, one sealed file each, in the order in which they
//! happened.
//!
//! A file is named `<nanoseconds since the epoch>-<process id>.event` and holds a request line
//! sealed with the user's key. A spool may lie inside a repository: nothing in it can be read
//! without the key, and an event that a repository brings along does not open. Files are written
//! aside and renamed, so that nobody reads half of one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::beneath;
use crate::key::UserKey;
use crate::mounts;
use crate::private;

/// Most events that one spool holds; more are lost and counted.
pub const MAX_EVENTS: usize = 5_000;
/// Most bytes that one spool holds before large events are lost and counted.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Events up to this many bytes are bounded by their number alone.
const SMALL_EVENT: usize = 64 * 1024;
/// Most bytes of an event's file: the longest request line and what sealing adds.
pub const MAX_EVENT: u64 = 16 * 1024 * 1024 + 1024;
/// Events that could not be taken in and are kept for inspection; older ones make room.
const MAX_REJECTED: usize = 100;
/// Events that wait for longer than this, rejected ones too, are removed.
pub const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3_600);
/// A draft older than this has lost its writer.
const DRAFT_AGE: Duration = Duration::from_secs(3_600);
/// End of an event's file name.
pub const SUFFIX: &str = ".event";
/// Directory of rejected events.
const REJECTED: &str = "rejected";
/// File whose size counts the events that found no place.
const LOST: &str = "lost";
/// Most lost events that are counted.
const MAX_COUNT: u64 = 1_000_000;
/// Purpose of the key.
const PURPOSE: &str = "aictx spool";

/// Places in which an event can wait, in the order in which they are tried.
#[derive(Debug, Clone)]
pub struct Places {
    /// The user's state directory; it holds the key, a spool and the count of lost events.
    pub state: PathBuf,
    /// The repository's memory (`.aictx`), where it is known.
    pub memory: Option<PathBuf>,
    /// A private directory beside the daemon's socket.
    pub runtime: PathBuf,
}

impl Places {
    /// Keeps an event in the first place that takes it: a sandbox may forbid the state directory, a
    /// disk may be full.
    ///
    /// # Errors
    /// When none takes it: why the first did not.
    pub fn keep(&self, event: &[u8]) -> io::Result<()> {
        let key = UserKey::load_or_create(&self.state);
        let in_state = (key.as_ref())
            .map_err(|e| io::Error::new(e.kind(), e.to_string()))
            .and_then(|key| Spool::private(&self.state.join("spool"))?.put(key, event));
        let Err(why) = in_state else {
            return Ok(());
        };
        // The runtime directory's own key may be gone tomorrow, a repository is not.
        if let (Ok(key), Some(memory)) = (&key, &self.memory)
            && Spool::in_memory(memory, true)
                .and_then(|spool| spool.put(key, event))
                .is_ok()
        {
            return Ok(());
        }
        let in_runtime = Spool::private(&self.runtime).and_then(|spool| match &key {
            Ok(key) => spool.put(key, event),
            Err(_) => spool.put(&UserKey::load_or_create(&self.runtime)?, event),
        });
        in_runtime.map_err(|_| why)
    }

    /// The keys that open what waits.
    pub fn keys(&self) -> Vec<UserKey> {
        let keys = [&self.state, &self.runtime].map(|place| UserKey::load(place).ok().flatten());
        keys.into_iter().flatten().collect()
    }

    /// The spools that exist or can be made.
    fn spools(&self, make: bool) -> impl Iterator<Item = Spool> {
        let private = [self.state.join("spool"), self.runtime.clone()];
        let private = private.map(|path| match make {
            true => Spool::private(&path),
            false => Spool::open(&path),
        });
        let in_memory = self.memory.iter().map(move |m| Spool::in_memory(m, make));
        private.into_iter().chain(in_memory).flatten()
    }

    /// Counts a lost event in every place that can be written; whether any could.
    pub fn count_lost(&self) -> bool {
        self.spools(true)
            .filter(|spool| spool.count_lost().is_ok())
            .count()
            > 0
    }

    /// Events that were lost: every place that could be written counts them all.
    pub fn lost(&self) -> u64 {
        self.spools(false)
            .map(|spool| spool.len(LOST).unwrap_or(0))
            .max()
            .unwrap_or(0)
    }
}

/// One open spool directory.
#[derive(Debug)]
pub struct Spool {
    fd: OwnedFd,
    path: PathBuf,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

impl Spool {
    /// Opens the spool in a private directory, making it where it is missing.
    ///
    /// # Errors
    /// When the directory cannot be made or is not this user's alone.
    pub fn private(path: &Path) -> io::Result<Self> {
        private::directory(path)?;
        Self::open(path)
    }

    /// Opens a spool that exists.
    ///
    /// # Errors
    /// `NotFound` when there is none; when it is not a directory of this user.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(unlinked(path)?, path.to_owned())
    }

    /// Opens the spool of a memory directory (`.aictx`), making it on demand. No symbolic link is
    /// followed: where a repository puts one, there is no spool.
    ///
    /// # Errors
    /// `NotFound` when there is none and none is to be made; links; as the system reports them.
    pub fn in_memory(memory: &Path, make: bool) -> io::Result<Self> {
        let above = unlinked(memory)?;
        if make {
            match rustix::fs::mkdirat(&above, "spool", Mode::from_raw_mode(0o700)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(e.into()),
            }
        }
        let fd = beneath::open(&above, "spool", DIRECTORY, Mode::empty())?;
        Self::of(fd, memory.join("spool"))
    }

    fn of(fd: OwnedFd, path: PathBuf) -> io::Result<Self> {
        let user = rustix::process::geteuid().as_raw();
        match rustix::fs::fstat(&fd)?.st_uid == user {
            true => Ok(Self { fd, path }),
            false => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{} belongs to another user", path.display()),
            )),
        }
    }

    /// Directory of the spool.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Seals an event and keeps it. Linear in the number of events that wait.
    ///
    /// # Errors
    /// When the spool is full or cannot be written.
    pub fn put(&self, key: &UserKey, event: &[u8]) -> io::Result<()> {
        let waiting = self.names()?;
        let is_large = event.len() > SMALL_EVENT;
        let bytes = || -> u64 { waiting.iter().filter_map(|name| self.len(name)).sum() };
        if waiting.len() >= MAX_EVENTS || is_large && bytes() + event.len() as u64 > MAX_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::QuotaExceeded,
                format!("{} is full", self.path.display()),
            ));
        }
        let sealed = key.seal(PURPOSE, event)?;
        // Names are the order of events; a clock that was set back must not change it.
        let last = waiting.last().and_then(|name| sequence(name)).unwrap_or(0);
        let number = unix_nanos(SystemTime::now()).max(last.saturating_add(1));
        let name = format!("{number:020}-{}{SUFFIX}", std::process::id());
        let draft = format!(".{name}.tmp");
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mode = Mode::from_raw_mode(0o600);
        let mut file = File::from(beneath::open(&self.fd, &draft, flags, mode)?);
        let written = file
            .write_all(&sealed)
            .and_then(|()| Ok(rustix::fs::renameat(&self.fd, &draft, &self.fd, &name)?));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.fd, &draft, AtFlags::empty());
        }
        written
    }

    /// Names of the events that wait, oldest first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        names_in(&self.fd, |name| {
            !name.starts_with('.') && name.ends_with(SUFFIX)
        })
    }

    /// Reads and opens an event. `None` when none of the keys opens it: it is damaged, or nobody
    /// of this user wrote it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, keys: &[UserKey], name: &str) -> io::Result<Option<Vec<u8>>> {
        let file = match beneath::open(&self.fd, name, OFlags::RDONLY, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(Errno::LOOP | Errno::NXIO) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let mut sealed = Vec::new();
        file.take(MAX_EVENT + 1).read_to_end(&mut sealed)?;
        if sealed.len() as u64 > MAX_EVENT {
            return Ok(None);
        }
        Ok(keys.iter().find_map(|key| key.open(PURPOSE, &sealed)))
    }

    /// Opens the file whose lock is held by whoever takes events out.
    ///
    /// # Errors
    /// When the spool cannot be written.
    pub fn lock_file(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        let mode = Mode::from_raw_mode(0o600);
        Ok(beneath::open(&self.fd, ".lock", flags, mode)?.into())
    }

    /// Removes an event.
    pub fn remove(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.fd, name, AtFlags::empty());
    }

    /// Moves an event to the rejected ones, sealed as it is; the oldest of those make room.
    pub fn reject(&self, name: &str) {
        let _ = rustix::fs::mkdirat(&self.fd, REJECTED, Mode::from_raw_mode(0o700));
        let Ok(aside) = beneath::open(&self.fd, REJECTED, DIRECTORY, Mode::empty()) else {
            return self.remove(name);
        };
        for old in rejected(&aside).iter().rev().skip(MAX_REJECTED - 1) {
            let _ = rustix::fs::unlinkat(&aside, old, AtFlags::empty());
        }
        if rustix::fs::renameat(&self.fd, name, &aside, name).is_err() {
            self.remove(name);
        }
    }

    /// Removes old rejected events, and drafts that have lost their writer.
    pub fn tidy(&self, now: SystemTime) {
        if let Ok(aside) = beneath::open(&self.fd, REJECTED, DIRECTORY, Mode::empty()) {
            let old = rejected(&aside).into_iter();
            for old in old.filter(|name| is_expired(&aside, name, now)) {
                let _ = rustix::fs::unlinkat(&aside, &old, AtFlags::empty());
            }
        }
        let drafts = names_in(&self.fd, |n| n.starts_with('.') && n.ends_with(".tmp"));
        for draft in drafts.unwrap_or_default() {
            if is_older(draft.trim_start_matches('.'), now, DRAFT_AGE) {
                self.remove(&draft);
            }
        }
    }

    /// Returns true if an event is older than [`MAX_AGE`], by its name and by its file: a clock may have
    /// jumped in between.
    pub fn is_expired(&self, name: &str, now: SystemTime) -> bool {
        is_expired(&self.fd, name, now)
    }

    fn count_lost(&self) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        let fd = beneath::open(&self.fd, LOST, flags, Mode::from_raw_mode(0o600))?;
        if self.len(LOST).unwrap_or(0) < MAX_COUNT {
            rustix::io::write(&fd, b".")?;
        }
        Ok(())
    }

    /// Size of a plain file.
    fn len(&self, name: &str) -> Option<u64> {
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        is_file.then(|| u64::try_from(stat.st_size).unwrap_or(0))
    }
}

/// Opens a directory that is no symbolic link, and not on a file system that can hang where this
/// thread may not wait.
fn unlinked(path: &Path) -> io::Result<OwnedFd> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    mounts::check(path)?;
    let above = beneath::hold(above)?;
    Ok(beneath::open(&above, name, DIRECTORY, Mode::empty())?)
}

/// Names in a directory that `wanted` accepts, sorted.
fn names_in(directory: &OwnedFd, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let again = beneath::open(directory, "", DIRECTORY, Mode::empty())?;
    let mut found = Vec::new();
    for entry in Dir::new(again)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().to_str()
            && wanted(name)
        {
            found.push(name.to_owned());
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn rejected(aside: &OwnedFd) -> Vec<String> {
    names_in(aside, |name| name.ends_with(SUFFIX)).unwrap_or_default()
}

/// The number that an event's name begins with: nanoseconds since the epoch, about.
pub fn sequence(name: &str) -> Option<u64> {
    name.split_once('-')?
        .0
        .parse()
        .ok()
        .filter(|n| *n < u64::MAX)
}

fn is_expired(directory: &OwnedFd, name: &str, now: SystemTime) -> bool {
    let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
    let written = stat.map_or(0, |stat| u64::try_from(stat.st_mtime).unwrap_or(0));
    let now_seconds = unix_nanos(now) / 1_000_000_000;
    is_older(name, now, MAX_AGE) && written.saturating_add(MAX_AGE.as_secs()) < now_seconds
}

fn is_older(name: &str, now: SystemTime, age: Duration) -> bool {
    let age = u64::try_from(age.as_nanos()).unwrap_or(u64::MAX);
    sequence(name).is_none_or(|at| at.saturating_add(age) < unix_nanos(now))
}

fn unix_nanos(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn waiting(spool: &Spool, key: &UserKey) -> Vec<String> {
        let names = spool.names().unwrap();
        let read = |name: &String| spool.read(std::slice::from_ref(key), name).unwrap();
        let text = |event: Option<Vec<u8>>| String::from_utf8(event.unwrap()).unwrap();
        names.iter().map(read).map(text).collect()
    }

    #[test]
    fn events_come_back_in_order_and_only_with_the_key() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::private(&dir.path().join("spool")).unwrap();
        let (key, other) = (UserKey::ephemeral().unwrap(), UserKey::ephemeral().unwrap());
        for n in 0..20 {
            spool.put(&key, format!("secret {n}").as_bytes()).unwrap();
        }
        let expected: Vec<String> = (0..20).map(|n| format!("secret {n}")).collect();
        assert_eq!(waiting(&spool, &key), expected);
        let first = spool.names().unwrap().remove(0);
        assert_eq!(
            spool.read(std::slice::from_ref(&other), &first).unwrap(),
            None
        );
        assert!(spool.read(&[other, key], &first).unwrap().is_some());
        let raw = std::fs::read(spool.path().join(&first)).unwrap();
        assert!(!raw.windows(6).any(|bytes| bytes == b"secret"));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_change_the_order() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::private(&dir.path().join("spool")).unwrap();
        let key = UserKey::ephemeral().unwrap();
        let future = unix_nanos(SystemTime::now()) + 1_000_000_000_000;
        std::fs::write(spool.path().join(format!("{future:020}-1{SUFFIX}")), "").unwrap();
        spool.put(&key, b"later").unwrap();
        let names = spool.names().unwrap();
        assert_eq!(
            names.iter().filter_map(|n| sequence(n)).max(),
            Some(future + 1)
        );
    }

    #[test]
    fn an_event_waits_wherever_it_can() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places {
            state: dir.path().join("state"),
            memory: Some(dir.path().join("memory")),
            runtime: dir.path().join("runtime"),
        };
        std::fs::create_dir(places.memory.as_ref().unwrap()).unwrap();
        let count = |spool: io::Result<Spool>| spool.map_or(0, |s| s.names().unwrap().len());
        let waiting = || {
            [
                count(Spool::open(&places.state.join("spool"))),
                count(Spool::in_memory(places.memory.as_ref().unwrap(), false)),
                count(Spool::open(&places.runtime)),
            ]
        };
        places.keep(b"1").unwrap();
        assert_eq!(waiting(), [1, 0, 0]);
        // A file in the place of a directory takes nothing, whoever runs the test.
        std::fs::remove_dir_all(places.state.join("spool")).unwrap();
        std::fs::write(places.state.join("spool"), "").unwrap();
        places.keep(b"2").unwrap();
        assert_eq!(waiting(), [0, 1, 0]);
        // Without a key that lasts nothing goes into the repository.
        std::fs::remove_dir_all(&places.state).unwrap();
        std::fs::write(&places.state, "").unwrap();
        places.keep(b"3").unwrap();
        assert_eq!(waiting(), [0, 1, 1]);
        std::fs::remove_dir_all(&places.runtime).unwrap();
        std::fs::write(&places.runtime, "").unwrap();
        assert!(places.keep(b"4").is_err());
        assert!(places.count_lost() && places.count_lost());
        assert_eq!(places.lost(), 2, "the repository's spool counts them");
    }

    #[test]
    fn what_a_repository_brings_is_not_an_event() {
        let dir = tempfile::tempdir().unwrap();
        let memory = dir.path().join(".aictx");
        std::fs::create_dir(&memory).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, memory.join("spool")).unwrap();
        assert!(Spool::in_memory(&memory, true).is_err());
        std::fs::remove_file(memory.join("spool")).unwrap();
        let spool = Spool::in_memory(&memory, true).unwrap();
        let keys = [UserKey::ephemeral().unwrap()];
        std::fs::write(spool.path().join("1-1.event"), "{}").unwrap();
        std::os::unix::fs::symlink("/dev/zero", spool.path().join("2-1.event")).unwrap();
        std::fs::create_dir(spool.path().join("3-1.event")).unwrap();
        for name in spool.names().unwrap() {
            assert_eq!(spool.read(&keys, &name).unwrap(), None, "{name}");
            spool.reject(&name);
        }
        assert!(spool.names().unwrap().is_empty());
    }

    #[test]
    fn rejected_events_and_drafts_go_with_time_and_waiting_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::private(&dir.path().join("spool")).unwrap();
        let key = UserKey::ephemeral().unwrap();
        let in_directory = |name| std::fs::read_dir(spool.path().join(name)).unwrap().count();
        spool.put(&key, b"rejected").unwrap();
        spool.reject(&spool.names().unwrap().remove(0));
        spool.put(&key, b"waiting").unwrap();
        std::fs::write(spool.path().join(".1-1.event.tmp"), "").unwrap();
        spool.tidy(SystemTime::now());
        assert_eq!((in_directory(REJECTED), in_directory("")), (1, 2));
        let later = SystemTime::now() + MAX_AGE + DRAFT_AGE;
        spool.tidy(later);
        assert_eq!((in_directory(REJECTED), in_directory("")), (0, 2));
        assert_eq!(waiting(&spool, &key), ["waiting"]);
        let name = spool.names().unwrap().remove(0);
        assert!(spool.is_expired(&name, later) && !spool.is_expired(&name, SystemTime::now()));
    }
}
