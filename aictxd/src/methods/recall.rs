//! `memory.recall`.

use std::path::PathBuf;

use aictx_artifacts::root;
use aictx_continuity::{Found, Remembered, is_wanted, mark_stale, recalled_paths, told};
use aictx_proto::Timestamp;
use aictx_proto::methods::{RECALLED_KINDS, RecallItem, RecallParams, Recalled};
use aictx_proto::path::Located;
use aictx_proto::record::Area;
use aictx_proto::rpc::{INVALID_PARAMS, RpcError};
use aictx_proto::text::clean;
use aictx_repomap::history::Commit;
use aictx_repomap::text_index::TextIndex;

use super::place;
use crate::app::App;
use crate::recall_index::Searchable;

/// Items when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 8;
const MAX_LIMIT: usize = 100;

/// Kind of the parts of a repository.
const AREA: &str = "area";
/// Kind of commits.
const COMMIT: &str = "commit";
/// Newest commits that are searched.
const MAX_COMMITS: usize = 2_000;
/// Evidence below which an area or a commit shares nothing but common words with a question.
const MIN_EVIDENCE: f32 = 0.5;
/// Longest subject and longest body, in characters, and most files of a commit.
const MAX_SUBJECT: usize = 200;
const MAX_BODY: usize = 600;
const MAX_FILES: usize = 12;

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
    let room = limit - recalled.items.len();
    // What memory has comes first: every repository has commits. Neither kind names a branch or an agent.
    if room > 0 && params.branch.is_empty() && params.agent.is_empty() {
        let is_asked =
            |kind: &str| params.kinds.is_empty() || params.kinds.iter().any(|asked| asked == kind);
        let mut items = Vec::new();
        if is_asked(AREA) {
            items.extend(
                snapshot
                    .areas
                    .areas
                    .iter()
                    .map(|(id, area)| area_item(id, area)),
            );
        }
        if is_asked(COMMIT) {
            let commits = app.maps.commits(&place.root, &place.worktree);
            items.extend(commits.iter().take(MAX_COMMITS).map(commit_item));
        }
        let (found, searched) = find(items, params, &file);
        recalled.truncated |= found.len() > room;
        recalled.searched += searched;
        recalled.items.extend(found.into_iter().take(room));
    }
    Ok(recalled)
}

/// Items that fit a query, best first, at most one more than [`MAX_LIMIT`], and how many were searched. Linear in
/// the length of their texts.
fn find(mut items: Vec<RecallItem>, params: &RecallParams, file: &str) -> (Vec<RecallItem>, u64) {
    items.retain(|item| {
        *item.timestamp >= *params.since
            && (file.is_empty() || item.files.iter().any(|of| of == file))
    });
    let query = params.query.trim();
    if query.is_empty() {
        let newest = items.iter().take(MAX_LIMIT + 1);
        return (newest.cloned().collect(), items.len() as u64);
    }
    let mut index = TextIndex::default();
    for item in &items {
        let body = item.details.iter().map(String::as_str);
        let parts: Vec<&str> = std::iter::once(item.text.as_str()).chain(body).collect();
        index.push(&parts, &item.files);
    }
    let best = index.rank(query, |_| true).into_iter();
    let found = best
        .filter(|one| one.evidence >= MIN_EVIDENCE)
        .filter_map(|one| {
            Some(RecallItem {
                score: (f64::from(one.score) * 1_000.0).round() / 1_000.0,
                ..items.get(one.at)?.clone()
            })
        });
    (found.take(MAX_LIMIT + 1).collect(), items.len() as u64)
}

/// A part of the repository, with the files and the tests that were worked with there.
fn area_item(id: &str, area: &Area) -> RecallItem {
    let worked = match area.executions {
        1 => "1 execution".to_owned(),
        n => format!("{n} executions"),
    };
    let tests = area
        .related_tests
        .iter()
        .map(|test| format!("test: {test}"));
    RecallItem {
        id: format!("{AREA}::{id}"),
        kind: AREA.to_owned(),
        text: format!("{}: {worked}", clean(id, MAX_SUBJECT)),
        details: tests.map(|test| clean(&test, MAX_SUBJECT)).collect(),
        files: area.related_files.clone(),
        origin: area.origin,
        ..RecallItem::default()
    }
}

fn commit_item(commit: &Commit) -> RecallItem {
    let mut lines = commit
        .message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let subject = lines.next().unwrap_or_default();
    let body: Vec<&str> = lines.collect();
    let body = clean(&body.join(" "), MAX_BODY);
    let files = commit.changes.iter().take(MAX_FILES);
    RecallItem {
        id: commit.hash.get(..12).unwrap_or(&commit.hash).to_owned(),
        kind: COMMIT.to_owned(),
        text: clean(subject, MAX_SUBJECT),
        details: Some(body)
            .filter(|body| !body.is_empty())
            .into_iter()
            .collect(),
        timestamp: Timestamp::from_unix(commit.time).to_string(),
        files: files.map(|change| change.path.clone()).collect(),
        ..RecallItem::default()
    }
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
