//! `flow`: agents that work off the tickets of a worktree.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CallerOptions, RepoOption};

/// Flow that a command is about.
#[derive(Debug, Args)]
pub struct FlowAt {
    /// Flow, by ID or a unique beginning of it [default: the one of this worktree]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub flow: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// The commands of `aictx flow`.
#[derive(Debug, Subcommand)]
pub enum FlowCommand {
    /// Check whether a flow could start
    Preflight(FlowStart),
    /// Let agents work off the tickets
    Start(FlowStart),
    /// Show where a flow stands
    Status {
        /// All flows of all repositories
        #[arg(long)]
        all: bool,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Follow a flow until it ends
    Watch {
        /// End also when it pauses or waits
        #[arg(long)]
        until_rest: bool,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Pause a flow after the turn under way
    Pause {
        /// Interrupt the turn under way
        #[arg(long)]
        now: bool,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Let a flow go on
    Resume(FlowResume),
    /// Stop a flow after the turn under way
    Stop {
        /// Interrupt the turn under way; a second time ends it the hard way
        #[arg(long)]
        now: bool,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Tell the agents something with the next prompt
    Say {
        /// Text
        text: String,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Answer the question of a flow and let it go on
    Reply(FlowAnswer),
    /// List the questions of all flows, or dismiss one
    Inbox {
        /// Settled ones, too
        #[arg(long)]
        all: bool,
        /// Dismiss this question
        #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
        dismiss: String,
        /// Reason to dismiss it
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true
        )]
        reason: String,
    },
    /// Show turns, events, prompts and output
    Log(FlowLog),
    /// Show what a turn, or the whole flow, changed
    Diff {
        /// Turn [default: all]
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        turn: u32,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Make a branch of the worktree as it was before a turn
    Restore {
        /// Turn [default: the last one]
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        turn: u32,
        /// Name of the branch [default: FLOW-before-TURN]
        #[arg(
            long,
            value_name = "NAME",
            default_value = "",
            hide_default_value = true
        )]
        branch: String,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Take up flows that nobody works on, and rebuild what was lost
    Recover(RepoOption),
    /// Remove turns, checkpoints and files of a flow that has ended
    Retire {
        /// Show what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Flow.
        #[command(flatten)]
        at: FlowAt,
    },
    /// Sum up turns, tokens, cost and time by ticket
    Cost(FlowAt),
}

/// `aictx flow start` and `aictx flow preflight`.
#[derive(Debug, Args)]
pub struct FlowStart {
    /// Replace a flow that has not ended
    #[arg(long)]
    pub new: bool,
    /// Driver of every ticket: claude, codex, gemini, opencode, copilot or command [default: the ticket's agent]
    #[arg(
        long,
        value_name = "DRIVER",
        default_value = "",
        hide_default_value = true
    )]
    pub driver: String,
    /// Command line for `--driver command`; the prompt is its standard input
    #[arg(
        long,
        value_name = "COMMAND",
        default_value = "",
        hide_default_value = true
    )]
    pub exec: String,
    /// Author of commits
    #[arg(long, value_name = "WHO", value_parser = ["agent", "daemon", "off"], default_value = "agent")]
    pub commit: String,
    /// Begin a new conversation for every turn
    #[arg(long)]
    pub fresh: bool,
    /// Let agents do everything without being asked
    #[arg(long)]
    pub full_access: bool,
    /// Command that checks every ticket; can be repeated
    #[arg(long, value_name = "COMMAND")]
    pub verify: Vec<String>,
    /// Trust the commands that check the tickets
    #[arg(long)]
    pub trust_verify: bool,
    /// Work on tickets that nothing checks, too
    #[arg(long)]
    pub unverified: bool,
    /// Pause when a ticket changes paths outside its scope or leaves criteria open
    #[arg(long)]
    pub strict: bool,
    /// Require that changes from before a ticket are committed, too
    #[arg(long)]
    pub strict_commit: bool,
    /// Highest number of a ticket [default: all]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub until: u64,
    /// Work on this many tickets with `isolation: worktree` at once
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(1..=8))]
    pub lanes: u32,
    /// Turns at most [default: 50]
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u32>,
    /// Turns of one ticket at most [default: 8]
    #[arg(long, value_name = "N")]
    pub max_ticket_turns: Option<u32>,
    /// Tokens at most
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// US dollars at most, as agents report them
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Time of all turns at most, as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub max_time: Option<u64>,
    /// Time of one turn at most [default: 2h]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub turn_time: Option<u64>,
    /// Interrupt a turn that is silent and idle for this time [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub stall_time: Option<u64>,
    /// Bytes of a prompt at most [default: 262144]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub prompt_bytes: usize,
    /// Show pauses and ends on the desktop
    #[arg(long)]
    pub notify: bool,
    /// URL that is told of pauses and ends
    #[arg(
        long,
        value_name = "URL",
        default_value = "",
        hide_default_value = true
    )]
    pub webhook: String,
    /// Variable of the environment that agents need; can be repeated
    #[arg(long = "env", value_name = "NAME")]
    pub variables: Vec<String>,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx flow resume`.
#[derive(Debug, Args)]
pub struct FlowResume {
    /// Also where nothing changed since the pause
    #[arg(long)]
    pub force: bool,
    /// Go on with the branch there is now
    #[arg(long)]
    pub accept_branch: bool,
    /// Trust the commands that check the tickets
    #[arg(long)]
    pub trust_verify: bool,
    /// Allow this many turns more
    #[arg(long, value_name = "N")]
    pub turns: Option<u32>,
    /// Allow this many tokens more
    #[arg(long, value_name = "N")]
    pub tokens: Option<u64>,
    /// Allow this many US dollars more
    #[arg(long, value_name = "USD")]
    pub cost: Option<f64>,
    /// Allow this much time more
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub time: Option<u64>,
    /// Variable of the environment that agents need; can be repeated
    #[arg(long = "env", value_name = "NAME")]
    pub variables: Vec<String>,
    /// Flow.
    #[command(flatten)]
    pub at: FlowAt,
}

/// `aictx flow reply`.
#[derive(Debug, Args)]
pub struct FlowAnswer {
    /// Text
    #[arg(required_unless_present = "file", default_value = "")]
    pub text: String,
    /// File with the text (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Question, as `inbox` shows it
    #[arg(
        long,
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        conflicts_with = "flow"
    )]
    pub to: String,
    /// A second call with the same key gives no second reply
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        hide_default_value = true
    )]
    pub key: String,
    /// Leave the flow paused
    #[arg(long)]
    pub no_resume: bool,
    /// Also record it as a decision
    #[arg(long)]
    pub decision: bool,
    /// Caller.
    #[command(flatten)]
    pub caller: CallerOptions,
    /// Flow.
    #[command(flatten)]
    pub at: FlowAt,
}

/// `aictx flow log`.
#[derive(Debug, Args)]
pub struct FlowLog {
    /// Turn [default: all; with a part of one: the last]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub turn: u32,
    /// Show what happened, line by line
    #[arg(long, group = "part")]
    pub events: bool,
    /// Show the prompt of the turn
    #[arg(long, group = "part")]
    pub prompt: bool,
    /// Show the output of the agent
    #[arg(long, group = "part")]
    pub stdout: bool,
    /// Show the errors of the agent
    #[arg(long, group = "part")]
    pub stderr: bool,
    /// Show the output of the checks
    #[arg(long, group = "part")]
    pub verify: bool,
    /// Flow.
    #[command(flatten)]
    pub at: FlowAt,
}

/// Reads a time as seconds.
fn seconds(text: &str) -> Result<u64, TimeError> {
    aictx_proto::text::seconds(text).ok_or(TimeError)
}

/// Text that is no time.
#[derive(Debug)]
struct TimeError;

impl std::fmt::Display for TimeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time is written as 90s, 30m or 2h")
    }
}

impl std::error::Error for TimeError {}
