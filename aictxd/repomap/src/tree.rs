//! A tree as it is published: paths, which content each holds, and the segments that know those
//! contents. Immutable; a change makes another tree that shares what did not change.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::discover::Stamp;
use crate::facts::{Kind, Outcome};
use crate::index_view::{Class, EachPostings, EachText, Field, FileId, Symbol, Term, View};
use crate::segment::{ContentId, Segment};

mod imports;
mod paths;

pub use imports::Graph;
pub use paths::Paths;

/// No file holds a document.
const NONE: u32 = u32::MAX;
/// Marks a document that several files hold; the rest of the number is the first of them.
const SHARED: u32 = 1 << 31;
/// Longer posting lists are counted with documents that no file holds any more.
const COUNTED: u32 = 256;
/// Postings that are handed over at once.
const AT_ONCE: usize = 512;

/// Where a content's document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the segment among the tree's.
    pub segment: u32,
    /// Number of the document in it.
    pub doc: u32,
}

/// What is known of one file beside its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// How it looked when it was read (or listed, while it waits).
    pub stamp: Stamp,
    /// Its content.
    pub id: ContentId,
    /// Where its facts are; nothing while it waits to be parsed.
    pub place: Option<Place>,
    /// Class of the file.
    pub class: Class,
}

/// A published tree.
#[derive(Debug, Default)]
pub struct Tree {
    paths: Arc<Paths>,
    rows: Vec<Row>,
    segments: Vec<Arc<Segment>>,
    /// The file that holds each document; of several the first, marked [`SHARED`].
    owners: Vec<Vec<u32>>,
    /// Words of each file in the fields of segments, in the order of `FIELDS`.
    lengths: [Vec<u32>; Field::COUNT],
    /// Further files of the same content, by the first.
    twins: BTreeMap<u32, Vec<u32>>,
    /// Whether every document of a segment is held by exactly one file.
    exact: Vec<bool>,
    /// Words of all files and number of files with any, for the fields of segments.
    sums: [(u64, u32); Field::COUNT],
    graph: Arc<Graph>,
    pending: u32,
    symbols: u32,
}

impl Tree {
    /// Puts a tree together. `rows` are in the order of `paths`; places that do not exist count as
    /// waiting. Linear in files and documents.
    pub fn new(
        paths: Arc<Paths>,
        mut rows: Vec<Row>,
        segments: Vec<Arc<Segment>>,
        graph: Arc<Graph>,
    ) -> Self {
        let mut owners: Vec<Vec<u32>> = segments
            .iter()
            .map(|s| vec![NONE; s.docs() as usize])
            .collect();
        let mut twins: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut sums = [(0_u64, 0_u32); Field::COUNT];
        let mut lengths = [(); Field::COUNT].map(|()| vec![0_u32; rows.len()]);
        let (mut pending, mut symbols) = (0, 0);
        for (file, row) in rows.iter_mut().enumerate() {
            let file = file as u32;
            let known = row.place.and_then(|place| {
                let segment = segments.get(place.segment as usize)?;
                let owner = owners
                    .get_mut(place.segment as usize)?
                    .get_mut(place.doc as usize)?;
                Some((place, segment, owner))
            });
            let Some((place, segment, owner)) = known else {
                row.place = None;
                pending += 1;
                continue;
            };
            if *owner == NONE {
                *owner = file;
            } else {
                twins.entry(*owner & !SHARED).or_default().push(file);
                *owner |= SHARED;
            }
            symbols += segment.symbols_of(place.doc).len() as u32;
            let fields = Field::ALL.iter().zip(&mut sums).zip(&mut lengths);
            for ((field, (sum, count)), lengths) in fields {
                let length = segment.length(*field, place.doc);
                if let Some(to) = lengths.get_mut(file as usize) {
                    *to = length;
                }
                *sum += u64::from(length);
                *count += u32::from(length > 0);
            }
        }
        let exact = owners
            .iter()
            .map(|owners| owners.iter().all(|owner| owner & SHARED == 0))
            .collect();
        Self {
            paths,
            rows,
            segments,
            owners,
            lengths,
            twins,
            exact,
            sums,
            graph,
            pending,
            symbols,
        }
    }

    /// Paths, in order.
    pub fn paths(&self) -> &Arc<Paths> {
        &self.paths
    }

    /// What is known of each file, in the order of paths.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Segments, the oldest first.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The import graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The same tree with another import graph.
    pub fn with_graph(&self, graph: Arc<Graph>) -> Self {
        Self::new(
            Arc::clone(&self.paths),
            self.rows.clone(),
            self.segments.clone(),
            graph,
        )
    }

    /// Returns true if a segment cannot be read any more, so that answers from this tree may be wrong.
    pub fn is_damaged(&self) -> bool {
        self.segments.iter().any(|segment| segment.is_damaged())
    }

    /// [`is_damaged`](Self::is_damaged), or somebody wrote to the file of a segment. Costs a `stat`
    /// for each.
    pub fn was_changed(&self) -> bool {
        self.segments.iter().any(|segment| segment.was_changed())
    }

