//! Changes to a thread: validated whole before anything is changed.

use aictx_proto::record::{THREAD_STATES, Thread};
use aictx_proto::text::clean;
use serde_json::{Map, Value, json};

use super::MAX_TEXT;
use crate::error::TaskError;

/// Members that hold a list of texts, and how many.
const LISTS: &[(&str, usize)] = &[
    ("active_files", 12),
    ("verified", 12),
    ("unverified", 12),
    ("discarded_paths", 12),
    ("recommended_commands", 8),
    ("risks", 8),
    ("source_execution_ids", 12),
];
/// Members that hold a list of objects, and how many.
const OBJECTS: &[(&str, usize)] = &[
    ("discarded_hypotheses", 5),
    ("uncertainties", 8),
    ("contract_gaps", 8),
];
/// Members that are kept by us.
const OURS: &[&str] = &[
    "version",
    "task_id",
    "created_at",
    "updated_at",
    "git_context",
    "strongest_contract_gap",
];
/// Other names for members.
const ALIASES: &[(&str, &str)] = &[
    ("hypothesis", "current_hypothesis"),
    ("next", "next_action"),
    ("files", "active_files"),
    ("commands", "recommended_commands"),
];

/// Applies a patch and gives the names of the members that changed, sorted.
///
/// A text replaces. A list adds its entries, moving known ones to the end; `{"set": []}`,
/// `{"add": []}` and `{"remove": []}` say which is meant; `null` empties. In full lists the oldest
/// entries make room.
///
/// # Errors
/// Unknown members, wrong types, unknown states; nothing is changed then.
pub(crate) fn apply(
    thread: &mut Thread,
    patch: &Map<String, Value>,
) -> Result<Vec<String>, TaskError> {
    let mut next = thread.clone();
    for (given, value) in patch {
        let name = ALIASES
            .iter()
            .find(|(alias, _)| alias == given)
            .map_or(given.as_str(), |(_, name)| name);
        if OURS.contains(&name) {
            continue;
        }
        match name {
            "status" => {
                let status = text(name, value)?;
                if !THREAD_STATES.contains(&status.as_str()) {
                    let why = format!("must be one of {}", THREAD_STATES.join(", "));
                    return Err(TaskError::field(name, why));
                }
                next.status = status;
            }
            "goal" => next.goal = text(name, value)?,
            "current_hypothesis" => next.current_hypothesis = text(name, value)?,
            "next_action" => next.next_action = text(name, value)?,
            _ => list_member(&mut next, name, value)?,
        }
    }
    next.strongest_contract_gap = strongest(&next.contract_gaps);
    let changed = changed(thread, &next);
    *thread = next;
    Ok(changed)
}

fn list_member(thread: &mut Thread, name: &str, value: &Value) -> Result<(), TaskError> {
    if let Some((_, limit)) = LISTS.iter().find(|(list, _)| *list == name) {
        let list = match name {
            "active_files" => &mut thread.active_files,
            "verified" => &mut thread.verified,
            "unverified" => &mut thread.unverified,
            "discarded_paths" => &mut thread.discarded_paths,
            "recommended_commands" => &mut thread.recommended_commands,
            "risks" => &mut thread.risks,
            _ => &mut thread.source_execution_ids,
        };
        return change(name, list, value, *limit, |entry| {
            let entry = entry.as_str()?;
            let entry = clean(entry, MAX_TEXT);
            (!entry.is_empty()).then_some(entry)
        });
    }
    let Some((_, limit)) = OBJECTS.iter().find(|(list, _)| *list == name) else {
        return Err(TaskError::field(name, "is not a member of a task"));
    };
    match name {
        "discarded_hypotheses" => change(
            name,
            &mut thread.discarded_hypotheses,
            value,
            *limit,
            hypothesis,
        ),
        "uncertainties" => change(name, &mut thread.uncertainties, value, *limit, uncertainty),
        _ => change(name, &mut thread.contract_gaps, value, *limit, |gap| {
            gap.is_object().then(|| gap.clone())
        }),
    }
}

