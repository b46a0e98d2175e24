//! Sources that have nothing but directives and comments: the headers in which hardware, error codes
//! and other numbers are given names. There may be a thousand macros in each of them and nothing that
//! needs a grammar.

use std::ops::Range;

use crate::facts::Kind;
use crate::parse::draft::{Draft, New, slice};

/// What a line of a source turned out to be.
enum Found {
    Macro {
        name: Range<usize>,
        signature: Range<usize>,
        /// The comment above.
        doc: Option<Range<usize>>,
        line: u32,
        end_line: u32,
    },
    Include {
        path: Range<usize>,
        line: u32,
    },
}

/// A comment that nothing but space came after.
struct Comment {
    range: Range<usize>,
    last: u32,
}

/// Reads a source of C or C++ that has nothing but directives and comments. `false`, and nothing
/// read, where it has more.
pub(in crate::parse) fn read(source: &[u8], draft: &mut Draft) -> bool {
    let mut reader = Reader {
        source,
        at: 0,
        line: 1,
        busy: 0,
        comment: None,
        found: Vec::new(),
    };
    if reader.read().is_none() {
        return false;
    }
    for found in reader.found {
        match found {
            Found::Macro {
                name,
                signature,
                doc,
                line,
                end_line,
            } => {
                let index = draft.push(&New {
                    kind: Kind::Macro,
                    name: slice(source, name),
                    signature: slice(source, signature),
                    container: None,
                    line,
                    end_line,
                    exported: true,
                    declared_only: false,
                });
                if let (Some(index), Some(doc)) = (index, doc) {
                    draft.document(index, slice(source, doc));
                }
            }
            Found::Include { path, line } => draft.import(slice(source, path), line),
        }
    }
    true
}

struct Reader<'s> {
    source: &'s [u8],
    at: usize,
    line: u32,
    /// Line of the last directive: a comment in it is about that.
    busy: u32,
    comment: Option<Comment>,
    found: Vec<Found>,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.source.get(self.at..).unwrap_or(&[])
    }

    /// Reads to the end; nothing where something else than a directive or comment stands.
    fn read(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            match *rest.first()? {
                b'\n' => {
                    self.at += 1;
                    self.line = self.line.saturating_add(1);
                }
                b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
                b'/' => self.comment()?,
                // Behind a comment in its line, the grammar knows no directive.
                b'#' if self.comment.as_ref().is_none_or(|it| it.last < self.line) => {
                    self.directive()?;
                }
                _ => return None,
            }
            if self.at >= self.source.len() {
                return Some(());
            }
        }
    }

    fn comment(&mut self) -> Option<()> {
        let (start, first) = (self.at, self.line);
        let rest = self.rest();
        let block = rest.starts_with(b"/*");
        let length = if block {
            memchr::memmem::find(rest.get(2..)?, b"*/")? + 4
        } else if rest.starts_with(b"//") {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let text = rest.get(..end)?;
            // It goes on in the next line.
            if text.ends_with(b"\\") || text.ends_with(b"\\\r") {
                return None;
            }
            end
        } else {
            return None;
        };
        self.pass(length);
        let range = start..self.at;
        if first == self.busy {
            return Some(());
        }
        match &mut self.comment {
            Some(it) if it.last + 1 == first && !block => {
                it.range.end = range.end;
                it.last = self.line;
            }
            it => {
                *it = Some(Comment {
                    range,
                    last: self.line,
                });
            }
        }
        Some(())
    }

    /// Goes over bytes, and counts their lines.
    fn pass(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or(&[]);
        let lines = memchr::memchr_iter(b'\n', passed).count();
        self.at += length;
        self.line = self
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    }

    fn directive(&mut self) -> Option<()> {
        let (start, line) = (self.at, self.line);
        let doc = self.comment.take().filter(|it| it.last + 1 >= line);
        let length = length_of(self.rest())?;
        let text = self.rest().get(..length)?;
        let found = match word(text.get(1..)?.trim_ascii_start()) {
            b"define" => definition(text, start, doc.map(|it| it.range), line)?,
            b"include" => included(text, start, line),
            // The rest of a line that is not understood is left to the grammar.
            b"if" | b"ifdef" | b"ifndef" | b"elif" | b"else" | b"endif" | b"undef" | b"pragma"
            | b"error" | b"warning" => None,
            _ => return None,
        };
        self.pass(length);
        self.busy = self.line;
        self.found.extend(found);
        Some(())
    }
}

/// Bytes of a directive with the lines that continue it and the comments that begin in it, up to its
/// line break.
fn length_of(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let Some(found) = memchr::memchr2(b'\n', b'/', rest.get(at..)?) else {
            return Some(rest.len());
        };
        at += found;
        let before = rest.get(..at)?;
        match rest.get(at..)? {
            [b'\n', ..] if before.ends_with(b"\\") || before.ends_with(b"\\\r") => at += 1,
            [b'\n', ..] => return Some(at),
            [_, b'*', inside @ ..] => at += 4 + memchr::memmem::find(inside, b"*/")?,
            _ => at += 1,
        }
    }
}

