//! A history tied to a view.

use crate::history::History;
use crate::index_view::{Class, FileId, View};

use super::weights::Weights;

/// No file, no path.
pub(super) const NONE: u32 = u32::MAX;

/// What of a history does not depend on the question, for one view. Make it once for a view and a
/// history and keep it.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// File of each of the history's paths, or [`NONE`].
    pub(super) file: Vec<u32>,
    /// Path of each file, or [`NONE`].
    pub(super) path: Vec<u32>,
    /// How recently each file changed: a sum over its commits that halves with age.
    pub(super) recent: Vec<f32>,
    /// Class of each file, close together: every file that a question touches is asked for it.
    pub(super) class: Vec<Class>,
    /// Words of all messages of each file's commits.
    pub(super) length: Vec<f32>,
    /// Mean of `length` over files with any.
    pub(super) mean_length: f32,
    /// Most recently changed files, most recent first.
    pub(super) newest: Vec<u32>,
}

/// How many of the files most recently changed are always looked at.
const NEWEST: usize = 60;

impl Past {
    /// Ties a history to a view.
    pub fn new(view: &dyn View, history: &History) -> Self {
        Self::with(view, history, &Weights::default())
    }

    /// Number of a file's path in the history.
    pub fn path_of(&self, file: FileId) -> Option<u32> {
        let path = self.path.get(file.0 as usize).copied();
        path.filter(|path| *path != NONE)
    }

    /// File of a path of the history, if it is still there.
    pub fn file_of(&self, path: u32) -> Option<FileId> {
        let file = self.file.get(path as usize).copied();
        file.filter(|file| *file != NONE).map(FileId)
    }

    /// The same with other weights.
    pub fn with(view: &dyn View, history: &History, weights: &Weights) -> Self {
        let files = view.files() as usize;
        let mut past = Past {
            file: Vec::with_capacity(history.paths().len()),
            path: vec![NONE; files],
            recent: vec![0.0; files],
            class: (0..view.files()).map(|f| view.class(FileId(f))).collect(),
            length: vec![0.0; files],
            ..Past::default()
        };
        let (mut sum, mut count) = (0.0, 0.0);
        for (number, path) in (0_u32..).zip(history.paths()) {
            let Some(FileId(file)) = view.file_at(path) else {
                past.file.push(NONE);
                continue;
            };
            past.file.push(file);
            let at = file as usize;
            let commits = history.commits_of(number);
            let mut recent = 0.0;
            let mut length = 0.0;
            for commit in commits {
                let files = history.files(*commit).len() as f32;
                let age = *commit as f32;
                recent += (-age / weights.recent_half).exp2() / files.sqrt();
                length += history.message_length(*commit) as f32;
            }
            let set = |to: &mut Vec<f32>, value: f32| {
                if let Some(to) = to.get_mut(at) {
                    *to = value;
                }
            };
            set(&mut past.recent, recent.ln_1p());
            set(&mut past.length, length);
            if let Some(to) = past.path.get_mut(at) {
                *to = number;
            }
            sum += length;
            count += 1.0;
        }
        past.mean_length = if count > 0.0 { sum / count } else { 1.0 };
        let greatest = |values: &mut Vec<f32>| {
            let most = values.iter().copied().fold(0.0, f32::max);
            if most > 0.0 {
                values.iter_mut().for_each(|v| *v /= most);
            }
        };
        greatest(&mut past.recent);
        let mut newest: Vec<(f32, u32)> = past
            .recent
            .iter()
            .copied()
            .zip(0_u32..)
            .filter(|(r, _)| *r > 0.0)
            .collect();
        newest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        newest.truncate(NEWEST);
        past.newest = newest.into_iter().map(|(_, file)| file).collect();
        past
    }
}
