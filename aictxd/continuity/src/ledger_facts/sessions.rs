//! A session as a whole, from its ledger: whether it is open, in one line, and in full.

use std::collections::BTreeSet;

use aictx_proto::Timestamp;
use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::{LedgerKind, LedgerRow, Outcome, Provenance};
use aictx_proto::methods::{CommandSeen, SessionReport, SessionSummary};
use aictx_proto::record::Origin;
use aictx_proto::text::clean;

use super::{Observation, has_ended, open_rows};
use crate::lru_cache::is_test_command;
use crate::session_goal::Asked;

/// A session whose end nobody recorded, or whose end was recorded but never finalized.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenSession {
    /// Session id as the runner gave it.
    pub session_id: String,
    /// Runner.
    pub runner: String,
    /// Worktree, absolute.
    pub worktree: String,
    /// Its end was recorded.
    pub ended: bool,
    /// It has work that was never finalized.
    pub has_work: bool,
    /// Agent process, 0 when unknown.
    pub pid: u32,
    /// Its start time.
    pub pid_start: u64,
    /// Last row.
    pub last_seen: Timestamp,
    /// Its last turn has ended, and the agent was not asked back.
    pub at_rest: bool,
}

/// What an earlier daemon left open: a session that has not ended, or one with work that was never
/// finalized.
pub fn open_session(rows: &[LedgerRow]) -> Option<OpenSession> {
    let start = rows
        .iter()
        .rev()
        .find(|r| r.kind == LedgerKind::SessionStart)?;
    let has_work = !Observation::of(open_rows(rows)).is_empty();
    let ended = has_ended(rows);
    (has_work || !ended).then(|| OpenSession {
        session_id: start.session_id.clone(),
        runner: start.runner.clone(),
        worktree: start.worktree.clone(),
        ended,
        has_work,
        pid: start.pid,
        pid_start: start.pid_start,
        last_seen: rows.last().map_or(start.at, |r| r.at),
        at_rest: rests(rows),
    })
}

/// Returns true where the last thing that an agent did was to end its turn.
fn rests(rows: &[LedgerRow]) -> bool {
    let is_news = |row: &&LedgerRow| {
        row.agent_id.is_empty() && !matches!(row.kind, LedgerKind::Finalized | LedgerKind::Other)
    };
    let last = rows.iter().rev().find(is_news);
    last.is_some_and(|row| row.kind == LedgerKind::Stop)
}

/// A session in one line. `stem` is the ledger's file name, for ledgers whose rows name no session.
pub fn session_summary(stem: &str, rows: &[LedgerRow]) -> SessionSummary {
    let start = rows.iter().find(|r| r.kind == LedgerKind::SessionStart);
    let distinct = |kind: LedgerKind| {
        let paths: BTreeSet<&String> = rows
            .iter()
            .filter(|r| r.kind == kind)
            .flat_map(|r| &r.paths)
            .collect();
        paths.len() as u64
    };
    let commands = rows.iter().filter(|r| r.kind == LedgerKind::Command);
    let last = |kind: LedgerKind| rows.iter().rposition(|r| r.kind == kind);
    let begun = last(LedgerKind::SessionStart);
    let ended = last(LedgerKind::SessionEnd) > begun && last(LedgerKind::SessionEnd).is_some();
    // It was finalized from what was seen of it, without a word of its agent.
    let closed = rows.iter().rposition(|row| {
        row.kind == LedgerKind::Finalized && row.provenance == Provenance::RuntimeObserved
    });
    let interrupted = !ended && closed.is_some_and(|at| at + 1 == rows.len()) && closed > begun;
    let mut asked = Asked::default();
    for row in rows {
        if row.kind == LedgerKind::Prompt && row.agent_id.is_empty() {
            asked.hear(row);
        }
    }
    SessionSummary {
        origin: Origin::Own,
        session_id: start
            .into_iter()
            .chain(rows)
            .map(|r| r.session_id.as_str())
            .find(|id| !id.is_empty())
            .unwrap_or(stem)
            .to_owned(),
        runner: start.map(|r| r.runner.clone()).unwrap_or_default(),
        state: match (ended, interrupted) {
            (true, _) => "ended",
            (false, true) => "interrupted",
            (false, false) => "unknown",
        }
        .to_owned(),
        started_at: rows.first().map(|r| r.at.to_string()).unwrap_or_default(),
        last_seen_at: rows.last().map(|r| r.at.to_string()).unwrap_or_default(),
        branch: start.map(|r| r.branch.clone()).unwrap_or_default(),
        request: clean(asked.goal(), 160),
        files_read: distinct(LedgerKind::Read),
        files_edited: distinct(LedgerKind::Edit),
        commands: commands.clone().count() as u64,
        commands_failed: commands.filter(|r| r.outcome == Outcome::Failed).count() as u64,
        executions: rows
            .iter()
            .filter(|r| r.kind == LedgerKind::Finalized)
            .map(|r| r.execution_id.clone())
            .collect(),
    }
}

/// A session in full; `with_rows` adds the newest rows themselves.
pub fn session_report(stem: &str, mut rows: Vec<LedgerRow>, with_rows: bool) -> SessionReport {
    const MAX_COMMANDS: usize = 100;
    const MAX_ERRORS: usize = 20;
    const MAX_ROWS: usize = 500;
    let paths = |kind: LedgerKind| {
        let mut list: Vec<String> = Vec::new();
        for path in rows
            .iter()
            .filter(|r| r.kind == kind)
            .flat_map(|r| &r.paths)
        {
            if !list.contains(path) {
                list.push(path.clone());
            }
        }
        list
    };
    let tail = |all: usize, keep: usize| all.saturating_sub(keep);
    let commands: Vec<CommandSeen> = rows
        .iter()
        .filter(|r| r.kind == LedgerKind::Command)
        .map(|r| CommandSeen {
            command: r.command.clone(),
            exit_status: r.exit_status,
            outcome: r.outcome,
            test: r.test || is_test_command(&r.command),
            at: r.at.to_string(),
        })
        .collect();
    let errors: Vec<ErrorEvent> = rows.iter().flat_map(|r| r.errors.iter().cloned()).collect();
    let truncated = commands.len() > MAX_COMMANDS
        || errors.len() > MAX_ERRORS
        || with_rows && rows.len() > MAX_ROWS;
    SessionReport {
        origin: Origin::Own,
        session: session_summary(stem, &rows),
        files_read: paths(LedgerKind::Read),
        files_edited: paths(LedgerKind::Edit),
        commands: commands
            .iter()
            .skip(tail(commands.len(), MAX_COMMANDS))
            .cloned()
            .collect(),
        errors: errors
            .iter()
            .skip(tail(errors.len(), MAX_ERRORS))
            .cloned()
            .collect(),
        truncated,
        rows: if with_rows {
            rows.split_off(tail(rows.len(), MAX_ROWS))
        } else {
            Vec::new()
        },
    }
}
