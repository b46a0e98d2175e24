//! RuboCop.
//!
//! Yields `path:l:c: C: [Correctable] Cop/Name: text`; only E and F are errors. Samples: 77.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["rubocop", "standardrb"],
    needles: &[": C: ", ": W: ", ": E: ", ": F: ", ": R: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let place = location(line)?;
        let (letter, rest) = place.rest.split_once(": ")?;
        if !matches!(letter, "C" | "W" | "E" | "F" | "R" | "I") || place.column.is_empty() {
            return None;
        }
        let rest = rest
            .strip_prefix("[Correctable] ")
            .or_else(|| rest.strip_prefix("[Corrected] "))
            .unwrap_or(rest);
        let (cop, message) = rest.split_once(": ")?;
        if !cop.contains('/') || cop.contains(' ') {
            return None;
        }
        Some(
            context
                .find(at, "ruby", "lint", message)
                .tool("rubocop")
                .code(cop)
                .warning_if(!matches!(letter, "E" | "F"))
                .place(context, place.path, place.line, place.column),
        )
    })
}
