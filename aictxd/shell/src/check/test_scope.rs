//! Scope of the test runs of a command line: their language, where they look for tests, and
//! which tests they were narrowed to.

use super::test_run::{TestRun, test_run};
use crate::SimpleCommand;

/// Scope of one test run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// The language whose tests it runs; empty where the name says nothing of it (`make test`).
    pub language: &'static str,
    /// Directory it runs in, relative to where the command line started; `None` when that is not known.
    pub dir: Option<String>,
    /// Files, directories, packages and patterns of paths that it is narrowed to.
    pub places: Vec<Place>,
    /// Names of tests that it is narrowed to.
    pub names: Vec<String>,
    /// Packages of a workspace that it is narrowed to.
    pub packages: Vec<String>,
}

/// A file, a directory or a pattern of paths that a run is narrowed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Without what stands for a test in it, and without `./`.
    pub path: String,
    /// Only what lies directly in it (`go test ./a`).
    pub flat: bool,
    /// A part of a path.
    pub pattern: bool,
}

/// Languages by the ends of file names.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python", &["py", "pyi", "pyx", "ipynb"]),
    (
        "javascript",
        &[
            "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro",
        ],
    ),
    ("rust", &["rs"]),
    ("go", &["go"]),
    (
        "jvm",
        &[
            "java", "kt", "kts", "scala", "groovy", "clj", "cljs", "cljc",
        ],
    ),
    ("dotnet", &["cs", "fs", "vb", "razor"]),
    ("ruby", &["rb", "erb", "rake"]),
    ("php", &["php"]),
    ("elixir", &["ex", "exs", "heex", "eex", "erl", "hrl"]),
    ("swift", &["swift"]),
    ("dart", &["dart"]),
    ("c", &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx"]),
    ("zig", &["zig"]),
    ("haskell", &["hs"]),
    ("ocaml", &["ml", "mli"]),
    ("lua", &["lua"]),
    ("perl", &["pl", "pm"]),
    ("crystal", &["cr"]),
    ("gleam", &["gleam"]),
    ("solidity", &["sol"]),
    ("r", &["r", "R", "Rmd"]),
    ("julia", &["jl"]),
];
/// Languages by the tools that test them.
const TOOLS: &[(&str, &[&str])] = &[
    (
        "python",
        &["pytest", "unittest", "tox", "nox", "hatch", "pdm", "poe"],
    ),
    (
        "javascript",
        &[
            "jest",
            "vitest",
            "mocha",
            "ava",
            "playwright",
            "cypress",
            "npm",
            "bun",
            "deno",
            "node",
            "karma",
            "ng",
            "turbo",
            "lerna",
            "nx",
        ],
    ),
    ("rust", &["cargo"]),
    ("go", &["go", "ginkgo"]),
    ("jvm", &["maven", "gradle", "sbt", "lein"]),
    ("dotnet", &["dotnet"]),
    ("ruby", &["rspec", "rails", "rake", "cucumber"]),
    (
        "php",
        &[
            "phpunit", "pest", "composer", "artisan", "behat", "codecept",
        ],
    ),
    ("elixir", &["mix", "rebar3"]),
    ("swift", &["swift", "xcodebuild"]),
    ("dart", &["dart", "flutter"]),
    ("c", &["ctest", "meson"]),
    ("zig", &["zig"]),
    ("haskell", &["stack", "cabal"]),
    ("ocaml", &["dune"]),
    ("lua", &["busted"]),
    ("perl", &["prove"]),
    ("crystal", &["crystal"]),
    ("gleam", &["gleam"]),
    ("solidity", &["forge", "hardhat"]),
    ("r", &["testthat"]),
    ("julia", &["julia"]),
];
/// Tools whose operands are files and directories.
const BY_PATH: &[&str] = &[
    "pytest", "unittest", "rspec", "mix", "phpunit", "pest", "rails", "node", "deno", "ava",
    "dart", "flutter", "crystal", "prove", "bats", "busted", "mocha", "artisan",
];
/// Tools whose operands are parts of paths.
const BY_PATTERN: &[&str] = &["jest", "vitest", "playwright", "bun", "npm"];
/// Options whose values name tests.
const NAMING: &[&str] = &[
    "-k",
    "-t",
    "-run",
    "--run",
    "--testNamePattern",
    "--filter",
    "--filter-expr",
    "-E",
    "--test",
    "--tests",
    "-R",
    "--tests-regex",
    "-g",
    "--grep",
    "-e",
    "--example",
    "-Dtest",
    "-Dit.test",
    "--only-testing",
    "--name",
    "--fgrep",
    "--test-name-pattern",
    "--plain-name",
];
/// Cargo's options that run one sort of tests, or leave packages out.
const OF_A_SORT: &[&str] = &[
    "--exclude",
    "--doc",
    "--lib",
    "--bins",
    "--bin",
    "--examples",
    "--example",
    "--tests",
    "--test",
    "--benches",
    "--bench",
];
/// Options whose values name packages of a workspace.
const PACKAGES: &[&str] = &["-p", "--package", "-pl", "--projects", "--workspace"];
/// Options whose values name places.
const PLACING: &[&str] = &[
    "--testPathPattern",
    "--testPathPatterns",
    "--spec",
    "--findRelatedTests",
];

