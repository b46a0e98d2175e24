//! Commands of git that take up changes which are not the caller's.

use aictx_guard::{Facts, Kind, Level, Place, command_risk};
use aictx_proto::path::RepoPath;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

/// Files that others edited, and what the user said must be left alone.
#[derive(Default)]
struct Shared {
    others: &'static [&'static str],
    limits: &'static [&'static str],
}

impl Facts for Shared {
    fn of_others(&self, directory: &RepoPath) -> Vec<String> {
        let below = |path: &&&str| {
            directory.is_root() || path.starts_with(&format!("{}/", directory.as_str()))
        };
        self.others
            .iter()
            .filter(below)
            .map(|path| (*path).to_owned())
            .collect()
    }

    fn off_limits(&self) -> Vec<String> {
        self.limits.iter().map(|path| (*path).to_owned()).collect()
    }
}

/// Returns true if a caution says that changes of others are taken along.
fn takes_along(command: &str, facts: &Shared) -> bool {
    let risk = command_risk(command, PLACE, facts);
    let found = risk
        .findings
        .iter()
        .find(|found| found.kind == Kind::TakeAlong);
    if let Some(found) = found {
        assert_eq!(found.level, Level::Caution, "{command}");
        assert!(found.reversible && !found.targets.is_empty(), "{command}");
    }
    found.is_some()
}

const EVERYTHING: [&str; 18] = [
    "git stash",
    "git stash -u",
    "git stash push -m 'wip: parser'",
    "git stash push -um wip",
    "git stash save before rebase",
    "git stash --include-untracked --quiet",
    "git stash && git pull --rebase && git stash pop",
    "cd src && git stash",
    "git add -A",
    "git add .",
    "git add -A . && git commit -m 'feat: all'",
    "git add --all && git commit -qm x",
    "git add -u && git commit --no-verify -m x",
    "git commit -am 'fix: parser'",
    "git commit -a --amend --no-edit",
    "git commit --all -m x",
    "git -c user.name=x commit -qam x",
    "bash -c 'git add -A && git commit -m x'",
];

const NARROW: [&str; 22] = [
    "git stash list",
    "git stash show -p stash@{0}",
    "git stash pop",
    "git stash apply",
    "git stash push src/mine.rs",
    "git stash push -m wip -- src/mine.rs",
    "git stash -- src/mine.rs",
    "git stash push --staged",
    "git stash -p",
    "git add src/mine.rs",
    "git add -p",
    "git add -n .",
    "git add -A src/mine",
    "git add *.md",
    "git commit -m 'add all: stash -a'",
    "git commit --amend --no-edit",
    "git commit --dry-run -a",
    "git commit -m x src/mine.rs",
    "git status && git diff",
    "git log --all",
    "git -C ../other stash",
    "echo git stash",
];

#[test]
fn what_is_put_aside_of_others_is_asked_about() {
    let shared = Shared {
        others: &["lib/theirs.rs"],
        ..Shared::default()
    };
    for (command, asks) in [
        ("git stash", true),
        ("git stash -u", true),
        ("git stash push -m wip -- lib", true),
        ("git stash push lib/", true),
        ("git stash -- src", false),
        ("git add -A", false),
        ("git commit -am x", false),
    ] {
        let found = command_risk(command, PLACE, &shared).findings;
        let asked = found.iter().any(|f| f.kind == Kind::TakeAlong && f.asks);
        assert_eq!(asked, asks, "{command}");
    }
    // A limit of one's own user is only told of.
    let limited = Shared {
        limits: &["migrations"],
        ..Shared::default()
    };
    let found = command_risk("git stash", PLACE, &limited).findings;
    assert!(found.iter().all(|f| !f.asks));
}

#[test]
fn changes_of_others_are_told_of() {
    let shared = Shared {
        others: &["lib/theirs.rs"],
        ..Shared::default()
    };
    for command in EVERYTHING {
        assert!(takes_along(command, &shared), "{command}");
    }
    for command in NARROW {
        assert!(!takes_along(command, &shared), "{command}");
    }
    // Below where it runs there is nothing of theirs.
    assert!(!takes_along("cd src && git add .", &shared));
    assert!(takes_along("cd lib && git add .", &shared));
    assert!(takes_along("cd src && git add -A", &shared));
}

#[test]
fn a_limit_holds_for_what_is_put_aside() {
    let limited = Shared {
        limits: &["migrations"],
        ..Shared::default()
    };
    assert!(takes_along("git stash", &limited));
    assert!(takes_along("git stash -u -q", &limited));
    // What is committed stays where it is.
    assert!(!takes_along("git commit -am x", &limited));
    assert!(!takes_along("git stash push src/a.rs", &limited));
}

#[test]
fn alone_everything_is_ones_own() {
    for command in EVERYTHING.into_iter().chain(NARROW) {
        assert!(!takes_along(command, &Shared::default()), "{command}");
    }
}
