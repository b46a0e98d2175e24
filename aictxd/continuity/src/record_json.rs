//! Records as JSON, as they are stored.

use serde::Serialize;
use serde_json::Value;

/// A record as a JSON value.
pub(crate) fn record_value(record: &impl Serialize) -> Value {
    // Records are plain data with string keys: they always serialise.
    serde_json::to_value(record).unwrap_or(Value::Null)
}

/// A record as a row of a history: texts and objects that hold nothing are left out, because every
/// reader takes a missing one as empty and rows are what a repository has most of. Lists stay: that
/// nothing was edited is a finding.
pub(crate) fn row_value(record: &impl Serialize) -> Value {
    let mut row = record_value(record);
    if let Value::Object(members) = &mut row {
        members.retain(|_, value| match value {
            Value::String(text) => !text.is_empty(),
            Value::Object(map) => !map.is_empty(),
            _ => true,
        });
    }
    row
}
