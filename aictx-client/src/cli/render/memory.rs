//! Renders memory as text for people.

use aictx_proto::ledger::Receipt;
use aictx_proto::methods::{LogReply, MemoryList, MemoryReply, WhyReply};
use aictx_proto::record::Origin;
use serde_json::Value;

use crate::cli::terminal_text::{Paint, clean, label, one_line, table};

/// Longest text on a line of a list.
const LINE: usize = 100;

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Members of an object, a line each; those that are empty are left out.
pub fn members(value: &Value) -> String {
    let mut out = String::new();
    add_members(value, 0, &mut out);
    out
}

fn add_members(value: &Value, depth: usize, out: &mut String) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let name = format!("{}{}", "  ".repeat(depth), clean(&name.replace('_', " ")));
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push_str(&format!("{name}\n"));
                add_members(value, depth + 1, out);
            }
            Value::Array(items) if !items.is_empty() => {
                let items: Vec<String> = items.iter().map(scalar).collect();
                out.push_str(&format!("{name}: {}\n", items.join(", ")));
            }
            Value::Null | Value::Array(_) | Value::Object(_) => {}
            Value::String(text) if text.is_empty() => {}
            value => out.push_str(&format!("{name}: {}\n", scalar(value))),
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text, LINE),
        value => one_line(&value.to_string(), LINE),
    }
}

