//! The answer as JSON, within its budget.

use aictx_proto::methods::{ResumeParams, ResumeReply};
use aictx_proto::tokens;
use serde_json::{Value, json};

use super::pieces::{Pieces, marked};
use super::render_text::{TEXT, of};
use super::whole_values::leave_one_out;

/// Most tokens of it in the usual, the full and the brief form.
const JSON: (u32, u32, u32) = (5_000, 9_000, 2_400);

/// Lengths of an answer's texts where removing parts is not enough, in tokens.
const SHORTER: [u32; 4] = [120, 60, 30, 16];
/// Members that are paths, commands and names: whole or not at all.
const EXACT: &[&str] = &[
    "path",
    "paths",
    "related_paths",
    "command",
    "recommended_command",
    "finalize_command",
    "expected_final_command",
    "expected_first_action",
    "expected_test_command",
    "primary",
    "secondary_if_needed",
    "avoid",
    "expected_first_files",
    "contract_id",
    "session_id",
    "source_execution_id",
    "task_id",
];
/// The warning that something was taken out.
const TRIMMED: &str = "budget_trimmed";

/// Members that hardly differ between answers.
const SAME: [&str; 4] = [
    "guard_triggers",
    "runner_contract",
    "sources",
    "communication_policy",
];

/// Rounds of taking parts out of a reply.
const TRIMS: usize = 3;

/// Keeps the JSON within its budget: the least important parts go first, and it is said. Gives the JSON of
/// all but the budget and the text, which speak of it.
pub(super) fn fit(reply: &mut ResumeReply, params: &ResumeParams) -> String {
    let limit = of(JSON, params);
    let said = std::mem::take(&mut reply.text);
    if params.brief {
        reply.loaded_context.clear();
        reply.capsule.retain(|name, _| {
            matches!(
                name.as_str(),
                "current_request"
                    | "next_action"
                    | "decisions"
                    | "failures"
                    | "first_action"
                    | "entry_points"
            )
        });
    }
    let marked = marked(reply);
    let mut pieces = Pieces::of(&marked);
    let mut size = pieces.tokens();
    // Leaves room for the budget member itself.
    let room = limit.saturating_sub(80);
    let trimmed = size > room;
    if trimmed {
        reply.warnings.push(TRIMMED.to_owned());
        pieces.replace("warnings", &reply.warnings);
        // Parts by themselves take a token more or less than within the whole.
        for _ in 0..TRIMS {
            trim(reply, &mut pieces, room);
            size = pieces.tokens();
            if size <= room {
                break;
            }
        }
    }
    let mut json = pieces.json();
    if size > room {
        // What is left is the frame and texts: they are cut, however many tokens their script takes.
        for most in SHORTER {
            if size <= room {
                break;
            }
            shorten(reply, most);
            (size, json) = whole(reply);
        }
        for name in [
            "active_task",
            "handoff",
            "discarded_hypotheses",
            "lifecycle_gaps",
            "notes",
            "warnings",
            "strategy_hint",
            "capsule",
            "skipped_work_state",
            "startup_banner_render_payload",
            "carryover_gaps",
        ] {
            if size <= room {
                break;
            }
            empty(reply, name);
            (size, json) = whole(reply);
        }
        while size > room && leave_one_out(reply) {
            (size, json) = whole(reply);
        }
        // Paths and commands that stay can be so long that there is no room for what is always the same.
        for name in SAME {
            if size <= room {
                break;
            }
            empty(reply, name);
            (size, json) = whole(reply);
        }
    }
    reply.budget = json!({
        "target_tokens": limit, "estimated_tokens": size, "bytes": json.len(),
        "text_target_tokens": of(TEXT, params), "text_tokens": tokens::estimate(&said),
        "truncated": trimmed,
    });
    reply.text = said;
    json
}

/// Cuts every text of a reply that is read, and not acted on, to `most` tokens.
fn shorten(reply: &mut ResumeReply, most: u32) {
    let cut = |text: &mut String| *text = tokens::within(text, most);
    cut(&mut reply.request);
    // Three lines.
    reply.startup_banner_text = lines_within(&reply.startup_banner_text, most);
    reply.warnings.iter_mut().for_each(cut);
    for value in [
        &mut reply.startup_banner_render_payload,
        &mut reply.execution_contract,
        &mut reply.contract_checks,
        &mut reply.previous_contract_result,
        &mut reply.task_state,
        &mut reply.strongest_carryover_gap,
        &mut reply.strategy_hint,
        &mut reply.effective_preferences,
        &mut reply.contract_ref,
        &mut reply.skipped_work_state,
        &mut reply.continuity_match,
    ] {
        shorten_in(value, most);
    }
    for list in [
        &mut reply.carryover_gaps,
        &mut reply.discarded_hypotheses,
        &mut reply.notes,
        &mut reply.lifecycle_gaps,
    ] {
        list.iter_mut().for_each(|value| shorten_in(value, most));
    }
    for value in reply.capsule.values_mut() {
        shorten_in(value, most);
    }
}

