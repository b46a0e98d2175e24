//! `failures.*`: what failed here, and what became of it.

use serde::{Deserialize, Serialize};

use crate::record::{FailurePattern, Origin};

/// Parameters of `failures.list`. Without any question, the open ones, seen last first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FailureListParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// `open` (also when empty), `resolved` or `all`. A question looks at all.
    pub status: String,
    /// Failures that have to do with a task.
    pub task: String,
    /// Failures that have to do with these files, as given.
    pub paths: Vec<String>,
    /// Failures of a command about to be run.
    pub command: String,
    /// Most results; 0 means 20.
    pub limit: u32,
}

/// A failure as lists show it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FailureEntry {
    /// Id.
    pub failure_id: String,
    /// `open` or `resolved`.
    pub status: String,
    /// Number of times seen.
    pub occurrences: u64,
    /// Number of times it came back after it was resolved.
    pub reopened: u64,
    /// First time seen; empty when not known.
    pub first_seen: String,
    /// Last time seen or changed.
    pub last_seen: String,
    /// Command that failed.
    pub failed_command: String,
    /// Its first error.
    pub error: String,
    /// Fix; empty when nobody said.
    pub resolution_summary: String,
    /// Files that it speaks of.
    pub related_paths: Vec<String>,
    /// Score for the question; 0 without one.
    pub match_score: f64,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
}

/// Result of `failures.list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FailureList {
    /// Failures, best or newest first.
    pub failures: Vec<FailureEntry>,
    /// True if there are more.
    pub truncated: bool,
}

/// Parameters of `failures.show`, `failures.resolve`, `failures.reopen` and `failures.forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FailureParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Id, signature, or a beginning of either that is the only one.
    pub failure_id: String,
    /// For `failures.resolve`: what fixed it.
    pub summary: String,
}

/// Result of those: the whole record, after the change (before it, when it was forgotten).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FailureReply {
    /// `shown`, `resolved`, `reopened` or `forgotten`.
    pub action: String,
    /// The record.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub failure: FailurePattern,
}
