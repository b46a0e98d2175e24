//! Every method: its name, parameters and result.
//!
//! [`METHODS`] is the one list. The daemon registers from it, `aictxd once` accepts from it, the
//! OpenRPC document is generated from it, and tests fail when one of them lacks a method.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

pub mod daemon;
pub mod failures;
pub mod finalize;
pub mod flow;
pub mod guard;
pub mod import;
pub mod map;
pub mod policy;
pub mod recall;
pub mod resume;
pub mod run;
pub mod session;
pub mod setup;
pub mod steer;
pub mod task;
pub mod ticket;

pub use daemon::*;
pub use failures::*;
pub use finalize::*;
pub use flow::*;
pub use guard::*;
pub use import::*;
pub use map::*;
pub use policy::*;
pub use recall::*;
pub use resume::*;
pub use run::*;
pub use session::*;
pub use setup::*;
pub use steer::*;
pub use task::*;
pub use ticket::*;

/// Processes in which a method can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// On a repository's files: the same answer from the daemon and from `aictxd once`.
    Repository,
    /// On the user's registry: also without a daemon.
    User,
    /// Only in a running daemon.
    Daemon,
}

/// One method of the interface.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Name on the wire.
    pub name: &'static str,
    /// One sentence for the document.
    pub summary: &'static str,
    /// Processes in which it can run.
    pub scope: Scope,
    /// Schemas of its parameters and its result.
    #[cfg(feature = "schema")]
    pub schemas: fn(&mut schemars::SchemaGenerator) -> (schemars::Schema, schemars::Schema),
}

