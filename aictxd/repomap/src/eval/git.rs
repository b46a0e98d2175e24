//! The tree and the tasks, from git.

#![expect(
    clippy::disallowed_methods,
    reason = "a person waits for it, and can end it"
)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use super::{MAX_TASK_FILES, Options, Scope};
use crate::commit_message;
use crate::file_class::{classify, is_code};
use crate::history::{Commit, GitCommand, Limits, MineError, mine};
use crate::words;

/// Longest file that is read, in bytes; longer ones are found by their path.
const MAX_FILE: u64 = 1 << 20;

/// A file as the tree had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Path relative to the root.
    pub path: String,
    /// Its bytes; empty where it is longer than a megabyte.
    pub bytes: Vec<u8>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Hash of the commit that did it.
    pub commit: String,
    /// Its message without trailers.
    pub question: String,
    /// Files that it changed and that were there at the base.
    pub files: Vec<String>,
}

/// A repository as it was, and what came after.
#[derive(Debug, Clone)]
pub struct Base {
    /// Hash of the base.
    pub commit: String,
    /// Its tree.
    pub files: Vec<TreeFile>,
    /// Commits up to the base, newest first.
    pub history: Vec<Commit>,
    /// Tasks, oldest first.
    pub tasks: Vec<Task>,
}

/// Why there is nothing to measure.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// git could not be asked.
    #[error("git could not be asked: {0}")]
    Io(#[from] std::io::Error),
    /// git refused.
    #[error("git {0} refused")]
    Refused(&'static str),
    /// The log could not be read.
    #[error(transparent)]
    Mine(#[from] MineError),
    /// Too few commits.
    #[error(
        "the repository has {0} first-parent commits, too few for the tree as it was {1} commits ago; \
         ask for fewer with --commits"
    )]
    TooYoung(u32, u32),
    /// No commits.
    #[error("the repository has no commits yet, so no past to ask about")]
    Unborn,
}

/// Reads tree, history and tasks.
pub fn base(git: GitCommand<'_>, options: &Options) -> Result<Base, EvalError> {
    let verify = ["--verify", "--quiet", "--end-of-options", &options.revision];
    if matches!(
        output(git, "rev-parse", &verify),
        Err(EvalError::Refused(_))
    ) {
        return Err(EvalError::Unborn);
    }
    let commit = output(
        git,
        "rev-list",
        &[
            "--first-parent",
            "--max-count=1",
            &format!("--skip={}", options.commits),
            "--end-of-options",
            &options.revision,
            "--",
        ],
    )?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    if commit.is_empty() {
        let counted = ["--first-parent", "--count", "--end-of-options"];
        let counted = [&counted[..], &[&options.revision, "--"]].concat();
        let counted = output(git, "rev-list", &counted)?;
        let counted = String::from_utf8_lossy(&counted).trim().parse();
        return Err(EvalError::TooYoung(counted.unwrap_or(0), options.commits));
    }
    let files = tree(git, &commit)?;
    let history = mine(git, &commit, None, Limits::default())?;
    let later = mine(git, &options.revision, Some(&commit), Limits::default())?;
    let tasks = tasks(&files, &later, options);
    Ok(Base {
        commit,
        files,
        history,
        tasks,
    })
}

/// Commits that make tasks: oldest first, in even steps. Left out are merges, commits that change
/// more than [`MAX_TASK_FILES`] files or, in the scope that is asked for, none that was there, and
/// those whose message has less than three words that mean anything. Version bumps stay in.
fn tasks(files: &[TreeFile], later: &[Commit], options: &Options) -> Vec<Task> {
    let there: HashSet<&str> = files.iter().map(|f| f.path.as_str()).collect();
    let mut tasks = Vec::new();
    for commit in later.iter().rev() {
        if commit.changes.len() > MAX_TASK_FILES {
            continue;
        }
        let mut gold: Vec<String> = commit
            .changes
            .iter()
            .map(|c| c.from.as_ref().unwrap_or(&c.path))
            .filter(|p| there.contains(p.as_str()))
            .cloned()
            .collect();
        gold.retain(|path| options.scope == Scope::All || is_code(classify(path)));
        gold.sort();
        gold.dedup();
        let question = commit_message::clean(&commit.message);
        let mut meaning = 0;
        words::terms(question.as_bytes(), |term| {
            if words::weight(term) > 0.0 {
                meaning += 1;
            }
        });
        if gold.is_empty() || meaning < 3 {
            continue;
        }
        tasks.push(Task {
            commit: commit.hash.clone(),
            question,
            files: gold,
        });
    }
    let (all, most) = (tasks.len(), options.tasks);
    if all <= most {
        tasks.truncate(most);
        return tasks;
    }
    let mut taken = 0;
    let mut at = 0;
    tasks.retain(|_| {
        let keep = at * most / all >= taken && taken < most;
        taken += usize::from(keep);
        at += 1;
        keep
    });
    tasks
}

