//! Ranks texts that are no files, as items of memory are: by the words that they share with a question, and by
//! how near they are to it in meaning.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use aictx_proto::fold::fold;

use crate::rank::idf;
use crate::word_vectors::{
    DIMENSIONS, Lookups, Sum, Vector, cosine, direction, frequency_rank, sum, vector,
};
use crate::words;

/// BM25's saturation of repeated words and its normalisation by length.
const K1: f32 = 1.2;
const B: f32 = 0.5;
/// Weight of the nearness of meanings; the words of the best text weigh 1.
const MEANING: f32 = 0.5;
/// Nearness below which a text that shares no word does not fit.
const MIN_NEARNESS: f32 = 0.3;
/// Standard deviations by which a text has to be nearer than the mean before that is evidence, what each further one
/// counts, how near it has to be at least, and texts from which on there is a mean worth the name.
const STANDOUT: f32 = 1.8;
const PER_DEVIATION: f32 = 2.5;
const MIN_NEARNESS_TO_STAND_OUT: f32 = 0.45;
const MIN_TEXTS: f32 = 24.0;
/// Weight of a name that stands in the question.
const NAMED: f32 = 0.5;
/// Vectors of a text: of the whole and of its first sentences.
const MAX_VECTORS: usize = 5;
/// Shortest name that is looked for in questions, in bytes.
const MIN_NAME: usize = 4;
/// Ranks by frequency in English from which a word tells something by itself, and from which it tells all it can.
const COMMON: f32 = 300.0;
const RARE: f32 = 30_000.0;

/// Longest question that is looked at, in bytes; longer ones are pasted. Most of its terms that are counted.
const MAX_QUESTION: usize = 8 * 1024;
const MAX_ASKED: usize = 128;
/// Texts that are found at most.
const MAX_FOUND: usize = 500;
/// Texts above which meanings are compared only with those that fit by their words, and with the newest.
const MAX_COMPARED: usize = 1_000;
/// Of those that fit by their words, how many.
const MAX_BY_WORDS: usize = 200;

/// Texts by number, ready to be asked.
#[derive(Debug, Default)]
pub struct TextIndex {
    /// The texts by number; `None` for those that were removed.
    texts: Vec<Option<Text>>,
    /// Texts that hold a term, by its hash, and how often. Removed texts stay until all is made anew.
    postings: HashMap<u64, Vec<(u32, u32)>>,
    /// Texts by their names.
    names: HashMap<Box<str>, Vec<u32>>,
    lookups: Lookups,
    live: usize,
    /// Terms of all live texts.
    length: u64,
}

#[derive(Debug)]
struct Text {
    /// Terms in all.
    length: u32,
    vectors: Box<[Vector]>,
}

impl Text {
    fn nearness(&self, to: &Vector) -> f32 {
        let all = self.vectors.iter().map(|own| cosine(own, to));
        all.fold(0.0, f32::max)
    }
}

impl TextIndex {
    /// Number of the next text.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns true before the first text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds a text of parts that may fit a question by themselves. `names`, such as paths, make it fit where a question
    /// has one of them. Linear in the length of all.
    pub fn push(&mut self, parts: &[&str], names: &[String]) {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let mut length = 0;
        let names_too = names.iter().map(String::as_str);
        let all = parts.iter().copied().chain(names_too);
        for part in all {
            words::prose_terms(part, |term| {
                length += 1;
                *counts.entry(hash(term)).or_default() += 1;
            });
        }
        for (term, count) in counts {
            self.postings.entry(term).or_default().push((number, count));
        }
        for name in names.iter().filter(|name| name.len() >= MIN_NAME) {
            let holders = self.names.entry(bare(name).into()).or_default();
            holders.push(number);
        }
        let mut whole: Sum = [0.0; DIMENSIONS];
        let mut vectors: Vec<Vector> = Vec::new();
        for part in parts {
            let part = sum(part, &mut self.lookups);
            for (whole, number) in whole.iter_mut().zip(&part) {
                *whole += number;
            }
            if vectors.len() + 1 < MAX_VECTORS {
                vectors.extend(direction(&part));
            }
        }
        vectors.extend(direction(&whole));
        self.texts.push(Some(Text {
            length,
            vectors: vectors.into(),
        }));
        self.live += 1;
        self.length += u64::from(length);
    }

