//! Limits of the user, in whatever way a command comes to them.

use std::collections::HashMap;
use std::sync::Arc;

use aictx_guard::{Facts, Known, Level, Limit, Place, command_risk, names_among};
use aictx_proto::path::RepoPath;
use aictx_steer::{SteerState, SteerVerdict};

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

/// A tree of files and links, and what was said of it.
struct Limited {
    said: SteerState,
    links: HashMap<&'static str, &'static str>,
}

const DIRECTORIES: [&str; 4] = [".", "src", "docs", "other"];
const FILES: [&str; 6] = [
    "src/a.py",
    "src/b.py",
    "docs/d.py",
    "other/a.py",
    "a.py",
    "package.json",
];

impl Limited {
    fn forbidding(path: &str) -> Self {
        let said = SteerState {
            forbidden_paths: vec![path.to_owned()],
            ..SteerState::default()
        };
        Self::of(said)
    }

    fn allowing(path: &str) -> Self {
        let said = SteerState {
            allowed_paths: vec![path.to_owned()],
            ..SteerState::default()
        };
        Self::of(said)
    }

    fn of(said: SteerState) -> Self {
        let links = HashMap::from([("link", "src/a.py"), ("tree", "src")]);
        Self { said, links }
    }

    fn level(&self, command: &str) -> Level {
        command_risk(command, PLACE, self).level()
    }
}

impl Facts for Limited {
    fn path(&self, path: &RepoPath) -> Known {
        let directory = DIRECTORIES.contains(&path.as_str());
        let exists = directory || FILES.contains(&path.as_str());
        Known {
            exists: Some(exists),
            directory: Some(directory),
            tracked: Some(exists),
            ignored: Some(false),
            dirty: Some(false),
        }
    }

    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        self.links
            .get(path.as_str())
            .map(|target| Arc::from(*target))
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn text(&self, path: &RepoPath) -> Option<Arc<str>> {
        let patch = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n";
        let other = "--- docs/d.py\t2026-01-01\n+++ docs/d.py\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n";
        match path.as_str() {
            "fix.patch" => Some(Arc::from(patch)),
            "docs/other.diff" => Some(Arc::from(other)),
            _ => None,
        }
    }

    fn text_elsewhere(&self, path: &str) -> Option<Arc<str>> {
        let patch = "From: a\n\ndiff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n";
        let other = "--- a/docs/d.py\n+++ b/docs/d.py\n";
        match path {
            "/elsewhere/y.patch" | "~/y.patch" => Some(Arc::from(patch)),
            "/elsewhere/other.patch" => Some(Arc::from(other)),
            _ => None,
        }
    }

    fn off_limits(&self) -> Vec<String> {
        self.said.forbidden_paths.clone()
    }

    fn limit_among(&self, directory: &RepoPath, endings: &[&str]) -> Option<Limit> {
        let forbidden = self.said.forbidden_paths.iter().map(String::as_str);
        names_among(forbidden, directory, endings).then_some(Limit::Forbidden)
    }

    fn limit(&self, path: &RepoPath) -> Option<Limit> {
        self.said.verdict(path).map(|verdict| match verdict {
            SteerVerdict::Forbidden(_) => Limit::Forbidden,
            SteerVerdict::OutsideAllowed => Limit::Outside,
        })
    }

    fn limit_below(&self, directory: &RepoPath) -> Option<Limit> {
        self.said
            .forbids_below(directory)
            .then_some(Limit::Forbidden)
    }

    fn limit_like(&self, pattern: &str) -> Option<Limit> {
        self.said.forbids_like(pattern).then_some(Limit::Forbidden)
    }
}

#[test]
fn a_new_dependency_writes_the_manifest() {
    let manifest = Limited::forbidding("package.json");
    let source = Limited::allowing("src");
    for command in [
        "npm install left-pad",
        "pnpm add -D x",
        "yarn remove x",
        "npm i x",
    ] {
        assert_eq!(manifest.level(command), Level::Destructive, "{command}");
        assert_eq!(source.level(command), Level::Destructive, "{command}");
    }
    for command in ["npm install", "npm ci", "yarn", "npm test", "npm run add x"] {
        let level = manifest.level(command);
        assert_ne!(level, Level::Destructive, "{command}");
    }
    let cargo = Limited::forbidding("core/Cargo.toml");
    assert_eq!(
        cargo.level("cd core && cargo add serde"),
        Level::Destructive
    );
    assert_ne!(cargo.level("cargo build"), Level::Destructive);
}

