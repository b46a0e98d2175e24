//! The audit log: every verdict above allow, appended to `.aictx` after the answer, a moment's worth at a
//! time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aictx_guard::CommandRisk;
use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::methods::GuardFinding;
use aictx_proto::record::files;
use serde_json::{Value, json};

use crate::app::{App, Mode};
use crate::hosts::Host;
use crate::intake::{self, Secrets};

/// Verdicts of so long are written together.
const TOGETHER: Duration = Duration::from_millis(100);
/// Longest text of a row, in characters.
const MAX_TEXT: usize = 400;
/// Most findings of a row.
const MAX_FINDINGS: usize = 8;

/// Rows that are not written yet. They are made when they are written or asked for, not before an answer.
#[derive(Debug, Default)]
pub struct Waiting(Mutex<Vec<Row>>);

enum Row {
    Made(Value),
    ToMake(Option<Make>),
}

type Make = Box<dyn FnOnce() -> Value + Send>;

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Made(row) => row.fmt(f),
            Self::ToMake(_) => f.write_str("to be made"),
        }
    }
}

impl Waiting {
    /// Oldest first.
    pub fn rows(&self) -> Vec<Value> {
        let mut all = self.all();
        all.iter_mut().map(Row::made).collect()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Row>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Row {
    fn made(&mut self) -> Value {
        if let Self::ToMake(make) = self {
            let row = make.take().map_or(Value::Null, |make| make());
            *self = Self::Made(row);
        }
        match self {
            Self::Made(row) => row.clone(),
            Self::ToMake(_) => Value::Null,
        }
    }
}

/// A verdict above allow.
#[derive(Debug)]
pub struct Verdict {
    /// Time.
    pub at: Timestamp,
    /// `caution`, `re_ground` or `block` of the guard; `note`, `ask` or `deny` of a hook.
    pub decision: String,
    /// Session that asked.
    pub session_id: String,
    /// The agent's program; empty for the command line.
    pub runner: String,
    /// The agent's tool, or the guard's action.
    pub tool: String,
    /// Subject of the verdict: the command, or the paths.
    pub subject: String,
    /// Base of relative paths.
    pub cwd: String,
    /// Reason given to the agent.
    pub reason: String,
    /// Findings.
    pub findings: Vec<GuardFinding>,
}

impl Verdict {
    fn row(&self, id: &str) -> Value {
        let mut kinds: Vec<&str> = self.findings.iter().map(|f| f.kind.as_str()).collect();
        kinds.retain(|kind| !kind.is_empty());
        kinds.dedup();
        // Reason and findings quote pieces of the subject.
        let secrets = Secrets::of(&self.subject);
        let kept = |text: &String| secrets.cut(text, MAX_TEXT);
        let findings = self.findings.iter().take(MAX_FINDINGS);
        let findings: Vec<GuardFinding> = findings
            .map(|finding| GuardFinding {
                verb: kept(&finding.verb),
                targets: finding.targets.iter().map(kept).collect(),
                evidence: finding.evidence.iter().map(kept).collect(),
                ..finding.clone()
            })
            .collect();
        json!({
            "id": id, "at": self.at, "session_id": intake::session_id(&self.session_id),
            "runner": self.runner, "tool": intake::cut(&self.tool, 80), "decision": self.decision,
            "reason": kept(&self.reason), "subject": kept(&self.subject), "effects": kinds,
            "cwd": kept(&self.cwd), "findings": findings,
        })
    }
}

/// Sees to it that a verdict is written, and gives its id. What `verdict` says is worked out later.
pub fn record(
    app: &Arc<App>,
    host: &Arc<Host>,
    verdict: impl FnOnce() -> Verdict + Send + 'static,
) -> String {
    let id = format!("v-{:012x}", crate::app::unix_nanos() & 0xffff_ffff_ffff);
    let name = id.clone();
    let row = Row::ToMake(Some(Box::new(move || verdict().row(&name))));
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

/// Returns the findings about a command, worst first.
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
