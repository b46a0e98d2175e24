//! Records of strategies, areas and anchors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Origin;

/// One row of `strategy_memory/strategies.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Strategy {
    /// Execution that wrote it; identity of the row.
    pub task_id: String,
    /// The request.
    pub task_text: String,
    /// Effective task type.
    pub task_type: String,
    /// Effective area.
    pub area_id: String,
    /// Files to begin with, edited ones first, at most 3.
    pub entry_points: Vec<String>,
    /// The first of them.
    pub primary_entry_point: Option<String>,
    /// Files read or written.
    pub files_used: Vec<String>,
    /// Files written.
    pub files_edited: Vec<String>,
    /// Commands run.
    pub commands_executed: Vec<String>,
    /// Test runs among them.
    pub tests_executed: Vec<String>,
    /// Error strings.
    pub notable_errors: Vec<String>,
    /// It worked.
    pub success: bool,
    /// It did not.
    pub is_failure: bool,
    /// Last time written or used.
    pub timestamp: String,
    /// Evidence of success; only on successes, like the next four.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why_it_worked: String,
    /// Cases for reuse: as reported, else derived from type and area.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reuse_when: String,
    /// Cases against reuse: as reported, else derived from the entry point.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub avoid_when: String,
    /// `high`, `medium`, `low` or `unknown`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evidence_quality: String,
    /// Hypotheses discarded on the way, at most 3.
    pub discarded_hypotheses: Vec<Value>,
    /// Number of later executions that did the same; absent for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub uses: u64,
    /// Content of the paths at the time of writing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A part of the repository as described by agents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subsystem {
    /// Name; its identity.
    pub name: String,
    /// Kind.
    pub description: String,
    /// At most 12.
    pub key_paths: Vec<String>,
    /// At most 8.
    pub entry_points: Vec<String>,
    /// At most 12.
    pub relevant_tests: Vec<String>,
    /// At most 8.
    pub fragile_areas: Vec<String>,
    /// Last change; empty in files of the ancestor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub updated_at: String,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `continuity/semantic_repo.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SemanticRepo {
    /// Repository id.
    pub repo_id: String,
    /// In order of first appearance.
    pub subsystems: Vec<Subsystem>,
    /// Last change.
    pub updated_at: String,
    /// Visible-session number.
    pub source_session: u64,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Knowledge of one area.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Area {
    /// Id.
    pub area_id: String,
    /// Executions that worked in it.
    pub executions: u64,
    /// Successful strategies.
    pub strategy_count: u64,
    /// Failures recorded.
    pub failure_count: u64,
    /// Number of times each file was touched, at most 50 files.
    pub files: BTreeMap<String, u64>,
    /// Number of runs of each test command, at most 50 commands.
    pub tests: BTreeMap<String, u64>,
    /// The files touched most, at most 8.
    pub related_files: Vec<String>,
    /// The test commands run most, at most 8.
    pub related_tests: Vec<String>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `area_memory/areas.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AreaMemory {
    /// 1.
    pub version: u64,
    /// By id.
    pub areas: BTreeMap<String, Area>,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// State of a file at the time of writing, by which a later reader sees changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Anchor {
    /// Repository-relative path.
    pub path: String,
    /// Git's blob id of its content; empty when the file was not there.
    pub blob: String,
    /// Commit that was checked out, its first 12 digits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The definitions that the item names, by name, with a hash of their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolAnchor>,
}

/// A definition an item of memory names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SymbolAnchor {
    /// Name.
    pub name: String,
    /// First 16 hexadecimal digits of the blob id of its lines, white space collapsed.
    pub hash: String,
}

/// Most anchors of one item.
pub const MAX_ANCHORS: usize = 8;
/// Most symbols of one anchor.
pub const MAX_ANCHOR_SYMBOLS: usize = 8;

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
