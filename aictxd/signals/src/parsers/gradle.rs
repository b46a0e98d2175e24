//! Gradle: failed tests, and what went wrong when nothing else says it.
//!
//! Samples: 59b.

use super::java::{exception, own_frame};
use super::shape::{digits, indent};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[" FAILED", "* What went wrong:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        if !lines.is_free(head) {
            continue;
        }
        let line = lines.get(head);
        if line.starts_with("* What went wrong:") {
            findings.extend(wrong(context, lines, head));
            continue;
        }
        let Some(test) = line
            .strip_suffix(" FAILED")
            .filter(|name| name.contains(" > ") && !name.starts_with([' ', '>']))
        else {
            continue;
        };
        let text = lines.get(at).trim();
        if text.is_empty() || indent(lines.get(at)) == 0 {
            continue;
        }
        let end = lines
            .after(at, 400)
            .find(|(_, next)| indent(next) == 0)
            .map_or(lines.len().min(at + 400), |(end, _)| end);
        // Without a stack trace the place stands behind the class.
        let (text, short) = match text.rsplit_once(" at ") {
            Some((class, place)) if exception(class).is_some() && place.contains(':') => {
                (class, place.split_once(':'))
            }
            _ => (text, None),
        };
        let (class, message) = exception(text).unwrap_or(("", text));
        let place = short
            .filter(|(_, line)| digits(line).is_some())
            .or_else(|| {
                lines
                    .after(at + 1, end - at)
                    .find_map(|(_, next)| own_frame(next))
            });
        let finding = context
            .find(head, "java", "test", message)
            .code(class)
            .test(test);
        findings.push(match place {
            Some((file, number)) => finding.place(context, file, number, ""),
            None => finding,
        });
        lines.claim(head..end);
        at = end;
    }
    findings
}

/// The reason of the build's failure, with the place of the script if it is one.
fn wrong(context: &Context, lines: &Lines, head: usize) -> Option<Finding> {
    let body = || {
        lines
            .after(head + 1, 30)
            .map(|(_, line)| line)
            .take_while(|line| !line.starts_with("* "))
    };
    let reason = body()
        .map(str::trim_start)
        .find_map(|line| line.strip_prefix("> "));
    let first = body().find(|line| !line.trim().is_empty())?;
    let vague = reason.is_none_or(|reason| {
        reason.starts_with("There were failing tests")
            || reason.starts_with("Compilation ")
            || reason.starts_with("A failure occurred")
    });
    let message = if vague {
        first
    } else {
        reason.unwrap_or(first)
    };
    let finding = context
        .find(head, "java", "build", message)
        .tool("gradle")
        .wrapper();
    let place = lines
        .after(head.saturating_sub(4), 4)
        .find_map(|(_, line)| {
            let rest = line
                .strip_prefix("Build file '")
                .or_else(|| line.strip_prefix("Settings file '"))?;
            rest.split_once("' line: ")
        });
    Some(match place {
        Some((path, number)) => finding.place(context, path, number.trim(), ""),
        None => finding,
    })
}
