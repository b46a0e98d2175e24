//! Replies as text for people. Everything that came from a repository passes through `clean`.

use aictx_proto::ledger::Outcome;
use aictx_proto::methods::{
    DaemonStatus, FinalizeReply, GuardExplanation, GuardReply, RepoList, SessionList, SessionReport,
};

use super::terminal_text::{
    Paint, clean, duration, label, mebibytes, microseconds, one_line, table,
};

pub mod failures;
pub mod flow;
pub mod guard;
pub mod map;
pub mod memory;
pub mod recall;
pub mod run;
pub mod setup;
pub mod ticket;

/// Longest request or command shown on a line of a table.
const LINE_LIMIT: usize = 100;

/// Warnings, a line each.
pub fn warnings(list: &[String]) -> String {
    list.iter()
        .map(|text| format!("warning: {}\n", clean(text)))
        .collect()
}

/// Renders the answer of `aictx guard`.
pub fn guard(reply: &GuardReply, paint: Paint) -> String {
    let decision = match reply.decision.as_str() {
        "allow" => reply.decision.clone(),
        "block" => paint.red(&reply.decision),
        other => paint.yellow(other),
    };
    let mut out = format!("AICTX guard: {decision} ({})\n", reply.status);
    for warning in &reply.warnings {
        out.push_str(&format!(
            "- {}: {}\n",
            clean(&warning.code),
            clean(&warning.message)
        ));
    }
    for action in &reply.suggested_actions {
        if action.kind == "run_command" {
            out.push_str(&format!("run: {}\n", clean(&action.value)));
        }
    }
    out.push_str(&format!("next: {}\n", clean(&reply.suggested_next)));
    if let Some(explanation) = &reply.explanation {
        out.push_str(&explained(explanation, reply));
    }
    out
}

/// `aictx guard --explain`.
fn explained(explanation: &GuardExplanation, reply: &GuardReply) -> String {
    let mut out = String::from("why:\n");
    for finding in &explanation.findings {
        out.push_str(&format!("  {}\n", guard::finding(finding)));
    }
    if explanation.findings.is_empty() {
        out.push_str("  no rule was met\n");
    }
    if !explanation.contract_id.is_empty() {
        out.push_str(&format!(
            "  contract {} (chosen by {})\n",
            clean(&explanation.contract_id),
            clean(&reply.contract_source)
        ));
    }
    if !explanation.limits.is_empty() {
        let limits: Vec<String> = explanation.limits.iter().map(|p| clean(p)).collect();
        out.push_str(&format!("  off limits: {}\n", limits.join(", ")));
    }
    out.push_str(&format!("  took {} µs\n", explanation.took_us));
    out
}

/// Stands for a summary that cannot be had.
pub const NO_SUMMARY: &str = "AICTX summary unavailable";

