//! Totals that test runners and build tools print of a whole run.

use memchr::memmem;

/// Texts one of which stands in every line that sums up a run or names a failed test.
pub(crate) const NEEDLES: &[&str] = &[
    "passed",
    "failed",
    "Passed",
    "Failed",
    "[  PASSED  ]",
    "FAILED",
    "failure",
    "FAIL",
    "ERROR",
    "Ran ",
    "OK",
    "ok  \t",
    "ok | ",
    "no tests ran",
    "test result",
    "tests completed",
    "test completed",
    "could not compile",
    "Tests",
    "Test ",
    "tests, ",
    "test, ",
    "passing",
    "failing",
    "pending",
    " pass",
    " fail",
    " skip",
    "# ",
    "ℹ ",
    "*** ",
    "--- ",
    "BUILD ",
    "Build ",
    "npm e",
    "npm ERR",
    "Success: ",
    "All checks",
    "Found ",
    "✖ ",
    "examples, ",
    "example, ",
    " runs, ",
    "Executed ",
    "build stopped",
    "[no test",
];

/// Verdict of a line that sums up a run: true for passed.
pub(crate) fn verdict(line: &str) -> Option<bool> {
    let text = line.trim();
    pytest(text)
        .or_else(|| libtest(text))
        .or_else(|| others(text))
}

/// `== 1 failed, 2 passed in 0.5s ==`.
pub(crate) fn pytest(line: &str) -> Option<bool> {
    let text = line.trim().trim_matches('=').trim();
    if !text.starts_with(['+', 'n']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let at = memmem::rfind(text.as_bytes(), b" in ")?;
    let (counts, time) = (text.get(..at)?, text.get(at + 4..)?);
    if !time.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if counts == "no tests ran" {
        return Some(false);
    }
    let mut passed = None;
    for part in counts.split(", ") {
        let (number, word) = part.split_once(' ')?;
        number.parse::<u64>().ok()?;
        match word {
            "failed" | "error" | "errors" => passed = Some(false),
            "passed" | "skipped" | "xfailed" | "xpassed" => passed = passed.or(Some(true)),
            "warning" | "warnings" | "deselected" | "rerun" | "subtests passed" => {}
            _ => return None,
        }
    }
    passed
}

/// libtest, cargo and nextest.
fn libtest(text: &str) -> Option<bool> {
    if let Some(rest) = text.strip_prefix("test result: ") {
        return Some(rest.starts_with("ok"));
    }
    if text.starts_with("error: could not compile `") || text.starts_with("error: test run failed")
    {
        return Some(false);
    }
    if let Some(rest) = text.strip_prefix("Summary [") {
        let counts = rest.split_once(':')?.1;
        return Some(!counts.contains(" failed") && !counts.contains(" timed out"));
    }
    None
}

/// unittest, Jest and its kin, Go, make.
fn others(text: &str) -> Option<bool> {
    let unittest = |text: &str| {
        let told = [
            "skipped=",
            "expected failures=",
            "failures=",
            "errors=",
            "unexpected successes=",
        ];
        told.iter().any(|start| text.starts_with(start))
    };
    if text == "OK" || text.strip_prefix("OK (").is_some_and(unittest) {
        return Some(true);
    }
    if text.strip_prefix("FAILED (").is_some_and(unittest) {
        return Some(false);
    }
    if let Some(counts) = text
        .strip_prefix("Test Suites:")
        .or_else(|| text.strip_prefix("Tests:"))
        .or_else(|| text.strip_prefix("Test Files "))
        .or_else(|| text.strip_prefix("Tests "))
    {
        let counted = counts.contains(" total") || counts.contains(" (");
        return counted.then(|| !counts.contains(" failed"));
    }
    if text.starts_with("ok  \t") {
        return Some(true);
    }
    if text == "FAIL" || text.starts_with("FAIL\t") {
        return Some(false);
    }
    if text.starts_with("make: *** ") || text.starts_with("gmake: *** ") {
        return Some(false);
    }
    summed(text).or_else(|| checkers(text))
}

/// RSpec, Minitest, PHPUnit, Mocha, CTest, .NET and the builders of the JVM.
fn summed(text: &str) -> Option<bool> {
    const LINES: &[(&str, bool)] = &[
        ("BUILD SUCCESS", true),
        ("[INFO] BUILD SUCCESS", true),
        ("BUILD FAIL", false),
        ("[INFO] BUILD FAILURE", false),
        ("Build succeeded.", true),
        ("Build FAILED.", false),
        ("Passed!  - ", true),
        ("Failed!  - ", false),
        ("FAILURES!", false),
        ("ERRORS!", false),
        ("100% tests passed", true),
        ("ninja: build stopped", false),
        ("npm error ", false),
        ("npm ERR! ", false),
    ];
    // Most lines end at their first byte.
    let first = text.as_bytes().first();
    if let Some((_, verdict)) = LINES
        .iter()
        .find(|(start, _)| start.as_bytes().first() == first && text.starts_with(start))
    {
        return Some(*verdict);
    }
    if text.starts_with("OK (") && text.contains(" assertion") {
        return Some(true);
    }
    if memmem::find(text.as_bytes(), b" tests failed out of ").is_some() {
        return Some(false);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with(" examples, ")
        || rest.starts_with(" example, ")
        || rest.starts_with(" runs, ")
    {
        let clean = text.contains(", 0 failures") && !text.contains(" error occurred");
        let errors = text.contains(" errors,") && !text.contains(", 0 errors");
        return Some(clean && !errors);
    }
    (rest == " failing").then_some(false)
}

/// Returns true if such a line is one of a linter or type checker.
pub(crate) fn is_of_checker(line: &str) -> bool {
    checkers(line.trim()).is_some()
}

/// Linters and type checkers.
fn checkers(text: &str) -> Option<bool> {
    if text.starts_with("Success: no issues found") || text == "All checks passed!" {
        return Some(true);
    }
    if let Some(rest) = text.strip_prefix("Found ") {
        let (number, what) = rest.split_once(' ')?;
        let errors = what.starts_with("error") && number.bytes().all(|byte| byte.is_ascii_digit());
        return errors.then(|| number == "0");
    }
    if let Some(rest) = text.strip_prefix("✖ ") {
        // Warnings alone may be too many of them.
        return (rest.contains(" problem") && !rest.contains("(0 errors")).then_some(false);
    }
    None
}
