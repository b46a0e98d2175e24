//! The text that a command hands to a shell, put together from its words.

use super::super::{SimpleCommand, Text, Word};

pub(super) enum Source<'w, 't> {
    /// The text, and the words behind it that it calls `$1` and so on.
    Text(Text<'t>, &'w [Word<'t>]),
    Stdin,
    File,
}

pub(super) fn shell_script<'w, 't>(arguments: &'w [Word<'t>]) -> Source<'w, 't> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        // `bash -n` only looks whether it could be read.
        if text == "-n" {
            return Source::File;
        }
        if matches!(text, "--command" | "-Command") || is_cluster_with(text, 'c') {
            // `bash -c -e 'text'`: options may still follow.
            let rest = arguments.get(at + 1..).unwrap_or_default();
            let at = skip_options(rest, &["-o", "-O"]);
            let text = rest.get(at).map(|word| word.text.clone());
            // The first word behind is the name of the script.
            let words = rest.get(at + 2..).unwrap_or_default();
            return Source::Text(text.unwrap_or_default(), words);
        }
        if matches!(text, "-o" | "-O" | "--rcfile" | "--init-file") {
            at += 2;
            continue;
        }
        if is_cluster_with(text, 's') || text == "-" {
            return Source::Stdin;
        }
        if matches!(text, "sh" | "ash") && at == 0 {
            // `busybox sh -c …`
            at += 1;
            continue;
        }
        if !text.starts_with(['-', '+']) {
            return if text == "/dev/stdin" {
                Source::Stdin
            } else {
                Source::File
            };
        }
        at += 1;
    }
    Source::Stdin
}

pub(super) fn is_cluster_with(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// A script that another program runs, with the text that a here-document gives to that program: the
/// last command of the script reads it, unless it reads something of its own.
pub(super) fn with_input<'t>(script: Text<'t>, command: &SimpleCommand) -> Text<'t> {
    let Some(body) = command.stdin_text() else {
        return script;
    };
    let end = (0..64)
        .map(|nth| format!("END{nth}"))
        .find(|end| !body.contains(end.as_str()))
        .unwrap_or_default();
    // A `;` at the end belongs to no command; `\;` and `;;` do.
    let script = script.trim_end();
    let script = match script.strip_suffix(';') {
        Some(before) if !before.ends_with(['\\', ';']) => before,
        _ => script,
    };
    format!("{script} <<'{end}'\n{body}\n{end}\n").into()
}

/// Returns the commands that `git submodule foreach`, `git bisect run` and `git rebase --exec` run.
pub(super) fn git_text<'t>(arguments: &[Word<'t>]) -> Option<Text<'t>> {
    let at = |text: &str| arguments.iter().position(|word| word.text == text);
    if let Some(at) = at("foreach").filter(|at| *at > 0) {
        let rest = arguments.get(at + 1..)?;
        return Some(join(rest.get(skip_options(rest, &[])..)?));
    }
    if at("bisect").is_some()
        && let Some(at) = at("run")
    {
        return Some(quoted(arguments.get(at + 1..)?));
    }
    at("rebase")?;
    if let Some(word) = after(arguments, &["-x", "--exec"]) {
        return Some(word.text.clone());
    }
    arguments
        .iter()
        .find_map(|word| word.text.strip_prefix("--exec="))
        .map(|text| text.to_owned().into())
}

/// PowerShell under any of its names.
pub(super) fn is_powershell(name: &str) -> bool {
    name.eq_ignore_ascii_case("powershell") || name.eq_ignore_ascii_case("pwsh")
}

/// The text behind `-Command` (the default), if it is one.
pub(super) fn powershell_script<'t>(arguments: &[Word<'t>]) -> Option<Text<'t>> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.to_ascii_lowercase();
        match text.as_str() {
            "-command" | "-c" => return Some(join(arguments.get(at + 1..)?)),
            "-file" | "-f" | "-encodedcommand" | "-enc" | "-e" | "-ec" => return None,
            "-executionpolicy" | "-ep" | "-ex" | "-windowstyle" | "-w" | "-version" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => return Some(join(arguments.get(at..)?)),
        }
    }
    None
}

/// Number of leading words that are options or values of options.
pub(super) fn skip_options(words: &[Word], valued: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text == "--" {
            return at + 1;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            break;
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    at.min(words.len())
}

pub(super) fn after<'w, 't>(words: &'w [Word<'t>], flags: &[&str]) -> Option<&'w Word<'t>> {
    let at = words
        .iter()
        .position(|word| flags.contains(&word.text.as_str()))?;
    words.get(at + 1)
}

/// Words as they are, for a line that a shell takes apart again.
pub(super) fn quoted<'t>(words: &[Word<'t>]) -> Text<'t> {
    if let [word] = words {
        return word.text.clone();
    }
    let mut out = String::new();
    for word in words {
        out.push('\'');
        out.push_str(&word.text.replace('\'', "'\\''"));
        out.push_str("' ");
    }
    out.into()
}

pub(super) fn join<'t>(words: &[Word<'t>]) -> Text<'t> {
    if let [word] = words {
        return word.text.clone();
    }
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.text);
    }
    out.into()
}