/// The name that a text begins with.
fn word(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .position(|it| !(it.is_ascii_alphanumeric() || *it == b'_'));
    text.get(..end.unwrap_or(text.len())).unwrap_or(&[])
}

/// `#define A 1`, `#define B(c) d`; `Some(None)` where it does not count.
fn definition(
    text: &[u8],
    start: usize,
    doc: Option<Range<usize>>,
    line: u32,
) -> Option<Option<Found>> {
    let offset = |rest: &[u8]| text.len() - rest.len();
    let rest = text.get(1..)?.trim_ascii_start().strip_prefix(b"define")?;
    let rest = rest.trim_ascii_start();
    let name = word(rest);
    if name.first().is_none_or(u8::is_ascii_digit) {
        return None;
    }
    let from = offset(rest);
    let mut rest = rest.get(name.len()..)?;
    let called = rest.first() == Some(&b'(');
    if called {
        let end = memchr::memchr(b')', rest)?;
        let plain = |it: &u8| it.is_ascii_alphanumeric() || b"_,. \t(".contains(it);
        if !rest.get(..end)?.iter().all(plain) {
            return None;
        }
        rest = rest.get(end + 1..)?;
    } else if rest
        .first()
        .is_some_and(|it| !it.is_ascii_whitespace() && !b"/\\".contains(it))
    {
        return None;
    }
    // A value may begin in the next line.
    loop {
        let after = rest.trim_ascii_start();
        rest = match after {
            [b'\\', b'\n', after @ ..] | [b'\\', b'\r', b'\n', after @ ..] => after,
            _ => {
                rest = after;
                break;
            }
        };
    }
    let valued = !rest.is_empty() && !rest.starts_with(b"/*");
    let guard = !called && !valued && {
        let ends = [&b"_H"[..], b"_H_", b"_HPP", b"_H__", b"_INCLUDED"];
        ends.iter().any(|it| name.ends_with(it))
    };
    if guard {
        return Some(None);
    }
    let lines = memchr::memchr_iter(b'\n', text.trim_ascii_end()).count();
    let end = if lines > 0 && valued {
        offset(rest)
    } else {
        text.len()
    };
    let lines = u32::try_from(memchr::memchr_iter(b'\n', text).count()).ok()?;
    Some(Some(Found::Macro {
        name: start + from..start + from + name.len(),
        signature: start..start + end,
        doc,
        line,
        end_line: line.saturating_add(lines),
    }))
}

/// `#include <a>`, `#include "a"`.
fn included(text: &[u8], start: usize, line: u32) -> Option<Found> {
    let open = text.iter().position(|it| matches!(it, b'<' | b'"'))?;
    let close = if text.get(open) == Some(&b'<') {
        b'>'
    } else {
        b'"'
    };
    let inner = text.get(open + 1..)?;
    let length = memchr::memchr(close, inner)?;
    Some(Found::Include {
        path: start + open + 1..start + open + 1 + length,
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Option<Vec<String>> {
        let mut draft = Draft::default();
        if !read(source.as_bytes(), &mut draft) {
            assert_eq!(draft.finish().0, crate::facts::Facts::default());
            return None;
        }
        let (facts, _) = draft.finish();
        let macros = facts.definitions.iter().map(|it| facts.get(it.name));
        let imports = facts.imports.iter().map(|it| facts.get(it.module));
        Some(macros.chain(imports).map(str::to_owned).collect())
    }

    #[test]
    fn what_is_read_and_what_is_left_to_the_grammar() {
        let read = [
            (
                "/* A. */\n#ifndef A_H\n#define A_H\n#define B 1\n#endif\n",
                "B",
            ),
            ("#define A(b) \\\n  b\n#include <c.h>", "A c.h"),
            // The comment does not end the macro.
            ("#define A \\\n  /* b */ \\\n  c\n#define D 1\n", "A D"),
            ("// Only words.\n", ""),
        ];
        for (source, expected) in read {
            let found = names(source).map(|it| it.join(" "));
            assert_eq!(found.as_deref(), Some(expected), "{source}");
        }
        for source in [
            "#define A 1\nint b;\n",
            "/* Without end",
            "#define A 1 /* Without end",
            "#define 1\n",
            "#define A-b\n",
            "#define A(b c\n",
            "# 12 \"a.c\"\n",
            "// It goes on \\\nint b;\n",
            "/* a */ #define A 1\n",
            "",
        ] {
            assert_eq!(names(source), None, "{source}");
        }
    }
}
