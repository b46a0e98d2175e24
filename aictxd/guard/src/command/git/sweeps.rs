//! git calls that take up whatever has changed in the worktree, whoever changed it: they lose nothing, but others
//! miss their edits (`git stash`), or find them in somebody else's commit (`git add -A`, `git commit -a`).

use aictx_proto::path::{Located, RepoPath};
use aictx_shell::Word;

use super::{Call, Judge, Kind, Level, Tier, has_option};
use crate::command::report::What;
use crate::finding_codes::TAKES_OTHERS_CHANGES;

/// Most entries that are told.
const MAX_TOLD: usize = 3;
/// Paths of one call that are looked at.
const MAX_PATHS: usize = 64;

/// Reach of a call.
enum Reach<'w> {
    /// Everything that changed.
    Worktree,
    /// Changes below a directory.
    Below(&'w Word<'w>),
    /// Changes of these files and directories.
    Paths(Vec<&'w Word<'w>>),
}

/// Tells of a call that takes up all changes, where some are not the caller's.
pub(super) fn judge(judge: &mut Judge, call: Call, global: &[Word], verb: &str, words: &[Word]) {
    let Some(reach) = reach(verb, words) else {
        return;
    };
    let dir = call.command.dir.as_deref();
    if call.command.remote || dir.is_none() || has_option(words, &["-n", "--dry-run"]) {
        return;
    }
    // `git -C elsewhere` is about another tree, if that is not in this one.
    let from = global.iter().position(|word| word.text == "-C");
    let from = from.and_then(|at| global.get(at + 1));
    let place = match (&from, &reach) {
        (Some(from), _) => from.text.as_str(),
        (None, Reach::Below(place)) => place.text.as_str(),
        (None, Reach::Worktree | Reach::Paths(_)) => ".",
    };
    // Mostly nobody else is at work.
    let alone = judge.facts.of_others(&RepoPath::root()).is_empty();
    if alone && (verb != "stash" || judge.facts.off_limits().is_empty()) {
        return;
    }
    let elsewhere = ["--git-dir", "--work-tree"];
    let Some(Located::Inside(below)) = judge.place.locate(dir, place) else {
        return;
    };
    if has_option(global, &elsewhere) || from.is_some_and(|from| from.unknown) {
        return;
    }
    let inside = |word: &&Word| match judge.place.locate(dir, &word.text) {
        Some(Located::Inside(path)) => Some(path),
        _ => None,
    };
    let (below, is_all) = match &reach {
        Reach::Below(_) => (vec![below], false),
        Reach::Worktree => (vec![RepoPath::root()], true),
        Reach::Paths(words) if from.is_none() => (words.iter().filter_map(inside).collect(), false),
        Reach::Paths(_) => return,
    };
    let mut told: Vec<String> = Vec::new();
    for place in &below {
        told.extend(judge.facts.of_others(place));
    }
    let asks = verb == "stash" && !told.is_empty();
    if verb == "stash" && is_all {
        told.extend(judge.facts.off_limits());
    }
    if told.is_empty() {
        return;
    }
    let what = What {
        asks,
        code: &TAKES_OTHERS_CHANGES,
        kind: Kind::TakeAlong,
        tier: Tier::Risky,
        level: Level::Caution,
        reversible: true,
    };
    let told = told.iter().map(String::as_str).take(MAX_TOLD);
    judge.add(what, &format!("git {verb}"), told);
}

fn reach<'w>(verb: &str, words: &'w [Word]) -> Option<Reach<'w>> {
    let chooses = has_option(words, &["-p", "--patch", "-i", "--interactive"]);
    match verb {
        _ if chooses => None,
        "stash" => stashed(words),
        "add" | "stage" => adds_all(words),
        "commit" | "ci" => has_option(words, &["-a", "--all"]).then_some(Reach::Worktree),
        _ => None,
    }
}

/// `git stash`, `git stash push -u -m …`, `git stash save …`; with paths it takes only these, with `--staged`
/// only what the caller has staged.
fn stashed<'w>(words: &'w [Word<'w>]) -> Option<Reach<'w>> {
    let staged = || has_option(words, &["-S", "--staged"]);
    let pushes = match words.first().map(|word| word.text.as_str()) {
        None | Some("push") => true,
        Some("save") => return (!staged()).then_some(Reach::Worktree),
        Some(first) => first.starts_with('-'),
    };
    if !pushes || staged() || has_option(words, &["--pathspec-from-file"]) {
        return None;
    }
    let mut rest = words.iter().skip_while(|word| word.text == "push");
    let mut paths = Vec::new();
    let mut ended = false;
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            _ if ended => paths.push(word),
            "--" => ended = true,
            "-m" | "--message" => {
                rest.next();
            }
            // `-um wip`
            text if text.starts_with('-') && !text.starts_with("--") && text.ends_with('m') => {
                rest.next();
            }
            text if text.starts_with('-') => {}
            _ => paths.push(word),
        }
    }
    paths.truncate(MAX_PATHS);
    Some(match paths.is_empty() {
        true => Reach::Worktree,
        false => Reach::Paths(paths),
    })
}

/// `git add -A`, `git add .`, `git add -u`; what names paths takes only these.
fn adds_all<'w>(words: &'w [Word<'w>]) -> Option<Reach<'w>> {
    let mut operands = words.iter().filter(|word| !word.text.starts_with('-'));
    match operands.next() {
        None => has_option(
            words,
            &["-A", "--all", "-u", "--update", "--no-ignore-removal"],
        )
        .then_some(Reach::Worktree),
        Some(first) if matches!(first.text.as_str(), ":/" | ":/*") => Some(Reach::Worktree),
        Some(first) if matches!(first.text.as_str(), "." | "./" | "*") => {
            Some(Reach::Below(first)).filter(|_| first.text != "*" || operands.next().is_none())
        }
        Some(_) => None,
    }
}
