//! Calls that are not written out: long options of which GNU's programs and git take any beginning that is clear,
//! short options of git with their value behind them, and git's own programs (`git-clean`).

use aictx_shell::{SimpleCommand, Word};

/// Programs with the options that tell what they do; of two that begin alike, the worse one stands first.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "--hard",
            "--force",
            "--delete",
            "--mirror",
            "--discard-changes",
            "--merge",
            "--keep",
            "--soft",
            "--mixed",
            "--worktree",
            "--staged",
            "--cached",
            "--source",
            "--prune",
            "--dry-run",
            "--expire",
            "--reset",
            "--amend",
        ],
    ),
    ("rm", &["--recursive", "--force", "--no-preserve-root"]),
    ("cp", &["--recursive", "--force", "--target-directory"]),
    ("mv", &["--force", "--target-directory"]),
    ("ln", &["--force", "--target-directory"]),
    ("install", &["--target-directory"]),
    ("chmod", &["--recursive", "--reference"]),
    ("chown", &["--recursive", "--reference"]),
    ("chgrp", &["--recursive", "--reference"]),
    ("sed", &["--in-place", "--expression"]),
    ("gsed", &["--in-place", "--expression"]),
    ("sort", &["--output"]),
    ("tee", &["--append"]),
    ("truncate", &["--size"]),
    (
        "tar",
        &["--extract", "--directory", "--delete", "--remove-files"],
    ),
    ("wget", &["--output-document", "--directory-prefix"]),
    ("curl", &["--output", "--request", "--data"]),
];
/// Letters of an option that are enough: with fewer, most programs know several.
const MIN_LETTERS: usize = 3;

/// The option that a word stands for, when it is one of these and not written out.
fn meant(options: &[&'static str], text: &str) -> Option<&'static str> {
    let letters = text.strip_prefix("--")?;
    if letters.len() < MIN_LETTERS {
        return None;
    }
    let first = |text: &str| text.as_bytes().get(2).copied();
    let fits = |option: &&&str| first(option) == first(text) && option.starts_with(text);
    let mut fitting = options.iter().filter(fits);
    let first = fitting.next()?;
    // Written out, or another option that is.
    (*first != text && fitting.all(|option| *option != text)).then_some(first)
}

/// Commands of git that are programs of their own, too, as `git-clean` or below `git --exec-path`: those that
/// change something.
const GITS_OWN: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "branch",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "fetch",
    "filter-branch",
    "gc",
    "merge",
    "mv",
    "prune",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "replace",
    "reset",
    "restore",
    "revert",
    "rm",
    "send-pack",
    "stash",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
];
/// Letters of git's options whose value may stand in the same word, by command.
const GIT_VALUED: &[(&str, &[char])] = &[
    ("checkout", &['b', 'B']),
    ("switch", &['c', 'C']),
    ("clean", &['e']),
    ("push", &['o']),
    ("stash", &['m']),
    ("tag", &['m', 'u', 'F']),
];

/// `git-clean -fdx` as `git clean -fdx`, and `git switch -cfix` as `git switch -c fix`.
fn of_git<'c>(command: &SimpleCommand<'c>) -> Option<SimpleCommand<'c>> {
    let program = command.words.first()?;
    let own = program.program().strip_prefix("git-");
    let own = own.filter(|own| GITS_OWN.contains(own));
    if own.is_none() && program.program() != "git" {
        return None;
    }
    let verb = match own {
        Some(own) => own,
        None => command.arguments().first()?.text.as_str(),
    };
    let valued = GIT_VALUED.iter().find(|(name, _)| *name == verb);
    let letters = valued.map_or(&[][..], |(_, letters)| letters);
    let at = |word: &Word| {
        let cluster = word.text.strip_prefix('-')?;
        let at = cluster
            .find(letters)
            .filter(|_| !cluster.starts_with('-'))?;
        (at + 1 < cluster.len()).then_some(at + 2)
    };
    if own.is_none() && !command.arguments().iter().any(|word| at(word).is_some()) {
        return None;
    }
    let mut words: Vec<Word<'c>> = Vec::with_capacity(command.words.len() + 2);
    if let Some(own) = own {
        words.push(Word::plain("git"));
        words.push(Word::plain(own.to_owned()));
    } else {
        words.push(program.clone());
    }
    let mut ended = false;
    for word in command.arguments() {
        ended |= word.text == "--";
        match at(word).filter(|_| !ended) {
            Some(at) => {
                let (option, value) = word.text.split_at_checked(at).unwrap_or_default();
                let (option, value) = (option.to_owned(), value.to_owned());
                words.push(Word::plain(option));
                words.push(Word {
                    text: value.into(),
                    ..word.clone()
                });
            }
            None => words.push(word.clone()),
        }
    }
    Some(SimpleCommand {
        words,
        ..command.clone()
    })
}

/// A call written out, when it is not.
pub(super) fn written_out<'c>(command: &SimpleCommand<'c>) -> Option<SimpleCommand<'c>> {
    let spelled = of_git(command);
    let long = long_options(spelled.as_ref().unwrap_or(command));
    long.or(spelled)
}

/// A call with its long options written out, when some are not.
fn long_options<'c>(command: &SimpleCommand<'c>) -> Option<SimpleCommand<'c>> {
    let long = |word: &Word| word.text.len() > MIN_LETTERS && word.text.starts_with("--");
    // Almost no call has one.
    if !command.arguments().iter().any(long) {
        return None;
    }
    let name = command.name();
    let (_, options) = PROGRAMS.iter().find(|(known, _)| *known == name)?;
    let short = |word: &Word| {
        let option = word.text.split('=').next().unwrap_or_default();
        meant(options, option).is_some()
    };
    if !command.arguments().iter().any(short) {
        return None;
    }
    let mut out = command.clone();
    let mut ended = false;
    for word in out.words.iter_mut().skip(1) {
        ended |= word.text == "--";
        if ended {
            break;
        }
        let at = word.text.find('=').unwrap_or(word.text.len());
        let (option, value) = word.text.split_at(at);
        if let Some(option) = meant(options, option) {
            word.text = format!("{option}{value}").into();
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_written_out_is_another() {
        for (program, text, want) in [
            ("rm", "--recurs", Some("--recursive")),
            ("rm", "--rec", Some("--recursive")),
            ("rm", "--re", None),
            ("rm", "--recursive", None),
            ("rm", "--recursively", None),
            ("git", "--har", Some("--hard")),
            ("git", "--forc", Some("--force")),
            ("git", "--force", None),
            ("git", "--force-with-lease", None),
            ("git", "--stat", None),
            ("git", "--sta", Some("--staged")),
            ("find", "--del", None),
            ("ls", "--rec", None),
        ] {
            let known = PROGRAMS.iter().find(|(name, _)| *name == program);
            let options = known.map_or(&[] as &[&str], |(_, options)| options);
            assert_eq!(meant(options, text), want, "{program} {text}");
        }
    }
}
