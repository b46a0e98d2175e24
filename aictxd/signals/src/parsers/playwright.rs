//! Playwright's test runner.
//!
//! Yields one event a numbered failure `1) [project] › file:l:c › suite › test`.

use super::shape::{digits, js_frame, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["playwright"],
    needles: &[") [", " › "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let Some((place, test)) = failure_head(lines.get(head)).filter(|_| lines.is_free(head))
        else {
            continue;
        };
        let end = lines
            .after(at, 400)
            .find(|(_, next)| failure_head(next).is_some())
            .map_or(lines.len().min(at + 400), |(end, _)| end);
        let told = lines
            .after(at, end - at)
            .map(|(_, next)| next.trim())
            .find(|next| !next.is_empty() && !next.starts_with("Retry #"));
        let Some(told) = told else { continue };
        let (class, message) = super::mocha::class_and_code(told);
        let code = if class == "Error" { "" } else { class };
        let frame = lines
            .after(at, end - at)
            .filter_map(|(_, next)| js_frame(next))
            .find(|frame| context.place(frame.path).local);
        let place = frame.unwrap_or(place);
        findings.push(
            context
                .find(head, "playwright", "test", message)
                .code(code)
                .test(test)
                .place(context, place.path, place.line, place.column),
        );
        lines.claim(head..end);
        at = end;
    }
    findings
}

/// `  1) [chromium] › tests/a.spec.ts:3:5 › suite › name ─────`.
fn failure_head(line: &str) -> Option<(super::shape::At<'_>, &str)> {
    let (_, rest) = digits(line.trim_start())?;
    let rest = rest.strip_prefix(") ")?;
    let rest = match rest.strip_prefix('[') {
        Some(project) => project.split_once("] › ")?.1,
        None => rest,
    };
    let (place, test) = rest.split_once(" › ")?;
    let place =
        location(place).filter(|place| place.rest.is_empty() && !place.column.is_empty())?;
    Some((place, test.trim_end_matches(['─', ' '])))
}
