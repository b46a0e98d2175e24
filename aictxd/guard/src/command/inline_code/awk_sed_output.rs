//! Files that the small programs of `awk` and `sed` write.

use aictx_shell::Word;

use super::MAX_CALLS;
use super::literals::{first_literal, without_literals};
use crate::command::path_target::Touch;
use crate::command::{Call, Judge};

/// Runs them through the path checks.
pub(in crate::command) fn printed_to(judge: &mut Judge, call: Call) {
    match call.name {
        "awk" | "gawk" | "mawk" | "nawk" => of_awk(judge, call),
        "sed" | "gsed" => of_sed(judge, call),
        _ => {}
    }
}

/// The files that programs of `awk` print to: `print > "x"`.
fn of_awk(judge: &mut Judge, call: Call) {
    for word in call
        .arguments()
        .iter()
        .filter(|word| word.text.contains('>'))
    {
        let text = word.text.as_str();
        let run = without_literals(text);
        for (at, _) in run.match_indices('>').take(MAX_CALLS) {
            let before = run.get(..at).unwrap_or_default();
            let statement = before.rsplit([';', '{', '\n']).next().unwrap_or_default();
            let behind = text.get(at + 1..).unwrap_or_default();
            let file = first_literal(behind.trim_start_matches(['>', ' ']));
            // Anywhere else it compares.
            if let Some(file) = file.filter(|_| statement.trim_start().starts_with("print")) {
                judge.write_target(call, &Word::plain(file), call.name, Touch::Alter);
            }
        }
    }
}

/// The files that scripts of `sed` write: `w x`, `s/a/b/w x`.
fn of_sed(judge: &mut Judge, call: Call) {
    for word in call
        .arguments()
        .iter()
        .filter(|word| word.text.contains("w "))
    {
        for line in word.text.split(['\n', ';']).take(MAX_CALLS) {
            // `1,$w x`
            let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || " ,$!{".contains(c));
            let file = line.strip_prefix("w ").or_else(|| {
                let mark = line.strip_prefix('s')?.chars().next()?;
                let flags = line
                    .splitn(4, mark)
                    .nth(3)
                    .filter(|_| !mark.is_alphanumeric())?;
                let flags =
                    flags.trim_start_matches(|c: char| c.is_ascii_digit() || "gpIi".contains(c));
                flags.strip_prefix("w ")
            });
            if let Some(file) = file.map(str::trim).filter(|file| !file.is_empty()) {
                judge.write_target(call, &Word::plain(file), call.name, Touch::Alter);
            }
        }
    }
}
