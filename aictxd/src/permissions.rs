//! Diagnoses why files of a directory cannot be written, and names the command that heals it.
//!
//! The usual causes: root worked here once (sudo, a container), somebody took the right to write
//! away, or the file system is mounted read-only.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use aictx_files::{mounts, untrusted};
use aictx_proto::text::shell_line;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::process::user_id;
use crate::storage_location::MEMORY;

/// Most files that are looked at below one directory.
const MAX_FILES: usize = 50_000;
/// Deepest directory that is looked into.
const MAX_DEPTH: usize = 16;

/// Obstacle to writing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The file belongs to another user.
    Foreign,
    /// The file is this user's, without the right to write it.
    Protected,
    /// The file system is mounted read-only.
    ReadOnlyMount,
}

/// The first file below a directory that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Obstacle to writing it.
    pub cause: Cause,
    /// The file.
    pub file: PathBuf,
    /// The directory that was examined.
    pub directory: PathBuf,
}

/// Which files of a directory have to be writable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// All of them.
    Every,
    /// Git's: it makes objects read-only and replaces files, so a file counts when its owner could
    /// write it.
    Git,
    /// The directory itself.
    None,
}

impl Obstacle {
    /// The first one in `directory`, links not followed; none where nothing was found within
    /// [`MAX_FILES`].
    pub fn find(directory: &Path, files: Files) -> Option<Self> {
        let mut left = MAX_FILES;
        let (cause, file) = look(directory, files, MAX_DEPTH, &mut left)?;
        Some(Self {
            cause,
            file,
            directory: directory.to_owned(),
        })
    }

    /// The one that a failed write of `file` has met: in the memory that holds it, else in the
    /// directory that it would have been made in.
    pub fn of_write(file: &Path) -> Option<Self> {
        let is_memory = |path: &&Path| path.file_name().is_some_and(|name| name == MEMORY);
        let memory = file.ancestors().find(is_memory).filter(|dir| dir.is_dir());
        let parent = file.ancestors().skip(1).find(|dir| dir.is_dir())?;
        let Some(memory) = memory else {
            return Self::find(parent, Files::None);
        };
        // Usually it is the file itself, and nothing else has to be looked at.
        let near = [file, parent].into_iter();
        let near = near.filter_map(|path| Self::find(path, Files::None)).next();
        near.map(|near| Self {
            directory: memory.to_owned(),
            ..near
        })
        .or_else(|| Self::find(memory, Files::Every))
    }

    /// Description of the problem, for people.
    pub fn summary(&self) -> String {
        let file = self.file.display();
        match self.cause {
            Cause::Foreign => format!("{file} belongs to another user and cannot be written"),
            Cause::Protected => format!("{file} may not be written"),
            Cause::ReadOnlyMount => {
                format!("{file} lies on a file system that is mounted read-only")
            }
        }
    }

    /// The command that heals it, as words.
    pub fn remedy(&self) -> Vec<String> {
        let directory = self.directory.to_string_lossy().into_owned();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self.cause {
            Cause::Foreign => words(&["sudo", "chown", "-R", &user_id().to_string(), &directory]),
            Cause::Protected => words(&["chmod", "-R", "u+rwX", &directory]),
            Cause::ReadOnlyMount => {
                let mount = mounts::mount_point(&self.file).unwrap_or_default();
                let mount = mount.to_string_lossy();
                words(&["sudo", "mount", "-o", "remount,rw", &mount])
            }
        }
    }

    /// The command that heals it, for a shell.
    pub fn remedy_line(&self) -> String {
        shell_line(&self.remedy())
    }
}

fn look(path: &Path, files: Files, depth: usize, left: &mut usize) -> Option<(Cause, PathBuf)> {
    *left = left.checked_sub(1)?;
    let meta = path.symlink_metadata().ok()?;
    if meta.is_symlink() {
        return None;
    }
    if let Some(cause) = cause(path, &meta, files) {
        return Some((cause, path.to_owned()));
    }
    if !meta.is_dir() || depth == 0 || files == Files::None {
        return None;
    }
    let mut entries = untrusted::entries(path).ok()?;
    entries.find_map(|entry| look(&path.join(entry.name), files, depth - 1, left))
}

fn cause(path: &Path, meta: &Metadata, files: Files) -> Option<Cause> {
    let wanted = if meta.is_dir() {
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK
    } else if meta.is_file() {
        Access::READ_OK | Access::WRITE_OK
    } else {
        return None;
    };
    match access(path, wanted) {
        Err(Errno::ROFS) => Some(Cause::ReadOnlyMount),
        Err(Errno::ACCESS | Errno::PERM) => {
            let made_so = files == Files::Git && meta.is_file() && meta.mode() & 0o200 == 0;
            if made_so {
                None
            } else if meta.uid() == user_id() {
                Some(Cause::Protected)
            } else {
                Some(Cause::Foreign)
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_name_the_directory_that_was_examined() {
        let of = |cause| Obstacle {
            cause,
            file: "/r/.aictx/journal".into(),
            directory: "/r/.aictx".into(),
        };
        let own = user_id();
        assert_eq!(
            of(Cause::Foreign).remedy_line(),
            format!("sudo chown -R {own} /r/.aictx")
        );
        assert_eq!(
            of(Cause::Protected).remedy_line(),
            "chmod -R u+rwX /r/.aictx"
        );
        let mounted = of(Cause::ReadOnlyMount).remedy_line();
        assert!(
            mounted.starts_with("sudo mount -o remount,rw /"),
            "{mounted}"
        );
    }

    #[test]
    fn what_can_be_written_is_no_obstacle() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("inner")).unwrap();
        std::fs::write(dir.path().join("inner/file"), "x").unwrap();
        std::os::unix::fs::symlink("/proc/1/mem", dir.path().join("link")).unwrap();
        for files in [Files::Every, Files::Git, Files::None] {
            assert_eq!(Obstacle::find(dir.path(), files), None);
        }
    }
}
