//! Macros of C: a line that defines one needs no grammar, and there may be thousands of them in a
//! header.

use std::ops::Range;

use super::Told;
use crate::facts::Kind;

/// Returns the definition of `#define A 1` or `#define B(c) d`, `Some(None)` where it does not count: guards of
/// headers have no value and are no macros that anybody uses. Nothing where the text, which begins at
/// `start` and in `line`, is something else or is not understood.
pub(super) fn definition(
    text: &[u8],
    start: usize,
    doc: Option<Range<usize>>,
    line: u32,
) -> Option<Option<Told>> {
    let offset = |rest: &[u8]| text.len() - rest.len();
    let rest = text.get(1..)?.trim_ascii_start().strip_prefix(b"define")?;
    let rest = Some(rest).filter(|it| matches!(it, [b' ' | b'\t', ..]))?;
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
    Some(Some(Told {
        kind: Kind::Macro,
        name: start + from..start + from + name.len(),
        signature: start..start + end,
        doc,
        line,
        end_line: line.saturating_add(lines),
        exported: true,
        declared_only: false,
    }))
}

/// Returns the path of `#include "a.h"` or `#include <a.h>`, of a text that begins at `start`.
pub(super) fn inclusion(text: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = text.get(1..)?.trim_ascii_start().strip_prefix(b"include")?;
    let rest = rest.trim_ascii_start();
    let close = match rest.first()? {
        b'"' => b'"',
        b'<' => b'>',
        _ => return None,
    };
    let path = rest.get(1..)?;
    let path = path.get(..memchr::memchr(close, path)?)?;
    let from = start + text.len() - rest.len() + 1;
    (!path.contains(&b'\n')).then_some(from..from + path.len())
}

/// The name that a text begins with.
fn word(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .position(|it| !(it.is_ascii_alphanumeric() || *it == b'_'));
    text.get(..end.unwrap_or(text.len())).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions() {
        let source_of = |it: &Told, text: &str| {
            let of = |range: &Range<usize>| text.get(range.clone()).unwrap().to_owned();
            (of(&it.name), of(&it.signature), it.end_line)
        };
        for (text, name, signature, end_line) in [
            ("#define A 1", "A", "#define A 1", 7),
            ("#  define A", "A", "#  define A", 7),
            (
                "#define A(b, ...) \\\n  b",
                "A",
                "#define A(b, ...) \\\n  ",
                8,
            ),
            ("#define A /* b\n c */", "A", "#define A /* b\n c */", 8),
            ("#define A_H 1", "A_H", "#define A_H 1", 7),
        ] {
            let found = definition(text.as_bytes(), 0, None, 7).unwrap().unwrap();
            let expected = (name.to_owned(), signature.to_owned(), end_line);
            assert_eq!(source_of(&found, text), expected, "{text}");
        }
        assert!(definition(b"#define A_H", 0, None, 1).unwrap().is_none());
        for text in [
            "#define",
            "#define 1",
            "#define A-b",
            "#define A(b",
            "#undef A",
            "#defined A",
        ] {
            assert!(definition(text.as_bytes(), 0, None, 1).is_none(), "{text}");
        }
    }
}
