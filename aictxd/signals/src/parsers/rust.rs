//! rustc, cargo, clippy, rustfmt, libtest and nextest.
//!
//! Applies where the command runs one of them or the text has their shape. Yields compiler and
//! lint errors, panics, failed tests, formatting differences, linker errors. Samples: 46–53, 111,
//! 129, 130.

use std::collections::HashSet;

use super::shape::location;
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_location};
use crate::ansi_text::CUT;
use crate::substring::Needle;

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: PROGRAMS,
    needles: &[
        "error[E",
        "error: could not compile `",
        " panicked at ",
        "test result: FAILED",
        " stdout ----",
        "   Compiling ",
        "Diff in ",
    ],
    read,
};

const PROGRAMS: &[&str] = &[
    "cargo",
    "rustc",
    "rustfmt",
    "rustdoc",
    "clippy-driver",
    "cross",
];

/// Shapes that only the Rust tools print.
fn is_telling(line: &str) -> bool {
    match line.trim_start().as_bytes().first() {
        Some(b'e' | b'w') => {
            line.starts_with("error[E") || line.starts_with("error: could not compile `")
        }
        Some(b't') => is_panic(line) || line.starts_with("test result: FAILED"),
        Some(b'-') => line.starts_with("---- ") && line.ends_with(" stdout ----"),
        Some(b'C') => line.starts_with("   Compiling ") && line.contains(" v"),
        _ => false,
    }
}

fn is_panic(line: &str) -> bool {
    line.trim_start().starts_with("thread '") && line.contains(" panicked at ")
}

struct Reader<'c> {
    context: &'c Context<'c>,
    findings: Vec<Finding>,
    /// Names of tests that have an event.
    tests: HashSet<String>,
    /// Test whose captured output is being read.
    current: Option<(String, usize, bool)>,
    testing: bool,
    /// Lines that nobody else should look at.
    claims: Vec<std::ops::Range<usize>>,
}

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut reader = Reader {
        context,
        findings: Vec::new(),
        tests: HashSet::new(),
        current: None,
        testing: false,
        claims: Vec::new(),
    };
    let certain = context.runs(PROGRAMS) || lines.all().iter().any(|line| is_telling(line));
    let free: Vec<(usize, &str)> = lines.free().collect();
    let mut failed: Vec<(usize, &str)> = Vec::new();
    for (index, (at, line)) in free.iter().copied().enumerate() {
        if reader.findings.len() >= MAX_FINDINGS {
            break;
        }
        let rest = free.get(index + 1..).unwrap_or_default();
        if line == CUT {
            reader.current = None;
        } else if let Some((severity, code, text)) = diagnostic(line) {
            reader.diagnostic(at, (severity, code, text), rest, certain);
        } else if let Some(finding) = short(context, at, line) {
            reader.findings.push(finding);
            reader.claims.push(at..at + 1);
        } else if is_panic(line) {
            reader.panic(at, line, rest);
        } else if let Some(name) = test_head(line) {
            reader.testing = true;
            reader.current = Some((name.to_owned(), at, false));
        } else if let Some(text) = line.strip_prefix("Error: ") {
            reader.returned_error(at, text);
        } else if let Some(text) = line.strip_prefix("note: test did not panic as expected") {
            reader.silent_test(at, text);
        } else if let Some(name) = failed_test(line) {
            reader.testing = true;
            failed.push((at, name));
        } else if line.starts_with("running ") && line.contains(" test") {
            reader.testing = true;
        } else if let Some((path, number)) = format_difference(line) {
            let mut event = context.event("rust", "lint", "formatting differs");
            event.file = context.place(path).file;
            number.clone_into(&mut event.line);
            "rustfmt".clone_into(&mut event.tool);
            reader.findings.push(Finding::new(at, event));
        }
    }
    reader.unreported(&failed);
    for claim in std::mem::take(&mut reader.claims) {
        lines.claim(claim);
    }
    reader.findings
}

