//! `memory.recall`.

use std::path::PathBuf;

use aictx_artifacts::root;
use aictx_continuity::{Found, Remembered, is_wanted, mark_stale, recalled_paths, told};
use aictx_proto::Timestamp;
use aictx_proto::methods::{RECALLED_KINDS, RecallParams, Recalled};
use aictx_proto::path::Located;
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};

use super::place;
use crate::app::App;
use crate::recall_index::Searchable;

/// Items when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 8;
const MAX_LIMIT: usize = 100;

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
    let recall = |all: &Searchable| -> Recalled {
        // What is ranked are those asked for: among all others they might not be among the best.
        let wanted = |one: &Remembered| !one.is_gone && is_wanted(&one.item, params, &file);
        let found = match params.query.trim() {
            "" => newest(all.memory.items().iter().filter(|one| wanted(one))),
            query => all.search(query, wanted),
        };
        let items = found.iter().take(limit);
        let items = items.map(|one| told(&all.memory, one, &params.query));
        Recalled {
            items: items.collect(),
            truncated: found.len() > limit,
            searched: all.memory.items().iter().filter(|one| !one.is_gone).count() as u64,
        }
    };
    let snapshot = host.snapshot();
    let mut recalled = host.recalled.ask(&host.store, &snapshot, recall);
    let asked_at = app.facts.ask_ahead(&place.worktree);
    let wanted = recalled_paths(&snapshot, &recalled.items);
    let presents = app.facts.presents(&place.worktree, &wanted, asked_at);
    mark_stale(&snapshot, &mut recalled.items, &presents);
    Ok(recalled)
}

/// Tells a text that begins as RFC 3339 writes dates.
pub(super) fn begins_with_date(text: &str) -> bool {
    let date = text.get(..10).map(|date| format!("{date}T00:00:00Z"));
    date.is_some_and(|midnight| Timestamp::parse(&midnight).is_some())
}

/// All items, newest first.
fn newest<'m>(items: impl Iterator<Item = &'m Remembered>) -> Vec<Found<'m>> {
    let mut order: Vec<(usize, &Remembered)> = items.enumerate().collect();
    order.sort_by(|(a, one), (b, other)| {
        let by_time = other.item.timestamp.cmp(&one.item.timestamp);
        by_time.then(b.cmp(a))
    });
    let found = order.into_iter().map(|(_, item)| Found {
        item,
        score: 0.0,
        evidence: 0.0,
    });
    found.collect()
}
