//! Word vectors: how near two texts are in meaning, without running a model.
//!
//! The table holds a vector for each word piece of a BERT vocabulary, in the order of their bytes. It is part
//! of the program's read-only data, so pages of it that nobody uses are never loaded. `data/word_vectors.py`
//! makes it and describes its format; its source and licence stand in `NOTICE`.

use std::collections::HashMap;
use std::sync::LazyLock;

use aictx_proto::fold::fold_char;

static FILE: &[u8] = include_bytes!("../data/word_vectors.bin");
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(FILE).unwrap_or_default());

/// Numbers of a vector.
pub(crate) const DIMENSIONS: usize = 128;
/// Ranks of the vocabulary before its first word: special and unused pieces.
const RESERVED: u16 = 998;
/// Longest word that is looked up, in bytes.
const MAX_WORD: usize = 64;

/// The direction of a text's meaning, of length 127.
pub(crate) type Vector = [i8; DIMENSIONS];

#[derive(Default)]
struct Table {
    /// End of each piece in `text`.
    ends: &'static [u8],
    text: &'static [u8],
    /// Rank of each piece by frequency in English, the most frequent first.
    ranks: &'static [u8],
    scales: &'static [u8],
    vectors: &'static [u8],
}

impl Table {
    fn parse(file: &'static [u8]) -> Option<Self> {
        let rest = file.strip_prefix(b"AXV2")?;
        let (header, rest) = rest.split_at_checked(12)?;
        let number = |at| Some(u32_at(header, at)? as usize);
        let (pieces, dimensions, text) = (number(0)?, number(1)?, number(2)?);
        let (ends, rest) = rest.split_at_checked(4 * pieces)?;
        let (text, rest) = rest.split_at_checked(text)?;
        let (ranks, rest) = rest.split_at_checked(2 * pieces)?;
        let (scales, vectors) = rest.split_at_checked(4 * pieces)?;
        (dimensions == DIMENSIONS && vectors.len() == pieces * DIMENSIONS).then_some(Self {
            ends,
            text,
            ranks,
            scales,
            vectors,
        })
    }

