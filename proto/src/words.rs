//! The one tokenizer: text to terms, the same way for files, paths, commit messages and questions.

mod common;
mod foreign;
mod stem;

#[cfg(test)]
mod tests;

use crate::fold::{fold, is_unspaced};

pub use common::{is_long_enough, weight};
pub use foreign::function_words;
pub use stem::stem;

/// Changes whenever the same text may give other terms: part of the key that words are kept by.
pub const VERSION: u32 = 1;
/// Longest run of letters, digits and `_` that counts as a word, in bytes. Longer ones are data.
pub const MAX_WORD: usize = 64;
/// Most changes between letters and digits in a word; hashes and keys have more and are data.
const MAX_DIGIT_SWITCHES: u32 = 4;
/// Longest number that stands alone and is a term, in bytes.
const MAX_NUMBER: usize = 6;

/// Class of a byte in the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Byte {
    Other,
    Lower,
    Upper,
    Digit,
    Underscore,
    Wide,
}

static BYTES: [Byte; 256] = table();

const fn table() -> [Byte; 256] {
    let mut table = [Byte::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "below 256, at compile time")]
        {
            table[byte] = match byte as u8 {
                b'a'..=b'z' => Byte::Lower,
                b'A'..=b'Z' => Byte::Upper,
                b'0'..=b'9' => Byte::Digit,
                b'_' => Byte::Underscore,
                0x80.. => Byte::Wide,
                _ => Byte::Other,
            };
        }
        byte += 1;
    }
    table
}

#[inline]
fn class(byte: u8) -> Byte {
    BYTES.get(usize::from(byte)).copied().unwrap_or(Byte::Other)
}

/// Calls `each` with every term of `text`: for each identifier its parts (split at camelCase,
/// acronyms, digits and `_`), in lower case and stemmed, and after them the whole identifier in
/// lower case without `_`, stemmed, when it has more than one part. Terms have at least two bytes;
/// they are ASCII or lower-case Unicode. Words longer than [`MAX_WORD`], long numbers and words that
/// alternate between letters and digits are data and give nothing. Linear in the length of the text;
/// words in ASCII cost no allocation.
pub fn terms(text: &[u8], mut each: impl FnMut(&str)) {
    runs(text, |run| terms_of_run(run, &mut each));
}

/// Calls `each` with every term of prose in any language: the [`terms`] of the text, with letters beyond
/// ASCII [folded](crate::fold), and pairs of characters of scripts that write without spaces. Linear in the
/// length of the text.
pub fn prose_terms(text: &str, mut each: impl FnMut(&str)) {
    if text.is_ascii() {
        return terms(text.as_bytes(), each);
    }
    terms(text.as_bytes(), |term| {
        if term.is_ascii() {
            each(term);
        } else if !term.chars().any(is_unspaced) {
            each(&fold(term));
        }
    });
    let mut last = None;
    for c in text.chars() {
        let next = is_unspaced(c).then_some(c);
        if let (Some(last), Some(next)) = (last, next) {
            each(&String::from_iter([last, next]));
        }
        last = next;
    }
}

/// Calls `each` with every run of letters, digits, `_` and bytes beyond ASCII that may have terms:
/// [`terms_of_run`] of all of them are the [`terms`] of the text. Who counts terms can so count runs
/// first, which repeat themselves, and take each apart only once.
#[inline]
pub fn runs<'a>(text: &'a [u8], mut each: impl FnMut(&'a [u8])) {
    let mut rest = text;
    loop {
        let skip = rest
            .iter()
            .position(|b| class(*b) != Byte::Other)
            .unwrap_or(rest.len());
        let (_, from) = rest.split_at(skip);
        if from.is_empty() {
            return;
        }
        let len = from
            .iter()
            .position(|b| class(*b) == Byte::Other)
            .unwrap_or(from.len());
        let (run, after) = from.split_at(len);
        rest = after;
        // One byte is too short in any case; a character beyond ASCII has two.
        if run.len() >= 2 {
            each(run);
        }
    }
}

/// Calls `each` with the terms of one of the [`runs`] of a text.
pub fn terms_of_run(run: &[u8], mut each: impl FnMut(&str)) {
    if !run.is_ascii() {
        wide_word(run, &mut each);
    } else if run.len() >= 2 && run.len() <= MAX_WORD {
        ascii_word(run, &mut each);
    }
}