impl Reader<'_> {
    fn diagnostic(
        &mut self,
        at: usize,
        (severity, code, text): (&str, &str, &str),
        rest: &[(usize, &str)],
        certain: bool,
    ) {
        if is_remark(text) {
            return;
        }
        let body = body(rest);
        if certain || !code.is_empty() {
            let end = body.last().map_or(at, |(end, _)| *end);
            self.claims.push(at..end + 1);
        }
        let arrow = body
            .iter()
            .find_map(|(_, line)| line.trim_start().strip_prefix("--> "));
        if arrow.is_none() && code.is_empty() && !certain {
            return;
        }
        let lint = body.iter().find_map(|(_, line)| lint_name(line));
        let mut event = self.context.event("rust", "build", text);
        severity.clone_into(&mut event.severity);
        if let Some(lint) = lint.filter(|_| !code.starts_with('E')) {
            "lint".clone_into(&mut event.phase);
            lint.clone_into(&mut event.code);
        } else {
            code.clone_into(&mut event.code);
        }
        if severity == "warning" {
            // Kept only when nothing worse exists; a lint warning of rustc is no linter finding.
            "build".clone_into(&mut event.phase);
        }
        if let Some((path, line, column)) = arrow.and_then(split_location) {
            event.file = self.context.place(path).file;
            line.clone_into(&mut event.line);
            column.clone_into(&mut event.column);
        }
        let mut finding = Finding::new(at, event);
        finding.wrapper = is_wrapper(text);
        self.findings.push(finding);
        if text.starts_with("linking with ") {
            self.linker(&body);
        }
    }

    fn linker(&mut self, body: &[(usize, &str)]) {
        for (at, line) in body {
            let text = line.trim_start_matches([' ', '=', '|']).trim();
            let text = text.strip_prefix("note: ").unwrap_or(text);
            let message = if let Some((tool, message)) = text.split_once(": error: ") {
                (!tool.contains(' ')).then_some(message)
            } else if let Some(start) = text.find("undefined reference to ") {
                text.get(start..)
            } else {
                text.find("cannot find -l")
                    .and_then(|start| text.get(start..))
            };
            let Some(message) = message.filter(|message| !message.starts_with("ld returned"))
            else {
                continue;
            };
            let mut event = self.context.event("c_cpp", "build", message);
            "ld".clone_into(&mut event.tool);
            self.findings.push(Finding::new(*at, event));
            if self.findings.len() >= MAX_FINDINGS {
                return;
            }
        }
    }

    fn panic(&mut self, at: usize, line: &str, rest: &[(usize, &str)]) {
        let Some((thread, place)) = line.trim_start().split_once(" panicked at ") else {
            return;
        };
        let name = thread
            .strip_prefix("thread '")
            .and_then(|rest| rest.split('\'').next());
        let (place, message) = match place
            .strip_prefix('\'')
            .and_then(|old| old.rsplit_once("', "))
        {
            Some((message, place)) => (place, message.to_owned()),
            // Whoever tells of it writes it on one line.
            None if place.contains(": ") => place
                .split_once(": ")
                .map_or((place, String::new()), |(place, text)| {
                    (place, text.to_owned())
                }),
            None => {
                let next = rest
                    .iter()
                    .map(|(_, line)| line.trim())
                    .find(|line| !line.is_empty() && *line != CUT);
                (place, next.unwrap_or("panicked").to_owned())
            }
        };
        // A second panic of the same test says nothing new.
        let test = match &mut self.current {
            Some((test, _, told)) => {
                if std::mem::replace(told, true) {
                    return;
                }
                test.clone()
            }
            None => name
                .filter(|name| self.testing && *name != "main")
                .unwrap_or_default()
                .to_owned(),
        };
        if !test.is_empty() && !self.tests.insert(test.clone()) {
            return;
        }
        let phase = if test.is_empty() { "runtime" } else { "test" };
        let mut event = self.context.event("rust", phase, &message);
        "panic".clone_into(&mut event.code);
        event.test = test;
        self.locate_panic(&mut event, place.trim_end_matches(':'), rest);
        self.findings.push(Finding::new(at, event));
    }

    /// The panic's own place, or the first frame of ours when it lies in a library.
    fn locate_panic(
        &self,
        event: &mut aictx_proto::event::ErrorEvent,
        place: &str,
        rest: &[(usize, &str)],
    ) {
        let own = split_location(place);
        let frames = rest
            .iter()
            .take(200)
            .take_while(|(_, line)| !is_panic(line))
            .filter_map(|(_, line)| {
                line.trim_start()
                    .strip_prefix("at ")
                    .and_then(split_location)
            });
        let mut first: Option<(String, String, String)> = None;
        for (path, line, column) in own.into_iter().chain(frames) {
            let found = self.context.place(path);
            let local = found.local && !path.contains("/.cargo/");
            if local || first.is_none() {
                first = Some((found.file, line.to_owned(), column.to_owned()));
            }
            if local {
                break;
            }
        }
        if let Some((file, line, column)) = first {
            event.file = file;
            event.line = line;
            event.column = column;
        }
    }

    /// `Error: …` as a test or `main` that returns an error prints it.
    fn returned_error(&mut self, at: usize, text: &str) {
        let (test, phase) = match &mut self.current {
            Some((test, _, told)) if !*told => {
                *told = true;
                (test.clone(), "test")
            }
            None if !self.testing && self.context.runs(&["cargo"]) => (String::new(), "runtime"),
            _ => return,
        };
        if !test.is_empty() && !self.tests.insert(test.clone()) {
            return;
        }
        let mut event = self.context.event("rust", phase, text);
        event.test = test;
        self.findings.push(Finding::new(at, event));
    }

    /// A test that should have panicked did not.
    fn silent_test(&mut self, at: usize, place: &str) {
        let Some((test, _, told)) = &mut self.current else {
            return;
        };
        *told = true;
        let test = test.trim_end_matches(" - should panic").to_owned();
        self.tests.insert(test.clone());
        let finding = self
            .context
            .find(at, "rust", "test", "test did not panic as expected")
            .test(&test);
        let place = place.strip_prefix(" at ").and_then(split_location);
        self.findings.push(match place {
            Some((path, line, column)) => finding.place(self.context, path, line, column),
            None => finding,
        });
    }

    /// Tests that failed without a message of their own, and what ended by a signal.
    fn unreported(&mut self, failed: &[(usize, &str)]) {
        for (at, name) in failed {
            let told = self.tests.iter().any(|known| known == name);
            if told || self.findings.len() >= MAX_FINDINGS {
                continue;
            }
            self.tests.insert((*name).to_owned());
            let mut event = self
                .context
                .event("rust", "test", &format!("test {name} failed"));
            (*name).clone_into(&mut event.test);
            self.findings.push(Finding::new(*at, event));
        }
    }
}

