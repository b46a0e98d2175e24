//! Elixir: ExUnit, the compiler, uncaught exceptions. Samples: 136.

use super::shape::{At, digits, indent, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["mix", "elixir", "iex", "elixirc"],
    needles: &["** (", "stacktrace:", "== Compilation error", "  1) test "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < lines.len() && findings.len() < MAX_FINDINGS {
        let head = at;
        at += 1;
        if !lines.is_free(head) {
            continue;
        }
        let line = lines.get(head);
        if let Some(test) = numbered(line) {
            let end = lines
                .after(at, 200)
                .find(|(_, next)| {
                    numbered(next).is_some() || !next.trim().is_empty() && indent(next) == 0
                })
                .map_or(lines.len().min(at + 200), |(end, _)| end);
            findings.push(failure(context, lines, head, end, test));
            lines.claim(head..end);
            at = end;
        } else if let Some(text) = line.strip_prefix("** (") {
            let Some((class, message)) = text.split_once(") ") else {
                continue;
            };
            let compile = matches!(
                class,
                "CompileError" | "SyntaxError" | "TokenMissingError" | "MismatchedDelimiterError"
            );
            let vague = compile
                && findings
                    .iter()
                    .any(|finding: &Finding| finding.event.phase == "build")
                && message.contains("cannot compile");
            if vague || class == "EXIT from #PID" {
                continue;
            }
            // `lib/a.ex:2: text` of a compile error, or of a later version with the text below.
            let inline = location(message).filter(|_| compile);
            let told = inline.map_or(message, |place| place.rest);
            let told = if told.is_empty() {
                lines.get(at).trim()
            } else {
                told
            };
            let finding = context
                .find(
                    head,
                    "elixir",
                    if compile { "build" } else { "runtime" },
                    told,
                )
                .code(class);
            let frame = lines
                .after(at, 40)
                .take_while(|(_, next)| indent(next) > 0)
                .filter_map(|(_, next)| frame(next))
                .find(|place| context.place(place.path).local);
            findings.push(match inline.or(frame) {
                Some(place) => finding.place(context, place.path, place.line, place.column),
                None => finding,
            });
            lines.claim(head..at);
        } else if let Some(text) = line
            .trim_start()
            .strip_prefix("error: ")
            .filter(|_| context.runs(&["mix", "elixir", "elixirc"]))
        {
            let place = lines
                .after(at, 12)
                .take_while(|(_, next)| !next.trim().is_empty())
                .find_map(|(_, next)| {
                    let text = next.trim_start().trim_start_matches(['└', '─', ' ']);
                    location(text)
                        .filter(|place| place.path.ends_with(".ex") || place.path.ends_with(".exs"))
                });
            let finding = context.find(head, "elixir", "build", text);
            findings.push(match place {
                Some(place) => finding.place(context, place.path, place.line, place.column),
                None => finding,
            });
            lines.claim(head..at);
        }
    }
    findings
}

/// `  1) test applies discount (Shop.CartTest)`.
fn numbered(line: &str) -> Option<&str> {
    let (_, rest) = digits(line.strip_prefix("  ")?.trim_start())?;
    let rest = rest.strip_prefix(") ")?;
    (rest.ends_with(')')
        && (rest.starts_with("test ")
            || rest.starts_with("doctest ")
            || rest.starts_with("property ")))
    .then_some(rest)
}

fn failure(context: &Context, lines: &Lines, head: usize, end: usize, test: &str) -> Finding {
    let body = || lines.after(head + 1, end - head - 1).map(|(_, line)| line);
    let own = body().find_map(|line| location(line.trim()).filter(|place| place.rest.is_empty()));
    let text = body()
        .map(str::trim)
        .find(|line| !line.is_empty() && location(line).is_none_or(|place| !place.rest.is_empty()))
        .unwrap_or("failed");
    let (code, message) = match text
        .strip_prefix("** (")
        .and_then(|rest| rest.split_once(") "))
    {
        Some((class, message)) => (class.rsplit('.').next().unwrap_or(class), message),
        None => ("", text),
    };
    let finding = context
        .find(head, "elixir", "test", message)
        .code(code)
        .test(test);
    let frame = body()
        .skip_while(|line| line.trim() != "stacktrace:")
        .filter_map(frame)
        .find(|place| context.place(place.path).local);
    match frame.or(own) {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    }
}

/// `test/shop/cart_test.exs:17: (test)`, `(shop 0.1.0) lib/shop.ex:3: Shop.go/1`.
fn frame(line: &str) -> Option<At<'_>> {
    let text = line.trim_start();
    // Applications other than the project's own are dependencies.
    if [
        "(elixir ",
        "(stdlib ",
        "(kernel ",
        "(ex_unit ",
        "(mix ",
        "(eex ",
        "(logger ",
    ]
    .iter()
    .any(|start| text.starts_with(start))
    {
        return None;
    }
    let text = match text.strip_prefix('(') {
        Some(rest) => rest.split_once(") ")?.1,
        None => text,
    };
    location(text).filter(|place| place.path.ends_with(".ex") || place.path.ends_with(".exs"))
}
