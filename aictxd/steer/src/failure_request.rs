//! Requests about failures in general: "fix the failing tests".

use std::sync::LazyLock;

use aictx_proto::words;

/// Words of any failure, which say nothing of one.
pub const FAILURE_WORDS: [&str; 8] = [
    "fail", "failed", "failure", "error", "fix", "bug", "test", "tests",
];
/// Words of requests that say what is to become of tests that fail, and not what those are.
const OF_TESTS: [&str; 11] = [
    "pass", "green", "red", "run", "check", "broken", "break", "solve", "resolve", "repair",
    "debug",
];
/// And such that say nothing of it.
const BESIDE: [&str; 14] = [
    "make",
    "get",
    "again",
    "all",
    "open",
    "remaining",
    "suite",
    "ci",
    "unit",
    "problem",
    "issue",
    "work",
    "still",
    "crash",
];

/// Their stems: of tests, of failing, of what is to become of tests, and of what says nothing.
static STEMS: LazyLock<[Vec<String>; 4]> = LazyLock::new(|| {
    let lists: [&[&'static str]; 4] = [&["test"], &FAILURE_WORDS, &OF_TESTS, &BESIDE];
    lists.map(|words| words.iter().map(|word| words::stem(word)).collect())
});

/// Returns true if a request is about what fails, whatever that is: "fix the failing tests".
pub fn asks_what_fails(request: &str) -> bool {
    let [test, common, of_test, beside] = &*STEMS;
    let (mut tests, mut of_tests, mut fails, mut else_too) = (false, false, false, false);
    words::terms(request.as_bytes(), |term| {
        let is = |stems: &[String]| stems.iter().any(|stem| stem == term);
        // Ordinary words say nothing either way.
        let telling =
            !term.is_ascii() || (words::is_long_enough(term) && words::weight(term) > 0.5);
        match () {
            () if is(test) => tests = true,
            () if is(common) => fails = true,
            () if is(of_test) => of_tests = true,
            () => else_too |= telling && !is(beside),
        }
    });
    (fails || (tests && of_tests)) && !else_too
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_what_fails_is_told_from_who_asks_for_something() {
        for request in [
            "fix the failing test",
            "Fix all failing tests",
            "make the tests pass again",
            "fix it, the bug is still open",
            "get CI green: fix the tests",
        ] {
            assert!(asks_what_fails(request), "{request}");
        }
        for request in [
            "fix the failing login test",
            "write tests",
            "add tests",
            "fix the parser",
            "make it green",
            "translate the guide",
            "",
        ] {
            assert!(!asks_what_fails(request), "{request}");
        }
    }
}
