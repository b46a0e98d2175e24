//! One line under analysis and what was found in it.

use super::bytes::sub;
use super::marker;

/// A range to replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    pub(super) rule: &'static str,
}

/// A line, its markers, and its findings so far.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// Names up to here have been looked at.
    pub(super) names_done: usize,
    pub(super) spans: Vec<Span>,
    /// True if the words of the line were looked at as passwords of accounts.
    pub(super) accounts_done: bool,
    /// Lists of arguments up to here have been looked at.
    pub(super) lists_done: usize,
    /// No key block ends behind here: it was looked for.
    pub(super) no_key_end: bool,
    markers: Vec<(usize, usize)>,
    /// Bytes of values that may still be judged at full length.
    budget: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            names_done: 0,
            spans: Vec::new(),
            accounts_done: false,
            lists_done: 0,
            no_key_end: false,
            markers: marker::markers(bytes),
            budget: (bytes.len() * 4).saturating_add(1 << 16),
        }
    }

    /// Returns the number of bytes to judge of a value of this length. A line full of overlapping values has a
    /// budget; when it is spent, values are judged by their first 64 bytes.
    pub(super) fn allowance(&mut self, len: usize) -> usize {
        let full = self.budget > 0;
        self.budget = self.budget.saturating_sub(len);
        if full { len } else { len.min(64) }
    }

    /// Returns true if the position lies in a marker.
    pub(super) fn in_marker(&self, i: usize) -> bool {
        let k = self.markers.partition_point(|m| m.1 <= i);
        self.markers.get(k).is_some_and(|m| m.0 <= i)
    }

    /// Notes a finding, unless it is empty or touches a marker.
    pub(super) fn add(&mut self, start: usize, end: usize, kind: &'static str, rule: &'static str) {
        let k = self.markers.partition_point(|m| m.1 < start);
        if start >= end || self.markers.get(k).is_some_and(|m| m.0 <= end) {
            return;
        }
        self.spans.push(Span {
            start,
            end,
            kind,
            rule,
        });
    }

    /// Notes a key block. It may touch or hold markers: it goes as a whole.
    pub(super) fn add_block(&mut self, start: usize, end: usize) {
        self.spans.push(Span {
            start,
            end,
            kind: marker::PRIVATE_KEY,
            rule: "private-key",
        });
    }

    /// Returns true if only indentation, list signs or a shell's `export` stand before `i`.
    pub(super) fn leads(&self, i: usize) -> bool {
        let from = i.saturating_sub(64);
        let head = sub(self.bytes, from, i);
        let head = head.trim_ascii();
        let head = head
            .strip_suffix(b"\"")
            .or(head.strip_suffix(b"'"))
            .unwrap_or(head)
            .trim_ascii();
        let word = head
            .rsplit(|c: &u8| c.is_ascii_whitespace())
            .next()
            .unwrap_or_default();
        from == 0
            && matches!(
                head,
                b"" | b"-" | b"+" | b">" | b"|" | b"$" | b"#" | b"//" | b"*" | b"{" | b"_"
            )
            || matches!(
                word.to_ascii_lowercase().as_slice(),
                b"export"
                    | b"set"
                    | b"setx"
                    | b"env"
                    | b"arg"
                    | b"-e"
                    | b"--env"
                    | b"$env:"
                    | b"declare"
                    | b"-x"
            )
    }

    /// The findings in order; overlapping ones become one.
    pub(super) fn merged(mut self) -> Vec<Span> {
        self.spans
            .sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        let mut out: Vec<Span> = Vec::with_capacity(self.spans.len());
        for span in self.spans {
            match out.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => out.push(span),
            }
        }
        out
    }
}
