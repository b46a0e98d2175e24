//! Perl: `text at path line l.`
//!
//! Warnings are events only of programs that failed for no better reason. Samples: 87, 88.

use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["perl", "prove"],
    needles: &[".pl line ", ".pm line ", ".t line ", "at -e line "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = lines.each(|_, at, line| {
        if line.starts_with("BEGIN failed--")
            || line.starts_with("Compilation failed in require")
            || line.starts_with([' ', '\t', '#'])
        {
            return None;
        }
        let from = line.rfind(" line ")?;
        let (number, rest) = digits(line.get(from + 6..)?)?;
        let (message, path) = line.get(..from)?.rsplit_once(" at ")?;
        if path.contains(' ') && !path.starts_with('(') {
            return None;
        }
        let near = rest.strip_prefix(", near ");
        let perl = context.runs(&["perl", "prove"])
            || [".pl", ".pm", ".t"].iter().any(|end| path.ends_with(end));
        if !perl
            || !(rest.starts_with('.')
                || near.is_some()
                || rest.starts_with(", <")
                || rest.starts_with(", at EOF")
                || rest.starts_with(", within"))
        {
            return None;
        }
        let message = match near {
            Some(near) => format!("{message}, near {}", near.trim_end_matches('.')),
            None => message.to_owned(),
        };
        let warning = [
            "Use of uninitialized",
            "Useless use of",
            "Argument \"",
            "Name \"",
            "Odd number of",
            "\"my\" variable",
        ]
        .iter()
        .any(|start| message.starts_with(start));
        let path = if path == "-e" { "" } else { path };
        Some(
            context
                .find(at, "perl", "runtime", &message)
                .warning_if(warning)
                .place(context, path, number, ""),
        )
    });
    if findings
        .iter()
        .any(|finding| finding.event.severity == "error")
    {
        findings.retain(|finding| finding.event.severity == "error");
    }
    findings
}
