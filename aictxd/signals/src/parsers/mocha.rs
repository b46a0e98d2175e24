//! Mocha: the numbered failures at the end of its reports.
//!
//! Yields one event a failure, its title path as the test. Samples: 29.

use super::shape::{digits, js_frame};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["mocha", "cypress"],
    needles: &[" failing", "Error: No test files found"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    let mut failing = false;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        let line = lines.get(head);
        at += 1;
        if let Some((_, rest)) = digits(line.trim_start())
            && rest == " failing"
        {
            failing = true;
        } else if line.starts_with("Error: No test files found") && context.runs(&["mocha"]) {
            findings.push(context.find(head, "mocha", "test", line.trim_start_matches("Error: ")));
            lines.claim(head..head + 1);
        } else if failing
            && lines.is_free(head)
            && let Some(title) = numbered(line)
        {
            let end = lines
                .after(at, 400)
                .find(|(_, next)| numbered(next).is_some())
                .map_or(lines.len().min(at + 400), |(end, _)| end);
            if let Some(finding) = failure(context, lines, head, end, title) {
                findings.push(finding);
                lines.claim(head..end);
            }
            at = end;
        }
    }
    findings
}

/// `  1) Queue`.
fn numbered(line: &str) -> Option<&str> {
    let text = line.strip_prefix("  ")?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    let (_, rest) = digits(text)?;
    rest.strip_prefix(") ")
}

fn failure(
    context: &Context,
    lines: &Lines,
    head: usize,
    end: usize,
    title: &str,
) -> Option<Finding> {
    // The title is a path of suites, one a line, and ends in a colon.
    let mut test = String::new();
    let mut from = head + 1;
    let mut part = title.trim();
    loop {
        if !test.is_empty() {
            test.push(' ');
        }
        test.push_str(part.strip_suffix(':').unwrap_or(part));
        if part.ends_with(':') || from >= end || from > head + 20 {
            break;
        }
        part = lines.get(from).trim();
        if part.is_empty() {
            return None;
        }
        from += 1;
    }
    let body = || {
        lines
            .after(from, end.saturating_sub(from))
            .map(|(_, line)| line)
    };
    let text = body().map(str::trim).find(|line| !line.is_empty())?;
    let text = text.strip_prefix("Uncaught ").unwrap_or(text);
    let (class, message) = class_and_code(text);
    let finding = context
        .find(head, "mocha", "test", message)
        .code(class)
        .test(&test);
    let place = body()
        .filter_map(js_frame)
        .find(|place| context.place(place.path).local);
    if let Some(place) = place {
        return Some(finding.place(context, place.path, place.line, place.column));
    }
    // A timeout has no frame, but names the file.
    let file = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("))
        .map(|(_, file)| file)
        .filter(|file| file.contains('/') && !file.contains(' '));
    Some(finding.place(context, file.unwrap_or_default(), "", ""))
}

/// `Class [CODE]: text`: the code when there is one, else the class; and the text.
pub(super) fn class_and_code(text: &str) -> (&str, &str) {
    if let Some((head, message)) = text.split_once("]: ")
        && let Some((class, code)) = head.split_once(" [")
        && !class.contains(' ')
        && !code.contains(' ')
    {
        // `RangeError [Error]` repeats the base class.
        let code = if code == "Error" { class } else { code };
        return (code, message.trim());
    }
    let (class, message) = split_class(text);
    if message.is_empty() {
        (class, text)
    } else {
        (class, message)
    }
}
