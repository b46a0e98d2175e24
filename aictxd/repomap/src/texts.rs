//! Ranks texts that are no files, as items of memory are: by the words that they share with a question, and by
//! how near they are to it in meaning.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use aictx_proto::fold::fold;

use crate::rank::idf;
use crate::word_vectors::{Vector, cosine, frequency_rank, vector};
use crate::words;

/// BM25's saturation of repeated words and its normalisation by length.
const K1: f32 = 1.2;
const B: f32 = 0.5;
/// What the nearness of the meanings counts beside the words, of which the best text has 1.
const MEANING: f32 = 0.5;
/// Nearness below which a text that shares no word does not fit.
const MIN_NEARNESS: f32 = 0.3;
/// Standard deviations by which a text has to be nearer than the mean before that is evidence, what each further one
/// counts, how near it has to be at least, and texts from which on there is a mean worth the name.
const STANDOUT: f32 = 1.8;
const PER_DEVIATION: f32 = 2.5;
const MIN_NEARNESS_TO_STAND_OUT: f32 = 0.45;
const MIN_TEXTS: f32 = 24.0;
/// What a name counts that stands in the question.
const NAMED: f32 = 0.5;
/// Vectors of a text: of the whole and of its first sentences.
const MAX_VECTORS: usize = 5;
/// Shortest name that is looked for in questions, in bytes.
const MIN_NAME: usize = 4;
/// Ranks by frequency in English from which a word tells something by itself, and from which it tells all it can.
const COMMON: f32 = 300.0;
const RARE: f32 = 30_000.0;

/// A text prepared for being compared.
#[derive(Debug, Clone)]
pub struct Text {
    /// Hashes of its terms, sorted, with how often each occurs.
    terms: Box<[(u64, u32)]>,
    /// Terms in all.
    length: u32,
    vectors: Box<[Vector]>,
    /// Names, such as paths, that make it fit where a question has one of them.
    names: Box<[String]>,
}

impl Text {
    /// Prepares a text. `sentences` are those parts of it that may fit a question by themselves. Linear in the
    /// length of all.
    pub fn new<'s>(
        text: &'s str,
        sentences: impl IntoIterator<Item = &'s str>,
        names: &[String],
    ) -> Self {
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let mut length = 0;
        words::prose_terms(text, |term| {
            length += 1;
            *counts.entry(hash(term)).or_default() += 1;
        });
        let mut terms: Vec<(u64, u32)> = counts.into_iter().collect();
        terms.sort_unstable();
        let vectors = std::iter::once(text).chain(sentences);
        let names = names.iter().filter(|name| name.len() >= MIN_NAME);
        Self {
            terms: terms.into(),
            length,
            vectors: vectors.take(MAX_VECTORS).filter_map(vector).collect(),
            names: names.cloned().collect(),
        }
    }

    fn count(&self, term: u64) -> u32 {
        let at = self.terms.binary_search_by_key(&term, |(term, _)| *term);
        at.ok()
            .and_then(|at| self.terms.get(at))
            .map_or(0, |(_, count)| *count)
    }

    fn nearness(&self, to: &Vector) -> f32 {
        let all = self.vectors.iter().map(|own| cosine(own, to));
        all.fold(0.0, f32::max)
    }
}

fn hash(term: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    term.hash(&mut hasher);
    hasher.finish()
}

/// A text that fits a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its place among the texts.
    pub at: usize,
    /// How well it fits, beside the others.
    pub score: f32,
    /// How much speaks for it whatever the others are: 0 where it shares nothing but common words, 1 for a word that
    /// is rare in English and in the other texts (the sum over the words), and more where its meaning stands out.
    pub evidence: f32,
}

struct Asked {
    term: u64,
    /// What it counts: less for words that fit any question.
    weight: f32,
    /// From 0 for a common word to 1 for a rare one.
    rarity: f32,
}

fn asked(question: &str) -> Vec<Asked> {
    let silent = words::function_words(question);
    let mut found: Vec<Asked> = Vec::new();
    for word in question.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let rank = f32::from(frequency_rank(&fold(word)));
        let in_english = ((rank / COMMON).ln() / (RARE / COMMON).ln()).clamp(0.0, 1.0);
        words::prose_terms(word, |term| {
            let is_silent = silent.is_some_and(|silent| silent.contains(term));
            let weight = if is_silent { 0.0 } else { words::weight(term) };
            let hash = hash(term);
            if weight > 0.0 && !found.iter().any(|known| known.term == hash) {
                let rarity = match term.chars().all(is_kana) {
                    true => 0.0,
                    false => in_english * weight,
                };
                found.push(Asked {
                    term: hash,
                    weight,
                    rarity,
                });
            }
        });
    }
    found
}

/// Tells the script in which Japanese writes endings and particles.
fn is_kana(c: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&c)
}

