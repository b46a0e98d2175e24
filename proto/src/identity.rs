//! Identity of a caller: agent, adapter, session.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Environment variables that say who is working. A client sends those that are set; nothing else
/// of its environment ever reaches the daemon.
pub const IDENTITY_VARIABLES: &[&str] = &[
    "AICTX_AGENT_ID",
    "AICTX_ADAPTER_ID",
    "AICTX_SESSION_ID",
    "AGENT_SESSION_ID",
    "LLM_SESSION_ID",
    "CHAT_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_SESSION_ID",
    "CLAUDE_CONVERSATION_ID",
    "CLAUDE_THREAD_ID",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "GITHUB_COPILOT_AGENT",
    "GITHUB_COPILOT_CODING_AGENT",
    "COPILOT_AGENT",
    "COPILOT_WORKSPACE_ID",
    "COPILOT_AGENT_TASK_ID",
    "COPILOT_SESSION_ID",
    "COPILOT_THREAD_ID",
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "CODEX_CONVERSATION_ID",
    "CODEX_CI",
    "GENERIC_SESSION_ID",
    "GENERIC_THREAD_ID",
    "TERM_SESSION_ID",
    "TMUX_PANE",
    "STY",
];

/// Identity of a client, as far as it knows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Caller {
    /// `--agent-id`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// `--adapter-id`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub adapter_id: String,
    /// `--session-id`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// The set ones of [`IDENTITY_VARIABLES`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Parent process of the client, 0 when unknown.
    pub parent_pid: u32,
    /// Channel of the caller: `mcp`; empty for the command line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub via: String,
}

/// Source of a session id, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// Given on the command line or in a hook payload.
    Explicit,
    /// From an environment variable of the agent.
    Environment,
    /// The only live session of this agent in this worktree.
    OnlyLive,
    /// Made up from the parent process.
    Process,
}

/// The resolved identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// `claude`, `codex`, `copilot`, … or `generic`.
    pub agent_id: String,
    /// Adapter id; the agent id when nothing else is known.
    pub adapter_id: String,
    /// Session id; never empty.
    pub session_id: String,
    /// Source of the session id.
    pub session_source: SessionSource,
}

const CLAUDE: &[&str] = &[
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_SESSION_ID",
    "CLAUDE_CONVERSATION_ID",
    "CLAUDE_THREAD_ID",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
];
const COPILOT: &[&str] = &[
    "GITHUB_COPILOT_AGENT",
    "GITHUB_COPILOT_CODING_AGENT",
    "COPILOT_AGENT",
    "COPILOT_WORKSPACE_ID",
    "COPILOT_AGENT_TASK_ID",
];
const CODEX: &[&str] = &[
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "CODEX_CONVERSATION_ID",
    "CODEX_CI",
];

