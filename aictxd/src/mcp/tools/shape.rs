//! From a method's result to what a model needs of it. Absolute paths of the user's machine stay out
//! where a relative one says the same.

use aictx_proto::json::member;
use serde_json::{Map, Value, json};

use super::{Answer, Budget, Call};

/// Paths and names in one line of text.
const FEW: usize = 5;
/// Most lines of text about one thing.
const LINES: usize = 8;

/// A text member; empty when there is none.
pub(super) fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    member(value, name).as_str().unwrap_or_default()
}

/// Texts of a list, or the paths of its objects, in one line.
pub(super) fn listed(list: &Value, most: usize) -> String {
    let entries = list.as_array().into_iter().flatten();
    let texts = entries.filter_map(|entry| entry.as_str().or(member(entry, "path").as_str()));
    let few: Vec<&str> = texts.take(most).collect();
    few.join(", ")
}

/// These members, where they hold anything.
fn some(value: &Value, names: &[&str]) -> Map<String, Value> {
    let held = |name: &&str| {
        let held = member(value, name);
        let empty = match held {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(entries) => entries.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        (!empty).then(|| ((*name).to_owned(), held.clone()))
    };
    names.iter().filter_map(held).collect()
}

fn taken(value: &mut Value, name: &str) -> Value {
    match value {
        Value::Object(members) => members.remove(name).unwrap_or_default(),
        _ => Value::Null,
    }
}

/// A result that brings its own text.
pub(super) fn with_text(mut value: Value, spare: &[&str]) -> Answer {
    let text = taken(&mut value, "text");
    taken(&mut value, "repo");
    Answer::new(
        text.as_str().unwrap_or_default(),
        value,
        spare,
        Budget::Standard,
    )
}

/// `ticket.list`.
pub(super) fn tickets(_: &Call<'_>, value: Value) -> Answer {
    let rows = member(&value, "tickets").as_array().into_iter().flatten();
    let lines: Vec<String> = rows.map(ticket_line).collect();
    let text = match lines.is_empty() {
        true => "no tickets".to_owned(),
        false => lines.join("\n"),
    };
    Answer::new(&text, value, &["findings"], Budget::Standard)
}

/// The other methods of tickets.
pub(super) fn ticket(_: &Call<'_>, value: Value) -> Answer {
    let warnings = member(&value, "warnings").as_array().into_iter().flatten();
    let warnings = warnings.filter_map(Value::as_str).map(str::to_owned);
    let rows = member(&value, "tickets").as_array().into_iter().flatten();
    let message = std::iter::once(word(&value, "message").to_owned());
    let lines: Vec<String> = message
        .chain(rows.map(ticket_line))
        .chain(warnings)
        .collect();
    Answer::new(
        &lines.join("\n"),
        value,
        &["findings", "text"],
        Budget::Standard,
    )
}

fn ticket_line(row: &Value) -> String {
    let waits = aictx_proto::json::texts(row.get("blocked_by"));
    let waits = match waits.is_empty() {
        true => String::new(),
        false => format!(" (waits for {})", waits.join(", ")),
    };
    let (number, state) = (member(row, "number"), word(row, "state"));
    format!("{number} [{state}] {}{waits}", word(row, "title"))
}

/// `guard`.
pub(super) fn guard(_: &Call<'_>, value: Value) -> Answer {
    let mut lines = vec![format!(
        "{}: {}",
        word(&value, "decision"),
        word(&value, "suggested_next")
    )];
    let warnings = member(&value, "warnings").as_array().into_iter().flatten();
    lines.extend(warnings.map(|w| format!("- {}: {}", word(w, "code"), word(w, "message"))));
    Answer::new(
        &lines.join("\n"),
        value,
        &["command_risk"],
        Budget::Standard,
    )
}

/// `run.close`.
pub(super) fn run_closed(_: &Call<'_>, value: Value) -> Answer {
    let mut lines = vec![match member(&value, "closed").as_bool() {
        Some(true) => format!("closed: {}", word(&value, "path")),
        _ => format!("run {} stays open:", word(&value, "id")),
    }];
    let missing = member(&value, "missing").as_array().into_iter().flatten();
    lines.extend(
        missing
            .take(LINES)
            .map(|m| format!("- {}", word(m, "message"))),
    );
    Answer::new(&lines.join("\n"), value, &["closeout"], Budget::Standard)
}

/// Returns the mode of a call of `resume`; `brief` is another word for the mode of that name.
pub(super) fn mode<'a>(call: &Call<'a>) -> &'a str {
    match call.text("mode") {
        "" if call.is_set("brief") => "brief",
        "" => "standard",
        mode => mode,
    }
}

