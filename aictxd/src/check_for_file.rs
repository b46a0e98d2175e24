//! Which check covers a file: the one of the nearest project above it, or what runs the same tests.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use aictx_continuity::{FileCheck, Ground, Project};
use aictx_guard::Facts as _;
use aictx_proto::RepoPath;
use aictx_proto::snapshot::Snapshot;
use aictx_shell::language_of;

use crate::app::App;
use crate::guard_env::WorktreeFacts;
use crate::hosts::Place;
use crate::{project, worktree_facts};

/// Directories above a file that are looked at.
const MAX_ABOVE: usize = 12;
/// Directories remembered.
const MAX_DIRS: usize = 64;

/// Finds the checks that cover files of a worktree. Reads files, so it is used on the pool.
pub struct Checks<'s> {
    worktree: std::path::PathBuf,
    facts: WorktreeFacts,
    known: &'s worktree_facts::Facts,
    snapshot: &'s Snapshot,
    root: Cow<'s, Project>,
    /// Projects below the root, by directory.
    below: RefCell<HashMap<String, Option<Arc<Project>>>>,
    /// Checks that commands run, by directory and command.
    ran: RefCell<HashMap<(String, String), String>>,
}

impl<'s> Checks<'s> {
    /// Of a worktree as it is now.
    pub fn of(app: &'s App, place: &Place, snapshot: &'s Snapshot) -> Self {
        let project = worktree_facts::gather(app, place, snapshot);
        Self::with(app, place, snapshot, Cow::Owned(project))
    }

    /// The same of a project that was looked at.
    pub fn with(
        app: &'s App,
        place: &Place,
        snapshot: &'s Snapshot,
        project: Cow<'s, Project>,
    ) -> Self {
        let facts = WorktreeFacts::of(app, &place.worktree, Arc::default(), Arc::default());
        Self {
            facts: facts.watching(true),
            known: &app.facts,
            root: project,
            worktree: place.worktree.clone(),
            snapshot,
            below: RefCell::default(),
            ran: RefCell::default(),
        }
    }

    /// The test runs behind a command that runs in a directory below the root.
    fn ran(&self, dir: &str, command: &str) -> String {
        let key = (dir.to_owned(), command.to_owned());
        if let Some(known) = self.ran.borrow().get(&key) {
            return known.clone();
        }
        let root = self.worktree.to_string_lossy();
        let cwd = self.worktree.join(dir);
        self.facts.follows_anew();
        self.facts.judge(command, "", &root, &cwd.to_string_lossy());
        let ran = self.facts.tests_behind(command, dir);
        self.ran.borrow_mut().insert(key, ran.clone());
        ran
    }

    /// The project whose root is a directory below the worktree's, if it is there and no link leads out to it.
    fn project(&self, dir: &str) -> Option<Arc<Project>> {
        if let Some(known) = self.below.borrow().get(dir) {
            return known.clone();
        }
        let inside = || {
            let full = self.worktree.join(dir);
            // Most directories are no project, and that is soon seen.
            if !self.known.is_project(&full) {
                return None;
            }
            let full = std::fs::canonicalize(full).ok()?;
            let root = std::fs::canonicalize(&self.worktree).ok()?;
            (full == root.join(dir)).then_some(full)
        };
        let found = inside().map(|full| Arc::new(project::look(Path::new(&full)).0));
        let mut below = self.below.borrow_mut();
        if below.len() < MAX_DIRS {
            below.insert(dir.to_owned(), found.clone());
        }
        found
    }
}

impl Ground for Checks<'_> {
    fn text(&self, path: &str) -> Option<Arc<str>> {
        self.facts.text(&RepoPath::parse(path).ok()?)
    }

    fn check(&self, path: &str) -> Option<FileCheck> {
        let language = language_of(path);
        let mut dir = path;
        for _ in 0..MAX_ABOVE {
            let Some((parent, _)) = dir.rsplit_once('/') else {
                break;
            };
            dir = parent;
            let Some(project) = self.project(dir) else {
                continue;
            };
            let ran = |command: &str| self.ran(dir, command);
            let Some((command, ran)) = project.check_below(&self.root, language, &ran) else {
                continue;
            };
            let quoted = aictx_shell::quoted(dir);
            return Some(FileCheck {
                command: format!("cd {quoted} && {command}"),
                ran: if ran.is_empty() {
                    ran
                } else {
                    format!("cd {quoted} && {ran}")
                },
            });
        }
        let ran = |command: &str| self.ran("", command);
        let (command, ran) = self.root.check_of(self.snapshot, language, &ran)?;
        Some(FileCheck { command, ran })
    }
}