/// `aictx finalize` on standard output.
pub fn finalize(reply: &FinalizeReply) -> String {
    let mut out = clean(&reply.agent_summary_text);
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// `aictx finalize` on standard error.
pub fn finalize_notes(reply: &FinalizeReply) -> String {
    let mut out = warnings(&reply.warnings);
    if !reply.recorded {
        out.push_str(&format!(
            "note: execution {} was recorded before; nothing was changed\n",
            clean(&reply.execution_id)
        ));
    }
    if !reply.redacted.is_empty() {
        let parts: Vec<String> = reply
            .redacted
            .iter()
            .map(|(kind, count)| format!("{count} {}", clean(kind)))
            .collect();
        out.push_str(&format!("redacted: {}\n", parts.join(", ")));
    }
    out
}

/// Registered repositories.
pub fn repositories(list: &RepoList) -> String {
    if list.repositories.is_empty() {
        return "no repositories are registered; `aictx init` in one registers it\n".to_owned();
    }
    let rows: Vec<Vec<String>> = list
        .repositories
        .iter()
        .map(|entry| {
            vec![
                one_line(&entry.repo_path, usize::MAX),
                clean(&entry.last_seen),
                if entry.exists { "" } else { "missing" }.to_owned(),
            ]
        })
        .collect();
    table(&rows, 0)
}

/// `aictx session list`.
pub fn sessions(list: &SessionList) -> String {
    if list.sessions.is_empty() {
        return "no sessions are recorded\n".to_owned();
    }
    let mut rows = vec![
        [
            "SESSION",
            "RUNNER",
            "STATE",
            "LAST SEEN",
            "EDITED",
            "COMMANDS",
            "REQUEST",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    rows.extend(list.sessions.iter().map(|s| {
        vec![
            one_line(&s.session_id, 40),
            clean(&s.runner),
            clean(&s.state),
            clean(&s.last_seen_at),
            s.files_edited.to_string(),
            commands(s.commands, s.commands_failed),
            label(&one_line(&s.request, 60), s.origin),
        ]
    }));
    let mut out = table(&rows, 0);
    if list.truncated {
        out.push_str("… there are more; -n shows them\n");
    }
    out
}

fn commands(all: u64, failed: u64) -> String {
    if failed == 0 {
        all.to_string()
    } else {
        format!("{all} ({failed} failed)")
    }
}

/// `aictx session show`.
pub fn session(report: &SessionReport, paint: Paint) -> String {
    let s = &report.session;
    let head = [
        ("session", &s.session_id),
        ("runner", &s.runner),
        ("state", &s.state),
        ("branch", &s.branch),
        ("started", &s.started_at),
        ("last seen", &s.last_seen_at),
        ("request", &s.request),
        ("executions", &s.executions.join(", ")),
    ];
    let rows: Vec<Vec<String>> = head
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| vec![(*name).to_owned(), one_line(value, LINE_LIMIT)])
        .collect();
    let mut out = table(&rows, 0);
    let mut section = |title: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            out.push_str(&format!("\n{}\n{}", paint.bold(title), table(&rows, 2)));
        }
    };
    let paths = |list: &[String]| {
        list.iter()
            .map(|path| vec![one_line(path, usize::MAX)])
            .collect::<Vec<_>>()
    };
    section("files edited", paths(&report.files_edited));
    section("files read", paths(&report.files_read));
    section(
        "commands",
        report
            .commands
            .iter()
            .map(|c| {
                let outcome = match (c.outcome, c.exit_status) {
                    (Outcome::Failed, Some(status)) => format!("failed ({status})"),
                    (Outcome::Failed, None) => "failed".to_owned(),
                    (Outcome::Passed, _) => "passed".to_owned(),
                    (Outcome::Unknown, _) => "unknown".to_owned(),
                };
                vec![outcome, one_line(&c.command, LINE_LIMIT)]
            })
            .collect(),
    );
    section(
        "errors",
        report
            .errors
            .iter()
            .map(|event| vec![one_line(&event.render(), LINE_LIMIT)])
            .collect(),
    );
    section(
        "rows",
        report
            .rows
            .iter()
            .map(|row| vec![clean(&serde_json::to_string(row).unwrap_or_default())])
            .collect(),
    );
    if report.truncated {
        out.push_str("… some of it was left out\n");
    }
    label(&out, s.origin)
}

/// `aictx status` of a running daemon.
pub fn status(report: &DaemonStatus, paint: Paint) -> String {
    let facts = [
        (
            "daemon",
            format!(
                "running, version {}, pid {}, up {}",
                clean(&report.version),
                report.pid,
                duration(report.uptime_seconds)
            ),
        ),
        ("socket", clean(&report.socket)),
        (
            "memory",
            format!(
                "{}, {} ms of processor time",
                mebibytes(report.rss_bytes),
                report.cpu_ms
            ),
        ),
        ("connections", report.connections.to_string()),
        (
            "open files",
            match report.open_files_limit {
                0 => report.open_files.to_string(),
                limit => format!("{} of {limit}", report.open_files),
            },
        ),
        (
            "spool",
            format!(
                "{} waiting, {} lost",
                report.spool_waiting, report.hooks_lost
            ),
        ),
        ("log", clean(&report.log)),
    ];
    let rows: Vec<Vec<String>> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    let mut out = table(&rows, 0);
    let mut section = |title: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            out.push_str(&format!("\n{}\n{}", paint.bold(title), table(&rows, 2)));
        }
    };
    let repositories = report.repositories.iter().map(|r| {
        let watch = if r.watch.reason.is_empty() {
            format!("watch {}", clean(&r.watch.mode))
        } else {
            format!(
                "watch {} ({})",
                clean(&r.watch.mode),
                clean(&r.watch.reason)
            )
        };
        vec![
            clean(&r.repo),
            clean(&r.state),
            format!("{} commits", r.commits),
            format!("{} queued", r.queued),
            watch,
        ]
    });
    section("repositories", repositories.collect());
    let sessions = report.sessions.iter().map(|s| {
        vec![
            one_line(&s.session_id, 40),
            clean(&s.runner),
            clean(&s.repo),
            clean(&s.last_seen_at),
        ]
    });
    section("live sessions", sessions.collect());
    let methods = report.methods.iter().map(|m| {
        vec![
            clean(&m.method),
            format!("{} calls", m.calls),
            format!("{} errors", m.errors),
            format!("p50 {}", microseconds(m.p50_us)),
            format!("p99 {}", microseconds(m.p99_us)),
        ]
    });
    section("methods", methods.collect());
    let troubles = report.repositories.iter().flat_map(|r| {
        r.warnings
            .iter()
            .map(|warning| vec![clean(&r.repo), one_line(warning, usize::MAX)])
    });
    section("found in repositories", troubles.collect());
    out
}

#[cfg(test)]
mod tests;
