//! Strings to dense numbers, without an allocation for each string.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Room of a table that is kept when it is cleared.
const MOST_KEPT: usize = 1 << 14;

/// Numbers strings in the order in which they are first seen. The hash is seeded, so nobody can
/// choose strings that collide.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    text: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
}

/// Entry that tells most strings apart without a look at their text.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The first eight bytes, zeros behind the end; in two halves, so that entries are small.
    prefix: [u32; 2],
    start: u32,
    length: u32,
    number: u32,
}

/// A string on its way to a table, with what is computed of it once. Only tables that share their
/// hasher may share keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'a> {
    text: &'a [u8],
    prefix: u64,
    hash: u64,
}

impl<'a> Key<'a> {
    /// The same key made of what was kept of it.
    pub(crate) fn again(text: &'a [u8], hash: u64) -> Self {
        Self {
            text,
            prefix: prefix(text),
            hash,
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }
}

impl Interner {
    /// An empty table that makes the same keys.
    pub(crate) fn sibling(&self) -> Self {
        Self {
            hasher: self.hasher.clone(),
            ..Self::default()
        }
    }

    #[inline]
    pub(crate) fn key<'a>(&self, text: &'a [u8]) -> Key<'a> {
        let prefix = prefix(text);
        Key {
            text,
            prefix,
            hash: hash_of(&self.hasher, prefix, text),
        }
    }

    /// The number of a string.
    #[inline]
    pub(crate) fn number(&mut self, text: &[u8]) -> u32 {
        self.number_of(&self.key(text))
    }

    /// The number of a string by its key.
    #[inline]
    pub(crate) fn number_of(&mut self, key: &Key<'_>) -> u32 {
        match self.known(key) {
            Some(number) => number,
            None => self.add(key),
        }
    }

    fn add(&mut self, key: &Key<'_>) -> u32 {
        let number = self.ends.len() as u32;
        let entry = Entry {
            prefix: halves(key.prefix),
            start: self.text.len() as u32,
            length: key.text.len() as u32,
            number,
        };
        self.text.extend_from_slice(key.text);
        self.ends.push(self.text.len() as u32);
        let (arena, hasher) = (&self.text, &self.hasher);
        self.table.insert_unique(key.hash, entry, |other| {
            let [high, low] = other.prefix.map(u64::from);
            hash_of(hasher, high << 32 | low, other.text(arena))
        });
        number
    }

    /// The number of a string that was seen before, by its key.
    #[inline]
    pub(crate) fn known(&self, key: &Key<'_>) -> Option<u32> {
        let (length, prefix) = (key.text.len(), halves(key.prefix));
        let same = |entry: &Entry| {
            entry.prefix == prefix
                && entry.length as usize == length
                && (length <= 8 || entry.text(&self.text) == key.text)
        };
        self.table.find(key.hash, same).map(|entry| entry.number)
    }

    /// Forgets every string.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        // Clearing costs as much as there is room.
        if self.table.capacity() > MOST_KEPT {
            self.table = HashTable::new();
        }
        self.table.clear();
    }

    /// Forgets every string and keeps all room.
    pub(crate) fn start_again(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.table.clear();
    }

    /// The number of a string that was seen before.
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        self.known(&self.key(text))
    }

    /// A string by its number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        piece(&self.text, &self.ends, number)
    }

    /// Returns the number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all strings together.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Numbers in the byte order of their strings.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        // Most strings differ in their first bytes, which stand here as one number.
        let keyed = |number: u32| (prefix(self.get(number)), number);
        let mut order: Vec<(u64, u32)> = (0..self.ends.len() as u32).map(keyed).collect();
        order.sort_unstable_by(|a, b| {
            let whole = || self.get(a.1).cmp(self.get(b.1));
            a.0.cmp(&b.0).then_with(whole)
        });
        order.into_iter().map(|(_, number)| number).collect()
    }
}

impl Entry {
    #[inline]
    fn text<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        let start = self.start as usize;
        arena
            .get(start..start + self.length as usize)
            .unwrap_or_default()
    }
}

#[inline]
fn halves(prefix: u64) -> [u32; 2] {
    [(prefix >> 32) as u32, prefix as u32]
}

/// The hash of a text that begins with these bytes.
#[inline]
fn hash_of(hasher: &DefaultHashBuilder, prefix: u64, text: &[u8]) -> u64 {
    match text.get(8..) {
        Some(rest) => hasher.hash_one((prefix, rest)),
        // Shorter ones are hardly more than their first bytes.
        None => hasher.hash_one(prefix),
    }
}

/// The first eight bytes as a number that sorts like them.
#[inline]
fn prefix(text: &[u8]) -> u64 {
    if let Some(first) = text.first_chunk::<8>() {
        return u64::from_be_bytes(*first);
    }
    let bytes = text
        .iter()
        .fold(0, |bytes, byte| (bytes << 8) | u64::from(*byte));
    let missing = 8 * (8 - text.len() as u32);
    bytes.checked_shl(missing).unwrap_or(0)
}

fn piece<'a>(text: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let at = number as usize;
    let start = match at.checked_sub(1) {
        Some(before) => ends.get(before).copied().unwrap_or(0),
        None => 0,
    };
    let end = ends.get(at).copied().unwrap_or(start);
    text.get(start as usize..end as usize).unwrap_or_default()
}
