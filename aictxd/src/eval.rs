//! `aictxd eval`: how good the map's answers are, measured on a repository's own past.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use aictx_artifacts::root::find_repository;
use aictx_proto::rpc::NO_REPOSITORY;
use aictx_repomap::eval::{Options, Report, Scores, localize};
use aictx_repomap::indexer::index_contents;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

/// Files above this size are found by path only, as in the daemon.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why nothing was measured.
#[derive(Debug)]
pub struct Failure {
    /// Name for programs.
    pub code: &'static str,
    /// Words for people.
    pub message: String,
}

impl Failure {
    fn new(code: &'static str, error: impl ToString) -> Self {
        Self {
            code,
            message: error.to_string(),
        }
    }
}

/// Measures one repository and prints a table, or a line of JSON.
///
/// # Errors
/// When there is nothing to measure.
pub fn run(repo: &Path, options: &Options, as_json: bool) -> Result<(), Failure> {
    // Only history is read, so a bare repository will do.
    let bare = repo.join("objects").is_dir() && repo.join("HEAD").is_file();
    let directory = match find_repository(repo) {
        Ok(repository) => repository.worktree,
        Err(_) if bare => repo.to_owned(),
        Err(error) => return Err(Failure::new(NO_REPOSITORY.kind, error)),
    };
    let git = || crate::git::command(&directory);
    let bar = meter();
    let report = localize(
        &git,
        options,
        |files| {
            bar.set_message("indexing the tree as it was");
            bar.set_length(files.len() as u64);
            let files = files.into_iter().map(|f| (f.path, f.bytes)).collect();
            let tree = index_contents(files, MAX_FILE_BYTES, &mut |done| {
                bar.set_position(done as u64);
            });
            bar.set_message("asking");
            bar.set_position(0);
            tree
        },
        &mut |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        },
    )
    .map_err(|e| Failure::new("not_measured", e))?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    let written = if as_json {
        writeln!(out, "{}", as_value(&report))
    } else {
        write!(
            out,
            "{} files at {}, {} commits before, {} tasks after\n{}",
            report.files,
            report.base.get(..12).unwrap_or(&report.base),
            report.commits,
            report.ours.tasks,
            report.table()
        )
    };
    written.map_err(|e| Failure::new("io", e))
}

fn meter() -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message("reading the history");
    bar
}

fn as_value(report: &Report) -> Value {
    let scores = |s: &Scores| {
        json!({
            "acc_at_1": s.acc1, "recall_at_5": s.recall5, "recall_at_10": s.recall10, "mrr": s.mrr,
        })
    };
    json!({
        "base": report.base, "files": report.files, "commits": report.commits,
        "tasks": report.ours.tasks, "aictx": scores(&report.ours),
        "plain_bm25": scores(&report.bm25), "paths_only": scores(&report.paths),
    })
}
