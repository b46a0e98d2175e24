//! Automation of this repository: the reference pages, and whether it compiles for macOS.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod macos;
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
    /// Check on any system that everything compiles for macOS
    Macos,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Reference { check: true } => reference::check(),
        Task::Reference { check: false } => reference::write(),
        Task::Macos => macos::check(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("xtask: {complaint}");
            ExitCode::FAILURE
        }
    }
}
