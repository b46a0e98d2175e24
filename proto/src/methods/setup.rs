//! `install`, `init`, `clean`, `uninstall`, `doctor`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The caller's surroundings, as far as they decide where agents keep their files: a daemon may
/// have been started with others. Paths are absolute; an empty one is unset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Surroundings {
    /// Home directory.
    pub home: String,
    /// `$XDG_CONFIG_HOME`; empty for `~/.config`.
    pub config: String,
    /// `$CLAUDE_CONFIG_DIR`.
    pub claude: String,
    /// `$CODEX_HOME`.
    pub codex: String,
    /// `$COPILOT_HOME`.
    pub copilot: String,
    /// `$GEMINI_CLI_HOME`, which stands for the home directory.
    pub gemini: String,
    /// `$XDG_DATA_HOME`; empty for `~/.local/share`.
    pub data: String,
    /// `$PATH`.
    pub path: String,
    /// The `aictx` program.
    pub program: String,
    /// The `aictxd` program.
    pub daemon: String,
    /// Variables that put our own things elsewhere than usual; see [`crate::locations::unusual`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
}

/// Parameters of `init`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InitParams {
    /// Absolute path of the repository or of a directory in it.
    pub repo: String,
    /// Agents whose hooks are to be registered in the repository; empty for none.
    pub runners: Vec<String>,
    /// Take the agents that are there as well.
    pub detect: bool,
    /// Absolute path of the `aictx` program that hooks shall call.
    pub program: String,
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
    /// Write files that are meant for a commit, for everybody who clones the repository.
    pub shared: bool,
    /// Write nothing into the repository: its memory goes into the user's state directory.
    pub stealth: bool,
    /// Let memory go through git, or no longer; as it was when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portable: Option<bool>,
    /// Parts that git sees besides: `tickets`, or `none`; unchanged when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<String>,
    /// Leave out the MCP server.
    pub no_mcp: bool,
    /// Profile of the MCP server; empty for its default.
    pub mcp_profile: String,
    /// Take out what the Python program of the same name left here.
    pub ancestor: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// Leave the user's registry alone.
    pub no_register: bool,
    /// Create a store even where there is no git repository.
    pub force: bool,
}

/// Change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FileChange {
    /// Path: relative to the repository root when it lies there, else absolute.
    pub path: String,
    /// `created`, `updated`, `unchanged`, `removed`, `restored`, `moved`, `kept` or `skipped`.
    pub action: String,
    /// Why, for `skipped`; else what for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Lines that go and come, when that was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// An agent that an installation is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentChosen {
    /// Runner.
    pub agent: String,
    /// Its name for people.
    pub title: String,
    /// Evidence that it is there, or was asked for.
    pub evidence: String,
    /// The user's own registration holds hooks for it.
    pub user_hooks: bool,
}

/// Step for a person before an agent runs our hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PersonStep {
    /// Runner.
    pub agent: String,
    /// Consequence of leaving it out.
    pub without: String,
    /// Instructions, step by step.
    pub how: Vec<String>,
    /// Check that it is done.
    pub check: String,
}

/// Result of `init`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InitReply {
    /// Repository root.
    pub repo: String,
    /// Files touched or deliberately left.
    pub files: Vec<FileChange>,
    /// Agents, when they were looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentChosen>,
    /// Steps for a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PersonStep>,
    /// Nothing is in the repository itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stealth: bool,
    /// Memory goes through git.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub portable: bool,
    /// Earlier sessions that could be imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<super::EarlierSessions>,
    /// True if the repository is in the registry now.
    pub registered: bool,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Parameters of `install`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InstallParams {
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
    /// Agents; empty for those that are there.
    pub agents: Vec<String>,
    /// Leave out the MCP server.
    pub no_mcp: bool,
    /// Profile of the MCP server; empty for its default.
    pub mcp_profile: String,
    /// Take out what the Python program of the same name left here.
    pub ancestor: bool,
    /// Entries for the MCP server, and nothing else.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_mcp: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
}

/// Result of `install`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InstallReply {
    /// Agents it is for.
    pub agents: Vec<AgentChosen>,
    /// Files touched or deliberately left.
    pub files: Vec<FileChange>,
    /// Steps for a person.
    pub steps: Vec<PersonStep>,
    /// Nothing was written.
    pub dry_run: bool,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Fate of a repository's memory when aictx is removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryFate {
    /// It goes into the user's state directory; where there is nothing in it, it is deleted.
    #[default]
    Archive,
    /// It is deleted.
    Delete,
    /// It stays, hidden from git.
    Keep,
}

/// Parameters of `clean`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CleanParams {
    /// Absolute path of the repository or of a directory in it.
    pub repo: String,
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
    /// Fate of the memory.
    pub memory: MemoryFate,
    /// Take out memory that git tracks, too.
    pub force: bool,
    /// Say for each file whether it is as it was before.
    pub verify: bool,
    /// Take out what the Python program of the same name left here.
    pub ancestor: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
}

/// Parameters of `uninstall`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UninstallParams {
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
    /// Delete the memory of all registered repositories, the state and the indexes, too.
    pub purge: bool,
    /// Say for each file whether it is as it was before.
    pub verify: bool,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
}

