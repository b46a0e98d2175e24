//! `map.*`: questions to the index of a worktree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aictx_artifacts::root;
use aictx_proto::methods::{
    MAX_MAP_RESULTS, MAX_MAP_TEXT, MapBrief, MapBriefParams, MapExport, MapFileParams,
    MapFreshness, MapNameParams, MapOutline, MapQueryParams, MapQueryReply, MapReferences,
    MapRefreshParams, MapRefreshReply, MapRelatives, MapRepoParams, MapStatus, MapSymbolHit,
    MapSymbols,
};
use aictx_proto::path::Located;
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_repomap::index_view::{FileId, View};
use aictx_repomap::query;
use aictx_repomap::rank::{Hit, Query};
use aictx_repomap::tree::Tree;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Json;
use crate::app::App;
use crate::index_service::repo_map_files::{self, Config, PROVIDER};
use crate::index_service::{MAX_WAIT, Map, warnings};

/// Results when nobody says how many.
const DEFAULT_RESULTS: u32 = 10;
/// Names, places and relatives when nobody says how many.
const DEFAULT_LIST: u32 = 20;
/// Names, places and relatives at most.
const MAX_LIST: u32 = 1_000;
/// Tokens of a brief when nobody says how many, and at most.
const DEFAULT_TOKENS: u32 = 1_024;
const MAX_TOKENS: u32 = 100_000;

/// Longest wait for a burst of events to end.
const MAX_SETTLING: Duration = Duration::from_millis(600);

/// An index that is as right as the caller was willing to wait for.
pub(super) struct Asked {
    app: Arc<App>,
    map: Arc<Map>,
    tree: Arc<Tree>,
}

/// Members common to all questions to an index.
pub(super) trait Question: DeserializeOwned + Send + Sync + 'static {
    /// Absolute path in the repository.
    fn repo(&self) -> &str;
    /// Milliseconds to wait for an index that is being built.
    fn wait_ms(&self) -> u64;
}

macro_rules! questions {
    ($($params:ty),*) => {$(
        impl Question for $params {
            fn repo(&self) -> &str {
                &self.repo
            }
            fn wait_ms(&self) -> u64 {
                self.wait_ms
            }
        }
    )*};
}

questions!(
    MapQueryParams,
    MapBriefParams,
    MapFileParams,
    MapNameParams,
    MapRepoParams
);

/// Freshness of an answer.
pub(super) trait Answer: Serialize {
    /// The files that it names.
    fn files(&self) -> Vec<&str>;
    /// As of what it is.
    fn freshness(&mut self) -> Option<&mut MapFreshness>;
}

macro_rules! answers {
    ($($reply:ty: $self:ident => $files:expr;)*) => {$(
        impl Answer for $reply {
            fn files(&$self) -> Vec<&str> {
                $files
            }
            fn freshness(&mut self) -> Option<&mut MapFreshness> {
                Some(&mut self.freshness)
            }
        }
    )*};
}

answers!(
    MapQueryReply: self => self.results.iter().map(|hit| hit.path.as_str()).collect();
    MapBrief: self => self.files.iter().map(String::as_str).collect();
    MapOutline: self => vec![&self.path];
    MapSymbols: self => self.results.iter().map(|hit| hit.path.as_str()).collect();
    MapReferences: self => {
        let defined = self.definitions.iter().map(|hit| hit.path.as_str());
        defined.chain(self.references.iter().map(|used| used.path.as_str())).collect()
    };
    MapRelatives: self => {
        let named = self.results.iter().map(|other| other.path.as_str());
        std::iter::once(self.path.as_str()).chain(named).collect()
    };
    MapStatus: self => Vec::new();
);

impl Answer for MapExport {
    fn files(&self) -> Vec<&str> {
        Vec::new()
    }

    fn freshness(&mut self) -> Option<&mut MapFreshness> {
        None
    }
}

/// Answers a question on the pool. Waiting for the index holds none of its threads.
///
/// What happened a moment ago is waited for, and every file that the answer names is looked at: where
/// one is another than the index knows, it is read again and the question answered anew. An answer
/// that is out of date all the same says so.
pub(super) async fn ask<P: Question, T: Answer + 'static>(
    app: &Arc<App>,
    params: P,
    answer: fn(&Asked, &P) -> Result<T, RpcError>,
) -> Result<Json, RpcError> {
    let directory = absolute(params.repo())?;
    let wait = Duration::from_millis(params.wait_ms());
    let map = opened(app, move |app| app.maps.open(&directory)).await?;
    brought_up(app, &map, wait).await?;
    let params = Arc::new(params);
    let (reply, outdated) = answered(app, &map, &params, answer).await?;
    let Some(ticket) = outdated.filter(|_| !wait.is_zero()) else {
        return Ok(reply);
    };
    map.finished(ticket, wait).await;
    // What told us so may come as an event only now.
    brought_up(app, &map, wait).await?;
    Ok(answered(app, &map, &params, answer).await?.0)
}

