//! Operations on runs: what they answer, and what they want written below `.agents/runs/`.

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::json::set;
use aictx_proto::methods::{
    CommandStatus, HypothesisStatus, IntakeReply, RepoAction, RunCloseParams, RunEntry, RunMissing,
    RunStartParams, RunStatus,
};
use aictx_proto::snapshot::GitState;
use aictx_proto::text;
use serde_json::{Map, Value, json};

use super::closeout::{closeout, is_repeated, markdown, stem};
use super::gate::{self, Artifact};
use super::id::RunId;
use super::ledger::{Ledger, text as member_of};
use super::state::Run;
use super::{ACTIVE, MAX_ROWS, MAX_TEXT, PROBLEM, RunError, inference};

/// Paths of a dirty worktree that a problem keeps.
const MAX_DIRTY: usize = 200;
/// Failed commands that are recorded of themselves; later ones are in the memory of the sessions.
const MAX_OBSERVED: usize = 500;

/// Author of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// Agent.
    pub agent: String,
    /// Session.
    pub session: String,
}

/// An operation on a run: author and time.
#[derive(Debug, Clone, Copy)]
pub struct Act<'a> {
    /// The run as it is.
    pub run: &'a Run,
    /// Author.
    pub actor: &'a Actor,
    /// Time.
    pub now: Timestamp,
}

/// Starts a run: its files, and the pointer to it. `ledgers` names those that are there already, from a start that
/// was interrupted.
///
/// # Errors
/// An empty request.
pub fn start(
    id: &RunId,
    params: &RunStartParams,
    intake: Option<&IntakeReply>,
    git: &GitState,
    ledgers: &[Ledger],
    now: Timestamp,
) -> Result<Effects, RunError> {
    let request = cut(&params.request);
    if request.is_empty() {
        return Err(RunError::Empty("the request"));
    }
    let intent = match params.intent.trim() {
        "" => inference::intent(&request).to_owned(),
        intent => text::clean(intent, 40),
    };
    let paths = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
    let mut paths: Vec<&String> = paths.collect();
    paths.sort_unstable();
    paths.dedup();
    paths.truncate(MAX_DIRTY);
    let fits = |reply: &&IntakeReply| !reply.docs.is_empty();
    let intake = intake.filter(fits);
    let non_goals: Vec<String> = params.non_goals.iter().map(|text| cut(text)).collect();
    let problem = json!({
        "id": id.as_str(), "created_at": now.to_string(), "request": request, "intent": intent,
        "target_properties": inference::target_properties(&request), "intake_plan": intake,
        "expected_verification": intake.map_or(&[][..], |plan| &plan.verify),
        "risks": intake.map_or(&[][..], |plan| &plan.risks), "non_goals": non_goals,
        "dirty_worktree": { "available": git.available, "paths": paths },
        "git": { "branch": git.branch, "head": git.head },
    });
    let missing = Ledger::UPSTREAM
        .into_iter()
        .filter(|ledger| !ledgers.contains(ledger));
    let mut effects: Effects = missing
        .map(|ledger| Effect::ReplaceText {
            file: id.file(ledger.file()),
            text: String::new(),
        })
        .collect();
    effects.push(Effect::ReplaceJson {
        file: id.file(PROBLEM),
        value: problem,
        order: KeyOrder::Sorted,
    });
    effects.push(activate(id));
    Ok(effects)
}

/// Points to a run as the active one.
pub fn activate(id: &RunId) -> Effect {
    Effect::ReplaceText {
        file: ACTIVE.to_owned(),
        text: format!("{id}\n"),
    }
}

/// Points to no run.
pub fn deactivate() -> Effect {
    Effect::Remove {
        file: ACTIVE.to_owned(),
    }
}

fn cut(text: &str) -> String {
    text::truncate_chars(text.trim(), MAX_TEXT)
}

