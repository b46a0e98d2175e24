//! `install`, `init`, `clean`, `uninstall`, `doctor`, `hook`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{CallerOptions, RepoOption};

/// Profile of the MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum McpProfile {
    /// Only questions
    Readonly,
    /// Tools that agents need
    Standard,
    /// Everything
    Full,
}

impl McpProfile {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

/// `aictx mcp`. Without a subcommand: serves the tools over standard input and output, until it ends.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Mcp {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// Options of the server.
    #[command(flatten)]
    pub serve: McpServe,
}

/// Options of the MCP server.
#[derive(Debug, Args)]
pub struct McpServe {
    /// Repository, or a directory in it: no call reaches anything outside of it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub repo: PathBuf,
    /// Another directory that calls may name; can be repeated
    #[arg(long, value_name = "PATH")]
    pub allow_root: Vec<PathBuf>,
    /// Tools that the client may use
    #[arg(long, value_name = "PROFILE", default_value = "standard")]
    pub profile: McpProfile,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `aictx mcp …`.
#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Show which agents have an entry for the server
    Status {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Write entries for the server into your agents' own files, and nothing else
    Install {
        /// Agents, separated by commas [default: those that are there]
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        agents: Vec<String>,
        /// Tools that the server offers
        #[arg(long, value_name = "PROFILE")]
        profile: Option<McpProfile>,
        /// Show what would be written, and write nothing
        #[arg(long)]
        dry_run: bool,
        /// Accepted; it is the default.
        #[arg(long, hide = true)]
        global: bool,
        /// The entries are for all repositories.
        #[arg(long, value_name = "PATH", hide = true)]
        repo: Option<PathBuf>,
    },
}

/// Which agents, and what for them.
#[derive(Debug, Clone, Args)]
pub struct AgentOptions {
    /// Agents, separated by commas; `none` for none [default: those that are there]
    #[arg(long, alias = "runner", value_name = "NAMES", value_delimiter = ',')]
    pub agents: Vec<String>,
    /// Leave out the MCP server
    #[arg(long)]
    pub no_mcp: bool,
    /// Tools that the MCP server offers; has no effect with --no-mcp
    #[arg(long, value_name = "PROFILE")]
    pub mcp_profile: Option<McpProfile>,
    /// Take out what the Python program of the same name left in these files
    #[arg(long)]
    pub replace_ancestor: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// `aictx install`.
#[derive(Debug, Args)]
pub struct Install {
    /// Agents and what for them.
    #[command(flatten)]
    pub what: AgentOptions,
    /// Register Codex even when it is not found. Without it Codex is registered when it is found, like
    /// every other agent: its hooks are the user's, and a repository cannot bring its own
    #[arg(long)]
    pub install_codex_global: bool,
    /// Every repository has a map.
    #[arg(long, hide = true)]
    pub with_repomap: bool,
    /// Asks before it writes, as it does anyway where a person can answer.
    #[arg(long, hide = true)]
    pub manual: bool,
    /// There are no workspaces: each repository registers itself.
    #[arg(long, value_name = "PATH", hide = true)]
    pub workspace_root: Option<PathBuf>,
    /// See `workspace_root`.
    #[arg(long, value_name = "ID", hide = true)]
    pub workspace_id: Option<String>,
    /// Memory never crosses repositories.
    #[arg(long, value_name = "MODE", hide = true)]
    pub cross_project_mode: Option<String>,
}

/// `aictx init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Repository, or a directory in it [default: .]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// The same as PATH
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    pub repo: Option<PathBuf>,
    /// Agents and what for them.
    #[command(flatten)]
    pub what: AgentOptions,
    /// Write files that are meant for a commit: hooks and instructions for everybody who clones
    #[arg(long)]
    pub shared: bool,
    /// Write nothing into the repository: what is remembered lies in your state directory, and
    /// hooks are those of `aictx install`
    #[arg(long, conflicts_with_all = ["shared", "force", "no_register", "replace_ancestor"])]
    pub stealth: bool,
    /// Let what is remembered go through git: rules in .gitignore and .gitattributes that share
    /// handoffs, decisions, failures, strategies and tasks, and keep the rest here
    #[arg(long, conflicts_with_all = ["stealth", "no_portable_continuity"])]
    pub portable_continuity: bool,
    /// Keep what is remembered out of git, as without any choice
    #[arg(long)]
    pub no_portable_continuity: bool,
    /// Show git the tickets, too, so that they can be committed; `none` hides them again
    #[arg(long, value_name = "WHAT", value_parser = ["tickets", "none"], conflicts_with = "stealth")]
    pub track: Option<String>,
    /// Leave .gitignore alone, as without --portable-continuity
    #[arg(long)]
    pub no_gitignore: bool,
    /// Leave the user's registry alone
    #[arg(long)]
    pub no_register: bool,
    /// Also where there is no git repository, as with --repo
    #[arg(long)]
    pub force: bool,
    /// Asks nothing: --dry-run shows what would be written.
    #[arg(long, hide = true)]
    pub manual: bool,
}

/// Options of a removal.
#[derive(Debug, Clone, Args)]
pub struct RemovalOptions {
    /// Prove that each file is as it was before; exits with 3 when one is not
    #[arg(long)]
    pub verify: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// `aictx clean`. Memory that holds anything is moved to the state directory, not deleted.
#[derive(Debug, Args)]
pub struct Clean {
    /// Repository, or a directory in it
    #[arg(
        long,
        value_name = "PATH",
        num_args = 0..=1,
        default_value = ".",
        default_missing_value = "."
    )]
    pub repo: PathBuf,
    /// Delete the memory instead of moving it
    #[arg(long, conflicts_with = "keep_history")]
    pub delete_memory: bool,
    /// Accepted; it is the default.
    #[arg(long, hide = true)]
    pub keep_history: bool,
    /// Take out what the Python program of the same name left, too
    #[arg(long)]
    pub ancestor: bool,
    /// Options of the removal.
    #[command(flatten)]
    pub how: RemovalOptions,
}

/// `aictx uninstall`. Memory stays in its repositories unless it is purged.
#[derive(Debug, Args)]
pub struct Uninstall {
    /// Delete all memory, archives, indexes and logs, too
    #[arg(long)]
    pub purge: bool,
    /// Options of the removal.
    #[command(flatten)]
    pub how: RemovalOptions,
}

/// `aictx doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Exit with 10 on warnings and 20 on errors
    #[arg(long)]
    pub exit_code: bool,
    /// Do what is safe to do, then look again; asks before it changes an agent's settings
    #[arg(long)]
    pub fix: bool,
    /// With --fix: do not ask
    #[arg(long, short = 'y', requires = "fix")]
    pub yes: bool,
}

/// `aictx hook`. Reads the event on standard input and prints an answer only when there is one. Exits
/// with 0, but for agents that are refused a call by 2: a hook that fails must not stop the agent.
///
/// `aictx hook probe [AGENT]` is for people: it says whether an agent's hooks run.
#[derive(Debug, Args)]
pub struct Hook {
    /// The agent, such as `claude`; or `probe`
    pub runner: Option<String>,
    /// The event's name, when the payload does not say; behind `probe` the agent
    pub event: Option<String>,
    /// With `probe`: wait at most this long for the agent's events
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub wait: u64,
    /// With `probe`: run the agent without a person, where that is possible
    #[arg(long)]
    pub run: bool,
}
