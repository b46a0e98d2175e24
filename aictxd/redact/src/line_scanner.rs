//! The line machine: a keyword search finds the lines worth a look, the analysers look at them,
//! and the little that reaches over a line end is carried as state. A text gives the same result
//! in one piece and in any cut at line ends.

use super::bytes::sub;
use super::keyword_index::spans;
use super::line::Span;
use super::multiline::Follow;
use super::pem::{Open, Step};
use super::{Report, keyless_tokens, keyword_index, marker};

/// A change to a block: `start..end` becomes `text`.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: Vec<u8>,
}

/// State carried from line to line.
#[derive(Default)]
pub(super) struct Engine {
    open: Option<Open>,
    /// The line end before the next line, when an open block has swallowed it.
    newline: Vec<u8>,
    /// Expectation from earlier lines about the next.
    follow: Follow,
}

impl Engine {
    /// Scans whole lines (the last one may lack its end only when nothing follows) and appends the
    /// edits that make them clean, in order.
    pub(super) fn feed(&mut self, block: &[u8], edits: &mut Vec<Edit>, report: &mut Report) {
        let mut pos = 0;
        let mut word = Ahead::Unknown;
        let mut long = Ahead::Unknown;
        let mut abroad = Ahead::Unknown;
        while pos < block.len() {
            let mut start = pos;
            if self.open.is_none() && self.follow.is_idle() {
                let word = word.at_or_after(pos, || keyword_index::next(block, pos));
                let long = long.at_or_after(pos, || keyless_tokens::next(block, pos));
                let abroad = abroad.at_or_after(pos, || keyword_index::next_abroad(block, pos));
                let Some(hit) = word.into_iter().chain(long).chain(abroad).min() else {
                    return;
                };
                start = memchr::memrchr(b'\n', sub(block, pos, hit)).map_or(pos, |p| pos + p + 1);
            }
            let end = memchr::memchr(b'\n', sub(block, start, block.len()))
                .map_or(block.len(), |p| start + p);
            let next = (end + 1).min(block.len());
            self.line(block, start, end, next, edits, report);
            pos = next;
        }
    }

    /// Returns the output still pending at the end of the text.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.open = None;
        self.follow = Follow::default();
        std::mem::take(&mut self.newline)
    }

    fn line(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        next: usize,
        edits: &mut Vec<Edit>,
        report: &mut Report,
    ) {
        let mut from = start;
        if let Some(open) = self.open {
            let (step, after) = open.step(sub(block, start, end));
            self.open = after;
            match step {
                Step::Swallow => {
                    self.newline = sub(block, end, next).to_vec();
                    edits.push(Edit {
                        start,
                        end: next,
                        text: Vec::new(),
                    });
                    return;
                }
                Step::EndAt(at) => {
                    self.newline.clear();
                    edits.push(Edit {
                        start,
                        end: start + at,
                        text: Vec::new(),
                    });
                    from = start + at;
                }
                Step::Closed => {
                    let text = std::mem::take(&mut self.newline);
                    if !text.is_empty() {
                        edits.push(Edit {
                            start,
                            end: start,
                            text,
                        });
                    }
                }
                Step::Begin(a, _) => {
                    let head = sub(block, start, start + a);
                    let mut text = rewrite(head, &Follow::default(), &mut None, report)
                        .unwrap_or_else(|| head.to_vec());
                    report.add(marker::PRIVATE_KEY, "private-key");
                    text.extend_from_slice(&marker(marker::PRIVATE_KEY));
                    self.newline = sub(block, end, next).to_vec();
                    edits.push(Edit {
                        start,
                        end: next,
                        text,
                    });
                    return;
                }
            }
        }
        let follow = std::mem::take(&mut self.follow);
        let original = sub(block, from, end);
        let mut open = None;
        let text = rewrite(original, &follow, &mut open, report);
        // From the clean line, so that the clean text leads to the same states.
        self.follow = follow.after(text.as_deref().unwrap_or(original));
        if open.is_some() {
            self.open = open;
        }
        let swallow = matches!(open, Some(Open::Block { .. }));
        if swallow {
            self.newline = sub(block, end, next).to_vec();
        }
        if let Some(text) = text {
            edits.push(Edit {
                start: from,
                end: if swallow { next } else { end },
                text,
            });
        }
    }
}

/// A position that was searched for ahead and stays valid until it is passed.
#[derive(Clone, Copy)]
enum Ahead {
    Unknown,
    At(usize),
    None,
}

impl Ahead {
    fn at_or_after(&mut self, pos: usize, search: impl FnOnce() -> Option<usize>) -> Option<usize> {
        match *self {
            Self::At(p) if p >= pos => return Some(p),
            Self::None => return None,
            _ => {}
        }
        let found = search();
        *self = found.map_or(Self::None, Self::At);
        found
    }
}

/// Replaces until nothing more is found, so that a second scrubbing finds nothing either.
fn rewrite(
    line: &[u8],
    follow: &Follow,
    open: &mut Option<Open>,
    report: &mut Report,
) -> Option<Vec<u8>> {
    let mut text: Option<Vec<u8>> = None;
    for _ in 0..8 {
        let current = text.as_deref().unwrap_or(line);
        let mut left = None;
        let spans = spans(current, follow, &mut left);
        if left.is_some() {
            *open = left;
        }
        if spans.is_empty() {
            break;
        }
        text = Some(replace(current, &spans, report));
    }
    text
}

/// The text with its findings replaced.
pub(super) fn replace(text: &[u8], spans: &[Span], report: &mut Report) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.extend_from_slice(sub(text, from, span.start));
        out.extend_from_slice(&marker(span.kind));
        report.add(span.kind, span.rule);
        from = span.end;
    }
    out.extend_from_slice(sub(text, from, text.len()));
    out
}

pub(super) fn marker(kind: &str) -> Vec<u8> {
    [marker::OPEN, kind.as_bytes(), b"]"].concat()
}
