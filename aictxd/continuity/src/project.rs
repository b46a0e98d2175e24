//! Facts of a repository from its root directory.

mod check;

use std::collections::BTreeMap;
use std::sync::Arc;

use aictx_proto::methods::MapHit;
use aictx_proto::record::{Handoff, Origin};
use aictx_proto::shown;

use crate::active_run::ActiveRun;
use crate::file_anchors::Presents;
use crate::ledger_facts::FileCheck;
use crate::recall::Recollection;
use crate::tasks::Checkout;

/// Member of an execution's row that names the test run it saw pass; ours, the ancestor leaves it alone.
pub(crate) const PASSED_CHECK: &str = "passed_check";

/// Facts gathered by whoever has a disk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Project {
    /// Folder name.
    pub name: String,
    /// Absolute root of the worktree.
    pub root: String,
    /// Known manifest files that exist at the root.
    pub manifests: Vec<String>,
    /// `test`, `tests`, `check` targets of a Makefile.
    pub makefile_targets: Vec<String>,
    /// Manifests whose kind promises a test command that this project does not have.
    pub testless: Vec<String>,
    /// Test commands of manifests that have another one than is usual of their kind.
    pub commands: BTreeMap<String, String>,
    /// Commands of test recipes besides those of a Makefile: `just test`.
    pub recipes: Vec<String>,
    /// Test commands by convention, whatever its manifests are.
    pub conventions: Vec<String>,
    /// Checks of projects of their own directly below the root: `cd web && npm test`.
    pub below: Vec<String>,
    /// Directories at the root, sorted, at most 12.
    pub directories: Vec<String>,
    /// The check of the files that the request at hand is about, where that is known.
    pub at_hand: Option<FileCheck>,
    /// Beginning of the README.
    pub readme: String,
    /// Commands that the repository's CI runs, as far as single lines show them.
    pub ci_commands: Vec<String>,
    /// Files that the map ranks highest for what is to be done, or for the repository as a whole.
    pub map: Vec<MapHit>,
    /// True if the map knows any file: it may know all and have nothing to add.
    pub mapped: bool,
    /// True if the map's manifest lies in the memory; the map itself lies in the cache.
    pub map_file: bool,
    /// Last refresh of the map and its result, as `incremental ok`; empty when it was not used.
    pub map_state: String,
    /// Checkout.
    pub checkout: Checkout,
    /// The last handoff of the branch checked out, where the last of all is of another; and the last of all, where
    /// it has to be read in another way than it was left.
    pub handoff: Option<Arc<Handoff>>,
    /// Earlier executions that the request at hand is about, best first.
    pub recalled: Vec<Recollection>,
    /// Handoffs of earlier work that fit the request, best first.
    pub matched: Vec<Arc<Handoff>>,
    /// Files that memory speaks of, as they are now.
    pub presents: Arc<Presents>,
    /// Notes that people keep below `.aictx/memory/source/`.
    pub notes: Vec<Note>,
    /// The agent run that is active in the worktree.
    pub run: Option<ActiveRun>,
}

/// A note that somebody wrote for agents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Note {
    /// Relative to `.aictx/memory/source/`.
    pub path: String,
    /// First heading, else the file's name.
    pub title: String,
    /// Values of its front matter's `tags` and `task_type`, in one text.
    pub tags: String,
    /// The text behind the front matter, cut.
    pub text: String,
    /// Origin.
    pub origin: Origin,
}

/// Manifest, language, test command; in order of preference.
const ECOSYSTEMS: &[(&str, &str, &str)] = &[
    ("Cargo.toml", "Rust", "cargo test"),
    ("go.mod", "Go", "go test ./..."),
    ("pom.xml", "Java", "mvn test"),
    ("build.gradle", "Java", "./gradlew test"),
    ("build.gradle.kts", "Kotlin", "./gradlew test"),
    ("mix.exs", "Elixir", "mix test"),
    ("Package.swift", "Swift", "swift test"),
    ("pubspec.yaml", "Dart", "dart test"),
    ("build.zig", "Zig", "zig build test"),
    ("deno.json", "Deno", "deno test"),
    ("Gemfile", "Ruby", "bundle exec rake test"),
    ("composer.json", "PHP", "composer test"),
    ("pytest.ini", "Python", "python -m pytest"),
    ("pyproject.toml", "Python", "python -m pytest"),
    ("setup.py", "Python", "python -m pytest"),
    ("setup.cfg", "Python", "python -m pytest"),
    ("tox.ini", "Python", "tox"),
    ("requirements.txt", "Python", "python -m pytest"),
    ("conftest.py", "Python", "python -m pytest"),
    ("bun.lock", "JavaScript", "bun run test"),
    ("bun.lockb", "JavaScript", "bun run test"),
    ("pnpm-lock.yaml", "JavaScript", "pnpm test"),
    ("yarn.lock", "JavaScript", "yarn test"),
    ("package.json", "JavaScript", "npm test"),
    ("*.csproj", ".NET", "dotnet test"),
    ("CMakeLists.txt", "C/C++", "ctest --test-dir build"),
    ("meson.build", "C/C++", "meson test -C build"),
];

impl Project {
    /// Returns true if there is a map, with something to add here or not.
    pub fn has_map(&self) -> bool {
        self.mapped || !self.map.is_empty()
    }

    /// Languages, in order, without repetition.
    pub fn languages(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        for (manifest, language, _) in ECOSYSTEMS {
            if self.manifests.iter().any(|m| m == manifest) && !found.contains(language) {
                found.push(*language);
            }
        }
        found
    }

    /// First heading or sentence of the README, or nothing.
    pub fn headline(&self) -> String {
        let line = self
            .readme
            .lines()
            .map(|line| line.trim_start_matches(['#', '=', ' ']).trim())
            .find(|line| {
                line.chars().filter(|c| c.is_alphabetic()).count() >= 3
                    && !line.starts_with(['<', '[', '!'])
            });
        shown::line(line.unwrap_or_default(), 120)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_skip_badges() {
        let project = Project {
            readme: "[![ci](x)](y)\n<p>\n# Demo **calc**\ntext".into(),
            ..Project::default()
        };
        assert_eq!(project.headline(), "Demo **calc**");
    }
}
