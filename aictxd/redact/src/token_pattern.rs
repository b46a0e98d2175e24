//! The little pattern language of the token table: literal pieces and runs of a character class,
//! matched left to right without going back, so a match costs its own length and nothing else.

use super::bytes::{at, looking_at, run, starts_word, sub};
use super::text_kind::{is_wordlike, looks_placeholder};

/// A set of bytes that a token is made of.
#[derive(Clone, Copy)]
pub(super) enum Class {
    /// `0-9`
    Digit,
    /// `0-9a-f`
    Hex,
    /// `a-z0-9`
    Lower,
    /// `A-Z0-9`
    Upper,
    /// `A-Za-z0-9`
    Alnum,
    /// `A-Za-z0-9_`
    Word,
    /// `A-Za-z0-9_-`
    Url64,
    /// `A-Za-z0-9+/=`
    Base64,
    /// Letters, digits and `_ - . + / = % ~ :`.
    Wide,
    /// `Wide` and `@`.
    WideAt,
    /// `A-Za-z0-9./`
    Crypt,
    /// The crypt alphabet with its field separators `$ , =`, and `+ - _`.
    CryptAll,
}

impl Class {
    /// Returns true if `c` belongs to the class.
    pub(super) fn has(self, c: u8) -> bool {
        match self {
            Self::Digit => c.is_ascii_digit(),
            Self::Hex => matches!(c, b'0'..=b'9' | b'a'..=b'f'),
            Self::Lower => matches!(c, b'0'..=b'9' | b'a'..=b'z'),
            Self::Upper => matches!(c, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Alnum => c.is_ascii_alphanumeric(),
            Self::Word => c.is_ascii_alphanumeric() || c == b'_',
            Self::Url64 => c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'),
            Self::Base64 => c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'='),
            Self::WideAt => c == b'@' || Self::Wide.has(c),
            Self::Crypt => c.is_ascii_alphanumeric() || matches!(c, b'.' | b'/'),
            Self::CryptAll => {
                c.is_ascii_alphanumeric()
                    || matches!(c, b'.' | b'/' | b'$' | b',' | b'=' | b'+' | b'-' | b'_')
            }
            Self::Wide => {
                c.is_ascii_alphanumeric()
                    || matches!(
                        c,
                        b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'%' | b'~' | b':'
                    )
            }
        }
    }
}

/// One piece of a token behind its keyword.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Exactly this text.
    Lit(&'static str),
    /// Between so many and so many bytes of the class, as many as there are.
    Run(Class, usize, usize),
}

/// Condition on a match besides its shape.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Check {
    /// Nothing: the prefix says it all.
    Shape,
    /// A digit, and not built of words: for prefixes that also begin ordinary names.
    Random,
    /// Upper case, lower case and digits, and not built of words.
    Mixed,
}

/// One row of the token table.
pub(super) struct Rule {
    /// Stable name, shown in reports.
    pub(super) id: &'static str,
    /// Marker kind.
    pub(super) kind: &'static str,
    /// Keyword of the prefilter; compared exactly, upper and lower case included.
    pub(super) key: &'static str,
    /// Parts that must follow the keyword.
    pub(super) parts: &'static [Part],
    /// True if the keyword itself stays (addresses) or goes (token prefixes).
    pub(super) keep_key: bool,
    /// Further condition.
    pub(super) check: Check,
}

impl Rule {
    /// The range to replace when the rule matches with its keyword at `start`.
    pub(super) fn matches(&self, b: &[u8], start: usize) -> Option<(usize, usize)> {
        if !looking_at(b, start, self.key.as_bytes()) || !starts_word(b, start) {
            return None;
        }
        let payload = start + self.key.len();
        let mut end = payload;
        for part in self.parts {
            match *part {
                Part::Lit(text) => {
                    if !looking_at(b, end, text.as_bytes()) {
                        return None;
                    }
                    end += text.len();
                }
                Part::Run(class, min, max) => {
                    let stop = run(b, end, max, |c| class.has(c));
                    if stop < end + min {
                        return None;
                    }
                    end = stop;
                }
            }
        }
        // A sentence may end right behind the token.
        while end > payload && matches!(at(b, end - 1), b'.' | b':' | b'-') {
            end -= 1;
        }
        let value = sub(b, payload, end);
        if at(b, end).is_ascii_alphanumeric() || looks_placeholder(value) {
            return None;
        }
        let ok = match self.check {
            Check::Shape => true,
            Check::Random => value.iter().any(u8::is_ascii_digit) && !is_wordlike(value),
            Check::Mixed => {
                value.iter().any(u8::is_ascii_digit)
                    && value.iter().any(u8::is_ascii_lowercase)
                    && value.iter().any(u8::is_ascii_uppercase)
                    && !is_wordlike(value)
            }
        };
        ok.then_some((if self.keep_key { payload } else { start }, end))
    }
}
