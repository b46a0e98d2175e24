//! `go test`: failed tests, panics, data races; and panics of programs.
//!
//! Yields one event a failed test, the deepest of nested ones. Samples: 41, 42, 44, 127, 128.

use std::collections::HashMap;

use super::shape::{At, indent, joined, location};
use super::{Context, Finding, Lines, MAX_FINDINGS, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &[],
    needles: &[
        "--- FAIL: ",
        "panic: ",
        "fatal error: ",
        "DATA RACE",
        "FAIL\t",
    ],
    read,
};

/// Output of a failed test.
#[derive(Default)]
struct Told<'t> {
    message: String,
    place: Option<At<'t>>,
    /// Line of the `--- FAIL`, once it is known to have failed.
    failed: Option<usize>,
}

struct Reader<'c, 't> {
    context: &'c Context<'c>,
    told: HashMap<&'t str, Told<'t>>,
    order: Vec<&'t str>,
    current: Option<&'t str>,
    race: Option<At<'t>>,
    findings: Vec<Finding>,
    /// Findings before this one have their package.
    packed: usize,
}

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    if lines
        .all()
        .iter()
        .take(20)
        .any(|line| line.starts_with("{\"Time\":\"") && line.contains("\"Package\":"))
    {
        return json(context, lines);
    }
    let mut reader = Reader {
        context,
        told: HashMap::new(),
        order: Vec::new(),
        current: None,
        race: None,
        findings: Vec::new(),
        packed: 0,
    };
    reader.scan(lines);
    reader.findings
}

