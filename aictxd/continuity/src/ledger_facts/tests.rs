//! Observations, by examples.

use super::*;
use crate::lru_cache::is_test_command;

fn at(seconds: i64, kind: LedgerKind) -> LedgerRow {
    LedgerRow::observed(Timestamp::from_unix(seconds), kind)
}

fn command(text: &str, outcome: Outcome) -> LedgerRow {
    LedgerRow {
        command: text.into(),
        outcome,
        test: is_test_command(text),
        exit_status: Some(i32::from(outcome == Outcome::Failed)),
        ..at(0, LedgerKind::Command)
    }
}

#[test]
fn a_failure_is_open_until_its_own_check_passes() {
    let failed = command("pytest -q", Outcome::Failed);
    let other = command("cargo build", Outcome::Passed);
    let seen = Observation::of(&[failed.clone(), other]);
    assert_eq!(seen.open_failures.len(), 1);
    assert_eq!(seen.success(), Some(false));
    let seen = Observation::of(&[failed, command("pytest -q", Outcome::Passed)]);
    assert!(seen.open_failures.is_empty());
    assert_eq!(seen.success(), Some(true));
}

#[test]
fn what_a_pipe_shows_of_a_failure_is_no_answer_of_its_last_program() {
    let shown = |text: &str, exit_status| LedgerRow {
        errors: vec![ErrorEvent {
            phase: "build".into(),
            message: "could not compile".into(),
            ..ErrorEvent::default()
        }],
        exit_status,
        ..command(text, Outcome::Failed)
    };
    for (text, exit_status, failures) in [
        ("cargo build 2>&1 | tail -3", None, 1),
        ("make | grep error", None, 1),
        ("make | grep error", Some(1), 0),
        ("cat build.log | tail -3", None, 0),
        ("grep -rn parse src", Some(1), 0),
    ] {
        let seen = Observation::of(&[shown(text, exit_status)]);
        assert_eq!(seen.open_failures.len(), failures, "{text} {exit_status:?}");
    }
}

#[test]
fn a_check_that_passes_on_another_branch_settles_what_that_has_in_it() {
    let on = |branch: &str, outcome| LedgerRow {
        branch: branch.into(),
        ..command("pytest -q", outcome)
    };
    let rows = [on("feature", Outcome::Failed), on("main", Outcome::Passed)];
    let mut seen = Observation::of(&rows);
    let mut checkout = Checkout {
        branch: "main".into(),
        ..Checkout::default()
    };
    seen.settle(&checkout);
    assert_eq!(seen.success(), Some(false));
    checkout.joined.insert("feature".into());
    seen.settle(&checkout);
    assert_eq!(seen.success(), Some(true));
    let rows = [on("", Outcome::Failed), on("main", Outcome::Passed)];
    assert!(Observation::of(&rows).open_failures.is_empty());
}

#[test]
fn failed_tests_that_pass_by_themselves_settle_their_run() {
    let failed = LedgerRow {
        errors: vec![ErrorEvent {
            phase: "test".into(),
            test: "tests/a.py::test_x".into(),
            ..ErrorEvent::default()
        }],
        ..command("pytest tests/a.py", Outcome::Failed)
    };
    let one = command("pytest tests/a.py::test_x", Outcome::Passed);
    let other = command("pytest tests/a.py::test_y", Outcome::Passed);
    let open = |rows: &[LedgerRow]| Observation::of(rows).open_failures.len();
    assert_eq!(open(&[failed.clone(), one]), 0);
    assert_eq!(open(&[failed, other]), 1);
}

#[test]
fn a_check_that_never_began_decides_nothing() {
    let stray = LedgerRow {
        errors: aictx_signals::parse(
            "make test",
            Some(2),
            b"make: *** No rule to make target 'test'.  Stop.",
        )
        .events,
        ..command("make test", Outcome::Failed)
    };
    let passed = command("pytest -q", Outcome::Passed);
    let failed = command("pytest -q", Outcome::Failed);
    let success = |rows: &[LedgerRow]| Observation::of(rows).success();
    assert_eq!(success(&[passed, stray.clone()]), Some(true));
    assert_eq!(success(&[failed, stray.clone()]), Some(false));
    assert_eq!(success(&[stray]), Some(false), "nothing else was seen");
}

#[test]
fn a_check_that_was_called_wrongly_leaves_open_what_failed() {
    let failing = "pytest -q";
    let wrong = "pytest -q --tb=shrt";
    let errors = |command: &str, status: i32, text: &str| {
        aictx_signals::parse(command, Some(status), text.as_bytes()).events
    };
    let failed = LedgerRow {
        errors: errors(
            failing,
            1,
            "FAILED a.py::test_x - assert 0\n1 failed in 0.01s",
        ),
        ..command(failing, Outcome::Failed)
    };
    let slip = LedgerRow {
        errors: errors(
            wrong,
            4,
            "ERROR: usage: pytest [options]\npytest: error: argument --tb: invalid choice: 'shrt'",
        ),
        ..command(wrong, Outcome::Failed)
    };
    let seen = Observation::of(&[failed, slip.clone()]);
    let [open] = seen.open_failures.as_slice() else {
        panic!("{:?}", seen.open_failures);
    };
    assert_eq!(open.command, failing);
    let seen = Observation::of(&[command(failing, Outcome::Passed), slip]);
    assert_eq!(seen.success(), Some(true));
    assert!(!crate::handoff::describe(&seen).contains("still failing"));
}

