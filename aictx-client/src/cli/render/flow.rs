//! Flows.

use std::time::{SystemTime, UNIX_EPOCH};

use aictx_proto::Timestamp;
use aictx_proto::flow::{FlowStatus, Usage};
use aictx_proto::json::member;
use aictx_proto::methods::{
    FLOW_COST, FLOW_DIFF, FLOW_INBOX, FLOW_LOG, FLOW_STATUS, FlowEvent, FlowQuestion, FlowReply,
    FlowRow,
};
use serde_json::Value;

use super::LINE_LIMIT;
use crate::cli::terminal_text::{Paint, clean, duration, one_line, table};

/// Cells of a bar.
const BAR: u64 = 20;
/// Lines of details.
const MAX_DETAILS: usize = 8;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}

fn span(seconds: i64) -> String {
    duration(u64::try_from(seconds).unwrap_or(0))
}

/// Answer of any `flow` command.
pub fn reply(method: &str, reply: &FlowReply, paint: Paint) -> String {
    let mut out = String::new();
    match method {
        FLOW_STATUS | FLOW_LOG | FLOW_DIFF | FLOW_COST => {}
        _ => out.push_str(&format!("{}\n", clean(&reply.message))),
    }
    for problem in &reply.problems {
        out.push_str(&format!("  {} {}\n", paint.red("problem:"), clean(problem)));
    }
    for warning in &reply.warnings {
        out.push_str(&format!("  {} {}\n", paint.yellow("note:"), clean(warning)));
    }
    match method {
        FLOW_STATUS => {
            for one in &reply.flows {
                out.push_str(&flow(one, paint));
            }
            for item in reply.inbox.iter().filter(|item| !item.text.is_empty()) {
                out.push_str(&format!("\n{}\n", clean(&item.text)));
            }
        }
        FLOW_INBOX => {
            for item in &reply.inbox {
                out.push_str(&question(item, paint));
            }
        }
        FLOW_LOG if !reply.turns.is_empty() => out.push_str(&turns(&reply.turns, paint)),
        FLOW_LOG if !reply.events.is_empty() => {
            for one in &reply.events {
                out.push_str(&format!("{}\n", event(one, paint)));
            }
        }
        FLOW_LOG if reply.text.is_empty() => out.push_str("nothing yet\n"),
        FLOW_COST => out.push_str(&cost(reply)),
        _ => {}
    }
    if !reply.text.is_empty() {
        out.push_str(&clean(&reply.text));
        out.push('\n');
    }
    out
}

fn colour(status: FlowStatus, paint: Paint) -> String {
    let name = status.name();
    match status {
        FlowStatus::Running | FlowStatus::Completed => paint.green(name),
        FlowStatus::Failed => paint.red(name),
        FlowStatus::Superseded | FlowStatus::Stopped => name.to_owned(),
        _ => paint.yellow(name),
    }
}

/// A flow on less than one screen.
pub fn flow(flow: &FlowRow, paint: Paint) -> String {
    let mut out = format!(
        "{} {}  {}",
        paint.bold(&clean(&flow.flow_id)),
        colour(flow.status, paint),
        one_line(&flow.worktree, LINE_LIMIT)
    );
    if !flow.branch.is_empty() {
        out.push_str(&format!(" ({})", one_line(&flow.branch, LINE_LIMIT)));
    }
    out.push('\n');
    if let Some(code) = flow.reason_code {
        out.push_str(&format!(
            "  {} ({})\n",
            one_line(&flow.reason, LINE_LIMIT),
            code.code()
        ));
        for line in flow.details.iter().take(MAX_DETAILS) {
            out.push_str(&format!("    {}\n", one_line(line, LINE_LIMIT)));
        }
    }
    if let Some(due) = flow.due_at {
        let at = Timestamp::from_unix(due);
        out.push_str(&format!("  goes on at {at}, in {}\n", span(due - now())));
    }
    if !flow.ticket.is_empty() {
        out.push_str(&format!(
            "  ticket   {}  {}\n",
            one_line(&flow.ticket, LINE_LIMIT),
            one_line(&flow.title, LINE_LIMIT)
        ));
    }
    if flow.turn > 0 {
        out.push_str(&format!("  now      {}\n", live(flow)));
    }
    let (done, all) = flow.tickets;
    out.push_str(&format!(
        "  tickets  {} {done} of {all}\n",
        bar(done as u64, all as u64)
    ));
    let (used, cap) = flow.turns;
    out.push_str(&format!(
        "  turns    {} {used} of {cap}, {}\n",
        bar(used.into(), cap.into()),
        duration(flow.seconds)
    ));
    let tokens = flow.usage.tokens();
    match flow.max_tokens {
        Some(cap) => out.push_str(&format!(
            "  tokens   {} {tokens} of {cap}\n",
            bar(tokens, cap)
        )),
        None if tokens > 0 => out.push_str(&format!("  tokens   {}\n", usage(flow.usage))),
        None => {}
    }
    if let (Some(cap), Some(cost)) = (flow.max_cost_usd, flow.usage.cost_usd) {
        let cents = |usd: f64| (usd * 100.0).max(0.0) as u64;
        out.push_str(&format!(
            "  cost     {} ${cost:.2} of ${cap:.2}\n",
            bar(cents(cost), cents(cap))
        ));
    }
    if !flow.unverified.is_empty() {
        out.push_str(&format!(
            "  {} {}\n",
            paint.yellow("unverified:"),
            one_line(&flow.unverified.join(", "), LINE_LIMIT)
        ));
    }
    if flow.full_access {
        out.push_str(&format!("  {}\n", paint.yellow("agents have full access")));
    }
    out.push_str(&format!("  next: {}\n", clean(&flow.next)));
    out
}

