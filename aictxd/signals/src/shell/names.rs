//! Tables looked up by the name of a program, a few times for every command.

use std::hash::{BuildHasherDefault, Hasher};

/// Hashes names (FNV-1a). The tables are made of constants, so that nobody outside can choose what
/// collides in them: the usual hash, which guards against that, costs several times as much.
#[derive(Debug, Clone)]
pub struct NameHasher(u64);

impl Default for NameHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Longer texts are no names of programs; their beginning tells them apart well enough.
        for byte in bytes.iter().take(32) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A table by the name of a program.
pub type ByName<V> = std::collections::HashMap<&'static str, V, BuildHasherDefault<NameHasher>>;
/// A set of names of programs.
pub type Names = std::collections::HashSet<&'static str, BuildHasherDefault<NameHasher>>;
