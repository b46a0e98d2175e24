//! Programs for interpreters: not understood, but searched for what they call.

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
    let text = text.get(..end).unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
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

/// Text literals; those in one list of words come as one text.
fn literals(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let list = before.trim().trim_matches(',').trim().is_empty();
        if !list && !joined.is_empty() {
            out.push(std::mem::take(&mut joined));
            if out.len() >= MAX_LITERALS {
                return out;
            }
        }
        let body = from.get(1..).unwrap_or_default();
        let mut escaped = false;
        let end = body.find(|next: char| {
            if escaped {
                escaped = false;
                return false;
            }
            escaped = next == '\\';
            next == quote
        });
        let Some(end) = end else {
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
