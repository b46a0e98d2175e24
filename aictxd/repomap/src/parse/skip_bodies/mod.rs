//! Sources without what no table looks into.
//!
//! A walk goes from definition to definition and never into the body of a function or a long table
//! of values, yet parsing these is most of the work of a grammar. Where a language's tokens can be
//! told apart without a grammar, bodies are cut out first: of a body that has been followed to the
//! brace that closes it, its braces and line breaks are left, so that every line keeps its number.
//! In C and C++, definitions that tokens alone say everything about are noted and left out whole.
//! Whatever is not certain is left as it is, and the grammar decides as before.

mod c;
mod functions;
mod go;
mod java;
mod kotlin;
mod macros;
mod python;
mod rust;
mod tokens;

pub(super) use c::{c, cpp};
pub(super) use go::outline as go;
pub(super) use java::outline as java;
pub(super) use kotlin::outline as kotlin;
pub(super) use python::outline as python;
pub(super) use rust::outline as rust;

use std::ops::Range;

use self::tokens::{Conditional, Token, Tokens};
use super::fact_builder::{Draft, New, slice};
use crate::facts::Kind;

/// Writes a source without bodies; `false` where it has to be parsed as it is.
pub(super) type Outline = fn(&[u8], &mut Outlined) -> bool;

/// Remaining text of a source, and the findings in the rest.
#[derive(Default)]
pub(super) struct Outlined {
    pub(super) text: Vec<u8>,
    functions: Vec<Told>,
    macros: Vec<Told>,
    /// Includes, with their lines.
    imports: Vec<(Range<usize>, u32)>,
    /// Positions behind each cut: in the text and in the source.
    resumed: Vec<(usize, usize)>,
}

impl Outlined {
    /// The source that a piece of the text was made of.
    pub(super) fn written<'s>(&self, source: &'s [u8], piece: Range<usize>) -> &'s [u8] {
        slice(source, self.place(piece.start)..self.place(piece.end))
    }

    /// Maps an offset of the text, which is in no cut, to the source.
    fn place(&self, at: usize) -> usize {
        let cuts = self.resumed.partition_point(|&(text, _)| text <= at);
        let resumed = cuts.checked_sub(1).and_then(|it| self.resumed.get(it));
        let (text, source) = resumed.copied().unwrap_or((0, 0));
        at - text + source
    }

    /// Returns true if a grammar has nothing to say of what is left.
    pub(super) fn is_bare(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    /// Adds functions and imports that were left out to what a source says.
    pub(super) fn tell_functions(&self, source: &[u8], draft: &mut Draft) {
        for it in &self.functions {
            it.tell(source, draft);
        }
        for (module, line) in &self.imports {
            draft.import(slice(source, module.clone()), *line);
        }
    }

    /// Adds macros that were left out: there may be thousands, which are last to be kept.
    pub(super) fn tell_macros(&self, source: &[u8], draft: &mut Draft) {
        for it in &self.macros {
            it.tell(source, draft);
        }
    }

    /// Forgets what it holds, but little of its memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(1 << 18);
        for told in [&mut self.functions, &mut self.macros] {
            told.clear();
            told.shrink_to(1 << 11);
        }
        self.imports.clear();
        self.resumed.clear();
        self.resumed.shrink_to(1 << 11);
    }
}

/// A definition that its tokens say everything about.
struct Told {
    kind: Kind,
    name: Range<usize>,
    signature: Range<usize>,
    /// The comment above.
    doc: Option<Range<usize>>,
    line: u32,
    end_line: u32,
    exported: bool,
    declared_only: bool,
}

impl Told {
    fn tell(&self, source: &[u8], draft: &mut Draft) {
        let index = draft.push(&New {
            kind: self.kind,
            name: slice(source, self.name.clone()),
            signature: slice(source, self.signature.clone()),
            container: None,
            line: self.line,
            end_line: self.end_line,
            exported: self.exported,
            declared_only: self.declared_only,
        });
        if let (Some(index), Some(doc)) = (index, &self.doc) {
            draft.document(index, slice(source, doc.clone()));
        }
    }
}

/// Bodies of a source that may be without end before the source is taken as it is: each of them has
/// been read to the end of the file.
const MAX_ENDLESS: usize = 4;

