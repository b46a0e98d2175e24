//! The startup banner: the session's line and what it goes on with.

use aictx_proto::record::Origin;
use aictx_proto::shown::{Name, Quoted};
use serde_json::{Value, json};

use crate::origin::with_origin;
use crate::relevance::{Context, Relevance};

/// At most four lines: what is resumed, what blocks or was done last, what is next.
pub(super) fn banner_lines(context: &Context) -> Vec<Value> {
    let line = |origin: Origin, kind: &str, text: String| json!({ "kind": kind, "canonical_text": with_origin(text, origin) });
    let short = |text: &str, n| Quoted::new(text.trim_end().trim_end_matches('.'), n);
    let mut lines = Vec::new();
    let background = context.active.thread.is_none()
        && context.relevance <= Relevance::Low
        && context
            .handoff
            .is_some_and(|h| matches!(h.status.as_str(), "resolved" | "completed" | "success"));
    match context.handoff {
        None => lines.push(line(
            Origin::Own,
            "no_previous_handoff",
            "No previous handoff.".to_owned(),
        )),
        Some(h) => {
            let topics = [&h.reason, &h.summary, &h.task_type];
            let topic = topics.into_iter().find(|t| !t.trim().is_empty());
            let topic = short(topic.map_or("", |t| t), 120);
            if background {
                lines.push(line(
                    h.origin,
                    "background_continuity",
                    format!("Background continuity: {topic}."),
                ));
            } else {
                lines.push(line(h.origin, "resuming", format!("Resuming: {topic}.")));
                let failed = matches!(h.status.as_str(), "failed" | "blocked");
                let unknown = h.status == "unresolved";
                if failed || unknown && !h.blocked.is_empty() {
                    let what = if h.blocked.is_empty() {
                        h.summary.clone()
                    } else {
                        h.blocked
                            .iter()
                            .take(2)
                            .cloned()
                            .collect::<Vec<_>>()
                            .join("; ")
                    };
                    lines.push(line(
                        h.origin,
                        "blocked",
                        format!("Blocked: {}.", short(&what, 240)),
                    ));
                } else if unknown || !h.completed.is_empty() {
                    // An outcome that nobody saw is no obstacle.
                    let done = if unknown {
                        h.summary.clone()
                    } else {
                        h.completed.join("; ")
                    };
                    lines.push(line(
                        h.origin,
                        "last_progress",
                        format!("Last progress: {}.", short(&done, 240)),
                    ));
                }
                if let Some(next) = h.next_steps.first() {
                    lines.push(line(
                        h.origin,
                        "next",
                        format!("Next: {}", short(next, 200)),
                    ));
                } else if let Some(path) = h.recommended_starting_points.first() {
                    lines.push(line(
                        h.origin,
                        "entry_point",
                        format!("Entry point: {}", Name::new(path, 200)),
                    ));
                }
            }
        }
    }
    if let Some(thread) = context
        .active
        .thread
        .as_ref()
        .filter(|t| !t.goal.trim().is_empty())
        && lines.len() < 4
    {
        let mut text = format!("Active task: {}.", short(&thread.goal, 96));
        if !thread.next_action.is_empty() {
            text.push_str(&format!(" Next: {}.", short(&thread.next_action, 96)));
        }
        lines.push(line(thread.origin, "active_task", text));
    }
    lines
}

pub(super) fn canonical_banner(header: &str, lines: &[Value]) -> String {
    let mut out = format!("{header}\n\n");
    for line in lines {
        out.push_str(line["canonical_text"].as_str().unwrap_or_default());
        out.push('\n');
    }
    out.push_str(&format!("\n{}\n", "─".repeat(32)));
    out
}
