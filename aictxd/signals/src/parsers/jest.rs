//! Jest: failed tests, suites that do not run, no tests, missed coverage.
//!
//! Yields one event a `● name` block. Samples: 25, 26, 27, 27b, 120.

use super::shape::{digits, js_frame, location};
use super::tsc::diagnostic;
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["jest", "react-scripts"],
    needles: &[
        "  ● ",
        "No tests found, exiting with code",
        "coverage threshold for ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut header = "";
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let line = lines.get(at);
        let head = at;
        at += 1;
        if !lines.is_free(head) {
            continue;
        }
        if line.starts_with("Summary of all failing tests") {
            // Everything from here was told before.
            if !findings.is_empty() {
                lines.claim(head..lines.len());
                break;
            }
        } else if let Some(path) = file_head(line) {
            header = path;
        } else if line.starts_with("No tests found, exiting with code") {
            findings.push(context.find(head, "jest", "test", line));
            lines.claim(head..head + 1);
        } else if line.starts_with("Jest: ") && line.contains("coverage threshold for ") {
            let text = line.trim_start_matches("Jest: ");
            findings.push(context.find(head, "jest", "test", text));
            lines.claim(head..head + 1);
        } else if let Some(name) = line.strip_prefix("  ● ")
            && (!header.is_empty() || name.contains(" › "))
        {
            let end = lines
                .after(at, 2_000)
                .find(|(_, next)| ends_block(next))
                .map_or(lines.len().min(at + 2_000), |(end, _)| end);
            // A type error in a test file is the compiler's.
            let typed = lines.after(at, end - at).any(|(_, next)| {
                location(next.trim_start()).is_some_and(|at| diagnostic(at.rest).is_some())
            });
            if !typed {
                findings.extend(block(context, lines, head, end, name.trim(), header));
                lines.claim(head..end);
            }
            at = end.max(at);
        }
    }
    findings
}

/// `FAIL path (5.2 s)`, `FAIL project path`.
fn file_head(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .strip_prefix("FAIL ")
        .or_else(|| line.strip_prefix("PASS "))?
        .trim();
    let rest = match rest.rsplit_once(" (") {
        Some((path, time)) if time.ends_with("s)") => path,
        _ => rest,
    };
    rest.rsplit(' ').next()
}

fn ends_block(line: &str) -> bool {
    line.starts_with("  ● ")
        || line.starts_with("FAIL ")
        || line.starts_with("PASS ")
        || line.starts_with(" FAIL ")
        || line.starts_with("Test Suites:")
        || line.starts_with("Summary of all failing tests")
        || line.starts_with(" › ")
        || line.starts_with("----------|")
}

fn block(
    context: &Context,
    lines: &Lines,
    head: usize,
    end: usize,
    name: &str,
    header: &str,
) -> Option<Finding> {
    let suite = name == "Test suite failed to run";
    let body = || {
        lines
            .after(head + 1, end.saturating_sub(head + 1))
            .map(|(_, line)| line)
    };
    let first = body().map(str::trim).find(|line| !line.is_empty())?;
    let text = if first.starts_with("Jest encountered an unexpected token") {
        body().map(str::trim).find(|line| {
            let (class, _) = split_class(line);
            class.ends_with("Error")
        })
    } else {
        None
    };
    let text = text.unwrap_or(first);
    let (class, message) = split_class(text);
    let message = if class.is_empty() || message.is_empty() {
        text
    } else {
        message
    };
    // `path: Unexpected token (1:10)` of a transformer.
    let (message, inner) = match message.split_once(": ") {
        Some((path, rest)) if path.contains('/') && !path.contains(' ') => (rest, Some(path)),
        _ => (message, None),
    };
    let mut finding = context.find(head, "jest", "test", message).code(class);
    if !suite {
        finding = finding.test(name);
    }
    Some(locate(context, finding, body(), header, inner))
}

fn locate<'t>(
    context: &Context,
    finding: Finding,
    body: impl Iterator<Item = &'t str>,
    header: &str,
    inner: Option<&str>,
) -> Finding {
    let mut marked = "";
    let mut headed = None;
    let body: Vec<&str> = body.collect();
    // Frames name files from the root of the project's configuration, the head from where it runs.
    let base = body
        .iter()
        .filter_map(|line| header.strip_suffix(js_frame(line)?.path))
        .find(|base| base.ends_with('/'))
        .unwrap_or_default();
    for line in body {
        if let Some(place) = js_frame(line) {
            if context.place(place.path).local {
                let path = place.path;
                let known = path.starts_with('/') || path.starts_with(base);
                let file = if known {
                    path.to_owned()
                } else {
                    format!("{base}{path}")
                };
                return finding.place(context, &file, place.line, place.column);
            }
            continue;
        }
        let text = line.trim_start();
        if marked.is_empty()
            && let Some((number, rest)) = text
                .strip_prefix("> ")
                .map(str::trim_start)
                .and_then(digits)
            && rest.trim_start().starts_with('|')
        {
            marked = number;
        }
        if headed.is_none()
            && let Some(place) = location(text)
            && place.rest.is_empty()
            && place.path.contains('/')
            && context.place(place.path).local
        {
            headed = Some(place);
        }
    }
    match headed {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding.place(context, inner.unwrap_or(header), marked, ""),
    }
}
