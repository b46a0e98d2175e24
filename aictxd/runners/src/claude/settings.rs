//! Registration of our hooks in one repository's personal settings of Claude Code.
//!
//! The file is `.claude/settings.local.json` of the repository: personal, not committed. It is what
//! [`crate::plan`] gives for this scope, ready to use as text.

use std::collections::BTreeMap;

use crate::merge::{After, Content, MergeError, install};
use crate::plan::{Options, Paths, Scope, Site};

/// Settings file, relative to the repository root.
pub const FILE: &str = ".claude/settings.local.json";

/// Adds our hooks to the text of a settings file (`None`: there is no file yet), calling the
/// absolute path `program` without a shell. Gives the new text, or `None` when nothing changes.
///
/// # Errors
/// See [`MergeError`]; the caller must then leave the file alone.
pub fn register(current: Option<&str>, program: &str) -> Result<Option<String>, MergeError> {
    let paths = Paths {
        home: String::new(),
        config: String::new(),
        repository: String::new(),
        program: program.to_owned(),
        daemon: String::new(),
        claude: None,
        codex: None,
        copilot: None,
        opencode: String::new(),
        variables: BTreeMap::new(),
    };
    let site = Site {
        agent: "claude",
        scope: Scope::Repository { shared: false },
        paths: &paths,
        options: &Options::default(),
    };
    let outcome = install(FILE, current, &Content::Json(super::hooks(&site)), false)?;
    Ok(match outcome.after {
        After::Write(text) => Some(text),
        After::Unchanged | After::Delete => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::Problem;
    use serde_json::Value;

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
    fn what_is_there_keeps_every_byte() {
        let own = "{\"a\":4.4444444444444455e59, // big\n \"c\":18446744073709551615,}";
        let text = register(Some(own), "/a/aictx").unwrap().unwrap();
        assert!(text.starts_with(own.trim_end_matches('}')), "{text}");
    }

    #[test]
    fn damaged_files_are_left_alone() {
        let problem = |text: &str| register(Some(text), "/a/aictx").unwrap_err().problem;
        assert!(matches!(problem("{\"a\" 1}"), Problem::Syntax { .. }));
        assert!(matches!(
            problem(r#"{"hooks":[]}"#),
            Problem::Unexpected { .. }
        ));
        assert!(matches!(
            problem(r#"{"hooks":{"Stop":{}}}"#),
            Problem::Unexpected { .. }
        ));
    }

    #[test]
    fn worktree_creation_is_never_registered() {
        // An empty answer to WorktreeCreate breaks worktree creation.
        let text = register(None, "/a/aictx").unwrap().unwrap();
        assert!(!text.contains("WorktreeCreate") && text.contains("SessionEnd"));
    }
}