/// `path:1:24: error[E0308]: text` of `--message-format short`.
fn short(context: &Context, at: usize, line: &str) -> Option<Finding> {
    static SOURCE: Needle = Needle::new(".rs:");
    let (path, rest) = SOURCE.split(line)?;
    if path.contains(' ') || !(rest.contains(": error") || rest.contains(": warning")) {
        return None;
    }
    let place = location(line)?;
    let (severity, code, text) = diagnostic(place.rest)?;
    Some(
        context
            .find(at, "rust", "build", text)
            .code(code)
            .warning_if(severity == "warning")
            .place(context, place.path, place.line, place.column),
    )
}

/// `error[E0308]: text`, `warning: text` at the start of a line.
fn diagnostic(line: &str) -> Option<(&str, &str, &str)> {
    let (severity, rest) = if let Some(rest) = line.strip_prefix("error") {
        ("error", rest)
    } else {
        ("warning", line.strip_prefix("warning")?)
    };
    if let Some(text) = rest.strip_prefix(": ") {
        return Some((severity, "", text));
    }
    let (code, text) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((severity, code, text))
}

/// The lines that belong to a diagnostic: up to an empty line at the margin or the next head.
fn body<'t>(rest: &[(usize, &'t str)]) -> Vec<(usize, &'t str)> {
    rest.iter()
        .take(200)
        .take_while(|(_, line)| {
            (line.starts_with([' ', '\t'])
                || line.starts_with(|c: char| c.is_ascii_digit())
                || line.starts_with("help"))
                || (line.starts_with("note") || line.starts_with("..."))
        })
        .copied()
        .collect()
}

