//! Recognisers: one module a tool. Each says when it applies and what it yields.
//!
//! A new tool is a new file with one [`Recogniser`] and one entry in [`ALL`].

use std::ops::Range;

use aictx_proto::event::{ErrorEvent, MAX_EVENTS};
use aictx_proto::path::{Located, locate};
use aictx_proto::text::clean;

use crate::output::CUT;
use crate::shell::{self, SimpleCommand};
use crate::{Run, fingerprint};

mod generic;
mod pytest;
mod python;
mod rust;

pub(crate) use generic::fallback;

/// Findings of one recogniser in one stream; what comes after is not looked at, because
/// [`MAX_EVENTS`] are kept in the end.
pub(crate) const MAX_FINDINGS: usize = 64;
/// Events one recogniser may contribute when others matched as well (spec/memory §4.8).
const MAX_SHARED: usize = 6;

const MAX_MESSAGE: usize = 500;
const MAX_CODE: usize = 80;
const MAX_TEST: usize = 300;
const MAX_FILE: usize = 400;
const MAX_COMMAND: usize = 4_000;

/// One tool's recogniser.
pub(crate) struct Recogniser {
    /// Cheap test whether the output can be this tool's at all: by command, banner or shape.
    pub(crate) applies: fn(&Context, &Lines) -> bool,
    /// Reads the lines; claims those that no later recogniser should look at.
    pub(crate) read: fn(&Context, &mut Lines) -> Vec<Finding>,
}

/// All recognisers, the most specific first.
pub(crate) static ALL: &[&Recogniser] =
    &[&pytest::RECOGNISER, &rust::RECOGNISER, &python::RECOGNISER];

/// What a recogniser may know besides the text.
pub(crate) struct Context<'a> {
    pub(crate) run: &'a Run<'a>,
    /// Directory the tool ran in, `cd` words of the command applied.
    cwd: String,
    /// Programs of the command line.
    programs: Vec<String>,
}

/// Cleaned lines of one stream.
pub(crate) struct Lines<'t> {
    all: Vec<&'t str>,
    claimed: Vec<Range<usize>>,
}

/// One event on its way, with what decides about keeping it.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) event: ErrorEvent,
    /// Line of its primary text.
    pub(crate) at: usize,
    /// Only of interest when nothing else was found (`could not compile …`).
    pub(crate) wrapper: bool,
}

/// A path as a tool printed it, after resolution.
pub(crate) struct Place {
    /// Repository-relative when `local`, else as printed; empty for what is no file
    /// (`<string>`).
    pub(crate) file: String,
    /// It is the repository's own code.
    pub(crate) local: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(run: &'a Run<'a>) -> Self {
        let script = shell::parse(run.command);
        let dir = script
            .commands
            .iter()
            .rev()
            .find_map(|command| command.dir.as_deref().filter(|dir| !dir.is_empty()));
        let cwd = match dir {
            Some(dir) if dir.starts_with('/') => dir.to_owned(),
            Some(dir) if !dir.starts_with('~') => format!("{}/{dir}", run.cwd),
            _ => run.cwd.to_owned(),
        };
        let programs = script.commands.iter().map(program).collect();
        Self { run, cwd, programs }
    }

    /// Whether the command line runs one of these programs (`python -m x` counts as `x` too).
    pub(crate) fn runs(&self, names: &[&str]) -> bool {
        self.programs.iter().any(|program| {
            program
                .split(' ')
                .any(|part| names.iter().any(|name| is_version_of(part, name)))
        })
    }

    /// Resolves a path printed by a tool.
    pub(crate) fn place(&self, raw: &str) -> Place {
        let raw = raw.trim();
        if raw.starts_with('<') || raw.is_empty() {
            return Place {
                file: String::new(),
                local: false,
            };
        }
        let located = match locate(self.run.root, "", &self.cwd) {
            // Some tools print paths from the top of the project wherever they run.
            Located::Inside(cwd)
                if !cwd.is_root() && raw.starts_with(&format!("{}/", cwd.as_str())) =>
            {
                locate(self.run.root, "", raw)
            }
            _ => locate(self.run.root, &self.cwd, raw),
        };
        match located {
            Located::Inside(path) => Place {
                local: !path.segments().any(is_foreign_directory),
                file: path.as_str().to_owned(),
            },
            Located::Outside(_) => Place {
                file: raw.to_owned(),
                local: false,
            },
        }
    }

    /// A new event of this run.
    pub(crate) fn event(&self, toolchain: &str, phase: &str, message: &str) -> ErrorEvent {
        ErrorEvent {
            toolchain: toolchain.to_owned(),
            phase: phase.to_owned(),
            severity: "error".to_owned(),
            message: clean(message, MAX_MESSAGE),
            exit_code: self.run.exit_status.unwrap_or(0).into(),
            ..ErrorEvent::default()
        }
    }
}

/// Program name and, for `python -m x`, the module.
fn program(command: &SimpleCommand) -> String {
    let mut out = command.name().to_owned();
    if out.starts_with("python") || out == "py" {
        let mut arguments = command.arguments().iter();
        if arguments.any(|word| word.text == "-m")
            && let Some(module) = arguments.next()
        {
            out.push(' ');
            out.push_str(&module.text);
        }
    }
    out
}

/// `python3.11` is a version of `python`.
fn is_version_of(program: &str, name: &str) -> bool {
    program.strip_prefix(name).is_some_and(|rest| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-')
    })
}

