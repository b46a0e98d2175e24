//! Commands about what is remembered: tasks, what to do next, what happened, what is wrong.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{CallerOptions, Execution, RepoOption, RunExecution};

/// A change, as text or in a file.
#[derive(Debug, Default, Args)]
pub struct PatchOptions {
    /// JSON object of members to change; lists take {"add": […], "remove": […], "set": […]}
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub json_patch: Option<String>,
    /// File with such an object (`-` for standard input); --json-patch overrides it
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
}

/// Final status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Left {
    /// It is done
    Resolved,
    /// It will not be done
    Abandoned,
    /// Something stands in the way
    Blocked,
    /// It goes on later
    Paused,
}

/// `aictx task`.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Start a task and make it the active one here
    Start {
        /// Goal
        goal: String,
        /// Its id [default: made of the goal]
        #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
        task_id: String,
        /// JSON object of members to begin with
        #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
        initial_json: Option<String>,
        /// Begin anew where there is such a task already
        #[arg(long)]
        force: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Identity of the caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Show the task that is active in this worktree, on this branch
    Status {
        /// Show all tasks
        #[arg(long)]
        all: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// List tasks, changed last first
    List {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Show one task
    Show {
        /// Id
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Change a task
    Update {
        /// Id [default: the active one]
        #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
        task_id: String,
        /// Changes.
        #[command(flatten)]
        patch: PatchOptions,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Identity of the caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Make a task the active one here
    Resume {
        /// Id
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Identity of the caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Close a task; others stay as they are
    Close {
        /// Id [default: the active one]
        #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
        task_id: String,
        /// Final status
        #[arg(long, default_value = "resolved")]
        status: Left,
        /// Further changes.
        #[command(flatten)]
        patch: PatchOptions,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Identity of the caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
}

/// Situation for `next`, `suggest` and `reuse`. List options take several values.
#[derive(Debug, Args)]
pub struct Hand {
    /// The request
    #[arg(value_name = "REQUEST", conflicts_with = "request")]
    pub asked: Option<String>,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// The request, too
    #[arg(
        long,
        alias = "task",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub request: String,
    /// Kind of task, when it is known
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "",
        hide_default_value = true
    )]
    pub task_type: String,
    /// Files read or written
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_opened: Vec<String>,
    /// Commands run
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub commands_executed: Vec<String>,
    /// Test runs
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub tests_executed: Vec<String>,
    /// Errors seen
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub notable_errors: Vec<String>,
}

/// `aictx prepare`.
#[derive(Debug, Args)]
pub struct Prepare {
    /// The goal
    #[arg(allow_hyphen_values = true)]
    pub goal: String,
    /// Kind of task, when it is known
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "",
        hide_default_value = true
    )]
    pub task_type: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx log`.
#[derive(Debug, Args)]
pub struct Log {
    /// Of this session: its id or the beginning of it
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub session: String,
    /// That touched this file or directory
    #[arg(
        long,
        alias = "path",
        value_name = "PATH",
        default_value = "",
        hide_default_value = true
    )]
    pub file: String,
    /// That saw this failure: its id or the beginning of it
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub failure: String,
    /// At most this many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: u32,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx why`.
#[derive(Debug, Args)]
pub struct Why {
    /// Explain a verdict of the guard: its id or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub verdict: Option<String>,
    /// Show the guard's latest verdicts
    #[arg(long, conflicts_with_all = ["session", "verdict"])]
    pub verdicts: bool,
    /// Session: its id or the beginning of it [default: the caller's, else the newest]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub session: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// One item of memory.
#[derive(Debug, Args)]
pub struct Item {
    /// Id, or the beginning of one that no other has
    pub id: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx wrong`.
#[derive(Debug, Args)]
pub struct Wrong {
    /// Id, or the beginning of one that no other has
    pub id: String,
    /// Why
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub reason: String,
    /// It is not wrong after all
    #[arg(long, conflicts_with = "reason")]
    pub undo: bool,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx pin`.
#[derive(Debug, Args)]
pub struct Pin {
    /// Id, or the beginning of one that no other has
    pub id: String,
    /// Take the pin back
    #[arg(long)]
    pub undo: bool,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx memory`.
#[derive(Debug, Subcommand)]
pub enum Memory {
    /// List what is remembered, with ids
    List {
        /// Only items of this kind
        #[arg(long, value_name = "KIND", default_value = "", hide_default_value = true, value_parser = ["", "decision", "failure", "strategy", "handoff", "note", "task"], hide_possible_values = true)]
        kind: String,
        /// At most this many
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        limit: u32,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}

/// `aictx view`.
#[derive(Debug, Args)]
pub struct View {
    /// Print the diagram instead of the page
    #[arg(long)]
    pub mermaid: bool,
    /// Write into this file instead of printing
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx messages`.
#[derive(Debug, Args)]
pub struct Messages {
    /// Action
    #[arg(value_parser = ["mute", "unmute", "status"], default_value = "status")]
    pub action: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx report`.
#[derive(Debug, Subcommand)]
pub enum Report {
    /// Show usage figures from the logs
    RealUsage {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}

/// `aictx portability`.
#[derive(Debug, Subcommand)]
pub enum Portability {
    /// Show whether memory goes through git, and whether everything is as it should be for that
    Status {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Say what stands twice in the histories that go through git, or is too old for it
    Compact {
        /// Take it out, into the archive; otherwise it is only said
        #[arg(long)]
        apply: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}

/// `aictx internal`.
#[derive(Debug, Subcommand)]
pub enum Internal {
    /// Run a command, show what it prints as it prints it, and record what became of it
    RunExecution(Box<RunExecution>),
    /// Begin and end an execution that a wrapper observes itself
    #[command(subcommand)]
    Execution(Execution),
    /// Show the state of a repository's memory and its preferences.
    #[command(hide = true)]
    Boot {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// The same as `aictx prepare`, as JSON.
    #[command(hide = true)]
    Packet {
        /// The goal
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        task: String,
        /// Kind of task, when it is known
        #[arg(long, value_name = "TYPE", default_value = "")]
        task_type: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Say which rows of memory have become history, and move them to the archive
    Compact {
        /// Do it; otherwise it is only said
        #[arg(long)]
        apply: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}
