//! pyright and basedpyright.
//!
//! Yields `path:line:column - error: text (rule)`; the rule ends the last line of a message that
//! goes on, indented. Samples: 19.

use super::shape::{all_of, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["pyright", "basedpyright"],
    needles: &[" - error: ", " - warning: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        let place = location(line.trim_start())?;
        let (warning, text) = if let Some(text) = place.rest.strip_prefix("- error: ") {
            (false, text)
        } else {
            (true, place.rest.strip_prefix("- warning: ")?)
        };
        let (message, code) = match ruled(text) {
            Some(parts) => parts,
            None => {
                let rule = lines
                    .after(at + 1, 12)
                    .take_while(|(_, next)| {
                        // The indent of what goes on holds no-break spaces.
                        next.starts_with(char::is_whitespace) && !next.contains(" - ")
                    })
                    .find_map(|(_, next)| ruled(next));
                (text.trim_end(), rule.map_or("", |(_, rule)| rule))
            }
        };
        Some(
            context
                .find(at, "pyright", "typecheck", message)
                .code(code)
                .warning_if(warning)
                .place(context, place.path, place.line, place.column),
        )
    })
}

/// `text (reportRule)`.
fn ruled(text: &str) -> Option<(&str, &str)> {
    let (message, rule) = trailing(text, '(', ')')?;
    (rule.starts_with("report") && all_of(rule, |c| c.is_ascii_alphanumeric()))
        .then_some((message, rule))
}
