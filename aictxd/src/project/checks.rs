//! Test commands that only a look into a project's files tells.

use std::fs;
use std::path::Path;

use super::beginning;

/// How much of a file is looked at, in bytes.
const LOOKED_AT: u64 = 64 * 1024;
/// Files of one kind that are looked at.
const MAX_FILES: usize = 12;
/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 1_000;
/// Stands for the project files of .NET, which each have a name of their own.
pub(super) const DOTNET: &str = "*.csproj";
/// Stands for tests of Python where no manifest says anything.
pub(super) const PYTHON_TESTS: &str = "tests/*.py";
/// What .NET's test projects refer to.
const DOTNET_TESTS: &[&str] = &["Microsoft.NET.Test.Sdk", "xunit", "nunit", "mstest"];
/// Files in which Python projects name what they need.
const PYTHON_NEEDS: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "pytest.ini",
    "conftest.py",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "Pipfile",
];

/// What was found of one kind of project.
pub(super) struct Found {
    /// The manifest whose promise it replaces; added where it is one of the two above.
    pub(super) manifest: &'static str,
    /// The command; none where there are no tests.
    pub(super) command: Option<String>,
}

/// What the files of a root say about how they are tested. Adds to `sources` what it depends on.
pub(super) fn found(root: &Path, manifests: &[String], sources: &mut Vec<String>) -> Vec<Found> {
    let has = |manifest: &str| manifests.iter().any(|m| m == manifest);
    let mut all = Vec::new();
    if has("Gemfile") {
        let command = ruby(root, sources);
        all.extend(command.map(|command| Found {
            manifest: "Gemfile",
            command: Some(command.to_owned()),
        }));
    }
    if has("composer.json")
        && let Some(command) = php(root, sources)
    {
        all.push(Found {
            manifest: "composer.json",
            command: Some(command.to_owned()),
        });
    }
    all.extend(dotnet(root, sources));
    let of_python = [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
    ];
    let manifest = of_python.into_iter().find(|manifest| has(manifest));
    if !has("pytest.ini") && !has("tox.ini") && (manifest.is_some() || manifests.is_empty()) {
        let command = python(root, sources);
        all.extend(command.map(|command| Found {
            manifest: manifest.unwrap_or(PYTHON_TESTS),
            command: Some(command),
        }));
    }
    all
}

/// Recipes of a justfile that test.
pub(super) fn just_recipes(root: &Path, sources: &mut Vec<String>) -> Vec<String> {
    let names = ["justfile", "Justfile", ".justfile"];
    let text = names.into_iter().find_map(|name| {
        sources.push(name.to_owned());
        beginning(root, name, LOOKED_AT)
    });
    let text = text.unwrap_or_default();
    // "test *args: build": a recipe, its parameters, what it needs; "test := …" is a variable.
    let recipe = |line: &str| {
        let head = line
            .split_once(':')
            .filter(|(_, rest)| !rest.starts_with('='))?;
        let name = head.0.split_whitespace().next()?.trim_start_matches('@');
        let is_recipe = !line.starts_with([' ', '\t', '#']);
        (is_recipe && matches!(name, "test" | "tests" | "check")).then(|| name.to_owned())
    };
    let mut found: Vec<String> = text.lines().filter_map(recipe).collect();
    found.sort_by_key(|name| name == "check");
    found.dedup();
    found
}

fn ruby(root: &Path, sources: &mut Vec<String>) -> Option<&'static str> {
    sources.extend(["Gemfile", "bin"].map(str::to_owned));
    let (specs, tests) = (root.join("spec").is_dir(), root.join("test").is_dir());
    let gems = beginning(root, "Gemfile", LOOKED_AT).unwrap_or_default();
    let specs = specs || root.join(".rspec").is_file();
    if specs && (!tests || gems.contains("rspec")) {
        return Some("bundle exec rspec");
    }
    (tests && root.join("bin/rails").is_file()).then_some("bin/rails test")
}

