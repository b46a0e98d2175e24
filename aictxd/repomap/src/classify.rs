//! What sort of file a path names.

use crate::view::Class;

/// Directories of other people's code.
static VENDORED: &[&str] = &[
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "node_modules",
    "bower_components",
    "external",
    "externals",
    "extern",
    "deps_src",
    "godeps",
];
/// Directories of test data.
static FIXTURE: &[&str] = &[
    "fixtures",
    "fixture",
    "testdata",
    "test-data",
    "test_data",
    "testfiles",
    "snapshots",
    "__snapshots__",
    "__fixtures__",
    "goldens",
    "golden",
    "corpus",
    "cassettes",
];
/// Directories of tests, benchmarks and examples of use.
static TEST: &[&str] = &[
    "test",
    "tests",
    "testing",
    "spec",
    "specs",
    "__tests__",
    "e2e",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "examples",
    "example",
    "fuzz",
    "integration-tests",
    "integration_tests",
    "__mocks__",
    "mocks",
    "testutil",
    "testutils",
    "test-utils",
    "androidtest",
    "unittests",
    "gtest",
];
/// Directories of documentation.
static DOCS: &[&str] = &[
    "doc",
    "docs",
    "documentation",
    "man",
    "website",
    "book",
    "guide",
    "guides",
];
/// File names of documentation, without extension, in lower case.
static DOC_NAMES: &[&str] = &[
    "readme",
    "changelog",
    "changes",
    "history",
    "news",
    "contributing",
    "authors",
    "license",
    "licence",
    "copying",
    "notice",
    "security",
    "code_of_conduct",
    "maintainers",
    "releasing",
    "release-notes",
    "release_notes",
    "upgrading",
    "roadmap",
    "todo",
    "governance",
    "support",
];
/// Extensions of documentation.
static DOC_EXTENSIONS: &[&str] = &[
    "md", "mdx", "rst", "adoc", "asciidoc", "txt", "org", "pod", "tex", "markdown",
];
/// Names of lock files and the like.
static GENERATED_NAMES: &[&str] = &[
    "cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "go.sum",
    "gemfile.lock",
    "poetry.lock",
    "pipfile.lock",
    "uv.lock",
    "composer.lock",
    "flake.lock",
    "npm-shrinkwrap.json",
    "mix.lock",
    "pubspec.lock",
    "podfile.lock",
    "bun.lockb",
    "bun.lock",
    "gradle.lockfile",
    "packages.lock.json",
    "deno.lock",
    "pdm.lock",
    "package.resolved",
    "go.work.sum",
];
/// Endings of files made by programs.
static GENERATED_ENDINGS: &[&str] = &[
    ".min.js",
    ".min.css",
    ".min.mjs",
    ".js.map",
    ".css.map",
    ".pb.go",
    "_pb2.py",
    "_pb2_grpc.py",
    ".pb.cc",
    ".pb.h",
    ".g.dart",
    ".freezed.dart",
    ".designer.cs",
    ".g.cs",
    "_generated.go",
    "_generated.rs",
    ".generated.ts",
    ".generated.go",
    ".generated.rs",
    "_string.go",
    ".snap",
];
/// Directories that programs write.
static GENERATED: &[&str] = &[
    "dist",
    "generated",
    "__generated__",
    "autogen",
    "_generated",
];
/// Extensions of configuration.
static CONFIG_EXTENSIONS: &[&str] = &[
    "toml",
    "yaml",
    "yml",
    "json",
    "json5",
    "jsonc",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "gradle",
    "cmake",
    "mk",
    "mak",
    "bazel",
    "bzl",
    "nix",
    "lock",
    "plist",
    "editorconfig",
    "env",
    "xml",
    "csproj",
    "fsproj",
    "vbproj",
    "sln",
    "props",
    "targets",
    "gemspec",
    "podspec",
    "cabal",
    "kdl",
    "hcl",
    "tf",
    "in",
    "am",
    "ac",
    "m4",
];
/// Names of configuration and build files, in lower case.
static CONFIG_NAMES: &[&str] = &[
    "makefile",
    "gnumakefile",
    "dockerfile",
    "containerfile",
    "justfile",
    "rakefile",
    "gemfile",
    "pipfile",
    "procfile",
    "vagrantfile",
    "jenkinsfile",
    "brewfile",
    "build",
    "workspace",
    "cmakelists.txt",
    "configure",
    "go.mod",
    "go.work",
    "setup.cfg",
    "requirements.txt",
    "codeowners",
    "meson.build",
    "build.zig.zon",
    "build.gradle.kts",
    "settings.gradle.kts",
    "setup.py",
    "conftest.toml",
];
/// Extensions of files that are source even in a directory of documentation.
static SCRIPTS: &[&str] = &[
    "rs", "py", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "java", "kt", "kts", "c", "h", "cc",
    "cpp", "cxx", "hpp", "hh", "cs", "rb", "php", "swift", "scala", "lua", "sh", "bash", "zsh",
    "fish", "ex", "exs", "hs", "ml", "mli", "zig", "dart", "r", "jl", "sql", "proto", "vue",
    "svelte", "css", "scss", "html", "pl", "pm", "el", "clj", "erl", "m", "mm", "groovy", "ps1",
    "tcl", "s", "asm",
];

