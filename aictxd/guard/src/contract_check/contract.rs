//! The contract of a step: which one counts, and whether the step keeps to its scope and was checked
//! as it asks.

use aictx_continuity::goals_match;
use aictx_proto::methods::guard::GuardParams;
use aictx_proto::path::RepoPath;
use aictx_proto::pattern::PathPattern;
use aictx_proto::record::{ContractRecord, ContractRef};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::time::Timestamp;
use serde_json::Value;

use super::{Found, Question, intent};
use crate::finding_codes::{
    BORROWED_CONTRACT, CONFLICTS_WITH_AVOID_SCOPE, CONTRACT_GOAL_MISMATCH, ERROR, EXPIRED_CONTRACT,
    FIRST_ACTION_MISMATCH, INFO, MISSING_EXECUTION_CONTRACT, OUTSIDE_EXPECTED_SCOPE,
    OUTSIDE_TICKET_SCOPE, UNBOUNDED_CONTRACT_SCOPE, VALIDATION_EVIDENCE_MISSING, WARNING,
};

/// A contract of another session, or of none, binds nobody from this age on, in seconds.
const CONTRACT_EXPIRES: u64 = 7 * 86_400;

/// How a contract came to be the one that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractSource {
    /// It is the session's own.
    Session,
    /// Its goal is what the caller is trying to do.
    Intent,
    /// Its goal is that of the active task.
    WorkState,
    /// It is the newest one, and nobody said which session asks.
    Latest,
    /// It is the newest one, of another session.
    Borrowed,
}

impl ContractSource {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Intent => "intent",
            Self::WorkState => "work_state",
            Self::Latest | Self::Borrowed => "latest",
        }
    }
}

/// The contract to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractChoice {
    /// Which one.
    pub contract: ContractRef,
    /// Why.
    pub source: ContractSource,
}

/// Chooses the contract of a step: the session's own, then by intent, then by the active task, then
/// the newest.
pub fn choose_guard_contract(snapshot: &Snapshot, params: &GuardParams) -> Option<ContractChoice> {
    let index = &snapshot.contracts.contracts;
    let session = params.caller.session_id.trim();
    let chosen = |contract: &ContractRef, source| ContractChoice {
        contract: contract.clone(),
        source,
    };
    let newest = |wanted: &dyn Fn(&ContractRef) -> bool| index.iter().rev().find(|c| wanted(c));
    if !session.is_empty()
        && let Some(own) = newest(&|c| c.session_id == session || c.execution_id == session)
    {
        return Some(chosen(own, ContractSource::Session));
    }
    let wanted = intent(params);
    if !wanted.is_empty() {
        return newest(&|c| goals_match(&c.task_goal, wanted))
            .map(|c| chosen(c, ContractSource::Intent));
    }
    if let Some(task) = &snapshot.active_task
        && let Some(found) = newest(&|c| goals_match(&c.task_goal, &task.goal))
    {
        return Some(chosen(found, ContractSource::WorkState));
    }
    let latest = index.last()?;
    let source = if session.is_empty() {
        ContractSource::Latest
    } else {
        ContractSource::Borrowed
    };
    Some(chosen(latest, source))
}