fn php(root: &Path, sources: &mut Vec<String>) -> Option<&'static str> {
    sources.push("composer.json".to_owned());
    let text = beginning(root, "composer.json", LOOKED_AT)?;
    let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
    if manifest.pointer("/scripts/test").is_some() {
        return None;
    }
    let configured = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];
    let configured = configured.iter().any(|name| root.join(name).is_file());
    let needs = |package: &str| {
        let lists = ["require-dev", "require"].into_iter();
        lists
            .filter_map(|list| manifest.get(list))
            .any(|list| list.get(package).is_some())
    };
    if needs("pestphp/pest") {
        return Some("vendor/bin/pest");
    }
    (configured || needs("phpunit/phpunit")).then_some("vendor/bin/phpunit")
}

/// Names in a directory, sorted, those of directories with a slash behind them.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let entries = entries.take(MAX_ENTRIES).filter_map(Result::ok);
    let name = |entry: fs::DirEntry| {
        let kind = entry.file_type().ok()?;
        let name = entry.file_name().into_string().ok()?;
        Some(if kind.is_dir() { name + "/" } else { name })
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort_unstable();
    names
}

/// A solution, or a project: there, or in a directory below it, or below `src/` and the like.
fn dotnet(root: &Path, sources: &mut Vec<String>) -> Option<Found> {
    let ends = |name: &String, all: &[&str]| all.iter().any(|end| name.ends_with(end));
    let projects = [".csproj", ".fsproj", ".vbproj"];
    let top = names(root);
    let there = |name: &String| ends(name, &projects) || ends(name, &[".sln", ".slnx"]);
    if !top.iter().any(there) {
        return None;
    }
    let mut files: Vec<String> = Vec::new();
    let mut directories = vec![(String::new(), 0)];
    let mut at = 0;
    while let Some((directory, depth)) = directories.get(at).cloned() {
        at += 1;
        for name in names(&root.join(&directory)) {
            let hidden = name.starts_with('.') || matches!(name.as_str(), "bin/" | "obj/");
            match name.strip_suffix('/') {
                Some(_) if hidden || depth > 1 || directories.len() > MAX_FILES * 4 => {}
                Some(_) => directories.push((format!("{directory}{name}"), depth + 1)),
                None if ends(&name, &projects) => files.push(format!("{directory}{name}")),
                None => {}
            }
        }
    }
    // Those that are called so, first.
    files.sort_by_key(|file| !file.to_lowercase().contains("test"));
    files.truncate(MAX_FILES);
    let refers = |file: &String| {
        let text = beginning(root, file, LOOKED_AT).unwrap_or_default();
        let text = text.to_lowercase();
        DOTNET_TESTS
            .iter()
            .any(|name| text.contains(&name.to_lowercase()))
    };
    let tests = files.iter().any(refers);
    sources.extend(
        directories
            .into_iter()
            .map(|(directory, _)| directory)
            .filter(|d| !d.is_empty()),
    );
    sources.extend(files);
    Some(Found {
        manifest: DOTNET,
        command: tests.then(|| "dotnet test".to_owned()),
    })
}

