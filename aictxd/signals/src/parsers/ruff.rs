//! ruff: its full, concise, grouped and pylint formats, and its formatter.
//!
//! The concise format is flake8's as well; [`super::flake8`] comes first and takes what is its.
//! GitHub annotations are read by [`super::github`]. Samples: 12, 13, 14, 106.

use super::shape::{is_letter_code, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["ruff"],
    needles: &[
        "Found ",
        " [*] ",
        "invalid-syntax: ",
        "  --> ",
        " --> ",
        "Would reformat: ",
        "unformatted: ",
        // Not ".py:" alone, which stands in every line of a verbose pytest.
        ".py:\n",
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

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut group = "";
    lines.each(|lines, at, line| {
        if let Some(path) = line.strip_suffix(':')
            && is_python(path)
        {
            group = path;
            return None;
        }
        if line.starts_with(' ') {
            return grouped(context, group, at, line);
        }
        concise(context, at, line)
            .or_else(|| full(context, lines, at, line))
            .or_else(|| formatter(context, lines, at, line))
            .or_else(|| of_itself(context, at, line))
    })
}

pub(super) fn is_python(path: &str) -> bool {
    [".py", ".pyi", ".ipynb", ".pyw", "pyproject.toml"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// `CODE [*] text` or `invalid-syntax: text`: the code and the text.
pub(super) fn rule(text: &str) -> Option<(&str, &str)> {
    for start in ["invalid-syntax", "SyntaxError"] {
        if let Some(rest) = text.strip_prefix(start)
            && let Some(message) = rest.trim_start_matches(':').strip_prefix(' ')
        {
            return Some(("invalid-syntax", message.trim()));
        }
    }
    let (code, message) = text.split_once(' ')?;
    let message = message.trim_start();
    let message = message.strip_prefix("[*] ").unwrap_or(message);
    is_letter_code(code).then_some((code, message.trim()))
}

fn concise(context: &Context, at: usize, line: &str) -> Option<Finding> {
    let place = location(line)?;
    if !is_python(place.path) {
        return None;
    }
    let (code, message) = match place.rest.strip_prefix('[') {
        // The pylint format.
        Some(rest) if place.column.is_empty() => {
            let (code, message) = rest.split_once("] ")?;
            is_letter_code(code).then_some((code, message))?
        }
        _ if place.column.is_empty() => return None,
        _ => rule(place.rest)?,
    };
    Some(context.find(at, "ruff", "lint", message).code(code).place(
        context,
        place.path,
        place.line,
        place.column,
    ))
}

fn full(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let (code, message) = rule(line)?;
    let place = location(lines.get(at + 1).trim_start().strip_prefix("--> ")?)?;
    Some(context.find(at, "ruff", "lint", message).code(code).place(
        context,
        place.path,
        place.line,
        place.column,
    ))
}

fn grouped(context: &Context, file: &str, at: usize, line: &str) -> Option<Finding> {
    if file.is_empty() {
        return None;
    }
    let place = line.trim_start();
    let (number, rest) = super::shape::digits(place)?;
    let (column, rest) = super::shape::digits(rest.strip_prefix(':')?)?;
    let (code, message) = rule(rest.trim_start())?;
    Some(
        context
            .find(at, "ruff", "lint", message)
            .code(code)
            .place(context, file, number, column),
    )
}

fn formatter(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    if context.runs(&["ruff"])
        && let Some(path) = line.strip_prefix("--- ")
        && lines.get(at + 1).starts_with("+++ ")
    {
        let finding = context.find(at, "ruff", "lint", "would reformat");
        return Some(finding.warning_if(true).place(context, path, "", ""));
    }
    if let Some(path) = line.strip_prefix("Would reformat: ") {
        let finding = context.find(at, "ruff", "lint", "would reformat");
        return Some(finding.warning_if(true).place(context, path, "", ""));
    }
    let text = line.strip_prefix("unformatted: ")?;
    let place = location(lines.get(at + 1).trim_start().strip_prefix("--> ")?)?;
    Some(
        context
            .find(at, "ruff", "lint", text)
            .code("unformatted")
            .warning_if(true)
            .place(context, place.path, place.line, place.column),
    )
}

/// `error: Failed to parse path:1:6: text`, `ruff failed` and its cause.
fn of_itself(context: &Context, at: usize, line: &str) -> Option<Finding> {
    let text = line.strip_prefix("error: ")?;
    if let Some(rest) = text.strip_prefix("Failed to parse ") {
        let place = location(rest)?;
        return Some(
            context
                .find(at, "ruff", "lint", place.rest)
                .code("invalid-syntax")
                .place(context, place.path, place.line, place.column),
        );
    }
    context
        .runs(&["ruff"])
        .then(|| context.find(at, "ruff", "lint", text))
}
