//! Kinds of commands with their neighbours: what must be asked about or denied, and what must not.

#![allow(clippy::disallowed_methods)]

use aictx_guard::{Facts, HookVerdict, Known, NoFacts, Place, hook_command_with};
use aictx_proto::RepoPath;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

fn verdict(command: &str, facts: &dyn Facts) -> &'static str {
    match hook_command_with(command, PLACE, facts) {
        HookVerdict::Pass => "pass",
        HookVerdict::Ask(_) => "ask",
        HookVerdict::Deny(_) => "deny",
    }
}

#[track_caller]
fn check(facts: &dyn Facts, table: &[(&str, &str)]) {
    let said = table.iter().map(|(command, _)| verdict(command, facts));
    let wrong: Vec<String> = table
        .iter()
        .zip(said)
        .filter(|((_, expected), said)| said != expected)
        .map(|((command, expected), said)| format!("{command}: {said}, not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `changed.py` and `clean.py` are tracked, one of them with changes that are not committed.
struct Tracked;

impl Facts for Tracked {
    fn path(&self, path: &RepoPath) -> Known {
        let name = path.as_str();
        let tracked = matches!(name, "changed.py" | "clean.py" | "changed");
        Known {
            exists: Some(tracked || name == "new.txt"),
            directory: Some(false),
            tracked: Some(tracked || name == "new.txt"),
            ignored: Some(false),
            dirty: Some(name != "clean.py"),
        }
    }
}

#[test]
fn programs_of_git_are_known_by_path_and_dashed_name() {
    check(
        &NoFacts,
        &[
            ("/usr/lib/git-core/git-clean -fdx", "ask"),
            ("/usr/libexec/git-core/git-reset --hard", "ask"),
            ("git-reset --hard", "ask"),
            ("git-checkout -- .", "ask"),
            ("/usr/bin/git clean -fdx", "ask"),
            ("$(git --exec-path)/git-clean -fdx", "ask"),
            ("sudo git-push --force origin main", "ask"),
            ("git-clean -n", "pass"),
            ("git-status", "pass"),
            ("/usr/lib/git-core/git-log --oneline", "pass"),
            ("git-lfs pull", "pass"),
            ("git-cliff -o CHANGELOG.md", "pass"),
            ("/usr/bin/git status", "pass"),
        ],
    );
}

#[test]
fn paths_with_variables_and_lists_of_words() {
    check(
        &NoFacts,
        &[
            ("rm -rf $TMPDIR/../etc", "ask"),
            ("rm -rf \"${TMPDIR}\"/../../home", "ask"),
            ("rm -rf $TMPDIR/../*", "ask"),
            ("rm -rf $TMPDIR/build", "pass"),
            ("rm -rf $TMPDIR/a/../b", "pass"),
            ("parallel bash -c ::: 'rm -rf ~'", "deny"),
            ("parallel sh -c {} ::: 'rm -rf ~' 'ls'", "deny"),
            ("parallel rm -rf ::: ~", "ask"),
            ("parallel -j4 eval ::: 'rm -rf ~'", "deny"),
            ("echo 'rm -rf ~' | xargs -I{} bash -c '{}'", "ask"),
            ("printf '%s\\n' 'rm -rf ~' | xargs -0 bash -c", "ask"),
            ("echo 'rm -rf ~' | parallel bash -c", "ask"),
            ("parallel bash -c ::: 'ls' 'cargo test'", "pass"),
            ("parallel echo ::: 'rm -rf ~'", "pass"),
            ("parallel gzip ::: a b", "pass"),
        ],
    );
}

#[test]
fn emptying_a_file_is_emptying_it_however() {
    check(
        &Tracked,
        &[
            ("truncate -s0 changed.py", "ask"),
            ("> changed.py", "ask"),
            (": > changed.py", "ask"),
            (":> changed.py", "ask"),
            ("true >| changed.py", "ask"),
            ("> changed", "ask"),
            (": > new.txt", "ask"),
            ("cat /dev/null > changed.py", "ask"),
            ("> missing.py", "pass"),
            (": > /tmp/x", "pass"),
            (": >> changed.py", "pass"),
            ("echo x >> changed.py", "pass"),
        ],
    );
}

#[test]
fn branches_and_printed_words_harm_nothing() {
    check(
        &NoFacts,
        &[
            ("git checkout -bX", "pass"),
            ("git checkout -bfix/a.py", "pass"),
            ("git checkout -Bfixed origin/main", "pass"),
            ("git checkout -b f", "pass"),
            ("git switch -cX", "pass"),
            ("git switch -cfix origin/main", "pass"),
            ("git switch -Cforce", "pass"),
            ("find . -exec echo -delete {} \\;", "pass"),
            ("find . -name x -exec grep -l -- -delete {} +", "pass"),
            ("git checkout -f", "ask"),
            ("git checkout -qf main", "ask"),
            ("git switch -f main", "ask"),
            ("git switch --discard-changes main", "ask"),
            ("find . -name '*.py' -delete", "ask"),
            ("find . -exec echo {} \\; -delete", "ask"),
            ("find . -exec rm -rf {} \\;", "ask"),
        ],
    );
}

#[test]
fn what_is_put_aside_or_published_is_asked_about() {
    check(
        &NoFacts,
        &[
            ("git stash clear", "ask"),
            ("git stash drop", "ask"),
            ("git stash drop stash@{1}", "ask"),
            ("git -C sub stash clear", "ask"),
            ("git stash", "pass"),
            ("git stash pop", "pass"),
            ("git stash list", "pass"),
            ("git stash show -p", "pass"),
            ("cargo publish", "ask"),
            ("cargo +nightly publish -p x", "ask"),
            ("npm publish", "ask"),
            ("npm publish --access public", "ask"),
            ("npm --workspace a publish", "ask"),
            ("yarn publish", "ask"),
            ("yarn npm publish", "ask"),
            ("pnpm publish -r", "ask"),
            ("pnpm -r publish", "ask"),
            ("bun publish", "ask"),
            ("twine upload dist/*", "ask"),
            ("python -m twine upload dist/*", "ask"),
            ("poetry publish --build", "ask"),
            ("gem push x.gem", "ask"),
            ("uv publish", "ask"),
            ("flit publish", "ask"),
            ("hatch publish", "ask"),
            ("pdm publish", "ask"),
            ("lerna publish", "ask"),
            ("dart pub publish", "ask"),
            ("mix hex.publish", "ask"),
            ("vsce publish", "ask"),
            ("jsr publish", "ask"),
            ("deno publish", "ask"),
            ("dotnet nuget push x.nupkg", "ask"),
            ("mvn deploy", "ask"),
            ("cargo publish --dry-run", "pass"),
            ("cargo publish -n", "pass"),
            ("npm publish --dry-run", "pass"),
            ("uv publish --dry-run", "pass"),
            ("poetry publish --dry-run", "pass"),
            ("npm pack", "pass"),
            ("npm run publish-docs", "pass"),
            ("npm view publish", "pass"),
            ("cargo package", "pass"),
            ("twine check dist/*", "pass"),
            ("gem build x.gemspec", "pass"),
            ("cargo publish --help", "pass"),
            ("git commit -m 'cargo publish'", "pass"),
            ("echo npm publish", "pass"),
        ],
    );
}
