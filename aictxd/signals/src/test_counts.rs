//! Tests seen: which runner ran, how many passed, failed and were skipped, and which ones failed.
//!
//! Read from what runners say about the whole run, so it costs one look at each line and needs no
//! recogniser.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::{Deserialize, Serialize};

use crate::run_totals;

/// Most names of failed tests kept.
pub const MAX_FAILED_TESTS: usize = 64;

/// Totals that a test run printed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestsSeen {
    /// The runner (`pytest`, `cargo`, `jest`, …).
    pub runner: String,
    /// Tests that passed; 0 when the runner does not say.
    pub passed: u64,
    /// Tests that failed or could not run.
    pub failed: u64,
    /// Tests that were skipped, ignored or marked as to do.
    pub skipped: u64,
    /// Names of failed tests, in order of appearance, at most [`MAX_FAILED_TESTS`].
    pub failed_tests: Vec<String>,
}

impl TestsSeen {
    /// The run says that no test of it passed or failed. Go counts none unless it is asked to.
    pub(crate) fn is_empty(&self) -> bool {
        self.passed == 0 && self.failed == 0 && !matches!(self.runner.as_str(), "" | "go")
    }
}

/// Counts of one runner while reading.
#[derive(Default)]
struct Counts {
    runner: &'static str,
    passed: u64,
    failed: u64,
    skipped: u64,
    names: Vec<String>,
    /// Runners of which a run said that tests of it failed, whatever a later run said.
    failing: Vec<&'static str>,
    /// Packages of Go in which tests ran, and those that had none to run.
    go: (u64, u64),
}

impl Counts {
    fn fails(&mut self, runner: &'static str) {
        if !self.failing.contains(&runner) {
            self.failing.push(runner);
        }
    }

    fn add(&mut self, runner: &'static str, passed: u64, failed: u64, skipped: u64) {
        if failed > 0 {
            self.fails(runner);
        }
        self.runner = runner;
        self.passed += passed;
        self.failed += failed;
        self.skipped += skipped;
    }

    fn set(&mut self, runner: &'static str, passed: u64, failed: u64, skipped: u64) {
        if failed > 0 {
            self.fails(runner);
        }
        self.runner = runner;
        (self.passed, self.failed, self.skipped) = (passed, failed, skipped);
    }

    fn name(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty()
            && self.names.len() < MAX_FAILED_TESTS
            && !self.names.iter().any(|known| known == name)
        {
            self.names.push(name.to_owned());
        }
    }
}

/// Runners that say of a run that tests of it failed, be it one of several. A test that passed when it was tried
/// again has not failed, nor has one that was expected to.
pub(crate) fn failing<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<&'static str> {
    count(lines).failing
}

/// Go names packages, and says of each of them that it had no test to run.
pub(crate) fn go_ran_nothing<'t>(lines: impl IntoIterator<Item = &'t str>) -> bool {
    let counts = count(lines);
    counts.failing.is_empty() && matches!(counts.go, (0, 1..))
}

fn count<'t>(lines: impl IntoIterator<Item = &'t str>) -> Counts {
    let mut counts = Counts::default();
    let mut ran = 0;
    for line in lines {
        let line = line.trim_end();
        if line.len() < 400 && line.bytes().any(|byte| byte.is_ascii_digit()) {
            total(&mut counts, &mut ran, line);
        }
        failed_name(&mut counts, line);
        whole(&mut counts, line);
    }
    counts
}

/// Lines that speak of a run as a whole and count no tests.
fn whole(counts: &mut Counts, line: &str) {
    let text = line.trim();
    let runner = match text {
        "FAIL" => "go",
        "FAILURES!" | "ERRORS!" => "phpunit",
        "Result: FAIL" => "prove",
        _ if text.starts_with("FAIL\t") => "go",
        _ if text.starts_with("FAILED (") => "unittest",
        _ if text.starts_with("Test Suites:") && run_totals::verdict(text) == Some(false) => "jest",
        _ if text.starts_with("Test Files ") && run_totals::verdict(text) == Some(false) => {
            "vitest"
        }
        _ => {
            let empty = text.ends_with("[no tests to run]") || text.ends_with("[no test files]");
            let (ran, none) = &mut counts.go;
            if text.starts_with("ok  \t") || text.starts_with("?   \t") {
                *if empty { none } else { ran } += 1;
            }
            return;
        }
    };
    counts.fails(runner);
}

