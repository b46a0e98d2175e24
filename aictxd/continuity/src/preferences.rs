//! The user's preferences: whether our messages are shown, and what else somebody wrote down for
//! whoever works here.
//!
//! They lie in the repository, so they are told as what stands there, like a decision, and prescribe
//! nothing.

use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{ORIGIN, Origin, files};
use aictx_proto::shown::{self, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::told;
use serde_json::{Map, Value, json};

use crate::context_packet::Packet;
use crate::origin::with_origin;

/// Preferences that are told, and how long one may be in characters.
const MAX_STATED: usize = 12;
const MAX_NAME: usize = 60;
const MAX_TEXT: usize = 160;
/// Maximal nesting.
const MAX_DEPTH: usize = 4;

/// Groups that the ancestor's `init` filled with its author's own settings: what still is as it
/// was seeded, nobody here prefers. Its other groups were seeded as a whole and are left to it.
const SEEDS: [(&str, &str); 16] = [
    ("preferred_language", "es"),
    ("response.verbosity", "concise"),
    ("response.explanation_depth", "minimal"),
    ("response.output_density", "compact"),
    ("response.response_structure", "final_only"),
    (
        "interaction.workflow_interaction_style",
        "silent_by_default",
    ),
    ("interaction.intermediate_feedback", "none"),
    ("interaction.reasoning_process_visibility", "none"),
    ("interaction.file_change_progress_visibility", "none"),
    ("interaction.collaboration_style", "autonomous"),
    ("coding.build_command", "make build"),
    ("coding.run_tests", "auto"),
    ("coding.run_build", "if_required"),
    ("coding.update_docs", "auto"),
    ("coding.autonomy_mode", "yolo"),
    ("coding.coding_conventions.comments", "brief_why_only"),
];
/// Members that say nothing to an agent, or that nobody but a program writes.
const APART: [&str; 8] = [
    ORIGIN,
    "version",
    "updated_at",
    "messages",
    "communication",
    "workflow",
    "quality_gates",
    "coding.coding_conventions.preserve_unrelated_changes",
];

/// Returns preferences by dotted names, in the order of the file: texts, numbers, booleans, and
/// lists of these.
pub(crate) fn stated(preferences: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(preferences, "", 0, &mut found);
    found
}

fn collect(value: &Value, name: &str, depth: usize, found: &mut Vec<(String, String)>) {
    if found.len() >= MAX_STATED || APART.contains(&name) {
        return;
    }
    if let Value::Object(members) = value {
        for (member, value) in members.iter().filter(|_| depth < MAX_DEPTH) {
            let name = match name {
                "" => member.clone(),
                name => format!("{name}.{member}"),
            };
            collect(value, &name, depth + 1, found);
        }
        return;
    }
    let said = match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(plain).collect();
            items.join(", ")
        }
        value => plain(value).unwrap_or_default(),
    };
    let said = shown::line(&said, MAX_TEXT);
    // A name that is cut could be another's.
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && shown::line(name, MAX_NAME) == name;
    let name = name.to_owned();
    if !said.is_empty() && is_name && !SEEDS.contains(&(name.as_str(), said.as_str())) {
        found.push((name, said));
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// Returns preferences as members of an object; null for none.
pub(crate) fn as_json(preferences: &Value) -> Value {
    let (stated, origin) = (stated(preferences), Origin::of(preferences));
    let members = stated
        .iter()
        .map(|(name, said)| (name.clone(), json!(with_origin(said.clone(), origin))));
    let mut members = Value::Object(members.collect());
    origin.mark(&mut members);
    match stated.is_empty() {
        true => Value::Null,
        false => members,
    }
}

/// Tells them, a line each.
pub(crate) fn tell(preferences: &Value, packet: &mut Packet) {
    for (name, said) in stated(preferences) {
        let (noted, said) = (Name::new(&name, MAX_NAME), Quoted::new(&said, MAX_TEXT));
        let line = told!("Preference noted here: {}: {}", noted, said);
        let id = format!("{}#{name}", files::PREFERENCES);
        let origin = Origin::of(preferences);
        packet.item(origin, "preference", &id, "somebody wrote it down", &[line]);
    }
}

/// Returns true if banner and summary are not to be shown. Anything but `muted` means they are, and so does
/// whatever came with the repository.
pub fn is_muted(preferences: &Value) -> bool {
    let mode = preferences.pointer("/messages/mode");
    mode.and_then(Value::as_str) == Some("muted") && Origin::of(preferences).is_own()
}

/// Sets whether they are shown; all other preferences of this machine stay. A file that cannot be read
/// is kept aside by whoever writes.
pub fn set_muted(snapshot: &Snapshot, muted: bool) -> Effects {
    let own = Some(&*snapshot.preferences).filter(|all| Origin::of(all).is_own());
    let mut all = own.and_then(Value::as_object).cloned().unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w23_what_was_seeded_is_nobodys_preference() {
        let seeded = json!({
            "version": 1, "updated_at": "2026-03-07", "preferred_language": "es",
            "response": { "verbosity": "concise", "explanation_depth": "minimal" },
            "communication": { "layer": "disabled", "applies_to": ["debugging_reports"] },
            "coding": { "build_command": "make build", "autonomy_mode": "yolo",
                "coding_conventions": { "comments": "brief_why_only", "preserve_unrelated_changes": true } },
            "workflow": { "autonomy_mode": "yolo" }, "quality_gates": { "run_tests": "auto" },
            "messages": { "mode": "muted" },
        });
        assert_eq!(stated(&seeded), []);
        assert_eq!(as_json(&seeded), Value::Null);
    }

    #[test]
    fn what_somebody_wrote_is_told_with_its_name_and_within_bounds() {
        let mut written = json!({
            "preferred_language": "de",
            "coding": { "build_command": "just build", "never": ["unwrap", "mod.rs", { "x": 1 }] },
            "line_width": 100, "deep": { "a": { "b": { "c": { "d": "too deep" } } } },
            "none": null, "empty": "  ",
            "loud": "first\nsecond \u{202e}line",
        });
        let told = stated(&written);
        let told: Vec<(&str, &str)> = told.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        let expected = [
            ("preferred_language", "de"),
            ("coding.build_command", "just build"),
            ("coding.never", "unwrap, mod.rs"),
            ("line_width", "100"),
        ];
        assert_eq!(told[..4], expected);
        let (name, text) = told[4];
        assert!(
            name == "loud" && !text.contains(['\n', '\u{202e}']),
            "{text:?}"
        );
        assert_eq!(told.len(), 5);
        for n in 0..100 {
            aictx_proto::json::set(&mut written, &format!("x{n}"), "y".repeat(1_000));
        }
        let many = stated(&written);
        assert_eq!(many.len(), MAX_STATED);
        assert!(
            many.iter()
                .all(|(n, t)| n.chars().count() <= MAX_NAME && t.chars().count() <= MAX_TEXT)
        );
        assert_eq!(stated(&json!(["not", "an", "object"])), []);
    }
}
