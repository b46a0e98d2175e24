//! The user's preferences, as far as we act on them: whether our messages are shown.

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::files;
use aictx_proto::snapshot::Snapshot;
use serde_json::{Map, Value, json};

/// Whether banner and summary are not to be shown. Anything but `muted` means they are.
pub fn is_muted(preferences: &Value) -> bool {
    preferences
        .pointer("/messages/mode")
        .and_then(Value::as_str)
        == Some("muted")
}

/// Sets whether they are shown; all other preferences stay. A file that cannot be read is kept
/// aside by whoever writes.
pub fn set_muted(snapshot: &Snapshot, muted: bool) -> Effects {
    let mut all = snapshot
        .preferences
        .as_object()
        .cloned()
        .unwrap_or_default();
    let mode = json!(if muted { "muted" } else { "unmuted" });
    match all.get_mut("messages").and_then(Value::as_object_mut) {
        Some(messages) => {
            messages.insert("mode".to_owned(), mode);
        }
        None => {
            let messages = Map::from_iter([("mode".to_owned(), mode)]);
            all.insert("messages".to_owned(), Value::Object(messages));
        }
    }
    vec![Effect::ReplaceJson {
        file: files::PREFERENCES.to_owned(),
        value: Value::Object(all),
        order: KeyOrder::AsBuilt,
    }]
}
