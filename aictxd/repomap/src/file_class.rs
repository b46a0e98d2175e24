//! What sort of file a path names.

use crate::index_view::Class;

/// Directories of other people's code.
static VENDORED: &[&str] = &[
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "node_modules",
    "bower_components",
    "deps_src",
    "godeps",
];
/// Directories of other people's code, or of one's own that deals with vendors and the like.
static MAYBE_VENDORED: &[&str] = &["vendor", "external", "externals", "extern"];
/// Extensions of languages whose libraries are copied file by file.
static COPIED: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "s", "asm", "js", "mjs", "cjs", "css", "scss",
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
static GENERATED: &[&str] = &["generated", "__generated__", "autogen", "_generated"];
/// Directories that bundlers write, or that distribute something.
static MAYBE_GENERATED: &[&str] = &["dist"];
/// Extensions of what bundlers write.
static BUNDLED: &[&str] = &[
    "js", "mjs", "cjs", "css", "html", "htm", "map", "json", "ts", "mts", "cts", "wasm", "svg",
];
/// Directories that hold what is written by hand, directories of any name among it.
static SOURCES: &[&str] = &["src"];
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
/// Extensions of files that are source even in a directory of documentation, and tests in one of tests.
static SCRIPTS: &[&str] = &[
    "rs", "py", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "java", "kt", "kts", "c", "h", "cc",
    "cpp", "cxx", "hpp", "hh", "cs", "rb", "php", "swift", "scala", "lua", "sh", "bash", "zsh",
    "fish", "ex", "exs", "hs", "ml", "mli", "zig", "dart", "r", "jl", "sql", "proto", "vue",
    "svelte", "css", "scss", "html", "pl", "pm", "el", "clj", "erl", "m", "mm", "groovy", "ps1",
    "tcl", "s", "asm",
];

/// The class of a path, by the names of its parts alone; what a file holds may still show that a
/// program made it. Of several marks the strongest counts: vendored, then generated, fixture, test,
/// docs, config.
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
    if within(VENDORED) || is_vendored(directories, extension, script) {
        return Class::Vendored;
    }
    if GENERATED_NAMES.contains(&name) || GENERATED_ENDINGS.iter().any(|e| name.ends_with(e)) {
        return Class::Generated;
    }
    if within(FIXTURE) {
        return Class::Fixture;
    }
    let bundled = BUNDLED.contains(&extension) || !script;
    if within(GENERATED)
        || bundled && place(directories, MAYBE_GENERATED).is_some_and(|p| !p.below_sources)
    {
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

/// Where a directory stands whose name alone does not tell.
struct Place {
    /// Some directory above it holds what is written by hand.
    below_sources: bool,
    /// Directories between it and the file.
    deep: bool,
}

/// The outermost of the directories of these names.
fn place(directories: &str, names: &[&str]) -> Option<Place> {
    let mut below_sources = false;
    let mut parts = directories.split('/');
    while let Some(part) = parts.next() {
        if names.contains(&part) {
            let deep = parts.next().is_some();
            return Some(Place {
                below_sources,
                deep,
            });
        }
        below_sources |= SOURCES.contains(&part);
    }
    None
}

/// Copies lie in `vendor/`: each in a directory of its own, or a file where libraries are single files.
/// Among sources such a directory is a package of the program, unless whole libraries lie there that
/// no package manager brings.
fn is_vendored(directories: &str, extension: &str, script: bool) -> bool {
    let Some(place) = place(directories, MAYBE_VENDORED) else {
        return false;
    };
    let copied = COPIED.contains(&extension);
    match place.below_sources {
        true => place.deep && (copied || !script),
        false => place.deep || copied || !script,
    }
}

/// Returns true if a directory lies among what is written by hand, so that its name tells nothing of tools.
pub(crate) fn is_below_sources(directory: &[u8]) -> bool {
    let mut parts = directory.split(|b| *b == b'/').rev().skip(1);
    parts.any(|part| SOURCES.iter().any(|name| name.as_bytes() == part))
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
            ("vendor/stb_image.h", Class::Vendored),
            ("web/vendor/jquery.js", Class::Vendored),
            ("src/vendor/imgui/imgui.cpp", Class::Vendored),
            ("shop/vendor/models.py", Class::Source),
            ("src/vendor/payout.py", Class::Source),
            (
                "src/main/java/com/acme/vendor/api/Vendor.java",
                Class::Source,
            ),
            ("src/external/client.rs", Class::Source),
            ("dist/index.js", Class::Generated),
            ("packages/ui/dist/ui.d.ts", Class::Generated),
            ("dist/coord.py", Class::Source),
            ("src/dist/coord.py", Class::Source),
            ("src/dist/plan.js", Class::Source),
            ("src/build/plan.py", Class::Source),
            ("src/generated/api.ts", Class::Generated),
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
