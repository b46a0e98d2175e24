//! `flow.*`: agents that work off the tickets of a worktree (docs/flows.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::flow::{CommitBy, Conversation, FlowReason, FlowStatus, Usage};
use crate::identity::Caller;

/// Limits of a flow; those that are left out keep their usual values.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FlowLimits {
    /// Turns of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Turns of one ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_turns: Option<u32>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Seconds of all turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Seconds of one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_seconds: Option<u64>,
    /// Seconds without output and work before a turn is interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_seconds: Option<u64>,
}

/// Parameters of `flow.start` and `flow.preflight`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FlowStartParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Take the place of a flow that has not ended.
    pub new: bool,
    /// Driver of every ticket; empty for the ticket's agent.
    pub driver: String,
    /// Program and arguments of the driver `command`.
    pub exec: Vec<String>,
    /// Author of commits; the agent where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitBy>,
    /// Extent of a conversation; the ticket where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
    /// Agents may do everything without being asked.
    pub full_access: bool,
    /// Checks of every ticket, beside its own.
    pub verify: Vec<String>,
    /// The commands under `verify` of all open tickets, and those given here, may be run.
    pub trust_verify: bool,
    /// Tickets without any check are worked on, too.
    pub unverified: bool,
    /// Changes outside a ticket's scope, and unticked criteria, pause the flow.
    pub strict: bool,
    /// Also changes from before a ticket have to be committed.
    pub strict_commit: bool,
    /// Highest number of a ticket that is worked on; 0 for all.
    pub until: u64,
    /// Tickets with `isolation: worktree` that are worked on at once; 0 for one after the other.
    pub lanes: u32,
    /// Bytes of a prompt at most; 0 for the usual limit.
    pub prompt_bytes: usize,
    /// URL that is told of pauses and ends.
    pub webhook: String,
    /// Show pauses and ends on the desktop.
    pub notify: bool,
    /// Limits.
    pub limits: FlowLimits,
    /// Environment of the agents; kept in memory only.
    pub environment: BTreeMap<String, String>,
    /// Caller.
    pub caller: Caller,
}

/// Parameters of the other `flow.*`; each command uses those that make sense for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FlowParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Id or a unique beginning of it; empty for the flow of the worktree.
    pub flow: String,
    /// `status`, `inbox`: of all repositories; `inbox` also shows what is settled.
    pub all: bool,
    /// `resume`: also where nothing changed; `pause`, `stop`: interrupt the turn under way.
    pub force: bool,
    /// `resume`: the branch there is now becomes the flow's.
    pub accept_branch: bool,
    /// `resume`: the commands under `verify` of all open tickets may be run.
    pub trust_verify: bool,
    /// `resume`: more turns, tokens, dollars, seconds.
    pub raise: FlowLimits,
    /// `say`, `reply`: text.
    pub text: String,
    /// `reply`: a second call with the same key gives no second reply.
    pub key: String,
    /// `reply`: the flow stays as it is.
    pub no_resume: bool,
    /// `reply`: also keep it as a decision of the repository.
    pub decision: bool,
    /// `inbox`: dismiss this item.
    pub dismiss: String,
    /// `inbox`: the reason of it.
    pub reason: String,
    /// `log`, `diff`, `restore`: number of a turn; 0 for the last one, for `diff` for all.
    pub turn: u32,
    /// `log`: `events`, `prompt`, `stdout`, `stderr` or `verify`; empty for the receipts.
    pub part: String,
    /// `log`: only events behind this number.
    pub since: i64,
    /// `restore`: name of the new branch.
    pub branch: String,
    /// `retire`: say what would go, and remove nothing.
    pub dry_run: bool,
    /// `resume`: environment of the agents.
    pub environment: BTreeMap<String, String>,
    /// Caller.
    pub caller: Caller,
}

/// A flow as people and programs see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowRow {
    /// Id.
    pub flow_id: String,
    /// Status.
    pub status: FlowStatus,
    /// Reason for which it does not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<FlowReason>,
    /// The reason in words.
    #[serde(default)]
    pub reason: String,
    /// Findings, paths or output that belong to the reason.
    #[serde(default)]
    pub details: Vec<String>,
    /// Worktree.
    pub worktree: String,
    /// Branch.
    #[serde(default)]
    pub branch: String,
    /// Ticket at hand: file name; empty for none.
    #[serde(default)]
    pub ticket: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Tickets of the worktree that are done, and all of them.
    pub tickets: (usize, usize),
    /// Finished tickets of this flow that no check has confirmed.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// Turns, and how many there may be.
    pub turns: (u32, u32),
    /// Turn under way: number; 0 for none.
    #[serde(default)]
    pub turn: u32,
    /// Its purpose.
    #[serde(default)]
    pub kind: String,
    /// Its agent.
    #[serde(default)]
    pub agent: String,
    /// Its start, in seconds since the Unix epoch.
    #[serde(default)]
    pub turn_started_at: i64,
    /// Last thing that the agent said or did.
    #[serde(default)]
    pub line: String,
    /// It waits for turns of other flows.
    #[serde(default)]
    pub is_queued: bool,
    /// Usage of all turns, with the one under way.
    pub usage: Usage,
    /// Limit of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Limit of cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// Seconds of all turns.
    #[serde(default)]
    pub seconds: u64,
    /// Time at which it goes on by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<i64>,
    /// Agents may do everything without being asked.
    #[serde(default)]
    pub full_access: bool,
    /// Number of the last change.
    pub state_rev: u64,
    /// Start, in seconds since the Unix epoch.
    pub created_at: i64,
    /// End.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<i64>,
    /// Command that a person would give next.
    #[serde(default)]
    pub next: String,
}

/// Question to the person.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowQuestion {
    /// Id, to reply to.
    pub id: String,
    /// Flow.
    pub flow_id: String,
    /// Worktree.
    pub worktree: String,
    /// Reason of the pause.
    pub reason: FlowReason,
    /// In words.
    pub title: String,
    /// Text of the agent's dispatch; empty where it is none.
    #[serde(default)]
    pub text: String,
    /// `open`, `answered`, `dismissed` or `obsolete`.
    pub state: String,
    /// Time, in seconds since the Unix epoch.
    pub at: i64,
    /// Answer, or how it went away.
    #[serde(default)]
    pub resolution: String,
}

/// Something that happened to a flow.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowEvent {
    /// Number, increasing.
    pub seq: i64,
    /// Time, in seconds since the Unix epoch.
    pub at: i64,
    /// For people.
    pub text: String,
}

/// Result of every `flow.*`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FlowReply {
    /// Outcome, in a line.
    pub message: String,
    /// The flow, or the flows.
    pub flows: Vec<FlowRow>,
    /// Questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<FlowQuestion>,
    /// Receipts of turns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Value>,
    /// Events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<FlowEvent>,
    /// Text that was asked for: a log, a prompt, a patch.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Things that keep a flow from starting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Things to know that keep nothing from starting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Something was changed.
    pub changed: bool,
}
