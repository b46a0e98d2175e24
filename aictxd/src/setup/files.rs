//! Other people's files: read as they are, written all at once, given back with their mode.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use aictx_files::beneath::CAREFULLY;
use aictx_files::untrusted::{self, ReadError};
use aictx_runners::merge::MAX_FILE;
use rustix::fs::OFlags;

use crate::process::user_id;

/// Directories below which files may be edited, links resolved. A repository must not lead us out of
/// itself, nor a home to somebody else's.
#[derive(Debug, Clone, Default)]
pub struct Bounds(Vec<PathBuf>);

impl Bounds {
    /// These directories, those that exist.
    pub fn new<P: AsRef<Path>>(directories: impl IntoIterator<Item = P>) -> Self {
        let real = |path: P| fs::canonicalize(path.as_ref()).ok();
        Self(directories.into_iter().filter_map(real).collect())
    }

    /// And this one, when it exists.
    #[must_use]
    pub fn and(mut self, path: &Path) -> Self {
        self.0.extend(fs::canonicalize(path));
        self
    }

    fn hold(&self, path: &Path) -> bool {
        self.0.iter().any(|bound| path.starts_with(bound))
    }
}

/// A reason to leave somebody's file alone.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A link out of bounds.
    #[error("a link leads to {}, which is outside of what may be edited; edit that file by hand", .0.display())]
    OutOfBounds(PathBuf),
    /// The path ends in no name.
    #[error("it has no name")]
    Unnamed,
    /// A link to nothing.
    #[error("it is a link that leads nowhere ({0}); remove the link")]
    Dangling(io::Error),
    /// A directory, a pipe, a device.
    #[error("it is not a plain file")]
    NotAFile,
    /// Of another user.
    #[error("it belongs to another user")]
    Foreign,
    /// No UTF-8.
    #[error("it is not UTF-8; convert it and run this again")]
    NotText,
    /// The parent is something else than a directory.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// No part of the path is there.
    #[error("{} cannot be reached", .0.display())]
    Unreachable(PathBuf),
    /// Its owner wants it unchanged.
    #[error("it is read-only; allow writing (chmod u+w {}) and run this again", .0.display())]
    ReadOnly(PathBuf),
    /// It is not what was read before.
    #[error("somebody changed it at the same moment; run this again")]
    ChangedMeanwhile,
    /// A directory on the way failed.
    #[error("{}: {source}", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileError {
    fn directory(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Directory { path, source }
    }
}

/// A file as it was found.
#[derive(Debug)]
pub struct Found {
    /// Its real path.
    pub target: PathBuf,
    /// Its text; none when there is no file.
    pub text: Option<String>,
    mode: u32,
    links: u64,
}

/// Reads a file.
///
/// # Errors
/// If it has to be left alone.
pub fn read(path: &Path, bounds: &Bounds) -> Result<Found, FileError> {
    let parent = real_directory(path.parent().unwrap_or(Path::new("/")))?;
    if !bounds.hold(&parent) {
        return Err(FileError::OutOfBounds(parent));
    }
    let name = path.file_name().ok_or(FileError::Unnamed)?;
    let mut target = parent.join(name);
    let missing = |target| Found {
        target,
        text: None,
        mode: 0,
        links: 1,
    };
    match fs::symlink_metadata(&target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(missing(target)),
        Err(e) => return Err(e.into()),
        Ok(meta) if meta.is_symlink() => {
            target = fs::canonicalize(&target).map_err(FileError::Dangling)?;
            if !bounds.hold(&target) {
                return Err(FileError::OutOfBounds(target));
            }
        }
        Ok(_) => {}
    }
    let meta = fs::metadata(&target)?;
    if !meta.is_file() {
        return Err(FileError::NotAFile);
    }
    if meta.uid() != user_id() {
        return Err(FileError::Foreign);
    }
    let text = String::from_utf8(beginning(&target)?).map_err(|_| FileError::NotText)?;
    Ok(Found {
        target,
        text: Some(text),
        mode: meta.mode(),
        links: meta.nlink(),
    })
}

