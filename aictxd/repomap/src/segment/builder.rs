//! Making a segment out of facts and words.

use super::intern::Key;
use super::layout::{SECTIONS, Section, assemble};
use super::postings::{FIELDS, ListWriter, slot, write};
use super::{BREAK, ContentId, DECLARED, EXPORTED, Interner, content_version, mask};
use crate::facts::{Definition, Facts, Kind, Span};
use crate::view::Field;
use crate::words;

/// Most distinct terms kept of one document's body; the first ones in the text win.
const MAX_BODY_TERMS: usize = 4_000;

/// One term in one field of one document.
#[derive(Debug, Clone, Copy)]
struct Posting {
    term: u32,
    doc: u32,
    /// Two bits of field, the rest count.
    field_count: u32,
}

/// A symbol while the segment is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) name: u32,
    pub(super) line: u32,
    pub(super) end_line: u32,
    pub(super) container: u16,
    pub(super) flags: u8,
    pub(super) text_end: u32,
}

/// The columns of documents and symbols, shared by building and merging.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) ids: Vec<ContentId>,
    pub(super) meta: Vec<[u8; 4]>,
    pub(super) lengths: Vec<[u32; FIELDS.len()]>,
    pub(super) symbol_ends: Vec<u32>,
    pub(super) import_ends: Vec<u32>,
    pub(super) names: Interner,
    pub(super) rows: Vec<Row>,
    pub(super) text: Vec<u8>,
    pub(super) import_text: Vec<u8>,
    pub(super) import_text_ends: Vec<u32>,
    pub(super) import_lines: Vec<u32>,
}

/// Collects documents.
#[derive(Debug, Default)]
pub struct Builder {
    columns: Columns,
    terms: Interner,
    postings: Vec<Posting>,
    counter: Counter,
}

/// Counts the terms of one document, field by field. A document says few words again and again, and
/// documents share most of them: words are counted first, in a table of the document's own, which is
/// small, and taken apart when they are new to the segment.
#[derive(Debug)]
struct Counter {
    words: Interner,
    slots: Vec<WordSlot>,
    /// Hashes of the document's words.
    hashes: Vec<u64>,
    /// What numbers they have among the known ones, as far as that was asked.
    numbers: Vec<u32>,
    /// Words of this field, in the order in which they were seen.
    seen_words: Vec<u32>,
    known: Known,
    /// By term of the segment: the field that counted it last, and how often.
    counts: Vec<(u32, u32)>,
    /// Terms of this field, in the order in which they were seen.
    seen: Vec<u32>,
    /// Number of the field, counted through all documents.
    field: u32,
}

impl Default for Counter {
    fn default() -> Self {
        let words = Interner::default();
        Self {
            known: Known::new(words.sibling()),
            words,
            slots: Vec::new(),
            hashes: Vec::new(),
            numbers: Vec::new(),
            seen_words: Vec::new(),
            counts: Vec::new(),
            seen: Vec::new(),
            field: 0,
        }
    }
}

/// A word of the document: the field that counted it last, how often, and its terms in [`Known`].
#[derive(Debug, Default)]
struct WordSlot {
    field: u32,
    count: u32,
    start: u32,
    end: u32,
}

/// Words that were taken apart, and the terms of the segment that they have.
#[derive(Debug)]
struct Known {
    words: Interner,
    ends: Vec<u32>,
    terms: Vec<u32>,
}

/// Words that are remembered; more are forgotten all at once when the next document begins.
const MOST_KNOWN: usize = 1 << 17;
/// Not among the known ones yet.
const NEW: u32 = u32::MAX;

impl Known {
    fn new(words: Interner) -> Self {
        Self {
            words,
            ends: Vec::new(),
            terms: Vec::new(),
        }
    }

    fn forget(&mut self) {
        self.words.start_again();
        self.ends.clear();
        self.terms.clear();
    }