/// `aictx task list`.
pub fn tasks(value: &Value, paint: Paint) -> String {
    let tasks = value["tasks"].as_array().cloned().unwrap_or_default();
    let warnings = value["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|it| it.as_str().map(str::to_owned));
    let mut out = super::warnings(&warnings.collect::<Vec<_>>());
    if tasks.is_empty() {
        out.push_str("no tasks are recorded\n");
    }
    for task in &tasks {
        let active = if task["active"] == true {
            " active"
        } else {
            ""
        };
        let state = format!("{}{active}", text(task, "status"));
        let state = if active.is_empty() {
            state
        } else {
            paint.yellow(&state)
        };
        let line = format!(
            "{} [{state}] {}\n",
            clean(text(task, "task_id")),
            one_line(text(task, "goal"), LINE)
        );
        out.push_str(&label(&line, Origin::of(task)));
    }
    out
}

/// `aictx task status --all`.
pub fn threads(value: &Value) -> String {
    let all = value["tasks"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return "no tasks are recorded\n".to_owned();
    }
    all.iter()
        .map(|t| {
            let next = match text(t, "next_action") {
                "" => String::new(),
                next => format!("  next: {}\n", one_line(next, LINE)),
            };
            let lines = format!(
                "{} [{}] {}\n{next}",
                clean(text(t, "task_id")),
                clean(text(t, "status")),
                one_line(text(t, "goal"), LINE)
            );
            label(&lines, Origin::of(t))
        })
        .collect()
}

/// First line of `aictx task update`.
pub fn changed(value: &Value) -> String {
    let names = value["changed_fields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    match names.as_slice() {
        [] => "Nothing changed\n".to_owned(),
        names => format!("Updated: {}\n", clean(&names.join(", "))),
    }
}

/// `aictx log`.
pub fn log(reply: &LogReply, paint: Paint) -> String {
    let mut out = super::warnings(&reply.warnings);
    if reply.executions.is_empty() {
        out.push_str("nothing is recorded\n");
        return out;
    }
    for entry in &reply.executions {
        let mut lines = String::new();
        let outcome = text(entry, "outcome");
        let shown = match outcome {
            "failed" => paint.red(outcome),
            "unresolved" => paint.yellow(outcome),
            other => clean(other),
        };
        lines.push_str(&format!(
            "{}  {shown}  {}  {}\n",
            clean(text(entry, "timestamp")),
            clean(text(entry, "agent_id")),
            clean(text(entry, "execution_id"))
        ));
        for (title, name) in [
            ("session", "session_id"),
            ("request", "request"),
            ("summary", "summary"),
            ("contract", "contract"),
        ] {
            // The stored sentence begins with the label.
            let said = text(entry, name).trim_start_matches("Contract: ");
            let said = one_line(said, LINE);
            let repeats = name == "summary" && text(entry, "summary") == text(entry, "request");
            if !said.is_empty() && !repeats {
                lines.push_str(&format!("  {title}: {said}\n"));
            }
        }
        for (title, name) in [
            ("edited", "files_edited"),
            ("tests", "tests"),
            ("errors", "errors"),
        ] {
            let list = entry[name].as_array().cloned().unwrap_or_default();
            let list: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            if !list.is_empty() {
                lines.push_str(&format!(
                    "  {title}: {}\n",
                    one_line(&list.join(", "), LINE * 2)
                ));
            }
        }
        out.push_str(&label(&lines, Origin::of(entry)));
        out.push('\n');
    }
    if reply.truncated {
        out.push_str("… there are more; -n shows them\n");
    }
    out
}

/// `aictx why`.
pub fn why(reply: &WhyReply, paint: Paint) -> String {
    let mut out = format!(
        "session {}: told {}, {} tokens in all\n",
        clean(&reply.session_id),
        match reply.told.len() {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        },
        reply.tokens
    );
    out = label(&out, reply.origin);
    for told in &reply.told {
        let lines = receipt(&told.at, &told.receipt, paint);
        out.push_str(&format!("\n{}", label(&lines, reply.origin)));
    }
    out
}

/// Renders a receipt: the items told and left out, and why.
pub fn receipt(at: &str, r: &Receipt, paint: Paint) -> String {
    let mut lines = String::new();
    let prefix = match at {
        "" => String::new(),
        at => format!("{}  ", clean(at)),
    };
    let budget = if r.budget > 0 {
        format!(" of {}", r.budget)
    } else {
        String::new()
    };
    lines.push_str(&format!(
        "{}{}  {} tokens{budget}\n",
        prefix,
        paint.bold(&clean(&r.surface)),
        r.tokens
    ));
    for item in &r.items {
        let why = if item.why.is_empty() {
            String::new()
        } else {
            format!(" - {}", one_line(&item.why, LINE))
        };
        let id = if item.id.is_empty() {
            String::new()
        } else {
            format!(" {}", clean(&item.id))
        };
        lines.push_str(&format!(
            "  + {}{id} ({} tokens){why}\n",
            clean(&item.kind),
            item.tokens
        ));
    }
    for left in &r.left_out {
        let line = format!(
            "  - {} {}: {}",
            clean(&left.kind),
            clean(&left.id),
            clean(&left.why)
        );
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

/// `aictx memory list`.
pub fn items(list: &MemoryList, paint: Paint) -> String {
    if list.items.is_empty() {
        return "nothing is remembered\n".to_owned();
    }
    let rows: Vec<Vec<String>> = list
        .items
        .iter()
        .map(|item| {
            let mut marks = String::new();
            if item["pinned"] == true {
                marks.push_str("pinned ");
            }
            if item["wrong"].is_string() {
                marks.push_str(&paint.red("wrong"));
            }
            vec![
                clean(text(item, "id")),
                clean(text(item, "timestamp")),
                clean(text(item, "status")),
                marks.trim().to_owned(),
                label(&one_line(text(item, "text"), LINE), Origin::of(item)),
            ]
        })
        .collect();
    let mut out = table(&rows, 0);
    if list.truncated {
        out.push_str("… there are more; -n shows them\n");
    }
    out
}

/// `aictx pin`, `wrong`, `forget`.
pub fn edited(reply: &MemoryReply) -> String {
    let what = match reply.action.as_str() {
        "wrong" => "called wrong, not told any more",
        "right" => "told again",
        other => other,
    };
    let line = format!(
        "{} {}: {}\n",
        clean(text(&reply.item, "id")),
        clean(what),
        one_line(text(&reply.item, "text"), LINE)
    );
    label(&line, Origin::of(&reply.item))
}