#[test]
fn an_edit_after_the_test_makes_the_outcome_unknown() {
    let edit = LedgerRow {
        paths: vec!["a.py".into()],
        ..at(1, LedgerKind::Edit)
    };
    let seen = Observation::of(&[command("pytest -q", Outcome::Passed), edit]);
    assert_eq!(seen.success(), None);
}

#[test]
fn searches_that_find_nothing_are_no_failures() {
    let seen = Observation::of(&[
        command("grep -r foo .", Outcome::Failed),
        command("ls nosuch", Outcome::Failed),
    ]);
    assert!(seen.open_failures.is_empty());
}

#[test]
fn a_session_that_was_not_gone_after_all_goes_on() {
    let edit = LedgerRow {
        paths: vec!["a.py".into()],
        ..at(3, LedgerKind::Edit)
    };
    let mut rows = vec![
        at(0, LedgerKind::SessionStart),
        at(1, LedgerKind::Prompt),
        at(2, LedgerKind::Finalized),
        edit,
    ];
    assert_eq!(open_rows(&rows).len(), 1);
    assert!(!open_session(&rows).unwrap().ended);
    // What comes late after an end that was seen is no second execution.
    rows.insert(2, at(2, LedgerKind::SessionEnd));
    assert!(open_rows(&rows).is_empty() && open_session(&rows).is_none());
}

#[test]
fn what_follows_a_finalize_in_the_same_turn_belongs_to_it_unless_it_is_work() {
    let rows = [
        at(0, LedgerKind::SessionStart),
        at(1, LedgerKind::Prompt),
        LedgerRow {
            provenance: Provenance::Explicit,
            ..at(2, LedgerKind::Finalized)
        },
        command("aictx finalize", Outcome::Passed),
        at(3, LedgerKind::Stop),
        at(4, LedgerKind::SessionEnd),
    ];
    assert!(open_rows(&rows).is_empty());
    let mut again = rows.to_vec();
    again.push(LedgerRow {
        text: "more".into(),
        ..at(5, LedgerKind::Prompt)
    });
    again.push(at(6, LedgerKind::Stop));
    assert_eq!(open_rows(&again).len(), 2);

    let mut goes_on = rows[..4].to_vec();
    goes_on.push(command("cat a.py", Outcome::Passed));
    assert!(open_rows(&goes_on).is_empty());
    goes_on.push(at(5, LedgerKind::Edit));
    goes_on.push(command("pytest -q", Outcome::Failed));
    assert_eq!(open_rows(&goes_on).len(), 2);
    assert!(open_session(&goes_on).unwrap().has_work);
}

#[test]
fn a_session_without_a_start_is_named_by_any_row() {
    let finalized = LedgerRow {
        session_id: "a/b".into(),
        ..at(1, LedgerKind::Finalized)
    };
    let rows = [at(0, LedgerKind::Edit), finalized];
    assert_eq!(session_summary("a_b", &rows).session_id, "a/b");
    assert_eq!(session_summary("a_b", &rows[..1]).session_id, "a_b");
}

/// An edit of a file, as a row.
fn edit(path: &str) -> LedgerRow {
    LedgerRow {
        paths: vec![path.into()],
        ..at(1, LedgerKind::Edit)
    }
}

#[test]
fn only_what_tests_the_edited_code_validates_it() {
    let passed = |text: &str| command(text, Outcome::Passed);
    let seen = |rows: &[LedgerRow]| {
        let seen = Observation::of(rows);
        (seen.validated, seen.tested)
    };
    for (run, want) in [
        ("pytest -q", (true, true)),
        ("pytest tests/test_tax.py", (true, true)),
        ("pytest -k rounding", (true, true)),
        ("pytest tests/unit", (true, true)),
        ("make test", (true, true)),
        ("make; pytest", (true, true)),
        ("docker compose run --rm web pytest", (true, true)),
        ("pytest tests/test_cart.py::test_x", (false, true)),
        ("cargo test", (false, true)),
        ("cd other && pytest", (false, true)),
        ("pytest --collect-only", (false, false)),
        ("ruff check .", (false, false)),
    ] {
        assert_eq!(seen(&[edit("shop/tax.py"), passed(run)]), want, "{run}");
    }
    // Prose, and what lays code out anew, take nothing back; code does.
    let base = [edit("shop/tax.py"), passed("pytest -q")];
    let then = |row: LedgerRow| {
        let mut rows = base.to_vec();
        rows.push(row);
        seen(&rows).0
    };
    assert!(then(edit("README.md")) && then(edit("docs/a.md")) && then(edit("CHANGELOG.md")));
    assert!(!then(edit("shop/tax.py")) && !then(edit("requirements.txt")));
    let wrote = |text: &str| LedgerRow {
        paths: vec!["shop/tax.py".into()],
        ..command(text, Outcome::Passed)
    };
    assert!(then(wrote("black .")));
    assert!(!then(wrote("sed -i s/a/b/ shop/tax.py")));
    // Two files of one language, of which one was spoken of; and of two languages.
    let two = [
        edit("shop/tax.py"),
        edit("shop/util.py"),
        passed("pytest tests/test_tax.py"),
    ];
    assert!(seen(&two).0);
    let mixed = [edit("shop/tax.py"), edit("web/a.ts"), passed("pytest")];
    assert!(!seen(&mixed).0);
    // Where it ran counts, too.
    let below = LedgerRow {
        cwd: "other".into(),
        ..passed("pytest")
    };
    assert!(!seen(&[edit("shop/tax.py"), below.clone()]).0);
    let fresh = Observation::of(&[below]).since_edit;
    assert_eq!(fresh[0].lines, ["cd other && pytest"]);
}
