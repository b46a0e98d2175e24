//! `ticket.*`: the queue of work of a repository, one Markdown file a ticket.
//!
//! Format, codes of findings and commands: docs/tickets.md.

use serde::{Deserialize, Serialize};

use crate::identity::Caller;

/// Tickets of one directory that are read; a directory with more is refused.
pub const MAX_TICKETS: usize = 5_000;

/// Parameters of `ticket.*`; each command uses those that make sense for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// Number, file name or id; several as `3:7` or `3,5`. Empty: the ticket claimed here.
    pub ticket: String,
    /// `list`: `open`, `done` or `ready`; empty for all.
    pub filter: String,
    /// `lint`: `run` reports only what stops a run that is under way; empty or `start` for all.
    pub gate: String,
    /// `new`, `insert`: title.
    pub title: String,
    /// `new`, `insert`: agent; empty for `codex`. `import`: agent of every ticket.
    pub agent: String,
    /// `new`: goal.
    pub goal: String,
    /// `new`, `edit`: text below the frontmatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// `edit`: the whole new text of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `edit`: digest of the text that the new one was made of; empty for any.
    pub digest: String,
    /// `new`: number, which must be free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// `new`: tickets that must be done before.
    pub after: Vec<String>,
    /// `new`: commands that check the work.
    pub verify: Vec<String>,
    /// `new`: patterns of paths that the work may change.
    pub scope: Vec<String>,
    /// `insert`: before this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_before: Option<u64>,
    /// `insert`: behind this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_after: Option<u64>,
    /// `insert`: how many numbers to free; 0 for one.
    pub count: u64,
    /// `move`: the first and the last number to move, and the position to move them to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<TicketRange>,
    /// `set`: `key=value`; without a value the key is removed.
    pub values: Vec<String>,
    /// `done`: what shows that it is done; kept with the work.
    pub evidence: String,
    /// `claim`, `done`, `release`: on whose behalf; empty for the caller's agent.
    pub holder: String,
    /// `done`, `release`: the claim, for who is not its holder.
    pub claim: String,
    /// Also where somebody else has claimed the ticket.
    pub force: bool,
    /// `lint`: repair what can be repaired without a guess.
    pub fix: bool,
    /// `lint`, `import`: say what would be written, and write nothing.
    pub dry_run: bool,
    /// `import`: absolute path of a folder or zip.
    pub path: String,
    /// Caller.
    pub caller: Caller,
}

/// Range and target of `ticket.move`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketRange {
    /// Number of the first ticket.
    pub first: u64,
    /// Number of the last one; 0 for the first alone.
    pub last: u64,
    /// Position among the remaining tickets, from 1.
    pub to: u64,
    /// Keep the numbers that there are; otherwise all tickets are numbered from 1 without gaps.
    pub keep_gaps: bool,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Work on the queue cannot start.
    #[default]
    Error,
    /// To be looked at.
    Warning,
}

/// A finding of `ticket.lint`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketFinding {
    /// `T…`, see docs/tickets.md#findings.
    pub code: String,
    /// Severity.
    pub severity: Severity,
    /// File, relative to the repository.
    pub file: String,
    /// Line in the file, from 1; 0 where it is about the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 as above.
    pub column: u32,
    /// The cause.
    pub message: String,
    /// Suggested text; empty when nothing is obvious.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fix: String,
}

/// State of a ticket in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TicketState {
    /// It could be worked on now.
    #[default]
    Ready,
    /// Somebody works on it.
    Claimed,
    /// Others have to be done before.
    Blocked,
    /// It is done.
    Done,
    /// Its frontmatter cannot be read; it counts as not done.
    Invalid,
}

/// One ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketRow {
    /// Number, which is its place in the queue.
    pub number: u64,
    /// Id: as written, else made of the path.
    pub id: String,
    /// File, relative to the repository.
    pub file: String,
    /// State.
    pub state: TicketState,
    /// Title, else the goal.
    pub title: String,
    /// Goal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// Agent.
    pub agent: String,
    /// Names of the tickets that have to be done before and are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
    /// Holder of the claim.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub claimed_by: String,
    /// Time of the claim.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub claimed_at: String,
    /// Commands that check the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<String>,
    /// Patterns of paths that the work may change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
}

/// Result of `ticket.list` and `ticket.lint`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketList {
    /// Directory of the tickets, relative to the repository.
    pub directory: String,
    /// Tickets in the directory.
    pub count: usize,
    /// `list`: those that were asked for, in order.
    pub tickets: Vec<TicketRow>,
    /// Findings; files in order, then lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<TicketFinding>,
    /// Files that were repaired.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file that got another name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketRename {
    /// Name before.
    pub from: String,
    /// Name now.
    pub to: String,
}

/// Result of the other `ticket.*` methods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TicketReply {
    /// True if a file or the state of work changed; false when everything was so before.
    pub changed: bool,
    /// The tickets that it is about, as they are now.
    pub tickets: Vec<TicketRow>,
    /// Files that got another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<TicketRename>,
    /// `claim`: names the claim, for finishing or releasing the ticket from elsewhere.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub claim: String,
    /// `claim`: task of the Work State that the ticket is worked on in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    /// `show`: the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `show`: digest of the text, for `edit`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Findings in these tickets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<TicketFinding>,
    /// Result in a line, for people.
    pub message: String,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
