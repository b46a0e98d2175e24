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
