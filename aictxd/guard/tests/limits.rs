//! What the user said must be left alone, in whatever way a command comes to it.

use std::collections::HashMap;
use std::sync::Arc;

use aictx_guard::{Facts, Known, Level, Limit, Place, SteerState, SteerVerdict, command_risk};
use aictx_proto::path::RepoPath;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

/// A tree of files and links, and what was said of it.
struct Limited {
    said: SteerState,
    links: HashMap<&'static str, &'static str>,
}

const DIRECTORIES: [&str; 4] = [".", "src", "docs", "other"];
const FILES: [&str; 5] = ["src/a.py", "src/b.py", "docs/d.py", "other/a.py", "a.py"];

impl Limited {
    fn forbidding(path: &str) -> Self {
        let said = SteerState {
            forbidden_paths: vec![path.to_owned()],
            ..SteerState::default()
        };
        Self::of(said)
    }

    fn allowing(path: &str) -> Self {
        let said = SteerState {
            allowed_paths: vec![path.to_owned()],
            ..SteerState::default()
        };
        Self::of(said)
    }

    fn of(said: SteerState) -> Self {
        let links = HashMap::from([("link", "src/a.py"), ("tree", "src")]);
        Self { said, links }
    }

    fn level(&self, command: &str) -> Level {
        command_risk(command, PLACE, self).level()
    }
}

impl Facts for Limited {
    fn path(&self, path: &RepoPath) -> Known {
        let directory = DIRECTORIES.contains(&path.as_str());
        let exists = directory || FILES.contains(&path.as_str());
        Known {
            exists: Some(exists),
            directory: Some(directory),
            tracked: Some(exists),
            ignored: Some(false),
            dirty: Some(false),
        }
    }

    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        self.links
            .get(path.as_str())
            .map(|target| Arc::from(*target))
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn limit(&self, path: &RepoPath) -> Option<Limit> {
        self.said.verdict(path).map(|verdict| match verdict {
            SteerVerdict::Forbidden(_) => Limit::Forbidden,
            SteerVerdict::OutsideAllowed => Limit::Outside,
        })
    }

    fn limit_below(&self, directory: &RepoPath) -> Option<Limit> {
        self.said
            .forbids_below(directory)
            .then_some(Limit::Forbidden)
    }

    fn limit_like(&self, pattern: &str) -> Option<Limit> {
        self.said.forbids_like(pattern).then_some(Limit::Forbidden)
    }
}

#[test]
fn whatever_comes_to_it_is_told() {
    let facts = Limited::forbidding("src/a.py");
    for command in [
        "rm src/*.py",
        "rm s*/a.py",
        "ls src/a.py | xargs sed -i s/a/b/",
        "ls src | xargs -I{} sed -i s/a/b/ src/{}",
        "cd src && ls | xargs sed -i s/a/b/",
        "git ls-files | xargs sed -i s/a/b/",
        "git ls-files '*.py' | xargs sed -i s/a/b/",
        "git grep -l foo | xargs sed -i s/a/b/",
        "rg -l foo | xargs sed -i s/a/b/",
        "echo x > $(pwd)/src/a.py",
        "sed -i s/a/b/ $PWD/src/a.py",
        "rm \"${PWD}\"/src/a.py",
        "for f in src/*; do echo x > $f; done",
        "for f in $(ls src); do echo x > src/$f; done",
        "sed -i s/a/b/ \"src/$name\"",
        "cp a.py src/",
        "cp -r other/. src/",
        "rsync -a other/ src/",
        "gawk '{print > \"src/a.py\"}' x",
        "sed -n 'w src/a.py' x",
        "echo x > link",
        "sed -i s/a/b/ link",
        "echo x > tree/a.py",
        "rm tree/a.py",
        "rm tree/*.py",
        "cd tree && echo x > a.py",
    ] {
        assert_eq!(facts.level(command), Level::Destructive, "{command}");
    }
    for command in [
        "cat src/a.py",
        "ls src | xargs wc -l",
        "git ls-files | xargs wc -l",
        "sed -i s/a/b/ docs/d.py",
        "ls docs | xargs -I{} sed -i s/a/b/ docs/{}",
        "git ls-files '*.md' | xargs sed -i s/a/b/",
        "rg -l foo docs | xargs sed -i s/a/b/",
        "for f in $(ls docs); do echo x > docs/$f; done",
        "cp src/a.py docs/",
        "rsync -an other/ src/",
        "cp -r other src",
        "sed 's/new x/w src/' docs/d.py",
        "rm link",
        "rm tree",
        "echo x > $f",
    ] {
        assert_eq!(facts.level(command), Level::Safe, "{command}");
    }
}

#[test]
fn what_was_not_allowed_is_told() {
    let facts = Limited::allowing("docs");
    for command in [
        "sed -i s/a/b/ src/a.py",
        "ls | xargs sed -i s/a/b/",
        "echo x > tree/new.py",
        "echo x > src/$f",
    ] {
        assert_eq!(facts.level(command), Level::Destructive, "{command}");
    }
    for command in [
        "sed -i s/a/b/ docs/d.py",
        "cd docs && ls | xargs sed -i s/a/b/",
        "echo x > docs/new.md",
        "grep -r foo src",
    ] {
        assert_eq!(facts.level(command), Level::Safe, "{command}");
    }
}
