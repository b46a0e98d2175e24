//! The command line as types. Also the source of the man pages, the completions and
//! `docs/reference.md`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod execution;
mod flow;
mod guard;
mod map_and_failures;
mod memory;
mod recall;
mod run;
mod setup;
mod ticket;

pub use execution::{Execution, ExecutionFinalize, ExecutionPrepare, Observed, RunExecution};
pub use flow::{FlowAnswer, FlowAt, FlowCommand, FlowLog, FlowResume, FlowStart};
pub use guard::{Claim, Steer, Trust};
pub use map_and_failures::{Eval, Failures, Map, MapAt, Signals};
pub use memory::{
    Hand, Internal, Item, Left, Log, Memory, Messages, PatchOptions, Pin, Portability, Prepare,
    Report, Task, View, Why, Wrong,
};
pub use recall::{Import, Preview, Recall, Remember};
pub use run::{
    Docs, Intake, Run, RunClose, RunCommand, RunCommandLog, RunEvidence, RunHypothesis,
    RunLearning, RunStart,
};
pub use setup::{
    AgentOptions, Clean, Doctor, Hook, Init, Install, Mcp, McpCommand, McpProfile, McpServe,
    RemovalOptions, Uninstall,
};
pub use ticket::{Draft as TicketDraft, Holder as TicketHolder, Ticket};

/// Continuity for coding agents: what one session learned, the next one knows.
#[derive(Debug, Parser)]
#[command(
    name = "aictx",
    version = aictx_proto::VERSION,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct CommandLine {
    /// Action.
    #[command(subcommand)]
    pub command: Command,
    /// Print one line of JSON, errors included
    #[arg(long, global = true)]
    pub json: bool,
    /// Print without colours (also: NO_COLOR)
    #[arg(long, global = true)]
    pub no_color: bool,
    /// No banner is ever printed.
    #[arg(long, global = true, hide = true)]
    pub no_banner: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Register hooks with your coding agents
    Install(Install),
    /// Set up aictx in a repository
    Init(Init),
    /// Remove aictx from a repository and restore its files
    Clean(Clean),
    /// Remove aictx from your agents and all repositories
    Uninstall(Uninstall),
    /// Diagnose problems and suggest fixes
    Doctor(Doctor),
    /// Show where the work stands
    Resume(Resume),
    /// Record the outcome of a session and hand it over
    Finalize(Box<Finalize>),
    /// Show what to do next, and why
    Next(Hand),
    /// Show the files and memory a goal needs
    Prepare(Prepare),
    /// Manage tasks that take several sessions
    #[command(subcommand)]
    Task(Task),
    /// Manage the queue of tickets
    #[command(subcommand)]
    Ticket(Ticket),
    /// Let agents work off the tickets, unattended
    #[command(subcommand)]
    Flow(Box<FlowCommand>),
    /// Keep the hypotheses, evidence and learnings of one substantial task
    Run(Box<Run>),
    /// Show the documents of the repository that a request belongs to
    Intake(Intake),
    /// Look after the documents that requests are routed to
    #[command(subcommand)]
    Docs(Docs),
    /// List recorded executions, newest first
    Log(Log),
    /// Show the context injected into a session, and why
    Why(Why),
    /// List and show items of memory
    #[command(subcommand)]
    Memory(Memory),
    /// Render memory as Markdown or as a Mermaid diagram
    View(View),
    /// List the commands beyond install, init, resume and finalize
    Advanced,
    /// Pin an item: always shown first, never evicted
    Pin(Pin),
    /// Mark an item as incorrect and stop showing it
    Wrong(Wrong),
    /// Move an item to the archive
    Forget(Item),
    /// Suggest where to begin, from strategies that worked
    Suggest(Hand),
    /// Show the strategy that worked for a similar task
    Reuse(Hand),
    /// Review the last execution
    Reflect(RepoOption),
    /// Report usage figures
    #[command(subcommand)]
    Report(Report),
    /// Search memory
    Recall(Recall),
    /// Import transcripts of agents and other memories
    Import(Import),
    /// Show the context the next session would get, and why
    Preview(Preview),
    /// Record a decision or a rule
    Remember(Remember),
    /// Manage memory that is shared through git
    #[command(subcommand)]
    Portability(Portability),
    /// Mute or unmute the banner and the summary
    Messages(Messages),
    /// Check a command or an edit before it runs
    Guard(Guard),
    /// Classify a user message (stop, limit, correction, …)
    Steer(Steer),
    /// Show live sessions and the files they edit
    Who(RepoOption),
    /// Reserve paths for this session until it ends
    Claim(Claim),
    /// Show a repository's policy and trust it
    Trust(Trust),
    /// Answer a hook event (run by agents)
    Hook(Hook),
    /// Run the MCP server
    #[command(alias = "mcp-server")]
    Mcp(Mcp),
    /// Show the state of the daemon and its repositories
    Status,
    /// Manage registered repositories
    #[command(subcommand)]
    Repo(Repo),
    /// List and show recorded sessions
    #[command(subcommand)]
    Session(Session),
    /// List, show and resolve known failures
    #[command(subcommand)]
    Failures(Failures),
    /// Find files, symbols and references
    #[command(subcommand)]
    Map(Map),
    /// Start, stop and inspect the daemon
    #[command(subcommand)]
    Daemon(Daemon),
    /// Benchmark file ranking on a repository's history
    #[command(subcommand)]
    Eval(Eval),
    /// Extract errors and test totals from tool output
    #[command(subcommand)]
    Signals(Signals),
    /// Commands for scripts and wrappers
    #[command(subcommand)]
    Internal(Internal),
    /// Replace secrets in standard input
    Scrub,
    /// Show the versions of client and daemon
    Version,
}

