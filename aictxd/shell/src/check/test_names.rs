//! Names by which the tests of a project are run.

use crate::Word;

pub(super) fn is_test_script(file: &str) -> bool {
    file.starts_with("test_") || matches!(file, "test.sh" | "tests.sh") || runs_tests(file)
}

/// `run_tests.sh`, `runtests.py`, `run-test`.
fn runs_tests(file: &str) -> bool {
    let stem = file.split('.').next().unwrap_or(file);
    let stem = stem.replace(['-', '_'], "").to_ascii_lowercase();
    matches!(stem.as_str(), "runtest" | "runtests" | "runalltests")
}

/// A program of the project that tests it, by its path: `bin/test`, `scripts/test`, `tests/run.sh`.
pub(super) fn is_test_program(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let among_tests = matches!(parts.next(), Some("test" | "tests"));
    let stem = file.split('.').next().unwrap_or(file);
    matches!(file, "test" | "tests") || among_tests && matches!(stem, "run" | "all")
}

/// Recognises tests in an expression or a sub-program: `Rscript -e 'devtools::test()'`.
pub(super) fn expression_run(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let says = |texts: &[&str]| {
        let mut words = arguments.iter();
        words.any(|word| texts.iter().any(|text| word.text.contains(text)))
    };
    match name {
        "R" | "Rscript" if says(&["devtools::test(", "testthat::test", "tinytest::"]) => {
            Some("testthat")
        }
        "R" => {
            let mut words = arguments.iter().map(|word| word.text.as_str());
            (words.next() == Some("CMD") && words.next() == Some("check")).then_some("testthat")
        }
        "julia" if says(&["Pkg.test("]) => Some("julia"),
        _ => None,
    }
}

pub(super) fn is_test_target(target: &str) -> bool {
    target
        .split(['-', '_', ':', '/'])
        .any(|part| matches!(part, "test" | "tests" | "check"))
        && !target.starts_with('-')
        && !target.contains('=')
}

/// Programs that run others in a container.
const CONTAINERS: &[&str] = &[
    "docker",
    "podman",
    "nerdctl",
    "docker-compose",
    "podman-compose",
    "kubectl",
    "oc",
];
/// Their options that take the next word.
const CONTAINER_VALUED: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--entrypoint",
    "-p",
    "--publish",
    "--network",
    "--net",
    "--platform",
    "--index",
    "-f",
    "--file",
    "--profile",
    "--project-directory",
    "--project-name",
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "-m",
    "--memory",
    "--cpus",
    "-l",
    "--label",
    "--gpus",
    "--add-host",
];

/// Returns the command that runs in a container: `docker compose run --rm web pytest`, `kubectl exec pod -- pytest`.
pub(super) fn contained<'w, 't>(name: &str, arguments: &'w [Word<'t>]) -> Option<&'w [Word<'t>]> {
    if !CONTAINERS.contains(&name) {
        return None;
    }
    let mut at = operand(arguments, 0);
    if arguments.get(at).is_some_and(|word| word.text == "compose") {
        at = operand(arguments, at + 1);
    }
    let verb = arguments.get(at)?.text.as_str();
    let cluster = matches!(name, "kubectl" | "oc");
    if verb != "exec" && (verb != "run" || cluster) {
        return None;
    }
    let place = operand(arguments, at + 1);
    let mut inside = place + 1;
    if cluster {
        let rest = arguments.get(place..)?;
        inside = place + rest.iter().position(|word| word.text == "--")? + 1;
    }
    arguments.get(inside..).filter(|words| !words.is_empty())
}

/// The next word from `at` on that is no option and no value of one.
fn operand(arguments: &[Word], mut at: usize) -> usize {
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        at += match CONTAINER_VALUED.contains(&word.text.as_str()) {
            true => 2,
            false => 1,
        };
    }
    at
}
