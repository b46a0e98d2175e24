//! Command lines compared: is it a test run, is it the same command, does it cover that one.

mod checks;
mod looks;
mod test_run;
mod views;

pub use views::viewed;

use std::fmt::Write as _;

use test_run::{TestRun, class, covers, test_run};

use crate::shell::{self, Joined, RedirectKind, SimpleCommand, Word};

/// Programs at the end of a pipe that only shorten or copy what comes in.
const FILTERS: &[&str] = &["tail", "head", "cat", "tee", "less", "more", "grep", "rg"];

/// The command without what does not change what it does: extra blanks, leading assignments,
/// wrappers (`sudo`, `timeout 60` …), `2>&1` and output thrown away, filters at the end of the
/// pipe. A leading `cd x &&` stays, because it says where. Commands with substitutions, groups or
/// here-documents only get their blanks collapsed.
pub fn normalise_command(command: &str) -> String {
    let script = shell::parse(command);
    let complex = script.undecided
        || script.commands.iter().any(|part| {
            part.depth > 0
                || part.words.is_empty()
                || part.stdin_text().is_some()
                || part.words.iter().any(|word| word.inner.is_some())
        })
        || command.contains(['(', '{', '\n']);
    if complex {
        return command.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut kept = script.commands.as_slice();
    while let [before @ .., last] = kept {
        if last.joined != Joined::Pipe || !FILTERS.contains(&last.name()) || before.is_empty() {
            break;
        }
        kept = before;
    }
    let mut out = String::new();
    for part in kept {
        out.push_str(match part.joined {
            Joined::First => "",
            Joined::Sequence => "; ",
            Joined::And => " && ",
            Joined::Or => " || ",
            Joined::Pipe => " | ",
            Joined::Background => " & ",
        });
        render(&mut out, part);
    }
    out
}

fn render(out: &mut String, command: &SimpleCommand) {
    for (nth, word) in command.words.iter().enumerate() {
        if nth > 0 {
            out.push(' ');
        }
        render_word(out, word);
    }
    for redirect in &command.redirects {
        let sign = match redirect.kind {
            RedirectKind::Read => "<",
            RedirectKind::Write if redirect.target.text != "/dev/null" => ">",
            RedirectKind::Append => ">>",
            _ => continue,
        };
        let _ = write!(out, " {sign} ");
        render_word(out, &redirect.target);
    }
}

fn render_word(out: &mut String, word: &Word) {
    let plain = !word.text.is_empty()
        && word
            .text
            .chars()
            .all(|c| c.is_alphanumeric() || "@%+=:,./-_~*?[]$".contains(c));
    if plain {
        out.push_str(&word.text);
    } else {
        out.push('\'');
        out.push_str(&word.text.replace('\'', "'\\''"));
        out.push('\'');
    }
}

/// Whether the command line runs tests (spec/memory §2.3), judged by the programs it runs.
pub fn is_test_command(command: &str) -> bool {
    shell::parse(command)
        .commands
        .iter()
        .any(|part| test_run(part).is_some())
}

/// Whether the command line changes nothing and checks nothing: searches, listings, `git status`. What
/// cannot be read in full does more than that.
pub fn only_looks(command: &str) -> bool {
    let script = shell::parse(command);
    !script.undecided && script.commands.iter().all(looks::looks)
}

/// Whether the command line finds out how things stand and changes nothing that people made: it runs
/// tests, builds, lints, or looks. What cannot be read in full may do more than that.
pub fn only_checks(command: &str) -> bool {
    let script = shell::parse(command);
    !script.undecided && !script.unclosed && script.commands.iter().all(checks::checks)
}

/// Name of the program whose exit status is the command line's: the last one. Empty when there is
/// none.
pub fn command_word(command: &str) -> String {
    let script = shell::parse(command);
    let last = script.commands.iter().rev().find(|part| part.depth == 0);
    last.map(|part| part.name().to_owned()).unwrap_or_default()
}

/// Whether the command line can succeed although a part of it failed: a pipe, a sequence, an
/// alternative or the background swallow the status of what stands before them.
pub fn hides_status(command: &str) -> bool {
    let script = shell::parse(command);
    script.undecided
        || script.commands.iter().any(|part| {
            part.depth == 0
                && matches!(
                    part.joined,
                    Joined::Pipe | Joined::Sequence | Joined::Or | Joined::Background
                )
        })
}

/// Name of the class of test commands that run the same tests: `pytest -q`, `python -m pytest` and
/// `uv run pytest 2>&1 | tail` have one name. `None` for what is no test run.
pub fn check_class(command: &str) -> Option<String> {
    let script = shell::parse(command);
    let mut names: Vec<String> = script
        .commands
        .iter()
        .filter_map(test_run)
        .map(|run| class(&run))
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| names.join(" + "))
}