    /// The same tree without its changed segments, and how many those are. Files that they held wait.
    pub fn without_changed(&self) -> (Self, usize) {
        let mut segments = self.segments.clone();
        let mut changed = 0;
        for segment in &mut segments {
            if segment.was_changed() {
                // The others keep their numbers.
                *segment = Segment::empty();
                changed += 1;
            }
        }
        let (paths, graph) = (Arc::clone(&self.paths), Arc::clone(&self.graph));
        (
            Self::new(paths, self.rows.clone(), segments, graph),
            changed,
        )
    }

    /// Files that wait to be parsed; they are found by path.
    pub fn pending(&self) -> u32 {
        self.pending
    }

    /// Definitions of all files.
    pub fn symbols(&self) -> u32 {
        self.symbols
    }

    /// Bytes on the heap, and bytes in all, mapped files included.
    pub fn bytes(&self) -> (u64, u64) {
        let rows = self.rows.len() * (size_of::<Row>() + 8) + self.paths.bytes();
        let graph = self.graph.bytes();
        let mut sums = (rows as u64 + graph as u64, rows as u64 + graph as u64);
        for segment in &self.segments {
            let bytes = segment.bytes().len() as u64;
            sums.1 += bytes;
            sums.0 += if segment.is_mapped() { 0 } else { bytes };
        }
        sums
    }

    /// Bytes of each section, over all segments.
    pub fn sections(&self) -> Vec<(String, u64)> {
        let mut sums: Vec<(String, u64)> = Vec::new();
        for segment in &self.segments {
            for (at, (name, bytes)) in segment.sections().enumerate() {
                match sums.get_mut(at) {
                    Some(sum) => sum.1 += bytes,
                    None => sums.push((name, bytes)),
                }
            }
        }
        sums
    }

    /// Documents that no file holds any more.
    pub fn dead_docs(&self) -> usize {
        let dead = |owners: &Vec<u32>| owners.iter().filter(|o| **o == NONE).count();
        self.owners.iter().map(dead).sum()
    }

    /// Returns true if some file holds this document.
    pub fn is_live(&self, place: Place) -> bool {
        self.owner(place).is_some()
    }

    /// How much of a file was understood; nothing while it waits.
    pub fn outcome(&self, file: FileId) -> Option<Outcome> {
        let (segment, doc) = self.doc(file)?;
        Some(segment.outcome(doc))
    }

    /// The segment and document of a file.
    pub fn doc(&self, file: FileId) -> Option<(&Segment, u32)> {
        let place = self.rows.get(file.0 as usize)?.place?;
        Some((self.segments.get(place.segment as usize)?, place.doc))
    }

    /// Modules that a file imports, as written.
    pub fn import_list(&self, file: FileId) -> impl Iterator<Item = &str> {
        let doc = self.doc(file);
        doc.into_iter()
            .flat_map(|(segment, doc)| segment.imports(doc))
            .map(|(module, _)| module)
    }

    /// Where a content is known, in any segment.
    pub fn find_content(&self, id: &ContentId) -> Option<Place> {
        self.segments.iter().enumerate().rev().find_map(|(n, s)| {
            s.find(id).map(|doc| Place {
                segment: n as u32,
                doc,
            })
        })
    }

    fn owner(&self, place: Place) -> Option<u32> {
        let owners = self.owners.get(place.segment as usize)?;
        let owner = owners.get(place.doc as usize).copied();
        owner.filter(|o| *o != NONE)
    }

    /// Calls `each` with every file of an entry of `owners`.
    #[inline]
    fn held(&self, owner: u32, mut each: impl FnMut(FileId)) {
        if owner & SHARED == 0 {
            each(FileId(owner));
        } else if owner != NONE {
            let first = owner & !SHARED;
            each(FileId(first));
            let twins = self.twins.get(&first);
            twins.into_iter().flatten().for_each(|t| each(FileId(*t)));
        }
    }

    /// Paths of the other files of the language that `path` promises with the content that git calls
    /// `blob` (in hexadecimal digits): where a file that was at `path` may be now, unless it changed on
    /// the way.
    pub fn others_with(&self, path: &str, blob: &str) -> Vec<&str> {
        let place = (blob.parse::<ContentId>().ok())
            .and_then(|content| self.find_content(&crate::document::key(path, content)));
        let mut found = Vec::new();
        if let Some(place) = place {
            self.files_of(place, &mut |file| found.push(self.paths.text(file)));
        }
        found.retain(|other| *other != path);
        found
    }

    /// Calls `each` with every file that holds a document.
    pub fn files_of(&self, place: Place, each: &mut dyn FnMut(FileId)) {
        if let Some(owner) = self.owner(place) {
            self.held(owner, each);
        }
    }
}

impl View for Tree {
    fn files(&self) -> u32 {
        self.rows.len() as u32
    }

    fn path(&self, file: FileId) -> &str {
        self.paths.text(file)
    }

