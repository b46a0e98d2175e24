//! Reading what a snapshot does not hold: more rows of a history, a document by name.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::read::{self, Line, MAX_FILE};
use crate::store::Store;

/// How often a history is read that goes to the archive meanwhile.
const LOOKS: u32 = 4;

impl Store {
    /// The newest `limit` rows of a history, oldest first, of at most the newest [`MAX_FILE`] bytes
    /// and of its archive; and how many lines the file itself has. Unreadable lines are passed over.
    pub fn newest_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> (Vec<T>, u64) {
        let root = self.root();
        let inode = || root.stamp(file).ok().flatten().map(|s| s.inode);
        let mut left = LOOKS;
        loop {
            let before = inode();
            let (live, lines) = self.live_rows(file, limit);
            let missing = limit - live.len().min(limit);
            if missing == 0 {
                return (live, lines);
            }
            let mut rows = self.archived_rows(file, missing);
            left -= 1;
            // Another file by now: rows that were read here may have been read there as well.
            if left > 0 && inode() != before {
                continue;
            }
            rows.extend(live);
            return (rows, lines);
        }
    }

    fn live_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> (Vec<T>, u64) {
        let root = self.root();
        let read = root.read_if_there(file).and_then(|open| {
            let Some(mut open) = open else {
                return Ok((Vec::new(), 0));
            };
            let (from, tail) = read::tail(&mut open, MAX_FILE)?;
            let before = read::count_lines(&mut open, from)?;
            let rows = read::rows::<T>(&tail, limit);
            let here = read::lines(&tail).count() as u64;
            Ok((rows.rows, before + here))
        });
        read.unwrap_or_default()
    }

    /// All rows of a history as they stand.
    ///
    /// # Errors
    /// It is larger than [`MAX_FILE`] or cannot be read; in words.
    pub fn all_rows(&self, file: &str) -> Result<Vec<Value>, String> {
        let root = self.root();
        let fail = |e: std::io::Error| format!("{}: {e}", root.path(file).display());
        let Some(mut open) = root.read_if_there(file).map_err(fail)? else {
            return Ok(Vec::new());
        };
        let len = crate::fs::len(&open).map_err(fail)?;
        if len > MAX_FILE {
            return Err(format!(
                "{} has {len} bytes, more than the {MAX_FILE} that are rewritten at once; `aictx internal compact --apply` makes it smaller",
                root.path(file).display()
            ));
        }
        let bytes = crate::fs::read_range(&mut open, 0, MAX_FILE).map_err(fail)?;
        let rows = read::lines(&bytes).filter_map(|(_, line)| match line {
            Line::Row(row) => Some(Value::Object(row)),
            Line::Bad(_) => None,
        });
        Ok(rows.collect())
    }

    /// A JSON document; nothing when it is missing or cannot be read as one.
    pub fn document<T: DeserializeOwned>(&self, file: &str) -> Option<T> {
        let mut open = self.root().read_if_there(file).ok()??;
        let bytes = crate::fs::read_range(&mut open, 0, MAX_FILE).ok()?;
        read::record(read::object(&bytes).ok()?).0
    }
}
