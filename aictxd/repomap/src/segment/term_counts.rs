//! Counting the terms of a document.

use super::Interner;
use super::intern::Key;
use crate::words;

/// Counts the terms of one document, field by field. A document says few words again and again, and
/// documents share most of them: words are counted first, in a table of the document's own, which is
/// small, and taken apart when they are new to the segment.
#[derive(Debug)]
pub(super) struct Counter {
    words: Interner,
    slots: Vec<WordSlot>,
    /// Hashes of the document's words.
    hashes: Vec<u64>,
    /// Their numbers among the known ones, as far as that was asked.
    numbers: Vec<u32>,
    /// Words of this field, in the order in which they were seen.
    seen_words: Vec<u32>,
    known: Known,
    /// By term of the segment: the field that counted it last, and how often.
    counts: Vec<(u32, u32)>,
    /// Terms of this field, in the order in which they were seen.
    seen: Vec<u32>,
    /// Number of the field, counted through all documents.
    field: u32,
}

impl Default for Counter {
    fn default() -> Self {
        let words = Interner::default();
        Self {
            known: Known::new(words.sibling()),
            words,
            slots: Vec::new(),
            hashes: Vec::new(),
            numbers: Vec::new(),
            seen_words: Vec::new(),
            counts: Vec::new(),
            seen: Vec::new(),
            field: 0,
        }
    }
}

/// A word of the document: the field that counted it last, how often, and its terms in [`Known`].
#[derive(Debug, Default)]
struct WordSlot {
    field: u32,
    count: u32,
    start: u32,
    end: u32,
}

/// Words that were taken apart, and the terms of the segment that they have.
#[derive(Debug)]
struct Known {
    words: Interner,
    ends: Vec<u32>,
    terms: Vec<u32>,
}

/// Words that are remembered; more are forgotten all at once when the next document begins.
const MOST_KNOWN: usize = 1 << 17;
/// So are more bytes of them, and more terms: where a script has no blanks, a line is one word.
const MOST_BYTES: usize = 4 << 20;
const MOST_TERMS: usize = 1 << 20;
/// Not among the known ones yet.
const NEW: u32 = u32::MAX;

impl Known {
    fn new(words: Interner) -> Self {
        Self {
            words,
            ends: Vec::new(),
            terms: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.ends.len() > MOST_KNOWN
            || self.words.bytes() > MOST_BYTES
            || self.terms.len() > MOST_TERMS
    }

    fn forget(&mut self) {
        self.words.start_again();
        self.ends.clear();
        self.terms.clear();
    }

    /// Takes a word apart and gives its number.
    fn learn(&mut self, key: &Key<'_>, terms: &mut Interner) -> u32 {
        let number = self.words.number_of(key);
        if number as usize == self.ends.len() {
            words::terms_of_run(key.text(), |term| {
                self.terms.push(terms.number(term.as_bytes()))
            });
            self.ends.push(self.terms.len() as u32);
        }
        number
    }

    /// Returns the positions of a word's terms.
    fn places(&self, number: u32) -> (u32, u32) {
        let end = |number: u32| self.ends.get(number as usize).copied().unwrap_or(0);
        (number.checked_sub(1).map_or(0, end), end(number))
    }
}

impl Counter {
    pub(super) fn start_document(&mut self) {
        self.words.clear();
        self.slots.clear();
        self.hashes.clear();
        self.numbers.clear();
        if self.known.is_full() {
            self.known.forget();
        }
    }

    pub(super) fn start_field(&mut self) {
        self.field += 1;
        self.seen_words.clear();
        self.seen.clear();
    }

    #[inline]
    pub(super) fn count(&mut self, word: &[u8]) {
        let key = self.words.key(word);
        let number = self.words.number_of(&key);
        if number as usize == self.hashes.len() {
            self.hashes.push(key.hash());
            self.slots.push(WordSlot::default());
        }
        if let Some(slot) = self.slots.get_mut(number as usize) {
            if slot.field == self.field {
                slot.count += 1;
            } else {
                (slot.field, slot.count) = (self.field, 1);
                self.seen_words.push(number);
            }
        }
    }

