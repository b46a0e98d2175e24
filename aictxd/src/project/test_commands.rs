//! Test commands of a project, from the contents of its manifests.

use std::collections::BTreeMap;
use std::path::Path;

use aictx_files::untrusted;
use rustix::fs::FileType;
use serde_json::Value;

use super::{MAX_NAMES, beginning};

/// The kind of a solution or a project of .NET, whatever its file is called.
pub(super) const DOTNET: &str = "*.csproj";
/// Bytes read of a manifest.
const MANIFEST_BYTES: u64 = 256 * 1024;
/// Bytes read of a file of tests.
const TEST_BYTES: u64 = 8 * 1024;
/// Files looked at of one directory.
const MAX_FILES: usize = 20;
/// Packages that .NET projects with tests refer to.
const DOTNET_TESTS: &[&str] = &[
    "Microsoft.NET.Test.Sdk",
    "xunit",
    "NUnit",
    "nunit",
    "MSTest",
    "TUnit",
];
/// Files of recipes besides a Makefile, and the program that runs them.
const RECIPES: &[(&str, &str)] = &[
    ("justfile", "just"),
    ("Justfile", "just"),
    (".justfile", "just"),
    ("Taskfile.yml", "task"),
    ("Taskfile.yaml", "task"),
];
/// Files that list the dependencies of Python projects.
const PYTHON: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "test-requirements.txt",
    "Pipfile",
];

/// Test commands and recipes of a project.
#[derive(Debug, Default)]
pub(super) struct Promised {
    /// Test commands of manifests, where they are not the usual one of their kind.
    pub(super) commands: BTreeMap<String, String>,
    /// Manifests whose kind promises a test command that this project does not have.
    pub(super) testless: Vec<String>,
    /// Commands that run test recipes.
    pub(super) recipes: Vec<String>,
    /// Test commands by convention, without any manifest.
    pub(super) conventions: Vec<String>,
}

/// Returns true if a file is a solution or a project of .NET.
pub(super) fn is_dotnet(name: &str) -> bool {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    matches!(end, "sln" | "slnx" | "csproj" | "fsproj" | "vbproj")
}

/// Names of the files in a directory, sorted.
pub(super) fn files(root: &Path) -> Vec<String> {
    let (mut names, _) = some_files(root);
    names.sort_unstable();
    names
}

/// Names of the files in a directory, and whether those are all.
pub(super) fn some_files(root: &Path) -> (Vec<String>, bool) {
    let Ok(mut entries) = untrusted::entries(root) else {
        return (Vec::new(), false);
    };
    let names = entries
        .by_ref()
        .take(MAX_NAMES)
        .filter(|entry| entry.kind != FileType::Directory)
        .filter_map(|entry| entry.name.into_string().ok())
        .collect();
    (names, entries.next().is_none())
}

struct Look<'r> {
    root: &'r Path,
    files: Vec<String>,
    sources: &'r mut Vec<String>,
    out: Promised,
}

/// Returns the test commands in a project's manifests. Adds the files read to `sources`.
pub(super) fn promised(root: &Path, manifests: &[String], sources: &mut Vec<String>) -> Promised {
    let mut look = Look {
        root,
        files: files(root),
        sources,
        out: Promised::default(),
    };
    let has = |name: &str| manifests.iter().any(|manifest| manifest == name);
    if has("package.json") {
        look.javascript();
    }
    if has("composer.json") {
        look.php();
    }
    if has("Gemfile") {
        look.ruby();
    }
    if has(DOTNET) {
        look.dotnet();
    }
    if has("deno.json") {
        look.deno();
    }
    look.wrappers();
    look.python();
    look.recipes();
    look.out
}

