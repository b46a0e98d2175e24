//! Registration of our hooks in Claude Code's settings.
//!
//! The file is `.claude/settings.local.json` of the repository: personal, not committed. Entries
//! are added behind what is there; nothing else in the file is touched, and a file that is not
//! plain JSON is left alone.

use serde_json::{Map, Value, json};

/// Settings file, relative to the repository root.
pub const FILE: &str = ".claude/settings.local.json";

/// Events we register and Claude Code's time limit for each, in seconds. Ours are far below; the
/// limit is what holds if this machine is in trouble.
const EVENTS: &[(&str, u32)] = &[
    ("SessionStart", 5),
    ("UserPromptSubmit", 5),
    ("PreToolUse", 5),
    ("PostToolUse", 5),
    ("PostToolUseFailure", 5),
    ("PreCompact", 5),
    ("SubagentStop", 5),
    ("Stop", 5),
    ("SessionEnd", 5),
];

/// Why the settings were left as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not a JSON object (comments and trailing commas included).
    #[error("it is not plain JSON ({0}); add the hooks by hand or remove the comments")]
    NotPlainJson(String),
    /// `hooks` or one of its members has an unexpected type.
    #[error("`{0}` has an unexpected type")]
    Unexpected(String),
}

/// Adds our hooks to the text of a settings file (`None`: there is no file yet), calling the
/// absolute path `program` without a shell. Gives the new text, or `None` when nothing changes.
///
/// # Errors
/// See [`SettingsError`]; the caller must then leave the file alone.
pub fn register(current: Option<&str>, program: &str) -> Result<Option<String>, SettingsError> {
    let text = current.unwrap_or_default();
    let mut root: Map<String, Value> = if text.trim().is_empty() {
        Map::new()
    } else {
        serde_json::from_str(text).map_err(|e| SettingsError::NotPlainJson(e.to_string()))?
    };
    let before = root.clone();
    let hooks = member(&mut root, "hooks", json!({}))?;
    let hooks = hooks
        .as_object_mut()
        .ok_or_else(|| SettingsError::Unexpected("hooks".into()))?;
    for (event, timeout) in EVENTS {
        let groups = member(hooks, event, json!([]))?;
        let groups = groups
            .as_array_mut()
            .ok_or_else(|| SettingsError::Unexpected(format!("hooks.{event}")))?;
        let ours = json!({
            "type": "command",
            "command": program,
            "args": ["hook", "claude", event],
            "timeout": timeout,
        });
        match groups.iter_mut().find_map(|group| our_handler(group)) {
            Some(handler) => *handler = ours,
            None => groups.push(json!({ "hooks": [ours] })),
        }
    }
    if root == before {
        return Ok(None);
    }
    let mut out = serde_json::to_string_pretty(&root).unwrap_or_default();
    out.push('\n');
    Ok(Some(out))
}

fn member<'m>(
    map: &'m mut Map<String, Value>,
    name: &str,
    default: Value,
) -> Result<&'m mut Value, SettingsError> {
    Ok(map.entry(name.to_owned()).or_insert(default))
}

/// The handler in a group that an earlier registration of ours wrote.
fn our_handler(group: &mut Value) -> Option<&mut Value> {
    group
        .get_mut("hooks")?
        .as_array_mut()?
        .iter_mut()
        .find(|handler| {
            let args: Vec<&str> = handler
                .get("args")
                .and_then(Value::as_array)
                .map(|args| args.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            matches!(args.as_slice(), ["hook", "claude", ..])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_settings_survive_and_twice_is_once() {
        let own = r#"{"permissions":{"deny":["Bash(rm:*)"]},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}"#;
        let once = register(Some(own), "/opt/aictx").unwrap().unwrap();
        let value: Value = serde_json::from_str(&once).unwrap();
        assert_eq!(value["permissions"]["deny"][0], "Bash(rm:*)");
        assert_eq!(
            value["hooks"]["PreToolUse"][0]["hooks"][0]["command"],
            "mine"
        );
        assert_eq!(
            value["hooks"]["PreToolUse"][1]["hooks"][0]["args"][2],
            "PreToolUse"
        );
        assert_eq!(register(Some(&once), "/opt/aictx").unwrap(), None);
        let moved = register(Some(&once), "/usr/bin/aictx").unwrap().unwrap();
        assert!(
            !moved.contains("/opt/aictx"),
            "a new program path replaces the old one"
        );
    }

    #[test]
    fn numbers_keep_their_value() {
        let own = r#"{"a":4.4444444444444455e59,"b":-0.1,"c":18446744073709551615}"#;
        let text = register(Some(own), "/a").unwrap().unwrap();
        let number = "4.4444444444444455e59".parse::<f64>().unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["a"].as_f64(), Some(number));
        assert!(text.contains("18446744073709551615"), "{text}");
    }

    #[test]
    fn damaged_files_are_left_alone() {
        assert!(matches!(
            register(Some("{// c\n}"), "/a"),
            Err(SettingsError::NotPlainJson(_))
        ));
        assert!(matches!(
            register(Some(r#"{"hooks":[]}"#), "/a"),
            Err(SettingsError::Unexpected(_))
        ));
        assert!(matches!(
            register(Some(r#"{"hooks":{"Stop":{}}}"#), "/a"),
            Err(SettingsError::Unexpected(_))
        ));
    }

    #[test]
    fn worktree_creation_is_never_registered() {
        // An empty answer to WorktreeCreate breaks worktree creation.
        assert!(
            !register(None, "/a")
                .unwrap()
                .unwrap()
                .contains("WorktreeCreate")
        );
    }
}
