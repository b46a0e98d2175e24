//! Estimates the tokens of a text for a language model, erring on the high side.
//!
//! Models cut text into pieces before they look anything up, and the pieces are much alike: a word
//! with the blank before it, up to three digits, a run of punctuation, a line break. Common words are
//! one token, longer ones about one for every six letters; scripts without spaces take about one a
//! character. `BENCHMARKS.md` says how this compares with a real vocabulary.

/// Estimates the tokens of a text; linear in its length, no allocation.
pub fn estimate(text: &str) -> u32 {
    if text.is_ascii() {
        return ascii::count(text.as_bytes());
    }
    // No run goes from ASCII to other characters, and most of nearly every text is ASCII.
    let (mut rest, mut sum) = (text, 0_u32);
    while !rest.is_empty() {
        let (plain, behind) = rest.split_at(leading_ascii(rest.as_bytes()));
        let other = behind.find(|c: char| c.is_ascii()).unwrap_or(behind.len());
        let (other, behind) = behind.split_at(other);
        sum = sum.saturating_add(ascii::count(plain.as_bytes()));
        sum = sum.saturating_add(count(other.chars()));
        rest = behind;
    }
    sum
}

/// A text of at most `most` tokens: itself where it has no more, else its beginning and `…`.
/// Empty where not even the mark fits.
pub fn within(text: &str, most: u32) -> String {
    if estimate(text) <= most {
        return text.to_owned();
    }
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let cut = |chars: usize| {
        let end = starts.get(chars).copied().unwrap_or(text.len());
        format!("{}…", text.get(..end).unwrap_or_default().trim_end())
    };
    let (mut fits, mut over) = (0, starts.len());
    while fits + 1 < over {
        let middle = fits + (over - fits) / 2;
        if estimate(&cut(middle)) <= most {
            fits = middle;
        } else {
            over = middle;
        }
    }
    let cut = cut(fits);
    if estimate(&cut) <= most {
        cut
    } else {
        String::new()
    }
}

/// Returns the number of bytes before the first that is not ASCII.
fn leading_ascii(text: &[u8]) -> usize {
    let whole = text.chunks_exact(32).take_while(|part| part.is_ascii());
    let skip = 32 * whole.count();
    let rest = text.get(skip..).unwrap_or_default();
    skip + rest.iter().take_while(|byte| byte.is_ascii()).count()
}

fn count(mut chars: impl Iterator<Item = char>) -> u32 {
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

fn class(c: char) -> Class {
    match c {
        ' ' | '\t' => Class::Blank,
        '\n' | '\r' => Class::Break,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        _ if c.is_ascii() => Class::Mark,
        _ if matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x0E00..=0x0EFF) => {
            Class::Unspaced
        }
        _ if c.is_alphabetic() => Class::Wide,
        _ => Class::Other,
    }
}

/// The same for ASCII as an automaton: one look-up a byte, no branches that depend on the text.
// The tables are evaluated by the compiler, which would refuse an index that does not fit.
#[allow(clippy::indexing_slicing)]
mod ascii {
    /// Classes of bytes.
    const BLANK: u8 = 0;
    const BREAK: u8 = 1;
    const LOWER: u8 = 2;
    const UPPER: u8 = 3;
    const DIGIT: u8 = 4;
    const MARK: u8 = 5;
    const BYTES: usize = 8;

    /// State of a run; 0 before it begins. Of letters, digits and marks so many make a token; of letters, the first
    /// one is told from one that begins the second token.
    const ONE_BLANK: u8 = 1;
    const BLANKS: u8 = 2;
    const BREAKS: u8 = 3;
    const MARKS: u8 = 4;
    const DIGITS: u8 = 6;
    const FIRST_LOWER: u8 = 9;
    const FIRST_UPPER: u8 = 10;
    const LETTERS: u8 = 11;
    const STATES: usize = 17;
    /// A token begins here.
    const TOKEN: u8 = 0x80;

    static BYTE: [u8; 256] = {
        let mut table = [MARK; 256];
        let mut at = 0;
        while at < 256 {
            table[at] = match at as u8 {
                b' ' | b'\t' => BLANK,
                b'\n' | b'\r' => BREAK,
                b'a'..=b'z' => LOWER,
                b'A'..=b'Z' => UPPER,
                b'0'..=b'9' => DIGIT,
                _ => MARK,
            };
            at += 1;
        }
        table
    };

