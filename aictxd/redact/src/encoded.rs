//! Secrets that stand encoded in a line: base64, hexadecimal digits, percent signs, quotes of a shell
//! within quotes of a shell.
//!
//! A piece is decoded and looked at like a line. Of base64 and hexadecimal digits the whole piece is
//! replaced, of the others the secret.

use super::bytes::{at, decode_base64, is_base64, run, run_back, sub};
use super::keyword_index::spans_within;
use super::line::Line;
use super::multiline::Follow;

/// Maximal nesting of encodings.
const MAX_DEPTH: usize = 2;
/// The shortest base64 that is decoded: of 18 bytes. Shorter tokens are not recognised either.
const MIN_BASE64: usize = 24;
/// The shortest hexadecimal digits that are decoded. Git's hashes are as long, but decode to no text.
const MIN_HEX: usize = 40;
/// The longest piece that is decoded, in bytes.
const MAX_PIECE: usize = 64 << 10;
/// The longest line that is looked at without its percent signs or quotes, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Returns true if a run of name characters holds text in base64 or hexadecimal digits.
pub(super) fn is_piece(b: &[u8], s: usize, e: usize) -> bool {
    piece(b, s, e).is_some()
}

/// Adds the run of name characters at `s..e` when it is a secret, encoded.
pub(super) fn run_of(line: &mut Line, s: usize, e: usize, depth: usize) {
    if depth >= MAX_DEPTH {
        return;
    }
    if let Some(piece) = piece(line.bytes, s, e) {
        let found = spans_within(&piece.text, &Follow::default(), &mut None, depth + 1);
        if let Some(first) = found.first() {
            line.add(piece.start, piece.end, first.kind, "encoded");
        }
    }
}

/// Adds what the line holds behind percent signs and within quotes of quotes.
pub(super) fn views(line: &mut Line, depth: usize) {
    let b = line.bytes;
    if depth >= MAX_DEPTH || b.len() > MAX_LINE {
        return;
    }
    for view in [percent(b), unquoted(b)].into_iter().flatten() {
        for span in spans_within(&view.text, &Follow::default(), &mut None, depth + 1) {
            if let (Some(&start), Some(&end)) = (view.from.get(span.start), view.from.get(span.end))
            {
                line.add(start, end, span.kind, span.rule);
            }
        }
    }
}

/// A piece of a line and what it stands for.
struct Piece {
    start: usize,
    end: usize,
    text: Vec<u8>,
}

/// Decodes a run of name characters: all of it, with what else belongs to base64 around it,
/// or one of its parts. Base64 of plain text is made of letters and digits, so a run holds it.
fn piece(b: &[u8], s: usize, e: usize) -> Option<Piece> {
    let digit = |c: u8| is_base64(c) && c != b'=';
    let whole = (
        run_back(b, s, MAX_PIECE, digit),
        run(b, e, MAX_PIECE, digit),
    );
    let parts = sub(b, s, e).split(|c| !c.is_ascii_alphanumeric());
    let parts = parts.scan(s, |at, part| {
        let start = *at;
        *at += part.len() + 1;
        Some((start, start + part.len()))
    });
    std::iter::once(whole)
        .chain(parts)
        .find_map(|(start, end)| {
            let text = decode(sub(b, start, end))?;
            let end = run(b, end, 2, |c| c == b'=');
            Some(Piece { start, end, text })
        })
}

/// Decodes a piece, if the result is text.
fn decode(piece: &[u8]) -> Option<Vec<u8>> {
    if !(MIN_BASE64..=MAX_PIECE).contains(&piece.len()) {
        return None;
    }
    let is_text = |c: &u8| *c >= b' ' && *c != 0x7f || c.is_ascii_whitespace();
    let text = |bytes: Vec<u8>| {
        let text = bytes.iter().all(is_text) && std::str::from_utf8(&bytes).is_ok();
        text.then_some(bytes)
    };
    // Nearly all that is no text ends here.
    let head = decode_base64(sub(piece, 0, 12))?;
    if head.iter().all(is_text) {
        let blocks = piece.chunks(684).map(decode_base64);
        let found = blocks.collect::<Option<Vec<_>>>().map(|b| b.concat());
        if let Some(found) = found.and_then(text) {
            return Some(found);
        }
    }
    let digits = piece.len() >= MIN_HEX && piece.len().is_multiple_of(2);
    digits.then(|| hex(piece).and_then(text)).flatten()
}

fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| {
        char::from(c)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    let bytes = digits
        .chunks(2)
        .map(|two| Some(digit(at(two, 0))? << 4 | digit(at(two, 1))?));
    bytes.collect()
}

/// A line as something else reads it, and where each of its bytes stands in the line; one more place
/// than bytes.
struct View {
    text: Vec<u8>,
    from: Vec<usize>,
}

impl View {
    /// The line with what `decode` finds at a place: a byte, and how many bytes stand for it. `None`
    /// when it finds nothing.
    fn of(b: &[u8], decode: impl Fn(usize) -> Option<(u8, usize)>) -> Option<Self> {
        let mut view = Self {
            text: Vec::with_capacity(b.len()),
            from: Vec::with_capacity(b.len() + 1),
        };
        let mut i = 0;
        while i < b.len() {
            let (byte, length) = decode(i).unwrap_or((at(b, i), 1));
            view.text.push(byte);
            view.from.push(i);
            i += length;
        }
        view.from.push(b.len());
        (view.text.len() < b.len()).then_some(view)
    }
}

/// `token%3Dx` as `token=x`.
fn percent(b: &[u8]) -> Option<View> {
    memchr::memchr(b'%', b)?;
    View::of(b, |i| {
        let digits = sub(b, i + 1, i + 3);
        let byte = (at(b, i) == b'%' && digits.len() == 2).then(|| hex(digits))??;
        let byte = at(&byte, 0);
        (b' '..0x7f).contains(&byte).then_some((byte, 3))
    })
}

/// `'\''` and `'"'"'`, by which a shell puts a quote into quotes, as that quote.
fn unquoted(b: &[u8]) -> Option<View> {
    const SIGNS: [&[u8]; 2] = [b"'\\''", b"'\"'\"'"];
    let any = |sign: &&[u8]| memchr::memmem::find(b, sign).is_some();
    SIGNS.iter().any(any).then_some(())?;
    View::of(b, |i| {
        let sign = SIGNS
            .iter()
            .find(|sign| sub(b, i, i + sign.len()) == **sign)?;
        Some((b'\'', sign.len()))
    })
}
