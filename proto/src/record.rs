//! Durable records under `.aictx/`: names and fields of the ancestor's format (4.5 to 7.0).
//!
//! Every record keeps the members it does not know (`extra`), so that reading and rewriting a file
//! loses nothing that another version wrote. Missing members take defaults; nothing here fails on
//! old data.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::event::ErrorEvent;
use crate::path::inside;

mod contract;
mod imported;
mod memory;
mod task;

pub use contract::{ComplianceRow, ContractIndex, ContractRecord, ContractRef, LifecycleEvent};
pub use imported::{FailedCommand, ImportedRow, ImportedTurn};
pub use memory::{
    Anchor, Area, AreaMemory, MAX_ANCHOR_SYMBOLS, MAX_ANCHORS, SemanticRepo, Strategy, Subsystem,
    SymbolAnchor,
};
pub use task::{ActivePointer, Focus, MAX_FOCUS, THREAD_STATES, Thread, TicketLink};

/// Origin of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// This machine's: git does not track the file that holds the record.
    #[default]
    Own,
    /// It came with the repository: git tracks the file, or the record was derived from one that
    /// git tracks.
    #[serde(other)]
    Repository,
}

/// Member of a record that did not originate on this machine.
pub const ORIGIN: &str = "origin";
/// Text that follows whatever came with the repository, wherever it is shown.
pub const CAME_WITH_REPOSITORY: &str = " (came with the repository)";

impl Origin {
    /// Returns true if the record is this machine's own.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn is_own(&self) -> bool {
        *self == Self::Own
    }

    /// Text that follows the record's own wherever it is shown; empty for own records.
    pub fn label(self) -> &'static str {
        match self {
            Self::Own => "",
            Self::Repository => CAME_WITH_REPOSITORY,
        }
    }

    /// The origin of what was made of two records.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.is_own() { other } else { self }
    }

    /// The origin of a JSON record: its member [`ORIGIN`].
    pub fn of(record: &Value) -> Self {
        match record.get(ORIGIN) {
            None => Self::Own,
            Some(_) => Self::Repository,
        }
    }

    /// Adds the member [`ORIGIN`] to a JSON record that is not this machine's own.
    pub fn mark(self, record: &mut Value) {
        if let (Self::Repository, Some(members)) = (self, record.as_object_mut()) {
            members.insert(ORIGIN.to_owned(), Value::from("repository"));
        }
    }
}

/// `continuity/handoff.json`: the newest handoff, with the `status` and
/// `reason` that the ancestor kept only in the history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Handoff {
    /// Summary, at most 200 characters.
    pub summary: String,
    /// `resolved`, `failed` or `unresolved`; empty in files of the ancestor.
    pub status: String,
    /// The request this was about.
    pub reason: String,
    /// Task type.
    pub task_type: String,
    /// Finished work; only on success.
    pub completed: Vec<String>,
    /// Next steps.
    pub next_steps: Vec<String>,
    /// Blockers.
    pub blocked: Vec<String>,
    /// Same as `blocked`; kept for the ancestor's readers.
    pub open_items: Vec<String>,
    /// Risks.
    pub risks: Vec<String>,
    /// Files to start from, edited ones first.
    #[serde(deserialize_with = "places")]
    pub recommended_starting_points: Vec<String>,
    /// Time of writing.
    pub updated_at: String,
    /// Visible-session number it was written in.
    pub source_session: u64,
    /// Execution that wrote it.
    pub source_execution_id: String,
    /// Agent.
    pub agent_id: String,
    /// Adapter.
    pub adapter_id: String,
    /// Session.
    pub session_id: String,
    /// `low`, `medium` or `high`.
    pub evidence_quality: String,
    /// Branch it was written on; empty when unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// Open points of contracts, at most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contract_gaps: Vec<Value>,
    /// The worktree when it was written: `{available, branch, commit, dirty, changed_count,
    /// files_edited_uncommitted}`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub git_state: Value,
    /// The edited files as they were left, at most 6.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One row of `continuity/handoffs.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HandoffRow {
    /// Execution that wrote it; unique.
    pub execution_id: String,
    /// Time.
    pub timestamp: String,
    /// As in [`Handoff`].
    pub summary: String,
    /// `resolved`, `failed` or `unresolved`.
    pub status: String,
    /// The request.
    pub reason: String,
    /// Task type.
    pub task_type: String,
    /// At most 5.
    pub completed: Vec<String>,
    /// At most 5.
    pub next_steps: Vec<String>,
    /// At most 5.
    pub blocked: Vec<String>,
    /// At most 5.
    pub risks: Vec<String>,
    /// At most 5.
    #[serde(deserialize_with = "places")]
    pub recommended_starting_points: Vec<String>,
    /// Number of files observed.
    pub files_observed: u64,
    /// Tests seen, at most 8.
    pub tests_observed: Vec<String>,
    /// Agent.
    pub agent_id: String,
    /// Adapter.
    pub adapter_id: String,
    /// Session.
    pub session_id: String,
    /// `low`, `medium` or `high`.
    pub evidence_quality: String,
    /// As in [`Handoff`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// Requests of the execution where `reason` does not hold them all, at most 6. Ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// The agent's own report where `summary` is a part of it, in at most 2 000 characters. Ours.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `continuity/session.json`: the visible session, plus the map of recent sessions
