//! Command lines that lay code out anew and change nothing that it does.

use super::read_only;
use super::read_or_check::checks;
use crate::SimpleCommand;

/// Programs that do nothing else to the files they are given.
const FORMATTERS: &[&str] = &[
    "alejandra",
    "autopep8",
    "black",
    "buildifier",
    "clang-format",
    "csharpier",
    "fourmolu",
    "gofmt",
    "gofumpt",
    "goimports",
    "google-java-format",
    "isort",
    "ktfmt",
    "nixfmt",
    "nixpkgs-fmt",
    "ocamlformat",
    "ormolu",
    "prettier",
    "rustfmt",
    "scalafmt",
    "shfmt",
    "stylua",
    "swift-format",
    "swiftformat",
    "yapf",
];
/// Programs with a verb for it. What they mend besides (`ruff check --fix`) may break something.
const BY_VERB: &[(&str, &[&str])] = &[
    ("biome", &["format"]),
    ("buf", &["format"]),
    ("cargo", &["fmt"]),
    ("dart", &["format"]),
    ("deno", &["fmt"]),
    ("dprint", &["fmt"]),
    ("gleam", &["format"]),
    ("go", &["fmt"]),
    ("mix", &["format"]),
    ("ruff", &["format"]),
    ("taplo", &["format", "fmt"]),
    ("terraform", &["fmt"]),
    ("tofu", &["fmt"]),
    ("zig", &["fmt"]),
];

/// Returns true if a command only lays code out anew.
pub(super) fn formats(command: &SimpleCommand) -> bool {
    let name = command.name();
    let mut words = command.arguments().iter().map(|word| word.text.as_str());
    let verb = words.find(|word| !word.starts_with(['-', '+']));
    !read_only::writes(command)
        && (FORMATTERS.contains(&name)
            || BY_VERB.iter().any(|(program, verbs)| {
                *program == name && verb.is_some_and(|verb| verbs.contains(&verb))
            }))
}

/// Returns true if of a command line's commands some format, and the others change no file.
pub(super) fn only_formats<'c>(commands: impl IntoIterator<Item = &'c SimpleCommand<'c>>) -> bool {
    let mut some = false;
    commands.into_iter().all(|command| {
        let formats = formats(command);
        some |= formats;
        formats || checks(command) || keeps(command)
    }) && some
}

/// Returns true if a command of git takes up what there is and leaves the files as they are.
fn keeps(command: &SimpleCommand) -> bool {
    let verb = command.arguments().first().map(|word| word.text.as_str());
    command.name() == "git" && matches!(verb, Some("add" | "commit" | "push" | "status"))
}

#[cfg(test)]
mod tests {
    use super::super::only_formats;

    #[test]
    fn what_lays_code_out_anew() {
        for command in [
            "black a.py",
            "gofmt -w main.go",
            "npx prettier --write src/a.ts 2>/dev/null",
            "clang-format -i src/*.c && make check",
            "ruff format a.py && git add -A && git commit -m x",
            "cargo +nightly fmt --all",
            "cd web && pnpm exec biome format --write .",
            "find . -name '*.go' | xargs gofmt -w",
            "poetry run black . && poetry run isort .",
        ] {
            assert!(only_formats(command), "{command}");
        }
        for command in [
            "sed -i s/a/b/ a.py",
            "ruff check --fix a.py",
            "eslint --fix src",
            "cargo fix --allow-dirty",
            "black a.py && sed -i s/a/b/ a.py",
            "black - < a.py > b.py",
            "git checkout a.py && black a.py",
            "pytest -q",
            "python black.py",
            "cargo run -- fmt",
            "",
        ] {
            assert!(!only_formats(command), "{command}");
        }
    }
}