/// Repository that a command works in.
#[derive(Debug, Args)]
pub struct RepoOption {
    /// Repository, or a directory in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub repo: PathBuf,
}

/// Identity for callers that know better than the environment.
#[derive(Debug, Clone, Default, Args)]
pub struct CallerOptions {
    /// Agent
    #[arg(
        long,
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        hide = true
    )]
    pub agent_id: String,
    /// Adapter
    #[arg(
        long,
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        hide = true
    )]
    pub adapter_id: String,
    /// Session
    #[arg(
        long,
        alias = "session",
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        hide = true
    )]
    pub session_id: String,
}

/// `aictx resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Task of the session
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub task: String,
    /// Kind of task, when it is known
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "",
        hide_default_value = true
    )]
    pub task_type: String,
    /// Longer lists
    #[arg(long, conflicts_with = "brief")]
    pub full: bool,
    /// The short form
    #[arg(long)]
    pub brief: bool,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// Outcome of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Outcome {
    /// It is done
    Success,
    /// It is not
    Failure,
}

/// `aictx finalize`. List options take several values and can be repeated.
#[derive(Debug, Args)]
pub struct Finalize {
    /// Repository, or a directory in it [default: .]
    #[arg(long, value_name = "PATH")]
    pub repo: Option<PathBuf>,
    /// Outcome
    #[arg(long, required_unless_present = "from_file")]
    pub status: Option<Outcome>,
    /// Summary of the work
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "from_file",
        allow_hyphen_values = true
    )]
    pub summary: Option<String>,
    /// The goal [default: the session's request, else the summary]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub task: Option<String>,
    /// Former name of --task
    #[arg(long, value_name = "TEXT", hide = true, allow_hyphen_values = true)]
    pub request: Option<String>,
    /// Kind of task, when it is known
    #[arg(long, value_name = "TYPE")]
    pub task_type: Option<String>,
    /// Files read
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_opened: Vec<String>,
    /// Files written
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_edited: Vec<String>,
    /// Commands run
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub commands_executed: Vec<String>,
    /// Test runs
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub tests_executed: Vec<String>,
    /// Errors that matter
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub notable_errors: Vec<String>,
    /// One more error that matters
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub error: Vec<String>,
    /// Structured error, a JSON object
    #[arg(long, value_name = "JSON", num_args = 0..)]
    pub error_event_json: Vec<String>,
    /// File with what the last command printed; its errors are read from it
    #[arg(long, value_name = "FILE")]
    pub output_file: Option<PathBuf>,
    /// Next step; can be repeated
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub next_step: Vec<String>,
    /// Blocker; can be repeated
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub blocked: Vec<String>,
    /// Risk; can be repeated
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub risk: Vec<String>,
    /// Decision taken, a JSON object with `decision`, `rationale`, …
    #[arg(long, value_name = "JSON", num_args = 0..)]
    pub decision_json: Vec<String>,
    /// Part of the repository described, a JSON object with `name`, `description`, `key_paths`, …
    #[arg(long, value_name = "JSON", num_args = 0..)]
    pub semantic_json: Vec<String>,
    /// JSON object of members of the active task to change
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub work_state_json: Option<String>,
    /// The work is proven, beyond the observations
    #[arg(long)]
    pub validated_learning: bool,
    /// Failure that is resolved now
    #[arg(long, value_name = "ID", num_args = 0..)]
    pub resolved_failure: Vec<String>,
    /// Repeat-safe id: the same id a second time changes nothing
    #[arg(long, value_name = "ID")]
    pub execution_id: Option<String>,
    /// JSON document, its members named in the plural where options repeat: `next_steps`, `decisions`,
    /// `semantic_updates`, `work_state` … (`-` for standard input); options are added to it
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// Write what is remembered into .aictx/reports, as `aictx view` does
    #[arg(long, alias = "view")]
    pub include_view: bool,
    /// Has no effect; nothing is published
    #[arg(long)]
    pub online_view: bool,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// Risk of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Risk {
    /// Easily undone
    Low,
    /// The usual
    Normal,
    /// Hard to undo
    High,
}

