//! Python tracebacks: chains, groups, syntax errors, interpreter start-up errors, and the test
//! blocks of `unittest`.
//!
//! Applies where the text holds a traceback head or a syntax error. Yields the outer exception,
//! its causes behind it. Samples: 05–09, 102, 108, 140, 142.

use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_class};
use crate::substring::Needle;

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["python", "py", "pypy"],
    needles: &[
        HEAD,
        "Exception Group Traceback",
        "SyntaxError: ",
        "IndentationError: ",
        "TabError: ",
        "Fatal Python error: ",
        "No module named ",
    ],
    read,
};

const HEAD: &str = "Traceback (most recent call last):";
static TRACEBACK: Needle = Needle::new(HEAD);
/// Frames remembered of one traceback; the deepest are what counts.
const MAX_FRAMES: usize = 64;

/// One exception as printed.
#[derive(Debug, Default)]
pub(super) struct Exception<'t> {
    /// Line of its final text.
    pub(super) at: usize,
    /// `Class: text`.
    pub(super) text: &'t str,
    /// File and line, outermost first.
    pub(super) frames: Vec<(&'t str, &'t str)>,
    /// File and line of a syntax error.
    syntax: Option<(&'t str, &'t str)>,
}

fn is_syntax_error(line: &str) -> bool {
    ["SyntaxError: ", "IndentationError: ", "TabError: "]
        .iter()
        .any(|start| line.starts_with(start))
}

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let free: Vec<(usize, &str)> = lines.free().collect();
    let mut at = 0;
    let mut chain: Vec<Exception> = Vec::new();
    let mut test: Option<String> = None;
    let mut last_end = None;
    while let Some((number, line)) = free.get(at).copied() {
        if findings.len() >= MAX_FINDINGS {
            break;
        }
        if let Some(name) = unittest_head(line) {
            flush(context, &mut findings, &mut chain, &mut test);
            test = Some(name);
            at += 1;
            continue;
        }
        if line.starts_with("During handling of the above exception")
            || line.starts_with("The above exception was the direct cause")
        {
            at += 1;
            continue;
        }
        let head = TRACEBACK.is_in(line);
        if head && line.contains("Exception Group Traceback (most recent call last):") {
            flush(context, &mut findings, &mut chain, &mut test);
            at = group(context, &free, at, &mut findings);
            last_end = Some(at);
            continue;
        }
        if head {
            let (exception, next) = traceback(&free, at);
            let linked = chain_link(&free, at);
            if !linked {
                flush(context, &mut findings, &mut chain, &mut test);
            }
            if let Some(exception) = exception
                && chain.len() < MAX_FINDINGS
            {
                chain.push(exception);
            }
            at = next;
            last_end = Some(at);
            continue;
        }
        if let Some(place) = frame(line.trim_start())
            && place.2.is_none()
            && let Some((exception, next)) = bare_syntax_error(&free, at, place)
        {
            flush(context, &mut findings, &mut chain, &mut test);
            chain.push(exception);
            at = next;
            last_end = Some(at);
            continue;
        }
        if let Some(message) = interpreter_error(line) {
            let event = context.event("python", "runtime", message);
            findings.push(Finding::new(number, event));
            last_end = Some(at + 1);
        }
        at += 1;
    }
    flush(context, &mut findings, &mut chain, &mut test);
    // Without an exit status, a traceback that the program outlived is no failure.
    let outlived = last_end.is_some_and(|end| {
        free.get(end..)
            .unwrap_or_default()
            .iter()
            .any(|(_, line)| !line.trim().is_empty())
    });
    if context.run.exit_status.is_none() && outlived {
        findings.retain(|finding| finding.event.phase == "test");
    }
    findings
}

