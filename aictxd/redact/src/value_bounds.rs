//! Bounds of values: quotes, brackets, constructors, signs that belong to a password.

use super::benign_words::{is_common, is_explanation, is_function_word};
use super::bytes::{at, blanks, looking_at, run, run_back, sub};
use super::value_kind::Tie;

/// The most bytes of a value that are looked at; a longer run is judged by these and taken whole.
pub(super) const MAX_VALUE: usize = 2048;

/// Returns the bounds of a value, and true if it is quoted.
pub(super) fn value_at(
    b: &[u8],
    mut i: usize,
    tie: Tie,
    query: bool,
) -> Option<(usize, usize, bool)> {
    if matches!(
        at(b, i),
        b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'L' | b'@'
    ) && matches!(at(b, i + 1), b'"' | b'\'')
    {
        i += 1;
    }
    i = unwrapped(b, i);
    let open = run(b, i, 8, |c| c == b'\\');
    let quote = at(b, open);
    if matches!(quote, b'"' | b'\'' | b'`') {
        let triple = sub(b, open, open + 3).iter().all(|&c| c == quote) && open + 3 < b.len();
        let start = open + if triple { 3 } else { 1 };
        let mut end = start;
        while end < b.len() && end < start + MAX_VALUE {
            let c = at(b, end);
            if c == quote || (c == b'\\' && open > i) {
                return (end > start).then_some((start, end, true));
            }
            end += if c == b'\\' { 2 } else { 1 };
        }
        // Not closed: cut off, or longer than looked at.
        let end = run(b, start, b.len(), |c| {
            !c.is_ascii_whitespace() && c != quote
        });
        return (end > start).then_some((start, end, true));
    }
    for curly in ["“", "‘", "«", "„", "‚", "»"] {
        if looking_at(b, i, curly.as_bytes()) {
            let start = i + curly.len();
            let end = run(b, start, 256, |c| c < 0x80);
            return (end > start).then_some((start, end, true));
        }
    }
    let mut end = i;
    let mut depth = 0_i32;
    while end < b.len() && end < i + MAX_VALUE {
        let c = at(b, end);
        match c {
            b'"' | b'\'' | b'`' | b'<' | b';' | b'|' if !(end == i && c == b'<') => break,
            b'\\' if matches!(at(b, end + 1), b'n' | b'r' | b't' | b'"' | b'\'' | b'\\') => break,
            b'&' if tie == Tie::Tight && is_parameter(b, end + 1) => break,
            b'&' if query || at(b, end + 1) == b'&' || is_entity(b, end) => break,
            b'#' if query => break,
            b',' if tie != Tie::Flag => break,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth < 0 {
                    break;
                }
            }
            c if c.is_ascii_whitespace() || c.is_ascii_control() => break,
            _ => {}
        }
        end += 1;
    }
    while end > i && matches!(at(b, end - 1), b'.' | b':' | b'?' | b',') {
        end -= 1;
    }
    while tie == Tie::Prose && end > i && matches!(at(b, end - 1), b'*' | b'_') {
        end -= 1;
    }
    (end > i).then_some((i, end, false))
}

/// `abcd efgh ijkl mnop`: a password for one application.
pub(super) fn four_groups(b: &[u8], i: usize) -> bool {
    let v = sub(b, i, i + 19);
    v.len() == 19
        && v.iter().enumerate().all(|(k, c)| match k {
            4 | 9 | 14 => *c == b' ',
            _ => c.is_ascii_lowercase(),
        })
        && !at(b, i + 19).is_ascii_alphanumeric()
        && !v.split(|c| *c == b' ').any(super::benign_words::is_common)
}

/// The end of a bare password that holds signs which end other values: in a line of its own all
/// that stands without blanks up to the end of the line belongs to it.
pub(super) fn with_signs(b: &[u8], end: usize, tie: Tie) -> usize {
    let stop = run(b, end, 64, |c| {
        c.is_ascii_graphic() && !matches!(c, b'=' | b')' | b']' | b'}' | b'"' | b'\\' | b'`')
    });
    let piece = sub(b, end, stop);
    let last = blanks(b, stop, 80) >= b.len() || at(b, stop) == b'\r';
    if matches!(tie, Tie::Tight | Tie::Colon | Tie::Assign)
        && last
        && matches!(at(b, end), b',' | b';' | b'|' | b'\'' | b'<')
        && piece.iter().any(u8::is_ascii_alphanumeric)
        && !piece.starts_with(b"</")
    {
        stop
    } else {
        end
    }
}

