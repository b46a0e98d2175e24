//! PHP: fatal and parse errors, uncaught exceptions.
//!
//! Both streams may hold the same error (`PHP Fatal error:` and `Fatal error:`); equal ones merge.
//! Samples: 79, 80, 83.

use super::{Context, Finding, Lines, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["php"],
    needles: &[
        "Fatal error: ",
        "Parse error: ",
        "Fatal error:  ",
        "Could not open input file: ",
        "syntax error, unexpected",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut log = false;
    let findings = lines.each(|lines, at, line| {
        let prefixed = line.strip_prefix("PHP ");
        let text = prefixed.unwrap_or(line).trim_start();
        if let Some(path) = text.strip_prefix("Could not open input file: ") {
            return Some(
                context
                    .find(at, "php", "runtime", text)
                    .place(context, path, "", ""),
            );
        }
        let (kind, text) = text.split_once(": ")?;
        let text = text.trim_start();
        let finding = match kind {
            "Parse error" => {
                let (message, path, number) = on_line(text)?;
                context
                    .find(at, "php", "runtime", message)
                    .code("ParseError")
                    .place(context, path, number, "")
            }
            "Fatal error" | "Recoverable fatal error" | "Catchable fatal error" => {
                if let Some(rest) = text.strip_prefix("Uncaught ") {
                    uncaught(context, lines, at, rest)
                } else {
                    let (message, path, number) = on_line(text)?;
                    context
                        .find(at, "php", "runtime", message)
                        .place(context, path, number, "")
                }
            }
            _ => return None,
        };
        // The log's copy of what is on the screen.
        log |= prefixed.is_some();
        Some(finding)
    });
    if log {
        return without_copies(findings);
    }
    findings
}

fn without_copies(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let same = |known: &Finding| {
            known.event.message == finding.event.message
                && known.event.file == finding.event.file
                && known.event.line == finding.event.line
        };
        if !kept.iter().any(same) {
            kept.push(finding);
        }
    }
    kept
}

/// `text in path on line 4`.
fn on_line(text: &str) -> Option<(&str, &str, &str)> {
    let (head, number) = text.rsplit_once(" on line ")?;
    let (message, path) = head.rsplit_once(" in ")?;
    Some((message, path, number.trim()))
}

/// `Class: text in path:5`, the text maybe on several lines.
fn uncaught(context: &Context, lines: &Lines, at: usize, text: &str) -> Finding {
    // Chained exceptions follow behind `Next `; the last one ended the program.
    let mut text = text;
    let mut from = at;
    for (number, line) in lines.after(at + 1, 400) {
        if let Some(next) = line.strip_prefix("Next ") {
            text = next;
            from = number;
        } else if line.trim_start().starts_with("thrown in ") {
            break;
        }
    }
    let thrown = lines
        .after(from + 1, 400)
        .map(|(_, line)| line.trim_start())
        .find_map(|line| {
            let rest = line.strip_prefix("thrown in ")?;
            rest.rsplit_once(" on line ")
        });
    let (class, message) = split_class(text);
    let class = class.rsplit('\\').next().unwrap_or(class);
    let (class, message) = if class.is_empty() {
        // Names with a namespace hold backslashes.
        text.split_once(": ").map_or(("", text), |(name, message)| {
            (name.rsplit('\\').next().unwrap_or(name), message)
        })
    } else {
        (class, message)
    };
    let place = message
        .rsplit_once(" in ")
        .and_then(|(message, place)| Some((message, place.rsplit_once(':')?)));
    let (message, inline) = match place {
        Some((message, place)) => (message, Some(place)),
        None => (message, None),
    };
    // `…, called in /r/i.php on line 1 and defined`: where it is called is no part of the error.
    let message = message.split(", called in ").next().unwrap_or(message);
    let finding = context.find(at, "php", "runtime", message).code(class);
    match inline.or(thrown) {
        Some((path, number)) => finding.place(context, path, number.trim(), ""),
        None => finding,
    }
}
