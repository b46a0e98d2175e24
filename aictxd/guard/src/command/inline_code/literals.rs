//! Text literals of programs, whatever the language.

use std::borrow::Cow;

use super::MAX_CALLS;
use super::scan::Find as _;

/// Literals of one program that are judged as commands.
const MAX_LITERALS: usize = 64;

/// The literal that starts at `at`, behind brackets and the letters that mark its kind.
pub(super) fn literal_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?.trim_start_matches(['(', '[', ' ']);
    let rest = rest
        .strip_prefix(['r', 'b', 'u'])
        .filter(|rest| rest.starts_with(['\'', '"']))
        .unwrap_or(rest);
    // `Path("a")`, `path.join("a")`: a call around it.
    let inner = rest
        .split_once('(')
        .filter(|(name, _)| {
            name.len() <= 16
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        })
        .map(|(_, rest)| rest);
    first_literal(rest).or_else(|| first_literal(inner?))
}

/// The literal that a text begins with, if nothing is put into it.
pub(super) fn first_literal(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"' | '`'))?;
    let body = text.get(1..)?;
    let inside = body.get(..closing(body, quote)?)?;
    let whole = !inside.contains("${") && !inside.contains("#{") && !inside.is_empty();
    whole.then_some(inside)
}

/// The literal of `Path('a').unlink(`, whose arguments start at `at`.
pub(super) fn literal_before(text: &str, at: usize) -> Option<&str> {
    let call = text.get(..at)?;
    let dot = call.rfind('.')?;
    let before = call.get(..dot)?.strip_suffix(')')?;
    let quote = before
        .chars()
        .next_back()
        .filter(|last| matches!(last, '\'' | '"'))?;
    let body = before.get(..before.len() - 1)?;
    let from = body.rfind(quote)? + 1;
    let around = body.get(..from - 1)?;
    // A module is not what is deleted.
    let module = around.ends_with("require(") || around.ends_with("import(");
    body.get(from..).filter(|_| !module)
}

/// Returns the content of `%x(…)`, `qx{…}`, `qw(…)` and their sisters.
pub(super) fn bracketed(text: &str) -> Vec<&str> {
    ["%x", "qx", "qw"]
        .iter()
        .flat_map(|mark| text.found(mark).take(MAX_CALLS))
        .filter_map(|(at, _)| {
            let rest = text.get(at + 2..)?;
            let close = match rest.chars().next()? {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                '<' => '>',
                bar @ ('|' | '!' | '/') => bar,
                _ => return None,
            };
            rest.get(1..)?.split(close).next()
        })
        .collect()
}

/// A text with blanks where its plain literals are. One that does not end on its line is none.
pub(super) fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let Some(quote) = from.chars().next() else {
            break;
        };
        let triple = ["\'\'\'", "\"\"\""]
            .iter()
            .find(|mark| from.starts_with(**mark));
        if let Some(mark) = triple
            && let Some((inside, behind)) = from
                .get(mark.len()..)
                .and_then(|body| body.split_once(*mark))
        {
            out.push_str(mark);
            out.extend(std::iter::repeat_n(' ', inside.len()));
            out.push_str(mark);
            rest = behind;
            continue;
        }
        let body = from.get(1..).unwrap_or_default();
        let line = body.split('\n').next().unwrap_or_default();
        let end = closing(line, quote);
        out.push(quote);
        rest = body;
        if let Some(end) = end {
            let inside = body.get(..end).unwrap_or_default();
            if inside.contains("${") || inside.contains("#{") || quote == '`' {
                out.push_str(inside);
            } else {
                out.extend(std::iter::repeat_n(' ', inside.len()));
            }
            out.push(quote);
            rest = body.get(end + 1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
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
    if !PRINTS.iter().any(|name| text.holds(name)) {
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

/// Returns true if `text` ends with `name` as a word of its own.
fn ends_with_word(text: &str, name: &str) -> bool {
    text.strip_suffix(name).is_some_and(|before| {
        !before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '.'))
    })
}

/// Returns the end of the literal that starts behind its quote.
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
pub(in super::super) fn literals(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(quote) = from.chars().next() else {
            break;
        };
        let between = before.trim().trim_matches([',', '[', ' ', '*']);
        let list = matches!(
            between,
            "" | "f" | "r" | "b" | "{args:" | "{ args:" | "args=" | "args:"
        );
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
