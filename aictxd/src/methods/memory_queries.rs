//! Looking at memory: `next`, `prepare`, `suggest`, `reuse`, `reflect`, `report`, `log`, `why`.

use std::sync::Arc;

use aictx_artifacts::root;
use aictx_continuity::{AtHand, Happened, LogQuery, Project, Reported};
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::{
    HandParams, InRepo, LogParams, LogReply, PrepareParams, Told, WhyParams, WhyReply,
};
use aictx_proto::path::Located;
use aictx_proto::record::{
    AgentExecutionRow, ComplianceRow, ExecutionFeedbackRow, ExecutionLogRow, HandoffRow,
    LifecycleEvent, Origin, files,
};
use aictx_proto::rpc::{NOT_FOUND, RpcError};
use aictx_proto::snapshot::{COMPLIANCE_TAIL, EXECUTION_TAIL, Snapshot};
use aictx_proto::text::file_stem;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::session::archived;
use super::{base, place};
use crate::app::App;
use crate::hosts::{Host, Place};
use crate::worktree_facts;

/// Rows of the execution log that reports and the log look at, and bytes.
const MAX_ROWS: usize = 5_000;
/// Entries of the log when nobody says how many, and at most.
const DEFAULT_LOG: usize = 20;
const MAX_LOG: usize = 500;

/// The repository, its memory, and the project for a request.
fn open(
    app: &App,
    repo: &str,
    request: &str,
    at_hand: &[String],
) -> Result<(Arc<Host>, Arc<Snapshot>, Project), RpcError> {
    let place = place(app, repo)?;
    let host = app.hosts.open(&place.root)?;
    let asked_at = app.facts.ask_ahead(&place.worktree);
    let snapshot = host.snapshot();
    let project = worktree_facts::gather_for(app, &place, &snapshot, request, at_hand, asked_at);
    Ok((host, snapshot, project))
}

/// Paths as given, relative to the repository; what lies outside is left out.
pub(super) fn inside(place: &Place, cwd: &str, given: &[String]) -> Vec<String> {
    let cwd = base(&place.worktree, cwd);
    given
        .iter()
        .filter_map(|raw| match root::locate(&place.worktree, cwd, raw) {
            Located::Inside(path) if !path.is_root() => Some(path.as_str().to_owned()),
            _ => None,
        })
        .collect()
}

fn with_hand<T>(
    app: &App,
    params: &HandParams,
    ask: impl FnOnce(&Snapshot, &Project, &AtHand) -> T,
) -> Result<T, RpcError> {
    let files = inside(
        &place(app, &params.repo)?,
        &params.cwd,
        &params.files_opened,
    );
    let (_, snapshot, project) = open(app, &params.repo, &params.request, &files)?;
    let hand = AtHand {
        request: &params.request,
        task_type: &params.task_type,
        files: &files,
        commands: &params.commands_executed,
        tests: &params.tests_executed,
        errors: &params.notable_errors,
    };
    Ok(ask(&snapshot, &project, &hand))
}

pub(super) fn next(app: &App, params: &HandParams) -> Result<Value, RpcError> {
    let now = app.now();
    with_hand(app, params, |snapshot, project, hand| {
        with_text(aictx_continuity::next(snapshot, project, hand, now))
    })
}

fn with_text((mut value, text): (Value, String)) -> Value {
    aictx_proto::json::set(&mut value, "text", text);
    value
}

pub(super) fn prepare(app: &App, params: &PrepareParams) -> Result<Value, RpcError> {
    let (_, snapshot, project) = open(app, &params.repo, &params.goal, &[])?;
    let (goal, kind) = (&params.goal, &params.task_type);
    Ok(with_text(aictx_continuity::prepare(
        &snapshot,
        &project,
        goal,
        kind,
        app.now(),
    )))
}

pub(super) fn suggest(app: &App, params: &HandParams) -> Result<Value, RpcError> {
    let now = app.now();
    with_hand(app, params, |snapshot, project, hand| {
        aictx_continuity::suggest_strategy(snapshot, project, hand, now)
    })
}

pub(super) fn reuse(app: &App, params: &HandParams) -> Result<Value, RpcError> {
    let now = app.now();
    with_hand(app, params, |snapshot, project, hand| {
        aictx_continuity::reuse(snapshot, project, hand, now)
    })
}

pub(super) fn reflect(app: &App, params: &InRepo) -> Result<Value, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let rows: Vec<ExecutionLogRow> = host.store.newest_rows(files::EXECUTION_LOGS, 1).0;
    Ok(aictx_continuity::reflect(rows.last()))
}

pub(super) fn report(app: &App, params: &InRepo) -> Result<Value, RpcError> {
    let place = place(app, &params.repo)?;
    let (host, snapshot, project) = open(app, &params.repo, "", &[])?;
    let (rows, lines): (Vec<ExecutionLogRow>, u64) =
        host.store.newest_rows(files::EXECUTION_LOGS, MAX_ROWS);
    let runs: Vec<AgentExecutionRow> = host
        .store
        .newest_rows(files::AGENT_EXECUTION_LOG, EXECUTION_TAIL)
        .0;
    let compliance: Vec<ComplianceRow> = host
        .store
        .newest_rows(files::CONTRACT_COMPLIANCE, COMPLIANCE_TAIL)
        .0;
    let feedback: Vec<ExecutionFeedbackRow> = host
        .store
        .newest_rows(files::EXECUTION_FEEDBACK, MAX_ROWS)
        .0;
    let document = |file: &str| host.store.document(file).unwrap_or_default();
    let all = Reported {
        map: super::map::in_short(app, &place.worktree)?,
        executions: &rows,
        runs: &runs,
        feedback: &feedback,
        compliance: &compliance,
        staleness: document(files::STALENESS),
        dedupe: document(files::DEDUPE_REPORT),
        total: lines.max(snapshot.executions_total),
    };
    let now = app.now();
    Ok(aictx_continuity::report(&snapshot, &project, &all, now))
}

