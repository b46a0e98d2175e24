//! pytest: failures, errors at setup and collection, the short summary, one-line tracebacks.
//!
//! Applies where the text holds a pytest section head or summary line, or the command runs
//! pytest. Yields one event a failed test or collection error. Samples: 01–04, 101, 106, 141.

use std::collections::{HashMap, VecDeque};

use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser, split_class, split_location};
use crate::ansi_text::CUT;
use crate::substring::Needle;

mod block;
mod line;

use block::{Block, Kind};
use line::{block_head, is_totals, progress, section, summary};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["pytest", "py.test"],
    needles: &[
        "= FAILURES =",
        "= ERRORS =",
        "short test summary info",
        "FAILED ",
        "INTERNALERROR> ",
        "while loading conftest '",
    ],
    read,
};

static ERROR: Needle = Needle::new(": error: ");

/// Section of the output.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Elsewhere,
    Blocks,
    Summary,
}

/// A `FAILED nodeid - text` line.
struct Entry<'t> {
    at: usize,
    error: bool,
    id: &'t str,
    text: &'t str,
    used: bool,
}

struct Reader<'c, 't> {
    context: &'c Context<'c>,
    blocks: Vec<Block<'t>>,
    one_line: Vec<(usize, (&'t str, &'t str, &'t str))>,
    entries: Vec<Entry<'t>>,
    /// Failed tests of the verbose progress lines, for runs without a summary.
    progress: Vec<Entry<'t>>,
    other: Vec<Finding>,
    /// A configuration file could not be loaded; what follows is why.
    conftest: bool,
}

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut reader = Reader {
        context,
        blocks: Vec::new(),
        one_line: Vec::new(),
        entries: Vec::new(),
        progress: Vec::new(),
        other: Vec::new(),
        conftest: false,
    };
    let (first, last) = reader.scan(lines);
    let all = lines.all();
    let findings = reader.findings(all, lines.is_cut());
    if let Some(first) = first {
        lines.claim(first..last + 1);
    }
    findings
}

impl<'t> Reader<'_, 't> {
    /// Sorts the lines into blocks and entries; the range of lines that belong to pytest.
    fn scan(&mut self, lines: &Lines<'t>) -> (Option<usize>, usize) {
        let mut mode = Mode::Elsewhere;
        let (mut first, mut last) = (None, 0);
        let mut open = false;
        for (at, line) in lines.free() {
            if let Some(title) = section(line) {
                mode = match title {
                    "FAILURES" | "ERRORS" => Mode::Blocks,
                    "short test summary info" => Mode::Summary,
                    _ => Mode::Elsewhere,
                };
                self.close(open);
                open = false;
                // The head of a session says nothing about what is printed before it.
                first = first.or(Some(at));
                last = at;
                continue;
            }
            if line == CUT {
                // A half block: what it said before the cut stays, marked as incomplete.
                open = false;
                if mode == Mode::Elsewhere && first.is_some() {
                    mode = Mode::Blocks;
                }
                continue;
            }
            if let Some((error, id, text)) = summary(line) {
                if self.entries.len() < 4 * MAX_FINDINGS {
                    self.entries.push(Entry {
                        at,
                        error,
                        id,
                        text,
                        used: false,
                    });
                }
                self.close(open);
                open = false;
                first = first.or(Some(at));
                last = at;
                continue;
            }
            match mode {
                Mode::Elsewhere => self.outside(at, line),
                Mode::Summary if is_totals(line) => {
                    last = at;
                    mode = Mode::Elsewhere;
                }
                Mode::Summary => {}
                Mode::Blocks => {
                    if let Some((kind, name)) = block_head(line) {
                        self.close(open);
                        open = self.blocks.len() < MAX_FINDINGS;
                        if open {
                            self.blocks.push(Block::new(kind, name, at));
                        }
                    } else if open {
                        if let Some(block) = self.blocks.last_mut() {
                            block.line(line);
                        }
                    } else if is_totals(line) {
                        mode = Mode::Elsewhere;
                    } else if let Some(place) = split_location(line)
                        && !place.2.is_empty()
                        && !line.starts_with(' ')
                        && self.one_line.len() < MAX_FINDINGS
                    {
                        // `--tb=line` has no heads; after a cut, it is the end of a lost block.
                        self.one_line.push((at, place));
                    }
                    last = at;
                }
            }
        }
        if open && !lines.is_cut() {
            self.close(open);
        }
        (first, last)
    }

