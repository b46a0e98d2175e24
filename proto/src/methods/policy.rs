//! `who`, `trust`, `verdicts`: who is at work, whose rules hold, what was refused.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Caller;

/// A live session and what it is at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AtWork {
    /// Session.
    pub session_id: String,
    /// Agent.
    pub runner: String,
    /// Worktree, absolute.
    pub worktree: String,
    /// Branch checked out there.
    pub branch: String,
    /// Last request of its user.
    pub request: String,
    /// Files it edited, newest first, relative to the worktree, at most 20.
    pub files: Vec<String>,
    /// Limits of its user.
    pub limits: Vec<String>,
    /// Paths it claims while it is open.
    pub claims: Vec<String>,
    /// Last event.
    pub last_seen_at: String,
}

/// Result of `who`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WhoReply {
    /// Live sessions, heard of last first.
    pub sessions: Vec<AtWork>,
}

/// Parameters of `claim`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ClaimParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Files, directories or patterns; nothing is claimed when empty. Patterns are relative to the
    /// worktree.
    pub paths: Vec<String>,
    /// Absolute working directory that relative files and directories start from; empty for the root.
    pub cwd: String,
    /// Let go of `paths`, or of everything when there are none.
    pub release: bool,
    /// Identity of the session's owner.
    pub caller: Caller,
}

/// Paths claimed, at most, by one session.
pub const MAX_CLAIMS: usize = 64;

/// Somebody else who is where a session wants to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HeldBy {
    /// File or entry of the other session.
    pub path: String,
    /// The other session.
    pub session_id: String,
    /// Its agent.
    pub runner: String,
    /// It claims the path; else it edited it.
    pub claimed: bool,
}

/// Result of `claim`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ClaimReply {
    /// Session that claims.
    pub session_id: String,
    /// All that it claims now.
    pub claims: Vec<String>,
    /// Other live sessions that are there already, at most 20 entries.
    pub held_by: Vec<HeldBy>,
}

/// Parameters of `trust`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TrustParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// `show` (also when empty), `trust` or `revoke`.
    pub action: String,
    /// `trust`: the hash of the policy that was shown; another one is refused.
    pub hash: String,
}

/// Result of `trust`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TrustReply {
    /// The repository's policy file, absolute.
    pub path: String,
    /// Its text; empty when there is none.
    pub policy: String,
    /// Hash of the text.
    pub hash: String,
    /// The user trusts just this text.
    pub trusted: bool,
    /// Why it cannot be used; empty when it can.
    pub problem: String,
    /// Effective policy, the user's included.
    pub effective: Value,
    /// The text against the one that was trusted last, or against nothing: lines that begin with `+`,
    /// `-` or a blank.
    #[serde(default)]
    pub diff: Vec<String>,
    /// Changes of the effective policy by trusting it, an entry a line.
    #[serde(default)]
    pub would_change: Vec<String>,
}

/// Parameters of `verdicts`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct VerdictParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Only this one: its id or the beginning of it.
    pub id: String,
    /// At most this many; 0 means 20.
    pub limit: u32,
}

/// Result of `verdicts`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct VerdictList {
    /// `{id, at, session_id, runner, tool, decision, reason, subject, effects}`, newest first.
    pub verdicts: Vec<Value>,
}
