//! Command lines compared: is it a test run, is it the same command, does it cover that one.

use std::fmt::Write as _;

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

/// A test run: what runs it and what it was narrowed to.
#[derive(Debug, PartialEq, Eq)]
struct TestRun<'c> {
    tool: &'static str,
    dir: &'c str,
    /// Operands: files, node ids, packages, name filters.
    chosen: Vec<&'c str>,
    /// Options that narrow the run, with their values.
    narrowed: Vec<(&'c str, &'c str)>,
}

/// How a runner is started.
struct Starter {
    tool: &'static str,
    program: &'static str,
    /// One of these must be the first operand; empty for no such word.
    verbs: &'static [&'static str],
}

const fn starter(
    tool: &'static str,
    program: &'static str,
    verbs: &'static [&'static str],
) -> Starter {
    Starter {
        tool,
        program,
        verbs,
    }
}

static STARTERS: &[Starter] = &[
    starter("pytest", "pytest", &[]),
    starter("pytest", "py.test", &[]),
    starter("tox", "tox", &[]),
    starter("nox", "nox", &[]),
    starter("jest", "jest", &[]),
    starter("vitest", "vitest", &[]),
    starter("mocha", "mocha", &[]),
    starter("ava", "ava", &[]),
    starter("playwright", "playwright", &["test"]),
    starter("cypress", "cypress", &["run"]),
    starter("npm", "npm", &["test", "t", "tst"]),
    starter("npm", "pnpm", &["test", "t"]),
    starter("npm", "yarn", &["test"]),
    starter("bun", "bun", &["test"]),
    starter("deno", "deno", &["test"]),
    starter("go", "go", &["test"]),
    starter("go", "gotestsum", &[]),
    starter("cargo", "cargo", &["test", "t", "nextest"]),
    starter("dotnet", "dotnet", &["test"]),
    starter("mix", "mix", &["test"]),
    starter("maven", "mvn", &["test", "verify"]),
    starter("maven", "mvnw", &["test", "verify"]),
    starter("gradle", "gradle", &["test", "check"]),
    starter("gradle", "gradlew", &["test", "check"]),
    starter("ctest", "ctest", &[]),
    starter("phpunit", "phpunit", &[]),
    starter("pest", "pest", &[]),
    starter("rspec", "rspec", &[]),
    starter("rails", "rails", &["test"]),
    starter("rake", "rake", &["test", "spec"]),
    starter("swift", "swift", &["test"]),
    starter("just", "just", &["test"]),
    starter("hatch", "hatch", &["test"]),
    starter("zig", "zig", &["test"]),
    starter("bazel", "bazel", &["test"]),
    starter("flutter", "flutter", &["test"]),
    starter("dart", "dart", &["test"]),
    starter("sbt", "sbt", &["test"]),
];

/// Options that take the next word, where that matters for finding the operands.
const VALUED: &[&str] = &[
    "-k",
    "-m",
    "-c",
    "-p",
    "-n",
    "-W",
    "-o",
    "--tb",
    "--maxfail",
    "--rootdir",
    "--deselect",
    "--ignore",
    "--package",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--features",
    "--profile",
    "--target",
    "--manifest-path",
    "--exclude",
    "-j",
    "-E",
    "--filter-expr",
    "-t",
    "-run",
    "--testNamePattern",
    "--prefix",
    "--filter",
    "--color",
    "--cov",
    "-C",
    "-f",
    "--durations",
    "--timeout",
    "-w",
    "--workspace-root",
    "--config",
];

/// Options that make a run smaller.
const NARROWING: &[&str] = &[
    "-k",
    "-m",
    "--deselect",
    "--ignore",
    "--lf",
    "--last-failed",
    "--sw",
    "--stepwise",
    "--nf",
    "-p",
    "--package",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--lib",
    "--bins",
    "--doc",
    "--exclude",
    "-E",
    "--filter-expr",
    "--filter",
    "-t",
    "-run",
    "--testNamePattern",
    "--skip",
    "--onlyChanged",
    "-o",
    "--changed",
    "-short",
];

fn test_run(command: &SimpleCommand) -> Option<TestRun<'_>> {
    let dir = command.dir.as_deref()?;
    let name = command.name();
    let arguments = command.arguments();
    let whole = |tool, rest| Some(chosen(tool, dir, rest));
    if is_python(name) {
        return python_run(arguments, dir);
    }
    if name == "coverage" && arguments.first().is_some_and(|word| word.text == "run") {
        return python_run(arguments.get(1..)?, dir);
    }
    if name == "node" && arguments.iter().any(|word| word.text == "--test") {
        return whole("node", arguments);
    }
    if matches!(name, "make" | "gmake" | "ninja") {
        let target = arguments.iter().find(|word| is_test_target(&word.text))?;
        return whole("make", std::slice::from_ref(target));
    }
    if is_test_script(name)
        && command
            .words
            .first()
            .is_some_and(|word| word.text.contains('/'))
    {
        return whole("script", &command.words);
    }
    if matches!(name, "ruby" | "bash" | "sh" | "php" | "perl" | "node") {
        let script = arguments.iter().find(|word| !word.text.starts_with('-'))?;
        let file = script.text.rsplit('/').next()?;
        return (is_test_script(file) || file.contains("_test.") || file.contains("_spec."))
            .then(|| chosen("script", dir, arguments));
    }
    for starter in STARTERS {
        if starter.program != name {
            continue;
        }
        if starter.verbs.is_empty() {
            return whole(starter.tool, arguments);
        }
        return after_verb(starter, arguments).and_then(|rest| whole(starter.tool, rest));
    }
    None
}

