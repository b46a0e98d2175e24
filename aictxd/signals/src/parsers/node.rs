//! Errors that end a program of Node.js: thrown, rejected, or printed with their stack.
//!
//! Yields `Class: text` when frames of JavaScript follow, or when Node shows the throwing line
//! above; causes and members of aggregates behind it. Samples: 30, 31, 38.

use super::mocha::class_and_code;
use super::shape::{At, indent, js_frame, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["node", "ts-node", "tsx", "nodemon"],
    needles: &["    at ", "Node.js v", "(Use `node --trace-uncaught"],
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
        if line.is_empty() || line.starts_with([' ', '\t', '(']) {
            continue;
        }
        if let Some((finding, end)) = thrown(context, lines, head) {
            findings.push(finding);
            findings.extend(inner(context, lines, head, end));
            lines.claim(head..end);
            at = end;
        } else if line.starts_with("node: bad option: ") {
            findings.push(context.find(head, "javascript", "runtime", line));
        }
    }
    findings
}

/// Words of the class at the start of an uncaught error: `Error`, `TypeError [ERR_X]`.
fn classed(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let end = line.find([':', ' ', '{']).unwrap_or(line.len());
    let class = line.get(..end)?;
    let known = class.ends_with("Error")
        || class.ends_with("Exception")
        || class.ends_with("Rejection")
        || class.ends_with("Warning");
    let good = known
        && class
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'));
    if good && (line.len() == end || line.get(end..)?.starts_with([':', ' '])) {
        let (code, message) = class_and_code(line);
        let code = if code.is_empty() { class } else { code };
        return Some((code, message));
    }
    // `Failed: TypeError: x` as console.error prints a labelled error.
    None
}

fn labelled(line: &str) -> Option<(&str, &str)> {
    let from = line.find("Error: ")?;
    let start = line.get(..from)?.rfind(' ').map_or(0, |blank| blank + 1);
    classed(line.get(start..)?)
}

fn thrown<'t>(context: &Context, lines: &Lines<'t>, head: usize) -> Option<(Finding, usize)> {
    let line = lines.get(head);
    let shown = shown_place(lines, head);
    let uncaught = shown.is_some();
    let parts = classed(line).or_else(|| labelled(line));
    // The frames begin within a few lines; what is between belongs to the message.
    let frames = lines
        .after(head + 1, 40)
        .take_while(|(number, next)| *number == head + 1 || !next.is_empty() || uncaught)
        .take_while(|(_, next)| !next.starts_with("Node.js v"))
        .find(|(_, next)| is_frame(next))
        .map(|(number, _)| number);
    let (code, message) = match (parts, frames) {
        (Some(parts), Some(_)) => parts,
        (Some(parts), None) if uncaught => parts,
        // Something that is no error was thrown.
        (None, _)
            if uncaught
                && lines
                    .after(head + 1, 2)
                    .any(|(_, next)| next.starts_with("(Use `node --trace-uncaught")) =>
        {
            ("", line)
        }
        _ => return None,
    };
    let end = frames.map_or(head + 1, |first| {
        first
            + lines
                .after(first, 400)
                .take_while(|(_, next)| {
                    next.starts_with([' ', '\t']) || *next == "}" || *next == "]"
                })
                .count()
    });
    // ts-node hands on what the compiler said, which is read by its own recogniser.
    let wraps = line.starts_with("TSError: ");
    let code = property(lines, head, end).unwrap_or(code);
    let first = lines
        .after(head + 1, end - head - 1)
        .filter_map(|(_, next)| js_frame(next))
        .find(|place| context.place(place.path).local);
    let syntax = line.starts_with("SyntaxError");
    let place = if syntax {
        shown.or(first)
    } else {
        first.or(shown)
    };
    let finding = context
        .find(head, "javascript", "runtime", message)
        .code(code);
    let place = place.filter(|place| !context.place(place.path).file.is_empty());
    let finding = if wraps { finding.wrapper() } else { finding };
    Some((
        match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        },
        end,
    ))
}

fn is_frame(line: &str) -> bool {
    if line.starts_with("    at ") || line.starts_with("\tat ") || line.starts_with("   at ") {
        return js_frame(line).is_some_and(|place| !place.column.is_empty())
            || line.contains("(node:")
            || line.ends_with("(<anonymous>)");
    }
    false
}

/// The `path:line` that Node shows above an uncaught error, with the source and a caret.
fn shown_place<'t>(lines: &Lines<'t>, head: usize) -> Option<At<'t>> {
    let from = head.saturating_sub(6);
    let mut caret = false;
    let mut found = None;
    for (_, line) in lines.after(from, head - from) {
        if let Some(place) = location(line)
            && place.rest.is_empty()
            && !line.starts_with(' ')
        {
            found = Some(place);
            caret = false;
        } else if !line.trim().is_empty() && line.trim().bytes().all(|byte| byte == b'^') {
            caret = true;
        }
    }
    found.filter(|_| caret)
}

/// `code: 'ENOENT'` among the properties behind the frames.
fn property<'t>(lines: &Lines<'t>, head: usize, end: usize) -> Option<&'t str> {
    lines.after(head, end - head).find_map(|(_, line)| {
        if indent(line) != 2 {
            return None;
        }
        let value = line.trim_start().strip_prefix("code: ")?;
        let value = value.trim_end_matches(',').trim_matches(['\'', '"']);
        (!value.is_empty()).then_some(value)
    })
}

/// Causes and members: `[cause]: Error: x`, `[errors]: [ Error: a`.
fn inner(context: &Context, lines: &Lines, head: usize, end: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut members = false;
    for (at, line) in lines.after(head + 1, end.saturating_sub(head + 1)) {
        let text = line.trim_start();
        members |= text.starts_with("[errors]: [");
        let told = text
            .strip_prefix("[cause]: ")
            .or_else(|| text.strip_prefix("cause: "))
            .or_else(|| (members && indent(line) == 4).then_some(text));
        let Some((code, message)) = told.and_then(classed) else {
            continue;
        };
        let depth = indent(line);
        let place = lines
            .after(at + 1, 30)
            .take_while(|(_, next)| indent(next) > depth)
            .filter_map(|(_, next)| js_frame(next))
            .find(|place| context.place(place.path).local);
        let finding = context
            .find(
                head,
                "javascript",
                "runtime",
                message.trim_end_matches([',', '{', ' ']),
            )
            .code(code)
            .cause_if(true);
        found.push(match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        });
        if found.len() >= 8 {
            break;
        }
    }
    found
}
