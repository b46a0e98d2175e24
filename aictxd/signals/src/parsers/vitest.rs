//! Vitest: failed tests and suites, unhandled errors, no tests.
//!
//! Yields one event a ` FAIL  file > suite > test` head; heads that share one error each get one.
//! Samples: 28.

use super::shape::location;
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["vitest"],
    needles: &[
        " FAIL  ",
        "Unhandled Error",
        "Unhandled Rejection",
        "No test files found, exiting",
        "Startup Error",
        " RUN  v",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        let line = lines.get(head);
        at += 1;
        if !lines.is_free(head) {
            continue;
        }
        if let Some(name) = fail_head(line) {
            let mut names = vec![name];
            while let Some(name) = fail_head(lines.get(at)) {
                if names.len() < MAX_FINDINGS {
                    names.push(name);
                }
                at += 1;
            }
            let end = block_end(lines, at);
            for (nth, name) in names.into_iter().enumerate() {
                findings.extend(block(context, lines, (head + nth, at, end), name));
            }
            lines.claim(head..end);
            at = end.max(at);
        } else if line.starts_with('⎯')
            && (line.contains("Unhandled ") || line.contains("Startup Error"))
        {
            let end = block_end(lines, at);
            if !line.contains("Unhandled Errors") {
                let from = lines
                    .after(at, 3)
                    .find(|(_, line)| !line.trim().is_empty())
                    .map_or(at, |(at, _)| at);
                findings.extend(block(context, lines, (from, from, end), ""));
                lines.claim(head..end);
                at = end.max(at);
            }
        } else if line
            .trim_start()
            .starts_with("No test files found, exiting")
        {
            findings.push(context.find(head, "vitest", "test", line.trim()));
            lines.claim(head..head + 1);
        } else if let Some(text) = line.trim_start().strip_prefix("ERROR: Coverage for ") {
            findings.push(context.find(head, "vitest", "test", &format!("Coverage for {text}")));
            lines.claim(head..head + 1);
        }
    }
    if findings.is_empty() {
        return lines.each(|lines, at, line| progress(context, lines, at, line));
    }
    findings
}

/// ` FAIL  |project| file > suite > test`, ` FAIL  file [ file ]`.
fn fail_head(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(" FAIL  ")?.trim();
    let rest = match rest.strip_prefix('|') {
        Some(project) => project.split_once("| ").map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    // Jest heads its files like this when it writes in colour.
    let rest = rest.trim_start();
    (rest.contains(" > ") || rest.contains(" [ ")).then_some(rest)
}

fn block_end(lines: &Lines, from: usize) -> usize {
    lines
        .after(from, 600)
        .find(|(_, line)| {
            line.starts_with('⎯') || fail_head(line).is_some() || line.starts_with(" Test Files ")
        })
        .map_or(lines.len().min(from + 600), |(end, _)| end)
}

fn block(
    context: &Context,
    lines: &Lines,
    (at, from, to): (usize, usize, usize),
    name: &str,
) -> Option<Finding> {
    let file = name.split(" > ").next().unwrap_or_default();
    let file = file.split(" [ ").next().unwrap_or_default().trim();
    let test = name.split_once(" > ").map_or("", |(_, test)| test);
    let (first, text) = lines
        .after(from, to.saturating_sub(from))
        .find(|(_, line)| !line.trim().is_empty())?;
    let (class, message) = split_class(text.trim());
    let message = if class.is_empty() || message.is_empty() {
        text.trim()
    } else {
        message
    };
    let mut message = message.to_owned();
    if (message.starts_with("Transform failed with") || message.starts_with("Build failed with"))
        && let Some((_, told)) = lines
            .after(first + 1, 4)
            .find(|(_, line)| !line.trim().is_empty())
    {
        message.push(' ');
        message.push_str(told.trim());
    }
    let finding = context
        .find(at, "vitest", "test", &message)
        .code(class)
        .test(test);
    let place = lines
        .after(from, to.saturating_sub(from))
        .filter_map(|(_, line)| frame(line))
        .find(|place| context.place(place.path).local);
    Some(match place {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding.place(context, file, "", ""),
    })
}

/// ` ❯ Module.slug src/slug.ts:1:38`.
fn frame(line: &str) -> Option<super::shape::At<'_>> {
    let text = line.trim_start().strip_prefix("❯ ")?.trim();
    let word = text.rsplit(' ').next()?;
    location(text)
        .filter(|place| place.rest.is_empty() && !place.path.contains(' '))
        .or_else(|| location(word))
        .filter(|place| place.rest.is_empty())
}

/// `   × slug > replaces 6ms` and its `→ text`, when the reporter prints nothing more.
fn progress(context: &Context, lines: &Lines, at: usize, line: &str) -> Option<Finding> {
    let name = line.trim_start().strip_prefix("× ")?.trim();
    let name = match name.rsplit_once(' ') {
        Some((name, time)) if time.ends_with("ms") || time.ends_with('s') => name,
        _ => name,
    };
    let text = lines.get(at + 1).trim_start().strip_prefix("→ ")?;
    let (file, test) = name
        .split_once(" > ")
        .filter(|(file, _)| file.contains(".test.") || file.contains(".spec."))
        .unwrap_or(("", name));
    let finding = context.find(at, "vitest", "test", text).test(test);
    Some(finding.place(context, file, "", ""))
}
