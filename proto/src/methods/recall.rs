//! `memory.recall`: what memory holds about something.

use serde::{Deserialize, Serialize};

use crate::ledger::Receipt;
use crate::record::Origin;

/// Kinds of what can be recalled.
pub const RECALLED_KINDS: &[&str] = &[
    "handoff", "decision", "failure", "strategy", "task", "note", "imported", "area", "commit",
];

/// Parameters of `memory.recall`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RecallParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that a relative `file` starts from; empty for the root.
    pub cwd: String,
    /// Query; without it the newest items come first.
    pub query: String,
    /// Only of these kinds ([`RECALLED_KINDS`]); empty for all.
    pub kinds: Vec<String>,
    /// Only what was written at or after this date (`2026-03-01`) or time.
    pub since: String,
    /// Only what has to do with this file.
    pub file: String,
    /// Only of this branch.
    pub branch: String,
    /// Only of this agent.
    pub agent: String,
    /// Most items; 0 means 8.
    pub limit: u32,
}

/// An item of memory that fits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RecallItem {
    /// Id, by which `aictx memory` and `aictx failures` know it; for others the execution's.
    pub id: String,
    /// One of [`RECALLED_KINDS`].
    pub kind: String,
    /// The sentence that fits best.
    pub text: String,
    /// Request at the time of writing; empty when not known.
    pub request: String,
    /// Everything else that it says, each with what it is (`next: …`, `blocked: …`).
    pub details: Vec<String>,
    /// Time of writing, or last time seen.
    pub timestamp: String,
    /// Author.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Branch that it was written on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// Files that it has to do with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Changes of its files since: `file changed since: src/a.py`, `file gone: src/b.py`; empty where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// `open`, `resolved`, `unresolved`, `superseded`, `wrong` and the like; `earlier decision` where a later one is on
    /// the same subject; empty where it just holds.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Score; 0 without a question.
    pub score: f64,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
}

/// Result of `memory.recall`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Recalled {
    /// Items, best first.
    pub items: Vec<RecallItem>,
    /// True if there are more.
    pub truncated: bool,
    /// Items that were looked at.
    pub searched: u64,
}

/// Parameters of `memory.preview`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PreviewParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Runner whose session it would be; empty for `claude`.
    pub runner: String,
    /// Prompt of its user; without it only the start is previewed.
    pub prompt: String,
}

/// Result of `memory.preview`: the texts that the next session would be told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Preview {
    /// Runner.
    pub runner: String,
    /// Text of its start.
    pub start: String,
    /// Text with the prompt; empty where nothing fits.
    pub prompt: String,
    /// Items told and left out of each text, and why.
    pub receipts: Vec<Receipt>,
}
