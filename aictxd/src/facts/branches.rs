//! How commits and branches stand to each other, asked of git as seldom as can be.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_continuity::Checkout;

use super::Facts;
use crate::git;

/// Answers about commits that are remembered.
const MAX_COMMITS: usize = 1_024;
/// Commits that git is asked about at once.
const MAX_ASKED: usize = 16;
/// git may take this long to compare two commits.
const GIT_DEADLINE: Duration = Duration::from_millis(200);

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
        let tips = known.iter().filter_map(|(branch, _)| branch.as_ref());
        let tips = tips
            .filter(|branch| has_work(branch))
            .map(|branch| branch.commit.clone())
            .collect();
        let merged = self.ancestors(worktree, &checkout.head, tips);
        let joined = known.into_iter().filter(|(branch, _)| {
            let is_merged = |branch| has_work(branch) && merged.contains(&branch.commit);
            branch.as_ref().is_none_or(is_merged)
        });
        joined.map(|(_, name)| name).collect()
    }

    fn merged(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), bool>> {
        self.merged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
