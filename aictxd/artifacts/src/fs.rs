//! The only place that talks to the file system about `.aictx/`.
//!
//! Everything is relative to one open directory; no name below it may pass a symbolic link. Every
//! mutation passes a point of [`crate::fault`].

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use aictx_files::beneath;
use aictx_proto::record::files;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::error::StoreError;
use crate::fault::{Fate, Op, hit};
use crate::trust::{LOCAL, Names, Proofs, Trust};

mod dir_handles;
mod opened;
// Files without a name are Linux's.
mod deferred_sync;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod spare;

pub(crate) use aictx_files::range::{is_line_end, read_of, read_range};
pub(crate) use deferred_sync::{Syncs, put_off, sync};
pub(crate) use dir_handles::kept_open;
pub use opened::Stamp;
pub(crate) use opened::{Opened, len, stamp_of};
use spare::Spares;

/// To look at a file's end and write behind it.
const APPENDING: OFlags = OFlags::RDWR.union(OFlags::APPEND);
/// Name of the directory.
pub(crate) const DIR: &str = ".aictx";
/// End of the name of a file that is about to replace another.
const TEMP: &str = ".aictx-tmp";

/// Returns true if a file of this name is what an interrupted replacement left.
pub(crate) fn is_draft(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(TEMP)
}

/// Refuses names that are not plain and relative.
pub(crate) fn check(rel: &str) -> io::Result<()> {
    let plain = |s: &str| !s.is_empty() && s != "." && s != ".." && s.len() <= 240;
    if rel.len() <= 1024 && !rel.contains(['\0', '\\']) && rel.split('/').all(plain) {
        Ok(())
    } else {
        Err(io::Error::from(io::ErrorKind::InvalidInput))
    }
}

fn split(rel: &str) -> (&str, &str) {
    rel.rsplit_once('/').unwrap_or(("", rel))
}

/// Ledgers, intents, rescued content and what has no other place are for the user alone.
fn is_private(rel: &str) -> bool {
    if rel.starts_with(LOCAL) {
        return true;
    }
    let rel = rel.strip_prefix("archive/").unwrap_or(rel);
    // The draft of a file is as private as the file.
    let rel = rel.strip_prefix('.').unwrap_or(rel);
    ["sessions", "journal", "quarantine"]
        .iter()
        .filter_map(|dir| rel.strip_prefix(dir))
        .any(|rest| rest.is_empty() || rest.starts_with(['/', '-']))
}

fn file_mode(rel: &str) -> Mode {
    Mode::from_raw_mode(if is_private(rel) { 0o600 } else { 0o666 })
}

/// One open `.aictx` directory.
#[derive(Debug)]
pub(crate) struct Root {
    fd: OwnedFd,
    path: PathBuf,
    name: String,
    id: (u64, u64),
    spares: Spares,
    /// A file was seen that has other names.
    other_names: AtomicBool,
    trust: Arc<Trust>,
    names: RwLock<Arc<Names>>,
    pub(crate) proofs: Proofs,
}

/// Most entries of the directory of its own files that are looked at.
const MAX_LOCAL_FILES: usize = 4_096;

#[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

impl Root {
    /// Opens `<repo>/.aictx`; `repo` itself may be reached through links, the directory may not.
    pub(crate) fn open(repo: &Path, trust: &Arc<Trust>) -> Result<Self, StoreError> {
        Self::open_below(repo, DIR, trust)
    }

