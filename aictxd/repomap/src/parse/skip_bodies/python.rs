//! Python: a body is what is indented further than its `def`.

use std::ops::Range;

use super::{Cut, Outlined};

/// Width of a tab, as in the grammar.
const TAB: usize = 8;

/// A statement: a line with those that continue it.
struct Statement {
    /// Start of its first line.
    line: usize,
    /// First byte behind the indentation, and end before the line break.
    start: usize,
    end: usize,
    indent: usize,
    /// A block follows.
    opens: bool,
}

/// A function whose body is being read.
#[derive(Default)]
struct Body {
    /// Indentation of the head.
    head: usize,
    /// The white space in front of its statements, once the first was met.
    indentation: Option<Range<usize>>,
    /// Start of the dropped part.
    from: usize,
    /// Something that it defines was kept.
    keeps: bool,
}

/// Leaves out bodies of functions, but for the string that documents them and for functions in them.
/// These are moved to where the body's own statements stand: what they are nested in, a condition
/// perhaps, is left out.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut cut = Cut::new(source, out);
    let mut lines = Lines {
        source,
        at: 0,
        endless: false,
    };
    let mut open: Vec<Body> = Vec::new();
    // How far a class in a function is indented: nothing of it is kept.
    let mut class: Option<usize> = None;
    // Decorators of what comes next, each with the end of the statement before.
    let mut decorators: Vec<(Statement, usize)> = Vec::new();
    // Where the last statement ended.
    let mut end = 0;
    while let Some(statement) = lines.next() {
        while let Some(body) = open.pop_if(|it| statement.indent <= it.head) {
            close(&mut cut, body, end, &mut open);
            decorators.clear();
        }
        let text = source.get(statement.start..statement.end).unwrap_or(&[]);
        if class.is_some_and(|it| statement.indent > it) {
            end = statement.end;
            continue;
        }
        let defines = defines(text);
        class = (!open.is_empty() && is_class(text)).then_some(statement.indent);
        if let Some(body) = open.last_mut() {
            let first = body.indentation.is_none();
            if first {
                body.indentation = Some(statement.line..statement.start);
                body.from = statement.start;
            }
            if first && documents(text) {
                body.from = statement.end;
            } else if text.starts_with(b"@") {
                let before = std::mem::replace(&mut end, statement.end);
                decorators.push((statement, before));
                continue;
            } else if defines {
                for (decorator, end) in decorators.drain(..) {
                    keep(&mut cut, body, &decorator, end);
                }
                keep(&mut cut, body, &statement, end);
            }
            decorators.clear();
        }
        if defines && statement.opens {
            open.push(Body {
                head: statement.indent,
                ..Body::default()
            });
        }
        end = statement.end;
    }
    while let Some(body) = open.pop() {
        close(&mut cut, body, end, &mut open);
    }
    !lines.endless && cut.finish()
}

/// Keeps a statement of a body, and the comments above it. `end` is that of the statement before.
fn keep(cut: &mut Cut<'_, '_>, body: &mut Body, statement: &Statement, end: usize) {
    let mut at = body.from;
    if end > body.from {
        // A comment behind what is left out is not about what follows.
        let rest = cut.source.get(end..statement.line).unwrap_or(&[]);
        at = end + memchr::memchr(b'\n', rest).unwrap_or(0);
        cut.leave_out(body.from, at, &[]);
    }
    let own = body.indentation.clone().unwrap_or_default();
    let own = cut.source.get(own).unwrap_or(&[]);
    // Comments are in the block that they are indented like.
    let above = cut.source.get(at..statement.line).unwrap_or(&[]);
    for line in memchr::memchr_iter(b'\n', above).map(|it| at + it + 1) {
        let rest = cut.source.get(line..).unwrap_or(&[]);
        let blank = rest.iter().take_while(|it| matches!(it, b' ' | b'\t'));
        let start = line + blank.count();
        let moves = cut.source.get(line..start) != Some(own);
        if moves && (start >= statement.start || cut.source.get(start) == Some(&b'#')) {
            cut.leave_out(line, start.min(statement.start), &[own]);
        }
    }
    body.from = statement.end;
    body.keeps = true;
}

