//! Does ranking find what a task needs? Measured on a repository's own past.
//!
//! The tree is read as it was some commits ago, with no later history, and each later commit is a
//! task: its message is the question, the files it changed are the answer. Ranking is asked by the
//! same function that answers users.

mod baseline;
mod git;

use std::fmt::Write as _;

pub use baseline::{paths_only, plain_bm25};
pub use git::{Base, EvalError, Task, TreeFile, base};

use crate::file_class::is_code;
use crate::history::{GitCommand, History};
use crate::index_view::{FileId, View};
use crate::rank::{Past, Query, Weights, rank_with};

/// Commits that change more files than this are no tasks: nobody asks where to look for them.
pub const MAX_TASK_FILES: usize = 10;
/// How many answers are looked at.
pub const DEPTH: usize = 100;

/// What counts as an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Source files and tests: tasks without any are left out, and other files in the answers are
    /// passed over, for all three searches.
    #[default]
    Code,
    /// Every file of the tree, lock files and change logs too.
    All,
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many first-parent commits before `revision` the tree is read.
    pub commits: u32,
    /// Most tasks, taken in even steps from the commits after the base.
    pub tasks: usize,
    /// What counts as an answer.
    pub scope: Scope,
    /// Newest commit.
    pub revision: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            commits: 400,
            tasks: 60,
            scope: Scope::Code,
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
    /// One over the place of the first right answer; 0 where none is among the first [`DEPTH`].
    pub mrr: f32,
    /// Number of tasks.
    pub tasks: u32,
}

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
        let mean = |old: &mut f32, new: f32| *old = (*old * before + new) / now;
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

/// The three searches on one repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Hash of the base.
    pub base: String,
    /// Files of its tree.
    pub files: u32,
    /// Commits before the base that were read.
    pub commits: u32,
    /// This crate's ranking.
    pub ours: Scores,
    /// [`plain_bm25`].
    pub bm25: Scores,
    /// [`paths_only`].
    pub paths: Scores,
}

impl Report {
    /// The three rows as a table for people.
    pub fn table(&self) -> String {
        let mut out = String::from("               acc@1  recall@5  recall@10    MRR\n");
        let rows = [
            ("aictx", &self.ours),
            ("plain BM25", &self.bm25),
            ("paths only", &self.paths),
        ];
        for (name, s) in rows {
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{name:12}  {:6.3}    {:6.3}     {:6.3} {:6.3}",
                s.acc1, s.recall5, s.recall10, s.mrr
            );
        }
        out
    }
}

/// Measures a repository. `build` indexes the tree; `progress` hears how many tasks of how many
/// have been asked.
pub fn localize<V: View>(
    git: GitCommand<'_>,
    options: &Options,
    build: impl FnOnce(Vec<TreeFile>) -> V,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, EvalError> {
    let base = base(git, options)?;
    let history = History::new(&base.history);
    let view = build(base.files);
    Ok(measure(
        base.commit,
        &view,
        &history,
        &base.tasks,
        options.scope,
        progress,
    ))
}

/// Asks all tasks of an index and a history.
pub fn measure(
    base: String,
    view: &dyn View,
    history: &History,
    tasks: &[Task],
    scope: Scope,
    progress: &mut dyn FnMut(usize, usize),
) -> Report {
    let weights = Weights::default();
    let past = Past::new(view, history);
    let mut report = Report {
        base,
        files: view.files(),
        commits: history.commits(),
        ours: Scores::default(),
        bm25: Scores::default(),
        paths: Scores::default(),
    };
    let counts = |file: &FileId| scope == Scope::All || is_code(view.class(*file));
    // Enough that what is passed over leaves as many as are looked at.
    let limit = DEPTH * 4;
    for (at, task) in tasks.iter().enumerate() {
        let gold: Vec<FileId> = task.files.iter().filter_map(|f| view.file_at(f)).collect();
        let text = &task.question;
        let query = Query {
            text,
            active: &[],
            limit,
        };
        let answers: Vec<FileId> = rank_with(view, history, &past, &query, &weights)
            .into_iter()
            .map(|hit| hit.file)
            .filter(&counts)
            .collect();
        report.ours.add(&answers, &gold);
        for (search, scores) in [
            (
                plain_bm25 as fn(&dyn View, &str, usize) -> Vec<FileId>,
                &mut report.bm25,
            ),
            (paths_only, &mut report.paths),
        ] {
            let mut answers = search(view, text, usize::MAX);
            answers.retain(&counts);
            scores.add(&answers, &gold);
        }
        progress(at + 1, tasks.len());
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_means() {
        let files: Vec<FileId> = (0..20).map(FileId).collect();
        let mut scores = Scores::default();
        scores.add(&files, &[FileId(0), FileId(7)]);
        scores.add(&files, &[FileId(3)]);
        scores.add(&files, &[FileId(30)]);
        assert_eq!(scores.tasks, 3);
        assert!((scores.acc1 - 1.0 / 3.0).abs() < 1e-6);
        assert!((scores.recall5 - 0.5).abs() < 1e-6);
        assert!((scores.recall10 - 2.0 / 3.0).abs() < 1e-6);
        assert!((scores.mrr - 1.25 / 3.0).abs() < 1e-6);
        let mean = Scores::macro_mean(&[scores, Scores::default()]);
        assert!((mean.mrr - scores.mrr / 2.0).abs() < 1e-6);
    }
}