/// Reads the totals of a test run out of the lines that may hold them. `None` when nothing looks
/// like one.
pub(crate) fn read<'t>(lines: impl IntoIterator<Item = &'t str>) -> Option<TestsSeen> {
    let mut counts = count(lines);
    if counts.runner.is_empty() {
        return None;
    }
    counts.failed = counts
        .failed
        .max(u64::from(counts.failed == 0 && !counts.names.is_empty()));
    Some(TestsSeen {
        runner: counts.runner.to_owned(),
        passed: counts.passed,
        failed: counts.failed,
        skipped: counts.skipped,
        failed_tests: counts.names,
    })
}

/// The number in front of one of these words, over all parts of a list.
fn counted(text: &str, words: &[&str]) -> u64 {
    let mut sum = 0;
    let mut last: Option<u64> = None;
    for token in text.split(|c: char| !c.is_alphanumeric()) {
        if token.is_empty() {
            continue;
        }
        match token.parse::<u64>() {
            Ok(number) => last = Some(number),
            Err(_) => {
                if words.contains(&token) {
                    sum += last.unwrap_or(0);
                }
                last = None;
            }
        }
    }
    sum
}

/// The number behind `name: ` or `name=`.
fn labelled(text: &str, name: &str) -> u64 {
    let Some(at) = text.find(name) else {
        return 0;
    };
    let rest = text.get(at + name.len()..).unwrap_or_default();
    let rest = rest.trim_start_matches([':', '=', ' ']);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest.get(..end)
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

const FAILED: &[&str] = &[
    "failed", "failure", "failures", "error", "errors", "fail", "timed",
];
const PASSED: &[&str] = &["passed", "passing", "pass", "xfailed"];
const SKIPPED: &[&str] = &["skipped", "ignored", "pending", "todo", "skips", "skip"];

/// Returns true if one of the forms of [`total`] or [`short`] can fit: by the first character, or by what
/// stands inside. One look at the line, as most lines that get here are no totals.
fn may_be_total(text: &str) -> bool {
    const INSIDE: &[&str] = &[
        "Tests run: ",
        " tests completed",
        " test completed",
        "!  - Failed:",
        "% tests passed, ",
        " examples, ",
        " runs, ",
        " tests, ",
    ];
    static BUILT: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let starts = match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'=' | b'#' | b'[' | b'S' | b'R' | b'F' | b'T' | b'O' | b'E') => {
            true
        }
        Some(b'n') => text.starts_with("no tests ran"),
        Some(b't') => text.starts_with("test result: "),
        Some(b'o') => text.starts_with("ok | "),
        _ => text.starts_with("ℹ "),
    };
    starts
        || BUILT
            .get_or_init(|| {
                AhoCorasick::builder()
                    .kind(Some(AhoCorasickKind::DFA))
                    .build(INSIDE)
                    .ok()
            })
            .as_ref()
            .is_none_or(|words| words.is_match(text))
}