/// `aictx guard`.
#[derive(Debug, Args)]
pub struct Guard {
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// The step
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(aictx_proto::methods::GUARD_ACTIONS.iter().copied()))]
    pub action: String,
    /// Path about to be touched; can be repeated
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub paths: Vec<String>,
    /// Command about to be run
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub command: Option<String>,
    /// Read the command from standard input: no length limit, not in the process list
    #[arg(long, conflicts_with = "command")]
    pub command_stdin: bool,
    /// Intent of the caller
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub intent: String,
    /// Risk of the step
    #[arg(long, default_value = "normal")]
    pub risk: Risk,
    /// Exit with 10 on re_ground and 20 on block
    #[arg(long)]
    pub exit_code: bool,
    /// Show every rule that was met, what met it, and how long it took
    #[arg(long)]
    pub explain: bool,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `aictx repo`.
#[derive(Debug, Subcommand)]
pub enum Repo {
    /// Register a repository that has .aictx
    Add {
        /// Repository, or a directory in it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
    /// List the registered repositories
    List,
    /// Forget a repository; its files stay
    Remove {
        /// Repository, or a directory in it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
}

/// `aictx session`.
#[derive(Debug, Subcommand)]
pub enum Session {
    /// List the recorded sessions, newest first
    List {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// At most this many
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        limit: u32,
    },
    /// Show one session: what it read, edited, ran and how it ended
    Show {
        /// Session id, or the beginning of one
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Include the ledger's rows, newest 500
        #[arg(long)]
        rows: bool,
    },
}

/// `aictx daemon`.
#[derive(Debug, Subcommand)]
pub enum Daemon {
    /// Start the daemon unless it is running
    Start,
    /// Stop the daemon; requests in flight are finished
    Stop,
    /// Stop the daemon, then start it
    Restart,
    /// Show the daemon; exits with 3 when it is not running
    Status,
    /// Show the end of the newest log file
    Logs {
        /// Lines
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        lines: usize,
    },
}