/// The language of a file by its name; empty where that says nothing.
pub fn language_of(path: &str) -> &'static str {
    let end = path.rsplit('/').next().unwrap_or(path).rsplit_once('.');
    let end = end.map_or("", |(_, end)| end);
    let known = LANGUAGES.iter().find(|(_, ends)| ends.contains(&end));
    known.map_or("", |(language, _)| language)
}

/// Returns the scopes of a command line's test runs.
pub fn reaches(command: &str) -> Vec<Reach> {
    let script = crate::parse(command);
    let runs = script.commands.iter().filter_map(|part| {
        let run = test_run(part).filter(|run| !run.dry)?;
        Some(reach(part, &run))
    });
    runs.collect()
}

/// Returns true if a command line runs only some of the tests that its tool would find: those of a name, a package, a
/// file, or of one sort (`cargo test --doc`). A directory of tests is where they are.
pub fn is_narrowed(command: &str) -> bool {
    let of_a_sort = || {
        let script = crate::parse(command);
        script.commands.iter().any(|part| {
            let cargo = test_run(part).is_some_and(|run| run.tool == "cargo");
            let mut words = part.arguments().iter();
            cargo && words.any(|word| OF_A_SORT.contains(&word.text.as_str()))
        })
    };
    let part = |reach: &Reach| {
        let file = |place: &Place| !language_of(&place.path).is_empty();
        !reach.names.is_empty() || !reach.packages.is_empty() || reach.places.iter().any(file)
    };
    reaches(command).iter().any(part) || of_a_sort()
}