fn lines_within(text: &str, most: u32) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| tokens::within(line, most))
        .collect();
    lines.join("\n")
}

fn shorten_in(value: &mut Value, most: u32) {
    match value {
        Value::String(text) => *text = lines_within(text, most),
        Value::Array(list) => list.iter_mut().for_each(|value| shorten_in(value, most)),
        Value::Object(map) => {
            for (name, value) in map {
                // A part of a path, a command or a name is another one.
                if !EXACT.contains(&name.as_str()) {
                    shorten_in(value, most);
                }
            }
        }
        _ => {}
    }
}

/// Empties a member that an agent can do without.
fn empty(reply: &mut ResumeReply, name: &str) {
    match name {
        "active_task" => reply.active_task = Value::Null,
        "handoff" => reply.handoff = Value::Null,
        "discarded_hypotheses" => reply.discarded_hypotheses.clear(),
        "lifecycle_gaps" => reply.lifecycle_gaps.clear(),
        "notes" => reply.notes.clear(),
        "warnings" => reply.warnings.retain(|warning| warning == TRIMMED),
        "strategy_hint" => reply.strategy_hint = json!({}),
        "skipped_work_state" => reply.skipped_work_state = Value::Null,
        "carryover_gaps" => reply.carryover_gaps.clear(),
        "guard_triggers" => reply.guard_triggers.clear(),
        "runner_contract" => reply.runner_contract = json!({}),
        "communication_policy" => reply.communication_policy = json!({}),
        "sources" => reply.sources = json!({}),
        "startup_banner_render_payload" => {
            if let Some(lines) = reply.startup_banner_render_payload.get_mut("lines") {
                *lines = json!([]);
            }
        }
        _ => {
            let kept = ["current_request", "first_action", "next_action"];
            reply
                .capsule
                .retain(|name, _| kept.contains(&name.as_str()));
        }
    }
}

/// Tokens of something as JSON.
fn measure(part: &Value) -> u32 {
    tokens::estimate(&part.to_string())
}

/// A whole answer written out, and its tokens.
fn whole(reply: &ResumeReply) -> (u32, String) {
    let marked = marked(reply);
    let pieces = Pieces::of(&marked);
    (pieces.tokens(), pieces.json())
}

/// Takes the least important parts out until the rest is not above `room`, of the answer and of its pieces. What
/// a part of a member takes is measured by itself, so that all is linear in the reply.
fn trim(reply: &mut ResumeReply, pieces: &mut Pieces, room: u32) {
    let mut size = pieces.tokens();
    for (name, member) in [
        ("lifecycle_status", &mut reply.lifecycle_status),
        ("startup_guard", &mut reply.startup_guard),
    ] {
        *member = Value::Null;
        size = size.saturating_sub(pieces.remove(name));
    }
    let less = |size: u32, part: &Value| size.saturating_sub(measure(part));
    for (name, list) in [
        ("loaded_context", &mut reply.loaded_context),
        (
            "structural_entry_points",
            &mut reply.structural_entry_points,
        ),
    ] {
        let (mut kept, mut bytes) = (list.len(), 0);
        if size > room {
            for item in pieces.items(name).iter().rev() {
                if size <= room {
                    break;
                }
                size = size.saturating_sub(tokens::estimate(item));
                kept = kept.saturating_sub(1);
                bytes += 1 + item.len();
            }
        }
        if kept == list.len() {
            continue;
        }
        list.truncate(kept);
        match (kept, name) {
            (0, "loaded_context") => pieces.replace(name, list),
            (0, _) => size = size.saturating_sub(pieces.remove(name)),
            _ => pieces.cut(name, bytes),
        }
    }
    if size > room
        && let Some(issues) = reply
            .continuity_quality
            .get_mut("issues")
            .and_then(Value::as_array_mut)
    {
        while issues.len() > 2
            && let Some(part) = issues.pop()
        {
            size = less(size, &part);
        }
        pieces.replace("continuity_quality", &reply.continuity_quality);
    }
    let whole = size;
    for name in [
        "validated",
        "fallback_entry_points",
        "decisions",
        "failures",
        "repo_map",
    ] {
        if size <= room {
            break;
        }
        match reply.capsule.get_mut(name) {
            Some(Value::Array(list)) => {
                while list.len() > 1
                    && let Some(part) = list.pop()
                {
                    size = less(size, &part);
                }
            }
            Some(other) => size = less(size, &std::mem::replace(other, json!({}))),
            None => {}
        }
    }
    if size < whole {
        pieces.replace("capsule", &reply.capsule);
    }
    if size > room {
        reply.effective_preferences = Value::Null;
        size = size.saturating_sub(pieces.remove("effective_preferences"));
    }
    let gaps = reply.carryover_gaps.len();
    while size > room
        && let Some(part) = reply.carryover_gaps.pop()
    {
        size = less(size, &part);
    }
    if reply.carryover_gaps.len() < gaps {
        pieces.replace("carryover_gaps", &reply.carryover_gaps);
    }
}
