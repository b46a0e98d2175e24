//! What a path in a message means in one worktree: people write `store.py` for `src/db/store.py`, and
//! `readme` for `README.md`.

use super::paths::{is_outside, is_plain_name};

/// What a worktree has, as far as people name it.
pub trait Names {
    /// Names of the files and directories at the root of the worktree.
    fn at_root(&self) -> &[String];
    /// Files and directories whose path ends in `/` and `path`, whatever the case. Empty where that is
    /// not known.
    fn ending_in(&self, path: &str) -> Vec<String>;
}

/// So many places that one name can mean are kept one by one; more are kept as a pattern.
const MAX_PLACES: usize = 8;

/// Tests, where no directory has their name.
const TESTS: [&str; 5] = [
    "**/tests",
    "**/test_*",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
];

/// What else may be touched where nothing but the tests may: those that lie beside what they test, and what they need.
const TESTS_EVERYWHERE: [&str; 10] = [
    "**/test",
    "**/spec",
    "**/specs",
    "**/__tests__",
    "**/*_spec.*",
    "**/*Test.*",
    "**/*Tests.*",
    "**/*Spec.*",
    "**/conftest.py",
    "**/testdata",
];

/// The same for a message that limits all work to `entry`.
pub(super) fn resolve_scope(entry: &str, names: &dyn Names) -> Vec<String> {
    let mut places = resolve(entry, names);
    if matches!(entry, "test" | "tests") {
        let more = TESTS
            .iter()
            .chain(&TESTS_EVERYWHERE)
            .map(|p| (*p).to_owned());
        let more: Vec<String> = more.filter(|p| !places.contains(p)).collect();
        places.extend(more);
    }
    places
}

/// The paths or patterns that `entry` of a message stands for. What is not at the root can be anywhere
/// below it, as in a `.gitignore`.
pub(super) fn resolve(entry: &str, names: &dyn Names) -> Vec<String> {
    let (first, rest) = entry.split_once('/').unwrap_or((entry, ""));
    if entry.is_empty() || matches!(first, "." | "**") || is_outside(entry) {
        return vec![entry.to_owned()];
    }
    let root = names.at_root();
    let same = |name: &&String| name.as_str() == first;
    let alike = |name: &&String| name.eq_ignore_ascii_case(first);
    if let Some(there) = root.iter().find(same).or_else(|| root.iter().find(alike)) {
        return vec![match rest {
            "" => there.clone(),
            rest => format!("{there}/{rest}"),
        }];
    }
    let plain = rest.is_empty() && is_plain_name(first);
    if plain {
        let stem = |name: &&String| {
            name.split_once('.')
                .is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(first))
        };
        let there: Vec<String> = root.iter().filter(stem).take(MAX_PLACES).cloned().collect();
        if !there.is_empty() {
            return there;
        }
    }
    if !entry.contains(['*', '?', '[']) {
        let there = names.ending_in(entry);
        if (1..=MAX_PLACES).contains(&there.len()) {
            return there;
        }
    }
    if rest.is_empty() && matches!(first, "test" | "tests") {
        return TESTS.map(str::to_owned).to_vec();
    }
    let any = if plain { "*" } else { "" };
    vec![format!("**/{entry}{any}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Worktree(Vec<String>, Vec<&'static str>);

    impl Names for Worktree {
        fn at_root(&self) -> &[String] {
            &self.0
        }

        fn ending_in(&self, path: &str) -> Vec<String> {
            let ending = format!("/{path}");
            let all = self.1.iter().filter(|p| p.ends_with(&ending));
            all.map(|p| (*p).to_owned()).collect()
        }
    }

    #[test]
    fn a_name_is_looked_for_at_the_root_and_then_below() {
        let root = ["src", "README.md", "Makefile", "config.py"].map(str::to_owned);
        let below = vec!["src/db/store.py", "src/config.py", "src/web/migrations"];
        let names = Worktree(root.to_vec(), below);
        for (entry, want) in [
            ("src/new.py", "src/new.py"),
            ("SRC/a.py", "src/a.py"),
            ("config.py", "config.py"),
            ("makefile", "Makefile"),
            ("readme", "README.md"),
            ("README", "README.md"),
            ("store.py", "src/db/store.py"),
            ("db/store.py", "src/db/store.py"),
            ("migrations", "src/web/migrations"),
            ("other.py", "**/other.py"),
            ("license", "**/license*"),
            ("src/tests", "src/tests"),
            ("*.sql", "**/*.sql"),
            ("**/*.sql", "**/*.sql"),
            ("/etc/hosts", "/etc/hosts"),
            ("../x.py", "../x.py"),
        ] {
            assert_eq!(resolve(entry, &names), [want], "{entry}");
        }
    }
}
