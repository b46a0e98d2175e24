//! Work State: threads of work, and which one is active where.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Origin;

/// States of a thread.
pub const THREAD_STATES: &[&str] = &["in_progress", "resolved", "abandoned", "blocked", "paused"];

/// `tasks/threads/<task-id>.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Thread {
    /// 1.
    pub version: u64,
    /// Its file's name.
    pub task_id: String,
    /// One of [`THREAD_STATES`].
    pub status: String,
    /// Goal, at most 240 characters.
    pub goal: String,
    /// Current hypothesis.
    pub current_hypothesis: String,
    /// Next steps.
    pub next_action: String,
    /// Files at work, newest last, at most 12.
    pub active_files: Vec<String>,
    /// Verified statements, at most 12.
    pub verified: Vec<String>,
    /// Unverified statements, at most 12.
    pub unverified: Vec<String>,
    /// Paths that lead nowhere, at most 12.
    pub discarded_paths: Vec<String>,
    /// Commands that check the work, at most 8.
    pub recommended_commands: Vec<String>,
    /// Risks, at most 8.
    pub risks: Vec<String>,
    /// Executions that worked on it, at most 12.
    pub source_execution_ids: Vec<String>,
    /// `{hypothesis, reason, evidence, confidence, related_paths, created_at}`, at most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub discarded_hypotheses: Vec<Value>,
    /// `{claim, confidence, needs_validation}`, at most 8.
    pub uncertainties: Vec<Value>,
    /// Open points of a contract, at most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contract_gaps: Vec<Value>,
    /// The most severe of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongest_contract_gap: Option<Value>,
    /// Start.
    pub created_at: String,
    /// Last change.
    pub updated_at: String,
    /// `{available, branch, head, dirty, changed_files, captured_at}` as of the last change.
    pub git_context: Option<Value>,
    /// The ticket that it is the work on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketLink>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub extra: Map<String, Value>,
}

/// A ticket as the thread that works on it knows it. The thread is the claim: a ticket is claimed while one that is
/// in progress names a claim.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketLink {
    /// Id of the ticket.
    pub id: String,
    /// File, relative to the repository, as it was when the ticket was claimed.
    pub file: String,
    /// Number then.
    pub number: u64,
    /// Commands that check the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<String>,
    /// Patterns of paths that the work may change; empty for any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Holder: a name that was given, else the agent. Whoever goes on in the same worktree under it is the
    /// same holder, in whichever session.
    pub holder: String,
    /// Worktree, as in [`Focus`].
    pub worktree: String,
    /// Time of the claim.
    pub claimed_at: String,
    /// Names the claim, for finishing and releasing from elsewhere; empty when nobody holds the ticket.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub claim: String,
}

/// `tasks/active.json`: the pointer of the format, and ours by worktree and branch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ActivePointer {
    /// 1.
    pub version: u64,
    /// The thread that became active last; empty for none.
    pub active_task_id: String,
    /// Time.
    pub updated_at: String,
    /// One thread a worktree and branch, newest first, at most [`MAX_FOCUS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<Focus>,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Most entries of [`ActivePointer::focus`].
pub const MAX_FOCUS: usize = 64;

/// Focus of work in one worktree on one branch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Focus {
    /// Worktree: its path relative to the main one, `.` for that itself.
    pub worktree: String,
    /// Branch; empty when none is checked out.
    pub branch: String,
    /// Thread.
    pub task_id: String,
}
