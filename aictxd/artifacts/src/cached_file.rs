//! One file as parsed: a history of rows or a document, read again only when its stamp changed.

use std::sync::Arc;

use aictx_proto::record::{Origin, files};
use aictx_proto::snapshot::{ReadIssue, Rows};
use aictx_redact::{Report, scrub_value};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::fs::{Root, Stamp};
use crate::read::{self, MAX_FILE};

/// Rows that may have gone between two that stayed.
const MAX_LOOK: usize = 64;

/// A JSONL file as parsed.
#[derive(Debug, Clone)]
pub(crate) struct History<T> {
    file: &'static str,
    limit: usize,
    bytes: u64,
    /// Stamp of the file that the rows were read from; `None` when they must be read again.
    pub(crate) stamp: Option<Option<Stamp>>,
    /// Origin of the rows.
    origin: Origin,
    /// Holds what a commit is about to write; the disk is not asked before it is settled.
    pub(crate) pending: bool,
    pub(crate) rows: Rows<T>,
    pub(crate) lines: u64,
    pub(crate) bent: u64,
    pub(crate) issue: Option<ReadIssue>,
}

impl<T: DeserializeOwned + Clone + PartialEq> History<T> {
    pub(crate) fn new(file: &'static str, limit: usize, bytes: u64) -> Self {
        Self {
            file,
            limit,
            bytes,
            stamp: None,
            origin: Origin::Own,
            pending: false,
            rows: Arc::default(),
            lines: 0,
            bent: 0,
            issue: None,
        }
    }

    pub(crate) fn refresh(&mut self, root: &Root) {
        let now = root.stamp(self.file).unwrap_or_default();
        let origin = shared_origin(root, self.file);
        if self.pending || self.stamp == Some(now) && self.origin == origin {
            return;
        }
        self.origin = origin;
        let read = match now {
            Some(stamp) if !stamp.is_file => Err("it is not a plain file".to_owned()),
            _ => self.load(root).map_err(|e| e.to_string()),
        };
        match read {
            Ok(()) => {}
            Err(why) => {
                self.set(Vec::new());
                (self.lines, self.bent) = (0, 0);
                self.issue = Some(read::unreadable(self.file, why));
            }
        }
        // Taken before reading: a write in between makes the next refresh read again.
        self.stamp = Some(now);
    }

    fn load(&mut self, root: &Root) -> std::io::Result<()> {
        let (mut before, mut bytes) = (0, Vec::new());
        if let Some(mut file) = root.read_if_there(self.file)? {
            let from;
            (from, bytes) = read::tail(&mut file, self.bytes)?;
            before = read::count_lines(&mut file, from)?;
        }
        self.parse(before, &bytes);
        Ok(())
    }

    fn parse(&mut self, before: u64, bytes: &[u8]) {
        let all = read::lines(bytes).count() as u64;
        let read = read::rows(bytes, self.limit, self.origin);
        self.lines = before + all - read.bad;
        self.bent = read.bent;
        self.issue = read::bad_lines(self.file, read.why, read.bad);
        self.set(read.rows);
    }

    /// Keeps the shared rows that are the same: where a file was rewritten, most are, and what others
    /// prepared of them holds.
    fn set(&mut self, rows: Vec<T>) {
        let same = self.rows.iter().map(|row| &**row).eq(&rows);
        if same {
            return;
        }
        let mut known = self.rows.as_slice();
        let rows = rows.into_iter().map(|row| {
            let near = known.iter().take(MAX_LOOK).position(|known| **known == row);
            let Some((_, [found, rest @ ..])) = near.and_then(|at| known.split_at_checked(at))
            else {
                return Arc::new(row);
            };
            known = rest;
            Arc::clone(found)
        });
        self.rows = Arc::new(rows.collect());
    }

