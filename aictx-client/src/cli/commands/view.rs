//! `view`: what is remembered on one page, and `advanced`: the commands beyond the daily ones.

use std::fs;

use aictx_proto::methods::{MEMORY_LIST, MemoryList, MemoryListParams};
use clap::CommandFactory;
use serde_json::{Value, json};

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::{CommandLine, View};
use crate::cli::call::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::text::one_line;

/// Items read at most.
const ITEMS: u32 = 500;
/// Items of one kind on the page and in the diagram.
const ON_PAGE: usize = 20;
const IN_DIAGRAM: usize = 5;
/// Characters of one item.
const LINE: usize = 160;
const LABEL: usize = 60;
/// Kinds of items, in the order of the page, with the name of their count.
const KINDS: [(&str, &str, &str); 6] = [
    ("task", "Tasks", "tasks"),
    ("handoff", "Handoffs", "handoffs"),
    ("decision", "Decisions", "decisions"),
    ("failure", "Failures", "failures"),
    ("strategy", "Strategies", "strategies"),
    ("note", "Notes", "notes"),
];
/// Commands of every day, which `advanced` leaves out.
const DAILY: [&str; 7] = [
    "install",
    "init",
    "resume",
    "finalize",
    "clean",
    "uninstall",
    "advanced",
];

/// `aictx view`.
pub(super) fn view(backend: &Backend, options: &View) -> Result<Answer, CliError> {
    let repo = absolute(&options.at.repo)?;
    let params = MemoryListParams {
        repo: repo.clone(),
        kind: String::new(),
        limit: ITEMS,
    };
    let list: MemoryList = parse(backend.call(MEMORY_LIST, &params)?)?;
    let name = repo.rsplit('/').next().unwrap_or_default();
    let summary: Value = KINDS
        .iter()
        .map(|(kind, _, count)| ((*count).to_owned(), of_kind(&list, kind).count().into()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let shown = if options.mermaid {
        mermaid(name, &list)
    } else {
        markdown(name, &list)
    };
    let mut view = json!({ "format": if options.mermaid { "mermaid" } else { "markdown" } });
    let mut text = shown.clone();
    match &options.output {
        Some(file) => {
            fs::write(file, &shown).map_err(|e| CliError::io(file.display(), &e))?;
            aictx_proto::json::set(&mut view, "path", file.to_string_lossy());
            text = format!("wrote {}\n", file.display());
        }
        None => aictx_proto::json::set(&mut view, "content", shown),
    }
    Ok(Answer {
        value: json!({ "ok": true, "view": view, "summary": summary }),
        text,
        ..Answer::default()
    })
}

fn of_kind<'a>(list: &'a MemoryList, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let current = list
        .items
        .iter()
        .filter(|item| !member(item, "wrong").is_string());
    current.filter(move |item| member(item, "kind") == kind)
}

fn member<'a>(item: &'a Value, name: &str) -> &'a Value {
    item.get(name).unwrap_or(&Value::Null)
}

fn text(item: &Value, name: &str, length: usize) -> String {
    one_line(member(item, name).as_str().unwrap_or_default(), length)
}

/// A text that nothing in Markdown or HTML is read from.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>#|".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn markdown(name: &str, list: &MemoryList) -> String {
    let mut out = format!("# What is remembered in {}\n", plain(name));
    let mut empty = true;
    for (kind, title, _) in KINDS {
        let all = of_kind(list, kind).count();
        if all == 0 {
            continue;
        }
        empty = false;
        out.push_str(&format!("\n## {title}\n\n"));
        for item in of_kind(list, kind).take(ON_PAGE) {
            out.push_str(&format!("- {}", plain(&text(item, "text", LINE))));
            let status = text(item, "status", LABEL);
            if !status.is_empty() {
                out.push_str(&format!(" ({})", plain(&status)));
            }
            out.push_str(&format!(" — {}\n", plain(&text(item, "id", LINE))));
        }
        if all > ON_PAGE {
            out.push_str(&format!(
                "- … and {} more: `aictx memory list --kind {kind}`\n",
                all - ON_PAGE
            ));
        }
    }
    if empty {
        out.push_str("\nNothing is remembered yet.\n");
    }
    out
}

fn mermaid(name: &str, list: &MemoryList) -> String {
    // In quoted labels only quotes and entities mean anything.
    let label = |text: &str| {
        let text = text.replace('&', "&amp;").replace('"', "&quot;");
        text.replace('<', "&lt;").replace('>', "&gt;")
    };
    let mut nodes = format!("flowchart TD\n  repo[\"{}\"]\n", label(name));
    let mut edges = String::new();
    for (kind, title, _) in KINDS {
        let all = of_kind(list, kind).count();
        if all == 0 {
            continue;
        }
        nodes.push_str(&format!("  {kind}[\"{title}: {all}\"]\n"));
        edges.push_str(&format!("  repo --> {kind}\n"));
        for (n, item) in of_kind(list, kind).take(IN_DIAGRAM).enumerate() {
            let text = label(&text(item, "text", LABEL));
            nodes.push_str(&format!("  {kind}{n}[\"{text}\"]\n"));
            edges.push_str(&format!("  {kind} --> {kind}{n}\n"));
        }
    }
    nodes + &edges
}

/// `aictx advanced`.
pub(super) fn advanced() -> Answer {
    let line = CommandLine::command();
    let commands: Vec<(String, String)> = line
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && !DAILY.contains(&command.get_name()))
        .map(|command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        })
        .collect();
    let mut text =
        String::from("Every day: aictx install, init, resume, finalize. Beyond them:\n\n");
    for (name, about) in &commands {
        text.push_str(&format!("  {name:<12} {about}\n"));
    }
    text.push_str("\n`aictx COMMAND --help` shows the options of each\n");
    let listed = commands.iter();
    let listed: Vec<Value> = listed
        .map(|(name, about)| json!({ "name": name, "about": about }))
        .collect();
    Answer {
        value: json!({ "commands": listed }),
        text,
        ..Answer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        let list = MemoryList {
            items: vec![
                json!({ "id": "note::1", "kind": "note", "text": "a \"b\"] <script>\n# c", "status": "" }),
                json!({ "id": 7, "kind": "task" }),
                json!("nothing"),
                json!({ "id": "note::2", "kind": "note", "text": "gone", "wrong": "it is" }),
            ],
            truncated: false,
        };
        let page = markdown("demo", &list);
        assert!(
            page.contains("- a \"b\"\\] \\<script\\> \\# c — note::1\n"),
            "{page}"
        );
        assert!(!page.contains("gone"));
        let diagram = mermaid("demo", &list);
        assert!(
            diagram.contains("  note0[\"a &quot;b&quot;] &lt;script&gt; # c\"]\n"),
            "{diagram}"
        );
        assert!(
            diagram.contains("  repo --> task\n  task --> task0\n"),
            "{diagram}"
        );
        assert!(markdown("demo", &MemoryList::default()).ends_with("Nothing is remembered yet.\n"));
    }
}
