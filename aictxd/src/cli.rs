//! The daemon program's arguments.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use aictx_artifacts::scrub::{Report, StreamScrubber};
use aictx_repomap::eval::{Options, Scope};
use clap::{Parser, Subcommand};

use crate::evaluate;
use crate::lifecycle::{self, Ended, RunOptions};
use crate::once::{self, HookArguments};

/// The aictx daemon. People use `aictx`; this program is started by it or by a service manager.
#[derive(Debug, Parser)]
#[command(name = "aictxd", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until told to stop.
    Run {
        /// Leave the terminal; say `ready` on standard output once clients can connect.
        #[arg(long)]
        detach: bool,
    },
    /// Run one method without a daemon: parameters as JSON on standard input.
    Once {
        /// Method, as in `aictxd openrpc`.
        method: String,
        /// For `hook`: standard input is the bare payload of this runner.
        #[arg(long, default_value = "")]
        runner: String,
        /// For `hook`: the agent's process.
        #[arg(long, default_value_t = 0)]
        pid: u32,
        /// For `hook`: the event's name.
        #[arg(long)]
        event: Option<String>,
    },
    /// Measure how good the map's answers are on a repository's own past.
    #[command(subcommand)]
    Eval(Eval),
    /// Print the OpenRPC document of the socket.
    Openrpc,
    /// Copy standard input to standard output with secrets replaced; a summary goes to standard
    /// error.
    Scrub {
        /// Print the summary as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
enum Eval {
    /// Index the tree as it was some commits ago and ask with each later commit's message.
    Localize {
        /// Repository, or a directory in it.
        #[arg(long, default_value = ".")]
        repo: PathBuf,
        /// How many first-parent commits ago.
        #[arg(long, default_value_t = 400)]
        commits: u32,
        /// Most tasks, in even steps over the later commits.
        #[arg(long, default_value_t = 60)]
        tasks: usize,
        /// Let every file count as an answer, not only sources and tests.
        #[arg(long)]
        all: bool,
        /// Print a line of JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Run { detach } => run(detach),
        Command::Once {
            method,
            runner,
            pid,
            event,
        } => once::print(once::run(&method, &HookArguments { runner, pid, event })),
        Command::Eval(Eval::Localize {
            repo,
            commits,
            tasks,
            all,
            json,
        }) => {
            let options = Options {
                commits,
                tasks,
                scope: if all { Scope::All } else { Scope::Code },
                ..Options::default()
            };
            match evaluate::run(&repo, &options, json) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("aictxd: eval: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        Command::Openrpc => {
            let text =
                serde_json::to_string_pretty(&aictx_proto::openrpc::document()).unwrap_or_default();
            ExitCode::from(u8::from(writeln!(std::io::stdout(), "{text}").is_err()))
        }
        Command::Scrub { json } => scrub(json),
    }
}

fn run(detach: bool) -> ExitCode {
    match lifecycle::run(RunOptions { detach }) {
        Ok(Ended::Served) => ExitCode::SUCCESS,
        Ok(Ended::Busy) if detach => {
            let _ = writeln!(std::io::stdout(), "busy");
            ExitCode::SUCCESS
        }
        Ok(Ended::Busy) => {
            eprintln!(
                "aictxd: another daemon of this user is running; `aictx daemon status` shows it"
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            if detach {
                let _ = writeln!(std::io::stdout(), "{error}");
            }
            eprintln!("aictxd: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Streams: any size in bounded memory.
fn scrub(json: bool) -> ExitCode {
    let mut scrubber = StreamScrubber::default();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut chunk = vec![0; 64 * 1024];
    let mut clean = Vec::new();
    let read = loop {
        match input.read(&mut chunk) {
            Ok(0) => break Ok(()),
            Ok(n) => {
                scrubber.push(chunk.get(..n).unwrap_or_default(), &mut clean);
                if let Err(error) = output.write_all(&clean) {
                    break Err(error);
                }
                clean.clear();
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    let found = scrubber.finish(&mut clean);
    let outcome = read
        .and_then(|()| output.write_all(&clean))
        .and_then(|()| output.flush());
    report(&found, json);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads us has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("aictxd: scrub: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(report: &Report, json: bool) {
    let counts = report.counts();
    if json {
        eprintln!("{}", serde_json::json!({ "redacted": counts }));
    } else if !counts.is_empty() {
        let parts: Vec<String> = counts
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        eprintln!("redacted: {}", parts.join(", "));
    }
}