    /// Finds the terms of the words that this document has not had before. The table of all words is
    /// large: in a loop of their own the looks at it, each of which waits for memory, overlap.
    fn resolve(&mut self, terms: &mut Interner) {
        let fresh = self.numbers.len() as u32..self.hashes.len() as u32;
        let (words, hashes) = (&self.words, &self.hashes);
        let key = |number: u32| {
            let hash = hashes.get(number as usize).copied().unwrap_or(0);
            Key::again(words.get(number), hash)
        };
        let known = &self.known.words;
        let found = fresh.clone().map(|number| known.known(&key(number)));
        self.numbers.extend(found.map(|it| it.unwrap_or(NEW)));
        for number in fresh.clone() {
            if let Some(it) = self.numbers.get_mut(number as usize)
                && *it == NEW
            {
                *it = self.known.learn(&key(number), terms);
            }
        }
        for number in fresh {
            let known = self.numbers.get(number as usize).copied().unwrap_or(NEW);
            if let Some(slot) = self.slots.get_mut(number as usize) {
                (slot.start, slot.end) = self.known.places(known);
            }
        }
    }

    /// Counts the terms of the field's words, at most so many different ones, and gives the number
    /// of all. Words come in the order in which they were seen, so terms do, too.
    pub(super) fn finish_field(&mut self, terms: &mut Interner, most: usize) -> u32 {
        self.resolve(terms);
        self.counts.resize(terms.len(), (0, 0));
        let mut total = 0;
        for word in &self.seen_words {
            let Some(word) = self.slots.get(*word as usize) else {
                continue;
            };
            let places = word.start as usize..word.end as usize;
            for term in self.known.terms.get(places).unwrap_or_default() {
                total += word.count;
                if let Some((field, count)) = self.counts.get_mut(*term as usize) {
                    if *field == self.field {
                        *count += word.count;
                    } else if self.seen.len() < most {
                        (*field, *count) = (self.field, word.count);
                        self.seen.push(*term);
                    }
                }
            }
        }
        total
    }

    /// This field's terms, and how often each was counted.
    pub(super) fn counted(&self) -> impl Iterator<Item = (u32, u32)> {
        self.seen.iter().filter_map(|term| {
            let (_, count) = self.counts.get(*term as usize)?;
            Some((*term, *count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Terms one by one, as they stand in the texts.
    fn naive(texts: &[String], most: usize) -> (u32, BTreeMap<String, u32>) {
        let mut total = 0;
        let mut counts = BTreeMap::new();
        for text in texts {
            words::terms(text.as_bytes(), |term| {
                total += 1;
                if let Some(count) = counts.get_mut(term) {
                    *count += 1;
                } else if counts.len() < most {
                    counts.insert(term.to_owned(), 1);
                }
            });
        }
        (total, counts)
    }

    proptest! {
        #[test]
        fn words_counted_first_give_the_same_terms(
            documents in proptest::collection::vec(
                proptest::collection::vec("([a-c_A-C1é]{1,5}[ .]){0,12}", 1..4), 1..6),
            most in 1_usize..12,
            forget: bool,
        ) {
            let (mut counter, mut terms) = (Counter::default(), Interner::default());
            for fields in &documents {
                counter.start_document();
                if forget {
                    counter.known.forget();
                }
                for text in fields {
                    counter.start_field();
                    words::runs(text.as_bytes(), |word| counter.count(word));
                    let total = counter.finish_field(&mut terms, most);
                    let counted = counter.counted();
                    let named = |(term, count)| {
                        (String::from_utf8_lossy(terms.get(term)).into_owned(), count)
                    };
                    let counts = counted.map(named).collect();
                    prop_assert_eq!((total, counts), naive(std::slice::from_ref(text), most));
                }
            }
        }
    }
}
