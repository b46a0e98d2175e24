//! Making a segment out of facts and words.

use super::layout::{SECTIONS, Section, assemble};
use super::postings::{FIELDS, ListWriter, slot, write};
use super::term_counts::Counter;
use super::{BREAK, ContentId, DECLARED, EXPORTED, Interner, content_version, mask};
use crate::facts::{Definition, Facts, Kind, Span};
use crate::index_view::Field;
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
            counter,
        } = self;
        drop(counter);
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
