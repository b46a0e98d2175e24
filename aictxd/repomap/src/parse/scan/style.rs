//! CSS, SCSS and Less: selectors with an id or class, variables, mixins.

use crate::facts::Kind;
use crate::parse::draft::{Draft, New, head};

use super::lines;

/// Most names kept of one file: style sheets are long and say little.
const MAX_NAMES: usize = 200;
/// Longest line that is looked at.
const MAX_LINE: usize = 400;

/// Reads a style sheet.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) {
    let mut comment = false;
    let mut depth = 0_i32;
    // Definitions that are open, and how deep they began.
    let mut open: Vec<(i32, u32)> = Vec::new();
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for (number, _, line) in lines(source) {
        let text = head(line.trim_ascii(), MAX_LINE);
        if comment {
            comment = memchr::memmem::find(text, b"*/").is_none();
            continue;
        }
        if text.starts_with(b"//") {
            continue;
        }
        if text.starts_with(b"/*") {
            comment = memchr::memmem::find(text, b"*/").is_none();
            continue;
        }
        if let Some(rest) = at_rule(text, &[b"@import", b"@use", b"@forward"]) {
            let path = rest
                .split(|c| matches!(c, b'"' | b'\''))
                .nth(1)
                .unwrap_or(b"");
            draft.import(path, number);
            continue;
        }
        let before = depth;
        let mut add = |kind, name: &[u8], draft: &mut Draft| {
            if seen.len() >= MAX_NAMES || seen.iter().any(|it| it == name) {
                return None;
            }
            seen.push(name.to_vec());
            draft.push(&New {
                kind,
                name,
                signature: text.split(|&c| c == b'{').next().unwrap_or(text),
                container: None,
                line: number,
                end_line: number,
                exported: true,
                declared_only: false,
            })
        };
        let mut first = None;
        if let Some(rest) = at_rule(text, &[b"@mixin", b"@function", b"@keyframes"]) {
            let end = rest
                .iter()
                .position(|c| !(c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')))
                .unwrap_or(rest.len());
            let kind = if text.starts_with(b"@function") {
                Kind::Function
            } else {
                Kind::Macro
            };
            first = add(kind, rest.get(..end).unwrap_or(rest), draft);
        } else if text.starts_with(b"$") || text.starts_with(b"--") || text.starts_with(b"@") {
            // Variables; other rules (`@media`) only hold what counts.
            if let Some(end) = memchr::memchr(b':', text)
                && !text.contains(&b'{')
            {
                add(Kind::Variable, text.get(..end).unwrap_or(text), draft);
            }
        } else if !is_declaration(text) {
            for name in names(text) {
                let index = add(Kind::Section, name, draft);
                first = first.or(index);
            }
        }
        depth += balance(text);
        if let Some(index) = first
            && text.contains(&b'{')
            && depth > before
        {
            open.push((before, index));
        }
        while let Some(&(at, index)) = open.last() {
            if depth > at {
                break;
            }
            open.pop();
            if let Some(it) = draft.get_mut(index) {
                it.end_line = number;
            }
        }
    }
}

/// What follows one of these words.
fn at_rule<'a>(text: &'a [u8], words: &[&[u8]]) -> Option<&'a [u8]> {
    words
        .iter()
        .find_map(|word| text.strip_prefix(*word))
        .filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
        .map(<[u8]>::trim_ascii_start)
}

/// `color: red;` as against `a:hover {` or `.a,`.
fn is_declaration(text: &[u8]) -> bool {
    text.ends_with(b";") && !text.contains(&b'{')
        || text.first().is_some_and(u8::is_ascii_alphabetic)
            && memchr::memmem::find(text, b": ").is_some()
}

/// Ids and classes of a selector: `#a .b` has `#a` and `.b`.
fn names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let selector = text.split(|&c| c == b'{').next().unwrap_or(text);
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = selector.get(at..)?;
            let start = rest.iter().position(|c| matches!(c, b'.' | b'#'))?;
            let word = rest.get(start + 1..)?;
            let length = word
                .iter()
                .position(|c| !(c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')))
                .unwrap_or(word.len());
            at += start + 1 + length;
            let letter = word.first().is_some_and(|c| !c.is_ascii_digit());
            if length > 0 && letter {
                return rest.get(start..start + 1 + length);
            }
        }
    })
}

fn balance(text: &[u8]) -> i32 {
    text.iter().fold(0, |depth, c| match c {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    })
}
