//! ESLint in its stylish, unix and compact formats, and what prints like it: stylelint, standard,
//! yamllint, markdownlint.
//!
//! Yields findings under the header line of their file. Samples: 23, 24, 112, 121.

use super::shape::{all_of, digits, is_path, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["eslint", "stylelint", "standard", "yamllint"],
    needles: &[
        "  error  ",
        "  warning  ",
        "  ✖  ",
        "  ⚠  ",
        "[Error/",
        "[Warning/",
        " [Error]",
        ", Error - ",
        ", Warning - ",
        "Oops! Something went wrong!",
        "  error    ",
        " error    ",
        "ESLint found too many warnings",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut header = "";
    lines.each(|lines, at, line| {
        if !line.starts_with([' ', '\t']) {
            if is_path(line.trim_end()) && line.len() > 2 {
                header = line.trim_end();
            }
            return flat(context, lines, at, line);
        }
        if let Some(finding) = stylish(context, header, at, line) {
            return Some(finding);
        }
        standard(context, at, line)
    })
}

/// `  1:7   error    text  rule` below the file.
fn stylish(context: &Context, header: &str, at: usize, line: &str) -> Option<Finding> {
    let (number, rest) = digits(line.trim_start())?;
    let (column, rest) = digits(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let (word, rest) = rest.split_once([' ', '\t'])?;
    let (warning, css) = match word {
        "error" => (false, false),
        "warning" => (true, false),
        "✖" | "×" => (false, true),
        "⚠" | "ℹ" => (true, true),
        _ => return None,
    };
    if header.is_empty() {
        return None;
    }
    let text = rest.trim();
    if let Some((message, rule)) = yaml_rule(text) {
        return Some(
            context
                .find(at, "unknown", "lint", message)
                .tool("yamllint")
                .code(rule)
                .warning_if(warning)
                .place(context, header, number, column),
        );
    }
    let (message, code) = match text.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule.trim()) => (message.trim_end(), rule.trim()),
        _ => (text, ""),
    };
    let tool = if css { "stylelint" } else { "eslint" };
    Some(
        context
            .find(at, tool, "lint", message)
            .code(code)
            .warning_if(warning)
            .place(context, header, number, column),
    )
}

/// yamllint puts its rule in brackets.
fn yaml_rule(text: &str) -> Option<(&str, &str)> {
    let (message, rule) = trailing(text, '(', ')')?;
    (!rule.contains('/') && all_of(rule, |c| c.is_ascii_lowercase() || c == '-'))
        .then_some((message, rule))
}

fn is_rule(text: &str) -> bool {
    all_of(text, |c| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '@' | '_' | '.' | ':')
    })
}

/// One line a finding: unix, compact; and what ESLint says about itself.
fn flat(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    if line.starts_with("Oops! Something went wrong!") {
        let (_, told) = lines.after(at + 1, 12).find(|(_, next)| {
            let text = next.trim();
            !text.is_empty() && !text.starts_with("ESLint: ")
        })?;
        return Some(context.find(at, "eslint", "lint", told));
    }
    if line.starts_with("ESLint found too many warnings") {
        return Some(context.find(at, "eslint", "lint", line).wrapper());
    }
    if let Some((path, rest)) = line.split_once(": line ")
        && let Some((number, rest)) = digits(rest)
        && let Some((column, rest)) = rest.strip_prefix(", col ").and_then(digits)
    {
        let (word, text) = rest.strip_prefix(", ")?.split_once(" - ")?;
        let (message, code) = trailing(text, '(', ')')
            .filter(|(_, rule)| is_rule(rule))
            .unwrap_or((text, ""));
        return Some(
            context
                .find(at, "eslint", "lint", message)
                .code(code)
                .warning_if(word == "Warning")
                .place(context, path, number, column),
        );
    }
    let (text, mark) = trailing(line, '[', ']')?;
    let (word, code) = mark.split_once('/').unwrap_or((mark, ""));
    if !matches!(word, "Error" | "Warning") {
        return None;
    }
    let place = location(text)?;
    Some(
        context
            .find(at, "eslint", "lint", place.rest)
            .code(code)
            .warning_if(word == "Warning")
            .place(context, place.path, place.line, place.column),
    )
}

/// `  path:1:7: text (rule)` of standard and its kin.
fn standard(context: &Context, at: usize, line: &str) -> Option<Finding> {
    if !context.runs(&["standard", "ts-standard", "semistandard"]) {
        return None;
    }
    let place = location(line.trim_start())?;
    let (message, code) = trailing(place.rest, '(', ')')?;
    Some(
        context
            .find(at, "eslint", "lint", message)
            .tool("standard")
            .code(code)
            .place(context, place.path, place.line, place.column),
    )
}
