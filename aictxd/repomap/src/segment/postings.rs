//! Posting lists: which documents have a term, in which field, how often.
//!
//! The lists of one term lie together: a byte that says which fields it has (bit 0 for
//! [`Field::Name`], then signature, doc, body), then for each of these the length of its list in
//! bytes, the number of its documents, and the list. A list holds, for each document in ascending
//! order, the distance from the one before, doubled, plus one when the term stands there exactly
//! once; otherwise the count follows. All numbers are LEB128.

use crate::index_view::Field;

/// Fields that segments keep. [`Field::Path`] belongs to the tree, not to the content.
pub(super) const FIELDS: [Field; 4] = [Field::Name, Field::Signature, Field::Doc, Field::Body];

/// Place of a field among [`FIELDS`].
pub(super) fn slot(field: Field) -> Option<usize> {
    FIELDS.iter().position(|f| *f == field)
}

/// Appends a number in LEB128.
pub(super) fn put(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front; nothing at the end or where it is too long.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let mut value = u32::from(first & 0x7f);
    let mut shift = 7;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

/// A list being written.
#[derive(Debug, Default)]
pub(super) struct ListWriter {
    bytes: Vec<u8>,
    last: u32,
    docs: u32,
}

impl ListWriter {
    /// Adds a document; documents come in ascending order.
    pub(super) fn push(&mut self, doc: u32, count: u32) {
        let distance = doc.wrapping_sub(self.last);
        self.last = doc;
        self.docs += 1;
        if count == 1 {
            put(&mut self.bytes, distance << 1 | 1);
        } else {
            put(&mut self.bytes, distance << 1);
            put(&mut self.bytes, count);
        }
    }

    /// Returns true if nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets everything, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.last = 0;
        self.docs = 0;
    }
}

/// Writes the lists of one term.
pub(super) fn write(out: &mut Vec<u8>, lists: &[ListWriter; FIELDS.len()]) {
    let mut mask = 0_u8;
    for (slot, list) in lists.iter().enumerate() {
        mask |= u8::from(!list.is_empty()) << slot;
    }
    out.push(mask);
    for list in lists.iter().filter(|l| !l.is_empty()) {
        put(out, list.bytes.len() as u32);
        put(out, list.docs);
        out.extend_from_slice(&list.bytes);
    }
}

/// The list of one field among a term's lists and the number of its documents; empty when there is
/// none.
pub(super) fn list_of(mut bytes: &[u8], slot: usize) -> (&[u8], u32) {
    let Some((&mask, rest)) = bytes.split_first() else {
        return (&[], 0);
    };
    bytes = rest;
    for other in 0..FIELDS.len() {
        if mask & (1 << other) == 0 {
            continue;
        }
        let (Some(len), Some(docs)) = (take(&mut bytes), take(&mut bytes)) else {
            return (&[], 0);
        };
        let Some((list, rest)) = bytes.split_at_checked(len as usize) else {
            return (&[], 0);
        };
        if other == slot {
            return (list, docs);
        }
        bytes = rest;
    }
    (&[], 0)
}

/// Reads a list: documents and counts. Ends at the first byte that makes no sense.
#[derive(Debug, Clone)]
pub(super) struct List<'a> {
    bytes: &'a [u8],
    doc: u32,
}

impl<'a> List<'a> {
    /// Starts at the front of a list.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, doc: 0 }
    }
}

impl Iterator for List<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        let head = take(&mut self.bytes)?;
        self.doc = self.doc.checked_add(head >> 1)?;
        let count = if head & 1 == 1 {
            1
        } else {
            take(&mut self.bytes)?
        };
        Some((self.doc, count))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_come_back_as_they_were_written(
            name in proptest::collection::btree_map(0_u32..1_000_000, 1_u32..9, 0..40),
            body in proptest::collection::btree_map(0_u32..1_000_000, 1_u32..900, 0..40),
        ) {
            let mut lists: [ListWriter; 4] = Default::default();
            for (doc, count) in &name {
                lists[0].push(*doc, *count);
            }
            for (doc, count) in &body {
                lists[3].push(*doc, *count);
            }
            let mut bytes = Vec::new();
            write(&mut bytes, &lists);
            let read = |slot| List::new(list_of(&bytes, slot).0).collect::<Vec<_>>();
            prop_assert_eq!(read(0), name.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(read(1), vec![]);
            prop_assert_eq!(read(3), body.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200), slot in 0_usize..4) {
            prop_assert!(List::new(list_of(&bytes, slot).0).count() <= bytes.len());
        }
    }
}
