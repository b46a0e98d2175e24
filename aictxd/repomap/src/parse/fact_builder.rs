//! Facts while they are being gathered: limits, cleaned text, containers found late, order.

use std::ops::Range;

use aictx_proto::text::clean_into;

use crate::facts::{
    Definition, Facts, Import, Kind, MAX_DEFINITIONS, MAX_DOC, MAX_IMPORTS, MAX_NAME,
    MAX_SIGNATURE, Span,
};

use super::doc::first_sentence;

/// Longest piece of source that a signature is made of, in bytes: white space cannot make it long.
const MAX_RAW: usize = 1_000;

/// A definition as a reader has found it.
pub(super) struct New<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a [u8],
    /// Source from the first byte of the definition up to its body.
    pub(super) signature: &'a [u8],
    pub(super) container: Option<u32>,
    pub(super) line: u32,
    pub(super) end_line: u32,
    pub(super) exported: bool,
    pub(super) declared_only: bool,
}

/// Facts in the making.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) facts: Facts,
    scratch: String,
    /// Definitions whose container is known by name only: it may stand further below.
    bound: Vec<(u32, Span)>,
    /// Names that the file says it exports, apart from their definitions.
    exports: Vec<Span>,
}

impl Draft {
    /// A draft of a source of `length` bytes that writes with the buffer of an earlier one.
    pub(super) fn new(length: usize, scratch: String) -> Self {
        let mut draft = Self {
            scratch,
            ..Self::default()
        };
        // What names, signatures and sentences come to, most of the time.
        draft.facts.text.reserve((length / 8).min(1 << 16));
        draft.facts.definitions.reserve((length / 512).min(512));
        draft
    }

    /// Adds a definition; nothing where it has no name or the file has too many.
    pub(super) fn push(&mut self, new: &New<'_>) -> Option<u32> {
        let name = new.name.trim_ascii();
        if name.is_empty() {
            return None;
        }
        // A title is cut, an identifier of that length is data.
        let titled = matches!(new.kind, Kind::Heading | Kind::Test);
        if name.len() > MAX_NAME && !titled {
            return None;
        }
        if self.facts.definitions.len() >= MAX_DEFINITIONS {
            self.facts.cut = self.facts.cut.saturating_add(1);
            return None;
        }
        let index = u32::try_from(self.facts.definitions.len()).ok()?;
        let name = self.name(name);
        if name.len == 0 {
            return None;
        }
        let signature = self.signature(new.signature);
        let line = new.line.max(1);
        self.facts.definitions.push(Definition {
            name,
            signature,
            doc: Span::default(),
            container: new.container.filter(|&at| at < index),
            line,
            end_line: new.end_line.max(line),
            kind: new.kind,
            exported: new.exported,
            declared_only: new.declared_only,
        });
        Some(index)
    }

    /// Gives a definition its documentation: the comment as it stands in the source.
    pub(super) fn document(&mut self, index: u32, comment: &[u8]) {
        self.scratch.clear();
        first_sentence(comment, &mut self.scratch);
        if self.scratch.is_empty() {
            return;
        }
        let start = self.facts.text.len();
        clean_into(&mut self.facts.text, &self.scratch, MAX_DOC);
        let span = self.span_from(start);
        if let Some(definition) = self.get_mut(index) {
            definition.doc = span;
        }
    }

    /// The definition stands in the type of this name, wherever in the file that is.
    pub(super) fn bind(&mut self, index: u32, owner: &[u8]) {
        if owner.is_empty() || owner.len() > MAX_NAME {
            return;
        }
        let span = match self.bound.last() {
            Some(&(_, span)) if self.facts.get(span).as_bytes() == owner => span,
            _ => self.intern(owner),
        };
        self.bound.push((index, span));
    }

    /// Adds an import.
    pub(super) fn import(&mut self, module: &[u8], line: u32) {
        let module = module.trim_ascii();
        if module.is_empty() || module.len() > MAX_NAME || self.facts.imports.len() >= MAX_IMPORTS {
            return;
        }
        let module = self.intern(module);
        if module.len > 0 {
            self.facts.imports.push(Import { module, line });
        }
    }