    fn close(&mut self, open: bool) {
        if open && let Some(block) = self.blocks.last_mut() {
            block.complete = true;
        }
    }

    /// Lines before and after the sections.
    fn outside(&mut self, at: usize, line: &'t str) {
        if line.starts_with("ImportError while loading conftest '") {
            // Its traceback has no head; it is read as a block of its own.
            self.conftest = true;
            self.blocks.push(Block::new(Kind::Failure, "", at));
            return;
        }
        if self.conftest
            && let Some(block) = self.blocks.last_mut()
        {
            block.line(line);
            block.complete = true;
            return;
        }
        if let Some((id, error)) = progress(line) {
            if self.progress.len() < 4 * MAX_FINDINGS {
                self.progress.push(Entry {
                    at,
                    error,
                    id,
                    text: "",
                    used: false,
                });
            }
            return;
        }
        if self.other.len() >= MAX_FINDINGS {
            return;
        }
        let message = if let Some(text) = line.strip_prefix("INTERNALERROR> ") {
            let (class, message) = split_class(text);
            if class.is_empty() || !text.starts_with(|c: char| c.is_alphabetic()) {
                return;
            }
            self.push_other(at, class, message);
            return;
        } else if let Some(text) = line.strip_prefix("ERROR: ") {
            let known = [
                "file or directory not found",
                "not found: ",
                "unrecognized arguments",
                "Error importing plugin",
                "could not load",
                "while parsing ",
                "Coverage failure",
                "found no collectors",
            ];
            known
                .iter()
                .any(|start| text.starts_with(start))
                .then_some(text)
        } else if let Some((usage, text)) = ERROR.split(line) {
            // How its argument parser complains.
            let own = usage.ends_with("pytest") || usage.ends_with("pytest.py");
            own.then_some(text)
        } else if line.starts_with("FAIL Required test coverage") {
            Some(line.strip_prefix("FAIL ").unwrap_or(line))
        } else {
            let silent = self.context.run.exit_status == Some(5);
            (silent && line.trim_matches(['=', ' ']).starts_with("no tests ran"))
                .then_some("no tests ran")
        };
        if let Some(message) = message {
            self.push_other(at, "", message);
        }
    }

    fn push_other(&mut self, at: usize, code: &str, message: &str) {
        let message = if message.is_empty() { code } else { message };
        let mut event = self.context.event("pytest", "test", message);
        code.clone_into(&mut event.code);
        self.other.push(Finding::new(at, event));
    }