/// Sees to it that an index is right, and waits for that as long as the caller does.
async fn brought_up(app: &Arc<App>, map: &Arc<Map>, wait: Duration) -> Result<(), RpcError> {
    if !wait.is_zero() {
        map.settled(wait.min(MAX_SETTLING)).await;
    }
    let asked = Arc::clone(map);
    let ticket = opened(app, move |app| Ok(app.maps.ask(&asked, None))).await?;
    if let Some(ticket) = ticket.filter(|_| !wait.is_zero()) {
        map.finished(ticket, wait).await;
    }
    Ok(())
}

/// Answers from the tree as it is now, after a look at the files that the answer names. Where some are not as the
/// index knows them it says so, and the update to wait for comes with it.
async fn answered<P: Question, T: Answer + 'static>(
    app: &Arc<App>,
    map: &Arc<Map>,
    params: &Arc<P>,
    answer: fn(&Asked, &P) -> Result<T, RpcError>,
) -> Result<(Json, Option<u64>), RpcError> {
    let (map, params) = (Arc::clone(map), Arc::clone(params));
    opened(app, move |app| {
        let tree = map.indexer.tree();
        let asked = Asked { app, map, tree };
        let mut reply = answer(&asked, &params)?;
        let (map, tree) = (&asked.map, &asked.tree);
        let files = reply.files().into_iter();
        let files: Vec<FileId> = files.filter_map(|path| tree.file_at(path)).collect();
        let outdated = map.indexer.outdated(tree, &files);
        let mut ticket = None;
        // An index that is damaged on disk may have said anything.
        if !outdated.is_empty() || tree.was_changed() {
            let count = outdated.len() as u32;
            ticket = Some(asked.app.maps.look_again(map, outdated));
            if let Some(freshness) = reply.freshness()
                && freshness.state == "fresh"
            {
                freshness.state = "stale".to_owned();
                freshness.pending += count;
            }
        }
        // Answers can be large: they are turned into text's shape here, beside the hooks.
        Ok((super::reply(&reply)?, ticket))
    })
    .await
}

async fn opened<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(Arc<App>) -> Result<T, RpcError> + Send + 'static,
) -> Result<T, RpcError> {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || work(app))
        .await
        .unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))
}

fn absolute(path: &str) -> Result<PathBuf, RpcError> {
    let path = PathBuf::from(path);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(RpcError::new(
            INVALID_PARAMS,
            "`repo` must be an absolute path",
        ))
    }
}

fn limit(given: u32, default: u32, most: u32) -> usize {
    let limit = if given == 0 { default } else { given };
    limit.min(most) as usize
}

pub(super) fn query(asked: &Asked, params: &MapQueryParams) -> Result<MapQueryReply, RpcError> {
    let text = cut(&params.text);
    if text.trim().is_empty() {
        return Err(RpcError::new(INVALID_PARAMS, "the question is empty"));
    }
    let (mut active, mut unknown) = (Vec::new(), Vec::new());
    for path in &params.active {
        match asked.located(&params.repo, &params.cwd, path) {
            Some(file) => active.push((file, 1.0)),
            None => unknown.push(path.clone()),
        }
    }
    let query = Query {
        text,
        active: &active,
        limit: limit(params.limit, DEFAULT_RESULTS, MAX_MAP_RESULTS),
    };
    Ok(MapQueryReply {
        results: asked.map.ranked(&asked.tree, &query),
        unknown,
        freshness: asked.map.freshness(&asked.tree),
    })
}

/// The beginning of a text, as much as is read of any question.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_MAP_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

impl Asked {
    /// The file that a caller names.
    fn file(&self, params: &MapFileParams) -> Result<FileId, RpcError> {
        let unknown = |shown: &str| {
            RpcError::new(NOT_FOUND, format!("{shown} is not in the index")).hint(
                "`aictx map query` finds files by words; ignored and untracked build files are \
                 not indexed",
            )
        };
        self.located(&params.repo, &params.cwd, &params.path)
            .ok_or_else(|| unknown(&params.path))
    }

