//! Whether a test run that passed plausibly covers a file that was edited.
//!
//! Plausible, not proven: a question that comes too often is switched off. What narrows a run has to speak of
//! the file in some way; whatever is not narrowed covers everything of its language below its directory.

use std::sync::Arc;

use aictx_shell::{Place, Reach, language_of};

/// The check of a file, as somebody would run it, and the test runs behind that where it is a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileCheck {
    /// The command.
    pub command: String,
    /// What it runs; empty when it is no script, or nobody knows.
    pub ran: String,
}

/// What is known of the files of a worktree at the end of a turn.
pub trait Ground {
    /// The text of a file, or of its beginning.
    fn text(&self, path: &str) -> Option<Arc<str>>;
    /// The check of a file.
    fn check(&self, path: &str) -> Option<FileCheck>;
    /// Returns true if texts can be looked at. Where they cannot, what only they would tell is taken for granted.
    fn is_seen(&self) -> bool {
        true
    }
}

/// A worktree of which only the names of files are known.
pub(super) struct Unseen;

impl Ground for Unseen {
    fn text(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn check(&self, _: &str) -> Option<FileCheck> {
        None
    }

    fn is_seen(&self) -> bool {
        false
    }
}

/// Directories that hold tests of what lies beside them.
const TEST_DIRS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "spec",
    "specs",
    "__tests__",
    "unit",
    "integration",
    "functional",
    "e2e",
    "it",
];
/// Directories in which only builds lie.
const BUILD_DIRS: &[&str] = &["build", "out", "dist", "target", "_build"];
/// Words that say nothing of what a file is about.
const COMMON: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "src",
    "lib",
    "app",
    "index",
    "main",
    "init",
    "mod",
    "unit",
    "integration",
    "functional",
    "e2e",
    "the",
    "and",
    "or",
    "not",
    "for",
    "of",
    "to",
    "py",
    "js",
    "ts",
    "jsx",
    "tsx",
    "go",
    "rs",
    "rb",
    "java",
    "kt",
    "php",
    "cs",
    "ex",
    "exs",
    "swift",
    "cpp",
    "cc",
    "c",
    "h",
    "mjs",
    "cjs",
    "com",
    "org",
    "name",
    "fullyqualifiedname",
    "displayname",
    "all",
    "issue",
    "bug",
    "regression",
    "case",
    "cases",
    "should",
];

/// One run, and where it started from.
pub(super) struct Covering<'r> {
    pub(super) reach: &'r Reach,
    /// Directory of its command line, relative to the root.
    pub(super) cwd: &'r str,
    /// Files that the session edited.
    pub(super) edited: &'r [String],
    pub(super) ground: &'r dyn Ground,
}

