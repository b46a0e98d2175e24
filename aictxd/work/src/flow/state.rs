//! State of a flow: what `flow.json` and the database hold (docs/flows.md#state).

use aictx_proto::flow::{
    AgentError, CommitBy, Conversation, FlowReason, FlowStatus, InboxState, TurnKind, TurnOutcome,
    TurnPhase, TurnReport, Usage,
};
use serde::{Deserialize, Serialize};

/// Version of the format of `flow.json`.
pub const FORMAT: u32 = 1;
/// Lines of details of a pause.
pub const MAX_DETAILS: usize = 20;
/// Finished items that the inbox keeps.
pub const MAX_INBOX: usize = 50;
/// Longest reason, in characters.
pub const MAX_REASON: usize = 120;

/// A flow: one worktree whose tickets are worked off in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Version of the format.
    pub format: u32,
    /// Identity.
    pub flow_id: String,
    /// Number of the last change; the database takes only the next one.
    pub state_rev: u64,
    /// Status.
    pub status: FlowStatus,
    /// Reason for which it does not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<FlowReason>,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Findings, paths or output that belong to the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Root of the repository, by which its memory is known.
    pub repo: String,
    /// Root of the worktree.
    pub worktree: String,
    /// Branch at the start; empty outside of git and on a detached HEAD.
    #[serde(default)]
    pub branch: String,
    /// Commit at the start.
    #[serde(default)]
    pub base_head: String,
    /// Choices of the person.
    pub options: Options,
    /// Limits.
    pub caps: Caps,
    /// Turns so far.
    #[serde(default)]
    pub turns: u32,
    /// Number of the last turn, also of those that were not counted.
    #[serde(default)]
    pub last_turn: u32,
    /// The ticket at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketAtHand>,
    /// The turn under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Tickets that were finished, in order.
    #[serde(default)]
    pub finished: Vec<FinishedTicket>,
    /// Tickets that were done before the flow began; nothing before its first look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_before: Option<Vec<String>>,
    /// Usage of all turns.
    #[serde(default)]
    pub usage: Usage,
    /// Seconds of all turns.
    #[serde(default)]
    pub seconds: u64,
    /// Failures in a row that pass by themselves.
    #[serde(default)]
    pub retries: Retries,
    /// Highest reply that an agent has had.
    #[serde(default)]
    pub reply_seq: u32,
    /// Highest dispatch in the archive.
    #[serde(default)]
    pub dispatch_seq: u32,
    /// Time at which a waiting flow goes on, in seconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<i64>,
    /// Digest of what a resume looks for changes in, as of the pause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub paused_at: String,
    /// Stop or pause that was asked for and is not done yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// Tickets that are worked on in worktrees of their own, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<Lane>,
    /// Step of a lane that is to be done next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_step: Option<LaneStep>,
    /// The flow whose lane this is; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lane_of: String,
    /// The one ticket of a lane.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub only: String,
    /// Questions to the person, the newest last.
    #[serde(default)]
    pub inbox: Vec<InboxItem>,
    /// Times, in seconds since the Unix epoch.
    pub created_at: i64,
    /// End; nothing while it is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<i64>,
    /// The flow that took its place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub superseded_by: String,
}

/// Choices of the person who started a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Driver for every ticket; empty for the one of the ticket's agent.
    pub driver: String,
    /// Program and arguments of the driver `command`.
    pub exec: Vec<String>,
    /// Author of commits.
    pub commit: CommitBy,
    /// Extent of a conversation.
    pub conversation: Conversation,
    /// The agent may do everything without being asked.
    pub full_access: bool,
    /// Checks of every ticket, beside its own.
    pub verify: Vec<String>,
    /// Changes outside a ticket's scope, and unticked criteria, pause the flow.
    pub strict: bool,
    /// Also changes that were there before the ticket have to be committed.
    pub strict_commit: bool,
    /// Highest number of a ticket that is worked on; 0 for all.
    pub until: u64,
    /// Tickets with `isolation: worktree` that are worked on at once, each in a worktree of its own; 0 and 1 for none.
    pub lanes: u32,
    /// Bytes of a prompt at most.
    pub prompt_bytes: usize,
    /// URL that is told of pauses and ends; empty for none.
    pub webhook: String,
    /// Pauses and ends are shown on the desktop.
    pub notify: bool,
}

