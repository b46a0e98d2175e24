//! Stamps by which changed files are recognised.

use std::path::Path;

pub(super) use aictx_artifacts::Stamp;
use aictx_files::beneath;
use rustix::fs::{AtFlags, CWD, statat};

/// Stamps of files, in the order of their paths; none of one that is not there.
pub(super) fn stamps<'p>(
    worktree: &Path,
    paths: impl IntoIterator<Item = &'p String>,
    flags: AtFlags,
) -> Vec<Option<Stamp>> {
    let directory = beneath::hold(worktree);
    let stat = |path: &String| match &directory {
        Ok(directory) => statat(directory, path.as_str(), flags),
        Err(_) => statat(CWD, worktree.join(path), flags),
    };
    let stamp = |path| Some(Stamp::of(&stat(path).ok()?));
    paths.into_iter().map(stamp).collect()
}