impl Covering<'_> {
    /// Returns true if the run covers a file of the same language.
    pub(super) fn covers(&self, file: &str) -> bool {
        let Some(dir) = self.dir() else {
            return true;
        };
        let scope = without_last(&dir, &[TEST_DIRS, BUILD_DIRS]);
        if !is_below(file, scope) {
            return false;
        }
        if language_of(file).is_empty() {
            // Data and settings: nothing tells which tests read them.
            return true;
        }
        let reach = self.reach;
        let packages = &reach.packages;
        if !packages.is_empty() && !packages.iter().any(|package| self.is_of(file, package)) {
            return false;
        }
        if !reach.places.is_empty() {
            return reach
                .places
                .iter()
                .any(|place| self.speaks_of(place, &dir, file));
        }
        let names: Vec<&String> = reach.names.iter().filter(|name| chooses(name)).collect();
        names.is_empty() || names.iter().any(|name| self.names(name, file))
    }

    /// The directory it runs in, relative to the root; `None` when that is not known.
    fn dir(&self) -> Option<String> {
        let dir = self.reach.dir.as_deref()?;
        if dir.starts_with(['/', '~']) {
            return None;
        }
        joined(self.cwd, dir)
    }

    /// Returns true if a file belongs to a package of a workspace: its manifest names it, or its path does.
    fn is_of(&self, file: &str, package: &str) -> bool {
        if !self.ground.is_seen() {
            return true;
        }
        let package = package.rsplit(['/', ':']).next().unwrap_or(package);
        let package = package.split('@').next().unwrap_or(package);
        let mut dir = file;
        while let Some((parent, _)) = dir.rsplit_once('/') {
            dir = parent;
            for manifest in ["Cargo.toml", "package.json", "pom.xml"] {
                if let Some(text) = self.ground.text(&format!("{dir}/{manifest}")) {
                    return text.contains(&format!("\"{package}\"")) || alike(package, dir);
                }
            }
        }
        alike(package, file)
            || self
                .ground
                .text("Cargo.toml")
                .is_some_and(|text| text.contains(&format!("name = \"{package}\"")))
    }

    fn speaks_of(&self, place: &Place, dir: &str, file: &str) -> bool {
        let Some(path) = joined(dir, &place.path) else {
            return true;
        };
        let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
        if place.flat {
            return parent == path;
        }
        if is_below(file, &path) || (place.pattern && file.contains(&place.path)) {
            return true;
        }
        let text = self
            .ground
            .text(&path)
            .or_else(|| self.ground.text(&format!("{path}.py")));
        let mentions = text.is_some_and(|text| mentions(&text, file));
        if is_test(file) {
            return mentions;
        }
        let last = path.rsplit('/').next().unwrap_or(&path);
        // All tests of what lies beside them.
        let general =
            TEST_DIRS.contains(&last) && is_below(file, without_last(&path, &[TEST_DIRS]));
        general || mentions || self.edited.contains(&path) || alike(last, file)
    }

    /// Returns true if a filter by the names of tests speaks of a file: of its name, of something in it, or of a test
    /// that was edited with it.
    fn names(&self, name: &str, file: &str) -> bool {
        if !self.ground.is_seen() {
            return true;
        }
        let words = || {
            name.split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|w| w.len() > 2)
        };
        let holds = |path: &str| {
            let text = self.ground.text(path);
            text.is_some_and(|text| words().any(|word| !is_common(word) && has_word(&text, word)))
        };
        let tests = || self.edited.iter().filter(|path| is_test(path));
        holds(file) || (!is_test(file) && (alike(name, file) || tests().any(|path| holds(path))))
    }
}

/// Returns true if a filter chooses tests, and does not only leave some out.
fn chooses(name: &str) -> bool {
    let mut words = name.split_whitespace();
    let mut chosen = false;
    while let Some(word) = words.next() {
        match word {
            "not" => drop(words.next()),
            "and" | "or" => {}
            _ => chosen = true,
        }
    }
    chosen
}

/// Returns true if a file is a test by its name.
fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_")
        || ["_test", "_spec", "Test", "Tests", "Spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
}

/// Returns true if a text speaks of a file by the name that others use it by.
fn mentions(text: &str, file: &str) -> bool {
    let mut parts = file.rsplit('/');
    let name = parts.next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    // What is called by its directory.
    let general = ["index", "main", "mod", "lib", "__init__", "init"].contains(&stem);
    let word = if general {
        parts.next().unwrap_or(stem)
    } else {
        stem
    };
    !word.is_empty() && has_word(text, word)
}

/// Returns true if a text has a word, not only as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|front| front.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|rest| rest.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns true if a name and a path share a word that says something.
fn alike(name: &str, path: &str) -> bool {
    let ours = words(name);
    // A name that says nothing of its own may be about anything.
    ours.is_empty()
        || words(path)
            .iter()
            .any(|theirs| ours.iter().any(|own| same(own, theirs)))
}

fn same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short == long
        || ["s", "es"]
            .iter()
            .any(|plural| long.strip_suffix(plural) == Some(short))
        || (short.len() > 3 && long.starts_with(short))
}

fn is_common(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    COMMON.contains(&lower.as_str()) || lower.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a name: `TaxTest` and `test_tax.py` have one.
fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut keep = |word: &mut String| {
        let done = std::mem::take(word);
        if !done.is_empty() && !is_common(&done) && found.len() < 32 {
            found.push(done);
        }
    };
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            keep(&mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    keep(&mut word);
    found
}

/// A path without directories of some names at its end.
fn without_last<'p>(path: &'p str, lists: &[&[&str]]) -> &'p str {
    let mut path = path;
    loop {
        let (front, last) = path.rsplit_once('/').unwrap_or(("", path));
        if last.is_empty() || !lists.iter().any(|list| list.contains(&last)) {
            return path;
        }
        path = front;
    }
}

