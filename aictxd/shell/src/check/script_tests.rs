//! The test runs behind the name of a script: `jest --ci` of `npm test`, `pytest -q` of `make test`.

use super::test_run::{TestRun, test_run};
use super::{exit_status_flow, render_word, render_words, scripts, without_filters};
use crate::{SimpleCommand, Word};

/// Tools whose tests are somebody else's: what they run is named in a file of the repository.
const BY_NAME: &[&str] = &[
    "npm", "make", "just", "turbo", "lerna", "nx", "composer", "script", "poe", "task", "invoke",
    "pdm", "hatch", "bun",
];
/// Longest answer, in bytes.
const MAX_RUNS: usize = 400;

/// Programs that run a script of the project by its name and end as that does.
const CALLERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "composer", "deno",
];

/// Returns true if a command line does nothing but call one script of the project by its name, whatever it is called
/// (`npm run unit`, `make verify`, `./ci.sh`), behind `cd` at most.
pub fn calls_a_script(command: &str) -> bool {
    calls(command, |call| CALLERS.contains(&call.name())) || calls_a_file(command)
}

/// Returns true if that script is a file of its own, which ends as its last line does unless it says otherwise.
pub fn calls_a_file(command: &str) -> bool {
    calls(command, |call| scripts::one(call).is_some())
}

/// Returns true if the text of a shell's script ends well only if all tests in it ran and passed.
pub fn ends_as_its_tests(text: &str) -> bool {
    exit_status_flow::shows_tests(text) == Some(true)
}

/// Returns true if a command line does nothing but call tests by the name of their script, behind `cd` at most.
/// Variables that it sets may change what the script runs.
pub fn calls_tests_by_name(command: &str) -> bool {
    calls(command, |call| {
        test_run(call).is_some_and(|run| !run.dry && BY_NAME.contains(&run.tool))
    })
}

fn calls(command: &str, wanted: impl Fn(&SimpleCommand) -> bool) -> bool {
    let script = crate::parse(command);
    let plain = !script.undecided && !script.background;
    let Some((call, before)) = without_filters(&script.commands).split_last() else {
        return false;
    };
    let sets = |part: &SimpleCommand| {
        !part.assignments.is_empty()
            || (matches!(part.name(), "make" | "gmake" | "just")
                && part.arguments().iter().any(|word| word.text.contains('=')))
    };
    plain && before.iter().all(|part| part.name() == "cd") && !sets(call) && wanted(call)
}

/// One command line that runs the same tests as the commands of scripts do, each with the directory it runs in:
/// what a script and those that it calls consist of. `None` where there are no tests in them, where more of them
/// are behind names that nobody followed, and where something else may decide how the whole ends: a pipe, an
/// alternative, the background.
pub fn tests_behind<'t>(scripts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Option<String> {
    let mut runs: Vec<String> = Vec::new();
    let (mut followed, mut named) = (0, 1);
    for (dir, text) in scripts {
        followed += 1;
        for line in text.lines() {
            let mut script = crate::parse(line);
            if script.unclosed {
                // Each line of a recipe has a shell of its own, which the next line closes.
                script = crate::parse(line.strip_prefix('(').unwrap_or(line));
            }
            let tests: Vec<(&SimpleCommand, TestRun)> = (script.commands.iter())
                .filter_map(|part| Some((part, test_run(part).filter(|run| !run.dry)?)))
                .collect();
            if tests.is_empty() {
                continue;
            }
            let else_decides = script.undecided || script.unclosed || script.background;
            if else_decides || line.contains(['|', ';']) {
                return None;
            }
            for (part, run) in tests {
                if BY_NAME.contains(&run.tool) {
                    named += 1;
                    continue;
                }
                let run = in_place(dir, part)?;
                if !runs.contains(&run) {
                    runs.push(run);
                }
            }
        }
    }
    let all = runs.join(" && ");
    (!runs.is_empty() && named <= followed && all.len() <= MAX_RUNS).then_some(all)
}

/// A command as a line of its own, run in the directory that it has below `dir`.
fn in_place(dir: &str, command: &SimpleCommand) -> Option<String> {
    let mut line = String::new();
    render_words(&mut line, command);
    let place = match (dir, command.dir.as_deref()?) {
        ("", "") => return Some(line),
        (dir, "") => dir.to_owned(),
        ("", below) => below.to_owned(),
        (dir, below) => format!("{dir}/{below}"),
    };
    let mut out = "(cd ".to_owned();
    render_word(&mut out, &Word::plain(&place));
    Some(format!("{out} && {line})"))
}

