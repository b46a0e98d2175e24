//! Python: a body is what is indented further than its `def`.

use super::{Cut, Outlined};

/// How wide a tab is; the grammar has it so.
const TAB: usize = 8;

/// A statement: a line with those that continue it.
struct Statement {
    /// Where its first line begins.
    line: usize,
    /// First byte behind the indentation, and end before the line break.
    start: usize,
    end: usize,
    indent: usize,
    /// A block follows.
    opens: bool,
}

/// Leaves out bodies of functions, but for the string that documents them.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut cut = Cut::new(source, out);
    let mut lines = Lines {
        source,
        at: 0,
        endless: false,
    };
    let mut ahead = None;
    while let Some(statement) = ahead.take().or_else(|| lines.next()) {
        if !statement.opens || !defines(source.get(statement.start..).unwrap_or(&[])) {
            continue;
        }
        let mut first: Option<Statement> = None;
        let mut end = 0;
        while let Some(inner) = lines.next() {
            if inner.indent <= statement.indent {
                ahead = Some(inner);
                break;
            }
            end = inner.end;
            first.get_or_insert(inner);
        }
        let Some(first) = first else { continue };
        let text = source.get(first.start..first.end).unwrap_or(&[]);
        let from = if documents(text) {
            first.end
        } else {
            first.start
        };
        let inside = source.get(from..end).unwrap_or(&[]);
        let indent = source.get(first.line..first.start).unwrap_or(&[]);
        // One line is not worth it.
        if memchr::memchr(b'\n', inside).is_some() {
            // A body ends where its last statement stands.
            cut.leave_out(from, end, &[indent, b"pass"]);
        }
    }
    !lines.endless && cut.finish()
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

/// Whether a statement is a string.
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
