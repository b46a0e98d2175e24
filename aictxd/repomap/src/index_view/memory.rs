//! A view that lies in hash maps: for texts that are no files, for tests and for the evaluation of
//! ranking, not for large trees.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use super::{Class, EachPostings, EachText, Field, FileId, Symbol, Term, View};
use crate::facts::{Definition, Facts, Kind, Outcome};
use crate::file_class::classify;
use crate::manifest::Manifests;
use crate::parse::{Language, Limits, Parser};
use crate::words;

/// One file to be indexed.
#[derive(Debug, Clone, Default)]
pub struct MemoryFile {
    /// Path relative to the root.
    pub path: String,
    /// Class of the file.
    pub class: Class,
    /// Name of its language, empty when unknown.
    pub language: String,
    /// Facts found by its parser.
    pub facts: Facts,
    /// Its text; empty where it must not or cannot be read.
    pub bytes: Vec<u8>,
}

impl MemoryFile {
    /// Reads a file: its language, facts and class. What is no text, private or made by a program
    /// keeps no bytes.
    pub fn read(parser: &mut Parser, path: String, bytes: Vec<u8>, limits: &Limits) -> Self {
        let head = bytes.get(..4_096.min(bytes.len())).unwrap_or_default();
        let language = Language::of(&path, head);
        let facts = parser.parse(&path, language, &bytes, limits);
        let mut class = classify(&path);
        if facts.outcome == Outcome::Generated && class != Class::Vendored {
            class = Class::Generated;
        }
        let text = matches!(
            facts.outcome,
            Outcome::Parsed | Outcome::Deadline | Outcome::TextOnly
        );
        Self {
            class,
            language: language.map_or("", Language::name).to_owned(),
            facts,
            bytes: if text { bytes } else { Vec::new() },
            path,
        }
    }
}

/// Words of one field.
#[derive(Debug, Default)]
struct Words {
    numbers: HashMap<Box<str>, u32>,
    postings: Vec<Vec<(FileId, u32)>>,
    lengths: Vec<u32>,
}

impl Words {
    fn add(&mut self, file: FileId, text: &[u8]) {
        let Self {
            numbers,
            postings,
            lengths,
        } = self;
        let mut count = 0;
        words::terms(text, |term| {
            count += 1;
            let at = match numbers.get(term) {
                Some(at) => *at as usize,
                None => {
                    let at = postings.len();
                    numbers.insert(term.into(), u32::try_from(at).unwrap_or(u32::MAX));
                    postings.push(Vec::new());
                    at
                }
            };
            if let Some(list) = postings.get_mut(at) {
                match list.last_mut() {
                    Some((last, times)) if *last == file => *times += 1,
                    _ => list.push((file, 1)),
                }
            }
        });
        if let Some(length) = lengths.get_mut(file.0 as usize) {
            *length += count;
        }
    }

    fn get(&self, number: Option<u32>) -> &[(FileId, u32)] {
        number
            .and_then(|at| self.postings.get(at as usize))
            .map_or(&[], Vec::as_slice)
    }
}

#[derive(Debug)]
struct Entry {
    path: String,
    class: Class,
    language: String,
    facts: Facts,
    imports: Vec<FileId>,
    importers: Vec<FileId>,
}

/// An index in memory.
#[derive(Debug, Default)]
pub struct MemoryView {
    files: Vec<Entry>,
    words: [Words; Field::COUNT],
    means: [f32; Field::COUNT],
    names: BTreeMap<String, Vec<(FileId, u32)>>,
}

impl MemoryView {
    /// Indexes files. Their order does not matter; of two with one path the first counts.
    pub fn new(mut files: Vec<MemoryFile>) -> Self {
        files.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        files.dedup_by(|b, a| a.path == b.path);
        let mut view = Self::default();
        for words in &mut view.words {
            words.lengths = vec![0; files.len()];
        }
        let manifests = Manifests::of(files.iter().map(|f| (&*f.path, &*f.bytes)));
        let imported = crate::graph::resolve(
            &files
                .iter()
                .map(|f| (f.path.as_str(), f.language.as_str(), &f.facts))
                .collect::<Vec<_>>(),
            &manifests,
        );
        for (file, imports) in files.into_iter().zip(imported) {
            view.add(file, imports);
        }
        let mut back: Vec<Vec<FileId>> = vec![Vec::new(); view.files.len()];
        for (at, entry) in (0_u32..).zip(&view.files) {
            for to in &entry.imports {
                if let Some(list) = back.get_mut(to.0 as usize) {
                    list.push(FileId(at));
                }
            }
        }
        for (entry, importers) in view.files.iter_mut().zip(back) {
            entry.importers = importers;
        }
        for (mean, words) in view.means.iter_mut().zip(&view.words) {
            let (mut sum, mut count) = (0_u64, 0_u64);
            for length in words.lengths.iter().filter(|l| **l > 0) {
                sum += u64::from(*length);
                count += 1;
            }
            *mean = sum as f32 / count.max(1) as f32;
        }
        view
    }

