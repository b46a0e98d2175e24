//! doctest: failed examples in documentation.
//!
//! Yields one event an example, with the object it stands in as the test. Samples: 20.

use super::python::frame;
use super::shape::{indent, joined};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["Failed example:"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at + 1 < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let Some((path, number, name)) = frame(lines.get(head)) else {
            continue;
        };
        if lines.get(head + 1).trim() != "Failed example:" || !lines.is_free(head) {
            continue;
        }
        let example = joined(
            lines
                .after(head + 2, 20)
                .map(|(_, line)| line)
                .take_while(|line| indent(line) >= 4),
        );
        let name = name.unwrap_or_default();
        findings.push(
            context
                .find(
                    head,
                    "python",
                    "test",
                    &format!("Failed example: {example}"),
                )
                .tool("doctest")
                .test(name)
                .place(context, path, number, ""),
        );
        at = lines
            .after(head + 2, 200)
            .find(|(_, line)| line.starts_with("*****"))
            .map_or(head + 2, |(end, _)| end);
        lines.claim(head..at);
    }
    findings
}
