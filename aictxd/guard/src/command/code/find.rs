//! Looking for words in programs.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Deref;

/// Bytes of a text that is gone through place by place.
const SHORT: usize = 64;
/// Bytes of a text for which getting ready to look for a word costs more than looking.
const MEDIUM: usize = 2048;

/// A text of up to 64 KB that is searched for hundreds of words, one by one. The standard library's search
/// is made for short texts.
pub(super) trait Find {
    /// Whether it holds a word.
    fn holds(&self, word: impl AsRef<str>) -> bool;
    /// How often it holds a word.
    fn count(&self, word: impl AsRef<str>) -> usize;
    /// Where it holds a word, and the word: like `match_indices`.
    fn found<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, &'a str)>;
}

impl Find for str {
    #[inline]
    fn holds(&self, word: impl AsRef<str>) -> bool {
        let name = word.as_ref();
        let (text, word) = (self.as_bytes(), name.as_bytes());
        match word.first() {
            // Most programs on the line are this short: the first letter is seldom there at all.
            Some(first) if text.len() < SHORT => {
                let mut places = text.windows(word.len());
                places.any(|at| at.first() == Some(first) && at == word)
            }
            _ if text.len() < MEDIUM => self.contains(name),
            _ => memchr::memmem::find(text, word).is_some(),
        }
    }

    fn count(&self, word: impl AsRef<str>) -> usize {
        self.found(word.as_ref()).count()
    }

    fn found<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        // Getting ready to find all of them costs more than to see that there are none.
        let none = self.len() < MEDIUM && !self.holds(word);
        let all = || memchr::memmem::find_iter(self.as_bytes(), word.as_bytes());
        let found = (!none).then(all).into_iter().flatten();
        found.map(move |at| (at, word))
    }
}

/// A text that is asked for hundreds of words, of which it holds few: a word of which it does not even hold
/// each two letters that follow each other is not looked for. Costs one pass over a longer text.
#[derive(Debug)]
pub(super) struct Asked<'t> {
    text: Cow<'t, str>,
    pairs: OnceCell<Pairs>,
}

/// Two bytes that follow each other, one bit for each.
type Pairs = Box<[u64; 1024]>;

/// Where the bit of a pair is: which of the numbers, and in it.
fn place(pair: u16) -> (usize, u64) {
    (usize::from(pair >> 6), 1 << (pair & 63))
}

/// The pair that a byte makes with the one before it, of whatever pair that is the second.
fn next(pair: u16, byte: u8) -> u16 {
    (pair << 8) | u16::from(byte)
}

fn pairs(text: &str) -> Pairs {
    let mut pairs = Box::new([0; 1024]);
    let mut bytes = text.bytes();
    let mut pair = bytes.next().map_or(0, u16::from);
    for byte in bytes {
        pair = next(pair, byte);
        let (at, bit) = place(pair);
        if let Some(bits) = pairs.get_mut(at) {
            *bits |= bit;
        }
    }
    pairs
}

impl<'t> Asked<'t> {
    pub(super) fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self {
            text: text.into(),
            pairs: OnceCell::new(),
        }
    }

    /// So short that looking for a word costs less than knowing its pairs.
    pub(super) fn is_short(&self) -> bool {
        self.len() < MEDIUM
    }

    /// False only for a word that is not in the text, as nearly all are that are not.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        if self.is_short() {
            return true;
        }
        let known = self.pairs.get_or_init(|| pairs(&self.text));
        let mut bytes = word.bytes();
        let mut pair = bytes.next().map_or(0, u16::from);
        bytes.all(|byte| {
            pair = next(pair, byte);
            let (at, bit) = place(pair);
            known.get(at).is_some_and(|bits| bits & bit != 0)
        })
    }
}

impl Deref for Asked<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Find for Asked<'_> {
    fn holds(&self, word: impl AsRef<str>) -> bool {
        self.may_hold(word.as_ref()) && self.text.holds(word)
    }

    fn count(&self, word: impl AsRef<str>) -> usize {
        self.found(word.as_ref()).count()
    }

    fn found<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        self.may_hold(word)
            .then(|| self.text.found(word))
            .into_iter()
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_finds_what_the_standard_library_finds(text in "[ab(é]{0,100}([ab(é]{3000})?", word in "[ab(é]{1,3}") {
            prop_assert_eq!(text.holds(&word), text.contains(&word));
            prop_assert_eq!(Find::count(text.as_str(), &word), text.matches(&word).count());
            let found: Vec<_> = text.found(&word).collect();
            let expected: Vec<_> = text.match_indices(word.as_str()).collect();
            prop_assert_eq!(&found, &expected);
            let asked = Asked::new(text.as_str());
            prop_assert_eq!(asked.holds(&word), text.contains(&word));
            prop_assert_eq!(Find::count(&asked, &word), text.matches(&word).count());
            let found: Vec<_> = asked.found(&word).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
