//! Rows of a history that stay however old they are, because readers still ask for them.

use std::collections::HashSet;

use aictx_proto::Timestamp;
use serde_json::{Map, Value};

use crate::read::{self, Line};

/// Member of a pinned row, as it is written.
const PINNED: &[u8] = b"\"pinned\":true";
/// Branches whose last handoff stays; those worked on last come first.
const MAX_BRANCHES: usize = 24;
/// Sessions that began and never ended whose beginning stays, the newest first.
const MAX_UNFINISHED: usize = 24;
/// Seconds after which nobody is told of such a session any more.
const UNFINISHED_FOR: u64 = 7 * 86_400;

/// Which rows of a history stay besides the newest. Pinned ones always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stays {
    /// None.
    Newest,
    /// The last of each branch: where somebody who goes back to it goes on.
    LastOfBranch,
    /// Beginnings of sessions that no end followed.
    Unfinished,
}

impl Stays {
    /// Divides the rows before `new` into those that stay and those that go, each in order.
    pub(super) fn divide(self, old: &[u8], new: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut asked = Asked::default();
        if self != Self::Newest {
            asked.about(new, self);
        }
        let lines: Vec<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
        let mut stays: Vec<bool> = lines
            .iter()
            .rev()
            .map(|line| {
                let is_pinned = memchr::memmem::find(line, PINNED).is_some();
                (self != Self::Newest && asked.wants(line, self)) || is_pinned
            })
            .collect();
        stays.reverse();
        let pick = |wanted: bool| {
            let rows = lines.iter().zip(&stays).filter(|(_, s)| **s == wanted);
            rows.flat_map(|(line, _)| line.iter().copied()).collect()
        };
        (pick(true), pick(false))
    }
}

/// Facts from the rows seen so far; they come newest first.
#[derive(Debug, Default)]
struct Asked {
    /// Branches, or sessions that ended or are known to have begun.
    seen: HashSet<String>,
    newest: Option<Timestamp>,
    kept: usize,
}

impl Asked {
    /// Takes in the rows that stay anyway.
    fn about(&mut self, new: &[u8], stays: Stays) {
        let lines: Vec<&[u8]> = new.split_inclusive(|b| *b == b'\n').collect();
        for line in lines.into_iter().rev() {
            self.wants(line, stays);
        }
    }

    /// Returns true if a row is wanted that only older ones follow.
    fn wants(&mut self, line: &[u8], stays: Stays) -> bool {
        let Some((_, Line::Row(row))) = read::lines(line).next() else {
            return false;
        };
        match stays {
            Stays::Newest => false,
            Stays::LastOfBranch => {
                let branch = text(&row, "branch");
                self.seen.len() < MAX_BRANCHES
                    && !branch.is_empty()
                    && self.seen.insert(branch.to_owned())
            }
            Stays::Unfinished => self.is_unfinished(&row),
        }
    }

    fn is_unfinished(&mut self, row: &Map<String, Value>) -> bool {
        let at = Timestamp::parse(text(row, "timestamp"));
        self.newest = self.newest.or(at);
        let session = text(row, "session_id");
        let is_end = text(row, "event_type") == "finalize_called";
        let is_begin = text(row, "event_type") == "resume_called";
        let is_first = (is_end || is_begin) && self.seen.insert(session.to_owned());
        let is_recent = match (self.newest, at) {
            (Some(newest), Some(at)) => newest.since(at) < UNFINISHED_FOR,
            _ => false,
        };
        let wanted =
            is_begin && is_first && is_recent && !session.is_empty() && self.kept < MAX_UNFINISHED;
        self.kept += usize::from(wanted);
        wanted
    }
}

fn text<'r>(row: &'r Map<String, Value>, name: &str) -> &'r str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}
