//! `resume` (spec/lifecycle.md §11).

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
    /// Who asks.
    pub caller: Caller,
}

/// Result of `resume`: the fields of the format that this version fills, in its order. `brief`
/// drops what is optional.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumeReply {
    /// `1.0`.
    pub schema_version: String,
    /// When.
    pub generated_at: String,
    /// `agent_brief` or `brief`.
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
    /// `{source, show_in_first_user_visible_response, already_shown}`.
    pub startup_banner_policy: Value,
    /// `{level, contract_strength, score, reason, signals}`.
    pub continuity_match: Value,
    /// First action, edit scope, test and finalize command.
    pub execution_contract: Value,
    /// `{status, confidence, reason}`.
    pub task_state: Value,
    /// What to read first; see spec §11.8.
    pub capsule: Map<String, Value>,
    /// Where it comes from, relative paths or empty.
    pub sources: Value,
    /// What was loaded and why, at most 12.
    pub loaded_context: Vec<Value>,
    /// `{contract_id, path, session_id, execution_id, generated_at, task_goal}`.
    pub contract_ref: Value,
    /// Bytes of this answer and its limit.
    pub budget: Value,
    /// What to know, at most 12.
    pub warnings: Vec<String>,
    /// The capsule as text, as `aictx resume` prints it.
    pub text: String,
}