impl Look<'_> {
    fn read(&mut self, name: &str, most: u64) -> Option<String> {
        let text = beginning(self.root, name, most);
        if text.is_some() && !self.sources.iter().any(|known| known == name) {
            self.sources.push(name.to_owned());
        }
        text
    }

    fn json(&mut self, name: &str) -> Option<Value> {
        serde_json::from_str(&self.read(name, MANIFEST_BYTES)?).ok()
    }

    fn is_file(&self, name: &str) -> bool {
        self.files.iter().any(|known| known == name)
    }

    fn is_dir(&self, name: &str) -> bool {
        self.root.join(name).is_dir()
    }

    fn own(&mut self, manifests: &[&str], command: &str) {
        for manifest in manifests {
            let command = command.to_owned();
            self.out.commands.insert((*manifest).to_owned(), command);
        }
    }

    fn none(&mut self, manifests: &[&str]) {
        let none = manifests.iter().map(|manifest| (*manifest).to_owned());
        self.out.testless.extend(none);
    }

    /// Its script, run by its package manager; without one, the test runner that it needs.
    fn javascript(&mut self) {
        const LOCKS: &[&str] = &[
            "package.json",
            "bun.lock",
            "bun.lockb",
            "pnpm-lock.yaml",
            "yarn.lock",
        ];
        self.sources.push("package.json".to_owned());
        // Who cannot be read promises what its kind does.
        let Some(manifest) = self.json("package.json") else {
            return;
        };
        let script = manifest.pointer("/scripts/test").and_then(Value::as_str);
        if script.is_some_and(|script| !script.contains("no test specified")) {
            let manager = manifest.get("packageManager").and_then(Value::as_str);
            match manager.and_then(|manager| manager.split('@').next()) {
                Some("pnpm") => self.own(&["package.json"], "pnpm test"),
                Some("yarn") => self.own(&["package.json"], "yarn test"),
                Some("bun") => self.own(&["package.json"], "bun run test"),
                _ => {}
            }
            return;
        }
        let needs = |name: &str| {
            let of = ["devDependencies", "dependencies"].iter();
            of.filter_map(|list| manifest.get(list))
                .any(|list| list.get(name).is_some())
        };
        let bun = self.is_file("bun.lock") || self.is_file("bun.lockb");
        let runner = match () {
            () if needs("vitest") => "npx vitest run",
            () if needs("jest") => "npx jest",
            () if bun && (self.has_script_tests() || needs("@types/bun")) => "bun test",
            () => return self.none(LOCKS),
        };
        self.own(LOCKS, runner);
    }

    /// Returns true if there are files that a JavaScript runner takes for tests.
    fn has_script_tests(&mut self) -> bool {
        let dirs = [".", "test", "tests", "src", "__tests__"];
        self.sources
            .extend(dirs.iter().map(|dir| (*dir).to_owned()));
        dirs.iter().any(|dir| {
            let names = files(&self.root.join(dir));
            names
                .iter()
                .any(|name| name.contains(".test.") || name.contains(".spec."))
        })
    }

    /// Its script, else the runner that it needs.
    fn php(&mut self) {
        self.sources.push("composer.json".to_owned());
        let Some(manifest) = self.json("composer.json") else {
            return;
        };
        let said = |value: &Value| match value {
            Value::Array(lines) => lines.iter().any(|l| l.as_str().is_some_and(runs_phpunit)),
            value => value.as_str().is_some_and(runs_phpunit),
        };
        let scripts = manifest.get("scripts").and_then(Value::as_object);
        if scripts.is_some_and(|scripts| scripts.contains_key("test")) {
            return;
        }
        // Of several the one with the shortest name, which is the most general.
        let script = scripts.and_then(|scripts| {
            let tests = scripts.iter().filter(|(_, value)| said(value));
            tests.map(|(name, _)| name).min_by_key(|name| name.len())
        });
        let needs = |name: &str| {
            let of = ["require-dev", "require"].iter();
            of.filter_map(|list| manifest.get(list))
                .any(|list| list.get(name).is_some())
        };
        let is_set_up = self.is_file("phpunit.xml") || self.is_file("phpunit.xml.dist");
        let command = match script {
            Some(name) => format!("composer {}", aictx_proto::text::shell_word(name)),
            None if self.is_file("artisan") && is_set_up => "php artisan test".to_owned(),
            None if needs("pestphp/pest") => "vendor/bin/pest".to_owned(),
            None if needs("phpunit/phpunit") || is_set_up => "vendor/bin/phpunit".to_owned(),
            None => return self.none(&["composer.json"]),
        };
        self.own(&["composer.json"], &command);
    }

    fn ruby(&mut self) {
        let gems = self.read("Gemfile", MANIFEST_BYTES).unwrap_or_default();
        let rakefile = self.read("Rakefile", MANIFEST_BYTES);
        let rake = rakefile.unwrap_or_default();
        let rake_tests = [
            "TestTask",
            "task :test",
            "task test",
            "task \"test\"",
            "task 'test'",
        ];
        let rspec = self.is_file(".rspec") || gems.contains("rspec") || gems.contains("gemspec");
        let rails = self.root.join("bin/rails").is_file();
        match () {
            () if rake_tests.iter().any(|word| rake.contains(word)) && self.is_dir("test") => {}
            () if self.is_dir("spec") && rspec => self.own(&["Gemfile"], "bundle exec rspec"),
            () if rails && self.is_dir("test") => self.own(&["Gemfile"], "bin/rails test"),
            () if rake.contains("RSpec::Core::RakeTask") => {
                self.own(&["Gemfile"], "bundle exec rspec");
            }
            // A Rakefile may load its tasks from anywhere.
            () if self.is_file("Rakefile") => {}
            () => self.none(&["Gemfile"]),
        }
    }

    /// Checks the projects of a solution for a test framework.
    fn dotnet(&mut self) {
        let names = self.files.iter().filter(|name| is_dotnet(name));
        let mut projects: Vec<String> = names.cloned().collect();
        let mut read = 0;
        while let Some(name) = projects.pop() {
            read += 1;
            let Some(text) = (read <= MAX_FILES)
                .then(|| self.read(&name, MANIFEST_BYTES))
                .flatten()
            else {
                continue;
            };
            if name.ends_with("proj") {
                if DOTNET_TESTS.iter().any(|word| text.contains(word)) {
                    return;
                }
                continue;
            }
            let quoted = text.split('"').filter(|part| part.ends_with("proj"));
            let mut of_solution: Vec<String> = quoted.map(|part| part.replace('\\', "/")).collect();
            // What is called a test is looked at first.
            of_solution.sort_by_key(|name| name.to_lowercase().contains("test"));
            projects.extend(of_solution);
        }
        // What the projects of a solution share may stand in one place.
        for shared in ["Directory.Build.props", "Directory.Packages.props"] {
            let text = self.read(shared, MANIFEST_BYTES).unwrap_or_default();
            if DOTNET_TESTS.iter().any(|word| text.contains(word)) {
                return;
            }
        }
        self.none(&[DOTNET]);
    }

    fn deno(&mut self) {
        let tasks = self.json("deno.json");
        if tasks.is_some_and(|manifest| manifest.pointer("/tasks/test").is_some()) {
            self.own(&["deno.json"], "deno task test");
        }
    }

    /// Builds that come with their own tool, or without it.
    fn wrappers(&mut self) {
        if self.is_file("mvnw") {
            self.own(&["pom.xml"], "./mvnw test");
        }
        if !self.is_file("gradlew") {
            self.own(&["build.gradle", "build.gradle.kts"], "gradle test");
        }
    }

    /// With pytest where anything speaks of it, else by what the tests look like.
    fn python(&mut self) {
        const MANIFESTS: &[&str] = &[
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements.txt",
        ];
        if self.is_file("pytest.ini") || self.is_file("conftest.py") {
            return self.out.conventions.push("python -m pytest".to_owned());
        }
        let speaks = |look: &mut Self, name: &&&str| {
            look.is_file(name)
                && look
                    .read(name, MANIFEST_BYTES)
                    .is_some_and(|text| text.contains("pytest"))
        };
        let mut names = PYTHON.iter();
        if names.any(|name| speaks(self, &name)) {
            return;
        }
        if self.is_file("manage.py")
            && self
                .read("manage.py", TEST_BYTES)
                .is_some_and(|t| t.contains("django"))
        {
            self.own(MANIFESTS, "python manage.py test");
            return self
                .out
                .conventions
                .push("python manage.py test".to_owned());
        }
        for dir in ["tests", "test", "."] {
            self.sources.push(dir.to_owned());
            let names = files(&self.root.join(dir));
            if names.iter().any(|name| name == "conftest.py") {
                return self.out.conventions.push("python -m pytest".to_owned());
            }
            let is_test = |name: &&String| {
                name.ends_with(".py") && (name.starts_with("test") || name.ends_with("_test.py"))
            };
            let mut tests: Vec<String> = names.iter().filter(is_test).cloned().collect();
            tests.truncate(MAX_FILES);
            if tests.is_empty() {
                continue;
            }
            let path = |name: &str| match dir {
                "." => name.to_owned(),
                dir => format!("{dir}/{name}"),
            };
            let texts: Vec<String> = tests
                .iter()
                .filter_map(|name| self.read(&path(name), TEST_BYTES))
                .collect();
            let pytest = texts.iter().any(|text| text.contains("pytest"));
            let unittest = texts
                .iter()
                .any(|text| text.contains("unittest") && text.contains("TestCase"));
            if pytest || !unittest {
                return self.out.conventions.push("python -m pytest".to_owned());
            }
            // It looks into packages by itself.
            let found = dir == "." || names.iter().any(|name| name == "__init__.py");
            let command = match found {
                true => "python -m unittest".to_owned(),
                false => format!("python -m unittest discover -s {dir}"),
            };
            self.own(MANIFESTS, &command);
            return self.out.conventions.push(command);
        }
    }

    fn recipes(&mut self) {
        for (file, program) in RECIPES {
            let Some(text) = self
                .is_file(file)
                .then(|| self.read(file, MANIFEST_BYTES))
                .flatten()
            else {
                continue;
            };
            let recipe = match *program {
                // `test *args: build`, `@check:`; what is assigned is no recipe.
                "just" => text.lines().find_map(|line| {
                    let (head, rest) = line.split_once(':')?;
                    let name = head.split_whitespace().next()?.trim_start_matches('@');
                    let plain = line.starts_with(name) || line.starts_with('@');
                    (plain && !rest.starts_with('=') && is_test(name)).then_some(name)
                }),
                _ => text.lines().find_map(|line| {
                    let name = line.strip_prefix("  ")?.strip_suffix(':')?;
                    is_test(name).then_some(name)
                }),
            };
            if let Some(recipe) = recipe {
                self.out.recipes.push(format!("{program} {recipe}"));
            }
        }
    }
}

/// Names of what tests a project as a whole.
pub(super) fn is_test(name: &str) -> bool {
    matches!(name, "test" | "tests" | "check")
}

fn runs_phpunit(line: &str) -> bool {
    // `@php vendor/bin/phpunit`
    let mut words = line.split_whitespace().take(3);
    words.any(|word| {
        matches!(
            word.rsplit('/').next(),
            Some("phpunit" | "pest" | "paratest")
        )
    })
}

#[cfg(test)]
mod tests;