    fn findings(mut self, all: &[&'t str], cut: bool) -> Vec<Finding> {
        let context = self.context;
        let mut findings = std::mem::take(&mut self.other);
        if self.entries.is_empty() {
            self.entries = std::mem::take(&mut self.progress);
        }
        let mut index = Index::new(&self.entries);
        let blocks = std::mem::take(&mut self.blocks);
        for (number, block) in blocks.iter().enumerate() {
            if !block.complete && block.places.is_empty() {
                continue;
            }
            let entry = index.take(&mut self.entries, block.kind != Kind::Failure, &block.key());
            let id = entry
                .and_then(|at| self.entries.get(at))
                .map(|entry| (entry.id, entry.text));
            let end = blocks.get(number + 1).map_or(all.len(), |next| next.at);
            // The last block that is kept is followed by everything else.
            let end = end.min(block.at + 2_000);
            let body = all.get(block.at..end).unwrap_or_default();
            findings.push(block.finding(context, id, body));
        }
        if blocks.is_empty() || !cut {
            for (at, (path, line, text)) in std::mem::take(&mut self.one_line) {
                let id = self.next_entry(context, path, text);
                findings.push(one_line(context, at, (path, line, text), id));
            }
        }
        let verbose_only = self.entries.iter().all(|entry| entry.text.is_empty());
        for entry in self.entries.iter().filter(|entry| !entry.used) {
            if findings.len() >= MAX_FINDINGS {
                break;
            }
            // Progress lines name the tests of blocks that were read; alone they are all we know.
            if verbose_only && !blocks.is_empty() && !cut {
                continue;
            }
            findings.push(summary_only(context, entry));
        }
        findings
    }

    /// The failed test of a one-line traceback, which carries no name: the one whose summary says
    /// the same, else the next one of the file.
    fn next_entry(&mut self, context: &Context, path: &str, text: &str) -> Option<&'t str> {
        let file = context.place(path).file;
        let says = |entry: &Entry| {
            let told = entry.text.trim_end_matches("...");
            !told.is_empty() && text.starts_with(told)
        };
        let of_file = |entry: &Entry| entry.id.split("::").next() == Some(file.as_str());
        let find = |test: &dyn Fn(&Entry) -> bool| {
            self.entries
                .iter()
                .position(|entry| !entry.used && test(entry))
        };
        let at = find(&|entry| says(entry) && of_file(entry))
            .or_else(|| find(&says))
            .or_else(|| find(&of_file))
            .or_else(|| find(&|_| true))?;
        let entry = self.entries.get_mut(at)?;
        entry.used = true;
        Some(entry.id)
    }
}

/// Finds the summary entry of a block by its name.
struct Index {
    by_name: HashMap<(bool, String), VecDeque<usize>>,
}

impl Index {
    fn new(entries: &[Entry]) -> Self {
        let mut by_name: HashMap<(bool, String), VecDeque<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            by_name
                .entry((entry.error, section_name(entry.id)))
                .or_default()
                .push_back(at);
        }
        Self { by_name }
    }

    fn take(&mut self, entries: &mut [Entry], error: bool, name: &str) -> Option<usize> {
        let mut found = None;
        for error in [error, !error] {
            if let Some(queue) = self.by_name.get_mut(&(error, name.to_owned())) {
                found = queue.pop_front();
                if found.is_some() {
                    break;
                }
            }
        }
        let entry = entries.get_mut(found?)?;
        entry.used = true;
        found
    }
}

/// `tests/a.py::TestX::test_y[p]` is headed `TestX.test_y[p]`; a file is its own head.
fn section_name(id: &str) -> String {
    let Some((_, name)) = id.split_once("::") else {
        return id.to_owned();
    };
    match name.split_once('[') {
        Some((name, parameters)) => format!("{}[{parameters}", name.replace("::", ".")),
        None => name.replace("::", "."),
    }
}

fn one_line(
    context: &Context,
    at: usize,
    (path, line, text): (&str, &str, &str),
    id: Option<&str>,
) -> Finding {
    let mut finding = described(context, at, text);
    finding.event.file = context.place(path).file;
    line.clone_into(&mut finding.event.line);
    id.unwrap_or_default().clone_into(&mut finding.event.test);
    finding
}

fn summary_only(context: &Context, entry: &Entry) -> Finding {
    let text = if entry.text.is_empty() {
        "failed"
    } else {
        entry.text
    };
    let mut finding = described(context, entry.at, text);
    let file = entry.id.split("::").next().unwrap_or_default();
    finding.event.file = context.place(file).file;
    entry.id.clone_into(&mut finding.event.test);
    finding
}

/// An event from `Class: text`, `assert …` or plain text.
fn described(context: &Context, at: usize, text: &str) -> Finding {
    let (mut code, mut message) = split_class(text);
    if code.is_empty() && text.starts_with("assert ") {
        code = "AssertionError";
    }
    if message.is_empty() {
        message = code;
    }
    let mut event = context.event("pytest", "test", message);
    code.clone_into(&mut event.code);
    Finding::new(at, event)
}
