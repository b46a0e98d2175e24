//! `memory.import`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_continuity::{Imported, import, imported_row};
use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects};
use aictx_proto::methods::{
    EarlierSessions, IMPORT_SOURCES, ImportParams, ImportReply, ImportedSource, Surroundings,
};
use aictx_proto::path::Located;
use aictx_proto::record::{ImportedRow, files};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_redact::{Report, scrub_value};
use aictx_runners::transcript::AGENTS;

use super::place;
use super::recall::begins_with_date;
use crate::app::App;
use crate::hosts::{Host, Place};
use crate::importing::{self, BEADS, Candidate, Finder, MARKDOWN};

/// Time limit for reading in one call.
const TIME: Duration = Duration::from_secs(2);
/// Rows that one call adds at most.
const MAX_ROWS: usize = 500;
/// Time limit of `init` for counting earlier sessions.
const TIME_TO_COUNT: Duration = Duration::from_millis(200);
/// Rows that are read of the history.
const MAX_KNOWN: usize = 20_000;

/// Rows read, ready to be added.
struct Read {
    rows: Vec<ImportedRow>,
    sources: BTreeMap<String, ImportedSource>,
    reply: ImportReply,
}

pub(super) async fn run(app: &Arc<App>, params: ImportParams) -> Result<ImportReply, RpcError> {
    let unknown = |source: &&String| !IMPORT_SOURCES.contains(&source.as_str());
    if let Some(source) = params.sources.iter().find(unknown) {
        let known = IMPORT_SOURCES.join(", ");
        let why = format!("`{source}` cannot be imported; there are {known}");
        return Err(RpcError::new(INVALID_PARAMS, why));
    }
    if !params.since.is_empty() && !begins_with_date(&params.since) {
        let why = format!("`{}` is no date like 2026-03-01", params.since);
        return Err(RpcError::new(INVALID_PARAMS, why));
    }
    if !params.path.is_empty() && !Path::new(&params.path).is_absolute() {
        return Err(RpcError::new(INVALID_PARAMS, "`path` must be absolute"));
    }
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    if params.remove {
        return remove(&host, params.dry_run).await;
    }
    let dry_run = params.dry_run;
    let app_ = Arc::clone(app);
    let read = tokio::task::spawn_blocking(move || read(&app_, &place, &params)).await;
    let Read {
        rows,
        mut sources,
        mut reply,
    } = read.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))?;
    reply.dry_run = dry_run;
    let store = Arc::clone(&host.store);
    let by_source = move || {
        let known: Vec<ImportedRow> = store.newest_rows(files::IMPORTED, MAX_KNOWN).0;
        let done = each_source(&known, &rows);
        let (_, effects) = import(&known, rows);
        (done, effects)
    };
    let done = if dry_run {
        let looked = tokio::task::spawn_blocking(move || by_source().0).await;
        looked.map_err(|_| RpcError::new(INTERNAL, "the handler failed"))?
    } else {
        // Operations of one group do not see on disk what those before them decided.
        let name = Some(files::IMPORTED.to_owned());
        host.write_looking_at(name, move |_| by_source()).await?.0
    };
    for (source, done) in done {
        let slot = slot(&mut sources, &source);
        slot.added += done.added;
        slot.changed += done.changed;
        slot.known += done.known;
        if done.no_room > 0 {
            *slot
                .skipped
                .entry("older than what there is room for".to_owned())
                .or_default() += done.no_room;
        }
    }
    reply.sources = sources.into_values().collect();
    Ok(reply)
}

/// Returns the counts of each source.
fn each_source(known: &[ImportedRow], rows: &[ImportedRow]) -> BTreeMap<String, Imported> {
    let mut by_source: BTreeMap<String, Vec<ImportedRow>> = BTreeMap::new();
    for row in rows {
        by_source
            .entry(row.source.clone())
            .or_default()
            .push(row.clone());
    }
    let done = by_source.into_iter();
    done.map(|(source, rows)| (source, import(known, rows).0))
        .collect()
}

async fn remove(host: &Arc<Host>, dry_run: bool) -> Result<ImportReply, RpcError> {
    let store = Arc::clone(&host.store);
    let count = move || {
        store
            .newest_rows::<ImportedRow>(files::IMPORTED, MAX_KNOWN)
            .1
    };
    let removed = if dry_run {
        count()
    } else {
        let name = Some(files::IMPORTED.to_owned());
        let removal = move |_: &_| {
            let effect = Effect::Remove {
                file: files::IMPORTED.to_owned(),
            };
            (count(), Effects::from([effect]))
        };
        host.write_looking_at(name, removal).await?.0
    };
    Ok(ImportReply {
        removed,
        dry_run,
        ..ImportReply::default()
    })
}

