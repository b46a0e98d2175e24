//! HTML, XML, and components whose script is in another language.

use std::collections::HashSet;

use tree_sitter::{Point, Range};

use crate::facts::Kind;
use crate::parse::Language;
use crate::parse::fact_builder::{Draft, New, head, slice};
use crate::parse::generated::is_generated;

use super::lines;

/// Most ids kept of one file, and most classes: some libraries of styles have one for every property.
const MAX_IDS: usize = 100;
const MAX_CLASSES: usize = 100;
/// Most scripts of a page that are looked into.
const MAX_SCRIPTS: usize = 50;
/// Most elements kept of an XML file.
const MAX_ELEMENTS: usize = 40;

/// One tag: what stands between `<` and `>`.
struct Tag<'a> {
    end: usize,
    line: u32,
    text: &'a [u8],
}

impl<'a> Tag<'a> {
    fn name(&self) -> &'a [u8] {
        let end = self
            .text
            .iter()
            .position(|c| c.is_ascii_whitespace() || matches!(c, b'/' | b'>'))
            .filter(|&at| at > 0)
            .unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or(self.text)
    }

    /// The value of an attribute.
    fn attribute(&self, name: &[u8]) -> Option<&'a [u8]> {
        let mut from = 0;
        loop {
            let rest = self.text.get(from..)?;
            let at = memchr::memmem::find(rest, name)?;
            let before = rest.get(..at)?.last();
            let after = rest.get(at + name.len()..)?;
            from += at + name.len();
            if before.is_none_or(|c| !c.is_ascii_whitespace()) {
                continue;
            }
            let Some(value) = after.trim_ascii_start().strip_prefix(b"=") else {
                continue;
            };
            return match value.trim_ascii_start() {
                [quote @ (b'"' | b'\''), inner @ ..] => inner.split(|c| c == quote).next(),
                bare => bare.split(u8::is_ascii_whitespace).next(),
            };
        }
    }
}

/// Calls `each` with the tags of a text, without comments; it says from where to go on.
fn tags<'a>(source: &'a [u8], mut each: impl FnMut(&Tag<'a>) -> usize) {
    let (mut at, mut line, mut counted) = (0, 1_u32, 0);
    while let Some(rest) = source.get(at..) {
        let Some(open) = memchr::memchr(b'<', rest) else {
            return;
        };
        let start = at + open;
        let after = source.get(start..).unwrap_or(&[]);
        if after.starts_with(b"<!--") {
            let end = memchr::memmem::find(after, b"-->").unwrap_or(after.len());
            at = start + end.max(4);
            continue;
        }
        let named = after
            .get(1)
            .is_some_and(|c| c.is_ascii_alphabetic() || *c == b'/');
        let Some(end) = memchr::memchr(b'>', after).filter(|_| named) else {
            at = start + 1;
            continue;
        };
        let breaks = memchr::memchr_iter(b'\n', slice(source, counted..start)).count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        counted = start;
        let tag = Tag {
            end: start + end + 1,
            line,
            text: slice(source, start + 1..start + end),
        };
        at = each(&tag).max(tag.end);
    }
}

fn add(tag: &Tag<'_>, kind: Kind, name: &[u8], draft: &mut Draft) -> Option<u32> {
    let signature = [b"<", head(tag.text, 200), b">"].concat();
    draft.push(&New {
        kind,
        name,
        signature: &signature,
        container: None,
        line: tag.line,
        end_line: tag.line,
        exported: true,
        declared_only: false,
    })
}

/// HTML: ids, classes as style sheets name them, what is loaded, and where scripts are.
pub(in crate::parse) fn html(source: &[u8], draft: &mut Draft) -> Option<(Language, Vec<Range>)> {
    let mut scripts = Vec::new();
    let mut count = 0;
    let mut classes: HashSet<&[u8]> = HashSet::new();
    tags(source, |tag| {
        let listed = tag.attribute(b"class").unwrap_or(b"");
        for class in listed.split(u8::is_ascii_whitespace) {
            // Neither what templates put together nor `md:w-1/2`.
            let plain = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
            let named = class.first().is_some_and(u8::is_ascii_alphabetic);
            if named
                && class.iter().all(plain)
                && classes.len() < MAX_CLASSES
                && classes.insert(class)
            {
                add(tag, Kind::Section, &[b".", class].concat(), draft);
            }
        }
        if let Some(id) = tag.attribute(b"id") {
            // Templates put names together.
            let plain = !id.iter().any(|c| matches!(c, b'{' | b'<' | b'$' | b' '));
            if plain && count < MAX_IDS && add(tag, Kind::Section, id, draft).is_some() {
                count += 1;
            }
        }
        let name = tag.name();
        let loads = match name {
            b"script" => tag.attribute(b"src"),
            b"link" => tag.attribute(b"href"),
            _ => None,
        };
        draft.import(loads.unwrap_or(b""), tag.line);
        if matches!(name, b"script" | b"style") && !tag.text.ends_with(b"/") {
            let end = end_of(source, tag, name);
            let text = slice(source, tag.end..end);
            if name == b"script"
                && is_program(tag.attribute(b"type"))
                && !text.trim_ascii().is_empty()
                && !is_generated(text, false)
                && scripts.len() < MAX_SCRIPTS
            {
                scripts.push(range(source, tag.end, end));
            }
            return end;
        }
        tag.end
    });
    if scripts.is_empty() {
        return None;
    }
    Some((Language::named("javascript")?, scripts))
}

