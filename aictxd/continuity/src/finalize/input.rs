//! Everything that a finalize decides on.

use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::identity::Identity;
use aictx_proto::ledger::LedgerRow;
use aictx_proto::methods::FinalizeParams;
use aictx_proto::record::{AgentExecutionRow, ContractRecord};
use aictx_proto::snapshot::{GitState, Snapshot};

use crate::ledger_facts::Observation;
use crate::project::Project;

/// Report of an agent or a person, with paths already relative.
#[derive(Debug, Clone, Default)]
pub struct ExplicitReport {
    /// The report.
    pub params: FinalizeParams,
    /// Paths that lie outside the repository; reported back, never stored.
    pub outside: Vec<String>,
}

/// Everything a finalize decides on.
#[derive(Debug, Clone, Copy)]
pub struct Finalize<'a> {
    /// The repository's memory.
    pub snapshot: &'a Snapshot,
    /// Rows of [`executions_asked`] from the archive.
    pub earlier: &'a [Arc<AgentExecutionRow>],
    /// Identity of the execution's owner.
    pub identity: &'a Identity,
    /// The report; `None` when the session ended by itself.
    pub report: Option<&'a ExplicitReport>,
    /// The session's ledger, oldest first.
    pub rows: &'a [LedgerRow],
    /// The worktree's state.
    pub git: &'a GitState,
    /// The repository.
    pub project: &'a Project,
    /// The contract that [`crate::choose_contract`] chose, as stored.
    pub contract: Option<&'a ContractRecord>,
    /// Makes execution ids unique within one second.
    pub nonce: u64,
    /// Now.
    pub now: Timestamp,
}

impl<'a> Finalize<'a> {
    pub(super) fn params(&self) -> Option<&'a FinalizeParams> {
        self.report.map(|r| &r.params)
    }

    /// Returns the start: the first observation, else the resume that made the contract.
    pub(super) fn begun(&self, seen: &Observation) -> Option<Timestamp> {
        let resumed = || Timestamp::parse(&self.contract?.generated_at);
        seen.first_at.or_else(resumed)
    }
}