    fn file_at(&self, path: &str) -> Option<FileId> {
        let paths = &self.paths;
        paths.find(path.as_bytes()).or_else(|| paths.shown_as(path))
    }

    fn class(&self, file: FileId) -> Class {
        let row = self.rows.get(file.0 as usize);
        let class = row.map(|row| row.class).unwrap_or_default();
        match self.outcome(file) {
            Some(Outcome::Generated) if class != Class::Vendored => Class::Generated,
            _ => class,
        }
    }

    fn language(&self, file: FileId) -> &str {
        self.doc(file).map_or("", |(segment, doc)| {
            crate::document::language_name(segment.language(doc))
        })
    }

    fn lengths(&self, field: Field) -> &[u32] {
        if field == Field::Path {
            return self.paths.lengths();
        }
        self.lengths.get(field as usize).map_or(&[], Vec::as_slice)
    }

    fn mean_length(&self, field: Field) -> f32 {
        if field == Field::Path {
            return self.paths.mean_length();
        }
        let (sum, count) = self.sums.get(field as usize).copied().unwrap_or_default();
        if count == 0 {
            0.0
        } else {
            (sum as f64 / f64::from(count)) as f32
        }
    }

    fn term(&self, term: &str) -> Term {
        let segments = self.segments.iter().map(|s| s.find_term(term));
        std::iter::once(self.paths.term(term))
            .chain(segments)
            .collect()
    }

    fn postings(&self, field: Field, term: &Term, each: &mut EachPostings<'_>) {
        if field == Field::Path {
            return each(self.paths.postings(term.at(0)));
        }
        let mut found = Vec::with_capacity(AT_ONCE);
        for (number, (segment, owners)) in self.segments.iter().zip(&self.owners).enumerate() {
            let Some(term) = term.at(number + 1) else {
                continue;
            };
            for (doc, count) in segment.postings(field, term) {
                let owner = owners.get(doc as usize).copied().unwrap_or(NONE);
                self.held(owner, |file| found.push((file, count)));
                if found.len() >= AT_ONCE {
                    each(&found);
                    found.clear();
                }
            }
        }
        each(&found);
    }

    fn frequency(&self, field: Field, term: &Term) -> u32 {
        if field == Field::Path {
            return self.paths.postings(term.at(0)).len() as u32;
        }
        let mut count = 0;
        for (number, (segment, exact)) in self.segments.iter().zip(&self.exact).enumerate() {
            let Some(term) = term.at(number + 1) else {
                continue;
            };
            let frequency = segment.frequency(field, term);
            if *exact || frequency > COUNTED {
                count += frequency;
                continue;
            }
            for (doc, _) in segment.postings(field, term) {
                let segment = number as u32;
                self.files_of(Place { segment, doc }, &mut |_| count += 1);
            }
        }
        count
    }

    fn symbol_count(&self, file: FileId) -> u32 {
        self.doc(file)
            .map_or(0, |(segment, doc)| segment.symbols_of(doc).len() as u32)
    }

    fn symbol(&self, file: FileId, number: u32) -> Option<Symbol<'_>> {
        let (segment, doc) = self.doc(file)?;
        let range = segment.symbols_of(doc);
        let at = range.start.checked_add(number)?;
        if at < range.end {
            segment.symbol(at)
        } else {
            None
        }
    }

    fn symbol_texts(&self, file: FileId, each: &mut EachText<'_>) {
        if let Some((segment, doc)) = self.doc(file) {
            let texts = segment.symbol_texts(doc);
            (0..)
                .zip(texts)
                .for_each(|(n, (name, signature))| each(n, name, signature));
        }
    }

    fn symbols_named(&self, name: &str, each: &mut dyn FnMut(FileId, u32) -> ControlFlow<()>) {
        for (number, segment) in self.segments.iter().enumerate() {
            let Some(name) = segment.find_name(name) else {
                continue;
            };
            for symbol in segment.symbols_named(name) {
                // A heading names nothing that a program could mean.
                if segment.kind(symbol).is_none_or(|k| k == Kind::Heading) {
                    continue;
                }
                let mut flow = ControlFlow::Continue(());
                self.files_of_symbol(number, symbol, &mut |file, number| {
                    if flow.is_continue() {
                        flow = each(file, number);
                    }
                });
                if flow.is_break() {
                    return;
                }
            }
        }
    }

    fn imports(&self, file: FileId) -> &[FileId] {
        self.graph.imports(file)
    }

    fn importers(&self, file: FileId) -> &[FileId] {
        self.graph.importers(file)
    }
}

impl Tree {
    /// Calls `each` with every file that holds a segment's symbol, and the symbol's number there.
    pub fn files_of_symbol(&self, segment: usize, symbol: u32, each: &mut dyn FnMut(FileId, u32)) {
        let Some(known) = self.segments.get(segment) else {
            return;
        };
        let doc = known.doc_of_symbol(symbol);
        let first = known.symbols_of(doc).start;
        let place = Place {
            segment: segment as u32,
            doc,
        };
        self.files_of(place, &mut |file| each(file, symbol.saturating_sub(first)));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