/// The newest rows of a history, those that came with the repository first.
fn all_rows<T: DeserializeOwned>(host: &Host, file: &str) -> Vec<T> {
    let mut rows = host.store.foreign_rows(file, MAX_ROWS);
    rows.extend(host.store.newest_rows(file, MAX_ROWS).0);
    rows
}

pub(super) fn log(app: &App, params: &LogParams) -> Result<LogReply, RpcError> {
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let executions: Vec<ExecutionLogRow> = all_rows(&host, files::EXECUTION_LOGS);
    let handoffs: Vec<HandoffRow> = all_rows(&host, files::HANDOFFS);
    let compliance: Vec<ComplianceRow> = all_rows(&host, files::CONTRACT_COMPLIANCE);
    let telemetry: Vec<AgentExecutionRow> = all_rows(&host, files::AGENT_EXECUTION_LOG);
    let events: Vec<LifecycleEvent> = all_rows(&host, files::LIFECYCLE_EVENTS);
    let given: Vec<String> = Some(params.path.clone())
        .filter(|p| !p.is_empty())
        .into_iter()
        .collect();
    let path = match (given.as_slice(), inside(&place, &params.cwd, &given).pop()) {
        ([], _) => String::new(),
        (_, Some(path)) => path,
        (_, None) => {
            let text = format!("`{}` is not a path in this repository", params.path);
            return Err(RpcError::new(NOT_FOUND, text));
        }
    };
    let query = LogQuery {
        session: &params.session,
        path: &path,
        failure: &params.failure,
        limit: match params.limit as usize {
            0 => DEFAULT_LOG,
            n => n.min(MAX_LOG),
        },
    };
    let happened = Happened {
        executions: &executions,
        handoffs: &handoffs,
        compliance: &compliance,
        telemetry: &telemetry,
        events: &events,
    };
    let (executions, truncated) = aictx_continuity::log(&happened, &query);
    if executions.is_empty()
        && !params.session.is_empty()
        && host.store.read_ledger(&params.session).rows.is_empty()
    {
        let text = format!("no session `{}` is recorded", params.session);
        return Err(RpcError::new(NOT_FOUND, text).hint("`aictx session list` lists them"));
    }
    let read = [
        files::EXECUTION_LOGS,
        files::HANDOFFS,
        files::CONTRACT_COMPLIANCE,
        files::LIFECYCLE_EVENTS,
    ];
    let issues = read
        .iter()
        .filter_map(|file| host.store.issue_of(file, MAX_ROWS));
    Ok(LogReply {
        executions,
        truncated,
        warnings: issues.map(|issue| issue.warning()).collect(),
    })
}

pub(super) fn why(app: &App, params: &WhyParams) -> Result<WhyReply, RpcError> {
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let ledgers = host.store.ledgers();
    let wanted = params.session_id.trim();
    let told = |stem: &str| -> (Vec<LedgerRow>, bool) {
        let rows = host.store.read_ledger(stem).rows;
        let any = rows.iter().any(|r| r.receipt.is_some());
        (rows, any)
    };
    let mut candidates: Vec<String> = Vec::new();
    if wanted.is_empty() {
        let own = app.identify(&params.caller, &place.worktree);
        candidates.push(file_stem(&own.session_id));
        candidates.extend(ledgers.iter().take(20).map(|l| l.stem.clone()));
    } else {
        candidates.push(file_stem(wanted));
        candidates.extend(
            ledgers
                .iter()
                .filter(|l| l.stem.starts_with(wanted))
                .map(|l| l.stem.clone()),
        );
    }
    let mut found = candidates.into_iter().find_map(|stem| {
        let (rows, any) = told(&stem);
        any.then_some((stem, rows, Origin::Own))
    });
    if found.is_none() && !wanted.is_empty() {
        found = archived(&host, wanted)?;
    }
    if let Some((stem, rows, origin)) = found {
        let summary = aictx_continuity::session_summary(&stem, &rows);
        let told: Vec<Told> = rows
            .into_iter()
            .filter_map(|row| {
                Some(Told {
                    at: row.at.to_string(),
                    receipt: *row.receipt?,
                })
            })
            .collect();
        return Ok(WhyReply {
            origin,
            session_id: summary.session_id,
            tokens: told
                .iter()
                .map(|t| t.receipt.tokens)
                .fold(0, u32::saturating_add),
            told,
        });
    }
    let what = if wanted.is_empty() {
        "nothing that a session was told is on record".to_owned()
    } else {
        format!("nothing that session `{wanted}` was told is on record")
    };
    Err(RpcError::new(NOT_FOUND, what).hint("`aictx session list` shows the sessions on record"))
}
