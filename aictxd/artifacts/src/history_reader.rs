//! Reading what a snapshot does not hold: more rows of a history, a document by name.

use std::sync::{Arc, PoisonError};

use aictx_proto::record::{ContractRecord, Origin, files};
use aictx_proto::snapshot::ReadIssue;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::read::{self, Line, MAX_FILE};
use crate::store::Store;

/// Most attempts to read a history that is being archived.
const LOOKS: u32 = 4;
/// Contracts that are remembered, those that were read last.
const MAX_CONTRACTS: usize = 16;

/// Returns the number of rows at the end of one list that begin the other: two at least, since one may well
/// be said twice.
fn in_both(archived: &[Value], live: &[Value]) -> usize {
    let most = archived.len().min(live.len());
    let same = |n: &usize| archived.get(archived.len() - n..) == live.get(..*n);
    (2..=most).rev().find(same).unwrap_or(0)
}

impl Store {
    /// The newest `limit` rows of a history, oldest first, of at most the newest [`MAX_FILE`] bytes
    /// and of its archive; and how many lines the file itself has. Unreadable lines are passed over.
    pub fn newest_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> (Vec<T>, u64) {
        let root = self.root();
        let inode = || root.stamp(file).ok().flatten().map(|s| s.inode);
        let mut left = LOOKS;
        let (rows, lines) = loop {
            let before = inode();
            let (live, lines) = self.live_rows(file, limit);
            let missing = limit - live.len().min(limit);
            if missing == 0 {
                break (live, lines);
            }
            let mut rows: Vec<Value> = self.archived_rows(file, limit);
            left -= 1;
            // Another file by now: rows may have been read in neither.
            if left > 0 && inode() != before {
                continue;
            }
            // On their way, they are in both.
            rows.truncate(rows.len() - in_both(&rows, &live));
            rows.drain(..rows.len().saturating_sub(missing));
            rows.extend(live);
            break (rows, lines);
        };
        let records = rows.into_iter().filter_map(|row| match row {
            Value::Object(row) => read::record(row).0,
            _ => None,
        });
        (records.collect(), lines)
    }

    /// Returns the problem among the newest `limit` rows of a history's file.
    pub fn issue_of(&self, file: &str, limit: usize) -> Option<ReadIssue> {
        let root = self.root();
        let read = root.read_if_there(file).and_then(|open| {
            let Some(mut open) = open else {
                return Ok(None);
            };
            let (_, tail) = read::tail(&mut open, MAX_FILE)?;
            let rows = read::rows::<Value>(&tail, limit, Origin::Own);
            Ok(read::bad_lines(file, rows.why, rows.bad))
        });
        read.unwrap_or_else(|error| Some(read::unreadable(file, error)))
    }

    fn live_rows(&self, file: &str, limit: usize) -> (Vec<Value>, u64) {
        let root = self.root();
        let origin = match root.names().is_shared(file) {
            true => Origin::Repository,
            false => Origin::Own,
        };
        let read = root.read_if_there(file).and_then(|open| {
            let Some(mut open) = open else {
                return Ok((Vec::new(), 0));
            };
            let (from, tail) = read::tail(&mut open, MAX_FILE)?;
            let before = read::count_lines(&mut open, from)?;
            let rows = read::rows(&tail, limit, origin);
            let here = read::lines(&tail).count() as u64;
            Ok((rows.rows, before + here))
        });
        read.unwrap_or_default()
    }

    /// The newest `limit` rows that came with the repository of a history that belongs to one machine,
    /// oldest first: those of the file, and of segments of its archive. [`newest_rows`](Self::newest_rows)
    /// has none of them. Rows that [travel](files::travels) are among the machine's own.
    pub fn foreign_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> Vec<T> {
        let root = self.root();
        if files::is_shared(file) || files::travels(file) || root.names().tracked.is_empty() {
            return Vec::new();
        }
        let mut bytes = crate::archive::foreign_text(&root, file);
        if let Ok(Some(open)) = root.open_foreign(file)
            && let Ok((_, tail)) = open.tail(MAX_FILE)
        {
            bytes.extend(tail);
        }
        read::rows(&bytes, limit, Origin::Repository).rows
    }

    /// All rows of a history as they stand, for who writes them anew.
    ///
    /// # Errors
    /// It is larger than [`MAX_FILE`] or cannot be read.
    pub fn all_rows(&self, file: &str) -> Result<Vec<Value>, StoreError> {
        let root = self.root();
        let fail = |e: std::io::Error| root.error(file, e);
        let Some(open) = root.read_if_there(file).map_err(fail)? else {
            return Ok(Vec::new());
        };
        let len = crate::fs::len(&open).map_err(fail)?;
        if len > MAX_FILE {
            return Err(StoreError::TooLarge {
                file: file.to_owned(),
                bytes: usize::try_from(len).unwrap_or(usize::MAX),
                limit: usize::try_from(MAX_FILE).unwrap_or(usize::MAX),
            });
        }
        let bytes = crate::fs::read_range(&open, 0, MAX_FILE).map_err(fail)?;
        let rows = read::lines(&bytes).filter_map(|(_, line)| match line {
            Line::Row(row) => Some(Value::Object(row)),
            Line::Bad(_) => None,
        });
        Ok(rows.collect())
    }

    /// A persisted contract; read again only when its file is another one.
    pub fn contract(&self, file: &str) -> Option<Arc<ContractRecord>> {
        let stamp = self.root().stamp(file).ok()??;
        let contracts = || {
            self.contracts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let known = contracts().iter().find(|(name, ..)| name == file).cloned();
        if let Some((_, _, contract)) = known.filter(|(_, then, _)| *then == stamp) {
            return Some(contract);
        }
        let open = self.root().read_if_there(file).ok()??;
        // Of what is read, whatever has taken its place meanwhile.
        let stamp = crate::fs::stamp_of(&open).ok()?;
        let bytes = crate::fs::read_range(&open, 0, MAX_FILE).ok()?;
        let contract = Arc::new(read::record(read::object(&bytes).ok()?).0?);
        let mut contracts = contracts();
        contracts.retain(|(name, ..)| name != file);
        if contracts.len() >= MAX_CONTRACTS {
            contracts.remove(0);
        }
        contracts.push((file.to_owned(), stamp, Arc::clone(&contract)));
        Some(contract)
    }

    /// Returns true if something lies under a name, whatever it is.
    pub fn has(&self, file: &str) -> bool {
        !matches!(self.root().stamp(file), Ok(None))
    }

    /// A JSON document; nothing when it is missing or cannot be read as one.
    pub fn document<T: DeserializeOwned>(&self, file: &str) -> Option<T> {
        let open = self.root().read_if_there(file).ok()??;
        let bytes = crate::fs::read_range(&open, 0, MAX_FILE).ok()?;
        read::record(read::object(&bytes).ok()?).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_on_their_way_count_once() {
        let rows = |numbers: &[u64]| -> Vec<Value> { numbers.iter().map(|n| json!(n)).collect() };
        for (archived, live, both) in [
            (&[1, 2, 3][..], &[4, 5][..], 0),
            (&[1, 2, 3], &[2, 3, 4], 2),
            (&[1, 2, 3], &[3, 4], 0),
            (&[1, 2], &[1, 2], 2),
            (&[], &[1], 0),
        ] {
            assert_eq!(
                in_both(&rows(archived), &rows(live)),
                both,
                "{archived:?} {live:?}"
            );
        }
    }
}
