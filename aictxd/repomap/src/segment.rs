//! Segments: facts and words of many contents, compact and immutable.
//!
//! A segment knows documents, not files: a document is a content, named by its git blob id, and
//! which paths hold it is the tree's business. So a branch switch, a revert or a second worktree
//! finds what was parsed before. A segment is one run of bytes, the same in memory and on disk;
//! opening one maps it and checks it, nothing is copied or decoded.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use aictx_files::mapped::Mapped;
use zerocopy::FromBytes;
use zerocopy::little_endian::{U16, U32, U64};

use crate::facts::{Kind, Outcome};
use crate::index_view::{Field, Symbol};

mod builder;
mod intern;
mod layout;
mod merge;
mod postings;
mod term_counts;

pub use builder::Builder;
pub(crate) use intern::Interner;
pub use layout::Damage;
use layout::{SECTIONS, Section};
pub use merge::merge;
use postings::{FIELDS, List, list_of, slot};

/// Stands between a symbol's signature and its doc; neither can hold it.
const BREAK: u8 = 0x1f;
const EXPORTED: u8 = 0x20;
const DECLARED: u8 = 0x40;
const KIND: u8 = 0x1f;

/// Version of what segments mean: layout aside, the extraction's and the tokenizer's.
pub fn content_version() -> u32 {
    crate::words::VERSION << 16 | crate::parse::VERSION
}

/// Name of a content: its git blob id (the first 20 bytes where git uses SHA-256).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContentId(pub [u8; 20]);

impl ContentId {
    /// The id that git gives this content: SHA-1 over `blob`, the length and the bytes.
    pub fn of(content: &[u8]) -> Self {
        use sha1::Digest;
        let mut hash = sha1::Sha1::new();
        hash.update(format!("blob {}\0", content.len()).as_bytes());
        hash.update(content);
        Self(hash.finalize().into())
    }
}

impl std::str::FromStr for ContentId {
    type Err = std::num::ParseIntError;

    /// Reads the first forty hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut id = [0; 20];
        for (at, byte) in id.iter_mut().enumerate() {
            let digits = text.get(at * 2..at * 2 + 2).unwrap_or_default();
            *byte = u8::from_str_radix(digits, 16)?;
        }
        Ok(Self(id))
    }
}

impl std::fmt::Display for ContentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&aictx_proto::text::hex(&self.0))
    }
}

impl std::fmt::Debug for ContentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[derive(Debug)]
enum Bytes {
    Heap(Vec<u8>),
    Mapped(Mapped),
}

/// An open segment.
#[derive(Debug)]
pub struct Segment {
    bytes: Bytes,
    sections: [(usize, usize); SECTIONS],
}

