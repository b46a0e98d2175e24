//! Composer.
//!
//! Yields each numbered problem by its last reason, and the boxed errors of Composer itself.
//! Samples: 123.

use super::shape::joined;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["composer"],
    needles: &["  Problem "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        if let Some(number) = line.strip_prefix("  Problem ") {
            number.trim().parse::<u32>().ok()?;
            let reasons: Vec<&str> = lines
                .after(at + 1, 40)
                .map(|(_, next)| next)
                .take_while(|next| next.starts_with("    "))
                .filter_map(|next| next.trim_start().strip_prefix("- "))
                .collect();
            let decisive = reasons.iter().rev().find(|text| {
                [
                    "does not satisfy",
                    "could not be found",
                    "is missing",
                    "conflict",
                    "found ",
                ]
                .iter()
                .any(|word| text.contains(word))
            });
            let message = decisive.or(reasons.last()).copied()?;
            return Some(context.find(at, "php", "build", message).tool("composer"));
        }
        // `In JsonFile.php line 347:` and a box of text.
        let (_, rest) = line.strip_prefix("In ")?.split_once(".php line ")?;
        if !rest.ends_with(':') || !context.runs(&["composer"]) {
            return None;
        }
        let text = lines
            .after(at + 1, 12)
            .map(|(_, next)| next.trim())
            .skip_while(|next| next.is_empty())
            .take_while(|next| !next.is_empty())
            .take(1);
        Some(
            context
                .find(at, "php", "build", &joined(text))
                .tool("composer"),
        )
    })
}
