//! flake8 and pycodestyle, whose lines look like ruff's concise ones.
//!
//! Yields `path:line:column: CODE text` when the command runs flake8, or when the wording is
//! flake8's: its messages start in lower case, ruff's in upper case or with a backtick. Samples: 15.

use super::ruff::{is_python, rule};
use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: PROGRAMS,
    needles: &[".py:"],
    read,
};

const PROGRAMS: &[&str] = &["flake8", "pycodestyle", "pyflakes", "pydocstyle"];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    if !context.runs(PROGRAMS) && (context.runs(&["ruff"]) || !worded(lines)) {
        return Vec::new();
    }
    lines.each(|_, at, line| {
        let place = location(line)?;
        if !is_python(place.path) && !place.path.ends_with("stdin") {
            return None;
        }
        let (code, message) = rule(place.rest)?;
        Some(
            context
                .find(at, "flake8", "lint", message)
                .code(code)
                .place(context, place.path, place.line, place.column),
        )
    })
}

/// Whether the first rules of pyflakes or pycodestyle in the text are worded as flake8 does.
fn worded(lines: &Lines) -> bool {
    for (_, line) in lines.free() {
        let Some((code, message)) = location(line)
            .filter(|place| is_python(place.path) && !place.column.is_empty())
            .and_then(|place| {
                // ruff marks what it can fix.
                (!place.rest.contains(" [*] ")).then(|| rule(place.rest))?
            })
        else {
            if line.contains(" [*] ") && line.contains(".py:") {
                return false;
            }
            continue;
        };
        if code.starts_with(['F', 'E', 'W']) {
            return message.starts_with(|c: char| c.is_lowercase() || c == '\'');
        }
    }
    false
}