    pub(super) fn get(&self, index: u32) -> Option<&Definition> {
        self.facts.definitions.get(index as usize)
    }

    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut Definition> {
        self.facts.definitions.get_mut(index as usize)
    }

    /// Name of a definition.
    pub(super) fn name_of(&self, index: u32) -> &str {
        self.get(index).map_or("", |it| self.facts.get(it.name))
    }

    /// The facts, with containers before what they contain, and the buffer.
    pub(super) fn finish(mut self) -> (Facts, String) {
        self.resolve();
        self.order();
        self.export_named();
        let text = &mut self.facts.text;
        if text.capacity() > 2 * text.len() {
            text.shrink_to_fit();
        }
        (self.facts, self.scratch)
    }

    /// The definition of this name at the top of the file is exported.
    pub(super) fn export(&mut self, name: &[u8]) {
        if !name.is_empty() && name.len() <= MAX_NAME && self.exports.len() < MAX_DEFINITIONS {
            let name = self.intern(name);
            self.exports.push(name);
        }
    }

    /// Returns true if [`Draft::export`] was never called.
    pub(super) fn exports_nothing(&self) -> bool {
        self.exports.is_empty()
    }

    /// Exports what is listed, and hides what hidden things hold.
    fn export_named(&mut self) {
        let Facts {
            text, definitions, ..
        } = &mut self.facts;
        let of = |span: Span| {
            let start = span.start as usize;
            text.get(start..start + span.len as usize).unwrap_or("")
        };
        if !self.exports.is_empty() {
            let mut names: Vec<&str> = self.exports.iter().map(|it| of(*it)).collect();
            names.sort_unstable();
            let at_top = definitions.iter_mut().filter(|it| it.container.is_none());
            for it in at_top {
                it.exported |= names.binary_search(&of(it.name)).is_ok();
            }
        }
        for at in 0..definitions.len() {
            let around = definitions.get(at).and_then(|it| it.container);
            let hidden = around
                .and_then(|of| definitions.get(of as usize))
                .is_some_and(|it| !it.exported);
            if hidden && let Some(it) = definitions.get_mut(at) {
                it.exported = false;
            }
        }
    }

    fn resolve(&mut self) {
        let mut last: Option<(Span, Option<u32>, Option<u32>)> = None;
        for (index, owner) in std::mem::take(&mut self.bound) {
            let Some(around) = self.get(index).map(|it| it.container) else {
                continue;
            };
            let found = match last {
                Some((span, scope, found)) if span == owner && scope == around => found,
                _ => self.type_named(owner, around),
            };
            last = Some((owner, around, found));
            let Some(found) = found else { continue };
            if found == index || self.within(found, index) {
                continue;
            }
            if let Some(it) = self.get_mut(index) {
                it.container = Some(found);
                if it.kind == Kind::Function {
                    it.kind = Kind::Method;
                }
            }
        }
    }

    /// A type by name, best one that stands in `scope`.
    fn type_named(&self, name: Span, scope: Option<u32>) -> Option<u32> {
        let name = self.facts.get(name);
        let mut any = None;
        for (at, it) in self.facts.definitions.iter().enumerate() {
            let is_type = matches!(
                it.kind,
                Kind::Class
                    | Kind::Struct
                    | Kind::Enum
                    | Kind::Interface
                    | Kind::Trait
                    | Kind::Type
            );
            // Functions were classes once, and are still written like them in JavaScript.
            let is_type =
                is_type || it.kind == Kind::Function && name.starts_with(char::is_uppercase);
            if !is_type || self.facts.get(it.name) != name {
                continue;
            }
            let at = u32::try_from(at).ok();
            if it.container == scope && it.kind != Kind::Function {
                return at;
            }
            any = any.or(at);
        }
        any
    }

