//! Files that end up with nothing in them: fed by what prints nothing, or read by what has just emptied
//! them.

use aictx_shell::{RedirectKind, SimpleCommand, Word};

use super::options::value_of;
use super::path_target::Touch;
use super::{Call, Judge, Kind};

/// Returns true if standard input is certainly empty.
pub(super) fn is_fed_nothing(call: Call) -> bool {
    match call.feeder() {
        Some(feeder) => prints_nothing(feeder),
        None => reads_null(call.command),
    }
}

pub(super) fn reads_null(command: &SimpleCommand) -> bool {
    command
        .redirects
        .iter()
        .any(|redirect| redirect.kind == RedirectKind::Read && redirect.target.text == "/dev/null")
}

/// Returns true if a command certainly prints nothing, so that what takes its output is emptied.
pub(super) fn prints_nothing(command: &SimpleCommand) -> bool {
    let mut arguments = command.arguments().iter();
    match command.name() {
        "" => {
            command.words.is_empty()
                || matches!(command.words.as_slice(), [only] if only.text.is_empty())
        }
        "$null" | "echo." => command.words.len() == 1,
        "type" => arguments.any(|word| word.text.eq_ignore_ascii_case("nul")),
        ":" | "true" => true,
        "cat" => {
            arguments.any(|word| word.text == "/dev/null")
                || (command.arguments().is_empty() && reads_null(command))
        }
        "echo" | "printf" => arguments.all(|word| word.text.is_empty() || word.text == "-n"),
        // The first none of the lines.
        "head" | "tail" => {
            let words: Vec<&str> = arguments.map(|word| word.text.as_str()).collect();
            words
                .iter()
                .any(|word| matches!(*word, "-c0" | "-n0" | "-0" | "--bytes=0" | "--lines=0"))
                || words
                    .windows(2)
                    .any(|pair| matches!(pair, ["-c" | "-n" | "--bytes" | "--lines", "0"]))
        }
        _ => false,
    }
}

/// Programs that only print what they make of the files they read.
const FILTERS: &[&str] = &[
    "cat", "sort", "uniq", "head", "tail", "cut", "tr", "sed", "awk", "gawk", "grep", "egrep",
    "rg", "jq", "yq", "nl", "tac", "rev", "paste", "fold", "fmt", "column", "expand", "unexpand",
    "iconv", "envsubst", "xmllint", "tidy", "shuf", "comm", "join", "base64", "gsed", "strings",
];

/// `sort x > x`: the shell empties the file before the program reads it.
pub(super) fn reads_what_it_empties(call: Call, target: &Word) -> bool {
    // One variable is the same file both times, whichever that is.
    let named = !target.unknown || target.carried || is_variable(&target.text);
    if !named || target.text.is_empty() || target.text.starts_with("/dev/") {
        return false;
    }
    // As good as at the same time: `cat x | sort > x`.
    let mut command = call.command;
    for _ in 0..8 {
        if reads(command, target) {
            return true;
        }
        let from = command.piped_from;
        let Some(feeder) = from.and_then(|at| call.script.commands.get(at)) else {
            return false;
        };
        command = feeder;
    }
    false
}

/// `$name` or `${name}` and nothing else.
fn is_variable(text: &str) -> bool {
    let name = text.strip_prefix('$').unwrap_or_default();
    let bare = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'));
    let name = bare.unwrap_or(name);
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

pub(super) fn reads(command: &SimpleCommand, target: &Word) -> bool {
    let plain = |text: &str| text.trim_start_matches("./").to_owned();
    let same =
        |word: &Word| plain(&word.text) == plain(&target.text) && word.carried == target.carried;
    let given = command.redirects.iter();
    let mut given = given.filter(|redirect| redirect.kind == RedirectKind::Read);
    let prints = FILTERS.contains(&command.name());
    (prints && command.arguments().iter().any(same)) || given.any(|redirect| same(&redirect.target))
}

/// `sort -o x /dev/null`
pub(super) fn sorted(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let Some(file) = value_of(words, &["-o", "--output", "-uo"]) else {
        return;
    };
    let mut read = words
        .iter()
        .filter(|word| !word.text.starts_with('-') && !std::ptr::eq(*word, file))
        .peekable();
    judge.write_target(call, file, "sort -o", Touch::Create);
    let itself = words
        .iter()
        .any(|word| !std::ptr::eq(word, file) && word.text == file.text);
    if !itself {
        judge.overwritten(call, "sort -o", file);
    }
    if read.peek().is_some() && read.all(|word| word.text == "/dev/null") {
        let tier = judge.emptying(call, file);
        let shown = [file.text.as_str()];
        judge.hit(Some(call), Kind::Overwrite, tier, "sort -o", shown);
    }
}
