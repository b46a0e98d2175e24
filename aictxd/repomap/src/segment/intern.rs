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
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The number of a string.
    pub(crate) fn number(&mut self, text: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(text);
        let (arena, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let same = |number: &u32| piece(arena, ends, *number) == text;
        if let Some(number) = self.table.find(hash, same) {
            return *number;
        }
        let number = self.ends.len() as u32;
        self.table.insert_unique(hash, number, |other| {
            hasher.hash_one(piece(arena, ends, *other))
        });
        self.text.extend_from_slice(text);
        self.ends.push(self.text.len() as u32);
        number
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

    /// The number of a string that was seen before.
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        let same = |number: &u32| piece(&self.text, &self.ends, *number) == text;
        self.table.find(hash, same).copied()
    }

    /// A string by its number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        piece(&self.text, &self.ends, number)
    }

    /// How many strings there are.
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

/// The first eight bytes as a number that sorts like them.
fn prefix(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text) {
        *to = *from;
    }
    u64::from_be_bytes(bytes)
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
