use super::*;

fn seen(text: &str) -> (String, u64, u64, u64) {
    let tests = read(crate::prefilter::scan(text).totals).unwrap_or_default();
    (tests.runner, tests.passed, tests.failed, tests.skipped)
}

#[test]
fn totals_of_the_runners() {
    for (text, runner, passed, failed, skipped) in [
        (
            "=== 2 failed, 3 passed, 1 skipped, 1 error in 0.5s ===",
            "pytest",
            3,
            3,
            1,
        ),
        (
            "test result: ok. 3 passed; 0 failed; 1 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored",
            "cargo",
            4,
            2,
            1,
        ),
        (
            "     Summary [   0.010s] 3 tests run: 2 passed, 1 failed, 0 skipped",
            "nextest",
            2,
            1,
            0,
        ),
        (
            "Ran 5 tests in 0.001s\n\nFAILED (failures=2, errors=1, skipped=1)",
            "unittest",
            1,
            3,
            1,
        ),
        ("Ran 2 tests in 0.001s\n\nOK", "unittest", 2, 0, 0),
        (
            "Tests:       2 failed, 1 skipped, 1 passed, 4 total",
            "jest",
            1,
            2,
            1,
        ),
        (
            "      Tests  2 failed | 3 passed | 1 skipped (6)",
            "vitest",
            3,
            2,
            1,
        ),
        (
            "  2 passing (5ms)\n  1 pending\n  3 failing",
            "mocha",
            2,
            3,
            1,
        ),
        (
            "# tests 4\n# pass 1\n# fail 2\n# skipped 1",
            "node:test",
            1,
            2,
            1,
        ),
        (
            "Tests run: 3, Failures: 1, Errors: 1, Skipped: 0",
            "surefire",
            1,
            2,
            0,
        ),
        (
            "14 tests completed, 2 failed, 1 skipped",
            "gradle",
            11,
            2,
            1,
        ),
        (
            "Failed!  - Failed:     1, Passed:     7, Skipped:     2, Total:    10",
            "dotnet",
            7,
            1,
            2,
        ),
        (
            "50% tests passed, 1 tests failed out of 2",
            "ctest",
            1,
            1,
            0,
        ),
        (
            "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
            "gtest",
            2,
            1,
            0,
        ),
        ("7 examples, 6 failures, 1 pending", "rspec", 0, 6, 1),
        (
            "5 runs, 3 assertions, 3 failures, 1 errors, 1 skips",
            "minitest",
            0,
            4,
            1,
        ),
        (
            "Tests: 7, Assertions: 4, Errors: 1, Failures: 3, Skipped: 1.",
            "phpunit",
            2,
            4,
            1,
        ),
        ("OK (12 tests, 34 assertions)", "phpunit", 12, 0, 0),
        ("3 tests, 1 failure", "exunit", 2, 1, 0),
        ("FAILED | 1 passed | 2 failed (14ms)", "deno", 1, 2, 0),
        (" 1 pass\n 2 fail", "bun", 1, 2, 0),
        (
            "--- FAIL: TestA (0.00s)\n--- PASS: TestB (0.00s)",
            "go",
            1,
            1,
            0,
        ),
        ("compiled 3 files", "", 0, 0, 0),
    ] {
        assert_eq!(
            seen(text),
            (runner.to_owned(), passed, failed, skipped),
            "{text}"
        );
    }
}

#[test]
fn names_of_failed_tests() {
    let text = "FAILED a.py::test_x - boom\ntest m::t ... FAILED\n--- FAIL: TestZ (0.00s)\n1 failed in 0.1s";
    assert_eq!(
        read(crate::prefilter::scan(text).totals)
            .unwrap_or_default()
            .failed_tests,
        ["a.py::test_x", "m::t", "TestZ"]
    );
}