    /// Removes a text.
    pub fn remove(&mut self, at: usize) {
        if let Some(text) = self.texts.get_mut(at).and_then(Option::take) {
            self.live -= 1;
            self.length -= u64::from(text.length);
        }
    }

    /// Wanted texts that fit a question, best first; of equal ones the later. Linear in the number of texts.
    pub fn rank(&self, question: &str, is_wanted: impl Fn(usize) -> bool) -> Vec<Match> {
        let question = beginning(question);
        let all = self.live as f32;
        let mean = (self.length as f32 / all.max(1.0)).max(1.0);
        let most = idf(all, 1.0).max(f32::MIN_POSITIVE);
        let wanted = |at: usize| {
            let text = self.texts.get(at)?.as_ref()?;
            is_wanted(at).then_some(text)
        };
        let mut fits = vec![Fit::default(); self.texts.len()];
        for asked in asked(question) {
            let Some(holders) = self.postings.get(&asked.term) else {
                continue;
            };
            let is_live = |at: u32| self.texts.get(at as usize).is_some_and(Option::is_some);
            let live = holders.iter().filter(|(at, _)| is_live(*at)).count();
            let idf = idf(all, live as f32);
            for (at, count) in holders {
                let at = *at as usize;
                let (Some(text), Some(fit)) = (wanted(at), fits.get_mut(at)) else {
                    continue;
                };
                let count = *count as f32;
                let norm = K1 * (1.0 - B + B * text.length as f32 / mean);
                fit.words += asked.weight * idf * count * (K1 + 1.0) / (count + norm);
                fit.evidence += asked.rarity * idf / most;
            }
        }
        for name in question.split_whitespace() {
            for at in self.names.get(bare(name)).into_iter().flatten() {
                let at = *at as usize;
                if let (Some(_), Some(fit)) = (wanted(at), fits.get_mut(at)) {
                    fit.named = 1.0;
                }
            }
        }
        let best = fits.iter().map(|fit| fit.words);
        let best = best.fold(f32::MIN_POSITIVE, f32::max);
        if let Some(meaning) = vector(question) {
            let newest = self.texts.len().saturating_sub(MAX_COMPARED);
            let mut by_words: Vec<(usize, f32)> = fits
                .iter()
                .take(newest)
                .enumerate()
                .filter_map(|(at, fit)| fit.is_any().then_some((at, fit.words)))
                .collect();
            by_words.sort_by(|a, b| b.1.total_cmp(&a.1));
            by_words.truncate(MAX_BY_WORDS);
            let by_words = by_words.into_iter().map(|(at, _)| at);
            let nearness = |at| Some((at, wanted(at)?.nearness(&meaning)));
            let all = by_words.chain(newest..self.texts.len());
            let compared: Vec<(usize, f32)> = all.filter_map(nearness).collect();
            let number = compared.len() as f32;
            let mean = compared.iter().map(|(_, near)| near).sum::<f32>() / number.max(1.0);
            let square = |(_, near): &(usize, f32)| (near - mean).powi(2);
            let deviation = (compared.iter().map(square).sum::<f32>() / number.max(1.0)).sqrt();
            let many = number >= MIN_TEXTS && deviation > 0.0;
            for (at, nearness) in compared {
                let Some(fit) = fits.get_mut(at) else {
                    continue;
                };
                if nearness < MIN_NEARNESS && !fit.is_any() {
                    continue;
                }
                fit.nearness = nearness;
                if many && nearness >= MIN_NEARNESS_TO_STAND_OUT {
                    let deviations = (nearness - mean) / deviation;
                    fit.evidence += ((deviations - STANDOUT) * PER_DEVIATION).max(0.0);
                }
            }
        }
        let fitting = fits.iter().enumerate().filter(|(_, fit)| fit.is_any());
        let matched = fitting.map(|(at, fit)| Match {
            at,
            score: fit.words / best + MEANING * fit.nearness + NAMED * fit.named,
            evidence: fit.evidence + fit.named,
        });
        let is_near = |one: &Match| one.score >= MEANING * MIN_NEARNESS;
        let mut found: Vec<Match> = matched.filter(is_near).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.at.cmp(&a.at)));
        found.truncate(MAX_FOUND);
        found
    }
}

