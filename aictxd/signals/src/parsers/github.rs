//! Annotations for GitHub Actions: `::error file=a.ts,line=3,title=x::text`.
//!
//! Yields the annotation; those of ruff under ruff's name. Samples: 143.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &["::error ", "::error::", "::warning file"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|_, at, line| {
        let rest = line.trim_start().strip_prefix("::")?;
        let (head, text) = rest.split_once("::")?;
        let (kind, fields) = head.split_once(' ').unwrap_or((head, ""));
        let warning = match kind {
            "error" => false,
            "warning" => true,
            _ => return None,
        };
        let field = |name: &str| {
            fields
                .split(',')
                .find_map(|field| field.trim().strip_prefix(name)?.strip_prefix('='))
                .unwrap_or_default()
        };
        let text = text.split("%0A").next().unwrap_or(text).trim();
        let ruff = field("title").to_lowercase().starts_with("ruff (");
        let finding = if ruff {
            let code = field("title").split(['(', ')']).nth(1).unwrap_or_default();
            // The text repeats the place and the rule.
            let text = location(text).map_or(text, |place| place.rest);
            let text = text.strip_prefix(code).unwrap_or(text).trim();
            context.find(at, "ruff", "lint", text).code(code)
        } else {
            context
                .find(at, "unknown", "runtime", text)
                .tool("github-annotation")
        };
        Some(
            finding
                .warning_if(warning)
                .place(context, field("file"), field("line"), field("col")),
        )
    })
}
