//! Tables whose header names a column of secrets: Markdown, database output, CSV.

use super::assignment;
use super::bytes::{at, blanks, sub};
use super::line::Line;
use super::secret_name::{Name, classify};
use super::text_kind::trim_any;
use super::value_kind::Tie;

/// The most columns that are looked at, and the most bytes of a line.
const MAX_COLUMNS: usize = 24;
const MAX_LINE: usize = 2048;

/// The columns of secrets of a table that goes on.
#[derive(Clone, Debug)]
pub(super) struct Table {
    sign: u8,
    count: usize,
    columns: Vec<(usize, Name)>,
}

fn cells(b: &[u8], sign: u8) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut from = 0;
    if sign == b' ' {
        // Cells stand apart by two blanks and more.
        while from < b.len() && out.len() < MAX_COLUMNS {
            from = blanks(b, from, b.len());
            let mut end = from;
            while end < b.len() && !(at(b, end) == b' ' && at(b, end + 1) == b' ') {
                end += 1;
            }
            if end > from {
                out.push((from, end));
            }
            from = end;
        }
        return out;
    }
    for (i, _) in b.iter().enumerate().filter(|(_, c)| **c == sign) {
        out.push((from, i));
        from = i + 1;
        if out.len() >= MAX_COLUMNS {
            break;
        }
    }
    out.push((from, b.len()));
    out
}

/// The range of a cell without blanks and marks.
fn inner(b: &[u8], (s, e): (usize, usize)) -> (usize, usize) {
    let marks = |c: &u8| matches!(c, b' ' | b'\t' | b'`' | b'*' | b'"' | b'\r' | b'\'');
    let cell = sub(b, s, e);
    let head = cell.iter().take_while(|c| marks(c)).count();
    let tail = cell.iter().rev().take_while(|c| marks(c)).count();
    (s + head, (e - tail).max(s + head))
}

impl Table {
    /// The table that this line is the header of.
    pub(super) fn header(b: &[u8]) -> Option<Self> {
        if b.len() > MAX_LINE {
            return None;
        }
        let sign = [b'|', b'\t', b';', b',']
            .into_iter()
            .find(|s| b.trim_ascii().contains(s))
            .unwrap_or(b' ');
        if sign == b' ' && memchr::memmem::find(b.trim_ascii(), b"  ").is_none() {
            return None;
        }
        let cells = cells(b, sign);
        let mut columns = Vec::new();
        let mut named = 0;
        for (i, &cell) in cells.iter().enumerate() {
            let (s, e) = inner(b, cell);
            let text = sub(b, s, e);
            let plain = text.len() <= 40
                && text
                    .iter()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, b' ' | b'_' | b'-' | b'/'));
            if !plain {
                return None;
            }
            named += usize::from(!text.is_empty());
            let name: Vec<u8> = text
                .iter()
                .map(|&c| if c == b' ' { b'_' } else { c })
                .collect();
            if let Some(class) = classify(&name)
                && text.iter().filter(|c| **c == b' ').count() <= 3
            {
                columns.push((i, class));
            }
        }
        (named >= 2 && !columns.is_empty()).then_some(Self {
            sign,
            count: cells.len(),
            columns,
        })
    }

    /// Judges the cells of a row.
    pub(super) fn apply(&self, line: &mut Line) {
        let b = line.bytes;
        if b.len() > MAX_LINE {
            return;
        }
        let cells = cells(b, self.sign);
        if cells.len() != self.count {
            return;
        }
        for &(i, class) in &self.columns {
            let Some(&cell) = cells.get(i) else { continue };
            let (s, e) = inner(b, cell);
            let tie = if self.sign == b'|' {
                Tie::Element
            } else {
                Tie::Call
            };
            assignment::judge_range(line, class, s, e, tie, false);
        }
    }

    /// The table behind this row.
    pub(super) fn after(self, b: &[u8]) -> Option<Self> {
        let rule = !b.is_empty()
            && trim_any(b, b" \t\r")
                .iter()
                .all(|c| matches!(c, b'-' | b'+' | b'|' | b':' | b'=' | b' '));
        (b.len() <= MAX_LINE && (rule || cells(b, self.sign).len() == self.count)).then_some(self)
    }
}
