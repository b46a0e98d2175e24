//! Words of flows: statuses, reasons, turns, errors of agents, usage. Behaviour: docs/flows.md.

use serde::{Deserialize, Serialize};

use crate::closed_set::words;

words! {
    /// Status of a flow.
    FlowStatus {
        /// It works, or is about to.
        Running = "running",
        /// It goes on by itself at a known time.
        Waiting = "waiting",
        /// Only a person or a command makes it go on.
        Paused = "paused",
        /// It was told to stop and an agent still has to end.
        Stopping = "stopping",
        /// It was stopped; it can be resumed.
        Stopped = "stopped",
        /// Every ticket is done.
        Completed = "completed",
        /// Its data or its worktree are gone.
        Failed = "failed",
        /// Another flow took its place.
        Superseded = "superseded",
    }
    /// Purpose of a turn.
    TurnKind {
        /// Work on the ticket.
        Work = "work",
        /// Make the ticket's frontmatter readable again.
        RepairFrontmatter = "repair_frontmatter",
        /// Commit what the ticket changed.
        Commit = "commit",
        /// Make the ticket's checks pass.
        VerifyFix = "verify_fix",
        /// Run the checks of a ticket that is done, without an agent.
        Verify = "verify",
    }
    /// Durable progress of a turn; each is written before what follows it begins.
    TurnPhase {
        /// The prompt is written; nothing has been started.
        Prepared = "prepared",
        /// The agent was started.
        Launched = "launched",
        /// The agent has ended and its report is written.
        Collected = "collected",
        /// Its dispatch is archived.
        Outboxed = "outboxed",
        /// The flow has taken the result in.
        Settled = "settled",
    }
    /// End of a turn.
    TurnOutcome {
        /// The agent ended as it should.
        Ok = "ok",
        /// The agent reported an error.
        Error = "error",
        /// It was interrupted by a command, a limit or the end of the machine.
        Interrupted = "interrupted",
        /// It ended without a report.
        Crashed = "crashed",
    }
    /// Kind of an agent's error, told from its own error channel and never from what a tool printed.
    ErrorClass {
        /// A limit of use was reached.
        Quota = "quota",
        /// The service could not be reached, or was overloaded.
        Network = "network",
        /// The agent is not signed in.
        Auth = "auth",
        /// The conversation became too long.
        ContextOverflow = "context_overflow",
        /// The conversation to be continued does not exist.
        SessionMissing = "session_missing",
        /// The model or an option is not known to the agent.
        Config = "config",
        /// The agent crashed, or its output was not what it should be.
        AgentBug = "agent_bug",
        /// Anything else.
        Unknown = "unknown",
    }
    /// Effect of a dispatch on its flow.
    DispatchMode {
        /// Told to the person; the flow goes on.
        Notify = "notify",
        /// The flow pauses until the person answers.
        Pause = "pause",
        /// Summary of a turn.
        TurnSummary = "turn_summary",
    }
    /// Author of the commits of a flow.
    CommitBy {
        /// The agent; it is asked again while something is left.
        Agent = "agent",
        /// The daemon, with the hooks of the repository.
        Daemon = "daemon",
        /// Nobody: what a ticket changed stays in the worktree.
        Nobody = "off",
    }
    /// Extent of a conversation with an agent.
    Conversation {
        /// One for all turns of a ticket.
        Ticket = "ticket",
        /// One for each turn.
        Fresh = "fresh",
    }
    /// State of an item of the inbox.
    InboxState {
        /// It waits for an answer.
        Open = "open",
        /// It was answered.
        Answered = "answered",
        /// It was dismissed.
        Dismissed = "dismissed",
        /// It went away by itself.
        Obsolete = "obsolete",
    }
    /// Party that makes a flow go on.
    Actor {
        /// The person.
        Person = "person",
        /// The daemon, at a known time.
        Daemon = "daemon",
    }
}

macro_rules! reasons {
    ($($(#[$about:meta])* $name:ident = $code:literal, $actor:ident, $signal:literal, $command:literal;)*) => {
        /// Reason for which a flow does not work.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum FlowReason { $($(#[$about])* #[serde(rename = $code)] $name,)* }

        impl FlowReason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Code in files and answers.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Reads a code, and the older one of `loop_no_progress`.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    "loop_no_diff" => Some(Self::LoopNoProgress),
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Party that acts next.
            pub fn actor(self) -> Actor {
                match self { $(Self::$name => Actor::$actor,)* }
            }

            /// Returns true if a resume needs a change since the pause (a reply, a file, a commit) or `--force`.
            pub fn needs_signal(self) -> bool {
                match self { $(Self::$name => $signal,)* }
            }

            /// Command that a person would give next.
            pub fn command(self) -> &'static str {
                match self { $(Self::$name => $command,)* }
            }
        }
    };
}

