//! The command that checks a repository, or the files of one language in it.

use std::collections::BTreeMap;

use aictx_proto::snapshot::Snapshot;
use aictx_shell::tester;

use super::{ECOSYSTEMS, PASSED_CHECK, Project};
use crate::lru_cache::{self, is_narrowed, is_test_command};

/// Words of test runs that look for new faults or for time, and do not say whether all is well.
const SPECIAL: &[&str] = &["fuzz", "bench"];
/// Latest executions that are asked what they ran.
const OBSERVED: usize = 50;

/// Manifests whose kind is found again in every part of a project, which is tested as a whole.
const OF_WHOLE: &[&str] = &[
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "mix.exs",
    "*.csproj",
    "CMakeLists.txt",
    "meson.build",
];
/// Manifests that say what something needs, and make no project of it by themselves.
const OF_NEEDS: &[&str] = &["requirements.txt", "setup.cfg"];
/// Locks of package managers, each beside the command that replaces `npm test`.
const MANAGERS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm test"),
    ("yarn.lock", "yarn test"),
    ("bun.lock", "bun run test"),
    ("bun.lockb", "bun run test"),
];
/// Programs, each with another one that does the same.
const ALTERNATIVES: &[(&str, &str)] = &[
    ("python", "python3"),
    ("python3", "python"),
    ("pytest", "python3 -m pytest"),
    ("pytest", "python -m pytest"),
    ("make", "gmake"),
    ("mvn", "./mvnw"),
    ("./mvnw", "mvn"),
    ("gradle", "./gradlew"),
    ("./gradlew", "gradle"),
];
/// Further checks that are told.
const MAX_FURTHER: usize = 3;

impl Project {
    /// The repository's check: the test run that most of the latest executions saw pass (two at
    /// least), else [`Self::test_command`]. A run of a part gives way to a run that includes it: what
    /// one piece of work needed is no check of the next.
    ///
    /// Where the files at hand have another one, it is that.
    pub fn canonical_check(&self, snapshot: &Snapshot) -> Option<(String, &'static str)> {
        let usual = self.check_of_all(snapshot);
        match &self.at_hand {
            Some(own)
                if usual
                    .as_ref()
                    .is_none_or(|(command, _)| *command != own.command) =>
            {
                Some((own.command.clone(), "project_convention"))
            }
            _ => usual,
        }
    }

    fn check_of_all(&self, snapshot: &Snapshot) -> Option<(String, &'static str)> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let latest = snapshot.executions.iter().rev().take(OBSERVED);
        for check in latest.filter_map(|row| row.extra.get(PASSED_CHECK)?.as_str()) {
            *seen.entry(check).or_default() += 1;
        }
        // Of equals the shortest, which is the most general.
        let most = |checks: &mut dyn Iterator<Item = (&'_ str, usize)>| {
            checks
                .max_by_key(|(check, times)| (*times, std::cmp::Reverse(check.len())))
                .map(|(check, _)| check.to_owned())
        };
        let tests: Vec<(&str, usize)> = seen
            .into_iter()
            .filter(|(check, _)| is_test_command(check))
            .collect();
        let tests = || tests.iter().copied();
        let usual = self.test_command();
        let Some(habit) = most(&mut tests().filter(|(_, times)| *times >= 2)) else {
            return usual;
        };
        let known = lru_cache::check(&habit);
        let wider = |check: &str| {
            let check = lru_cache::check(check);
            check.proves(&known) && !known.proves(&check)
        };
        if let Some(wide) = most(&mut tests().filter(|(check, _)| wider(check))) {
            return Some((wide, "observed"));
        }
        match usual {
            Some((wide, source)) if wider(&wide) => Some((wide, source)),
            _ => Some((habit, "observed")),
        }
    }

