//! Agent runs, and the documents that requests belong to.

use aictx_proto::json::{member, texts};
use aictx_proto::methods::{DocsReply, IntakeReply, RunClosed, RunGc, RunList};
use serde_json::Value;

use super::LINE_LIMIT;
use crate::cli::terminal_text::{Paint, clean, one_line, table};

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    member(value, name).as_str().unwrap_or_default()
}

fn count(value: &Value, name: &str) -> usize {
    member(value, name).as_array().map_or(0, Vec::len)
}

/// A run: the six lines of the upstream format, and what is left to do.
pub fn status(run: &Value) -> String {
    let line = |name: &str| one_line(text(run, name), LINE_LIMIT);
    let state = match member(run, "active").as_bool() {
        Some(true) => format!("{}, active", text(run, "status")),
        _ => text(run, "status").to_owned(),
    };
    let mut out = format!(
        "Run: {} ({})\nRequest: {}\nIntent: {}\nHypotheses: {} ({} open)\nEvidence: {}\nLearning: {}\n",
        line("id"),
        clean(&state),
        line("request"),
        line("intent"),
        count(run, "hypotheses"),
        count(run, "open_hypotheses"),
        member(run, "evidence_count"),
        count(run, "learning"),
    );
    for open in member(run, "open_hypotheses")
        .as_array()
        .into_iter()
        .flatten()
    {
        let said = one_line(text(open, "text"), LINE_LIMIT);
        out.push_str(&format!("  {} open: {said}\n", clean(text(open, "id"))));
    }
    for command in texts(run.get("failing_commands")) {
        out.push_str(&format!("  failing: {}\n", one_line(&command, LINE_LIMIT)));
    }
    out.push_str(&unresolved(member(run, "unresolved_learning")));
    out
}

/// Learnings that are not resolved, a line each.
pub fn unresolved(list: &Value) -> String {
    let list = list.as_array().into_iter().flatten();
    list.map(|row| format!("  unresolved: {}\n", one_line(text(row, "why"), LINE_LIMIT)))
        .collect()
}

/// The learnings of a run, a line each.
pub fn learning(run: &Value) -> String {
    let rows = member(run, "learning").as_array();
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    let mut out = format!("{}\n", rows.len());
    for row in rows {
        let target = match text(row, "path") {
            "" => text(row, "reason"),
            path => path,
        };
        let line = format!(
            "{} {} -> {}: {target}",
            text(row, "id"),
            text(row, "kind"),
            text(row, "repo_action")
        );
        out.push_str(&format!("{}\n", one_line(&line, 2 * LINE_LIMIT)));
    }
    out
}

/// Runs as a table.
pub fn list(list: &RunList, paint: Paint) -> String {
    if list.runs.is_empty() {
        return "no runs are recorded\n".to_owned();
    }
    let rows: Vec<Vec<String>> = list
        .runs
        .iter()
        .map(|run| {
            let status = match run.active {
                true => paint.bold("active"),
                false => run.status.name().to_owned(),
            };
            let request = one_line(&run.request, LINE_LIMIT);
            vec![clean(&run.id), status, clean(&run.updated_at), request]
        })
        .collect();
    let mut out = table(&rows, 2);
    if list.truncated {
        out.push_str("there are more: --limit N lists them\n");
    }
    out
}

/// Renders the reasons for not closing a run.
pub fn missing(closed: &RunClosed) -> String {
    let mut out = format!("aictx: run {} stays open:\n", clean(&closed.id));
    for missing in &closed.missing {
        let message = one_line(&missing.message, 2 * LINE_LIMIT);
        out.push_str(&format!(
            "- {}: {message}\n  {}\n",
            missing.gate,
            clean(&missing.next)
        ));
    }
    out
}

/// Renders the runs that `gc` changed, or would change.
pub fn gc(reply: &RunGc) -> String {
    let mut out = String::new();
    let names = match reply.applied {
        true => ["parked", "compressed"],
        false => ["to park", "to compress"],
    };
    for (name, ids) in names.into_iter().zip([&reply.parked, &reply.compressed]) {
        for id in ids {
            out.push_str(&format!("{name}: {}\n", clean(id)));
        }
    }
    if out.is_empty() {
        return "nothing to do\n".to_owned();
    }
    if !reply.applied {
        out.push_str("--apply does it\n");
    }
    out
}

/// Documents and files of a request. Nothing where no document fits.
pub fn intake(reply: &IntakeReply, explain: bool) -> String {
    let Some(confidence) = reply.confidence else {
        return String::new();
    };
    let mut out = format!("Confidence: {confidence}\n");
    for doc in &reply.docs {
        let title = one_line(&doc.title, LINE_LIMIT);
        let by: Vec<&str> = doc.matches.iter().map(String::as_str).take(6).collect();
        let by = one_line(&by.join(", "), LINE_LIMIT);
        out.push_str(&format!("{} ({title}), by {by}\n", clean(&doc.path)));
        if explain {
            let details = doc.score_details.iter();
            let details: Vec<String> = details
                .map(|(name, score)| format!("{name} {score}"))
                .collect();
            out.push_str(&format!("  score {}: {}\n", doc.score, details.join(", ")));
        }
    }
    if !reply.files.is_empty() {
        out.push_str("Open first:\n");
    }
    for file in &reply.files {
        let why = match explain {
            true => format!(" (score {}, {} by itself)", file.score, file.direct_score),
            false => String::new(),
        };
        out.push_str(&format!("- {}{why}\n", clean(&file.path)));
    }
    for (title, list) in [("Verify", &reply.verify), ("Risks", &reply.risks)] {
        if !list.is_empty() {
            out.push_str(&format!("{title}:\n"));
        }
        for entry in list {
            out.push_str(&format!("- {}\n", one_line(entry, 3 * LINE_LIMIT)));
        }
    }
    out
}

/// Renders findings about documents, a line each.
pub fn docs(reply: &DocsReply) -> String {
    let mut out = String::new();
    for finding in &reply.findings {
        let place = match finding.line {
            0 => clean(&finding.path),
            line => format!("{}:{line}", clean(&finding.path)),
        };
        out.push_str(&format!("{place}: {}\n", clean(&finding.message)));
    }
    if out.is_empty() {
        let documents = if reply.checked == 1 {
            "document"
        } else {
            "documents"
        };
        out = format!("{} {documents} checked\n", reply.checked);
    }
    out
}