    /// By the place where a run stands and what comes: the place behind it, ready to be looked up
    /// with, and whether a token begins there.
    static NEXT: [u16; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < STATES * BYTES {
            let next = next((at / BYTES) as u8, (at % BYTES) as u8);
            let place = (next & !TOKEN) as u16 * BYTES as u16;
            table[at] = place | ((next & TOKEN) as u16) << 8;
            at += 1;
        }
        table
    };

    /// One more of a run whose tokens have `most` bytes, `state` being the last one's place in it.
    const fn more(state: u8, first: u8, most: u8) -> u8 {
        if state + 1 < first + most {
            state + 1
        } else {
            first | TOKEN
        }
    }

    const fn next(state: u8, byte: u8) -> u8 {
        match byte {
            BLANK if state == ONE_BLANK => BLANKS | TOKEN,
            BLANK if state == BLANKS => BLANKS,
            BLANK => ONE_BLANK,
            BREAK if state == BREAKS => BREAKS,
            BREAK => BREAKS | TOKEN,
            LOWER | UPPER => {
                let within = state >= FIRST_LOWER;
                match byte {
                    // A capital begins a word of its own, but behind the one that begins it.
                    UPPER if state != FIRST_UPPER => FIRST_UPPER | TOKEN,
                    _ if state == FIRST_LOWER || state == FIRST_UPPER => LETTERS + 1,
                    _ if within => more(state, LETTERS, 6),
                    _ => FIRST_LOWER | TOKEN,
                }
            }
            DIGIT if state >= DIGITS && state < FIRST_LOWER => more(state, DIGITS, 3),
            DIGIT => DIGITS | TOKEN,
            _ if state >= MARKS && state < DIGITS => more(state, MARKS, 2),
            _ => MARKS | TOKEN,
        }
    }

    /// Texts below this are counted in one go.
    const LONG: usize = 512;

    /// A part of a text as far as it was counted.
    #[derive(Default)]
    struct Run {
        place: u8,
        count: u32,
    }

    impl Run {
        fn step(&mut self, byte: u8) {
            let next = NEXT[usize::from(self.place | BYTE[usize::from(byte)])];
            self.count += u32::from(next >> 15);
            self.place = next as u8;
        }

        fn finish(mut self, rest: &[u8]) -> u32 {
            rest.iter().for_each(|byte| self.step(*byte));
            self.count
        }
    }

    pub(super) fn count(text: &[u8]) -> u32 {
        if text.len() < LONG {
            return Run::default().finish(text);
        }
        // Each look-up waits for the one before it, and those in other parts do not.
        let (left, right) = text.split_at(begins_anew(text, text.len() / 2));
        let (a, b) = left.split_at(begins_anew(left, left.len() / 2));
        let (c, d) = right.split_at(begins_anew(right, right.len() / 2));
        let together = a.len().min(b.len()).min(c.len()).min(d.len());
        let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] =
            [a, b, c, d].map(|part| part.split_at(together));
        let [mut one, mut two, mut three, mut four] = [(); 4].map(|()| Run::default());
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            one.step(*a);
            two.step(*b);
            three.step(*c);
            four.step(*d);
        }
        one.finish(a_rest) + two.finish(b_rest) + three.finish(c_rest) + four.finish(d_rest)
    }

    /// The first place from `at` on where what is counted does not depend on what stands before: a
    /// letter behind a mark. The end if there is none.
    fn begins_anew(text: &[u8], at: usize) -> usize {
        let anew = |pair: &[u8]| matches!(pair, [mark, letter] if BYTE[usize::from(*mark)] == MARK && letter.is_ascii_alphabetic());
        let mut pairs = text.get(at..).unwrap_or_default().windows(2);
        pairs.position(anew).map_or(text.len(), |n| at + n + 1)
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

    proptest::proptest! {
        #[test]
        fn a_cut_text_is_within_its_bound(text in ".{0,200}|[a-z ]{0,200}|[修复登录]{0,200}", most in 0u32..80) {
            let cut = within(&text, most);
            assert!(estimate(&cut) <= most, "{cut:?}");
            assert!(estimate(&text) > most || cut == text);
            assert!(cut == text || cut.is_empty() || cut.ends_with('…'));
        }

        #[test]
        fn the_automaton_counts_as_the_rules_do(
            text in "[ -~\\n\\t]{0,200}|[ -~\\n\\t]{400,2000}|[a\".é]{500,700}|[aB1. \\n]{0,80}|[aZ]{0,40}|[aBéÉ修—1 ]{0,60}|.{0,60}",
        ) {
            assert_eq!(estimate(&text), count(text.chars()), "{text:?}");
        }
    }
}
