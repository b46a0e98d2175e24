//! Definitions line by line, for languages without a grammar and for files that take too long.
//!
//! A definition is a line that begins with a word like `class`; what it contains is indented deeper.

use crate::facts::Kind;

use super::fact_builder::{Draft, New, head, slice};

/// Longest beginning of a line that is looked at, in bytes.
const MAX_LINE: usize = 400;
/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// How definitions look in a language.
pub(super) struct Patterns {
    /// What a comment begins with.
    pub(super) comments: &'static [&'static str],
    /// Words that may stand before the one that counts.
    pub(super) modifiers: &'static [&'static str],
    /// What a definition begins with (one word or more) and what it then is.
    pub(super) words: &'static [(&'static str, Kind)],
    /// What an import begins with.
    pub(super) imports: &'static [&'static str],
    /// What ends a block that begins with `@`, if indentation does not tell.
    pub(super) end: &'static str,
    /// What a name may have besides letters, digits and `_`.
    pub(super) name: &'static str,
    /// True if the case of words does not matter.
    pub(super) any_case: bool,
    /// True if the word that counts is one only behind a modifier: `create table`.
    pub(super) needs_modifier: bool,
    /// For what begins with no word: name of the definition in the line, and what it is.
    pub(super) other: Option<Other>,
}

/// Finds a definition in a line that begins with no word.
type Other = fn(&str) -> Option<(&str, Kind)>;

impl Patterns {
    pub(super) const fn new(
        comments: &'static [&'static str],
        words: &'static [(&'static str, Kind)],
    ) -> Self {
        Self {
            comments,
            modifiers: &[],
            words,
            imports: &[],
            end: "",
            name: "",
            any_case: false,
            needs_modifier: false,
            other: None,
        }
    }
}

/// What is found in most languages, for those whose grammar took too long.
pub(super) static ANY: Patterns = Patterns {
    modifiers: &[
        "pub",
        "pub(crate)",
        "pub(super)",
        "export",
        "default",
        "declare",
        "async",
        "static",
        "public",
        "private",
        "protected",
        "internal",
        "abstract",
        "final",
        "override",
        "inline",
        "virtual",
        "extern",
        "unsafe",
        "open",
        "sealed",
        "data",
        "const",
        "partial",
        "readonly",
        "local",
        "typedef",
        "suspend",
        "case",
        "implicit",
    ],
    imports: &["#include", "import", "use", "require"],
    other: Some(c_function),
    ..Patterns::new(
        &["//", "#", "--", "*", "/*", ";", "%"],
        &[
            ("fn", Kind::Function),
            ("func", Kind::Function),
            ("fun", Kind::Function),
            ("function", Kind::Function),
            ("def", Kind::Function),
            ("defp", Kind::Function),
            ("sub", Kind::Function),
            ("class", Kind::Class),
            ("object", Kind::Class),
            ("struct", Kind::Struct),
            ("union", Kind::Struct),
            ("record", Kind::Struct),
            ("enum", Kind::Enum),
            ("interface", Kind::Interface),
            ("protocol", Kind::Interface),
            ("trait", Kind::Trait),
            ("type", Kind::Type),
            ("module", Kind::Module),
            ("mod", Kind::Module),
            ("defmodule", Kind::Module),
            ("namespace", Kind::Module),
            ("macro_rules!", Kind::Macro),
            ("#define", Kind::Macro),
        ],
    )
};

/// `static int name(…`, at the start of a line and not a call.
pub(super) fn c_function(line: &str) -> Option<(&str, Kind)> {
    if !line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || line.ends_with(';') {
        return None;
    }
    let (before, _) = line.split_once('(')?;
    if before.contains(['=', '.', '"', '\'', '{', '+', '!', '/']) {
        return None;
    }
    let before = before.trim_end();
    let start = before.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '~')))?;
    let name = before.get(start + 1..)?;
    let name = name.rsplit("::").next().unwrap_or(name);
    let words = [
        "if", "for", "while", "switch", "return", "else", "case", "do",
    ];
    let first = before.split_whitespace().next().unwrap_or("");
    (!name.is_empty() && !words.contains(&first) && !words.contains(&name))
        .then_some((name, Kind::Function))
}

