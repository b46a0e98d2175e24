//! The startup banner: the session's line and what it goes on with.

use aictx_proto::record::Handoff;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, printable};
use serde_json::{Value, json};

/// At most four lines (spec §13): what is resumed, what blocks or was done last, what is next.
pub(super) fn banner_lines(handoff: Option<&Handoff>, snapshot: &Snapshot) -> Vec<Value> {
    let line = |kind: &str, text: String| json!({ "kind": kind, "canonical_text": text });
    let mut lines = Vec::new();
    let short = |text: &str, n| clean(&printable(text), n).trim_end_matches('.').to_owned();
    match handoff {
        None => lines.push(line(
            "no_previous_handoff",
            "No previous handoff.".to_owned(),
        )),
        Some(h) => {
            let topic = [&h.reason, &h.summary, &h.task_type]
                .into_iter()
                .find(|t| !t.trim().is_empty());
            lines.push(line(
                "resuming",
                format!("Resuming: {}.", short(topic.map_or("", |t| t), 120)),
            ));
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
                lines.push(line("blocked", format!("Blocked: {}.", short(&what, 240))));
            } else if unknown || !h.completed.is_empty() {
                // An outcome that nobody saw is no obstacle.
                let done = if unknown {
                    h.summary.trim_end_matches('.').to_owned()
                } else {
                    h.completed.join("; ")
                };
                let text = format!("Last progress: {}.", short(&done, 240));
                lines.push(line("last_progress", text));
            }
            if let Some(next) = h.next_steps.first() {
                lines.push(line("next", format!("Next: {}", short(next, 200))));
            } else if let Some(path) = h.recommended_starting_points.first() {
                lines.push(line(
                    "entry_point",
                    format!("Entry point: {}", short(path, 200)),
                ));
            }
        }
    }
    if let Some(goal) = snapshot
        .active_task
        .as_ref()
        .map(|t| t.goal.as_str())
        && !goal.trim().is_empty()
        && lines.len() < 4
    {
        lines.push(line(
            "active_task",
            format!("Active task: {}.", short(goal, 96)),
        ));
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
