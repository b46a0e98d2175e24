//! Test commands of projects of each kind.

use super::super::look;
use std::fs;

/// The command of a project with these files, and the further ones.
fn commands(project: &[(&str, &str)]) -> (Option<String>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in project {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (seen, _) = look(dir.path());
    let command = seen.test_command().map(|(command, _)| command);
    let further = seen.further_checks(command.as_deref().unwrap_or_default());
    (command, further)
}

#[test]
fn w8_a_project_is_tested_as_its_files_say() {
    let unittest = "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n";
    let solution = "Project(\"{F}\") = \"App\", \"src\\App\\App.csproj\", \"{1}\"\nProject(\"{F}\") = \"T\", \"tests\\T\\T.csproj\", \"{2}\"\n";
    let with_tests = "<PackageReference Include=\"xunit\" Version=\"2\" />";
    for (project, expected) in [
        (
            &[("Gemfile", "gem 'rspec'"), ("spec/a_spec.rb", "")][..],
            "bundle exec rspec",
        ),
        (
            &[
                ("Gemfile", ""),
                ("Rakefile", "Rake::TestTask.new"),
                ("test/a_test.rb", ""),
            ],
            "bundle exec rake test",
        ),
        (
            &[
                ("Gemfile", "gem 'rails'"),
                ("bin/rails", ""),
                ("test/a_test.rb", ""),
            ],
            "bin/rails test",
        ),
        (&[("Gemfile", "gem 'sinatra'")], ""),
        (
            &[
                ("a.sln", solution),
                ("src/App/App.csproj", ""),
                ("tests/T/T.csproj", with_tests),
            ],
            "dotnet test",
        ),
        (&[("T.csproj", with_tests)], "dotnet test"),
        (&[("App.csproj", "<Project/>")], ""),
        (
            &[(
                "composer.json",
                r#"{"require-dev": {"phpunit/phpunit": "*"}}"#,
            )],
            "vendor/bin/phpunit",
        ),
        (
            &[(
                "composer.json",
                r#"{"scripts": {"unit": "@php vendor/bin/phpunit -c x", "lint": "phpcs"}}"#,
            )],
            "composer unit",
        ),
        (
            &[("composer.json", r#"{"scripts": {"test": ["phpunit"]}}"#)],
            "composer test",
        ),
        (&[("composer.json", "{}")], ""),
        (
            &[(
                "justfile",
                "x := 'a'\n\n[private]\nbuild:\n\ntest *args: build\n  x\n",
            )],
            "just test",
        ),
        (&[("justfile", "test := 'a'\n\nbuild:\n  cc\n")], ""),
        (
            &[("Taskfile.yml", "tasks:\n  test:\n    cmds: [x]\n")],
            "task test",
        ),
        (
            &[("Makefile", "V := 1\nall test: x\n\techo\n")],
            "make test",
        ),
        (&[("Makefile", "test := 1\nall:\n\techo\n")], ""),
        (
            &[("tests/test_a.py", unittest), ("tests/__init__.py", "")],
            "python -m unittest",
        ),
        (
            &[("tests/test_a.py", unittest)],
            "python -m unittest discover -s tests",
        ),
        (
            &[
                ("pyproject.toml", ""),
                ("tests/test_a.py", unittest),
                ("tests/__init__.py", ""),
            ],
            "python -m unittest",
        ),
        (
            &[
                ("pyproject.toml", "[tool.pytest.ini_options]"),
                ("tests/test_a.py", unittest),
            ],
            "python -m pytest",
        ),
        (
            &[("tests/test_a.py", "def test_a():\n    pass\n")],
            "python -m pytest",
        ),
        (
            &[("manage.py", "import django"), ("requirements.txt", "")],
            "python manage.py test",
        ),
        (
            &[
                ("package.json", r#"{"scripts": {"test": "x"}}"#),
                ("bun.lockb", ""),
            ],
            "bun run test",
        ),
        (
            &[
                ("package.json", "{}"),
                ("bun.lock", ""),
                ("src/a.test.ts", ""),
            ],
            "bun test",
        ),
        (&[("package.json", "{}"), ("bun.lock", "")], ""),
        (
            &[("package.json", r#"{"devDependencies": {"vitest": "1"}}"#)],
            "npx vitest run",
        ),
        (
            &[(
                "package.json",
                r#"{"scripts": {"test": "x"}, "packageManager": "pnpm@9.1.0"}"#,
            )],
            "pnpm test",
        ),
        (&[("pom.xml", ""), ("mvnw", "")], "./mvnw test"),
        (&[("build.gradle", "")], "gradle test"),
        (
            &[("build.gradle.kts", ""), ("gradlew", "")],
            "./gradlew test",
        ),
    ] {
        let (command, further) = commands(project);
        assert_eq!(command.unwrap_or_default(), expected, "{project:?}");
        assert!(further.is_empty(), "{project:?}: {further:?}");
    }
}

#[test]
fn of_several_projects_the_checks_of_all_are_told() {
    let web = r#"{"scripts": {"test": "vitest run"}}"#;
    for (project, expected, further) in [
        (
            &[("backend/Cargo.toml", ""), ("web/package.json", web)][..],
            "cd backend && cargo test",
            &["cd web && npm test"][..],
        ),
        (
            &[("Cargo.toml", ""), ("package.json", web)],
            "cargo test",
            &["npm test"],
        ),
        (
            &[
                ("Cargo.toml", ""),
                ("cli/Cargo.toml", ""),
                ("web/package.json", web),
            ],
            "cargo test",
            &["cd web && npm test"],
        ),
        (
            &[
                ("go.mod", ""),
                ("vendor/a/package.json", web),
                ("vendor/package.json", web),
            ],
            "go test ./...",
            &[],
        ),
        (
            &[("pyproject.toml", ""), ("setup.cfg", ""), ("tox.ini", "")],
            "python -m pytest",
            &[],
        ),
        (
            &[("package.json", web), ("Makefile", "test:\n")],
            "npm test",
            &[],
        ),
    ] {
        let (command, others) = commands(project);
        assert_eq!(command.unwrap_or_default(), expected, "{project:?}");
        assert_eq!(others, further, "{project:?}");
    }
}
