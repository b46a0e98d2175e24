//! The TypeScript compiler and what prints like it (vue-tsc, ts-node, ts-jest, Deno's checker).
//!
//! Yields `path(l,c): error TS1234: text`, `path:l:c - error TS1234: text`, errors without a file,
//! and Deno's `TS1234 [ERROR]: text` with the place below. Samples: 21, 22, 34, 119, 138, 143.

use super::shape::{At, all_of, location, paren_location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["tsc", "vue-tsc"],
    needles: &["error TS", "warning TS", "[ERROR]: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if line.contains("[ERROR]: ") {
            return deno(context, lines, at, line);
        }
        if !line.contains(" TS") && !line.starts_with("error TS") {
            return None;
        }
        let text = line.trim_start();
        let place = paren_location(text)
            .or_else(|| location(text))
            .filter(|place| diagnostic(place.rest).is_some());
        let place = place.unwrap_or(At {
            path: "",
            line: "",
            column: "",
            rest: text,
        });
        let (warning, code, message) = diagnostic(place.rest)?;
        let finding = context
            .find(at, "typescript", "typecheck", message)
            .code(code)
            .warning_if(warning);
        Some(finding.place(context, place.path, place.line, place.column))
    })
}

/// `error TS2322: text`, with the dash of the pretty format.
pub(super) fn diagnostic(text: &str) -> Option<(bool, &str, &str)> {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let (warning, rest) = match text.strip_prefix("error ") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("warning ")?),
    };
    let (code, message) = rest.split_once(':')?;
    is_code(code).then_some((warning, code, message.trim()))
}

pub(super) fn is_code(code: &str) -> bool {
    code.strip_prefix("TS")
        .is_some_and(|number| number.len() < 7 && all_of(number, |c| c.is_ascii_digit()))
}

fn deno(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let text = line.strip_prefix("error: ").unwrap_or(line);
    let (code, message) = text.split_once(" [ERROR]: ")?;
    if !is_code(code) {
        return None;
    }
    let finding = context
        .find(at, "typescript", "typecheck", message)
        .code(code)
        .tool("deno");
    let place = lines
        .after(at + 1, 8)
        .take_while(|(_, next)| !next.contains(" [ERROR]: "))
        .find_map(|(_, next)| location(next.trim_start().strip_prefix("at ")?));
    Some(match place {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    })
}
