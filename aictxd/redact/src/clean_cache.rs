//! Cache of texts found to be clean: memory is rewritten again and again, and most of its texts were
//! scrubbed when they were written first.
//!
//! Remembered are 63 bits of a keyed hash of the member's name and the text, in a place that the hash
//! chooses. The key is this process's own: whoever wants a secret to be taken for a clean text would have to
//! know both, and by chance one in 2^63 would be.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Texts that are remembered; beyond it new ones take the places of others. 256 KiB in all: a larger
/// table is not in a processor's cache when it is asked.
const PLACES: usize = 1 << 15;
/// Longer texts are looked at each time, in bytes.
const MAX_TEXT: usize = 4 * 1024;

static CLEAN: LazyLock<Clean> = LazyLock::new(|| Clean {
    key: RandomState::new().hash_one(0),
    nameless: RandomState::new().hash_one(1),
    tags: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
});

struct Clean {
    key: u64,
    /// In place of the hash of a name.
    nameless: u64,
    tags: Box<[AtomicU64]>,
}

/// Slot and fingerprint of a cached text.
pub(super) struct Mark {
    slot: &'static AtomicU64,
    tag: u64,
}

/// The mark of a text under a name; none of a text that is not remembered.
pub(super) fn mark(name: Option<&str>, text: &str) -> Option<Mark> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let known: &'static Clean = &CLEAN;
    let under = name.map_or(known.nameless, |name| {
        xxh3_64_with_seed(name.as_bytes(), known.key)
    });
    let hash = xxh3_64_with_seed(text.as_bytes(), under);
    let place = usize::try_from(hash >> 32).ok()? % PLACES;
    Some(Mark {
        slot: known.tags.get(place)?,
        // Never that of an empty place.
        tag: hash | 1,
    })
}

impl Mark {
    /// Returns true if the text was found to be clean before.
    pub(super) fn is_clean(&self) -> bool {
        self.slot.load(Ordering::Relaxed) == self.tag
    }

    /// Remembers that it is.
    pub(super) fn remember(&self) {
        self.slot.store(self.tag, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_clean_under_the_name_that_it_was_looked_at_under() {
        let of = |name, text| mark(name, text).unwrap();
        assert!(!of(Some("note"), "hunter2 is a name").is_clean());
        of(Some("note"), "hunter2 is a name").remember();
        assert!(of(Some("note"), "hunter2 is a name").is_clean());
        assert!(!of(Some("password"), "hunter2 is a name").is_clean());
        assert!(!of(None, "hunter2 is a name").is_clean());
        assert!(!of(Some("note"), "hunter2 is a nam").is_clean());
        assert!(mark(None, &"x".repeat(MAX_TEXT + 1)).is_none());
    }
}