/// Tests of the standard library, where nothing speaks of pytest; pytest where the tests are written for it and
/// no manifest says anything.
fn python(root: &Path, sources: &mut Vec<String>) -> Option<String> {
    let directory = ["tests", "test"]
        .into_iter()
        .find(|name| root.join(name).is_dir())?;
    sources.push(directory.to_owned());
    sources.extend(PYTHON_NEEDS.iter().map(|name| (*name).to_owned()));
    let is_test = |name: &String| {
        name.ends_with(".py") && (name.starts_with("test") || name.ends_with("_test.py"))
    };
    let inside = names(&root.join(directory));
    let files: Vec<&String> = inside
        .iter()
        .filter(|name| is_test(name))
        .take(MAX_FILES)
        .collect();
    let texts = files.iter().filter_map(|name| {
        let file = format!("{directory}/{name}");
        sources.push(file.clone());
        beginning(root, &file, LOOKED_AT)
    });
    let texts: Vec<String> = texts.collect();
    let says = |text: &String, what: &str| text.contains(what);
    let named = PYTHON_NEEDS
        .iter()
        .any(|name| beginning(root, name, LOOKED_AT).is_some_and(|text| says(&text, "pytest")));
    let unittest = |text: &String| says(text, "unittest") && says(text, "TestCase");
    let pytest = named
        || inside.iter().any(|name| name == "conftest.py")
        || texts
            .iter()
            .any(|text| says(text, "pytest") || !unittest(text));
    if texts.is_empty() {
        return None;
    }
    let command = match pytest {
        true => "python -m pytest".to_owned(),
        // A package is found from where it is imported, other tests where they lie.
        false if inside.iter().any(|name| name == "__init__.py") => "python -m unittest".to_owned(),
        false => format!("python -m unittest discover -s {directory}"),
    };
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::super::look;
    use super::*;

    fn check(files: &[(&str, &str)]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let command = look(dir.path()).0.test_command();
        command.map(|(command, _)| command)
    }

    #[test]
    fn every_kind_is_tested_as_its_files_say() {
        let unit = "import unittest\nclass T(unittest.TestCase):\n    pass\n";
        let spec = ("spec/a_spec.rb", "");
        let sdk = r#"<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17"/>"#;
        type Files<'f> = &'f [(&'f str, &'f str)];
        let cases: &[(Files, Option<&str>)] = &[
            (
                &[("Gemfile", "gem 'rspec'"), spec],
                Some("bundle exec rspec"),
            ),
            (
                &[("Gemfile", ""), (".rspec", "")],
                Some("bundle exec rspec"),
            ),
            (
                &[("Gemfile", ""), ("Rakefile", ""), ("test/a_test.rb", "")],
                Some("bundle exec rake test"),
            ),
            (
                &[("Gemfile", ""), ("bin/rails", ""), ("test/a_test.rb", "")],
                Some("bin/rails test"),
            ),
            (
                &[("composer.json", r#"{"scripts":{"test":"x"}}"#)],
                Some("composer test"),
            ),
            (
                &[(
                    "composer.json",
                    r#"{"require-dev":{"phpunit/phpunit":"^10"}}"#,
                )],
                Some("vendor/bin/phpunit"),
            ),
            (
                &[("composer.json", "{}"), ("phpunit.xml.dist", "")],
                Some("vendor/bin/phpunit"),
            ),
            (&[("composer.json", "{}")], None),
            (
                &[("a.sln", ""), ("tests/A.Tests/A.Tests.csproj", sdk)],
                Some("dotnet test"),
            ),
            (&[("a.csproj", sdk)], Some("dotnet test")),
            (&[("a.sln", ""), ("src/A/A.csproj", "<Project/>")], None),
            (
                &[("justfile", "x := '1'\ntest *args: build\n  cargo test\n")],
                Some("just test"),
            ),
            (&[("justfile", "test := '1'\nbuild:\n  make\n")], None),
            (
                &[("tests/test_a.py", unit)],
                Some("python -m unittest discover -s tests"),
            ),
            (
                &[("tests/test_a.py", unit), ("tests/__init__.py", "")],
                Some("python -m unittest"),
            ),
            (
                &[("tests/test_a.py", "def test_a():\n    pass\n")],
                Some("python -m pytest"),
            ),
            (
                &[("setup.py", ""), ("tests/test_a.py", unit)],
                Some("python -m unittest discover -s tests"),
            ),
            (
                &[("requirements.txt", "pytest\n"), ("tests/test_a.py", unit)],
                Some("python -m pytest"),
            ),
            (
                &[("pyproject.toml", "[project]\n")],
                Some("python -m pytest"),
            ),
            (
                &[
                    ("package.json", r#"{"scripts":{"test":"bun test"}}"#),
                    ("bun.lock", ""),
                ],
                Some("bun run test"),
            ),
            (&[("package.json", "{}"), ("bun.lockb", "")], None),
        ];
        for (files, command) in cases {
            assert_eq!(check(files).as_deref(), *command, "{files:?}");
        }
    }

    #[test]
    fn parts_of_a_repository_without_a_manifest_are_tested_each() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("backend/Cargo.toml", ""),
            ("web/package.json", r#"{"scripts":{"test":"vitest"}}"#),
            ("docs/index.md", ""),
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (project, sources) = look(dir.path());
        let parts = [("backend", "cargo test"), ("web", "npm test")];
        let parts = parts.map(|(name, command)| (name.to_owned(), command.to_owned()));
        assert_eq!(project.parts, parts);
        assert!(sources.iter().any(|source| source == "web/package.json"));
        fs::write(dir.path().join("go.mod"), "").unwrap();
        assert!(look(dir.path()).0.parts.is_empty(), "the whole has a check");
    }
}
