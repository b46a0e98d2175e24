//! pylint.
//!
//! Yields `path:line:column: X1234: text (symbol)`; the letter says how bad it is. Samples: 16.

use super::shape::{all_of, is_letter_code, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["pylint"],
    needles: &["************* Module ", "Your code has been rated at "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let place = location(line)?;
        let (code, text) = match place.rest.strip_prefix('[') {
            // `--output-format=parseable`: `[E0602(undefined-variable), f] text`.
            Some(rest) => {
                let (head, text) = rest.split_once("] ")?;
                (head.split(['(', ',']).next()?, text)
            }
            None => place.rest.split_once(": ")?,
        };
        if code.len() != 5 || !is_letter_code(code) {
            return None;
        }
        let message = trailing(text, '(', ')')
            .filter(|(_, symbol)| {
                all_of(symbol, |c| {
                    c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit()
                })
            })
            .map_or(text, |(message, _)| message);
        Some(
            context
                .find(at, "pylint", "lint", message)
                .code(code)
                .warning_if(!code.starts_with(['E', 'F']))
                .place(context, place.path, place.line, place.column),
        )
    })
}