impl Act<'_> {
    fn append(&self, ledger: Ledger, mut row: Value) -> (Map<String, Value>, Effect) {
        set(&mut row, "timestamp", self.now.to_string());
        let ticket = self
            .run
            .events
            .iter()
            .rev()
            .find(|row| member_of(row, "event") == "link" && member_of(row, "to") == "ticket");
        let ticket = ticket.map_or("", |row| member_of(row, "target"));
        for (name, said) in [
            ("actor", self.actor.agent.as_str()),
            ("session", &self.actor.session),
            ("ticket", ticket),
        ] {
            if !said.is_empty() {
                set(&mut row, name, said);
            }
        }
        let file = self.run.id.file(ledger.file());
        let members = row.as_object().cloned().unwrap_or_default();
        let effect = Effect::AppendRows {
            file,
            rows: vec![row],
            order: KeyOrder::Sorted,
        };
        (members, effect)
    }

    fn event(&self, event: &str, more: Value) -> Effect {
        let mut row = json!({ "event": event, "id": self.run.next_id(Ledger::Events) });
        if let Value::Object(more) = more {
            for (name, content) in more {
                set(&mut row, &name, content);
            }
        }
        self.append(Ledger::Events, row).1
    }

    fn must_be_open(&self) -> Result<(), RunError> {
        match self.run.status {
            RunStatus::Open => Ok(()),
            status => Err(RunError::NotOpen {
                id: self.run.id.to_string(),
                status,
            }),
        }
    }

    /// Adds an entry. The second value is false, and nothing is to be written, where the run says so already.
    ///
    /// # Errors
    /// The run is not open, or the entry lacks something.
    pub fn add(&self, entry: &RunEntry) -> Result<(Map<String, Value>, bool, Effects), RunError> {
        self.must_be_open()?;
        let (ledger, row) = match self.row(entry)? {
            Added::Row(ledger, row) => (ledger, row),
            Added::There(row) => return Ok((row, false, Effects::new())),
        };
        if self.run.row_count(ledger) >= MAX_ROWS {
            return Err(RunError::Full {
                file: ledger.file(),
            });
        }
        let (row, effect) = self.append(ledger, row);
        Ok((row, true, vec![effect]))
    }

    fn hypothesis(&self, id: &str) -> Result<&super::state::Hypothesis, RunError> {
        let known = self.run.hypotheses.iter().find(|h| h.id == id);
        known.ok_or_else(|| RunError::UnknownHypothesis(text::truncate_chars(id, 40)))
    }

    fn row(&self, entry: &RunEntry) -> Result<Added, RunError> {
        let filled = |name, given: &str| match cut(given) {
            empty if empty.is_empty() => Err(RunError::Empty(name)),
            text => Ok(text),
        };
        let mut row = json!({ "event": "add" });
        let ledger = match entry {
            RunEntry::Hypothesis {
                text,
                confidence,
                predicts,
            } => {
                set(&mut row, "status", HypothesisStatus::Open.name());
                set(&mut row, "text", filled("the hypothesis", text)?);
                if let Some(confidence) = confidence {
                    set(&mut row, "confidence", confidence.name());
                }
                if !predicts.trim().is_empty() {
                    set(&mut row, "predicts", cut(predicts));
                }
                Ledger::Hypotheses
            }
            RunEntry::Resolve { id, status, note } => {
                let known = self.hypothesis(id)?;
                if *status == HypothesisStatus::Open {
                    return Err(RunError::ResolvedOpen);
                }
                let note = cut(note);
                let row = json!({ "event": "resolve", "id": id, "status": status, "note": note });
                let is_said = note.is_empty() || known.notes.last() == Some(&note);
                if known.status == *status && is_said {
                    return Ok(Added::There(row.as_object().cloned().unwrap_or_default()));
                }
                return Ok(Added::Row(Ledger::Hypotheses, row));
            }
            RunEntry::Evidence {
                text,
                hypothesis,
                supports,
                file,
            } => {
                let about = match hypothesis.as_str() {
                    "" => Value::Null,
                    id => json!(self.hypothesis(id)?.id),
                };
                set(&mut row, "hypothesis", about);
                set(&mut row, "text", filled("the evidence", text)?);
                if let Some(supports) = supports {
                    set(&mut row, "supports", *supports);
                }
                if !file.is_empty() {
                    set(&mut row, "file", cut(file));
                }
                Ledger::Evidence
            }
            RunEntry::Command { command, status } => {
                set(&mut row, "command", filled("the command", command)?);
                set(&mut row, "status", status.name());
                Ledger::Commands
            }
            RunEntry::Verify {
                command,
                exit_code,
                duration_ms,
                output_sha256,
            } => {
                let status = match exit_code {
                    0 => CommandStatus::Pass,
                    _ => CommandStatus::Fail,
                };
                set(&mut row, "command", filled("the command", command)?);
                set(&mut row, "status", status.name());
                set(&mut row, "exit_code", *exit_code);
                set(&mut row, "duration_ms", *duration_ms);
                set(
                    &mut row,
                    "output_sha256",
                    text::truncate_chars(output_sha256, 64),
                );
                set(&mut row, "origin", "observed");
                Ledger::Commands
            }
            RunEntry::Learning {
                learning,
                summary,
                repo_action,
                path,
                reason,
            } => {
                let (path, reason) = (path.trim(), cut(reason));
                match repo_action {
                    RepoAction::None if reason.is_empty() => return Err(RunError::ReasonRequired),
                    RepoAction::None => {}
                    _ if path.is_empty() => return Err(RunError::PathRequired),
                    _ => {}
                }
                let given = |text: &str| match text {
                    "" => Value::Null,
                    text => json!(text),
                };
                set(&mut row, "kind", learning.name());
                set(&mut row, "summary", filled("the summary", summary)?);
                set(&mut row, "repo_action", repo_action.name());
                set(&mut row, "path", given(path));
                set(&mut row, "reason", given(&reason));
                Ledger::Learning
            }
            RunEntry::Note { text } => {
                row = json!({ "event": "note", "text": filled("the note", text)? });
                Ledger::Events
            }
            RunEntry::Link { to, target } => {
                let target = filled("the target", target)?;
                let is_there = |row: &&Map<String, Value>| {
                    let is_link = member_of(row, "event") == "link";
                    is_link
                        && member_of(row, "to") == to.name()
                        && member_of(row, "target") == target
                };
                if let Some(there) = self.run.events.iter().find(is_there) {
                    return Ok(Added::There(there.clone()));
                }
                row = json!({ "event": "link", "to": to, "target": target });
                Ledger::Events
            }
        };
        set(&mut row, "id", self.run.next_id(ledger));
        Ok(Added::Row(ledger, row))
    }

    /// Records a command that a hook saw: a failure, or the first success after one. Nothing to write for others,
    /// for one that was recorded so last, and above the bound.
    pub fn observe(&self, command: &str, failed: bool) -> Effects {
        let is_failing = self.run.failing().contains(&command);
        let is_news = failed != is_failing;
        let is_full = self.run.row_count(Ledger::Commands) >= MAX_OBSERVED;
        let command = cut(command);
        if self.run.status != RunStatus::Open || !is_news || is_full || command.is_empty() {
            return Effects::new();
        }
        let status = if failed {
            CommandStatus::Fail
        } else {
            CommandStatus::Pass
        };
        let row = json!({
            "event": "add", "id": self.run.next_id(Ledger::Commands), "command": command,
            "status": status, "origin": "observed",
        });
        vec![self.append(Ledger::Commands, row).1]
    }

    /// Links the task that mirrors the run; `started` if the run started it.
    pub fn link_task(&self, task: &str, started: bool) -> Effect {
        self.event(
            "link",
            json!({ "to": "task", "target": task, "started": started }),
        )
    }

    /// Sets the run aside, in favour of another one if that is named. Nothing to write where it is parked.
    ///
    /// # Errors
    /// The run is closed or abandoned.
    pub fn park(&self, reason: &str, for_run: Option<&RunId>) -> Result<Effects, RunError> {
        match self.run.status {
            RunStatus::Parked => return Ok(Effects::new()),
            RunStatus::Open => {}
            _ => self.must_be_open()?,
        }
        let mut more = json!({});
        if !reason.trim().is_empty() {
            set(&mut more, "reason", cut(reason));
        }
        if let Some(other) = for_run {
            set(&mut more, "for", other.as_str());
        }
        Ok(vec![self.event("park", more)])
    }

    /// Goes on with the run. Nothing to write where it is open.
    ///
    /// # Errors
    /// The run is closed or abandoned.
    pub fn resume(&self) -> Result<Effects, RunError> {
        match self.run.status {
            RunStatus::Open => Ok(Effects::new()),
            RunStatus::Parked => Ok(vec![self.event("resume", json!({}))]),
            _ => self.must_be_open().map(|()| Effects::new()),
        }
    }

    /// Reopens a closed or abandoned run; its closeouts stay.
    ///
    /// # Errors
    /// The run is parked.
    pub fn reopen(&self, reason: &str) -> Result<Effects, RunError> {
        match self.run.status {
            RunStatus::Open => return Ok(Effects::new()),
            RunStatus::Parked => {
                return Err(RunError::WrongState {
                    id: self.run.id.to_string(),
                    status: RunStatus::Parked,
                    why: "`aictx run resume` goes on with it",
                });
            }
            RunStatus::Closed | RunStatus::Abandoned => {}
        }
        let mut more = json!({ "closeouts": self.run.closeouts.len() });
        if !reason.trim().is_empty() {
            set(&mut more, "reason", cut(reason));
        }
        Ok(vec![self.event("reopen", more)])
    }

    /// Gives the run up. Nothing to write where it was given up.
    ///
    /// # Errors
    /// The run is closed.
    pub fn abandon(&self, reason: &str) -> Result<Effects, RunError> {
        match self.run.status {
            RunStatus::Abandoned => return Ok(Effects::new()),
            RunStatus::Closed => self.must_be_open()?,
            RunStatus::Open | RunStatus::Parked => {}
        }
        Ok(vec![
            self.event("abandon", json!({ "reason": cut(reason) })),
        ])
    }

    /// Closes the run, unless something is missing. The closeout is the last write: what is closed has all its files.
    ///
    /// # Errors
    /// The run is parked or abandoned, or closed with other words.
    pub fn close(
        &self,
        closing: &RunCloseParams,
        artifact: &dyn Fn(&str) -> Artifact,
    ) -> Result<Closing, RunError> {
        let last = self.run.closeouts.last();
        if self.run.status == RunStatus::Closed
            && let Some(last) = last
            && is_repeated(last, closing)
        {
            return Ok(Closing::Already {
                stem: stem(self.run.closeouts.len()),
                closeout: last.clone(),
            });
        }
        self.must_be_open()?;
        let missing = gate::missing(self.run, closing, artifact);
        if !missing.is_empty() {
            return Ok(Closing::Refused(missing));
        }
        let closeout = closeout(self.run, closing, self.now);
        let stem = stem(self.run.closeouts.len() + 1);
        let effects = vec![
            Effect::ReplaceText {
                file: self.run.id.file(&format!("{stem}.md")),
                text: markdown(&closeout),
            },
            Effect::ReplaceJson {
                file: self.run.id.file(&format!("{stem}.json")),
                value: closeout.clone(),
                order: KeyOrder::Sorted,
            },
        ];
        Ok(Closing::Closed {
            stem,
            closeout,
            effects,
        })
    }
}

/// A row to be written, or the one that says so already.
enum Added {
    Row(Ledger, Value),
    There(Map<String, Value>),
}

/// Result of closing a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Closing {
    /// Something is missing.
    Refused(Vec<RunMissing>),
    /// It was closed with these words before.
    Already {
        /// Name of the closeout's files, without ending.
        stem: String,
        /// The closeout.
        closeout: Value,
    },
    /// It is closed by these writes.
    Closed {
        /// Name of the closeout's files, without ending.
        stem: String,
        /// The closeout.
        closeout: Value,
        /// Writes that close it.
        effects: Effects,
    },
}

/// The run that is parked in favour of one that is closed now, and is resumed.
pub fn parked_for<'r>(all: &'r [Run], closed: &RunId) -> Option<&'r Run> {
    all.iter().find(|run| {
        let parked = run
            .events
            .iter()
            .rev()
            .find(|row| member_of(row, "event") == "park");
        let parked = parked.map_or("", |row| member_of(row, "for"));
        run.status == RunStatus::Parked && parked == closed.as_str()
    })
}