#[cfg(test)]
mod tests {
    use super::super::same_check;
    use super::*;

    #[test]
    fn what_a_script_runs_is_the_check_that_it_is() {
        for (scripts, want) in [
            (&[("", "jest --ci\n")][..], Some("jest --ci")),
            (&[("", "(pytest -q tests\n)\n")], Some("pytest -q tests")),
            (&[("", "tsc -p .\nvitest run\n")], Some("vitest run")),
            (
                &[
                    ("", "npm run test:unit && npm run lint\n"),
                    ("", "NODE_ENV=test mocha 'a b'\n"),
                    ("", "eslint .\n"),
                ],
                Some("mocha 'a b'"),
            ),
            (&[("web", "jest\n")], Some("(cd web && jest)")),
            (&[("my app", "jest\n")], Some("(cd 'my app' && jest)")),
            (
                &[("", "cd api && go test ./...\n")],
                Some("(cd api && go test ./...)"),
            ),
            (
                &[("", "(cargo test\n)\n(pytest\n)\n")],
                Some("cargo test && pytest"),
            ),
            // Nobody followed what `test:unit` is.
            (&[("", "npm run test:unit && jest\n")], None),
            (
                &[("", "(ruff . || true\n)\n(pytest -q\n)\n(a; b | c\n)\n")],
                Some("pytest -q"),
            ),
            (&[("", "jest || true\n")], None),
            (&[("", "true || (jest)\n")], None),
            (&[("", "if x; then jest; fi\n")], None),
            (&[("", "(cd a && (pytest)\n)\n")], Some("(cd a && pytest)")),
            (&[("", "(pytest || true\n)\n")], None),
            (&[("", "jest; echo done\n")], None),
            (&[("", "jest | tee out\n")], None),
            (&[("", "jest &\n")], None),
            (&[("", "jest --listTests\n")], None),
            (
                &[("", "echo \"Error: no test specified\" && exit 1\n")],
                None,
            ),
            (&[], None),
        ] {
            let got = tests_behind(scripts.iter().copied());
            assert_eq!(got.as_deref(), want, "{scripts:?}");
        }
    }

    #[test]
    fn calls_by_name_are_told_apart() {
        for command in [
            "npm test",
            "npm test 2>&1 | tail -5",
            "cd web && yarn test",
            "make check",
            "pnpm test -- src/a.test.ts",
        ] {
            assert!(calls_tests_by_name(command), "{command}");
        }
        for command in [
            "npx jest",
            "npm run build",
            "npm test; echo",
            "npm run lint && npm test",
            "make test TESTS=a",
            "K=a make test",
            "make -n test",
            "",
        ] {
            assert!(!calls_tests_by_name(command), "{command}");
        }
    }

    #[test]
    fn scripts_may_have_any_name() {
        for command in [
            "npm run unit",
            "make verify 2>&1 | tail -3",
            "cd web && yarn ci",
            "just",
            "./ci.sh",
            "bash -e scripts/ci.sh 2>&1 | tail",
            "cd web && bin/check",
        ] {
            assert!(calls_a_script(command), "{command}");
        }
        for command in [
            "jest",
            "/usr/bin/jest",
            "bash -c ./ci.sh\\ x",
            "./ci.sh || true",
            "npm run unit; true",
            "npm run lint && npm run unit",
            "K=a make x",
            "",
        ] {
            assert!(!calls_a_script(command), "{command}");
        }
    }

    #[test]
    fn it_proves_what_it_runs() {
        let ran = tests_behind([("", "cargo test\npytest -q\n")]).unwrap_or_default();
        assert!(same_check(&ran, "python -m pytest tests/test_a.py"));
        assert!(same_check(&ran, "cargo test one"));
        assert!(!same_check(&ran, "jest"));
        assert!(!same_check("pytest", &ran), "a half");
        let there = tests_behind([("web", "jest\n")]).unwrap_or_default();
        assert!(same_check(&there, "cd web && npx jest src/a.test.ts"));
        assert!(!same_check(&there, "npx jest src/a.test.ts"));
    }
}
