//! `guard`.

use serde::{Deserialize, Serialize};

use crate::identity::Caller;

/// The moments at which the guard is asked.
pub const GUARD_ACTIONS: &[&str] = &[
    "agent_switch",
    "before_first_edit",
    "continue_after_idle",
    "edit",
    "final_answer",
    "finalize",
    "risky_command",
    "scope_change",
];

/// Parameters of `guard`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct GuardParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// One of [`GUARD_ACTIONS`].
    pub action: String,
    /// Paths about to be touched, as given.
    pub paths: Vec<String>,
    /// Command about to be run.
    pub command: String,
    /// Intent of the caller, cut to 500 characters.
    pub intent: String,
    /// `low`, `normal` (also when empty) or `high`; never weakens a safety finding.
    pub risk: String,
    /// Say how the decision came about.
    pub explain: bool,
    /// Write nothing, not even into the audit log.
    pub look_only: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardWarning {
    /// Stable code.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Fixed sentence; never holds text from the repository.
    pub message: String,
    /// Which of the five checks it belongs to.
    pub check: String,
    /// At most 3 short facts (paths given by the caller, verbs, targets).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// Result per check: `ok`, `warning` or `error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardChecks {
    /// Work State.
    pub work_state: String,
    /// Contract and command safety.
    pub contract_alignment: String,
    /// Continuity quality.
    pub continuity_quality: String,
    /// Lifecycle.
    pub lifecycle: String,
    /// Validation.
    pub validation: String,
}

/// Action that the caller can take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuggestedAction {
    /// `run_command`, `open_file`, `run_resume`, `finalize_session` or `ask_user`.
    pub kind: String,
    /// Command, path or question.
    pub value: String,
}

/// One thing a command would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandEffect {
    /// `delete`, `overwrite`, `discard_changes`, `rewrite_history`, `publish`, `remote_delete`,
    /// `remote_change`, `database_write`, `privilege`, `process_kill`, `disk`, `permission`,
    /// `network_exec`, `credentials`, `outside_repository` or `undecidable`.
    pub kind: String,
    /// Target, as written in the command; the call itself when nothing is named.
    pub target: String,
    /// It can be taken back with what is on this machine.
    pub reversible: bool,
    /// Fixed sentence of the kind.
    pub reason: String,
}

/// Irreversible effect of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandRisk {
    /// `safe`, `caution` or `destructive`. Values that the text does not tell count as dangerous
    /// where they matter, so this can be sterner than the decision.
    pub level: String,
    /// Worst first, at most 16.
    pub effects: Vec<CommandEffect>,
    /// The whole text could be read as a shell would. `false` when a quote or bracket is never
    /// closed, or when it is longer or nested deeper than is looked at.
    pub parsed: bool,
}

/// One finding with all that it rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct GuardFinding {
    /// Stable code: the rule.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Of a command: `safe`, `caution` or `destructive`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub level: String,
    /// Of a command: kind of the effect.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Of a command: program and options that decide.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// Of a command: what it would hit, as written, at most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Of a command: it can be taken back with what is on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// Which simple command of the line brings it about, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
    /// Short facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// Derivation of a decision of the guard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct GuardExplanation {
    /// Every finding, those of a command before what a policy takes away; at most 64.
    pub findings: Vec<GuardFinding>,
    /// The contract that was looked at; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub contract_id: String,
    /// Paths that the user put off limits in this session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Microseconds that the decision took.
    pub took_us: u64,
}

/// Result of `guard`: the five keys of the format, then ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardReply {
    /// `ok`, `warning` or `error`.
    pub status: String,
    /// `allow`, `caution`, `re_ground` or `block`.
    pub decision: String,
    /// At most 8 findings, worst first.
    pub warnings: Vec<GuardWarning>,
    /// The five checks.
    pub checks: GuardChecks,
    /// One of four fixed sentences.
    pub suggested_next: String,
    /// Cures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested_actions: Vec<SuggestedAction>,
    /// Findings before the cut to 8.
    #[serde(default)]
    pub warnings_total: u64,
    /// Judgement of the command, when one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_risk: Option<CommandRisk>,
    /// Source of the contract: `session`, `intent`, `work_state` or `latest`; empty when there is
    /// none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub contract_source: String,
    /// Its row in the audit log, for `aictx why --verdict`; empty for `allow`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verdict_id: String,
    /// Derivation, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<GuardExplanation>,
}
