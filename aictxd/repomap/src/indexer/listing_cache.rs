//! What a listing rested on: as long as none of it changed, the tree has the same files, and it is
//! enough to look at each of them again.
//!
//! A name comes or goes only with a change of its directory, and rules are files. A directory's time
//! of change cannot be set back; what changed shortly before a listing, or during it, is not relied
//! upon.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use super::{Indexer, Report};
use crate::discover::{Found, Listing, Look, RULE_FILES, Sort, look, look_at};
use crate::tree::{Paths, Tree};

/// Changes within this time before a listing may not be over: clocks of file systems are coarse, and
/// those of other machines wrong.
const SETTLED: Duration = Duration::from_secs(2);

/// Older ones are not relied upon: some file systems do not tell.
const OLDEST: Duration = Duration::from_secs(600);

/// The ground of a listing.
#[derive(Debug)]
pub(super) struct Ground {
    /// The paths that it gave.
    paths: Arc<Paths>,
    /// Directories that were read and rules in them, in the order of paths.
    inside: Vec<(Vec<u8>, Look)>,
    /// Rules and git's files that lie elsewhere, and whether they are there.
    outside: Vec<(PathBuf, Option<Look>)>,
    nested: Vec<String>,
    git: bool,
    since: Instant,
}

impl Ground {
    /// Remembers a listing that began at `started` and gave `paths`; nothing where it was not
    /// complete or the tree was changing.
    pub(super) fn of(
        indexer: &Indexer,
        listing: &Listing,
        paths: &Arc<Paths>,
        started: SystemTime,
        stop: &AtomicBool,
    ) -> Option<Self> {
        let complete = !listing.timed_out
            && listing.over == 0
            && listing.unreadable == 0
            && !listing.directories.is_empty()
            && paths.len() == listing.files.len();
        if !complete {
            return None;
        }
        let mut candidates = Vec::with_capacity(listing.directories.len() * 4);
        for directory in &listing.directories {
            if !directory.is_empty() {
                candidates.push(directory.clone());
            }
            for rules in RULE_FILES {
                let mut path = directory.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend(rules.as_bytes());
                candidates.push(path);
            }
        }
        candidates.sort_unstable();
        let threads = indexer.options.discover.threads;
        let looks = look(&indexer.root, &candidates, threads, None, stop);
        if looks.len() < candidates.len() {
            return None;
        }
        let found = candidates.into_iter().zip(looks);
        let inside: Vec<_> = found
            .filter_map(|(path, look)| Some((path, look?)))
            .collect();
        let outside = outside(indexer);
        let latest = started.checked_sub(SETTLED)?;
        let latest = latest.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let latest = i64::try_from(latest.as_nanos()).ok()?;
        let mut looks = inside.iter().map(|(_, look)| look);
        let settled = looks.all(|look| look.changed < latest)
            && outside
                .iter()
                .all(|(_, look)| look.is_none_or(|l| l.changed < latest));
        settled.then(|| Self {
            paths: Arc::clone(paths),
            inside,
            outside,
            nested: listing.nested.clone(),
            git: listing.git,
            since: Instant::now(),
        })
    }

    /// Files of `base` that look other than they did, when it is certain that no file came or went.
    pub(super) fn changed<'a>(
        &self,
        indexer: &Indexer,
        base: &'a Tree,
        stop: &AtomicBool,
    ) -> Option<BTreeMap<&'a [u8], Option<Found>>> {
        if !Arc::ptr_eq(base.paths(), &self.paths)
            || self.since.elapsed() > OLDEST
            || outside(indexer) != self.outside
        {
            return None;
        }
        let threads = indexer.options.discover.threads;
        let inside: Vec<&[u8]> = self
            .inside
            .iter()
            .map(|(path, _)| path.as_slice())
            .collect();
        let looks = look(&indexer.root, &inside, threads, None, stop);
        let before = self.inside.iter().map(|(_, look)| Some(*look));
        if !before.eq(looks) {
            return None;
        }
        let paths: Vec<&[u8]> = base.paths().iter().collect();
        let looks = look(&indexer.root, &paths, threads, None, stop);
        if looks.len() < paths.len() {
            return None;
        }
        let mut found = BTreeMap::new();
        for ((path, row), look) in paths.into_iter().zip(base.rows()).zip(looks) {
            let look = look.filter(|look| look.sort == Sort::File)?;
            if look.stamp != row.stamp || row.place.is_none() {
                let file = Found {
                    path: path.to_vec(),
                    stamp: look.stamp,
                    id: None,
                };
                found.insert(path, Some(file));
            }
        }
        Some(found)
    }

    /// Completes a report as a listing would have.
    pub(super) fn report(&self, report: &mut Report) {
        report.nested.clone_from(&self.nested);
        report.git = self.git;
    }
}

/// How what lies outside the walked directories looks, the root itself among it.
fn outside(indexer: &Indexer) -> Vec<(PathBuf, Option<Look>)> {
    let mut places = vec![indexer.root.clone()];
    let mut git_dirs = vec![indexer.root.join(".git")];
    git_dirs.extend(indexer.git_dir.clone());
    git_dirs.extend(indexer.git_dir.as_deref().map(crate::discover::shared_dir));
    for git_dir in git_dirs {
        places.extend(["index", "config", "commondir", "info/exclude"].map(|n| git_dir.join(n)));
    }
    places.extend(crate::discover::outside(&indexer.root));
    places.extend(ignore::gitignore::gitconfig_excludes_path());
    let looked = |place: PathBuf| {
        let look = look_at(&place);
        (place, look)
    };
    places.into_iter().map(looked).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
