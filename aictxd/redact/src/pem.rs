//! Private-key blocks: on one line, with escaped line ends, over many lines, cut off.

use super::bytes::{at, blanks, has_ci, looking_at, run, sub};
use super::line::Line;

/// The most lines that one block swallows.
const MAX_LINES: u32 = 1000;

/// A block that a line left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Open {
    /// The block began and its marker is written; key lines follow.
    Block { lines: u32, short: bool, body: bool },
    /// The first line ended in code (`"…\n" +`): key lines may follow.
    Maybe,
}

/// Meaning of a line to an open block.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The line belongs to the block.
    Swallow,
    /// The block ends in this line before the given byte.
    EndAt(usize),
    /// The block ended before this line.
    Closed,
    /// Key text begins here (only after [`Open::Maybe`]).
    Begin(usize, usize),
}

/// Looks at the `-----BEGIN` at `i`. Answers what stays open behind the line.
pub(super) fn analyse(line: &mut Line, i: usize) -> Option<Open> {
    let b = line.bytes;
    let dashes = run(b, i, 5, |c| c == b'-');
    let label = run(b, dashes, 64, |c| c.is_ascii_alphanumeric() || c == b' ');
    let text = sub(b, dashes, label);
    if !has_ci(text, "BEGIN") || !(has_ci(text, "PRIVATE KEY") || has_ci(text, "STATIC KEY")) {
        return None;
    }
    let after = run(b, label, 5, |c| c == b'-');
    if after == label {
        return None;
    }
    let tail = sub(b, after, b.len());
    let found = if line.no_key_end {
        None
    } else {
        memchr::memmem::find(tail, b"-----END").or_else(|| memchr::memmem::find(tail, b"---- END"))
    };
    line.no_key_end = found.is_none();
    if let Some(p) = found {
        let end = end_of(b, after + p);
        let body = sub(tail, 0, p);
        let real = body.iter().filter(|c| c.is_ascii_alphanumeric()).count() > 6
            && !body.windows(2).any(|w| w == b"${" || w == b"{{");
        if real {
            line.add_block(i, end);
        }
        return None;
    }
    if blanks(b, after, b.len()) >= b.len() || (at(b, after) == b'\r' && after + 1 >= b.len()) {
        line.add_block(i, b.len());
        return Some(Open::Block {
            lines: 0,
            short: false,
            body: false,
        });
    }
    let mut end = after;
    loop {
        let gap = run(b, end, 8, |c| matches!(c, b' ' | b'\\' | b'\t'));
        let stop = run(b, gap, b.len(), |c| {
            c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'\\')
        });
        if stop - gap < 16 {
            break;
        }
        end = stop;
    }
    if end > after {
        line.add_block(i, end);
        return (end >= b.len()).then_some(Open::Block {
            lines: 0,
            short: false,
            body: true,
        });
    }
    (tail.len() <= 12).then_some(Open::Maybe)
}

/// Returns the end of the `-----END …-----` at `i`.
fn end_of(b: &[u8], i: usize) -> usize {
    let word = run(b, i + 5, 80, |c| c.is_ascii_alphanumeric() || c == b' ');
    let dashes = run(b, word, 5, |c| c == b'-');
    if dashes > word {
        return dashes;
    }
    // Cut off, or followed by other text
    run(b, i + 4, 80, |c| {
        c == b'-' || c == b' ' || c.is_ascii_uppercase() || c.is_ascii_digit()
    })
}

/// Returns true if a key block begins in the line.
pub(super) fn begins(b: &[u8]) -> bool {
    memchr::memmem::find(b, b"-----BEGIN").is_some()
}

/// The base64 text of a key line: its range without indentation, quotes, diff and quote signs.
fn key_text(b: &[u8]) -> (usize, usize) {
    let from = run(b, 0, 64, |c| {
        c.is_ascii_whitespace()
            || matches!(
                c,
                b'"' | b'\'' | b'>' | b'|' | b'#' | b'*' | b'+' | b'-' | b'.'
            )
    });
    // A line number or a log prefix
    let from = b
        .iter()
        .rposition(|&c| matches!(c, b' ' | b'\t' | b':'))
        .filter(|&p| b.len() - p > 32 && p >= from)
        .map_or(from, |p| p + 1);
    let to = run(b, from, b.len(), |c| {
        c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=')
    });
    (from, to)
}

impl Open {
    /// Returns the meaning of the line `b` (without its end) to the block, and the state behind it.
    pub(super) fn step(self, b: &[u8]) -> (Step, Option<Self>) {
        let (from, to) = key_text(b);
        let rest = sub(b, to, b.len());
        let tail = rest.iter().all(|c| {
            matches!(
                c,
                b' ' | b'\r'
                    | b'\t'
                    | b'"'
                    | b'\''
                    | b'+'
                    | b'\\'
                    | b'n'
                    | b','
                    | b'r'
                    | b')'
                    | b';'
            )
        });
        let (lines, short, body) = match self {
            Self::Maybe => {
                if tail && to - from >= 40 {
                    return (
                        Step::Begin(from, to),
                        Some(Self::Block {
                            lines: 1,
                            short: to - from < 60,
                            body: true,
                        }),
                    );
                }
                return (Step::Closed, None);
            }
            Self::Block { lines, short, body } => (lines, short, body),
        };
        for end in [&b"-----END"[..], b"---- END"] {
            if let Some(p) = memchr::memmem::find(b, end) {
                let close = end_of(b, p);
                let close = if at(b, close.saturating_sub(1)) == b' ' {
                    close - 1
                } else {
                    close
                };
                return (Step::EndAt(close), None);
            }
        }
        let header = [
            "Proc-Type:",
            "DEK-Info:",
            "Version:",
            "Comment:",
            "Hash:",
            "Charset:",
        ]
        .iter()
        .any(|h| looking_at(b, blanks(b, 0, 64), h.as_bytes()));
        let blank = b
            .iter()
            .all(|c| c.is_ascii_whitespace() || matches!(c, b'>' | b'|' | b'#' | b'+'));
        let len = to - from;
        let v = sub(b, from, to);
        let dense = v.iter().any(|c| {
            c.is_ascii_digit() || c.is_ascii_uppercase() || matches!(c, b'+' | b'/' | b'=')
        });
        let key = tail && len > 0 && !short && (len >= 24 || (body && dense));
        let crc = tail && len > 0 && len <= 6 && v.first() == Some(&b'=');
        // Text that stands for a key: `…`, `<key>`
        let stand_in =
            !body && b.len() < 80 && (v.is_empty() && !b.is_empty() || len < 24 && tail && len > 0);
        if lines >= MAX_LINES
            || !(key || crc || stand_in || (header || blank) && !body || blank && !short && !body)
        {
            return (Step::Closed, None);
        }
        let next = Self::Block {
            lines: lines + 1,
            // The lines of a static key are short all of them
            short: body
                && (short
                    || len < 60 && key && !(len == 32 && v.iter().all(u8::is_ascii_hexdigit))),
            body: body || key || stand_in,
        };
        (Step::Swallow, Some(next))
    }
}
