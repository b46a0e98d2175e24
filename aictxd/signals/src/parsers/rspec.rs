//! RSpec: the numbered failures, and errors while loading.
//!
//! Samples: 75.

use super::shape::{digits, indent, joined, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["rspec"],
    needles: &["Failure/Error:", "An error occurred "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        let test = match numbered(line) {
            Some(test)
                if lines.after(at, 3).any(|(_, next)| {
                    next.trim_start().starts_with("Failure/Error:")
                        || next.trim_start().starts_with("Got ")
                }) =>
            {
                test
            }
            None if line.starts_with("An error occurred ") => "",
            _ => continue,
        };
        let end = lines
            .after(at, 400)
            .find(|(_, next)| {
                numbered(next).is_some()
                    || next.starts_with("Finished in ")
                    || next.starts_with("An error occurred ")
                    || next.starts_with("No examples found")
            })
            .map_or(lines.len().min(at + 400), |(end, _)| end);
        findings.push(failure(context, lines, head, end, test));
        lines.claim(head..end);
        at = end;
    }
    if !findings.is_empty()
        && let Some(list) = lines
            .all()
            .iter()
            .position(|line| *line == "Failed examples:")
    {
        lines.claim(list..lines.len());
    }
    findings
}

/// `  1) Rate converts`.
fn numbered(line: &str) -> Option<&str> {
    if indent(line) < 2 {
        return None;
    }
    let (_, rest) = digits(line.trim_start())?;
    rest.strip_prefix(") ").map(str::trim)
}

fn failure(context: &Context, lines: &Lines, head: usize, end: usize, test: &str) -> Finding {
    let start = lines
        .after(head + 1, end - head - 1)
        .find(|(_, line)| line.trim_start().starts_with("Failure/Error:"))
        .map_or(head, |(at, _)| at);
    let is_frame = |line: &str| line.trim_start().starts_with("# ");
    let body: Vec<&str> = lines
        .after(start + 1, end.saturating_sub(start + 1))
        .map(|(_, line)| line)
        .take_while(|line| !is_frame(line))
        .collect();
    // The code that failed goes on until an empty line, unless a message follows at once.
    let mut rest = body.as_slice();
    while let Some((first, more)) = rest.split_first()
        && first.trim().is_empty()
    {
        rest = more;
    }
    let code_depth = indent(lines.get(start));
    let skip_code = rest
        .first()
        .is_some_and(|first| indent(first) > code_depth + 2)
        && !body.first().is_some_and(|first| first.trim().is_empty());
    if skip_code {
        let blank = rest
            .iter()
            .position(|line| line.trim().is_empty())
            .unwrap_or(0);
        rest = rest.get(blank..).unwrap_or(rest);
    }
    let mut told = rest
        .iter()
        .map(|line| line.trim())
        .skip_while(|line| line.is_empty())
        .peekable();
    let first = told.peek().copied().unwrap_or_default();
    let class = first.strip_suffix(':').filter(|class| {
        class.starts_with(|c: char| c.is_ascii_uppercase()) && !class.contains(' ')
    });
    let (code, message) = match class {
        Some(class) => {
            told.next();
            (class, told.next().unwrap_or(class).to_owned())
        }
        None => ("", joined(told.take_while(|line| !line.is_empty()))),
    };
    let message = if message.is_empty() {
        "failed"
    } else {
        &message
    };
    let phase_test = context
        .find(head, "ruby", "test", message)
        .tool("rspec")
        .code(code)
        .test(test);
    let place = lines
        .after(start + 1, end.saturating_sub(start + 1))
        .filter_map(|(_, line)| frame(line))
        .find(|place| context.place(place.path).local && !place.path.starts_with("-e"));
    match place {
        Some(place) => phase_test.place(context, place.path, place.line, place.column),
        None => phase_test,
    }
}

/// `# ./lib/rate.rb:2:in 'convert'`.
fn frame(line: &str) -> Option<super::shape::At<'_>> {
    let text = line.trim_start().strip_prefix("# ")?;
    let text = text.split(":in ").next()?;
    location(text).filter(|place| place.rest.is_empty())
}