fn reach(command: &SimpleCommand, run: &TestRun) -> Reach {
    let language = TOOLS.iter().find(|(_, tools)| tools.contains(&run.tool));
    let mut out = Reach {
        language: language.map_or("", |(language, _)| language),
        dir: command.dir.clone(),
        ..Reach::default()
    };
    if run.tool == "script" {
        out.language = match command.name() {
            name if name.starts_with("python") => "python",
            _ => "",
        };
    }
    let words: Vec<&str> = command
        .arguments()
        .iter()
        .map(|w| w.text.as_str())
        .collect();
    let mut operands = run.operands().peekable();
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        at += 1;
        let (option, inline) = match word.split_once('=') {
            Some((option, value)) if word.starts_with('-') => (option, Some(value)),
            _ => (word, None),
        };
        let list = match option {
            // Of pytest they are markers and settings, of others a profile or a path.
            "-p" | "-e" | "-t" | "-E" if run.tool == "pytest" => None,
            "-p" | "--package" if run.tool != "cargo" && run.tool != "swift" => None,
            "--test" if run.tool == "node" => None,
            "--workspace" if run.tool != "npm" => None,
            "-e" if !matches!(run.tool, "rspec" | "prove") => None,
            "-R" if run.tool != "ctest" => None,
            _ if NAMING.contains(&option) => Some(&mut out.names),
            _ if PACKAGES.contains(&option) => Some(&mut out.packages),
            _ => None,
        };
        let placed = PLACING.contains(&option);
        if list.is_some() || placed {
            let value = inline
                .or_else(|| words.get(at).copied())
                .unwrap_or_default();
            at += usize::from(inline.is_none());
            if operands
                .peek()
                .is_some_and(|operand| *operand == value.trim_end_matches('/'))
            {
                operands.next();
            }
            match list {
                Some(list) => list.push(value.to_owned()),
                None => out.places.push(place(run.tool, value, true)),
            }
            continue;
        }
        let bare = word.trim_end_matches('/');
        if operands.peek().is_some_and(|operand| *operand == bare) {
            operands.next();
            let before = at
                .checked_sub(2)
                .and_then(|before| words.get(before))
                .copied();
            operand(&mut out, run.tool, bare, before.unwrap_or_default());
        }
    }
    if out
        .places
        .iter()
        .any(|place| place.path.is_empty() && !place.flat)
    {
        out.places.clear();
    }
    out
}

/// Adds an operand, if it narrows the run. A word behind an option that is not known may be its value.
fn operand(out: &mut Reach, tool: &str, word: &str, before: &str) {
    let is_path = word.contains(['/', '.']) || word.contains("::");
    let like_test = ["test", "spec", "Test", "Spec"]
        .iter()
        .any(|part| word.contains(part));
    let unsure = before.starts_with("--") && before.len() > 2 && !before.contains('=')
        || before.starts_with('-') && before.len() > 1 && !is_path;
    if word.is_empty() || (unsure && !like_test) || word.contains('=') {
        return;
    }
    match tool {
        "cargo" if word != "run" && word != "nextest" => out.names.push(word.to_owned()),
        "go" | "ginkgo" if word.starts_with('.') || word.contains('/') => {
            out.places.push(place(tool, word, false));
        }
        "unittest" if word == "discover" => {}
        "unittest" if !word.contains('/') && !word.ends_with(".py") => {
            out.places.push(place(tool, &word.replace('.', "/"), true));
        }
        "script" => {
            let file = word.rsplit('/').next().unwrap_or(word);
            let single =
                file.starts_with("test_") || file.contains("_test.") || file.contains("_spec.");
            let manages = before == "test" && !word.contains('/');
            if single || manages {
                out.places
                    .push(place(tool, &word.replace("manage.py", ""), manages));
            }
        }
        "npm" if matches!(word, "run" | "run-script" | "test") || word.starts_with("test:") => {}
        _ if BY_PATTERN.contains(&tool) => out.places.push(place(tool, word, true)),
        _ if BY_PATH.contains(&tool) && (is_path || like_test) => {
            out.places.push(place(tool, word, false));
        }
        _ => {}
    }
}

