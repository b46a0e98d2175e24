//! Git calls of a program, by a library or by a helper of its own.

use super::scan::Find as _;
use super::{MAX_CALLS, literals};

/// Libraries for git: `Repo('.').git.reset('--hard')`, `simpleGit().clean('fd')`.
pub(super) fn calls(text: &str) -> Vec<String> {
    const VERBS: &[&str] = &[
        "reset", "clean", "checkout", "push", "restore", "raw", "stash",
    ];
    let mut out = helpers(text);
    if !text.holds(".git.") && !text.holds("simple-git") && !text.holds("simpleGit") {
        return out;
    }
    for (at, _) in text.match_indices('(').take(MAX_CALLS * 4) {
        let before = text.get(..at).unwrap_or_default();
        let Some(verb) = VERBS.iter().find(|verb| {
            before
                .strip_suffix(**verb)
                .is_some_and(|rest| rest.ends_with('.'))
        }) else {
            continue;
        };
        let arguments = text.get(at + 1..).unwrap_or_default();
        let arguments = arguments.split(')').next().unwrap_or_default();
        let verb = if *verb == "raw" { "" } else { *verb };
        out.push(format!("git {verb} {}", literals(arguments).join(" ")));
    }
    out
}

/// `def git(*args): run(["git", *args])`, and then `git("reset", "--hard")`: what the helper is given.
fn helpers(text: &str) -> Vec<String> {
    const GIVEN: [&str; 8] = [
        "\"git\", *",
        "'git', *",
        "\"git\",*",
        "'git',*",
        "['git', ...",
        "[\"git\", ...",
        "'git', ...",
        "\"git\", ...",
    ];
    const CALLS: [&str; 6] = [
        "git(", "git_cmd(", "run_git(", "runGit(", "gitCmd(", "sh_git(",
    ];
    let spread = |text: &str| GIVEN.iter().any(|way| text.holds(way));
    let list = [
        "execFileSync('git', ",
        "execFileSync(\"git\", ",
        "spawnSync('git', ",
        "spawnSync(\"git\", ",
    ];
    if !spread(text) && !list.iter().any(|way| text.holds(way)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for name in CALLS {
        for (at, _) in text.found(name).take(MAX_CALLS) {
            let behind = text.get(at + name.len()..).unwrap_or_default();
            let arguments = behind.split(')').next().unwrap_or_default();
            let words = literals(arguments);
            if arguments.trim_start().starts_with(['"', '\'', '[']) && !words.is_empty() {
                out.push(format!("git {}", words.join(" ")));
            }
        }
    }
    out
}
