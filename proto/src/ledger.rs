//! The session ledger `.aictx/sessions/<id>.jsonl`: what was observed, in order, local only.
//!
//! One row a fact, appended with one write. Rows are never changed; a session that is resumed goes
//! on in the same file. The ledger is the source from which a session is finalized when the agent
//! says nothing.

use serde::{Deserialize, Serialize};

use crate::event::ErrorEvent;
use crate::time::Timestamp;

/// Format version of a row.
pub const LEDGER_VERSION: u32 = 1;
/// Longest text kept of a prompt or a last message, in characters.
pub const MAX_TEXT: usize = 2_000;
/// Longest command line kept, in characters.
pub const MAX_COMMAND: usize = 4_000;
/// [`LedgerRow::source`] of a command that runs in the background: its end was not seen.
pub const BACKGROUND: &str = "background";
/// Most paths of one row.
pub const MAX_PATHS: usize = 32;

/// Evidence for a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The agent or user said so.
    Explicit,
    /// A hook or the watcher saw it.
    RuntimeObserved,
    /// Inferred from other facts by rule.
    Heuristic,
    /// Derived from the error events.
    DerivedFromErrorEvents,
    /// Not known.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Kind of a ledger row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LedgerKind {
    /// The session began, resumed, was cleared or compacted (`source`).
    SessionStart,
    /// The user asked for something.
    Prompt,
    /// A tool was about to run; `verdict` is what we answered.
    ToolIntent,
    /// A file was read.
    Read,
    /// A file was written or edited.
    Edit,
    /// A command ran.
    Command,
    /// Any other tool ran (search, fetch, sub-agent, MCP …).
    Tool,
    /// Context is about to be compacted.
    Compact,
    /// A turn ended.
    Stop,
    /// A sub-agent started or ended (`source`).
    Subagent,
    /// The session ended (`source` is the reason).
    SessionEnd,
    /// Files were named to the agent (`paths`).
    Suggested,
    /// Something remembered was told to the agent (`receipt`).
    Told,
    /// The user set or lifted limits (`limits`: all that hold from then on).
    Steered,
    /// The session claimed paths or let go of them (`paths`: all that it claims from then on).
    Claimed,
    /// The agent was asked back at the end of a turn (`text`).
    AskedBack,
    /// An execution of this session was finalized (`execution_id`).
    Finalized,
    /// Proof that a program of this user made the ledger (`proof`); its first row.
    Proof,
    /// Anything else the runner told us; kept as a name only.
    #[default]
    #[serde(other)]
    Other,
}

/// Outcome of a command or tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is known to have succeeded.
    Passed,
    /// It is known to have failed.
    Failed,
    /// It went to the background or behind a pipe, or nobody said.
    #[default]
    #[serde(other)]
    Unknown,
}

/// One row. Empty members are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LedgerRow {
    /// [`LEDGER_VERSION`].
    pub v: u32,
    /// Time of the observation.
    pub at: Timestamp,
    /// Kind.
    pub kind: LedgerKind,
    /// Evidence for it.
    pub provenance: Provenance,
    /// Id of the hook event that the row records; a ledger holds each once.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// Session id exactly as the runner gave it; in `session_start` and `finalized` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// Runner (`claude`, …); in `session_start` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub runner: String,
    /// Sub-agent that did it; empty for the main one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// The runner's name of the tool or event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The runner's id of the call; joins intent and outcome.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call_id: String,
    /// Repository-relative paths, at most [`MAX_PATHS`]: what was read or edited, or what a command wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Command line as run, scrubbed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The test runs that a script of the repository which the command calls by name consists of
    /// (`jest --ci` of `npm test`), when there is nothing else in it that decides how it ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ran: String,
    /// Directory the command ran in, repository-relative, when it was not the root.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// Exit status where the runner or the text says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<i32>,
    /// Passed, failed or unknown.
    #[serde(skip_serializing_if = "is_unknown")]
    pub outcome: Outcome,
    /// The command is a test run.
    #[serde(skip_serializing_if = "is_false")]
    pub test: bool,
    /// Error events found in its output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorEvent>,
    /// Prompt, last message or error text, bounded and scrubbed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Label that `steer` gave it (`task`, `question`, …); in `prompt` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The message orders work besides what `label` says of it ("fix the parser, and leave the tests alone");
    /// in `prompt` rows.
    #[serde(skip_serializing_if = "is_false")]
    pub orders: bool,
    /// Start source, end reason, compaction trigger; [`BACKGROUND`] in rows of commands that run there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Verdict on an intent (`allow` is left out).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// Duration in milliseconds where the runner says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Worktree root, absolute; in `session_start` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worktree: String,
    /// Branch checked out; in `session_start` rows, and in those of commands that ended.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The runner's transcript file, absolute; in `session_start` rows, and in `stop` rows without a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub transcript: String,
    /// Agent process id; in `session_start` rows. 0 when unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub pid: u32,
    /// Start time of that process in clock ticks since boot, to tell a reused id apart.
    #[serde(skip_serializing_if = "is_zero_u64")]
    pub pid_start: u64,
    /// Execution that was finalized; in `finalized` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub execution_id: String,
    /// All limits of the user; in `steered` rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<serde_json::Value>,
    /// Tag of the ledger's file under the user's key, in hexadecimal; in `proof` rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub proof: String,
    /// Items shown and left out; in `told` rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Box<Receipt>>,
}

/// Items of memory given to an agent at one moment, and those left out: the answer to "why does it know
/// that?".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Receipt {
    /// Occasion: `session_start`, `resume`, `prompt`, `failure`, `prepare`.
    pub surface: String,
    /// Tokens of the whole text, estimated by [`crate::tokens::estimate`].
    pub tokens: u32,
    /// Most tokens it could have had.
    pub budget: u32,
    /// Items shown, in order.
    pub items: Vec<ToldItem>,
    /// Items left out, the best first, at most [`MAX_LEFT_OUT`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Most entries of [`Receipt::left_out`].
pub const MAX_LEFT_OUT: usize = 12;

/// One item of memory that was told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToldItem {
    /// `handoff`, `decision`, `failure`, `strategy`, `task`, `note`, `map`, `check`, or `session` for
    /// another one that is open; of the session's own ledger `request`, `rule`, `edited`, `read`, `failing`, `passing`
    /// and `limits`.
    pub kind: String,
    /// Id of the item; for what has none, what was told: paths, a command, the beginning of a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Tokens it took.
    pub tokens: u32,
    /// Why it was chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// One item of memory that was not told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LeftOut {
    /// As in [`ToldItem::kind`].
    pub kind: String,
    /// Id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// `budget`, `limit`, `superseded`, `marked_wrong`, `stale`, `unrelated`, `other_branch`.
    pub why: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(b: &bool) -> bool {
    !*b
}
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u32) -> bool {
    *n == 0
}
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero_u64(n: &u64) -> bool {
    *n == 0
}
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_unknown(o: &Outcome) -> bool {
    *o == Outcome::Unknown
}

impl LedgerRow {
    /// A row of this version, observed at `at`.
    pub fn observed(at: Timestamp, kind: LedgerKind) -> Self {
        Self {
            v: LEDGER_VERSION,
            at,
            kind,
            provenance: Provenance::RuntimeObserved,
            ..Self::default()
        }
    }
}
