//! Decides if a command passed: by its exit status as far as that is the status of what it checked, and by what
//! test runners say about their runs.

use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::Outcome;
use aictx_shell::{
    check_class, hides_status, ignores_absence, inverts_status, is_test_command, normalise_command,
    test_tools,
};

use crate::fingerprint::fingerprint;
use crate::parsers::{self, Context, lines_of};
use crate::prefilter::Scanned;
use crate::{Run, cleaned, events, events_in, run_totals, scanned, test_counts};

/// The exit status by which pytest says that it found no test to run: none was there, or none was asked for.
const NO_TESTS: i32 = 5;

/// Exit statuses of what was stopped: by a time limit, by its user, by force.
const STOPPED: &[i32] = &[124, 130, 137, 143];
/// Messages of test runners that wait for the next change.
const WATCHING: &[&str] = &[
    "Waiting for file changes",
    "Watch Usage",
    "press h to show help",
];

/// Test runners that say how many tests failed in words of their own, and the names of those words' readers.
const SPEAKS: &[(&str, &[&str])] = &[
    ("pytest", &["pytest"]),
    ("cargo", &["cargo", "nextest"]),
    ("jest", &["jest"]),
    ("vitest", &["vitest"]),
    ("mocha", &["mocha"]),
    ("go", &["go"]),
    ("unittest", &["unittest"]),
    ("phpunit", &["phpunit"]),
    ("rspec", &["rspec"]),
    ("deno", &["deno"]),
    ("playwright", &["playwright"]),
    ("dotnet", &["dotnet"]),
];

/// Decides if the run passed: by its exit status, else by its output. A test run that says
/// that tests failed has failed, though something else decided how its command ended (`|| true`, `make -i`).
/// Of one that says that it ran no test, nothing is known.
pub fn outcome(run: &Run) -> Outcome {
    let is_test = is_test_command(run.command);
    if is_test && inverts_status(run.command) {
        return Outcome::Unknown;
    }
    match run.exit_status {
        Some(0) if !is_test => return Outcome::Passed,
        Some(0 | NO_TESTS) | None => {}
        Some(status) if is_test && STOPPED.contains(&status) => {
            let texts = cleaned(run);
            let scanned = scanned(&texts);
            // Who watches for changes never ends by itself.
            let watched = texts
                .iter()
                .any(|t| WATCHING.iter().any(|words| t.contains(words)));
            let passed = said(&scanned) == Some(true) && tests_spoke(&scanned);
            return match watched && passed && !failed_tests_told(run.command, &scanned) {
                true => Outcome::Passed,
                false => Outcome::Failed,
            };
        }
        Some(_) => return Outcome::Failed,
    }
    let texts = cleaned(run);
    let scanned = scanned(&texts);
    if run.exit_status == Some(NO_TESTS) {
        let is_pytest = check_class(run.command).is_some_and(|class| class.starts_with("pytest"));
        // What did run tests ends so for another reason: `pytest && ./deploy`.
        let ran = test_counts::read(lines(&scanned)).is_some_and(|s| s.passed + s.failed > 0);
        return match is_pytest && !ran {
            true => Outcome::Unknown,
            false => Outcome::Failed,
        };
    }
    if is_test && failed_tests_told(run.command, &scanned) {
        return Outcome::Failed;
    }
    let verdict = match run.exit_status {
        Some(_) if !hides_status(run.command) => Some(true),
        // A linter behind the tests speaks for itself.
        _ => said(&scanned).filter(|passed| !(*passed && is_test) || tests_spoke(&scanned)),
    };
    match verdict {
        Some(true) if is_test && ran_no_test(run.command, &texts, &scanned) => Outcome::Unknown,
        Some(true) => Outcome::Passed,
        Some(false) => Outcome::Failed,
        None if shows_errors(run, &texts, &scanned) => Outcome::Failed,
        None => Outcome::Unknown,
    }
}

/// Returns the outcome of a run and its error events. A failure in spite of its exit status is read as if there were
/// none.
pub fn judged(run: &Run) -> (Outcome, Vec<ErrorEvent>) {
    let outcome = outcome(run);
    let exit_status = match outcome {
        Outcome::Failed => run.exit_status.filter(|status| *status != 0),
        _ => run.exit_status,
    };
    let mut events = match outcome == Outcome::Unknown && inverts_status(run.command) {
        true => Vec::new(),
        false => events(&Run {
            exit_status,
            ..*run
        }),
    };
    if outcome == Outcome::Failed && events.is_empty() {
        events.push(summed_up(run));
    }
    (outcome, events)
}

