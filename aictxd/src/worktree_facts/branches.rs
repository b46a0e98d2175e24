//! Relations of commits and branches, asked of git as seldom as possible.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_continuity::Checkout;
use aictx_proto::snapshot::Snapshot;

use super::Facts;
use crate::git;

/// Answers about commits that are remembered.
const MAX_COMMITS: usize = 1_024;
/// Commits that git is asked about at once.
const MAX_ASKED: usize = 16;
/// git may take this long to compare two commits.
const GIT_DEADLINE: Duration = Duration::from_millis(200);

/// Newest handoffs whose branches are looked for, and most of those branches.
const RECENT_HANDOFFS: usize = 32;
const MAX_BRANCHES: usize = 8;

/// Branches of the newest handoffs, other than the one that is `here`, that were deleted since. None with reftables:
/// there git would have to be asked for each.
pub fn deleted(worktree: &Path, here: &str, snapshot: &Snapshot) -> BTreeSet<String> {
    let newest = snapshot.handoffs.iter().rev().take(RECENT_HANDOFFS);
    let mut names: Vec<&str> = Vec::new();
    for name in newest.map(|row| row.branch.as_str()) {
        // `(detached)` and the like are no names of branches.
        let is_name = !name.is_empty() && !name.starts_with('(') && name != here;
        if is_name && names.len() < MAX_BRANCHES && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() || !root::has_ref_files(worktree) {
        return BTreeSet::new();
    }
    let is_gone = |name: &&str| root::branch_named(worktree, name).is_none();
    names
        .into_iter()
        .filter(is_gone)
        .map(str::to_owned)
        .collect()
}

impl Facts {
    /// Which of some commits are ancestors of `head`. git is asked once for each pair.
    pub(super) fn ancestors(
        &self,
        worktree: &Path,
        head: &str,
        commits: BTreeSet<String>,
    ) -> BTreeSet<String> {
        let end = Instant::now() + GIT_DEADLINE;
        let mut out = BTreeSet::new();
        for (asked, commit) in commits.into_iter().enumerate() {
            let key = (commit.clone(), head.to_owned());
            let known = self.merged().get(&key).copied();
            let merged = match known {
                Some(merged) => merged,
                None if asked >= MAX_ASKED => continue,
                None => {
                    let left = end.saturating_duration_since(Instant::now());
                    let Some(merged) = git::is_ancestor(worktree, &commit, head, left) else {
                        continue;
                    };
                    let mut all = self.merged();
                    if all.len() >= MAX_COMMITS {
                        all.clear();
                    }
                    all.insert(key, merged);
                    merged
                }
            };
            if merged {
                out.insert(commit);
            }
        }
        out
    }

    /// Which of some branches have their work in what is checked out, or are gone.
    pub fn joined(
        &self,
        worktree: &Path,
        checkout: &Checkout,
        mut branches: BTreeSet<String>,
    ) -> BTreeSet<String> {
        branches.remove(&checkout.branch);
        if branches.is_empty() || checkout.head.is_empty() {
            return BTreeSet::new();
        }
        let here = root::branch_named(worktree, &checkout.branch).unwrap_or_default();
        let known: Vec<_> = branches
            .into_iter()
            .map(|name| (root::branch_named(worktree, &name), name))
            .collect();
        // What was worked on where nothing was committed was left behind there, unless this branch was
        // made from it afterwards.
        let has_work = |branch: &root::Branch| {
            branch.commit != branch.made_at || (here.made != 0 && branch.made < here.made)
        };
        // What fails on the trunk fails there until the trunk's own code passed.
        let is_trunk_itself = |branch: &root::Branch| {
            let is_clean = (checkout.changed_files.as_ref()).is_some_and(Vec::is_empty);
            branch.commit == checkout.head && is_clean
        };
        let tips = known.iter().filter_map(|(branch, _)| branch.as_ref());
        let tips = tips
            .filter(|branch| has_work(branch))
            .map(|branch| branch.commit.clone())
            .collect();
        let merged = self.ancestors(worktree, &checkout.head, tips);
        let joined = known.into_iter().filter(|(branch, name)| {
            let is_merged = |branch: &root::Branch| match aictx_continuity::is_trunk(name) {
                true => is_trunk_itself(branch),
                false => has_work(branch) && merged.contains(&branch.commit),
            };
            branch.as_ref().is_none_or(is_merged)
        });
        joined.map(|(_, name)| name).collect()
    }

    fn merged(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), bool>> {
        self.merged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
