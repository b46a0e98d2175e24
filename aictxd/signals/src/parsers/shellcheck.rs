//! ShellCheck: the terminal's and GCC's format.
//!
//! Notes below a warning are told only when nothing is worse. Samples: 86.

use super::shape::{location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["shellcheck"],
    needles: &["-- SC", "^ SC", "[SC"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut place: Option<(&str, &str)> = None;
    let mut notes: Vec<bool> = Vec::new();
    let mut findings = lines.each(|_, at, line| {
        if let Some(rest) = line.strip_prefix("In ")
            && let Some((path, number)) = rest.rsplit_once(" line ")
        {
            place = Some((path, number.trim_end_matches(':')));
            return None;
        }
        if let Some(finding) = gcc_format(context, at, line, &mut notes) {
            return Some(finding);
        }
        let text = line.trim_start().strip_prefix('^')?;
        let text = text.trim_start_matches(['-', '^']).strip_prefix(' ')?;
        let (code, rest) = text.split_once(" (")?;
        let (level, message) = rest.split_once("): ")?;
        if !code.starts_with("SC") {
            return None;
        }
        let (path, number) = place?;
        notes.push(!matches!(level, "error" | "warning"));
        Some(finding(context, at, (level, code, message)).place(context, path, number, ""))
    });
    if notes.contains(&false) {
        let mut note = notes.into_iter();
        findings.retain(|_| note.next() == Some(false));
    }
    findings
}

fn finding(context: &Context, at: usize, (level, code, message): (&str, &str, &str)) -> Finding {
    context
        .find(at, "shell", "lint", message)
        .tool("shellcheck")
        .code(code)
        .warning_if(level != "error")
}

/// `path:2:6: note: text [SC2086]`.
fn gcc_format(context: &Context, at: usize, line: &str, notes: &mut Vec<bool>) -> Option<Finding> {
    let (text, code) = trailing(line, '[', ']').filter(|(_, code)| code.starts_with("SC"))?;
    let place = location(text)?;
    let (level, message) = place.rest.split_once(": ")?;
    notes.push(!matches!(level, "error" | "warning"));
    Some(finding(context, at, (level, code, message)).place(
        context,
        place.path,
        place.line,
        place.column,
    ))
}
