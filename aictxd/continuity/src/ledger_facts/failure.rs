//! A command that failed, and what settles it.

use aictx_proto::event::{ErrorEvent, MAX_EVENTS};
use aictx_proto::record::FailingTest;
use aictx_proto::text::clean;
use aictx_shell::command_word;

use crate::lru_cache::{Pass, Passed, same_check};

/// Of the command in a [line](Failure::line), in characters.
pub(crate) const MAX_LINE_COMMAND: usize = 100;

/// Returns true if a command that failed with these errors came as far as checking something.
pub(crate) fn has_begun(events: &[ErrorEvent]) -> bool {
    events.is_empty() || !events.iter().all(aictx_signals::never_began)
}

/// Returns true if what passes on a branch says something of another one by itself: both are the same, or one is
/// not known.
pub(crate) fn covers(passed: &str, failed: &str) -> bool {
    passed == failed || passed.is_empty() || failed.is_empty()
}

/// The tests that a run's errors name, where they are all of them: each error is a test's, and there was
/// room for more.
fn failing_tests(events: &[ErrorEvent]) -> Vec<FailingTest> {
    let errors = || events.iter().filter(|event| event.role != "cause");
    let named = |event: &ErrorEvent| {
        event.phase == "test" && !(event.test.is_empty() && event.file.is_empty())
    };
    if events.len() >= MAX_EVENTS || !errors().all(named) {
        return Vec::new();
    }
    let tests = errors().map(|event| FailingTest {
        test: event.test.clone(),
        file: event.file.clone(),
    });
    tests.collect()
}

/// A command that failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) command: String,
    pub(crate) test: bool,
    pub(crate) events: Vec<ErrorEvent>,
    /// Branch it failed on; empty when that is not known.
    pub(crate) branch: String,
    /// The test runs behind the command, where it is the name of a script.
    pub(crate) ran: String,
    /// Other branches on which its check passed since.
    pub(crate) passed_on: Vec<String>,
    /// The tests that failed and have not passed since; empty when not all of them are known.
    pub(crate) failing: Vec<FailingTest>,
}

/// Returns true if a command only fetches what the code needs.
fn installs(command: &str) -> bool {
    const TOOLS: &[&str] = &[
        "pip", "pip3", "npm", "pnpm", "yarn", "bun", "cargo", "gem", "bundle", "poetry", "uv",
        "apt", "apt-get", "brew", "composer", "conda",
    ];
    let mut words = command.split_whitespace();
    TOOLS.contains(&command_word(command).as_str())
        && words.any(|word| matches!(word, "install" | "add" | "ci" | "i" | "sync"))
}

impl Failure {
    /// A command that failed with these errors.
    pub(crate) fn new(command: &str, test: bool, events: &[ErrorEvent]) -> Self {
        Self {
            command: command.to_owned(),
            test,
            events: events.to_vec(),
            branch: String::new(),
            ran: String::new(),
            passed_on: Vec::new(),
            failing: failing_tests(events),
        }
    }

    /// Returns true if a pass settles it: on the same branch, of the whole check or of the last of the tests that
    /// failed.
    pub(super) fn is_settled_by(&mut self, pass: &Pass) -> bool {
        let same_branch = covers(&pass.branch, &self.branch);
        let ran = || !self.ran.is_empty() && same_check(&pass.command, &self.ran);
        if same_check(&pass.command, &self.command) || ran() {
            if !same_branch && !self.passed_on.contains(&pass.branch) {
                self.passed_on.push(pass.branch.clone());
            }
            return same_branch;
        }
        if !same_branch || self.failing.is_empty() {
            return false;
        }
        let passed = Passed::new(std::slice::from_ref(pass));
        let (command, ran) = (&self.command, &self.ran);
        self.failing.retain(|test| {
            passed.prove_one(command, test).is_empty() && passed.prove_one(ran, test).is_empty()
        });
        self.failing.is_empty()
    }

    /// A test, build, lint or type check that ran: its failure decides about the execution.
    pub(crate) fn is_check(&self) -> bool {
        if !has_begun(&self.events) || installs(&self.command) {
            return false;
        }
        self.test
            || self
                .events
                .iter()
                .any(|e| matches!(e.phase.as_str(), "test" | "build" | "typecheck" | "lint"))
    }

    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let what = self
            .events
            .first()
            .map_or_else(|| "failed".to_owned(), ErrorEvent::render);
        format!(
            "`{}`: {}",
            clean(&self.command, MAX_LINE_COMMAND),
            clean(&what, 160)
        )
    }
}
