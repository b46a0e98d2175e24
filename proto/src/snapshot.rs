//! Immutable snapshot of a repository's memory, on which decisions are made.

use std::sync::Arc;

use serde_json::Value;

use crate::record::{
    ActivePointer, AgentExecutionRow, AreaMemory, ComplianceRow, ContractIndex, Decision,
    FailurePattern, Handoff, HandoffRow, LifecycleEvent, SemanticRepo, SessionFile, Strategy,
    Thread,
};

/// Newest handoff rows kept in a snapshot.
pub const HANDOFF_TAIL: usize = 32;
/// Newest decision rows kept in a snapshot.
pub const DECISION_TAIL: usize = 500;
/// Newest execution rows kept in a snapshot; also the window in which a repeated execution id is
/// recognised, of which retention leaves at least 64.
pub const EXECUTION_TAIL: usize = 500;
/// Newest strategy rows kept in a snapshot; the file is bounded to some hundreds by its writer.
pub const STRATEGY_TAIL: usize = 5_000;
/// Newest compliance rows kept in a snapshot.
pub const COMPLIANCE_TAIL: usize = 200;
/// Newest lifecycle events kept in a snapshot.
pub const LIFECYCLE_TAIL: usize = 500;
/// Most Work State threads, sub-systems and areas of a snapshot, each.
pub const MAX_SHELF: usize = 512;

/// A file that could not be read as what it should be. It is never overwritten because of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadIssue {
    /// File, relative to `.aictx/`.
    pub file: String,
    /// `state_unreadable` (whole file), `invalid_jsonl_lines` or [`Self::CAME_WITH_REPOSITORY`].
    pub code: &'static str,
    /// Description of the problem, for people.
    pub detail: String,
    /// Lines skipped, 0 for whole files.
    pub lines: u64,
}

impl ReadIssue {
    /// Code of a file that is ignored because this user's programs did not make it.
    pub const CAME_WITH_REPOSITORY: &'static str = "came_with_repository";

    /// Returns true if nothing could be read of a file that belongs to this memory.
    pub fn is_loss(&self) -> bool {
        self.lines == 0 && self.code != Self::CAME_WITH_REPOSITORY
    }

    /// The warning text of the format: `state_unreadable:<file>` or
    /// `invalid_jsonl_lines:<file>:<n>`.
    pub fn warning(&self) -> String {
        match self.lines {
            0 => format!("{}:{}", self.code, self.file),
            n => format!("{}:{}:{n}", self.code, self.file),
        }
    }
}

/// Rows of a history, oldest first. Each is shared, so that the next snapshot costs a pointer for
/// each row that it has in common with this one.
pub type Rows<T> = Arc<Vec<Arc<T>>>;

/// Rows to share.
pub fn shared<T>(rows: impl IntoIterator<Item = T>) -> Rows<T> {
    Arc::new(rows.into_iter().map(Arc::new).collect())
}

/// Immutable memory of one repository. Cheap to clone; parts that did not change are shared.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Grows with every snapshot of one store in one process.
    pub generation: u64,
    /// Absolute root of the main worktree.
    pub root: String,
    /// `repo_id`.
    pub repo_id: String,
    /// Visible sessions.
    pub session: Arc<SessionFile>,
    /// Newest handoff; the newest history row in its shape when the file is missing.
    pub handoff: Option<Arc<Handoff>>,
    /// Newest history rows, oldest first.
    pub handoffs: Rows<HandoffRow>,
    /// Newest decisions, oldest first.
    pub decisions: Rows<Decision>,
    /// Failure patterns, folded: one per signature, in the order in which they were last written.
    pub failures: Rows<FailurePattern>,
    /// Rows that the failure patterns are folded from: what was superseded stays until the file is
    /// written anew.
    pub failure_rows: u64,
    /// Newest executions, oldest first.
    pub executions: Rows<AgentExecutionRow>,
    /// Executions in the whole log (lines), for counters.
    pub executions_total: u64,
    /// The active Work State thread, when the pointer names one that is in progress; else the one in
    /// progress that was changed last. Which worktree it belongs to is not looked at here.
    pub active_task: Option<Arc<Thread>>,
    /// All Work State threads, by id.
    pub threads: Arc<Vec<Arc<Thread>>>,
    /// Which thread is active where.
    pub pointer: Arc<ActivePointer>,
    /// Newest strategies, folded: one per execution, in the order in which they were last written.
    pub strategies: Rows<Strategy>,
    /// Rows that the strategies are folded from, as [`Self::failure_rows`].
    pub strategy_rows: u64,
    /// Sub-systems, shards over the file of all.
    pub semantic: Arc<SemanticRepo>,
    /// Areas, shards over the file of all.
    pub areas: Arc<AreaMemory>,
    /// Areas have files of their own besides (the ancestor shares those through git), which outweigh
    /// the one of all and so have to be kept up.
    pub area_files: bool,
    /// The user's preferences, as stored.
    pub preferences: Arc<Value>,
    /// Contracts.
    pub contracts: Arc<ContractIndex>,
    /// Counters of what was loaded, as stored.
    pub metrics: Arc<Value>,
    /// Newest compliance rows, oldest first.
    pub compliance: Rows<ComplianceRow>,
    /// Newest lifecycle events, oldest first.
    pub lifecycle: Rows<LifecycleEvent>,
    /// State of the imported history, which only questions read: another number after each change, 0 while there is
    /// none.
    pub imported: u64,
    /// Problems met while reading.
    pub issues: Arc<Vec<ReadIssue>>,
}

/// Git state of a worktree, gathered outside of decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitState {
    /// False outside of git or when git could not be asked (`reason`).
    pub available: bool,
    /// `not_git_repo` or `git_state_error:<kind>`.
    pub reason: String,
    /// Branch, `(detached)` without one.
    pub branch: String,
    /// Full commit id; empty before the first commit.
    pub head: String,
    /// Staged paths.
    pub staged: Vec<String>,
    /// Changed, not staged paths.
    pub unstaged: Vec<String>,
    /// Untracked paths.
    pub untracked: Vec<String>,
    /// True if the lists were cut.
    pub truncated: bool,
}
