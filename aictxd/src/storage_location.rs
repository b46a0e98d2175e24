//! Storage location of a repository's memory: in the repository, or, where nothing may be seen of it there,
//! below the user's state directory.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use aictx_files::untrusted::{self, Entry};
use aictx_repomap::segment::ContentId;

/// Name of a memory's directory in its home.
pub const MEMORY: &str = ".aictx";
/// In a home outside of its repository: whose it is, for people.
const OWNER: &str = "repository";
/// Longest path that is read from there, in bytes.
const MAX_OWNER: u64 = 8 * 1024;
/// Most homes looked through for those that nobody has any more.
const MAX_HOMES: usize = 1_000;

/// The homes of all memories. A *home* is the directory that `.aictx` lies in.
#[derive(Debug, Clone)]
pub struct Homes {
    outside: PathBuf,
}

impl Homes {
    /// With memories outside of their repositories below this state directory.
    pub fn new(state: &Path) -> Self {
        Self {
            outside: state.join("memory"),
        }
    }

    /// The home that a repository's memory has, or would have without more ado. Looked up on the disk
    /// each time: another process may have moved in or out.
    pub fn of(&self, root: &Path) -> PathBuf {
        // Almost nobody has any there, and a name is longer in the making than a look.
        if !self.any_outside() {
            return root.to_owned();
        }
        let outside = self.outside(root);
        if outside.join(MEMORY).is_dir() {
            outside
        } else {
            root.to_owned()
        }
    }

    /// The home outside of a repository, whether it is there or not. It follows from the path of the
    /// repository, so nothing in the repository has to point at it.
    pub fn outside(&self, root: &Path) -> PathBuf {
        self.outside.join(name_of(root))
    }

    /// Returns true if any memory may lie outside of its repository.
    pub fn any_outside(&self) -> bool {
        self.outside.is_dir()
    }

    /// Makes the home outside of a repository, readable by the user alone.
    ///
    /// # Errors
    /// The state directory cannot be written or is not the user's.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    pub fn make_outside(&self, root: &Path) -> io::Result<PathBuf> {
        let home = self.outside(root);
        if let Some(state) = self.outside.parent() {
            aictx_files::private::directory(state)?;
        }
        aictx_files::private::directory(&self.outside)?;
        aictx_files::private::directory(&home)?;
        let owner = [root.as_os_str().as_bytes(), b"\n"].concat();
        fs::write(home.join(OWNER), owner)?;
        Ok(home)
    }

    /// The repository at `from` is at `to` now; its home outside, should it have one, goes with it.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn moved(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (old, new) = (self.outside(from), self.outside(to));
        if !old.join(MEMORY).is_dir() || new.exists() {
            return Ok(());
        }
        fs::rename(&old, new)?;
        self.make_outside(to).map(drop)
    }

    /// Homes outside whose repositories are gone, with the path that those had.
    pub fn orphans(&self) -> Vec<(PathBuf, PathBuf)> {
        let homes = untrusted::entries(&self.outside).into_iter().flatten();
        let orphan = |entry: Entry| {
            let home = self.outside.join(entry.name);
            let text = untrusted::read(&home.join(OWNER), MAX_OWNER).ok()?;
            let path = text.strip_suffix(b"\n").unwrap_or(&text);
            let root = PathBuf::from(OsStr::from_bytes(path));
            (home.join(MEMORY).is_dir() && !root.is_dir()).then_some((home, root))
        };
        let mut orphans: Vec<_> = homes.take(MAX_HOMES).filter_map(orphan).collect();
        orphans.sort_unstable();
        orphans
    }

    /// Removes the home outside of a repository once its memory is gone.
    pub fn remove_outside(&self, root: &Path) {
        let home = self.outside(root);
        if !home.join(MEMORY).exists() {
            let _ = fs::remove_file(home.join(OWNER));
            // Whatever else somebody put there stays.
            let _ = fs::remove_dir(home);
        }
    }
}

/// A file name for a path: short, the same every time, different for different paths.
pub fn name_of(path: &Path) -> String {
    let id = ContentId::of(path.as_os_str().as_bytes());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{}-{id:?}", aictx_proto::text::slug(&name, 40, "root"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_outside_counts_once_there_is_a_memory_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let homes = Homes::new(&dir.path().join("state"));
        let root = dir.path().join("repo");
        assert_eq!(homes.of(&root), root);
        let home = homes.make_outside(&root).unwrap();
        assert_eq!(homes.of(&root), root, "an empty home holds nothing");
        fs::create_dir(home.join(MEMORY)).unwrap();
        assert_eq!(homes.of(&root), home);
        assert_eq!(homes.orphans(), [(home.clone(), root.clone())]);
        homes.remove_outside(&root);
        assert_eq!(homes.of(&root), home, "nothing is deleted by that");
        fs::remove_dir(home.join(MEMORY)).unwrap();
        homes.remove_outside(&root);
        assert!(!home.exists());
    }

    #[test]
    fn every_repository_has_its_own() {
        let homes = Homes::new(Path::new("/s"));
        let one = homes.outside(Path::new("/a/demo"));
        assert_ne!(one, homes.outside(Path::new("/b/demo")));
        assert!(one.starts_with("/s/memory"));
    }
}
