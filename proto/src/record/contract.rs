//! Contracts between a resume and its finalize, how they were kept, and the lifecycle's events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Origin;

/// One entry of `continuity/contracts/index.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ContractRef {
    /// Its file's name.
    pub contract_id: String,
    /// Relative to the repository.
    pub path: String,
    /// Session that asked.
    pub session_id: String,
    /// Agent that asked; ours.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// Execution it was evaluated for; empty before.
    pub execution_id: String,
    /// Time.
    pub generated_at: String,
    /// The request.
    pub task_goal: String,
    /// `active`, `superseded` or `evaluated`; empty (in files of the ancestor) means active.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `continuity/contracts/index.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ContractIndex {
    /// 1.
    pub version: u64,
    /// The newest one.
    pub latest_contract_id: String,
    /// Oldest first.
    pub contracts: Vec<ContractRef>,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `continuity/contracts/<id>.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ContractRecord {
    /// 1.
    pub version: u64,
    /// Its file's name.
    pub contract_id: String,
    /// Relative to the repository.
    pub path: String,
    /// Time.
    pub generated_at: String,
    /// The request, whole.
    pub request: String,
    /// The request as goal.
    pub task_goal: String,
    /// Session.
    pub session_id: String,
    /// Agent.
    pub agent_id: String,
    /// Execution; empty.
    pub execution_id: String,
    /// `active`.
    pub status: String,
    /// Contract of the session: first action, edit scope, test command, validation policy.
    pub execution_contract: Value,
    /// Values that finalize compares.
    pub contract_checks: Value,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One row of `metrics/contract_compliance.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ComplianceRow {
    /// Time.
    pub timestamp: String,
    /// Execution.
    pub execution_id: String,
    /// Goal of the contract.
    pub task_goal: String,
    /// Contract.
    pub contract_id: String,
    /// Session.
    pub session_id: String,
    /// A contract was found.
    pub contract_present: bool,
    /// `followed`, `partial` or `violated`.
    pub status: String,
    /// 0 to 1.
    pub score: Option<f64>,
    /// Code of what weighs most.
    pub main_issue: String,
    /// Check → kept.
    pub checks: Map<String, Value>,
    /// `{code, severity, detail, evidence}`, at most 8.
    pub violations: Vec<Value>,
    /// The same.
    pub warnings: Vec<Value>,
    /// One line.
    pub compact_summary: String,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One row of `continuity/lifecycle_events.jsonl`. Empty texts are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LifecycleEvent {
    /// `1.0`.
    pub schema_version: String,
    /// `resume_called`, `finalize_called`, `work_state_started`, `…_updated` or `…_closed`.
    pub event_type: String,
    /// Time.
    pub timestamp: String,
    /// `cli`, `hook` or `mcp`.
    pub source: String,
    /// Agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// Adapter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub adapter_id: String,
    /// Session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// Execution.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub execution_id: String,
    /// The request, at most 500 characters.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// Task type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// Contract.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub contract_id: String,
    /// Thread.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub work_state_task_id: String,
    /// Outcome or new state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Counts of what was observed.
    pub files_opened_count: u64,
    /// Counts of what was observed.
    pub files_edited_count: u64,
    /// Counts of what was observed.
    pub commands_count: u64,
    /// Counts of what was observed.
    pub tests_count: u64,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
