//! `run`, `intake` and `docs`: agent runs, and the documents that requests belong to.

use std::ffi::OsString;
use std::path::PathBuf;

use aictx_proto::methods::{
    CommandStatus, Confidence, HypothesisStatus, LearningKind, LinkKind, RepoAction, RunStatus,
};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::RepoOption;

/// `aictx run`. Its options stand before or behind the command, as in `agent_run.py`.
#[derive(Debug, Args)]
pub struct Run {
    /// Command.
    #[command(subcommand)]
    pub command: RunCommand,
    /// Repository, or a directory in it
    #[arg(
        long,
        visible_alias = "root",
        value_name = "PATH",
        default_value = ".",
        global = true
    )]
    pub repo: PathBuf,
    /// Run [default: the active one]
    #[arg(
        long,
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        global = true
    )]
    pub run_id: String,
    /// Agent
    #[arg(
        long,
        alias = "actor",
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        hide = true,
        global = true
    )]
    pub agent_id: String,
    /// Session
    #[arg(
        long,
        value_name = "ID",
        default_value = "",
        hide_default_value = true,
        hide = true,
        global = true
    )]
    pub session_id: String,
}

/// The commands of `aictx run`.
#[derive(Debug, Subcommand)]
pub enum RunCommand {
    /// Start a run and make it the active one
    Start(RunStart),
    /// Show the active run
    Status,
    /// Show a run
    Show(RunName),
    /// List the runs of this worktree, started last first
    List {
        /// Only those in this state
        #[arg(long, value_parser = words(RunStatus::NAMES))]
        status: Option<String>,
        /// At most this many
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        limit: u32,
    },
    /// Add and resolve hypotheses
    #[command(subcommand)]
    Hypothesis(RunHypothesis),
    /// Add evidence
    #[command(subcommand)]
    Evidence(RunEvidence),
    /// Record commands that were run
    #[command(subcommand)]
    CommandLog(RunCommandLog),
    /// Add and review learnings
    #[command(subcommand)]
    Learning(RunLearning),
    /// Add a note
    Note {
        /// The note
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
    /// Link a ticket, task, commit, pull request or issue
    Link {
        /// Kind
        #[arg(value_name = "KIND", value_parser = words(LinkKind::NAMES))]
        kind: String,
        /// Its name there
        target: String,
    },
    /// Run a command, show its output and record its result; its exit status is the command's
    Verify {
        /// Stop it after this many seconds; it then ends with 124
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
        /// The command and its arguments
        #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
    /// Show the handoff of a run, within a byte limit
    Handoff {
        /// Longest text in bytes
        #[arg(long, value_name = "N", default_value_t = 6_000)]
        max_bytes: u32,
    },
    /// Set a run aside
    Park(RunReason),
    /// Make a run the active one and show its handoff
    Resume(RunName),
    /// Reopen a closed or abandoned run
    Reopen(RunReason),
    /// Close a run, or show what is missing
    Close(RunClose),
    /// Give a run up
    Abandon(RunReason),
    /// Park runs that stand still for two weeks, compress those closed a month ago
    Gc {
        /// Do it; otherwise only list them
        #[arg(long)]
        apply: bool,
    },
}

/// Accepts the words of a closed set.
fn words(names: &'static [&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(names.iter().copied())
}

/// A run by its name.
#[derive(Debug, Args)]
pub struct RunName {
    /// Run [default: --run-id, else the active one]
    #[arg(default_value = "", hide_default_value = true)]
    pub id: String,
}

/// A run, and why something becomes of it.
#[derive(Debug, Args)]
pub struct RunReason {
    /// Run [default: --run-id, else the active one]
    #[arg(default_value = "", hide_default_value = true)]
    pub id: String,
    /// Reason
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub reason: String,
}

/// `aictx run start`.
#[derive(Debug, Args)]
pub struct RunStart {
    /// The request, as it was made
    pub request: String,
    /// Leave out the documents that the request belongs to
    #[arg(long)]
    pub skip_intake: bool,
    /// Intent [default: inferred from the request]
    #[arg(
        long,
        value_name = "WORD",
        default_value = "",
        hide_default_value = true
    )]
    pub intent: String,
    /// Outcome that is not aimed at; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub non_goal: Vec<String>,
    /// Leave the active run open
    #[arg(long, conflicts_with = "park")]
    pub switch: bool,
    /// Park the active run; closing this one resumes it
    #[arg(long)]
    pub park: bool,
}

