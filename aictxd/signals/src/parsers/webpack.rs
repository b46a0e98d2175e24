//! webpack, and Next.js, which prints modules the same way.
//!
//! Yields `ERROR in path 1:0-32` with the text on the next line. Samples: 36.

use super::shape::{At, digits, is_path, location, paren_location};
use super::tsc::is_code;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "ERROR in ",
        "Module not found: ",
        "[webpack-cli] ",
        "WARNING in ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    lines.each(|lines, at, line| {
        let line = line
            .strip_prefix("[webpack-cli] ")
            .map_or(line, |rest| rest);
        if let Some(text) = lines.get(at).strip_prefix("[webpack-cli] ") {
            let text = text.trim_start_matches(['✖', ' ']);
            let text = text.strip_prefix("Error: ").unwrap_or(text);
            let cli = ["Invalid", "Failed", "Unknown", "Cannot"];
            return cli.iter().any(|start| text.starts_with(start)).then(|| {
                context
                    .find(at, "javascript", "build", text)
                    .tool("webpack")
            });
        }
        let (warning, head) = match line.strip_prefix("ERROR in ") {
            Some(head) => (false, head),
            None => (true, line.strip_prefix("WARNING in ")?),
        };
        let text = lines.get(at + 1).trim();
        let place = place(head);
        if place.is_none() && text.is_empty() && head.contains(' ') {
            return Some(
                context
                    .find(at, "javascript", "build", head)
                    .tool("webpack")
                    .warning_if(warning),
            );
        }
        let typed = text
            .split_once(": ")
            .map(|(code, message)| (code.trim_start_matches("error "), message))
            .filter(|(code, _)| is_code(code));
        let finding = match typed {
            Some((code, message)) => context
                .find(at, "typescript", "typecheck", message)
                .code(code),
            None => {
                let message = if text.is_empty() { head } else { text };
                context
                    .find(at, "javascript", "build", message)
                    .tool("webpack")
            }
        };
        let finding = finding.warning_if(warning);
        Some(match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        })
    })
}

/// `./src/index.js 1:0-32`, `src/a.ts:3:5`, `/r/a.ts(3,5)`, `./src/index.js`.
fn place(head: &str) -> Option<At<'_>> {
    let head = head
        .strip_prefix("[tsl] ERROR in ")
        .unwrap_or(head)
        .trim_end();
    if let Some(place) = location(head).or_else(|| paren_location(head)) {
        return Some(place);
    }
    if let Some((path, place)) = head.rsplit_once(' ')
        && let Some((line, rest)) = digits(place)
        && let Some((column, _)) = rest.strip_prefix(':').and_then(digits)
    {
        return Some(At {
            path,
            line,
            column,
            rest: "",
        });
    }
    (is_path(head) && head.contains(['/', '.'])).then_some(At {
        path: head,
        line: "",
        column: "",
        rest: "",
    })
}