/// As much of a file as is needed to see whether it is too long.
fn beginning(target: &Path) -> Result<Vec<u8>, ReadError> {
    Ok(untrusted::open_itself(target)?.beginning(MAX_FILE as u64 + 1)?)
}

/// The real path of a directory that may not be there yet.
fn real_directory(path: &Path) -> Result<PathBuf, FileError> {
    for there in path.ancestors() {
        if fs::symlink_metadata(there).is_err() {
            continue;
        }
        let real = fs::canonicalize(there).map_err(FileError::directory(there))?;
        if !real.is_dir() {
            return Err(FileError::NotADirectory(there.to_owned()));
        }
        let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
        return Ok(if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        });
    }
    Err(FileError::Unreachable(path.to_owned()))
}

impl Found {
    /// Checks that its owner wants it written at all.
    ///
    /// # Errors
    /// When it is read-only.
    pub fn check_writable(&self) -> Result<(), FileError> {
        if self.text.is_some() && self.mode & 0o200 == 0 {
            return Err(FileError::ReadOnly(self.target.clone()));
        }
        Ok(())
    }

    /// Writes the whole file, if it still is what was read; gives the directories that were made
    /// for it, outermost first. Readers see the old text or the new one.
    ///
    /// # Errors
    /// When it is read-only, changed meanwhile or cannot be written.
    pub fn write(&self, text: &str, executable: bool) -> Result<Vec<PathBuf>, FileError> {
        self.check_writable()?;
        let parent = self.target.parent().unwrap_or(Path::new("/"));
        let made = make_directories(parent).map_err(FileError::directory(parent))?;
        self.unchanged()?;
        if self.links > 1 {
            // Another name for the same file must stay one.
            self.overwrite(text)?;
        } else {
            self.replace(parent, text, executable)?;
        }
        Ok(made)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "waits for nobody and checks what it opened"
    )]
    fn overwrite(&self, text: &str) -> io::Result<()> {
        let flags = CAREFULLY | OFlags::NOFOLLOW;
        let mut file = OpenOptions::new()
            .write(true)
            .custom_flags(flags.bits().cast_signed())
            .open(&self.target)?;
        if !file.metadata()?.is_file() {
            return Err(ReadError::NotRegular.into());
        }
        file.set_len(0)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    #[expect(clippy::disallowed_methods, reason = "makes a file that was not there")]
    fn replace(&self, parent: &Path, text: &str, executable: bool) -> io::Result<()> {
        let name = self.target.file_name().unwrap_or_default();
        let draft = parent.join(format!(
            ".{}.aictx-{}",
            name.to_string_lossy(),
            std::process::id()
        ));
        let mode = if executable { 0o777 } else { 0o666 };
        let _ = fs::remove_file(&draft);
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(mode)
            .open(&draft)?;
        let done = file
            .write_all(text.as_bytes())
            .and_then(|()| match self.text {
                Some(_) => file.set_permissions(Permissions::from_mode(self.mode & 0o7777)),
                None => Ok(()),
            })
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, &self.target));
        if done.is_err() {
            let _ = fs::remove_file(&draft);
        }
        done
    }

    /// Removes the file, if it still is what was read.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn delete(&self) -> Result<(), FileError> {
        self.unchanged()?;
        Ok(fs::remove_file(&self.target)?)
    }

    fn unchanged(&self) -> Result<(), FileError> {
        let now = match beginning(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(error.into()),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            Ok(())
        } else {
            Err(FileError::ChangedMeanwhile)
        }
    }
}

fn make_directories(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing: Vec<&Path> = path.ancestors().take_while(|dir| !dir.exists()).collect();
    missing.reverse();
    let mut made = Vec::new();
    for directory in missing {
        match fs::create_dir(directory) {
            Ok(()) => made.push(directory.to_owned()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Ok(made)
}
