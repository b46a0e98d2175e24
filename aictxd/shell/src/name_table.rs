//! Tables looked up by the name of a program, a few times for every command.

use std::hash::{BuildHasherDefault, Hasher};

/// Hashes names by their length, their first eight bytes and their last, or fewer where there are no eight. The tables are made of constants,
/// so that nobody outside can choose what collides in them: the usual hash, which guards against that,
/// costs several times as much.
#[derive(Debug, Clone, Default)]
pub struct NameHasher(u64);

/// An odd number with bits all over (the golden ratio's).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let eight = |it: &[u8; 8]| u64::from_le_bytes(*it);
        let four = |it: &[u8; 4]| u64::from(u32::from_le_bytes(*it));
        let (first, last) =
            if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
                (eight(first), eight(last))
            } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
                (four(first), four(last))
            } else {
                let all = bytes.iter().rev();
                (all.fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 0)
            };
        let mixed = (first ^ last.rotate_left(29) ^ bytes.len() as u64).wrapping_mul(SPREAD);
        // The table takes its place from the low bits and its tag from the high ones.
        self.0 = mixed ^ (mixed >> 32);
    }

    /// The end of a text is the same for all.
    fn write_u8(&mut self, _: u8) {}
}

/// A table by the name of a program.
pub type ByName<V> = std::collections::HashMap<&'static str, V, BuildHasherDefault<NameHasher>>;
/// A set of names of programs.
pub type Names = std::collections::HashSet<&'static str, BuildHasherDefault<NameHasher>>;
