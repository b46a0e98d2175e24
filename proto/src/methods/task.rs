//! `task.*`, and what looks at memory: `next`, `prepare`, `suggest`, `reuse`, `reflect`, `log`, `why`,
//! `report`, `memory.*`, `messages`, `compact`.
//!
//! Results are the objects of the format (docs/format.md), with a member
//! `text` where people read something else than the JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::identity::Caller;
use crate::ledger::Receipt;
use crate::record::Origin;

/// Parameters of `task.*`; each command uses those that make sense for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TaskParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Goal of a new task.
    pub goal: String,
    /// Which task; empty for the active one (`start`: made of the goal).
    pub task_id: String,
    /// `close`: `resolved` (also when empty), `abandoned`, `blocked` or `paused`.
    pub status: String,
    /// `update`, `close`: what to change. `start`: what to begin with.
    pub patch: Map<String, Value>,
    /// Absolute working directory that relative paths of the patch start from; empty for the root.
    pub cwd: String,
    /// `status`: all tasks, not only the active one.
    pub all: bool,
    /// `start`: begin anew where there is such a task already.
    pub force: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// Parameters of `next`, `suggest` and `reuse`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HandParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// The request.
    pub request: String,
    /// Explicit task type.
    pub task_type: String,
    /// Files at hand, as given.
    pub files_opened: Vec<String>,
    /// Commands at hand.
    pub commands_executed: Vec<String>,
    /// Test runs at hand.
    pub tests_executed: Vec<String>,
    /// Errors at hand.
    pub notable_errors: Vec<String>,
}

/// Parameters of `prepare`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PrepareParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The goal.
    pub goal: String,
    /// Explicit task type.
    pub task_type: String,
}

/// Parameters of `log`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LogParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// Of this session: its id or a beginning of it.
    pub session: String,
    /// That touched this file or directory, as given.
    pub path: String,
    /// That saw this failure: its id or a beginning of it.
    pub failure: String,
    /// At most this many; 0 means 20.
    pub limit: u32,
}

/// Result of `log`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LogReply {
    /// Executions, newest first.
    pub executions: Vec<Value>,
    /// True if there are more.
    pub truncated: bool,
    /// Files that could not be read, or not all of them.
    pub warnings: Vec<String>,
}

/// Parameters of `why`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WhyParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Session: its id or a beginning of it; empty for the caller's own, else the newest.
    pub session_id: String,
    /// Identity of the caller.
    pub caller: Caller,
}

/// One moment at which something was told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Told {
    /// Time.
    pub at: String,
    /// Items shown and left out.
    pub receipt: Receipt,
}

/// Result of `why`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WhyReply {
    /// Session.
    pub session_id: String,
    /// Everything it was told, oldest first.
    pub told: Vec<Told>,
    /// Tokens of all of it.
    pub tokens: u32,
    /// Origin; that of others for a session in the archive that this user did not put there.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
}

/// Parameters of `memory.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryListParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// `decision`, `failure`, `strategy`, `handoff`, `note`, `task`; empty for all.
    pub kind: String,
    /// At most this many; 0 means 50.
    pub limit: u32,
}

/// Result of `memory.list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryList {
    /// `{id, kind, text, timestamp, status, pinned, wrong}`, newest first in each kind.
    pub items: Vec<Value>,
    /// True if there are more.
    pub truncated: bool,
}

/// Parameters of `memory.pin`, `unpin`, `wrong`, `right` and `forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Id of an item, or a beginning that no other has.
    pub id: String,
    /// `wrong`: why.
    pub reason: String,
}

/// Result of an edit of memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryReply {
    /// `pinned`, `unpinned`, `wrong`, `right` or `forgotten`.
    pub action: String,
    /// The item as it was.
    pub item: Value,
}

/// Parameters of `memory.decide`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DecideParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// `decision`, `rationale` and the other members of a decision.
    pub decision: Map<String, Value>,
    /// It is a rule of the user, who needs no reason.
    pub rule: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// Result of `memory.decide`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DecideReply {
    /// False when the same decision stands already; nothing was written then.
    pub recorded: bool,
    /// The row that was written; null for none.
    pub decision: Value,
    /// File it went to.
    pub path: String,
    /// Paths that are not in the repository; they are left out.
    pub warnings: Vec<String>,
}

/// Parameters of `memory.view`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ViewParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Write both forms into the memory, too.
    pub write: bool,
}

/// Result of `memory.view`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ViewReply {
    /// The page, in Markdown.
    pub markdown: String,
    /// The same as a Mermaid flow chart.
    pub mermaid: String,
    /// Path of the page in the repository once it is written.
    pub markdown_path: String,
    /// Path of the flow chart.
    pub mermaid_path: String,
    /// The page has been written there before, or is now.
    pub exists: bool,
    /// Time of creation.
    pub generated_at: String,
    /// Number of items by kind.
    pub summary: Map<String, Value>,
}

/// Parameters of `messages`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MessagesParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// `mute`, `unmute`, or `status` (also when empty).
    pub action: String,
}

/// Result of `messages`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MessagesReply {
    /// `{mode}`: `muted` or `unmuted`.
    pub messages: Map<String, Value>,
}

/// Parameters of `compact`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompactParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Do it; otherwise only say what would be done.
    pub apply: bool,
}

/// Parameters of methods that want a repository and nothing else.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InRepo {
    /// Absolute path in the repository.
    pub repo: String,
}
