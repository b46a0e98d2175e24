//! Bytes in, facts out: what a tool's output complains about, and what a command line runs.
//!
//! No input or output, bounded memory, time linear in the text. Nothing here ever fails: text that
//! means nothing gives no facts.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod ansi_text;
mod check_not_started;
mod fingerprint;
mod one_line_error;
mod outcome;
mod parsers;
mod prefilter;
mod ring_buffer;
mod run_totals;
mod substring;
mod test_counts;
mod usage_error;

use aictx_proto::event::ErrorEvent;
use serde::Serialize;

use outcome::{failed_tests_told, said};
use prefilter::{Scanned, scan};

pub use ansi_text::{HEAD_BYTES, MAX_LINE_CHARS, TAIL_BYTES};
pub use check_not_started::never_began;
pub use fingerprint::fingerprint;
pub use one_line_error::told;
pub use outcome::{judged, outcome};
pub use ring_buffer::Ring;
pub use test_counts::{MAX_FAILED_TESTS, TestsSeen};

/// One finished command and what it printed.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Command line as run.
    pub command: &'a str,
    /// Exit status; `None` when nobody said, as for a command behind a pipe.
    pub exit_status: Option<i32>,
    /// Standard output, or both streams as the agent saw them.
    pub stdout: &'a [u8],
    /// Standard error; empty when the streams came merged.
    pub stderr: &'a [u8],
    /// Absolute root of the repository.
    pub root: &'a str,
    /// Absolute working directory of the command.
    pub cwd: &'a str,
}

/// Extracts at most [`aictx_proto::event::MAX_EVENTS`] error events, errors before warnings.
///
/// A run that succeeded gives none, whatever it printed. Without an exit status the text decides:
/// a run whose totals say that it passed gives none, and nothing is guessed from single lines.
pub fn events(run: &Run) -> Vec<ErrorEvent> {
    if run.exit_status == Some(0) {
        return Vec::new();
    }
    let texts = cleaned(run);
    events_in(run, &texts, &scanned(&texts))
}

fn cleaned(run: &Run) -> [String; 2] {
    [ansi_text::clean(run.stderr), ansi_text::clean(run.stdout)]
}

fn scanned(texts: &[String; 2]) -> [Scanned<'_>; 2] {
    texts.each_ref().map(|text| scan(text))
}

fn events_in(run: &Run, texts: &[String; 2], scanned: &[Scanned; 2]) -> Vec<ErrorEvent> {
    match run.exit_status {
        Some(0) => return Vec::new(),
        None if said(scanned) == Some(true) && !failed_tests_told(run.command, scanned) => {
            return Vec::new();
        }
        _ => {}
    }
    let context = parsers::Context::new(run);
    let mut streams = texts
        .each_ref()
        .map(|text| parsers::lines_of(&context, text));
    let mut events = parsers::collect(&context, scanned, &mut streams);
    // Warnings of a compiler alone are no failure; without an exit status, neither are those of
    // linters that pass in spite of them.
    let harmless = |event: &ErrorEvent| {
        let fails = matches!(event.tool.as_str(), "rubocop" | "phpcs")
            || matches!(
                event.toolchain.as_str(),
                "pylint" | "black" | "prettier" | "ruff"
            );
        event.severity == "warning"
            && (event.phase != "lint" || (run.exit_status.is_none() && !fails))
    };
    if events.iter().all(harmless) {
        events.clear();
    }
    // A run that came to nothing because of a slip has no other faults.
    let totals = scanned.iter().flat_map(|scanned| &scanned.totals);
    let ran = || test_counts::read(totals.copied()).is_some_and(|s| s.passed + s.failed > 0);
    let settled = |event: &ErrorEvent| !event.test.is_empty() || never_began(event);
    if !events.is_empty()
        && !events.iter().any(settled)
        && let Some(event) = parsers::slipped(&context, &streams)
        && !ran()
    {
        events = vec![parsers::finish(&context, event)];
    }
    if events.is_empty() {
        let event = match run.exit_status {
            Some(status) => Some(parsers::fallback(&context, &streams, status)),
            None => parsers::died(&context, &streams),
        };
        events.extend(event.map(|event| parsers::finish(&context, event)));
    }
    events
        .iter_mut()
        .for_each(check_not_started::without_made_up);
    events
}

/// Everything that can be read out of one finished command.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Parsed {
    /// Error events.
    pub events: Vec<ErrorEvent>,
    /// Totals of a test runner; empty when none ran.
    pub tests: TestsSeen,
    /// Part of the output was missing, or cut away because it was too long.
    pub truncated: bool,
}

/// Events and tests of a command whose streams came merged, and of which nothing but its text is
/// known: paths stay as they were printed.
pub fn parse(command: &str, exit_status: Option<i32>, output: &[u8]) -> Parsed {
    parse_run(&Run {
        command,
        exit_status,
        stdout: output,
        stderr: b"",
        root: "",
        cwd: "",
    })
}

/// Events and tests of a run.
pub fn parse_run(run: &Run) -> Parsed {
    let texts = cleaned(run);
    let scanned = scanned(&texts);
    let events = events_in(run, &texts, &scanned);
    let totals = scanned.iter().flat_map(|scanned| &scanned.totals);
    let mut tests = test_counts::read(totals.copied()).unwrap_or_default();
    for event in events.iter().filter(|event| event.phase == "test") {
        let known = tests.failed_tests.contains(&event.test);
        if !event.test.is_empty() && !known && tests.failed_tests.len() < MAX_FAILED_TESTS {
            tests.failed_tests.push(event.test.clone());
        }
    }
    // What unittest counts for a module that is not there is no test.
    let loads = tests.runner == "unittest" && tests.passed + tests.skipped == 0;
    if loads && !events.is_empty() && events.iter().all(never_began) {
        tests.failed = 0;
        tests.failed_tests.clear();
    }
    if tests.runner.is_empty() {
        tests.failed_tests.clear();
    }
    Parsed {
        events,
        tests,
        truncated: texts.iter().any(|text| ansi_text::is_cut(text)),
    }
}

/// Exit status that a runner put before the output as `Exit code 1` on a line of its own (Claude
/// Code's failed tool calls), and the output behind it.
pub fn exit_status_from_text(text: &str) -> Option<(i32, &str)> {
    let rest = text.trim_start().strip_prefix("Exit code ")?;
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '-'))
        .unwrap_or(rest.len());
    let (status, rest) = rest.split_at_checked(end)?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest);
    if !(rest.is_empty() || rest.starts_with('\n')) {
        return None;
    }
    Some((
        status.parse().ok()?,
        rest.strip_prefix('\n').unwrap_or(rest),
    ))
}