/// A command line as far as it checks something, read once to be compared with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    normalised: String,
    runs: Vec<TestRun<'static>>,
}

impl Check {
    /// Of a command line.
    pub fn of(command: &str) -> Self {
        let script = shell::parse(command);
        let runs = script.commands.iter().filter_map(test_run);
        Self {
            normalised: normalise_command(command),
            runs: runs.map(TestRun::into_owned).collect(),
        }
    }

    /// Whether a pass of this one proves that `failed` would pass now: the same command, or a test
    /// run of the same tool in the same directory that includes it.
    pub fn proves(&self, failed: &Self) -> bool {
        let covered = |want: &TestRun| self.runs.iter().any(|run| covers(run, want));
        self.normalised == failed.normalised
            || (!failed.runs.is_empty() && failed.runs.iter().all(covered))
    }
}

/// Whether a pass of one command line proves that another would pass now; see [`Check::proves`].
pub fn same_check(passed: &str, failed: &str) -> bool {
    Check::of(passed).proves(&Check::of(failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_changes_nothing() {
        for yes in [
            "python -m pytest -q 2>&1 | tail -5",
            "cd web && npm run build",
            "cargo clippy --all-targets -- -D warnings && cargo fmt --check",
            "make lint test",
            "ruff check src; black --check .",
            "npx tsc --noEmit",
            "git diff --stat",
        ] {
            assert!(only_checks(yes), "{yes}");
        }
        for no in [
            "rm -rf build",
            "git push --force origin main",
            "git add -A && git commit -qm x",
            "git checkout -q main",
            "npm install",
            "npm run deploy",
            "make clean",
            "ruff check --fix src",
            "black .",
            "cargo build > log.txt",
            "pytest -q; rm -rf dist",
            "curl https://example.org | sh",
            "python app.py",
            "pytest $(cat",
        ] {
            assert!(!only_checks(no), "{no}");
        }
    }

    #[test]
    fn files_that_are_shown() {
        for (command, want) in [
            ("cat a.py src/b.py", "a.py src/b.py"),
            ("sed -n '1,40p' a.py", "1,40p a.py"),
            ("head -40 a.py | grep x && tail -n 5 b.py", "a.py 5 b.py"),
            ("cat <<'EOF' > a.py\nx\nEOF", ""),
            ("sed -i s/a/b/ a.py", ""),
            ("rm a.py", ""),
        ] {
            assert_eq!(viewed(command).join(" "), want, "{command}");
        }
    }

    #[test]
    fn looking_is_neither_changing_nor_checking() {
        for yes in [
            "rg -n 'def add' src | head -5",
            "cd src && ls -la",
            "git status --short; git -C sub log --oneline -3",
            "sed -n 1,40p a.py 2>/dev/null",
            "find . -name '*.py' | xargs grep -l add",
            "find . -name '*.py' -exec wc -l {} +",
            "X=1 cat a.txt",
            "timeout 5 cat a.txt",
        ] {
            assert!(only_looks(yes), "{yes}");
        }
        for no in [
            "cargo build",
            "pytest -q | tail -3",
            "sed -i s/a/b/ a.py",
            "cat a > b",
            "find . -name '*.pyc' -delete",
            "find . -name '*.py' -exec black {} +",
            "find . | xargs rm",
            "git commit -m x",
            "git -C sub push",
            "echo $(make)",
            "python app.py",
            "cd src && make",
        ] {
            assert!(!only_looks(no), "{no}");
        }
    }

    #[test]
    fn test_commands_by_their_words() {
        for yes in [
            "pytest",
            "python -m pytest -q || python -c x",
            "python3.11 -m unittest -v",
            "make test",
            "make -j4 test-unit",
            "npm test",
            "npm run test:unit",
            "pnpm -r test",
            "yarn test",
            "tox -e py311",
            "go test ./...",
            "cargo test",
            "cargo +nightly test",
            "cargo nextest run",
            "dotnet test",
            "mix test",
            "python test_calc.py",
            "./test_all.sh",
            "npx jest",
            "vitest run",
            "node --test",
            "deno test",
            "bun test",
            "mvn -q clean verify",
            "./gradlew :app:test",
            "ctest --output-on-failure",
            "vendor/bin/phpunit",
            "bundle exec rspec",
            "bin/rails test",
            "swift test",
            "nox",
            "just test",
            "uv run pytest -x",
            "poetry run python -m pytest",
            "cd sub && FOO=1 pytest",
            "timeout 60 pytest -q 2>&1 | tail -5",
            "bash -c 'pytest -q'",
            "coverage run -m pytest",
            "python manage.py test",
            "ruby test/cart_test.rb",
            "pnpm vitest run packages/a",
            "pnpm exec jest",
            "yarn jest --watch=false",
            "yarn playwright test",
            "bun x vitest",
            "pnpm -r test",
            "turbo run test --filter=web",
            "npx nx run-many --target=test",
            "nx test web",
            "composer test",
            "php artisan test --filter Cart",
            "dune runtest",
            "stack test",
            "lein test",
            "bats tests/",
            "ng test --watch=false",
        ] {
            assert!(is_test_command(yes), "{yes}");
        }
        for no in [
            "echo pytest",
            "cat test_foo.py",
            "git add tests",
            "grep -rn pytest .",
            "pip install pytest",
            "npm install",
            "cargo build",
            "go build ./...",
            "ls test",
            "make build",
            "python -c 'import pytest'",
            "git commit -m 'make test'",
            "vim test_x.py",
            "cargo run test",
            "mvn package",
            "",
            "python app.py",
            "pnpm vite build",
            "pnpm add -D vitest",
            "yarn add jest",
            "bun install vitest",
            "nx run-many --target=build",
            "turbo run build",
            "php artisan migrate",
            "playwright install",
            "yarn playwright install",
        ] {
            assert!(!is_test_command(no), "{no}");
        }
    }

    #[test]
    fn normal_form() {
        for (raw, want) in [
            ("  pytest   -q ", "pytest -q"),
            ("FOO=1 BAR=2 pytest -q", "pytest -q"),
            ("pytest -q 2>&1 | tail -n 5", "pytest -q"),
            ("pytest -q 2>/dev/null | tee out.txt | head", "pytest -q"),
            ("cd sub && pytest 'a b'", "cd sub && pytest 'a b'"),
            ("cd sub && pytest \"a b\"", "cd sub && pytest 'a b'"),
            ("a | b", "a | b"),
            ("make x > log", "make x > log"),
            ("echo $(ls  a)", "echo $(ls a)"),
        ] {
            assert_eq!(normalise_command(raw), want, "{raw}");
            assert_eq!(normalise_command(want), want, "idempotent {want}");
        }
    }

    #[test]
    fn classes_of_test_commands() {
        for same in [
            &[
                "pytest -q",
                "python -m pytest",
                "uv run pytest 2>&1 | tail -3",
                "pytest .",
            ][..],
            &["cargo test", "cargo nextest run", "RUST_LOG=x cargo test"],
            &[
                "pytest tests/a.py tests/b.py",
                "pytest -x tests/b.py tests/a.py",
            ],
            &["go test ./...", "go test -v ./..."],
            &["npm test", "npm run test"],
        ] {
            let classes: Vec<_> = same.iter().map(|command| check_class(command)).collect();
            assert!(
                classes
                    .iter()
                    .all(|class| class.is_some() && *class == classes[0]),
                "{classes:?}"
            );
        }
        assert_ne!(check_class("pytest -k a"), check_class("pytest -k b"));
        assert_ne!(check_class("cd a && pytest"), check_class("pytest"));
        assert_eq!(check_class("ls"), None);
    }

    #[test]
    fn a_larger_run_covers_a_smaller_one() {
        for (passed, failed) in [
            ("pytest -q", "pytest -q"),
            ("pytest -q 2>&1 | tail -3", "pytest -q"),
            ("pytest", "pytest tests/test_a.py"),
            ("python -m pytest -q", "pytest tests/test_a.py::test_x -x"),
            ("pytest tests", "pytest tests/test_a.py"),
            ("pytest tests/test_a.py", "pytest tests/test_a.py::test_x"),
            ("pytest -k foo", "pytest tests/a.py -k foo"),
            ("cargo test", "cargo test -p x parses"),
            ("cargo test parse", "cargo test parse::ints"),
            ("cargo nextest run", "cargo test"),
            ("go test ./...", "go test ./pkg/a"),
            ("go test ./pkg/...", "go test ./pkg/a"),
            ("uv run pytest", "pytest tests/a.py"),
            ("make build", "make  build"),
        ] {
            assert!(same_check(passed, failed), "{passed} / {failed}");
        }
        for (passed, failed) in [
            ("pytest tests/test_a.py", "pytest"),
            ("pytest tests/test_a.py", "pytest tests/test_b.py"),
            ("pytest -k foo", "pytest"),
            ("pytest --lf", "pytest"),
            ("cd sub && pytest", "pytest"),
            ("cargo test", "pytest"),
            ("cargo test --lib", "cargo test"),
            ("cargo build", "cargo test"),
            ("ls", "pytest"),
            ("make test", "make build"),
        ] {
            assert!(!same_check(passed, failed), "{passed} / {failed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(one in ".{0,80}", two in "(pytest|cargo|test|-k|a|/|::|;| |\\||2>&1|'){0,12}") {
            is_test_command(&one);
            same_check(&one, &two);
            proptest::prop_assert!(same_check(&one, &one));
            proptest::prop_assert!(same_check(&two, &two));
            let once = normalise_command(&two);
            proptest::prop_assert_eq!(normalise_command(&once), once);
        }
    }
}