    /// The command that tests this repository and where that is known from: what its CI runs with
    /// the tool that its manifest promises, else that tool's usual command. `None` when nothing says
    /// (a Rust repository is never told to run pytest).
    pub fn test_command(&self) -> Option<(String, &'static str)> {
        let by_manifest = ECOSYSTEMS
            .iter()
            .filter(|(manifest, ..)| !self.testless.iter().any(|m| m == manifest))
            .find(|(manifest, ..)| self.manifests.iter().any(|m| m == manifest))
            .map(|(manifest, _, command)| {
                (self.command_of(manifest, command), "project_convention")
            });
        let by_make = self
            .makefile_targets
            .first()
            .map(|t| (format!("make {t}"), "makefile"));
        let by_recipe = self.recipes.first().map(|c| (c.clone(), "justfile"));
        let by_looks = self.conventions.first().or(self.below.first());
        let by_looks = by_looks.map(|c| (c.clone(), "project_convention"));
        let tool = by_manifest.as_ref().map(|(command, _)| tester(command));
        // Of several the plainest: the others test in a special way.
        let by_ci = |narrowed: bool| {
            let found = self.ci_commands.iter().filter(|command| {
                let word = tester(command);
                let told = self
                    .makefile_targets
                    .iter()
                    .any(|t| **command == format!("make {t}"));
                told || tool.as_ref().is_none_or(|tool| word == *tool)
            });
            found
                .filter(|command| !SPECIAL.iter().any(|word| command.contains(word)))
                .filter(|command| is_narrowed(command) == narrowed)
                .min_by_key(|command| command.len())
                .map(|command| (command.clone(), "ci"))
        };
        // CI runs tests in parts, each with the tool that runs them all.
        let in_parts = || {
            let (part, source) = by_ci(true)?;
            let wide = "cargo nextest run";
            part.starts_with(wide).then(|| (wide.to_owned(), source))
        };
        by_ci(false)
            .or_else(in_parts)
            .or(by_manifest)
            .or(by_make)
            .or(by_recipe)
            .or(by_looks)
            .or_else(|| by_ci(true))
    }

    /// The command that a manifest promises.
    fn command_of(&self, manifest: &str, usual: &str) -> String {
        let own = self.commands.get(manifest);
        own.map_or(usual, String::as_str).to_owned()
    }

    /// Checks of what a check of this repository says nothing of: other languages at its root, and projects
    /// of their own directly below it. A recipe may run anything, and says it all.
    pub fn further_checks(&self, check: &str) -> Vec<String> {
        let mut tools = vec![tester(check)];
        if matches!(
            check.split_whitespace().next(),
            Some("make" | "just" | "task")
        ) {
            return Vec::new();
        }
        let mut found: Vec<String> = Vec::new();
        for command in self.usual(&|manifest| !OF_NEEDS.contains(&manifest)) {
            let tool = tester(&command);
            let of_language = |tool: &str| {
                let known = ECOSYSTEMS
                    .iter()
                    .find(|(_, _, usual)| tester(usual) == tool);
                known.map_or(tool.to_owned(), |(_, language, _)| (*language).to_owned())
            };
            if !tools
                .iter()
                .any(|known| of_language(known) == of_language(&tool))
            {
                tools.push(tool);
                found.push(command);
            }
        }
        found.extend(self.below.iter().filter(|below| *below != check).cloned());
        found.truncate(MAX_FURTHER);
        found
    }

    /// The check of files of a language in this repository, and the test runs behind it where it is a script; `ran`
    /// tells what a command runs. What the repository runs anyway comes first, if it is of that language.
    pub fn check_of(
        &self,
        snapshot: &Snapshot,
        language: &str,
        ran: &dyn Fn(&str) -> String,
    ) -> Option<(String, String)> {
        let canonical = self.check_of_all(snapshot).map(|(command, _)| command);
        let others = self.usual(&|_| true).chain(self.made());
        let all = canonical.clone().into_iter().chain(others);
        let found = first_of(all, language, ran);
        found.or_else(|| {
            let command = canonical?;
            let runs = ran(&command);
            Some((command, runs))
        })
    }