impl<'t> Reader<'_, 't> {
    fn scan(&mut self, lines: &mut Lines<'t>) {
        let mut at = 0;
        while at < lines.len() && self.findings.len() < MAX_FINDINGS {
            let head = at;
            let line = lines.get(head);
            at += 1;
            let text = line.trim_start();
            if let Some(rest) = text.strip_prefix("--- FAIL: ") {
                let name = rest.split(" (").next().unwrap_or(rest).trim();
                self.current = Some(name);
                self.test(name).failed = Some(head);
                lines.claim(head..at);
            } else if let Some(name) = ["=== RUN ", "=== CONT ", "=== NAME "]
                .iter()
                .find_map(|start| text.strip_prefix(start))
            {
                self.current = Some(name.trim());
            } else if text.starts_with("--- PASS: ")
                || text.starts_with("--- SKIP: ")
                || text.starts_with("=== PAUSE ")
            {
                self.current = None;
            } else if line == "WARNING: DATA RACE" {
                at = self.race(lines, head);
            } else if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
                if let Some(end) = self.panic(lines, head) {
                    at = end;
                }
            } else if let Some(rest) = line.strip_prefix("FAIL\t") {
                self.package(lines, head, rest);
            } else if line.starts_with("ok  \t") {
                self.end("", head);
            } else if let Some(name) = self.current {
                self.output(lines, name, head, line);
            }
        }
        self.end("", lines.len());
        if let Some(place) = self.race.take()
            && self.findings.is_empty()
        {
            let finding = self
                .context
                .find(0, "go", "runtime", "DATA RACE")
                .code("DATA RACE");
            self.findings
                .push(finding.place(self.context, place.path, place.line, place.column));
        }
    }

    fn test(&mut self, name: &'t str) -> &mut Told<'t> {
        if !self.told.contains_key(name) && self.order.len() < 4_096 {
            self.order.push(name);
        }
        self.told.entry(name).or_default()
    }

    /// `    file_test.go:7: text` of the current test; or the text of a failed example.
    fn output(&mut self, lines: &mut Lines<'t>, name: &'t str, at: usize, line: &'t str) {
        if name.starts_with("Example")
            && line == "got:"
            && self
                .told
                .get(name)
                .is_some_and(|told| told.message.is_empty())
        {
            let body = lines
                .after(at, 40)
                .map(|(_, line)| line)
                .take_while(|line| {
                    !line.starts_with("--- ")
                        && !line.starts_with("FAIL")
                        && !line.starts_with("=== ")
                });
            self.test(name).message = joined(body);
            return;
        }
        if !line.starts_with([' ', '\t']) {
            return;
        }
        let Some(place) = location(line.trim_start())
            .filter(|place| place.path.ends_with(".go") && place.column.is_empty())
        else {
            return;
        };
        let depth = indent(line);
        let known = self
            .told
            .get(name)
            .is_some_and(|told| !told.message.is_empty());
        if known {
            return;
        }
        let body: Vec<&str> = lines
            .after(at + 1, 60)
            .map(|(_, line)| line)
            .take_while(|line| indent(line) > depth && !line.trim_start().starts_with("--- "))
            .collect();
        let (message, place) = if place.rest.is_empty() {
            testify(&body).map_or(
                (joined(body.iter().take(1).copied()), place),
                |(message, traced)| (message, traced.unwrap_or(place)),
            )
        } else {
            (place.rest.to_owned(), place)
        };
        if message.is_empty() {
            return;
        }
        lines.claim(at..at + 1);
        let told = self.test(name);
        told.message = message;
        told.place = Some(place);
    }

    /// First frame of the first access.
    fn race(&mut self, lines: &mut Lines<'t>, head: usize) -> usize {
        let end = lines
            .after(head + 1, 200)
            .find(|(_, line)| line.starts_with("====="))
            .map_or(head + 1, |(end, _)| end + 1);
        let frame = lines
            .after(head + 1, end - head)
            .filter_map(|(_, line)| go_frame(line))
            .find(|place| self.context.place(place.path).local);
        self.race = self.race.or(frame);
        lines.claim(head..end);
        end
    }

    fn panic(&mut self, lines: &mut Lines<'t>, head: usize) -> Option<usize> {
        let line = lines.get(head);
        let (code, text) = match line.strip_prefix("panic: ") {
            Some(text) => ("panic", text),
            None => ("fatal error", line.strip_prefix("fatal error: ")?),
        };
        let text = text.split(" [recovered").next().unwrap_or(text);
        let goroutine = lines
            .after(head + 1, 60)
            .find(|(_, line)| line.starts_with("goroutine "))?
            .0;
        let end = lines
            .after(goroutine, 2_000)
            .find(|(_, line)| {
                line.starts_with("FAIL\t")
                    || line.starts_with("exit status ")
                    || line.starts_with("--- ")
                    || line.starts_with("ok  \t")
            })
            .map_or(lines.len(), |(end, _)| end);
        let place = lines
            .after(goroutine + 1, end - goroutine)
            .filter_map(|(_, line)| go_frame(line))
            .find(|place| self.context.place(place.path).local);
        let running = lines
            .after(head + 1, goroutine - head)
            .skip_while(|(_, line)| *line != "running tests:")
            .nth(1)
            .map(|(_, line)| line.trim().split(" (").next().unwrap_or_default());
        let failed = self.current.filter(|name| !name.is_empty());
        let framed = lines
            .after(goroutine + 1, end - goroutine)
            .find_map(|(_, line)| test_in_frame(line));
        let test = running.or(failed).or(framed);
        let command = self.context.run.command;
        let testing =
            test.is_some() || command.contains("go test") || command.contains("gotestsum");
        if let Some(name) = test
            && let Some(told) = self.told.get_mut(name)
        {
            // The panic is the message of this test.
            told.failed = None;
        }
        let finding = self
            .context
            .find(head, "go", if testing { "test" } else { "runtime" }, text)
            .code(code)
            .test(test.unwrap_or_default());
        self.findings.push(match place {
            Some(place) => finding.place(self.context, place.path, place.line, place.column),
            None => finding,
        });
        lines.claim(head..end);
        Some(end)
    }

    /// `FAIL\tpkg\t0.1s`, `FAIL\tpkg [build failed]`.
    fn package(&mut self, lines: &mut Lines<'t>, at: usize, rest: &'t str) {
        let name = rest.split(['\t', ' ']).next().unwrap_or_default();
        let before = self.packed;
        self.end(name, at);
        lines.claim(at..at + 1);
        if self.findings.len() == before && !name.is_empty() {
            let text = joined([lines.get(at)]);
            let phase = if rest.contains("[build failed]") || rest.contains("[setup failed]") {
                "build"
            } else {
                "test"
            };
            let mut finding = self.context.find(at, "go", phase, &text).wrapper();
            name.clone_into(&mut finding.event.package);
            self.findings.push(finding);
            self.packed = self.findings.len();
        }
    }

    /// Emits the failed tests of a package.
    fn end(&mut self, package: &str, _at: usize) {
        let names = std::mem::take(&mut self.order);
        let failed: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| {
                self.told
                    .get(name)
                    .is_some_and(|told| told.failed.is_some())
            })
            .collect();
        // A sorted list puts the children of a test right behind it.
        let mut sorted = failed.clone();
        sorted.sort_unstable();
        for name in failed {
            let Some(told) = self.told.get(name) else {
                continue;
            };
            let next = sorted.partition_point(|other| *other <= name);
            let parent = sorted.get(next).is_some_and(|child| {
                child
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('/'))
            });
            if (parent && told.message.is_empty()) || self.findings.len() >= MAX_FINDINGS {
                continue;
            }
            let message = if told.message.is_empty() {
                "test failed"
            } else {
                &told.message
            };
            let at = told.failed.unwrap_or_default();
            let mut finding = self.context.find(at, "go", "test", message).test(name);
            let race = message.starts_with("race detected during execution");
            let place = if race {
                self.race.take().or(told.place)
            } else {
                told.place
            };
            if race {
                finding = finding.code("DATA RACE");
            }
            self.findings.push(match place {
                Some(place) => bare(
                    finding.place(self.context, place.path, place.line, ""),
                    place.path,
                ),
                None => finding,
            });
        }
        self.told.clear();
        self.current = None;
        for finding in self.findings.iter_mut().skip(self.packed) {
            package.clone_into(&mut finding.event.package);
        }
        self.packed = self.findings.len();
    }
}

