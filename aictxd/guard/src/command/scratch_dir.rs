//! What a line does in a directory that it has just made (`mktemp -d`): nothing there is anybody's yet,
//! unless the line brought it there.

use aictx_shell::{Joined, NEW_PLACE, Script, SimpleCommand, Word};

use super::delete::operands;
use super::path_target::is_regenerable;
use super::{Call, Kind, MAX_BACK, has_option};

/// Programs that take what they hit from the line, and git's verbs that stay in the working tree and
/// its repository.
const BY_PATH: [&str; 7] = [
    "rm", "rmdir", "unlink", "shred", "truncate", "find", "sqlite3",
];
const OF_GIT: [&str; 9] = [
    "reset", "clean", "checkout", "restore", "stash", "rm", "switch", "branch", "rebase",
];
/// Programs that make something of value appear elsewhere without a copy of it staying behind.
const BRINGERS: [&str; 8] = [
    "mv", "ln", "mount", "sshfs", "bindfs", "rclone", "install", "unshare",
];

/// Commands at the beginning of a script that are looked at for every call.
const MAX_FIRST: usize = 16;

/// Returns true if a call can only hit what the line itself has made, if it [brings](brings_something) nothing
/// there.
pub(super) fn hits_only_what_is_new(call: Call, kind: Kind) -> bool {
    let command = call.command;
    let local = matches!(
        kind,
        Kind::Delete
            | Kind::DiscardChanges
            | Kind::RewriteHistory
            | Kind::Overwrite
            | Kind::DatabaseWrite
    );
    if !local || command.remote || command.fed {
        return false;
    }
    let inside = is_new(command.dir.as_deref().unwrap_or_default()) && is_certainly_there(call);
    let arguments = call.arguments();
    let is_there = |word: &&Word| names_what_is_new(word) || (inside && is_below(word));
    match command.name() {
        "git" => works_there(arguments, inside) || (inside && pushes_there(call)),
        // The first one is the database; what follows is SQL.
        "sqlite3" => operands(arguments).first().is_some_and(is_there),
        // What stands before the first test is where it starts.
        "find" => {
            let mut starts = super::find_predicates::starts(command).peekable();
            starts.peek().is_some() && starts.all(|word| is_there(&word))
        }
        name if BY_PATH.contains(&name) => {
            let targets = operands(arguments);
            !targets.is_empty()
                && targets.iter().all(is_there)
                && !has_option(arguments, &["--no-preserve-root"])
        }
        _ => false,
    }
}

fn is_new(path: &str) -> bool {
    path.strip_prefix(NEW_PLACE)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        && !path.split('/').any(|part| part == "..")
}

/// A path in the new directory, as a whole: where `mktemp` failed, `$tmp/*` is `/*`.
pub(super) fn names_what_is_new(word: &Word) -> bool {
    !word.unknown && is_new(&word.text) && !word.text.contains(['*', '?', '[', '{'])
}

/// A path that stays below the working directory.
fn is_below(word: &Word) -> bool {
    let text = word.text.as_str();
    !word.unknown
        && !text.starts_with(['/', '~', '$'])
        && !text.contains(['\\', '`'])
        && !text.split('/').any(|part| part == "..")
}

/// git at work in the new directory: there, or told so.
fn works_there(arguments: &[Word], inside: bool) -> bool {
    let mut inside = inside;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => {
                let Some(at) = words.next() else {
                    return false;
                };
                inside = names_what_is_new(at) || (inside && is_below(at));
            }
            "-c" => drop(words.next()),
            text if text.starts_with("--git-dir") || text.starts_with("--work-tree") => {
                return false;
            }
            text if text.starts_with('-') => {}
            // To a repository that is there, wherever it comes from.
            "push" => {
                let mut told = words.filter(|word| !word.text.starts_with('-'));
                return told.next().is_some_and(names_what_is_new);
            }
            verb => return inside && OF_GIT.contains(&verb),
        }
    }
    false
}

/// `git push` in a copy of a repository that lies there, too.
fn pushes_there(call: Call) -> bool {
    let words = call.arguments();
    let verb = words.iter().position(|word| word.text == "push");
    let told = verb.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    let mut told = told.iter().filter(|word| !word.text.starts_with('-'));
    if verb.is_none() || told.next().is_some_and(|remote| remote.text != "origin") {
        return false;
    }
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    let mut clones = before.iter().take(MAX_BACK).filter(|command| {
        command.name() == "git" && command.arguments().iter().any(|word| word.text == "clone")
    });
    // The last one is what it stands in.
    clones.next_back().is_some_and(|command| {
        let mut words = command
            .arguments()
            .iter()
            .skip_while(|word| word.text != "clone");
        let from = words.nth(1);
        from.into_iter()
            .chain(words)
            .find(|word| !word.text.starts_with('-'))
            .is_some_and(names_what_is_new)
    })
}

/// Returns true if the command only runs when `cd` came to the directory: what follows a failed `cd` runs where
/// the line was.
fn is_certainly_there(call: Call) -> bool {
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    let mut joined = call.command.joined;
    for earlier in before.iter().rev().take(MAX_BACK) {
        if earlier.depth != call.command.depth {
            continue;
        }
        if joined != Joined::And {
            break;
        }
        if matches!(earlier.name(), "cd" | "pushd") {
            return true;
        }
        joined = earlier.joined;
    }
    before.iter().take(MAX_FIRST).any(stops_at_errors) || began_a_repository(before)
}

/// `cd "$tmp" && git init`: whoever begins a repository there is there.
fn began_a_repository(before: &[SimpleCommand]) -> bool {
    before.iter().take(MAX_BACK).any(|command| {
        command.name() == "git"
            && command.joined == Joined::And
            && command
                .arguments()
                .first()
                .is_some_and(|verb| verb.text == "init")
            && is_new(command.dir.as_deref().unwrap_or_default())
    })
}

fn stops_at_errors(command: &SimpleCommand) -> bool {
    command.name() == "set"
        && command.arguments().first().is_some_and(|word| {
            let flags = word.text.strip_prefix('-').unwrap_or_default();
            !flags.starts_with('-') && flags.contains('e')
        })
}

fn made_again(word: &Word) -> bool {
    let name = word.text.trim_end_matches('/').rsplit('/').next();
    name.is_some_and(is_regenerable)
}

/// Returns true if the line brings something there that was somewhere else.
pub(super) fn brings_something(script: &Script) -> bool {
    // Most words are too short for it.
    let named = |word: &Word| word.text.len() >= NEW_PLACE.len() && word.text.contains(NEW_PLACE);
    script.commands.iter().any(|command| {
        let arguments = command.arguments();
        let moves = |word: &Word| {
            matches!(
                word.text.as_str(),
                "--remove-source-files" | "--remove-files" | "--bind"
            )
        };
        // Almost no line has such words.
        if !arguments.iter().any(|word| named(word) || moves(word)) {
            return false;
        }
        match command.name() {
            // Out of it is not into it, and what is made again is nothing to lose.
            "mv" => {
                let (into, from): (Vec<_>, Vec<_>) = match operands(arguments).split_last() {
                    Some((last, rest)) => (vec![*last], rest.to_vec()),
                    None => (Vec::new(), Vec::new()),
                };
                let told = has_option(arguments, &["-t", "--target-directory"]);
                let kept = |word: &&Word| !named(word) && !made_again(word);
                told && arguments.iter().any(named)
                    || into.iter().any(|word| named(word)) && from.iter().any(kept)
            }
            name if BRINGERS.contains(&name) => arguments.iter().any(named),
            _ => arguments.iter().any(moves),
        }
    })
}