    /// The file at a path as given: relative to the working directory, else to the directory that was
    /// asked about, else to the worktree.
    fn located(&self, repo: &str, cwd: &str, path: &str) -> Option<FileId> {
        let found = [cwd, repo, ""].into_iter().find_map(|start| {
            match root::locate(&self.map.worktree, &PathBuf::from(start), path) {
                Located::Inside(inside) => self.tree.file_at(inside.as_str()),
                Located::Outside(_) => None,
            }
        });
        // A name that is spelt like no path is still one.
        found.or_else(|| self.tree.file_at(path))
    }
}

pub(super) fn outline(asked: &Asked, params: &MapFileParams) -> Result<MapOutline, RpcError> {
    let file = asked.file(params)?;
    let mut reply = query::outline(&asked.tree, file);
    reply.freshness = asked.map.freshness(&asked.tree);
    Ok(reply)
}

pub(super) fn symbol(asked: &Asked, params: &MapNameParams) -> Result<MapSymbols, RpcError> {
    let most = limit(params.limit, DEFAULT_LIST, MAX_LIST);
    let (found, truncated) = query::find_symbols(&asked.tree, cut(&params.name), most);
    let results = found
        .iter()
        .filter_map(|at| {
            let symbol = asked.tree.symbol(at.file, at.number)?;
            Some(MapSymbolHit {
                path: asked.tree.path(at.file).to_owned(),
                how: at.how.as_str().to_owned(),
                symbol: query::show(&*asked.tree, at.file, &symbol),
            })
        })
        .collect();
    Ok(MapSymbols {
        results,
        truncated,
        freshness: asked.map.freshness(&asked.tree),
    })
}

pub(super) fn refs(asked: &Asked, params: &MapNameParams) -> Result<MapReferences, RpcError> {
    let most = limit(params.limit, DEFAULT_LIST, MAX_LIST);
    let mut reply = query::references(&asked.map.indexer, &asked.tree, cut(&params.name), most);
    reply.freshness = asked.map.freshness(&asked.tree);
    Ok(reply)
}

pub(super) fn related(asked: &Asked, params: &MapFileParams) -> Result<MapRelatives, RpcError> {
    let file = asked.file(params)?;
    let most = limit(params.limit, DEFAULT_LIST, MAX_LIST);
    let evidence = asked.map.evidence(&asked.tree);
    let past = (&*evidence.history, &evidence.past);
    let mut reply = query::related(&*asked.tree, past, file, most);
    reply.freshness = asked.map.freshness(&asked.tree);
    Ok(reply)
}

pub(super) fn impact(asked: &Asked, params: &MapFileParams) -> Result<MapRelatives, RpcError> {
    let file = asked.file(params)?;
    let most = limit(params.limit, DEFAULT_LIST, MAX_LIST);
    let evidence = asked.map.evidence(&asked.tree);
    let past = (&*evidence.history, &evidence.past);
    let mut reply = query::impact(&*asked.tree, past, file, most);
    reply.freshness = asked.map.freshness(&asked.tree);
    Ok(reply)
}

pub(super) fn brief(asked: &Asked, params: &MapBriefParams) -> Result<MapBrief, RpcError> {
    let task = cut(&params.task);
    let files = if task.trim().is_empty() {
        query::by_weight(&*asked.tree)
    } else {
        let query = Query {
            text: task,
            active: &[],
            limit: MAX_MAP_RESULTS as usize,
        };
        let hits = asked.map.rank(&asked.tree, &query);
        let numbers = |hit: &Hit| hit.symbols.iter().map(|(number, _)| *number).collect();
        hits.iter().map(|hit| (hit.file, numbers(hit))).collect()
    };
    let tokens = limit(params.tokens, DEFAULT_TOKENS, MAX_TOKENS);
    let (text, tokens, shown) = query::brief(&*asked.tree, &files, tokens);
    let paths = shown.iter().map(|file| asked.tree.path(*file).to_owned());
    Ok(MapBrief {
        text,
        tokens: tokens as u32,
        files: paths.collect(),
        freshness: asked.map.freshness(&asked.tree),
    })
}

pub(super) fn export(asked: &Asked, _: &MapRepoParams) -> Result<MapExport, RpcError> {
    let git = asked.map.last().is_some_and(|report| report.git);
    Ok(query::export(&asked.tree, git, asked.app.now().to_string()))
}