    fn add(&mut self, file: MemoryFile, imports: Vec<FileId>) {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let [path, name, signature, doc, body] = &mut self.words;
        path.add(id, file.path.as_bytes());
        body.add(id, &file.bytes);
        for (number, definition) in (0_u32..).zip(&file.facts.definitions) {
            let get = |span| file.facts.get(span);
            doc.add(id, get(definition.doc).as_bytes());
            if definition.kind == Kind::Heading {
                doc.add(id, get(definition.name).as_bytes());
                continue;
            }
            name.add(id, get(definition.name).as_bytes());
            signature.add(id, get(definition.signature).as_bytes());
            self.names
                .entry(get(definition.name).to_owned())
                .or_default()
                .push((id, number));
        }
        self.files.push(Entry {
            path: file.path,
            class: file.class,
            language: file.language,
            facts: file.facts,
            imports,
            importers: Vec::new(),
        });
    }

    fn entry(&self, file: FileId) -> Option<&Entry> {
        self.files.get(file.0 as usize)
    }

    fn field(&self, field: Field) -> &Words {
        let [path, name, signature, doc, body] = &self.words;
        match field {
            Field::Path => path,
            Field::Name => name,
            Field::Signature => signature,
            Field::Doc => doc,
            Field::Body => body,
        }
    }
}

fn symbol<'a>(facts: &'a Facts, definition: &Definition) -> Symbol<'a> {
    Symbol {
        name: facts.get(definition.name),
        signature: facts.get(definition.signature),
        doc: facts.get(definition.doc),
        container: definition.container,
        line: definition.line,
        end_line: definition.end_line,
        kind: definition.kind,
        exported: definition.exported,
        declared_only: definition.declared_only,
    }
}

impl View for MemoryView {
    fn files(&self) -> u32 {
        u32::try_from(self.files.len()).unwrap_or(u32::MAX)
    }

    fn path(&self, file: FileId) -> &str {
        self.entry(file).map_or("", |e| e.path.as_str())
    }

    fn file_at(&self, path: &str) -> Option<FileId> {
        self.files
            .binary_search_by(|e| e.path.as_bytes().cmp(path.as_bytes()))
            .ok()
            .and_then(|at| u32::try_from(at).ok())
            .map(FileId)
    }

    fn class(&self, file: FileId) -> Class {
        self.entry(file).map_or(Class::default(), |e| e.class)
    }

    fn language(&self, file: FileId) -> &str {
        self.entry(file).map_or("", |e| e.language.as_str())
    }

    fn lengths(&self, field: Field) -> &[u32] {
        &self.field(field).lengths
    }

    fn mean_length(&self, field: Field) -> f32 {
        self.means.get(field as usize).copied().unwrap_or(0.0)
    }

    fn term(&self, term: &str) -> Term {
        let words = Field::ALL.iter().map(|field| self.field(*field));
        words.map(|w| w.numbers.get(term).copied()).collect()
    }

    fn frequency(&self, field: Field, term: &Term) -> u32 {
        let list = self.field(field).get(term.at(field as usize));
        u32::try_from(list.len()).unwrap_or(u32::MAX)
    }

    fn postings(&self, field: Field, term: &Term, each: &mut EachPostings<'_>) {
        each(self.field(field).get(term.at(field as usize)));
    }

    fn symbol_count(&self, file: FileId) -> u32 {
        self.entry(file).map_or(0, |e| {
            u32::try_from(e.facts.definitions.len()).unwrap_or(u32::MAX)
        })
    }

    fn symbol(&self, file: FileId, number: u32) -> Option<Symbol<'_>> {
        let facts = &self.entry(file)?.facts;
        let definition = facts.definitions.get(number as usize)?;
        Some(symbol(facts, definition))
    }

    fn symbol_texts(&self, file: FileId, each: &mut EachText<'_>) {
        let Some(Entry { facts, .. }) = self.entry(file) else {
            return;
        };
        for (number, definition) in (0..).zip(&facts.definitions) {
            let text = [definition.name, definition.signature];
            let [name, signature] = text.map(|span| facts.get(span).as_bytes());
            each(number, name, signature);
        }
    }

    fn symbols_named(&self, name: &str, each: &mut dyn FnMut(FileId, u32) -> ControlFlow<()>) {
        let mut found = self.names.get(name).into_iter().flatten();
        let _ = found.try_for_each(|(file, number)| each(*file, *number));
    }

    fn imports(&self, file: FileId) -> &[FileId] {
        self.entry(file).map_or(&[], |e| e.imports.as_slice())
    }

    fn importers(&self, file: FileId) -> &[FileId] {
        self.entry(file).map_or(&[], |e| e.importers.as_slice())
    }
}
