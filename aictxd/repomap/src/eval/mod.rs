//! Does ranking find what a task needs? Measured on a repository's own past.
//!
//! The tree is read as it was some commits ago, with no later history, and each later commit is a
//! task: its message is the question, the files it changed are the answer.

mod baseline;
mod git;

pub use baseline::{paths_only, plain_bm25};
pub use git::{Base, EvalError, Task, TreeFile, base};

use crate::history::GitCommand;
use crate::view::{FileId, View};

/// Commits that change more files than this are no tasks: nobody asks where to look for them.
pub const MAX_TASK_FILES: usize = 10;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many first-parent commits before `revision` the tree is read.
    pub commits: u32,
    /// Most tasks, taken in even steps from the commits after the base.
    pub tasks: usize,
    /// Only source files and tests are asked for, and only they count as answers.
    pub code: bool,
    /// Newest commit.
    pub revision: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            commits: 400,
            tasks: 60,
            code: true,
            revision: "HEAD".to_owned(),
        }
    }
}

/// Means over tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    /// Share of tasks whose first answer is a file of the task.
    pub acc1: f32,
    /// Share of a task's files among the first five answers.
    pub recall5: f32,
    /// Share of a task's files among the first ten answers.
    pub recall10: f32,
    /// One over the place of the first right answer; 0 where none is among the first
    /// [`DEPTH`].
    pub mrr: f32,
    /// Number of tasks.
    pub tasks: u32,
}

/// How many answers are looked at.
pub const DEPTH: usize = 100;

impl Scores {
    /// Adds one task's answers.
    pub fn add(&mut self, answers: &[FileId], gold: &[FileId]) {
        let within = |n: usize| {
            let found = answers.iter().take(n).filter(|a| gold.contains(a)).count();
            found as f32 / gold.len().max(1) as f32
        };
        let before = self.tasks as f32;
        self.tasks += 1;
        let now = self.tasks as f32;
        let mut mean = |old: &mut f32, new: f32| *old = (*old * before + new) / now;
        let first = answers.iter().take(DEPTH).position(|a| gold.contains(a));
        mean(&mut self.acc1, if first == Some(0) { 1.0 } else { 0.0 });
        mean(&mut self.recall5, within(5));
        mean(&mut self.recall10, within(10));
        mean(&mut self.mrr, first.map_or(0.0, |at| 1.0 / (at + 1) as f32));
    }

    /// The mean of several, each counting the same.
    pub fn macro_mean(all: &[Scores]) -> Scores {
        let n = all.len().max(1) as f32;
        let mean = |of: fn(&Scores) -> f32| all.iter().map(of).sum::<f32>() / n;
        Scores {
            acc1: mean(|s| s.acc1),
            recall5: mean(|s| s.recall5),
            recall10: mean(|s| s.recall10),
            mrr: mean(|s| s.mrr),
            tasks: all.iter().map(|s| s.tasks).sum(),
        }
    }
}

/// A repository's tasks with the files they need, as a view numbers them.
pub fn gold(view: &dyn View, tasks: &[Task]) -> Vec<(String, Vec<FileId>)> {
    tasks
        .iter()
        .map(|task| {
            let files = task.files.iter().filter_map(|f| view.file_at(f)).collect();
            (task.question.clone(), files)
        })
        .collect()
}

/// Unused so far.
pub fn unused(_: GitCommand<'_>) {}
