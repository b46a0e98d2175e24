//! Stack traces of the JVM.
//!
//! Yields `Exception in thread "main" Class: text`, printed stack traces, and their causes.
//! Samples: 55.

use super::shape::{digits, indent};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["java"],
    needles: &[
        "Exception in thread ",
        "\tat ",
        "Caused by: ",
        "Unable to access jarfile",
    ],
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
        if [
            "Error: Could not find or load main class",
            "Error: Unable to access jarfile",
            "Error: Main method not found",
            "Error: Unable to initialize main class",
        ]
        .iter()
        .any(|start| line.starts_with(start))
        {
            let text = line.trim_start_matches("Error: ");
            findings.push(context.find(head, "java", "runtime", text));
            let end = lines
                .after(at, 3)
                .take_while(|(_, next)| next.starts_with("Caused by: "))
                .count()
                + at;
            lines.claim(head..end);
            at = end;
            continue;
        }
        let uncaught = line
            .strip_prefix("Exception in thread ")
            .and_then(|rest| rest.split_once("\" "))
            .map(|(_, rest)| rest);
        let Some((class, message)) = exception(uncaught.unwrap_or(line)) else {
            continue;
        };
        let framed = lines
            .after(at, 8)
            .take_while(|(_, next)| !next.is_empty())
            .find(|(_, next)| is_frame(next));
        if framed.is_none() && uncaught.is_none() {
            continue;
        }
        at = trace(context, lines, head, (class, message), &mut findings);
    }
    findings
}

fn is_frame(line: &str) -> bool {
    indent(line) > 0 && line.trim_start().starts_with("at ") && line.trim_end().ends_with(')')
}

/// `java.lang.IllegalStateException: text`: the class without its package, and the text.
pub(super) fn exception(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find([':', ' ']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let class = name.rsplit(['.', '$']).next()?;
    let dotted = name.contains('.')
        && name.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        });
    let known = ["Exception", "Error", "Throwable", "Failure", "Failed"]
        .iter()
        .any(|end| class.ends_with(end));
    if !(known
        && (dotted || !name.contains('.'))
        && class.starts_with(|c: char| c.is_ascii_uppercase()))
    {
        return None;
    }
    if rest.is_empty() {
        return Some((class, name));
    }
    let message = rest.strip_prefix(':')?.trim();
    Some((class, if message.is_empty() { name } else { message }))
}

/// Emits an exception and its causes; where reading goes on.
fn trace(
    context: &Context,
    lines: &mut Lines,
    head: usize,
    first: (&str, &str),
    findings: &mut Vec<Finding>,
) -> usize {
    let mut current = Some(first);
    let mut cause = false;
    let mut place: Option<(&str, &str)> = None;
    let mut at = head + 1;
    let mut gap = 0;
    let mut emit =
        |current: &mut Option<(&str, &str)>, place: &mut Option<(&str, &str)>, cause: bool| {
            if let Some((class, message)) = current.take()
                && findings.len() < MAX_FINDINGS
            {
                let finding = context
                    .find(head, "java", "runtime", message)
                    .code(class)
                    .cause_if(cause);
                findings.push(match place.take() {
                    Some((file, line)) => finding.place(context, file, line, ""),
                    None => finding,
                });
            }
        };
    while at < lines.len() {
        let line = lines.get(at);
        let text = line.trim_start();
        if is_frame(line) {
            gap = 0;
            place = place.or_else(|| own_frame(text));
        } else if let Some(rest) = text.strip_prefix("Caused by: ") {
            emit(&mut current, &mut place, cause);
            cause = true;
            current = exception(rest).or(Some(("", rest)));
        } else if !(text.starts_with("... ") || text.starts_with("Suppressed: ")) {
            // A message goes on for some lines before the first frame.
            gap += 1;
            if gap > 8 || place.is_some() || text.is_empty() {
                break;
            }
        }
        at += 1;
    }
    emit(&mut current, &mut place, cause);
    lines.claim(head..at);
    at
}

/// File and line of a frame that is not in a well-known library.
pub(super) fn own_frame(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix("at ")?;
    let (method, inside) = rest.rsplit_once('(')?;
    let method = method.rsplit('/').next()?;
    const FOREIGN: &[&str] = &[
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "jakarta.",
        "kotlin.",
        "kotlinx.",
        "scala.",
        "groovy.",
        "org.junit.",
        "junit.",
        "org.opentest4j.",
        "org.assertj.",
        "org.hamcrest.",
        "org.mockito.",
        "org.testng.",
        "org.springframework.",
        "org.apache.",
        "org.gradle.",
        "org.codehaus.",
        "com.google.common.",
        "com.fasterxml.",
        "org.hibernate.",
        "io.netty.",
        "reactor.",
    ];
    if FOREIGN.iter().any(|start| method.starts_with(start)) {
        return None;
    }
    let (file, line) = inside.strip_suffix(')')?.split_once(':')?;
    digits(line)?;
    Some((file, line))
}
