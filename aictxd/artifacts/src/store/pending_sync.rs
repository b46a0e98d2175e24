//! Pending fsyncs of acknowledged commits.

use std::sync::{MutexGuard, PoisonError};

use aictx_proto::record::files;

use super::Store;
use crate::error::StoreError;
use crate::fs;
use crate::journal;

/// Syncs still due for commits that were answered early.
#[derive(Debug, Default)]
pub(super) struct Owed {
    /// Stands for the last of them until the disk has it all.
    pub(super) intent: Option<journal::Intent>,
    pub(super) syncs: fs::Syncs,
}

/// Files that may be owed before a commit waits for the disk after all: each is held open.
pub(super) const MAX_OWED: usize = 256;

impl Store {
    /// Lets the disk confirm what was answered before it had. Commits need not wait for this.
    ///
    /// # Errors
    /// The disk failed; whoever takes the lock next does the last of the commits again.
    pub fn settle(&self) -> Result<(), StoreError> {
        // What another thread has taken is not on the disk before that one is done.
        let _one_at_a_time = self.settling();
        let (syncs, stood_for) = {
            let mut owed = self.owed();
            (std::mem::take(&mut owed.syncs), owed.intent.clone())
        };
        // In order, so that the intent is durable before what it tells of.
        let root = self.root();
        let done = syncs.finish();
        let mut owed = self.owed();
        if owed.intent == stood_for
            && let Some(intent) = owed.intent.take()
            && done.is_ok()
        {
            // While no other commit can put its own in the place of it.
            journal::remove(&root, &intent);
        }
        drop(owed);
        done.map_err(|e| journal::deferred(root.error(files::JOURNAL_DIR, e)))
    }

    /// Returns true if [`settle`](Self::settle) has something to do.
    pub fn owes(&self) -> bool {
        self.owed().syncs.len() > 0
    }

    pub(crate) fn settling(&self) -> MutexGuard<'_, ()> {
        self.settling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn owed(&self) -> MutexGuard<'_, Owed> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