impl Flow {
    /// A flow that is about to begin.
    pub fn new(flow_id: String, repo: String, worktree: String, now: i64) -> Self {
        Self {
            format: FORMAT,
            flow_id,
            state_rev: 0,
            status: FlowStatus::Running,
            reason_code: None,
            reason: String::new(),
            details: Vec::new(),
            repo,
            worktree,
            branch: String::new(),
            base_head: String::new(),
            options: Options::default(),
            caps: Caps::default(),
            turns: 0,
            last_turn: 0,
            ticket: None,
            turn: None,
            finished: Vec::new(),
            done_before: None,
            usage: Usage::default(),
            seconds: 0,
            retries: Retries::default(),
            reply_seq: 0,
            dispatch_seq: 0,
            due_at: None,
            paused_at: String::new(),
            asked: None,
            lanes: Vec::new(),
            lane_step: None,
            lane_of: String::new(),
            only: String::new(),
            inbox: Vec::new(),
            created_at: now,
            finished_at: None,
            superseded_by: String::new(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            driver: String::new(),
            exec: Vec::new(),
            commit: CommitBy::Agent,
            conversation: Conversation::Ticket,
            full_access: false,
            verify: Vec::new(),
            strict: false,
            strict_commit: false,
            until: 0,
            lanes: 1,
            prompt_bytes: 256 * 1024,
            webhook: String::new(),
            notify: false,
        }
    }
}

/// Limits of a flow; 0 allows none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Caps {
    /// Turns.
    pub turns: u32,
    /// Turns of one ticket.
    pub ticket_turns: u32,
    /// Repairs of a frontmatter.
    pub lint: u32,
    /// Requests to commit.
    pub commit: u32,
    /// Repairs of failing checks.
    pub verify_fix: u32,
    /// Failures of the network in a row.
    pub network: u32,
    /// Crashes of the agent in a row.
    pub crash: u32,
    /// Turns in a row that change nothing.
    pub idle_turns: u32,
    /// Seconds of one turn.
    pub turn_seconds: u64,
    /// Seconds without output and without work before a turn is interrupted.
    pub stall_seconds: u64,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Seconds of all turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            turns: 50,
            ticket_turns: 8,
            lint: 3,
            commit: 2,
            verify_fix: 3,
            network: 5,
            crash: 2,
            idle_turns: 2,
            turn_seconds: 2 * 60 * 60,
            stall_seconds: 30 * 60,
            tokens: None,
            cost_usd: None,
            seconds: None,
        }
    }
}

/// The ticket that a flow works on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TicketAtHand {
    /// Identity of the ticket.
    pub id: String,
    /// File name.
    pub file: String,
    /// Title.
    pub title: String,
    /// Agent, as of when the ticket could be read last.
    pub agent: String,
    /// Its model.
    pub model: String,
    /// Its effort.
    pub reasoning: String,
    /// Turns so far.
    pub turns: u32,
    /// Paths that were changed before the ticket was begun, as `git status` names them.
    pub baseline: Vec<String>,
    /// Commit at the beginning.
    pub head: String,
    /// Conversation with its driver; empty before the first turn.
    pub session: String,
    /// Agent and model of the conversation.
    pub session_profile: String,
    /// Usage of the conversation, for agents that report it as a whole.
    pub session_usage: Usage,
    /// Result of its checks when it was last done: nothing where none ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Its checks as of when a person last had a hand in it: they run whatever an agent makes of the ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<PinnedCheck>>,
    /// Tasks of the next turn before any work.
    pub gates: Gates,
    /// Turns in a row that changed nothing.
    pub idle_turns: u32,
    /// Digest of everything that counts as progress, after the last turn.
    pub fingerprint: String,
    /// Last answer of the agent.
    pub last_answer: String,
    /// Usage of its turns.
    pub usage: Usage,
}

impl TicketAtHand {
    /// Leaves the conversation: the next turn begins a new one.
    pub fn leave_session(&mut self) {
        self.session.clear();
        self.session_usage = Usage::default();
    }
}

/// A check of a ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PinnedCheck {
    /// Command line.
    pub command: String,
    /// Limit such as `10m`; empty for the usual one.
    pub timeout: String,
}

/// Tasks of the next turn of a ticket before any work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gates {
    /// Findings in the frontmatter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lint: Vec<String>,
    /// Repairs of the frontmatter so far.
    pub lint_turns: u32,
    /// Paths to be committed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commit: Vec<String>,
    /// Output of hooks that refused a commit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub commit_output: String,
    /// Requests to commit so far.
    pub commit_turns: u32,
    /// A failed check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<CheckResult>,
    /// Repairs of checks so far.
    pub verify_turns: u32,
    /// Fresh conversations after one that could not go on.
    pub fresh_turns: u32,
}

/// Failures in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retries {
    /// Of the network.
    pub network: u32,
    /// Limits of use.
    pub quota: u32,
    /// Crashes.
    pub crash: u32,
}

