//! javac, under whatever build tool: `path.java:l: error: text`.
//!
//! Yields the error, with the missing symbol appended. Samples: 54, 56, 59a.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["javac"],
    needles: &[".java:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if context.runs(&["javac"])
            && let Some(text) = line.strip_prefix("error: ")
        {
            return Some(context.find(at, "java", "build", text));
        }
        let place = location(line.trim_start()).filter(|place| place.path.ends_with(".java"))?;
        let (warning, text) = match place.rest.strip_prefix("error: ") {
            Some(text) => (false, text),
            None => (true, place.rest.strip_prefix("warning: ")?),
        };
        let message = with_symbol(lines, at, text);
        Some(
            context
                .find(at, "java", "build", &message)
                .warning_if(warning)
                .place(context, place.path, place.line, place.column),
        )
    })
}

/// `cannot find symbol` says nothing without the symbol, which stands some lines below.
pub(super) fn with_symbol(lines: &Lines, at: usize, text: &str) -> String {
    let text = text.trim_end();
    if !text.ends_with("cannot find symbol") {
        return text.to_owned();
    }
    let symbol = lines
        .after(at + 1, 5)
        .take_while(|(_, next)| location(next).is_none() && !next.contains(".java:"))
        .find_map(|(_, next)| {
            let next = next.strip_prefix("[ERROR]").unwrap_or(next);
            next.trim_start().strip_prefix("symbol:")
        });
    match symbol {
        Some(symbol) => format!("{text}: {}", super::shape::joined([symbol])),
        None => text.to_owned(),
    }
}
