//! The daemon program's arguments.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use aictx_redact::{Report, StreamScrubber, scrub_text, scrub_value};
use aictx_repomap::eval::{Options, Scope};
use aictx_signals::{Ring, Run};

use clap::{Parser, Subcommand};

use crate::eval;
use crate::lifecycle::{self, Ended, RunOptions};
use crate::one_shot::{self, HookArguments};

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
        /// For `hook`: the event's id, by which it is recorded once.
        #[arg(long, default_value = "")]
        event_id: String,
        /// For `hook`: say what is to be said of a tool call, and record nothing.
        #[arg(long)]
        verdict_only: bool,
    },
    /// Measure how good the map's answers are on a repository's own past.
    #[command(subcommand)]
    Eval(Eval),
    /// Serve the tools of aictx to an agent over standard input and output (MCP).
    Mcp(crate::mcp::Arguments),
    /// Read what a tool printed.
    #[command(subcommand)]
    Signals(Signals),
    /// Watch over one process of a flow; started by the daemon.
    #[command(hide = true)]
    Host {
        /// Folder of the turn or the check.
        folder: PathBuf,
    },
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
enum Signals {
    /// Raw output on standard input to error events and test totals.
    Parse {
        /// Command that printed it.
        #[arg(long, default_value = "", allow_hyphen_values = true)]
        command: String,
        /// Its exit status; left out when nobody knows.
        #[arg(long, allow_hyphen_values = true)]
        exit_code: Option<i32>,
        /// Root of the repository, for paths.
        #[arg(long, default_value = "")]
        root: String,
        /// Print a line of JSON.
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
        /// Age in first-parent commits.
        #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        commits: u32,
        /// Most tasks, in even steps over the later commits.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
        tasks: u32,
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
            event_id,
            verdict_only,
        } => {
            let hook = HookArguments {
                runner,
                id: event_id,
                pid,
                event,
                verdict_only,
            };
            one_shot::print(one_shot::run(&method, &hook))
        }
        Command::Eval(Eval::Localize {
            repo,
            commits,
            tasks,
            all,
            json,
        }) => {
            let options = Options {
                commits,
                tasks: tasks as usize,
                scope: if all { Scope::All } else { Scope::Code },
                ..Options::default()
            };
            match eval::run(&repo, &options, json) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed("eval", error.code, &error.message, json),
            }
        }
        Command::Signals(Signals::Parse {
            command,
            exit_code,
            root,
            json,
        }) => match parse_output(&command, exit_code, &root, json) {
            Ok(()) => ExitCode::SUCCESS,
            // Whoever reads us has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => failed("signals", "io", &error.to_string(), json),
        },
        Command::Host { folder } => crate::flow::turn_host::run(folder),
        Command::Mcp(arguments) => crate::mcp::run(arguments),
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

/// Says why a command failed, as `aictx` does for its own: programs read standard output.
fn failed(command: &str, code: &str, message: &str, json: bool) -> ExitCode {
    if json {
        let error = serde_json::json!({ "code": code, "message": message });
        let error = serde_json::json!({ "ok": false, "error": error });
        // Nobody may be left to read it.
        let _ = writeln!(std::io::stdout(), "{error}");
    } else {
        eprintln!("aictxd: {command}: {message}");
    }
    ExitCode::FAILURE
}

/// Reads standard input, any size in bounded memory, and prints what it says.
fn parse_output(
    command: &str,
    exit_status: Option<i32>,
    root: &str,
    json: bool,
) -> std::io::Result<()> {
    let mut kept = Ring::new();
    let mut input = std::io::stdin().lock();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => kept.push(chunk.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let bytes = kept.kept();
    let parsed = aictx_signals::parse_run(&Run {
        command,
        exit_status,
        stdout: &bytes,
        stderr: b"",
        root,
        cwd: root,
    });
    let mut out = std::io::stdout().lock();
    if json {
        let mut value = serde_json::to_value(&parsed)?;
        scrub_value(&mut value, &mut Report::default());
        return writeln!(out, "{value}");
    }
    for event in &parsed.events {
        let line = scrub_text(&event.render(), &mut Report::default()).into_owned();
        writeln!(out, "{}", aictx_proto::shown::lines(&line))?;
    }
    let tests = &parsed.tests;
    if !tests.runner.is_empty() {
        writeln!(
            out,
            "{}: {} passed, {} failed, {} skipped",
            tests.runner, tests.passed, tests.failed, tests.skipped
        )?;
    }
    if parsed.truncated {
        writeln!(out, "part of the output is missing")?;
    }
    Ok(())
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
