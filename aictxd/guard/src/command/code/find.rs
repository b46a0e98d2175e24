//! Looking for words in programs.

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
            prop_assert_eq!(found, expected);
        }
    }
}