fn total(counts: &mut Counts, ran: &mut u64, line: &str) {
    let text = line.trim_start();
    if !may_be_total(text) {
        return;
    }
    let three = |text: &str| {
        (
            counted(text, PASSED),
            counted(text, FAILED),
            counted(text, SKIPPED),
        )
    };
    if run_totals::pytest(text).is_some() && text.contains(" in ") {
        let (passed, failed, skipped) = three(text);
        counts.add(
            "pytest",
            passed + counted(text, &["xpassed"]),
            failed,
            skipped,
        );
    } else if let Some(rest) = text.strip_prefix("test result: ") {
        let (passed, failed, skipped) = three(rest);
        counts.add("cargo", passed, failed, skipped);
    } else if let Some(rest) = text.strip_prefix("Summary [") {
        if let Some((_, list)) = rest.split_once(": ") {
            let (passed, failed, skipped) = three(list);
            // What it shows of a test that it tried again is none of its own words.
            counts.failing.retain(|runner| *runner != "cargo");
            counts.set("nextest", passed, failed, skipped);
        }
    } else if let Some(rest) = text.strip_prefix("Ran ")
        && rest.contains(" test")
        && rest.contains(" in ")
    {
        *ran = counted(rest, &["test", "tests"]);
        counts.set("unittest", *ran, 0, 0);
    } else if counts.runner == "unittest"
        && (text.starts_with("FAILED (") || text.starts_with("OK ("))
    {
        // Whoever expected a failure got what was expected.
        let told = text.replace("expected failures=", "expected=");
        let failed = labelled(&told, "failures") + labelled(&told, "errors");
        let skipped = labelled(text, "skipped");
        counts.set(
            "unittest",
            ran.saturating_sub(failed + skipped),
            failed,
            skipped,
        );
    } else if let Some(rest) = text.strip_prefix("Tests:") {
        if rest.contains(" total") {
            let (passed, failed, skipped) = three(rest);
            counts.set("jest", passed, failed, skipped);
        } else if rest.contains("Assertions:") {
            let all = labelled(text, "Tests");
            let failed = labelled(text, "Errors") + labelled(text, "Failures");
            let skipped = labelled(text, "Skipped") + labelled(text, "Incomplete");
            counts.set(
                "phpunit",
                all.saturating_sub(failed + skipped),
                failed,
                skipped,
            );
        }
    } else if let Some(rest) = text.strip_prefix("Tests  ") {
        let (passed, failed, skipped) = three(rest);
        counts.set("vitest", passed, failed, skipped);
    } else if text.starts_with("OK (") && text.contains(" assertion") {
        counts.set("phpunit", counted(text, &["test", "tests"]), 0, 0);
    } else if text.contains("Tests run: ")
        && text.contains("Failures: ")
        && !text.contains("Time elapsed")
    {
        let all = labelled(text, "Tests run");
        let failed = labelled(text, "Failures") + labelled(text, "Errors");
        let skipped = labelled(text, "Skipped");
        counts.set(
            "surefire",
            all.saturating_sub(failed + skipped),
            failed,
            skipped,
        );
    } else if text.contains(" tests completed") || text.contains(" test completed") {
        let all = counted(text, &["tests", "test"]);
        let (_, failed, skipped) = three(text);
        counts.set(
            "gradle",
            all.saturating_sub(failed + skipped),
            failed,
            skipped,
        );
    } else if text.contains("!  - Failed:") {
        counts.add(
            "dotnet",
            labelled(text, "Passed: "),
            labelled(text, "Failed: "),
            labelled(text, "Skipped: "),
        );
    } else if text.contains("% tests passed, ") {
        let failed = counted(text, &["tests", "test"]);
        let all = text
            .rsplit(' ')
            .next()
            .and_then(|all| all.parse().ok())
            .unwrap_or(failed);
        let failed = text
            .split(", ")
            .nth(1)
            .map_or(failed, |part| counted(part, &["tests", "test"]));
        counts.set("ctest", u64::saturating_sub(all, failed), failed, 0);
    } else if let Some(rest) = text.strip_prefix("[  PASSED  ] ") {
        counts.add("gtest", counted(rest, &["test", "tests"]), 0, 0);
    } else if let Some(rest) = text
        .strip_prefix("[  FAILED  ] ")
        .filter(|rest| rest.contains("listed below"))
    {
        counts.add("gtest", 0, counted(rest, &["test", "tests"]), 0);
    } else if text.contains(" examples, ") || text.starts_with("1 example, ") {
        let all = counted(text, &["examples", "example"]);
        let (_, failed, skipped) = three(text);
        counts.set(
            "rspec",
            all.saturating_sub(failed + skipped),
            failed,
            skipped,
        );
    } else if (text.contains(" runs, ") || text.contains(" tests, "))
        && text.contains(" assertions, ")
    {
        let all = counted(text, &["runs", "tests"]);
        let (_, failed, skipped) = three(text);
        counts.set(
            "minitest",
            all.saturating_sub(failed + skipped),
            failed,
            skipped,
        );
    } else if (text.starts_with("ok | ") || text.starts_with("FAILED | "))
        && text.contains(" passed")
    {
        let (passed, failed, skipped) = three(text.split(" (").next().unwrap_or(text));
        counts.set("deno", passed, failed, skipped);
    } else if let Some(rest) = text.strip_prefix("Executed ") {
        let all = counted(rest, &["tests", "test"]);
        let failed = counted(rest, &["failures", "failure"]);
        counts.set("xctest", all.saturating_sub(failed), failed, 0);
    } else {
        short(counts, text);
    }
}

