//! Command lines that set aside what is not committed: a check that passes meanwhile is about other code.

use crate::shell::{self, SimpleCommand};

/// What a command line does with what is not committed, or with the commit that is checked out.
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

/// What a command line sets aside.
pub fn sets_aside(command: &str) -> Aside {
    if memchr::memmem::find(command.as_bytes(), b"git").is_none() {
        return Aside::No;
    }
    let script = shell::parse(command);
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
fn of_git(command: &SimpleCommand) -> Option<(&str, Option<&str>)> {
    if command.name() != "git" {
        return None;
    }
    let mut words = command.arguments().iter().map(|word| word.text.as_str());
    let verb = loop {
        match words.next()? {
            "-C" | "-c" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => break verb,
        }
    };
    let rest: Vec<&str> = words.collect();
    // A new branch, or files: nothing is left.
    let stays = ["-b", "-B", "-c", "-C", "--", "--orphan", "."];
    if verb != "stash" && rest.iter().any(|word| stays.contains(word)) {
        return None;
    }
    Some((verb, rest.into_iter().find(|word| !word.starts_with('-'))))
}

#[cfg(test)]
mod tests {
    use super::*;

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
