//! Shells: errors of scripts and commands that are not there.
//!
//! Yields `path: line l: text` of bash, `sh: 1: text` of dash, `zsh:1: text`. Samples: 84, 85, 91.

use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        ": line ",
        "not found",
        "yntax error",
        ": No such file or directory",
        "ermission denied",
        "bash: ",
        "unbound variable",
        "parameter not set",
        "sh: ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if line.starts_with([' ', '\t', '[']) {
            return None;
        }
        if let Some((path, rest)) = line.split_once(": line ")
            && let Some((number, rest)) = digits(rest)
            && let Some(text) = rest.strip_prefix(": ")
            && !path.contains([' ', '"'])
        {
            // bash repeats the source line of a syntax error in quotes.
            if (text.starts_with('`') && text.ends_with('\'')) || is_signal(text) {
                return None;
            }
            return Some(script(context, at, path, number, text));
        }
        let (path, rest) = line.split_once(": ")?;
        let name = path.rsplit('/').next()?.trim_start_matches('-');
        let is_shell = matches!(name, "sh" | "bash" | "dash" | "zsh" | "ash" | "ksh");
        if let Some((number, rest)) = digits(rest)
            && let Some(text) = rest.strip_prefix(": ")
            && (is_shell || name.ends_with(".sh") || said_by_shell(text))
            && !path.contains(' ')
        {
            return Some(script(context, at, path, number, text));
        }
        if let Some((name, number)) = path.rsplit_once(':')
            && matches!(name, "zsh" | "fish" | "(eval)")
            && digits(number).is_some()
        {
            return Some(script(context, at, name, number, rest));
        }
        if !is_shell || lines.len() == 0 || is_signal(rest) {
            return None;
        }
        let known = said_by_shell(rest)
            || rest.starts_with("cd: ")
            || rest.contains("syntax error")
            || rest.ends_with("o such file or directory")
            || rest.ends_with("ermission denied")
            || rest.contains("ambiguous redirect")
            || rest.contains("Is a directory");
        known.then(|| context.find(at, "shell", "runtime", rest))
    })
}

fn said_by_shell(text: &str) -> bool {
    text.ends_with(": not found")
        || text.ends_with(": command not found")
        || text.ends_with("unbound variable")
        || text.ends_with("parameter not set")
        || text.starts_with("Syntax error")
        || text.ends_with(": Permission denied")
        || text.starts_with("Bad substitution")
}

/// A process that died by a signal is told by its exit status.
fn is_signal(text: &str) -> bool {
    let text = text
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    [
        "Segmentation fault",
        "Aborted",
        "Killed",
        "Terminated",
        "Bus error",
        "Floating point exception",
        "Illegal instruction",
    ]
    .iter()
    .any(|signal| text.starts_with(signal))
}

fn script(context: &Context, at: usize, path: &str, number: &str, text: &str) -> Finding {
    let finding = context.find(at, "shell", "runtime", text);
    let name = path.rsplit('/').next().unwrap_or(path);
    // What was given with `-c` has no file.
    if matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ash"
            | "ksh"
            | "-c"
            | "main"
            | "environment"
            | "(eval)"
            | "fish"
    ) {
        return finding;
    }
    finding.place(context, path, number, "")
}