fn read(app: &App, place: &Place, params: &ImportParams) -> Result<Read, RpcError> {
    let mut finder = Finder::new(app, place);
    let mut reply = ImportReply::default();
    let candidates = candidates(place, params, &mut finder)?;
    reply.total = candidates.len() as u64;
    if candidates.len() >= importing::MAX_FILES {
        let warning = "there are more files than are looked at; `--path` names those of a folder";
        reply.warnings.push(warning.to_owned());
    }
    let skip = usize::try_from(params.skip).unwrap_or(usize::MAX);
    let (end, now) = (Instant::now() + TIME, app.now());
    let mut rows: Vec<ImportedRow> = Vec::new();
    let mut sources = BTreeMap::new();
    let mut redacted = Report::default();
    reply.done = candidates.len().min(skip) as u64;
    for candidate in candidates.iter().skip(skip) {
        reply.done += 1;
        let found = finder.read(candidate, &params.since);
        let slot = slot(&mut sources, found.source);
        slot.files += 1;
        slot.not_understood += found.not_understood;
        for skipped in found.skipped {
            *slot.skipped.entry(skipped.as_str().to_owned()).or_default() += 1;
        }
        for (row, worktree) in found.rows {
            match complete(row, &worktree, now, &mut redacted) {
                Some(row) => rows.push(row),
                None => *slot.skipped.entry("empty".to_owned()).or_default() += 1,
            }
        }
        if Instant::now() > end || rows.len() >= MAX_ROWS {
            break;
        }
    }
    let counts = redacted.counts().into_iter();
    reply.redacted = counts.map(|(kind, n)| (kind.to_owned(), n)).collect();
    Ok(Read {
        rows,
        sources,
        reply,
    })
}

/// Takes secrets out of a row, before any of its texts is cut, and completes it.
fn complete(
    row: ImportedRow,
    worktree: &Path,
    now: Timestamp,
    redacted: &mut Report,
) -> Option<ImportedRow> {
    let mut value = serde_json::to_value(&row).ok()?;
    scrub_value(&mut value, redacted);
    let row: ImportedRow = serde_json::from_value(value).ok()?;
    let inside = |raw: &str| match root::locate(worktree, worktree, raw) {
        Located::Inside(path) if !path.is_root() => Some(path.as_str().to_owned()),
        _ => None,
    };
    let row = imported_row(row, inside, now)?;
    // As it will be written: else the next import would see another row.
    let mut value = serde_json::to_value(&row).ok()?;
    scrub_value(&mut value, &mut Report::default());
    serde_json::from_value(value).ok()
}

fn candidates(
    place: &Place,
    params: &ImportParams,
    finder: &mut Finder<'_>,
) -> Result<Vec<Candidate>, RpcError> {
    if !params.path.is_empty() {
        let path = PathBuf::from(&params.path);
        return importing::named(&path, &params.sources)
            .map_err(|error| RpcError::new(NOT_FOUND, format!("{}: {error}", path.display())));
    }
    let around = &params.surroundings;
    let wants = |source: &str| params.sources.iter().any(|wanted| wanted == source);
    let agents = AGENTS.iter().copied();
    let agents: Vec<&str> = agents
        .filter(|agent| params.sources.is_empty() || wants(agent))
        .collect();
    let mut found = importing::transcripts(around, &agents);
    if wants(MARKDOWN) {
        let sessions = importing::transcripts(around, &["claude"]);
        found.extend(importing::memories(&sessions, finder));
    }
    if wants(BEADS) {
        found.extend(importing::issues(place));
    }
    Ok(found)
}

fn slot<'r>(
    sources: &'r mut BTreeMap<String, ImportedSource>,
    source: &str,
) -> &'r mut ImportedSource {
    let slot = sources.entry(source.to_owned()).or_default();
    source.clone_into(&mut slot.source);
    slot
}

/// Counts the sessions that could be imported, in a short time.
pub(super) fn earlier_sessions(
    app: &App,
    place: &Place,
    around: &Surroundings,
) -> Vec<EarlierSessions> {
    let mut finder = Finder::new(app, place);
    let counts = importing::count(&mut finder, around, TIME_TO_COUNT);
    let titled = counts.into_iter().map(|(agent, sessions)| EarlierSessions {
        agent: aictx_runners::registry::agent(agent)
            .map_or(agent, |agent| agent.title())
            .to_owned(),
        sessions,
    });
    titled.collect()
}