/// Parts of a text's fit.
#[derive(Clone, Default)]
struct Fit {
    words: f32,
    nearness: f32,
    named: f32,
    evidence: f32,
}

impl Fit {
    fn is_any(&self) -> bool {
        self.words > 0.0 || self.nearness > 0.0 || self.named > 0.0
    }
}

/// The first [`MAX_QUESTION`] bytes of a question.
fn beginning(question: &str) -> &str {
    let end = question.floor_char_boundary(MAX_QUESTION);
    question.get(..end).unwrap_or_default()
}

/// A name without what stands around it in a sentence.
fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
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
    /// Fit beside the others.
    pub score: f32,
    /// Evidence for it, whatever the others are: 0 where it shares nothing but common words, 1 for a word that
    /// is rare in English and in the other texts (the sum over the words), and more where its meaning stands out.
    pub evidence: f32,
}

struct Asked {
    term: u64,
    /// Lower for words that fit any question.
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
            let is_room = found.len() < MAX_ASKED;
            if weight > 0.0 && is_room && !found.iter().any(|known| known.term == hash) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(all: &[&str]) -> TextIndex {
        let mut index = TextIndex::default();
        for text in all {
            let names = text.split(' ').filter(|word| word.contains('/'));
            let names: Vec<String> = names.map(str::to_owned).collect();
            index.push(&[*text], &names);
        }
        index
    }

    fn order(question: &str, all: &[&str]) -> Vec<usize> {
        let found = index(all).rank(question, |_| true);
        found.iter().map(|one| one.at).collect()
    }

    #[test]
    fn removed_and_unwanted_texts_are_not_found() {
        let mut index = index(&["voucher limits", "voucher codes", "tabs"]);
        let found = |index: &TextIndex, not: usize| -> Vec<usize> {
            let found = index.rank("vouchers", |at| at != not);
            found
                .iter()
                .map(|one| one.at)
                .filter(|at| *at < 2)
                .collect()
        };
        assert_eq!(found(&index, 1), [0]);
        index.remove(0);
        index.remove(0);
        assert_eq!(found(&index, 9), [1]);
        assert_eq!((index.len(), index.live), (3, 2));
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
    fn a_pasted_question_is_cut() {
        let pasted = format!("vouchers {}", "x".repeat(1_000_000));
        assert_eq!(order(&pasted, &["voucher limits", "tabs"]), [0]);
        assert_eq!(
            order("look at .github/ci.yml!", &["tabs", ".github/ci.yml runs"])[0],
            1
        );
    }

    #[test]
    fn common_words_are_no_evidence() {
        let all = index(&[
            "open the file of the vouchers",
            "a name",
            "another one",
            "the ledger of payments",
        ]);
        let evidence = |question: &str| all.rank(question, |_| true)[0].evidence;
        assert!(evidence("how do I open a pull request") < 0.4);
        assert!(evidence("where do vouchers end up") > 0.6);
        assert!(all.rank("", |_| true).is_empty());
        assert!(TextIndex::default().rank("x", |_| true).is_empty());
    }

    proptest! {
        #[test]
        fn any_question_gives_a_sorted_answer(question in "\\PC{0,60}", all in prop::collection::vec("\\PC{0,80}", 0..8)) {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let found = index(&all).rank(&question, |_| true);
            prop_assert!(found.len() <= all.len() && found.is_sorted_by(|a, b| a.score >= b.score));
            prop_assert!(found.iter().all(|one| one.score.is_finite() && one.evidence >= 0.0));
        }
    }
}
