//! Commands about what may be done, and by whom.

use clap::Args;

use super::{CallerOptions, RepoOption};

/// `aictx steer`.
#[derive(Debug, Args)]
pub struct Steer {
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Message of the person
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        required_unless_present = "message_stdin"
    )]
    pub message: Option<String>,
    /// Read the message from standard input
    #[arg(long, conflicts_with = "message")]
    pub message_stdin: bool,
    /// State of the agent
    #[arg(long, default_value = "unknown", value_parser = clap::builder::PossibleValuesParser::new(aictx_proto::methods::STEER_ACTIONS.iter().copied()))]
    pub current_action: String,
    /// Path of the current action; can be repeated
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub paths: Vec<String>,
    /// File that this session has edited; can be repeated
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub edited_paths: Vec<String>,
    /// Keep the limits it sets for the session
    #[arg(long)]
    pub apply: bool,
    /// Exit with 10 when the agent should ask or look again, 20 when it should stop
    #[arg(long)]
    pub exit_code: bool,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `aictx claim`.
#[derive(Debug, Args)]
pub struct Claim {
    /// Files and directories, or patterns relative to the worktree
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// Let go of these paths, or of everything
    #[arg(long)]
    pub release: bool,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `aictx trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Trust the policy with this hash, as it was shown
    #[arg(long, value_name = "HASH", conflicts_with = "revoke")]
    pub hash: Option<String>,
    /// Trust it without being asked
    #[arg(long, conflicts_with_all = ["hash", "revoke"])]
    pub yes: bool,
    /// Trust it no longer
    #[arg(long)]
    pub revoke: bool,
}
