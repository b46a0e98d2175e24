//! A directory of JSON files of one kind: Work State threads, sub-systems, areas.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aictx_proto::snapshot::{MAX_SHELF, ReadIssue};
use serde::de::DeserializeOwned;

use crate::cached_file::Doc;
use crate::fs::{Root, Stamp};

/// A directory whose time is younger than this may change again without getting another time.
const SETTLED: Duration = Duration::from_millis(100);

/// The files of a directory as parsed, by name; at most [`MAX_SHELF`].
#[derive(Debug, Clone)]
pub(crate) struct Shelf<T> {
    dir: &'static str,
    listed: Option<Stamp>,
    docs: BTreeMap<String, Doc<T>>,
    /// Grows whenever a document's value changed.
    pub(crate) edition: u64,
}

impl<T: DeserializeOwned + PartialEq> Shelf<T> {
    pub(crate) fn new(dir: &'static str) -> Self {
        Self {
            dir,
            listed: None,
            docs: BTreeMap::new(),
            edition: 0,
        }
    }

    /// The name of one of its files, if `file` is one.
    pub(crate) fn name_of<'f>(&self, file: &'f str) -> Option<&'f str> {
        file.strip_prefix(self.dir)?
            .strip_prefix('/')
            .filter(|n| is_document(n))
    }

    /// The document of a file of this directory, made when it is not there yet.
    pub(crate) fn doc(&mut self, name: &str) -> &mut Doc<T> {
        let dir = self.dir;
        self.docs
            .entry(name.to_owned())
            .or_insert_with(|| Doc::new(format!("{dir}/{name}")))
    }

    /// Reads what changed on disk: one `stat`, one more a file, and a listing when files came or
    /// went.
    pub(crate) fn refresh(&mut self, root: &Root) {
        let now = root.stamp_directory(self.dir).unwrap_or_default();
        if now.is_none() {
            let had = self.docs.len();
            self.docs.retain(|_, doc| doc.pending);
            self.edition += u64::from(had != self.docs.len());
            self.listed = None;
        } else if self.listed != now {
            // More entries than documents: their event logs lie in the same directory.
            let mut names = root.list(self.dir, MAX_SHELF * 4).unwrap_or_default();
            names.retain(|n| is_document(n));
            names.truncate(MAX_SHELF);
            let had = self.docs.len();
            self.docs
                .retain(|n, doc| doc.pending || names.binary_search(n).is_ok());
            self.edition += u64::from(had != self.docs.len());
            for name in names {
                self.doc(&name);
            }
            self.listed = now.filter(is_settled);
        }
        for doc in self.docs.values_mut() {
            let before = doc.value.clone();
            doc.refresh(root);
            let same = match (&before, &doc.value) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            self.edition += u64::from(!same);
        }
    }

    /// Returns the readable documents, by file name.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<T>> {
        self.docs.values().filter_map(|doc| doc.value.as_ref())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<T>> {
        self.docs.get(name)?.value.as_ref()
    }

    pub(crate) fn issues(&self) -> impl Iterator<Item = &ReadIssue> {
        self.docs.values().filter_map(|doc| doc.issue.as_ref())
    }

    /// Returns true if rewriting a file would lose members that could not be read.
    pub(crate) fn is_bent(&self, name: &str) -> bool {
        self.docs.get(name).is_some_and(|doc| doc.issue.is_some())
    }
}

/// Returns true where no change of a directory since can have left its time as it is.
pub(crate) fn is_settled(stamp: &Stamp) -> bool {
    let age = SystemTime::now().duration_since(stamp.modified_at());
    age.is_ok_and(|age| age > SETTLED)
}

fn is_document(name: &str) -> bool {
    name.ends_with(".json") && !name.starts_with('.') && !name.contains('/')
}
