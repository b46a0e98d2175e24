//! Answers of `recall`, `preview` and `remember` as text.

use aictx_proto::methods::{DecideReply, Preview, RecallItem, Recalled};

use crate::cli::text::{Paint, clean, label, one_line};

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
