//! mypy and its daemon.
//!
//! Applies to Python files with a severity behind the place. Yields `path:line[:column]: error:
//! text  [code]`, wrapped messages of `--pretty` made whole; notes are no events. Samples: 10, 11,
//! 106.

use super::shape::{all_of, location, trailing};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["mypy", "dmypy"],
    needles: &[": error: "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        let (path, number, column, text) = match location(line) {
            Some(at) => (at.path, at.line, at.column, at.rest),
            None => {
                // Errors of a whole file have no line.
                let (path, rest) = line.split_once(": ")?;
                (path, "", "", rest)
            }
        };
        let text = text.strip_prefix("error: ")?;
        let python = [".py", ".pyi", ".ipynb"]
            .iter()
            .any(|end| path.ends_with(end));
        let itself = path == "mypy" && context.runs(&["mypy"]);
        if path.contains(' ') || !(python || itself) {
            return None;
        }
        if number.is_empty() && !context.runs(&["mypy", "dmypy"]) {
            // `script.py: error: …` is how argument parsers complain.
            return None;
        }
        let whole = unwrapped(lines, at, text);
        let (message, code) = coded(&whole).unwrap_or((&whole, ""));
        let finding = context.find(at, "mypy", "typecheck", message).code(code);
        Some(if python {
            finding.place(context, path, number, column)
        } else {
            finding
        })
    })
}

fn coded(text: &str) -> Option<(&str, &str)> {
    let (message, code) = trailing(text, '[', ']')?;
    all_of(code, |c| {
        c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
    })
    .then_some((message, code))
}

/// `--pretty` wraps messages at the width of the terminal; what follows is indented source.
fn unwrapped(lines: &Lines, at: usize, text: &str) -> String {
    let mut whole = text.trim_end().to_owned();
    if coded(&whole).is_some() {
        return whole;
    }
    let mut more = String::new();
    for (_, next) in lines.after(at + 1, 6) {
        let stops = next.starts_with([' ', '\t'])
            || next.trim().is_empty()
            || next.starts_with("Found ")
            || location(next).is_some();
        if stops {
            break;
        }
        more.push(' ');
        more.push_str(next.trim_end());
        if coded(&more).is_some() {
            whole.push_str(&more);
            break;
        }
    }
    whole
}
