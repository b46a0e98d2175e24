//! Asks git for the log.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
    /// Most bytes of git's answer.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            commits: 5_000,
            time: Duration::from_secs(20),
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
    let start = Instant::now();
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
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut bytes = Vec::new();
    let mut cut = false;
    if let Some(stdout) = child.stdout.take() {
        // Past its time git is ended, which ends the reading.
        let mut stdout = stdout.take(limits.bytes);
        let mut chunk = vec![0; 64 << 10];
        loop {
            match stdout.read(&mut chunk) {
                Ok(0) | Err(_) => break,
                Ok(read) => bytes.extend_from_slice(chunk.get(..read).unwrap_or_default()),
            }
            if start.elapsed() > limits.time {
                cut = true;
                break;
            }
        }
        cut |= bytes.len() as u64 >= limits.bytes;
    }
    if cut {
        // It may have ended already.
        let _ = child.kill();
    }
    let status = child.wait()?;
    if !cut && !status.success() {
        return Err(MineError::Refused);
    }
    let mut commits = parse(&bytes).commits;
    if cut {
        // The last one may lack files.
        commits.pop();
    }
    Ok(commits)
}
