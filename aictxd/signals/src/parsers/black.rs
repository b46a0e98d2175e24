//! black and isort.
//!
//! Yields files that would be reformatted (warnings), files that cannot be parsed (errors) and
//! unsorted imports. Samples: 17.

use super::shape::{digits, location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["black", "isort"],
    needles: &[
        "would reformat ",
        "error: cannot ",
        "Imports are incorrectly sorted",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        if let Some(path) = line.strip_prefix("would reformat ") {
            let finding = context.find(at, "black", "lint", "would reformat");
            return Some(finding.warning_if(true).place(context, path, "", ""));
        }
        if let Some(rest) = line.strip_prefix("error: cannot parse: ") {
            let place = location(rest)?;
            return Some(context.find(at, "black", "lint", "cannot parse").place(
                context,
                place.path,
                place.line,
                place.column,
            ));
        }
        if let Some(rest) = line.strip_prefix("error: cannot format ") {
            let (path, text) = rest.split_once(": ")?;
            let (message, number, column) = parse_error(text);
            return Some(
                context
                    .find(at, "black", "lint", message)
                    .place(context, path, number, column),
            );
        }
        let rest = line.strip_prefix("ERROR: ")?;
        let (path, text) = rest.split_at_checked(rest.find(" Imports are incorrectly sorted")?)?;
        Some(
            context
                .find(at, "isort", "lint", text.trim())
                .place(context, path, "", ""),
        )
    })
}

/// `Cannot parse for target version Python 3.12: 1:6: def f(:` without the place and the source.
fn parse_error(text: &str) -> (&str, &str, &str) {
    let mut rest = text;
    let mut used = 0;
    while let Some((head, tail)) = rest.split_once(": ") {
        used += head.len();
        if let Some((line, column)) =
            digits(tail).and_then(|(line, rest)| Some((line, digits(rest.strip_prefix(':')?)?.0)))
        {
            return (text.get(..used).unwrap_or(text), line, column);
        }
        used += 2;
        rest = tail;
    }
    (text, "", "")
}
