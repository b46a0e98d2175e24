//! Git at work for flows: the state of a worktree, trees of all that lies in it, private refs, commits.
//!
//! Trees are written with an index of our own, so that the person's index never changes and new files count as
//! much as changed ones. They are kept from garbage collection by refs below `refs/aictx/checkpoints`, which no
//! branch and no `git log` shows.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use aictx_files::child::{self, Limits, Output};
use aictx_files::private;
use aictx_work::flow::engine::GitFacts;
use aictx_work::flow::state::DiffStat;

/// Time for one git command.
const TIME: Duration = Duration::from_secs(60);
/// Time for a commit, with the hooks of the repository.
const COMMIT_TIME: Duration = Duration::from_secs(600);
/// Output that is read.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;
/// Changed paths that are told.
const MAX_DIRTY: usize = 10_000;
/// Paths of our own, which are never part of the work.
const OURS: [&str; 3] = [".aictx/", ".agents/runs/", ".codex-autorunner/"];
/// Identity of checkpoints.
const AUTHOR: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "aictx"),
    ("GIT_AUTHOR_EMAIL", "aictx@localhost"),
    ("GIT_COMMITTER_NAME", "aictx"),
    ("GIT_COMMITTER_EMAIL", "aictx@localhost"),
];
/// Turns of a flow whose checkpoints are kept.
const KEPT: u32 = 20;

/// Reads branch, commit and changed paths; nothing outside of git.
pub fn facts(worktree: &Path) -> Option<GitFacts> {
    let mut command = child::git(worktree);
    command.args([
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--untracked-files=all",
        "--no-renames",
    ]);
    let output = run(&mut command)?;
    let mut facts = GitFacts::default();
    for entry in output.bytes.split(|byte| *byte == 0) {
        let line = String::from_utf8_lossy(entry);
        if let Some(oid) = line.strip_prefix("# branch.oid ") {
            facts.head = if oid == "(initial)" {
                String::new()
            } else {
                oid.to_owned()
            };
        } else if let Some(name) = line.strip_prefix("# branch.head ") {
            facts.branch = if name == "(detached)" {
                String::new()
            } else {
                name.to_owned()
            };
        } else if let Some(path) = path_of(&line)
            && !is_ours(path)
            && facts.dirty.len() < MAX_DIRTY
        {
            facts.dirty.push(path.to_owned());
        }
    }
    Some(facts)
}

/// Path of an entry of `git status --porcelain=v2` without renames.
fn path_of(line: &str) -> Option<&str> {
    let fields = match line.split_at_checked(2)?.0 {
        "? " => 2,
        "1 " => 9,
        "u " => 11,
        _ => return None,
    };
    line.splitn(fields, ' ').nth(fields - 1)
}

/// Returns true if a path is one of the files that aictx itself writes.
pub fn is_ours(path: &str) -> bool {
    OURS.iter().any(|own| path.starts_with(own))
}

/// Writes everything in a worktree that git does not ignore as a tree; nothing outside of git. `scratch` is a
/// directory of the user for the index.
pub fn tree(worktree: &Path, scratch: &Path) -> Option<String> {
    let index = scratch.join("index");
    // Files that did not change since are not read again.
    let _ = seed_index(worktree, &index);
    let mut command = child::git(worktree);
    command.env("GIT_INDEX_FILE", &index);
    command.args(["add", "--all"]);
    run(&mut command)?;
    let mut command = child::git(worktree);
    command.env("GIT_INDEX_FILE", &index).arg("write-tree");
    line(&mut command)
}

fn seed_index(worktree: &Path, index: &Path) -> io::Result<()> {
    let mut command = child::git(worktree);
    command.args(["rev-parse", "--absolute-git-dir"]);
    let directory = line(&mut command).ok_or(io::ErrorKind::NotFound)?;
    let own = aictx_files::untrusted::read(&PathBuf::from(directory).join("index"), 1 << 30);
    let mut file = private::file(index)?;
    file.set_len(0)?;
    io::Write::write_all(&mut file, &own.map_err(io::Error::other)?)
}

/// Keeps a tree as a private commit on top of the worktree's own; returns its id.
pub fn keep(worktree: &Path, flow_id: &str, name: &str, tree: &str) -> Option<String> {
    let head = {
        let mut command = child::git(worktree);
        command.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        line(&mut command)
    };
    let mut command = child::git(worktree);
    command.envs(AUTHOR).args(["commit-tree", tree]);
    command.args(["-m", &format!("aictx checkpoint {flow_id} {name}")]);
    if let Some(head) = head {
        command.args(["-p", &head]);
    }
    let commit = line(&mut command)?;
    let mut command = child::git(worktree);
    command.args(["update-ref", &reference(flow_id, name), &commit]);
    run(&mut command)?;
    Some(commit)
}