impl Caller {
    /// Returns the channel of the caller, as memory notes it.
    pub fn source(&self) -> &'static str {
        if self.via == "mcp" { "mcp" } else { "cli" }
    }

    /// The variables of [`IDENTITY_VARIABLES`] that are set, as `read` gives them.
    pub fn environment(read: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
        let set = IDENTITY_VARIABLES.iter().filter_map(|name| {
            let value = read(name).filter(|value| !value.is_empty())?;
            Some(((*name).to_owned(), value))
        });
        set.collect()
    }

    fn env(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(|v| v.trim())
            .filter(|v| !v.is_empty())
    }

    fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|n| self.env(n).is_some())
    }

    /// Agent id: flag, `AICTX_AGENT_ID`, the agents' own marks, `generic`.
    pub fn agent_id(&self) -> String {
        let given = [
            self.agent_id.trim(),
            self.env("AICTX_AGENT_ID").unwrap_or_default(),
        ];
        if let Some(id) = given.iter().find(|id| !id.is_empty()) {
            return (*id).to_owned();
        }
        let marks = [(CLAUDE, "claude"), (COPILOT, "copilot"), (CODEX, "codex")];
        marks
            .iter()
            .find(|(names, _)| self.any(names))
            .map_or("generic", |(_, id)| id)
            .to_owned()
    }

    /// Identity of this caller. `only_live` is the session that a long-lived process knows to be
    /// the only one of this agent in this worktree; it is asked only when the caller does not say.
    pub fn identify(&self, only_live: impl FnOnce(&str) -> Option<String>) -> Identity {
        let agent_id = self.agent_id();
        let adapter_id = [
            self.adapter_id.trim(),
            self.env("AICTX_ADAPTER_ID").unwrap_or_default(),
        ]
        .into_iter()
        .find(|id| !id.is_empty())
        .map_or_else(|| agent_id.clone(), str::to_owned);
        let runtime = runtime_name(&adapter_id);
        let explicit = self.session_id.trim();
        let (session_id, session_source) = if !explicit.is_empty() {
            (explicit.to_owned(), SessionSource::Explicit)
        } else if let Some(id) = self.session_from_env(&runtime) {
            (id, SessionSource::Environment)
        } else if let Some(id) = only_live(&agent_id) {
            (id, SessionSource::OnlyLive)
        } else if let Some(id) = ["TERM_SESSION_ID", "TMUX_PANE", "STY"]
            .iter()
            .find_map(|n| self.env(n))
        {
            (id.to_owned(), SessionSource::Environment)
        } else {
            (
                format!("{runtime}:process:{}", self.parent_pid),
                SessionSource::Process,
            )
        };
        Identity {
            agent_id,
            adapter_id,
            session_id,
            session_source,
        }
    }

    fn session_from_env(&self, runtime: &str) -> Option<String> {
        let general = [
            "AICTX_SESSION_ID",
            "AGENT_SESSION_ID",
            "LLM_SESSION_ID",
            "CHAT_SESSION_ID",
        ];
        if let Some(id) = general.iter().find_map(|n| self.env(n)) {
            return Some(id.to_owned());
        }
        let own: Vec<String> = if runtime.starts_with("codex") {
            [
                "CODEX_THREAD_ID",
                "CODEX_SESSION_ID",
                "CODEX_CONVERSATION_ID",
            ]
            .map(str::to_owned)
            .into()
        } else if runtime.starts_with("claude") {
            [
                "CLAUDE_SESSION_ID",
                "CLAUDE_CONVERSATION_ID",
                "CLAUDE_THREAD_ID",
                "CLAUDE_CODE_SESSION_ID",
            ]
            .map(str::to_owned)
            .into()
        } else {
            let upper = runtime.to_uppercase().replace('-', "_");
            vec![format!("{upper}_SESSION_ID"), format!("{upper}_THREAD_ID")]
        };
        own.iter().find_map(|n| self.env(n)).map(str::to_owned)
    }
}

/// `runtime` of `session.json`: lower-case, every non-alphanumeric a `-`, bare ends.
pub fn runtime_name(adapter_id: &str) -> String {
    let dashed: String = adapter_id
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect();
    let bare = dashed.trim_matches('-');
    if bare.is_empty() {
        "generic".to_owned()
    } else {
        bare.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(env: &[(&str, &str)]) -> Caller {
        Caller {
            env: env
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            parent_pid: 7,
            ..Caller::default()
        }
    }

    #[test]
    fn agents_are_told_by_their_marks() {
        assert_eq!(caller(&[]).agent_id(), "generic");
        assert_eq!(caller(&[("CLAUDE_ENV_FILE", "/x")]).agent_id(), "claude");
        assert_eq!(caller(&[("CODEX_CI", "1")]).agent_id(), "codex");
        assert_eq!(
            caller(&[("CODEX_CI", "1"), ("AICTX_AGENT_ID", "me")]).agent_id(),
            "me"
        );
        assert_eq!(
            caller(&[("COPILOT_AGENT", "1"), ("CODEX_CI", "1")]).agent_id(),
            "copilot"
        );
    }

    #[test]
    fn session_ids_best_source_first() {
        let env = caller(&[("CLAUDE_CODE_SESSION_ID", "s1")]);
        let id = env.identify(|_| Some("live".into()));
        assert_eq!(
            (id.session_id.as_str(), id.session_source),
            ("s1", SessionSource::Environment)
        );
        let id = caller(&[]).identify(|_| Some("live".into()));
        assert_eq!(
            (id.session_id.as_str(), id.session_source),
            ("live", SessionSource::OnlyLive)
        );
        let id = caller(&[]).identify(|_| None);
        assert_eq!(
            (id.session_id.as_str(), id.session_source),
            ("generic:process:7", SessionSource::Process)
        );
        let flag = Caller {
            session_id: "f".into(),
            ..env
        };
        assert_eq!(flag.identify(|_| None).session_id, "f");
    }
}
