//! `memory.*` and `messages`: what people say about what is remembered.

use std::sync::Arc;

use aictx_continuity::{MemoryEdit, edit_item, find_item, history_of, is_muted, items, set_muted};
use aictx_proto::effect::Effects;
use aictx_proto::methods::{
    MemoryList, MemoryListParams, MemoryParams, MemoryReply, MessagesParams, MessagesReply,
};
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, RpcError};
use serde_json::{Map, json};

use super::place;
use crate::app::App;

/// Items listed when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 2_000;

pub(super) fn list(app: &App, params: &MemoryListParams) -> Result<MemoryList, RpcError> {
    let snapshot = app.hosts.open(&place(app, &params.repo)?.root)?.snapshot();
    let mut items = items(&snapshot);
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
        let found = find_item(snapshot, &params.id).and_then(|item| {
            let kind = aictx_proto::json::member(&item, "kind")
                .as_str()
                .unwrap_or_default();
            // All rows, also those that a snapshot does not hold: none may be lost.
            let rows = history_of(kind)
                .map(|file| store.all_rows(file))
                .transpose()?;
            let effects = edit_item(snapshot, &item, &edit, &rows.unwrap_or_default(), now)?;
            Ok((item, effects))
        });
        match found {
            Ok((item, effects)) => (Ok(item), effects),
            Err(text) => (Err(text), Effects::new()),
        }
    });
    let item = decided.await?.0.map_err(|text| {
        RpcError::new(NOT_FOUND, text).hint("`aictx memory list` shows what there is")
    })?;
    Ok(MemoryReply {
        action: action.to_owned(),
        item,
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
