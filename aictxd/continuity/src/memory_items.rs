//! Items of memory by id: listed, pinned, called wrong, forgotten (`aictx memory`).

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{ImportedRow, Origin, files};
use aictx_proto::shown;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::clean;
use serde_json::{Map, Value, json};

use crate::decision_memory::superseded;
use crate::error::ItemError;
use crate::ids::{decision_id, handoff_id, strategy_id, subsystem_id, thread_id};
use crate::item_flags::{self, PINNED, WRONG};
use crate::origin::labelled;
use crate::subsystem_memory;
use crate::tasks::thread_file;

/// Change of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryEdit {
    /// Tell it first, and never let it make room.
    Pin,
    /// No longer.
    Unpin,
    /// Do not tell it any more, for this reason.
    Wrong(String),
    /// It is not wrong after all.
    Right,
    /// Take it out of memory; it goes to the archive.
    Forget,
}

/// Histories with items of memory, and the member that is looked at.
pub const HISTORIES: &[&str] = &[
    files::DECISIONS,
    files::STRATEGIES,
    files::HANDOFFS,
    files::FAILURE_PATTERNS,
    files::IMPORTED,
];

/// All items that can be named, newest first in each kind: `{id, kind, text, timestamp, status,
/// pinned, wrong}`.
pub fn items(snapshot: &Snapshot, imported: &[ImportedRow]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut add = |(id, origin): (String, Origin),
                   kind: &str,
                   text: &str,
                   when: &str,
                   status: &str,
                   extra: &Map<String, Value>| {
        let item = json!({
            "id": id, "kind": kind, "text": shown::line(text, 160), "timestamp": when,
            "status": status, "pinned": item_flags::is_pinned(extra),
            "wrong": extra.get(WRONG).and_then(Value::as_str).map(|w| shown::line(w, 160)),
        });
        out.push(labelled(&item, origin, &["text", "wrong"]));
    };
    let gone = superseded(&snapshot.decisions);
    for (d, gone) in snapshot.decisions.iter().zip(gone).rev() {
        let id = (decision_id(d), d.origin);
        let status = if gone { "superseded" } else { "" };
        add(id, "decision", &d.decision, &d.timestamp, status, &d.extra);
    }
    for f in snapshot.failures.iter().rev() {
        let text = f.symptoms.first().unwrap_or(&f.error_text);
        add(
            (f.failure_id.clone(), f.origin),
            "failure",
            text,
            &f.timestamp,
            &f.status,
            &f.extra,
        );
    }
    for s in snapshot.strategies.iter().rev() {
        let status = if s.success { "success" } else { "failure" };
        add(
            (strategy_id(s), s.origin),
            "strategy",
            &s.task_text,
            &s.timestamp,
            status,
            &s.extra,
        );
    }
    for h in snapshot.handoffs.iter().rev() {
        add(
            (handoff_id(h), h.origin),
            "handoff",
            &h.summary,
            &h.timestamp,
            &h.status,
            &h.extra,
        );
    }
    for s in &snapshot.semantic.subsystems {
        let text = format!("{}: {}", s.name, s.description);
        let id = (subsystem_id(s), s.origin);
        add(id, "note", &text, &s.updated_at, "", &s.extra);
    }
    for t in snapshot.threads.iter() {
        add(
            (thread_id(t), t.origin),
            "task",
            &t.goal,
            &t.updated_at,
            &t.status,
            &t.extra,
        );
    }
    for row in imported.iter().rev() {
        let id = (row.id.clone(), Origin::Own);
        add(
            id,
            "imported",
            &row.title,
            &row.timestamp,
            &row.status,
            &row.extra,
        );
    }
    out
}

/// The one item that `id` names: its whole id, or a beginning that no other has.
///
/// # Errors
/// See [`ItemError`].
pub fn find_item(
    snapshot: &Snapshot,
    imported: &[ImportedRow],
    id: &str,
) -> Result<Value, ItemError> {
    let wanted = id.trim();
    if wanted.is_empty() {
        return Err(ItemError::EmptyId);
    }
    let all = items(snapshot, imported);
    let id_of = |item: &Value| item["id"].as_str().unwrap_or_default().to_owned();
    if let Some(exact) = all.iter().find(|i| id_of(i) == wanted) {
        return Ok(exact.clone());
    }
    let begins: Vec<&Value> = all
        .iter()
        .filter(|i| {
            let id = id_of(i);
            id.starts_with(wanted)
                || id
                    .split_once("::")
                    .is_some_and(|(_, bare)| bare.starts_with(wanted))
        })
        .collect();
    match begins.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(ItemError::Unknown(wanted.to_owned())),
        several => Err(ItemError::Ambiguous {
            id: wanted.to_owned(),
            count: several.len(),
        }),
    }
}

