//! Rows of statements: the values under the columns of secrets.

use super::assignment;
use super::bytes::{at, blanks, has_ci, run, sub};
use super::line::Line;
use super::secret_name::{Name, classify};
use super::value_kind::Tie;

/// The most columns, and the most rows of one statement.
const MAX_COLUMNS: usize = 32;
const MAX_ROWS: usize = 64;

/// `INSERT INTO t (a, password) VALUES ('x', 'y'), …`: the table begins at `i`.
pub(super) fn insert(line: &mut Line, i: usize) {
    let b = line.bytes;
    let open = run(b, i, 96, |c| c != b'(' && c != b';');
    if at(b, open) != b'(' {
        return;
    }
    let close = run(b, open, 1024, |c| c != b')');
    let columns: Vec<Option<Name>> = sub(b, open + 1, close)
        .split(|c| *c == b',')
        .take(MAX_COLUMNS)
        .map(|c| classify(super::text_kind::trim_any(c, b" `\"[]\t")))
        .collect();
    let head = sub(b, close, close + 16);
    if columns.iter().all(Option::is_none) || !has_ci(head, "values") {
        return;
    }
    let mut j = close;
    for _ in 0..MAX_ROWS {
        let row = run(b, j, 24, |c| c != b'(');
        if at(b, row) != b'(' {
            return;
        }
        j = cells(line, row + 1, &columns);
    }
}

/// The cells of one row from `i` on; answers where the row ends.
fn cells(line: &mut Line, mut i: usize, columns: &[Option<Name>]) -> usize {
    let b = line.bytes;
    for column in columns {
        i = blanks(b, i, 16);
        let quote = at(b, i);
        let end = if matches!(quote, b'\'' | b'"') {
            let end = run(b, i + 1, 2048, |c| c != quote);
            if let Some(name) = column {
                assignment::judge_range(line, *name, i + 1, end, Tie::Element, true);
            }
            end + 1
        } else {
            run(b, i, 512, |c| !matches!(c, b',' | b')'))
        };
        let next = run(b, end, 16, |c| !matches!(c, b',' | b')'));
        i = next + 1;
        if at(b, next) != b',' {
            break;
        }
    }
    i
}
