//! The second look, at few files: what they are to each other, and to their best definitions.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::history::History;
use crate::view::{Class, FileId, View};
use crate::words;

use super::feature::{Feature, dot, set};
use super::features::{Candidate, stem_terms};
use super::past::{NONE, Past};
use super::question::Question;
use super::weights::Weights;

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
    let terms: BTreeMap<&str, f32> = question
        .terms
        .iter()
        .map(|t| (t.text.as_str(), t.weight))
        .collect();
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
        let directory = path.rsplit_once('/').map_or("", |(d, _)| d);
        set(
            values,
            Feature::NearBeside,
            beside.get(directory).copied().unwrap_or(0.0),
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
    let mut best: BTreeMap<(String, bool), f32> = BTreeMap::new();
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
        let to = best.entry((key.clone(), test)).or_default();
        *to = to.max(score);
        keys.push((candidate.file.0, key, test));
    }
    keys.into_iter()
        .filter_map(|(file, key, test)| Some((file, *best.get(&(key, !test))?)))
        .collect()
}

/// Votes for each directory as a share of the best one.
fn beside(view: &dyn View, candidates: &[Candidate]) -> BTreeMap<String, f32> {
    let mut sums: BTreeMap<String, f32> = BTreeMap::new();
    for candidate in candidates {
        let path = view.path(candidate.file);
        let directory = path.rsplit_once('/').map_or("", |(d, _)| d);
        let vote = candidate
            .values
            .get(Feature::Near as usize)
            .copied()
            .unwrap_or(0.0);
        *sums.entry(directory.to_owned()).or_default() += vote;
    }
    let most = sums.values().copied().fold(0.0, f32::max);
    if most > 0.0 {
        sums.values_mut().for_each(|v| *v /= most);
    }
    sums
}

/// Share of the words of a file's name that the question has.
fn stem(path: &str, terms: &BTreeMap<&str, f32>) -> f32 {
    let own = stem_terms(path);
    if own.is_empty() {
        return 0.0;
    }
    let hit: f32 = own
        .iter()
        .filter_map(|t| terms.get(t.as_str()))
        .map(|w| w.min(1.0))
        .sum();
    hit / own.len() as f32
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

/// The definitions that fit a question best, and the share of its weight that each of them has.
pub(super) fn symbols(view: &dyn View, file: FileId, question: &Question) -> Vec<(u32, f32)> {
    let terms: BTreeMap<&str, f32> = question
        .terms
        .iter()
        .map(|t| (t.text.as_str(), t.weight))
        .collect();
    let sum: f32 = terms.values().sum::<f32>().max(0.001);
    let mut found: Vec<(u32, f32)> = Vec::new();
    let hint = hint(terms.keys());
    for number in 0..view.symbol_count(file) {
        let Some(symbol) = view.symbol(file, number) else {
            continue;
        };
        let named = question.names.iter().any(|n| n.text == symbol.name);
        let may = |text: &str| hint.as_ref().is_none_or(|hint| hint.is_match(text));
        if !named && !may(symbol.name) && !may(symbol.signature) {
            continue;
        }
        let share = covered(symbol.name, symbol.signature, &terms) / sum;
        let share = if named { 0.5 + share / 2.0 } else { share };
        if share > 0.0 {
            found.push((number, share.min(1.0)));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(super::MAX_SYMBOLS);
    found
}

/// Weight of the question's terms in a name, and with less in its signature.
/// Finds text that may have one of the terms, far cheaper than taking its words: whatever a stem
/// loses or changes, its first letters stay. Nothing for terms that are not ASCII.
fn hint<'a>(terms: impl Iterator<Item = &'a &'a str>) -> Option<AhoCorasick> {
    let start = |term: &&'a str| term.get(..(term.len() - 1).clamp(2, 4).min(term.len()));
    let starts: Option<Vec<&str>> = terms.map(start).collect();
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        // Made anew for every question: what is quickest to make wins.
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(starts?)
        .ok()
}

fn covered(name: &str, signature: &str, terms: &BTreeMap<&str, f32>) -> f32 {
    let mut sum = 0.0;
    let mut seen: Vec<&str> = Vec::new();
    for (text, factor) in [(name, 1.0), (signature, 0.4)] {
        words::terms(text.as_bytes(), |term| {
            if let Some((term, weight)) = terms.get_key_value(term)
                && !seen.contains(term)
            {
                seen.push(term);
                sum += weight * factor;
            }
        });
    }
    sum
}
