//! flake8 and pycodestyle, whose lines look like ruff's concise ones.
//!
//! Yields `path:line:column: CODE text` when the command runs flake8, or when the wording is
//! flake8's: its messages start in lower case, ruff's in upper case or with a backtick. Samples: 15.

use super::ruff::{is_python, rule};
use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};
use crate::substring::Needle;

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: PROGRAMS,
    // Not ".py:" alone, which stands in every line of a verbose pytest.
    needles: &[
        ".py:0",
        ".py:1",
        ".py:2",
        ".py:3",
        ".py:4",
        ".py:5",
        ".py:6",
        ".py:7",
        ".py:8",
        ".py:9",
        ".pyi:",
        ".ipynb:",
        ".pyw:",
        "pyproject.toml:",
    ],
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

static FIXABLE: Needle = Needle::new(" [*] ");

/// Returns true if the first rules of pyflakes or pycodestyle in the text are worded as flake8 does.
fn worded(lines: &Lines) -> bool {
    for (_, line) in lines.free() {
        let Some((code, message)) = location(line)
            .filter(|place| is_python(place.path) && !place.column.is_empty())
            .and_then(|place| {
                // ruff marks what it can fix.
                (!FIXABLE.is_in(place.rest)).then(|| rule(place.rest))?
            })
        else {
            if FIXABLE.is_in(line) && line.contains(".py:") {
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
