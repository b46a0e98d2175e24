//! `steer`: what a person's message means for work under way.

use serde::{Deserialize, Serialize};

use crate::identity::Caller;

/// States of the agent when the message arrives; anything else counts as `unknown`.
pub const STEER_ACTIONS: &[&str] = &[
    "edit",
    "command",
    "finalize",
    "final_answer",
    "planning",
    "unknown",
];

/// Parameters of `steer`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SteerParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The message.
    pub message: String,
    /// One of [`STEER_ACTIONS`].
    pub current_action: String,
    /// Paths of the current action. They never take a role of their own.
    pub paths: Vec<String>,
    /// Files this session has edited: compared with what the message forbids.
    pub edited_paths: Vec<String>,
    /// True if the session has neither a request nor changes yet: the message is then the task.
    pub first_prompt: bool,
    /// True if to store the constraints for the session; deciding does not look at it.
    pub apply: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// The meaning of one clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteerLabel {
    /// A classification, or `quoted_instruction`.
    pub classification: String,
    /// First and last byte (exclusive) of the clause in the message, as far as it was read; of a
    /// message that was cut, in what was left of it.
    pub span: (u32, u32),
    /// 0 to 1.
    pub confidence: f64,
}

/// A direction of work that the person ruled out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscardedHypothesis {
    /// The rejected hypothesis.
    pub hypothesis: String,
    /// The person's words.
    pub reason: String,
    /// Always `user_correction`.
    pub evidence: String,
    /// `medium`.
    pub confidence: String,
    /// Paths of the wrong direction, never of the right one.
    pub related_paths: Vec<String>,
}

/// Updates for the caller to store. Absent keys mean nothing to store. Every list holds at most
/// 12 entries, in the order of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SteerUpdates {
    /// Paths or patterns that must not be edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden_paths: Vec<String>,
    /// Paths that may be edited: the whole scope (see `only_paths`) or a permission given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_paths: Vec<String>,
    /// The part of `allowed_paths` outside which nothing may be edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_paths: Vec<String>,
    /// The part of `allowed_paths` that is permitted, again or as an exception.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lifted_paths: Vec<String>,
    /// Every earlier constraint is lifted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lift_all: bool,
    /// Lifts the limits of the last message.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lift_latest: bool,
    /// No part of the repository is the whole scope any more: the rest of it is permitted, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lift_only: bool,
    /// Consent, or an order to change something: "change nothing yet" ends with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lets_go: bool,
    /// A part of the message orders work, whatever the rest of it is about: "fix the parser, and leave the
    /// tests alone".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub orders_work: bool,
    /// The limit covers everything until the person says otherwise: "don't change anything yet".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub until_told: bool,
    /// Paths that the person expects to be worked on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_paths: Vec<String>,
    /// The part of them that is ordered to be changed: what an earlier message put off limits is so no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ordered_paths: Vec<String>,
    /// Paths that the person named as the wrong place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub discarded_paths: Vec<String>,
    /// Paths of tests to run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validation_paths: Vec<String>,
    /// True if the person wants no checks, or wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_validation: Option<bool>,
    /// Forbidden paths that were edited before the message arrived.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub already_violated: Vec<String>,
    /// Protected thing in the person's words, when no path names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint_note: Option<String>,
    /// The message, for a constraint or a change of scope or order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_state_note: Option<String>,
    /// The message, for a change of validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_note: Option<String>,
    /// The message, for a change of strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy_note: Option<String>,
    /// The message, for a clarification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification_note: Option<String>,
    /// The message, for a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_note: Option<String>,
    /// The message, for a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_note: Option<String>,
    /// The message, for a new requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement_note: Option<String>,
    /// For a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discarded_hypothesis: Option<DiscardedHypothesis>,
}

/// Result of `steer`: the seven keys of the format, then ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteerReply {
    /// `ok` when the agent just goes on, else `warning`.
    pub status: String,
    /// Label of the message, most binding clause first.
    pub classification: String,
    /// Decision.
    pub decision: String,
    /// Impact.
    pub impact: String,
    /// One sentence, at most 220 characters.
    pub summary: String,
    /// Instruction for the agent, at most 320 characters.
    pub agent_instruction: String,
    /// Updates for the caller to store.
    pub suggested_updates: SteerUpdates,
    /// One label a clause, at most 16.
    #[serde(default)]
    pub labels: Vec<SteerLabel>,
    /// Two-letter code, or `und` when the message was not understood.
    #[serde(default)]
    pub language: String,
    /// True if anything in the message speaks to the agent.
    #[serde(default)]
    pub addressed_to_agent: bool,
    /// 0 to 1, of the classification.
    #[serde(default)]
    pub confidence: f64,
    /// Ids of the rules that decided, at most 16.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// `path_outside_repo`, `already_violated`, `message_truncated`, `quoted_text_ignored`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The session whose limits are now as the message wants; empty when nothing was to be applied.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub applied_to: String,
}