/// The string inside `Some("…")`, `SecretStr('…')`, `[]byte("…")`: constructors that hold a value
/// rather than look it up.
fn unwrapped(b: &[u8], i: usize) -> usize {
    const WRAPS: &[&str] = &[
        "some",
        "ok",
        "just",
        "secret",
        "secretstring",
        "secretstr",
        "secretbox",
        "string",
        "str",
        "password",
        "sensitive",
        "from",
        "bytes",
        "byte",
        "new",
        "b64decode",
        "atob",
        "fromstring",
        "of",
        "valueof",
        "plaintext",
        "plain",
        "text",
        "literal",
        "unsafe",
        "token",
        "into",
    ];
    let mut i = i;
    for _ in 0..3 {
        let open = run(b, i, 48, |c| {
            c.is_ascii_alphanumeric() || matches!(c, b'_' | b':' | b'.' | b'[' | b']' | b'$')
        });
        if at(b, open) != b'(' || open == i {
            return i;
        }
        let word = run_back(b, open, open - i, |c| {
            c.is_ascii_alphanumeric() || c == b'_'
        });
        let word = sub(b, word, open);
        let next = open + 1;
        let string = matches!(at(b, next), b'"' | b'\'' | b'\\')
            || (matches!(at(b, next), b'b' | b'&') && matches!(at(b, next + 1), b'"' | b'\''));
        if !WRAPS
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
        {
            return i;
        }
        if string {
            return next + usize::from(!matches!(at(b, next), b'"' | b'\'' | b'\\'));
        }
        i = next;
    }
    i
}

/// `name=` of a form at `i`.
fn is_parameter(b: &[u8], i: usize) -> bool {
    let e = run(b, i, 32, |c| c.is_ascii_lowercase() || c == b'_');
    e > i + 1 && at(b, e) == b'='
}

/// `&quot;` and other entities that end a value in HTML.
fn is_entity(b: &[u8], i: usize) -> bool {
    [&b"&quot;"[..], b"&lt;", b"&gt;", b"&#"]
        .iter()
        .any(|e| looking_at(b, i, e))
}

/// `correct horse battery staple` up to the end of the line: words that make no sentence.
pub(super) fn plain_words(b: &[u8], i: usize) -> Option<usize> {
    let stop = run(b, i, 80, |c| c.is_ascii_lowercase() || c == b' ');
    let words = sub(b, i, stop).trim_ascii_end();
    let ends = stop >= b.len() || at(b, stop) == b'\r';
    let count = words.split(|c| *c == b' ').count();
    let common = words.split(|c| *c == b' ').filter(|w| is_common(w)).count();
    let odd = words
        .split(|c| *c == b' ')
        .any(|w| w.len() < 3 || is_function_word(w) || is_explanation(w));
    (ends && (4..=8).contains(&count) && common <= 1 && !odd).then_some(i + words.len())
}

/// The end of a bare password in a message that holds brackets and semicolons: `w8)kPz!q2Lm`. Code
/// stops at them and goes on otherwise.
pub(super) fn with_brackets(b: &[u8], start: usize, end: usize) -> usize {
    if !matches!(
        at(b, end),
        b')' | b'(' | b';' | b',' | b'=' | b'|' | b'<' | b'&'
    ) {
        return end;
    }
    let mut stop = run(b, end, 64, |c| {
        c.is_ascii_graphic() && !matches!(c, b'"' | b'\'' | b'`' | b'{' | b'}' | b'\\')
    });
    while stop > end && matches!(at(b, stop - 1), b')' | b';' | b',' | b'.') {
        stop -= 1;
    }
    let v = sub(b, start, stop);
    let has = |f: fn(&u8) -> bool| v.iter().any(f);
    let noise = v.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !v.contains(&b'.')
        && !super::text_kind::is_wordlike(v);
    if noise { stop } else { end }
}
