//! Maven: compiler errors in its dress, and why the build failed when nothing else says it.
//!
//! Samples: 57, 59d.

use super::javac::with_symbol;
use super::shape::digits;
use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["mvn", "mvnw"],
    needles: &["[ERROR] "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut told = false;
    lines.each(|lines, at, line| {
        let text = line.strip_prefix("[ERROR] ")?;
        if let Some((path, number, column, rest)) = bracketed(text) {
            let message = with_symbol(lines, at, rest);
            let kotlin = path.ends_with(".kt");
            return Some(
                context
                    .find(
                        at,
                        if kotlin { "kotlin" } else { "java" },
                        "build",
                        &message,
                    )
                    .place(context, path, number, column),
            );
        }
        if let Some(rest) = text.strip_prefix("Failed to execute goal ") {
            let rest = rest.split(" -> [Help").next().unwrap_or(rest);
            let (goal, reason) = rest
                .split_once(": ")
                .filter(|(goal, _)| goal.contains("on project "))
                .or_else(|| {
                    // Goals hold colons; the reason follows the project's name.
                    let project = rest.find(" on project ")?;
                    let colon = rest.get(project..)?.find(": ")? + project;
                    Some((rest.get(..colon)?, rest.get(colon + 2..)?))
                })?;
            let finding = context.find(at, "java", "build", reason).tool("maven");
            let resolving =
                goal.starts_with("on project ") || reason.starts_with("Could not resolve");
            return Some(if resolving {
                finding
            } else {
                finding.wrapper()
            });
        }
        let news = text.trim();
        let known = [
            "The goal you specified",
            "Plugin ",
            "Non-readable POM",
            "Unknown lifecycle phase",
            "No plugin found",
            "Could not find the selected project",
            "Error resolving",
            "Unresolveable",
            "Non-resolvable",
            "Malformed POM",
            "'dependencies.",
            "Child module",
            "Unable to parse",
        ];
        if !told && known.iter().any(|start| news.starts_with(start)) {
            told = true;
            let message = news.split(" -> [Help").next().unwrap_or(news);
            return Some(context.find(at, "java", "build", message).tool("maven"));
        }
        None
    })
}

/// `path:[12,5] text`.
fn bracketed(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (path, rest) = text.split_once(":[")?;
    let (line, rest) = digits(rest)?;
    let (column, rest) = digits(rest.strip_prefix(',')?)?;
    let text = rest.strip_prefix(']')?.trim_start();
    (!path.contains(' ') || path.ends_with(".java")).then_some((path, line, column, text))
}
