//! Limits in texts that a command holds or reads: patches, scripts of `sed` and `awk`, programs.

use std::borrow::Cow;
use std::sync::Arc;

use aictx_proto::path::Located;
use aictx_shell::Word;

use super::{MAX_WORDS, limit_of, limit_on};
use crate::command::inline_code::literals;
use crate::command::options::has_option;
use crate::command::script_targets::written;
use crate::command::stdin_source::{piped_files, piped_texts};
use crate::command::{Call, Judge, Level};

/// Files with patches that are read.
const MAX_PATCHES: usize = 4;
/// Names in patches that are looked at.
const MAX_PATCHED: usize = 2_048;
/// Longest arguments of one `open`, in bytes.
const MAX_OPENED: usize = 512;

/// Files that a program of `awk` or a script of `sed` writes by itself: `print > "x"`, `w x`.
pub(super) fn scripted(judge: &mut Judge, call: Call) {
    let sign = match call.name {
        "sed" | "gsed" => "w ",
        _ => ">",
    };
    let words = call.arguments().iter().take(MAX_WORDS);
    for word in words.filter(|word| word.text.contains(sign)) {
        let paths: Vec<&str> = match call.name {
            "sed" | "gsed" => {
                let lines = word.text.split(['\n', ';', '}']);
                lines
                    .filter_map(|line| line.rsplit_once("w ").map(|(_, path)| path.trim()))
                    .collect()
            }
            _ => word
                .text
                .split('>')
                .skip(1)
                .filter_map(|rest| rest.trim_start_matches(['>', ' ']).strip_prefix('"'))
                .filter_map(|rest| rest.split('"').next())
                .collect(),
        };
        // What ends like a directory is the replacement of an `s`.
        let files = paths.into_iter().filter(|path| !path.ends_with('/'));
        for path in files.take(MAX_WORDS) {
            if let Some(limit) = limit_on(judge, call, path) {
                judge.off_limits(&limit, call.name, path);
            }
        }
    }
}

/// The files that a patch names: one that the line itself holds, or one in a file of the repository.
pub(super) fn patched(judge: &mut Judge, call: Call) {
    if has_option(
        call.arguments(),
        &["--check", "--stat", "--numstat", "--dry-run"],
    ) {
        return;
    }
    // `-i x`, `--input=x`, or what comes in.
    let given = call.arguments().iter().map(|word| word.text.as_str());
    let given = given.map(|text| text.strip_prefix("--input=").unwrap_or(text));
    let piped = piped_files(call);
    let files = given
        .clone()
        .chain(piped.iter().map(|word| word.text.as_str()));
    let dir = call.command.dir.as_deref();
    let mut held: Vec<Arc<str>> = Vec::new();
    let files = files.filter(|file| !file.starts_with('-') && !file.contains('\n'));
    for file in files.take(MAX_PATCHES) {
        let made = written(call, &Word::plain(file)).map(Arc::from);
        held.extend(made.or_else(|| {
            match judge.place.locate(dir, file)? {
                Located::Inside(path) => judge.facts.text(&path),
                Located::Outside(_) => judge
                    .facts
                    .text_elsewhere(&judge.place.absolute(dir, file)?),
            }
        }));
    }
    let said = piped_texts(call);
    let said = said.iter().map(String::as_str).chain(given);
    let texts: Vec<&str> = said.chain(held.iter().map(|text| &**text)).collect();
    let marks = [
        "*** Update File: ",
        "*** Delete File: ",
        "*** Add File: ",
        "*** Move to: ",
        "rename from ",
        "rename to ",
        "+++ ",
        "--- ",
    ];
    let lines = texts.iter().flat_map(|text| text.lines());
    let named = lines.filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    let mut any = false;
    for path in named.take(MAX_PATCHED) {
        any = true;
        // What follows a tab is a time.
        let path = path.split('\t').next().unwrap_or(path).trim();
        // `a/` and `b/` are git's, and a directory of that name may be there.
        let inner = path.split_once('/').map_or("", |(_, inner)| inner);
        for path in [path, inner] {
            if let Some(limit) = limit_on(judge, call, path) {
                judge.off_limits(&limit, "patch", path);
            }
        }
    }
    // `curl … | git apply`: what nobody has read may be about just that.
    let ends = [
        "--abort",
        "--skip",
        "--quit",
        "--continue",
        "--resolved",
        "--show-current-patch",
        "--help",
    ];
    if !any && !judge.facts.off_limits().is_empty() && !has_option(call.arguments(), &ends) {
        judge.undecidable(Level::Destructive, "a patch that is not known", &[]);
    }
}

/// Returns true if a program opens a file, and not only to read it: `open(p)`, `open(p, 'rb')`, `open(p,
/// encoding='utf-8')`. A mode that is no literal may be any.
fn opens_to_write(text: &str) -> bool {
    const NAMED: &[&str] = &["encoding", "errors", "newline", "buffering"];
    let mut rest = text;
    while let Some(at) = rest.find("open(") {
        rest = rest.get(at + "open(".len()..).unwrap_or_default();
        let given = call_arguments(rest);
        let mut further = given.split(',').skip(1).map(str::trim);
        let may_write = further.any(|part| {
            let mode = part.strip_prefix("mode").map_or(part, |mode| {
                mode.trim_start().trim_start_matches('=').trim_start()
            });
            let bare = mode.trim_matches(['"', '\'']);
            let is_literal = bare.len() + 2 == mode.len();
            let reads = is_literal && bare.chars().all(|c| matches!(c, 'r' | 'b' | 't' | 'U'));
            !reads && !NAMED.iter().any(|name| part.starts_with(name))
        });
        if may_write || given.contains('>') {
            return true;
        }
    }
    false
}

/// Returns the arguments of a call whose first parenthesis is behind us; at most their first [`MAX_OPENED`] bytes.
fn call_arguments(rest: &str) -> &str {
    let mut depth = 0_u32;
    let end = rest.bytes().take(MAX_OPENED).position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => depth -= 1,
            _ => {}
        }
        false
    });
    let end = end.unwrap_or_else(|| rest.floor_char_boundary(MAX_OPENED));
    rest.get(..end).unwrap_or_default()
}

/// A program for an interpreter that writes, and names what must be left alone.
pub(in crate::command) fn program(judge: &mut Judge, call: Call, language: &str, text: &str) {
    if !judge.facts.has_limits() || call.command.remote {
        return;
    }
    let writes = [
        "write",
        "truncate",
        "remove",
        "unlink",
        "rename",
        "move",
        "delete",
        "rmtree",
        "rm_",
        "rmSync",
        "copy",
        "os.replace",
        "put_contents",
        "chmod",
        "inplace",
        "save",
    ];
    // What is printed is written nowhere.
    let printed = text.contains("stdout.write") || text.contains("stderr.write");
    let said = match printed {
        true => Cow::Owned(text.replace("stdout.write", "").replace("stderr.write", "")),
        false => Cow::Borrowed(text),
    };
    let puts_over = text.contains("Path(") && text.contains("replace(") && !text.contains("read");
    if !writes.iter().any(|way| said.contains(way)) && !opens_to_write(text) && !puts_over {
        return;
    }
    // Neighbours in a list are one literal.
    let literals = literals(text);
    let words = literals.iter().flat_map(|text| text.split_whitespace());
    for word in words
        .filter(|word| word.contains(['/', '.']))
        .take(MAX_WORDS)
    {
        if let Some(limit) = limit_of(judge, call, word) {
            judge.off_limits(&limit, language, word);
        }
    }
}