/// Sums and hints in the dress of a diagnostic.
fn is_remark(text: &str) -> bool {
    text.starts_with("aborting due to ")
        || text.starts_with("build failed, waiting for other jobs")
        || text.starts_with("Some errors have detailed explanations")
        || (text.contains(" generated ") && text.contains(" warning"))
        || text.ends_with(" warnings emitted")
        || text == "1 warning emitted"
}

fn is_wrapper(text: &str) -> bool {
    text.starts_with("could not compile ")
        || text.starts_with("could not document ")
        || text.starts_with("test failed, to rerun pass ")
        || text.starts_with("doctest failed, to rerun pass ")
        || text.starts_with("test run failed")
        || text.starts_with("process didn't exit successfully")
        || text.starts_with("unresolved rust tests")
        || (text.ends_with(" failed:") && text.contains(" target"))
}

/// The lint behind `` `-D name` implied by … `` or `` `#[deny(name)]` on by default ``.
fn lint_name(line: &str) -> Option<&str> {
    let note = line.split_once("= note: ")?.1;
    if let Some(rest) = note
        .strip_prefix("`-D ")
        .or_else(|| note.strip_prefix("`-F "))
        .or_else(|| note.strip_prefix("`-W "))
    {
        return rest.split('`').next();
    }
    ["#[deny(", "#[forbid(", "#[warn("]
        .iter()
        .find_map(|start| {
            let rest = note.strip_prefix('`')?.strip_prefix(start)?;
            rest.split(')').next()
        })
}

/// `---- name stdout ----`, nextest's `--- STDERR:   crate name ---`.
fn test_head(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("---- ") {
        return rest
            .strip_suffix(" stdout ----")
            .or_else(|| rest.strip_suffix(" stderr ----"));
    }
    let rest = line.trim_start().strip_prefix("--- ")?;
    let rest = rest
        .strip_prefix("STDERR:")
        .or_else(|| rest.strip_prefix("STDOUT:"))?;
    let name = rest.trim_start().trim_end_matches('-').trim_end();
    Some(name.split_once(' ').map_or(name, |(_, name)| name.trim()))
}

/// `test name ... FAILED`, nextest's `FAIL [   0.006s] crate name`.
fn failed_test(line: &str) -> Option<&str> {
    if let Some(rest) = line.trim_start().strip_prefix("test ") {
        return rest
            .strip_suffix(" ... FAILED")
            .map(|name| name.trim_end_matches(" - should panic"));
    }
    let text = line.trim_start();
    if !text.starts_with(['F', 'T', 'S', 'A', 'L']) {
        return None;
    }
    let word = text.split(' ').next()?;
    if !matches!(
        word,
        "FAIL" | "TIMEOUT" | "SIGABRT" | "SIGSEGV" | "ABORT" | "LEAK-FAIL"
    ) {
        return None;
    }
    let (time, rest) = text
        .strip_prefix(word)?
        .trim_start()
        .strip_prefix('[')?
        .split_once(']')?;
    if !time.trim().ends_with('s') {
        return None;
    }
    let mut rest = rest.trim();
    if rest.starts_with('(') {
        rest = rest.split_once(')')?.1.trim();
    }
    rest.split_once(' ').map(|(_, name)| name.trim())
}

/// `Diff in path:12:` and the older `Diff in path at line 12:`.
fn format_difference(line: &str) -> Option<(&str, &str)> {
    let rest = line
        .strip_prefix("Diff in ")?
        .trim_end()
        .trim_end_matches(':');
    rest.rsplit_once(" at line ")
        .or_else(|| rest.rsplit_once(':'))
}