impl Segment {
    /// Takes bytes that a [`Builder`] or [`merge`] made.
    ///
    /// # Errors
    /// When they are not a segment of this version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Damage> {
        let sections = layout::dissect(&bytes, content_version())?;
        Self::checked(Bytes::Heap(bytes), sections)
    }

    /// Takes the sections of `bytes` as they stand, with fresh checksums: what a reader must survive
    /// even when nothing is wrong with the sums. For tests.
    ///
    /// # Errors
    /// When sections do not fit each other.
    pub fn sealed(bytes: &[u8]) -> Result<Self, Damage> {
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let mut rest = bytes;
        for section in &mut sections {
            let Some((head, tail)) = rest.split_first_chunk::<2>() else {
                break;
            };
            let length = usize::from(u16::from_le_bytes(*head)).min(tail.len());
            let (piece, tail) = tail.split_at(length);
            section.extend_from_slice(piece);
            rest = tail;
        }
        Self::from_bytes(layout::assemble(content_version(), &sections))
    }

    /// Maps a file. Files of the cache are replaced by rename and never written in place; one that
    /// somebody writes to all the same [is damaged](Self::is_damaged) from then on.
    ///
    /// # Errors
    /// When it cannot be mapped, or is not a segment of this version.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let map = Mapped::open(path)?;
        let damaged = |error: Damage| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
        let sections = layout::dissect(&map, content_version()).map_err(damaged)?;
        Self::checked(Bytes::Mapped(map), sections).map_err(damaged)
    }

    /// A segment without documents, for what cannot be read any more.
    pub fn empty() -> Arc<Self> {
        static EMPTY: OnceLock<Arc<Segment>> = OnceLock::new();
        let made = || {
            let bytes = Builder::default().finish();
            Arc::new(Self::from_bytes(bytes).unwrap_or_else(|_| Self {
                bytes: Bytes::Heap(Vec::new()),
                sections: [(0, 0); SECTIONS],
            }))
        };
        Arc::clone(EMPTY.get_or_init(made))
    }

    /// Returns true if a part of its file is gone, so that what was read of it may be zeros.
    pub fn is_damaged(&self) -> bool {
        matches!(&self.bytes, Bytes::Mapped(map) if map.is_damaged())
    }

    /// [`is_damaged`](Self::is_damaged), or somebody wrote to its file. Costs a `stat`.
    pub fn was_changed(&self) -> bool {
        matches!(&self.bytes, Bytes::Mapped(map) if map.is_damaged() || map.was_written())
    }

    /// Sections that are columns of the same thing must be of the same length.
    fn checked(bytes: Bytes, sections: [(usize, usize); SECTIONS]) -> Result<Self, Damage> {
        use Section::{
            DocById, DocImports, DocLength, DocMeta, DocSymbols, ImportLine, ImportStart, NameMask,
            NameStart, NameSymbols, SymbolByName, SymbolContainer, SymbolEnd, SymbolKind,
            SymbolLine, SymbolName, SymbolText, TermLists, TermStart,
        };
        let segment = Self { bytes, sections };
        let len = |section: Section| segment.raw(section).len();
        let docs = segment.docs() as usize;
        let symbols = segment.symbols() as usize;
        let names = len(NameMask) / 8;
        let imports = len(ImportLine) / 4;
        let terms = (len(TermStart) / 4).saturating_sub(1);
        let fits = len(Section::DocId) == docs * 20
            && len(DocById) == docs * 4
            && len(DocMeta) == docs * 4
            && len(DocLength) == docs * 16
            && len(DocSymbols) == (docs + 1) * 4
            && len(DocImports) == (docs + 1) * 4
            && len(SymbolName) == symbols * 4
            && len(SymbolLine) == symbols * 4
            && len(SymbolEnd) == symbols * 4
            && len(SymbolContainer) == symbols * 2
            && len(SymbolKind) == symbols
            && len(SymbolText) == (symbols + 1) * 4
            && len(SymbolByName) == symbols * 4
            && len(NameStart) == (names + 1) * 4
            && len(NameSymbols) == (names + 1) * 4
            && len(ImportStart) == (imports + 1) * 4
            && len(TermStart) == (terms + 1) * 4
            && len(TermLists) == (terms + 1) * 4;
        if fits {
            Ok(segment)
        } else {
            Err(Damage::Shape)
        }
    }

    /// Tells segments of different content apart: the checksum over all sections' checksums.
    pub fn fingerprint(&self) -> u64 {
        let raw = self.bytes().get(16..24).and_then(|b| b.try_into().ok());
        raw.map_or(0, u64::from_le_bytes)
    }

    /// Name and bytes of each section.
    pub fn sections(&self) -> impl Iterator<Item = (String, u64)> {
        Section::ALL
            .iter()
            .map(|section| (format!("{section:?}"), self.raw(*section).len() as u64))
    }

    /// Returns true if the bytes are a file's, which the system can drop and read again.
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// All bytes, as they are written to disk.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Heap(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }

    fn raw(&self, section: Section) -> &[u8] {
        let (start, end) = self
            .sections
            .get(section as usize)
            .copied()
            .unwrap_or_default();
        self.bytes().get(start..end).unwrap_or_default()
    }

    fn u32s(&self, section: Section) -> &[U32] {
        <[U32]>::ref_from_bytes(self.raw(section)).unwrap_or_default()
    }

    fn number(&self, section: Section, index: usize) -> u32 {
        self.u32s(section).get(index).map_or(0, |n| n.get())
    }

    /// The piece of `text` that starts and ends where `starts` says.
    fn piece(&self, starts: Section, text: Section, index: usize) -> &[u8] {
        let ends = self.u32s(starts).get(index..index.saturating_add(2));
        between(ends, self.raw(text))
    }

    /// Number of documents.
    pub fn docs(&self) -> u32 {
        (self.raw(Section::DocId).len() / 20) as u32
    }

    /// Number of symbols of all documents.
    pub fn symbols(&self) -> u32 {
        self.raw(Section::SymbolKind).len() as u32
    }

    /// Number of distinct terms.
    pub fn terms(&self) -> u32 {
        self.u32s(Section::TermStart).len().saturating_sub(1) as u32
    }

    /// Number of distinct names.
    pub fn names(&self) -> u32 {
        self.u32s(Section::NameStart).len().saturating_sub(1) as u32
    }

    /// The content that a document was made of.
    pub fn id(&self, doc: u32) -> Option<ContentId> {
        let (ids, _) = self.raw(Section::DocId).as_chunks::<20>();
        ids.get(doc as usize).map(|id| ContentId(*id))
    }

    /// The document made of a content.
    pub fn find(&self, id: &ContentId) -> Option<u32> {
        let order = self.u32s(Section::DocById);
        let at = order.partition_point(|doc| self.id(doc.get()).is_some_and(|other| other < *id));
        let doc = order.get(at)?.get();
        (self.id(doc)? == *id).then_some(doc)
    }

    /// Number of the language, as [`Builder::add`] was told.
    pub fn language(&self, doc: u32) -> u8 {
        let at = doc as usize * 4;
        self.raw(Section::DocMeta).get(at).copied().unwrap_or(0)
    }

    /// How much of the content was understood.
    pub fn outcome(&self, doc: u32) -> Outcome {
        let at = doc as usize * 4 + 1;
        Outcome::from_number(self.raw(Section::DocMeta).get(at).copied().unwrap_or(0))
    }

    /// Definitions of this content that were left out for their number.
    pub fn cut(&self, doc: u32) -> u16 {
        let at = doc as usize * 4 + 2;
        let raw = self.raw(Section::DocMeta).get(at..at + 2);
        raw.and_then(|r| r.try_into().ok())
            .map_or(0, u16::from_le_bytes)
    }

    /// Words of a document in a field.
    pub fn length(&self, field: Field, doc: u32) -> u32 {
        slot(field).map_or(0, |slot| {
            self.number(Section::DocLength, doc as usize * FIELDS.len() + slot)
        })
    }

    /// Numbers of a document's symbols.
    pub fn symbols_of(&self, doc: u32) -> std::ops::Range<u32> {
        let start = self.number(Section::DocSymbols, doc as usize);
        let end = self.number(Section::DocSymbols, doc as usize + 1);
        start..end.min(self.symbols()).max(start)
    }

    /// The document that a symbol stands in.
    pub fn doc_of_symbol(&self, symbol: u32) -> u32 {
        let starts = self.u32s(Section::DocSymbols);
        // Starts that are out of order lead to some document, but to one that is there.
        let before = starts.partition_point(|start| start.get() <= symbol) as u32;
        before.saturating_sub(1).min(self.docs().saturating_sub(1))
    }

    /// A symbol; nothing when there is none of that number.
    pub fn symbol(&self, symbol: u32) -> Option<Symbol<'_>> {
        let at = symbol as usize;
        let flags = *self.raw(Section::SymbolKind).get(at)?;
        let text = self.piece(Section::SymbolText, Section::Text, at);
        let (signature, doc) = match memchr::memchr(BREAK, text) {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?),
            None => (text, &[][..]),
        };
        let containers = <[U16]>::ref_from_bytes(self.raw(Section::SymbolContainer)).ok()?;
        let container = containers.get(at)?.get();
        Some(Symbol {
            name: self.name(self.number(Section::SymbolName, at)),
            signature: utf8(signature),
            doc: utf8(doc),
            container: (container != u16::MAX).then_some(u32::from(container)),
            line: self.number(Section::SymbolLine, at),
            end_line: self.number(Section::SymbolEnd, at),
            kind: Kind::from_number(flags & KIND).unwrap_or(Kind::File),
            exported: flags & EXPORTED != 0,
            declared_only: flags & DECLARED != 0,
        })
    }

    /// A name by its number in byte order.
    pub fn name(&self, name: u32) -> &str {
        utf8(self.piece(Section::NameStart, Section::NameText, name as usize))
    }

    /// The number of exactly this name.
    pub fn find_name(&self, name: &str) -> Option<u32> {
        let at = self.lower_bound(name.as_bytes());
        (at < self.names() && self.name(at) == name).then_some(at)
    }

    /// First name that is not below `text` in byte order.
    pub fn lower_bound(&self, text: &[u8]) -> u32 {
        let (mut low, mut high) = (0, self.names());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.piece(Section::NameStart, Section::NameText, middle as usize) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Symbols that have a name.
    pub fn symbols_named(&self, name: u32) -> impl Iterator<Item = u32> {
        let start = self.number(Section::NameSymbols, name as usize) as usize;
        let end = self.number(Section::NameSymbols, name as usize + 1) as usize;
        let order = self.u32s(Section::SymbolByName);
        order
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .map(|n| n.get())
    }

    /// Name and signature of each symbol of a document.
    pub fn symbol_texts(&self, doc: u32) -> impl Iterator<Item = (&[u8], &[u8])> {
        let range = self.symbols_of(doc);
        let (start, end) = (range.start as usize, range.end as usize);
        let names = self.u32s(Section::SymbolName).get(start..end);
        let (name_starts, name_text) = (self.u32s(Section::NameStart), self.raw(Section::NameText));
        let texts = self.u32s(Section::SymbolText).get(start..=end);
        let text = self.raw(Section::Text);
        let texts = texts.unwrap_or_default().windows(2);
        names
            .unwrap_or_default()
            .iter()
            .zip(texts)
            .map(move |(name, text_at)| {
                let name = name.get() as usize;
                let name = between(name_starts.get(name..name.saturating_add(2)), name_text);
                let text = between(Some(text_at), text);
                let end = memchr::memchr(BREAK, text).unwrap_or(text.len());
                (name, text.get(..end).unwrap_or_default())
            })
    }

    /// What a symbol is.
    pub fn kind(&self, symbol: u32) -> Option<Kind> {
        let flags = *self.raw(Section::SymbolKind).get(symbol as usize)?;
        Some(Kind::from_number(flags & KIND).unwrap_or(Kind::File))
    }

    /// Numbers of the names that have every character of a set ([`mask`]).
    pub fn names_with(&self, wanted: u64) -> Vec<u32> {
        let masks = <[U64]>::ref_from_bytes(self.raw(Section::NameMask)).unwrap_or_default();
        let mut found = Vec::new();
        for (number, mask) in masks.iter().enumerate() {
            if mask.get() & wanted == wanted {
                found.push(number as u32);
            }
        }
        found
    }

    /// Names by their numbers in byte order.
    pub fn name_bytes<'a>(&'a self) -> impl Fn(u32) -> &'a [u8] {
        let (starts, text) = (self.u32s(Section::NameStart), self.raw(Section::NameText));
        move |name| {
            let at = name as usize;
            between(starts.get(at..at.saturating_add(2)), text)
        }
    }

    /// Imports of a document: module as written, and line.
    pub fn imports(&self, doc: u32) -> impl Iterator<Item = (&str, u32)> {
        let start = self.number(Section::DocImports, doc as usize) as usize;
        let end = self.number(Section::DocImports, doc as usize + 1) as usize;
        let count = self.u32s(Section::ImportLine).len();
        (start..end.min(count)).map(|at| {
            let module = self.piece(Section::ImportStart, Section::ImportText, at);
            (utf8(module), self.number(Section::ImportLine, at))
        })
    }

    /// A term by its number in byte order.
    fn term(&self, term: u32) -> &[u8] {
        self.piece(Section::TermStart, Section::TermText, term as usize)
    }

    /// All lists of a term.
    fn lists(&self, term: u32) -> &[u8] {
        self.piece(Section::TermLists, Section::Lists, term as usize)
    }

    /// The number of exactly this term.
    pub fn find_term(&self, term: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.terms());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.term(middle) < term.as_bytes() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.terms() && self.term(low) == term.as_bytes()).then_some(low)
    }

    /// Documents that have a term in `field`, and how often; documents ascend.
    pub fn postings(&self, field: Field, term: u32) -> impl Iterator<Item = (u32, u32)> {
        List::new(self.list(field, term).0)
    }

    /// Number of documents that have a term in `field`.
    pub fn frequency(&self, field: Field, term: u32) -> u32 {
        self.list(field, term).1
    }

    fn list(&self, field: Field, term: u32) -> (&[u8], u32) {
        slot(field).map_or((&[], 0), |slot| list_of(self.lists(term), slot))
    }
}

/// The piece of `text` from one number to the next.
fn between<'a>(ends: Option<&[U32]>, text: &'a [u8]) -> &'a [u8] {
    let Some([start, end]) = ends else {
        return &[];
    };
    text.get(start.get() as usize..end.get() as usize)
        .unwrap_or_default()
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}

/// The letters and digits of a name as a set, case aside: bit 0 to 25 letters, 26 to 35 digits, 36
/// `_`, 37 everything else, 38 to 63 letters that stand there more than once. A name can only match
/// fuzzily when it has every character of the pattern, as often.
pub fn mask(name: &str) -> u64 {
    let (mut once, mut again) = (0_u64, 0_u64);
    for byte in name.bytes() {
        let bit = 1
            << match byte.to_ascii_lowercase() {
                letter @ b'a'..=b'z' => letter - b'a',
                digit @ b'0'..=b'9' => digit - b'0' + 26,
                b'_' => 36,
                _ => 37,
            };
        again |= once & bit;
        once |= bit;
    }
    // What is beyond ASCII may count as any letter.
    let again = if name.is_ascii() { again } else { u64::MAX };
    once | (again << AGAIN)
}

/// The lowest bit of a [`mask`] that says that a letter stands there more than once.
pub const AGAIN: u32 = 38;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
