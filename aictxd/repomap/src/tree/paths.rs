//! The paths of a tree and the words in them.

use crate::index_view::FileId;
use crate::segment::Interner;
use crate::words;

/// Sorted paths with an index of their words. Rebuilt when a path comes or goes, shared otherwise.
#[derive(Debug, Default)]
pub struct Paths {
    /// All paths as they are shown: with replacement characters where they are not UTF-8.
    text: String,
    ends: Vec<u32>,
    /// How the system spells paths that are not UTF-8, in order.
    odd: Vec<(FileId, Vec<u8>)>,
    terms: Interner,
    starts: Vec<u32>,
    postings: Vec<(FileId, u32)>,
    lengths: Vec<u32>,
    mean: f32,
}

impl Paths {
    /// Takes paths in ascending order of their bytes.
    pub fn new<'a>(paths: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut new = Self::default();
        let mut found: Vec<(u32, FileId, u32)> = Vec::new();
        let mut words = 0_u64;
        for path in paths {
            let file = FileId(new.ends.len() as u32);
            let shown = String::from_utf8_lossy(path);
            new.text.push_str(&shown);
            new.ends.push(new.text.len() as u32);
            if shown.as_bytes() != path {
                new.odd.push((file, path.to_vec()));
            }
            let before = found.len();
            let (terms, mut length) = (&mut new.terms, 0);
            words::terms(path, |term| {
                length += 1;
                let number = terms.number(term.as_bytes());
                let mut own = found.iter_mut().skip(before);
                match own.find(|(term, ..)| *term == number) {
                    Some((.., count)) => *count += 1,
                    None => found.push((number, file, 1)),
                }
            });
            words += u64::from(length);
            new.lengths.push(length);
        }
        new.mean = words as f32 / new.ends.len().max(1) as f32;
        new.group(&found);
        new
    }

    /// Groups what was found, which comes file by file, by term.
    fn group(&mut self, found: &[(u32, FileId, u32)]) {
        let mut places = vec![0_u32; self.terms.len() + 1];
        for (term, ..) in found {
            if let Some(count) = places.get_mut(*term as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        self.starts.clone_from(&places);
        self.postings = vec![(FileId(0), 0); found.len()];
        for (term, file, count) in found {
            let Some(place) = places.get_mut(*term as usize) else {
                continue;
            };
            if let Some(target) = self.postings.get_mut(*place as usize) {
                *target = (*file, *count);
            }
            *place += 1;
        }
    }

    /// Bytes of memory that paths and their words take, roughly.
    pub fn bytes(&self) -> usize {
        self.text.len()
            + self.ends.len() * 8
            + self.postings.len() * 8
            + self.terms.bytes()
            + self.terms.len() * 16
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A path as the system spells it; empty where there is none.
    pub fn raw(&self, file: FileId) -> &[u8] {
        if !self.odd.is_empty()
            && let Ok(at) = self.odd.binary_search_by_key(&file, |(file, _)| *file)
        {
            return self.odd.get(at).map_or(&[], |(_, raw)| raw);
        }
        self.text(file).as_bytes()
    }

    /// A path as text, with replacement characters where it is not UTF-8.
    pub fn text(&self, file: FileId) -> &str {
        let at = file.0 as usize;
        let end = self.ends.get(at).copied().unwrap_or(0) as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0) as usize,
            None => 0,
        };
        self.text.get(start..end).unwrap_or_default()
    }

    /// All paths in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|file| self.raw(FileId(file)))
    }

    /// The file at a path.
    pub fn find(&self, path: &[u8]) -> Option<FileId> {
        let first = self.first_from(path);
        (!path.is_empty() && self.raw(first) == path).then_some(first)
    }

    /// Returns true if there is a file at a path, or some below it.
    pub fn holds(&self, path: &[u8]) -> bool {
        match self.raw(self.first_from(path)).strip_prefix(path) {
            None => false,
            Some([] | [b'/', ..]) => true,
            // `a.rs` and `a-b` stand before what is below `a`.
            Some(_) => self.any_below(path),
        }
    }

    /// The first file whose path is not before this one; one past the end where all are.
    fn first_from(&self, path: &[u8]) -> FileId {
        let (mut low, mut high) = (0, self.ends.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.raw(FileId(middle)) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        FileId(low)
    }

    /// The first file whose path is not UTF-8 and is shown so.
    pub fn shown_as(&self, path: &str) -> Option<FileId> {
        let mut files = self.odd.iter().map(|(file, _)| *file);
        files.find(|file| self.text(*file) == path)
    }

    /// Returns true if some path lies below this directory.
    pub fn any_below(&self, directory: &[u8]) -> bool {
        let mut prefix = directory.to_vec();
        prefix.push(b'/');
        self.raw(self.first_from(&prefix)).starts_with(&prefix)
    }

    /// The number that each of these paths has among `others`, if any. Linear.
    pub fn numbers_in(&self, others: &Paths) -> Vec<Option<FileId>> {
        let mut next = (0..).map(FileId).zip(others.iter()).peekable();
        self.iter()
            .map(|path| {
                while next.next_if(|(_, other)| *other < path).is_some() {}
                let (file, other) = next.peek()?;
                (*other == path).then_some(*file)
            })
            .collect()
    }

    /// Words in each path.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Mean number of words.
    pub fn mean_length(&self) -> f32 {
        self.mean
    }

    /// The number of a term that some path has.
    pub fn term(&self, term: &str) -> Option<u32> {
        self.terms.find(term.as_bytes())
    }

    /// Files whose path has the term of this number, and how often.
    pub fn postings(&self, term: Option<u32>) -> &[(FileId, u32)] {
        let at = |index: u32| self.starts.get(index as usize).copied().unwrap_or(0) as usize;
        let range = term.map_or(0..0, |term| at(term)..at(term.saturating_add(1)));
        self.postings.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// One look says what two say.
        #[test]
        fn it_holds_what_it_finds_and_what_has_something_below(
            all in proptest::collection::btree_set("[ab.-]{1,2}(/[ab.-]{1,2}){0,2}", 0..12),
            asked in "[ab.-]{1,2}(/[ab.-]{1,2}){0,2}",
        ) {
            let all: BTreeSet<String> = all;
            let paths = Paths::new(all.iter().map(|path| path.as_bytes()));
            let found = all.contains(&asked);
            let below = all.iter().any(|path| path.starts_with(&format!("{asked}/")));
            let asked = asked.as_bytes();
            prop_assert_eq!(paths.find(asked).is_some(), found);
            prop_assert_eq!(paths.any_below(asked), below);
            prop_assert_eq!(paths.holds(asked), found || below);
        }
    }
}