    /// The same of a project in a directory of a repository, where it has one of its own.
    pub fn check_below(
        &self,
        root: &Project,
        language: &str,
        ran: &dyn Fn(&str) -> String,
    ) -> Option<(String, String)> {
        let is_there = |manifest: &str| root.manifests.iter().any(|m| m == manifest);
        let is_own = |manifest: &str| {
            !(OF_NEEDS.contains(&manifest) || OF_WHOLE.contains(&manifest) && is_there(manifest))
        };
        let manager = MANAGERS.iter().find(|(lock, _)| is_there(lock));
        let usual = self.usual(&is_own).map(|command| match manager {
            Some((_, instead)) if command == "npm test" => (*instead).to_owned(),
            _ => command,
        });
        first_of(usual.chain(self.made()), language, ran)
    }

    /// What its manifests promise.
    fn usual<'p>(&'p self, counts: &'p dyn Fn(&str) -> bool) -> impl Iterator<Item = String> + 'p {
        let there = |manifest: &str| {
            self.manifests.iter().any(|m| m == manifest)
                && !self.testless.iter().any(|m| m == manifest)
                && counts(manifest)
        };
        let all = ECOSYSTEMS.iter();
        all.filter(move |(manifest, ..)| there(manifest))
            .map(|(manifest, _, command)| self.command_of(manifest, command))
    }

    /// Replaces programs that are not there in the commands that the project promises, where one is there that does the
    /// same: `python3` for `python`.
    pub fn use_programs(&mut self, is_there: &dyn Fn(&str) -> bool) {
        for (manifest, _, usual) in ECOSYSTEMS {
            if !self.manifests.iter().any(|known| known == manifest) {
                continue;
            }
            let command = self.command_of(manifest, usual);
            if let Some(other) = with_alternative(&command, is_there) {
                self.commands.insert((*manifest).to_owned(), other);
            }
        }
        let lists = [
            &mut self.recipes,
            &mut self.conventions,
            &mut self.below,
            &mut self.ci_commands,
        ];
        for command in lists.into_iter().flatten() {
            if let Some(other) = with_alternative(command, is_there) {
                *command = other;
            }
        }
    }

    /// What its recipes and conventions have.
    fn made(&self) -> impl Iterator<Item = String> + '_ {
        let made = self.makefile_targets.iter();
        let made = made.map(|target| format!("make {target}"));
        made.chain(self.recipes.iter().cloned())
            .chain(self.conventions.iter().cloned())
    }
}

/// The command with another program where its own is not there and that one is.
fn with_alternative(command: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let (program, rest) = match command.split_once(' ') {
        Some((program, rest)) => (program, format!(" {rest}")),
        None => (command, String::new()),
    };
    let mut others = ALTERNATIVES.iter().filter(|(from, _)| *from == program);
    let program_of = |words: &str| words.split(' ').next().is_some_and(is_there);
    let (_, other) = others.find(|(from, to)| program_of(to) && !is_there(from))?;
    Some(format!("{other}{rest}"))
}