/// The class of a path, by the names of its parts alone. Of several marks the strongest counts:
/// vendored, then generated, fixture, test, docs, config.
pub fn classify(path: &str) -> Class {
    let lower = path.to_ascii_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    let written = path.rsplit('/').next().unwrap_or(path);
    let within = |names: &[&str]| directories.split('/').any(|d| names.contains(&d));
    let script = SCRIPTS.contains(&extension);
    if within(VENDORED) {
        return Class::Vendored;
    }
    if GENERATED_NAMES.contains(&name) || GENERATED_ENDINGS.iter().any(|e| name.ends_with(e)) {
        return Class::Generated;
    }
    if within(FIXTURE) {
        return Class::Fixture;
    }
    if within(GENERATED) {
        return Class::Generated;
    }
    if within(TEST) || test_name(stem, extension, written) || test_directory(directories) {
        // Data beside tests is data.
        return match script || extension.is_empty() {
            true => Class::Test,
            false if DOC_EXTENSIONS.contains(&extension) && extension != "txt" => Class::Docs,
            false => Class::Fixture,
        };
    }
    let named = |names: &[&str]| names.contains(&stem) || names.contains(&name);
    if CONFIG_NAMES.contains(&name) {
        return Class::Config;
    }
    if DOC_EXTENSIONS.contains(&extension)
        || (named(DOC_NAMES) && !script)
        || (within(DOCS) && !script)
        || extension.len() == 1 && extension.bytes().all(|b| b.is_ascii_digit())
    {
        return Class::Docs;
    }
    if CONFIG_EXTENSIONS.contains(&extension)
        || (name.starts_with('.') && !script)
        || directories.split('/').any(|d| {
            matches!(
                d,
                ".github" | ".circleci" | ".config" | ".cargo" | ".vscode"
            )
        })
    {
        return Class::Config;
    }
    Class::Source
}

/// Source files and tests, as against what describes, configures or comes with them.
pub fn is_code(class: Class) -> bool {
    matches!(class, Class::Source | Class::Test)
}

/// Names that tests have in one language or another.
fn test_name(stem: &str, extension: &str, written: &str) -> bool {
    let marks = [
        "_test",
        "-test",
        ".test",
        "_spec",
        ".spec",
        "-spec",
        "_tests",
        "_bench",
        ".bench",
        "_unittest",
    ];
    marks.iter().any(|m| stem.ends_with(m))
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || matches!(stem, "test" | "tests" | "conftest")
        || (matches!(
            extension,
            "java" | "kt" | "scala" | "cs" | "php" | "swift" | "groovy" | "cpp" | "cc"
        ) && written.split_once('.').is_some_and(|(stem, _)| {
            stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec")
        }))
}

/// Directories whose names end in a mark: `pkg-tests/`, `foo_test/`, `core.Tests/`.
fn test_directory(directories: &str) -> bool {
    directories.split('/').any(|d| {
        [
            "-test", "-tests", "_test", "_tests", ".test", ".tests", "-testing",
        ]
        .iter()
        .any(|m| d.ends_with(m))
            || d.starts_with("test-")
            || d.starts_with("test_")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_classes() {
        for (path, class) in [
            ("src/main.rs", Class::Source),
            ("src/foo_test.go", Class::Test),
            ("tests/foo.rs", Class::Test),
            ("a/src/test/java/FooTest.java", Class::Test),
            ("lib/foo.spec.ts", Class::Test),
            ("tests/data.json", Class::Fixture),
            ("a/testdata/x.go", Class::Fixture),
            ("README.md", Class::Docs),
            ("LICENSE", Class::Docs),
            ("docs/conf.py", Class::Source),
            ("docs/a.svg", Class::Docs),
            ("Cargo.toml", Class::Config),
            ("Cargo.lock", Class::Generated),
            ("CMakeLists.txt", Class::Config),
            (".github/workflows/ci.yml", Class::Config),
            ("vendor/a/b.go", Class::Vendored),
            ("web/jquery.min.js", Class::Generated),
            ("latest/main.py", Class::Source),
            ("src/attest.rs", Class::Source),
            ("", Class::Source),
            ("contest.java", Class::Source),
        ] {
            assert_eq!(classify(path), class, "{path}");
        }
    }
}