fn output(git: GitCommand<'_>, verb: &'static str, args: &[&str]) -> Result<Vec<u8>, EvalError> {
    let output = git()
        .arg(verb)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(EvalError::Refused(verb));
    }
    Ok(output.stdout)
}

/// The regular files of a commit's tree.
fn tree(git: GitCommand<'_>, commit: &str) -> Result<Vec<TreeFile>, EvalError> {
    let listing = output(git, "ls-tree", &["-r", "-z", "--full-tree", commit])?;
    let mut wanted = Vec::new();
    for record in listing.split(|b| *b == 0) {
        let record = String::from_utf8_lossy(record);
        let Some((head, path)) = record.split_once('\t') else {
            continue;
        };
        let mut head = head.split(' ');
        if let (Some(mode), Some("blob"), Some(id)) = (head.next(), head.next(), head.next())
            && mode.starts_with("100")
        {
            wanted.push((id.to_owned(), path.to_owned()));
        }
    }
    let mut child = git()
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(EvalError::Refused("cat-file"));
    };
    let mut from = BufReader::new(from);
    let mut files = Vec::with_capacity(wanted.len());
    for (id, path) in wanted {
        writeln!(to, "{id}")?;
        to.flush()?;
        let mut line = String::new();
        from.read_line(&mut line)?;
        let size = line
            .trim_end()
            .rsplit(' ')
            .next()
            .and_then(|s| s.parse::<u64>().ok());
        let Some(size) = size else {
            // `… missing`
            continue;
        };
        let mut bytes = Vec::new();
        if size <= MAX_FILE {
            (&mut from).take(size).read_to_end(&mut bytes)?;
        } else {
            std::io::copy(&mut (&mut from).take(size), &mut std::io::sink())?;
        }
        from.read_line(&mut String::new())?;
        files.push(TreeFile { path, bytes });
    }
    drop(to);
    child.wait()?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Change;

    fn commit(message: &str, paths: &[&str]) -> Commit {
        let change = |path: &&str| Change {
            path: (*path).to_owned(),
            from: None,
            status: 'M',
        };
        Commit {
            hash: message.to_owned(),
            time: 0,
            message: message.to_owned(),
            changes: paths.iter().map(change).collect(),
        }
    }

    #[test]
    fn tasks_are_about_files_that_were_there() {
        let files: Vec<TreeFile> = ["a.rs", "b.rs", "README.md"]
            .map(|path| TreeFile {
                path: path.to_owned(),
                bytes: Vec::new(),
            })
            .to_vec();
        let many: Vec<String> = (0..11).map(|n| format!("f{n}.rs")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        // Newest first.
        let later = [
            commit(
                "teach parser unicode escapes",
                &["b.rs", "new.rs", "README.md"],
            ),
            commit("describe unicode escapes better", &["README.md"]),
            commit("rename everything everywhere twice", &many),
            commit("wip", &["a.rs"]),
            commit("something about new files", &["new.rs"]),
            commit("speed scanner loops", &["a.rs"]),
        ];
        let ask = |scope, tasks| {
            let options = Options {
                scope,
                tasks,
                ..Options::default()
            };
            let found = super::tasks(&files, &later, &options);
            found
                .into_iter()
                .map(|t| t.files.join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(ask(Scope::Code, 60), ["a.rs", "b.rs"]);
        assert_eq!(ask(Scope::All, 60), ["a.rs", "README.md", "README.md b.rs"]);
        assert_eq!(ask(Scope::All, 2).len(), 2);
        assert!(ask(Scope::All, 0).is_empty());
    }
}
