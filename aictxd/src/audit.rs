//! The audit log: every verdict above allow, appended to `.aictx` after the answer, a moment's worth at a
//! time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_guard::CommandRisk;
use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::methods::GuardFinding;
use aictx_proto::record::files;
use aictx_proto::text::truncate_chars;
use serde_json::{Value, json};

use crate::app::{App, Mode};
use crate::hosts::Host;

/// Verdicts of so long are written together.
const TOGETHER: Duration = Duration::from_millis(100);
/// Longest text of a row, in characters.
const MAX_TEXT: usize = 400;
/// Most findings of a row.
const MAX_FINDINGS: usize = 8;

/// Rows that are not written yet.
#[derive(Debug, Default)]
pub struct Waiting(Mutex<Vec<Value>>);

impl Waiting {
    /// Oldest first.
    pub fn rows(&self) -> Vec<Value> {
        self.all().clone()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A verdict above allow.
#[derive(Debug)]
pub struct Verdict<'v> {
    /// When.
    pub at: Timestamp,
    /// `caution`, `re_ground` or `block` of the guard; `note`, `ask` or `deny` of a hook.
    pub decision: &'v str,
    /// Who asked.
    pub session_id: &'v str,
    /// The agent's program; empty for the command line.
    pub runner: &'v str,
    /// The agent's tool, or the guard's action.
    pub tool: &'v str,
    /// What would have been done: the command, or the paths.
    pub subject: &'v str,
    /// Where relative paths start.
    pub cwd: &'v str,
    /// What the agent was told.
    pub reason: &'v str,
    /// What was found.
    pub findings: Vec<GuardFinding>,
}

/// Sees to it that a verdict is written, and gives its id.
pub fn record(app: &Arc<App>, host: &Arc<Host>, verdict: Verdict<'_>) -> String {
    let id = format!("v-{:012x}", crate::app::unix_nanos() & 0xffff_ffff_ffff);
    let mut kinds: Vec<&str> = verdict.findings.iter().map(|f| f.kind.as_str()).collect();
    kinds.retain(|kind| !kind.is_empty());
    kinds.dedup();
    let row = json!({
        "id": id, "at": verdict.at, "session_id": verdict.session_id, "runner": verdict.runner,
        "tool": truncate_chars(verdict.tool, 80), "decision": verdict.decision,
        "reason": truncate_chars(verdict.reason, MAX_TEXT),
        "subject": truncate_chars(verdict.subject, MAX_TEXT), "effects": kinds,
        "cwd": truncate_chars(verdict.cwd, MAX_TEXT),
        "findings": verdict.findings.get(..MAX_FINDINGS).unwrap_or(&verdict.findings),
    });
    let first = {
        let mut waiting = host.verdicts.all();
        waiting.push(row);
        waiting.len() == 1
    };
    if first {
        let (app_, host) = (Arc::clone(app), Arc::clone(host));
        app.after_reply(async move {
            loop {
                if app_.mode != Mode::Once {
                    tokio::time::sleep(TOGETHER).await;
                }
                let rows = host.verdicts.rows();
                let written = rows.len();
                let effect = Effect::AppendRows {
                    file: files::VERDICTS.to_owned(),
                    rows,
                    order: KeyOrder::AsBuilt,
                };
                if let Err(error) = host.write(move |_| ((), vec![effect])).await {
                    tracing::warn!(%error, "verdicts were not written into the audit log");
                }
                // Only now, so that whoever asks sees them here or there.
                let mut waiting = host.verdicts.all();
                let written = written.min(waiting.len());
                waiting.drain(..written);
                if waiting.is_empty() {
                    break;
                }
            }
        });
    }
    id
}

/// What a command was found to do, worst first.
pub fn found(risk: &CommandRisk) -> Vec<GuardFinding> {
    let mut findings: Vec<GuardFinding> = risk.findings.iter().map(|f| f.explained()).collect();
    findings.sort_by_key(|f| match f.level.as_str() {
        "destructive" => 0,
        "caution" => 1,
        _ => 2,
    });
    findings.truncate(MAX_FINDINGS);
    findings
}