/// Result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckResult {
    /// Command line.
    pub command: String,
    /// Exit status; nothing where it was ended.
    pub exit: Option<i32>,
    /// Milliseconds.
    pub ms: u64,
    /// End of its output.
    pub tail: String,
    /// It ran out of time.
    pub timed_out: bool,
    /// It was ended because the flow was to stop: it says nothing.
    pub interrupted: bool,
}

impl CheckResult {
    /// Returns true if the command succeeded.
    pub fn passed(&self) -> bool {
        self.exit == Some(0)
    }
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Number in its flow, from 1.
    pub n: u32,
    /// Purpose.
    pub kind: TurnKind,
    /// Durable progress.
    pub phase: TurnPhase,
    /// Starts of it.
    pub attempt: u32,
    /// Ticket.
    pub ticket_id: String,
    /// Its file name.
    pub file: String,
    /// Agent.
    pub agent: String,
    /// Driver.
    pub driver: String,
    /// Model; empty for the agent's own choice.
    #[serde(default)]
    pub model: String,
    /// Effort.
    #[serde(default)]
    pub reasoning: String,
    /// Conversation that is continued; empty for a new one.
    #[serde(default)]
    pub resume: String,
    /// Highest reply in its prompt.
    #[serde(default)]
    pub replies: u32,
    /// Time of the launch.
    #[serde(default)]
    pub started_at: i64,
    /// Time of the end.
    #[serde(default)]
    pub ended_at: i64,
    /// Commit before it.
    #[serde(default)]
    pub head_before: String,
    /// Tree of the worktree before it.
    #[serde(default)]
    pub tree_before: String,
    /// Why it was interrupted, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<FlowReason>,
    /// Report of the agent, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<TurnReport>,
    /// Dispatch that it left and is archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Dispatched>,
    /// Reason why its dispatch is not archived.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dispatch_problem: String,
}

/// Dispatch of a turn, as archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatched {
    /// Number.
    pub seq: u32,
    /// The agent waits for an answer.
    pub pauses: bool,
    /// Title, or the beginning of its text.
    pub title: String,
}

/// A ticket that was finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedTicket {
    /// Identity.
    pub id: String,
    /// File name.
    pub file: String,
    /// Title.
    pub title: String,
    /// Result of its checks: nothing where none ran.
    #[serde(default)]
    pub verified: Option<bool>,
    /// Turns.
    pub turns: u32,
    /// Usage.
    pub usage: Usage,
}

/// A ticket that is worked on in a worktree of its own, by a flow of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Identity of the ticket.
    pub ticket_id: String,
    /// Its file name.
    pub file: String,
    /// Its flow.
    pub flow_id: String,
    /// Root of the worktree.
    pub worktree: String,
    /// Its branch.
    pub branch: String,
}

/// Step of a lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneStep {
    /// Make the worktree and begin the flow of this ticket.
    Open {
        /// Identity of the ticket.
        ticket_id: String,
        /// Its file name.
        file: String,
    },
    /// Put the work of this lane on top of the branch.
    Merge(Lane),
}

/// A stop or pause that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Pause.
    Pause,
    /// Stop.
    Stop,
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxItem {
    /// Identity: the flow's and a number.
    pub id: String,
    /// Reason of the pause.
    pub reason: FlowReason,
    /// In words.
    pub title: String,
    /// Dispatch that it is about; 0 for none.
    #[serde(default)]
    pub dispatch: u32,
    /// State.
    pub state: InboxState,
    /// Time, in seconds since the Unix epoch.
    pub at: i64,
    /// Answer or reason of its end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resolution: String,
}

/// Line of a turn in the log of a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Number.
    pub n: u32,
    /// Purpose.
    pub kind: TurnKind,
    /// File name of the ticket.
    pub file: String,
    /// Identity of the ticket.
    pub ticket_id: String,
    /// Agent.
    pub agent: String,
    /// Model.
    #[serde(default)]
    pub model: String,
    /// Starts.
    pub attempt: u32,
    /// End.
    pub outcome: TurnOutcome,
    /// Error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentError>,
    /// Usage.
    pub usage: Usage,
    /// Start and end, in seconds since the Unix epoch.
    pub started_at: i64,
    /// End.
    pub ended_at: i64,
    /// Commits before and after.
    pub head_before: String,
    /// Commit after.
    pub head_after: String,
    /// Trees of the worktree before and after.
    pub tree_before: String,
    /// Tree after.
    pub tree_after: String,
    /// Lines and files that changed, new files included.
    pub diff: DiffStat,
    /// Result of the ticket's checks: nothing where none ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Number of its dispatch; 0 for none.
    #[serde(default)]
    pub dispatch: u32,
    /// Beginning of the agent's last answer.
    #[serde(default)]
    pub summary: String,
}

/// Lines and files that changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffStat {
    /// Lines added.
    pub insertions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// Files, binary ones too.
    pub files_changed: u64,
}