/// The event of a failed run that shows no single fault, as where a pipe left only its totals (`pytest | tail -1`).
/// Totals are alike in all runs, so it is known by its command.
fn summed_up(run: &Run) -> ErrorEvent {
    let texts = cleaned(run);
    let context = Context::new(run);
    let streams = texts.each_ref().map(|text| lines_of(&context, text));
    let mut event = parsers::fallback(&context, &streams, 1);
    if is_test_command(run.command) {
        "test".clone_into(&mut event.phase);
    }
    let mut event = parsers::finish(&context, event);
    let command = normalise_command(run.command);
    let by_command = ErrorEvent {
        message: command,
        ..event.clone()
    };
    event.fingerprint = fingerprint(&by_command, run.root);
    event
}

fn shows_errors(run: &Run, texts: &[String; 2], scanned: &[Scanned; 2]) -> bool {
    let unknown = Run {
        exit_status: None,
        ..*run
    };
    events_in(&unknown, texts, scanned)
        .iter()
        .any(|event| event.severity == "error")
}

fn lines<'s>(scanned: &'s [Scanned<'s>; 2]) -> impl Iterator<Item = &'s str> {
    scanned.iter().flat_map(|s| &s.totals).copied()
}

/// Returns true if a test runner says that tests of it failed. Where the command itself names who runs the tests,
/// what others say is only shown by those tests.
pub(crate) fn failed_tests_told(command: &str, scanned: &[Scanned; 2]) -> bool {
    let failing = test_counts::failing(lines(scanned));
    if failing.is_empty() {
        return false;
    }
    let speaks = |tool: &&str| SPEAKS.iter().find(|(name, _)| name == tool);
    let tools = test_tools(command);
    let words: Option<Vec<&[&str]>> = tools.iter().map(|t| speaks(t).map(|(_, w)| *w)).collect();
    match words {
        Some(words) if !words.is_empty() => {
            failing.iter().any(|runner| words.concat().contains(runner))
        }
        _ => !tools.is_empty(),
    }
}

/// Returns true if a test run says that it ran no test: nothing matched, all were skipped, or there was nothing
/// to be done.
fn ran_no_test(command: &str, texts: &[String; 2], scanned: &[Scanned; 2]) -> bool {
    let seen = test_counts::read(lines(scanned));
    let mut printed = texts.iter().flat_map(|text| text.lines());
    let mut silent = || printed.all(|line| line.trim().is_empty());
    seen.is_some_and(|seen| seen.is_empty())
        || test_counts::go_ran_nothing(lines(scanned))
        || (test_tools(command).iter().all(|tool| *tool == "make") && made_nothing(texts))
        || (ignores_absence(command) && silent())
}

/// Returns true if a maker says that everything is made, and nothing else was said.
fn made_nothing(texts: &[String; 2]) -> bool {
    let mut told = false;
    let mut lines = texts.iter().flat_map(|text| text.lines());
    let only_that = lines.all(|line| {
        let Some((who, what)) = line.trim().split_once(": ") else {
            return line.trim().is_empty();
        };
        let maker = who.split('[').next().unwrap_or(who);
        if !matches!(maker, "make" | "gmake" | "ninja") {
            return false;
        }
        let done = ["Nothing to be done for ", "no work to do"];
        let nothing = done.iter().any(|start| what.starts_with(start))
            || what.trim_end_matches('.').ends_with(" is up to date");
        told |= nothing;
        nothing || what.starts_with("Entering ") || what.starts_with("Leaving ")
    });
    only_that && told
}

/// Returns true if somebody who runs tests says that a run was good.
fn tests_spoke(scanned: &[Scanned; 2]) -> bool {
    lines(scanned)
        .any(|line| run_totals::verdict(line) == Some(true) && !run_totals::is_of_checker(line))
}

/// Verdict of the totals in the text; one failed part is a failed run.
pub(crate) fn said(scanned: &[Scanned; 2]) -> Option<bool> {
    let mut verdict = None;
    for scanned in scanned {
        // Of tests that it tried again, nextest shows what they printed each time.
        let summed = |line: &&str| line.trim_start().starts_with("Summary [");
        let decided = scanned.totals.iter().rposition(summed);
        for (at, line) in scanned.totals.iter().enumerate() {
            let shown = decided.is_some_and(|summary| at < summary);
            if shown && line.trim_start().starts_with("test result: ") {
                continue;
            }
            match run_totals::verdict(line) {
                Some(false) => return Some(false),
                Some(true) => verdict = Some(true),
                None => {}
            }
        }
    }
    verdict
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
