//! CSS, SCSS and Less: selectors with an id or class, variables, mixins.

use crate::facts::{Kind, MAX_NAME};
use crate::parse::fact_builder::{Draft, New, head};

use super::lines;

/// Most names kept of one file: style sheets are long and say little.
const MAX_NAMES: usize = 200;
/// Longest line that is looked at.
const MAX_LINE: usize = 400;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 64;
/// Most selectors of one block that `&` may stand for.
const MAX_SELECTORS: usize = 8;

/// A block that is open.
struct Block {
    /// Definition.
    index: Option<u32>,
    /// Expansion of `&` in it: the last name of each of its selectors.
    names: Vec<Vec<u8>>,
}

/// Reads a style sheet.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) {
    let mut comment = false;
    let mut open: Vec<Block> = Vec::new();
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
        for piece in Pieces(text) {
            let mut add = |kind, name: &[u8]| {
                if seen.len() >= MAX_NAMES || seen.iter().any(|it| it == name) {
                    return None;
                }
                seen.push(name.to_vec());
                draft.push(&New {
                    kind,
                    name,
                    signature: piece.split(|&c| c == b'{').next().unwrap_or(piece),
                    container: None,
                    line: number,
                    end_line: number,
                    exported: true,
                    declared_only: false,
                })
            };
            let mut block = Block {
                index: None,
                names: open.last().map_or(Vec::new(), |it| it.names.clone()),
            };
            if piece == b"}" {
                if let Some(index) = open.pop().and_then(|it| it.index)
                    && let Some(it) = draft.get_mut(index)
                {
                    it.end_line = number;
                }
                continue;
            }
            let opens = piece.ends_with(b"{");
            if let Some(rest) = at_rule(piece, &[b"@mixin", b"@function", b"@keyframes"]) {
                let kind = if piece.starts_with(b"@function") {
                    Kind::Function
                } else {
                    Kind::Macro
                };
                block.index = add(kind, rest.get(..length(rest)).unwrap_or(rest));
            } else if piece.starts_with(b"$") || piece.starts_with(b"--") || piece.starts_with(b"@")
            {
                // Variables; other rules (`@media`) only hold what counts.
                if let Some(end) = memchr::memchr(b':', piece)
                    && !opens
                {
                    add(Kind::Variable, piece.get(..end).unwrap_or(piece));
                }
            } else if opens || piece == text && !is_declaration(piece) {
                let around = std::mem::take(&mut block.names);
                for name in names(piece, &around) {
                    let index = add(Kind::Section, &name);
                    block.index = block.index.or(index);
                }
                block.names = last_names(piece, &around);
            }
            if opens && open.len() < MAX_DEPTH {
                open.push(block);
            }
        }
    }
}

/// A line taken apart: heads of blocks with their brace, what ends with `;`, closing braces, the rest.
struct Pieces<'a>(&'a [u8]);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.0.trim_ascii();
        let mut inserted = false;
        // `#{$name}` is part of what it stands in.
        let end = text.iter().enumerate().position(|(at, byte)| match byte {
            b'{' if at.checked_sub(1).and_then(|it| text.get(it)) == Some(&b'#') => {
                inserted = true;
                false
            }
            b'}' => !std::mem::take(&mut inserted),
            b'{' | b';' => true,
            _ => false,
        });
        let end = match end {
            // What stands before a closing brace comes first.
            Some(at) if at > 0 && text.get(at) == Some(&b'}') => at,
            Some(at) => at + 1,
            None => text.len(),
        };
        let (piece, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!piece.is_empty()).then(|| piece.trim_ascii_end())
    }
}

/// Returns the text behind one of these words.
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

/// Ids and classes of a selector: `#a .b` has `#a` and `.b`, and in a block of `.b`, `&-c` is `.b-c`.
fn names(text: &[u8], around: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let selector = text.split(|&c| c == b'{').next().unwrap_or(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = selector.get(at..) {
        let Some(start) = rest.iter().position(|c| matches!(c, b'.' | b'#' | b'&')) else {
            break;
        };
        let word = rest.get(start + 1..).unwrap_or(&[]);
        let length = length(word);
        at += start + 1 + length;
        let name = rest.get(start..start + 1 + length).unwrap_or(&[]);
        match name.split_first() {
            Some((b'&', more)) if !more.is_empty() => {
                let joined = around.iter().map(|it| [it, more].concat());
                found.extend(joined.filter(|it| it.len() <= MAX_NAME));
            }
            Some((b'.' | b'#', [first, ..])) if !first.is_ascii_digit() => {
                found.push(name.to_vec());
            }
            _ => {}
        }
    }
    found
}

/// The last name of each selector.
fn last_names(text: &[u8], around: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let selectors = text.split(|&c| c == b',').take(MAX_SELECTORS);
    let last = selectors.filter_map(|it| match names(it, around).pop() {
        // `&:hover` is what it is in.
        None if it.contains(&b'&') => around.first().cloned(),
        name => name,
    });
    last.collect()
}

/// Returns the length of the first word of a text.
fn length(text: &[u8]) -> usize {
    let in_word = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    text.iter().take_while(|it| in_word(it)).count()
}