/// Comparison of a file with its state before the installation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Verified {
    /// Path.
    pub path: String,
    /// To the byte.
    pub identical: bool,
    /// Why not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Result of `clean` and `uninstall`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RemovalReply {
    /// Repositories that were taken care of.
    pub repos: Vec<String>,
    /// Files and directories touched or deliberately left.
    pub files: Vec<FileChange>,
    /// Results of `verify`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<Verified>,
    /// Places to which memory was moved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub archived: Vec<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// Something was left that should have gone.
    pub partial: bool,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Parameters of `mcp.status`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct McpStatusParams {
    /// Absolute path of the repository or of a directory in it; outside of one only the user's own
    /// files are looked at.
    pub repo: String,
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
}

/// A place for an entry of the MCP server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct McpEntry {
    /// Runner.
    pub agent: String,
    /// File.
    pub file: String,
    /// `registered`, `broken` (its program is gone), `off` (switched off by the user), `yours` (an
    /// entry of the user's own by that name), `missing` or `unreadable`.
    pub state: String,
    /// Program and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// Entries of one level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct McpLevel {
    /// Some agent has a working entry.
    pub enabled: bool,
    /// Places of the agents that are there.
    pub files: Vec<McpEntry>,
}

/// Result of `mcp.status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct McpStatus {
    /// For the user, in all repositories.
    pub global: McpLevel,
    /// For everybody who clones this repository.
    pub repo: McpLevel,
}

/// Parameters of `doctor`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DoctorParams {
    /// Absolute path of the repository or of a directory in it.
    pub repo: String,
    /// Places of the caller's agents' files.
    pub surroundings: Surroundings,
}

/// Result of a check, worst last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Nothing to say.
    #[default]
    Ok,
    /// No data yet.
    Unknown,
    /// It works, and could be better.
    Warning,
    /// It does not work.
    Error,
}

impl CheckStatus {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding of `doctor`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Check {
    /// Name.
    pub name: String,
    /// Result.
    pub status: CheckStatus,
    /// One sentence.
    pub summary: String,
    /// Evidence.
    pub details: Value,
    /// Recommendation, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub recommended_action: String,
    /// The command that does it, word by word; made of constants and paths, never of text from a
    /// repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// It may be run without asking.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub safe: bool,
}

/// One step of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PlanStep {
    /// Check it comes from.
    pub code: String,
    /// Action.
    pub action: String,
    /// The command, word by word; empty when it is for a person.
    pub command: Vec<String>,
    /// Why.
    pub reason: String,
    /// It may be run without asking.
    pub safe: bool,
}

/// Result of `doctor`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DoctorReply {
    /// The worst check.
    pub status: CheckStatus,
    /// Repository root; empty outside of one.
    pub repo: String,
    /// Product version.
    pub version: String,
    /// `general`.
    pub mode: String,
    /// Findings.
    pub checks: Vec<Check>,
    /// Actions, in the order of the checks, each once.
    pub recommended_actions: Vec<String>,
    /// The same as steps; at most [`MAX_PLAN`].
    pub action_plan: Vec<PlanStep>,
}

/// Most steps of a plan.
pub const MAX_PLAN: usize = 20;

impl DoctorReply {
    /// Derives status, recommendations and plan from the checks.
    pub fn conclude(&mut self) {
        let worst = self.checks.iter().map(|check| check.status);
        // No data is no trouble.
        let worst = worst.filter(|status| *status != CheckStatus::Unknown).max();
        self.status = worst.unwrap_or_default();
        self.recommended_actions.clear();
        self.action_plan.clear();
        for check in &self.checks {
            if check.recommended_action.is_empty() {
                continue;
            }
            if !self.recommended_actions.contains(&check.recommended_action) {
                self.recommended_actions
                    .push(check.recommended_action.clone());
            }
            let known = |step: &PlanStep| {
                step.code == check.name
                    || !check.command.is_empty() && step.command == check.command
            };
            if self.action_plan.len() < MAX_PLAN && !self.action_plan.iter().any(known) {
                self.action_plan.push(PlanStep {
                    code: check.name.clone(),
                    action: check.recommended_action.clone(),
                    command: check.command.clone(),
                    reason: check.summary.clone(),
                    safe: check.safe,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_check_decides_and_each_step_stands_once() {
        let check = |name: &str, status, action: &str| Check {
            name: name.into(),
            status,
            recommended_action: action.into(),
            ..Check::default()
        };
        let mut reply = DoctorReply {
            checks: vec![
                check("a", CheckStatus::Ok, ""),
                check("b", CheckStatus::Warning, "do it"),
                check("c", CheckStatus::Unknown, ""),
                check("d", CheckStatus::Warning, "do it"),
            ],
            ..DoctorReply::default()
        };
        reply.conclude();
        assert_eq!(reply.status, CheckStatus::Warning);
        assert_eq!(reply.recommended_actions, ["do it"]);
        assert_eq!(reply.action_plan.len(), 2);
        reply.checks = vec![check("c", CheckStatus::Unknown, "")];
        reply.conclude();
        assert_eq!(reply.status, CheckStatus::Ok);
        assert!(reply.action_plan.is_empty());
    }
}
