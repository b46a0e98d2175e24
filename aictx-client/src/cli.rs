//! The command line: everything that is not the hook lane.
//!
//! A command turns its options into one call, and the reply into an [`Answer`]; printing, exit
//! statuses and failures are dealt with here, once for all commands.

use std::ffi::{CStr, OsStr, OsString, c_int};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use clap::{ColorChoice, FromArgMatches};
use serde_json::Value;

use crate::Arguments;

pub mod arguments;
pub mod backend;
pub mod commands;
mod compatibility;
mod daemon_exit;
pub mod environment;
pub mod error;
pub mod help;
pub mod render;
mod replaced;
pub mod terminal_text;
pub mod version_check;

use arguments::CommandLine;
use error::{CliError, Kind};
use terminal_text::Paint;

/// Answer of a command.
#[derive(Debug, Default)]
pub struct Answer {
    /// For `--json`, on standard output; null prints nothing.
    pub value: Value,
    /// For people, on standard output.
    pub text: String,
    /// For people, on standard error; the value says the same.
    pub notes: String,
    /// Exit status.
    pub status: c_int,
}

/// Runs the command line and gives the exit status.
pub fn run(arguments: &Arguments) -> c_int {
    prepare_process();
    let argv: Vec<OsString> = (0..)
        .map_while(|index| arguments.get(index))
        .map(|argument| OsStr::from_bytes(CStr::to_bytes(argument)).to_owned())
        .collect();
    run_with(&argv)
}

/// Does what the Rust runtime does before `main`, which we do not have: no death by broken pipe, and
/// three open standard streams, so that no socket ever becomes one of them.
fn prepare_process() {
    // SAFETY: no threads exist yet; the calls only touch this process's descriptors 0 to 2 and
    // the disposition of one signal.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        for stream in 0..3 {
            if libc::fcntl(stream, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
}

fn run_with(argv: &[OsString]) -> c_int {
    // Flags that matter even when the rest cannot be parsed.
    let has = |flag: &str| argv.iter().take_while(|a| *a != "--").any(|a| a == flag);
    let (json, no_color) = (has("--json"), has("--no-color"));
    // A hook must never fail, whatever it was registered with.
    let probes = argv.get(2).is_some_and(|word| word == "probe");
    if argv.get(1).is_some_and(|verb| verb == "hook") && !probes && !has("--help") && !has("-h") {
        return commands::hook::swallow();
    }
    let paint = Paint::for_stream(&io::stderr(), no_color);
    let out = Paint::for_stream(&io::stdout(), no_color);
    let outcome = match parse(argv, no_color) {
        Ok(line) => commands::run(line, out),
        Err(error) => match error::from_parser(&error) {
            None => return finish(print_help(&error), json, paint),
            Some(complaint) => {
                let words: Vec<&str> = argv.iter().skip(1).filter_map(|w| w.to_str()).collect();
                Err(replaced::explain(&error, &words).unwrap_or(complaint))
            }
        },
    };
    let printed = outcome.and_then(|answer| print(&answer, json, out));
    finish(printed, json, paint)
}

fn parse(argv: &[OsString], no_color: bool) -> Result<CommandLine, clap::Error> {
    let color = if no_color {
        ColorChoice::Never
    } else {
        ColorChoice::Auto
    };
    let matches = help::command().color(color).try_get_matches_from(argv)?;
    CommandLine::from_arg_matches(&matches)
}

fn print_help(help: &clap::Error) -> Result<c_int, CliError> {
    help.print()
        .map(|()| 0)
        .map_err(|e| CliError::io("standard output", &e))
}

/// Prints an answer. `paint` says whether standard output has colours, which notes may have, too.
fn print(answer: &Answer, json: bool, paint: Paint) -> Result<c_int, CliError> {
    let mut out = io::stdout().lock();
    let written = if json && answer.value.is_null() {
        Ok(())
    } else if json {
        writeln!(out, "{}", answer.value)
    } else {
        let _ = io::stderr().write_all(paint.shown(&answer.notes).as_bytes());
        out.write_all(paint.shown(&answer.text).as_bytes())
    };
    written
        .and_then(|()| out.flush())
        .map_err(|e| CliError::io("standard output", &e))?;
    Ok(answer.status)
}

/// Reports a failure and gives the exit status.
fn finish(outcome: Result<c_int, CliError>, json: bool, paint: Paint) -> c_int {
    let error = match outcome {
        Ok(status) => return status,
        Err(error) => error,
    };
    if error.kind == Kind::BrokenPipe {
        return error.status();
    }
    // Nobody is left to tell when these fail.
    if json {
        let _ = writeln!(io::stdout(), "{}", error.to_json());
    }
    // Whoever wrote the command line reads it, too.
    if !json || error.kind == Kind::Usage {
        let _ = io::stderr().write_all(paint.shown(&error.to_text(paint)).as_bytes());
    }
    error.status()
}

#[cfg(test)]
mod tests;
