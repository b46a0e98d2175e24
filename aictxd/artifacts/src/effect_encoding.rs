//! Effects to bytes: scrubbed, bounded, ordered.

use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::ledger::LedgerRow;
use aictx_proto::record::files;
use aictx_proto::text;
use aictx_redact::Report;
use aictx_redact::layout;
use serde_json::{Map, Value};

use crate::error::StoreError;
use crate::read::MAX_FILE;

/// Longest row written, newline included. Long texts are cut until it fits.
pub const MAX_ROW: usize = 64 * 1024;
/// The member that says that texts of a row were cut.
pub const TRUNCATED: &str = "truncated";

/// A write as bytes.
#[derive(Debug, Clone)]
pub(crate) struct Delta {
    pub(crate) file: String,
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    /// The members of a document, so that nobody need read them back from its bytes.
    pub(crate) members: Option<Map<String, Value>>,
}

/// Manner in which bytes get into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole lines behind what is there.
    Append,
    /// Rows in place of the rows that are there.
    Rows,
    /// A JSON document in place of the one that is there.
    Json,
    /// Text in place of what is there.
    Text,
    /// Nothing in place of what is there.
    Remove,
}

/// File of a session's ledger.
pub(crate) fn ledger_file(session_id: &str) -> String {
    format!(
        "{}/{}.jsonl",
        files::SESSIONS_DIR,
        text::file_stem(session_id)
    )
}

/// Encodes one effect.
pub(crate) fn effect(effect: Effect, report: &mut Report) -> Result<Delta, StoreError> {
    let mut members = None;
    let (file, kind, bytes) = match effect {
        Effect::AppendRows { file, rows, order } => {
            let bytes = lines(&file, rows, order, report)?;
            (file, Kind::Append, bytes)
        }
        Effect::ReplaceRows { file, rows, order } => {
            let bytes = lines(&file, rows, order, report)?;
            (file, Kind::Rows, bytes)
        }
        Effect::ReplaceJson {
            file,
            mut value,
            order,
        } => {
            aictx_redact::scrub_value(&mut value, report);
            sort(&mut value, order);
            let mut text = layout::document(&value);
            text.push('\n');
            if let Value::Object(map) = value {
                members = Some(map);
            }
            (file, Kind::Json, text.into_bytes())
        }
        Effect::ReplaceWritten { file, json } => {
            let mut text = aictx_redact::scrub_written(&json, report);
            text.push('\n');
            (file, Kind::Json, text.into_bytes())
        }
        Effect::ReplaceText { file, text } => {
            let text = aictx_redact::scrub_text(&text, report).into_owned();
            (file, Kind::Text, text.into_bytes())
        }
        Effect::Remove { file } => (file, Kind::Remove, Vec::new()),
        Effect::Ledger { session_id, row } => {
            let bytes = ledger_rows(std::slice::from_ref(&*row), report)?;
            (ledger_file(&session_id), Kind::Append, bytes)
        }
    };
    check(&file, bytes.len())?;
    Ok(Delta {
        file,
        kind,
        bytes,
        members,
    })
}

/// Ledger rows as lines.
pub(crate) fn ledger_rows(rows: &[LedgerRow], report: &mut Report) -> Result<Vec<u8>, StoreError> {
    let mut out = Vec::new();
    for row in rows {
        // Nearly all rows stay as they are.
        let line = serde_json::to_string(row).unwrap_or_default();
        if line.len() < MAX_ROW && aictx_redact::is_clean_row(&line) {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
            continue;
        }
        let row = serde_json::to_value(row).unwrap_or_default();
        let order = KeyOrder::AsBuilt;
        out.extend(lines(files::SESSIONS_DIR, vec![row], order, report)?);
    }
    Ok(out)
}

fn check(file: &str, bytes: usize) -> Result<(), StoreError> {
    let own = |dir: &str| file.strip_prefix(dir).is_some_and(|r| r.starts_with('/'));
    if crate::fs::check(file).is_err() || file.starts_with('.') || own(files::JOURNAL_DIR) {
        return Err(StoreError::UnsafePath {
            path: file.into(),
            why: "effects name plain files below .aictx",
        });
    }
    let limit = usize::try_from(MAX_FILE).unwrap_or(usize::MAX);
    if bytes > limit {
        return Err(StoreError::TooLarge {
            file: file.to_owned(),
            bytes,
            limit,
        });
    }
    Ok(())
}

fn lines(
    file: &str,
    rows: Vec<Value>,
    order: KeyOrder,
    report: &mut Report,
) -> Result<Vec<u8>, StoreError> {
    let mut out = Vec::new();
    for mut row in rows {
        aictx_redact::scrub_value(&mut row, report);
        sort(&mut row, order);
        let line = bounded(file, row)?;
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
    Ok(out)
}

fn sort(value: &mut Value, order: KeyOrder) {
    if order == KeyOrder::Sorted {
        value.sort_all_objects();
    }
}

/// One row as a line below [`MAX_ROW`]; what had to be cut is flagged in the row.
fn bounded(file: &str, mut row: Value) -> Result<String, StoreError> {
    let mut line = row.to_string();
    // Each step halves, so that a row loses little more than it must.
    for limit in [16_384, 8_192, 4_096, 2_048, 1_024, 512, 256, 128, 64, 32] {
        if line.len() < MAX_ROW {
            return Ok(line);
        }
        shorten(&mut row, limit, (limit / 8).max(8));
        if let Value::Object(map) = &mut row {
            map.insert(TRUNCATED.to_owned(), Value::Bool(true));
        }
        line = row.to_string();
    }
    if line.len() < MAX_ROW {
        return Ok(line);
    }
    Err(StoreError::TooLarge {
        file: file.to_owned(),
        bytes: line.len(),
        limit: MAX_ROW,
    })
}

fn shorten(value: &mut Value, chars: usize, items: usize) {
    match value {
        Value::String(s) if s.len() > chars => *s = text::truncate_chars(s, chars),
        Value::Array(list) => {
            list.truncate(items);
            list.iter_mut().for_each(|v| shorten(v, chars, items));
        }
        Value::Object(map) => map.values_mut().for_each(|v| shorten(v, chars, items)),
        _ => {}
    }
}