/// Reads a file.
pub(super) fn read(patterns: &Patterns, source: &[u8], draft: &mut Draft) {
    // What is open: how far it is indented, unless only a word ends it, and what it is.
    let mut open: Vec<(Option<usize>, u32)> = Vec::new();
    let mut comment: Option<(usize, usize)> = None;
    let mut at = 0;
    let mut last = 0;
    for (number, line) in (1_u32..).zip(source.split(|&c| c == b'\n')) {
        let start = at;
        at += line.len() + 1;
        let text = String::from_utf8_lossy(head(line, MAX_LINE));
        let trimmed = text.trim();
        if trimmed.is_empty() {
            comment = None;
            continue;
        }
        let defines = patterns
            .words
            .iter()
            .any(|(word, _)| word.starts_with('#') && trimmed.starts_with(word))
            || patterns
                .imports
                .iter()
                .any(|it| it.starts_with('#') && trimmed.starts_with(it));
        if !defines && patterns.comments.iter().any(|it| trimmed.starts_with(it)) {
            comment = Some((comment.map_or(start, |(from, _)| from), start + line.len()));
            continue;
        }
        let indent = text.len() - text.trim_start().len();
        let closes =
            trimmed.starts_with(['}', ')', ']']) || word_at(trimmed, "end", false).is_some();
        let ends = !patterns.end.is_empty() && trimmed.starts_with(patterns.end);
        while let Some(&(depth, index)) = open.last() {
            let stays = match depth {
                None => !ends,
                Some(depth) => {
                    indent > depth || indent == depth && matches!(trimmed, "{" | "contains")
                }
            };
            if stays {
                break;
            }
            open.pop();
            let own = depth.is_none() || closes && Some(indent) == depth;
            if let Some(it) = draft.get_mut(index) {
                it.end_line = if own { number } else { last }.max(it.line);
            }
            if own {
                break;
            }
        }
        last = number;
        let container = open.last().map(|(_, index)| *index);
        if let Some(index) = definition(patterns, trimmed, number, container, draft) {
            if let Some((from, to)) = comment {
                draft.document(index, slice(source, from..to));
            }
            if open.len() < MAX_DEPTH {
                let until_end = !patterns.end.is_empty() && trimmed.starts_with('@');
                open.push((Some(indent).filter(|_| !until_end), index));
            }
        }
        comment = None;
    }
    for (_, index) in open {
        if let Some(it) = draft.get_mut(index) {
            it.end_line = last.max(it.line);
        }
    }
}

fn definition(
    patterns: &Patterns,
    line: &str,
    number: u32,
    container: Option<u32>,
    draft: &mut Draft,
) -> Option<u32> {
    for word in patterns.imports {
        if let Some(rest) = word_at(line, word, patterns.any_case) {
            let module = rest
                .trim_start_matches(['(', '"', '\'', '<', ' '])
                .split(['"', '\'', '>', ')', ';', ' ', '{', ','])
                .next()
                .unwrap_or("");
            draft.import(module.as_bytes(), number);
            return None;
        }
    }
    let mut rest = line;
    while let Some(after) = patterns
        .modifiers
        .iter()
        .find_map(|it| word_at(rest, it, patterns.any_case))
    {
        rest = after.trim_start();
    }
    if patterns.needs_modifier && rest.len() == line.len() {
        return None;
    }
    let found = patterns.words.iter().find_map(|(word, kind)| {
        let after = word_at(rest, word, patterns.any_case)?.trim_start();
        let after = after.trim_start_matches(['"', '`', '[', '\'', '*']);
        let end = after
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || patterns.name.contains(c)))
            .unwrap_or(after.len());
        let name = after.get(..end)?;
        // `"a"."b"` of SQL is `b`.
        let name = if name.contains(['"', '`']) {
            name.rsplit('.').next()?.trim_matches(['"', '`'])
        } else {
            name
        };
        (!name.is_empty()).then_some((name, *kind))
    });
    // Bodies have variables and calls, and nothing that counts.
    let around = container.and_then(|at| draft.get(at)).map(|it| it.kind);
    if matches!(around, Some(Kind::Function | Kind::Method | Kind::Variable)) {
        return None;
    }
    let (name, kind) = found.or_else(|| patterns.other.and_then(|other| other(line)))?;
    // Clauses of one function count once.
    let last = draft.facts.definitions.len().checked_sub(1);
    if let Some(last) = last.and_then(|it| u32::try_from(it).ok())
        && patterns.other.is_some()
        && kind == Kind::Function
        && draft.name_of(last) == name
        && draft.get(last).is_some_and(|it| it.container == container)
    {
        if let Some(it) = draft.get_mut(last) {
            it.end_line = number;
        }
        return None;
    }
    let inside = matches!(
        around,
        Some(Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Enum)
    );
    let kind = if kind == Kind::Function && inside {
        Kind::Method
    } else {
        kind
    };
    let signature = line.split('{').next().unwrap_or(line);
    draft.push(&New {
        kind,
        name: name.as_bytes(),
        signature: signature.as_bytes(),
        container,
        line: number,
        end_line: number,
        exported: true,
        declared_only: false,
    })
}

/// What follows `word` at the start of `line`, if it stands there as a word of its own.
fn word_at<'a>(line: &'a str, word: &str, any_case: bool) -> Option<&'a str> {
    let start = line.get(..word.len())?;
    let same = if any_case {
        start.eq_ignore_ascii_case(word)
    } else {
        start == word
    };
    let rest = line.get(word.len()..)?;
    let ends = !word.ends_with(|c: char| c.is_alphanumeric() || c == '_')
        || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (same && ends).then_some(rest)
}