fn is_below(file: &str, dir: &str) -> bool {
    let rest = file.strip_prefix(dir);
    dir.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path from a directory, without `.` and `..`; `None` when that leaves the root.
fn joined(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns true if a run of one language says something of a file: of the same, or of any where one of both has none.
pub(super) fn fits(reach: &Reach, file: &str) -> bool {
    let of_file = language_of(file);
    reach.language.is_empty() || of_file.is_empty() || reach.language == of_file
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worktree of a few files, tested by pytest.
    struct Files(&'static [(&'static str, &'static str)]);

    impl Ground for Files {
        fn text(&self, path: &str) -> Option<Arc<str>> {
            let found = self.0.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).into())
        }

        fn check(&self, _: &str) -> Option<FileCheck> {
            None
        }
    }

    const FILES: Files = Files(&[
        ("tests/test_misc.py", "from shop import tax\n"),
        ("shop/tax.py", "def round_up(x):\n    pass\n"),
        ("crates/core/Cargo.toml", "[package]\nname = \"engine\"\n"),
        ("web/src/cart.test.ts", "import { total } from './money'\n"),
    ]);

    fn covers(command: &str, cwd: &str, file: &str, edited: &[&str]) -> bool {
        let edited: Vec<String> = edited.iter().map(|path| (*path).to_owned()).collect();
        let reaches = aictx_shell::reaches(command);
        assert!(!reaches.is_empty(), "{command}");
        reaches.iter().any(|reach| {
            let run = Covering {
                reach,
                cwd,
                edited: &edited,
                ground: &FILES,
            };
            fits(reach, file) && run.covers(file)
        })
    }

    #[test]
    fn what_speaks_of_a_file_covers_it() {
        for (command, cwd, file) in [
            ("pytest", "", "shop/tax.py"),
            ("pytest -x --junitxml out.xml", "", "shop/tax.py"),
            ("pytest tests/unit", "", "shop/tax.py"),
            ("pytest tests/test_misc.py", "", "shop/tax.py"),
            ("pytest tests/test_taxes.py", "", "shop/tax.py"),
            ("pytest tests/shop/test_x.py", "", "tests/shop/test_x.py"),
            ("pytest -k round_up", "", "shop/tax.py"),
            ("pytest -k 'not slow'", "", "shop/tax.py"),
            ("pytest", "tests", "shop/tax.py"),
            ("cargo test -p engine", "", "crates/core/src/a.rs"),
            ("cargo test -p core", "", "crates/core/src/a.rs"),
            ("cargo nextest run --workspace", "", "crates/core/src/a.rs"),
            ("go test ./store", "", "store/a.go"),
            ("go test ./store/...", "", "store/deep/a.go"),
            ("npx jest src/cart.test.ts", "web", "web/src/money.ts"),
            ("npx jest money", "web", "web/src/money.ts"),
            ("cd build && ctest", "", "src/a.c"),
            (
                "mvn -Dtest=TaxServiceTest test",
                "",
                "src/main/java/x/TaxService.java",
            ),
            (
                "./gradlew test --tests 'x.TaxServiceTest'",
                "",
                "src/main/java/x/TaxService.java",
            ),
            ("pytest tests/test_other.py", "", "schema.sql"),
        ] {
            assert!(
                covers(command, cwd, file, &[]),
                "{command} in {cwd:?}: {file}"
            );
        }
        assert!(covers(
            "pytest tests/test_x12.py",
            "",
            "shop/tax.py",
            &["tests/test_x12.py"]
        ));
    }

    #[test]
    fn what_speaks_of_others_does_not() {
        for (command, cwd, file) in [
            ("pytest tests/test_cart.py", "", "shop/tax.py"),
            ("pytest tests/test_misc.py", "", "tests/test_tax.py"),
            ("pytest -k cart", "", "shop/tax.py"),
            ("cd other && pytest", "", "shop/tax.py"),
            ("pytest", "other", "shop/tax.py"),
            ("npx jest", "", "shop/tax.py"),
            ("cargo test", "", "shop/tax.py"),
            ("cargo test -p gui", "", "crates/core/src/a.rs"),
            ("go test ./store", "", "store/deep/a.go"),
            ("go test ./store", "", "api/a.go"),
            ("npx jest src/cart.test.ts", "web", "web/src/login.ts"),
            (
                "mvn -Dtest=CartTest test",
                "",
                "src/main/java/x/TaxService.java",
            ),
        ] {
            assert!(
                !covers(command, cwd, file, &[]),
                "{command} in {cwd:?}: {file}"
            );
        }
    }
}
