//! Which thread goes on here: one rule for all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use aictx_proto::record::Thread;
use aictx_proto::snapshot::{GitState, Snapshot};
use serde_json::{Value, json};

/// Checkout of the caller, gathered outside of decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkout {
    /// The worktree: its path relative to the main one, `.` for that itself.
    pub worktree: String,
    /// Branch; `(detached)` without one, empty when unknown.
    pub branch: String,
    /// Commit; empty when unknown.
    pub head: String,
    /// Commits that are known to be ancestors of `head`, of those that threads were saved at.
    pub ancestors: BTreeSet<String>,
    /// Other branches whose work is in what is checked out, or that are gone, of those that failures were
    /// seen on; gathered when something passed.
    pub joined: BTreeSet<String>,
    /// Branches of the newest handoffs that were deleted since.
    pub gone: BTreeSet<String>,
    /// Changed files, `.aictx` left out; `None` when git was not asked.
    pub changed_files: Option<Vec<String>>,
}

impl Checkout {
    /// The same with what git said of the worktree.
    #[must_use]
    pub fn with_git(mut self, git: &GitState) -> Self {
        if git.available {
            let all = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
            let changed: BTreeSet<String> = all.cloned().collect();
            self.changed_files = Some(changed.into_iter().collect());
            if !git.branch.is_empty() {
                self.branch.clone_from(&git.branch);
            }
            if !git.head.is_empty() {
                self.head.clone_from(&git.head);
            }
        }
        self
    }

    /// `git_context` of a thread.
    pub(crate) fn context(&self, now: &str) -> Value {
        if self.head.is_empty() && self.branch.is_empty() {
            return json!({ "available": false, "reason": "not_git_repo", "captured_at": now });
        }
        let changed: Vec<&String> = self.changed_files.iter().flatten().take(64).collect();
        json!({
            "available": true, "branch": self.branch, "head": self.head,
            "dirty": !changed.is_empty(), "changed_files": changed, "captured_at": now,
        })
    }
}

/// Decision to load a thread on a checkout, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loadable {
    /// It may.
    pub yes: bool,
    /// `no_git_context`, `git_unavailable`, `same_branch`, `same_commit`,
    /// `branch_changed_but_merged` or `branch_mismatch_unmerged`.
    pub reason: &'static str,
    /// Branch at the thread's last change.
    pub saved_branch: String,
    /// Commit then.
    pub saved_head: String,
}

/// Compares what was checked out when the thread was changed last with what is now. A branch made
/// from the same commit goes on with the thread; a branch that has its commit does, too.
pub fn loadable(thread: &Thread, checkout: &Checkout) -> Loadable {
    let saved = thread.git_context.as_ref();
    let text = |name: &str| {
        saved
            .and_then(|s| s.get(name)?.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let (saved_branch, saved_head) = (text("branch"), text("head"));
    let available = saved.and_then(|s| s.get("available")?.as_bool());
    let answer = |yes, reason| Loadable {
        yes,
        reason,
        saved_branch: saved_branch.clone(),
        saved_head: saved_head.clone(),
    };
    if saved.is_none() {
        answer(true, "no_git_context")
    } else if available != Some(true) || (checkout.branch.is_empty() && checkout.head.is_empty()) {
        answer(true, "git_unavailable")
    } else if saved_branch == checkout.branch && saved_branch != "(detached)" {
        answer(true, "same_branch")
    } else if !saved_head.is_empty() && saved_head == checkout.head {
        answer(true, "same_commit")
    } else if checkout.ancestors.contains(&saved_head) {
        answer(true, "branch_changed_but_merged")
    } else {
        answer(false, "branch_mismatch_unmerged")
    }
}

/// The threads that concern a checkout.
#[derive(Debug, Clone, Default)]
pub struct Active {
    /// The one being worked on.
    pub thread: Option<Arc<Thread>>,
    /// Without one: the one that was left blocked or paused last.
    pub recent: Option<Arc<Thread>>,
    /// `work_state_git_status` of whichever is there.
    pub status: Option<Value>,
    /// `skipped_work_state`: the one that would be active on its own branch.
    pub skipped: Option<Value>,
}

/// Chooses the threads for a checkout: the one in focus there, else the one that the pointer of
/// the format names unless another worktree has it, else the newest in progress, this machine's own first.
pub fn active_thread(snapshot: &Snapshot, checkout: &Checkout) -> Active {
    let pointer = &snapshot.pointer;
    let by_id = |id: &str| {
        snapshot
            .threads
            .iter()
            .find(|t| t.task_id == id && t.status == "in_progress")
    };
    let elsewhere = |id: &str| {
        pointer
            .focus
            .iter()
            .any(|f| f.task_id == id && f.worktree != checkout.worktree)
    };
    let here = pointer
        .focus
        .iter()
        .find(|f| f.worktree == checkout.worktree && f.branch == checkout.branch)
        .and_then(|f| by_id(&f.task_id));
    let pointed = by_id(&pointer.active_task_id).filter(|t| !elsewhere(&t.task_id));
    let newest = |wanted: &dyn Fn(&Thread) -> bool| {
        snapshot
            .threads
            .iter()
            .filter(|t| wanted(t) && !elsewhere(&t.task_id))
            .max_by(|a, b| {
                let by_id = || b.task_id.cmp(&a.task_id);
                let own = a.origin.is_own().cmp(&b.origin.is_own());
                own.then_with(|| a.updated_at.cmp(&b.updated_at))
                    .then_with(by_id)
            })
    };
    let mut out = Active::default();
    let candidates = [
        (here, "focus"),
        (pointed, "active_pointer"),
        (
            newest(&|t| t.status == "in_progress" && loadable(t, checkout).yes),
            "thread_fallback",
        ),
    ];
    for (candidate, source) in candidates {
        let Some(thread) = candidate else { continue };
        let found = loadable(thread, checkout);
        let status = json!({
            "loadable": found.yes, "reason": found.reason, "saved_branch": found.saved_branch,
            "current_branch": checkout.branch, "saved_head": found.saved_head,
            "current_head": checkout.head, "source": source,
            "warning": if found.reason == "branch_changed_but_merged" { "the thread was saved on another branch, which is merged" } else { "" },
        });
        if found.yes {
            out.thread = Some(Arc::clone(thread));
            out.status = Some(status);
            return out;
        }
        out.skipped.get_or_insert_with(|| {
            let mut skipped = json!({
                "task_id": thread.task_id, "reason": found.reason,
                "saved_branch": found.saved_branch, "current_branch": checkout.branch,
                "source": source,
            });
            thread.origin.mark(&mut skipped);
            skipped
        });
    }
    out.recent =
        newest(&|t| matches!(t.status.as_str(), "blocked" | "paused") && loadable(t, checkout).yes)
            .cloned();
    out
}