pub(super) fn status(asked: &Asked, _: &MapRepoParams) -> Result<MapStatus, RpcError> {
    let (tree, map) = (&asked.tree, &asked.map);
    let freshness = map.freshness(tree);
    let last = map.last();
    let mut languages = BTreeMap::new();
    let mut without_symbols = BTreeMap::new();
    for file in (0..tree.files()).map(FileId) {
        let language = tree.language(file);
        if !language.is_empty() {
            *languages.entry(language.to_owned()).or_default() += 1;
        }
        let reason = query::reason(tree.outcome(file));
        if !reason.is_empty() {
            *without_symbols.entry(reason.to_owned()).or_default() += 1;
        }
    }
    let (heap_bytes, index_bytes) = tree.bytes();
    let available = tree.files() > 0;
    let (progress_done, progress_total) = map.progress();
    Ok(MapStatus {
        enabled: map_enabled(&asked.app, map),
        available,
        provider_available: true,
        index_available: available,
        query_available: available,
        refresh_available: true,
        provider: PROVIDER.to_owned(),
        files_indexed: tree.files(),
        symbols_indexed: tree.symbols(),
        last_refresh_status: last_refresh(last.is_some(), &freshness).to_owned(),
        last_refresh_ms: last.as_ref().map_or(0, |l| millis(l.took)),
        files_reparsed: last.as_ref().map_or(0, |l| l.parsed),
        files_pending: freshness.pending,
        warnings: freshness.warnings.clone(),
        languages,
        without_symbols,
        index_bytes,
        heap_bytes,
        progress_done,
        progress_total,
        freshness,
    })
}

/// Returns the result of the last refresh, in a word of the format.
fn last_refresh(any: bool, freshness: &MapFreshness) -> &'static str {
    match (any, freshness.pending) {
        _ if freshness.state == "building" => "building",
        (false, _) => "never",
        (true, 0) => "ok",
        (true, _) => "partial",
    }
}

/// Returns the map's figures for a report, without waiting for it.
pub(super) fn in_short(app: &App, worktree: &Path) -> Result<Value, RpcError> {
    let map = app.maps.open(worktree)?;
    let tree = map.indexer.tree();
    let freshness = map.freshness(&tree);
    let available = tree.files() > 0;
    Ok(json!({
        "enabled": map_enabled(app, &map), "available": available, "provider_available": true,
        "index_available": available, "query_available": available, "refresh_available": true,
        "files_indexed": tree.files(), "symbols_indexed": tree.symbols(),
        // An index that another process made is one, too.
        "last_refresh_status": last_refresh(available, &freshness),
    }))
}

/// Returns true if continuity uses the map of this worktree: yes, unless its configuration says no.
fn map_enabled(app: &App, map: &Map) -> bool {
    let Ok(place) = app.hosts.place(&map.worktree) else {
        return true;
    };
    Config::read(&app.homes.of(&place.root)).enabled
}

/// Refreshes, and writes what the format wants to be told of it where there is an `.aictx`.
pub(super) async fn refresh(
    app: &Arc<App>,
    params: MapRefreshParams,
) -> Result<MapRefreshReply, RpcError> {
    let directory = absolute(&params.repo)?;
    let (map, first, ticket) = opened(app, move |app| {
        let map = app.maps.open(&directory)?;
        let first = map.indexer.tree().files() == 0;
        let ticket = app.maps.refresh(&map, params.full);
        Ok((map, first, ticket))
    })
    .await?;
    map.finished(ticket, MAX_WAIT).await;
    let report = map.last().unwrap_or_default();
    let tree = map.indexer.tree();
    let mode = |full| if full { "full" } else { "incremental" }.to_owned();
    let mut reply = MapRefreshReply {
        status: if report.pending == 0 { "ok" } else { "partial" }.to_owned(),
        requested_mode: mode(params.full),
        executed_mode: mode(params.full || first),
        files_discovered: report.files,
        files_indexed: tree.files(),
        symbols_indexed: tree.symbols(),
        files_reparsed: report.parsed,
        files_reused: report.reused,
        files_pending: report.pending,
        duration_ms: millis(report.took),
        provider: PROVIDER.to_owned(),
        warnings: warnings(&report),
    };
    let place = app.hosts.place(&map.worktree)?;
    // The memory is the main worktree's; other worktrees only have an index.
    if place.root == map.worktree
        && let Ok(host) = app.hosts.open(&place.root)
    {
        let (home, told, now) = (host.home.clone(), reply.clone(), app.now());
        let effects = opened(app, move |_| {
            Ok(repo_map_files::effects(
                &home, &tree, &told, report.git, now,
            ))
        })
        .await?;
        if let Err(error) = host.write(move |_| ((), effects)).await {
            reply
                .warnings
                .push(format!("repo_map files were not written: {error}"));
        }
    }
    Ok(reply)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