    /// Applies a commit to the file.
    pub(crate) fn apply(&mut self, change: Applied<'_>) {
        (self.stamp, self.pending) = (None, true);
        match change {
            Applied::Replace(bytes) => self.parse(0, bytes),
            // Nobody makes a document of a history.
            Applied::Document(_) => {}
            Applied::Remove => self.parse(0, &[]),
            Applied::Append(bytes) => {
                let new = read::rows(bytes, usize::MAX, self.origin);
                self.lines += new.rows.len() as u64;
                let rows = Arc::make_mut(&mut self.rows);
                rows.extend(new.rows.into_iter().map(Arc::new));
                let over = rows.len().saturating_sub(self.limit);
                rows.drain(..over);
            }
        }
    }

    /// Returns true if `file` is this history.
    pub(crate) fn is(&self, file: &str) -> bool {
        self.file == file
    }

    /// Length of the file the rows were read from.
    pub(crate) fn len_read(&self) -> Option<u64> {
        Some(self.stamp?.map_or(0, |s| s.len))
    }
}

/// A file that snapshots only say the state of: whoever asks for it reads it.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    file: &'static str,
    pub(crate) stamp: Option<Option<Stamp>>,
    pub(crate) pending: bool,
    /// Changes of this process that the stamp does not tell yet.
    changes: u64,
}

impl Watched {
    pub(crate) fn new(file: &'static str) -> Self {
        Self {
            file,
            stamp: None,
            pending: false,
            changes: 0,
        }
    }

    pub(crate) fn refresh(&mut self, root: &Root) {
        let now = root.stamp(self.file).unwrap_or_default();
        if !self.pending && self.stamp != Some(now) {
            self.stamp = Some(now);
            self.changes += 1;
        }
    }

    /// Notes what a commit does to the file.
    pub(crate) fn apply(&mut self, _: Applied<'_>) {
        (self.stamp, self.pending) = (None, true);
        self.changes += 1;
    }

    /// A number for what the file holds; 0 while there is none.
    pub(crate) fn state(&self) -> u64 {
        match self.stamp {
            Some(None) => 0,
            _ => self.changes,
        }
    }
}

/// Returns the origin of a file that a repository may share.
fn shared_origin(root: &Root, file: &str) -> Origin {
    match root.names().is_shared(file) {
        true => Origin::Repository,
        false => Origin::Own,
    }
}

/// Documents of this machine in whose absence those of the repository are told: what they hold is for
/// people and agents, and nothing is decided by it.
const TOLD: &[&str] = &[
    files::HANDOFF,
    files::PREFERENCES,
    files::SEMANTIC_REPO,
    files::AREAS,
];

/// Returns true if a document may be told with what the repository brought in its place.
pub(crate) fn is_told(file: &str) -> bool {
    let is_area = file
        .strip_prefix(files::AREAS_DIR)
        .is_some_and(|r| r.starts_with('/'));
    TOLD.contains(&file) || is_area
}

/// A JSON file as parsed.
#[derive(Debug, Clone)]
pub(crate) struct Doc<T> {
    file: String,
    pub(crate) stamp: Option<Option<Stamp>>,
    /// Origin.
    pub(crate) origin: Origin,
    pub(crate) pending: bool,
    pub(crate) value: Option<Arc<T>>,
    pub(crate) issue: Option<ReadIssue>,
}

