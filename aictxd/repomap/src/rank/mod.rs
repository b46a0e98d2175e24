//! Which files matter for a task?

mod features;
mod mentions;
mod past;
mod question;
mod second;
pub mod weights;

pub use features::{Feature, Values};
pub use past::Past;
pub use weights::Weights;

use crate::history::History;
use crate::view::{FileId, View};

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

/// Features of everything that may be an answer, for fitting weights.
pub fn explain(
    view: &dyn View,
    history: &History,
    past: &Past,
    query: &Query<'_>,
    weights: &Weights,
) -> Vec<(FileId, Values)> {
    let question = question::read(query.text, weights);
    features::candidates(view, history, past, &question, query.active, weights)
        .into_iter()
        .map(|c| (c.file, c.values))
        .collect()
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hit {
    /// File.
    pub file: FileId,
    /// 0 to 1000.
    pub score: u32,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Best definitions.
    pub symbols: Vec<u32>,
}
/// Why a file is an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// Name.
    pub name: &'static str,
    /// Share.
    pub value: f32,
}
/// Ranks.
pub fn rank(view: &dyn View, history: &History, past: &Past, query: &Query<'_>) -> Vec<Hit> {
    let weights = Weights::default();
    let mut all: Vec<_> = explain(view, history, past, query, &weights)
        .into_iter()
        .map(|(file, values)| {
            let sum: f32 = values.iter().zip(weights.linear).map(|(a, b)| a * b).sum();
            (sum, file)
        })
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(query.limit);
    all.into_iter()
        .map(|(sum, file)| Hit {
            file,
            score: (sum * 100.0) as u32,
            reasons: Vec::new(),
            symbols: Vec::new(),
        })
        .collect()
}