/// that lets interleaved ones keep their numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFile {
    /// `<runtime>@<repo_id>`.
    pub agent_label: String,
    /// Time at which the banner was shown.
    pub banner_shown_at: String,
    /// In which session.
    pub banner_shown_session_id: String,
    /// Touches of the current session.
    pub execution_count: u64,
    /// Last touch by an execution.
    pub last_execution_at: String,
    /// Last touch by a session.
    pub last_session_at: String,
    /// Repository id.
    pub repo_id: String,
    /// Runtime name.
    pub runtime: String,
    /// Number of distinct sessions seen.
    pub session_count: u64,
    /// Current session.
    pub session_id: String,
    /// Start.
    pub started_at: String,
    /// The newest sessions, newest first, at most 64.
    pub recent_sessions: Vec<RecentSession>,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One entry of [`SessionFile::recent_sessions`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentSession {
    /// Session id.
    pub session_id: String,
    /// Its number.
    pub number: u64,
    /// First time seen.
    pub started_at: String,
    /// Last time seen.
    pub last_seen_at: String,
    /// True if its banner was shown.
    pub banner_shown: bool,
}

/// One row of `continuity/decisions.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The decision.
    pub decision: String,
    /// Why.
    pub rationale: String,
    /// Alternatives considered.
    pub alternatives: Vec<String>,
    /// Constraints.
    pub constraints: Vec<String>,
    /// Risks.
    pub risks: Vec<String>,
    /// Files it governs.
    pub related_paths: Vec<String>,
    /// Sub-system.
    pub subsystem: String,
    /// Time.
    pub timestamp: String,
    /// Visible-session number.
    pub session: u64,
    /// Execution.
    pub execution_id: String,
    /// Ids of earlier decisions that this one replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Content of the governed paths at that time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One live row of `failure_memory/failure_patterns.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FailurePattern {
    /// `failure::` + signature.
    pub failure_id: String,
    /// Fingerprint of the primary event.
    pub signature: String,
    /// Same as `signature`.
    pub failure_signature: String,
    /// Task type.
    pub task_type: String,
    /// Area.
    pub area_id: String,
    /// Sub-system.
    pub subsystem: String,
    /// First three error strings, a line each.
    pub error_text: String,
    /// Command that failed.
    pub failed_command: String,
    /// At most 8.
    pub files_involved: Vec<String>,
    /// At most 8.
    pub related_paths: Vec<String>,
    /// Fix that was tried.
    pub attempted_fix_summary: String,
    /// At most 3.
    pub failed_attempts: Vec<String>,
    /// `open` or `resolved`; missing means open.
    #[serde(default = "open")]
    pub status: String,
    /// Execution that resolved it.
    pub resolved_by: String,
    /// Same.
    pub resolved_by_execution_id: String,
    /// Number of times seen.
    pub occurrences: u64,
    /// `occurrences` before the last change.
    pub previous_occurrences: u64,
    /// Execution that saw it last.
    pub last_execution_id: String,
    /// At most 3.
    pub symptoms: Vec<String>,
    /// At most 5.
    pub ineffective_commands: Vec<String>,
    /// At most 5.
    pub error_events: Vec<ErrorEvent>,
    /// Distinct toolchains, at most 5.
    pub toolchains: Vec<String>,
    /// Distinct phases, at most 5.
    pub phases: Vec<String>,
    /// Distinct codes, at most 5.
    pub error_codes: Vec<String>,
    /// Distinct fingerprints, at most 5.
    pub error_fingerprints: Vec<String>,
    /// Hint for the next agent; the words of the one that resolved it.
    pub resolution_hint: String,
    /// Time of the last change.
    pub timestamp: String,
    /// Visible-session number.
    pub session: u64,
    /// First time seen; empty in rows of the ancestor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub first_seen: String,
    /// Number of times it came back after being resolved.
    #[serde(skip_serializing_if = "is_zero")]
    pub reopened: u64,
    /// `command`, `test`, `explicit` or `reported`: what showed that it is resolved.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resolution_evidence: String,
    /// The summary of the run that resolved it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resolution_summary: String,
    /// Number of times it was shown to an agent about to work on it.
    #[serde(skip_serializing_if = "is_zero")]
    pub considered: u64,
    /// Content of the related paths at that time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// Branches on which it was seen and has not passed since, at most 8; empty when not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// The tests that failed and have not passed since; empty when not all of them are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<FailingTest>,
    /// The test runs behind the command, where it is the name of a script; see `LedgerRow::ran`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ran: String,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FailingTest {
    /// Its name as its runner gives it; empty when a whole file failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub test: String,
    /// File it was seen in, where that is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
}

