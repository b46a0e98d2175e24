//! Memory for people: one page in Markdown, and a diagram.

use aictx_proto::json::member;
use aictx_proto::text::clean;
use serde_json::{Map, Value};

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

/// All of memory in two forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The page, in Markdown; texts of memory are escaped.
    pub markdown: String,
    /// The same as a Mermaid flow chart.
    pub mermaid: String,
    /// Number of items by kind.
    pub summary: Map<String, Value>,
}

/// Renders the items of `memory.list`. `name` is the repository's. Linear in the items.
pub fn page(name: &str, items: &[Value]) -> Page {
    let count = |(kind, _, count): &(&str, &str, &str)| {
        ((*count).to_owned(), of_kind(items, kind).count().into())
    };
    Page {
        markdown: markdown(name, items),
        mermaid: mermaid(name, items),
        summary: KINDS.iter().map(count).collect(),
    }
}

fn of_kind<'a>(items: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let current = items
        .iter()
        .filter(|item| !member(item, "wrong").is_string());
    current.filter(move |item| member(item, "kind") == kind)
}

fn text(item: &Value, name: &str, length: usize) -> String {
    clean(member(item, name).as_str().unwrap_or_default(), length)
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

fn markdown(name: &str, items: &[Value]) -> String {
    let mut out = format!("# What is remembered in {}\n", plain(name));
    let mut empty = true;
    for (kind, title, _) in KINDS {
        let all = of_kind(items, kind).count();
        if all == 0 {
            continue;
        }
        empty = false;
        out.push_str(&format!("\n## {title}\n\n"));
        for item in of_kind(items, kind).take(ON_PAGE) {
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

fn mermaid(name: &str, items: &[Value]) -> String {
    // In quoted labels only quotes and entities mean anything.
    let label = |text: &str| {
        let text = text.replace('&', "&amp;").replace('"', "&quot;");
        text.replace('<', "&lt;").replace('>', "&gt;")
    };
    let mut nodes = format!("flowchart TD\n  repo[\"{}\"]\n", label(name));
    let mut edges = String::new();
    for (kind, title, _) in KINDS {
        let all = of_kind(items, kind).count();
        if all == 0 {
            continue;
        }
        nodes.push_str(&format!("  {kind}[\"{title}: {all}\"]\n"));
        edges.push_str(&format!("  repo --> {kind}\n"));
        for (n, item) in of_kind(items, kind).take(IN_DIAGRAM).enumerate() {
            let text = label(&text(item, "text", LABEL));
            nodes.push_str(&format!("  {kind}{n}[\"{text}\"]\n"));
            edges.push_str(&format!("  {kind} --> {kind}{n}\n"));
        }
    }
    nodes + &edges
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        let items = [
            json!({ "id": "note::1", "kind": "note", "text": "a \"b\"] <script>\n# c", "status": "" }),
            json!({ "id": 7, "kind": "task" }),
            json!("nothing"),
            json!({ "id": "note::2", "kind": "note", "text": "gone", "wrong": "it is" }),
        ];
        let page = markdown("demo", &items);
        assert!(
            page.contains("- a \"b\"\\] \\<script\\> \\# c — note::1\n"),
            "{page}"
        );
        assert!(!page.contains("gone"));
        let diagram = mermaid("demo", &items);
        assert!(
            diagram.contains("  note0[\"a &quot;b&quot;] &lt;script&gt; # c\"]\n"),
            "{diagram}"
        );
        assert!(
            diagram.contains("  repo --> task\n  task --> task0\n"),
            "{diagram}"
        );
        assert!(markdown("demo", &[]).ends_with("Nothing is remembered yet.\n"));
    }
}
