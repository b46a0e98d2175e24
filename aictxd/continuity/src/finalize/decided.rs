//! Everything that follows from one execution.

use aictx_proto::record::{Decision, Handoff, HandoffRow};
use aictx_proto::snapshot::Snapshot;
use serde_json::{Map, Value};

use super::derive_memory::Learned;
use super::input::Finalize;
use crate::failures;
use crate::ledger_facts::Observation;
use crate::session::Touch;

/// Everything that follows from one execution, before it is written or told.
pub(super) struct Decided<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) input: &'a Finalize<'a>,
    /// Observations, with the report merged in.
    pub(super) seen: Observation,
    /// Evidence for each of its lists.
    pub(super) provenance: Map<String, Value>,
    pub(super) success: Option<bool>,
    pub(super) summary: String,
    pub(super) request: String,
    /// The task type of the request alone.
    pub(super) prepared_type: String,
    /// The task type with the outcome known.
    pub(super) final_type: String,
    /// The one that counts.
    pub(super) task_type: String,
    /// Derivation of the final type.
    pub(super) final_resolution: Value,
    pub(super) area: String,
    pub(super) execution_id: String,
    /// The Python package wrote its rows and its handoff; only what was learned is added.
    pub(super) is_recorded: bool,
    pub(super) session: Touch,
    pub(super) change: failures::Change,
    pub(super) handoff: Handoff,
    pub(super) handoff_row: HandoffRow,
    pub(super) worth_a_handoff: bool,
    /// Nothing was done, but the user was told something that a later session may look for.
    pub(super) is_answer: bool,
    /// Rows of decision memory.
    pub(super) decisions: Vec<Decision>,
    /// Differences between report and observation.
    pub(super) differences: Vec<Value>,
    pub(super) learned: Learned,
    pub(super) elapsed_ms: Option<u64>,
}
