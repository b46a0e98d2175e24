//! `dotnet test` (xUnit, NUnit, MSTest) and unhandled exceptions of .NET.
//!
//! Samples: 114, 115.

use super::java::exception;
use super::shape::joined;
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["Error Message:", "Unhandled exception", "error TESTERROR"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Built once: a search set up anew for every line costs more than reading the line.
    let terminal = memchr::memmem::Finder::new(": error TESTERROR: ");
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        if let Some(name) = line.trim_start().strip_prefix("Failed ")
            && lines.get(at).trim() == "Error Message:"
        {
            let name = name.rsplit_once(" [").map_or(name, |(name, _)| name);
            let end = lines
                .after(at + 1, 200)
                .find(|(_, next)| {
                    next.trim().is_empty() || next.trim_start().starts_with("Failed ")
                })
                .map_or(lines.len().min(at + 200), |(end, _)| end);
            let body: Vec<&str> = lines
                .after(at + 1, end - at - 1)
                .map(|(_, next)| next.trim())
                .take_while(|next| *next != "Stack Trace:")
                .collect();
            let first = body.first().copied().unwrap_or("test failed");
            // NUnit puts what was expected on one line and what came on the next.
            let message = if first.starts_with("Expected:") {
                joined(body.iter().copied().take(2))
            } else {
                first.to_owned()
            };
            let (code, message) = exception(&message).map_or_else(
                || (String::new(), message.clone()),
                |(class, text)| (class.to_owned(), text.to_owned()),
            );
            let (code, message) = if code.is_empty() && first.starts_with("Test method ") {
                threw(&body).unwrap_or((code, message))
            } else {
                (code, message)
            };
            let finding = context
                .find(
                    head,
                    "dotnet",
                    "test",
                    message.strip_prefix(" : ").unwrap_or(&message),
                )
                .code(&code)
                .test(name);
            findings.push(placed(context, lines, finding, at, end));
            lines.claim(head..end);
            at = end;
        } else if let Some(rest) = line
            .strip_prefix("Unhandled exception. ")
            .or_else(|| line.strip_prefix("Unhandled exception: "))
        {
            let end = lines
                .after(at, 200)
                .find(|(_, next)| !next.starts_with([' ', '\t']))
                .map_or(lines.len().min(at + 200), |(end, _)| end);
            let (class, message) = exception(rest).unwrap_or(("", rest));
            let inner = lines.after(at, end - at).find_map(|(number, next)| {
                Some((number, next.trim_start().strip_prefix("---> ")?))
            });
            let outer_end = inner.map_or(end, |(number, _)| number);
            // The frames of the inner exception come first, then those of the outer one.
            let split = lines
                .after(outer_end, end - outer_end)
                .find(|(_, next)| next.contains("--- End of inner exception"))
                .map_or(outer_end, |(number, _)| number);
            let finding = context.find(head, "dotnet", "runtime", message).code(class);
            findings.push(placed(
                context,
                lines,
                finding,
                if inner.is_some() { split } else { at },
                end,
            ));
            if let Some((number, text)) = inner {
                let (class, message) = exception(text).unwrap_or(("", text));
                let finding = context
                    .find(head, "dotnet", "runtime", message)
                    .code(class)
                    .cause_if(true);
                findings.push(placed(context, lines, finding, number, split));
            }
            lines.claim(head..end);
            at = end;
        } else if terminal.find(line.as_bytes()).is_some()
            && let Some((place, rest)) = line.trim_start().split_once(": error TESTERROR: ")
        {
            let (name, text) = rest.split_once(": ").unwrap_or((rest, ""));
            let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
            let text = text.strip_prefix("Error Message: ").unwrap_or(text);
            let finding = context.find(head, "dotnet", "test", text).test(name);
            let place = super::shape::paren_location(place);
            findings.push(match place {
                Some(place) => finding.place(context, place.path, place.line, place.column),
                None => finding,
            });
        }
    }
    findings
}

/// `Test method X threw exception:` and the exception on the next line.
fn threw(body: &[&str]) -> Option<(String, String)> {
    let (class, message) = exception(body.get(1)?)?;
    Some((class.to_owned(), message.to_owned()))
}

/// The first frame `in path:line n` that is the repository's own, else the first.
fn placed(context: &Context, lines: &Lines, finding: Finding, from: usize, to: usize) -> Finding {
    let frames = || {
        lines
            .after(from, to.saturating_sub(from))
            .filter_map(|(_, line)| {
                let (_, place) = line.trim_start().strip_prefix("at ")?.rsplit_once(" in ")?;
                place.rsplit_once(":line ")
            })
    };
    let own = frames().find(|(path, _)| context.place(path).local);
    match own.or_else(|| frames().next()) {
        Some((path, number)) => finding.place(context, path, number.trim(), ""),
        None => finding,
    }
}
