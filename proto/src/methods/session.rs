//! `session.list`, `session.show`.

use serde::{Deserialize, Serialize};

use crate::event::ErrorEvent;
use crate::ledger::LedgerRow;
use crate::record::Origin;

/// Parameters of `session.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionListParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// At most this many, newest first; 0 means 50.
    pub limit: u32,
}

/// One session in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionSummary {
    /// Session id.
    pub session_id: String,
    /// Runner.
    pub runner: String,
    /// `live`, `ended`, `interrupted` (its agent went away without a word) or `unknown` (nobody saw its end).
    pub state: String,
    /// First row.
    pub started_at: String,
    /// Last row.
    pub last_seen_at: String,
    /// Branch it started on.
    pub branch: String,
    /// First prompt, cut.
    pub request: String,
    /// Distinct files read.
    pub files_read: u64,
    /// Distinct files edited.
    pub files_edited: u64,
    /// Commands run.
    pub commands: u64,
    /// Commands that failed.
    pub commands_failed: u64,
    /// Executions finalized.
    pub executions: Vec<String>,
    /// Origin; that of others for a session in the archive that this user did not put there.
    #[serde(default, skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
}

/// Result of `session.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionList {
    /// Sessions, newest first.
    pub sessions: Vec<SessionSummary>,
    /// True if there are more.
    pub truncated: bool,
}

/// Parameters of `session.show`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionShowParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Session id, or an unambiguous beginning of one.
    pub session_id: String,
    /// Include the rows themselves (newest 500).
    pub rows: bool,
}

/// Result of `session.show`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionReport {
    /// Head.
    pub session: SessionSummary,
    /// As in the head.
    #[serde(default, skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Files read.
    pub files_read: Vec<String>,
    /// Files edited.
    pub files_edited: Vec<String>,
    /// Commands with their outcome, in order, newest 100.
    pub commands: Vec<CommandSeen>,
    /// Error events, newest 20.
    pub errors: Vec<ErrorEvent>,
    /// Rows, when asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<LedgerRow>,
    /// True if anything was cut.
    pub truncated: bool,
}

/// A command that ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommandSeen {
    /// Command line.
    pub command: String,
    /// Exit status where known.
    pub exit_status: Option<i32>,
    /// `passed`, `failed` or `unknown`.
    pub outcome: crate::ledger::Outcome,
    /// A test run.
    pub test: bool,
    /// Time.
    pub at: String,
}
