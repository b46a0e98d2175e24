//! Approval of hooks by a person.

use serde_json::Value;

use super::Edit;
use crate::merge::{Content, Table, json_value};

/// A step that a person takes, or allows us to take.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustStep {
    /// Runner.
    pub agent: &'static str,
    /// Consequence of leaving it out.
    pub without: &'static str,
    /// Instructions, step by step.
    pub how: Vec<String>,
    /// Check that it is done.
    pub check: &'static str,
    /// Edit that gives the approval, when the person says so. Never without asking: trust is
    /// theirs to give.
    pub write: Option<Edit>,
}

/// Approval of our hooks, as far as an agent's own files tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Approved; `None` when nothing tells.
    pub trusted: Option<bool>,
    /// The setting that switches all hooks off, and its file.
    pub off: Option<String>,
    /// Evidence.
    pub evidence: String,
}

/// Gives the text of a file, when there is one.
pub type Reader<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The first of these JSON files in which a member has this value: its name and the setting's.
pub(crate) fn switched(
    read: Reader<'_>,
    places: &[String],
    path: &[&str],
    value: &Value,
) -> Option<String> {
    let holds = |file: &&String| {
        let settings = read(file).and_then(|text| json_value(&text));
        let found = settings
            .as_ref()
            .and_then(|settings| path.iter().try_fold(settings, |at, name| at.get(name)));
        found == Some(value)
    };
    let file = places.iter().find(holds)?;
    Some(format!("`{}` in {file}", path.join(".")))
}

/// Codex's approval of single hooks, for [`TrustStep::write`]: the keys and hashes as `codex
/// app-server` gives them for `hooks/list` (`key`, `currentHash`) after the hooks were written.
/// Keys tell the place of a hook in its file, so this has to be done again when the file changes.
pub fn codex_trust(config: &str, hashes: &[(String, String)]) -> Vec<Edit> {
    let tables = hashes.iter().map(|(key, hash)| Table {
        path: vec!["hooks".into(), "state".into(), key.clone()],
        members: format!("trusted_hash = {}\n", super::toml_text(hash)),
    });
    tables
        .map(|table| Edit {
            agent: "codex",
            file: config.to_owned(),
            content: Content::Toml(table),
            reason: "approves one hook",
            shared: false,
            caution: "",
        })
        .collect()
}
