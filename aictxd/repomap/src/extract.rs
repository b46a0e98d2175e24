//! One content to what the index keeps of it.

use crate::facts::{Facts, Outcome};

/// Per-thread state of extraction.
#[derive(Debug, Default)]
pub(crate) struct Extractor {}

impl Extractor {
    /// Language number and facts of a content.
    pub(crate) fn facts(&mut self, _path: &str, bytes: &[u8]) -> (u8, Facts) {
        let outcome = if bytes.iter().take(4096).any(|b| *b == 0) {
            Outcome::Binary
        } else {
            Outcome::TextOnly
        };
        (
            0,
            Facts {
                outcome,
                ..Facts::default()
            },
        )
    }
}

/// Whether a file's words are indexed.
pub(crate) fn has_words(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Parsed | Outcome::Deadline | Outcome::TextOnly
    )
}

/// Whether a file's name says that it holds secrets: such files are never read.
pub(crate) fn is_private(_path: &str) -> bool {
    false
}
