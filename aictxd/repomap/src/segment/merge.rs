//! Many segments into one.

use super::builder::{Columns, Row, TermWriter};
use super::layout::{SECTIONS, Section, assemble};
use super::postings::{FIELDS, List, ListWriter, list_of};
use super::{Segment, content_version};

/// New number of a dropped document.
const GONE: u32 = u32::MAX;

/// Copies the documents that `keep` wants (segment and document are its arguments) into a new
/// segment, in the order of segments and documents. Time and memory are linear in what is kept.
/// With `two_threads` terms are merged beside everything else.
pub fn merge(
    segments: &[&Segment],
    two_threads: bool,
    keep: &dyn Fn(usize, u32) -> bool,
) -> Vec<u8> {
    let places = places(segments, keep);
    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    if two_threads {
        let terms = std::thread::scope(|scope| {
            let terms = scope.spawn(|| merge_terms(segments, &places));
            merge_columns(segments, &places).write(&mut sections);
            terms.join()
        });
        // A thread that could not do it leaves the work to this one.
        terms
            .unwrap_or_else(|_| merge_terms(segments, &places))
            .write(&mut sections);
    } else {
        merge_columns(segments, &places).write(&mut sections);
        merge_terms(segments, &places).write(&mut sections);
    }
    assemble(content_version(), &sections)
}

/// For each segment the new number of each of its documents.
fn places(segments: &[&Segment], keep: &dyn Fn(usize, u32) -> bool) -> Vec<Vec<u32>> {
    let mut next = 0;
    let mut place = |number: usize, doc: u32| {
        if !keep(number, doc) {
            return GONE;
        }
        next += 1;
        next - 1
    };
    let numbered = segments.iter().enumerate();
    numbered
        .map(|(number, segment)| (0..segment.docs()).map(|doc| place(number, doc)).collect())
        .collect()
}

fn merge_columns(segments: &[&Segment], places: &[Vec<u32>]) -> Columns {
    let mut columns = Columns::default();
    for (segment, places) in segments.iter().zip(places) {
        let mut names = vec![GONE; segment.names() as usize];
        for (doc, place) in (0..).zip(places) {
            if *place != GONE {
                copy_document(segment, doc, &mut names, &mut columns);
            }
        }
    }
    columns
}

fn copy_document(segment: &Segment, doc: u32, names: &mut [u32], columns: &mut Columns) {
    columns.ids.push(segment.id(doc).unwrap_or_default());
    let at = doc as usize * 4;
    let meta = segment.raw(Section::DocMeta).get(at..at + 4);
    columns
        .meta
        .push(meta.and_then(|m| m.try_into().ok()).unwrap_or_default());
    let mut lengths = [0; FIELDS.len()];
    for (length, field) in lengths.iter_mut().zip(FIELDS) {
        *length = segment.length(field, doc);
    }
    columns.lengths.push(lengths);
    for symbol in segment.symbols_of(doc) {
        let at = symbol as usize;
        let old = segment.number(Section::SymbolName, at);
        let name = match names.get(old as usize) {
            Some(&known) if known != GONE => known,
            _ => {
                let name = segment.piece(Section::NameStart, Section::NameText, old as usize);
                let new = columns.names.number(name);
                if let Some(place) = names.get_mut(old as usize) {
                    *place = new;
                }
                new
            }
        };
        columns
            .text
            .extend_from_slice(segment.piece(Section::SymbolText, Section::Text, at));
        let container = segment
            .raw(Section::SymbolContainer)
            .get(at * 2..at * 2 + 2);
        columns.rows.push(Row {
            name,
            line: segment.number(Section::SymbolLine, at),
            end_line: segment.number(Section::SymbolEnd, at),
            container: container
                .and_then(|c| c.try_into().ok())
                .map_or(u16::MAX, u16::from_le_bytes),
            flags: segment
                .raw(Section::SymbolKind)
                .get(at)
                .copied()
                .unwrap_or(0),
            text_end: columns.text.len() as u32,
        });
    }
    columns.symbol_ends.push(columns.rows.len() as u32);
    for (module, line) in segment.imports(doc) {
        columns.import_text.extend_from_slice(module.as_bytes());
        columns
            .import_text_ends
            .push(columns.import_text.len() as u32);
        columns.import_lines.push(line);
    }
    columns.import_ends.push(columns.import_lines.len() as u32);
}

/// Walks the sorted dictionaries side by side. Documents of a later segment get higher numbers, so
/// lists stay ascending when they are put behind each other.
fn merge_terms(segments: &[&Segment], places: &[Vec<u32>]) -> TermWriter {
    let mut out = TermWriter::default();
    let mut lists: [ListWriter; FIELDS.len()] = Default::default();
    let mut heads = std::collections::BinaryHeap::new();
    let push = |heads: &mut std::collections::BinaryHeap<_>, number: usize, term: u32| {
        if let Some(segment) = segments.get(number)
            && term < segment.terms()
        {
            heads.push(std::cmp::Reverse((segment.term(term), number, term)));
        }
    };
    for number in 0..segments.len() {
        push(&mut heads, number, 0);
    }
    while let Some(std::cmp::Reverse((text, number, term))) = heads.pop() {
        lists.iter_mut().for_each(ListWriter::clear);
        let mut next = Some((number, term));
        while let Some((number, term)) = next.take() {
            if let (Some(segment), Some(places)) = (segments.get(number), places.get(number)) {
                let all = segment.lists(term);
                for (slot, list) in lists.iter_mut().enumerate() {
                    for (doc, count) in List::new(list_of(all, slot).0) {
                        match places.get(doc as usize) {
                            Some(&place) if place != GONE => list.push(place, count),
                            _ => {}
                        }
                    }
                }
            }
            push(&mut heads, number, term + 1);
            if heads.peek().is_some_and(|head| head.0.0 == text) {
                next = heads.pop().map(|head| (head.0.1, head.0.2));
            }
        }
        out.push(text, &lists);
    }
    out
}