/// `resume`: the part that a model acts on; the whole with mode `full`.
pub(super) fn resume(call: &Call<'_>, mut value: Value) -> Answer {
    let text = taken(&mut value, "text");
    let text = text.as_str().unwrap_or_default();
    let mode = mode(call);
    let persisted = !call.look_only;
    if mode == "full" {
        taken(&mut value, "repo");
        aictx_proto::json::set(&mut value, "mode", mode);
        aictx_proto::json::set(&mut value, "persisted", persisted);
        return Answer::new(text, value, &[], Budget::Full);
    }
    let capsule = taken(&mut value, "capsule");
    let contract = taken(&mut value, "execution_contract");
    let at = |pointer: &str| value.pointer(pointer).cloned().unwrap_or_default();
    let goal = json!({ "status": at("/task_state/status"), "goal": member(&capsule, "resuming") });
    let facts = json!({
        "mode": mode,
        "persisted": persisted,
        "session_id": at("/agent_identity/session_id"),
        "active_task": some(&goal, &["status", "goal"]),
        "first_action": member(&contract, "first_action"),
        "next_action": member(&capsule, "next_action"),
        "known_failures": member(&capsule, "failures"),
        "relevant_files": relevant(&capsule, &value),
        "validation": member(&contract, "test_command"),
        "edit_scope": member(&contract, "edit_scope"),
        "suggested_followups": at("/carryover_gaps"),
        "warnings": at("/warnings"),
        "contract_id": at("/contract_ref/contract_id"),
    });
    let mut facts = Value::Object(some(
        &facts,
        &[
            "mode",
            "persisted",
            "session_id",
            "active_task",
            "first_action",
            "next_action",
            "known_failures",
            "relevant_files",
            "validation",
            "edit_scope",
            "suggested_followups",
            "warnings",
            "contract_id",
        ],
    ));
    if mode == "brief" {
        let spare = ["edit_scope", "relevant_files", "suggested_followups"];
        return Answer::new(text, facts, &spare, Budget::Brief);
    }
    for name in ["runner_contract", "guard_triggers"] {
        aictx_proto::json::set(&mut facts, name, taken(&mut value, name));
    }
    aictx_proto::json::set(&mut facts, "continuity_brief", capsule);
    let spare = [
        "runner_contract",
        "continuity_brief",
        "guard_triggers",
        "edit_scope",
    ];
    Answer::new(text, facts, &spare, Budget::Standard)
}

/// Files by what memory and map say, each once.
fn relevant(capsule: &Value, resume: &Value) -> Vec<Value> {
    let points = member(capsule, "entry_points")
        .as_array()
        .into_iter()
        .flatten();
    let mapped = member(resume, "structural_entry_points")
        .as_array()
        .into_iter()
        .flatten();
    let mut files: Vec<Value> = Vec::new();
    for path in points.chain(mapped).map(|point| member(point, "path")) {
        if path.is_string() && !files.contains(path) {
            files.push(path.clone());
        }
    }
    files
}

