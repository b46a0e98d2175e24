//! `failures.*`.

use std::path::PathBuf;
use std::sync::Arc;

use aictx_artifacts::root;
use aictx_continuity::{
    FailureEdit, FailureQuery, ItemError, classify, edit_failure, find_failures, pick_failure,
};
use aictx_proto::methods::{
    FailureEntry, FailureList, FailureListParams, FailureParams, FailureReply,
};
use aictx_proto::path::Located;
use aictx_proto::record::FailurePattern;
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, RpcError};

use super::place;
use crate::app::App;

/// Results when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 500;

pub(super) fn list(app: &App, params: &FailureListParams) -> Result<FailureList, RpcError> {
    let place = place(app, &params.repo)?;
    let snapshot = app.hosts.open(&place.root)?.snapshot();
    let limit = match params.limit as usize {
        0 => DEFAULT_LIMIT,
        n => n.min(MAX_LIMIT),
    };
    let cwd = PathBuf::from(&params.cwd);
    let relative = |raw: &String| match root::locate(&place.worktree, &cwd, raw) {
        Located::Inside(path) => Some(path.as_str().to_owned()),
        Located::Outside(_) => None,
    };
    let paths: Vec<String> = params.paths.iter().filter_map(relative).collect();
    let asks = !params.task.is_empty() || !params.command.is_empty() || !params.paths.is_empty();
    let default = if asks { "all" } else { "open" };
    let status = if params.status.is_empty() {
        default
    } else {
        &params.status
    };
    if !matches!(status, "open" | "resolved" | "all") {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "`status` must be `open`, `resolved` or `all`",
        ));
    }
    let wanted = |p: &FailurePattern| match status {
        "resolved" => p.status == "resolved",
        "open" => p.status != "resolved",
        _ => true,
    };
    let mut found: Vec<(f64, &FailurePattern)> = if asks {
        let task = classify("", &params.task);
        let query = FailureQuery {
            task: &params.task,
            task_type: &task.name,
            area: "",
            paths: &paths,
            command: &params.command,
        };
        find_failures(&snapshot.failures, &query, app.now())
    } else {
        let mut all: Vec<_> = snapshot.failures.iter().map(|p| (0.0, &**p)).collect();
        all.sort_by(|a, b| {
            let by_id = || a.1.failure_id.cmp(&b.1.failure_id);
            b.1.timestamp.cmp(&a.1.timestamp).then_with(by_id)
        });
        all
    };
    found.retain(|(_, pattern)| wanted(pattern));
    let truncated = found.len() > limit;
    found.truncate(limit);
    Ok(FailureList {
        failures: found.into_iter().map(entry).collect(),
        truncated,
    })
}

fn entry((score, pattern): (f64, &FailurePattern)) -> FailureEntry {
    let error = pattern.symptoms.first().unwrap_or(&pattern.error_text);
    let told = |text: &String| match text.is_empty() {
        true => String::new(),
        false => format!("{text}{}", pattern.origin.label()),
    };
    FailureEntry {
        origin: pattern.origin,
        failure_id: pattern.failure_id.clone(),
        status: pattern.status.clone(),
        occurrences: pattern.occurrences,
        reopened: pattern.reopened,
        first_seen: pattern.first_seen.clone(),
        last_seen: pattern.timestamp.clone(),
        failed_command: pattern.failed_command.clone(),
        error: told(error),
        resolution_summary: told(&pattern.resolution_summary),
        related_paths: pattern.related_paths.clone(),
        match_score: (score * 100.0).round() / 100.0,
    }
}

pub(super) fn show(app: &App, params: &FailureParams) -> Result<FailureReply, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let snapshot = host.snapshot();
    let failure = pick_failure(&snapshot.failures, &params.failure_id).map_err(unknown)?;
    Ok(FailureReply {
        action: "shown".to_owned(),
        failure: failure.clone(),
    })
}

fn unknown(error: ItemError) -> RpcError {
    RpcError::new(NOT_FOUND, error.to_string())
        .hint("`aictx failures list --status all` shows what there is")
}

/// Resolves, reopens or forgets a failure.
pub(super) async fn edit(
    app: &Arc<App>,
    params: FailureParams,
    edit: FailureEdit,
) -> Result<FailureReply, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let now = app.now();
    let action = match &edit {
        FailureEdit::Resolve(_) => "resolved",
        FailureEdit::Reopen => "reopened",
        FailureEdit::Forget => "forgotten",
    };
    let decided = host.write(move |snapshot| {
        match edit_failure(&snapshot.failures, &params.failure_id, &edit, now) {
            Ok((failure, effects)) => (Ok(failure), effects),
            Err(error) => (Err(error), Vec::new()),
        }
    });
    let (failure, _) = decided.await?;
    Ok(FailureReply {
        action: action.to_owned(),
        failure: failure.map_err(unknown)?,
    })
}
