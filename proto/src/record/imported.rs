//! `continuity/imported.jsonl`: what agents did before aictx was installed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One session of an agent, or one section of a memory in Markdown. See `docs/format.md#imported-history`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportedRow {
    /// `imported::` and a hash of `source` and `session_id`; unique.
    pub id: String,
    /// The agent (`claude`, `codex`, …), `markdown` or `beads`.
    pub source: String,
    /// Its session id; of a section its file and heading, of an issue its id.
    pub session_id: String,
    /// Agent; the source if that is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// Branch that the transcript names.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The first request, the heading or the title.
    pub title: String,
    /// Of an issue; empty for sessions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Start.
    pub started_at: String,
    /// End.
    pub timestamp: String,
    /// Requests and the last answer to each; at most 32 KiB of text.
    pub turns: Vec<ImportedTurn>,
    /// Turns between the first and the last ones that found no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_turns: u64,
    /// At most 64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_edited: Vec<String>,
    /// Commands that failed, the last ones, each with its message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedCommand>,
    /// Rules and decisions heard in the texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Next steps that the last answer names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// Time of import.
    pub imported_at: String,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A request and the last answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportedTurn {
    /// The person's words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// The agent's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// A command that failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedCommand {
    /// The command line.
    pub command: String,
    /// The end of its output.
    pub error: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