fn bar(used: u64, of: u64) -> String {
    let filled = match of {
        0 => 0,
        of => used.min(of).saturating_mul(BAR) / of,
    };
    let cells = |count: u64, cell: &str| cell.repeat(usize::try_from(count).unwrap_or(0));
    format!("[{}{}]", cells(filled, "#"), cells(BAR - filled, "."))
}

/// The turn under way in a line.
fn live(flow: &FlowRow) -> String {
    let elapsed = match flow.turn_started_at {
        0 => String::new(),
        at => format!(", {}", span(now() - at)),
    };
    let line = match (flow.is_queued, flow.line.as_str()) {
        (true, _) => ": waits for other flows".to_owned(),
        (_, "") => String::new(),
        (_, line) => format!(": {}", one_line(line, LINE_LIMIT)),
    };
    format!(
        "turn {} ({} by {}){elapsed}{line}",
        flow.turn,
        clean(&flow.kind),
        clean(&flow.agent)
    )
}

/// Flows, a line each.
pub fn flows(reply: &FlowReply, paint: Paint) -> String {
    let rows: Vec<Vec<String>> = reply
        .flows
        .iter()
        .map(|flow| {
            let reason = flow.reason_code.map_or("", |code| code.code());
            vec![
                clean(&flow.flow_id),
                colour(flow.status, paint),
                one_line(&flow.ticket, LINE_LIMIT),
                format!("{}/{}", flow.turns.0, flow.turns.1),
                reason.to_owned(),
                one_line(&flow.worktree, LINE_LIMIT),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => format!("{}\n", clean(&reply.message)),
        false => table(&rows, 0),
    }
}

fn question(item: &FlowQuestion, paint: Paint) -> String {
    let state = match item.state.as_str() {
        "open" => format!("aictx flow reply --to {} 'TEXT'", item.id),
        state => format!("{state}: {}", item.resolution),
    };
    let text = match item.text.is_empty() {
        true => String::new(),
        false => format!(
            "    {}\n",
            clean(&item.text).trim_end().replace('\n', "\n    ")
        ),
    };
    format!(
        "{} {} ({}), {}\n{text}    {}\n",
        paint.bold(&clean(&item.id)),
        one_line(&item.title, LINE_LIMIT),
        item.reason.code(),
        Timestamp::from_unix(item.at),
        clean(&state)
    )
}

/// An event as a line.
pub fn event(event: &FlowEvent, _: Paint) -> String {
    let at = Timestamp::from_unix(event.at).to_string();
    let time = at.get(11..19).unwrap_or(&at);
    format!("{time} {}", one_line(&event.text, LINE_LIMIT * 2))
}

fn usage(usage: Usage) -> String {
    let cost = usage
        .cost_usd
        .map_or(String::new(), |cost| format!(", ${cost:.2}"));
    format!(
        "{} in, {} cached, {} out{cost}",
        usage.input, usage.cached, usage.output
    )
}

fn turns(all: &[Value], paint: Paint) -> String {
    let number = |turn: &Value, name: &str| member(turn, name).as_i64().unwrap_or(0);
    let text = |turn: &Value, name: &str| {
        one_line(member(turn, name).as_str().unwrap_or_default(), LINE_LIMIT)
    };
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|turn| {
            let diff = member(turn, "diff");
            let error = member(turn, "error");
            let outcome = match member(turn, "outcome").as_str() {
                Some("ok") => paint.green("ok"),
                Some(other) => paint.red(other),
                None => String::new(),
            };
            let said = match error.is_null() {
                true => text(turn, "summary"),
                false => text(error, "text"),
            };
            vec![
                number(turn, "n").to_string(),
                text(turn, "kind"),
                text(turn, "file"),
                text(turn, "agent"),
                outcome,
                span(number(turn, "ended_at") - number(turn, "started_at")),
                format!(
                    "+{} -{}",
                    number(diff, "insertions"),
                    number(diff, "deletions")
                ),
                said,
            ]
        })
        .collect();
    table(&rows, 0)
}

fn cost(reply: &FlowReply) -> String {
    let of = |turn: &Value| -> Usage {
        serde_json::from_value(member(turn, "usage").clone()).unwrap_or_default()
    };
    let mut rows: Vec<Vec<String>> = reply
        .turns
        .iter()
        .map(|turn| {
            vec![
                one_line(
                    member(turn, "file").as_str().unwrap_or_default(),
                    LINE_LIMIT,
                ),
                format!("{} turns", member(turn, "turns")),
                span(member(turn, "seconds").as_i64().unwrap_or(0)),
                usage(of(turn)),
            ]
        })
        .collect();
    if let Some(flow) = reply.flows.first() {
        rows.push(vec![
            "all".to_owned(),
            format!("{} turns", flow.turns.0),
            duration(flow.seconds),
            usage(flow.usage),
        ]);
    }
    table(&rows, 0)
}
