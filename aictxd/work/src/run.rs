//! Agent runs: the visible ledger of one substantial task, in `.agents/runs/<id>/` (docs/runs.md).
//!
//! Texts of files come in, a folded [`Run`](state::Run) or the [`Effects`](aictx_proto::effect::Effects) of an
//! operation come out. Effects name files below `.agents/runs/`.

use aictx_proto::methods::RunStatus;

pub mod closeout;
pub mod gate;
pub mod handoff;
pub mod id;
pub mod inference;
pub mod ledger;
pub mod operation;
pub mod state;
pub mod task_mirror;

#[cfg(test)]
mod tests;

/// Directory of runs, from the root of a worktree.
pub const DIRECTORY: &str = ".agents/runs";
/// File with the id of the active run.
pub const ACTIVE: &str = "ACTIVE";
/// File with the problem as it was understood at the start.
pub const PROBLEM: &str = "problem.json";
/// Most runs of a worktree that are looked at.
pub const MAX_RUNS: usize = 1_000;
/// Longest text of an entry, in characters; longer ones are cut.
pub const MAX_TEXT: usize = 4_000;
/// Most rows of one ledger.
pub const MAX_ROWS: usize = 10_000;
/// Shortest reason that counts as one, in characters.
pub const MIN_REASON: usize = 10;

/// Reason why an operation on a run is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The id could lead out of the directory, or is no name of a run.
    #[error(
        "`{0}` is no id of a run: letters, digits, `.`, `_` and `-`, at most 96, a letter or digit first, no `..`"
    )]
    BadId(String),
    /// A run has this id already.
    #[error("there is a run `{0}` already")]
    Exists(String),
    /// Another run is active.
    #[error("the run `{0}` is open here")]
    Active(String),
    /// No run was named and none is active.
    #[error("no run is active here{}", open_runs(.0))]
    NoActive(Vec<String>),
    /// No run has this id.
    #[error("there is no run `{id}`{}", suggestion(.nearest))]
    Unknown {
        /// The id.
        id: String,
        /// Ids that are like it, best first.
        nearest: Vec<String>,
    },
    /// No hypothesis has this id.
    #[error("the run has no hypothesis `{0}`")]
    UnknownHypothesis(String),
    /// A closed or abandoned run takes no entries, a parked one is resumed first.
    #[error("the run `{id}` is {status}")]
    NotOpen {
        /// The run.
        id: String,
        /// Its state.
        status: RunStatus,
    },
    /// The operation makes no sense in this state.
    #[error("the run `{id}` is {status}: {why}")]
    WrongState {
        /// The run.
        id: String,
        /// Its state.
        status: RunStatus,
        /// Operation that is needed.
        why: &'static str,
    },
    /// A text is empty.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A hypothesis is resolved as open.
    #[error("a hypothesis is resolved as accepted, blocked, rejected or superseded")]
    ResolvedOpen,
    /// A learning without an artifact has no reason.
    #[error("a reason is required when the repo action is `none`")]
    ReasonRequired,
    /// A learning with an artifact does not name it.
    #[error("a path is required unless the repo action is `none`")]
    PathRequired,
    /// A path that is not in the repository.
    #[error("{0} is not a path in this repository")]
    OutsidePath(String),
    /// A ledger has its most rows.
    #[error("{file} has {MAX_ROWS} rows, which is the most")]
    Full {
        /// The ledger.
        file: &'static str,
    },
}

fn open_runs(open: &[String]) -> String {
    match open {
        [] => String::new(),
        open => format!("; open: {}", open.join(", ")),
    }
}

fn suggestion(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        nearest => format!("; there is {}", nearest.join(", ")),
    }
}
