//! `session.list`, `session.show`: what the ledgers hold, those in the archive included.

use std::collections::{BTreeSet, HashSet};

use aictx_artifacts::{ArchivedLedger, LedgerFile, ledger_rows};
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::{
    SessionList, SessionListParams, SessionReport, SessionShowParams, SessionSummary,
};
use aictx_proto::record::Origin;
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_proto::text::file_stem;

use super::place;
use crate::app::App;
use crate::hosts::Host;

/// Sessions listed when nobody says how many.
const DEFAULT_LIMIT: usize = 50;
/// Sessions listed at most.
const MAX_LIMIT: usize = 1_000;

pub(super) fn list(app: &App, params: &SessionListParams) -> Result<SessionList, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let limit = match params.limit as usize {
        0 => DEFAULT_LIMIT,
        n => n.min(MAX_LIMIT),
    };
    let ledgers = host.store.ledgers();
    let mut sessions: Vec<SessionSummary> = ledgers
        .iter()
        .take(limit)
        .map(|file| {
            let ledger = host.store.read_ledger(&file.stem);
            let summary = aictx_continuity::session_summary(&file.stem, &ledger.rows);
            mark_live(app, summary)
        })
        .collect();
    // Without rows it has gone to the archive since it was listed.
    let there = |file: &&LedgerFile| host.store.has_ledger(&file.stem);
    let mut known: HashSet<String> = ledgers
        .iter()
        .filter(there)
        .map(|file| file.stem.clone())
        .collect();
    sessions.retain(|session| known.contains(&file_stem(&session.session_id)));
    let mut archived = host.store.archived_ledgers();
    // One more than is shown, to see whether there are more.
    while known.len() <= limit
        && let Some(ArchivedLedger { stem, text, origin }) = archived.next()
    {
        if known.insert(stem.clone()) {
            let rows = ledger_rows(&text);
            sessions.push(labelled(
                aictx_continuity::session_summary(&stem, &rows),
                origin,
            ));
        }
    }
    let truncated = known.len() > limit;
    sessions.sort_by(|a, b| b.last_seen_at.cmp(&a.last_seen_at));
    sessions.truncate(limit);
    Ok(SessionList {
        sessions,
        truncated,
    })
}

pub(super) fn show(app: &App, params: &SessionShowParams) -> Result<SessionReport, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let wanted = params.session_id.trim();
    if wanted.is_empty() {
        return Err(RpcError::new(INVALID_PARAMS, "`session_id` is missing"));
    }
    let stem = file_stem(wanted);
    let ledgers = host.store.ledgers();
    let live = ledgers.iter().map(|file| file.stem.as_str());
    let live = named(live, &stem, wanted)?.map(|stem| (stem, host.store.read_ledger(stem).rows));
    // Without rows it has gone to the archive since it was listed.
    let (stem, rows, origin) = match live.filter(|(_, rows)| !rows.is_empty()) {
        Some((stem, rows)) => (stem.to_owned(), rows, Origin::Own),
        None => archived(&host, wanted)?.ok_or_else(|| {
            RpcError::new(NOT_FOUND, format!("there is no session `{wanted}`"))
                .hint("`aictx session list` shows what there is")
        })?,
    };
    let mut report = aictx_continuity::session_report(&stem, rows, params.rows);
    report.origin = origin;
    report.session = match origin {
        Origin::Own => mark_live(app, report.session),
        theirs => labelled(report.session, theirs),
    };
    Ok(report)
}

/// Which of several ledgers is that of a session: the one of its name, else the only one whose name
/// begins as `wanted` does.
fn named<'s>(
    mut stems: impl Iterator<Item = &'s str> + Clone,
    stem: &str,
    wanted: &str,
) -> Result<Option<&'s str>, RpcError> {
    if let Some(exact) = stems.clone().find(|s| *s == stem) {
        return Ok(Some(exact));
    }
    let begins = stems.by_ref().filter(|s| s.starts_with(wanted));
    let begins: BTreeSet<&str> = begins.collect();
    if begins.len() > 1 {
        let text = format!("{} sessions begin with `{wanted}`", begins.len());
        return Err(RpcError::new(NOT_FOUND, text).hint("give more of the id"));
    }
    Ok(begins.first().copied())
}

/// The ledger of a session that went to the archive, by the session's id or how that begins, and whose
/// word it is: this machine's own where there is any.
pub(super) fn archived(
    host: &Host,
    wanted: &str,
) -> Result<Option<(String, Vec<LedgerRow>, Origin)>, RpcError> {
    let stem = file_stem(wanted);
    let all = host.store.archived_ledgers();
    let mut some: Vec<ArchivedLedger> = all
        .filter(|ledger| ledger.stem == stem || ledger.stem.starts_with(wanted))
        .collect();
    if some.iter().any(|ledger| ledger.origin.is_own()) {
        some.retain(|ledger| ledger.origin.is_own());
    }
    let Some(stem) = named(some.iter().map(|l| l.stem.as_str()), &stem, wanted)? else {
        return Ok(None);
    };
    // A session that came back went there more than once, with or without what it had before.
    let mut whole = String::new();
    let mut origin = Origin::Own;
    for ledger in some.iter().rev().filter(|ledger| ledger.stem == stem) {
        if ledger.text.starts_with(whole.as_str()) {
            whole.clear();
        }
        whole.push_str(&ledger.text);
        origin = origin.and(ledger.origin);
    }
    Ok(Some((stem.to_owned(), ledger_rows(&whole), origin)))
}

/// A summary with the origin of its ledger, which its text tells as well.
fn labelled(mut summary: SessionSummary, origin: Origin) -> SessionSummary {
    if !summary.request.is_empty() {
        summary.request.push_str(origin.label());
    }
    SessionSummary { origin, ..summary }
}

fn mark_live(app: &App, mut summary: SessionSummary) -> SessionSummary {
    if app.sessions.get(&summary.session_id).is_some() {
        summary.state = "live".to_owned();
    }
    summary
}