/// `aictx run hypothesis`.
#[derive(Debug, Subcommand)]
pub enum RunHypothesis {
    /// Add a hypothesis; its id is printed
    Add {
        /// Statement
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Degree of certainty
        #[arg(long, value_parser = words(Confidence::NAMES))]
        confidence: Option<String>,
        /// Observation that would follow from it
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true
        )]
        predicts: String,
    },
    /// Resolve a hypothesis
    Resolve {
        /// Its id
        id: String,
        /// Its state now
        #[arg(long, value_parser = words(HypothesisStatus::NAMES.split_at(1).1))]
        status: String,
        /// Reason
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        note: String,
    },
}

/// `aictx run evidence`.
#[derive(Debug, Subcommand)]
pub enum RunEvidence {
    /// Add an observation; its id is printed
    Add {
        /// Observation
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Hypothesis it is about
        #[arg(long, value_name = "ID", conflicts_with_all = ["supports", "refutes"])]
        hypothesis: Option<String>,
        /// Hypothesis it speaks for
        #[arg(long, value_name = "ID", conflicts_with = "refutes")]
        supports: Option<String>,
        /// Hypothesis it speaks against
        #[arg(long, value_name = "ID")]
        refutes: Option<String>,
        /// Place in the repository
        #[arg(
            long,
            value_name = "PATH:LINE",
            default_value = "",
            hide_default_value = true
        )]
        file: String,
    },
}

/// `aictx run command-log`.
#[derive(Debug, Subcommand)]
pub enum RunCommandLog {
    /// Record a command that was run; its id is printed
    Add {
        /// Command line
        #[arg(allow_hyphen_values = true)]
        command: String,
        /// Its result
        #[arg(long, value_parser = words(CommandStatus::NAMES))]
        status: String,
    },
}

/// `aictx run learning`.
#[derive(Debug, Subcommand)]
pub enum RunLearning {
    /// Add a learning and the artifact that holds it; its id is printed
    Add {
        /// Kind of learning
        #[arg(long, value_parser = words(LearningKind::NAMES))]
        kind: String,
        /// The learning, in a sentence
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        summary: String,
        /// Kind of artifact that holds it
        #[arg(long, value_parser = words(RepoAction::NAMES))]
        repo_action: String,
        /// The artifact
        #[arg(
            long,
            value_name = "PATH",
            default_value = "",
            hide_default_value = true
        )]
        path: String,
        /// Reason for having none
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        reason: String,
    },
    /// List the learnings
    Review {
        /// Exit with 1 if one has no tracked artifact and no reason
        #[arg(long)]
        require_resolved: bool,
    },
}

/// `aictx run close`.
#[derive(Debug, Args)]
pub struct RunClose {
    /// Work that was done
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub summary: String,
    /// Check that was made: a command line, or the id of a command of the run; can be repeated
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub verification: Vec<String>,
    /// Reason for not verifying anything
    #[arg(
        long,
        value_name = "REASON",
        default_value = "",
        hide_default_value = true
    )]
    pub unverified: String,
    /// Risk that is left; can be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub risk: Vec<String>,
    /// No risk is left that you know of
    #[arg(long, conflicts_with = "risk")]
    pub no_risks: bool,
    /// Open hypothesis that is left to the next run; can be repeated
    #[arg(long, value_name = "ID")]
    pub carry: Vec<String>,
    /// Pass over a gate (hypotheses, learning, verification, risks, summary); the reason is stored
    #[arg(long = "override", value_name = "GATE=REASON")]
    pub overrides: Vec<String>,
}

/// `aictx intake`.
#[derive(Debug, Args)]
pub struct Intake {
    /// The request
    pub request: String,
    /// Show the words and scores that it was found by
    #[arg(long)]
    pub explain: bool,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx docs`.
#[derive(Debug, Subcommand)]
pub enum Docs {
    /// Check the documents that requests are routed to; exits with 1 if one breaks the form
    Check {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}
