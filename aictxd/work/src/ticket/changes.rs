//! Changes of a directory of tickets.

use std::collections::{BTreeMap, BTreeSet};

use aictx_proto::methods::TicketRename;

/// Files to write and to remove, which belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Names and their new texts.
    pub writes: BTreeMap<String, String>,
    /// Names that go.
    pub removes: BTreeSet<String>,
    /// Tickets that got another name.
    pub renames: Vec<TicketRename>,
}

impl Changes {
    /// Returns true if everything is so already.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.removes.is_empty()
    }

    pub(super) fn write(name: &str, text: String) -> Self {
        Self {
            writes: BTreeMap::from([(name.to_owned(), text)]),
            ..Self::default()
        }
    }

    /// Adds others, which win where both write a file.
    pub fn merge(&mut self, other: Self) {
        self.writes.extend(other.writes);
        self.removes.extend(other.removes);
        self.renames.extend(other.renames);
    }
}
