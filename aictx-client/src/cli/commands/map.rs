//! `map`.

use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use aictx_proto::methods::{
    MAP_BRIEF, MAP_EXPORT, MAP_IMPACT, MAP_OUTLINE, MAP_QUERY, MAP_REFRESH, MAP_REFS, MAP_RELATED,
    MAP_STATUS, MAP_SYMBOL, MapBrief, MapBriefParams, MapFileParams, MapFreshness, MapNameParams,
    MapOutline, MapQueryParams, MapQueryReply, MapReferences, MapRefreshParams, MapRefreshReply,
    MapRelatives, MapRepoParams, MapStatus, MapSymbols,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{absolute, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Map, MapAt, RepoOption};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::map as render;
use crate::cli::terminal_text::{Meter, Paint};

/// Interval between progress reports of a wait.
const REPORT: Duration = Duration::from_millis(150);

/// `aictx map`.
pub(super) fn map(backend: &Backend, command: Map, paint: Paint) -> Result<Answer, CliError> {
    match command {
        Map::Query {
            text,
            words,
            limit,
            active,
            at,
        } => {
            let params = MapQueryParams {
                repo: absolute(&at.repo.repo)?,
                text: [vec![text], words].concat().join(" "),
                limit,
                active: active.iter().map(|path| shown(path)).collect(),
                cwd: working_directory(),
                wait_ms: waiting(backend, &at)?,
            };
            let value = backend.call(MAP_QUERY, &params)?;
            let reply: MapQueryReply = parse(value.clone())?;
            Ok(Answer {
                // The format is a plain list; what it is as of stands on standard error.
                value: value.get("results").cloned().unwrap_or(Value::Null),
                text: render::query(&reply, paint),
                notes: render::unknown(&reply.unknown) + &render::freshness(&reply.freshness),
                status: 0,
            })
        }
        Map::Brief { tokens, task, at } => {
            let params = MapBriefParams {
                repo: absolute(&at.repo.repo)?,
                task,
                tokens,
                wait_ms: waiting(backend, &at)?,
            };
            answer(backend, MAP_BRIEF, &params, |reply: &MapBrief| {
                (render::brief(reply), &reply.freshness)
            })
        }
        Map::Outline { file, at } => {
            let params = about_file(backend, file, 0, &at)?;
            answer(backend, MAP_OUTLINE, &params, |reply: &MapOutline| {
                (render::outline(reply, paint), &reply.freshness)
            })
        }
        Map::Related { file, limit, at } => {
            let params = about_file(backend, file, limit, &at)?;
            answer(backend, MAP_RELATED, &params, |reply: &MapRelatives| {
                (render::relatives(reply), &reply.freshness)
            })
        }
        Map::Impact { file, limit, at } => {
            let params = about_file(backend, file, limit, &at)?;
            answer(backend, MAP_IMPACT, &params, |reply: &MapRelatives| {
                (render::relatives(reply), &reply.freshness)
            })
        }
        Map::Symbol { name, limit, at } => {
            let params = about_name(backend, name, limit, &at)?;
            answer(backend, MAP_SYMBOL, &params, |reply: &MapSymbols| {
                (render::symbols(reply, paint), &reply.freshness)
            })
        }
        Map::Refs { name, limit, at } => {
            let params = about_name(backend, name, limit, &at)?;
            answer(backend, MAP_REFS, &params, |reply: &MapReferences| {
                (render::references(reply, paint), &reply.freshness)
            })
        }
        Map::Status { repo } => {
            let params = MapRepoParams {
                repo: absolute(&repo.repo)?,
                wait_ms: 0,
            };
            let value = backend.call(MAP_STATUS, &params)?;
            let reply: MapStatus = parse(value.clone())?;
            Ok(Answer {
                value,
                text: render::status(&reply),
                ..Answer::default()
            })
        }
        Map::Refresh { repo, full } => {
            let params = MapRefreshParams {
                repo: absolute(&repo.repo)?,
                full,
            };
            let value = backend.call(MAP_REFRESH, &params)?;
            let reply: MapRefreshReply = parse(value.clone())?;
            Ok(Answer {
                value,
                text: render::refresh(&reply),
                notes: super::super::render::warnings(&reply.warnings),
                status: 0,
            })
        }
        Map::Export { at } => {
            let params = MapRepoParams {
                repo: absolute(&at.repo.repo)?,
                wait_ms: waiting(backend, &at)?,
            };
            let value = backend.call(MAP_EXPORT, &params)?;
            let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
            Ok(Answer {
                value,
                text,
                ..Answer::default()
            })
        }
    }
}

fn answer<T: DeserializeOwned>(
    backend: &Backend,
    method: &str,
    params: &impl Serialize,
    show: impl FnOnce(&T) -> (String, &MapFreshness),
) -> Result<Answer, CliError> {
    let value = backend.call(method, params)?;
    let reply: T = parse(value.clone())?;
    let (text, freshness) = show(&reply);
    let notes = render::freshness(freshness);
    Ok(Answer {
        value,
        text,
        notes,
        status: 0,
    })
}

/// A path as the index shows it, which it knows it by where it is not UTF-8.
fn shown(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}

fn about_file(
    backend: &Backend,
    path: OsString,
    limit: u32,
    at: &MapAt,
) -> Result<MapFileParams, CliError> {
    Ok(MapFileParams {
        repo: absolute(&at.repo.repo)?,
        cwd: working_directory(),
        path: shown(&path),
        limit,
        wait_ms: waiting(backend, at)?,
    })
}

fn about_name(
    backend: &Backend,
    name: String,
    limit: u32,
    at: &MapAt,
) -> Result<MapNameParams, CliError> {
    Ok(MapNameParams {
        repo: absolute(&at.repo.repo)?,
        name,
        limit,
        wait_ms: waiting(backend, at)?,
    })
}

/// Returns the time for which the call may wait for the index, and shows its progress.
fn waiting(backend: &Backend, at: &MapAt) -> Result<u64, CliError> {
    let longest = Duration::from_secs(at.wait);
    let mut meter = Meter::on_stderr("indexing");
    if meter.is_seen() {
        watch(backend, &at.repo, longest, &mut meter)?;
    }
    Ok(at.wait.saturating_mul(1_000))
}

/// Shows the progress of an index that is being built until it is done.
pub(super) fn watch(
    backend: &Backend,
    repo: &RepoOption,
    longest: Duration,
    meter: &mut Meter,
) -> Result<(), CliError> {
    let end = Instant::now() + longest;
    let params = MapRepoParams {
        repo: absolute(&repo.repo)?,
        // Long enough for an ordinary repository to be done before anything is drawn.
        wait_ms: REPORT.as_millis() as u64,
    };
    while Instant::now() < end {
        // Only a running daemon indexes while nobody waits.
        let Some(value) = backend.ask_running(MAP_STATUS, &params)? else {
            return Ok(());
        };
        let status: MapStatus = parse(value)?;
        if status.freshness.state != "building" || status.progress_total == 0 {
            return Ok(());
        }
        meter.show(status.progress_done.into(), status.progress_total.into());
    }
    Ok(())
}
