//! Command lines that set aside what is not committed: a check that passes meanwhile is about other code.

use super::read_or_check::checks;
use super::test_run::test_run;
use crate::{Joined, SimpleCommand};

/// Effects of a command line on uncommitted changes, or on the commit that is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// Nothing.
    No,
    /// It is set aside: `git stash`.
    Begins,
    /// It is brought back: `git stash pop`.
    Ends,
    /// Both, or another commit is checked out for a while.
    Within,
}

/// Returns the state that a command line sets aside.
pub fn sets_aside(command: &str) -> Aside {
    if memchr::memmem::find(command.as_bytes(), b"git").is_none() {
        return Aside::No;
    }
    let script = crate::parse(command);
    let (mut put, mut back, mut moves) = (false, false, 0);
    for (verb, rest) in script.commands.iter().filter_map(of_git) {
        match (verb, rest) {
            ("stash", None | Some("push" | "save")) => put = true,
            ("stash", Some("pop" | "apply")) => back = true,
            ("checkout" | "switch", Some(_)) => moves += 1,
            _ => {}
        }
    }
    match (put, back) {
        (true, true) => Aside::Within,
        _ if moves > 1 => Aside::Within,
        (true, false) => Aside::Begins,
        (false, true) => Aside::Ends,
        (false, false) => Aside::No,
    }
}

/// The verb of a git command, and the first word behind it that is no option.
fn of_git<'c>(command: &'c SimpleCommand) -> Option<(&'c str, Option<&'c str>)> {
    if command.name() != "git" {
        return None;
    }
    let (verb, rest) = verb_of(command)?;
    // A new branch, or files: nothing is left.
    let stays = ["-b", "-B", "-c", "-C", "--", "--orphan", "."];
    if verb != "stash" && rest.iter().any(|word| stays.contains(word)) {
        return None;
    }
    Some((verb, rest.into_iter().find(|word| !word.starts_with('-'))))
}

/// Verbs of git that make a commit of changes, or bring commits.
const RECORDING: &[&str] = &[
    "commit",
    "cherry-pick",
    "merge",
    "rebase",
    "am",
    "revert",
    "pull",
    "commit-tree",
];

/// Returns true if a command line may have committed what was changed.
pub fn records(command: &str) -> bool {
    if memchr::memmem::find(command.as_bytes(), b"git").is_none() {
        return command.contains("commit");
    }
    let script = crate::parse(command);
    script.undecided
        || script.commands.iter().any(|part| match part.name() {
            "git" => verb_of(part).is_some_and(|(verb, _)| RECORDING.contains(&verb)),
            // A script, or another program for the same.
            name => {
                name.contains("commit") || part.arguments().iter().any(|word| word.text == "commit")
            }
        })
}

/// Returns true if a command line takes back changes that were not committed, as far as its words tell. Which of
/// them it reached, the worktree says.
pub fn gives_up(command: &str) -> bool {
    let script = crate::parse(command);
    script.commands.iter().any(|part| match part.name() {
        "git" => verb_of(part).is_some_and(|(verb, words)| match verb {
            "stash" => !words
                .iter()
                .any(|w| matches!(*w, "pop" | "apply" | "list" | "show")),
            "reset" => words
                .iter()
                .any(|w| matches!(*w, "--hard" | "--merge" | "--keep")),
            "restore" | "checkout" | "clean" | "rm" => true,
            "switch" => words
                .iter()
                .any(|w| matches!(*w, "-f" | "--force" | "--discard-changes")),
            "apply" => words.iter().any(|w| matches!(*w, "-R" | "--reverse")),
            _ => false,
        }),
        "patch" => part
            .arguments()
            .iter()
            .any(|w| matches!(w.text.as_str(), "-R" | "--reverse")),
        "rm" | "unlink" => true,
        _ => false,
    })
}

/// Returns true if a command line that runs tests changes something behind them: `pytest && sed -i … a.py`.
pub fn edits_behind(command: &str) -> bool {
    let script = crate::parse(command);
    let runs = |part: &SimpleCommand| test_run(part).is_some_and(|run| !run.dry);
    let Some(last) = script.commands.iter().rposition(runs) else {
        return false;
    };
    let behind = script.commands.get(last + 1..).unwrap_or_default();
    behind
        .iter()
        .any(|part| part.joined != Joined::Pipe && !checks(part))
}

/// The verb of a git command, and the words behind it.
fn verb_of<'c>(command: &'c SimpleCommand) -> Option<(&'c str, Vec<&'c str>)> {
    let mut words = command.arguments().iter().map(|word| word.text.as_str());
    let verb = loop {
        match words.next()? {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => break verb,
        }
    };
    Some((verb, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_and_what_is_taken_back() {
        for (command, committed, taken_back) in [
            ("git commit -qam x", true, false),
            ("git -C . commit -m x && git checkout -q .", true, true),
            ("git log --grep commit", false, false),
            ("git stash push -m 'before commit'", false, true),
            ("git stash list", false, false),
            ("git stash pop", false, false),
            ("git checkout -- a.py", false, true),
            ("git restore .", false, true),
            ("git reset -q --hard HEAD", false, true),
            ("git reset a.py", false, false),
            ("git clean -fd", false, true),
            ("git diff | git apply -R", false, true),
            ("rm -f new.py", false, true),
            ("./scripts/commit.sh", true, false),
            ("git merge --ff-only x", true, false),
            ("pytest -q", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (records(command), gives_up(command)),
                (committed, taken_back),
                "{command}"
            );
        }
    }

    #[test]
    fn edits_behind_a_run_are_not_covered_by_it() {
        for command in [
            "pytest -q && sed -i s/a/b/ a.py",
            "npm test; black .",
            "cargo test && cp a b",
        ] {
            assert!(edits_behind(command), "{command}");
        }
        for command in [
            "sed -i s/a/b/ a.py && pytest -q",
            "pytest -q | tee out.txt",
            "pytest -q; echo done; git status",
            "pytest a && sed -i s/a/b/ a.py && pytest b",
            "cargo test && cargo clippy",
            "black .",
        ] {
            assert!(!edits_behind(command), "{command}");
        }
    }

    #[test]
    fn what_is_set_aside_and_brought_back() {
        for (command, want) in [
            ("git stash", Aside::Begins),
            ("git stash push -m wip -q", Aside::Begins),
            ("git stash pop -q", Aside::Ends),
            ("git stash -q && pytest -q; git stash pop", Aside::Within),
            (
                "git checkout -q HEAD~1 && pytest; git checkout -q main",
                Aside::Within,
            ),
            ("git stash list", Aside::No),
            ("git checkout -b fix && pytest", Aside::No),
            ("git checkout main", Aside::No),
            ("git checkout -- a.py; git checkout -- b.py", Aside::No),
            ("pytest -q", Aside::No),
        ] {
            assert_eq!(sets_aside(command), want, "{command}");
        }
    }
}
