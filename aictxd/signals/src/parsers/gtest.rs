//! GoogleTest and Catch2.
//!
//! Yields `path:l: Failure` with the text below, named by the running test. Samples: 135.

use super::shape::{joined, location, paren_location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["[ RUN      ]", ": Failure", ": FAILED:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let windows = memchr::memmem::Finder::new("): error: ");
    let mut test = "";
    let mut title = "";
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        if let Some(name) = line.trim_start().strip_prefix("[ RUN      ] ") {
            test = name.trim();
            continue;
        }
        if line.starts_with("-----")
            && !lines.get(at).starts_with(['-', ' '])
            && lines.get(at + 1).starts_with("-----")
        {
            title = lines.get(at).trim();
        }
        let place = line
            .strip_suffix(": Failure")
            .map(|place| location(place).or_else(|| paren_location(place)))
            .or_else(|| {
                // Windows: `path(27): error: text`, in a run of GoogleTest.
                if test.is_empty() || windows.find(line.as_bytes()).is_none() {
                    return None;
                }
                paren_location(line)
                    .filter(|at| at.rest.starts_with("error: "))
                    .map(Some)
            });
        if let Some(place) = place {
            let end = lines
                .after(at, 60)
                .find(|(_, next)| {
                    next.trim().is_empty() || next.starts_with("[  ") || next.ends_with(": Failure")
                })
                .map_or(at, |(end, _)| end);
            let message = joined(lines.after(at, end - at).map(|(_, next)| next));
            let message = if message.is_empty() {
                "Failure"
            } else {
                &message
            };
            let finding = context
                .find(head, "c_cpp", "test", message)
                .tool("gtest")
                .test(test);
            findings.push(match place {
                Some(place) => finding.place(context, place.path, place.line, place.column),
                None => finding,
            });
            lines.claim(head..end);
            at = end;
        } else if let Some(place) = location(line).filter(|place| place.rest == "FAILED:") {
            let end = lines
                .after(at, 60)
                .find(|(_, next)| next.starts_with(['-', '=', '.']))
                .map_or(at, |(end, _)| end);
            let body = lines
                .after(at, end - at)
                .map(|(_, next)| next.trim())
                .filter(|next| !next.is_empty());
            let message = joined(body);
            findings.push(
                context
                    .find(head, "c_cpp", "test", &message)
                    .tool("catch2")
                    .test(title)
                    .place(context, place.path, place.line, place.column),
            );
            lines.claim(head..end);
            at = end;
        }
    }
    findings
}
