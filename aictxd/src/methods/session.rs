//! `session.list`, `session.show`: what the ledgers hold.

use aictx_proto::methods::{
    SessionList, SessionListParams, SessionReport, SessionShowParams, SessionSummary,
};
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_proto::text::file_stem;

use super::place;
use crate::app::App;

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
    let truncated = ledgers.len() > limit;
    let mut sessions: Vec<SessionSummary> = ledgers
        .iter()
        .take(limit)
        .map(|file| {
            let ledger = host.store.read_ledger(&file.stem);
            let summary = aictx_continuity::session_summary(&file.stem, &ledger.rows);
            mark_live(app, summary)
        })
        .collect();
    sessions.sort_by(|a, b| b.last_seen_at.cmp(&a.last_seen_at));
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
    let exact = ledgers.iter().find(|file| file.stem == stem);
    let begins: Vec<_> = ledgers
        .iter()
        .filter(|file| file.stem.starts_with(wanted))
        .collect();
    let file = match (exact, begins.as_slice()) {
        (Some(file), _) => file,
        (None, [one]) => one,
        (None, []) => {
            return Err(
                RpcError::new(NOT_FOUND, format!("there is no session `{wanted}`"))
                    .hint("`aictx session list` shows what there is"),
            );
        }
        (None, several) => {
            return Err(RpcError::new(
                NOT_FOUND,
                format!("{} sessions begin with `{wanted}`", several.len()),
            )
            .hint("give more of the id"));
        }
    };
    let ledger = host.store.read_ledger(&file.stem);
    let mut report = aictx_continuity::session_report(&file.stem, ledger.rows, params.rows);
    report.session = mark_live(app, report.session);
    Ok(report)
}

fn mark_live(app: &App, mut summary: SessionSummary) -> SessionSummary {
    if app.sessions.get(&summary.session_id).is_some() {
        summary.state = "live".to_owned();
    }
    summary
}
