//! Programs for interpreters: not understood, but searched for what they call.

use std::borrow::Cow;

use super::data::statement_tier;
use super::table::{EVALUATIONS, FETCHES, LISTINGS, ROW_DELETES, SHELL_CALLS, UNLINKS};
use super::{Call, Judge, Kind, Tier};

/// Bytes of a program that are looked at.
const MAX_CODE: usize = 64 * 1024;
/// Literals of one program that are judged as commands.
const MAX_LITERALS: usize = 64;

/// Ways to run a statement in a database.
const EXECUTIONS: &[&str] = &[
    "execute(",
    "executescript(",
    ".query(",
    ".exec(",
    "execute_sql",
];

/// Judges a program for `language`.
pub(super) fn judge(judge: &mut Judge, call: Call, language: &str, text: &str) {
    let mut end = text.len().min(MAX_CODE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = without_printed(text.get(..end).unwrap_or_default());
    let text = text.as_ref();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // `rm` under whatever name it was imported, asked to take directories with it.
    if has(&["rm(", "rmdir("]) && has(&["recursive: true", "recursive:true", "recursive: !0"]) {
        let verb = format!("{language} deletes a tree");
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
    }
    if empties(text) {
        let verb = format!("{language} empties a file");
        judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, &verb, []);
    }
    if has(FETCHES) && has(EVALUATIONS) {
        let verb = format!("{language} runs a download");
        judge.hit(Some(call), Kind::NetworkExec, Tier::Destructive, &verb, []);
    }
    if has(ROW_DELETES) {
        let verb = format!("{language} deletes rows");
        judge.hit(
            Some(call),
            Kind::DatabaseWrite,
            Tier::Destructive,
            &verb,
            [],
        );
    }
    if has(LISTINGS) && has(UNLINKS) {
        let verb = format!("{language} deletes files");
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
    }
    let runs = has(SHELL_CALLS);
    let executes = has(EXECUTIONS);
    if !runs && !executes {
        return;
    }
    for literal in literals(text) {
        if executes && let Some((tier, verb)) = statement_tier(&literal) {
            let verb = format!("{language}: {verb}");
            judge.hit(Some(call), Kind::DatabaseWrite, tier, &verb, []);
        }
        if runs && literal.contains(' ') {
            judge.inner_script(&literal, call.command.remote);
        }
    }
}

/// Whether a file is opened for writing and closed, or nothing is written to it.
fn empties(text: &str) -> bool {
    let tight: String = text.split_whitespace().collect();
    if tight.contains("truncate") && tight.contains(",0)") {
        return true;
    }
    [
        "'w').close(",
        "\"w\").close(",
        "write_text('')",
        "write_text(\"\")",
        "write_bytes(b'')",
    ]
    .iter()
    .any(|call| tight.contains(call))
        || [
            "writeFileSync(",
            "writeFile(",
            "File.write(",
            "file_put_contents(",
            "Deno.writeTextFileSync(",
        ]
        .iter()
        .filter_map(|call| tight.split_once(call))
        .any(|(_, rest)| {
            let arguments = rest.split(')').next().unwrap_or_default();
            arguments.ends_with(",''") || arguments.ends_with(",\"\"")
        })
}

/// Calls that only show the text they are given.
const PRINTS: &[&str] = &[
    "print",
    "console.log",
    "console.error",
    "puts",
    "echo",
    "say",
    "warn",
    "println",
];

/// A program without the plain literals that it prints. What a literal puts in when it runs
/// (`f'…'`, `${…}`, `#{…}`) stays, and so does everything about literals that go anywhere else.
pub(super) fn without_printed(text: &str) -> Cow<'_, str> {
    if !PRINTS.iter().any(|name| text.contains(name)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let body = from.get(1..).unwrap_or_default();
        let Some(end) = closing(body, quote) else {
            break;
        };
        let inside = body.get(..end).unwrap_or_default();
        out.push_str(before);
        let call = before.trim_end_matches(['(', ' ']);
        let shows =
            call.len() < before.len() && PRINTS.iter().any(|name| ends_with_word(call, name));
        if !shows || inside.contains("${") || inside.contains("#{") {
            out.push(quote);
            out.push_str(inside);
            out.push(quote);
        }
        rest = body.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether `text` ends with `name` as a word of its own.
fn ends_with_word(text: &str, name: &str) -> bool {
    text.strip_suffix(name).is_some_and(|before| {
        !before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '.'))
    })
}

/// Where the literal that starts behind its quote ends.
fn closing(body: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    body.find(|next: char| {
        if escaped {
            escaped = false;
            return false;
        }
        escaped = next == '\\';
        next == quote
    })
}

/// Text literals; those in one list of words come as one text.
pub(super) fn literals(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let list = before.trim().trim_matches([',', '[', ' ']).is_empty();
        if !list && !joined.is_empty() {
            out.push(std::mem::take(&mut joined));
            if out.len() >= MAX_LITERALS {
                return out;
            }
        }
        let body = from.get(1..).unwrap_or_default();
        let Some(end) = closing(body, quote) else {
            break;
        };
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(body.get(..end).unwrap_or_default());
        rest = body.get(end + 1..).unwrap_or_default();
    }
    if !joined.is_empty() {
        out.push(joined);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_one_text() {
        assert_eq!(
            literals("run(['rm', '-rf', \"src\"]); say('a\\'b')"),
            ["rm -rf src", "a\\'b"]
        );
        assert!(literals("no 'end").is_empty());
    }
}
