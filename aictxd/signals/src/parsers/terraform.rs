//! Terraform and OpenTofu.
//!
//! Yields `Error: text` with `on path line l` below, boxed or not. Samples: 89.

use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["terraform", "tofu", "terragrunt"],
    needles: &[".tf line ", "│ Error: ", ".tfvars line "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        let text = unboxed(line).strip_prefix("Error: ")?;
        let place = lines
            .after(at + 1, 12)
            .map(|(_, next)| unboxed(next))
            .take_while(|next| !next.starts_with("Error: "))
            .find_map(|next| {
                let rest = next.trim_start().strip_prefix("on ")?;
                let (path, rest) = rest.split_once(" line ")?;
                Some((path, digits(rest)?.0))
            });
        let finding = context.find(at, "terraform", "build", text);
        Some(match place {
            Some((path, number)) => finding.place(context, path, number, ""),
            None => finding,
        })
    })
}

/// A line without the frame drawn around messages on a terminal.
fn unboxed(line: &str) -> &str {
    let text = line.strip_prefix('│').unwrap_or(line);
    text.strip_prefix(' ')
        .filter(|_| text.len() != line.len())
        .unwrap_or(text)
}
