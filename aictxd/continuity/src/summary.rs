//! Summary text of a finalize: one line each for context, map, contract, what was saved and what comes next.

use aictx_proto::record::files;
use aictx_proto::shown::{self, Line, Name, Quoted};
use aictx_proto::text::clean;
use serde_json::{Value, json};

use crate::origin::marked;

/// Tests that the page of an execution names.
const MAX_TESTS: usize = 8;

/// Facts the lines are made of.
pub(crate) struct Facts {
    /// Sources that were there when the execution began.
    pub(crate) loaded: Vec<&'static str>,
    /// Descriptor of a new or repeated failure pattern.
    pub(crate) failure: Option<(bool, String)>,
    /// Patterns resolved by evidence.
    pub(crate) resolved: usize,
    /// Files of a strategy that was followed.
    pub(crate) strategy: Vec<String>,
    /// `incremental ok` and the like; empty when the map was not used.
    pub(crate) map: String,
    /// The contract's line; empty when it was not evaluated.
    pub(crate) contract: String,
    pub(crate) saved: Vec<&'static str>,
    pub(crate) next: Vec<String>,
    pub(crate) entry_points: Vec<String>,
    pub(crate) observed: bool,
}

/// Text, payload for other languages, and the structured short form.
pub(crate) fn render(facts: &Facts) -> (String, Value, Value) {
    let title = "AICTX summary";
    let mut parts: Vec<String> = Vec::new();
    if !facts.strategy.is_empty() {
        let paths = facts.strategy.iter().take(2);
        parts.push(format!(
            "reused previous strategy based on {}",
            Line::join(paths.map(|path| marked(path, Name::new, 200)), ", ")
        ));
    }
    if !facts.loaded.is_empty() {
        parts.push(format!("loaded {}", facts.loaded.join("/")));
    }
    if let Some((existing, descriptor)) = &facts.failure {
        let verb = if *existing {
            "recognised a known"
        } else {
            "recorded a new"
        };
        let kind = match descriptor.as_str() {
            "" => String::new(),
            kind => format!(" ({})", shown::line(kind, 200)),
        };
        parts.push(format!("{verb} failure pattern{kind}"));
    }
    match facts.resolved {
        0 => {}
        1 => parts.push("resolved a known failure".to_owned()),
        n => parts.push(format!("resolved {n} known failures")),
    }
    if parts.is_empty() {
        let text = if facts.observed {
            "registered this execution"
        } else {
            "registered this execution without reusable context"
        };
        parts.push(text.to_owned());
    }
    let mut lines = vec![(
        "context",
        format!("Context: {}.", parts.join(" + ")),
        json!({ "parts": parts }),
    )];
    if !facts.map.is_empty() {
        let line = format!("Map: RepoMap {}.", facts.map);
        lines.push(("map", line, json!({ "status": facts.map })));
    }
    if !facts.saved.is_empty() {
        lines.push((
            "saved",
            format!("Saved: {}.", enumerate(&facts.saved)),
            json!({ "items": facts.saved }),
        ));
    }
    if !facts.contract.is_empty() {
        let line = facts.contract.clone();
        lines.push(("contract_compliance", line, json!({})));
    }
    let next: Vec<String> = facts
        .next
        .iter()
        .take(2)
        .map(|n| clean(n, 160).trim_end_matches('.').to_owned())
        .collect();
    if !next.is_empty() {
        let said = next.iter().map(|step| Quoted::new(step, 160));
        lines.push((
            "next",
            format!("Next: {}.", Line::join(said, "; ")),
            json!({ "items": next }),
        ));
    } else if !facts.entry_points.is_empty() {
        let paths: Vec<&String> = facts.entry_points.iter().take(2).collect();
        let named = paths.iter().map(|path| Name::new(path, 200));
        lines.push((
            "entry_point",
            format!("Entry point: {}.", Line::join(named, ", ")),
            json!({ "paths": paths }),
        ));
    }
    let path = format!(".aictx/{}", files::LAST_SUMMARY);
    let details = format!("Details: [last_execution_summary.md]({path})");
    lines.push((
        "details",
        details,
        json!({ "path": path, "link_text": "last_execution_summary.md" }),
    ));
    let mut text = format!("{}\n{title}\n\n", "─".repeat(32));
    let body: Vec<&str> = lines.iter().map(|(_, line, _)| line.as_str()).collect();
    text.push_str(&body.join("\n"));
    let sections: Vec<Value> = lines
        .iter()
        .map(|(kind, line, detail)| {
            let mut section = json!({ "kind": kind, "canonical_text": line });
            if let (Some(section), Some(detail)) = (section.as_object_mut(), detail.as_object()) {
                section.extend(detail.clone());
            }
            section
        })
        .collect();
    let payload = json!({
        "title": title, "sections": sections, "details_path": path, "canonical_text": text,
    });
    let polished = json!({
        "context": parts, "saved": facts.saved,
        "next": if next.is_empty() { json!({ "kind": "entry_point", "value": facts.entry_points.iter().take(2).collect::<Vec<_>>() }) }
                else { json!({ "kind": "next", "value": next }) },
        "details_path": path,
    });
    (text, payload, polished)
}

fn enumerate(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// `last_execution_summary.md`.
pub(crate) fn markdown(
    rows: &[(&str, String)],
    observed: &[(&str, usize)],
    tests: &[String],
    next: &[String],
    start: &[String],
) -> String {
    let mut out = String::from("# AICTX Execution Summary\n\n## Continuity\n");
    for (name, value) in rows {
        out.push_str(&format!("- {name}: {value}\n"));
    }
    if !next.is_empty() {
        out.push_str("\n## AICTX next\n");
        next.iter()
            .for_each(|n| out.push_str(&format!("- {}\n", Quoted::new(n, 240))));
    }
    out.push_str("\n## Observed execution\n");
    observed
        .iter()
        .for_each(|(name, n)| out.push_str(&format!("- {name}: {n}\n")));
    for test in tests.iter().rev().take(MAX_TESTS) {
        out.push_str(&format!("- test: {}\n", Quoted::new(test, 240)));
    }
    out.push_str("\n## Next session\n");
    if start.is_empty() {
        out.push_str("- none\n");
    }
    start
        .iter()
        .take(5)
        .for_each(|p| out.push_str(&format!("- {}\n", Name::new(p, 240))));
    shown::lines(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_the_grammar() {
        let facts = Facts {
            loaded: vec!["handoff", "failures"],
            failure: Some((false, "pytest test AssertionError".into())),
            resolved: 0,
            strategy: vec!["src/a.py".into()],
            map: "incremental ok".into(),
            contract: "Contract: followed.".into(),
            saved: vec!["handoff", "failure pattern"],
            next: vec!["Run it again.".into()],
            entry_points: vec!["a.py".into()],
            observed: true,
        };
        let (text, payload, _) = render(&facts);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].chars().count(), 32);
        assert_eq!(lines[1..3], ["AICTX summary", ""]);
        assert_eq!(
            lines[3],
            "Context: reused previous strategy based on src/a.py + loaded handoff/failures + recorded a new failure pattern (pytest test AssertionError)."
        );
        assert_eq!(lines[4], "Map: RepoMap incremental ok.");
        assert_eq!(lines[5], "Saved: handoff and failure pattern.");
        assert_eq!(lines[6], "Contract: followed.");
        assert_eq!(lines[7], "Next: \"Run it again\".", "W28: no double period");
        assert!(lines[8].starts_with("Details: ["));
        assert_eq!(payload["sections"].as_array().unwrap().len(), 6);
    }
}
