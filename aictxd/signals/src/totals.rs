//! What a test runner or build tool says about the whole run.

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
    let (counts, time) = text.rsplit_once(" in ")?;
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
    if text == "OK" || text.starts_with("OK (skipped=") {
        return Some(true);
    }
    if text.starts_with("FAILED (failures=") || text.starts_with("FAILED (errors=") {
        return Some(false);
    }
    if let Some(counts) = text.strip_prefix("Tests:") {
        return Some(!counts.contains(" failed"));
    }
    if text.starts_with("ok  \t") {
        return Some(true);
    }
    if text == "FAIL" || text.starts_with("FAIL\t") {
        return Some(false);
    }
    (text.starts_with("make: *** ") || text.starts_with("gmake: *** ")).then_some(false)
}