/// Returns true if a script of this type is run, and not data or a template.
fn is_program(kind: Option<&[u8]>) -> bool {
    let kind = kind.unwrap_or(b"").trim_ascii();
    kind.is_empty()
        || kind.eq_ignore_ascii_case(b"module")
        || [&b"javascript"[..], b"ecmascript", b"babel", b"jsx"]
            .iter()
            .any(|it| kind.to_ascii_lowercase().ends_with(it))
}

/// First byte of the tag that closes this one.
fn end_of(source: &[u8], tag: &Tag<'_>, name: &[u8]) -> usize {
    let close = [b"</", name].concat();
    let rest = source.get(tag.end..).unwrap_or(&[]);
    memchr::memmem::find(rest, &close).map_or(source.len(), |at| tag.end + at)
}

/// XML: elements with an id or a name, and otherwise those of the second level.
pub(in crate::parse) fn xml(source: &[u8], draft: &mut Draft) {
    let mut depth = 0_usize;
    let mut count = 0;
    tags(source, |tag| {
        if tag.text.starts_with(b"/") {
            depth = depth.saturating_sub(1);
            return tag.end;
        }
        let named = tag.attribute(b"id").or_else(|| tag.attribute(b"name"));
        let name = match named {
            Some(name) => Some(name),
            None if depth == 1 => Some(tag.name()),
            None => None,
        };
        if let Some(name) = name {
            if count < MAX_ELEMENTS {
                count += 1;
                let kind = if tag.name() == b"target" {
                    Kind::Entrypoint
                } else {
                    Kind::ConfigKey
                };
                add(tag, kind, name, draft);
            } else {
                draft.facts.cut += 1;
            }
        }
        if !tag.text.ends_with(b"/") {
            depth += 1;
        }
        tag.end
    });
}

/// Vue and Svelte: all scripts of a component are one program.
pub(in crate::parse) fn component(source: &[u8], _: &mut Draft) -> Option<(Language, Vec<Range>)> {
    let mut ranges = Vec::new();
    let mut typed = false;
    let mut jsx = false;
    tags(source, |tag| {
        let name = tag.name();
        if !matches!(name, b"script" | b"style") || tag.text.ends_with(b"/") {
            return tag.end;
        }
        let end = end_of(source, tag, name);
        if name == b"script" {
            let language = tag.attribute(b"lang").unwrap_or(b"");
            typed |= matches!(language, b"ts" | b"typescript" | b"tsx");
            jsx |= language == b"tsx";
            if tag.attribute(b"src").is_none() {
                ranges.push(range(source, tag.end, end));
            }
        }
        end
    });
    let language = match (typed, jsx) {
        (_, true) => "tsx",
        (true, false) => "typescript",
        _ => "javascript",
    };
    if ranges.is_empty() {
        return None;
    }
    Some((Language::named(language)?, ranges))
}

/// Astro: the program stands above, between two lines of dashes.
pub(in crate::parse) fn astro(source: &[u8], _: &mut Draft) -> Option<(Language, Vec<Range>)> {
    let mut first = None;
    for (_, start, line) in lines(source) {
        if line.trim_ascii() == b"---" {
            match first {
                None => first = Some(start + line.len()),
                Some(from) => {
                    let range = range(source, from, start);
                    return Some((Language::named("typescript")?, vec![range]));
                }
            }
        } else if first.is_none() && !line.trim_ascii().is_empty() {
            return None;
        }
    }
    None
}

fn range(source: &[u8], start: usize, end: usize) -> Range {
    Range {
        start_byte: start,
        end_byte: end,
        start_point: point(source, start),
        end_point: point(source, end),
    }
}

fn point(source: &[u8], at: usize) -> Point {
    let before = slice(source, 0..at);
    let column = memchr::memrchr(b'\n', before).map_or(at, |line| at - line - 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), column)
}
