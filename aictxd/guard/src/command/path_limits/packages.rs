//! Files that package managers write when a dependency comes or goes: the manifest, and the lock file.

use std::sync::LazyLock;

use aictx_shell::Names;

use super::limit_on;
use crate::command::{Call, Judge};

/// Programs, their verbs, and the files that these write where the command runs. An installation of what the
/// manifest says already is none of them.
const WRITES: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["add", "remove", "uninstall", "un", "rm", "up", "upgrade"],
        &["package.json"],
    ),
    (
        &["cargo"],
        &["add", "rm", "remove"],
        &["Cargo.toml", "Cargo.lock"],
    ),
    (
        &["poetry", "uv", "pdm", "rye"],
        &["add", "remove"],
        &["pyproject.toml"],
    ),
    (&["pipenv"], &["install", "uninstall"], &["Pipfile"]),
    (&["go"], &["get"], &["go.mod", "go.sum"]),
    (&["bundle"], &["add", "remove"], &["Gemfile"]),
    (
        &["composer"],
        &["require", "remove"],
        &["composer.json", "composer.lock"],
    ),
    (&["mix"], &["deps.update"], &["mix.lock"]),
];

/// All of these programs: every call is looked up.
static PROGRAMS: LazyLock<Names> = LazyLock::new(|| {
    let programs = WRITES.iter().flat_map(|(programs, ..)| *programs);
    programs.copied().collect()
});

/// Judges the files that a package manager is about to write.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    if !PROGRAMS.contains(call.name) {
        return;
    }
    let mut words = call
        .arguments()
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    let verb = words.next().map_or("", |word| word.text.as_str());
    if words.next().is_none() {
        return;
    }
    let lists = WRITES.iter().filter(|(programs, verbs, _)| {
        // `npm install x` adds what `npm install` alone would only fetch.
        let installs = matches!(verb, "install" | "i") && verbs.contains(&"uninstall");
        programs.contains(&call.name) && (verbs.contains(&verb) || installs)
    });
    for file in lists.flat_map(|(_, _, files)| *files) {
        if let Some(limit) = limit_on(judge, call, file) {
            judge.off_limits(&limit, call.name, file);
        }
    }
}
