//! Commands about tickets.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CallerOptions, RepoOption};

/// Content of a new ticket.
#[derive(Debug, Args)]
pub struct Draft {
    /// Agent [default: codex]; `user` for yourself
    #[arg(
        long,
        value_name = "AGENT",
        default_value = "",
        hide_default_value = true
    )]
    pub agent: String,
    /// Goal in a line
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub goal: String,
    /// Ticket that must be done before; can be repeated
    #[arg(long, value_name = "TICKET")]
    pub after: Vec<String>,
    /// Command that checks the work; can be repeated
    #[arg(long, value_name = "COMMAND")]
    pub verify: Vec<String>,
    /// Pattern of paths that the work may change; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub scope: Vec<String>,
    /// File with the text below the frontmatter (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
}

/// For whom a claim is, or who ends it.
#[derive(Debug, Args)]
pub struct Holder {
    /// Act for this holder [default: the agent that calls]
    #[arg(
        long = "as",
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub holder: String,
    /// The claim, as `claim` printed it
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub claim: String,
    /// Also where somebody else has claimed the ticket
    #[arg(long)]
    pub force: bool,
}

/// `aictx ticket`. Tickets are named by number, file name or id.
#[derive(Debug, Subcommand)]
pub enum Ticket {
    /// List tickets in order
    List {
        /// Only those that are not done
        #[arg(long, conflicts_with_all = ["done", "ready"])]
        open: bool,
        /// Only those that are done
        #[arg(long, conflicts_with = "ready")]
        done: bool,
        /// Only those that could be worked on now
        #[arg(long)]
        ready: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Show one ticket, even a broken one
    Show {
        /// Ticket [default: the one claimed here]
        #[arg(default_value = "", hide_default_value = true)]
        ticket: String,
        /// Print the file and nothing else
        #[arg(long)]
        raw: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Write a ticket behind the last one
    New {
        /// Title
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        title: String,
        /// Number, which must be free
        #[arg(long = "at", value_name = "N")]
        number: Option<u64>,
        /// Content.
        #[command(flatten)]
        draft: Draft,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Free numbers in the queue; with --title, write a ticket there
    Insert {
        /// Before this number
        #[arg(
            long,
            value_name = "N",
            conflicts_with = "after",
            required_unless_present = "after"
        )]
        before: Option<u64>,
        /// Behind this number
        #[arg(long, value_name = "N")]
        after: Option<u64>,
        /// Count of numbers
        #[arg(long, value_name = "K", default_value_t = 1)]
        count: u64,
        /// Title
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        title: String,
        /// Agent [default: codex]
        #[arg(
            long,
            value_name = "AGENT",
            default_value = "",
            hide_default_value = true
        )]
        agent: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Move tickets to another position; all are numbered anew from 1
    Move {
        /// Number of the first one
        #[arg(long, value_name = "A")]
        start: u64,
        /// Number of the last one [default: the first]
        #[arg(long, value_name = "B", default_value_t = 0, hide_default_value = true)]
        end: u64,
        /// Position among the others, from 1
        #[arg(long, value_name = "P")]
        to: u64,
        /// Keep the numbers that there are
        #[arg(long)]
        keep_gaps: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Edit a ticket's text: in $VISUAL or $EDITOR, or from a file
    Edit {
        /// Ticket
        ticket: String,
        /// File with the whole new text (`-` for standard input)
        #[arg(long, value_name = "FILE", conflicts_with = "body_file")]
        from_file: Option<PathBuf>,
        /// File with the new text below the frontmatter (`-` for standard input)
        #[arg(long, value_name = "FILE")]
        body_file: Option<PathBuf>,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Set fields: key=value; a list takes its key several times, `key=` removes it
    Set {
        /// Tickets: one, `3:7`, or several with commas
        ticket: String,
        /// Fields
        #[arg(value_name = "KEY=VALUE", required = true)]
        values: Vec<String>,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Mark a ticket as done, and close the work on it
    Done {
        /// Ticket [default: the one claimed here]
        #[arg(default_value = "", hide_default_value = true)]
        ticket: String,
        /// Proof that it is done
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        evidence: String,
        /// Holder.
        #[command(flatten)]
        holder: Holder,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Mark a ticket as not done
    Reopen {
        /// Ticket
        ticket: String,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Remove a ticket's file
    Rm {
        /// Ticket
        ticket: String,
        /// Also when it is claimed, or others wait for it
        #[arg(long)]
        force: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Check all tickets; exits with 1 when work cannot start
    Lint {
        /// Check all that must be right to start, or only what stops a run under way
        #[arg(long, value_parser = ["start", "run"], default_value = "start")]
        gate: String,
        /// Repair what can be repaired without a guess
        #[arg(long)]
        fix: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Bring tickets into the usual spelling, without touching anything else
    Fmt {
        /// Write nothing; exit with 1 when something would change
        #[arg(long)]
        check: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Show which tickets could be worked on now, and what the others wait for
    Ready {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Show the ticket claimed here, else the next one
    Next {
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
    /// Claim a ticket: it becomes the task of this worktree and branch
    Claim {
        /// Ticket [default: the next one]
        #[arg(default_value = "", hide_default_value = true)]
        ticket: String,
        /// Claim for this holder [default: the agent that calls]
        #[arg(
            long = "as",
            value_name = "NAME",
            default_value = "",
            hide_default_value = true
        )]
        holder: String,
        /// Take it from whoever has claimed it
        #[arg(long)]
        force: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Let go of a claimed ticket
    Release {
        /// Ticket [default: the one claimed here]
        #[arg(default_value = "", hide_default_value = true)]
        ticket: String,
        /// Holder.
        #[command(flatten)]
        holder: Holder,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
        /// Caller.
        #[command(flatten)]
        caller: CallerOptions,
    },
    /// Import tickets from a folder, a zip or a codex-autorunner repository
    Import {
        /// Folder or zip
        path: PathBuf,
        /// Give all of them to this agent
        #[arg(
            long,
            value_name = "AGENT",
            default_value = "",
            hide_default_value = true
        )]
        agent: String,
        /// Show what would be imported, and write nothing
        #[arg(long)]
        dry_run: bool,
        /// Repository.
        #[command(flatten)]
        at: RepoOption,
    },
}
