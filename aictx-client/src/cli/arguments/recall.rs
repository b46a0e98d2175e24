//! Commands that search memory and add to it.

use std::path::PathBuf;

use aictx_proto::methods::{IMPORT_SOURCES, RECALLED_KINDS};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{CallerOptions, RepoOption};

/// `aictx recall`.
#[derive(Debug, Args)]
pub struct Recall {
    /// Words to look for [default: the newest items]
    #[arg(value_name = "WORDS")]
    pub query: Vec<String>,
    /// Only of this kind; can be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = PossibleValuesParser::new(RECALLED_KINDS.iter().copied()))]
    pub kinds: Vec<String>,
    /// Only what is not older than this date
    #[arg(
        long,
        value_name = "DATE",
        default_value = "",
        hide_default_value = true
    )]
    pub since: String,
    /// Only what has to do with this file
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true
    )]
    pub file: String,
    /// Only of this branch
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub branch: String,
    /// Only of this agent
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub agent: String,
    /// At most this many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 8)]
    pub limit: u32,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Only from this source; can be repeated [default: all agents]
    #[arg(long = "from", value_name = "SOURCE", value_parser = PossibleValuesParser::new(IMPORT_SOURCES.iter().copied()))]
    pub sources: Vec<String>,
    /// A file or folder to import instead of the agents' own folders
    #[arg(long, value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Only what is not older than this date
    #[arg(
        long,
        value_name = "DATE",
        default_value = "",
        hide_default_value = true
    )]
    pub since: String,
    /// Show what would be imported, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Remove everything that was imported
    #[arg(long, conflicts_with_all = ["sources", "path", "since"])]
    pub remove: bool,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx preview`.
#[derive(Debug, Args)]
pub struct Preview {
    /// Prompt of its user
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub prompt: String,
    /// Agent whose session it would be
    #[arg(long, value_name = "NAME", default_value = "claude")]
    pub agent: String,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
}

/// `aictx remember`.
#[derive(Debug, Args)]
pub struct Remember {
    /// The decision or rule, in a sentence
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// Remember it as a rule of yours, which every session is told
    #[arg(long, conflicts_with = "why")]
    pub rule: bool,
    /// Why
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub why: String,
    /// A file that it governs; can be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// Repository.
    #[command(flatten)]
    pub at: RepoOption,
    /// Identity of the caller.
    #[command(flatten)]
    pub caller: CallerOptions,
}