/// Leaves out what is left of a body that ends at `end`, before what is around it goes on there.
fn close(cut: &mut Cut<'_, '_>, body: Body, end: usize, around: &mut [Body]) {
    if let Some(own) = body.indentation
        && body.from < end
    {
        let inside = cut.source.get(body.from..end).unwrap_or(&[]);
        // One line is not worth it.
        if body.keeps || memchr::memchr(b'\n', inside).is_some() {
            let own = cut.source.get(own).unwrap_or(&[]);
            // A body ends where its last statement stands.
            cut.leave_out(body.from, end, &[own, b"pass"]);
        }
    }
    if let Some(outer) = around.last_mut() {
        outer.from = end;
    }
}

fn is_class(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"class");
    rest.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
}

fn defines(text: &[u8]) -> bool {
    let is_space = |it: Option<&u8>| it.is_some_and(u8::is_ascii_whitespace);
    let text = match text.strip_prefix(b"async") {
        Some(rest) if is_space(rest.first()) => rest.trim_ascii_start(),
        _ => text,
    };
    text.strip_prefix(b"def")
        .is_some_and(|rest| is_space(rest.first()))
}

/// Returns true if a statement is a string.
fn documents(text: &[u8]) -> bool {
    let prefix = text
        .iter()
        .take(2)
        .take_while(|it| it.is_ascii_alphabetic());
    let quote = prefix.count();
    matches!(text.get(quote), Some(b'"' | b'\''))
}

/// The statements of a source.
struct Lines<'s> {
    source: &'s [u8],
    at: usize,
    /// A bracket or string was never closed: what follows it may be anything.
    endless: bool,
}

impl Lines<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Statement> {
        if self.endless {
            return None;
        }
        let (line, indent) = self.indentation()?;
        let start = self.at;
        let mut depth = 0_usize;
        // End of what is no comment, and whether it ends with a colon.
        let (mut end, mut opens) = (start, false);
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' if depth == 0 => break,
                b' ' | b'\t' | b'\r' | b'\n' | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'#' => {
                    self.at = self.end_of_line();
                    continue;
                }
                b'\\' => self.at += 1,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'"' | b'\'' => self.string(byte),
                _ => {}
            }
            self.at = (self.at + 1).min(self.source.len());
            (end, opens) = (self.at, byte == b':');
        }
        self.endless |= depth > 0;
        (!self.endless).then_some(Statement {
            line,
            start,
            end,
            indent,
            opens,
        })
    }

    /// Goes to the next statement: where its line begins, and how far it is indented.
    fn indentation(&mut self) -> Option<(usize, usize)> {
        let (mut line, mut indent) = (self.at, 0);
        loop {
            match self.peek()? {
                b' ' => indent += 1,
                b'\t' => indent += TAB,
                b'\r' => {}
                0x0c => indent = 0,
                b'#' => {
                    self.at = self.end_of_line();
                    continue;
                }
                b'\n' => (line, indent) = (self.at + 1, 0),
                _ => return Some((line, indent)),
            }
            self.at += 1;
        }
    }

    fn end_of_line(&self) -> usize {
        let rest = self.source.get(self.at..).unwrap_or(&[]);
        self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }

    /// Goes from the first quote of a string to its last.
    fn string(&mut self, quote: u8) {
        let rest = self.source.get(self.at..).unwrap_or(&[]);
        let three = rest.starts_with(&[quote; 3]);
        let close = [quote; 3];
        let close = close.get(..if three { 3 } else { 1 }).unwrap_or(&[]);
        self.at += close.len();
        while let Some(byte) = self.peek() {
            let rest = self.source.get(self.at..).unwrap_or(&[]);
            match byte {
                b'\\' => self.at += 2,
                // Nobody closed it.
                b'\n' if !three => {
                    self.at -= 1;
                    return;
                }
                _ if rest.starts_with(close) => {
                    self.at += close.len() - 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.endless = true;
    }
}