/// Totals that take a line each, and the shorter ones.
fn short(counts: &mut Counts, text: &str) {
    let marked = text.strip_prefix("# ").or_else(|| text.strip_prefix("ℹ "));
    if let Some((word, number)) = marked.and_then(|rest| rest.split_once(' ')) {
        let Ok(number) = number.parse::<u64>() else {
            return;
        };
        match word {
            "pass" => counts.add("node:test", number, 0, 0),
            "fail" | "cancelled" => counts.add("node:test", 0, number, 0),
            "skipped" | "todo" => counts.add("node:test", 0, 0, number),
            _ => {}
        }
        return;
    }
    let Some((number, rest)) = text.split_once(' ') else {
        return;
    };
    let Ok(number) = number.parse::<u64>() else {
        return;
    };
    let word = rest.split([' ', ',']).next().unwrap_or_default();
    let timed = rest.len() == word.len()
        || rest
            .get(word.len()..)
            .is_some_and(|tail| tail.starts_with(" ("));
    match word {
        "passing" if timed => counts.set("mocha", number, 0, 0),
        "failing" if timed && counts.runner == "mocha" => counts.add("mocha", 0, number, 0),
        "pending" if timed && counts.runner == "mocha" => counts.add("mocha", 0, 0, number),
        "pass" if timed => counts.add("bun", number, 0, 0),
        "fail" if timed => counts.add("bun", 0, number, 0),
        "skip" if timed => counts.add("bun", 0, 0, number),
        "failed" if timed => counts.add("playwright", 0, number, 0),
        "passed" if timed && rest.ends_with("s)") => counts.add("playwright", number, 0, 0),
        "tests" | "test" if rest.contains(" failure") => {
            let failed = counted(rest, FAILED);
            let skipped = counted(rest, &["skipped", "excluded"]);
            counts.set(
                "exunit",
                number.saturating_sub(failed + skipped),
                failed,
                skipped,
            );
        }
        _ => {}
    }
}

/// Lines that name a failed test without more.
fn failed_name(counts: &mut Counts, line: &str) {
    let text = line.trim_start();
    match text.as_bytes().first() {
        Some(b'F' | b'E') => {
            if let Some(rest) = text
                .strip_prefix("FAILED ")
                .or_else(|| text.strip_prefix("ERROR "))
                && rest.contains("::")
            {
                counts.name(rest.split(" - ").next().unwrap_or(rest));
            }
        }
        Some(b't') => {
            if let Some(name) = text
                .strip_prefix("test ")
                .and_then(|rest| rest.strip_suffix(" ... FAILED"))
            {
                counts.name(name);
            }
        }
        Some(b'-') => {
            if let Some(name) = text.strip_prefix("--- FAIL: ") {
                counts.name(name.split(" (").next().unwrap_or(name));
                // Its package says whether that was the last word: it may have been run again.
                counts.runner = "go";
                counts.failed += 1;
            } else if text.starts_with("--- PASS: ") {
                counts.add("go", 1, 0, 0);
            } else if text.starts_with("--- SKIP: ") {
                counts.add("go", 0, 0, 1);
            }
        }
        Some(b'o') if text.starts_with("ok  \t") && counts.runner.is_empty() => {
            counts.runner = "go"
        }
        Some(b'[') => {
            if let Some(name) = text.strip_prefix("[  FAILED  ] ")
                && !name.contains("listed below")
            {
                counts.name(name.split([',', '(']).next().unwrap_or(name));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "test_counts_tests.rs"]
mod tests;
