//! The repository's past as evidence: which commits said what and touched which files.
//!
//! Everything lies in plain columns over interned paths, so that it is small and can be stored as
//! it is. Paths are those of the newest commit: what was renamed since is found under its new name.

mod git_log;
mod parse;
pub mod store;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

pub use git_log::{GitCommand, Limits, MineError, mine};
pub use parse::{Change, Commit, Log, parse};

use crate::commit_message;
use crate::words;

/// Most words of one commit message that count.
pub const MAX_MESSAGE_WORDS: usize = 400;
/// Commits that touch more files than this say nothing of any one of them.
pub const MAX_FILES: usize = 100;

/// The past, newest commit first.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Hash of the newest commit that was read, empty without any.
    pub head: String,
    /// Paths, by number, under their newest names.
    paths: Vec<String>,
    /// Time of each commit, in seconds since 1970.
    times: Vec<i64>,
    /// Where each commit's files start in `touched`; one more than commits.
    starts: Vec<u32>,
    /// Path numbers of all commits' files.
    touched: Vec<u32>,
    /// Words of each commit's message that count.
    lengths: Vec<u32>,
    /// Terms of all messages, sorted.
    terms: Vec<String>,
    /// Where each term's postings start; one more than terms.
    posting_starts: Vec<u32>,
    /// Commits that have a term, and how often, in order of commits.
    postings: Vec<(u32, u16)>,
    /// Where each path's commits start in `commits`; one more than paths.
    path_starts: Vec<u32>,
    /// Commits of each path, newest first.
    commits: Vec<u32>,
}

