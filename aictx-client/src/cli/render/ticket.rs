//! Tickets as text for people.

use aictx_proto::methods::{
    Severity, TicketFinding, TicketList, TicketReply, TicketRow, TicketState,
};
use aictx_proto::time::Timestamp;

use crate::cli::terminal_text::{Paint, clean, duration, one_line, table};

/// Longest title on a line of a list.
const TITLE: usize = 80;

/// `aictx ticket list`.
pub fn list(list: &TicketList, paint: Paint) -> String {
    match list.tickets.is_empty() {
        true => format!("no tickets in {}\n", clean(&list.directory)),
        false => rows(&list.tickets, paint),
    }
}

fn rows(all: &[TicketRow], paint: Paint) -> String {
    let row = |row: &TicketRow| {
        let state = match row.state {
            TicketState::Ready => paint.green("ready"),
            TicketState::Claimed => paint.yellow("claimed"),
            TicketState::Blocked => "blocked".to_owned(),
            TicketState::Done => "done".to_owned(),
            TicketState::Invalid => paint.red("invalid"),
        };
        let mut title = one_line(&row.title, TITLE);
        if row.state == TicketState::Claimed {
            title.push_str(&format!(
                " (by {}{})",
                one_line(&row.claimed_by, 40),
                age(&row.claimed_at)
            ));
        } else if !row.blocked_by.is_empty() {
            title.push_str(&format!(
                " (waits for {})",
                one_line(&row.blocked_by.join(", "), TITLE)
            ));
        }
        vec![
            format!("{:03}", row.number),
            state,
            one_line(&row.agent, 24),
            title,
        ]
    };
    table(&all.iter().map(row).collect::<Vec<_>>(), 0)
}

/// `, 5 min ago`; nothing for what is no time.
fn age(at: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or_default();
    match Timestamp::parse(at) {
        Some(at) => format!(", {} ago", duration(Timestamp::from_unix(now).since(at))),
        None => String::new(),
    }
}

/// `aictx ticket ready`.
pub fn ready(ready: &[TicketRow], waiting: &[TicketRow], paint: Paint) -> String {
    let mut out = match ready.is_empty() {
        true => "no ticket is ready\n".to_owned(),
        false => rows(ready, paint),
    };
    if !waiting.is_empty() {
        out.push_str(&format!(
            "\n{}\n{}",
            paint.bold("not ready"),
            rows(waiting, paint)
        ));
    }
    out
}

/// `aictx ticket show`.
pub fn one(reply: &TicketReply, paint: Paint) -> String {
    let Some(row) = reply.tickets.first() else {
        return String::new();
    };
    let text = clean(reply.text.as_deref().unwrap_or_default());
    format!(
        "{}{}\n\n{text}{}",
        rows(std::slice::from_ref(row), paint),
        clean(&row.file),
        match text.ends_with('\n') {
            true => "",
            false => "\n",
        }
    )
}

/// A command that changed something, or found that it is so already.
pub fn changed(reply: &TicketReply) -> String {
    let mut out = format!("{}\n", clean(&reply.message));
    if !reply.claim.is_empty() {
        out.push_str(&format!("claim: {}\n", clean(&reply.claim)));
    }
    for rename in &reply.renamed {
        out.push_str(&format!(
            "  {} → {}\n",
            clean(&rename.from),
            clean(&rename.to)
        ));
    }
    out
}

/// Warnings and findings beside it.
pub fn notes(reply: &TicketReply, paint: Paint) -> String {
    super::warnings(&reply.warnings) + &findings(&reply.findings, paint)
}

/// Findings, a line each: `file:line:column: code message`.
pub fn findings(all: &[TicketFinding], paint: Paint) -> String {
    let line = |finding: &TicketFinding| {
        let place = match finding.line {
            0 => clean(&finding.file),
            line => format!("{}:{line}:{}", clean(&finding.file), finding.column),
        };
        let code = match finding.severity {
            Severity::Error => paint.red(&clean(&finding.code)),
            Severity::Warning => paint.yellow(&clean(&finding.code)),
        };
        let fix = match finding.fix.as_str() {
            "" => String::new(),
            fix => format!(" (write `{}`)", one_line(fix, 120)),
        };
        format!("{place}: {code} {}{fix}\n", clean(&finding.message))
    };
    all.iter().map(line).collect()
}

/// `aictx ticket lint`.
pub fn lint(list: &TicketList, paint: Paint) -> String {
    let mut out: String = list
        .repaired
        .iter()
        .map(|file| format!("repaired {}\n", clean(file)))
        .collect();
    out.push_str(&findings(&list.findings, paint));
    let count = |severity| {
        list.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    out.push_str(&format!(
        "{}: {}, {}\n",
        counted(list.count, "ticket"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning")
    ));
    out
}

/// `aictx ticket fmt`.
pub fn formatted(files: &[String], check: bool) -> String {
    let what = if check { "would change" } else { "changed" };
    match files.is_empty() {
        true => "nothing to change\n".to_owned(),
        false => files
            .iter()
            .map(|file| format!("{what} {}\n", clean(file)))
            .collect(),
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