/// Full name of a checkpoint.
pub fn reference(flow_id: &str, name: &str) -> String {
    format!("refs/aictx/checkpoints/{flow_id}/{name}")
}

/// Name of the checkpoint before or after a turn.
pub fn checkpoint(turn: u32, is_after: bool) -> String {
    format!("{turn:04}-{}", if is_after { "after" } else { "before" })
}

/// Removes checkpoints of a flow: all, or those of turns that are long past.
pub fn forget_checkpoints(worktree: &Path, flow_id: &str, last_turn: Option<u32>) {
    let mut command = child::git(worktree);
    command.args(["for-each-ref", "--format=%(refname)"]);
    command.arg(format!("refs/aictx/checkpoints/{flow_id}/"));
    let Some(output) = run(&mut command) else {
        return;
    };
    for name in String::from_utf8_lossy(&output.bytes).lines() {
        let short = name.rsplit('/').next().unwrap_or_default();
        let turn: Option<u32> = short.split('-').next().and_then(|n| n.parse().ok());
        let is_old = match (turn, last_turn) {
            (Some(turn), Some(last)) => turn.saturating_add(KEPT) <= last,
            _ => true,
        };
        if is_old {
            let mut command = child::git(worktree);
            command.args(["update-ref", "-d", name]);
            let _ = run(&mut command);
        }
    }
}

/// Counts what changed between two trees.
pub fn diff_stat(worktree: &Path, from: &str, to: &str) -> DiffStat {
    let mut command = child::git(worktree);
    command.args([
        "diff-tree",
        "-r",
        "--no-renames",
        "--numstat",
        "-z",
        from,
        to,
    ]);
    let mut stat = DiffStat::default();
    let output = run(&mut command).map_or_else(Vec::new, |output| output.bytes);
    for entry in output
        .split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty())
    {
        let entry = String::from_utf8_lossy(entry);
        let mut fields = entry.splitn(3, '\t');
        // Binary files have `-` there.
        let mut number = || fields.next().and_then(|n| n.parse().ok()).unwrap_or(0_u64);
        stat.insertions += number();
        stat.deletions += number();
        stat.files_changed += 1;
    }
    stat
}

/// Paths that differ between two trees.
pub fn changed_paths(worktree: &Path, from: &str, to: &str) -> Vec<String> {
    let mut command = child::git(worktree);
    command.args([
        "diff-tree",
        "-r",
        "--no-renames",
        "--name-only",
        "-z",
        from,
        to,
    ]);
    let output = run(&mut command).map_or_else(Vec::new, |output| output.bytes);
    let paths = output
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty());
    let paths = paths.map(|path| String::from_utf8_lossy(path).into_owned());
    paths.take(MAX_DIRTY).collect()
}

/// The difference between two trees as a patch; cut off where it is too long.
pub fn patch(worktree: &Path, from: &str, to: &str) -> Option<String> {
    let mut command = child::git(worktree);
    command.args([
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        from,
        to,
    ]);
    let output = child::output(&mut command, Limits::new(TIME, MAX_OUTPUT)).ok()?;
    Some(String::from_utf8_lossy(&output.bytes).into_owned())
}

/// Makes a branch at a checkpoint.
///
/// # Errors
/// As git says: there is no such checkpoint, or the branch is there already.
pub fn branch_at(worktree: &Path, branch: &str, reference: &str) -> io::Result<()> {
    done(
        worktree,
        ["branch", "--", branch, reference].map(OsString::from),
    )
}

/// Commits paths as a person would, with the hooks of the repository; returns what git and the hooks said where
/// they refused.
///
/// # Errors
/// git cannot be run.
pub fn commit(worktree: &Path, paths: &[String], message: &str) -> io::Result<Option<String>> {
    let with = |words: &[&str]| {
        let words = words.iter().map(OsString::from);
        let paths = paths
            .iter()
            .map(|path| OsString::from(format!(":(literal,top){path}")));
        words.chain(paths).collect::<Vec<_>>()
    };
    let (added, text) = said(worktree, &with(&["add", "--"]), TIME)?;
    if !added {
        return Ok(Some(text));
    }
    let arguments = with(&["commit", "--quiet", "-m", message, "--"]);
    let (done, text) = said(worktree, &arguments, COMMIT_TIME)?;
    if !done {
        // The person's index is as it was.
        let _ = said(worktree, &with(&["reset", "--quiet", "--"]), TIME)?;
    }
    Ok((!done).then_some(text))
}

