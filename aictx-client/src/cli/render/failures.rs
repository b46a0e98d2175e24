//! Answers of `failures` as text.

use aictx_proto::methods::{FailureList, FailureReply};

use crate::cli::terminal_text::{Paint, clean, label, one_line};

/// Longest line of an error.
const LINE: usize = 110;

/// `aictx failures list`.
pub fn list(list: &FailureList, paint: Paint) -> String {
    if list.failures.is_empty() {
        return "no such failure is remembered\n".to_owned();
    }
    let mut out = String::new();
    for failure in &list.failures {
        let mut lines = String::new();
        lines.push_str(&format!(
            "{}  {}x  {}  {}\n",
            status(&failure.status, paint),
            failure.occurrences.max(1),
            clean(&failure.last_seen),
            paint.bold(&clean(&failure.failure_id)),
        ));
        lines.push_str(&format!("      {}\n", one_line(&failure.error, LINE)));
        if !failure.failed_command.is_empty() {
            lines.push_str(&format!(
                "      $ {}\n",
                one_line(&failure.failed_command, LINE)
            ));
        }
        if !failure.resolution_summary.is_empty() {
            let fixed = one_line(&failure.resolution_summary, LINE);
            let title = fixed_by(&failure.status);
            lines.push_str(&format!("      {title}: {fixed}\n"));
        }
        out.push_str(&label(&lines, failure.origin));
    }
    if list.truncated {
        out.push_str("… there are more; --limit shows them\n");
    }
    out
}

fn status(status: &str, paint: Paint) -> String {
    if status == "resolved" {
        "resolved".to_owned()
    } else {
        paint.red("open    ")
    }
}

/// The other commands.
pub fn one(reply: &FailureReply, paint: Paint) -> String {
    let failure = &reply.failure;
    let mut out = String::new();
    if reply.action != "shown" {
        out.push_str(&format!("{} ", clean(&reply.action)));
    }
    out.push_str(&format!("{}\n", paint.bold(&clean(&failure.failure_id))));
    if reply.action == "forgotten" {
        return label(&out, failure.origin);
    }
    let mut line = |name: &str, text: &str| {
        if !text.trim().is_empty() {
            out.push_str(&format!("  {name:<14}{}\n", one_line(text, 400)));
        }
    };
    line("status", &failure.status);
    line("seen", &format!("{}x", failure.occurrences.max(1)));
    line("first seen", &failure.first_seen);
    line("last", &failure.timestamp);
    line("command", &failure.failed_command);
    for symptom in &failure.symptoms {
        line("error", symptom);
    }
    line("files", &failure.related_paths.join(", "));
    for tried in &failure.failed_attempts {
        line("tried", tried);
    }
    line(fixed_by(&failure.status), &failure.resolution_summary);
    if failure.resolution_hint != failure.resolution_summary {
        line("hint", &failure.resolution_hint);
    }
    label(&out, failure.origin)
}

/// Label of a fix: one that did not hold when the failure is open again.
fn fixed_by(status: &str) -> &'static str {
    match status {
        "resolved" => "fixed by",
        _ => "once fixed by",
    }
}