    /// Takes a word apart and gives its number.
    fn learn(&mut self, key: &Key<'_>, terms: &mut Interner) -> u32 {
        let number = self.words.number_of(key);
        if number as usize == self.ends.len() {
            words::terms_of_run(key.text(), |term| {
                self.terms.push(terms.number(term.as_bytes()))
            });
            self.ends.push(self.terms.len() as u32);
        }
        number
    }

    /// Where the terms of a word stand.
    fn places(&self, number: u32) -> (u32, u32) {
        let end = |number: u32| self.ends.get(number as usize).copied().unwrap_or(0);
        (number.checked_sub(1).map_or(0, end), end(number))
    }
}

impl Counter {
    fn start_document(&mut self) {
        self.words.clear();
        self.slots.clear();
        self.hashes.clear();
        self.numbers.clear();
        if self.known.ends.len() > MOST_KNOWN {
            self.known.forget();
        }
    }

    fn start_field(&mut self) {
        self.field += 1;
        self.seen_words.clear();
        self.seen.clear();
    }

    #[inline]
    fn count(&mut self, word: &[u8]) {
        let key = self.words.key(word);
        let number = self.words.number_of(&key);
        if number as usize == self.hashes.len() {
            self.hashes.push(key.hash());
            self.slots.push(WordSlot::default());
        }
        if let Some(slot) = self.slots.get_mut(number as usize) {
            if slot.field == self.field {
                slot.count += 1;
            } else {
                (slot.field, slot.count) = (self.field, 1);
                self.seen_words.push(number);
            }
        }
    }

    /// Finds the terms of the words that this document has not had before. The table of all words is
    /// large: in a loop of their own the looks at it, each of which waits for memory, overlap.
    fn resolve(&mut self, terms: &mut Interner) {
        let fresh = self.numbers.len() as u32..self.hashes.len() as u32;
        let (words, hashes) = (&self.words, &self.hashes);
        let key = |number: u32| {
            let hash = hashes.get(number as usize).copied().unwrap_or(0);
            Key::again(words.get(number), hash)
        };
        let known = &self.known.words;
        let found = fresh.clone().map(|number| known.known(&key(number)));
        self.numbers.extend(found.map(|it| it.unwrap_or(NEW)));
        for number in fresh.clone() {
            if let Some(it) = self.numbers.get_mut(number as usize)
                && *it == NEW
            {
                *it = self.known.learn(&key(number), terms);
            }
        }
        for number in fresh {
            let known = self.numbers.get(number as usize).copied().unwrap_or(NEW);
            if let Some(slot) = self.slots.get_mut(number as usize) {
                (slot.start, slot.end) = self.known.places(known);
            }
        }
    }

    /// Counts the terms of the field's words, at most so many different ones, and gives the number
    /// of all. Words come in the order in which they were seen, so terms do, too.
    fn finish_field(&mut self, terms: &mut Interner, most: usize) -> u32 {
        self.resolve(terms);
        self.counts.resize(terms.len(), (0, 0));
        let mut total = 0;
        for word in &self.seen_words {
            let Some(word) = self.slots.get(*word as usize) else {
                continue;
            };
            let places = word.start as usize..word.end as usize;
            for term in self.known.terms.get(places).unwrap_or_default() {
                total += word.count;
                if let Some((field, count)) = self.counts.get_mut(*term as usize) {
                    if *field == self.field {
                        *count += word.count;
                    } else if self.seen.len() < most {
                        (*field, *count) = (self.field, word.count);
                        self.seen.push(*term);
                    }
                }
            }
        }
        total
    }

    /// This field's terms, and how often each was counted.
    fn counted(&self) -> impl Iterator<Item = (u32, u32)> {
        self.seen.iter().filter_map(|term| {
            let (_, count) = self.counts.get(*term as usize)?;
            Some((*term, *count))
        })
    }
}