/// Emits a finished chain: the exception that ended the program, then its causes.
fn flush(
    context: &Context,
    findings: &mut Vec<Finding>,
    chain: &mut Vec<Exception>,
    test: &mut Option<String>,
) {
    let count = chain.len();
    let first = chain.last().map_or(0, |exception| exception.at);
    let named = if count > 0 { test.take() } else { None };
    for (nth, exception) in chain.drain(..).rev().enumerate() {
        let mut finding = finding(context, &exception);
        finding.at = first;
        if nth > 0 {
            "cause".clone_into(&mut finding.event.role);
        }
        if let Some(name) = &named {
            "test".clone_into(&mut finding.event.phase);
            "unittest".clone_into(&mut finding.event.tool);
            name.clone_into(&mut finding.event.test);
        }
        findings.push(finding);
    }
}

fn finding(context: &Context, exception: &Exception) -> Finding {
    let (code, message) = split_class(exception.text);
    let message = if message.is_empty() {
        exception.text
    } else {
        message
    };
    let mut event = context.event("python", "runtime", message);
    code.clone_into(&mut event.code);
    let mut places = exception.frames.clone();
    if is_syntax_error(exception.text) {
        places.extend(exception.syntax);
    }
    let mut deepest: Option<(String, &str)> = None;
    for (path, line) in places.iter().rev() {
        let place = context.place(path);
        if place.local {
            deepest = Some((place.file, line));
            break;
        }
        if deepest.is_none() && !place.file.is_empty() {
            deepest = Some((place.file, line));
        }
    }
    if let Some((file, line)) = deepest {
        event.file = file;
        line.clone_into(&mut event.line);
    }
    Finding::new(exception.at, event)
}

/// `File "path", line 3[, in name]` without leading blanks.
pub(super) fn frame(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let rest = text.strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (line, rest) = rest.split_at_checked(end)?;
    if line.is_empty() {
        return None;
    }
    Some((path, line, rest.strip_prefix(", in ")))
}

/// The traceback at `at` and where reading goes on. `None` when its final line is missing.
fn traceback<'t>(lines: &[(usize, &'t str)], at: usize) -> (Option<Exception<'t>>, usize) {
    let head = lines.get(at).map_or("", |(_, line)| *line);
    let indent = indent(head);
    let mut exception = Exception::default();
    let mut next = at + 1;
    while let Some((number, line)) = lines.get(next).copied() {
        next += 1;
        let text = line.trim_start();
        if text.contains(HEAD) {
            return (None, next - 1);
        }
        if let Some((path, number, name)) = frame(text) {
            if name.is_none() {
                exception.syntax = Some((path, number));
            } else {
                exception.syntax = None;
                if exception.frames.len() >= MAX_FRAMES {
                    exception.frames.remove(0);
                }
                exception.frames.push((path, number));
            }
            continue;
        }
        let deeper = self::indent(line) > indent;
        if deeper || text.is_empty() || text.starts_with("[Previous line repeated") {
            continue;
        }
        if split_class(text).0.is_empty() && !is_bare_name(text) {
            // Not a final line: the traceback was interrupted by other output.
            return (None, next);
        }
        exception.at = number;
        exception.text = text;
        return (Some(exception), next);
    }
    (None, next)
}

fn indent(line: &str) -> usize {
    // What a logger put before the head does not count as depth.
    let text = line.trim_start_matches([' ', '\t']);
    line.len() - text.len()
}

