//! The index of memory: its items prepared for being searched, kept from question to question.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::Store;
use aictx_continuity::{Found, Histories, Memory, Remembered, best_of_each};
use aictx_proto::record::{
    Decision, FailurePattern, HandoffRow, SemanticRepo, Strategy, Thread, files,
};
use aictx_proto::snapshot::{Rows, Snapshot};
use aictx_repomap::texts::{self, Text};

/// Rows of one history that are searched, the newest ones.
const MAX_ROWS: usize = 20_000;
/// Failures and strategies that made room for others.
const EVICTED_FAILURES: &str = "archive/failure_memory/evicted.jsonl";
const EVICTED_STRATEGIES: &str = "archive/strategy_memory/evicted.jsonl";

/// The parts of a snapshot that the index is made of: they are shared between snapshots while they are unchanged.
#[derive(Debug)]
struct Sources {
    handoffs: Rows<HandoffRow>,
    decisions: Rows<Decision>,
    failures: Rows<FailurePattern>,
    strategies: Rows<Strategy>,
    threads: Rows<Thread>,
    semantic: Arc<SemanticRepo>,
}

impl Sources {
    fn of(snapshot: &Snapshot) -> Self {
        Self {
            handoffs: Arc::clone(&snapshot.handoffs),
            decisions: Arc::clone(&snapshot.decisions),
            failures: Arc::clone(&snapshot.failures),
            strategies: Arc::clone(&snapshot.strategies),
            threads: Arc::clone(&snapshot.threads),
            semantic: Arc::clone(&snapshot.semantic),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.handoffs, &other.handoffs)
            && Arc::ptr_eq(&self.decisions, &other.decisions)
            && Arc::ptr_eq(&self.failures, &other.failures)
            && Arc::ptr_eq(&self.strategies, &other.strategies)
            && Arc::ptr_eq(&self.threads, &other.threads)
            && Arc::ptr_eq(&self.semantic, &other.semantic)
    }
}

/// A memory, ready to be searched.
#[derive(Debug, Default)]
pub struct Searchable {
    /// What it was made of; `None` for the empty one.
    of: Option<Sources>,
    /// What memory holds.
    pub memory: Memory,
    /// The items' texts, in the order of the items.
    texts: Vec<Arc<Text>>,
}

/// The index of one repository's memory as of the last question.
#[derive(Debug, Default)]
pub struct RecallIndex(Mutex<Option<Arc<Searchable>>>);

impl RecallIndex {
    /// The index of a memory; where that changed, items that are the same are not prepared again.
    pub fn get(&self, store: &Store, snapshot: &Snapshot) -> Arc<Searchable> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().clone().unwrap_or_default();
        let sources = Sources::of(snapshot);
        if known.of.as_ref().is_some_and(|of| of.is_same(&sources)) {
            return known;
        }
        let all = Histories {
            handoffs: store.newest_rows(files::HANDOFFS, MAX_ROWS).0,
            decisions: store.newest_rows(files::DECISIONS, MAX_ROWS).0,
            evicted_failures: store.newest_rows(EVICTED_FAILURES, MAX_ROWS).0,
            evicted_strategies: store.newest_rows(EVICTED_STRATEGIES, MAX_ROWS).0,
        };
        let memory = Memory::of(snapshot, &all);
        let made = Arc::new(Searchable::new(sources, memory, &known));
        *kept() = Some(Arc::clone(&made));
        made
    }

    /// Frees it, because nobody has asked for a while.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Searchable {
    fn new(sources: Sources, memory: Memory, before: &Self) -> Self {
        let pairs = before.memory.items().iter().zip(&before.texts);
        let known: HashMap<&str, (&Remembered, &Arc<Text>)> = pairs
            .map(|(item, text)| (item.item.id.as_str(), (item, text)))
            .collect();
        let prepare = |item: &Remembered| match known.get(item.item.id.as_str()) {
            Some((same, text)) if same.says_the_same(item) => Arc::clone(text),
            _ => Arc::new(Text::new(&item.text(), item.sentences(), &item.item.files)),
        };
        Self {
            of: Some(sources),
            texts: memory.items().iter().map(prepare).collect(),
            memory,
        }
    }

    /// The wanted items that fit, best first, one for each execution. Linear in the items.
    pub fn search(&self, query: &str, is_wanted: impl Fn(&Remembered) -> bool) -> Vec<Found<'_>> {
        let all = self.memory.items().iter().zip(&self.texts);
        let wanted: Vec<_> = all.filter(|(item, _)| is_wanted(item)).collect();
        let ranked = texts::rank(query, wanted.iter().map(|(_, text)| &***text));
        let found = ranked.into_iter().filter_map(|one| {
            Some(Found {
                item: wanted.get(one.at)?.0,
                score: one.score,
                evidence: one.evidence,
            })
        });
        best_of_each(found.collect())
    }
}