impl<T: DeserializeOwned + PartialEq> Doc<T> {
    pub(crate) fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            stamp: None,
            origin: Origin::Own,
            pending: false,
            value: None,
            issue: None,
        }
    }

    pub(crate) fn refresh(&mut self, root: &Root) {
        let mut now = root.stamp(&self.file).unwrap_or_default();
        let mut origin = shared_origin(root, &self.file);
        let is_foreign = now.is_none() && is_told(&self.file);
        if is_foreign {
            now = root.stamp_foreign(&self.file).unwrap_or_default();
            origin = now.map_or(origin, |_| Origin::Repository);
        }
        if self.pending || self.stamp == Some(now) && self.origin == origin {
            return;
        }
        self.origin = origin;
        let open = || match is_foreign {
            true => root.open_foreign(&self.file),
            false => root.open_if_there(&self.file),
        };
        let bytes = match now {
            None => Ok(None),
            Some(stamp) if !stamp.is_file => Err("it is not a plain file".to_owned()),
            Some(stamp) if stamp.len > MAX_FILE => Err("it is too large".to_owned()),
            Some(_) => open()
                .and_then(|file| file.map(|file| file.read(MAX_FILE)).transpose())
                .map_err(|e| e.to_string()),
        };
        match bytes {
            Ok(bytes) => self.parse(bytes.as_deref()),
            Err(why) => {
                self.value = None;
                self.issue = Some(read::unreadable(&self.file, why));
            }
        }
        self.stamp = Some(now);
    }

    fn parse(&mut self, bytes: Option<&[u8]>) {
        self.take(bytes.map(read::object));
    }

    fn take(&mut self, read: Option<Result<Map<String, Value>, &'static str>>) {
        self.issue = None;
        let parsed = match read {
            None => None,
            Some(Err(why)) => {
                self.issue = Some(read::unreadable(&self.file, why));
                None
            }
            Some(Ok(mut map)) => {
                // What holds others says it of each of them.
                if !matches!(self.file.as_str(), files::SEMANTIC_REPO | files::AREAS) {
                    read::mark(&mut map, self.origin);
                }
                let map = shown(&self.file, map);
                let (record, bent) = read::record(map);
                if bent || record.is_none() {
                    let why = "members of the wrong type were passed over";
                    self.issue = Some(read::unreadable(&self.file, why));
                }
                record
            }
        };
        if self.value.as_deref() != parsed.as_ref() {
            self.value = parsed.map(Arc::new);
        }
    }

    pub(crate) fn apply(&mut self, change: Applied<'_>) {
        (self.stamp, self.pending) = (None, true);
        if is_told(&self.file) {
            // It is this machine's from here on.
            self.origin = Origin::Own;
        }
        match change {
            Applied::Document(members) => self.take(Some(Ok(members))),
            Applied::Replace(bytes) => self.parse(Some(bytes)),
            Applied::Remove => self.parse(None),
            // Nobody appends to documents.
            Applied::Append(_) => {}
        }
    }
}

/// A document without secrets where people write it by hand and agents are told of it: nothing else
/// comes past the scrubber.
fn shown(file: &str, map: Map<String, Value>) -> Map<String, Value> {
    if file != files::PREFERENCES {
        return map;
    }
    let mut value = Value::Object(map);
    scrub_value(&mut value, &mut Report::default());
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Change of one file by a commit, as seen from memory.
#[derive(Debug)]
pub(crate) enum Applied<'a> {
    /// The members of a document, as its new text has them.
    Document(Map<String, Value>),
    Append(&'a [u8]),
    Replace(&'a [u8]),
    Remove,
}

#[cfg(test)]
mod tests {
    use aictx_proto::record::Decision;

    use super::*;

    #[test]
    fn rows_that_stay_when_a_file_is_rewritten_are_the_same_rows() {
        let mut history: History<Decision> = History::new(files::DECISIONS, 500, MAX_FILE);
        let mut write = |texts: &[&str]| {
            let line = |text: &&str| format!("{{\"decision\":\"{text}\"}}\n");
            history.apply(Applied::Replace(
                texts.iter().map(line).collect::<String>().as_bytes(),
            ));
            let rows = &history.rows;
            assert!(
                rows.iter()
                    .map(|row| &*row.decision)
                    .eq(texts.iter().copied())
            );
            Arc::clone(rows)
        };
        let before = write(&["a", "b", "c", "d", "a"]);
        let after = write(&["b", "x", "d", "a", "b"]);
        let kept: Vec<Option<usize>> = after
            .iter()
            .map(|row| before.iter().position(|known| Arc::ptr_eq(known, row)))
            .collect();
        assert_eq!(kept, [Some(1), None, Some(3), Some(4), None]);
    }
}