    /// Returns true if `inner` is somewhere inside `outer`.
    fn within(&self, inner: u32, outer: u32) -> bool {
        let mut at = Some(inner);
        // Chains are short; the bound only guards against a circle.
        for _ in 0..64 {
            match at {
                None => return false,
                Some(index) if index == outer => return true,
                Some(index) => at = self.get(index).and_then(|it| it.container),
            }
        }
        true
    }

    /// Sorts by first line; a container that stands below what it contains is moved before it.
    fn order(&mut self) {
        let list = &self.facts.definitions;
        let sorted = list.is_sorted_by_key(|it| it.line);
        let contained = list
            .iter()
            .enumerate()
            .all(|(at, it)| it.container.is_none_or(|of| (of as usize) < at));
        if sorted && contained {
            return;
        }
        let mut by_line: Vec<u32> = (0..list.len())
            .filter_map(|at| at.try_into().ok())
            .collect();
        by_line.sort_by_key(|&at| list.get(at as usize).map_or(0, |it| it.line));
        let mut place: Vec<Option<u32>> = vec![None; list.len()];
        let mut ordered = Vec::with_capacity(list.len());
        let mut chain = Vec::new();
        for at in by_line {
            let mut next = Some(at);
            while let Some(index) = next {
                if place.get(index as usize).is_none_or(Option::is_some) || chain.len() > 64 {
                    break;
                }
                chain.push(index);
                next = list.get(index as usize).and_then(|it| it.container);
            }
            while let Some(index) = chain.pop() {
                let (Some(slot), Some(&definition)) =
                    (place.get_mut(index as usize), list.get(index as usize))
                else {
                    continue;
                };
                if slot.is_none() {
                    *slot = ordered.len().try_into().ok();
                    ordered.push(definition);
                }
            }
        }
        for (at, it) in ordered.iter_mut().enumerate() {
            it.container = it
                .container
                .and_then(|of| place.get(of as usize).copied().flatten())
                .filter(|&of| (of as usize) < at);
        }
        self.facts.definitions = ordered;
    }

    fn intern(&mut self, bytes: &[u8]) -> Span {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.facts.intern(text),
            Err(_) => self.facts.intern(&String::from_utf8_lossy(bytes)),
        }
    }

    fn name(&mut self, bytes: &[u8]) -> Span {
        let start = self.facts.text.len();
        let lossy = String::from_utf8_lossy(head(bytes, MAX_RAW));
        clean_into(&mut self.facts.text, &lossy, MAX_NAME);
        // Replacement characters and other long ones may have made it too long in bytes.
        let mut end = self.facts.text.len().min(start + MAX_NAME);
        while !self.facts.text.is_char_boundary(end) {
            end -= 1;
        }
        self.facts.text.truncate(end);
        self.span_from(start)
    }

    fn signature(&mut self, bytes: &[u8]) -> Span {
        let lossy = String::from_utf8_lossy(head(bytes, MAX_RAW));
        let mut text = lossy.trim_end_matches(|c: char| c.is_whitespace() || "{;:=,".contains(c));
        for word in ["=>", " where", " with", " do"] {
            text = text.strip_suffix(word).unwrap_or(text).trim_end();
        }
        let start = self.facts.text.len();
        clean_into(&mut self.facts.text, text, MAX_SIGNATURE);
        self.span_from(start)
    }

    /// The text since `start`, on a line of its own.
    fn span_from(&mut self, start: usize) -> Span {
        let len = self.facts.text.len().saturating_sub(start);
        self.facts.text.push('\n');
        match (u32::try_from(start), u32::try_from(len)) {
            (Ok(start), Ok(len)) if len > 0 => Span { start, len },
            _ => Span::default(),
        }
    }
}

/// At most `limit` bytes from the start.
pub(super) fn head(bytes: &[u8], limit: usize) -> &[u8] {
    bytes.get(..limit).unwrap_or(bytes)
}

/// The bytes of a range; empty where it is not one of theirs.
pub(super) fn slice(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or(&[])
}