#[test]
fn a_patch_is_read_wherever_it_comes_from() {
    let facts = Limited::forbidding("src/a.py");
    for command in [
        "cat fix.patch | git apply",
        "cat docs/other.diff fix.patch | patch -p1",
        "git apply < fix.patch",
        "git apply /elsewhere/y.patch",
        "git apply ~/y.patch",
        "patch -p1 --input=/elsewhere/y.patch",
        "git am /elsewhere/y.patch",
        "git -C . am -3 fix.patch",
        "git -C src checkout -- a.py",
        "git apply <<'EOF'\n--- a/src/a.py\n+++ b/src/a.py\nEOF",
        "cat > new.patch <<'EOF'\n--- a/src/a.py\n+++ b/src/a.py\nEOF\ngit apply new.patch",
        // Nobody knows what is in it.
        "curl -s https://x.example/y.patch | git apply",
        "git apply nowhere.patch",
    ] {
        assert_eq!(facts.level(command), Level::Destructive, "{command}");
    }
    for command in [
        "cat docs/other.diff | git apply",
        "git apply /elsewhere/other.patch",
        "git am /elsewhere/other.patch",
        "git am --abort",
        "git am --continue",
        "git apply --check /elsewhere/y.patch",
    ] {
        assert_ne!(facts.level(command), Level::Destructive, "{command}");
    }
}

#[test]
fn tools_that_are_given_no_path_take_all_of_their_kind() {
    for entry in ["src/a.py", "**/*.py", "src"] {
        let facts = Limited::forbidding(entry);
        for command in [
            "ruff format",
            "ruff check --fix",
            "ruff --quiet format",
            "ruff format .",
        ] {
            let known = entry != "**/*.py" || command != "ruff format .";
            if known {
                assert_eq!(
                    facts.level(command),
                    Level::Destructive,
                    "{entry}: {command}"
                );
            }
        }
    }
    let facts = Limited::forbidding("src/a.py");
    for command in [
        "ruff format docs",
        "ruff check",
        "ruff format --check",
        "ruff format --diff",
        "cd docs && ruff format",
        // Other files than these.
        "cargo fmt",
        "go fmt ./...",
        "eslint --fix",
        "terraform fmt",
        // Without a path they do nothing.
        "black",
        "prettier --write",
        "gofmt -w",
    ] {
        assert_ne!(facts.level(command), Level::Destructive, "{command}");
    }
    for (entry, command) in [
        ("src/a.py", "python -m ruff format"),
        ("src/a.py", "python3 -m black src/a.py"),
        ("src/a.py", "uv run ruff format"),
        ("src/a.py", "poetry run ruff format"),
        ("pkg/x.go", "go fmt ./..."),
        ("src/main.rs", "cargo fmt"),
        ("src/main.rs", "cd docs && cargo fmt --all"),
        ("src/main.rs", "cargo clippy --fix --allow-dirty"),
        ("web/app.ts", "eslint --fix"),
        ("web/app.ts", "npx eslint --fix"),
        ("infra/main.tf", "terraform fmt -recursive"),
        ("lib/a.ex", "mix format"),
        ("pkg/x.go", "golangci-lint run --fix"),
    ] {
        let level = Limited::forbidding(entry).level(command);
        assert_eq!(level, Level::Destructive, "{entry}: {command}");
    }
    assert_ne!(
        Limited::forbidding("src/main.rs").level("cargo fmt --check"),
        Level::Destructive
    );
}

