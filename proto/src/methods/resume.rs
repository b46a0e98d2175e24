//! `resume`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::identity::Caller;

/// Parameters of `resume`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ResumeParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The request; may be empty.
    pub task: String,
    /// Explicit task type.
    pub task_type: String,
    /// Longer lists.
    pub full: bool,
    /// The short form.
    pub brief: bool,
    /// Answer and write nothing: no session is counted, no contract is made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub look_only: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// Result of `resume`: the fields of the format, in its order. `brief` drops what is optional.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumeReply {
    /// `1.0`.
    pub schema_version: String,
    /// Time.
    pub generated_at: String,
    /// `agent_brief`, `full` or `brief`.
    pub mode: String,
    /// Repository root.
    pub repo: String,
    /// The request.
    pub request: String,
    /// Agent.
    pub agent_id: String,
    /// Adapter.
    pub adapter_id: String,
    /// `{agent_id, adapter_id, agent_label, session_id}`.
    pub agent_identity: Value,
    /// Banner, empty when it was shown in this session.
    pub startup_banner_text: String,
    /// Banner for renderers in other languages.
    pub startup_banner_render_payload: Value,
    /// `{source, show_in_first_user_visible_response, already_shown, muted}`.
    pub startup_banner_policy: Value,
    /// `{layer, mode}`: nothing is prescribed.
    pub communication_policy: Value,
    /// Content of `user_preferences.json`, by dotted names; null for none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub effective_preferences: Value,
    /// Which of our commands belong where.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub startup_guard: Value,
    /// `{level, contract_strength, score, reason, signals}`.
    pub continuity_match: Value,
    /// Use of the map, and its size.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structural_context: Value,
    /// Files of the map, at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structural_entry_points: Vec<Value>,
    /// First action, edit scope, test and finalize command.
    pub execution_contract: Value,
    /// Protocol for agents.
    pub runner_contract: Value,
    /// Occasions for the guard: `{condition, tool, action, risk, required}`.
    pub guard_triggers: Vec<Value>,
    /// Values that finalize will compare.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub contract_checks: Value,
    /// Evaluation of the last contract: `{status, score, main_issue, compact_summary}`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub previous_contract_result: Value,
    /// `{status, confidence, reason}`.
    pub task_state: Value,
    /// Open points of earlier contracts, at most 8.
    pub carryover_gaps: Vec<Value>,
    /// The most severe of them; null without any.
    pub strongest_carryover_gap: Value,
    /// Discarded hypotheses, newest first.
    pub discarded_hypotheses: Vec<Value>,
    /// Strategy for such a task; empty when nothing fits.
    pub strategy_hint: Value,
    /// Notes of people that fit: `{path, title, text}`, at most 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Value>,
    /// Files to read first.
    pub capsule: Map<String, Value>,
    /// Sources, relative paths or empty.
    pub sources: Value,
    /// `{score, status, issues, …}`, advice.
    pub continuity_quality: Value,
    /// Sessions that never ended, as far as they concern the request.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub lifecycle_status: Value,
    /// The first of its warnings, at most 5.
    pub lifecycle_gaps: Vec<Value>,
    /// `{markdown, json}`, relative: written a moment after the answer, which says the same.
    pub written_files: Value,
    /// Loaded items with reasons, at most 12.
    pub loaded_context: Vec<Value>,
    /// Warnings, at most 12.
    pub warnings: Vec<String>,
    /// `{contract_id, path, session_id, execution_id, generated_at, task_goal}`.
    pub contract_ref: Value,
    /// The task at hand, `{task_id, goal, status, next_action}`, empty for none; only in the brief form.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub active_task: Value,
    /// The last handoff, `{summary, next_steps}`, empty for none; only in the brief form.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub handoff: Value,
    /// The thread that waits on another branch; null for none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub skipped_work_state: Value,
    /// Tokens and bytes of all the other members, and their limit; behind them, for it speaks of them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub budget: Value,
    /// The capsule as text, as `aictx resume` prints it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}
