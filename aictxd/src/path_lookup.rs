//! Resolves paths in the messages of a user against the worktree.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aictx_files::untrusted;
use aictx_repomap::tree::Tree;
use aictx_steer::Names;

use crate::app::App;

/// Names at the root that are read, at most.
const MAX_ROOT: usize = 4_096;
/// Places of one name that are looked for: one more than anybody keeps.
const MAX_PLACES: usize = 9;

/// The names of one worktree: its root is listed when somebody asks, files below it are those of the map.
pub struct WorktreeNames {
    worktree: PathBuf,
    map: Option<Arc<Tree>>,
    root: OnceCell<Vec<String>>,
}

impl std::fmt::Debug for WorktreeNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorktreeNames")
            .field("worktree", &self.worktree)
            .finish_non_exhaustive()
    }
}

impl WorktreeNames {
    /// Of a worktree, with whatever its map knows now.
    pub fn of(app: &App, worktree: &Path) -> Self {
        Self {
            worktree: worktree.to_owned(),
            map: app.maps.complete_tree(worktree),
            root: OnceCell::new(),
        }
    }
}

impl Names for WorktreeNames {
    fn at_root(&self) -> &[String] {
        self.root.get_or_init(|| {
            let entries = untrusted::entries(&self.worktree).into_iter().flatten();
            let names = entries.filter_map(|entry| entry.name.into_string().ok());
            names.take(MAX_ROOT).collect()
        })
    }

    fn ending_in(&self, path: &str) -> Vec<String> {
        let Some(tree) = &self.map else {
            return Vec::new();
        };
        let wanted = path.to_ascii_lowercase();
        let mut found: Vec<String> = Vec::new();
        for known in tree
            .paths()
            .iter()
            .filter_map(|raw| std::str::from_utf8(raw).ok())
        {
            if let Some(place) = leading_to(known, &wanted)
                && !found.iter().any(|have| have == place)
            {
                found.push(place.to_owned());
                if found.len() >= MAX_PLACES {
                    break;
                }
            }
        }
        found
    }
}

/// The shortest beginning of `path` that ends in `wanted`, which is in small letters, behind a slash and before
/// one or the end.
fn leading_to<'p>(path: &'p str, wanted: &str) -> Option<&'p str> {
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    let mut beginnings = ends.filter_map(|end| path.get(..end));
    beginnings.find(|beginning| {
        let from = beginning.len().checked_sub(wanted.len());
        let Some((before, last)) = from.and_then(|at| beginning.split_at_checked(at)) else {
            return false;
        };
        before.ends_with('/') && last.eq_ignore_ascii_case(wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_at_any_depth_and_whole() {
        assert_eq!(
            leading_to("src/db/Store.py", "store.py"),
            Some("src/db/Store.py")
        );
        assert_eq!(
            leading_to("a/migrations/1/x.sql", "migrations"),
            Some("a/migrations")
        );
        assert_eq!(
            leading_to("a/db/store.py", "db/store.py"),
            Some("a/db/store.py")
        );
        assert_eq!(leading_to("src/bookstore.py", "store.py"), None);
        assert_eq!(
            leading_to("store.py", "store.py"),
            None,
            "that is at the root"
        );
        assert_eq!(leading_to("ü/é.py", "e.py"), None);
    }
}
