//! Failure memory, by examples.

use super::*;
use crate::lru_cache::Pass;
use std::sync::LazyLock;

static NOWHERE: LazyLock<Checkout> = LazyLock::new(Checkout::default);

fn context<'a>(execution_id: &'a str, failed: bool) -> Context<'a> {
    Context {
        execution_id,
        task_type: "bug_fixing",
        area_id: "src",
        summary: "tried something",
        session: 1,
        now: Timestamp::from_unix(0),
        checkout: &NOWHERE,
        claimed: &[],
        says_tested: false,
        failed,
        reported: &[],
    }
}

fn failing(command: &str, fingerprint: &str) -> Observation {
    let event = ErrorEvent {
        fingerprint: fingerprint.into(),
        message: "boom".into(),
        ..ErrorEvent::default()
    };
    Observation {
        open_failures: vec![Failure::new(command, true, &[event])],
        commands: vec![command.into()],
        ..Observation::default()
    }
}

fn passing(command: &str) -> Observation {
    passing_on(command, "")
}

fn passing_on(command: &str, branch: &str) -> Observation {
    let mut seen = Observation::default();
    seen.pass(Pass {
        command: command.into(),
        branch: branch.into(),
    });
    seen
}

#[test]
fn what_was_only_reported_is_resolved_by_a_report_with_tests_that_is_about_it() {
    let reported = ["AssertionError: 1 != 2".to_owned()];
    let failed = Context {
        reported: &reported,
        ..context("e1", true)
    };
    let edited = |file: &str| Observation {
        files_edited: vec![file.to_owned()],
        ..Observation::default()
    };
    let open = apply(&[], &edited("src/a.py"), &failed).patterns.unwrap();
    let tested = Context {
        says_tested: true,
        ..context("e2", false)
    };
    let resolved = |patterns: &[Arc<FailurePattern>], file: &str, context: &Context| {
        apply(patterns, &edited(file), context).resolved.len()
    };
    assert_eq!(resolved(&open, "src/a.py", &tested), 1);
    assert_eq!(
        resolved(&open, "src/a.py", &context("e2", false)),
        0,
        "no tests"
    );
    assert_eq!(resolved(&open, "docs/b.md", &tested), 0, "something else");
    let seen = apply(&[], &failing("pytest -q", "f1"), &context("e1", true));
    let seen = seen.patterns.unwrap();
    assert_eq!(resolved(&seen, "src/a.py", &tested), 0, "seen to fail");
}

#[test]
fn life_cycle_new_repeated_resolved_reopened() {
    let mut patterns = Vec::new();
    for i in 0..4 {
        let id = format!("e{i}");
        patterns = apply(&patterns, &failing("pytest -q", "f1"), &context(&id, true))
            .patterns
            .unwrap();
    }
    assert_eq!(
        (patterns.len(), patterns[0].occurrences),
        (1, 4),
        "W37: one row, counted"
    );
    let unrelated = apply(&patterns, &passing("npm test"), &context("e5", false));
    assert!(
        unrelated.patterns.is_none(),
        "W14: an unrelated success resolves nothing"
    );
    let fixed = apply(&patterns, &passing("pytest -q"), &context("e6", false));
    assert_eq!(fixed.resolved, ["failure::f1"]);
    let patterns = fixed.patterns.unwrap();
    assert_eq!(
        (
            patterns[0].status.as_str(),
            patterns[0].resolution_evidence.as_str()
        ),
        ("resolved", "command")
    );
    let again = apply(&patterns, &failing("pytest -q", "f1"), &context("e7", true))
        .patterns
        .unwrap();
    assert_eq!(
        (
            again[0].status.as_str(),
            again[0].occurrences,
            again[0].reopened
        ),
        ("open", 5, 1)
    );
}

/// What is told as the fix of a failure in `tests/test_price.py` when `pytest` passes after edits.
fn told_as_fix(edited: &[&str], pass: &str, summary: &str) -> String {
    let event = ErrorEvent {
        fingerprint: "f1".into(),
        phase: "test".into(),
        message: "assert 2.67 == 2.68".into(),
        test: "tests/test_price.py::test_rounds_half_up".into(),
        file: "tests/test_price.py".into(),
        ..ErrorEvent::default()
    };
    let seen = Observation {
        open_failures: vec![Failure::new("pytest tests", true, &[event])],
        files_opened: vec!["src/price.py".into()],
        ..Observation::default()
    };
    let patterns = apply(&[], &seen, &context("e1", true)).patterns.unwrap();
    let mut later = passing(pass);
    later.files_edited = edited.iter().map(|file| (*file).to_owned()).collect();
    let mut at = context("e2", false);
    at.summary = summary;
    let change = apply(&patterns, &later, &at);
    assert_eq!(change.resolved, ["failure::f1"], "a pass resolves it");
    change.patterns.unwrap()[0].resolution_summary.clone()
}

#[test]
fn only_work_on_a_failure_is_told_as_what_fixed_it() {
    for (edited, pass) in [
        (vec!["src/price.py"], "pytest"),
        (vec!["tests/test_price.py"], "pytest"),
        (vec!["src/rounding.py"], "pytest tests"),
        (vec!["src/rounding.py"], "pytest tests/test_price.py"),
    ] {
        assert_eq!(
            told_as_fix(&edited, pass, "done"),
            "done",
            "{edited:?} {pass}"
        );
    }
    for (edited, pass) in [
        (vec!["README.md"], "pytest tests"),
        (vec!["src/mail.py"], "pytest"),
        (vec![], "pytest tests"),
    ] {
        assert_eq!(told_as_fix(&edited, pass, "done"), "", "{edited:?} {pass}");
    }
    let said = "Installed a decimal library that rounds half up.";
    assert_eq!(told_as_fix(&[], "pytest", said), said);
}

