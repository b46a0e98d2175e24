//! Telling text that has none of a question's terms without taking its words.

/// Most bytes of a term that are compared.
const LONGEST: usize = 4;

/// The first letters of terms. Whatever a stem loses or changes, its first letters stay.
pub(super) struct Starts {
    /// Which first two bytes there are: the low five bits of the first choose the number, those of
    /// the second its bit.
    pairs: [u32; 32],
    /// In lower case, with their lengths. Empty when nothing can be told.
    starts: Vec<([u8; LONGEST], usize)>,
}

impl Starts {
    /// Of terms that are not all ASCII nothing is told.
    pub(super) fn of<'a>(terms: impl Iterator<Item = &'a &'a str>) -> Self {
        let mut all = Self {
            pairs: [0; 32],
            starts: Vec::new(),
        };
        for term in terms {
            let length = (term.len().saturating_sub(1)).clamp(2, LONGEST);
            let Some(start) = term.as_bytes().get(..length).filter(|_| term.is_ascii()) else {
                all.starts.clear();
                break;
            };
            let mut bytes = [0; LONGEST];
            for (to, from) in bytes.iter_mut().zip(start) {
                *to = *from;
            }
            let [first, second, ..] = bytes;
            if let Some(pair) = all.pairs.get_mut(usize::from(first & 31)) {
                *pair |= 1 << (second & 31);
            }
            all.starts.push((bytes, length));
        }
        all.starts.sort_unstable();
        all.starts.dedup();
        all
    }

    /// Returns true if one of the terms may be in the text: false only when none is.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        if self.starts.is_empty() {
            return true;
        }
        let mut rest = text;
        let mut in_word = false;
        while let [first, after @ ..] = rest {
            // A small letter behind a letter starts no word.
            let starts = *first != b'_' && !(in_word && first.is_ascii_lowercase());
            in_word = first.is_ascii_alphabetic();
            if starts && self.has_pair(*first, after) && self.any_at(rest) {
                return true;
            }
            rest = after;
        }
        false
    }

    #[inline]
    fn has_pair(&self, first: u8, after: &[u8]) -> bool {
        let second = match after {
            // `do_it` is also `doit`.
            [b'_', more @ ..] => more.iter().find(|byte| **byte != b'_'),
            _ => after.first(),
        };
        let seconds = self.pairs.get(usize::from(first & 31));
        match (second, seconds) {
            (Some(second), Some(seconds)) => seconds >> (second & 31) & 1 == 1,
            _ => false,
        }
    }

    fn any_at(&self, text: &[u8]) -> bool {
        self.starts.iter().any(|(start, length)| {
            let here = text.iter().filter(|byte| **byte != b'_');
            let here = here.take(*length).map(u8::to_ascii_lowercase);
            here.eq(start.iter().take(*length).copied())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;
    use proptest::prelude::*;

    #[test]
    fn starts_are_found_where_words_start() {
        let starts = Starts::of(["queri", "doit", "err"].iter());
        for text in [
            "queries",
            "aQuery",
            "run_queries",
            "do_it(x)",
            "_do__it",
            "ERROR",
            "x1err",
        ] {
            assert!(starts.may_be_in(text.as_bytes()), "{text}");
        }
        for text in ["", "q", "equery", "do", "qu", "prefer", "d_o"] {
            assert!(!starts.may_be_in(text.as_bytes()), "{text}");
        }
        assert!(Starts::of(["größe", "err"].iter()).may_be_in(b"anything"));
        assert!(Starts::of([].iter()).may_be_in(b"anything"));
    }

    proptest! {
        #[test]
        fn no_term_of_a_text_is_missed(text in "[a-dA-D_12 é.]{0,24}|\\PC{0,12}", which: usize) {
            let mut terms = Vec::new();
            words::terms(text.as_bytes(), |term| terms.push(term.to_owned()));
            if let Some(term) = which.checked_rem(terms.len()).and_then(|at| terms.get(at)) {
                prop_assert!(Starts::of([term.as_str()].iter()).may_be_in(text.as_bytes()), "{}", term);
            }
        }
    }
}
