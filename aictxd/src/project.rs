//! Facts of a repository from its root directory, cheap enough for the first session.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use aictx_continuity::Project;
use aictx_files::untrusted::{self, Directory, Links};
use rustix::fs::FileType;

mod test_commands;

use crate::intake;
use test_commands::{DOTNET, Promised, is_dotnet, is_test, promised};

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
    "bun.lock",
    "bun.lockb",
    "conftest.py",
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
/// Bytes read of a README.
const README_BYTES: u64 = 4 * 1024;
/// Bytes read of a Makefile.
const MAKEFILE_BYTES: u64 = 64 * 1024;
/// Directories at the root that hold no project of the repository's own.
const NOT_OWN: &[&str] = &[
    "node_modules",
    "vendor",
    "third_party",
    "target",
    "build",
    "dist",
    "out",
    "venv",
    "env",
    "examples",
    "example",
    "fixtures",
    "testdata",
    "samples",
    "templates",
    "benchmarks",
];

/// Names looked at in one directory.
const MAX_NAMES: usize = 1_000;
/// Directory of GitHub's workflows.
const WORKFLOWS: &str = ".github/workflows";
/// Workflow files looked at, and test commands kept of them.
const MAX_WORKFLOWS: usize = 10;
const MAX_CI_COMMANDS: usize = 20;
/// Bytes read of a workflow file.
const WORKFLOW_BYTES: u64 = 32 * 1024;

/// Test commands of the repository's CI: lines of workflow files that run tests by themselves. What
/// needs a shell's grammar or the CI's own variables is left out.
fn ci_commands(root: &Path, sources: &mut Vec<String>) -> Vec<String> {
    let mut files: Vec<_> = untrusted::entries(&root.join(WORKFLOWS))
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .filter_map(|entry| entry.name.into_string().ok())
        .filter(|name| name.ends_with(".yml") || name.ends_with(".yaml"))
        .map(|name| format!("{WORKFLOWS}/{name}"))
        .collect();
    files.sort_unstable();
    files.truncate(MAX_WORKFLOWS);
    files.push(".gitlab-ci.yml".to_owned());
    sources.push(WORKFLOWS.to_owned());
    sources.extend_from_slice(&files);
    let mut found: Vec<String> = Vec::new();
    for file in files {
        let Some(text) = beginning(root, &file, WORKFLOW_BYTES) else {
            continue;
        };
        for line in text.lines() {
            let line = line.trim().trim_start_matches("- ");
            let line = line.strip_prefix("run:").unwrap_or(line).trim();
            let quoted = ['"', '\''].iter().find_map(|quote| {
                let inner = line.strip_prefix(*quote)?.strip_suffix(*quote)?;
                (!inner.contains(*quote)).then_some(inner)
            });
            let line = quoted.unwrap_or(line);
            let plain = !line.contains(['$', '`', ';', '|', '&', '<', '>', '\\', '#']);
            if plain
                && line.len() <= 120
                && aictx_shell::is_test_command(line)
                && !found.iter().any(|known| known == line)
                && found.len() < MAX_CI_COMMANDS
            {
                found.push(line.to_owned());
            }
        }
    }
    found
}

/// Returns true if a directory has anything that makes a project of it, for [`look`] to find.
pub fn is_project(directory: &Path) -> bool {
    let there = |name: &&str| directory.join(name).is_file();
    let (files, whole) = test_commands::some_files(directory);
    let mut named = files.iter().map(String::as_str);
    named.any(|name| is_dotnet(name) || MANIFESTS.contains(&name) && there(&name))
        || !whole && MANIFESTS.iter().any(there)
}

/// Looks at the root and at projects directly below it: at most a few hundred `stat`s and short reads. Gives
/// with it the paths, relative to the root, on whose state the answer depends; a directory's names are its
/// state.
pub fn look(root: &Path) -> (Project, Vec<String>) {
    let (mut project, mut sources) = look_at(root);
    let own = |dir: &&String| !NOT_OWN.contains(&dir.as_str());
    for dir in project.directories.iter().filter(own) {
        let below = root.join(dir);
        sources.push(dir.clone());
        // A link may lead anywhere.
        let link = below.symlink_metadata().is_ok_and(|data| data.is_symlink());
        if link || !is_project(&below) {
            continue;
        }
        let (part, read) = look_at(&below);
        sources.extend(read.iter().map(|name| format!("{dir}/{name}")));
        if let Some((command, _)) = part.check_below(&project, "", &|_| String::new()) {
            let quoted = aictx_shell::quoted(dir);
            project.below.push(format!("cd {quoted} && {command}"));
        }
    }
    (project, sources)
}

