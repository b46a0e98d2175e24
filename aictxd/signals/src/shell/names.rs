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

    /// What ends a text is the same for all.
    fn write_u8(&mut self, _: u8) {}
}

/// Which names a table may hold, by their first letters and lengths: most commands are in none of the small tables,
/// and this says so without a look at them.
#[derive(Debug, Clone)]
pub struct Outlines([u32; 26]);

impl Outlines {
    /// Those of `names`; of what does not begin with a small letter nothing is told.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut outlines = [0; 26];
        for name in names {
            if let Some((of_letter, length)) = Self::outline(name)
                && let Some(lengths) = outlines.get_mut(of_letter)
            {
                *lengths |= length;
            }
        }
        Self(outlines)
    }

    /// Whether one of the names may be this one; in doubt it may.
    #[inline]
    pub fn may_hold(&self, name: &str) -> bool {
        let Some((of_letter, length)) = Self::outline(name) else {
            return true;
        };
        let lengths = self.0.get(of_letter);
        lengths.is_none_or(|lengths| lengths & length != 0)
    }

    /// The place of the first letter, and the bit of the length; all long ones have one.
    #[inline]
    fn outline(name: &str) -> Option<(usize, u32)> {
        let first = name.as_bytes().first().filter(|b| b.is_ascii_lowercase())?;
        Some((usize::from(first - b'a'), 1 << name.len().min(31)))
    }
}

/// A table by the name of a program.
pub type ByName<V> = std::collections::HashMap<&'static str, V, BuildHasherDefault<NameHasher>>;
/// A set of names of programs.
pub type Names = std::collections::HashSet<&'static str, BuildHasherDefault<NameHasher>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_no_table_is_passed_over() {
        let long = "a".repeat(40);
        let names = ["cd", "for", "read", "Remove-Item", long.as_str()];
        let outlines = Outlines::of(names);
        assert!(names.iter().all(|name| outlines.may_hold(name)));
        assert!(outlines.may_hold("fox") && outlines.may_hold("") && outlines.may_hold("X"));
        assert!(outlines.may_hold(&"a".repeat(50)));
        for other in ["cat", "c", "f", "git", "ls", "z"] {
            assert!(!outlines.may_hold(other), "{other}");
        }
    }
}