fn place(tool: &str, word: &str, pattern: bool) -> Place {
    let mut path = word.split("::").next().unwrap_or(word);
    path = path.split(['[', '#']).next().unwrap_or(path);
    // `a_spec.rb:12:30`
    while let Some((front, line)) = path.rsplit_once(':')
        && line.bytes().all(|byte| byte.is_ascii_digit())
    {
        path = front;
    }
    let deep = path
        .strip_suffix("/...")
        .or_else(|| path.strip_suffix("..."));
    let mut rest = deep.unwrap_or(path).trim_end_matches('/');
    while let Some(front) = rest.strip_prefix("./") {
        rest = front;
    }
    Place {
        path: if rest == "." {
            String::new()
        } else {
            rest.to_owned()
        },
        flat: tool == "go" && deep.is_none(),
        pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str) -> String {
        let reaches = reaches(command);
        let shown = reaches.iter().map(|reach| {
            let places = reach.places.iter().map(|place| {
                let flat = if place.flat { "/." } else { "" };
                format!("{}{flat}", place.path)
            });
            let places: Vec<String> = places.collect();
            format!(
                "{} in {:?}: {} | {} | {}",
                reach.language,
                reach.dir.as_deref().unwrap_or("?"),
                places.join(" "),
                reach.names.join(" "),
                reach.packages.join(" ")
            )
        });
        shown.collect::<Vec<_>>().join(" + ")
    }

    #[test]
    fn what_runs_are_narrowed_to() {
        for (command, want) in [
            ("pytest -q", "python in \"\":  |  | "),
            ("pytest -q .", "python in \"\":  |  | "),
            (
                "pytest -n 4 --junitxml out.xml -p no:cacheprovider",
                "python in \"\":  |  | ",
            ),
            (
                "python -m pytest tests/test_a.py::test_x -x",
                "python in \"\": tests/test_a.py |  | ",
            ),
            (
                "pytest -k 'tax and not slow' -m unit",
                "python in \"\":  | tax and not slow | ",
            ),
            ("cd api && pytest tests/", "python in \"api\": tests |  | "),
            (
                "python -m unittest tests.test_a",
                "python in \"\": tests/test_a |  | ",
            ),
            (
                "python -m unittest discover -s tests",
                "python in \"\": tests |  | ",
            ),
            (
                "python manage.py test billing",
                "python in \"\": billing |  | ",
            ),
            ("cargo test --workspace --jobs 4", "rust in \"\":  |  | "),
            (
                "cargo nextest run -p aictx-guard path",
                "rust in \"\":  | path | aictx-guard",
            ),
            ("go test -count 1 -timeout 30s ./...", "go in \"\":  |  | "),
            (
                "go test ./internal/a ./b/... -run TestX",
                "go in \"\": internal/a/. b | TestX | ",
            ),
            (
                "npx jest --ci --reporters default",
                "javascript in \"\":  |  | ",
            ),
            (
                "npx jest src/a.test.ts -t adds",
                "javascript in \"\": src/a.test.ts | adds | ",
            ),
            (
                "npm test -- src/a.test.ts",
                "javascript in \"\": src/a.test.ts |  | ",
            ),
            (
                "npx vitest run --reporter verbose tax",
                "javascript in \"\": tax |  | ",
            ),
            ("make test", " in \"\":  |  | "),
            ("mvn -q -Dtest=TaxTest test", "jvm in \"\":  | TaxTest | "),
            (
                "./gradlew :app:test --tests com.x.TaxTest",
                "jvm in \"\":  | com.x.TaxTest | ",
            ),
            (
                "dotnet test -c Release --filter Name~Tax",
                "dotnet in \"\":  | Name~Tax | ",
            ),
            ("ctest --test-dir build -R tax", "c in \"\":  | tax | "),
            (
                "bundle exec rspec spec/a_spec.rb:12",
                "ruby in \"\": spec/a_spec.rb |  | ",
            ),
            (
                "mix test test/a_test.exs --seed 0",
                "elixir in \"\": test/a_test.exs |  | ",
            ),
            ("ls", ""),
            ("pytest --collect-only", ""),
        ] {
            assert_eq!(told(command), want, "{command}");
        }
    }

    #[test]
    fn languages_of_files() {
        for (path, want) in [
            ("a/b.py", "python"),
            ("a.test.tsx", "javascript"),
            ("x.rs", "rust"),
            ("Makefile", ""),
            ("conf.d/x", ""),
            ("a.yaml", ""),
            ("", ""),
        ] {
            assert_eq!(language_of(path), want, "{path}");
        }
    }
}