    /// Opens a directory below `repo`, as [`open`](Self::open) does; the empty name is `repo` itself.
    pub(crate) fn open_below(
        repo: &Path,
        directory: &str,
        trust: &Arc<Trust>,
    ) -> Result<Self, StoreError> {
        let path = repo.join(directory);
        let missing = |e: Errno| match e {
            Errno::NOENT => StoreError::NotInitialised {
                path: repo.to_owned(),
            },
            Errno::NOTDIR | Errno::LOOP => StoreError::UnsafePath {
                path: path.clone(),
                why: "it is not a directory, or a link to one",
            },
            e => StoreError::at(path.clone(), e.into()),
        };
        let parent = beneath::directory(repo).map_err(missing)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let fd = beneath::open(&parent, directory, flags, Mode::empty()).map_err(missing)?;
        let stat = rustix::fs::fstat(&fd).map_err(missing)?;
        let root = Self {
            id: identity(&stat),
            fd,
            path,
            name: directory.to_owned(),
            spares: Spares::default(),
            other_names: AtomicBool::new(false),
            names: RwLock::new(Arc::new(Names::new(trust))),
            trust: Arc::clone(trust),
            proofs: Proofs::default(),
        };
        root.renew_names();
        Ok(root)
    }

    /// The directory anew, which may be another one by now.
    pub(crate) fn reopened(&self, repo: &Path, trust: &Arc<Trust>) -> Result<Self, StoreError> {
        Self::open_below(repo, &self.name, trust)
    }

