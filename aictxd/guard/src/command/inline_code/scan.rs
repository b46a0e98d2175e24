//! Looking for words in programs.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Deref;

/// Bytes of a text that is gone through place by place, and whose pairs need not be known.
const SHORT: usize = 64;
/// Bytes of a text for which getting ready to look for a word costs more than looking.
const MEDIUM: usize = 2048;

/// A text of up to 64 KB that is searched for hundreds of words, one by one. The standard library's search
/// is made for short texts.
pub(super) trait Find {
    /// Returns true if it holds a word.
    fn holds(&self, word: impl AsRef<str>) -> bool;
    /// Counts a word.
    fn count(&self, word: impl AsRef<str>) -> usize;
    /// Finds a word, like `match_indices`.
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
        all_of(self, word, false)
    }
}

/// Finds a word in a text, nowhere where that is known.
#[inline]
fn all_of<'a>(
    text: &'a str,
    word: &'a str,
    nowhere: bool,
) -> impl Iterator<Item = (usize, &'a str)> {
    // Getting ready to find all of them costs more than to see that there are none.
    let nowhere = nowhere || (text.len() < MEDIUM && !text.holds(word));
    let all = || memchr::memmem::find_iter(text.as_bytes(), word.as_bytes());
    let found = (!nowhere).then(all).into_iter().flatten();
    found.map(move |at| (at, word))
}

/// A text that is asked for hundreds of words, of which it holds few: a word of which it does not even hold
/// each two letters that follow each other is not looked for. Costs one pass over the text.
#[derive(Debug)]
pub(super) struct Asked<'t> {
    text: Cow<'t, str>,
    pairs: OnceCell<Pairs>,
}

/// Two bytes that follow each other, a bit for those that have it in common: small letters have one for each
/// pair.
type Pairs = [u64; 64];

/// Returns the position of a pair's bit: which of the numbers, and in it.
fn place(first: u8, second: u8) -> (usize, u64) {
    let number = ((usize::from(first) << 5) ^ usize::from(second)) % 4_096;
    (number / 64, 1 << (number % 64))
}

fn pairs(text: &str) -> Pairs {
    let mut pairs = [0; 64];
    let mut bytes = text.bytes();
    let mut before = bytes.next().unwrap_or_default();
    for byte in bytes {
        let (at, bit) = place(before, byte);
        if let Some(bits) = pairs.get_mut(at) {
            *bits |= bit;
        }
        before = byte;
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

    /// So long that to look for a few words costs less than to look at each byte.
    pub(super) fn is_long(&self) -> bool {
        self.len() >= MEDIUM
    }

    /// False only for a word that is not in the text, as nearly all are that are not.
    #[inline]
    pub(super) fn may_hold(&self, word: &str) -> bool {
        self.len() < SHORT || self.has_pairs_of(word)
    }

    fn has_pairs_of(&self, word: &str) -> bool {
        let known = self.pairs.get_or_init(|| pairs(&self.text));
        let mut bytes = word.bytes();
        let mut before = bytes.next().unwrap_or_default();
        bytes.all(|byte| {
            let (at, bit) = place(before, byte);
            before = byte;
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
    #[inline]
    fn holds(&self, word: impl AsRef<str>) -> bool {
        self.may_hold(word.as_ref()) && self.text.holds(word)
    }

    fn count(&self, word: impl AsRef<str>) -> usize {
        self.found(word.as_ref()).count()
    }

    fn found<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        all_of(&self.text, word, !self.may_hold(word))
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
