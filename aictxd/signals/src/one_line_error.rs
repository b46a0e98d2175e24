//! An error in one line, as somebody tells it: `tests/test_core.py:2: AssertionError`.

use aictx_proto::event::ErrorEvent;
use aictx_proto::text::clean;
use aictx_shell::language_of;

use crate::parsers::shape::{is_letter_code, location, paren_location, severity};
use crate::parsers::{Context, finish, split_class};

use crate::{Run, events};

/// Longest text that is read, in characters.
const MAX_READ: usize = 500;
/// The error that a text tells of, when it says where or what kind: what a tool prints is read as its output
/// would be, else a place and a code are looked for. None for a text that only tells ("the build is down").
/// `run` is what is known of where it was; its streams are not looked at.
pub fn told(text: &str, run: &Run) -> Option<ErrorEvent> {
    let text = clean(text, MAX_READ);
    let run = Run {
        exit_status: Some(run.exit_status.filter(|status| *status != 0).unwrap_or(1)),
        stdout: text.as_bytes(),
        stderr: b"",
        ..*run
    };
    let says = |event: &ErrorEvent| !event.file.is_empty() || !event.code.is_empty();
    let mut event = (events(&run).into_iter().find(says)).or_else(|| read(&text, &run))?;
    if run.command.is_empty() {
        // Nothing ran that could have had a status.
        event.exit_code = 0;
    }
    Some(event)
}

fn read(text: &str, run: &Run) -> Option<ErrorEvent> {
    let context = Context::new(run);
    let before = location(text).or_else(|| paren_location(text));
    let before = before.filter(|at| is_file(at.path));
    let behind = text.split_whitespace().rev().take(3).find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.' && c != '/');
        location(word).filter(|at| at.rest.is_empty() && is_file(at.path))
    });
    let said = before.as_ref().map_or(text, |at| at.rest);
    let (class, message) = class_of(said);
    let code = match class {
        "" => words_of(said)
            .find(|word| is_code(word))
            .unwrap_or_default(),
        class => class,
    };
    let at = before.or(behind);
    if at.is_none() && code.is_empty() {
        return None;
    }
    let file = at.as_ref().map(|at| context.place(at.path).file);
    let file = file.unwrap_or_default();
    let is_test = code == "AssertionError" || holds_tests(&file);
    let phase = if is_test { "test" } else { "runtime" };
    let mut event = context.event(toolchain(&file), phase, message);
    code.clone_into(&mut event.code);
    event.file = file;
    if let Some(at) = at {
        at.line.clone_into(&mut event.line);
    }
    Some(finish(&context, event))
}

/// The class or code that a text begins with, behind its severity, and what it says.
fn class_of(text: &str) -> (&str, &str) {
    let (class, message) = split_class(text);
    // "Error: …" says no more than that it is one.
    if !class.is_empty() && !matches!(class, "Error" | "Warning" | "Exception") {
        return (class, message);
    }
    let behind = severity(text).map_or(text, |(_, rest)| rest.trim_start_matches([':', ' ']));
    match split_class(behind) {
        ("", _) => ("", behind),
        (class, message) => (class, message),
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}

/// Codes of compilers and linters: `E0425`, `TS2322`, `CS0103`.
fn is_code(word: &str) -> bool {
    word.len() >= 4 && is_letter_code(word)
}

/// Returns true if a text names a file rather than a host or a time: `a.py`, `src/Makefile`.
fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
    path.contains('/') || extension.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The toolchain of a file's language, by its name.
fn toolchain(file: &str) -> &'static str {
    match language_of(file) {
        "" => "unknown",
        "c" => "c_cpp",
        "jvm" => "java",
        language => language,
    }
}

/// Returns true if a file holds tests, by where it lies and what it is called.
fn holds_tests(file: &str) -> bool {
    let is_test = |part: &str| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__");
    let name = file.rsplit('/').next().unwrap_or_default();
    file.split('/').any(is_test) || name.split(['.', '_', '-']).any(is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let run = Run {
            command: "",
            exit_status: None,
            stdout: b"",
            stderr: b"",
            root: "/r",
            cwd: "/r",
        };
        let event = told(text, &run)?;
        assert!(!event.fingerprint.is_empty() && event.exit_code == 0);
        let (file, line) = (&event.file, &event.line);
        let kind = format!("{} {} {}", event.toolchain, event.phase, event.code);
        Some(format!("{kind} {file}:{line} {}", event.message))
    }

    #[test]
    fn f7_what_is_told_in_one_line_is_read() {
        for (text, wanted) in [
            (
                "tests/test_core.py:2: AssertionError",
                "python test AssertionError tests/test_core.py:2 AssertionError",
            ),
            (
                "/r/src/app.py:10: KeyError: 'x'",
                "python runtime KeyError src/app.py:10 'x'",
            ),
            (
                "TypeError: Cannot read properties of undefined (reading 'x') at src/a.js:12:3",
                "javascript runtime TypeError src/a.js:12 Cannot read properties of undefined (reading 'x') at src/a.js:12:3",
            ),
            (
                "ZeroDivisionError: division by zero",
                "unknown runtime ZeroDivisionError : division by zero",
            ),
            (
                "src/main.rs:10:5: error: mismatched types",
                "rust runtime  src/main.rs:10 mismatched types",
            ),
            (
                "lint failed: E501 line too long (src/a.py:10)",
                "python runtime E501 src/a.py:10 lint failed: E501 line too long (src/a.py:10)",
            ),
            (
                "src/app.ts(12,5): error TS2322: Type 'string' is not assignable.",
                "typescript typecheck TS2322 src/app.ts:12 Type 'string' is not assignable.",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "",
            "the build server is down",
            "could not reach localhost:8080",
            "it stopped at 12:30",
            "Error: nothing works",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
