//! Assertions of C, exceptions that end a C++ program.
//!
//! Samples: 66.

use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "Assertion `",
        "Assertion failed: (",
        "terminate called after throwing",
        "libc++abi: terminating",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if let Some(start) = line
            .find("Assertion `")
            .filter(|_| line.ends_with("failed."))
        {
            let message = line.get(start..)?;
            // `prog: path:3: function: `.
            let before = line.get(..start)?;
            let place = before.split(": ").find_map(|part| {
                let (path, number) = part.rsplit_once(':')?;
                digits(number).filter(|(_, rest)| rest.is_empty())?;
                Some((path, number))
            });
            let finding = context.find(at, "c_cpp", "runtime", message).code("assert");
            return Some(match place {
                Some((path, number)) => finding.place(context, path, number, ""),
                None => finding,
            });
        }
        if let Some(rest) = line.strip_prefix("Assertion failed: (") {
            let (_, place) = rest.split_once(", file ")?;
            let (path, number) = place.split_once(", line ")?;
            let message = line.split(", function ").next()?;
            let number = number.trim_end_matches('.');
            return Some(
                context
                    .find(at, "c_cpp", "runtime", message)
                    .code("assert")
                    .place(context, path, number, ""),
            );
        }
        if let Some(rest) = line.strip_prefix("terminate called after throwing an instance of ") {
            let class = rest.trim_matches('\'');
            let what = lines
                .get(at + 1)
                .trim()
                .strip_prefix("what():")
                .map(str::trim)
                .filter(|what| !what.is_empty());
            return Some(
                context
                    .find(at, "c_cpp", "runtime", what.unwrap_or(line))
                    .code(class),
            );
        }
        if line.starts_with("terminate called without an active exception") {
            return Some(context.find(at, "c_cpp", "runtime", line));
        }
        let rest = line
            .strip_prefix("libc++abi: terminating due to uncaught exception of type ")
            .or_else(|| {
                line.strip_prefix("libc++abi: terminating with uncaught exception of type ")
            })?;
        let (class, message) = rest.split_once(": ").unwrap_or((rest, rest));
        Some(context.find(at, "c_cpp", "runtime", message).code(class))
    })
}