/// Applies an edit to an item that [`find_item`] gave. `rows` are all rows of the history it lies in
/// (none for items with files of their own); gives the writes.
///
/// # Errors
/// The item is not in the rows.
pub fn edit_item(
    snapshot: &Snapshot,
    item: &Value,
    edit: &MemoryEdit,
    rows: &[Value],
    now: Timestamp,
) -> Result<Effects, ItemError> {
    let id = item["id"].as_str().unwrap_or_default();
    let mut effects = match item["kind"].as_str().unwrap_or_default() {
        "note" => note(snapshot, id, edit)?,
        "task" => task(snapshot, id, edit)?,
        kind => {
            let file = history_of(kind).ok_or_else(|| ItemError::NotEditable(id.to_owned()))?;
            history(file, id, edit, rows)?
        }
    };
    if *edit == MemoryEdit::Forget {
        effects.push(Effect::AppendRows {
            file: files::FORGOTTEN.to_owned(),
            rows: vec![json!({ "forgotten_at": now, "id": id, "item": item })],
            order: KeyOrder::Sorted,
        });
    }
    // The newest handoff lies in a file of its own, too.
    if item["kind"] == "handoff"
        && let Some(handoff) = &snapshot.handoff
        && format!("handoff::{}", handoff.source_execution_id) == id
    {
        let mut value = crate::record_json::record_value(&**handoff);
        match edit {
            MemoryEdit::Forget => effects.push(Effect::Remove {
                file: files::HANDOFF.to_owned(),
            }),
            _ => {
                mark(&mut value, edit);
                effects.push(Effect::ReplaceJson {
                    file: files::HANDOFF.to_owned(),
                    value,
                    order: KeyOrder::Sorted,
                });
            }
        }
    }
    Ok(effects)
}

/// The history that items of a kind lie in.
pub fn history_of(kind: &str) -> Option<&'static str> {
    match kind {
        "decision" => Some(files::DECISIONS),
        "strategy" => Some(files::STRATEGIES),
        "handoff" => Some(files::HANDOFFS),
        "failure" => Some(files::FAILURE_PATTERNS),
        "imported" => Some(files::IMPORTED),
        _ => None,
    }
}

fn history(file: &str, id: &str, edit: &MemoryEdit, rows: &[Value]) -> Result<Effects, ItemError> {
    let mut out: Vec<Value> = Vec::with_capacity(rows.len());
    let mut found = Vec::new();
    for row in rows {
        if row_id(file, row) != id {
            out.push(row.clone());
            continue;
        }
        found.push(row.clone());
        if *edit != MemoryEdit::Forget {
            let mut row = row.clone();
            mark(&mut row, edit);
            out.push(row);
        }
    }
    if found.is_empty() {
        return Err(ItemError::Gone(id.to_owned()));
    }
    let order = KeyOrder::Sorted;
    let mut effects = vec![Effect::ReplaceRows {
        file: file.to_owned(),
        rows: out,
        order,
    }];
    if *edit == MemoryEdit::Forget {
        effects.push(Effect::AppendRows {
            file: format!(
                "archive/forgotten/{}",
                file.rsplit('/').next().unwrap_or(file)
            ),
            rows: found,
            order,
        });
    }
    Ok(effects)
}

/// The id that a row of a history has.
fn row_id(file: &str, row: &Value) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    match file {
        files::DECISIONS => {
            let parts = [text("decision"), text("timestamp"), text("execution_id")];
            format!("decision::{}", crate::ids::short_hash(&parts))
        }
        files::STRATEGIES => format!("strategy::{}", text("task_id")),
        files::HANDOFFS => format!("handoff::{}", text("execution_id")),
        files::IMPORTED => text("id").to_owned(),
        _ => text("failure_id").to_owned(),
    }
}

fn mark(row: &mut Value, edit: &MemoryEdit) {
    let Some(row) = row.as_object_mut() else {
        return;
    };
    match edit {
        MemoryEdit::Pin => {
            row.insert(PINNED.to_owned(), json!(true));
        }
        MemoryEdit::Unpin => {
            row.remove(PINNED);
        }
        MemoryEdit::Wrong(why) => {
            row.insert(WRONG.to_owned(), json!(clean(why, 240)));
        }
        MemoryEdit::Right => {
            row.remove(WRONG);
        }
        MemoryEdit::Forget => {}
    }
}

