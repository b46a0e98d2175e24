//! Automation of this repository. One task so far: the reference pages.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod markdown;
mod reference;

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
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Reference { check: true } => reference::check(),
        Task::Reference { check: false } => reference::write(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("xtask: {complaint}");
            ExitCode::FAILURE
        }
    }
}
