//! PHP_CodeSniffer and PHPStan: tables with wrapped cells.
//!
//! Samples: 82, 122.

use super::shape::{digits, joined};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["phpcs", "phpstan"],
    needles: &["FILE: ", "  Line   ", " ------ --"],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut sniffed = "";
    let mut analysed = "";
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        let line = lines.get(head);
        if let Some(path) = line.strip_prefix("FILE: ") {
            sniffed = path.trim();
        } else if let Some(path) = line
            .strip_prefix("  Line   ")
            .or_else(|| line.strip_prefix("  Line  "))
        {
            analysed = path.trim();
        } else if let Some((number, warning, first)) = sniff(line).filter(|_| !sniffed.is_empty()) {
            let more: Vec<&str> = lines
                .after(at, 20)
                .map(|(_, next)| next)
                .take_while(|next| next.trim_start().starts_with('|'))
                .collect();
            let count = more.len();
            let message = joined(
                std::iter::once(first).chain(
                    more.iter()
                        .filter_map(|next| next.rsplit_once("| ").map(|(_, text)| text)),
                ),
            );
            findings.push(
                context
                    .find(head, "php", "lint", &message)
                    .tool("phpcs")
                    .warning_if(warning)
                    .place(context, sniffed, number, ""),
            );
            lines.claim(head..at + count);
            at += count;
        } else if let Some((number, first)) = digits(line.trim_start()).filter(|(_, rest)| {
            line.starts_with("  ") && rest.starts_with("  ") && !analysed.is_empty()
        }) {
            let more: Vec<&str> = lines
                .after(at, 20)
                .map(|(_, next)| next)
                .take_while(|next| next.starts_with("         "))
                .map(str::trim)
                .collect();
            let is_note = |text: &&str| {
                text.starts_with('🪪')
                    || text.starts_with('💡')
                    || text.starts_with('✏')
                    || text.starts_with("at ")
            };
            let code = more
                .iter()
                .find_map(|text| text.strip_prefix('🪪'))
                .map(str::trim)
                .unwrap_or_default();
            let message = joined(
                std::iter::once(first)
                    .chain(more.iter().copied().take_while(|text| !is_note(text))),
            );
            findings.push(
                context
                    .find(head, "php", "lint", &message)
                    .tool("phpstan")
                    .code(code)
                    .place(context, analysed, number, ""),
            );
            lines.claim(head..at + more.len());
            at += more.len();
        }
    }
    findings
}

/// ` 3 | ERROR | [x] text`.
fn sniff(line: &str) -> Option<(&str, bool, &str)> {
    let (number, rest) = digits(line.trim_start())?;
    let rest = rest.trim_start().strip_prefix("| ")?;
    let (kind, text) = rest.split_once(" | ")?;
    let warning = match kind.trim() {
        "ERROR" => false,
        "WARNING" => true,
        _ => return None,
    };
    let text = text
        .strip_prefix("[x] ")
        .or_else(|| text.strip_prefix("[ ] "))
        .unwrap_or(text);
    Some((number, warning, text))
}