/// Kind of block between two braces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Statements: nothing of them is kept.
    Body,
    /// A value: nothing of it is kept.
    Value,
    /// Fields: nothing of them is kept unless there is more than fields.
    Fields,
    /// Part of a head: all of it is kept.
    Part,
}

/// A source that is being cut.
struct Cut<'s, 'o> {
    source: &'s [u8],
    out: &'o mut Outlined,
    /// Text in place of statements: in C++, `int a() {}` may as well be a value.
    statement: &'static [u8],
    /// Everything before is written or cut.
    done: usize,
    endless: usize,
}

impl<'s, 'o> Cut<'s, 'o> {
    fn new(source: &'s [u8], out: &'o mut Outlined) -> Self {
        out.clear();
        Self {
            source,
            out,
            statement: b"",
            done: 0,
            endless: 0,
        }
    }

    /// Writes this for the statements of a body.
    fn standing_in(self, statement: &'static [u8]) -> Self {
        Self { statement, ..self }
    }

    /// Passes a block whose opening brace was just read, and leaves out what `block` says can be
    /// spared. `false` where its end is not certain: nothing is passed then.
    fn pass(&mut self, tokens: &mut Tokens<'s>, block: Block) -> bool {
        let Some((from, to)) = self.inside(tokens, block) else {
            return false;
        };
        if from < to {
            let body = block == Block::Body;
            let statement = if body { self.statement } else { b"" };
            self.leave_out(from, to, &[statement]);
        }
        true
    }

    /// Passes a body whose opening brace was just read, and leaves it out with all that stands since
    /// `from`. `false` where its end is not certain: nothing is passed then.
    fn pass_since(&mut self, from: usize, tokens: &mut Tokens<'s>) -> bool {
        let passed = self.inside(tokens, Block::Body).is_some();
        if passed {
            self.leave_out(from, tokens.end(), &[]);
        }
        passed
    }

    /// Reads past a block whose opening brace was just read: what of it can be spared.
    fn inside(&mut self, tokens: &mut Tokens<'s>, block: Block) -> Option<(usize, usize)> {
        let mark = tokens.mark();
        let found = end_of(tokens, tokens.end(), block);
        if found.is_none() {
            self.endless += usize::from(tokens.is_done());
            tokens.back_to(mark);
        }
        found
    }

    /// Returns true if more blocks without end were met than a source in order has.
    fn hopeless(&self) -> bool {
        self.endless > MAX_ENDLESS
    }

    /// Leaves out a range but for its line breaks, and writes something behind them.
    fn leave_out(&mut self, from: usize, to: usize, instead: &[&[u8]]) {
        let (Some(before), Some(inside)) =
            (self.source.get(self.done..from), self.source.get(from..to))
        else {
            return;
        };
        let text = &mut self.out.text;
        text.extend_from_slice(before);
        let lines = memchr::memchr_iter(b'\n', inside).count();
        text.resize(text.len() + lines, b'\n');
        for piece in instead {
            text.extend_from_slice(piece);
        }
        self.out.resumed.push((text.len(), to));
        self.done = to;
    }

    /// Writes the rest; whether that is of any use.
    fn finish(self) -> bool {
        let rest = self.source.get(self.done..).unwrap_or(&[]);
        self.out.text.extend_from_slice(rest);
        self.done > 0 && !self.hopeless()
    }
}

/// Reads to the brace that closes a block, and past it: the range that can be spared.
fn end_of(tokens: &mut Tokens<'_>, open: usize, block: Block) -> Option<(usize, usize)> {
    let mut depth = 1_usize;
    // Depths at the conditions that are open, and at the end of the first branch of each.
    let mut conditions: Vec<(usize, Option<usize>)> = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::Mark(b'{') | Token::Directive(_) if block == Block::Fields => return None,
            Token::Mark(b'{') => depth += 1,
            Token::Mark(b'}') => {
                depth -= 1;
                if depth == 0 {
                    let end = tokens.start();
                    // A brace in one branch only says nothing of where the block ends.
                    let from = if block == Block::Part { end } else { open };
                    return conditions.is_empty().then_some((from, end));
                }
            }
            Token::Directive(Conditional::If) => conditions.push((depth, None)),
            Token::Directive(Conditional::Else) => {
                let (before, first) = conditions.last_mut()?;
                first.get_or_insert(depth);
                depth = *before;
            }
            Token::Directive(Conditional::End) => {
                let (_, first) = conditions.pop()?;
                depth = first.unwrap_or(depth);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