fn note(snapshot: &Snapshot, id: &str, edit: &MemoryEdit) -> Result<Effects, ItemError> {
    let mut memory = (*snapshot.semantic).clone();
    let at = memory
        .subsystems
        .iter()
        .position(|s| subsystem_id(s) == id)
        .ok_or_else(|| ItemError::Gone(id.to_owned()))?;
    let subsystem = memory.subsystems.remove(at);
    let file = subsystem_memory::shard(&subsystem.name);
    if *edit == MemoryEdit::Forget {
        return Ok(vec![
            subsystem_memory::snapshot(&memory),
            Effect::Remove { file },
        ]);
    }
    let mut value = crate::record_json::record_value(&subsystem);
    mark(&mut value, edit);
    if let Ok(marked) = serde_json::from_value(value.clone()) {
        memory.subsystems.insert(at, marked);
    }
    Ok(vec![
        subsystem_memory::snapshot(&memory),
        Effect::ReplaceJson {
            file,
            value,
            order: KeyOrder::Sorted,
        },
    ])
}

fn task(snapshot: &Snapshot, id: &str, edit: &MemoryEdit) -> Result<Effects, ItemError> {
    let thread = snapshot
        .threads
        .iter()
        .find(|t| thread_id(t) == id)
        .ok_or_else(|| ItemError::Gone(id.to_owned()))?;
    let file = thread_file(&thread.task_id);
    if *edit == MemoryEdit::Forget {
        let pointer = crate::tasks::without(&snapshot.pointer, &thread.task_id);
        return Ok(vec![
            Effect::Remove { file },
            Effect::ReplaceJson {
                file: files::ACTIVE_TASK.to_owned(),
                value: crate::record_json::record_value(&pointer),
                order: KeyOrder::Sorted,
            },
            Effect::AppendRows {
                file: "archive/forgotten/threads.jsonl".to_owned(),
                rows: vec![crate::record_json::record_value(&**thread)],
                order: KeyOrder::Sorted,
            },
        ]);
    }
    let mut value = crate::record_json::record_value(&**thread);
    mark(&mut value, edit);
    Ok(vec![Effect::ReplaceJson {
        file,
        value,
        order: KeyOrder::Sorted,
    }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::record::Decision;

    fn snapshot() -> Snapshot {
        let decision = |n: u32| Decision {
            decision: format!("rule {n}"),
            timestamp: format!("2026-01-{n:02}T00:00:00Z"),
            ..Decision::default()
        };
        Snapshot {
            decisions: aictx_proto::snapshot::shared([decision(1), decision(2)]),
            ..Snapshot::default()
        }
    }

    #[test]
    fn items_are_found_pinned_and_forgotten_into_the_archive() {
        let snapshot = snapshot();
        let rows = snapshot
            .decisions
            .iter()
            .map(|d| crate::record_json::record_value(&**d));
        let rows: Vec<Value> = rows.collect();
        let id = decision_id(&snapshot.decisions[0]);
        let item = find_item(&snapshot, &[], &id).unwrap();
        assert_eq!(
            find_item(&snapshot, &[], id.split_once("::").unwrap().1).unwrap(),
            item
        );
        assert!(
            find_item(&snapshot, &[], "decision::").is_err(),
            "two begin so"
        );
        let now = Timestamp::from_unix(0);
        let effects = edit_item(&snapshot, &item, &MemoryEdit::Pin, &rows, now).unwrap();
        let Effect::ReplaceRows { rows: pinned, .. } = &effects[0] else {
            panic!()
        };
        assert_eq!((pinned.len(), &pinned[0][PINNED]), (2, &json!(true)));
        let effects = edit_item(&snapshot, &item, &MemoryEdit::Forget, &rows, now).unwrap();
        let Effect::ReplaceRows { rows: left, .. } = &effects[0] else {
            panic!()
        };
        assert_eq!(left[0]["decision"], "rule 2");
        let Effect::AppendRows {
            rows: kept, file, ..
        } = &effects[1]
        else {
            panic!()
        };
        assert_eq!(
            (kept[0]["decision"].as_str(), file.as_str()),
            (Some("rule 1"), "archive/forgotten/decisions.jsonl")
        );
        assert!(edit_item(&snapshot, &item, &MemoryEdit::Pin, &[], now).is_err());
    }
}