impl Builder {
    /// Adds a document. `body` is its text, when words are to be taken from it.
    pub fn add(&mut self, id: ContentId, language: u8, facts: &Facts, body: &[u8]) {
        let columns = &mut self.columns;
        let doc = columns.ids.len() as u32;
        columns.ids.push(id);
        let cut = u16::try_from(facts.cut).unwrap_or(u16::MAX).to_le_bytes();
        let [low, high] = cut;
        columns
            .meta
            .push([language, facts.outcome as u8, low, high]);
        for symbol in &facts.definitions {
            let name = columns.names.number(facts.get(symbol.name).as_bytes());
            columns
                .text
                .extend(facts.get(symbol.signature).bytes().filter(|b| *b != BREAK));
            let note = facts.get(symbol.doc);
            if !note.is_empty() {
                columns.text.push(BREAK);
                columns.text.extend_from_slice(note.as_bytes());
            }
            let container = symbol.container.and_then(|c| u16::try_from(c).ok());
            columns.rows.push(Row {
                name,
                line: symbol.line,
                end_line: symbol.end_line,
                container: container.unwrap_or(u16::MAX),
                flags: symbol.kind as u8
                    | if symbol.exported { EXPORTED } else { 0 }
                    | if symbol.declared_only { DECLARED } else { 0 },
                text_end: columns.text.len() as u32,
            });
        }
        columns.symbol_ends.push(columns.rows.len() as u32);
        for import in &facts.imports {
            columns
                .import_text
                .extend_from_slice(facts.get(import.module).as_bytes());
            columns
                .import_text_ends
                .push(columns.import_text.len() as u32);
            columns.import_lines.push(import.line);
        }
        columns.import_ends.push(columns.import_lines.len() as u32);
        // Headings are prose: their words count as documentation.
        let of = |heading: bool, span: fn(&Definition) -> Span| {
            let wanted = move |d: &&Definition| (d.kind == Kind::Heading) == heading;
            let definitions = facts.definitions.iter().filter(wanted);
            definitions.map(move |d| facts.get(span(d)).as_bytes())
        };
        self.counter.start_document();
        let docs = of(false, |d| d.doc)
            .chain(of(true, |d| d.doc))
            .chain(of(true, |d| d.name));
        let lengths = [
            self.count(doc, Field::Name, of(false, |d| d.name)),
            self.count(doc, Field::Signature, of(false, |d| d.signature)),
            self.count(doc, Field::Doc, docs),
            self.count(doc, Field::Body, std::iter::once(body)),
        ];
        self.columns.lengths.push(lengths);
    }

    /// Counts the words of one field of one document.
    fn count<'a>(&mut self, doc: u32, field: Field, texts: impl Iterator<Item = &'a [u8]>) -> u32 {
        let Some(slot) = slot(field) else { return 0 };
        let most = if field == Field::Body {
            MAX_BODY_TERMS
        } else {
            usize::MAX
        };
        let counter = &mut self.counter;
        counter.start_field();
        for text in texts {
            words::runs(text, |word| counter.count(word));
        }
        let total = counter.finish_field(&mut self.terms, most);
        self.postings
            .extend(counter.counted().map(|(term, count)| Posting {
                term,
                doc,
                field_count: (slot as u32) << 30 | count.min((1 << 30) - 1),
            }));
        total
    }

    /// Number of documents so far.
    pub fn docs(&self) -> usize {
        self.columns.ids.len()
    }

    /// Bytes of memory that the collected documents take, roughly.
    pub fn weight(&self) -> usize {
        self.postings.len() * size_of::<Posting>()
            + self.terms.bytes()
            + self.terms.len() * 20
            + self.columns.text.len()
            + self.columns.rows.len() * (size_of::<Row>() + 16)
    }

    /// The segment's bytes.
    pub fn finish(self) -> Vec<u8> {
        let Self {
            columns,
            terms,
            postings,
            ..
        } = self;
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        columns.write(&mut sections);
        write_terms(&terms, &postings, &mut sections);
        assemble(content_version(), &sections)
    }
}