// Order of the columns: who acts, whether a resume needs a signal, the next command.
reasons! {
    /// The agent asks something, or the ticket is for a person.
    UserPause = "user_pause", Person, false, "aictx flow reply 'TEXT'";
    /// The person asked for it.
    UserPauseRequest = "user_pause_request", Person, false, "aictx flow resume";
    /// The person stopped it.
    UserStop = "user_stop", Person, false, "aictx flow resume";
    /// There are no tickets.
    NoTickets = "no_tickets", Person, false, "aictx ticket new --title 'TITLE'";
    /// Tickets, a dispatch or a setting have to be corrected.
    NeedsUserFix = "needs_user_fix", Person, true, "aictx ticket lint";
    /// A file that the ticket requires is missing.
    MissingRequiredContext = "missing_required_context", Person, true, "aictx ticket show";
    /// A command of `verify` was not trusted yet.
    ApprovalNeeded = "approval_needed", Person, false, "aictx flow resume --trust-verify";
    /// The checks of the ticket still fail.
    VerifyFailed = "verify_failed", Person, true, "aictx flow log --verify";
    /// The ticket is done, and what it changed is not committed.
    CommitRequired = "commit_required", Person, true, "git status";
    /// The ticket changed paths outside its scope.
    ScopeViolation = "scope_violation", Person, true, "aictx flow diff";
    /// Turns changed nothing.
    LoopNoProgress = "loop_no_progress", Person, true, "aictx flow log";
    /// The flow had all the turns it may have.
    MaxTurns = "max_turns", Person, false, "aictx flow resume --turns 50";
    /// The ticket had all the turns it may have.
    MaxTurnsTicket = "max_turns_ticket", Person, false, "aictx flow resume --turns 8";
    /// A limit of tokens, cost or time was reached.
    BudgetExhausted = "budget_exhausted", Person, false, "aictx flow cost";
    /// Only tickets that wait for unfinished ones are left.
    DependencyBlocked = "dependency_blocked", Person, false, "aictx ticket ready";
    /// The work of a lane cannot be put on top of the branch.
    MergeConflict = "merge_conflict", Person, false, "git status";
    /// The branch is another one than the flow's.
    BranchChanged = "branch_changed", Person, false, "aictx flow resume --accept-branch";
    /// The worktree is gone.
    WorktreeMissing = "worktree_missing", Person, false, "git worktree list";
    /// The agent is not installed, or cannot do what is asked of it.
    AgentMissing = "agent_missing", Person, false, "aictx flow preflight";
    /// The agent is not signed in.
    AuthRequired = "auth_required", Person, false, "aictx flow resume";
    /// The agent crashed again and again.
    AgentCrash = "agent_crash", Person, false, "aictx flow log --stderr";
    /// The agent was silent and idle for too long, again and again.
    Stall = "stall", Person, false, "aictx flow log";
    /// The agent failed in a way that does not pass by itself.
    InfraError = "infra_error", Person, true, "aictx flow log --stderr";
    /// The disk is nearly full.
    DiskFull = "disk_full", Person, false, "df -h";
    /// A limit of use ends at a known time, or is tried again.
    QuotaWait = "quota_wait", Daemon, false, "aictx flow status";
    /// Tickets are worked on in lanes.
    LaneWait = "lane_wait", Daemon, false, "aictx flow status --all";
    /// The service is tried again.
    NetworkWait = "network_wait", Daemon, false, "aictx flow status";
}

/// Tokens, cost and tool calls of one or more turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Usage {
    /// Input tokens that no cache held.
    pub input: u64,
    /// Input tokens from a cache.
    pub cached: u64,
    /// Output tokens, with those of reasoning.
    pub output: u64,
    /// Cost in US dollars as the agent reports it; nothing where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Tool calls.
    pub tool_calls: u64,
}

impl Usage {
    /// Input, cached and output tokens.
    pub fn tokens(self) -> u64 {
        self.input
            .saturating_add(self.cached)
            .saturating_add(self.output)
    }

    /// The part of a conversation's total that is not in an earlier total. Calls of tools are those of the turn anyway.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let cost = |cost: f64| (cost - earlier.cost_usd.unwrap_or_default()).max(0.0);
        Self {
            input: self.input.saturating_sub(earlier.input),
            cached: self.cached.saturating_sub(earlier.cached),
            output: self.output.saturating_sub(earlier.output),
            cost_usd: self.cost_usd.map(cost),
            tool_calls: self.tool_calls,
        }
    }

    /// Adds another turn's.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, cost) | (cost, None) => cost,
            (Some(one), Some(two)) => Some(one + two),
        };
    }
}

/// Error that an agent reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentError {
    /// Kind.
    pub class: ErrorClass,
    /// The agent's words, at most 320 characters.
    pub text: String,
    /// Seconds since the Unix epoch at which a limit ends, where the agent says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<i64>,
}

/// Report of an agent on one turn, as its driver reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnReport {
    /// End.
    pub outcome: TurnOutcome,
    /// Error, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentError>,
    /// Last answer of the agent; may be empty.
    #[serde(default)]
    pub text: String,
    /// Conversation, to be continued by; empty where the agent has none.
    #[serde(default)]
    pub session: String,
    /// Usage.
    #[serde(default)]
    pub usage: Usage,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_read_as_it_is_written() {
        for reason in FlowReason::ALL {
            assert_eq!(FlowReason::parse(reason.code()), Some(*reason));
        }
        assert_eq!(
            FlowReason::parse("loop_no_diff"),
            Some(FlowReason::LoopNoProgress)
        );
    }
}