    /// The user's key, and what git tracks.
    pub(crate) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// The names of files as they were when git was asked last.
    pub(crate) fn names(&self) -> Arc<Names> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&names)
    }

    /// Asks git again which files it tracks; gives the [edition](Names::edition) of the names.
    pub(crate) fn renew_names(&self) -> u64 {
        let names = self.names();
        let list = |local: &str| self.files_below(local);
        let Some(renewed) = names.renewed(&self.trust, list) else {
            return names.edition;
        };
        let edition = renewed.edition;
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(renewed);
        edition
    }

    /// Files below a directory, relative to it.
    fn files_below(&self, directory: &str) -> std::collections::BTreeSet<String> {
        let mut found = std::collections::BTreeSet::new();
        let mut pending = vec![directory.to_owned()];
        while let Some(dir) = pending.pop() {
            for name in self.list(&dir, MAX_LOCAL_FILES).unwrap_or_default() {
                let path = join(&dir, &name);
                let is_file = |stamp: &Stamp| stamp.is_file;
                if found.len() + pending.len() >= MAX_LOCAL_FILES {
                    return found;
                }
                match self.stamp(&path) {
                    Ok(Some(stamp)) if is_file(&stamp) => {
                        let inside = path.strip_prefix(directory).unwrap_or_default();
                        found.insert(inside.trim_start_matches('/').to_owned());
                    }
                    Ok(Some(_)) => pending.push(path),
                    _ => {}
                }
            }
        }
        found
    }

    /// Makes `<repo>/.aictx` if it is not there and opens it.
    pub(crate) fn create(repo: &Path, trust: &Arc<Trust>) -> Result<Self, StoreError> {
        let path = repo.join(DIR);
        let made = point(Op::Mkdir, DIR)
            .and_then(|()| Ok(rustix::fs::mkdir(&path, Mode::from_raw_mode(0o777))?));
        match made {
            Ok(()) => {
                let parent = beneath::directory(repo).map_err(io::Error::from);
                let synced = parent.and_then(|parent| sync(File::from(parent), ""));
                synced.map_err(|e| StoreError::at(path, e))?;
                Self::open(repo, trust)
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Self::open(repo, trust),
            Err(e) => Err(StoreError::at(path, e)),
        }
    }

    /// The directory.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Its number in its file system.
    pub(crate) fn inode(&self) -> u64 {
        self.id.1
    }

    /// Which directory it is, whatever its name.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn id(&self) -> (u64, u64) {
        self.id
    }

    /// Returns true if one of the files that were asked for since this was asked last has other names.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn saw_other_names(&self) -> bool {
        self.other_names.swap(false, Ordering::Relaxed)
    }

    /// Returns true if the name still leads to this directory (it may have been removed and made again).
    pub(crate) fn is_current(&self) -> bool {
        rustix::fs::lstat(&self.path).is_ok_and(|stat| identity(&stat) == self.id)
    }

    /// Absolute path of a file below, for messages.
    pub(crate) fn path(&self, rel: &str) -> PathBuf {
        self.path.join(&*self.names().file(rel))
    }

    /// Wraps an error of the system.
    pub(crate) fn error(&self, rel: &str, e: io::Error) -> StoreError {
        StoreError::at(self.path(rel), e)
    }

    /// Opens a name below without passing any link.
    fn open_at(&self, rel: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        if !rel.is_empty() {
            check(rel)?;
        }
        Ok(beneath::open(&self.fd, rel, flags, mode)?)
    }

    fn open_file(&self, rel: &str, flags: OFlags) -> io::Result<Opened> {
        self.open_named(&self.names().file(rel), flags)
    }

    /// [`open_file`](Self::open_file) under the very name.
    fn open_named(&self, rel: &str, flags: OFlags) -> io::Result<Opened> {
        let file = File::from(self.open_at(rel, flags, file_mode(rel))?);
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok(Opened { file, stat })
    }

    /// A directory below; while they are [kept open](kept_open), the same for the same name.
    fn open_dir(&self, rel: &str) -> io::Result<Arc<File>> {
        let names = self.names();
        let rel = &*names.directory(rel);
        dir_handles::known(self.id, rel, || {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            Ok(File::from(self.open_at(rel, flags, Mode::empty())?))
        })
    }

    /// Opens a plain file for reading; `None` when it is not there.
    pub(crate) fn read_if_there(&self, rel: &str) -> io::Result<Option<File>> {
        Ok(self.open_if_there(rel)?.map(|opened| opened.file))
    }

    /// The same, with how it looked.
    pub(crate) fn open_if_there(&self, rel: &str) -> io::Result<Option<Opened>> {
        match self.open_file(rel, OFlags::RDONLY) {
            Err(e) if is_missing(&e) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Opens the repository's file in the place of one of this machine's own.
    pub(crate) fn open_foreign(&self, rel: &str) -> io::Result<Option<Opened>> {
        if !self.names().is_foreign(rel) {
            return Ok(None);
        }
        match self.open_named(rel, OFlags::RDONLY) {
            Err(e) if is_missing(&e) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns true if a file is there; as [`open_if_there`](Self::open_if_there), it is an error if that is no plain one.
    pub(crate) fn is_there(&self, rel: &str) -> io::Result<bool> {
        match self.stamp(rel)? {
            None => Ok(false),
            Some(stamp) if stamp.is_file => Ok(true),
            // Opening it says what is wrong.
            Some(_) => Ok(self.open_if_there(rel)?.is_some()),
        }
    }

    /// State of a file, not following a link at its end; `None` when nothing is there.
    pub(crate) fn stamp(&self, rel: &str) -> io::Result<Option<Stamp>> {
        self.stamp_named(&self.names().file(rel))
    }

    /// State of a directory.
    pub(crate) fn stamp_directory(&self, rel: &str) -> io::Result<Option<Stamp>> {
        self.stamp_named(&self.names().directory(rel))
    }

    /// State of what the repository brought in the place of one of this machine's own files.
    pub(crate) fn stamp_foreign(&self, rel: &str) -> io::Result<Option<Stamp>> {
        match self.names().is_foreign(rel) {
            true => self.stamp_named(rel),
            false => Ok(None),
        }
    }

    fn stamp_named(&self, rel: &str) -> io::Result<Option<Stamp>> {
        match rustix::fs::statat(&self.fd, rel, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let stamp = Stamp::of(&stat);
                if stamp.is_file && stat.st_nlink > 1 {
                    self.other_names.store(true, Ordering::Relaxed);
                }
                Ok(Some(stamp))
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Names in a directory, sorted, at most `limit`; a missing directory is empty.
    pub(crate) fn list(&self, rel: &str, limit: usize) -> io::Result<Vec<String>> {
        self.list_named(&self.names().directory(rel), limit)
    }

    /// [`list`](Self::list) under the very name.
    fn list_named(&self, rel: &str, limit: usize) -> io::Result<Vec<String>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let fd = match self.open_at(rel, flags, Mode::empty()) {
            Err(e) if is_missing(&e) => return Ok(Vec::new()),
            other => other?,
        };
        let mut names = Vec::new();
        for entry in Dir::new(fd)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
                if names.len() >= limit {
                    break;
                }
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Makes a directory and its parents, each durable in its parent.
    pub(crate) fn make_dirs(&self, rel: &str) -> io::Result<()> {
        let names = self.names();
        let rel = &*names.directory(rel);
        if rel.is_empty() {
            return Ok(());
        }
        match self.open_dir(rel) {
            Ok(_) => return Ok(()),
            Err(e) if is_missing(&e) => {}
            Err(e) => return Err(e),
        }
        let (parent, name) = split(rel);
        self.make_dirs(parent)?;
        let fd = self.open_dir(parent)?;
        let mode = Mode::from_raw_mode(if is_private(rel) { 0o700 } else { 0o777 });
        point(Op::Mkdir, rel)?;
        match rustix::fs::mkdirat(&fd, name, mode) {
            Ok(()) => sync(fd, parent),
            Err(Errno::EXIST) => self.open_dir(rel).map(|_| ()),
            Err(e) => Err(e.into()),
        }
    }

    /// Opens a file for appending (and looking at its end), with its length; the last value says whether it is
    /// new, in which case its directory has to be made durable for the name to last.
    pub(crate) fn append_handle(&self, rel: &str) -> io::Result<(File, u64, bool)> {
        let names = self.names();
        let rel = &*names.file(rel);
        let flags = APPENDING;
        match self.open_file(rel, flags) {
            Err(e) if is_missing(&e) => {}
            Err(e) => return Err(e),
            Ok(opened) => {
                let len = opened.len();
                return Ok((opened.file, len, false));
            }
        }
        self.make_dirs(split(rel).0)?;
        point(Op::Create, rel)?;
        if let Some(spare) = self.spares.take()
            && self.name(&spare, rel).is_ok()
            && rustix::fs::fcntl_setfl(spare.file(), OFlags::APPEND | OFlags::NONBLOCK).is_ok()
        {
            return Ok((spare.into_file(), 0, true));
        }
        let opened = self.open_file(rel, flags | OFlags::CREATE)?;
        let len = opened.len();
        Ok((opened.file, len, true))
    }

    /// Opens a plain file for appending (and looking at its end); `None` when it is not there.
    pub(crate) fn open_to_append(&self, rel: &str) -> io::Result<Option<File>> {
        match self.open_file(rel, APPENDING) {
            Err(e) if is_missing(&e) => Ok(None),
            other => other.map(|opened| Some(opened.file)),
        }
    }

    /// Opens the lock file.
    pub(crate) fn lock_file(&self, rel: &str) -> io::Result<File> {
        let names = self.names();
        let rel = &*names.file(rel);
        self.make_dirs(split(rel).0)?;
        Ok(self.open_file(rel, OFlags::RDWR | OFlags::CREATE)?.file)
    }

    /// Creates a file that must not exist, with this content, durable itself (not yet its name).
    /// What was written of it is removed on failure.
    pub(crate) fn create_new(&self, rel: &str, bytes: &[u8]) -> io::Result<()> {
        self.create_with(rel, &|_| Cow::Borrowed(bytes))
    }

    /// [`create_new`](Self::create_new) with content that depends on the inode of the file.
    pub(crate) fn create_with<'b>(
        &self,
        rel: &str,
        content: &dyn Fn(u64) -> Cow<'b, [u8]>,
    ) -> io::Result<()> {
        let names = self.names();
        self.create_named(&names.file(rel), content)
    }

    fn create_named<'b>(
        &self,
        rel: &str,
        content: &dyn Fn(u64) -> Cow<'b, [u8]>,
    ) -> io::Result<()> {
        if let Some(spare) = self.spares.take()
            && let Some(done) = self.create_of(spare, rel, content)
        {
            return done;
        }
        point(Op::Create, rel)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let Opened { mut file, stat } = self.open_named(rel, flags)?;
        let bytes = content(Stamp::of(&stat).inode);
        let written = write(&mut file, &bytes, rel).and_then(|()| sync(file, rel));
        if written.is_err() {
            let _ = self.unlink_named(rel);
        }
        written
    }

    /// Puts `bytes` in the place of `rel`: old or new content, never a mixture, durable except for
    /// the directory entry. An existing file keeps its permissions.
    pub(crate) fn replace(&self, rel: &str, bytes: &[u8]) -> io::Result<()> {
        let old = self.open_if_there(rel)?;
        self.replace_seen(rel, bytes, old.map(|old| old.mode()))
    }

    /// [`replace`](Self::replace) of a file that was looked at and has this mode; none where it was not there.
    pub(crate) fn replace_seen(
        &self,
        rel: &str,
        bytes: &[u8],
        mode: Option<Mode>,
    ) -> io::Result<()> {
        let names = self.names();
        let rel = &*names.file(rel);
        let (parent, name) = split(rel);
        self.make_dirs(parent)?;
        let temp_name = draft_name(&names, parent, name);
        let temp = join(parent, &temp_name);
        let content = |_| Cow::Borrowed(bytes);
        match self.create_named(&temp, &content) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                self.unlink_named(&temp)?;
                self.create_named(&temp, &content)?;
            }
            done => done?,
        }
        let moved = (|| {
            let fd = self.open_dir(parent)?;
            if let Some(mode) = mode {
                rustix::fs::chmodat(&fd, temp_name.as_str(), mode, AtFlags::empty())?;
            }
            point(Op::Rename, rel)?;
            if mode.is_some() {
                deferred_sync::going(&fd, name);
            }
            rustix::fs::renameat(&fd, temp_name.as_str(), &fd, name)?;
            Ok(())
        })();
        if moved.is_err() {
            let _ = self.unlink_named(&temp);
        }
        moved
    }

    /// Writes `bytes` over the file itself, where it is there and nobody else's under another name;
    /// whether it was. Who reads meanwhile may see a mixture, and so may all if it is interrupted.
    pub(crate) fn overwrite(&self, rel: &str, bytes: &[u8]) -> io::Result<bool> {
        let Opened { mut file, stat } = match self.open_file(rel, OFlags::RDWR) {
            // Not to be opened for writing is not the end: another file can take its place.
            Err(e) if is_missing(&e) || e.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(false);
            }
            other => other?,
        };
        if stat.st_nlink != 1 {
            return Ok(false);
        }
        write(&mut file, bytes, rel)?;
        if stat.st_size != i64::try_from(bytes.len()).unwrap_or(i64::MAX) {
            file.set_len(bytes.len() as u64)?;
        }
        sync(file, rel)?;
        Ok(true)
    }

    /// Removes what an interrupted replacement of `rel` left.
    pub(crate) fn remove_temp(&self, rel: &str) -> io::Result<()> {
        let names = self.names();
        let rel = &*names.file(rel);
        let (parent, name) = split(rel);
        let temp = join(parent, &draft_name(&names, parent, name));
        match self.stamp_named(&temp)? {
            Some(_) => self.unlink_named(&temp),
            None => Ok(()),
        }
    }

    /// Removes a file; that it is gone already is fine.
    pub(crate) fn unlink(&self, rel: &str) -> io::Result<()> {
        self.unlink_named(&self.names().file(rel))
    }

    fn unlink_named(&self, rel: &str) -> io::Result<()> {
        check(rel)?;
        let (parent, name) = split(rel);
        let fd = self.open_dir(parent)?;
        point(Op::Unlink, rel)?;
        deferred_sync::going(&fd, name);
        match rustix::fs::unlinkat(&fd, name, AtFlags::empty()) {
            Err(Errno::NOENT) | Ok(()) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// Moves a file to another name below, which must not exist.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let names = self.names();
        let (from, to) = (&*names.file(from), &*names.file(to));
        check(from)?;
        check(to)?;
        let (from_dir, from_name) = split(from);
        let (to_dir, to_name) = split(to);
        self.make_dirs(to_dir)?;
        let (from_fd, to_fd) = (self.open_dir(from_dir)?, self.open_dir(to_dir)?);
        point(Op::Rename, from)?;
        rustix::fs::renameat(&from_fd, from_name, &to_fd, to_name)?;
        sync(to_fd, to_dir)
    }

    /// Moves this machine's own file from its usual place to where it lies now that git tracks others like it.
    pub(crate) fn move_own(&self, rel: &str) -> io::Result<()> {
        let to = format!("{}/{rel}", self.names().local);
        check(&to)?;
        let ((from_dir, name), (to_dir, _)) = (split(rel), split(&to));
        self.make_dirs(to_dir)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let from_fd = self.open_at(from_dir, flags, Mode::empty())?;
        let to_fd = self.open_dir(to_dir)?;
        point(Op::Rename, rel)?;
        rustix::fs::renameat(&from_fd, name, &to_fd, name)?;
        sync(to_fd, to_dir)
    }

    /// Files of histories and documents that lie at their usual places though this machine's own lie elsewhere
    /// now, and have none there.
    pub(crate) fn misplaced(&self) -> Vec<String> {
        let names = self.names();
        if !names.histories_elsewhere {
            return Vec::new();
        }
        let files = files::TRAVELLING.iter().flat_map(|pattern| {
            let Some((directory, _)) = pattern.split_once("/*") else {
                return vec![(*pattern).to_owned()];
            };
            let listed = self.list_named(directory, MAX_LOCAL_FILES);
            let listed = listed.unwrap_or_default().into_iter();
            listed.map(|name| join(directory, &name)).collect()
        });
        let mut files: Vec<String> = files
            .filter(|file| files::travels(file) && !names.tracked.holds(file))
            .filter(|file| {
                let is_file = |stamp: Option<Stamp>| stamp.is_some_and(|stamp| stamp.is_file);
                is_file(self.stamp_named(file).unwrap_or_default())
                    && self.stamp(file).is_ok_and(|own| own.is_none())
            })
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Makes the entries of the directory of `rel` durable.
    pub(crate) fn sync_parent(&self, rel: &str) -> io::Result<()> {
        let names = self.names();
        let file = names.file(rel);
        let parent = split(&file).0;
        sync(self.open_dir(parent)?, parent)
    }
}

/// The name of a file that is about to replace another; one that git does not track.
fn draft_name(names: &Names, parent: &str, name: &str) -> String {
    let usual = format!(".{name}{TEMP}");
    match names.tracked.holds(&join(parent, &usual)) {
        false => usual,
        true => format!(".{name}.{}{TEMP}", names.local),
    }
}

fn join(parent: &str, name: &str) -> String {
    match parent {
        "" => name.to_owned(),
        parent => format!("{parent}/{name}"),
    }
}

/// Returns true if an error says that nothing is there.
pub(crate) fn is_missing(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::NotFound
}

/// Returns true if an error says that something else than a plain file is in its place.
pub(crate) fn is_refused(e: &io::Error) -> bool {
    let errno = Errno::from_io_error(e);
    let is_other = matches!(errno, Some(Errno::LOOP | Errno::NOTDIR | Errno::ISDIR));
    is_other || errno.is_none() && e.kind() == io::ErrorKind::InvalidInput
}

/// Passes a point: goes on, fails or ends the process.
fn point(op: Op, what: &str) -> io::Result<()> {
    match hit(op, what) {
        Fate::Go => Ok(()),
        Fate::Fail(errno, _) => Err(io::Error::from_raw_os_error(errno)),
        Fate::Crash(_) => std::process::abort(),
    }
}

/// Writes all of `bytes` with one call (more only if the system takes them in parts).
pub(crate) fn write(file: &mut File, bytes: &[u8], what: &str) -> io::Result<()> {
    let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
    match hit(Op::Write, what) {
        Fate::Go => file.write_all(bytes),
        Fate::Fail(errno, torn) => {
            if torn {
                file.write_all(half)?;
            }
            Err(io::Error::from_raw_os_error(errno))
        }
        Fate::Crash(torn) => {
            if torn {
                let _ = file.write_all(half);
            }
            std::process::abort()
        }
    }
}