impl Columns {
    /// Writes every section but those of terms.
    pub(super) fn write(&self, sections: &mut [Vec<u8>; SECTIONS]) {
        let mut by_id: Vec<u32> = (0..self.ids.len() as u32).collect();
        by_id.sort_by_key(|doc| self.ids.get(*doc as usize));
        put_all(sections, Section::DocById, by_id);
        let raw = |section: Section, bytes: Vec<u8>, sections: &mut [Vec<u8>; SECTIONS]| {
            if let Some(place) = sections.get_mut(section as usize) {
                *place = bytes;
            }
        };
        let ids = self.ids.iter().flat_map(|id| id.0).collect();
        raw(Section::DocId, ids, sections);
        let meta = self.meta.iter().flatten().copied().collect();
        raw(Section::DocMeta, meta, sections);
        put_all(
            sections,
            Section::DocLength,
            self.lengths.iter().flatten().copied(),
        );
        put_starts(
            sections,
            Section::DocSymbols,
            self.symbol_ends.iter().copied(),
        );
        put_starts(
            sections,
            Section::DocImports,
            self.import_ends.iter().copied(),
        );

        let order = self.names.sorted();
        let mut rank = vec![0_u32; order.len()];
        for (place, number) in order.iter().enumerate() {
            if let Some(rank) = rank.get_mut(*number as usize) {
                *rank = place as u32;
            }
        }
        let rank_of = |row: &Row| rank.get(row.name as usize).copied().unwrap_or(0);
        put_all(sections, Section::SymbolName, self.rows.iter().map(rank_of));
        put_all(
            sections,
            Section::SymbolLine,
            self.rows.iter().map(|r| r.line),
        );
        put_all(
            sections,
            Section::SymbolEnd,
            self.rows.iter().map(|r| r.end_line),
        );
        let containers = self.rows.iter().flat_map(|r| r.container.to_le_bytes());
        raw(Section::SymbolContainer, containers.collect(), sections);
        let kinds = self.rows.iter().map(|r| r.flags).collect();
        raw(Section::SymbolKind, kinds, sections);
        put_starts(
            sections,
            Section::SymbolText,
            self.rows.iter().map(|r| r.text_end),
        );
        let mut by_name: Vec<u32> = (0..self.rows.len() as u32).collect();
        by_name.sort_by_key(|symbol| self.rows.get(*symbol as usize).map_or(0, rank_of));
        put_all(sections, Section::SymbolByName, by_name);
        let mut counts = vec![0_u32; order.len()];
        for row in &self.rows {
            if let Some(count) = counts.get_mut(rank_of(row) as usize) {
                *count += 1;
            }
        }
        put_starts(sections, Section::NameSymbols, sums(counts));
        let lengths = order.iter().map(|n| self.names.get(*n).len() as u32);
        put_starts(sections, Section::NameStart, sums(lengths));
        let mut name_text = Vec::with_capacity(self.names.bytes());
        let mut masks = Vec::with_capacity(order.len() * 8);
        for number in &order {
            let name = self.names.get(*number);
            name_text.extend_from_slice(name);
            let set = std::str::from_utf8(name).map_or(0, mask);
            masks.extend_from_slice(&set.to_le_bytes());
        }
        raw(Section::NameText, name_text, sections);
        raw(Section::NameMask, masks, sections);
        raw(Section::Text, self.text.clone(), sections);
        put_starts(
            sections,
            Section::ImportStart,
            self.import_text_ends.iter().copied(),
        );
        put_all(
            sections,
            Section::ImportLine,
            self.import_lines.iter().copied(),
        );
        raw(Section::ImportText, self.import_text.clone(), sections);
    }
}

