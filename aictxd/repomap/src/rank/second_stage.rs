//! The second look, at few files: what they are to each other, and to their best definitions.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use crate::history::History;
use crate::index_view::{Class, FileId, View};
use crate::words;

use super::feature_kind::{Feature, set};
use super::first_stage::{Candidate, stem_terms};
use super::history_index::{NONE, Past};
use super::question::Question;
use super::term_prefilter::Starts;
use super::weights::{Weights, dot};

/// How many of the best files speak for others.
const SEEDS: usize = 10;
/// Newest commits of a seed that count for co-change.
const SEED_COMMITS: usize = 60;
/// Commits with more files say nothing of what belongs together.
const TOGETHER: usize = 30;

pub(super) fn add(
    view: &dyn View,
    history: &History,
    past: &Past,
    question: &Question,
    weights: &Weights,
    mut candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let seeds = seeds(&candidates);
    let cochange = cochange(history, past, &seeds);
    let imports = imports(view, &seeds);
    let pairs = pairs(view, &candidates);
    let beside = beside(view, &candidates);
    let terms = weights_of(question);
    for candidate in &mut candidates {
        let file = candidate.file;
        let path = view.path(file);
        let values = &mut candidate.values;
        set(
            values,
            Feature::Cochange,
            cochange.get(&file.0).copied().unwrap_or(0.0),
        );
        set(
            values,
            Feature::Import,
            imports.get(&file.0).copied().unwrap_or(0.0),
        );
        set(
            values,
            Feature::Pair,
            pairs.get(&file.0).copied().unwrap_or(0.0),
        );
        set(
            values,
            Feature::NearBeside,
            beside.get(directory(path)).copied().unwrap_or(0.0),
        );
        set(values, Feature::Stem, stem(path, &terms));
        set(values, Feature::Scope, scope(path, &question.scope));
        candidate.score = dot(values, weights);
    }
    candidates
}

/// The best files and how much each of them has to say, together 1.
fn seeds(candidates: &[Candidate]) -> Vec<(FileId, f32)> {
    let mut best: Vec<(FileId, f32)> = candidates.iter().map(|c| (c.file, c.score)).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(SEEDS);
    let top = best.first().map_or(0.0, |b| b.1);
    for (_, score) in &mut best {
        *score = (*score - top).exp();
    }
    let sum: f32 = best.iter().map(|b| b.1).sum();
    for (_, score) in &mut best {
        *score /= sum;
    }
    best
}

/// How probable it is that a file changes when the seeds do.
fn cochange(history: &History, past: &Past, seeds: &[(FileId, f32)]) -> BTreeMap<u32, f32> {
    let mut together: BTreeMap<u32, f32> = BTreeMap::new();
    for (seed, share) in seeds {
        let Some(path) = past.path.get(seed.0 as usize).filter(|p| **p != NONE) else {
            continue;
        };
        let commits = history.commits_of(*path);
        let commits = commits
            .get(..SEED_COMMITS.min(commits.len()))
            .unwrap_or_default();
        let each = share / (commits.len() as f32 + 3.0);
        for commit in commits {
            let files = history.files(*commit);
            if files.len() > TOGETHER {
                continue;
            }
            for other in files {
                if other != path
                    && let Some(file) = past.file.get(*other as usize).filter(|f| **f != NONE)
                {
                    *together.entry(*file).or_default() += each;
                }
            }
        }
    }
    together
}

fn imports(view: &dyn View, seeds: &[(FileId, f32)]) -> BTreeMap<u32, f32> {
    let mut near: BTreeMap<u32, f32> = BTreeMap::new();
    for (seed, share) in seeds {
        for side in [view.imports(*seed), view.importers(*seed)] {
            let each = share / (side.len().max(1) as f32).sqrt();
            for file in side {
                *near.entry(file.0).or_default() += each;
            }
        }
    }
    near
}

/// A file's name without what marks a test.
fn pair_key(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let mut key = stem.to_ascii_lowercase().replace(['_', '-'], "");
    for mark in ["tests", "test", "spec", "bench"] {
        if let Some(rest) = key.strip_suffix(mark).or_else(|| key.strip_prefix(mark))
            && rest.len() >= 2
        {
            key = rest.to_owned();
            break;
        }
    }
    key
}

/// Names that many files of a tree have and that pair nothing.
fn common(key: &str) -> bool {
    matches!(
        key,
        "mod" | "index" | "lib" | "main" | "init" | "readme" | "cargo" | "package" | "common" | ""
    )
}

