//! Which files matter for a task?
//!
//! A question is read into weighted terms and mentions ([`question`]). The first stage sums BM25
//! over the fields of the view and over the words of past commits, lets the nearest past commits
//! vote, and keeps a few hundred candidates. The second stage looks at those closely: what changes
//! together, imports, tests and what they test, best definitions. The score is a weighted sum of all
//! features; [`weights`] says where the weights come from. What the question names outright comes
//! first whatever else is known.

mod accumulator;
mod feature_kind;
mod first_stage;
mod history_index;
mod mentions;
mod question;
mod reasons;
mod second_stage;
mod term_prefilter;
pub mod weights;

#[cfg(test)]
mod tests;

pub use feature_kind::{Feature, Values};
pub use history_index::Past;
pub use reasons::Reason;
pub use weights::Weights;

use first_stage::Candidate;
pub(crate) use first_stage::idf;
use second_stage::Definitions;

use crate::history::History;
use crate::index_view::{Class, FileId, View};

/// Most definitions shown of one file.
pub const MAX_SYMBOLS: usize = 5;

/// A question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// What is asked, in prose: a task, a commit message, a few words.
    pub text: &'a str,
    /// Files that the session works on, each with a weight between 0 and 1.
    pub active: &'a [(FileId, f32)],
    /// Most answers.
    pub limit: usize,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hit {
    /// The file.
    pub file: FileId,
    /// From 0 to 1000; comparable between questions only roughly.
    pub score: u16,
    /// What the order goes by: the weighted sum of features.
    pub raw: f32,
    /// Probability that the file is among those that the task needs, as the model sees it: the
    /// softmax of `raw` over all candidates. Together 1 over all files.
    pub share: f32,
    /// Why, the strongest first.
    pub reasons: Vec<Reason>,
    /// Numbers of the definitions that fit best, at most [`MAX_SYMBOLS`], and how much of the
    /// question's weight each of them has, between 0 and 1.
    pub symbols: Vec<(u32, f32)>,
}

/// The files that matter, best first. Deterministic: equal scores stand in the order of paths.
///
/// Ties the history to the view anew; a caller that asks often keeps a [`Past`] and calls
/// [`rank_with`].
pub fn rank(view: &dyn View, history: &History, query: &Query<'_>) -> Vec<Hit> {
    let past = Past::new(view, history);
    rank_with(view, history, &past, query, &Weights::default())
}

/// The same with a [`Past`] made before and other weights.
pub fn rank_with(
    view: &dyn View,
    history: &History,
    past: &Past,
    query: &Query<'_>,
    weights: &Weights,
) -> Vec<Hit> {
    let question = question::read(query.text, weights);
    let mut candidates =
        first_stage::candidates(view, history, past, &question, query.active, weights);
    // Other files may speak for a file only where something speaks for them.
    if !candidates.iter().any(|c| reasons::is_evidence(&c.values)) {
        return Vec::new();
    }
    let order =
        |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file));
    let best = candidates.iter().map(|c| c.score).fold(f32::MIN, f32::max);
    let sum: f32 = candidates.iter().map(|c| (c.score - best).exp()).sum();
    if candidates.len() > query.limit && query.limit > 0 {
        candidates.select_nth_unstable_by(query.limit - 1, order);
    }
    candidates.truncate(query.limit);
    candidates.sort_by(order);
    let definitions = Definitions::new(&question);
    candidates
        .into_iter()
        .map(|candidate| Hit {
            file: candidate.file,
            score: score(candidate.score),
            raw: candidate.score,
            share: (candidate.score - best).exp() / sum,
            reasons: reasons::reasons(&candidate.values, weights),
            symbols: definitions.of(view, candidate.file),
        })
        .collect()
}

/// Moves tests and documents behind the other hits, unless the question is about those or names them: whoever changes
/// code begins at the source. For the files that a person or an agent is pointed to; as a ranking of all files that a
/// change touches it is worse than the plain order, by .02 to .12 of MRR.
pub fn sources_first(view: &dyn View, text: &str, hits: &mut [Hit]) {
    let is_source = |hit: &Hit| {
        !matches!(
            view.class(hit.file),
            Class::Test | Class::Fixture | Class::Docs
        )
    };
    if hits.is_sorted_by_key(|hit| !is_source(hit)) {
        return;
    }
    let [tests, docs, _] = question::read(text, &Weights::default()).asks;
    let is_named = |hit: &Hit| {
        let names = |reason: &Reason| reason.name.starts_with("repo_map:exact");
        hit.reasons.iter().any(names)
    };
    hits.sort_by_key(|hit| match view.class(hit.file) {
        Class::Test | Class::Fixture => tests == 0.0 && !is_named(hit),
        Class::Docs => docs == 0.0 && !is_named(hit),
        _ => false,
    });
}

/// Half of what is left to 1000 for every four points.
fn score(raw: f32) -> u16 {
    let share = 1.0 - (-raw.max(0.0) / 4.0).exp2();
    // Between 0 and 1000.
    (share * 1000.0).round() as u16
}

/// Features of everything that may be an answer, for fitting weights.
pub fn explain(
    view: &dyn View,
    history: &History,
    past: &Past,
    query: &Query<'_>,
    weights: &Weights,
) -> Vec<(FileId, Values)> {
    let question = question::read(query.text, weights);
    first_stage::candidates(view, history, past, &question, query.active, weights)
        .into_iter()
        .map(|c| (c.file, c.values))
        .collect()
}