/// Writes the four sections of terms.
fn write_terms(terms: &Interner, postings: &[Posting], sections: &mut [Vec<u8>; SECTIONS]) {
    // A counting sort by term keeps documents ascending within each.
    let mut places = vec![0_u32; terms.len() + 1];
    for posting in postings {
        if let Some(count) = places.get_mut(posting.term as usize + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for place in &mut places {
        sum += *place;
        *place = sum;
    }
    let starts = places.clone();
    let mut grouped = vec![(0_u32, 0_u32); postings.len()];
    for posting in postings {
        if let Some(place) = places.get_mut(posting.term as usize) {
            if let Some(target) = grouped.get_mut(*place as usize) {
                *target = (posting.doc, posting.field_count);
            }
            *place += 1;
        }
    }
    let mut out = TermWriter::default();
    let mut lists: [ListWriter; FIELDS.len()] = Default::default();
    for term in terms.sorted() {
        let at = |index: usize| starts.get(index).copied().unwrap_or(0) as usize;
        let range = at(term as usize)..at(term as usize + 1);
        lists.iter_mut().for_each(ListWriter::clear);
        for (doc, field_count) in grouped.get(range).unwrap_or_default() {
            if let Some(list) = lists.get_mut((field_count >> 30) as usize) {
                list.push(*doc, field_count & ((1 << 30) - 1));
            }
        }
        out.push(terms.get(term), &lists);
    }
    out.write(sections);
}

/// Terms in byte order with their lists, while sections are made.
#[derive(Debug, Default)]
pub(super) struct TermWriter {
    text: Vec<u8>,
    ends: Vec<u32>,
    lists: Vec<u8>,
    list_ends: Vec<u32>,
}

impl TermWriter {
    /// Adds a term; terms come in byte order. One without documents is left out.
    pub(super) fn push(&mut self, term: &[u8], lists: &[ListWriter; FIELDS.len()]) {
        if lists.iter().all(ListWriter::is_empty) {
            return;
        }
        self.text.extend_from_slice(term);
        self.ends.push(self.text.len() as u32);
        write(&mut self.lists, lists);
        self.list_ends.push(self.lists.len() as u32);
    }

    /// Writes the sections.
    pub(super) fn write(self, sections: &mut [Vec<u8>; SECTIONS]) {
        put_starts(sections, Section::TermStart, self.ends.into_iter());
        put_starts(sections, Section::TermLists, self.list_ends.into_iter());
        for (section, bytes) in [(Section::TermText, self.text), (Section::Lists, self.lists)] {
            if let Some(place) = sections.get_mut(section as usize) {
                *place = bytes;
            }
        }
    }
}

fn put_all(
    sections: &mut [Vec<u8>; SECTIONS],
    section: Section,
    numbers: impl IntoIterator<Item = u32>,
) {
    if let Some(place) = sections.get_mut(section as usize) {
        place.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    }
}

/// Ends of pieces become starts, with the last end behind them.
fn put_starts(
    sections: &mut [Vec<u8>; SECTIONS],
    section: Section,
    ends: impl Iterator<Item = u32>,
) {
    put_all(sections, section, std::iter::once(0).chain(ends));
}

fn sums(counts: impl IntoIterator<Item = u32>) -> impl Iterator<Item = u32> {
    counts.into_iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Terms one by one, as they stand in the texts.
    fn naive(texts: &[String], most: usize) -> (u32, BTreeMap<String, u32>) {
        let mut total = 0;
        let mut counts = BTreeMap::new();
        for text in texts {
            words::terms(text.as_bytes(), |term| {
                total += 1;
                if let Some(count) = counts.get_mut(term) {
                    *count += 1;
                } else if counts.len() < most {
                    counts.insert(term.to_owned(), 1);
                }
            });
        }
        (total, counts)
    }

    proptest! {
        #[test]
        fn words_counted_first_give_the_same_terms(
            documents in proptest::collection::vec(
                proptest::collection::vec("([a-c_A-C1é]{1,5}[ .]){0,12}", 1..4), 1..6),
            most in 1_usize..12,
            forget: bool,
        ) {
            let (mut counter, mut terms) = (Counter::default(), Interner::default());
            for fields in &documents {
                counter.start_document();
                if forget {
                    counter.known.forget();
                }
                for text in fields {
                    counter.start_field();
                    words::runs(text.as_bytes(), |word| counter.count(word));
                    let total = counter.finish_field(&mut terms, most);
                    let counted = counter.counted();
                    let named = |(term, count)| {
                        (String::from_utf8_lossy(terms.get(term)).into_owned(), count)
                    };
                    let counts = counted.map(named).collect();
                    prop_assert_eq!((total, counts), naive(std::slice::from_ref(text), most));
                }
            }
        }
    }
}
