//! Answers of `recall`, `preview` and `remember` as text.

use aictx_proto::methods::{DecideReply, ImportReply, Preview, RecallItem, Recalled};

use crate::cli::terminal_text::{Paint, clean, label, one_line, table};

/// Longest line.
const LINE: usize = 160;
/// Details shown of an item.
const DETAILS: usize = 4;

/// `aictx recall`.
pub fn items(recalled: &Recalled, paint: Paint) -> String {
    if recalled.items.is_empty() {
        return "nothing that fits is remembered\n".to_owned();
    }
    let mut out = String::new();
    for item in &recalled.items {
        out.push_str(&label(&one(item, paint), item.origin));
    }
    if recalled.truncated {
        out.push_str("… there are more; -n shows them\n");
    }
    out
}

fn one(item: &RecallItem, paint: Paint) -> String {
    let day = item.timestamp.get(..10).unwrap_or(&item.timestamp);
    let about = [&*item.kind, &*item.status, day, &*item.agent, &*item.branch];
    let about = about.iter().filter(|part| !part.is_empty());
    let about: Vec<String> = about.map(|part| clean(part)).collect();
    let mut out = format!("{}  {}\n", about.join(" · "), clean(&item.id));
    out.push_str(&format!("  {}\n", paint.bold(&one_line(&item.text, LINE))));
    if !item.request.is_empty() && item.request != item.text {
        out.push_str(&format!("  for: {}\n", one_line(&item.request, LINE)));
    }
    for detail in item.details.iter().take(DETAILS) {
        out.push_str(&format!("  {}\n", one_line(detail, LINE)));
    }
    if !item.files.is_empty() {
        out.push_str(&format!(
            "  files: {}\n",
            one_line(&item.files.join(", "), LINE)
        ));
    }
    for stale in &item.stale {
        out.push_str(&format!("  {}\n", one_line(stale, LINE)));
    }
    out
}

/// `aictx import`.
pub fn imported(reply: &ImportReply, is_removal: bool, paint: Paint) -> String {
    if is_removal {
        let items = plural(reply.removed, "imported item");
        return match reply.dry_run {
            true => format!("{items} would be removed\n"),
            false => format!("removed {items}\n"),
        };
    }
    if reply.sources.is_empty() {
        return "nothing to import was found\n".to_owned();
    }
    let mut rows = Vec::new();
    let mut added = 0;
    for source in &reply.sources {
        added += source.added + source.changed;
        let named = match source.source.as_str() {
            "" => "unknown",
            name => name,
        };
        let mut counts = vec![format!("{} new", source.added)];
        let more = [
            (source.changed, "grown"),
            (source.known, "already imported"),
        ];
        let more = more.iter().filter(|(count, _)| *count > 0);
        counts.extend(more.map(|(count, what)| format!("{count} {what}")));
        let skipped = source.skipped.iter();
        counts.extend(skipped.map(|(why, count)| format!("{count} skipped: {}", clean(why))));
        if source.not_understood > 0 {
            counts.push(format!(
                "{} not understood",
                plural(source.not_understood, "line")
            ));
        }
        rows.push(vec![clean(named), counts.join(", ")]);
    }
    let mut out = table(&rows, 2);
    let secrets: u64 = reply.redacted.values().sum();
    if secrets > 0 {
        out.push_str(&format!("{} taken out\n", plural(secrets, "secret")));
    }
    out.push_str(&match (reply.dry_run, added) {
        (true, 0) | (false, 0) => "nothing new\n".to_owned(),
        (true, _) => format!(
            "{} would be imported; run it without --dry-run\n",
            plural(added, "item")
        ),
        (false, _) => paint.bold(&format!("imported {}", plural(added, "item"))) + "\n",
    });
    out
}

/// `1 secret`, `2 secrets`.
fn plural(count: u64, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// `aictx preview`.
pub fn preview(reply: &Preview, prompt: &str, paint: Paint) -> String {
    let title = |text: &str| paint.bold(text);
    let mut out = format!("{}\n{}\n", title("At the start"), paint.shown(&reply.start));
    if !prompt.trim().is_empty() {
        let told = match reply.prompt.as_str() {
            "" => "(nothing: no memory fits it)".to_owned(),
            told => paint.shown(told),
        };
        out.push_str(&format!("\n{}\n{told}\n", title("With the prompt")));
    }
    out.push_str(&format!("\n{}\n", title("Why")));
    for receipt in &reply.receipts {
        out.push_str(&super::memory::receipt("", receipt, paint));
    }
    out
}

/// `aictx remember`.
pub fn remembered(reply: &DecideReply) -> String {
    let said = match reply.recorded {
        true => "remembered\n",
        false => "it is remembered already\n",
    };
    format!("{said}{}", super::warnings(&reply.warnings))
}