/// One list, by plain array, `{set, add, remove}` or `null`.
fn change<T: PartialEq>(
    name: &str,
    list: &mut Vec<T>,
    value: &Value,
    limit: usize,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<(), TaskError> {
    let entries = |value: &Value| -> Result<Vec<T>, TaskError> {
        let wrong = || TaskError::field(name, "must be a list");
        let array = value.as_array().ok_or_else(wrong)?;
        let bad = || TaskError::field(name, "holds an entry of the wrong type");
        array
            .iter()
            .map(|entry| read(entry).ok_or_else(bad))
            .collect()
    };
    match value {
        Value::Null => list.clear(),
        Value::Object(operations) => {
            for (operation, value) in operations {
                let entries = entries(value)?;
                match operation.as_str() {
                    "set" => {
                        list.clear();
                        add(list, entries, limit);
                    }
                    "add" => add(list, entries, limit),
                    "remove" => list.retain(|have| !entries.contains(have)),
                    _ => {
                        return Err(TaskError::field(
                            name,
                            "takes the operations set, add and remove",
                        ));
                    }
                }
            }
        }
        plain => add(list, entries(plain)?, limit),
    }
    Ok(())
}

/// Adds at the end; a known entry moves there, the oldest makes room.
pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, entries: Vec<T>, limit: usize) {
    for entry in entries {
        list.retain(|have| *have != entry);
        list.push(entry);
    }
    let over = list.len().saturating_sub(limit);
    list.drain(..over);
}

fn text(name: &str, value: &Value) -> Result<String, TaskError> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(clean(text, MAX_TEXT)),
        _ => Err(TaskError::field(name, "must be a text")),
    }
}

/// `{hypothesis, reason, evidence, confidence, related_paths, created_at}` of an object or a text.
fn hypothesis(value: &Value) -> Option<Value> {
    if let Some(text) = value.as_str() {
        let text = clean(text, MAX_TEXT);
        return (!text.is_empty()).then(|| json!({ "hypothesis": text, "confidence": "unknown" }));
    }
    let of = |names: &[&str], limit| {
        names
            .iter()
            .find_map(|n| value.get(*n)?.as_str())
            .map(|t| clean(t, limit))
            .filter(|t| !t.is_empty())
    };
    let said = of(&["hypothesis", "summary", "claim", "path"], MAX_TEXT)?;
    let mut out = Map::new();
    out.insert("hypothesis".to_owned(), json!(said));
    if let Some(reason) = of(&["reason", "why"], MAX_TEXT) {
        out.insert("reason".to_owned(), json!(reason));
    }
    if let Some(evidence) = of(&["evidence"], 160) {
        out.insert("evidence".to_owned(), json!(evidence));
    }
    let confidence = of(&["confidence"], 10)
        .filter(|c| matches!(c.as_str(), "low" | "medium" | "high"))
        .unwrap_or_else(|| "unknown".to_owned());
    out.insert("confidence".to_owned(), json!(confidence));
    let paths: Vec<String> = ["related_paths", "paths"]
        .iter()
        .find_map(|n| value.get(*n)?.as_array())
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|p| clean(p, MAX_TEXT))
        .take(6)
        .collect();
    if !paths.is_empty() {
        out.insert("related_paths".to_owned(), json!(paths));
    }
    if let Some(at) = of(&["created_at"], 40) {
        out.insert("created_at".to_owned(), json!(at));
    }
    Some(Value::Object(out))
}

/// `{claim, confidence, needs_validation}` of an object or a text.
fn uncertainty(value: &Value) -> Option<Value> {
    let claim = value
        .as_str()
        .or_else(|| value.get("claim")?.as_str())
        .map(|t| clean(t, MAX_TEXT))
        .filter(|t| !t.is_empty())?;
    let confidence = value.get("confidence").and_then(Value::as_str);
    let needs = value.get("needs_validation").and_then(Value::as_bool);
    Some(json!({
        "claim": claim, "confidence": clean(confidence.unwrap_or("unknown"), 40),
        "needs_validation": needs.unwrap_or(true),
    }))
}

/// Severities of a contract's gaps, weakest first.
const SEVERITIES: &[&str] = &[
    "info",
    "caution",
    "needs-review",
    "needs-validation",
    "blocking",
];

/// Returns the rank of a severity; unknown ones are least.
pub(crate) fn severity_rank(severity: &str) -> usize {
    SEVERITIES.iter().position(|s| *s == severity).unwrap_or(0)
}

/// The most severe gap, as `{kind, severity, summary}`.
pub(super) fn strongest(gaps: &[Value]) -> Option<Value> {
    let rank = |gap: &&Value| {
        severity_rank(
            gap.get("severity")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        )
    };
    let gap = gaps.iter().max_by_key(rank)?;
    Some(json!({
        "kind": gap.get("kind"), "severity": gap.get("severity"), "summary": gap.get("summary"),
    }))
}

/// Names of the members in which two states of a thread differ.
pub(crate) fn changed(before: &Thread, after: &Thread) -> Vec<String> {
    let members = |thread: &Thread| match serde_json::to_value(thread) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let (before, after) = (members(before), members(after));
    let mut names: Vec<String> = before
        .keys()
        .chain(after.keys())
        .filter(|name| !OURS.contains(&name.as_str()) && before.get(*name) != after.get(*name))
        .cloned()
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
