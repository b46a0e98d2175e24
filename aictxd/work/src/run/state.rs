//! The state of a run, folded from its files.

use aictx_proto::json::member;
use aictx_proto::methods::{CommandStatus, HypothesisStatus, RepoAction, RunItem, RunStatus};
use aictx_proto::{Timestamp, json};
use serde_json::{Map, Value, json};

use super::id::RunId;
use super::ledger::{self, Ledger, LedgerIssue, text};

/// The files of a run, as they were read.
#[derive(Debug, Clone, Default)]
pub struct RunFiles {
    /// `problem.json`; none where it is not there.
    pub problem: Option<Vec<u8>>,
    /// The ledgers, in the order of [`Ledger::ALL`].
    pub ledgers: [Vec<u8>; 5],
    /// Closeouts, oldest first.
    pub closeouts: Vec<Vec<u8>>,
}

/// A hypothesis, folded from its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Its id.
    pub id: String,
    /// Statement.
    pub text: String,
    /// Its state.
    pub status: HypothesisStatus,
    /// Time of its first row.
    pub created_at: String,
    /// Time of its last row.
    pub updated_at: String,
    /// Notes of all its ends.
    pub notes: Vec<String>,
    /// `confidence` and `predicts`, where they were given.
    pub extra: Map<String, Value>,
}

impl Hypothesis {
    fn to_json(&self) -> Value {
        let mut value = json!({
            "id": self.id, "text": self.text, "status": self.status,
            "created_at": self.created_at, "updated_at": self.updated_at, "notes": self.notes,
        });
        for (name, content) in &self.extra {
            json::set(&mut value, name, content.clone());
        }
        value
    }
}

/// A run, folded from its files.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// `problem.json`; null where it cannot be read.
    pub problem: Value,
    /// Hypotheses, in the order in which they were added.
    pub hypotheses: Vec<Hypothesis>,
    /// Rows of evidence.
    pub evidence: Vec<Map<String, Value>>,
    /// Rows of commands.
    pub commands: Vec<Map<String, Value>>,
    /// Rows of learnings.
    pub learning: Vec<Map<String, Value>>,
    /// Rows of events.
    pub events: Vec<Map<String, Value>>,
    /// Closeouts, oldest first.
    pub closeouts: Vec<Value>,
    /// Its state.
    pub status: RunStatus,
    /// Lines that could not be read.
    pub issues: Vec<LedgerIssue>,
    /// Number of rows of each ledger, in the order of [`Ledger::ALL`].
    rows: [usize; 5],
    /// The highest id of each ledger is below these.
    next: [String; 5],
}

/// Folds a run from its files.
pub fn fold(id: RunId, files: &RunFiles) -> Run {
    let mut issues = Vec::new();
    let [hypothesis_rows, evidence, commands, learning, events] = {
        let mut at = files.ledgers.iter();
        Ledger::ALL.map(|ledger| {
            let bytes = at.next().map(Vec::as_slice).unwrap_or_default();
            ledger::rows(ledger, bytes, &mut issues)
        })
    };
    let all = [&hypothesis_rows, &evidence, &commands, &learning, &events];
    let rows = all.map(Vec::len);
    let next = {
        let mut of = all.into_iter();
        Ledger::ALL.map(|ledger| {
            let ids = of.next().into_iter().flatten().map(|row| text(row, "id"));
            super::id::next(ledger.prefix(), ids)
        })
    };
    let problem = files
        .problem
        .as_deref()
        .map(serde_json::from_slice::<Value>);
    let problem = match problem {
        Some(Ok(problem @ Value::Object(_))) => problem,
        _ => {
            issues.push(LedgerIssue {
                file: super::PROBLEM,
                line: 1,
                why: "it is not there, or no JSON object",
            });
            Value::Null
        }
    };
    let closeouts: Vec<Value> = files
        .closeouts
        .iter()
        .map(|bytes| serde_json::from_slice(bytes).unwrap_or_default())
        .collect();
    let hypotheses = hypotheses(&hypothesis_rows, &mut issues);
    Run {
        status: status(&events, closeouts.len()),
        id,
        problem,
        hypotheses,
        evidence,
        commands,
        learning,
        events,
        closeouts,
        issues,
        rows,
        next,
    }
}

fn hypotheses(rows: &[Map<String, Value>], issues: &mut Vec<LedgerIssue>) -> Vec<Hypothesis> {
    let mut all: Vec<Hypothesis> = Vec::new();
    let mut wrong = |why| {
        issues.push(LedgerIssue {
            file: Ledger::Hypotheses.file(),
            line: 0,
            why,
        });
    };
    for row in rows {
        let (id, at) = (text(row, "id"), text(row, "timestamp"));
        let known = all.iter_mut().find(|h| h.id == id);
        match (text(row, "event"), known) {
            _ if id.is_empty() => wrong("a row has no id"),
            ("add", Some(known)) => {
                text(row, "text").clone_into(&mut known.text);
                known.status = HypothesisStatus::Open;
                at.clone_into(&mut known.updated_at);
            }
            ("add", None) => {
                let extra = ["confidence", "predicts"];
                let extra = extra.into_iter().filter_map(|name| {
                    let content = row.get(name).filter(|content| !content.is_null())?;
                    Some((name.to_owned(), content.clone()))
                });
                all.push(Hypothesis {
                    id: id.to_owned(),
                    text: text(row, "text").to_owned(),
                    status: HypothesisStatus::Open,
                    created_at: at.to_owned(),
                    updated_at: at.to_owned(),
                    notes: Vec::new(),
                    extra: extra.collect(),
                });
            }
            ("resolve", Some(known)) => {
                let Some(status) = HypothesisStatus::parse(text(row, "status")) else {
                    wrong("a row has an unknown status");
                    continue;
                };
                known.status = status;
                at.clone_into(&mut known.updated_at);
                let note = text(row, "note");
                if !note.is_empty() {
                    known.notes.push(note.to_owned());
                }
            }
            ("resolve", None) => wrong("a row resolves a hypothesis that is not there"),
            _ => wrong("a row has an unknown event"),
        }
    }
    all
}

