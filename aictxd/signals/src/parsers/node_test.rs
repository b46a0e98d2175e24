//! `node --test` in its TAP, spec and dot reports, and other TAP producers with YAML blocks.
//!
//! Yields one event a failed test; a parent that only says that a child failed is none.
//! Samples: 32.

use super::mocha::class_and_code;
use super::shape::{indent, js_frame, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["not ok ", "✖ failing tests:", "Failed tests:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let start = lines
        .all()
        .iter()
        .position(|line| *line == "✖ failing tests:" || *line == "Failed tests:");
    if let Some(start) = start {
        return report(context, lines, start + 1);
    }
    tap(context, lines)
}

fn tap(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in 0..lines.len() {
        if findings.len() >= MAX_FINDINGS {
            break;
        }
        let line = lines.get(at);
        let depth = indent(line);
        let Some(rest) = line.trim_start().strip_prefix("not ok ") else {
            continue;
        };
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let name = rest.trim_start_matches([' ', '-']);
        if name.contains("# TODO") || name.contains("# SKIP") || lines.get(at + 1).trim() != "---" {
            continue;
        }
        let field = |name: &str| {
            lines
                .after(at + 2, 60)
                .take_while(|(_, line)| indent(line) > depth && line.trim() != "...")
                .find_map(|(number, line)| {
                    let value = line
                        .trim_start()
                        .strip_prefix(name)?
                        .strip_prefix(':')?
                        .trim();
                    Some(if matches!(value, "|-" | "|" | ">-") {
                        lines.get(number + 1).trim()
                    } else {
                        value.trim_matches(['\'', '"'])
                    })
                })
                .unwrap_or_default()
        };
        if matches!(field("failureType"), "subtestsFailed" | "cancelledByParent") {
            continue;
        }
        let message = [field("error"), field("message"), name]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or("failed");
        let name = name.split(" # ").next().unwrap_or(name);
        let place = location(field("location")).or_else(|| location(field("at")));
        let finding = context
            .find(at, "javascript", "test", &message.replace("''", "'"))
            .tool("node:test")
            .code(field("code"))
            .test(name);
        findings.push(match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        });
        let end = lines
            .after(at + 2, 120)
            .find(|(_, line)| line.trim() == "...")
            .map_or(at + 1, |(end, _)| end + 1);
        lines.claim(at..end);
    }
    findings
}

/// The list of failures at the end of the spec and dot reports.
fn report(context: &Context, lines: &mut Lines, from: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut place = None;
    let mut at = from;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        let line = lines.get(head);
        at += 1;
        if let Some(rest) = line.strip_prefix("test at ") {
            place = location(rest);
            continue;
        }
        let Some(name) = line.trim_start().strip_prefix("✖ ") else {
            continue;
        };
        let name = match name.rsplit_once(" (") {
            Some((name, time)) if time.ends_with("ms)") => name,
            _ => name,
        };
        let depth = indent(line);
        let end = lines
            .after(at, 400)
            .find(|(_, next)| next.starts_with("test at ") || next.trim_start().starts_with("✖ "))
            .map_or(lines.len().min(at + 400), |(end, _)| end);
        let told = lines
            .after(at, end - at)
            .map(|(_, next)| next)
            .take_while(|next| next.is_empty() || indent(next) > depth)
            .find(|next| !next.trim().is_empty());
        at = end;
        let Some(told) = told.map(str::trim) else {
            continue;
        };
        if told.ends_with(" failed'") && told.contains("subtest") {
            place = None;
            continue;
        }
        let told = told.trim_matches('\'');
        let (code, message) = class_and_code(told);
        let frame = lines
            .after(head + 1, end - head - 1)
            .filter_map(|(_, next)| js_frame(next))
            .find(|frame| context.place(frame.path).local);
        let finding = context
            .find(head, "javascript", "test", message)
            .tool("node:test")
            .code(code)
            .test(name);
        findings.push(match place.take().or(frame) {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        });
    }
    // The same failures stand above, as they happened.
    lines.claim(0..lines.len());
    findings
}
