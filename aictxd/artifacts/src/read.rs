//! Tolerant readers: whatever a file holds, the good rows come out and the rest is reported.

use std::fs::File;
use std::io::Read;
use std::ops::Range;

use aictx_proto::record::{ORIGIN, Origin};
use aictx_proto::snapshot::ReadIssue;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Longest line that is read; a longer one is skipped.
pub const MAX_LINE_READ: usize = 1024 * 1024;
/// Largest JSON file that is read, and most of a JSONL file that is ever parsed at once.
pub const MAX_FILE: u64 = 8 * 1024 * 1024;
/// Most bytes whose lines are counted.
const MAX_COUNTED: u64 = 64 * 1024 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line of a JSONL file.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An object.
    Row(Map<String, Value>),
    /// Something else: bad UTF-8, bad JSON, not an object, a merge marker, a huge or torn line.
    Bad(&'static str),
}

/// Reads JSONL bytes: every non-blank line with its place. Never fails, never panics; blank lines
/// are passed over. A last line without newline counts like any other.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, Line)> {
    pieces(bytes).filter_map(move |at| {
        let line = bytes.get(at.clone())?.trim_ascii();
        let line = if at.start == 0 {
            line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
        } else {
            line
        };
        (!line.is_empty()).then(|| (at, parse(line)))
    })
}

/// Places of the lines, each with its newline.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..).filter(|r| !r.is_empty())?;
        let end = start + memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
        let at = start..end;
        start = end;
        Some(at)
    })
}

fn parse(line: &[u8]) -> Line {
    if line.len() > MAX_LINE_READ {
        return Line::Bad("line too long");
    }
    if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"]
        .iter()
        .any(|m| line.starts_with(m))
    {
        return Line::Bad("merge conflict marker");
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return Line::Bad("not UTF-8");
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(row)) => Line::Row(row),
        Ok(_) => Line::Bad("not an object"),
        Err(_) => Line::Bad("not JSON"),
    }
}

/// Turns an object into a record. Members that are null or of the wrong type take their default;
/// the second value says whether any was of the wrong type.
pub(crate) fn record<T: DeserializeOwned>(mut row: Map<String, Value>) -> (Option<T>, bool) {
    row.retain(|_, v| !v.is_null());
    let whole = Value::Object(row);
    if let Ok(record) = T::deserialize(&whole) {
        return (Some(record), false);
    }
    let Value::Object(mut row) = whole else {
        return (None, true);
    };
    // A member is bad when it spoils a record that holds nothing else.
    row.retain(|k, v| {
        let alone = Map::from_iter([(k.clone(), v.clone())]);
        T::deserialize(&Value::Object(alone)).is_ok()
    });
    (T::deserialize(&Value::Object(row)).ok(), true)
}

/// Rows of a JSONL file and its problems.
#[derive(Debug, Clone)]
pub(crate) struct Rows<T> {
    pub(crate) rows: Vec<T>,
    /// Lines that are no rows.
    pub(crate) bad: u64,
    /// Rows of which members were dropped.
    pub(crate) bent: u64,
    /// Kind of the first bad line.
    pub(crate) why: &'static str,
}

/// Says of an object whose word it is, if that is not this machine's.
pub(crate) fn mark(row: &mut Map<String, Value>, origin: Origin) {
    if !origin.is_own() {
        row.insert(ORIGIN.to_owned(), Value::from("repository"));
    }
}

/// Reads the records of JSONL bytes, the newest `limit` of them.
pub(crate) fn rows<T: DeserializeOwned>(bytes: &[u8], limit: usize, origin: Origin) -> Rows<T> {
    let mut out = Rows {
        rows: Vec::new(),
        bad: 0,
        bent: 0,
        why: "",
    };
    let mut good = Vec::new();
    for (_, line) in lines(bytes) {
        match line {
            Line::Row(row) => good.push(row),
            Line::Bad(why) => {
                if out.bad == 0 {
                    out.why = why;
                }
                out.bad += 1;
            }
        }
    }
    let skip = good.len().saturating_sub(limit);
    for mut row in good.into_iter().skip(skip) {
        mark(&mut row, origin);
        let (record, bent) = record(row);
        out.bent += u64::from(bent);
        out.rows.extend(record);
    }
    out
}

/// Newest `limit` bytes of a file from a line start on, and where that is.
pub(crate) fn tail(file: &mut File, limit: u64) -> std::io::Result<(u64, Vec<u8>)> {
    let len = crate::fs::len(file)?;
    let from = len.saturating_sub(limit);
    if from == 0 {
        return Ok((0, aictx_files::range::read_range(file, 0, limit)?));
    }
    // One byte more: when it is a newline, the tail begins with a whole line.
    let mut bytes = aictx_files::range::read_range(file, from - 1, limit + 1)?;
    let skip = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1);
    bytes.drain(..skip);
    Ok((from - 1 + skip as u64, bytes))
}

/// Non-blank lines of a file before `end`; of a longer file than we ever write, those in the
/// [`MAX_COUNTED`] bytes before.
pub(crate) fn count_lines(file: &mut File, end: u64) -> std::io::Result<u64> {
    use std::io::{Seek, SeekFrom};
    let from = end.saturating_sub(MAX_COUNTED);
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut count = 0;
    let mut previous = b'\n';
    let mut left = end - from;
    file.seek(SeekFrom::Start(from))?;
    while left > 0 {
        let want = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let got = file.read(buffer.get_mut(..want).unwrap_or_default())?;
        let Some(chunk) = buffer.get(..got).filter(|c| !c.is_empty()) else {
            break;
        };
        for at in memchr::memchr_iter(b'\n', chunk) {
            let before = at
                .checked_sub(1)
                .and_then(|i| chunk.get(i))
                .copied()
                .unwrap_or(previous);
            count += u64::from(before != b'\n');
        }
        previous = chunk.last().copied().unwrap_or(previous);
        left -= got as u64;
    }
    Ok(count)
}

/// Issue of a whole file.
pub(crate) fn unreadable(file: &str, detail: impl ToString) -> ReadIssue {
    ReadIssue {
        file: file.to_owned(),
        code: "state_unreadable",
        detail: detail.to_string(),
        lines: 0,
    }
}

/// Issue of a file that this user's programs did not make.
pub(crate) fn unproven(file: &str, consequence: &str) -> ReadIssue {
    ReadIssue {
        file: file.to_owned(),
        code: ReadIssue::CAME_WITH_REPOSITORY,
        detail: format!(
            "it came with the repository or was copied; {consequence}. Remove it if you do not need it"
        ),
        lines: 0,
    }
}

/// Issue of some lines.
pub(crate) fn bad_lines(file: &str, why: &str, lines: u64) -> Option<ReadIssue> {
    (lines > 0).then(|| ReadIssue {
        file: file.to_owned(),
        code: "invalid_jsonl_lines",
        detail: format!("{lines} lines skipped, the first one: {why}"),
        lines,
    })
}

/// Returns true if [`object`] could parse this; nothing is kept of it.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    let plain = bytes.strip_prefix(BOM).unwrap_or(bytes);
    plain.trim_ascii_start().starts_with(b"{")
        && std::str::from_utf8(plain)
            .is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}

/// Parses a JSON object.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, &'static str> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if bytes.trim_ascii_start().starts_with(b"<<<<<<<") {
        return Err("merge conflict markers");
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("not an object"),
        Err(_) => Err("not JSON"),
    }
}
