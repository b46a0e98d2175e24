//! Flags of memory items set by people: pinned, wrong. Kept in the item's
//! own record, in members that other readers of the format leave alone.

use serde_json::{Map, Value};

/// Member of a pinned item.
pub(crate) const PINNED: &str = "pinned";
/// Member of an item that is wrong: the reason.
pub(crate) const WRONG: &str = "wrong";

/// Returns true if an item is told first and never makes room.
pub(crate) fn is_pinned(extra: &Map<String, Value>) -> bool {
    extra.get(PINNED).and_then(Value::as_bool) == Some(true)
}

/// Returns true if an item must not be told any more.
pub(crate) fn is_wrong(extra: &Map<String, Value>) -> bool {
    extra.get(WRONG).is_some_and(|w| w.is_string())
}
