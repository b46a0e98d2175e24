//! The manifests of a tree, as they are on disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use aictx_files::untrusted::{Directory, Links};

use super::Indexer;
use crate::index_view::{FileId, View};
use crate::manifest::{self, MAX_BYTES, Manifests, sort_of};
use crate::tree::Tree;

impl Indexer {
    /// Reads the manifests of a tree that were not read before with the content that they have in it.
    /// One look at every path, and one file read for each that is new.
    pub(super) fn manifests(&self, tree: &Tree, stop: &AtomicBool) -> Manifests {
        let mut manifests = Manifests::default();
        let mut known = self
            .manifests
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut root = None;
        for file in (0..tree.files()).map(FileId) {
            let path = tree.path(file);
            let Some(sort) = sort_of(path) else {
                continue;
            };
            if manifests.is_full() || stop.load(Ordering::Relaxed) {
                break;
            }
            // Of what waits to be read it is not known what it holds.
            let row = tree.rows().get(file.0 as usize);
            let id = row.filter(|row| row.place.is_some()).map(|row| row.id);
            if let Some(read) = id.and_then(|id| known.get(id, sort)) {
                manifests.add(path, read.clone());
                continue;
            }
            if root.is_none() {
                root = Directory::open(&self.root).ok();
            }
            let raw = Path::new(OsStr::from_bytes(tree.paths().raw(file)));
            let bytes = root
                .as_ref()
                .and_then(|root| root.read(raw, Links::Refused, MAX_BYTES).ok());
            let read = bytes.and_then(|bytes| manifest::read(sort, &bytes).map(Arc::new));
            manifests.add(path, read.clone());
            if let Some(id) = id {
                known.keep(id, sort, read);
            }
        }
        manifests
    }
}
