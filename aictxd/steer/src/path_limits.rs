//! The limits a person has set for a session.

use aictx_proto::methods::{SteerReply, SteerUpdates};
use aictx_proto::pattern::names_below;
use aictx_proto::{PathPattern, RepoPath, Timestamp};
use serde::{Deserialize, Serialize};

use super::path_resolution::{Names, resolve, resolve_scope};
use super::path_role::EVERYTHING;

/// Most entries of one list; what finds no room is counted in `dropped`.
const MAX_ENTRIES: usize = 64;
/// Characters of the words in which a limit was set.
const MAX_WORDS: usize = 120;

/// Limits and permissions of the person so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SteerState {
    /// Must not be edited. Paths, directories or patterns.
    pub forbidden_paths: Vec<String>,
    /// Only these may be edited, unless empty.
    pub allowed_paths: Vec<String>,
    /// May be edited although a wider prohibition covers it.
    pub excepted_paths: Vec<String>,
    /// Paths that the last message with limits added to the two lists above: "it" in a message that lifts them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latest: Vec<String>,
    /// Something new was ordered since without a word on limits: `allowed_paths` may be over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub moved_on: bool,
    /// Nothing may be changed until the person says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub until_told: bool,
    /// The person wants no checks to be run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skips_checks: bool,
    /// Last change of the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Source of the limits: `user_message`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// In which words they were set; of those that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
    /// Entries that found no room.
    pub dropped: u64,
    /// True while earlier limits are unreadable and nobody was told yet.
    #[serde(skip)]
    pub lost: bool,
}

/// The words in which a limit was set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// The entry of a list of limits.
    pub entry: String,
    /// The message, cut.
    pub words: String,
}

/// Why a path may not be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteerVerdict {
    /// This entry forbids it.
    Forbidden(String),
    /// It is outside the only paths that may be edited.
    OutsideAllowed,
}

impl SteerState {
    /// Takes over what a message said at `now`: adds, narrows, lifts. Paths are looked for among the `names`
    /// of the worktree; without them they are taken as they were written. Whether anything changed.
    pub fn apply(&mut self, reply: &SteerReply, now: Timestamp, names: Option<&dyn Names>) -> bool {
        let before = self.clone();
        // "Don't change anything yet" holds until somebody says otherwise; "don't change anything, just explain" until
        // something else than a question is said.
        let goes_on = matches!(
            reply.classification.as_str(),
            "strategy_change" | "agent_correction" | "clarification" | "validation_change"
        );
        if reply.suggested_updates.lets_go || goes_on && !self.until_told {
            self.forbidden_paths.retain(|entry| entry != EVERYTHING);
        }
        let orders = reply.labels.iter().any(|label| {
            matches!(
                label.classification.as_str(),
                "new_requirement" | "task" | "priority_change"
            )
        });
        self.moved_on |= orders && !self.allowed_paths.is_empty();
        match names {
            Some(names) => self.take(&resolved(&reply.suggested_updates, names)),
            None => self.take(&reply.suggested_updates),
        }
        let changed = (
            &before.forbidden_paths,
            &before.allowed_paths,
            &before.excepted_paths,
            before.moved_on,
            before.until_told,
            before.skips_checks,
        ) != (
            &self.forbidden_paths,
            &self.allowed_paths,
            &self.excepted_paths,
            self.moved_on,
            self.until_told,
            self.skips_checks,
        );
        if changed {
            self.since = Some(now);
            "user_message".clone_into(&mut self.source);
            let words = reply.suggested_updates.work_state_note.as_deref();
            self.note_words(&before, words.unwrap_or_default());
        }
        changed
    }

    /// Keeps the words of the limits that hold and are not those of `before`.
    fn note_words(&mut self, before: &Self, words: &str) {
        let held = |entry: &String| {
            self.forbidden_paths.contains(entry) || self.allowed_paths.contains(entry)
        };
        self.said.retain(|said| held(&said.entry));
        let words = aictx_proto::text::clean(words, MAX_WORDS);
        let limits = self.forbidden_paths.iter().chain(&self.allowed_paths);
        let new = limits.filter(|entry| {
            !before.forbidden_paths.contains(entry) && !before.allowed_paths.contains(entry)
        });
        let new: Vec<Said> = new
            .filter(|_| !words.is_empty())
            .map(|entry| Said {
                entry: entry.clone(),
                words: words.clone(),
            })
            .collect();
        self.said.extend(new);
    }

    /// The words in which the limit with this entry was set; empty when they are not known.
    pub fn words_of(&self, entry: &str) -> &str {
        let said = self.said.iter().find(|said| said.entry == entry);
        said.map_or("", |said| &said.words)
    }

    /// The words of all limits, where one message set them.
    pub fn only_words(&self) -> Option<&str> {
        let first = self.said.first()?;
        let limits = self.forbidden_paths.len() + self.allowed_paths.len();
        let alike = self.said.iter().all(|said| said.words == first.words);
        (alike && limits == self.said.len()).then_some(first.words.as_str())
    }