/// Directories inside a repository that hold other people's code.
fn is_foreign_directory(segment: &str) -> bool {
    matches!(
        segment,
        "site-packages" | "dist-packages" | "node_modules" | ".venv" | "venv" | ".tox" | ".nox"
    )
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut all: Vec<&str> = text.lines().collect();
        while all.last().is_some_and(|line| line.trim().is_empty()) {
            all.pop();
        }
        Self {
            all,
            claimed: Vec::new(),
        }
    }

    pub(crate) fn all(&self) -> &[&'t str] {
        &self.all
    }

    /// Lines that nobody has claimed, with their numbers.
    pub(crate) fn free(&self) -> impl Iterator<Item = (usize, &'t str)> + '_ {
        self.all
            .iter()
            .copied()
            .enumerate()
            .filter(|(at, _)| !self.claimed.iter().any(|range| range.contains(at)))
    }

    pub(crate) fn claim(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.claimed.push(range);
        }
    }

    /// Whether some of the text is missing.
    pub(crate) fn is_cut(&self) -> bool {
        self.all.contains(&CUT)
    }
}

impl Finding {
    pub(crate) fn new(at: usize, event: ErrorEvent) -> Self {
        Self {
            event,
            at,
            wrapper: false,
        }
    }
}

/// Runs all recognisers over the streams and makes the final list: ordered, merged, bounded.
pub(crate) fn collect(context: &Context, streams: &mut [Lines]) -> Vec<ErrorEvent> {
    let mut found: Vec<(usize, usize, Finding)> = Vec::new();
    for (stream, lines) in streams.iter_mut().enumerate() {
        for (which, recogniser) in ALL.iter().enumerate() {
            if (recogniser.applies)(context, lines) {
                let findings = (recogniser.read)(context, lines);
                found.extend(findings.into_iter().map(|finding| (stream, which, finding)));
            }
        }
    }
    if found.iter().any(|(_, _, finding)| !finding.wrapper) {
        found.retain(|(_, _, finding)| !finding.wrapper);
    }
    let warning = |finding: &Finding| finding.event.severity == "warning";
    if found.iter().any(|(_, _, finding)| !warning(finding)) {
        // Compiler warnings are no failures once there is an error; no linter is among us yet.
        found.retain(|(_, _, finding)| !warning(finding) || finding.event.phase == "lint");
    }
    found.sort_by_key(|(stream, _, finding)| (warning(finding), *stream, finding.at));
    let shared = found
        .iter()
        .any(|(_, which, _)| found.first().is_some_and(|(_, first, _)| first != which));
    let limit = if shared { MAX_SHARED } else { MAX_EVENTS };
    let mut taken = vec![0usize; ALL.len()];
    let mut events: Vec<ErrorEvent> = Vec::new();
    for (_, which, finding) in found {
        let event = finish(context, finding.event);
        if let Some(same) = events
            .iter_mut()
            .find(|known| known.fingerprint == event.fingerprint)
        {
            same.count = same.count.max(1) + 1;
            continue;
        }
        if let Some(count) = taken.get_mut(which) {
            if *count >= limit || events.len() >= MAX_EVENTS {
                continue;
            }
            *count += 1;
            events.push(event);
        }
    }
    events
}

/// Applies the bounds of the format and computes the identity.
pub(crate) fn finish(context: &Context, mut event: ErrorEvent) -> ErrorEvent {
    event.command = clean(context.run.command, MAX_COMMAND);
    event.code = clean(&event.code, MAX_CODE);
    event.test = clean(&event.test, MAX_TEST);
    event.file = clean(&event.file, MAX_FILE);
    event.fingerprint = fingerprint::fingerprint(&event, context.run.root);
    event
}

/// Splits `Class: text` as Python prints exceptions; the class without its module. Text that does
/// not start with a class gives an empty one.
pub(crate) fn split_class(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let class = name.rsplit('.').next().unwrap_or_default();
    let is_class = class.starts_with(|c: char| c.is_uppercase())
        || (name.contains('.') && class.starts_with(|c: char| c.is_alphabetic()));
    match rest.strip_prefix(':') {
        Some(message) if is_class && (message.is_empty() || message.starts_with(' ')) => {
            (class, message.trim())
        }
        None if is_class && rest.is_empty() && looks_like_exception(class) => (class, ""),
        _ => ("", text),
    }
}

/// Whether a bare word is the name of an exception.
fn looks_like_exception(class: &str) -> bool {
    [
        "Error",
        "Exception",
        "Interrupt",
        "Exit",
        "Warning",
        "Iteration",
        "Timeout",
        "Failed",
    ]
    .iter()
    .any(|ending| class.ends_with(ending))
        || class.len() > 2 && class.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Splits `path:12: rest` or `path:12`. The path has no blank in it unless it ends in `.py`.
pub(crate) fn split_location(line: &str) -> Option<(&str, &str, &str)> {
    let bytes = line.as_bytes();
    let mut from = 0;
    while let Some(colon) = memchr::memchr(b':', bytes.get(from..)?).map(|found| found + from) {
        let digits = bytes
            .get(colon + 1..)?
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = colon + 1 + digits;
        if digits > 0 && digits < 8 && matches!(bytes.get(end), None | Some(b':')) {
            let path = line.get(..colon)?;
            if path.is_empty() || (path.contains([' ', '\t']) && !path.ends_with(".py")) {
                return None;
            }
            return Some((
                path,
                line.get(colon + 1..end)?,
                line.get(end + 1..).unwrap_or_default().trim(),
            ));
        }
        from = colon + 1;
    }
    None
}