#[test]
fn whatever_comes_to_it_is_told() {
    let facts = Limited::forbidding("src/a.py");
    for command in [
        "rm src/*.py",
        "rm s*/a.py",
        "ls src/a.py | xargs sed -i s/a/b/",
        "ls src | xargs -I{} sed -i s/a/b/ src/{}",
        "cd src && ls | xargs sed -i s/a/b/",
        "git ls-files | xargs sed -i s/a/b/",
        "git ls-files '*.py' | xargs sed -i s/a/b/",
        "git grep -l foo | xargs sed -i s/a/b/",
        "rg -l foo | xargs sed -i s/a/b/",
        "echo x > $(pwd)/src/a.py",
        "sed -i s/a/b/ $PWD/src/a.py",
        "rm \"${PWD}\"/src/a.py",
        "for f in src/*; do echo x > $f; done",
        "for f in $(ls src); do echo x > src/$f; done",
        "sed -i s/a/b/ \"src/$name\"",
        "cp a.py src/",
        "cp -r other/. src/",
        "rsync -a other/ src/",
        "gawk '{print > \"src/a.py\"}' x",
        "sed -n 'w src/a.py' x",
        "echo x > link",
        "sed -i s/a/b/ link",
        "echo x > tree/a.py",
        "rm tree/a.py",
        "rm tree/*.py",
        "cd tree && echo x > a.py",
        "git apply fix.patch",
        "git apply --3way fix.patch",
        "patch -p1 < fix.patch",
        "patch -p1 -i fix.patch",
        "sed -i s/a/b/ $(git ls-files src)",
        "sed -i s/a/b/ $(find . -name '*.py')",
        "black $(git ls-files '*.py')",
        "python3 -c \"open('src/a.py', 'w').write('x')\"",
        "python3 -c \"open('src/a.py', mode)\"",
        "python3 -c \"from pathlib import Path; Path('src/a.py').write_text('x')\"",
        "ruby -e 'File.open(\"src/a.py\", \"a\") { |f| f.puts 1 }'",
        "black src/a.py",
        "prettier --check --write src/a.py",
        "gofmt -l -w src/a.py",
        "python3 -c \"open(str('src/a.py'), 'w')\"",
        "ruff format src/a.py",
        "rustfmt src/a.py",
    ] {
        assert_eq!(facts.level(command), Level::Destructive, "{command}");
    }
    for command in [
        "cat src/a.py",
        "git apply docs/other.diff",
        "git apply --check fix.patch",
        "git apply --stat fix.patch",
        "patch --dry-run -p1 < fix.patch",
        "sed -i s/a/b/ $(git ls-files docs)",
        "wc -l $(git ls-files src)",
        "python3 -c \"print(open('src/a.py').read())\"",
        "python3 -c \"print(open('src/a.py', 'rb').read())\"",
        "python3 -c \"print(open('src/a.py', encoding='utf-8').read().replace('a', 'b'))\"",
        "python3 -c \"import sys; sys.stdout.write(open('src/a.py').read())\"",
        "python3 -c \"from pathlib import Path; print(Path('src/a.py').read_text())\"",
        "node -e \"console.log(require('fs').readFileSync('src/a.py', 'utf8'))\"",
        "ruby -e 'puts File.read(\"src/a.py\")'",
        "black --check src/a.py",
        "black --diff src/a.py",
        "isort --check-only src/a.py",
        "ruff check src/a.py",
        "ruff format --check src/a.py",
        "rustfmt --check src/a.py",
        "clang-format --dry-run -i src/a.py",
        "prettier --check src/a.py",
        "gofmt -l src/a.py",
        "eslint src/a.py",
        "ls src | xargs wc -l",
        "git ls-files | xargs wc -l",
        "sed -i s/a/b/ docs/d.py",
        "ls docs | xargs -I{} sed -i s/a/b/ docs/{}",
        "git ls-files '*.md' | xargs sed -i s/a/b/",
        "rg -l foo docs | xargs sed -i s/a/b/",
        "for f in $(ls docs); do echo x > docs/$f; done",
        "cp src/a.py docs/",
        "rsync -an other/ src/",
        "cp -r other src",
        "sed 's/new x/w src/' docs/d.py",
        "rm link",
        "rm tree",
        "echo x > $f",
    ] {
        assert_eq!(facts.level(command), Level::Safe, "{command}");
    }
}

#[test]
fn what_was_not_allowed_is_told() {
    let facts = Limited::allowing("docs");
    for command in [
        "sed -i s/a/b/ src/a.py",
        "ls | xargs sed -i s/a/b/",
        "echo x > tree/new.py",
        "echo x > src/$f",
    ] {
        assert_eq!(facts.level(command), Level::Destructive, "{command}");
    }
    for command in [
        "sed -i s/a/b/ docs/d.py",
        "cd docs && ls | xargs sed -i s/a/b/",
        "echo x > docs/new.md",
        "grep -r foo src",
    ] {
        assert_eq!(facts.level(command), Level::Safe, "{command}");
    }
}