/// `finalize`.
pub(super) fn finalize(_: &Call<'_>, value: Value) -> Answer {
    let kept = |name: &str, what: &str| {
        let held = member(&value, name);
        let any = !held.is_null() && held.as_array().is_none_or(|list| !list.is_empty());
        any.then(|| what.to_owned())
    };
    let stored: Vec<String> = [
        kept("handoff_persisted", "handoff"),
        kept("failure_persisted", "failure"),
        kept("strategy_persisted", "strategy"),
        kept("decisions_persisted", "decisions"),
        kept("work_state_updated", "task"),
        kept("resolved_failures", "resolved failures"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let recorded = member(&value, "recorded") == &json!(true);
    let mut lines = vec![if recorded {
        format!(
            "recorded {}; stored: {}",
            word(&value, "execution_id"),
            stored.join(", ")
        )
    } else {
        format!(
            "{} was recorded before; nothing changed",
            word(&value, "execution_id")
        )
    }];
    let compliance = member(&value, "contract_compliance");
    let judged = word(compliance, "compact_summary");
    if !judged.is_empty() {
        lines.push(judged.to_owned());
    }
    let mut facts = some(
        &value,
        &[
            "execution_id",
            "session_id",
            "effective_task_type",
            "failure_persisted",
            "resolved_failures",
            "decisions_persisted",
            "strategy_persisted",
            "work_state_updated",
            "contract_gaps",
            "differences",
            "redacted",
        ],
    );
    let judged = some(
        compliance,
        &["status", "score", "main_issue", "violations", "warnings"],
    );
    facts.insert("contract_compliance".to_owned(), json!(judged));
    let facts = json!({
        "changed": recorded,
        "warnings": member(&value, "warnings"),
        "summary": member(&value, "agent_summary_text"),
        "handoff": value.pointer("/handoff_persisted/handoff"),
        "finalize": facts,
    });
    Answer::new(&lines.join("\n"), facts, &["handoff"], Budget::Finalize)
}

/// `doctor`: of what is well only that it is.
pub(in crate::mcp) fn doctor(mut value: Value, budget: Budget) -> Answer {
    let mut lines = vec![format!("doctor: {}", word(&value, "status"))];
    let mut checks = taken(&mut value, "checks");
    for check in checks.as_array_mut().into_iter().flatten() {
        match word(check, "status") {
            "ok" | "unknown" => {
                let short = some(check, &["name", "status"]);
                *check = Value::Object(short);
            }
            _ if lines.len() < LINES => {
                lines.push(format!(
                    "- {}: {}",
                    word(check, "name"),
                    word(check, "summary")
                ));
            }
            _ => {}
        }
    }
    let mut report = some(&value, &["status", "version", "recommended_actions"]);
    report.insert("checks".to_owned(), checks);
    Answer::new(&lines.join("\n"), Value::Object(report), &[], budget)
}

/// Items that were recalled, a line each.
pub(super) fn recalled(_: &Call<'_>, value: Value) -> Answer {
    let items = member(&value, "items").as_array().into_iter().flatten();
    let line = |item: &Value| {
        let status = word(item, "status");
        let status = match status.is_empty() {
            true => String::new(),
            false => format!(", {status}"),
        };
        format!("{}{status}: {}", word(item, "kind"), word(item, "text"))
    };
    let mut lines: Vec<String> = items.take(LINES + FEW).map(line).collect();
    if lines.is_empty() {
        lines.push("nothing that fits is remembered".to_owned());
    }
    Answer::new(&lines.join("\n"), value, &["items"], Budget::Standard)
}

/// `map.query`.
pub(super) fn map_query(_: &Call<'_>, mut value: Value) -> Answer {
    let mut results = taken(&mut value, "results");
    let hits = results
        .as_array_mut()
        .map(std::mem::take)
        .unwrap_or_default();
    let mut lines = Vec::new();
    let short = |hit: &Value| {
        let symbols = member(hit, "symbols").as_array().into_iter().flatten();
        let symbols: Vec<Value> = symbols
            .map(|symbol| json!(some(symbol, &["name", "kind", "line", "signature"])))
            .collect();
        let mut hit = some(hit, &["path", "score", "reasons"]);
        if !symbols.is_empty() {
            hit.insert("symbols".to_owned(), json!(symbols));
        }
        Value::Object(hit)
    };
    for hit in hits.iter().take(LINES + FEW) {
        let symbols = member(hit, "symbols").as_array().into_iter().flatten();
        let names: Vec<&str> = symbols.map(|s| word(s, "name")).take(FEW).collect();
        lines.push(if names.is_empty() {
            word(hit, "path").to_owned()
        } else {
            format!("{}: {}", word(hit, "path"), names.join(", "))
        });
    }
    let state = value.pointer("/freshness/state").and_then(Value::as_str);
    let state = state.unwrap_or_default().to_owned();
    if lines.is_empty() {
        lines.push(format!("nothing fits (map: {state})"));
    }
    let mut results: Vec<Value> = hits.iter().map(short).collect();
    // Symbols of the last hits go before hits do.
    let room = Budget::Standard as usize / 2;
    let mut used = 0;
    for hit in &mut results {
        used += hit.to_string().len();
        if used > room {
            taken(hit, "symbols");
        }
    }
    let facts = json!({ "results": results, "freshness": { "state": state } });
    Answer::new(&lines.join("\n"), facts, &[], Budget::Standard)
}

/// `messages`.
pub(super) fn messages(_: &Call<'_>, value: Value) -> Answer {
    let mode = value.pointer("/messages/mode").and_then(Value::as_str);
    let text = format!("messages: {}", mode.unwrap_or_default());
    Answer::new(&text, value, &[], Budget::Standard)
}

/// `prepare`.
pub(super) fn prepare(_: &Call<'_>, mut value: Value) -> Answer {
    taken(&mut value, "repo");
    let text = taken(&mut value, "text");
    let mut lines: Vec<&str> = text.as_str().unwrap_or_default().lines().collect();
    lines.truncate(LINES * 2);
    let text = lines.join("\n");
    let room = Budget::Standard as usize - text.len().min(Budget::Standard as usize / 2) - 64;
    // The pack is one member: it is fitted inside.
    let spare = [
        "task_type_resolution",
        "area_hints",
        "repo_map_entrypoints",
        "handoffs",
    ];
    while value.to_string().len() > room {
        let there = spare.iter().find(|name| value.get(name).is_some());
        let name = match there {
            Some(name) => (*name).to_owned(),
            None => match widest(&value) {
                Some(name) => name,
                None => break,
            },
        };
        taken(&mut value, &name);
    }
    Answer::new(
        &text,
        json!({ "task_context_pack": value }),
        &[],
        Budget::Standard,
    )
}

fn widest(value: &Value) -> Option<String> {
    let members = value.as_object()?.iter();
    let sized = members.map(|(name, held)| (held.to_string().len(), name));
    Some(sized.max()?.1.clone())
}

/// `task.start`, `.update`, `.close` and `.show`.
pub(super) fn task(mut value: Value, changed: bool) -> Answer {
    taken(&mut value, "text");
    let fields = taken(&mut value, "changed_fields");
    for name in ["updated", "closed", "version"] {
        taken(&mut value, name);
    }
    let text = one_task(&value);
    let facts = if changed {
        json!({ "changed": true, "warnings": [], "changed_fields": fields, "task": value })
    } else {
        json!({ "found": true, "task": value })
    };
    Answer::new(&text, facts, &[], Budget::Standard)
}

/// `task.list`.
pub(super) fn tasks(_: &Call<'_>, value: Value) -> Answer {
    let tasks = member(&value, "tasks").as_array().into_iter().flatten();
    let lines: Vec<String> = tasks
        .take(LINES)
        .map(|task| {
            let mark = if member(task, "active") == &json!(true) {
                "*"
            } else {
                "-"
            };
            format!("{mark} {}", one_task(task))
        })
        .collect();
    let text = if lines.is_empty() {
        "no task was started here".to_owned()
    } else {
        lines.join("\n")
    };
    Answer::new(&text, value, &[], Budget::Standard)
}

fn one_task(task: &Value) -> String {
    let (id, status) = (word(task, "task_id"), word(task, "status"));
    format!("{id} ({status}): {}", word(task, "goal"))
}

/// `portability.status`.
pub(super) fn portability(_: &Call<'_>, mut value: Value) -> Answer {
    let compaction = taken(&mut value, "jsonl_compaction");
    let totals = member(&compaction, "totals").clone();
    aictx_proto::json::set(&mut value, "jsonl_compaction", totals);
    let text = format!("{}: {}", word(&value, "mode"), word(&value, "status"));
    let spare = ["local_only_patterns", "portable_patterns", "merge_policy"];
    Answer::new(&text, json!({ "status": value }), &spare, Budget::Standard)
}

/// `portability.compact`.
pub(super) fn histories(_: &Call<'_>, mut value: Value) -> Answer {
    let warnings = taken(&mut value, "warnings");
    let changed = taken(&mut value, "changed");
    let totals = member(&value, "totals");
    let text = format!(
        "{}: {} of {} rows stay, {} stood twice, {} are too old, {} lost a secret",
        word(&value, "mode"),
        member(totals, "rows_after"),
        member(totals, "rows_before"),
        member(totals, "duplicates_removed"),
        member(totals, "rows_truncated"),
        member(totals, "secret_redactions")
    );
    let facts = json!({ "changed": changed, "warnings": warnings, "compact": value });
    Answer::new(&text, facts, &[], Budget::Standard)
}

/// `memory.decide`.
pub(super) fn view(_: &Call<'_>, mut value: Value) -> Answer {
    let page = word(&value, "markdown").to_owned();
    if let Some(members) = value.as_object_mut() {
        members.remove("mermaid");
    }
    Answer::new(&page, json!({ "view": value }), &[], Budget::Standard)
}

pub(super) fn decision(_: &Call<'_>, mut value: Value) -> Answer {
    let recorded = taken(&mut value, "recorded");
    let text = if recorded == json!(true) {
        "recorded".to_owned()
    } else {
        "the same decision stands already; nothing changed".to_owned()
    };
    let facts = json!({
        "changed": recorded, "warnings": taken(&mut value, "warnings"),
        "decision": taken(&mut value, "decision"), "path": taken(&mut value, "path"),
    });
    Answer::new(&text, facts, &[], Budget::Standard)
}
