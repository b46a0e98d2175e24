//! What is known of each file in the light of a question, as numbers.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::history::History;
use crate::index_view::{Class, Field, FileId, View};
use crate::words;

use super::accumulator::{Best, COVER, NEAR, PAST, SUMMED, Scored, Scratch};
use super::feature_kind::{Feature, Values, class, set};
use super::history_index::{NONE, Past};
use super::question::Question;
use super::weights::{Weights, dot};
use super::{mentions, second_stage};

/// Files that the second stage looks at.
pub(super) const CANDIDATES: usize = 200;
/// Most postings read for one question.
const MAX_POSTINGS: u32 = 60_000;
/// Most postings of past messages read for one question.
const MAX_MESSAGES: usize = 12_000;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A file that may be an answer.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) file: FileId,
    pub(super) values: Values,
    /// Score so far.
    pub(super) score: f32,
}

/// What of the question each file answers: candidates with all their features, in order of files.
pub(super) fn candidates(
    view: &dyn View,
    history: &History,
    past: &Past,
    question: &Question,
    active: &[(FileId, f32)],
    weights: &Weights,
) -> Vec<Candidate> {
    SCRATCH.with_borrow_mut(|scratch| {
        let files = view.files() as usize;
        // Another view may have been asked before.
        scratch.begin(files);
        let total = fields(view, question, weights, scratch);
        let sure = votes(history, past, question, weights, scratch);
        let candidates = first(view, past, question, active, weights, scratch, total, sure);
        scratch.clear();
        second_stage::add(view, history, past, question, weights, candidates)
    })
}

/// Inverse document frequency of a term that `df` of `n` documents have, as BM25 has it.
pub(crate) fn idf(n: f32, df: f32) -> f32 {
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

/// BM25 of every field; gives the greatest cover possible.
fn fields(view: &dyn View, question: &Question, weights: &Weights, scratch: &mut Scratch) -> f32 {
    let n = view.files() as f32;
    let mut total = 0.0;
    // (what the term may give, term number, field, frequency)
    let mut work: Vec<(f32, usize, Field, u32)> = Vec::new();
    let mut rarity = Vec::with_capacity(question.terms.len());
    let mut known = Vec::with_capacity(question.terms.len());
    let read = Field::ALL.map(|field| {
        let feature = match field {
            Field::Path => Feature::Path,
            Field::Name => Feature::Name,
            Field::Signature => Feature::Signature,
            Field::Doc => Feature::Doc,
            Field::Body => Feature::Body,
        };
        weights
            .linear
            .get(feature as usize)
            .is_some_and(|w| *w != 0.0)
    });
    for (at, term) in question.terms.iter().enumerate() {
        let lists = view.term(&term.text);
        let mut frequencies = [0; Field::COUNT];
        for ((to, field), read) in frequencies.iter_mut().zip(Field::ALL).zip(read) {
            if read {
                *to = view.frequency(field, &lists);
            }
        }
        let [path, .., body] = frequencies;
        let rare = if body > 0 || path > 0 {
            term.weight * idf(n, body.max(path) as f32)
        } else {
            0.0
        };
        total += rare;
        rarity.push(rare);
        known.push(lists);
        for ((field, df), read) in Field::ALL.into_iter().zip(frequencies).zip(read) {
            if df > 0 && read {
                work.push((term.weight * idf(n, df as f32), at, field, df));
            }
        }
    }
    // The most telling first, in case that not all can be read.
    work.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then((a.1, a.2 as u8).cmp(&(b.1, b.2 as u8)))
    });
    let mut left = MAX_POSTINGS;
    for (gain, at, field, df) in work {
        if df > left {
            continue;
        }
        left -= df;
        let (Some(term), Some(lists)) = (question.terms.get(at), known.get(at)) else {
            continue;
        };
        let number = field as usize;
        let k1 = weights.k1.get(number).copied().unwrap_or(1.2);
        let b = weights.b.get(number).copied().unwrap_or(0.5);
        let mean = view.mean_length(field).max(1.0);
        let (flat, slope) = (k1 * (1.0 - b), k1 * b / mean);
        let rare = rarity.get(at).copied().unwrap_or(0.0);
        let mark = u16::try_from(at + 1).unwrap_or(u16::MAX);
        let in_title = match field {
            Field::Body => 1.0,
            Field::Path => 1.0,
            Field::Name => 0.5,
            _ => 0.0,
        } * term.title
            * gain
            / term.weight;
        let list = Scored {
            field: number,
            lengths: view.lengths(field),
            k1,
            flat,
            slope,
            gain,
            in_title,
            rare,
            mark,
        };
        view.postings(field, lists, &mut |found| {
            scratch.add_postings(found, &list)
        });
    }
    total
}

/// What a term may give, the term, and the commits whose messages have it, how often.
type Telling<'a> = (f32, &'a str, &'a [(u32, u16)]);

