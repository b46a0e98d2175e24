//! Directories open to calls: the repository that the server was started for, and others allowed.

use std::path::{Path, PathBuf};

use aictx_artifacts::root::find_repository;

use super::Root;

/// A directory that calls may not name.
#[derive(Debug, thiserror::Error)]
pub(super) enum BoundaryError {
    /// It cannot be resolved.
    #[error("{}: {source}", .path.display())]
    Unresolved {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is a file.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// It lies outside, or is not there.
    #[error("`{0}` is not a directory in the repository that is served")]
    Outside(String),
}

/// Directories that calls may name, canonical; the first is the default.
#[derive(Debug)]
pub(super) struct Boundary {
    allowed: Vec<PathBuf>,
}

impl Boundary {
    /// The repository around `repo` and the directories named besides.
    ///
    /// # Errors
    /// When one is not a directory.
    pub(super) fn new(repo: &Path, more: &[PathBuf]) -> Result<Self, BoundaryError> {
        let home = directory(repo)?;
        let home = find_repository(&home).map_or(home, |found| found.worktree);
        let mut allowed = vec![home];
        for path in more {
            allowed.push(directory(path)?);
        }
        Ok(Self { allowed })
    }

    /// The directory that a call is about: what it names, relative to the default, or the default.
    ///
    /// # Errors
    /// When it lies outside. Whether such a directory exists is nobody's business.
    pub(super) fn root(&self, named: &str) -> Result<Root, BoundaryError> {
        let outside = || BoundaryError::Outside(named.to_owned());
        let home = self.allowed.first().ok_or_else(outside)?;
        let path = std::fs::canonicalize(home.join(named)).map_err(|_| outside())?;
        if !self.allowed.iter().any(|root| path.starts_with(root)) || !path.is_dir() {
            return Err(outside());
        }
        path.to_str().map(Root::from).ok_or_else(outside)
    }
}

fn directory(path: &Path) -> Result<PathBuf, BoundaryError> {
    let found = std::fs::canonicalize(path).map_err(|source| BoundaryError::Unresolved {
        path: path.to_owned(),
        source,
    })?;
    if found.is_dir() {
        Ok(found)
    } else {
        Err(BoundaryError::NotADirectory(path.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_inside_may_be_named() {
        let dir = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(dir.path()).unwrap();
        for name in ["repo/sub", "repo-two", "other"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::fs::write(base.join("repo/file"), "").unwrap();
        std::os::unix::fs::symlink(base.join("repo-two"), base.join("repo/way-out")).unwrap();
        let boundary = Boundary::new(&base.join("repo"), &[base.join("other")]).unwrap();
        let inside = |named: &str| boundary.root(named).ok().map(|root| root.to_string());
        let at = |name: &str| base.join(name).to_str().map(str::to_owned);
        assert_eq!(inside(""), at("repo"));
        assert_eq!(inside("."), at("repo"));
        assert_eq!(inside("sub"), at("repo/sub"));
        assert_eq!(inside(at("other").unwrap().as_str()), at("other"));
        for named in [
            "..",
            "../repo-two",
            "way-out",
            "file",
            "missing",
            "/",
            "a\0b",
        ] {
            assert_eq!(inside(named), None, "{named}");
        }
        assert!(Boundary::new(&base.join("missing"), &[]).is_err());
        assert!(Boundary::new(&base, &[base.join("repo/file")]).is_err());
    }
}