/// For tests the first score of what they test, and the other way round, as a share of the best.
fn pairs(view: &dyn View, candidates: &[Candidate]) -> BTreeMap<u32, f32> {
    // By name: the best of what is no test, and the best test.
    let mut best: HashMap<String, [Option<f32>; 2]> = HashMap::new();
    let mut keys = Vec::with_capacity(candidates.len());
    let top = candidates.iter().map(|c| c.score).fold(f32::MIN, f32::max);
    for candidate in candidates {
        let class = view.class(candidate.file);
        if !matches!(class, Class::Source | Class::Test) {
            continue;
        }
        let key = pair_key(view.path(candidate.file));
        if common(&key) {
            continue;
        }
        let test = class == Class::Test;
        let score = (candidate.score - top).exp();
        let sides = best.entry_ref(key.as_str()).or_default();
        if let Some(side) = sides.get_mut(usize::from(test)) {
            *side = Some(side.unwrap_or_default().max(score));
        }
        keys.push((candidate.file.0, key, test));
    }
    keys.into_iter()
        .filter_map(|(file, key, test)| {
            let other = *best.get(&key)?.get(usize::from(!test))?;
            Some((file, other?))
        })
        .collect()
}

/// Votes for each directory as a share of the best one.
fn beside<'a>(view: &'a dyn View, candidates: &[Candidate]) -> HashMap<&'a str, f32> {
    let mut sums: HashMap<&str, f32> = HashMap::new();
    for candidate in candidates {
        let vote = candidate.values.get(Feature::Near as usize);
        if let Some(vote) = vote.filter(|vote| **vote > 0.0) {
            let directory = directory(view.path(candidate.file));
            *sums.entry(directory).or_default() += vote;
        }
    }
    let most = sums.values().copied().fold(0.0, f32::max);
    if most > 0.0 {
        sums.values_mut().for_each(|v| *v /= most);
    }
    sums
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Share of the words of a file's name that the question has.
fn stem(path: &str, terms: &HashMap<&str, f32>) -> f32 {
    let (mut own, mut hit) = (0, 0.0);
    stem_terms(path, |term| {
        own += 1;
        hit += terms.get(term).map_or(0.0, |weight| weight.min(1.0));
    });
    if own == 0 { 0.0 } else { hit / own as f32 }
}

/// 1 where every word of the title's scope is a word of the path.
fn scope(path: &str, scope: &[String]) -> f32 {
    if scope.is_empty() {
        return 0.0;
    }
    let mut own = BTreeSet::new();
    words::terms(path.as_bytes(), |t| {
        own.insert(t.to_owned());
    });
    let hit = scope.iter().filter(|t| own.contains(*t)).count();
    hit as f32 / scope.len() as f32
}

/// What each term of a question counts.
fn weights_of(question: &Question) -> HashMap<&str, f32> {
    let terms = question.terms.iter();
    terms.map(|t| (t.text.as_str(), t.weight)).collect()
}

/// Finds the definitions that fit a question best.
pub(super) struct Definitions<'a> {
    question: &'a Question,
    terms: HashMap<&'a str, f32>,
    /// Weights of all terms together.
    sum: f32,
    starts: Starts,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(question: &'a Question) -> Self {
        let terms = weights_of(question);
        // Always added up in the same order.
        let sorted: BTreeMap<&str, f32> = terms.iter().map(|(t, w)| (*t, *w)).collect();
        Self {
            sum: sorted.values().sum::<f32>().max(0.001),
            starts: Starts::of(sorted.keys()),
            question,
            terms,
        }
    }

    /// The definitions of a file that fit best, and the share of the question's weight that each of
    /// them has.
    pub(super) fn of(&self, view: &dyn View, file: FileId) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = Vec::new();
        let names = &self.question.names;
        view.symbol_texts(file, &mut |number, name, signature| {
            let named = names.iter().any(|n| n.text.as_bytes() == name);
            if !named && !self.starts.may_be_in(name) && !self.starts.may_be_in(signature) {
                return;
            }
            let share = self.covered(name, signature) / self.sum;
            let share = if named { 0.5 + share / 2.0 } else { share };
            if share > 0.0 {
                found.push((number, share.min(1.0)));
            }
        });
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(super::MAX_SYMBOLS);
        found
    }

    /// Weight of the question's terms in a name, and with less in its signature.
    fn covered(&self, name: &[u8], signature: &[u8]) -> f32 {
        let mut sum = 0.0;
        let mut seen: Vec<&str> = Vec::new();
        for (text, factor) in [(name, 1.0), (signature, 0.4)] {
            words::terms(text, |term| {
                if let Some((term, weight)) = self.terms.get_key_value(term)
                    && !seen.contains(term)
                {
                    seen.push(term);
                    sum += weight * factor;
                }
            });
        }
        sum
    }
}
