//! Scripts of the project that a command line calls by their files, however their paths are spelled.

use crate::{Script, SimpleCommand, Word, is_shell};

/// Options of a shell that only say how it runs a script.
const HARMLESS: &[&str] = &[
    "-e", "-x", "-u", "-ex", "-eu", "-eux", "-euo", "-exuo", "-l", "-o", "pipefail",
];

/// The scripts of a line that calls nothing else: their paths from where the line starts, with the words that
/// they are given. None of a line that does more, for then they do not say how it ended.
pub(super) fn called(script: &Script) -> Vec<String> {
    let mut found = Vec::new();
    for part in &script.commands {
        if matches!(part.name(), "cd" | "pushd" | "set" | "export") || part.words.is_empty() {
            continue;
        }
        match one(part) {
            Some(script) => found.push(script),
            None => return Vec::new(),
        }
    }
    found
}

/// The script that a command calls by its file, from where the line starts, with the words that it is given.
pub(super) fn one(command: &SimpleCommand) -> Option<String> {
    let (first, rest) = command.words.split_first()?;
    let (file, given) = if is_shell(first.program()) || matches!(&*first.text, "." | "source") {
        let harmless = |word: &Word| HARMLESS.contains(&word.text.as_str());
        let at = rest.iter().position(|word| !harmless(word))?;
        let (file, given) = rest.get(at..)?.split_first()?;
        (file, given)
    } else if first.text.contains('/') && !first.text.starts_with('/') {
        (first, rest)
    } else {
        return None;
    };
    let odd = |word: &Word| word.unknown || word.inner.is_some();
    let asks = |word: &Word| matches!(word.text.as_str(), "--help" | "-h" | "--version");
    if odd(file)
        || file.text.starts_with(['-', '/', '~'])
        || given.iter().any(|w| odd(w) || asks(w))
    {
        return None;
    }
    let dir = command.dir.as_deref().filter(|dir| !dir.starts_with('/'))?;
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(file.text.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_none_or(|last| *last == "..") => parts.push(part),
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mut name = parts.join("/");
    for word in given {
        name.push(' ');
        name.push_str(&word.text);
    }
    Some(name)
}
