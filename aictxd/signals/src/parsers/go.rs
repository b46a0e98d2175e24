//! The Go compiler, vet, gofmt and the module loader.
//!
//! Yields `path.go:l:c: text`, and what `go:` says about modules. Tests are read before, by
//! [`super::go_test`]. Samples: 39, 40, 43, 45.

use super::shape::location;
use super::{Context, Finding, Lines, Recogniser};
use crate::substring::starts_with_any;

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["go", "gofmt", "gotestsum", "tinygo"],
    needles: &[".go:", "go.mod:", "go: "],
    read,
};

/// Wordings of vet's checks, for runs of `go test`, which vets as well.
const VET: &[&str] = &[
    " format %",
    "call has possible",
    "composite literal uses unkeyed fields",
    "copies lock value",
    "passes lock by value",
    "should have signature",
    "refers to unknown identifier",
    "self-assignment of",
    "unreachable code",
    "result of ",
    "struct field tag ",
    "not compatible with reflect.StructTag.Get",
    "loop variable ",
    "possible misuse of ",
    "non-constant format string",
    "redundant or: ",
    "wrong number of args",
    "has malformed name",
    "is not used on all paths",
];

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let words = context.run.command.split_whitespace();
    let vetting = context.runs(&["go"]) && words.clone().any(|word| word == "vet");
    let running = context.runs(&["go"]);
    lines.each(|_, at, line| {
        if let Some(text) = line.strip_prefix("go: ") {
            return module(context, at, text);
        }
        let (vet, text) = match line.strip_prefix("vet: ") {
            Some(text) => (true, text),
            None => (vetting, line),
        };
        let text = text.strip_prefix("gofmt: ").unwrap_or(text);
        if text.starts_with([' ', '\t']) {
            return None;
        }
        if let Some(reason) = plain(text).filter(|_| running) {
            return Some(context.find(at, "go", "build", reason));
        }
        let place = location(text)?;
        let source = place.path.ends_with(".go") && !place.column.is_empty();
        let module = ["go.mod", "go.sum", "go.work"]
            .iter()
            .any(|end| place.path.ends_with(end));
        if !(source || module) || place.rest.is_empty() {
            return None;
        }
        let message = place
            .rest
            .strip_suffix("; to add it:")
            .unwrap_or(place.rest);
        let vet = vet
            || (source
                && VET.iter().any(|check| message.contains(check))
                && !message.starts_with("cannot "));
        let finding = context.find(at, "go", if vet { "lint" } else { "build" }, message);
        let finding = if vet { finding.tool("vet") } else { finding };
        Some(finding.place(context, place.path, place.line, place.column))
    })
}

/// Parses a message of the go command without a position.
fn plain(text: &str) -> Option<&str> {
    let starts = [
        "no required module provides package ",
        "stat ",
        "package ",
        "no Go files in ",
        "pattern ",
        "cannot find package ",
        "named files must ",
    ];
    let ends = [
        "not found",
        "no such file or directory",
        "to add it:",
        "is not in std",
        "no Go files in",
    ];
    let told = starts_with_any(text, &starts)
        && (ends.iter().any(|end| text.contains(end))
            || !text.starts_with("stat ") && !text.starts_with("package "));
    let message = text.strip_suffix("; to add it:").unwrap_or(text);
    (told || text.starts_with("no Go files in ")).then_some(message)
}

fn module(context: &Context, at: usize, text: &str) -> Option<Finding> {
    let news = [
        "downloading ",
        "finding ",
        "found ",
        "upgraded ",
        "added ",
        "extracting ",
        "downgraded ",
        "removed ",
        "creating ",
        "to add module requirements",
        "copying ",
        "warning",
    ];
    if starts_with_any(text, &news) || text.starts_with("errors parsing ") {
        return None;
    }
    if let Some(place) = location(text)
        && place.path.ends_with(".go")
    {
        return Some(context.find(at, "go", "build", place.rest).place(
            context,
            place.path,
            place.line,
            place.column,
        ));
    }
    let text = text.trim_end_matches(':').trim_end_matches("; to add it");
    Some(context.find(at, "go", "build", text))
}
