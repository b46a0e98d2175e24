//! The members of a resume's answer that only tell what is known, without weighing it.

use aictx_proto::record::files;
use aictx_proto::shown;
use aictx_proto::snapshot::Snapshot;
use serde_json::{Value, json};

use crate::contracts::NOT_EVALUATED;
use crate::file_suggestions;
use crate::origin::labelled;
use crate::project::Project;
use crate::relevance::Context;

/// Longest text of a member that is in short, in characters.
const SHORT: usize = 160;

pub(super) fn structural_context(project: &Project) -> Value {
    json!({
        "enabled": true, "available": project.has_map(), "used": !project.map.is_empty(),
        "source": "repo_map", "entry_point_count": file_suggestions::entry_points(&project.map).len(),
    })
}

/// `{kind, id, path, title, score, reasons, symbols, metadata, source}`, at most 5.
pub(super) fn structural(project: &Project) -> Vec<Value> {
    file_suggestions::related(&project.map)
        .map(|hit| {
            let symbols: Vec<&String> = hit.symbols.iter().take(5).map(|s| &s.name).collect();
            json!({
                "kind": "structural_entry_point", "id": hit.id, "path": hit.path, "title": hit.title,
                "score": hit.score, "reasons": hit.reasons.iter().take(5).collect::<Vec<_>>(),
                "symbols": symbols, "source": "repo_map",
                "metadata": {
                    "symbol": hit.metadata.symbol, "symbol_kind": hit.metadata.symbol_kind,
                    "language": hit.metadata.language, "line": hit.metadata.line,
                },
            })
        })
        .collect()
}

/// Result of the last contract that could be evaluated.
pub(super) fn previous_contract(snapshot: &Snapshot) -> Value {
    let mut newest = snapshot.compliance.iter().rev();
    match newest.find(|row| row.status != NOT_EVALUATED) {
        Some(row) => json!({
            "status": row.status, "score": row.score, "main_issue": row.main_issue,
            "compact_summary": shown::line(&row.compact_summary, 120),
        }),
        None => {
            json!({ "status": "unknown", "score": null, "main_issue": "", "compact_summary": "" })
        }
    }
}

pub(super) fn notes(context: &Context) -> Vec<Value> {
    context
        .notes
        .iter()
        .map(|n| {
            let note = json!({
                "path": format!(".aictx/memory/source/{}", n.path),
                "title": shown::line(&n.title, 120), "text": shown::line(&n.text, 240),
            });
            labelled(&note, n.origin, &["text"])
        })
        .collect()
}

pub(super) fn sources(context: &Context) -> Value {
    let there = |yes: bool, file: &str| {
        if yes {
            format!(".aictx/{file}")
        } else {
            String::new()
        }
    };
    json!({
        "handoff": there(context.handoff.is_some(), files::HANDOFF),
        "last_execution_summary": there(context.snapshot.executions_total > 0, files::LAST_SUMMARY),
        "work_state": there(context.active.thread.is_some(), files::ACTIVE_TASK),
        "repo_map": there(context.project.map_file, files::REPO_MAP_MANIFEST),
    })
}

pub(super) fn brief_quality(quality: &Value) -> Value {
    let codes: Vec<&Value> = quality["issues"]
        .as_array()
        .into_iter()
        .flatten()
        .take(8)
        .map(|i| &i["code"])
        .collect();
    json!({ "score": quality["score"], "status": quality["status"], "issue_codes": codes })
}

/// The task at hand, in short.
pub(super) fn active_task(context: &Context) -> Value {
    let Some(thread) = context.active.thread.as_ref() else {
        return json!({});
    };
    let task = json!({
        "task_id": thread.task_id, "goal": shown::line(&thread.goal, SHORT),
        "status": thread.status, "next_action": shown::line(&thread.next_action, SHORT),
    });
    labelled(&task, thread.origin, &["goal", "next_action"])
}

/// The last handoff, in short.
pub(super) fn handoff(context: &Context) -> Value {
    let Some(handoff) = context.handoff else {
        return json!({});
    };
    let next = handoff.next_steps.first();
    let short = json!({
        "summary": shown::line(&handoff.summary, SHORT),
        "next_steps": next.map(|step| shown::line(step, SHORT)).into_iter().collect::<Vec<_>>(),
    });
    labelled(&short, handoff.origin, &["summary"])
}