/// Adds a linked worktree with a new branch at the commit of another worktree.
///
/// # Errors
/// As git says.
pub fn add(main: &Path, path: &Path, branch: &str) -> io::Result<()> {
    let words = ["worktree", "add", "--quiet", "-b", branch, "--"].map(OsString::from);
    let path = [path.as_os_str().to_owned(), OsString::from("HEAD")];
    done(main, words.into_iter().chain(path))
}

/// Puts the branch of a linked worktree on top of the branch of another one, which has it checked out: as a
/// fast-forward, else after a rebase. Where that cannot be, both are as they were.
///
/// # Errors
/// As git says.
pub fn put_on_top(main: &Path, lane: &Path, branch: &str, lane_branch: &str) -> io::Result<()> {
    let git = |worktree: &Path, words: &[&str]| done(worktree, words.iter().map(OsString::from));
    let forward = || git(main, &["merge", "--ff-only", "--quiet", lane_branch]);
    if forward().is_ok() {
        return Ok(());
    }
    if let Err(error) = git(lane, &["rebase", "--quiet", branch]) {
        let _ = git(lane, &["rebase", "--abort"]);
        return Err(error);
    }
    forward()
}

/// Removes a linked worktree that holds nothing that is not committed.
///
/// # Errors
/// As git says.
pub fn remove_clean(main: &Path, lane: &Path) -> io::Result<()> {
    let words = ["worktree", "remove", "--"].map(OsString::from);
    done(main, words.into_iter().chain([lane.as_os_str().to_owned()]))
}

/// Operation of git that is in progress in a worktree, in words.
pub fn unfinished(worktree: &Path) -> Option<&'static str> {
    let mut command = child::git(worktree);
    command.args(["rev-parse", "--absolute-git-dir"]);
    let directory = PathBuf::from(line(&mut command)?);
    let marks = [
        ("MERGE_HEAD", "a merge"),
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("BISECT_LOG", "a bisection"),
    ];
    let found = marks.iter().find(|(mark, _)| directory.join(mark).exists());
    found.map(|(_, what)| *what)
}

/// Removes a linked worktree and its branch, which is merged; what git does not want to remove stays.
pub fn remove(main: &Path, lane: &Path, branch: &str) {
    let branch = ["branch", "--delete", "--quiet", "--", branch].map(OsString::from);
    if let Err(error) = remove_clean(main, lane).and_then(|()| done(main, branch)) {
        tracing::warn!(%error, "a lane was not removed");
    }
}

/// Runs git as the person's own git, and fails with everything that it said where it does not succeed.
fn done(worktree: &Path, arguments: impl IntoIterator<Item = OsString>) -> io::Result<()> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let (is_done, text) = said(worktree, &arguments, COMMIT_TIME)?;
    is_done.then_some(()).ok_or_else(|| io::Error::other(text))
}

/// Runs git as the person's own git; returns its success and everything that it and its hooks said.
fn said(worktree: &Path, arguments: &[OsString], time: Duration) -> io::Result<(bool, String)> {
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec git \"$@\" 2>&1", "git", "-C"])
        .arg(worktree)
        .args(arguments)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stderr(Stdio::null());
    let output = child::output(&mut command, Limits::new(time, MAX_OUTPUT))?;
    Ok((
        output.is_success(),
        String::from_utf8_lossy(&output.bytes).into_owned(),
    ))
}

/// Git's directory of a worktree and the one that all worktrees share, absolute.
pub fn git_dirs(worktree: &Path) -> Vec<String> {
    let mut command = child::git(worktree);
    command.args([
        "rev-parse",
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
    ]);
    let output = run(&mut command).map(|output| String::from_utf8(output.bytes));
    let text = output.and_then(Result::ok).unwrap_or_default();
    let mut dirs: Vec<String> = text.lines().map(str::to_owned).collect();
    dirs.dedup();
    dirs
}

/// Bytes left on the file system of a path; nothing where it cannot be asked.
pub fn space_left(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(path).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

fn run(command: &mut Command) -> Option<Output> {
    let output = child::output(command, Limits::new(TIME, MAX_OUTPUT)).ok()?;
    output.is_success().then_some(output)
}

fn line(command: &mut Command) -> Option<String> {
    let output = run(command)?;
    let text = String::from_utf8(output.bytes).ok()?;
    let line = text.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}
