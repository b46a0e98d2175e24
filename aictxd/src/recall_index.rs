//! The index of memory: its items prepared for being searched, kept from question to question.

use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use aictx_artifacts::Store;
use aictx_continuity::{Found, Histories, Memory, Remembered, best_of_each};
use aictx_proto::record::files;
use aictx_proto::snapshot::Snapshot;
use aictx_repomap::text_index::TextIndex;

/// Rows of one history that are searched, the newest ones.
const MAX_ROWS: usize = 20_000;
/// Failures that made room for others.
const EVICTED_FAILURES: &str = "archive/failure_memory/evicted.jsonl";

/// A memory, ready to be searched.
#[derive(Debug, Default)]
pub struct Searchable {
    /// The items.
    pub memory: Memory,
    /// The texts of the items, by their numbers.
    texts: TextIndex,
}

/// The index of one repository's memory as of the last question.
#[derive(Debug, Default)]
pub struct RecallIndex(RwLock<Option<Searchable>>);

impl RecallIndex {
    /// Asks the memory of a snapshot. What changed since the last question is taken in first; the first question, and
    /// one after rows were changed by hand, reads whole histories.
    pub fn ask<T>(
        &self,
        store: &Store,
        snapshot: &Snapshot,
        ask: impl FnOnce(&Searchable) -> T,
    ) -> T {
        {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = known.as_ref().filter(|known| known.memory.is_of(snapshot)) {
                return ask(known);
            }
        }
        let mut slot = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut known = slot.take().unwrap_or_default();
        if !known.memory.is_of(snapshot) && !known.memory.follow(snapshot) {
            let all = Histories {
                handoffs: store.newest_rows(files::HANDOFFS, MAX_ROWS).0,
                decisions: store.newest_rows(files::DECISIONS, MAX_ROWS).0,
                imported: match snapshot.imported {
                    0 => Vec::new(),
                    _ => store.newest_rows(files::IMPORTED, MAX_ROWS).0,
                },
                evicted_failures: store.newest_rows(EVICTED_FAILURES, MAX_ROWS).0,
            };
            known = Searchable {
                memory: Memory::of(snapshot, &all),
                ..Searchable::default()
            };
        }
        known.prepare();
        *slot = Some(known);
        let known = RwLockWriteGuard::downgrade(slot);
        ask(known.as_ref().unwrap_or(&Searchable::default()))
    }

    /// Takes in what changed, where the index was asked lately: the next question finds it ready.
    pub fn follow(&self, store: &Store, snapshot: &Snapshot) {
        let is_kept = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some();
        if is_kept {
            self.ask(store, snapshot, |_| ());
        }
    }

    /// Frees it, because nobody has asked for a while.
    pub fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Searchable {
    /// Prepares the texts of new items, and removes those that are gone.
    fn prepare(&mut self) {
        for (number, item) in self.memory.items().iter().enumerate() {
            if number >= self.texts.len() {
                self.texts.push(&item.parts(), &item.item.files);
            }
            if item.is_gone {
                self.texts.remove(number);
            }
        }
    }

    /// The wanted items that fit, best first, one for each execution.
    pub fn search(&self, query: &str, is_wanted: impl Fn(&Remembered) -> bool) -> Vec<Found<'_>> {
        let items = self.memory.items();
        let ranked = self
            .texts
            .rank(query, |at| items.get(at).is_some_and(&is_wanted));
        let found = ranked.into_iter().filter_map(|one| {
            Some(Found {
                item: items.get(one.at)?,
                score: one.score,
                evidence: one.evidence,
            })
        });
        best_of_each(found.collect(), query)
    }
}
