//! `memory.recall`.
//!
//! Items of memory are ranked by the code that ranks files for the map: each is a document.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::Store;
use aictx_artifacts::root;
use aictx_continuity::{Histories, Remembered, is_wanted, remembered, told};
use aictx_proto::Timestamp;
use aictx_proto::methods::{RECALLED_KINDS, RecallParams, Recalled};
use aictx_proto::path::Located;
use aictx_proto::record::files;
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_repomap::history::History;
use aictx_repomap::rank::{Past, Query, Weights, rank_with};
use aictx_repomap::view::memory::{MemoryFile, MemoryView};

use super::place;
use crate::app::App;

/// Items when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 8;
const MAX_LIMIT: usize = 100;
/// Rows of one history that are searched, the newest ones.
const MAX_ROWS: usize = 20_000;
/// Failures and strategies that made room for others.
const EVICTED_FAILURES: &str = "archive/failure_memory/evicted.jsonl";
const EVICTED_STRATEGIES: &str = "archive/strategy_memory/evicted.jsonl";

/// All of a memory, ready to be searched.
#[derive(Debug)]
struct Searchable {
    /// Of the snapshot that it was made of.
    generation: u64,
    items: Vec<Remembered>,
    view: MemoryView,
    history: History,
    past: Past,
}

/// A memory as it was searched last.
#[derive(Debug, Default)]
pub struct Recallable(Mutex<Option<Arc<Searchable>>>);

impl Recallable {
    /// All of a memory; made anew where it changed.
    fn get(&self, store: &Store, snapshot: &Snapshot) -> Arc<Searchable> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().clone();
        if let Some(known) = known.filter(|known| known.generation == snapshot.generation) {
            return known;
        }
        let all = Histories {
            handoffs: store.newest_rows(files::HANDOFFS, MAX_ROWS).0,
            decisions: store.newest_rows(files::DECISIONS, MAX_ROWS).0,
            evicted_failures: store.newest_rows(EVICTED_FAILURES, MAX_ROWS).0,
            evicted_strategies: store.newest_rows(EVICTED_STRATEGIES, MAX_ROWS).0,
        };
        let made = Searchable::new(snapshot.generation, remembered(snapshot, &all));
        let made = Arc::new(made);
        *kept() = Some(Arc::clone(&made));
        made
    }

    /// Lets go of it, because nobody has asked for a while.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Searchable {
    fn new(generation: u64, items: Vec<Remembered>) -> Self {
        // Files of a view are in the order of their paths.
        let document = |(number, item): (usize, &Remembered)| MemoryFile {
            path: format!("{number:08}"),
            bytes: item.text.clone().into_bytes(),
            ..MemoryFile::default()
        };
        let view = MemoryView::new(items.iter().enumerate().map(document).collect());
        let history = History::default();
        let past = Past::new(&view, &history);
        Self {
            generation,
            items,
            view,
            history,
            past,
        }
    }

    /// Items by number, best first, with how well they fit.
    fn rank(&self, query: &str, limit: usize) -> Vec<(usize, f64)> {
        let query = Query {
            text: query,
            active: &[],
            limit,
        };
        let weights = Weights::default();
        let hits = rank_with(&self.view, &self.history, &self.past, &query, &weights);
        let hits = hits.into_iter();
        hits.map(|hit| (hit.file.0 as usize, f64::from(hit.score) / 1_000.0))
            .collect()
    }
}

pub(super) fn recall(app: &App, params: &RecallParams) -> Result<Recalled, RpcError> {
    let unknown = |kind: &&String| !RECALLED_KINDS.contains(&kind.as_str());
    if let Some(kind) = params.kinds.iter().find(unknown) {
        let known = RECALLED_KINDS.join(", ");
        let why = format!("`{kind}` is no kind of memory; there are {known}");
        return Err(RpcError::new(INVALID_PARAMS, why));
    }
    if !params.since.is_empty() && !begins_with_date(&params.since) {
        let why = format!("`{}` is no date like 2026-03-01", params.since);
        return Err(RpcError::new(INVALID_PARAMS, why));
    }
    let place = place(app, &params.repo)?;
    let file = match params.file.as_str() {
        "" => String::new(),
        raw => match root::locate(&place.worktree, &PathBuf::from(&params.cwd), raw) {
            Located::Inside(path) => path.as_str().to_owned(),
            Located::Outside(_) => {
                let why = format!("`{raw}` is not a path in this repository");
                return Err(RpcError::new(INVALID_PARAMS, why));
            }
        },
    };
    let limit = match params.limit as usize {
        0 => DEFAULT_LIMIT,
        n => n.min(MAX_LIMIT),
    };
    let host = app.hosts.open(&place.root)?;
    let all = host.recalled.get(&host.store, &host.snapshot());
    let searched = all.items.len() as u64;
    // What is ranked are those asked for: among all others they might not be among the best.
    let wanted = |one: &&Remembered| is_wanted(&one.item, params, &file);
    let few: Vec<Remembered> = all.items.iter().filter(wanted).cloned().collect();
    let all = match few.len() == all.items.len() {
        true => all,
        false => Arc::new(Searchable::new(0, few)),
    };
    let ranked: Vec<(usize, f64)> = match params.query.trim() {
        "" => newest(&all.items),
        query => all.rank(query, limit + 1),
    };
    let found = ranked.iter().take(limit);
    let items = found
        .filter_map(|(number, score)| Some(told(all.items.get(*number)?, &params.query, *score)));
    Ok(Recalled {
        items: items.collect(),
        truncated: ranked.len() > limit,
        searched,
    })
}

/// Tells a text that begins as RFC 3339 writes dates.
fn begins_with_date(text: &str) -> bool {
    let date = text.get(..10).map(|date| format!("{date}T00:00:00Z"));
    date.is_some_and(|midnight| Timestamp::parse(&midnight).is_some())
}

fn newest(items: &[Remembered]) -> Vec<(usize, f64)> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    let at = |number: &usize| items.get(*number).map_or("", |one| &one.item.timestamp);
    order.sort_by(|a, b| at(b).cmp(at(a)).then(b.cmp(a)));
    order.into_iter().map(|number| (number, 0.0)).collect()
}
