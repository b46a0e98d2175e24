use super::*;

fn told(command: &str, exit: Option<i32>, output: &str) -> Outcome {
    outcome(&Run {
        command,
        exit_status: exit,
        stdout: output.as_bytes(),
        stderr: b"",
        root: "/r",
        cwd: "/r",
    })
}

const PYTEST: &str =
    "FAILED tests/test_a.py::test_x - assert 0 == 4\n1 failed, 2 passed in 0.01s\n";

#[test]
fn what_says_that_tests_failed_has_failed_whatever_it_ended_with() {
    for (command, output) in [
        ("make test", PYTEST),
        (
            "make test",
            "make: [Makefile:2: test] Error 1 (ignored)\nTests:       1 failed, 2 passed, 3 total\n",
        ),
        ("make -i test", PYTEST),
        (
            "npm test",
            "Test Suites: 1 failed, 1 total\nTests:       0 total\n",
        ),
        (
            "just test",
            "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/a\t0.01s\nok  \texample.com/b\t0.01s\n",
        ),
        (
            "mvn -Dmaven.test.failure.ignore=true test",
            "[WARNING] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n",
        ),
        ("rake spec", "3 examples, 1 failure\n"),
        (
            "composer test",
            "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n",
        ),
        (
            "./run_tests.sh",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 3 passed; 0 failed; 0 ignored\n",
        ),
        (
            "pytest a; pytest b",
            "1 failed in 0.01s\n3 passed in 0.01s\n",
        ),
        ("pytest -q; true", PYTEST),
        ("pytest -q || true", PYTEST),
        ("pytest -q | tee log", PYTEST),
        (
            "make test",
            "Ran 3 tests in 0.001s\n\nFAILED (failures=1, expected failures=1)\n",
        ),
        ("make test", "# tests 2\n# pass 1\n# fail 1\n"),
        ("make test", "3 tests, 1 failure\n"),
    ] {
        for exit in [Some(0), None] {
            assert_eq!(
                told(command, exit, output),
                Outcome::Failed,
                "{command} {exit:?}: {output}"
            );
        }
    }
    let run = Run {
        command: "make test",
        exit_status: Some(0),
        stdout: PYTEST.as_bytes(),
        stderr: b"",
        root: "/r",
        cwd: "/r",
    };
    let (outcome, events) = judged(&run);
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(
        events.first().map(|event| event.phase.as_str()),
        Some("test"),
        "{events:?}"
    );
}

#[test]
fn expected_repeated_and_foreign_failures_are_none() {
    for (command, output) in [
        ("make test", "1 passed, 1 xfailed in 0.01s\n"),
        ("make test", "2 passed, 1 rerun in 0.01s\n"),
        (
            "make test",
            "Ran 3 tests in 0.001s\n\nOK (expected failures=1)\n",
        ),
        (
            "make test",
            "Ran 3 tests in 0.001s\n\nOK (skipped=1, expected failures=2)\n",
        ),
        ("npx playwright test", "  1 flaky\n  3 passed (2.0s)\n"),
        (
            "cargo nextest run",
            "  TRY 1 FAIL [   0.003s] demo tests::x\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n     Summary [   0.010s] 3 tests run: 3 passed (1 flaky), 0 skipped\n",
        ),
        (
            "make test",
            "gotestsum\n--- FAIL: TestX (0.00s)\nDONE 2 runs, 4 tests, 1 failure in 1.0s\n",
        ),
        // A test that prints what another runner says.
        (
            "cargo test -- --nocapture",
            "1 failed in 0.01s\ntest result: ok. 3 passed; 0 failed; 0 ignored\n",
        ),
        // What only shows a log is no test run.
        ("cat test.log", PYTEST),
        ("grep FAILED test.log", PYTEST),
        (
            "make test",
            "Tests:       3 passed, 3 total\n2 failed attempts to connect\n",
        ),
    ] {
        assert_eq!(
            told(command, Some(0), output),
            Outcome::Passed,
            "{command}: {output}"
        );
    }
}

#[test]
fn what_ran_nothing_and_what_is_turned_round_says_nothing() {
    for (command, exit, output) in [
        ("make test", 0, "make: 'test' is up to date.\n"),
        (
            "make -C sub check",
            0,
            "make: Entering directory '/r/sub'\nmake: Nothing to be done for 'check'.\nmake: Leaving directory '/r/sub'\n",
        ),
        ("gmake test", 0, "gmake[1]: `test' is up to date.\n"),
        ("ninja test", 0, "ninja: no work to do.\n"),
        ("npm test --if-present", 0, ""),
        ("npm run test --if-present", 0, "\n"),
        (
            "go test -run XXX ./...",
            0,
            "ok  \texample.com/a\t0.01s [no tests to run]\n?   \texample.com/b\t[no test files]\n",
        ),
        ("go test ./...", 0, "?   \texample.com/b\t[no test files]\n"),
        ("! pytest -q", 0, PYTEST),
        ("! pytest -q", 1, "3 passed in 0.01s\n"),
        ("cd api && ! python -m pytest -q 2>&1 | tail -3", 0, PYTEST),
        ("make -i test", 0, "ok\n"),
        ("pytest -q | grep -c x", 0, "0\n"),
    ] {
        assert_eq!(
            told(command, Some(exit), output),
            Outcome::Unknown,
            "{command}: {output}"
        );
    }
    for (command, output) in [
        (
            "make test",
            "cc -o a a.c\nmake[1]: Nothing to be done for 'all'.\n./a\nall fine\n",
        ),
        ("npm test --if-present", "> demo@1.0.0 test\n> node a.js\n"),
        (
            "go test ./...",
            "ok  \texample.com/a\t0.01s\nok  \texample.com/b\t0.01s [no tests to run]\n",
        ),
        (
            "go test ./...",
            "ok  \texample.com/a\t(cached)\n?   \texample.com/b\t[no test files]\n",
        ),
        ("pytest -q -k '!x'", "3 passed in 0.01s\n"),
        ("pytest -q", ""),
        ("make -C api test", ""),
    ] {
        assert_eq!(
            told(command, Some(0), output),
            Outcome::Passed,
            "{command}: {output}"
        );
    }
    assert_eq!(
        told("if ! pytest -q; then echo no; fi", Some(0), PYTEST),
        Outcome::Failed
    );
    assert_eq!(
        judged(&Run {
            command: "! pytest",
            exit_status: Some(1),
            stdout: b"3 passed in 0.01s",
            stderr: b"",
            root: "",
            cwd: ""
        })
        .1,
        []
    );
}

