//! `finalize`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::ErrorEvent;
use crate::identity::Caller;

/// Parameters of `finalize`. Lists that are empty are filled from the session's ledger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinalizeParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    pub cwd: String,
    /// `success`, `failure`, or `unknown` for a report that leaves the outcome to what was observed.
    pub status: String,
    /// Summary of the work.
    pub summary: String,
    /// The goal; empty for the session's own request, else the summary.
    pub task: String,
    /// Explicit task type.
    pub task_type: String,
    /// Files read.
    pub files_opened: Vec<String>,
    /// Files written.
    pub files_edited: Vec<String>,
    /// Files read more than once; they count as read, too.
    pub files_reopened: Vec<String>,
    /// Commands run.
    pub commands_executed: Vec<String>,
    /// Test runs.
    pub tests_executed: Vec<String>,
    /// Error strings.
    pub notable_errors: Vec<String>,
    /// Structured errors.
    pub error_events: Vec<ErrorEvent>,
    /// Output of a command, start and end of it; its errors are read from it.
    pub output: String,
    /// Exit status of the command that printed it, where it is known.
    pub exit_code: Option<i32>,
    /// Milliseconds since the Unix epoch: files that git shows as changed and that were written since
    /// count as edited.
    pub edited_since_ms: Option<u64>,
    /// Duration, if it is known better than from the observations.
    pub execution_time_ms: Option<u64>,
    /// Next steps.
    pub next_steps: Vec<String>,
    /// Blockers.
    pub blocked: Vec<String>,
    /// Risks.
    pub risks: Vec<String>,
    /// Decisions taken: objects with `decision`, `rationale` and the other members of a decision.
    pub decisions: Vec<Value>,
    /// Failure ids the caller says are resolved.
    pub resolved_failures: Vec<String>,
    /// Sub-systems described: objects with `name` and the other members of one.
    pub semantic_updates: Vec<Value>,
    /// The caller says that what was done is proven, beyond what was observed.
    pub validated_learning: bool,
    /// Changes to the active task, as `task.update` takes them.
    pub work_state: Map<String, Value>,
    /// Id of this call, made by the client: a call that is sent again because nobody knows what
    /// became of the first is carried out once.
    pub request_id: String,
    /// Repeat-safe id: a second finalize with the same id changes nothing and answers the same.
    pub execution_id: String,
    /// Identity of the caller.
    pub caller: Caller,
}

/// Records written, by kind; null for none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinalizeReply {
    /// Format of this object.
    pub schema_version: String,
    /// Unique id of this execution.
    pub execution_id: String,
    /// Session it belongs to.
    pub session_id: String,
    /// False when this execution was already finalized; the rest then describes the first time.
    pub recorded: bool,
    /// `plain`.
    pub execution_mode: String,
    /// Type before the work.
    pub prepared_task_type: String,
    /// Type from what was observed.
    pub final_task_type: String,
    /// The one that counts.
    pub effective_task_type: String,
    /// Area known before the work.
    pub prepared_area_id: String,
    /// Area from what was observed.
    pub final_area_id: String,
    /// The one that counts.
    pub effective_area_id: String,
    /// Derivation of the final type: `{task_type, source, confidence, signals}`.
    pub final_task_resolution: Value,
    /// Row of the agent execution log.
    pub telemetry_entry: Value,
    /// `{path, handoff, history: {path, count}}`.
    pub handoff_persisted: Option<Value>,
    /// `{path, failure_id, signature, existing, occurrences, toolchains, phases, error_codes}`.
    pub failure_persisted: Option<Value>,
    /// Failure ids resolved by evidence.
    pub resolved_failures: Vec<String>,
    /// Decision rows written.
    pub decisions_persisted: Vec<Value>,
    /// `{path, task_id, renewed}`.
    pub strategy_persisted: Option<Value>,
    /// `{path, subsystems_updated}`.
    pub semantic_repo_persisted: Option<Value>,
    /// `{path, metrics}`.
    pub continuity_metrics_persisted: Option<Value>,
    /// `{updated, task_id, path, fields}`.
    pub work_state_updated: Option<Value>,
    /// Evaluation of the contract.
    pub contract_compliance: Value,
    /// The same in the words of the older member.
    pub contract_adherence: Value,
    /// Open points of the contract.
    pub contract_gaps: Vec<Value>,
    /// Differences between report and observation: `{field, reported_only, observed_only}`. What was observed
    /// counts.
    pub differences: Vec<Value>,
    /// Numbers about the capture.
    pub aictx_feedback: Value,
    /// `{covered_fields, unknown_fields, coverage_ratio, provenance}`.
    pub capture_quality: Value,
    /// Branch, commit and dirt of the worktree.
    pub git_state: Value,
    /// The execution as it was logged.
    pub execution_observation: Value,
    /// Structured summary.
    pub agent_summary: Map<String, Value>,
    /// Summary to the line grammar of the format.
    pub agent_summary_text: String,
    /// The same for renderers in other languages.
    pub agent_summary_render_payload: Value,
    /// `{append_to_final_response, render_in_user_language, render_payload_field, muted}`.
    pub agent_summary_policy: Value,
    /// Counts of memory loaded and stored.
    pub continuity_value: Value,
    /// Confidence in the offered strategy: `low`, `medium` or `high`.
    pub reuse_confidence: String,
    /// Observations, as evidence of value.
    pub value_evidence: Value,
    /// Kinds of secrets that were removed before writing, with counts.
    pub redacted: Map<String, Value>,
    /// Time.
    pub finalized_at: String,
    /// Warnings.
    pub warnings: Vec<String>,
}
