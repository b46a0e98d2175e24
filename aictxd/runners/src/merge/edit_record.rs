//! A text under edit, and what is remembered of the edits.

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{After, Note, Outcome};

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// Byte at which it happened, in the text as it was then.
    pub at: usize,
    /// Removed text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub removed: String,
    /// Inserted text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inserted: String,
}

/// Record of an installation in one file, so that its removal is exact. Kept in the install
/// ledger as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The file.
    pub file: String,
    /// There was no such file before.
    pub created_by_us: bool,
    /// SHA-256 of its text before, in hexadecimal; empty when there was none.
    pub hash_before: String,
    /// SHA-256 of its text afterwards.
    pub hash_after: String,
    /// Insertions, in order.
    pub inserted: Vec<Splice>,
    /// Objects and lists that were made to hold our entries, as paths of member names. Only these
    /// go when they are empty again.
    pub made: Vec<Vec<String>>,
}

impl Record {
    /// The file as it was, when nobody has changed it since.
    pub fn undo(&self, current: &str) -> Option<After> {
        if digest(current) != self.hash_after {
            return None;
        }
        if self.created_by_us {
            return Some(After::Delete);
        }
        let mut text = current.to_owned();
        for splice in self.inserted.iter().rev() {
            let range = splice.at..splice.at.checked_add(splice.inserted.len())?;
            if text.get(range.clone())? != splice.inserted {
                return None;
            }
            text.replace_range(range, &splice.removed);
        }
        (digest(&text) == self.hash_before).then_some(After::Write(text))
    }

    /// The record of both edits, this one having followed `earlier`. When somebody else changed
    /// the file in between only this edit can be undone exactly.
    #[must_use]
    pub fn following(mut self, earlier: &Self) -> Self {
        for path in &earlier.made {
            if !self.made.contains(path) {
                self.made.push(path.clone());
            }
        }
        self.created_by_us |= earlier.created_by_us;
        if earlier.hash_after == self.hash_before {
            self.hash_before.clone_from(&earlier.hash_before);
            let later = std::mem::take(&mut self.inserted);
            self.inserted.clone_from(&earlier.inserted);
            self.inserted.extend(later);
        } else if self.created_by_us {
            // Somebody has put something of theirs into our file: it must not be deleted unseen.
            self.hash_after.clear();
        }
        self
    }
}

/// SHA-256 of a text, in hexadecimal.
pub fn digest(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// A text under edit.
#[derive(Debug)]
pub(super) struct Doc {
    before: String,
    /// Without the byte order mark.
    text: String,
    mark: &'static str,
    splices: Vec<Splice>,
    pub(super) made: Vec<Vec<String>>,
    pub(super) notes: Vec<Note>,
}

impl Doc {
    pub(super) fn new(text: &str) -> Self {
        const MARK: &str = "\u{feff}";
        let (mark, rest) = match text.strip_prefix(MARK) {
            Some(rest) => (MARK, rest),
            None => ("", text),
        };
        Self {
            before: text.to_owned(),
            text: rest.to_owned(),
            mark,
            splices: Vec::new(),
            made: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The line end that the text uses.
    pub(super) fn newline(&self) -> &'static str {
        newline_of(&self.text)
    }

    /// Replaces bytes; a range that is no range of the text changes nothing.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &str) {
        let Some(removed) = self.text.get(range.clone()) else {
            return;
        };
        if removed == with {
            return;
        }
        self.splices.push(Splice {
            at: self.mark.len() + range.start,
            removed: removed.to_owned(),
            inserted: with.to_owned(),
        });
        self.text.replace_range(range, with);
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text);
    }

    /// Takes over what was done to a copy of this text.
    pub(super) fn follow(&mut self, draft: Self) {
        self.splices
            .extend(draft.splices.into_iter().map(|splice| Splice {
                at: splice.at + self.mark.len(),
                ..splice
            }));
        self.text = draft.text;
    }

    pub(super) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn outcome(self, file: &str, created_by_us: bool) -> Outcome {
        let after = format!("{}{}", self.mark, self.text);
        if after == self.before {
            return Outcome {
                after: After::Unchanged,
                record: None,
                notes: self.notes,
            };
        }
        let record = Record {
            file: file.to_owned(),
            created_by_us,
            hash_before: if created_by_us {
                String::new()
            } else {
                digest(&self.before)
            },
            hash_after: digest(&after),
            // A file of our own goes as a whole.
            inserted: if created_by_us {
                Vec::new()
            } else {
                self.splices
            },
            made: self.made,
        };
        Outcome {
            after: After::Write(after),
            record: Some(record),
            notes: self.notes,
        }
    }
}

/// The line end that a text uses: that of its first line.
pub(super) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}