/// Words behind the verb that makes it a test run. Build tools take several goals in any order.
fn after_verb<'w>(starter: &Starter, arguments: &'w [Word]) -> Option<&'w [Word]> {
    let package_script = matches!(starter.tool, "npm") || starter.program == "bun";
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if text.starts_with(['-', '+']) {
            at += if VALUED.contains(&text) { 2 } else { 1 };
            continue;
        }
        let goal = text.rsplit(':').next().unwrap_or(text);
        if starter.verbs.contains(&text)
            || (matches!(starter.tool, "gradle" | "npm" | "rake" | "just")
                && starter.verbs.contains(&goal))
            || (package_script && text.starts_with("test:"))
        {
            return arguments.get(at + 1..);
        }
        let goes_on = matches!(starter.tool, "maven" | "gradle" | "rake" | "sbt")
            || (package_script && matches!(text, "run" | "run-script"));
        if !goes_on {
            return None;
        }
        at += 1;
    }
    None
}

fn python_run<'c>(arguments: &'c [Word], dir: &'c str) -> Option<TestRun<'c>> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        match word.text.as_str() {
            "-m" => {
                let module = arguments.get(at + 1)?.text.as_str();
                let rest = arguments.get(at + 2..).unwrap_or_default();
                return match module {
                    "pytest" | "py.test" => Some(chosen("pytest", dir, rest)),
                    "unittest" => Some(chosen("unittest", dir, rest)),
                    "tox" | "nox" | "doctest" => Some(chosen("script", dir, rest)),
                    "coverage" if rest.first().is_some_and(|word| word.text == "run") => {
                        python_run(rest.get(1..)?, dir)
                    }
                    _ => None,
                };
            }
            "-c" => return None,
            "-W" | "-X" => at += 2,
            text if text.starts_with('-') => at += 1,
            text => {
                let file = text.rsplit('/').next()?;
                let managed = file == "manage.py"
                    && arguments
                        .get(at + 1)
                        .is_some_and(|word| word.text == "test");
                return (managed || is_test_script(file) || file.ends_with("_test.py"))
                    .then(|| chosen("script", dir, arguments.get(at..).unwrap_or_default()));
            }
        }
    }
    None
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"))
        .is_some_and(|rest| {
            rest.bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
        || name == "py"
}

fn is_test_script(file: &str) -> bool {
    file.starts_with("test_")
        || matches!(
            file,
            "test.sh" | "run_tests.sh" | "run-tests.sh" | "tests.sh"
        )
}

fn is_test_target(target: &str) -> bool {
    target
        .split(['-', '_', ':', '/'])
        .any(|part| matches!(part, "test" | "tests" | "check"))
        && !target.starts_with('-')
        && !target.contains('=')
}

fn chosen<'c>(tool: &'static str, dir: &'c str, words: &'c [Word]) -> TestRun<'c> {
    let mut run = TestRun {
        tool,
        dir,
        chosen: Vec::new(),
        narrowed: Vec::new(),
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if text == "--" {
            // What follows goes to the test binary or script; its words filter as well.
            continue;
        }
        if !text.starts_with('-') {
            let verb = matches!(
                (tool, text),
                ("cargo", "run" | "r") | ("jest" | "vitest", "run")
            );
            if !verb || !run.chosen.is_empty() {
                run.chosen.push(text.trim_end_matches('/'));
            }
            continue;
        }
        let (name, inline) = text
            .split_once('=')
            .map_or((text, None), |(n, v)| (n, Some(v)));
        let mut value = inline.unwrap_or_default();
        if inline.is_none() && VALUED.contains(&name) {
            value = words.get(at).map_or("", |word| word.text.as_str());
            at += 1;
        }
        // `-p no:cacheprovider` and `-o x=y` are settings of pytest, not choices.
        let setting = tool == "pytest" && matches!(name, "-p" | "-o" | "-t" | "-E");
        if NARROWING.contains(&name) && !setting {
            run.narrowed.push((name, value));
        }
    }
    run
}

/// Whether a pass of `passed` proves that `failed` would pass now: the same command, or a test run
/// of the same tool in the same directory that includes it.
pub fn same_check(passed: &str, failed: &str) -> bool {
    if normalise_command(passed) == normalise_command(failed) {
        return true;
    }
    let (passed, failed) = (shell::parse(passed), shell::parse(failed));
    let runs: Vec<_> = passed.commands.iter().filter_map(test_run).collect();
    let mut wanted = failed.commands.iter().filter_map(test_run).peekable();
    wanted.peek().is_some() && wanted.all(|want| runs.iter().any(|run| covers(run, &want)))
}

fn covers(run: &TestRun, want: &TestRun) -> bool {
    run.tool == want.tool
        && run.dir == want.dir
        && run
            .narrowed
            .iter()
            .all(|choice| want.narrowed.contains(choice))
        && (everything(run)
            || (!want.chosen.is_empty()
                && want
                    .chosen
                    .iter()
                    .all(|one| run.chosen.iter().any(|all| includes(run.tool, all, one)))))
}

fn everything(run: &TestRun) -> bool {
    run.chosen.is_empty() || run.chosen.iter().any(|one| matches!(*one, "." | "./..."))
}

/// Whether operand `all` includes operand `one`.
fn includes(tool: &str, all: &str, one: &str) -> bool {
    let all = all.strip_prefix("./").unwrap_or(all);
    let one = one.strip_prefix("./").unwrap_or(one);
    if all == one {
        return true;
    }
    if tool == "cargo" {
        // A filter runs every test whose name holds it.
        return one.contains(all);
    }
    let all = all.strip_suffix("/...").unwrap_or(all);
    one.strip_prefix(all).is_some_and(|rest| {
        rest.starts_with('/') || rest.starts_with("::") || rest.starts_with('[')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
