//! Command lines that only find out how things stand: they look, build, lint or test.

use super::read_only;
use super::test_run::test_run;
use crate::SimpleCommand;

/// Programs that do nothing else, however they are called.
const CHECKERS: &[&str] = &[
    "mypy",
    "pyright",
    "pylint",
    "flake8",
    "eslint",
    "tsc",
    "shellcheck",
    "hadolint",
    "golangci-lint",
    "staticcheck",
    "clang-tidy",
    "cppcheck",
    "rubocop",
    "phpstan",
    "psalm",
    "ktlint",
    "detekt",
    "swiftlint",
    "markdownlint",
    "yamllint",
    "actionlint",
];
/// Programs, and the first words behind them with which they check or build. Scripts of a project count by
/// the names that people give to such scripts.
const CHECKING: &[(&str, &[&str])] = &[
    ("cargo", &["check", "build", "clippy", "doc", "bench"]),
    ("go", &["build", "vet"]),
    ("npm", SCRIPTS),
    ("pnpm", SCRIPTS),
    ("yarn", SCRIPTS),
    ("bun", SCRIPTS),
    ("make", SCRIPTS),
    ("gmake", SCRIPTS),
    ("just", SCRIPTS),
    ("task", SCRIPTS),
    ("mvn", &["compile", "package", "verify"]),
    ("mvnw", &["compile", "package", "verify"]),
    ("gradle", &["build", "check", "assemble", "lint"]),
    ("gradlew", &["build", "check", "assemble", "lint"]),
    ("dotnet", &["build"]),
    ("swift", &["build"]),
    ("mix", &["compile", "credo", "dialyzer"]),
    ("ruff", &["check"]),
    ("terraform", &["validate", "plan"]),
    ("helm", &["lint", "template"]),
];
const SCRIPTS: &[&str] = &[
    "build",
    "lint",
    "check",
    "typecheck",
    "type-check",
    "types",
    "compile",
    "all",
    "ci",
    "vet",
];
/// Formatters, which check where they are told to.
const FORMATTERS: &[&str] = &[
    "black", "isort", "prettier", "cargo", "ruff", "gofmt", "rustfmt",
];
/// Options that take a check's harmlessness away.
const MENDING: &[&str] = &[
    "--fix",
    "--write",
    "-w",
    "-i",
    "--in-place",
    "--autocorrect",
    "-A",
    "-a",
];

pub(super) fn checks(command: &SimpleCommand) -> bool {
    // What goes into a file changes it.
    if read_only::writes(command) {
        return false;
    }
    if read_only::looks(command)
        || matches!(command.name(), "cd" | "true" | "export" | "source" | ".")
    {
        return true;
    }
    let words = command.arguments().iter().map(|word| word.text.as_str());
    if words.clone().any(|word| MENDING.contains(&word)) {
        return false;
    }
    if test_run(command).is_some() {
        return true;
    }
    let name = command.name();
    let only_asks = words
        .clone()
        .any(|word| matches!(word, "--check" | "--diff" | "-l"));
    let mut verbs = words.filter(|word| !word.starts_with('-') && *word != "run");
    let first = verbs.next();
    let builds = CHECKING.iter().any(|(program, with)| {
        *program == name && first.is_some_and(|first| with.contains(&first))
    });
    CHECKERS.contains(&name) || builds || (FORMATTERS.contains(&name) && only_asks)
}