#[test]
fn what_shows_neither_its_status_nor_its_output_is_unknown() {
    for (command, output) in [
        ("pytest >/dev/null 2>&1; true", ""),
        ("pytest | tail -0 || true", ""),
        ("pytest -q >/dev/null 2>&1 || echo done", "done\n"),
        ("(pytest -q || true) > log.txt 2>&1", ""),
        ("sh -c 'make test >/dev/null 2>&1; true'", ""),
        ("echo $(npm test)", "\n"),
        (
            "pytest >/dev/null 2>&1; ruff check .",
            "All checks passed!\n",
        ),
        (
            "npm test >/dev/null 2>&1; mypy .",
            "Success: no issues found in 3 files\n",
        ),
    ] {
        for exit in [Some(0), None] {
            assert_eq!(
                told(command, exit, output),
                Outcome::Unknown,
                "{command} {exit:?}"
            );
        }
    }
    for (command, output) in [
        ("pytest -q | tail -1", "3 passed in 0.01s\n"),
        ("bash -c 'pytest -q; true'", "3 passed in 0.01s\n"),
        ("python -m unittest 2>&1 | tail -1", "OK\n"),
        ("mvn test | grep BUILD", "[INFO] BUILD SUCCESS\n"),
        ("ruff check . | tail -1", "All checks passed!\n"),
    ] {
        for exit in [Some(0), None] {
            assert_eq!(
                told(command, exit, output),
                Outcome::Passed,
                "{command} {exit:?}"
            );
        }
    }
    assert_eq!(
        told("pytest -q >/dev/null 2>&1", Some(0), ""),
        Outcome::Passed
    );
    assert_eq!(told("bash -lc 'pytest -q'", Some(0), ""), Outcome::Passed);
    for line in [
        "make; pytest -q",
        "(cd a; pytest -q)",
        "bash -lc 'cd a; pytest -q'",
        "npm ci || npm install; npm test",
        "set -o pipefail; pytest | tail",
    ] {
        assert_eq!(told(line, Some(0), ""), Outcome::Passed, "{line}");
        assert_eq!(told(line, Some(0), PYTEST), Outcome::Failed, "{line}");
    }
}

#[test]
fn who_watches_is_stopped_and_has_passed_all_the_same() {
    let vitest = " Test Files  1 passed (1)\n      Tests  3 passed (3)\n\n PASS  Waiting for file changes...\n       press h to show help, press q to quit\n";
    let jest =
        "Tests:       3 passed, 3 total\n\nWatch Usage\n › Press f to run only failed tests.\n";
    let failing = " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n\n FAIL  Waiting for file changes...\n";
    for status in [124, 130, 143] {
        let told = |command: &str, output: &str| told(command, Some(status), output);
        assert_eq!(told("timeout 30 npx vitest", vitest), Outcome::Passed);
        assert_eq!(told("npx jest --watchAll", jest), Outcome::Passed);
        assert_eq!(told("timeout 30 npx vitest", failing), Outcome::Failed);
        assert_eq!(
            told("timeout 30 pytest", "3 passed in 0.01s\n"),
            Outcome::Failed
        );
    }
}

#[test]
fn a_pipe_that_left_only_totals_is_told_with_them_and_known_by_its_command() {
    let of = |command: &str, output: &str| {
        let (outcome, events) = judged(&Run {
            command,
            exit_status: None,
            stdout: output.as_bytes(),
            stderr: b"",
            root: "/r",
            cwd: "/r",
        });
        assert_eq!((outcome, events.len()), (Outcome::Failed, 1), "{command}");
        events.into_iter().next().unwrap_or_default()
    };
    for (command, output, message, phase) in [
        (
            "pytest -q | tail -1",
            "1 failed, 3 passed in 0.02s",
            "1 failed, 3 passed",
            "test",
        ),
        (
            "python -m unittest 2>&1 | tail -1",
            "FAILED (failures=1)",
            "FAILED (failures=1)",
            "test",
        ),
        (
            "npx jest 2>&1 | tail -2",
            "Tests:       1 failed, 3 passed, 4 total\nTime:        0.5 s",
            "1 failed, 3 passed",
            "test",
        ),
        (
            "rspec | tail -1",
            "3 examples, 1 failure",
            "3 examples, 1 failure",
            "test",
        ),
        (
            "ruff check . | tail -1",
            "Found 3 errors.",
            "Found 3 errors.",
            "runtime",
        ),
    ] {
        let event = of(command, output);
        assert!(
            event.message.contains(message),
            "{command}: {}",
            event.message
        );
        assert_eq!(event.phase, phase, "{command}");
    }
    let of = |command: &str, totals: &str| of(command, totals).fingerprint;
    let a = of("pytest tests/a.py | tail -1", "1 failed in 0.02s");
    assert_eq!(a, of("pytest tests/a.py | tail -1", "2 failed in 0.04s"));
    assert_ne!(a, of("pytest tests/b.py | tail -1", "1 failed in 0.02s"));
}
