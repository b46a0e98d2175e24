//! Commands about facts: the map, failures, what tools print.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::RepoOption;

/// `aictx failures`.
#[derive(Debug, Subcommand)]
pub enum Failures {
    /// List failures: the open ones, or those that have to do with a task, files, a command
    List {
        /// Which: open, resolved, all [default: open; all for a question]
        #[arg(long, value_name = "STATUS", value_parser = ["open", "resolved", "all"])]
        status: Option<String>,
        /// All of them, as `--status all` says it
        #[arg(long, conflicts_with = "status")]
        all: bool,
        /// A task
        #[arg(
            long = "for",
            value_name = "TASK",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        task: String,
        /// A file; can be repeated
        #[arg(long = "path", value_name = "PATH")]
        paths: Vec<String>,
        /// A command about to be run
        #[arg(
            long,
            value_name = "COMMAND",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        command: String,
        /// At most this many
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Show all that is known of a failure
    Show {
        /// Id, or the beginning of one
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Say that a failure is resolved
    Resolve {
        /// Id, or the beginning of one
        id: String,
        /// The fix, shown to whoever meets it next
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        summary: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Say that a failure is not resolved after all
    Reopen {
        /// Id, or the beginning of one
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Forget a failure
    Forget {
        /// Id, or the beginning of one
        id: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}

/// Repository and time limit of a question to the map.
#[derive(Debug, Args)]
pub struct MapAt {
    /// Repository.
    #[command(flatten)]
    pub repo: RepoOption,
    /// Seconds to wait for an index that is being built; 0 answers with what is there
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub wait: u64,
}

/// `aictx map`.
#[derive(Debug, Subcommand)]
pub enum Map {
    /// Rank the files that matter for a task
    Query {
        /// The task or question, in any words
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
        /// More words of it
        #[arg(value_name = "WORDS")]
        words: Vec<String>,
        /// At most this many files, 1 to 50
        #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=50))]
        limit: u32,
        /// File that is being worked on; can be repeated
        #[arg(long, value_name = "PATH")]
        active: Vec<OsString>,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// Outline the repository, or what matters for a task, within a token budget
    Brief {
        /// At most this many tokens, counted as four characters each
        #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
        tokens: u32,
        /// The task
        #[arg(
            long = "for",
            value_name = "TASK",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        task: String,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// List the definitions of a file
    Outline {
        /// The file
        file: OsString,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// Find definitions by name: exact, prefix, substring, fuzzy
    Symbol {
        /// The name; `Type::name` and `module.name` also ask for the container
        #[arg(allow_hyphen_values = true)]
        name: String,
        /// At most this many, 1 to 1000
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// Find where a name is defined and used
    Refs {
        /// The name, exactly
        #[arg(allow_hyphen_values = true)]
        name: String,
        /// At most this many places, 1 to 1000
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// List files that have to do with a file
    Related {
        /// The file
        file: OsString,
        /// At most this many, 1 to 1000
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// List files and tests that a change of a file may break
    Impact {
        /// The file
        file: OsString,
        /// At most this many, 1 to 1000
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
    /// Show the state of the index
    Status {
        /// Repository.
        #[command(flatten)]
        repo: RepoOption,
    },
    /// Bring the index up to the tree now
    Refresh {
        /// Repository.
        #[command(flatten)]
        repo: RepoOption,
        /// Forget what is known and parse everything
        #[arg(long)]
        full: bool,
    },
    /// Print the whole index in the format of index.json
    Export {
        /// Repository and time limit.
        #[command(flatten)]
        at: MapAt,
    },
}

/// `aictx signals`.
#[derive(Debug, Subcommand)]
pub enum Signals {
    /// Turn raw output on standard input into error events and test totals
    Parse {
        /// Command that printed it
        #[arg(
            long,
            value_name = "COMMAND",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        command: String,
        /// Its exit status; left out when nobody knows, as behind a pipe
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        exit_code: Option<i32>,
        /// Repository; paths are shown relative to it.
        #[command(flatten)]
        at: RepoOption,
    },
}

/// `aictx eval`.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Ask the map of a past tree with the messages of later commits: does it name the files that
    /// they changed?
    Localize {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Age of the tree in first-parent commits
        #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        commits: u32,
        /// At most this many tasks, in even steps over the later commits
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
        tasks: u32,
        /// Let every file count as an answer, not only sources and tests
        #[arg(long)]
        all: bool,
    },
}
