//! `memory.*` and `messages`: what people say about what is remembered.

use std::sync::Arc;

use aictx_artifacts::Store;
use aictx_continuity::{
    ItemError, MemoryEdit, edit_item, find_item, history_of, is_muted, items, page,
    record_decision, set_muted,
};
use aictx_proto::effect::{Effect, Effects};
use aictx_proto::methods::{
    DecideParams, DecideReply, MemoryList, MemoryListParams, MemoryParams, MemoryReply,
    MessagesParams, MessagesReply, ViewParams, ViewReply,
};
use aictx_proto::record::{ImportedRow, files};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NOT_FOUND, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_redact::{Report, scrub_value};
use serde_json::{Map, Value, json};

use super::compact::of_repo;
use super::memory_queries::inside;
use super::{Looked, place};
use crate::app::App;
use crate::hosts::store_error;
use crate::storage_location::MEMORY;
use crate::worktree_facts;

/// Items listed when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 2_000;

pub(super) fn list(app: &App, params: &MemoryListParams) -> Result<MemoryList, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let snapshot = host.snapshot();
    let mut items = items(&snapshot, &imported(&host.store, &snapshot));
    if !params.kind.is_empty() {
        items.retain(|item| *aictx_proto::json::member(item, "kind") == params.kind.as_str());
    }
    let limit = match params.limit as usize {
        0 => DEFAULT_LIMIT,
        n => n.min(MAX_LIMIT),
    };
    let truncated = items.len() > limit;
    items.truncate(limit);
    Ok(MemoryList { items, truncated })
}

/// Returns imported rows, which a snapshot does not hold.
fn imported(store: &Store, snapshot: &Snapshot) -> Vec<ImportedRow> {
    match snapshot.imported {
        0 => Vec::new(),
        _ => store.newest_rows(files::IMPORTED, usize::MAX).0,
    }
}

pub(super) async fn edit(
    app: &Arc<App>,
    params: MemoryParams,
    edit: MemoryEdit,
) -> Result<MemoryReply, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let action = match &edit {
        MemoryEdit::Pin => "pinned",
        MemoryEdit::Unpin => "unpinned",
        MemoryEdit::Wrong(_) => "wrong",
        MemoryEdit::Right => "right",
        MemoryEdit::Forget => "forgotten",
    };
    let (now, store) = (app.now(), Arc::clone(&host.store));
    let decided = host.write(move |snapshot| {
        let edited = || -> Result<_, RpcError> {
            let unknown = |error: ItemError| {
                RpcError::new(NOT_FOUND, error.to_string())
                    .hint("`aictx memory list` shows what there is")
            };
            let item =
                find_item(snapshot, &imported(&store, snapshot), &params.id).map_err(unknown)?;
            let kind = aictx_proto::json::member(&item, "kind")
                .as_str()
                .unwrap_or_default();
            // All rows, also those that a snapshot does not hold: none may be lost.
            let rows = history_of(kind)
                .map(|file| store.all_rows(file))
                .transpose()
                .map_err(|error| store_error(&error))?;
            let effects = edit_item(snapshot, &item, &edit, &rows.unwrap_or_default(), now);
            Ok((item, effects.map_err(unknown)?))
        };
        match edited() {
            Ok((item, effects)) => (Ok(item), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    });
    let item = decided.await?.0?;
    Ok(MemoryReply {
        action: action.to_owned(),
        item,
    })
}

pub(super) async fn decide(
    app: &Arc<App>,
    mut params: DecideParams,
) -> Result<DecideReply, RpcError> {
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let named = aictx_proto::json::texts(params.decision.get("related_paths"));
    let paths = inside(&place, &params.cwd, &named);
    let outside = named.len() - paths.len();
    let related = json!(paths);
    params.decision.insert("related_paths".to_owned(), related);
    if params.rule {
        let said = json!(aictx_continuity::SAID_BY_USER);
        params.decision.insert("rationale".to_owned(), said);
    }
    let Looked {
        place,
        git,
        mut project,
    } = Looked::at(app, &host, &place.worktree).await?;
    let app_ = Arc::clone(app);
    let looked = tokio::task::spawn_blocking(move || {
        worktree_facts::gather_more(&app_, &place, &mut project, &paths);
        project
    });
    let project = looked
        .await
        .map_err(|_| RpcError::new(INTERNAL, "the handler failed"))?;
    let (now, told) = (app.now(), Value::Object(params.decision));
    let decided = host.write(move |snapshot| {
        match record_decision(snapshot, &told, &identity, &project, &git.head, now) {
            Ok((row, effects)) => (Ok(row), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    });
    let row = decided.await?.0;
    let row = row.map_err(|error| RpcError::new(INVALID_PARAMS, error.to_string()))?;
    let mut decision = serde_json::to_value(&row).unwrap_or_default();
    // The caller sees what was stored.
    scrub_value(&mut decision, &mut Report::default());
    Ok(DecideReply {
        recorded: row.is_some(),
        decision,
        path: of_repo(files::DECISIONS),
        warnings: (outside > 0)
            .then(|| format!("{outside} paths are not in this repository"))
            .into_iter()
            .collect(),
    })
}

/// Renders memory for people; written where that is asked for.
pub(super) async fn view(app: &Arc<App>, params: ViewParams) -> Result<ViewReply, RpcError> {
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let name = place.root.file_name().unwrap_or_default().to_string_lossy();
    let snapshot = host.snapshot();
    let items = items(&snapshot, &imported(&host.store, &snapshot));
    let page = page(&name, items.get(..MAX_LIMIT).unwrap_or(&items));
    if params.write {
        let text = |file: &str, text: &str| Effect::ReplaceText {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        let effects = vec![
            text(files::VIEW, &page.markdown),
            text(files::VIEW_MAP, &page.mermaid),
        ];
        host.write(move |_| ((), effects)).await?;
    }
    let exists = host.home.join(MEMORY).join(files::VIEW).is_file();
    Ok(ViewReply {
        markdown: page.markdown,
        mermaid: page.mermaid,
        markdown_path: of_repo(files::VIEW),
        mermaid_path: of_repo(files::VIEW_MAP),
        exists,
        generated_at: app.now().to_string(),
        summary: page.summary,
    })
}

pub(super) async fn messages(
    app: &Arc<App>,
    params: MessagesParams,
) -> Result<MessagesReply, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let muted = match params.action.as_str() {
        "" | "status" => is_muted(&host.snapshot().preferences),
        "mute" | "unmute" => {
            let mute = params.action == "mute";
            host.write(move |snapshot| ((), set_muted(snapshot, mute)))
                .await?;
            mute
        }
        _ => {
            let text = "`action` must be `mute`, `unmute` or `status`";
            return Err(RpcError::new(INVALID_PARAMS, text));
        }
    };
    let mode = json!(if muted { "muted" } else { "unmuted" });
    Ok(MessagesReply {
        messages: Map::from_iter([("mode".to_owned(), mode)]),
    })
}
