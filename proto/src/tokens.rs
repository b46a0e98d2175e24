//! How many tokens of a language model a text takes: an estimate that errs on the high side.
//!
//! Models cut text into pieces before they look anything up, and the pieces are much alike: a word
//! with the blank before it, up to three digits, a run of punctuation, a line break. Common words are
//! one token, longer ones about one for every six letters; scripts without spaces take about one a
//! character. `BENCHMARKS.md` says how this compares with a real vocabulary.

/// Estimates the tokens of a text; linear in its length, no allocation.
pub fn estimate(text: &str) -> u32 {
    if text.is_ascii() {
        // Most texts are, and there are a few kilobytes of them in every answer.
        return count(text.bytes().map(char::from), |c| {
            ASCII.get(c as usize).copied().unwrap_or(Class::Other)
        });
    }
    count(text.chars(), class)
}

fn count(mut chars: impl Iterator<Item = char>, class: impl Fn(char) -> Class) -> u32 {
    let mut count = 0_u32;
    let Some(mut last) = chars.next() else {
        return 0;
    };
    let (mut run, mut length) = (class(last), 1_u32);
    for next in chars {
        let class = class(next);
        // A capital after a small letter begins a word of its own, and so does one after capitals.
        let capital = class == Class::Letter
            && next.is_ascii_uppercase()
            && (length > 1 || last.is_ascii_lowercase());
        let turns = class == Class::Wide && last.is_lowercase() && next.is_uppercase();
        if class == run && !capital && !turns {
            length += 1;
        } else {
            count = count.saturating_add(cost(run, length));
            (run, length) = (class, 1);
        }
        last = next;
    }
    count.saturating_add(cost(run, length))
}

/// Tokens of a run of characters of one class.
fn cost(class: Class, length: u32) -> u32 {
    match class {
        // The blank before a word belongs to it.
        Class::Blank => u32::from(length > 1),
        Class::Break => 1,
        Class::Letter => length.div_ceil(6).max(1),
        Class::Digit => length.div_ceil(3),
        Class::Mark => length.div_ceil(2),
        Class::Wide => length.div_ceil(2).max(1),
        Class::Unspaced => length,
        Class::Other => length.saturating_mul(2),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Break,
    Letter,
    Digit,
    Mark,
    /// Letters of other alphabets.
    Wide,
    /// Scripts without spaces.
    Unspaced,
    Other,
}

/// The classes of ASCII, looked up instead of compared.
// Evaluated by the compiler, which would refuse an index that does not fit.
#[allow(clippy::indexing_slicing)]
static ASCII: [Class; 128] = {
    let mut classes = [Class::Mark; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = class_of_ascii(byte as u8);
        byte += 1;
    }
    classes
};

const fn class_of_ascii(byte: u8) -> Class {
    match byte {
        b' ' | b'\t' => Class::Blank,
        b'\n' | b'\r' => Class::Break,
        b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Mark,
    }
}

fn class(c: char) -> Class {
    if let Some(class) = ASCII.get(c as usize) {
        return *class;
    }
    match c {
        _ if matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x0E00..=0x0EFF) => {
            Class::Unspaced
        }
        _ if c.is_alphabetic() => Class::Wide,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_texts_take_more() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("the quick brown fox"), 4);
        assert!(estimate("internationalization") >= 3);
        assert!(estimate("修复登录令牌") >= 6);
        let text = "fn parse(input: &str) -> Result<Ast, Error>";
        assert!((10..30).contains(&estimate(text)), "{}", estimate(text));
    }
}