/// A class of exception that follows no naming habit, such as `timeout` or `error`.
fn is_bare_name(text: &str) -> bool {
    let (name, rest) = text.split_once(": ").unwrap_or((text, ""));
    !name.is_empty()
        && (rest.is_empty() || !rest.is_empty() && !name.contains(' '))
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

/// Returns true if the traceback at `at` continues the chain before it.
fn chain_link(lines: &[(usize, &str)], at: usize) -> bool {
    lines
        .get(at.saturating_sub(4)..at)
        .unwrap_or_default()
        .iter()
        .any(|(_, line)| {
            line.contains("During handling of the above exception")
                || line.contains("was the direct cause of the following exception")
        })
}

/// A syntax error that was printed without a traceback.
fn bare_syntax_error<'t>(
    lines: &[(usize, &'t str)],
    at: usize,
    (path, line, _): (&'t str, &'t str, Option<&str>),
) -> Option<(Exception<'t>, usize)> {
    for (offset, (number, text)) in lines.get(at + 1..)?.iter().take(6).enumerate() {
        if is_syntax_error(text) {
            return Some((
                Exception {
                    at: *number,
                    text,
                    frames: Vec::new(),
                    syntax: Some((path, line)),
                },
                at + offset + 2,
            ));
        }
    }
    None
}

/// An exception group: the group itself, then each leaf. Returns where reading goes on.
fn group(
    context: &Context,
    lines: &[(usize, &str)],
    at: usize,
    findings: &mut Vec<Finding>,
) -> usize {
    let mut next = at + 1;
    let mut frames: Vec<(&str, &str)> = Vec::new();
    let mut outer = true;
    // A leaf that has sub-exceptions is a group itself and no leaf.
    let mut pending: Option<Finding> = None;
    while let Some((number, line)) = lines.get(next).copied() {
        let trimmed = line.trim_start();
        let Some(text) = trimmed.strip_prefix(['|', '+']) else {
            break;
        };
        next += 1;
        if text.starts_with('-') {
            let opens_deeper = text.starts_with("-+");
            if let Some(finding) = pending.take()
                && (!opens_deeper || finding.event.role.is_empty())
                && findings.len() < MAX_FINDINGS
            {
                findings.push(finding);
            }
            frames.clear();
            outer = false;
            continue;
        }
        let text = text.trim_start();
        if let Some((path, number, _)) = frame(text) {
            if frames.len() < MAX_FRAMES {
                frames.push((path, number));
            }
            continue;
        }
        let depth = line.len() - trimmed.len();
        let flush_left = line.get(depth + 1..).is_some_and(|rest| {
            rest.strip_prefix(' ')
                .is_some_and(|rest| !rest.starts_with(' '))
        });
        if pending.is_none()
            && flush_left
            && !text.contains(HEAD)
            && !split_class(text).0.is_empty()
        {
            let exception = Exception {
                at: number,
                text,
                frames: std::mem::take(&mut frames),
                syntax: None,
            };
            let mut found = finding(context, &exception);
            if !outer {
                "cause".clone_into(&mut found.event.role);
            }
            pending = Some(found);
        }
    }
    findings.extend(pending);
    next
}

/// `ERROR: test_x (pkg.Case.test_x)`: the dotted name of the test, made whole for old versions,
/// with the parameters of a subtest.
fn unittest_head(line: &str) -> Option<String> {
    let rest = line
        .strip_prefix("ERROR: ")
        .or_else(|| line.strip_prefix("FAIL: "))?;
    let (method, rest) = rest.split_once(" (")?;
    let (dotted, rest) = rest.split_once(')')?;
    if method.contains(' ') || !dotted.contains('.') && !method.starts_with("test") {
        return None;
    }
    if dotted.is_empty() || dotted.contains(' ') {
        return None;
    }
    let mut name = dotted.to_owned();
    if name.rsplit('.').next() != Some(method) {
        name.push('.');
        name.push_str(method);
    }
    let subtest = rest.trim();
    if subtest.starts_with(['(', '[']) {
        name.push(' ');
        name.push_str(subtest);
    }
    Some(name)
}

/// Lines by which the interpreter itself gives up.
fn interpreter_error(line: &str) -> Option<&str> {
    if let Some(text) = line.strip_prefix("Fatal Python error: ") {
        return Some(text);
    }
    static COLON: Needle = Needle::new(": ");
    let (program, text) = COLON.split(line)?;
    let name = program.rsplit('/').next().unwrap_or_default();
    (name.starts_with("python")
        && !program.contains(' ')
        && (text.starts_with("No module named ") || text.starts_with("can't open file ")))
    .then_some(text)
}

/// The last exception in some lines, for blocks that hold a native traceback.
pub(super) fn last_exception<'t>(body: &[&'t str]) -> Option<Exception<'t>> {
    let lines: Vec<(usize, &str)> = body.iter().copied().enumerate().collect();
    let mut last = None;
    let mut at = 0;
    while let Some((_, line)) = lines.get(at) {
        if line.contains(HEAD) {
            let (exception, next) = traceback(&lines, at);
            last = exception.or(last);
            at = next;
        } else {
            at += 1;
        }
    }
    last
}
