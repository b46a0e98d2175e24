//! Minitest and test-unit, plain or under Rails.
//!
//! Samples: 76, 125.

use super::shape::{joined, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["Failure:", "Error:\n", "Loaded suite "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    if lines
        .all()
        .iter()
        .any(|line| line.starts_with("Loaded suite "))
    {
        return test_unit(context, lines);
    }
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head).trim();
        if !line.ends_with(':') {
            continue;
        }
        let line = line
            .split_once(") ")
            .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
            .map_or(line, |(_, rest)| rest);
        let failure = match line {
            "Failure:" => true,
            "Error:" => false,
            _ => continue,
        };
        let name_line = lines.get(at).trim_end();
        if !name_line.contains('#') || name_line.starts_with(' ') {
            continue;
        }
        let end = lines
            .after(at + 1, 200)
            .find(|(_, next)| {
                next.trim().is_empty() && failure
                    || is_head(next)
                    || next.starts_with("bin/rails ")
                    || next.starts_with("rails test ")
            })
            .map_or(lines.len().min(at + 200), |(end, _)| end);
        let finding = if failure {
            let (name, place) = match name_line.trim_end_matches(':').split_once(" [") {
                Some((name, place)) => (name, location(place.trim_end_matches(']'))),
                None => (name_line.trim_end_matches(':'), None),
            };
            let message = joined(lines.after(at + 1, end - at - 1).map(|(_, next)| next));
            let finding = context
                .find(head, "ruby", "test", &message)
                .tool("minitest")
                .test(name);
            match place {
                Some(place) => finding.place(context, place.path, place.line, ""),
                None => finding,
            }
        } else {
            let text = lines.get(at + 1).trim();
            let (class, message) = text.split_once(": ").unwrap_or((text, text));
            let class = class.trim_end_matches(':');
            let finding = context
                .find(head, "ruby", "test", message)
                .tool("minitest")
                .code(class)
                .test(name_line.trim_end_matches(':'));
            let place = lines
                .after(at + 2, end.saturating_sub(at + 2))
                .filter_map(|(_, next)| location(next.trim_start().split(":in ").next()?))
                .find(|place| {
                    place.rest.is_empty()
                        && place.path.ends_with(".rb")
                        && context.place(place.path).local
                });
            match place {
                Some(place) => finding.place(context, place.path, place.line, ""),
                None => finding,
            }
        };
        findings.push(finding);
        lines.claim(head..end);
        at = end;
    }
    findings
}

/// test-unit: `Failure: test_a(TU)` or `Error: test_b(TU): RuntimeError: oops`, the place, the
/// source, and what was expected.
fn test_unit(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        let (failure, rest) = match line.strip_prefix("Failure: ") {
            Some(rest) => (true, rest),
            None => (false, line.strip_prefix("Error: ")?),
        };
        let (name, tail) = rest.split_once(')')?;
        let (method, class) = name.split_once('(')?;
        let body = || {
            lines
                .after(at + 1, 60)
                .map(|(_, next)| next)
                .take_while(|next| !next.starts_with("====="))
        };
        let (code, message) = if failure {
            // The listing of the source is numbered; the message stands behind it.
            let is_source = |next: &&str| next.contains(":in ") || next.starts_with("  ");
            ("", joined(body().filter(|next| !is_source(next))))
        } else {
            let text = tail.trim_start_matches([':', ' ']);
            let (class, message) = text.split_once(": ").unwrap_or((text, text));
            (class, message.to_owned())
        };
        let place = body()
            .filter_map(|next| location(next.trim_start().split(":in ").next()?))
            .find(|place| place.rest.is_empty() && context.place(place.path).local);
        let finding = context
            .find(at, "ruby", "test", &message)
            .tool("test-unit")
            .code(code)
            .test(&format!("{class}#{method}"));
        Some(match place {
            Some(place) => finding.place(context, place.path, place.line, ""),
            None => finding,
        })
    })
}

fn is_head(line: &str) -> bool {
    let text = line.trim();
    text.ends_with("Failure:")
        || text.ends_with(") Error:")
        || text == "Error:"
        || (text.contains(" runs, ") && text.contains(" assertions"))
}