fn slice<'a, T>(starts: &[u32], values: &'a [T], number: u32) -> &'a [T] {
    let at = number as usize;
    match (starts.get(at), starts.get(at + 1)) {
        (Some(from), Some(to)) => values.get(*from as usize..*to as usize).unwrap_or_default(),
        _ => &[],
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl History {
    /// Builds the columns from commits, newest first. Merges and commits that touch nothing, or
    /// more than [`MAX_FILES`] files, should be left out by the caller only if it does not want
    /// their renames: they are followed, but not kept.
    pub fn new(commits: &[Commit]) -> Self {
        Self::build(commits).0
    }

    /// The past with `newer` commits, newest first, in front of `older`, which is what [`mine`]
    /// gives for a known head. At most `limit` commits are kept, the newest.
    pub fn extend(older: &History, newer: &[Commit], limit: u32) -> Self {
        let (mut history, renamed) = Self::build(newer);
        if history.head.is_empty() {
            history.head.clone_from(&older.head);
        }
        let shift = history.commits();
        let kept = older.commits().min(limit.saturating_sub(shift));
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (at, path) in (0_u32..).zip(&history.paths) {
            numbers.insert(path.clone(), at);
        }
        let mut mapped = Vec::with_capacity(older.paths.len());
        for path in &older.paths {
            let path = renamed.get(path).unwrap_or(path);
            let next = number(numbers.len());
            let at = *numbers.entry(path.clone()).or_insert_with_key(|path| {
                history.paths.push(path.clone());
                next
            });
            mapped.push(at);
        }
        for commit in 0..kept {
            let at = commit as usize;
            let files = older.files(commit).iter();
            let mut files: Vec<u32> = files
                .filter_map(|f| mapped.get(*f as usize).copied())
                .collect();
            files.sort_unstable();
            files.dedup();
            history.touched.extend(files);
            history.starts.push(number(history.touched.len()));
            history
                .times
                .push(older.times.get(at).copied().unwrap_or(0));
            history
                .lengths
                .push(older.lengths.get(at).copied().unwrap_or(0));
        }
        let mut terms: BTreeMap<&str, Vec<(u32, u16)>> = BTreeMap::new();
        for term in &history.terms {
            terms.insert(term, history.with_term(term).to_vec());
        }
        for term in &older.terms {
            let old = older.with_term(term).iter().filter(|(c, _)| *c < kept);
            let mut old = old.map(|(c, n)| (c + shift, *n)).peekable();
            if old.peek().is_some() {
                terms.entry(term).or_default().extend(old);
            }
        }
        let (mut names, mut starts, mut postings) = (Vec::new(), vec![0], Vec::new());
        for (term, list) in terms {
            names.push(term.to_owned());
            postings.extend(list);
            starts.push(number(postings.len()));
        }
        history.terms = names;
        history.posting_starts = starts;
        history.postings = postings;
        history.invert();
        history
    }

    /// The columns, and the names that files had before the oldest of `commits`, to their newest.
    fn build(commits: &[Commit]) -> (Self, HashMap<String, String>) {
        let mut history = History {
            head: commits.first().map(|c| c.hash.clone()).unwrap_or_default(),
            ..History::default()
        };
        history.starts.push(0);
        let mut numbers: HashMap<String, u32> = HashMap::new();
        // Old name to newest name, for names that were given up later than the commit at hand.
        let mut renamed: HashMap<String, String> = HashMap::new();
        let mut terms: HashMap<String, Vec<(u32, u16)>> = HashMap::new();
        let mut counts: HashMap<String, u16> = HashMap::new();
        for commit in commits {
            let mut files: Vec<u32> = Vec::new();
            for change in &commit.changes {
                let newest = renamed
                    .get(&change.path)
                    .cloned()
                    .unwrap_or_else(|| change.path.clone());
                if let Some(old) = &change.from
                    && *old != newest
                {
                    renamed.insert(old.clone(), newest.clone());
                }
                if matches!(change.status, 'A' | 'R') {
                    // Before this commit the name meant another file, if any.
                    renamed.remove(&change.path);
                }
                if commit.changes.len() > MAX_FILES {
                    continue;
                }
                let next = number(numbers.len());
                let file = *numbers.entry(newest).or_insert_with_key(|path| {
                    history.paths.push(path.clone());
                    next
                });
                files.push(file);
            }
            files.sort_unstable();
            files.dedup();
            if files.is_empty() {
                continue;
            }
            let at = number(history.times.len());
            history.times.push(commit.time);
            history.touched.extend(&files);
            history.starts.push(number(history.touched.len()));
            let mut length = 0;
            counts.clear();
            words::terms(commit_message::clean(&commit.message).as_bytes(), |term| {
                if length < MAX_MESSAGE_WORDS && words::weight(term) > 0.0 {
                    length += 1;
                    match counts.get_mut(term) {
                        Some(count) => *count = count.saturating_add(1),
                        None => {
                            counts.insert(term.to_owned(), 1);
                        }
                    }
                }
            });
            history.lengths.push(number(length));
            for (term, count) in counts.drain() {
                terms.entry(term).or_default().push((at, count));
            }
        }
        let mut terms: Vec<_> = terms.into_iter().collect();
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        history.posting_starts.push(0);
        for (term, postings) in terms {
            history.terms.push(term);
            history.postings.extend(postings);
            history.posting_starts.push(number(history.postings.len()));
        }
        history.invert();
        (history, renamed)
    }

    /// Fills the commits of each path.
    fn invert(&mut self) {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.paths.len()];
        for commit in 0..self.commits() {
            for path in slice(&self.starts, &self.touched, commit) {
                if let Some(list) = lists.get_mut(*path as usize) {
                    list.push(commit);
                }
            }
        }
        self.path_starts = vec![0];
        self.commits.clear();
        for list in lists {
            self.commits.extend(list);
            self.path_starts.push(number(self.commits.len()));
        }
    }

    /// Returns true if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Number of commits.
    pub fn commits(&self) -> u32 {
        number(self.times.len())
    }

    /// Paths that commits touched, by number.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Path numbers of a commit, ascending.
    pub fn files(&self, commit: u32) -> &[u32] {
        slice(&self.starts, &self.touched, commit)
    }

    /// Commits of a path, newest first.
    pub fn commits_of(&self, path: u32) -> &[u32] {
        slice(&self.path_starts, &self.commits, path)
    }

    /// Time of a commit, in seconds since 1970.
    pub fn time(&self, commit: u32) -> i64 {
        self.times.get(commit as usize).copied().unwrap_or(0)
    }

    /// Words of a commit's message that count.
    pub fn message_length(&self, commit: u32) -> u32 {
        self.lengths.get(commit as usize).copied().unwrap_or(0)
    }

    /// Mean of [`History::message_length`].
    pub fn mean_message_length(&self) -> f32 {
        let sum: u64 = self.lengths.iter().map(|l| u64::from(*l)).sum();
        sum as f32 / self.lengths.len().max(1) as f32
    }

    /// Commits whose message has `term`, and how often, newest first.
    pub fn with_term(&self, term: &str) -> &[(u32, u16)] {
        match self.terms.binary_search_by(|t| t.as_str().cmp(term)) {
            Ok(at) => slice(&self.posting_starts, &self.postings, number(at)),
            Err(_) => &[],
        }
    }
}
