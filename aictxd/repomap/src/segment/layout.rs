//! The bytes of a segment: a header, a table of sections, the sections.
//!
//! All numbers are little-endian; sections start at multiples of 8. Every section has its own
//! checksum, and the header's covers the table, so a torn, foreign or damaged file is recognised
//! before anything in it is believed. Readers still take every index through a checked access:
//! a checksum says that the bytes are those which were written, not that they make sense.

use xxhash_rust::xxh3::xxh3_64;

/// First bytes of a segment.
const MAGIC: &[u8; 8] = b"aictxmap";
/// Layout of this module. A reader of another number discards the file.
pub(super) const FORMAT: u32 = 2;

/// Sections, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Section {
    /// Content id of each document, 20 bytes.
    DocId,
    /// Documents in the order of their ids, `u32`.
    DocById,
    /// Language, outcome and cut definitions of each document: `u8, u8, u16`.
    DocMeta,
    /// Words of each document in name, signature, doc and body: 4 × `u32`.
    DocLength,
    /// First symbol of each document, one more at the end, `u32`.
    DocSymbols,
    /// First import of each document, one more at the end, `u32`.
    DocImports,
    /// Name of each symbol, `u32` into the sorted names.
    SymbolName,
    /// First line, `u32`.
    SymbolLine,
    /// Last line, `u32`.
    SymbolEnd,
    /// Container among the document's symbols, `u16`; `u16::MAX` for none.
    SymbolContainer,
    /// Kind in the low five bits, `0x20` exported, `0x40` only declared.
    SymbolKind,
    /// Start of each symbol's signature and doc in `Text`, one more at the end, `u32`.
    SymbolText,
    /// Symbols in the order of their names, `u32`.
    SymbolByName,
    /// Start of each name in `NameText`, one more at the end, `u32`.
    NameStart,
    /// Names in byte order.
    NameText,
    /// First place of each name in `SymbolByName`, one more at the end, `u32`.
    NameSymbols,
    /// Characters of each name as a set, `u64` ([`super::mask`]).
    NameMask,
    /// Signature, [`super::BREAK`], doc of each symbol.
    Text,
    /// Start of each import's module in `ImportText`, one more at the end, `u32`.
    ImportStart,
    /// Line of each import, `u32`.
    ImportLine,
    /// Modules.
    ImportText,
    /// Start of each term in `TermText`, one more at the end, `u32`.
    TermStart,
    /// Terms in byte order.
    TermText,
    /// Start of each term's lists in `Lists`, one more at the end, `u32`.
    TermLists,
    /// Posting lists ([`super::postings`]).
    Lists,
}

impl Section {
    /// Every section in order.
    pub(super) const ALL: [Section; SECTIONS] = [
        Section::DocId,
        Section::DocById,
        Section::DocMeta,
        Section::DocLength,
        Section::DocSymbols,
        Section::DocImports,
        Section::SymbolName,
        Section::SymbolLine,
        Section::SymbolEnd,
        Section::SymbolContainer,
        Section::SymbolKind,
        Section::SymbolText,
        Section::SymbolByName,
        Section::NameStart,
        Section::NameText,
        Section::NameSymbols,
        Section::NameMask,
        Section::Text,
        Section::ImportStart,
        Section::ImportLine,
        Section::ImportText,
        Section::TermStart,
        Section::TermText,
        Section::TermLists,
        Section::Lists,
    ];
}

/// Number of sections.
pub(super) const SECTIONS: usize = 25;
const HEADER: usize = 8 + 4 + 4 + 8;
const ROW: usize = 24;

/// Why bytes are not a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Too short, or not ours.
    #[error("not an index segment")]
    Foreign,
    /// Written by another version of the program.
    #[error("written by another version")]
    Version,
    /// A checksum is wrong.
    #[error("damaged: a checksum does not match")]
    Checksum,
    /// Sections do not fit each other.
    #[error("damaged: sections do not fit each other")]
    Shape,
}

/// Puts sections behind a header. `content` is the version of what the sections mean (the
/// extraction's and the tokenizer's).
pub(super) fn assemble(content: u32, sections: &[Vec<u8>; SECTIONS]) -> Vec<u8> {
    let body: usize = sections.iter().map(|s| s.len().next_multiple_of(8)).sum();
    let mut out = Vec::with_capacity(HEADER + SECTIONS * ROW + body);
    let mut table = Vec::with_capacity(SECTIONS * ROW);
    let mut offset = (HEADER + SECTIONS * ROW).next_multiple_of(8);
    for section in sections {
        table.extend_from_slice(&(offset as u64).to_le_bytes());
        table.extend_from_slice(&(section.len() as u64).to_le_bytes());
        table.extend_from_slice(&xxh3_64(section).to_le_bytes());
        offset += section.len().next_multiple_of(8);
    }
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&content.to_le_bytes());
    out.extend_from_slice(&xxh3_64(&table).to_le_bytes());
    out.extend_from_slice(&table);
    for section in sections {
        out.resize(out.len().next_multiple_of(8), 0);
        out.extend_from_slice(section);
    }
    out
}

/// Finds the sections and checks every checksum. Linear in the size of `bytes`.
///
/// # Errors
/// What is wrong with the bytes.
pub(super) fn dissect(bytes: &[u8], content: u32) -> Result<[(usize, usize); SECTIONS], Damage> {
    let number = |at: usize| -> Option<u32> {
        let raw = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(raw.try_into().ok()?))
    };
    if bytes.get(..8) != Some(MAGIC) {
        return Err(Damage::Foreign);
    }
    if number(8) != Some(FORMAT) || number(12) != Some(content) {
        return Err(Damage::Version);
    }
    let table = bytes
        .get(HEADER..HEADER + SECTIONS * ROW)
        .ok_or(Damage::Shape)?;
    if long(bytes, 16) != Some(xxh3_64(table)) {
        return Err(Damage::Checksum);
    }
    let mut sections = [(0, 0); SECTIONS];
    for (place, row) in sections.iter_mut().zip(table.chunks_exact(ROW)) {
        let (Some(offset), Some(len), Some(sum)) = (long(row, 0), long(row, 8), long(row, 16))
        else {
            return Err(Damage::Shape);
        };
        let (Ok(offset), Ok(len)) = (usize::try_from(offset), usize::try_from(len)) else {
            return Err(Damage::Shape);
        };
        let end = offset.checked_add(len).ok_or(Damage::Shape)?;
        let section = bytes.get(offset..end).ok_or(Damage::Shape)?;
        if xxh3_64(section) != sum {
            return Err(Damage::Checksum);
        }
        *place = (offset, end);
    }
    Ok(sections)
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    let raw = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(raw.try_into().ok()?))
}