fn look_at(root: &Path) -> (Project, Vec<String>) {
    let mut sources = vec![".".to_owned(), "Makefile".to_owned()];
    let exists = |name: &&&str| root.join(name).is_file();
    let mut manifests: Vec<String> = MANIFESTS
        .iter()
        .filter(exists)
        .map(|n| (*n).to_owned())
        .collect();
    if test_commands::files(root)
        .iter()
        .any(|name| is_dotnet(name))
    {
        manifests.push(DOTNET.to_owned());
    }
    let readme = READMES.iter().find(exists);
    sources.extend(readme.map(|name| (*name).to_owned()));
    let readme = readme.and_then(|name| beginning(root, name, README_BYTES));
    let makefile_targets = beginning(root, "Makefile", MAKEFILE_BYTES)
        .map(|text| {
            let heads = text.lines().filter_map(|line| line.split_once(':'));
            // `test := x` is a variable.
            let heads =
                heads.filter(|(_, rest)| !rest.starts_with(['=', ':']) || rest.starts_with("::"));
            let mut targets: Vec<String> = Vec::new();
            for target in heads.flat_map(|(targets, _)| targets.split_whitespace()) {
                if is_test(target) && !targets.iter().any(|known| known == target) {
                    targets.push(target.to_owned());
                }
            }
            targets
        })
        .unwrap_or_default();
    let Promised {
        commands,
        testless,
        recipes,
        conventions,
    } = promised(root, &manifests, &mut sources);
    let entries = untrusted::entries(root).map(|entries| {
        let mut names: Vec<String> = entries
            .take(MAX_NAMES)
            .filter(|entry| entry.kind == FileType::Directory)
            .map(|entry| entry.name.to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort_unstable();
        names.truncate(12);
        names
    });
    let mut project = Project {
        name: root
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default(),
        root: root.to_string_lossy().into_owned(),
        manifests,
        makefile_targets,
        testless,
        commands: commands
            .into_iter()
            .map(|(manifest, command)| (manifest, intake::text(&command).into_owned()))
            .collect(),
        recipes,
        conventions,
        directories: entries.unwrap_or_default(),
        readme: intake::text(&readme.unwrap_or_default()).into_owned(),
        ci_commands: ci_commands(root, &mut sources)
            .iter()
            .map(|command| intake::text(command).into_owned())
            .collect(),
        ..Project::default()
    };
    project.use_programs(&|program| is_program(root, program));
    (project, sources)
}

/// Returns true where a program would be found: one with a slash in the repository, others by the search path.
fn is_program(root: &Path, program: &str) -> bool {
    let is_executable = |path: &Path| {
        let found = path.metadata().ok();
        found.is_some_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return root.join(program).is_file();
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let mut directories = std::env::split_paths(&search).filter(|path| path.is_absolute());
    directories.any(|directory| is_executable(&directory.join(program)))
}

/// The beginning of a regular file of the repository. A link may lead elsewhere inside it, never out
/// of it: whoever wrote the repository chose what lies here.
pub fn beginning(root: &Path, name: &str, most: u64) -> Option<String> {
    let file = Directory::open(root).ok()?.file(name, Links::Inside).ok()?;
    let bytes = file.beginning(most).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_project_without_a_test_script_promises_none() {
        let dir = tempfile::tempdir().unwrap();
        let check = |manifest: &str| {
            fs::write(dir.path().join("package.json"), manifest).unwrap();
            let (seen, sources) = look(dir.path());
            assert!(sources.iter().any(|source| source == "package.json"));
            seen.test_command().map(|(command, _)| command)
        };
        fs::write(dir.path().join("yarn.lock"), "").unwrap();
        assert_eq!(
            check(r#"{"scripts": {"test": "jest"}}"#).unwrap(),
            "yarn test"
        );
        assert_eq!(check(r#"{"scripts": {"build": "tsc"}}"#), None);
        assert_eq!(check("{}"), None);
        let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(check(placeholder), None);
        // Who cannot be read promises what its kind does.
        assert_eq!(check("{").unwrap(), "yarn test");
        fs::write(dir.path().join("pytest.ini"), "").unwrap();
        assert!(check("{}").unwrap().ends_with(" -m pytest"));
    }

    #[test]
    fn pipes_and_links_out_of_the_repository_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "password: hunter2\n").unwrap();
        let root = dir.path().join("repo");
        fs::create_dir_all(root.join("docs")).unwrap();
        symlink("../secret", root.join("README.md")).unwrap();
        let mut pipe = std::process::Command::new("mkfifo");
        assert!(pipe.arg(root.join("Makefile")).status().unwrap().success());
        let (seen, _) = look(&root);
        assert_eq!(seen.readme, "");
        assert!(seen.makefile_targets.is_empty() && seen.manifests.is_empty());
        fs::write(root.join("docs/index.md"), "# Title\n").unwrap();
        fs::remove_file(root.join("README.md")).unwrap();
        symlink("docs/index.md", root.join("README.md")).unwrap();
        assert_eq!(look(&root).0.readme, "# Title\n");
        // By its absolute path it is inside, too.
        fs::remove_file(root.join("README.md")).unwrap();
        symlink(root.join("docs/index.md"), root.join("README.md")).unwrap();
        assert_eq!(look(&root).0.readme, "# Title\n");
        assert_eq!(beginning(&root, "docs", 10), None);
        assert_eq!(beginning(&root, "docs/../../secret", 10), None);
        assert_eq!(beginning(&root, "/etc/hostname", 10), None);
    }
}