    fn piece(&self, at: usize) -> Option<&'static [u8]> {
        let start = match at.checked_sub(1) {
            Some(before) => u32_at(self.ends, before)? as usize,
            None => 0,
        };
        self.text.get(start..u32_at(self.ends, at)? as usize)
    }

    /// Number of a piece, by binary search.
    fn find(&self, piece: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.ends.len() / 4);
        while low < high {
            let middle = low.midpoint(high);
            match self.piece(middle)?.cmp(piece) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Rank of a piece among words, from 1 on.
    fn rank(&self, at: usize) -> u16 {
        let bytes = self.ranks.get(2 * at..).and_then(|rest| rest.first_chunk());
        let rank = bytes.map_or(u16::MAX, |bytes| u16::from_le_bytes(*bytes));
        rank.saturating_sub(RESERVED).max(1)
    }

    fn vector(&self, at: usize) -> impl Iterator<Item = f32> {
        let scale = u32_at(self.scales, at).map_or(0.0, f32::from_bits);
        let from = self.vectors.get(at * DIMENSIONS..).unwrap_or_default();
        let numbers = from.iter().take(DIMENSIONS);
        numbers.map(move |number| f32::from(number.cast_signed()) * scale)
    }

    /// Pieces of a folded word: the longest that begins it, then the longest of the rest, and so on. None where
    /// some part is no piece.
    fn pieces(&self, word: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while from < word.len() {
            let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends = ends.filter(|end| *end > from).rev();
            let prefix = if from == 0 { "" } else { "##" };
            let longest = ends.into_iter().find_map(|end| {
                let piece = [prefix, word.get(from..end)?].concat();
                Some((self.find(piece.as_bytes())?, end))
            });
            let Some((piece, end)) = longest else {
                return Vec::new();
            };
            found.push(piece);
            from = end;
        }
        found
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(4 * at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// The words of a text as the vocabulary has them: folded, parts of identifiers by themselves.
fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut flush = |word: &mut String| {
        if !word.is_empty() && word.len() <= MAX_WORD {
            each(word);
        }
        word.clear();
    };
    let mut was_lower = false;
    for c in text.chars() {
        let is_han =
            ('\u{3400}'..='\u{9fff}').contains(&c) || ('\u{f900}'..='\u{faff}').contains(&c);
        if !c.is_alphanumeric() || is_han || was_lower && c.is_uppercase() {
            flush(&mut word);
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if c.is_alphanumeric() {
            fold_char(c, &mut word);
        }
        if is_han {
            flush(&mut word);
        }
    }
    flush(&mut word);
}

/// Pieces of words that were looked up before.
#[derive(Debug, Default)]
pub(crate) struct Lookups(HashMap<Box<str>, Box<[usize]>>);

/// Words whose pieces are remembered; beyond it all are forgotten.
const MAX_LOOKUPS: usize = 4_096;

impl Lookups {
    fn pieces(&mut self, word: &str) -> &[usize] {
        if self.0.len() >= MAX_LOOKUPS && !self.0.contains_key(word) {
            self.0.clear();
        }
        if !self.0.contains_key(word) {
            self.0.insert(word.into(), TABLE.pieces(word).into());
        }
        self.0.get(word).map_or(&[], |pieces| pieces)
    }
}

/// Sum of the vectors of a text's pieces, rare pieces counting more.
pub(crate) type Sum = [f32; DIMENSIONS];

/// Sums the vectors of a text's pieces. Linear in the text.
pub(crate) fn sum(text: &str, lookups: &mut Lookups) -> Sum {
    let mut sum = [0.0; DIMENSIONS];
    words(text, |word| {
        for piece in lookups.pieces(word) {
            let weight = f32::from(TABLE.rank(*piece)).ln_1p();
            for (sum, number) in sum.iter_mut().zip(TABLE.vector(*piece)) {
                *sum += weight * number;
            }
        }
    });
    sum
}

/// Direction of a sum; `None` for that of a text without a known piece.
pub(crate) fn direction(sum: &Sum) -> Option<Vector> {
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    (length > 0.0).then(|| sum.map(|number| (number / length * 127.0).round() as i8))
}

/// Direction of a text's meaning.
pub(crate) fn vector(text: &str) -> Option<Vector> {
    direction(&sum(text, &mut Lookups::default()))
}

/// Cosine of the angle between two directions.
pub(crate) fn cosine(a: &Vector, b: &Vector) -> f32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.sum::<i32>() as f32 / (127.0 * 127.0)
}

/// Rank of a word by its frequency in English, from 1 on; as good as infinite for a word that the vocabulary
/// has in parts only, or that is longer than any word.
pub(crate) fn frequency_rank(word: &str) -> u16 {
    if word.len() > MAX_WORD {
        return u16::MAX;
    }
    match TABLE.pieces(word).as_slice() {
        [piece] => TABLE.rank(*piece),
        _ => u16::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &str, b: &str) -> f32 {
        match (vector(a), vector(b)) {
            (Some(a), Some(b)) => cosine(&a, &b),
            _ => 0.0,
        }
    }

    #[test]
    fn the_table_is_whole_and_in_order() {
        let pieces = TABLE.ends.len() / 4;
        assert_eq!(pieces, 30_522);
        let all: Vec<_> = (0..pieces).map(|at| TABLE.piece(at).unwrap()).collect();
        assert!(
            all.is_sorted()
                && all
                    .iter()
                    .enumerate()
                    .all(|(at, piece)| TABLE.find(piece) == Some(at))
        );
        assert_eq!(TABLE.find(b"no piece at all"), None);
    }

    #[test]
    fn words_of_like_meaning_are_near() {
        assert!(near("dog", "cat") > near("dog", "retry") + 0.2);
        assert!(
            near("the list is slow", "this page takes seconds to load")
                > near("the list is slow", "rename a flag")
        );
        assert!(near("same words", "same words") > 0.98);
        assert_eq!((vector(""), vector(" \u{1f980} ")), (None, None));
    }

    #[test]
    fn words_are_folded_and_identifiers_taken_apart() {
        let mut found = Vec::new();
        words("Größe parseLine HTTP_2 検索を", |word| {
            found.push(word.to_owned())
        });
        assert_eq!(
            found,
            ["grosse", "parse", "line", "http", "2", "検", "索", "を"]
        );
        assert!(frequency_rank("file") < frequency_rank("mutex"));
    }
}
