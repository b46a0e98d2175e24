//! `memory.recall`.
//!
//! Items of memory are ranked by the code that ranks files for the map: each is a document.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aictx_artifacts::Store;
use aictx_artifacts::root;
use aictx_continuity::{Histories, Remembered, is_wanted, remembered, told};
use aictx_proto::methods::{RECALLED_KINDS, RecallParams, Recalled};
use aictx_proto::path::Located;
use aictx_proto::record::files;
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_repomap::history::History;
use aictx_repomap::rank::{Past, Query, Weights, rank_with};
use aictx_repomap::view::memory::{MemoryFile, MemoryView};
use serde::de::DeserializeOwned;

use super::place;
use crate::app::App;

/// Items when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 8;
const MAX_LIMIT: usize = 100;
/// Best items among which those are that are asked for.
const MAX_RANKED: usize = 1_000;
/// Rows of one history.
const MAX_ROWS: usize = 50_000;

/// All of a memory, ready to be searched.
#[derive(Debug)]
struct Searchable {
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
        if let Some(known) = kept().as_ref()
            && known.generation == snapshot.generation
        {
            return Arc::clone(known);
        }
        let made = Arc::new(Searchable::new(store, snapshot));
        *kept() = Some(Arc::clone(&made));
        made
    }
}

impl Searchable {
    fn new(store: &Store, snapshot: &Snapshot) -> Self {
        let all = Histories {
            handoffs: all_rows(store, files::HANDOFFS),
            decisions: all_rows(store, files::DECISIONS),
            strategies: store.archived_rows(files::STRATEGIES, MAX_ROWS),
        };
        let items = remembered(snapshot, &all);
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
            generation: snapshot.generation,
            items,
            view,
            history,
            past,
        }
    }

    /// Items by number, best first, with how well they fit.
    fn rank(&self, query: &str) -> Vec<(usize, f64)> {
        let query = Query {
            text: query,
            active: &[],
            limit: MAX_RANKED,
        };
        let weights = Weights::default();
        let hits = rank_with(&self.view, &self.history, &self.past, &query, &weights);
        let hits = hits.into_iter();
        hits.map(|hit| (hit.file.0 as usize, f64::from(hit.score) / 1_000.0))
            .collect()
    }
}

/// The archived rows of a history and those that lie as rows.
fn all_rows<T: DeserializeOwned>(store: &Store, file: &str) -> Vec<T> {
    let mut rows = store.archived_rows(file, MAX_ROWS);
    rows.extend(store.newest_rows(file, MAX_ROWS).0);
    rows
}

pub(super) fn recall(app: &App, params: &RecallParams) -> Result<Recalled, RpcError> {
    let unknown = |kind: &&String| !RECALLED_KINDS.contains(&kind.as_str());
    if let Some(kind) = params.kinds.iter().find(unknown) {
        let known = RECALLED_KINDS.join(", ");
        let why = format!("`{kind}` is no kind of memory; there are {known}");
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
    let ranked: Vec<(usize, f64)> = match params.query.trim() {
        "" => newest(&all.items),
        query => all.rank(query),
    };
    let found = ranked
        .into_iter()
        .filter_map(|(number, score)| Some((all.items.get(number)?, score)));
    let mut found = found.filter(|(one, _)| is_wanted(&one.item, params, &file));
    let items = found.by_ref().take(limit);
    let items = items.map(|(one, score)| told(one, &params.query, score));
    Ok(Recalled {
        items: items.collect(),
        truncated: found.next().is_some(),
        searched: all.items.len() as u64,
    })
}

fn newest(items: &[Remembered]) -> Vec<(usize, f64)> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    let at = |number: &usize| items.get(*number).map_or("", |one| &one.item.timestamp);
    order.sort_by(|a, b| at(b).cmp(at(a)).then(b.cmp(a)));
    order.into_iter().map(|number| (number, 0.0)).collect()
}
