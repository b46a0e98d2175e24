//! Tickets from elsewhere: which of them are new, and which numbers they get.

use std::collections::BTreeMap;

use aictx_proto::methods::TicketRename;

use super::changes::Changes;
use super::edit::{self, MAX_TICKET, Value};
use super::file_name::FileName;
use super::operations::TicketError;
use super::queue::{Entry, Queue};

/// Result of planning an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Files to write.
    pub changes: Changes,
    /// Names here of what is taken in.
    pub files: Vec<FileName>,
    /// Names there of what is here already.
    pub known: Vec<String>,
}

impl Queue {
    /// Takes in the tickets of another queue. One that is here already, by id or by text, is left out, so importing
    /// again changes nothing. Numbers stay where all are free; otherwise all follow the last number here. References
    /// by number follow. With an `agent`, every ticket is given to it.
    ///
    /// # Errors
    /// A ticket that cannot be read, or too many of them.
    pub fn imported(&self, other: &Queue, agent: &str) -> Result<Imported, TicketError> {
        let mut imported = Imported::default();
        let mut new: Vec<&Entry> = Vec::new();
        for entry in &other.entries {
            let refused = |why: &str| TicketError::Unreadable {
                file: other.path(entry.file.as_str()),
                why: why.to_owned(),
            };
            if entry.text.is_empty() || entry.text.len() > MAX_TICKET {
                let why = entry
                    .findings
                    .first()
                    .map_or("it is empty or too long", |f| f.message.as_str());
                return Err(refused(why));
            }
            let has_id = entry
                .ticket
                .as_ref()
                .is_some_and(|ticket| !ticket.ticket_id.is_empty());
            let is_here = |here: &Entry| has_id && here.id == entry.id || here.text == entry.text;
            match self.entries.iter().any(is_here) {
                true => imported.known.push(entry.file.as_str().to_owned()),
                false => new.push(entry),
            }
        }
        self.room(new.len())?;
        let is_free = |entry: &&Entry| self.numbered(entry.file.number()).is_none();
        let offset = match new.iter().all(is_free) {
            true => 0,
            false => self.last_number(),
        };
        let moved: BTreeMap<u64, u64> = match offset {
            0 => BTreeMap::new(),
            _ => new
                .iter()
                .map(|e| (e.file.number(), e.file.number() + offset))
                .collect(),
        };
        let largest = new
            .iter()
            .map(|entry| entry.file.number() + offset)
            .max()
            .unwrap_or(0);
        for entry in new {
            let mut text = other.follow(entry, &moved);
            if !agent.is_empty() {
                let value = Value::Text(agent.to_lowercase());
                text = edit::set(&text, "agent", Some(&value)).map_err(|source| {
                    TicketError::Edit {
                        file: other.path(entry.file.as_str()),
                        source,
                    }
                })?;
            }
            let file = match offset {
                0 => entry.file.clone(),
                _ => FileName::new(entry.file.number() + offset, largest, entry.file.suffix()),
            };
            imported
                .changes
                .writes
                .insert(file.as_str().to_owned(), text);
            if file != entry.file {
                imported.changes.renames.push(TicketRename {
                    from: entry.file.as_str().to_owned(),
                    to: file.as_str().to_owned(),
                });
            }
            imported.files.push(file);
        }
        Ok(imported)
    }
}
