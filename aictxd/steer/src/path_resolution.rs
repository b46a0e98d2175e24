//! Resolves a path of a message in one worktree: people write `store.py` for `src/db/store.py`, and
//! `readme` for `README.md`.

use super::nouns::LOCK_FILES;
use super::path_lexicon::is_plain_name;
use super::paths::is_outside;

/// Names in a worktree, as people use them.
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

/// Documentation, where no directory has its name.
const DOCS: [&str; 8] = [
    "**/docs",
    "**/doc",
    "**/documentation",
    "**/*-docs",
    "**/*.md",
    "**/*.mdx",
    "**/*.rst",
    "**/*.adoc",
];

/// Lock files of package managers.
const LOCKS: [&str; 10] = [
    "**/*.lock",
    "**/*.lockfile",
    "**/*.lock.*",
    "**/*-lock.*",
    "**/*.lockb",
    "**/npm-shrinkwrap.json",
    "**/go.sum",
    "**/Package.resolved",
    "**/packages.lock.json",
    "**/Pipfile.lock",
];

/// Paths allowed where only tests may change: those that lie beside what they test, and what they need.
const TESTS_EVERYWHERE: [&str; 8] = [
    "**/test",
    "**/spec",
    "**/specs",
    "**/__tests__",
    "**/*_spec.*",
    "**/*.Tests",
    "**/conftest.py",
    "**/testdata",
];

/// Sources that contain their tests: no path tells them apart.
const TESTS_WITHIN: [(&str, &str); 3] = [
    ("Cargo.toml", "**/*.rs"),
    ("build.zig", "**/*.zig"),
    ("dub.json", "**/*.d"),
];

/// The same for a message that limits all work to `entry`.
pub(super) fn resolve_scope(entry: &str, names: &dyn Names) -> Vec<String> {
    let mut places = resolve(entry, names);
    if matches!(entry, "test" | "tests") {
        let more = TESTS.iter().chain(&TESTS_EVERYWHERE);
        let within = TESTS_WITHIN
            .iter()
            .filter(|(manifest, _)| names.at_root().iter().any(|name| name == manifest))
            .map(|(_, sources)| sources);
        for pattern in more.chain(within) {
            if !places.iter().any(|place| place == pattern) {
                places.push((*pattern).to_owned());
            }
        }
    }
    places
}

/// The entries of a list of limits for somebody to read: the patterns of tests are one, and those of
/// documentation and of lock files.
pub fn readable_entries(entries: &[String]) -> Vec<&str> {
    let is_tests = |entry: &str| TESTS.iter().chain(&TESTS_EVERYWHERE).any(|p| *p == entry);
    let is_docs = DOCS.iter().all(|p| entries.iter().any(|entry| entry == p));
    let is_locks = LOCKS.iter().all(|p| entries.iter().any(|entry| entry == p));
    let mut words: Vec<&str> = Vec::new();
    for entry in entries {
        let word = match entry.as_str() {
            entry if is_tests(entry) => "test files",
            entry if is_locks && LOCKS.contains(&entry) => "lock files",
            entry if is_docs && DOCS.contains(&entry) => "documentation",
            entry => entry,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
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
    if entry == LOCK_FILES {
        return LOCKS.map(str::to_owned).to_vec();
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
    if rest.is_empty() && matches!(first, "doc" | "docs" | "documentation") {
        return DOCS.map(str::to_owned).to_vec();
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

    #[test]
    fn documentation_is_what_is_written_as_such_where_no_directory_is_called_so() {
        let covers = |entries: &[String], path: &str| {
            let path = aictx_proto::RepoPath::parse(path).unwrap();
            entries
                .iter()
                .any(|entry| crate::path_limits::covers(entry, &path))
        };
        let without = Worktree(vec!["src".to_owned(), "site".to_owned()], Vec::new());
        for word in ["docs", "doc", "documentation"] {
            let limits = resolve(word, &without);
            for path in ["README.md", "site/index.md", "internal-docs/a.txt"] {
                assert!(covers(&limits, path), "{word} {path}");
            }
            assert!(!covers(&limits, "src/docs.rs") && !covers(&limits, "a.txt"));
            assert_eq!(readable_entries(&limits), ["documentation"]);
        }
        let with = Worktree(vec!["docs".to_owned()], Vec::new());
        assert_eq!(resolve("docs", &with), ["docs"]);
        assert_eq!(readable_entries(&["**/*.md".to_owned()]), ["**/*.md"]);
    }

    #[test]
    fn lock_files_are_those_of_any_package_manager() {
        let names = Worktree(vec!["Cargo.lock".to_owned()], Vec::new());
        let limits = resolve("lockfile", &names);
        let covers = |path: &str| {
            let path = aictx_proto::RepoPath::parse(path).unwrap();
            let mut limits = limits.iter();
            limits.any(|entry| crate::path_limits::covers(entry, &path))
        };
        for path in [
            "Cargo.lock",
            "package-lock.json",
            "web/yarn.lock",
            "pnpm-lock.yaml",
            "bun.lockb",
            "go.sum",
            "poetry.lock",
            "infra/.terraform.lock.hcl",
            "gradle.lockfile",
        ] {
            assert!(covers(path), "{path}");
        }
        for path in [
            "Cargo.toml",
            "src/lock.rs",
            "package.json",
            "lockfile.md",
            "go.mod",
        ] {
            assert!(!covers(path), "{path}");
        }
        assert_eq!(readable_entries(&limits), ["lock files"]);
    }

    #[test]
    fn a_scope_of_tests_is_all_that_tests_are_called() {
        let scope = |root: &str| {
            let names = Worktree(vec!["tests".to_owned(), root.to_owned()], Vec::new());
            resolve_scope("tests", &names)
        };
        let covers = |scope: &[String], path: &str| {
            let path = aictx_proto::RepoPath::parse(path).unwrap();
            scope
                .iter()
                .any(|entry| crate::path_limits::covers(entry, &path))
        };
        let python = scope("setup.py");
        for path in [
            "tests/a.py",
            "src/test_a.py",
            "web/src/a.test.ts",
            "conftest.py",
            "src/test/java/ATest.java",
            "Shop.Tests/CartTests.cs",
            "app/__tests__/a.js",
        ] {
            assert!(covers(&python, path), "{path}");
        }
        assert!(!covers(&python, "src/a.py") && !covers(&python, "src/contest.py"));
        assert_eq!(readable_entries(&python), ["tests", "test files"]);
        // Rust has them in its sources.
        let rust = scope("Cargo.toml");
        assert!(covers(&rust, "src/lib.rs") && !covers(&rust, "Cargo.toml"));
    }
}
