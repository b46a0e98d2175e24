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

/// A file as it was found.
#[derive(Debug)]
pub struct Found {
    /// Where it really is.
    pub target: PathBuf,
    /// Its text; none when there is no file.
    pub text: Option<String>,
    mode: u32,
    links: u64,
}

/// Reads a file.
///
/// # Errors
/// Why it has to be left alone, for people: a link out of bounds or to nothing, no plain file,
/// somebody else's, not readable, not UTF-8.
pub fn read(path: &Path, bounds: &Bounds) -> Result<Found, String> {
    let outside = |real: &Path| {
        format!(
            "a link leads to {}, which is outside of what may be edited; edit that file by hand",
            real.display()
        )
    };
    let parent = real_directory(path.parent().unwrap_or(Path::new("/")))?;
    if !bounds.hold(&parent) {
        return Err(outside(&parent));
    }
    let name = path.file_name().ok_or("it has no name")?;
    let mut target = parent.join(name);
    let missing = |target| Found {
        target,
        text: None,
        mode: 0,
        links: 1,
    };
    match fs::symlink_metadata(&target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(missing(target)),
        Err(e) => return Err(e.to_string()),
        Ok(meta) if meta.is_symlink() => {
            target = fs::canonicalize(&target)
                .map_err(|e| format!("it is a link that leads nowhere ({e}); remove the link"))?;
            if !bounds.hold(&target) {
                return Err(outside(&target));
            }
        }
        Ok(_) => {}
    }
    let meta = fs::metadata(&target).map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("it is not a plain file".to_owned());
    }
    if meta.uid() != user_id() {
        return Err("it belongs to another user".to_owned());
    }
    let bytes = beginning(&target).map_err(|e| e.to_string())?;
    let text = String::from_utf8(bytes)
        .map_err(|_| "it is not UTF-8; convert it and run this again".to_owned())?;
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
fn real_directory(path: &Path) -> Result<PathBuf, String> {
    for there in path.ancestors() {
        if fs::symlink_metadata(there).is_err() {
            continue;
        }
        let real = fs::canonicalize(there).map_err(|e| format!("{}: {e}", there.display()))?;
        if !real.is_dir() {
            return Err(format!("{} is not a directory", there.display()));
        }
        let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
        return Ok(if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        });
    }
    Err(format!("{} cannot be reached", path.display()))
}

impl Found {
    /// Whether its owner wants it written at all.
    ///
    /// # Errors
    /// When it is read-only.
    pub fn check_writable(&self) -> Result<(), String> {
        if self.text.is_some() && self.mode & 0o200 == 0 {
            return Err(format!(
                "it is read-only; allow writing (chmod u+w {}) and run this again",
                self.target.display()
            ));
        }
        Ok(())
    }

    /// Writes the whole file, if it still is what was read; gives the directories that were made
    /// for it, outermost first. Readers see the old text or the new one.
    ///
    /// # Errors
    /// For people: read-only, changed meanwhile, or what the system says.
    pub fn write(&self, text: &str, executable: bool) -> Result<Vec<PathBuf>, String> {
        self.check_writable()?;
        let parent = self.target.parent().unwrap_or(Path::new("/"));
        let made = make_directories(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        self.unchanged()?;
        let written = if self.links > 1 {
            // Another name for the same file must stay one.
            self.overwrite(text)
        } else {
            self.replace(parent, text, executable)
        };
        written.map(|()| made).map_err(|e| e.to_string())
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
    pub fn delete(&self) -> Result<(), String> {
        self.unchanged()?;
        fs::remove_file(&self.target).map_err(|e| e.to_string())
    }

    fn unchanged(&self) -> Result<(), String> {
        let now = match beginning(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(error.to_string()),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            Ok(())
        } else {
            Err("somebody changed it at the same moment; run this again".to_owned())
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
