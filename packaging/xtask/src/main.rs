//! Automation of this repository: reference pages and checks that cargo does not have.

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod doc_comments;
mod macos;
mod markdown;
mod reference;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Automation of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Write man pages, completions and docs/reference.md from the command line's definition
    Reference {
        /// Write nothing; fail when a file differs
        #[arg(long)]
        check: bool,
    },
    /// Check on any system that everything compiles for macOS
    Macos,
    /// Check that doc comments open with a verb or a noun, not with a question word
    DocComments,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Reference { check: true } => reference::check(),
        Task::Reference { check: false } => reference::write(),
        Task::Macos => macos::check(),
        Task::DocComments => doc_comments::check(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("xtask: {complaint}");
            ExitCode::FAILURE
        }
    }
}