/// A run with bytes beyond ASCII: its characters decide where words end.
#[cold]
fn wide_word(run: &[u8], each: &mut impl FnMut(&str)) {
    let mut lower = String::new();
    for chunk in run.utf8_chunks() {
        for word in chunk
            .valid()
            .split(|c: char| !c.is_alphanumeric() && c != '_')
        {
            if word.is_ascii() {
                if word.len() >= 2 && word.len() <= MAX_WORD {
                    ascii_word(word.as_bytes(), each);
                }
                continue;
            }
            for part in word.split('_') {
                if part.is_empty() || part.len() > MAX_WORD {
                    continue;
                }
                lower.clear();
                lower.extend(part.chars().flat_map(char::to_lowercase));
                if lower.len() >= 2 {
                    each(&lower);
                }
            }
        }
    }
}

/// One run of ASCII letters, digits and `_`, between 2 and [`MAX_WORD`] bytes long.
#[inline]
fn ascii_word(word: &[u8], each: &mut impl FnMut(&str)) {
    // The common case: a word in one case.
    let mut seen = [false; 6];
    for byte in word {
        if let Some(flag) = seen.get_mut(class(*byte) as usize) {
            *flag = true;
        }
    }
    let [_, lower, upper, digit, underscore, _] = seen;
    let mut part = [0_u8; MAX_WORD];
    if lower && !upper && !digit && !underscore {
        emit(word, &mut part, each);
        return;
    }
    if digit && !lower && !upper {
        if !underscore && word.len() <= MAX_NUMBER {
            emit(word, &mut part, each);
        }
        return;
    }
    parts(word, &mut part, each);
}

/// A word of several parts, or with a capital.
fn parts(word: &[u8], buffer: &mut [u8; MAX_WORD], each: &mut impl FnMut(&str)) {
    let mut switches = 0;
    let mut before = Byte::Underscore;
    for byte in word {
        let now = class(*byte);
        if (now == Byte::Digit) != (before == Byte::Digit)
            && now != Byte::Underscore
            && before != Byte::Underscore
        {
            switches += 1;
        }
        before = now;
    }
    if switches > MAX_DIGIT_SWITCHES {
        return;
    }
    let mut joined = [0_u8; MAX_WORD];
    let mut joined_len = 0;
    let mut count = 0;
    let mut rest = word;
    while !rest.is_empty() {
        let skip = rest.iter().position(|b| *b != b'_').unwrap_or(rest.len());
        let (_, from) = rest.split_at(skip);
        let (part, after) = from.split_at(part_len(from));
        rest = after;
        if part.is_empty() {
            break;
        }
        count += 1;
        for byte in part {
            if let Some(to) = joined.get_mut(joined_len) {
                *to = byte.to_ascii_lowercase();
                joined_len += 1;
            }
        }
        if part.len() >= 2 {
            emit(part, buffer, each);
        }
    }
    if count > 1 && joined_len >= 2 {
        emit(joined.get(..joined_len).unwrap_or_default(), buffer, each);
    }
}

/// Length of the first part of a word that does not start with `_`.
fn part_len(word: &[u8]) -> usize {
    let mut bytes = word.iter().map(|b| class(*b)).enumerate().peekable();
    let Some((_, first)) = bytes.next() else {
        return 0;
    };
    let mut before = first;
    while let Some((at, now)) = bytes.next() {
        let ends = match (before, now) {
            (_, Byte::Underscore)
            | (Byte::Lower, Byte::Upper)
            | (Byte::Lower | Byte::Upper, Byte::Digit)
            | (Byte::Digit, Byte::Lower | Byte::Upper) => true,
            // The last capital before a small letter starts a part: `HTTPServer`. A lone plural
            // does not: `IDs`, `URLs`.
            (Byte::Upper, Byte::Upper) => {
                matches!(bytes.peek(), Some((_, Byte::Lower)))
                    && !plural(word.get(at + 1..).unwrap_or_default())
            }
            _ => false,
        };
        if ends {
            return at;
        }
        before = now;
    }
    word.len()
}

/// An `s` with which a word ends.
fn plural(rest: &[u8]) -> bool {
    match rest {
        [b's'] => true,
        [b's', next, ..] => class(*next) != Byte::Lower,
        _ => false,
    }
}

#[inline]
fn emit(part: &[u8], buffer: &mut [u8; MAX_WORD], each: &mut impl FnMut(&str)) {
    let Some(to) = buffer.get_mut(..part.len()) else {
        return;
    };
    for (to, from) in to.iter_mut().zip(part) {
        *to = from.to_ascii_lowercase();
    }
    let stem = stem::cut(to);
    if let Ok(term) = std::str::from_utf8(stem) {
        each(term);
    }
}