macro_rules! methods {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $scope:ident, $params:ty => $result:ty, $summary:literal;)*) => {
        $($(#[$doc])* #[doc = $summary] pub const $constant: &str = $name;)*
        /// Every method there is.
        pub const METHODS: &[Method] = &[$(Method {
            name: $name,
            summary: $summary,
            scope: Scope::$scope,
            #[cfg(feature = "schema")]
            schemas: |g| (g.subschema_for::<$params>(), g.subschema_for::<$result>()),
        }),*];
    };
}

methods! {
    HOOK = "hook", Repository, HookParams<'static> => HookResult,
        "Take one hook event of a coding agent and answer in that agent's dialect.";
    RESUME = "resume", Repository, ResumeParams => ResumeReply,
        "What this session needs to know: last handoff, next action, open failures, contract.";
    FINALIZE = "finalize", Repository, FinalizeParams => FinalizeReply,
        "Record what an execution did: log row, handoff, failure memory.";
    GUARD = "guard", Repository, GuardParams => GuardReply,
        "Check a step before it is taken.";
    STEER = "steer", Repository, SteerParams => SteerReply,
        "What a person's message means for work under way; with `apply` its limits are kept.";
    VERDICTS = "verdicts", Repository, VerdictParams => VerdictList,
        "What the guard refused or asked about, newest first.";
    TRUST = "trust", Repository, TrustParams => TrustReply,
        "Show a repository's policy, trust it, or no longer.";
    WHO = "who", Daemon, InRepo => WhoReply,
        "Live sessions of a repository, what they are at and which files they edited.";
    CLAIM = "claim", Daemon, ClaimParams => ClaimReply,
        "Claim paths for a live session until it ends, or let go of them.";
    INIT = "init", Repository, InitParams => InitReply,
        "Create .aictx in a repository, register it and, when asked, the agents' hooks.";
    CLEAN = "clean", Repository, CleanParams => RemovalReply,
        "Take aictx out of a repository: every file is as it was before.";
    INSTALL = "install", User, InstallParams => InstallReply,
        "Register the hooks of the user's agents, for all repositories.";
    UNINSTALL = "uninstall", User, UninstallParams => RemovalReply,
        "Take aictx out of the user's agents and of all registered repositories.";
    DOCTOR = "doctor", Repository, DoctorParams => DoctorReply,
        "Look for what keeps aictx from working, and say what fixes it.";
    MCP_STATUS = "mcp.status", Repository, McpStatusParams => McpStatus,
        "Which agents have an entry for the MCP server.";
    REPO_ADD = "repo.add", User, RepoParams => RepoEntry,
        "Register a repository with the user's daemon.";
    REPO_LIST = "repo.list", User, Empty => RepoList,
        "List the registered repositories.";
    REPO_REMOVE = "repo.remove", User, RepoParams => RepoEntry,
        "Forget a repository; its files stay.";
    SESSION_LIST = "session.list", Repository, SessionListParams => SessionList,
        "List the recorded sessions of a repository, newest first.";
    SESSION_SHOW = "session.show", Repository, SessionShowParams => SessionReport,
        "Show one session: what it read, edited, ran and how it ended.";
    RECALL = "memory.recall", Repository, RecallParams => Recalled,
        "Search everything that memory holds, whatever its age, best first.";
    IMPORT = "memory.import", Repository, ImportParams => ImportReply,
        "Bring in what agents did before aictx was installed, or say what there is.";
    PREVIEW = "memory.preview", Repository, PreviewParams => Preview,
        "Show what the next session would be told, and why; nothing is recorded.";
    FAILURES_LIST = "failures.list", Repository, FailureListParams => FailureList,
        "List remembered failures: open ones, or those that have to do with a task, files, a command.";
    FAILURES_SHOW = "failures.show", Repository, FailureParams => FailureReply,
        "Show one remembered failure.";
    FAILURES_RESOLVE = "failures.resolve", Repository, FailureParams => FailureReply,
        "Say that a failure is resolved, and by what.";
    FAILURES_REOPEN = "failures.reopen", Repository, FailureParams => FailureReply,
        "Say that a failure is not resolved after all.";
    FAILURES_FORGET = "failures.forget", Repository, FailureParams => FailureReply,
        "Forget a failure.";
    TASK_START = "task.start", Repository, TaskParams => Value,
        "Start a task and make it the active one of this worktree and branch.";
    TASK_STATUS = "task.status", Repository, TaskParams => Value,
        "Show the task that is active here, or all.";
    TASK_LIST = "task.list", Repository, TaskParams => Value,
        "List tasks, changed last first.";
    TASK_SHOW = "task.show", Repository, TaskParams => Value,
        "Show one task.";
    TASK_UPDATE = "task.update", Repository, TaskParams => Value,
        "Change a task.";
    TASK_RESUME = "task.resume", Repository, TaskParams => Value,
        "Make a task the active one of this worktree and branch.";
    TASK_CLOSE = "task.close", Repository, TaskParams => Value,
        "Close a task.";
    TICKET_LIST = "ticket.list", Repository, TicketParams => TicketList,
        "List tickets in order: open, done or ready ones, and which others wait for.";
    TICKET_SHOW = "ticket.show", Repository, TicketParams => TicketReply,
        "Show one ticket: its text, its state and what is wrong with it.";
    TICKET_LINT = "ticket.lint", Repository, TicketParams => TicketList,
        "Check all tickets, and repair them when asked.";
    TICKET_NEXT = "ticket.next", Repository, TicketParams => TicketReply,
        "Show the ticket at hand here, else the one to be worked on next.";
    TICKET_NEW = "ticket.new", Repository, TicketParams => TicketReply,
        "Write a ticket behind the last one, or at a free number.";
    TICKET_INSERT = "ticket.insert", Repository, TicketParams => TicketReply,
        "Free numbers before or behind a ticket, and write a ticket there.";
    TICKET_MOVE = "ticket.move", Repository, TicketParams => TicketReply,
        "Move tickets to another position and number all anew.";
    TICKET_EDIT = "ticket.edit", Repository, TicketParams => TicketReply,
        "Replace the text of a ticket.";
    TICKET_SET = "ticket.set", Repository, TicketParams => TicketReply,
        "Set fields of tickets, each in its own line.";
    TICKET_DONE = "ticket.done", Repository, TicketParams => TicketReply,
        "Mark a ticket as done and close the work on it.";
    TICKET_REOPEN = "ticket.reopen", Repository, TicketParams => TicketReply,
        "Mark a ticket as not done.";
    TICKET_REMOVE = "ticket.remove", Repository, TicketParams => TicketReply,
        "Remove a ticket's file.";
    TICKET_CLAIM = "ticket.claim", Repository, TicketParams => TicketReply,
        "Claim a ticket: it becomes the Work State of this worktree and branch.";
    TICKET_RELEASE = "ticket.release", Repository, TicketParams => TicketReply,
        "Let go of a claimed ticket.";
    TICKET_IMPORT = "ticket.import", Repository, TicketParams => TicketReply,
        "Take in tickets from a folder, a zip or a codex-autorunner repository.";
    RUN_START = "run.start", Repository, RunStartParams => RunState,
        "Start an agent run and make it the active one of this worktree.";
    RUN_LIST = "run.list", Repository, RunListParams => RunList,
        "List the agent runs of a worktree, started last first.";
    RUN_SHOW = "run.show", Repository, RunParams => Value,
        "Show an agent run: its problem, and what its ledgers add up to.";
    RUN_ADD = "run.add", Repository, RunAddParams => RunAdded,
        "Add a hypothesis, its end, evidence, a command, a learning, a note or a link to a run.";
    RUN_HANDOFF = "run.handoff", Repository, RunParams => RunHandoff,
        "Tell where a run stands, within a bound.";
    RUN_PARK = "run.park", Repository, RunParams => RunState,
        "Set a run aside.";
    RUN_RESUME = "run.resume", Repository, RunParams => RunState,
        "Make a run the active one of this worktree, and tell where it stands.";
    RUN_REOPEN = "run.reopen", Repository, RunParams => RunState,
        "Reopen a closed or abandoned run.";
    RUN_ABANDON = "run.abandon", Repository, RunParams => RunState,
        "Give a run up.";
    RUN_CLOSE = "run.close", Repository, RunCloseParams => RunClosed,
        "Close a run, or say what is missing.";
    RUN_GC = "run.gc", Repository, RunGcParams => RunGc,
        "Park runs that stand still and compress old ones, or say which.";
    FLOW_PREFLIGHT = "flow.preflight", Daemon, FlowStartParams => FlowReply,
        "Check whether a flow could start: tickets, checks, agents, git.";
    FLOW_START = "flow.start", Daemon, FlowStartParams => FlowReply,
        "Let agents work off the tickets of a worktree; one that is under way is shown instead.";
    FLOW_STATUS = "flow.status", Daemon, FlowParams => FlowReply,
        "Show the flow of a worktree, or all flows.";
    FLOW_PAUSE = "flow.pause", Daemon, FlowParams => FlowReply,
        "Pause a flow after the turn under way, or at once.";
    FLOW_RESUME = "flow.resume", Daemon, FlowParams => FlowReply,
        "Let a flow go on.";
    FLOW_STOP = "flow.stop", Daemon, FlowParams => FlowReply,
        "Stop a flow after the turn under way, or at once.";
    FLOW_SAY = "flow.say", Daemon, FlowParams => FlowReply,
        "Tell the agents of a flow something; it is in the next prompt.";
    FLOW_REPLY = "flow.reply", Daemon, FlowParams => FlowReply,
        "Answer the question of a flow, and let it go on.";
    FLOW_INBOX = "flow.inbox", Daemon, FlowParams => FlowReply,
        "List the questions of flows, or dismiss one.";
    FLOW_LOG = "flow.log", Daemon, FlowParams => FlowReply,
        "Show the turns of a flow, its events, or the prompt or output of a turn.";
    FLOW_DIFF = "flow.diff", Daemon, FlowParams => FlowReply,
        "Show what a turn, or the whole flow, changed.";
    FLOW_RESTORE = "flow.restore", Daemon, FlowParams => FlowReply,
        "Make a branch of the worktree as it was before a turn.";
    FLOW_RECOVER = "flow.recover", Daemon, FlowParams => FlowReply,
        "Take up flows that nobody works on, and rebuild what is known of them from their files.";
    FLOW_RETIRE = "flow.retire", Daemon, FlowParams => FlowReply,
        "Remove what is left of a flow that has ended: turns, checkpoints, files.";
    FLOW_COST = "flow.cost", Daemon, FlowParams => FlowReply,
        "Sum up turns, tokens, cost and time by ticket.";
    INTAKE = "intake", Repository, IntakeParams => IntakeReply,
        "Route a request to the documents of the repository that it belongs to.";
    DOCS_CHECK = "docs.check", Repository, DocsParams => DocsReply,
        "Check the documents that requests are routed to.";
    NEXT = "next", Repository, HandParams => Value,
        "What to do next, and why.";
    PREPARE = "prepare", Repository, PrepareParams => Value,
        "What to look at for a goal; nothing is written.";
    SUGGEST = "suggest", Repository, HandParams => Value,
        "Where to begin, by what worked before.";
    REUSE = "reuse", Repository, HandParams => Value,
        "What worked before for such a task.";
    REFLECT = "reflect", Repository, InRepo => Value,
        "What the last execution looks like from outside.";
    REPORT = "report", Repository, InRepo => Value,
        "What the logs show of use.";
    LOG = "log", Repository, LogParams => LogReply,
        "What happened, newest first.";
    WHY = "why", Repository, WhyParams => WhyReply,
        "What of memory a session was told, when, why, and what was left out.";
    MEMORY_LIST = "memory.list", Repository, MemoryListParams => MemoryList,
        "List what is remembered, with ids.";
    MEMORY_PIN = "memory.pin", Repository, MemoryParams => MemoryReply,
        "Tell an item first and never let it make room.";
    MEMORY_UNPIN = "memory.unpin", Repository, MemoryParams => MemoryReply,
        "Take a pin back.";
    MEMORY_WRONG = "memory.wrong", Repository, MemoryParams => MemoryReply,
        "Say that an item is wrong: it is not told any more.";
    MEMORY_RIGHT = "memory.right", Repository, MemoryParams => MemoryReply,
        "Take that back.";
    MEMORY_FORGET = "memory.forget", Repository, MemoryParams => MemoryReply,
        "Take an item out of memory, into the archive.";
    MEMORY_DECIDE = "memory.decide", Repository, DecideParams => DecideReply,
        "Keep a decision, in the midst of a session.";
    MEMORY_VIEW = "memory.view", Repository, ViewParams => ViewReply,
        "Show what is remembered on one page.";
    MESSAGES = "messages", Repository, MessagesParams => MessagesReply,
        "Show or set whether banner and summary are shown.";
    COMPACT = "compact", Repository, CompactParams => Value,
        "Say which rows of memory have become history; move them to the archive when asked.";
    PORTABILITY_STATUS = "portability.status", Repository, InRepo => Value,
        "Whether memory goes through git, and whether everything is as it should be for that.";
    PORTABILITY_COMPACT = "portability.compact", Repository, CompactParams => Value,
        "Take out of the histories that go through git what stands there twice or is too old.";
    MAP_QUERY = "map.query", Repository, MapQueryParams => MapQueryReply,
        "Rank the files that matter for a task.";
    MAP_BRIEF = "map.brief", Repository, MapBriefParams => MapBrief,
        "Outline a repository within a token budget, ranked for a task.";
    MAP_OUTLINE = "map.outline", Repository, MapFileParams => MapOutline,
        "List the definitions of a file.";
    MAP_SYMBOL = "map.symbol", Repository, MapNameParams => MapSymbols,
        "Find definitions by name: exact, prefix, substring, fuzzy.";
    MAP_REFS = "map.refs", Repository, MapNameParams => MapReferences,
        "Find where a name is defined and used.";
    MAP_RELATED = "map.related", Repository, MapFileParams => MapRelatives,
        "List files that have to do with a file.";
    MAP_IMPACT = "map.impact", Repository, MapFileParams => MapRelatives,
        "List files and tests that a change of a file may break.";
    MAP_STATUS = "map.status", Repository, MapRepoParams => MapStatus,
        "Show the state of a repository's index.";
    MAP_REFRESH = "map.refresh", Repository, MapRefreshParams => MapRefreshReply,
        "Bring a repository's index up to the tree now.";
    MAP_EXPORT = "map.export", Repository, MapRepoParams => MapExport,
        "Give the whole index in the format of index.json.";
    STATUS = "status", Daemon, Empty => DaemonStatus,
        "Version, uptime, repositories, sessions, queues, latencies, memory.";
    HELLO = "hello", Daemon, Empty => Hello,
        "Prove that the daemon lives, and say which one it is.";
    STOP = "daemon.stop", Daemon, StopParams => Stopping,
        "Drain and stop.";
    SPOOL_DRAIN = "spool.drain", User, Empty => SpoolReport,
        "Take in what clients left behind while no daemon could be reached.";
    DISCOVER = "rpc.discover", Daemon, Empty => Value,
        "This document.";
}

/// Looks a method up by name.
pub fn method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.name == name)
}

/// No parameters: `{}`, `[]` or nothing.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Empty {}

/// Parameters of `hook`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookParams<'a> {
    /// Which agent's dialect: `claude`.
    pub runner: &'a str,
    /// The event's id, made by the client and kept through retries: it is recorded once.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub id: &'a str,
    /// Parent process of the hook, the agent; 0 when unknown.
    #[serde(default)]
    pub pid: u32,
    /// The event's name when the hook was registered with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<&'a str>,
    /// Milliseconds since the Unix epoch at which a spooled event happened; absent for live ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spooled_at: Option<u64>,
    /// The agent's own JSON, untouched.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub payload: &'a RawValue,
}

/// Result of `hook`: what to print, or null for silence.
pub type HookResult = Option<Value>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = METHODS.iter().map(|m| m.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METHODS.len());
    }
}