impl Question<'_> {
    /// Which contract binds the step, and whether the step keeps to it.
    pub(super) fn contract(&self, found: &mut Vec<Found>) {
        let edits = self.action(&["before_first_edit", "edit", "scope_change"]);
        if edits || self.action(&["risky_command"]) {
            self.ticket(found);
        }
        let Some((record, source)) = self.held.contract else {
            if edits {
                let another = !self.snapshot.contracts.contracts.is_empty()
                    && !intent(self.params).is_empty();
                let code = if another {
                    &CONTRACT_GOAL_MISMATCH
                } else {
                    &MISSING_EXECUTION_CONTRACT
                };
                found.push(Found::new(code.warning(WARNING, []), false));
            }
            return;
        };
        let age = Timestamp::parse(&record.generated_at).map(|at| self.now.since(at));
        if source != ContractSource::Session && age.is_some_and(|age| age > CONTRACT_EXPIRES) {
            found.push(Found::new(EXPIRED_CONTRACT.warning(INFO, []), false));
            return;
        }
        if edits && source == ContractSource::Borrowed {
            found.push(Found::new(BORROWED_CONTRACT.warning(WARNING, []), false));
        }
        if edits
            && source == ContractSource::Session
            && let Some(task) = &self.snapshot.active_task
            && !goals_match(&task.goal, &record.task_goal)
        {
            found.push(Found::new(
                CONTRACT_GOAL_MISMATCH.warning(WARNING, []),
                false,
            ));
        }
        if edits || self.action(&["risky_command"]) {
            self.scope(record, found);
        }
    }

    /// The scope of the ticket at hand binds as that of a contract does.
    fn ticket(&self, found: &mut Vec<Found>) {
        let scope = self.held.ticket_scope.iter().take(64);
        let scope: Vec<PathPattern> = scope.map(|entry| PathPattern::new(entry)).collect();
        if scope.is_empty() || scope.iter().any(PathPattern::is_unbounded) {
            return;
        }
        for (raw, path) in self.touched() {
            if !covers(&scope, &path) {
                let warning = OUTSIDE_TICKET_SCOPE.warning(WARNING, [raw]);
                found.push(Found::new(warning, false));
            }
        }
    }

    /// The paths that are named, and those that the command would write.
    fn touched(&self) -> impl Iterator<Item = (&str, RepoPath)> {
        let written = self.written.iter();
        let written = written.map(|path| (path.as_str(), path.clone()));
        self.paths().into_iter().chain(written)
    }

    fn scope(&self, record: &ContractRecord, found: &mut Vec<Found>) {
        let contract = &record.execution_contract;
        let paths = self.paths();
        let first = contract
            .pointer("/first_action/path")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if self.action(&["before_first_edit"])
            && !first.is_empty()
            && !paths.is_empty()
            && !matches!(contract["contract_strength"].as_str(), Some("exploratory"))
        {
            let first = RepoPath::parse(first).ok();
            if !paths.iter().any(|(_, p)| Some(p) == first.as_ref()) {
                found.push(Found::new(
                    FIRST_ACTION_MISMATCH.warning(WARNING, []),
                    false,
                ));
            }
        }
        let entries = |names: &[&str]| -> Vec<PathPattern> {
            let lists = names.iter().filter_map(|n| contract.pointer(n)?.as_array());
            lists
                .flatten()
                .filter_map(Value::as_str)
                .map(PathPattern::new)
                .take(64)
                .collect()
        };
        let mut allowed = entries(&[
            "/edit_scope/primary",
            "/edit_scope/secondary_if_needed",
            "/expected_first_files",
        ]);
        if !first.is_empty() && !allowed.is_empty() {
            allowed.push(PathPattern::new(first));
        }
        let avoid = entries(&["/edit_scope/avoid"]);
        if avoid.iter().any(PathPattern::is_unbounded) {
            // A stored file must not be able to stop every edit.
            found.push(Found::new(
                UNBOUNDED_CONTRACT_SCOPE.warning(WARNING, []),
                false,
            ));
        }
        let binds = !allowed.is_empty() && !allowed.iter().any(PathPattern::is_unbounded);
        // A command is asked about with this risk whatever it writes.
        let high = self.params.risk == "high" && !self.action(&["risky_command"]);
        for (raw, path) in self.touched() {
            let path = &path;
            let inside = covers(&allowed, path);
            let shunned = avoid.iter().any(|p| !p.is_unbounded()) && covers_bounded(&avoid, path);
            if shunned {
                let severity = if high { ERROR } else { WARNING };
                let warning = CONFLICTS_WITH_AVOID_SCOPE.warning(severity, [raw]);
                found.push(Found::new(warning, !inside && !high));
            }
            if binds && !inside {
                found.push(Found::new(
                    OUTSIDE_EXPECTED_SCOPE.warning(WARNING, [raw]),
                    false,
                ));
            }
        }
    }

    /// At the end of the work: was the check that the contract names seen?
    pub(super) fn validation(&self, found: &mut Vec<Found>) {
        let Some((record, source)) = self.held.contract else {
            return;
        };
        if !self.action(&["finalize", "final_answer"])
            || matches!(source, ContractSource::Latest | ContractSource::Borrowed)
            || self.held.validated == Some(true)
        {
            return;
        }
        let contract = &record.execution_contract;
        let command = contract
            .pointer("/test_command/command")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let required = contract
            .pointer("/validation_policy/required")
            .and_then(Value::as_bool)
            != Some(false);
        if command.trim().is_empty() || !required {
            return;
        }
        let about = |contract: &str, session: &str| {
            contract == record.contract_id || (!session.is_empty() && session == record.session_id)
        };
        let row = self
            .snapshot
            .compliance
            .iter()
            .rev()
            .find(|r| about(&r.contract_id, &r.session_id));
        let checked = row.is_some_and(|r| {
            r.checks.get("canonical_test_used").and_then(Value::as_bool) == Some(true)
        });
        let event =
            self.snapshot.lifecycle.iter().rev().find(|e| {
                e.event_type == "finalize_called" && about(&e.contract_id, &e.session_id)
            });
        if !checked && event.is_none_or(|e| e.tests_count == 0) {
            found.push(Found::new(
                VALIDATION_EVIDENCE_MISSING.warning(WARNING, []),
                false,
            ));
        }
    }
}

/// Returns true if some pattern names a path or a directory above it.
fn covers(patterns: &[PathPattern], path: &RepoPath) -> bool {
    patterns.iter().any(|p| p.matches(path))
}

/// The same without patterns that name everything.
fn covers_bounded(patterns: &[PathPattern], path: &RepoPath) -> bool {
    patterns
        .iter()
        .any(|p| !p.is_unbounded() && p.matches(path))
}