/// Closed as long as there is a closeout that nobody reopened; else as the last event says. A closeout is the one
/// thing that closes, so a crash behind it cannot leave a run half closed.
fn status(events: &[Map<String, Value>], closeouts: usize) -> RunStatus {
    let mut reopened = 0;
    let mut status = RunStatus::Open;
    for event in events {
        match text(event, "event") {
            "park" => status = RunStatus::Parked,
            "resume" => status = RunStatus::Open,
            "abandon" => status = RunStatus::Abandoned,
            "reopen" => {
                status = RunStatus::Open;
                let count = event.get("closeouts").and_then(Value::as_u64).unwrap_or(0);
                reopened = reopened.max(usize::try_from(count).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }
    match closeouts > reopened {
        true => RunStatus::Closed,
        false => status,
    }
}

impl Run {
    /// Text of a member of the problem.
    pub fn said(&self, name: &str) -> &str {
        member(&self.problem, name).as_str().unwrap_or_default()
    }

    /// The request.
    pub fn request(&self) -> &str {
        self.said("request")
    }

    /// The next id of a ledger.
    pub fn next_id(&self, ledger: Ledger) -> &str {
        let at = Ledger::ALL.iter().position(|other| *other == ledger);
        at.and_then(|at| self.next.get(at))
            .map_or("", String::as_str)
    }

    /// Number of rows of a ledger.
    pub fn row_count(&self, ledger: Ledger) -> usize {
        let at = Ledger::ALL.iter().position(|other| *other == ledger);
        at.and_then(|at| self.rows.get(at)).copied().unwrap_or(0)
    }

    /// Hypotheses in a state.
    pub fn in_state(
        &self,
        status: HypothesisStatus,
    ) -> impl DoubleEndedIterator<Item = &Hypothesis> {
        self.hypotheses.iter().filter(move |h| h.status == status)
    }

    /// Evidence about a hypothesis, newest last.
    pub fn evidence_of<'r>(
        &'r self,
        hypothesis: &'r str,
    ) -> impl DoubleEndedIterator<Item = &'r Map<String, Value>> {
        let rows = self.evidence.iter();
        rows.filter(move |row| text(row, "hypothesis") == hypothesis)
    }

    /// Command lines whose last result is a failure, the last one first.
    pub fn failing(&self) -> Vec<&str> {
        let mut decided: Vec<&str> = Vec::new();
        let mut failing = Vec::new();
        for row in self.commands.iter().rev() {
            let command = text(row, "command");
            let status = CommandStatus::parse(text(row, "status"));
            let is_result = matches!(status, Some(CommandStatus::Pass | CommandStatus::Fail));
            if !is_result || decided.contains(&command) {
                continue;
            }
            decided.push(command);
            if status == Some(CommandStatus::Fail) {
                failing.push(command);
            }
        }
        failing
    }

    /// Returns the time of the last entry; the start for an empty run.
    pub fn updated_at(&self) -> &str {
        let rows = [&self.evidence, &self.commands, &self.learning, &self.events];
        let rows = rows.into_iter().filter_map(|rows| rows.last());
        let rows = rows.map(|row| text(row, "timestamp"));
        let hypotheses = self.hypotheses.iter().map(|h| h.updated_at.as_str());
        let all = rows.chain(hypotheses).chain([self.said("created_at")]);
        all.max_by_key(|at| Timestamp::parse(at).unwrap_or_default())
            .unwrap_or_default()
    }

    /// The task of the memory that mirrors the run, and whether the run started it.
    pub fn task(&self) -> Option<(&str, bool)> {
        let mut links = self.events.iter().rev();
        let link = links.find(|row| text(row, "event") == "link" && text(row, "to") == "task")?;
        let started = link.get("started").and_then(Value::as_bool);
        Some((text(link, "target"), started.unwrap_or(false)))
    }

    /// The run in a list.
    pub fn item(&self, active: Option<&RunId>) -> RunItem {
        RunItem {
            id: self.id.to_string(),
            status: self.status,
            request: self.request().to_owned(),
            created_at: self.said("created_at").to_owned(),
            updated_at: self.updated_at().to_owned(),
            open_hypotheses: u32::try_from(self.in_state(HypothesisStatus::Open).count())
                .unwrap_or(u32::MAX),
            active: active == Some(&self.id),
        }
    }

    /// The summary of the upstream format, with the state of the run.
    pub fn summary(&self) -> Value {
        let all: Vec<Value> = self.hypotheses.iter().map(Hypothesis::to_json).collect();
        let open = self.in_state(HypothesisStatus::Open);
        let open: Vec<Value> = open.map(Hypothesis::to_json).collect();
        json!({
            "id": self.id.as_str(), "request": self.request(), "intent": self.said("intent"),
            "hypotheses": all, "open_hypotheses": open, "evidence_count": self.evidence.len(),
            "commands": self.commands, "learning": self.learning,
        })
    }
}

/// Returns the action of a learning; nothing for an unknown word.
pub fn repo_action(learning: &Map<String, Value>) -> Option<RepoAction> {
    RepoAction::parse(text(learning, "repo_action"))
}
