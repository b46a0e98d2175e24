//! Prettier's check.
//!
//! Yields files whose formatting differs (warnings) and files that cannot be read (errors).
//! Samples: 37.

use super::shape::{digits, is_path};
use super::{Context, Finding, Lines, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["prettier"],
    needles: &["[warn] ", "Checking formatting..."],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let sure = context.runs(&["prettier"])
        || lines.all().iter().any(|line| {
            line.contains("Checking formatting...") || line.contains("Code style issues")
        });
    lines.each(|_, at, line| {
        if let Some(path) = line.strip_prefix("[warn] ") {
            let path = path.trim();
            let file = is_path(path) && path.contains(['.', '/']) && !path.ends_with('.');
            return (sure && file).then(|| {
                context
                    .find(at, "prettier", "lint", "formatting differs")
                    .warning_if(true)
                    .place(context, path, "", "")
            });
        }
        let text = line.strip_prefix("[error] ")?;
        if !sure
            || text.starts_with([' ', '>'])
            || text.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            return None;
        }
        let Some((path, rest)) = text.split_once(": ").filter(|(path, _)| is_path(path)) else {
            return Some(context.find(at, "prettier", "lint", text));
        };
        let (class, message) = split_class(rest);
        if class.is_empty() {
            return Some(context.find(at, "prettier", "lint", text));
        }
        let (message, number, column) = placed(message);
        Some(
            context
                .find(at, "prettier", "lint", message)
                .code(class)
                .place(context, path, number, column),
        )
    })
}

/// `text (1:8)`.
fn placed(message: &str) -> (&str, &str, &str) {
    let parts = || {
        let (text, place) = message.strip_suffix(')')?.rsplit_once(" (")?;
        let (line, column) = place.split_once(':')?;
        (digits(line)?.1.is_empty() && digits(column)?.1.is_empty()).then_some((text, line, column))
    };
    parts().unwrap_or((message, "", ""))
}
