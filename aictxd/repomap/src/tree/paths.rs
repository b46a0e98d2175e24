//! The paths of a tree and the words in them.

use crate::segment::Interner;
use crate::view::FileId;
use crate::words;

/// Sorted paths with an index of their words. Rebuilt when a path comes or goes, shared otherwise.
#[derive(Debug, Default)]
pub struct Paths {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// How names that are not UTF-8 are shown, in order.
    lossy: Vec<(FileId, String)>,
    terms: Interner,
    starts: Vec<u32>,
    postings: Vec<(FileId, u32)>,
    lengths: Vec<u16>,
    mean: f32,
}

impl Paths {
    /// Takes paths in ascending order of their bytes.
    pub fn new<'a>(paths: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut new = Self::default();
        let mut found: Vec<(u32, FileId)> = Vec::new();
        let mut words = 0_u64;
        for path in paths {
            let file = FileId(new.ends.len() as u32);
            new.bytes.extend_from_slice(path);
            new.ends.push(new.bytes.len() as u32);
            if std::str::from_utf8(path).is_err() {
                new.lossy
                    .push((file, String::from_utf8_lossy(path).into_owned()));
            }
            let before = found.len();
            let terms = &mut new.terms;
            words::terms(path, |term| {
                found.push((terms.number(term.as_bytes()), file));
            });
            let length = found.len() - before;
            words += length as u64;
            new.lengths.push(u16::try_from(length).unwrap_or(u16::MAX));
        }
        new.mean = words as f32 / new.ends.len().max(1) as f32;
        new.group(&found);
        new
    }

    /// Groups (term, file) pairs, which come file by file, by term.
    fn group(&mut self, found: &[(u32, FileId)]) {
        let mut places = vec![0_u32; self.terms.len() + 1];
        for (term, _) in found {
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
        for (term, file) in found {
            let Some(place) = places.get_mut(*term as usize) else {
                continue;
            };
            let start = self.starts.get(*term as usize).copied().unwrap_or(0);
            // A word that stands twice in a path is one posting with the count two.
            if *place > start
                && let Some(last) = self.postings.get_mut(*place as usize - 1)
                && last.0 == *file
            {
                last.1 += 1;
                continue;
            }
            if let Some(target) = self.postings.get_mut(*place as usize) {
                *target = (*file, 1);
            }
            *place += 1;
        }
    }

    /// Bytes of memory that paths and their words take, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
            + self.ends.len() * 6
            + self.postings.len() * 8
            + self.terms.bytes()
            + self.terms.len() * 16
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A path as the system spells it; empty where there is none.
    pub fn raw(&self, file: FileId) -> &[u8] {
        let at = file.0 as usize;
        let end = self.ends.get(at).copied().unwrap_or(0) as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0) as usize,
            None => 0,
        };
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// A path as text, with replacement characters where it is not UTF-8.
    pub fn text(&self, file: FileId) -> &str {
        if !self.lossy.is_empty()
            && let Ok(at) = self.lossy.binary_search_by_key(&file, |(file, _)| *file)
        {
            return self.lossy.get(at).map_or("", |(_, text)| text);
        }
        std::str::from_utf8(self.raw(file)).unwrap_or("")
    }

    /// All paths in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|file| self.raw(FileId(file)))
    }

    /// The file at a path.
    pub fn find(&self, path: &[u8]) -> Option<FileId> {
        let (mut low, mut high) = (0, self.ends.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.raw(FileId(middle)).cmp(path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(FileId(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Whether some path lies below this directory.
    pub fn any_below(&self, directory: &[u8]) -> bool {
        let mut prefix = directory.to_vec();
        prefix.push(b'/');
        let (mut low, mut high) = (0, self.ends.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.raw(FileId(middle)) < prefix.as_slice() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.raw(FileId(low)).starts_with(&prefix)
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

    /// Words in a path.
    pub fn length(&self, file: FileId) -> u32 {
        let length = self.lengths.get(file.0 as usize);
        length.copied().unwrap_or(0).into()
    }

    /// Mean number of words.
    pub fn mean_length(&self) -> f32 {
        self.mean
    }

    /// Number of files whose path has the term.
    pub fn frequency(&self, term: &str) -> u32 {
        let mut count = 0;
        self.postings(term, &mut |_, _| count += 1);
        count
    }

    /// Calls `each` with every file whose path has the term, and how often.
    pub fn postings(&self, term: &str, each: &mut dyn FnMut(FileId, u32)) {
        let Some(term) = self.terms.find(term.as_bytes()) else {
            return;
        };
        let at = |index: u32| self.starts.get(index as usize).copied().unwrap_or(0) as usize;
        let range = at(term)..at(term + 1);
        for (file, count) in self.postings.get(range).unwrap_or_default() {
            if *count > 0 {
                each(*file, *count);
            }
        }
    }
}
