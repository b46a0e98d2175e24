//! Files of our own: written, replaced and deleted as a whole, and only when they are ours.

use super::edit_record::Doc;
use super::{After, Note, Outcome, Problem, Record, digest};

/// A file of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Its text.
    pub text: String,
    /// Words in it by which it is known as ours, whatever version wrote it.
    pub mark: String,
    /// It has to be executable.
    pub executable: bool,
}

pub(super) fn ensure(doc: &mut Doc, whole: &Whole, exists: bool) -> Result<(), Problem> {
    if exists && !doc.text().trim().is_empty() && !doc.text().contains(&whole.mark) {
        return Err(Problem::NotOurs);
    }
    let all = 0..doc.text().len();
    doc.replace(all, &whole.text);
    Ok(())
}

pub(super) fn remove(file: &str, current: &str, whole: &Whole, record: Option<&Record>) -> Outcome {
    let mut notes = Vec::new();
    let ours = current.contains(&whole.mark);
    let changed = record.is_some_and(|record| record.hash_after != digest(current));
    let after = if !ours {
        After::Unchanged
    } else if changed {
        notes.push(Note::Changed(file.to_owned()));
        After::Unchanged
    } else {
        After::Delete
    };
    Outcome {
        after,
        record: None,
        notes,
    }
}
