//! The text of one stream as lines, and the findings made in it.

use std::collections::HashMap;
use std::ops::Range;

use aictx_proto::event::ErrorEvent;

use super::{Context, MAX_FINDINGS};
use crate::ansi_text::CUT;

/// Cleaned lines of one stream.
pub(crate) struct Lines<'t> {
    all: Vec<&'t str>,
    claimed: Vec<bool>,
    /// Directories of tasks whose runner wrote them before their lines.
    dirs: HashMap<usize, &'t str>,
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

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut all: Vec<&str> = Vec::with_capacity(bytes.len() / 40 + 4);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            all.push(text.get(start..end).unwrap_or_default());
            start = end + 1;
        }
        if let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            all.push(rest);
        }
        while all.last().is_some_and(|line| line.trim().is_empty()) {
            all.pop();
        }
        let claimed = vec![false; all.len()];
        Self {
            all,
            claimed,
            dirs: HashMap::new(),
        }
    }

    /// Takes away what runners of several tasks write before each line, and keeps the directory.
    pub(crate) fn without_tasks(mut self) -> Self {
        for (at, line) in self.all.iter_mut().enumerate() {
            if let Some((dir, rest)) = task_prefix(line) {
                *line = rest;
                if !dir.is_empty() {
                    self.dirs.insert(at, dir);
                }
            }
        }
        self
    }

    /// Puts the directory of the task before a path that is relative to it.
    pub(crate) fn in_task(&self, finding: &mut Finding) {
        let Some(dir) = self.dirs.get(&finding.at) else {
            return;
        };
        let file = &finding.event.file;
        let inside = file
            .strip_prefix(dir)
            .is_some_and(|rest| rest.starts_with('/'));
        if !file.is_empty() && !file.starts_with('/') && !inside {
            finding.event.file = format!("{dir}/{file}");
        }
    }

    pub(crate) fn all(&self) -> &[&'t str] {
        &self.all
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The line, empty beyond the end.
    pub(crate) fn get(&self, at: usize) -> &'t str {
        self.all.get(at).copied().unwrap_or_default()
    }

    /// Nobody has claimed the line.
    pub(crate) fn is_free(&self, at: usize) -> bool {
        self.claimed.get(at) == Some(&false)
    }

    /// Lines that nobody has claimed, with their numbers.
    pub(crate) fn free(&self) -> impl Iterator<Item = (usize, &'t str)> + '_ {
        self.all
            .iter()
            .copied()
            .zip(&self.claimed)
            .enumerate()
            .filter_map(|(at, (line, claimed))| (!claimed).then_some((at, line)))
    }

    /// Lines from `from` on, at most `limit`, whoever claimed them.
    pub(crate) fn after(
        &self,
        from: usize,
        limit: usize,
    ) -> impl Iterator<Item = (usize, &'t str)> + '_ {
        self.all.iter().copied().enumerate().skip(from).take(limit)
    }

    pub(crate) fn claim(&mut self, range: Range<usize>) {
        if let Some(part) = self
            .claimed
            .get_mut(range.start..range.end.min(self.all.len()))
        {
            part.fill(true);
        }
    }

    /// Tries every free line; a line that gives a finding is claimed.
    pub(crate) fn each(
        &mut self,
        mut find: impl FnMut(&Self, usize, &'t str) -> Option<Finding>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for at in 0..self.len() {
            if findings.len() >= MAX_FINDINGS {
                break;
            }
            if !self.is_free(at) {
                continue;
            }
            if let Some(finding) = find(self, at, self.get(at)) {
                self.claim(at..at + 1);
                findings.push(finding);
            }
        }
        findings
    }

    /// Returns true if some of the text is missing.
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

    pub(crate) fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.event.code);
        self
    }

    pub(crate) fn tool(mut self, tool: &str) -> Self {
        tool.clone_into(&mut self.event.tool);
        self
    }

    pub(crate) fn test(mut self, test: &str) -> Self {
        test.clone_into(&mut self.event.test);
        self
    }

    pub(crate) fn warning_if(mut self, warning: bool) -> Self {
        if warning {
            "warning".clone_into(&mut self.event.severity);
        }
        self
    }

    pub(crate) fn cause_if(mut self, cause: bool) -> Self {
        if cause {
            "cause".clone_into(&mut self.event.role);
        }
        self
    }

    pub(crate) fn wrapper(mut self) -> Self {
        self.wrapper = true;
        self
    }

    /// Sets the position, as the tool printed it.
    pub(crate) fn place(mut self, context: &Context, path: &str, line: &str, column: &str) -> Self {
        self.event.file = context.place(path).file;
        if !self.event.file.is_empty() {
            line.clone_into(&mut self.event.line);
            column.clone_into(&mut self.event.column);
        }
        self
    }
}

/// `packages/ui build: text` of pnpm, `@acme/ui:build: text` of Turborepo, `@acme/ui: text` of
/// Lerna, `web-1  | text` of compose, `[build] text` of concurrently: the directory and the text.
fn task_prefix(line: &str) -> Option<(&str, &str)> {
    let word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_./@".contains(&byte))
    };
    if let Some((name, rest)) = line.split_once('|')
        && let Some(service) = name.strip_suffix(' ')
        && word(service.trim_end())
        && service.trim_end().ends_with(|c: char| c.is_ascii_digit())
    {
        return Some(("", rest.strip_prefix(' ').unwrap_or(rest)));
    }
    if let Some((name, rest)) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        && word(name)
        && !name.bytes().any(|byte| byte.is_ascii_uppercase())
    {
        return Some(("", rest));
    }
    let (head, rest) = line
        .split_once(": ")
        .or_else(|| Some((line.strip_suffix(':')?, "")))?;
    if let Some((dir, task)) = head.split_once(' ') {
        let task = task.replace(':', "-");
        return (word(dir) && word(&task)).then_some((dir, rest));
    }
    if let Some((package, task)) = head.split_once(':') {
        return (word(package)
            && word(task)
            && !task.starts_with(|c: char| c.is_ascii_digit())
            && !package.contains('.'))
        .then_some(("", rest));
    }
    (head.starts_with('@') && head.contains('/') && word(head)).then_some(("", rest))
}
