//! ESLint's JSON format, read without building a document: the members that matter, in the order
//! in which ESLint writes them.

use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["\"ruleId\":"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in 0..lines.len() {
        let mut file = String::new();
        let mut rest = lines.get(at);
        if !rest.starts_with("[{\"filePath\":") {
            continue;
        }
        while let Some((member, after)) = next_member(rest) {
            rest = after;
            if member == "filePath" {
                file = string(rest).unwrap_or_default();
                continue;
            }
            // A rule opens a message; what belongs to it follows before the next one.
            let end = rest.find("\"ruleId\":").unwrap_or(rest.len());
            let own = rest.get(..end).unwrap_or(rest);
            let message = value(own, "\"message\":").and_then(string);
            if let Some(message) = message.filter(|_| findings.len() < MAX_FINDINGS) {
                let rule = string(rest).unwrap_or_default();
                let warning = value(own, "\"severity\":").is_some_and(|text| text.starts_with('1'));
                let number = value(own, "\"line\":").and_then(super::shape::digits);
                let number = number.map_or("", |(digits, _)| digits);
                findings.push(
                    context
                        .find(at, "eslint", "lint", &message)
                        .code(&rule)
                        .warning_if(warning)
                        .place(context, &file, number, ""),
                );
            }
        }
        lines.claim(at..at + 1);
    }
    findings
}

/// The next `"filePath":` or `"ruleId":` and what follows it.
fn next_member(text: &str) -> Option<(&'static str, &str)> {
    let file = text.find("\"filePath\":").map(|at| (at, "filePath"));
    let rule = text.find("\"ruleId\":").map(|at| (at, "ruleId"));
    let (at, name) = match (file, rule) {
        (Some(file), Some(rule)) => file.min(rule),
        (file, rule) => file.or(rule)?,
    };
    Some((name, text.get(at + name.len() + 3..)?))
}

fn value<'t>(text: &'t str, member: &str) -> Option<&'t str> {
    text.get(text.find(member)? + member.len()..)
}

/// A string at the start of `text`, its escapes resolved as far as messages need.
fn string(text: &str) -> Option<String> {
    let mut chars = text.strip_prefix('"')?.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some(out),
            '\\' => match chars.next()? {
                'n' | 't' | 'r' => out.push(' '),
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    None
}
