//! Deno and Bun: uncaught errors, failed tests, unresolved modules, Deno's linter.
//!
//! Applies where the command runs one of them or their test reports are seen. Type errors are read
//! by [`super::tsc`]. Samples: 138.

use super::shape::{At, location};
use super::{Context, Finding, Lines, Recogniser, split_class};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: PROGRAMS,
    needles: &[
        "(fail) ",
        "error: Uncaught ",
        "running 1 test from ",
        " tests from ./",
        "Bun v",
    ],
    read,
};

const PROGRAMS: &[&str] = &["deno", "bun", "bunx"];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let deno = context.runs(&["deno"])
        || has(lines, |line| {
            line.starts_with("error: Uncaught ") || line.contains(" from ./")
        });
    let bun = context.runs(&["bun", "bunx"])
        || has(lines, |line| {
            line.starts_with("Bun v") || line.starts_with("bun test v")
        });
    if !deno && !bun {
        return Vec::new();
    }
    if bun && !context.runs(&["deno"]) {
        return read_bun(context, lines);
    }
    let mut test = "";
    let mut errors = false;
    lines.each(|lines, at, line| {
        let title = line.trim();
        if title == "ERRORS" {
            errors = true;
        } else if title == "FAILURES" {
            errors = false;
        } else if errors && let Some((name, _)) = line.split_once(" => ") {
            test = name.trim();
        }
        if let Some(rest) = line.strip_prefix("error[")
            && let Some((code, message)) = rest.split_once("]: ")
        {
            let place = lines
                .after(at + 1, 3)
                .find_map(|(_, next)| location(next.trim_start().strip_prefix("--> ")?))?;
            return Some(
                context
                    .find(at, "javascript", "lint", message)
                    .tool("deno")
                    .code(code)
                    .place(context, place.path, place.line, place.column),
            );
        }
        let text = line.strip_prefix("error: ")?;
        if ["Test failed", "Type checking failed", "Found "]
            .iter()
            .any(|start| text.starts_with(start))
        {
            let finding = context.find(at, "javascript", "runtime", text).tool("deno");
            return Some(finding.wrapper());
        }
        let uncaught = text
            .strip_prefix("Uncaught ")
            .map(|text| text.strip_prefix("(in promise) ").unwrap_or(text));
        let text = uncaught.unwrap_or(text);
        let (class, message) = split_class(text);
        let message = if class.is_empty() || message.is_empty() {
            text
        } else {
            message
        };
        let testing = errors && !test.is_empty();
        let phase = if testing {
            "test"
        } else if text.starts_with("Module not found") {
            "build"
        } else {
            "runtime"
        };
        let finding = context
            .find(at, "javascript", phase, message)
            .tool("deno")
            .code(class)
            .test(if testing { test } else { "" });
        Some(match first_frame(context, lines, at) {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        })
    })
}

fn has(lines: &Lines, test: impl Fn(&str) -> bool) -> bool {
    lines.all().iter().any(|line| test(line))
}

fn first_frame<'t>(context: &Context, lines: &Lines<'t>, at: usize) -> Option<At<'t>> {
    lines
        .after(at + 1, 30)
        .take_while(|(_, next)| !next.starts_with("error: ") && !next.starts_with("(fail) "))
        .filter_map(|(_, next)| frame(next))
        .find(|place| context.place(place.path).local)
}

/// `at file:///r/a.ts:1:2`, `at f (/r/a.ts:1:2)`.
fn frame(line: &str) -> Option<At<'_>> {
    super::shape::js_frame(line)
}

/// Bun prints the error, its frames, and only then which test it was.
fn read_bun(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = lines.each(|lines, at, line| {
        let (class, message) = match line.strip_prefix("error: ") {
            Some(text) => ("", text),
            None => {
                let (class, message) = split_class(line);
                let after_code = at > 0 && lines.get(at - 1).trim_end().ends_with('^');
                if !class.ends_with("Error") || !after_code {
                    return None;
                }
                (class, message)
            }
        };
        if message.starts_with("script \"") {
            return Some(
                context
                    .find(at, "javascript", "runtime", message)
                    .tool("bun")
                    .wrapper(),
            );
        }
        let finding = context
            .find(at, "javascript", "runtime", message)
            .tool("bun")
            .code(class);
        Some(match first_frame(context, lines, at) {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        })
    });
    for finding in &mut findings {
        let failed = lines
            .after(finding.at + 1, 60)
            .take_while(|(_, next)| !next.starts_with("(pass) "))
            .find_map(|(_, next)| next.strip_prefix("(fail) "));
        if let Some(name) = failed {
            let name = name.rsplit_once(" [").map_or(name, |(name, _)| name);
            name.clone_into(&mut finding.event.test);
            "test".clone_into(&mut finding.event.phase);
        }
    }
    findings
}