/// The first command of a language, else the first of which nothing says that it is of another.
fn first_of(
    commands: impl Iterator<Item = String>,
    language: &str,
    ran: &dyn Fn(&str) -> String,
) -> Option<(String, String)> {
    let mut any = None;
    for command in commands {
        let runs = ran(&command);
        let reaches = aictx_shell::reaches(if runs.is_empty() { &command } else { &runs });
        if language.is_empty() || reaches.iter().any(|reach| reach.language == language) {
            return Some((command, runs));
        }
        if any.is_none() && reaches.iter().all(|reach| reach.language.is_empty()) {
            any = Some((command, runs));
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(manifests: &[&str]) -> Project {
        Project {
            manifests: manifests.iter().map(|m| (*m).to_owned()).collect(),
            ..Project::default()
        }
    }

    #[test]
    fn a_check_names_a_program_that_is_there() {
        let check = |there: &[&str]| {
            let mut project = Project {
                manifests: vec!["pyproject.toml".into()],
                ..Project::default()
            };
            project.use_programs(&|program| there.contains(&program));
            project.test_command().map(|(command, _)| command)
        };
        for (there, command) in [
            (vec!["python3"], "python3 -m pytest"),
            (vec!["python", "python3"], "python -m pytest"),
            // Nothing is known to be better.
            (vec![], "python -m pytest"),
        ] {
            assert_eq!(check(&there).as_deref(), Some(command), "{there:?}");
        }
        let mut project = Project {
            ci_commands: vec!["pytest -q tests".into()],
            makefile_targets: vec!["test".into()],
            ..Project::default()
        };
        project.use_programs(&|program| program == "python3");
        assert_eq!(project.ci_commands, ["python3 -m pytest -q tests"]);
    }

    #[test]
    fn w8_every_ecosystem_gets_its_own_test_command() {
        assert_eq!(
            with(&["Cargo.toml"]).test_command().unwrap().0,
            "cargo test"
        );
        assert_eq!(
            with(&["package.json", "pnpm-lock.yaml"])
                .test_command()
                .unwrap()
                .0,
            "pnpm test"
        );
        assert_eq!(
            with(&["Makefile"]).test_command(),
            None,
            "a Makefile without a test target"
        );
        assert_eq!(with(&[]).test_command(), None);
        assert_eq!(
            with(&["Cargo.toml", "package.json"]).languages(),
            ["Rust", "JavaScript"]
        );
    }

    #[test]
    fn what_agents_really_ran_comes_first() {
        let row = |check: &str| aictx_proto::record::AgentExecutionRow {
            extra: [(PASSED_CHECK.to_owned(), check.into())]
                .into_iter()
                .collect(),
            ..Default::default()
        };
        let snapshot = |checks: &[&str]| Snapshot {
            executions: aictx_proto::snapshot::shared(checks.iter().map(|c| row(c))),
            ..Snapshot::default()
        };
        let project = with(&["Cargo.toml"]);
        let check = |checks: &[&str]| project.canonical_check(&snapshot(checks)).unwrap();
        assert_eq!(
            check(&["cargo nextest run"]).1,
            "project_convention",
            "once is no habit"
        );
        let ran = ["cargo nextest run", "cargo test -p a", "cargo nextest run"];
        assert_eq!(check(&ran), ("cargo nextest run".into(), "observed"));
        assert_eq!(check(&["rm -rf x", "rm -rf x"]).1, "project_convention");
        let part = "cargo nextest run -p a";
        let ran = [part, part, "cargo nextest run", part];
        assert_eq!(
            check(&ran),
            ("cargo nextest run".into(), "observed"),
            "a part of the tests is no check of other work"
        );
        let ran = ["cargo test -p a", "cargo test -p a"];
        assert_eq!(check(&ran), ("cargo test".into(), "project_convention"));
    }

    #[test]
    fn what_looks_for_new_faults_is_no_check() {
        let mut project = with(&["go.mod", "Makefile"]);
        project.ci_commands = vec![
            "make test".into(),
            "go test ./algo -fuzz=Index -fuzztime=5s".into(),
            "make test-all".into(),
        ];
        let command = |project: &Project| project.test_command().unwrap();
        assert_eq!(command(&project).1, "project_convention");
        project.makefile_targets = vec!["test".into()];
        assert_eq!(command(&project), ("make test".into(), "ci"));
    }

    #[test]
    fn ci_says_more_than_a_convention_but_not_of_another_tool() {
        let mut project = with(&["Cargo.toml"]);
        project.ci_commands = vec![
            "npm test".into(),
            "cargo test --workspace --all-features".into(),
            "cargo nextest run".into(),
        ];
        assert_eq!(
            project.test_command().unwrap(),
            ("cargo nextest run".into(), "ci")
        );
        project.manifests = vec!["go.mod".into()];
        assert_eq!(
            project.test_command().unwrap(),
            ("go test ./...".into(), "project_convention")
        );
        project.manifests.clear();
        assert_eq!(project.test_command().unwrap().0, "npm test");
    }

    #[test]
    fn what_ci_runs_of_the_tests_is_not_the_check() {
        let check = |manifest: &str, ci: &[&str]| {
            let mut project = with(&[manifest]);
            project.ci_commands = ci.iter().map(|c| (*c).to_owned()).collect();
            project.test_command().unwrap()
        };
        let usual = "project_convention";
        for (manifest, ci, expected) in [
            (
                "Cargo.toml",
                &["cargo test --doc"][..],
                ("cargo test", usual),
            ),
            (
                "Cargo.toml",
                &["cargo test --locked -p cli"],
                ("cargo test", usual),
            ),
            (
                "Cargo.toml",
                &["cargo test --workspace --exclude cli"],
                ("cargo test", usual),
            ),
            (
                "Cargo.toml",
                &["cargo test --workspace", "cargo test --lib"],
                ("cargo test --workspace", "ci"),
            ),
            (
                "Cargo.toml",
                &[
                    "cargo nextest run --lib --bins",
                    "cargo nextest run --test '*'",
                ],
                ("cargo nextest run", "ci"),
            ),
            (
                "go.mod",
                &["go test -run TestFast ./..."],
                ("go test ./...", usual),
            ),
            (
                "go.mod",
                &["go test -race ./..."],
                ("go test -race ./...", "ci"),
            ),
            (
                "pyproject.toml",
                &["pytest tests/test_smoke.py", "pytest -q tests"],
                ("pytest -q tests", "ci"),
            ),
        ] {
            let found = check(manifest, ci);
            assert_eq!((found.0.as_str(), found.1), expected, "{ci:?}");
        }
        // Better than nothing.
        let mut project = with(&[]);
        project.ci_commands = vec!["pytest tests/test_a.py".into()];
        assert_eq!(project.test_command().unwrap().0, "pytest tests/test_a.py");
    }

    #[test]
    fn the_check_of_a_language_is_the_one_that_tests_it() {
        let mut mixed = with(&["package.json", "Cargo.toml"]);
        mixed.makefile_targets = vec!["test".into()];
        let ran = |command: &str| match command {
            "make test" => "pytest -q".to_owned(),
            "npm test" => "jest".to_owned(),
            _ => String::new(),
        };
        let snapshot = Snapshot::default();
        let of = |project: &Project, language: &str| {
            project.check_of(&snapshot, language, &ran).unwrap().0
        };
        assert_eq!(of(&mixed, "python"), "make test");
        assert_eq!(of(&mixed, "javascript"), "npm test");
        assert_eq!(of(&mixed, "rust"), "cargo test");
        assert_eq!(of(&mixed, "ruby"), "cargo test", "nobody has one");
        let below = |manifests: &[&str], language: &str| {
            let project = with(manifests);
            project
                .check_below(&mixed, language, &ran)
                .map(|(command, _)| command)
        };
        assert_eq!(
            below(&["pyproject.toml"], "python").as_deref(),
            Some("python -m pytest")
        );
        assert_eq!(
            below(&["package.json"], "javascript").as_deref(),
            Some("npm test")
        );
        assert_eq!(below(&["package.json"], "python"), None);
        assert_eq!(below(&["Cargo.toml"], "rust"), None, "a workspace is one");
        assert_eq!(below(&["requirements.txt"], "python"), None);
        mixed.manifests.push("pnpm-lock.yaml".into());
        let project = with(&["package.json"]);
        let check = project.check_below(&mixed, "javascript", &|_| String::new());
        assert_eq!(check.unwrap().0, "pnpm test");
    }
}
