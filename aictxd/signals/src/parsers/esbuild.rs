//! esbuild, Rollup and Vite.
//!
//! Yields `✘ [ERROR] text` with the place below, `[!] RollupError: text`, and what Vite prints
//! behind `error during build:`. Samples: 35.

use super::shape::{At, location, paren_location};
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "✘ [ERROR] ",
        "X [ERROR] ",
        "[!] ",
        "error during build:",
        "[ERROR] ",
        "Transform failed with ",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut building: Option<usize> = None;
    let mut told = 0;
    lines.each(|lines, at, line| {
        if line.trim() == "error during build:" {
            building = Some(at);
            told = 0;
            return None;
        }
        if let Some(text) = ["✘ [ERROR] ", "X [ERROR] "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
        {
            return Some(esbuild(context, lines, at, text));
        }
        if let Some(text) = line.strip_prefix("[!] ") {
            return Some(rollup(context, lines, at, text));
        }
        if building.is_some() {
            let finding = vite(context, lines, at, line, told)?;
            told += 1;
            return Some(finding);
        }
        None
    })
}

fn esbuild(context: &Context, lines: &Lines, at: usize, text: &str) -> Finding {
    let finding = context
        .find(at, "javascript", "build", text)
        .tool("esbuild");
    match lines
        .after(at + 1, 3)
        .take_while(|(_, next)| next.is_empty() || next.starts_with(' '))
        .find_map(|(_, next)| location(next.trim_start()))
    {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    }
}

/// `RollupError: path (1:10): text`, or the place on the next line.
fn rollup(context: &Context, lines: &Lines, at: usize, text: &str) -> Finding {
    let (class, message) = super::split_class(text);
    let message = message.strip_prefix("Error: ").unwrap_or(message);
    let (message, place) = in_front(message);
    let place = place.or_else(|| spaced(lines.get(at + 1).trim_end()));
    let code = if class == "Error" { "" } else { class };
    let finding = context
        .find(at, "javascript", "build", message)
        .tool("rollup")
        .code(code);
    match place {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    }
}

/// `path (1:10): text`.
fn in_front(text: &str) -> (&str, Option<At<'_>>) {
    let parts = || {
        let (head, rest) = text.split_once("): ")?;
        let (path, place) = head.rsplit_once(" (")?;
        let (line, column) = place.split_once(':')?;
        Some((
            rest,
            At {
                path,
                line,
                column,
                rest: "",
            },
        ))
    };
    match parts() {
        Some((rest, place)) => (rest, Some(place)),
        None => (text, None),
    }
}

/// `path (1:10)`.
fn spaced(line: &str) -> Option<At<'_>> {
    let (path, place) = line.strip_suffix(')')?.rsplit_once(" (")?;
    let (number, column) = place.split_once(':')?;
    super::shape::digits(number)?;
    Some(At {
        path,
        line: number,
        column,
        rest: "",
    })
}

/// Parses the text behind `error during build:`: one error with its frames, or a list of them.
fn vite(context: &Context, lines: &Lines, at: usize, line: &str, told: usize) -> Option<Finding> {
    let text = line.trim();
    if text.is_empty() || text.starts_with("Build failed with") || text.starts_with("at ") {
        return None;
    }
    // `[PARSE_ERROR] text` and a frame, as Rolldown draws it.
    if let Some((code, message)) = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        && code
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    {
        let finding = context
            .find(at, "javascript", "build", message.trim())
            .tool("vite")
            .code(code);
        let place = lines.after(at + 1, 2).find_map(|(_, next)| {
            let (_, inside) = next.split_once("─[")?;
            location(inside.trim_end_matches(']').trim())
        });
        return Some(match place {
            Some(place) => finding.place(context, place.path, place.line, place.column),
            None => finding,
        });
    }
    if told > 0 || line.starts_with([' ', '\t']) {
        return None;
    }
    let (class, message) = super::split_class(text);
    let message = if class.is_empty() { text } else { message };
    let message = ["[vite]: ", "[vite:", "[plugin "]
        .iter()
        .find_map(|start| {
            let rest = message.strip_prefix(start)?;
            if start.ends_with(": ") {
                Some(rest)
            } else {
                rest.split_once("] ").map(|(_, rest)| rest)
            }
        })
        .unwrap_or(message);
    let (message, place) = in_front(message);
    let place = place.or_else(|| {
        lines.after(at + 1, 4).find_map(|(_, next)| {
            let next = next.trim();
            let path = next.strip_prefix("file: ").unwrap_or(next);
            location(path)
                .filter(|at| at.rest.is_empty())
                .or_else(|| paren_location(path).filter(|at| at.rest.is_empty()))
        })
    });
    let finding = context
        .find(at, "javascript", "build", message)
        .tool("vite")
        .code(if class == "Error" { "" } else { class });
    Some(match place {
        Some(place) => finding.place(context, place.path, place.line, place.column),
        None => finding,
    })
}
