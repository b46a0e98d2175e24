//! Headings of Markdown, reStructuredText and AsciiDoc.

use crate::facts::Kind;
use crate::parse::fact_builder::{Draft, New};

use super::{indent, lines};

/// Deepest level of headings.
const MAX_LEVEL: usize = 3;
/// Most headings kept of one file.
const MAX_HEADINGS: usize = 30;

/// Headings found so far, and which of them are open.
#[derive(Default)]
struct Outline {
    open: [Option<u32>; MAX_LEVEL + 1],
    count: usize,
}

impl Outline {
    fn add(&mut self, level: usize, title: &[u8], raw: &[u8], line: u32, draft: &mut Draft) {
        self.close(level, line.saturating_sub(1), draft);
        if level > MAX_LEVEL {
            return;
        }
        if self.count >= MAX_HEADINGS {
            draft.facts.cut += 1;
            return;
        }
        let container = self.open.iter().take(level).rev().find_map(|it| *it);
        let index = draft.push(&New {
            kind: Kind::Heading,
            name: &plain(title),
            signature: raw,
            container,
            line,
            end_line: line,
            exported: true,
            declared_only: false,
        });
        if index.is_some() {
            self.count += 1;
        }
        if let Some(open) = self.open.get_mut(level) {
            *open = index;
        }
    }

    /// Ends what is open at this level and below.
    fn close(&mut self, level: usize, last_line: u32, draft: &mut Draft) {
        for open in self.open.iter_mut().skip(level) {
            if let Some(it) = open.take().and_then(|at| draft.get_mut(at)) {
                it.end_line = last_line.max(it.line);
            }
        }
    }
}

/// A title without marks: `[a](b)` is `a`.
fn plain(title: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(title.len().min(400));
    let mut at = 0;
    while let Some(&c) = title.get(at) {
        at += 1;
        match c {
            b'`' | b'*' | b'[' => {}
            b'!' if title.get(at) == Some(&b'[') => {}
            b']' => {
                let after = title.get(at..).unwrap_or(&[]);
                if after.first() == Some(&b'(') {
                    at += memchr::memchr(b')', after).map_or(0, |end| end + 1);
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// Markdown: `# a` and titles underlined by `===` or `---`, outside of code.
pub(in crate::parse) fn markdown(source: &[u8], draft: &mut Draft) {
    let mut outline = Outline::default();
    let mut fence: Option<(u8, usize)> = None;
    let mut front = false;
    let mut before: Option<(u32, &[u8])> = None;
    let mut last = 1;
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii();
        if !text.is_empty() {
            last = number;
        }
        if number == 1 && text == b"---" {
            front = true;
            continue;
        }
        if front {
            front = !matches!(text, b"---" | b"...");
            continue;
        }
        let mark = text.first().copied().unwrap_or(0);
        let run = text.iter().take_while(|&&c| c == mark).count();
        if let Some((open, length)) = fence {
            if mark == open && run >= length && run == text.len() {
                fence = None;
            }
            continue;
        }
        if matches!(mark, b'`' | b'~') && run >= 3 {
            fence = Some((mark, run));
            before = None;
            continue;
        }
        if text.is_empty() || indent(line) > 3 {
            before = None;
            continue;
        }
        let after = text.get(run..).unwrap_or(&[]);
        if mark == b'#' && run <= 6 && matches!(after.first(), None | Some(b' ' | b'\t')) {
            let title = after.trim_ascii();
            let end = title
                .iter()
                .rposition(|&c| c != b'#')
                .map_or(0, |at| at + 1);
            let title = match title.get(..end) {
                // Closing marks stand apart.
                Some(it) if it.last().is_some_and(u8::is_ascii_whitespace) => it,
                _ => title,
            };
            outline.add(run, title.trim_ascii(), text, number, draft);
            before = None;
            continue;
        }
        if matches!(mark, b'=' | b'-')
            && run == text.len()
            && let Some((start, title)) = before
        {
            let level = if mark == b'=' { 1 } else { 2 };
            outline.add(level, title, title, start, draft);
            before = None;
            continue;
        }
        let list =
            matches!(mark, b'|' | b'>') || text.starts_with(b"- ") || text.starts_with(b"* ");
        before = (!list && before.is_none()).then_some((number, text));
    }
    outline.close(0, last, draft);
}

/// reStructuredText: titles underlined by one sort of mark each level, in order of appearance.
pub(in crate::parse) fn rst(source: &[u8], draft: &mut Draft) {
    let mut outline = Outline::default();
    let mut levels: Vec<(u8, bool)> = Vec::new();
    let mut before: Option<(u32, &[u8])> = None;
    let mut over = None;
    let mut last = 1;
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii_end();
        if text.is_empty() {
            (before, over) = (None, None);
            continue;
        }
        last = number;
        let mark = text.first().copied().unwrap_or(0);
        let rule =
            mark.is_ascii_punctuation() && text.len() >= 3 && text.iter().all(|&c| c == mark);
        match before {
            Some((start, title)) if rule && text.len() + 1 >= title.len() => {
                let style = (mark, over == Some(mark));
                let level = match levels.iter().position(|it| *it == style) {
                    Some(at) => at + 1,
                    None => {
                        levels.push(style);
                        levels.len()
                    }
                };
                let title = title.trim_ascii();
                outline.add(level, title, title, start, draft);
                (before, over) = (None, None);
            }
            _ if rule => (before, over) = (None, Some(mark)),
            None => before = Some((number, text)),
            // A paragraph.
            Some(_) => before = Some((0, &[b'x'; 4_096])),
        }
    }
    outline.close(0, last, draft);
}

/// AsciiDoc: `= a`.
pub(in crate::parse) fn asciidoc(source: &[u8], draft: &mut Draft) {
    let mut outline = Outline::default();
    let mut fence: Option<&[u8]> = None;
    let mut last = 1;
    for (number, _, line) in lines(source) {
        let text = line.trim_ascii_end();
        if text.is_empty() {
            continue;
        }
        last = number;
        let mark = text.first().copied().unwrap_or(0);
        let run = text.iter().take_while(|&&c| c == mark).count();
        if matches!(mark, b'-' | b'.' | b'+' | b'`') && run >= 3 && run == text.len() {
            fence = match fence {
                Some(open) if open == text => None,
                None => Some(text),
                open => open,
            };
            continue;
        }
        let after = text.get(run..).unwrap_or(&[]);
        if fence.is_none() && mark == b'=' && after.first() == Some(&b' ') {
            outline.add(run, after.trim_ascii(), text, number, draft);
        }
    }
    outline.close(0, last, draft);
}
