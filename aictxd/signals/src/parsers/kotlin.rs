//! The compilers of Kotlin and Scala.
//!
//! Yields `e: file:///path:l:c text`, the older `e: path: (l, c): text`, kotlinc's
//! `path.kt:l:c: error: text`, and sbt's `[error] path:l:c: text`. Samples: 59c.

use super::shape::{digits, location, severity};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["kotlinc", "scalac", "sbt"],
    needles: &["e: ", ".kt:", ".kts:", ".scala:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        if let Some(text) = line
            .strip_prefix("e: ")
            .or_else(|| line.strip_prefix("w: "))
        {
            let warning = line.starts_with('w');
            if let Some((path, rest)) = text.split_once(": (")
                && let Some((number, rest)) = digits(rest)
                && let Some((column, rest)) = rest.strip_prefix(", ").and_then(digits)
            {
                let message = rest.trim_start_matches([')', ':', ' ']);
                return Some(
                    context
                        .find(at, "kotlin", "build", message)
                        .warning_if(warning)
                        .place(context, path, number, column),
                );
            }
            let place = location(text).filter(|place| is_kotlin(place.path))?;
            return Some(
                context
                    .find(at, "kotlin", "build", place.rest)
                    .warning_if(warning)
                    .place(context, place.path, place.line, place.column),
            );
        }
        let scala = line.strip_prefix("[error] ");
        let place = location(scala.unwrap_or(line).trim_start())?;
        if is_kotlin(place.path) {
            let (warning, text) = severity(place.rest)?;
            let message = text.strip_prefix(": ")?;
            return Some(
                context
                    .find(at, "kotlin", "build", message)
                    .warning_if(warning)
                    .place(context, place.path, place.line, place.column),
            );
        }
        if !place.path.ends_with(".scala") {
            return None;
        }
        let message = match severity(place.rest).and_then(|(_, rest)| rest.strip_prefix(": ")) {
            Some(text) => text,
            None => scala.map(|_| place.rest)?,
        };
        Some(
            context
                .find(at, "java", "build", message)
                .tool("scalac")
                .place(context, place.path, place.line, place.column),
        )
    })
}

fn is_kotlin(path: &str) -> bool {
    path.ends_with(".kt") || path.ends_with(".kts")
}