    pub(super) fn take(&mut self, updates: &SteerUpdates) {
        if updates.lift_all {
            self.forbidden_paths.clear();
            self.allowed_paths.clear();
            self.excepted_paths.clear();
        }
        if updates.lift_only {
            self.allowed_paths.clear();
            self.moved_on = false;
        }
        if updates.lift_latest {
            for entry in std::mem::take(&mut self.latest) {
                self.lift(&entry);
                self.allowed_paths.retain(|allowed| *allowed != entry);
            }
        }
        // What is ordered now is not off limits any more.
        for path in &updates.ordered_paths {
            self.permit(path);
        }
        let limits = updates.only_paths.iter().chain(&updates.forbidden_paths);
        let limits: Vec<String> = limits.take(MAX_ENTRIES).cloned().collect();
        if !updates.only_paths.is_empty() {
            self.moved_on = false;
            // A new scope takes the place of the old one.
            self.allowed_paths.clear();
            for path in &updates.only_paths {
                self.lift(path);
                push(&mut self.allowed_paths, path, &mut self.dropped);
            }
        }
        if let Some(skip) = updates.skip_validation {
            self.skips_checks = skip;
        }
        for path in &updates.forbidden_paths {
            self.excepted_paths.retain(|e| !within(path, e));
            self.allowed_paths.retain(|e| e != path);
            push(&mut self.forbidden_paths, path, &mut self.dropped);
        }
        for path in &updates.lifted_paths {
            self.permit(path);
        }
        if !limits.is_empty() {
            self.latest = limits;
        }
        let everything = self.forbidden_paths.iter().any(|entry| entry == EVERYTHING);
        self.until_told = everything && (self.until_told || updates.until_told);
    }

    /// Takes `path` out of what is forbidden and into what is allowed, where only some things are.
    fn permit(&mut self, path: &str) {
        self.lift(path);
        if !self.allowed_paths.is_empty() && !self.allowed_paths.iter().any(|e| within(e, path)) {
            push(&mut self.allowed_paths, path, &mut self.dropped);
        }
    }

    /// Takes `path` out of what is forbidden; where a wider entry still covers it, as an exception.
    fn lift(&mut self, path: &str) {
        self.forbidden_paths.retain(|entry| !within(path, entry));
        if self.forbidden_paths.iter().any(|entry| within(entry, path)) {
            push(&mut self.excepted_paths, path, &mut self.dropped);
        }
    }

    /// Why `path` may not be edited; `None` when nothing the person said is against it.
    pub fn verdict(&self, path: &RepoPath) -> Option<SteerVerdict> {
        if let Some(entry) = self.forbidden_paths.iter().find(|e| covers(e, path))
            && !self.excepted_paths.iter().any(|e| covers(e, path))
        {
            return Some(SteerVerdict::Forbidden(entry.clone()));
        }
        if !self.allowed_paths.is_empty()
            && !self
                .allowed_paths
                .iter()
                .chain(&self.excepted_paths)
                .any(|e| covers(e, path))
        {
            return Some(SteerVerdict::OutsideAllowed);
        }
        None
    }

    /// Returns true if the person named this very path.
    pub fn names(&self, path: &RepoPath) -> bool {
        self.forbidden_paths
            .iter()
            .any(|entry| entry == path.as_str())
    }

    /// Returns true if something below a directory may not be edited; the directory itself is another question.
    pub fn forbids_below(&self, directory: &RepoPath) -> bool {
        names_below(self.forbidden_paths.iter().map(String::as_str), directory)
    }

    /// Returns true if something that a pattern stands for may not be edited.
    pub fn forbids_like(&self, pattern: &str) -> bool {
        self.forbidden_paths
            .iter()
            .any(|entry| within(pattern, entry))
    }

    /// Returns true if there is nothing to enforce.
    pub fn is_empty(&self) -> bool {
        self.forbidden_paths.is_empty() && self.allowed_paths.is_empty()
    }
}

/// The same updates with the paths that the worktree has.
fn resolved(updates: &SteerUpdates, names: &dyn Names) -> SteerUpdates {
    let mut updates = updates.clone();
    for list in [
        &mut updates.forbidden_paths,
        &mut updates.lifted_paths,
        &mut updates.ordered_paths,
    ] {
        let found = list.iter().flat_map(|entry| resolve(entry, names));
        *list = found.collect();
    }
    let scope = updates.only_paths.iter();
    updates.only_paths = scope
        .flat_map(|entry| resolve_scope(entry, names))
        .collect();
    updates
}

/// Returns true if `inner` is `outer`, or below it, or of its pattern.
fn within(outer: &str, inner: &str) -> bool {
    outer == inner || RepoPath::parse(inner).is_ok_and(|path| covers(outer, &path))
}

/// Returns true if `entry` covers `path`. People do not tell `readme.md` from `README.md`, and what they name may
/// be a directory.
pub(crate) fn covers(entry: &str, path: &RepoPath) -> bool {
    let names = |entry: &str| PathPattern::new(entry).ignoring_case().matches(path);
    entry == path.as_str()
        || names(entry)
        || entry.starts_with("**/") && names(&format!("{entry}/**"))
}

/// Adds an entry. Of what lies outside the repository there is nothing to remember: it is never the
/// agent's to edit.
fn push(list: &mut Vec<String>, path: &str, dropped: &mut u64) {
    if super::paths::is_outside(path) || list.iter().any(|p| p == path) {
        return;
    }
    if list.len() >= MAX_ENTRIES {
        *dropped += 1;
    } else {
        list.push(path.to_owned());
    }
}