/// Words of past commits and votes of the nearest ones; gives the similarity of the nearest.
fn votes(
    history: &History,
    past: &Past,
    question: &Question,
    weights: &Weights,
    scratch: &mut Scratch,
) -> f32 {
    let n = history.commits() as f32;
    if n == 0.0 {
        return 0.0;
    }
    let mut similar: Vec<f32> = vec![0.0; history.commits() as usize];
    let [k1, b] = weights.past;
    let mean = history.mean_message_length().max(1.0);
    let mut possible = 0.0;
    let mut touched: Vec<u32> = Vec::new();
    let mut work: Vec<Telling<'_>> = Vec::new();
    for term in &question.terms {
        let commits = history.with_term(&term.text);
        if !commits.is_empty() {
            let rare = term.weight * idf(n, commits.len() as f32);
            possible += rare;
            work.push((rare, &term.text, commits));
        }
    }
    // The most telling first, in case that not all can be read.
    work.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut left = MAX_MESSAGES;
    for (rare, _, commits) in work {
        let Some(rest) = left.checked_sub(commits.len()) else {
            continue;
        };
        left = rest;
        for (commit, times) in commits {
            let length = history.message_length(*commit) as f32;
            let times = f32::from(*times);
            let score = rare * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean));
            if let Some(to) = similar.get_mut(*commit as usize) {
                *to += score;
            }
            let files = history.files(*commit);
            let share = 1.0 / (files.len() as f32).sqrt();
            for path in files {
                let Some(file) = past.file.get(*path as usize).filter(|f| **f != NONE) else {
                    continue;
                };
                if let Some(count) = scratch.count.get_mut(*file as usize) {
                    if *count == 0.0 {
                        touched.push(*file);
                    }
                    *count += share;
                }
            }
        }
        for file in touched.drain(..) {
            let at = file as usize;
            let times = scratch.count.get_mut(at).map_or(0.0, std::mem::take);
            let length = past.length.get(at).copied().unwrap_or(0.0);
            let norm = k1 * (1.0 - b + b * length / past.mean_length.max(1.0));
            scratch.add(file, PAST, rare * times * (k1 + 1.0) / (times + norm));
        }
    }
    let mut nearest = Best::new(weights.near);
    for (commit, score) in (0..).zip(similar) {
        if score > 0.0 {
            nearest.add(commit, score);
        }
    }
    let mut nearest = nearest.finish();
    nearest.sort_unstable_by_key(|n| n.0);
    let best = nearest.iter().map(|n| n.1).fold(0.0, f32::max);
    for (commit, score) in nearest {
        let files = history.files(commit);
        let vote = (score / best).powf(weights.near_power)
            * (-(commit as f32) / weights.near_half).exp2()
            / (files.len() as f32).powf(weights.near_files);
        for path in files {
            if let Some(file) = past.file.get(*path as usize).filter(|f| **f != NONE) {
                scratch.add(*file, NEAR, vote);
            }
        }
    }
    (best / possible.max(0.001)).min(1.0)
}

#[expect(clippy::too_many_arguments, reason = "one step of one pipeline")]
fn first(
    view: &dyn View,
    past: &Past,
    question: &Question,
    active: &[(FileId, f32)],
    weights: &Weights,
    scratch: &Scratch,
    total: f32,
    sure: f32,
) -> Vec<Candidate> {
    let mut most = scratch.most();
    if let Some(cover) = most.get_mut(COVER) {
        *cover = total;
    }
    let mut scale = most.map(|m| if m > 0.0 { 1.0 / m } else { 0.0 });
    if let Some(near) = scale.get_mut(NEAR) {
        *near *= sure;
    }
    let mut wanted: BTreeMap<u32, mentions::Exact> = mentions::find(view, question);
    for file in &past.newest {
        wanted.entry(*file).or_default();
    }
    for (file, _) in active {
        wanted.entry(file.0).or_default();
    }
    let value = |file: u32| {
        let mut values = [0.0; Feature::COUNT];
        for ((feature, sum), scale) in SUMMED.into_iter().zip(scratch.of(file)).zip(scale) {
            set(&mut values, feature, sum * scale);
        }
        let recent = past.recent.get(file as usize).copied().unwrap_or(0.0);
        set(&mut values, Feature::Recent, recent);
        class(&mut values, view.class(FileId(file)), question.asks);
        values
    };
    // The same sum as of all features, without making them for every file.
    let mut factors = scale;
    for (factor, feature) in factors.iter_mut().zip(SUMMED) {
        *factor *= weights.linear.get(feature as usize).copied().unwrap_or(0.0);
    }
    let classes = Class::ALL.map(|of| {
        let mut values = [0.0; Feature::COUNT];
        class(&mut values, of, question.asks);
        dot(&values, weights)
    });
    let recency = weights
        .linear
        .get(Feature::Recent as usize)
        .copied()
        .unwrap_or(0.0);
    for file in scratch.best(CANDIDATES, &factors, recency, &classes, past) {
        wanted.entry(file).or_default();
    }
    wanted
        .into_iter()
        .map(|(file, exact)| {
            let mut values = value(file);
            set(&mut values, Feature::ExactPath, exact.path);
            set(&mut values, Feature::ExactDirectory, exact.directory);
            set(&mut values, Feature::ExactName, exact.name);
            set(&mut values, Feature::NamedPath, exact.named_path);
            set(&mut values, Feature::NamedSymbol, exact.named_symbol);
            let active = active
                .iter()
                .find(|(f, _)| f.0 == file)
                .map_or(0.0, |a| a.1);
            set(&mut values, Feature::Active, active);
            let score = dot(&values, weights);
            Candidate {
                file: FileId(file),
                values,
                score,
            }
        })
        .collect()
}

/// Calls `each` with the terms of the last component of a path, without its extension.
pub(super) fn stem_terms(path: &str, each: impl FnMut(&str)) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    words::terms(stem.as_bytes(), each);
}
