//! What binds the session: how well the request fits what is remembered, and what follows from it.

use aictx_proto::methods::MapHit;
use aictx_proto::record::Handoff;
use aictx_proto::snapshot::Snapshot;
use aictx_proto::text::{clean, printable};
use serde_json::{Value, json};

use crate::suggest;

/// How much the request has to do with what is remembered. Bound only by evidence in the request
/// itself, or when it is empty ("go on") (W34).
pub(super) fn continuity_match(
    request: &str,
    handoff: Option<&Handoff>,
    snapshot: &Snapshot,
) -> Value {
    let mut score = 0;
    let mut signals: Vec<&str> = Vec::new();
    if snapshot.active_task.is_some() {
        score += 6;
        signals.push("active_work_state");
    }
    if let Some(h) = handoff {
        let lower = request.to_lowercase();
        let going_on = request.is_empty()
            || ["continue", "resume", "pick up", "carry on", "go on"]
                .iter()
                .any(|w| lower.starts_with(w));
        let text = format!(
            "{} {} {}",
            h.summary,
            h.reason,
            h.recommended_starting_points.join(" ")
        );
        match shared_terms(request, &text) {
            0 => {}
            1 => {
                score += 2;
                signals.push("first_action_partial_overlap");
            }
            _ => {
                score += 4;
                signals.push("first_action_term_overlap");
            }
        }
        if going_on {
            score += 4;
            signals.push("explicit_continuation_request");
        }
    }
    let (level, strength) = match score {
        7.. => ("high", "strict"),
        3.. => ("medium", "soft"),
        _ => ("low", "exploratory"),
    };
    json!({
        "level": level, "contract_strength": strength, "score": score,
        "reason": if signals.is_empty() { "nothing remembered fits this request" } else { "the request fits what is remembered" },
        "signals": signals,
    })
}

/// Words of three letters and more that two texts share.
fn shared_terms(request: &str, text: &str) -> usize {
    let words = |t: &str| -> Vec<String> {
        t.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| w.chars().count() > 2 && !STOP_WORDS.contains(w))
            .map(str::to_owned)
            .collect()
    };
    let have = words(text);
    let mut shared: Vec<String> = words(request)
        .into_iter()
        .filter(|w| have.contains(w))
        .collect();
    shared.sort_unstable();
    shared.dedup();
    shared.len()
}

const STOP_WORDS: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "into", "are", "was", "not", "all", "can",
    "but", "you", "use", "make", "add", "fix", "update", "change", "new", "file", "files", "code",
];

/// Most entry points.
const MAX_ENTRY_POINTS: usize = 8;

/// What the last handoff recommends, when it fits; then what the map ranks highest.
pub(super) fn entry_points(
    handoff: Option<&Handoff>,
    matched: &Value,
    map: &[MapHit],
) -> Vec<Value> {
    let remembered = handoff.filter(|_| matched["level"] != "low");
    let mut points: Vec<Value> = remembered
        .iter()
        .flat_map(|handoff| &handoff.recommended_starting_points)
        .take(5)
        .map(|path| json!({ "path": clean(&printable(path), 400), "reason": "previous handoff starting point" }))
        .collect();
    for point in suggest::entry_points(map) {
        let known = |p: &Value| p.get("path") == point.get("path");
        if points.len() < MAX_ENTRY_POINTS && !points.iter().any(known) {
            points.push(point);
        }
    }
    points
}

pub(super) fn execution_contract(
    request: &str,
    matched: &Value,
    entry_points: &[Value],
    test: Option<&(String, &'static str)>,
    task_type: &str,
) -> Value {
    let first_action = match entry_points.first() {
        Some(entry) => json!({
            "type": "open_file", "path": entry["path"], "binding": "must_open_first", "reason": entry["reason"],
        }),
        None => json!({
            "type": "inspect_entry_points", "path": "", "binding": "must_inspect_listed_entry_points_only",
            "reason": "nothing remembered binds this request",
        }),
    };
    let (command, source) = test.map_or((String::new(), "none"), |(c, s)| (c.clone(), *s));
    let code = matches!(
        task_type,
        "bug_fixing" | "refactoring" | "testing" | "performance" | "architecture" | "feature_work"
    );
    json!({
        "mode": "closed_loop",
        "task_goal": clean(request, 240),
        "contract_strength": matched["contract_strength"],
        "first_action": first_action,
        "edit_scope": { "primary": [], "secondary_if_needed": [], "avoid": [".aictx/**"] },
        "test_command": { "command": command, "source": source, "policy": "run before finalize when code was edited" },
        "finalize_command": "aictx finalize --status success|failure --summary \"<what happened>\"",
        "validation_policy": {
            "version": 1, "task_type": task_type,
            "required": code && matched["contract_strength"] != "exploratory" && test.is_some(),
        },
    })
}