/// Tests name their files without the directory of the package, which is not where we run.
fn bare(mut finding: Finding, path: &str) -> Finding {
    if !path.contains('/') {
        path.clone_into(&mut finding.event.file);
    }
    finding
}

/// `\t/r/cache/cache.go:5 +0x2e`.
fn go_frame(line: &str) -> Option<At<'_>> {
    if !line.starts_with(['\t', ' ']) {
        return None;
    }
    let text = line.trim_start();
    let path = text.split(" +0x").next().unwrap_or(text);
    location(path).filter(|place| {
        // `_testmain.go` is written by the tool for the run.
        place.path.ends_with(".go") && place.rest.is_empty() && place.path != "_testmain.go"
    })
}

/// `example.com/app/c.TestZ(0x0?)`.
fn test_in_frame(line: &str) -> Option<&str> {
    let from = line.find(".Test")? + 1;
    let rest = line.get(from..)?;
    let end = rest.find('(')?;
    let name = rest.get(..end)?;
    (!name.contains(['.', '/', ' ']) && !line.starts_with("testing.")).then_some(name)
}

/// A block of testify: the error's text and the place of its trace.
fn testify<'t>(body: &[&'t str]) -> Option<(String, Option<At<'t>>)> {
    let label = |line: &'t str| {
        let text = line.trim_start();
        let (name, rest) = text.split_once(":")?;
        ["Error Trace", "Error", "Test", "Messages", "Diff"]
            .contains(&name)
            .then_some((name, rest.trim()))
    };
    let place = body.iter().find_map(|line| {
        label(line)
            .filter(|(name, _)| *name == "Error Trace")
            .and_then(|(_, rest)| location(rest))
    });
    let start = body
        .iter()
        .position(|line| label(line).is_some_and(|(name, _)| name == "Error"))?;
    let text = body.iter().skip(start).enumerate().map(|(nth, line)| {
        if nth == 0 {
            label(line).map_or("", |(_, rest)| rest)
        } else {
            line
        }
    });
    let text = text
        .enumerate()
        .take_while(|(nth, line)| *nth == 0 || label(line).is_none_or(|(name, _)| name == "Error"))
        .map(|(_, line)| line);
    Some((joined(text), place))
}

/// `go test -json`: the output fields put together again.
fn json(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let mut text = String::new();
    for line in lines.all() {
        let Some((_, rest)) = line.split_once("\"Output\":\"") else {
            continue;
        };
        let mut chars = rest.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('u') => {
                        let code: String = chars.by_ref().take(4).collect();
                        text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                    }
                    Some(other) => text.push(other),
                    None => break,
                },
                c => text.push(c),
            }
        }
    }
    let mut inner = Lines::new(&text);
    let mut findings = read(context, &mut inner);
    findings.retain(|finding| !finding.wrapper || lines.len() < 40);
    lines.claim(0..lines.len());
    findings
}
