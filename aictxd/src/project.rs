//! What a repository is, seen from its root directory: cheap facts for the first session.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use aictx_continuity::Project;

/// Files that say what a repository is built with.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "pytest.ini",
    "tox.ini",
    "noxfile.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Makefile",
    "justfile",
    "CMakeLists.txt",
    "meson.build",
    "deno.json",
    "bun.lockb",
    "pnpm-lock.yaml",
    "yarn.lock",
    "Package.swift",
    "build.zig",
    "pubspec.yaml",
    "stack.yaml",
    "dune-project",
    "Dockerfile",
    "flake.nix",
];
const READMES: &[&str] = &[
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "readme.md",
];
/// How much of a README is looked at, in bytes.
const README_BYTES: u64 = 4 * 1024;

/// Looks at the root: at most a few dozen `stat`s and one short read.
pub fn look(root: &Path) -> Project {
    let exists = |name: &&&str| root.join(name).is_file();
    let manifests: Vec<String> = MANIFESTS
        .iter()
        .filter(exists)
        .map(|n| (*n).to_owned())
        .collect();
    let readme = READMES
        .iter()
        .find(exists)
        .and_then(|name| head(&root.join(name)));
    let makefile_targets = head(&root.join("Makefile"))
        .map(|text| {
            text.lines()
                .filter_map(|line| line.split_once(':'))
                .map(|(target, _)| target.trim().to_owned())
                .filter(|t| matches!(t.as_str(), "test" | "check" | "tests"))
                .collect()
        })
        .unwrap_or_default();
    let entries = fs::read_dir(root).map(|entries| {
        let mut names: Vec<String> = entries
            .take(1_000)
            .filter_map(Result::ok)
            .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort_unstable();
        names.truncate(12);
        names
    });
    Project {
        name: root
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default(),
        root: root.to_string_lossy().into_owned(),
        manifests,
        makefile_targets,
        directories: entries.unwrap_or_default(),
        readme: readme.unwrap_or_default(),
    }
}

fn head(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(README_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