/// Those of a list of paths that lie in the repository.
fn places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut paths = Vec::<String>::deserialize(deserializer)?;
    paths.retain_mut(|path| match inside(path) {
        Some(Cow::Borrowed(_)) => true,
        Some(Cow::Owned(resolved)) => {
            *path = resolved;
            true
        }
        None => false,
    });
    Ok(paths)
}

fn open() -> String {
    "open".to_owned()
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// One row of `metrics/execution_logs.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionLogRow {
    /// Execution id (the ancestor's name for it).
    pub task_id: String,
    /// Time.
    pub timestamp: String,
    /// Effective task type.
    pub task_type: String,
    /// Provisional type.
    pub prepared_task_type: String,
    /// Observed type.
    pub final_task_type: String,
    /// Files read.
    pub files_opened: Vec<String>,
    /// Files written.
    pub files_edited: Vec<String>,
    /// Files read more than once.
    pub files_reopened: Vec<String>,
    /// Commands run.
    pub commands_executed: Vec<String>,
    /// Commands that were test runs.
    pub tests_executed: Vec<String>,
    /// Error strings.
    pub notable_errors: Vec<String>,
    /// Structured errors, at most 8.
    pub error_events: Vec<ErrorEvent>,
    /// Evidence for each of the seven lists.
    pub capture_provenance: Map<String, Value>,
    /// Effective area.
    pub area_id: String,
    /// Area known before.
    pub prepared_area_id: String,
    /// Area observed.
    pub final_area_id: String,
    /// From the first observation to finalize; null when unknown.
    pub execution_time_ms: Option<u64>,
    /// Outcome as reported or observed; null when the session ended without either.
    pub success: Option<bool>,
    /// Always false: packets are not built any more.
    pub used_packet: bool,
    /// Checks of the contract, each with its result.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub contract_adherence: Value,
    /// Session the execution belongs to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// `explicit` (the agent called finalize) or `observed` (from the ledger).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub finalized_from: String,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One row of `metrics/agent_execution_log.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentExecutionRow {
    /// Execution id; unique.
    pub execution_id: String,
    /// Agent.
    pub agent_id: String,
    /// `plain`.
    pub execution_mode: String,
    /// Effective type.
    pub resolved_task_type: String,
    /// Provisional type.
    pub prepared_task_type: String,
    /// Observed type.
    pub final_task_type: String,
    /// Slug of repository, type and request.
    pub task_fingerprint: String,
    /// Outcome; null when unknown.
    pub success: Option<bool>,
    /// True if a check proved the result.
    pub validated_learning: bool,
    /// Summary.
    pub result_summary: String,
    /// Milliseconds; null when unknown.
    pub execution_time_ms: Option<u64>,
    /// Always false until a strategy was followed and observed.
    pub used_strategy: bool,
    /// Always false.
    pub used_packet: bool,
    /// Same fingerprint seen before.
    pub repeated_context_request: bool,
    /// Time.
    pub recorded_at: String,
    /// Checks of the contract, each with its result.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub contract_adherence: Value,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Row of `metrics/execution_feedback.jsonl`: counts of an execution, and its summary by members.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionFeedbackRow {
    /// Execution.
    pub task_id: String,
    /// The same.
    pub execution_id: String,
    /// Time.
    pub timestamp: String,
    /// Counts, and `used_strategy`, `used_packet`, `possible_redundant_exploration`.
    pub aictx_feedback: Map<String, Value>,
    /// Members of the summary.
    pub agent_summary: Map<String, Value>,
    /// Origin.
    #[serde(skip_serializing_if = "Origin::is_own")]
    pub origin: Origin,
    /// Unknown members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Names of the files under `.aictx/`, in one place.
pub mod files {
    /// Newest handoff.
    pub const HANDOFF: &str = "continuity/handoff.json";
    /// All handoffs.
    pub const HANDOFFS: &str = "continuity/handoffs.jsonl";
    /// Page with everything remembered, in Markdown.
    pub const VIEW: &str = "reports/continuity-view.md";
    /// The same as a diagram.
    pub const VIEW_MAP: &str = "reports/continuity-map.mmd";
    /// Settings of memory that is shared through git.
    pub const PORTABILITY: &str = "continuity/portability.json";
    /// Visible sessions.
    pub const SESSION: &str = "continuity/session.json";
    /// Decisions.
    pub const DECISIONS: &str = "continuity/decisions.jsonl";
    /// Work of agents from before aictx was installed.
    pub const IMPORTED: &str = "continuity/imported.jsonl";
    /// Newest summary for people.
    pub const LAST_SUMMARY: &str = "continuity/last_execution_summary.md";
    /// Lifecycle events.
    pub const LIFECYCLE_EVENTS: &str = "continuity/lifecycle_events.jsonl";
    /// Latest resume payload.
    pub const RESUME_CAPSULE_JSON: &str = "continuity/resume_capsule.json";
    /// Latest resume text.
    pub const RESUME_CAPSULE_MD: &str = "continuity/resume_capsule.md";
    /// Execution log.
    pub const EXECUTION_LOGS: &str = "metrics/execution_logs.jsonl";
    /// Stale items as of the last compaction: they name files that are gone, or are old.
    pub const STALENESS: &str = "continuity/staleness.json";
    /// Duplicates that the last compaction removed.
    pub const DEDUPE_REPORT: &str = "continuity/dedupe_report.json";
    /// Feedback of executions.
    pub const EXECUTION_FEEDBACK: &str = "metrics/execution_feedback.jsonl";
    /// Telemetry rows.
    pub const AGENT_EXECUTION_LOG: &str = "metrics/agent_execution_log.jsonl";
    /// Counters of the newest execution.
    pub const AGENT_EXECUTION_STATUS: &str = "metrics/agent_execution_status.json";
    /// Failure patterns.
    pub const FAILURE_PATTERNS: &str = "failure_memory/failure_patterns.jsonl";
    /// Compact index of them.
    pub const FAILURE_INDEX: &str = "failure_memory/failure_index.json";
    /// Active task pointer.
    pub const ACTIVE_TASK: &str = "tasks/active.json";
    /// Work State threads and their events.
    pub const THREADS_DIR: &str = "tasks/threads";
    /// Strategies.
    pub const STRATEGIES: &str = "strategy_memory/strategies.jsonl";
    /// Sub-systems.
    pub const SEMANTIC_REPO: &str = "continuity/semantic_repo.json";
    /// A file a sub-system.
    pub const SEMANTIC_DIR: &str = "continuity/semantic_repo";
    /// Areas.
    pub const AREAS: &str = "area_memory/areas.json";
    /// A file an area.
    pub const AREAS_DIR: &str = "area_memory/areas";
    /// The user's preferences.
    pub const PREFERENCES: &str = "memory/user_preferences.json";
    /// Which contracts there are.
    pub const CONTRACT_INDEX: &str = "continuity/contracts/index.json";
    /// A file a contract.
    pub const CONTRACTS_DIR: &str = "continuity/contracts";
    /// Evaluations of contracts.
    pub const CONTRACT_COMPLIANCE: &str = "metrics/contract_compliance.jsonl";
    /// Counters of what was loaded.
    pub const CONTINUITY_METRICS: &str = "continuity/continuity_metrics.json";
    /// Verdicts of the guard other than allow: the audit log.
    pub const VERDICTS: &str = "metrics/verdicts.jsonl";
    /// Archive of items that somebody forgot.
    pub const FORGOTTEN: &str = "archive/forgotten.jsonl";
    /// Settings of the map.
    pub const REPO_MAP_CONFIG: &str = "repo_map/config.json";
    /// Files of the index.
    pub const REPO_MAP_MANIFEST: &str = "repo_map/manifest.json";
    /// Files with their symbols, for readers of the format.
    pub const REPO_MAP_INDEX: &str = "repo_map/index.json";
    /// Result of the last explicit refresh.
    pub const REPO_MAP_STATUS: &str = "repo_map/status.json";
    /// Rules of the guard for everybody who works in the repository.
    pub const POLICY: &str = "policy.toml";
    /// Files that git is shown below `.aictx/` where memory goes through it; one `*` is one name. Everything
    /// else belongs to one machine. No session changes one of them.
    pub const SHARED: &[&str] = &[POLICY, PORTABILITY, REPO_MAP_CONFIG, "shared/*.jsonl"];

    /// Directory of records that go through git: a new file for each commit, never changed afterwards.
    pub const SHARED_DIR: &str = "shared";

    /// Which files of [`SHARED_DIR`], and which records in tracked histories, are part of this memory already.
    pub const RECEIVED: &str = "continuity/received.jsonl";

    /// Files whose records go through git as rows of [`SHARED_DIR`]; the files themselves belong to one machine.
    /// Files of single areas, which the ancestor shares, are not among them: they are counters that every
    /// two sides of a merge would collide in.
    pub const TRAVELLING: &[&str] = &[
        DECISIONS,
        HANDOFFS,
        "continuity/semantic_repo/*.json",
        FAILURE_PATTERNS,
        STRATEGIES,
        "tasks/threads/*.events.jsonl",
        "tasks/threads/*.json",
    ];

    /// Tickets, one file each. People choose whether git is shown them (`init --track tickets`), and write them by
    /// hand, so a tracked one is as much of this memory as another one.
    pub const TICKETS_DIR: &str = "tickets";

    /// Returns true for files that git may be shown, relative to `.aictx/`.
    pub fn is_shared(file: &str) -> bool {
        let below = file.strip_prefix(TICKETS_DIR);
        matches_any(SHARED, file) || below.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns true for files whose records go through git, relative to `.aictx/`.
    pub fn travels(file: &str) -> bool {
        matches_any(TRAVELLING, file)
    }

    fn matches_any(patterns: &[&str], file: &str) -> bool {
        patterns
            .iter()
            .any(|pattern| match pattern.split_once('*') {
                None => *pattern == file,
                Some((head, tail)) => {
                    let inside = file.strip_prefix(head);
                    let name = inside.and_then(|rest| rest.strip_suffix(tail));
                    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
                }
            })
    }

    /// Installation state.
    pub const STATE: &str = "state.json";
    /// Format marker of this implementation.
    pub const FORMAT: &str = "format.json";
    /// Session ledgers.
    pub const SESSIONS_DIR: &str = "sessions";
    /// Commit intents; empty at rest.
    pub const JOURNAL_DIR: &str = "journal";
    /// Segments of moved rows.
    pub const ARCHIVE_DIR: &str = "archive";
    /// Files that could not be read.
    pub const QUARANTINE_DIR: &str = "quarantine";
    /// Held by the one writer.
    pub const LOCK: &str = ".lock";
}
