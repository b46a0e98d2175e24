//! Asks git for the log.

use std::process::{Command, Stdio};
use std::time::Duration;

use aictx_files::child;

use super::parse::{Commit, FORMAT, parse};

/// Makes a git process in the right directory that runs nothing of the repository's: no hooks, no
/// monitor, no pager, no fetch of what is missing.
pub type GitCommand<'a> = &'a dyn Fn() -> Command;

/// How far back to read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most commits.
    pub commits: u32,
    /// Longest time; what was read by then counts.
    pub time: Duration,
    /// Longest time in which git says nothing.
    pub silence: Duration,
    /// Most bytes of git's answer.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            commits: 5_000,
            time: Duration::from_secs(20),
            silence: Duration::from_secs(5),
            bytes: 64 << 20,
        }
    }
}

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum MineError {
    /// git could not be started.
    #[error("git could not be started: {0}")]
    Start(#[from] std::io::Error),
    /// git ended with an error: no repository, no commit, an unknown revision.
    #[error("git log refused")]
    Refused,
}

/// The commits that `revision` has, newest first, without merges; with `known`, only those that
/// `known` does not have, for a caller that keeps what it read before. Blocks as long as git runs,
/// at most [`Limits::time`].
pub fn mine(
    git: GitCommand<'_>,
    revision: &str,
    known: Option<&str>,
    limits: Limits,
) -> Result<Vec<Commit>, MineError> {
    let range = match known {
        Some(known) => format!("{known}..{revision}"),
        None => revision.to_owned(),
    };
    // Similar names are told by content; where content is missing (a partial clone) they are not.
    match log(git, &range, &["-M60%", "-l200"], limits) {
        Err(MineError::Refused) => log(git, &range, &["--no-renames"], limits),
        result => result,
    }
}

fn log(
    git: GitCommand<'_>,
    range: &str,
    renames: &[&str],
    limits: Limits,
) -> Result<Vec<Commit>, MineError> {
    let mut command = git();
    command.args(["log", "-z", "--name-status", "--no-merges", FORMAT]);
    command.args(renames);
    command.args([
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
    ]);
    command.args(["--encoding=UTF-8", "--ignore-submodules=all"]);
    command.arg(format!("--max-count={}", limits.commits));
    command.args(["--end-of-options", range, "--"]);
    let limits = child::Limits {
        silence: limits.silence,
        ..child::Limits::new(limits.time, limits.bytes)
    };
    let output = child::output(command.stderr(Stdio::null()), limits)?;
    // Past a limit git is ended; what was read by then counts.
    let cut = output.status.is_none();
    if !cut && !output.is_success() {
        return Err(MineError::Refused);
    }
    let mut commits = parse(&output.bytes).commits;
    if cut {
        // The last one may lack files.
        commits.pop();
    }
    Ok(commits)
}
