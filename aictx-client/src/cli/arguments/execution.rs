//! `internal run-execution` and `internal execution`: for wrappers of agents and commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CallerOptions, RepoOption};

/// Observations of the caller. List options take several values and can be repeated.
#[derive(Debug, Default, Args)]
pub struct Observed {
    /// Files read
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_opened: Vec<String>,
    /// Files written
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_edited: Vec<String>,
    /// Files read again
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub files_reopened: Vec<String>,
    /// Commands run
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub commands_executed: Vec<String>,
    /// Test runs
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub tests_executed: Vec<String>,
    /// Errors that matter
    #[arg(long, value_name = "TEXT", num_args = 0..)]
    pub notable_errors: Vec<String>,
    /// Structured error, a JSON object; can be repeated
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub error_event_json: Vec<String>,
    /// JSON object of members of the active task to change
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub work_state_json: Option<String>,
    /// File with such an object; --work-state-json overrides it
    #[arg(long, value_name = "FILE")]
    pub work_state_file: Option<PathBuf>,
    /// Executions by skill are not told apart.
    #[arg(long, hide = true, value_parser = ["plain"])]
    pub execution_mode: Option<String>,
}

/// `aictx internal run-execution`.
#[derive(Debug, Args)]
pub struct RunExecution {
    /// Goal that the command serves
    #[arg(
        long,
        alias = "request",
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
    /// Repeat-safe id; `auto` makes one
    #[arg(long, value_name = "ID", default_value = "auto")]
    pub execution_id: String,
    /// Count the work as proven when the command ends with 0
    #[arg(long)]
    pub validated_learning: bool,
    /// Stop it after this many seconds; it then ends with 124
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Observations beside the command.
    #[command(flatten)]
    pub observed: Observed,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

/// `aictx internal execution`.
#[derive(Debug, Subcommand)]
pub enum Execution {
    /// Begin an execution: print what `resume` knows, and what `finalize` needs to end it
    Prepare(Box<ExecutionPrepare>),
    /// End an execution that `prepare` began, and record it
    Finalize(Box<ExecutionFinalize>),
}

/// `aictx internal execution prepare`.
#[derive(Debug, Args)]
pub struct ExecutionPrepare {
    /// The goal
    #[arg(
        long,
        alias = "request",
        value_name = "TEXT",
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
    /// Repeat-safe id of the execution
    #[arg(long, value_name = "ID")]
    pub execution_id: String,
    /// Start [default: now]
    #[arg(
        long,
        value_name = "TIME",
        default_value = "",
        hide_default_value = true
    )]
    pub timestamp: String,
    /// Observations so far.
    #[command(flatten)]
    pub observed: Observed,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `aictx internal execution finalize`.
#[derive(Debug, Args)]
pub struct ExecutionFinalize {
    /// File with what `prepare` printed (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub prepared: PathBuf,
    /// It ended well
    #[arg(long)]
    pub success: bool,
    /// Summary of the work
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub result_summary: String,
    /// Count the work as proven, beyond what was observed
    #[arg(long)]
    pub validated_learning: bool,
    /// Decision taken, a JSON object; can be repeated
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub decision_json: Vec<String>,
    /// Part of the repository described, a JSON object; can be repeated
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub semantic_json: Vec<String>,
    /// Observations since it was prepared.
    #[command(flatten)]
    pub observed: Observed,
}