/// Texts that fit a question, best first; of equal ones the later. Linear in the number of texts.
pub fn rank<'t>(question: &str, texts: impl Iterator<Item = &'t Text> + Clone) -> Vec<Match> {
    let asked = asked(question);
    let meaning = vector(question);
    let (mut number, mut length) = (0_usize, 0_u64);
    let mut holders = vec![0_u32; asked.len()];
    for text in texts.clone() {
        number += 1;
        length += u64::from(text.length);
        for (holders, asked) in holders.iter_mut().zip(&asked) {
            *holders += u32::from(text.count(asked.term) > 0);
        }
    }
    let all = number as f32;
    let mean = (length as f32 / all.max(1.0)).max(1.0);
    let idfs: Vec<f32> = holders.iter().map(|df| idf(all, *df as f32)).collect();
    let most = idf(all, 1.0).max(f32::MIN_POSITIVE);
    let mut found = Vec::with_capacity(number);
    let mut best = f32::MIN_POSITIVE;
    for (at, text) in texts.enumerate() {
        let norm = K1 * (1.0 - B + B * text.length as f32 / mean);
        let (mut words, mut evidence) = (0.0, 0.0);
        for (asked, idf) in asked.iter().zip(&idfs) {
            let count = text.count(asked.term) as f32;
            if count > 0.0 {
                words += asked.weight * idf * count * (K1 + 1.0) / (count + norm);
                evidence += asked.rarity * idf / most;
            }
        }
        best = f32::max(best, words);
        let is_named = text
            .names
            .iter()
            .any(|name| question.contains(name.as_str()));
        let nearness = meaning
            .as_ref()
            .map_or(0.0, |meaning| text.nearness(meaning));
        found.push((at, nearness, words, evidence, f32::from(u8::from(is_named))));
    }
    let mean = found.iter().map(|(_, nearness, ..)| nearness).sum::<f32>() / all.max(1.0);
    let square = |(_, nearness, ..): &(usize, f32, f32, f32, f32)| (nearness - mean).powi(2);
    let deviation = (found.iter().map(square).sum::<f32>() / all.max(1.0)).sqrt();
    let many = all >= MIN_TEXTS && deviation > 0.0;
    let standout = |nearness: f32| match many && nearness >= MIN_NEARNESS_TO_STAND_OUT {
        true => (((nearness - mean) / deviation - STANDOUT) * PER_DEVIATION).max(0.0),
        false => 0.0,
    };
    let score = |(at, nearness, words, evidence, named): (usize, f32, f32, f32, f32)| Match {
        at,
        score: words / best + MEANING * nearness + NAMED * named,
        evidence: evidence + named + standout(nearness),
    };
    let is_near = |one: &Match| one.score >= MEANING * MIN_NEARNESS;
    let mut found: Vec<Match> = found.into_iter().map(score).filter(is_near).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.at.cmp(&a.at)));
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(all: &[&str]) -> Vec<Text> {
        let name = |text: &&str| {
            text.split(' ')
                .filter(|word| word.contains('/'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        all.iter()
            .map(|text| Text::new(text, [*text], &name(text)))
            .collect()
    }

    fn order(question: &str, all: &[&str]) -> Vec<usize> {
        rank(question, texts(all).iter())
            .iter()
            .map(|one| one.at)
            .collect()
    }

    #[test]
    fn shared_words_names_and_meanings_count() {
        let all = [
            "Claims are taken with skip locked, advisory locks leak",
            "the console has a water wheel icon",
            "src/queue/backoff.rs delays double and are capped",
        ];
        assert_eq!(order("why no advisory locks?", &all)[0], 0);
        assert_eq!(order("look at src/queue/backoff.rs", &all)[0], 2);
        assert_eq!(order("how long until a retry", &all)[0], 2);
        assert_eq!(order("検索", &["検索が遅い", "画像"])[0], 0);
    }

    #[test]
    fn common_words_are_no_evidence() {
        let all = texts(&[
            "open the file of the vouchers",
            "a name",
            "another one",
            "the ledger of payments",
        ]);
        let evidence = |question: &str| rank(question, all.iter())[0].evidence;
        assert!(evidence("how do I open a pull request") < 0.4);
        assert!(evidence("where do vouchers end up") > 0.6);
        assert!(rank("", all.iter()).is_empty() && rank("x", [].iter()).is_empty());
    }

    proptest! {
        #[test]
        fn any_question_gives_a_sorted_answer(question in "\\PC{0,60}", all in prop::collection::vec("\\PC{0,80}", 0..8)) {
            let all: Vec<Text> = all.iter().map(|text| Text::new(text, [], &[])).collect();
            let found = rank(&question, all.iter());
            prop_assert!(found.len() <= all.len() && found.is_sorted_by(|a, b| a.score >= b.score));
            prop_assert!(found.iter().all(|one| one.score.is_finite() && one.evidence >= 0.0));
        }
    }
}