fn checkout(branch: &str, joined: &[&str]) -> Checkout {
    Checkout {
        branch: branch.into(),
        joined: joined.iter().map(|name| (*name).to_owned()).collect(),
        ..Checkout::default()
    }
}

/// What became of a failure of `pytest` on the branch `feature` when something passed on a branch.
fn after(pass: &str, branch: &str, joined: &[&str]) -> String {
    let mut seen = failing("pytest", "f1");
    seen.open_failures[0].branch = "feature".into();
    let patterns = apply(&[], &seen, &context("e1", true)).patterns.unwrap();
    let here = checkout(branch, joined);
    let mut at = context("e2", false);
    at.checkout = &here;
    let change = apply(&patterns, &passing_on(pass, branch), &at);
    let patterns = change.patterns.unwrap_or(patterns);
    patterns[0].status.clone()
}

#[test]
fn a_pass_on_another_branch_resolves_nothing_unless_it_has_the_work_of_that_one() {
    assert_eq!(after("pytest", "feature", &[]), "resolved");
    assert_eq!(after("pytest", "main", &[]), "open");
    assert_eq!(after("pytest", "main", &["other"]), "open");
    assert_eq!(after("pytest", "main", &["feature"]), "resolved");
    assert_eq!(after("pytest", "", &[]), "resolved", "no branch is known");
}

#[test]
fn what_fails_on_two_branches_is_open_until_it_passed_on_both() {
    let mut patterns = Vec::new();
    for branch in ["feature", "main"] {
        let mut seen = failing("pytest", "f1");
        seen.open_failures[0].branch = branch.into();
        let change = apply(&patterns, &seen, &context(branch, true));
        patterns = change.patterns.unwrap();
    }
    assert_eq!(patterns[0].branches, ["main", "feature"]);
    let here = checkout("main", &[]);
    let mut at = context("e3", false);
    at.checkout = &here;
    let change = apply(&patterns, &passing_on("pytest", "main"), &at);
    assert!(change.resolved.is_empty());
    let patterns = change.patterns.unwrap();
    assert_eq!(patterns[0].branches, ["feature"]);
    let change = apply(&patterns, &passing_on("pytest", "feature"), &at);
    assert_eq!(change.resolved, ["failure::f1"]);
}

#[test]
fn tests_that_pass_one_by_one_resolve_their_run_in_the_end() {
    let event = |test: &str| ErrorEvent {
        fingerprint: test.into(),
        phase: "test".into(),
        test: format!("tests/a.py::{test}"),
        file: "tests/a.py".into(),
        ..ErrorEvent::default()
    };
    let mut seen = failing("pytest", "");
    seen.open_failures[0] = Failure::new("pytest", true, &[event("x"), event("y")]);
    let patterns = apply(&[], &seen, &context("e1", true)).patterns.unwrap();
    let one = apply(
        &patterns,
        &passing("pytest tests/a.py::x"),
        &context("e2", false),
    );
    assert!(one.resolved.is_empty());
    let patterns = one.patterns.unwrap();
    assert_eq!(patterns[0].failing.len(), 1);
    let same = passing("pytest tests/a.py::x");
    assert!(
        apply(&patterns, &same, &context("e3", false))
            .patterns
            .is_none()
    );
    let other = apply(
        &patterns,
        &passing("pytest tests/a.py::y"),
        &context("e4", false),
    );
    let patterns = other.patterns.unwrap();
    assert_eq!(
        (
            patterns[0].status.as_str(),
            patterns[0].resolution_evidence.as_str()
        ),
        ("resolved", "test")
    );
    // An error that is no test's: nobody knows what a part of the run proves.
    let mut broken = event("z");
    broken.phase = "build".into();
    let failure = Failure::new("pytest", true, &[event("x"), broken]);
    assert!(failure.failing.is_empty());
}

#[test]
fn reported_failures_without_observation_are_kept_and_reported_ones_only_on_failure() {
    let reported = ["AssertionError: expected 3".to_owned()];
    let mut told = context("e", true);
    told.reported = &reported;
    let change = apply(&[], &Observation::default(), &told);
    assert_eq!(change.patterns.unwrap()[0].symptoms.len(), 1);
    // What ran last is not what failed.
    let change = apply(&[], &passing("pytest -q"), &told);
    let pattern = &change.patterns.unwrap()[0];
    assert_eq!(
        (pattern.failed_command.as_str(), pattern.phases[0].as_str()),
        ("", "runtime")
    );
    assert!(
        apply(&[], &Observation::default(), &context("e", false))
            .patterns
            .is_none()
    );
}

#[test]
fn the_oldest_resolved_pattern_makes_room() {
    let patterns = aictx_proto::snapshot::shared((0..MAX_ROWS).map(|i| FailurePattern {
        signature: format!("s{i}"),
        status: if i == 7 { "resolved" } else { "open" }.into(),
        occurrences: 2,
        ..FailurePattern::default()
    }));
    let change = apply(&patterns, &failing("x", "new"), &context("e", true));
    assert_eq!(change.evicted[0].signature, "s7");
    assert_eq!(change.patterns.unwrap().len(), MAX_PATTERNS);
    // A file with too many is left alone by an execution that changes none of them.
    let many = [patterns.to_vec(), patterns.to_vec()].concat();
    let change = apply(&many, &Observation::default(), &context("e", false));
    assert!(change.patterns.is_none() && change.evicted.is_empty());
}
