//! Compaction on demand: the rows of a history that somebody judged to be past go to the archive.

use std::time::Instant;

use aictx_redact::Report;
use serde_json::Value;

use crate::archive;
use crate::commit;
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::lock::DEADLINE;
use crate::read::{self, Line};
use crate::store::Store;

/// Largest history that is compacted.
const MAX_COMPACTED: u64 = 256 * 1024 * 1024;

/// Fate of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// It stays as it is.
    Stays,
    /// It stays, without the secrets that somebody else has written into it.
    Scrubbed,
    /// It goes to the archive.
    Goes,
}

impl From<bool> for Row {
    fn from(stays: bool) -> Self {
        if stays { Self::Stays } else { Self::Goes }
    }
}

/// Result of compacting a history, or of a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Rows there were.
    pub before_rows: usize,
    /// Rows that stay.
    pub kept_rows: usize,
    /// Of these, rows that lost a secret.
    pub scrubbed_rows: usize,
    /// Lines that are no rows; they stay as they are.
    pub skipped_rows: usize,
    /// Size before.
    pub before_bytes: u64,
    /// Size after.
    pub after_bytes: u64,
    /// Archive of the rows; `None` when none was moved.
    pub archive_path: Option<String>,
}

impl Store {
    /// Asks `stays` which rows of a history stay (by their places) and, when `apply` is set, moves
    /// the others to the archive. Nothing for a file that is not there.
    ///
    /// # Errors
    /// Locked, not writable, or too large. Interrupted at any point every row is in the history, in
    /// the archive or in both.
    pub fn compact_rows<R: Into<Row>>(
        &self,
        file: &str,
        apply: bool,
        stays: impl FnOnce(&[Value]) -> Vec<R>,
    ) -> Result<Option<Compacted>, StoreError> {
        if !apply {
            let root = self.root();
            let done = compact(&root, file, false, stays);
            return done.map_err(|e| root.error(file, e));
        }
        self.locked(Instant::now() + DEADLINE, |root, _| {
            compact(root, file, true, stays).map_err(|e| root.error(file, e))
        })
    }
}

fn compact<R: Into<Row>>(
    root: &Root,
    file: &str,
    apply: bool,
    stays: impl FnOnce(&[Value]) -> Vec<R>,
) -> std::io::Result<Option<Compacted>> {
    let Some(open) = root.read_if_there(file)? else {
        return Ok(None);
    };
    let len = fs::len(&open)?;
    if len > MAX_COMPACTED {
        let why = format!("it has {len} bytes, more than the {MAX_COMPACTED} that are looked at");
        return Err(std::io::Error::other(why));
    }
    let bytes = fs::read_range(&open, 0, MAX_COMPACTED)?;
    // A last line without its end may be half a line: it stays.
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    let mut rows = Vec::new();
    let mut places = Vec::new();
    for (at, line) in read::lines(bytes.get(..whole).unwrap_or_default()) {
        let row = matches!(line, Line::Row(_));
        if let Line::Row(members) = line {
            rows.push(Value::Object(members));
        }
        places.push((at, row));
    }
    let fates = stays(&rows);
    let mut fates = rows.iter().zip(fates.into_iter().map(R::into));
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    let mut done = Compacted {
        before_rows: rows.len(),
        before_bytes: len,
        ..Compacted::default()
    };
    for (at, is_row) in places {
        let line = bytes.get(at).unwrap_or_default();
        if !is_row {
            done.skipped_rows += 1;
            kept.extend_from_slice(line);
            continue;
        }
        match fates.next() {
            Some((_, Row::Goes)) => {
                gone.extend_from_slice(line);
                continue;
            }
            Some((row, Row::Scrubbed)) => {
                let mut row = row.clone();
                aictx_redact::scrub_value(&mut row, &mut Report::default());
                kept.extend_from_slice(row.to_string().as_bytes());
                kept.push(b'\n');
                done.scrubbed_rows += 1;
            }
            _ => kept.extend_from_slice(line),
        }
        done.kept_rows += 1;
    }
    kept.extend_from_slice(bytes.get(whole..).unwrap_or_default());
    done.after_bytes = kept.len() as u64;
    if gone.is_empty() && done.scrubbed_rows == 0 {
        done.after_bytes = len;
        return Ok(Some(done));
    }
    if apply {
        if !gone.is_empty() {
            done.archive_path = Some(archive::put(root, file, &gone)?);
        }
        // Rows that a program without the lock appends meanwhile are carried over.
        commit::replace_rows(root, file, kept, len)?;
        root.sync_parent(file)?;
    }
    Ok(Some(done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::record::files::DECISIONS;

    #[test]
    fn w_p4_a_bad_row_stops_nothing_and_is_lost_by_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = crate::tests::create(dir.path()).unwrap();
        let file = dir.path().join(".aictx").join(DECISIONS);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = "{\"n\":0}\n<<<<<<<\n\n{\"n\":1}\n[1]\n{\"n\":2}\n{\"n\":3";
        std::fs::write(&file, text).unwrap();
        let odd = |rows: &[Value]| -> Vec<bool> { rows.iter().map(|r| r["n"] == 1).collect() };
        let would = store.compact_rows(DECISIONS, false, odd).unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "a dry run");
        let done = store.compact_rows(DECISIONS, true, odd).unwrap().unwrap();
        assert_eq!(
            done,
            Compacted {
                archive_path: done.archive_path.clone(),
                ..would
            }
        );
        let left = std::fs::read_to_string(&file).unwrap();
        assert_eq!(left, "<<<<<<<\n{\"n\":1}\n[1]\n{\"n\":3");
        assert_eq!(done.after_bytes, left.len() as u64);
        assert_eq!(
            (done.before_rows, done.kept_rows, done.skipped_rows),
            (3, 1, 2)
        );
        let gone: Vec<Value> = store.archived_rows(DECISIONS, 9);
        assert_eq!(gone.len(), 2);
        let again = store.compact_rows(DECISIONS, true, odd).unwrap().unwrap();
        assert_eq!(
            (again.archive_path, again.before_bytes),
            (None, again.after_bytes)
        );
        assert_eq!(
            store.compact_rows("none.jsonl", true, odd).unwrap(),
            None,
            "W: nothing is made"
        );
        assert!(!dir.path().join(".aictx/none.jsonl").exists());
    }

    #[test]
    fn a_secret_that_somebody_else_wrote_goes_and_its_row_stays() {
        let dir = tempfile::tempdir().unwrap();
        let store = crate::tests::create(dir.path()).unwrap();
        let file = dir.path().join(".aictx").join(DECISIONS);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let token = format!("ghp_{}", "0aB1".repeat(9));
        std::fs::write(
            &file,
            format!("{{\"b\":\"{token}\",\"a\":1}}\n{{\"n\":1}}\n"),
        )
        .unwrap();
        let all = |rows: &[Value]| vec![Row::Scrubbed; rows.len()];
        let done = store.compact_rows(DECISIONS, true, all).unwrap().unwrap();
        assert_eq!((done.scrubbed_rows, done.archive_path), (2, None));
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(!left.contains(&token) && left.contains("\"a\":1"), "{left}");
        assert_eq!(left.lines().count(), 2);
    }
}
