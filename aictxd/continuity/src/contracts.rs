//! Contracts between a resume and the finalize that ends its work: which one counts, how it was
//! kept, and what it still wants. One evaluator for all surfaces.

use aictx_proto::record::{ContractIndex, ContractRef, files};
use aictx_proto::text::file_stem;

pub(crate) use self::evaluate::{
    Compliance, NOT_EVALUATED, Observed, adherence, compliance_row, evaluate,
};
pub(crate) use self::gaps::{closed_kinds, gaps, still_open};

mod evaluate;
mod gaps;
#[cfg(test)]
mod tests;

use crate::text_similarity;

/// Contracts kept: what is not evaluated yet, newest first, and a few that were.
const MAX_CONTRACTS: usize = 24;
/// Of these, evaluated or superseded ones.
const MAX_DONE: usize = 4;

/// File of a contract, below `.aictx/`.
pub fn contract_file(id: &str) -> String {
    format!("{}/{}.json", files::CONTRACTS_DIR, file_stem(id))
}

/// The id of a session's next contract: one a resume, so that a second resume does not overwrite
/// the first.
pub(crate) fn next_id(index: &ContractIndex, session_id: &str) -> String {
    let of_session = |c: &&ContractRef| c.session_id == session_id;
    let last = index.contracts.iter().rev().find(of_session);
    let number = last
        .and_then(|c| c.contract_id.rsplit_once('-')?.1.parse::<u64>().ok())
        .unwrap_or_else(|| index.contracts.iter().filter(of_session).count() as u64);
    file_stem(&format!("{session_id}-{}", number + 1))
}

/// The index with a new contract, and the ids of contracts that make room. A session's earlier
/// contracts that were never evaluated are superseded.
pub(crate) fn with_new(index: &ContractIndex, new: ContractRef) -> (ContractIndex, Vec<String>) {
    let mut index = index.clone();
    index.version = 1;
    index.latest_contract_id.clone_from(&new.contract_id);
    index.contracts.retain(|c| c.contract_id != new.contract_id);
    for old in &mut index.contracts {
        if old.session_id == new.session_id && is_open(old) {
            old.status = "superseded".to_owned();
        }
    }
    index.contracts.push(new);
    prune(index)
}

/// The index with one contract evaluated, and the ids of contracts that make room.
pub(crate) fn with_evaluated(
    index: &ContractIndex,
    id: &str,
    execution_id: &str,
) -> (ContractIndex, Vec<String>) {
    let mut index = index.clone();
    for contract in index.contracts.iter_mut().filter(|c| c.contract_id == id) {
        contract.status = "evaluated".to_owned();
        contract.execution_id = execution_id.to_owned();
    }
    prune(index)
}

fn prune(mut index: ContractIndex) -> (ContractIndex, Vec<String>) {
    let mut gone = Vec::new();
    let mut drop_oldest = |index: &mut ContractIndex, wanted: &dyn Fn(&ContractRef) -> bool| {
        let at = index.contracts.iter().position(wanted);
        at.map(|at| gone.push(index.contracts.remove(at).contract_id))
            .is_some()
    };
    let done = |index: &ContractIndex| index.contracts.iter().filter(|c| !is_open(c)).count();
    while done(&index) > MAX_DONE && drop_oldest(&mut index, &|c| !is_open(c)) {}
    while index.contracts.len() > MAX_CONTRACTS && drop_oldest(&mut index, &|_| true) {}
    (index, gone)
}

fn is_open(contract: &ContractRef) -> bool {
    matches!(contract.status.as_str(), "" | "active")
}

/// Why a contract was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The contract.
    pub contract: ContractRef,
    /// `session` or `goal`.
    pub by: &'static str,
    /// True if its goal is that of the execution.
    pub goal_matches: bool,
    /// Comparison of the goals: `exact`, `substring`, `token_overlap`, `different` or `unknown`.
    pub goal_level: &'static str,
    /// Share of common terms.
    pub goal_score: f64,
}

/// The contract of an execution: the newest open one of its session, whatever its goal; else the
/// newest open one of the same agent with the same goal. The contract of another session is never
/// used just because it is the newest.
pub fn choose_contract(
    index: &ContractIndex,
    session_id: &str,
    agent_id: &str,
    goal: &str,
) -> Option<Chosen> {
    let chosen = |contract: &ContractRef, by| {
        let found = text_similarity::goals(&contract.task_goal, goal);
        Chosen {
            contract: contract.clone(),
            by,
            goal_matches: found.yes,
            goal_level: found.level,
            goal_score: found.score,
        }
    };
    let open = || index.contracts.iter().rev().filter(|c| is_open(c));
    if let Some(own) = open().find(|c| !session_id.is_empty() && c.session_id == session_id) {
        return Some(chosen(own, "session"));
    }
    open()
        .filter(|c| c.agent_id.is_empty() || c.agent_id == agent_id)
        .map(|c| chosen(c, "goal"))
        .find(|c| c.goal_matches)
}
