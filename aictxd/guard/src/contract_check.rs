//! Does a step still agree with what the repository remembers: its contract, the task at hand, other
//! sessions, what was validated?
//!
//! Stored text never reaches an answer, and nothing that a repository holds can lower a finding about
//! safety. Housekeeping is not told here at all.

use aictx_continuity::{Presents, goals_match, lifecycle_status};
use aictx_proto::methods::guard::{GuardParams, GuardWarning};
use aictx_proto::path::{Located, RepoPath, locate};
use aictx_proto::record::{ContractRecord, Thread};
use aictx_proto::snapshot::{ReadIssue, Snapshot};
use aictx_proto::time::Timestamp;
use aictx_steer::{SteerState, SteerVerdict};

use crate::finding_codes::{
    ACTIVE_TASK_NOT_IN_PROGRESS, ACTIVE_WORK_STATE_STALE, CHANGED_SINCE_READ,
    CHANGES_WITHOUT_EVIDENCE, Code, DANGLING_ACTIVE_TASK, ERROR, FORBIDDEN_BY_USER,
    MISSING_ACTIVE_WORK_STATE, MISSING_LINKED_FILE, NOT_INITIALIZED, OPEN_RELATED_SESSION,
    OUTSIDE_ALLOWED_BY_USER, OUTSIDE_EXPECTED_SCOPE, PARALLEL_EDIT, STALE_HANDOFF,
    STATE_UNREADABLE, UNVERIFIED_WORK_STATE, WARNING, WORK_STATE_RISKS_PRESENT,
};
use crate::parallel_work::{Parallel, ago};
use crate::policy::{Rules, Say};

pub use self::contract::{ContractChoice, ContractSource, choose_guard_contract};

mod contract;

/// A task that nobody touched for so long is stale, in seconds.
const STALE_TASK: u64 = 24 * 3_600;
/// Seconds for which a resume counts as having looked.
const RESUME_COUNTS: u64 = 15 * 60;
/// A handoff says little from this age on, in seconds.
const STALE_HANDOFF_AGE: u64 = 30 * 86_400;
/// So many items of memory that speak of lost files say something about memory as a whole.
const MANY_LOST: usize = 5;

/// What is known beside the repository's memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held<'a> {
    /// The contract that [`choose_guard_contract`] chose, as stored, and why it was chosen.
    pub contract: Option<(&'a ContractRecord, ContractSource)>,
    /// Patterns of paths that the ticket at hand may change; empty for any.
    pub ticket_scope: &'a [String],
    /// What the user said that may and may not be touched in this session.
    pub limits: Option<&'a SteerState>,
    /// Which of the paths asked about other live sessions are at, as they were written, and who.
    pub parallel: &'a [(String, Parallel)],
    /// What the policy says of that.
    pub parallel_edits: Option<Say>,
    /// What the policy says.
    pub rules: Option<&'a Rules>,
    /// State beside memory that could not be read, by file.
    pub unreadable: &'a [String],
    /// Files that memory speaks of, as they are now.
    pub presents: Option<&'a Presents>,
    /// What checks this repository's code; empty where nobody knows.
    pub check: &'a str,
    /// True if a check was seen to pass in this session after its last edit; `None` when nobody watched.
    pub validated: Option<bool>,
    /// Nothing was ever recorded in this repository.
    pub uninitialised: bool,
}

/// A finding, and whether resuming would cure it.
pub(crate) struct Found {
    pub(crate) warning: GuardWarning,
    pub(crate) reground: bool,
}

impl Found {
    pub(crate) fn new(warning: GuardWarning, reground: bool) -> Self {
        Self { warning, reground }
    }
}

/// An intent that says what somebody wants; a label that a program sends is none.
fn intent(params: &GuardParams) -> &str {
    let text = params.intent.trim();
    let label =
        !text.contains(char::is_whitespace) && text.is_ascii() && text.contains(['_', '-', '.']);
    if label { "" } else { text }
}

/// One question.
pub(crate) struct Question<'q> {
    pub(crate) snapshot: &'q Snapshot,
    pub(crate) params: &'q GuardParams,
    pub(crate) held: &'q Held<'q>,
    /// The files that the command would change.
    pub(crate) written: &'q [RepoPath],
    pub(crate) root: &'q str,
    pub(crate) cwd: &'q str,
    pub(crate) now: Timestamp,
}

impl Question<'_> {
    fn action(&self, names: &[&str]) -> bool {
        names.contains(&self.params.action.as_str())
    }

    /// What the step is for: as the caller says, else the contract's goal, else the task's.
    fn goal(&self) -> String {
        let contract = self.held.contract.map(|(c, _)| c.task_goal.as_str());
        let task = self.snapshot.active_task.as_ref().map(|t| t.goal.as_str());
        [Some(intent(self.params)), contract, task]
            .into_iter()
            .flatten()
            .find(|t| !t.trim().is_empty())
            .unwrap_or_default()
            .to_owned()
    }

    fn paths(&self) -> Vec<(&str, RepoPath)> {
        self.params
            .paths
            .iter()
            .take(1_000)
            .filter_map(|raw| match locate(self.root, self.cwd, raw.trim()) {
                Located::Inside(path) if !raw.trim().is_empty() => Some((raw.as_str(), path)),
                _ => None,
            })
            .collect()
    }

    /// Everything that state has to say about the step.
    pub(crate) fn findings(&self) -> Vec<Found> {
        let mut found = Vec::new();
        if self.held.uninitialised {
            found.push(Found::new(NOT_INITIALIZED.warning(WARNING, []), false));
            return found;
        }
        self.limits(&mut found);
        self.work_state(&mut found);
        self.contract(&mut found);
        self.validation(&mut found);
        self.memory(&mut found);
        self.parallel(&mut found);
        self.sessions(&mut found);
        self.unreadable(&mut found);
        found
    }

    /// What the user forbade in this session holds until the user lifts it.
    fn limits(&self, found: &mut Vec<Found>) {
        let Some(limits) = self.held.limits else {
            return;
        };
        for (raw, path) in self.paths() {
            match limits.verdict(&path) {
                Some(SteerVerdict::Forbidden(_)) => {
                    found.push(Found::new(FORBIDDEN_BY_USER.warning(ERROR, [raw]), false));
                }
                Some(SteerVerdict::OutsideAllowed) => {
                    found.push(Found::new(
                        OUTSIDE_ALLOWED_BY_USER.warning(ERROR, [raw]),
                        false,
                    ));
                }
                None => {}
            }
        }
    }

    /// Other live sessions are at work there: a caution, unless the policy wants more or nothing.
    fn parallel(&self, found: &mut Vec<Found>) {
        let severity = match self.held.parallel_edits {
            Some(Say::Allow) => return,
            Some(Say::Deny) => ERROR,
            Some(Say::Ask) | None => WARNING,
        };
        for (path, other) in self.held.parallel {
            let when = other.at.map_or_else(String::new, |at| ago(at, self.now));
            if other.session.is_empty() {
                let warning = CHANGED_SINCE_READ.warning(WARNING, [path.as_str(), when.as_str()]);
                found.push(Found::new(warning, false));
                continue;
            }
            let severity = match other.is_at_work() {
                true => severity,
                false => WARNING,
            };
            let session: String = other.session.chars().take(8).collect();
            let who = format!("{} {session}", other.runner);
            let evidence = [path.as_str(), who.trim(), when.as_str()];
            found.push(Found::new(PARALLEL_EDIT.warning(severity, evidence), false));
        }
    }

    fn work_state(&self, found: &mut Vec<Found>) {
        let idle = self.action(&["continue_after_idle"]);
        let boundary = idle || self.action(&["agent_switch"]);
        let pointer = self.snapshot.pointer.active_task_id.as_str();
        let pointed = self.snapshot.threads.iter().find(|t| t.task_id == pointer);
        let plain = |id: &str| {
            id.chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                && !id.starts_with('.')
        };
        if boundary && !pointer.is_empty() && !plain(pointer) {
            found.push(Found::new(
                STATE_UNREADABLE.warning(WARNING, ["tasks/active.json"]),
                idle,
            ));
            return;
        }
        match (&self.snapshot.active_task, pointed) {
            (None, None) if boundary && !pointer.is_empty() => {
                found.push(Found::new(
                    DANGLING_ACTIVE_TASK.warning(WARNING, [pointer]),
                    idle,
                ));
            }
            (None, Some(thread)) if boundary => {
                let evidence = [thread.status.as_str()];
                found.push(Found::new(
                    ACTIVE_TASK_NOT_IN_PROGRESS.warning(WARNING, evidence),
                    false,
                ));
            }
            (None, _) if boundary && !(idle && self.has_just_resumed()) => {
                found.push(Found::new(
                    MISSING_ACTIVE_WORK_STATE.warning(WARNING, []),
                    idle,
                ));
            }
            (Some(task), _) => self.active(task, found),
            _ => self.carried(found),
        }
    }

    /// True when the caller has done what a missing task asks for: a resume, which needs no task.
    fn has_just_resumed(&self) -> bool {
        let caller = &self.params.caller;
        let same = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
        self.snapshot.lifecycle.iter().rev().take(100).any(|event| {
            event.event_type == "resume_called"
                && same(&event.session_id, &caller.session_id)
                && same(&event.agent_id, &caller.agent_id)
                && Timestamp::parse(&event.timestamp)
                    .is_some_and(|at| self.now.since(at) < RESUME_COUNTS)
        })
    }

    fn active(&self, task: &Thread, found: &mut Vec<Found>) {
        match Timestamp::parse(&task.updated_at) {
            None if !task.updated_at.is_empty() => {
                found.push(Found::new(
                    STATE_UNREADABLE.warning(WARNING, ["updated_at"]),
                    false,
                ));
            }
            Some(at) if self.now.since(at) > STALE_TASK => {
                let alive = self.snapshot.lifecycle.iter().rev().take(100).any(|e| {
                    e.event_type == "finalize_called"
                        && Timestamp::parse(&e.timestamp)
                            .is_some_and(|at| self.now.since(at) < STALE_TASK)
                        && goals_match(&e.task, &task.goal)
                });
                let hours = (self.now.since(at) / 3_600).to_string();
                let warning = ACTIVE_WORK_STATE_STALE.warning(WARNING, [hours.as_str()]);
                found.push(Found::new(warning, !alive));
            }
            _ => {}
        }
        if !task.risks.is_empty() {
            let count = task.risks.len().to_string();
            found.push(Found::new(
                WORK_STATE_RISKS_PRESENT.warning(WARNING, [count.as_str()]),
                false,
            ));
        }
    }

    /// A task that was left with something unverified, and is what the step is about.
    fn carried(&self, found: &mut Vec<Found>) {
        if !self.action(&[
            "before_first_edit",
            "edit",
            "scope_change",
            "finalize",
            "final_answer",
        ]) {
            return;
        }
        let goal = self.goal();
        let open = self.snapshot.threads.iter().any(|t| {
            matches!(t.status.as_str(), "paused" | "blocked")
                && !(t.unverified.is_empty() && t.contract_gaps.is_empty())
                && goals_match(&t.goal, &goal)
        });
        if open {
            found.push(Found::new(
                UNVERIFIED_WORK_STATE.warning(WARNING, []),
                false,
            ));
        }
    }

    /// What memory says that is not so any more, as far as it concerns the step.
    /// How old memory is says nothing of a command.
    fn memory(&self, found: &mut Vec<Found>) {
        if self.action(&["risky_command"]) {
            return;
        }
        let gone = |paths: &[String]| {
            let presents = self.held.presents;
            presents.is_some_and(|presents| {
                paths
                    .iter()
                    .any(|p| presents.get(p).is_some_and(|f| f.blob.is_empty()))
            })
        };
        let goal = self.goal();
        if let Some(handoff) = &self.snapshot.handoff
            && (goals_match(&handoff.summary, &goal) || goals_match(&handoff.reason, &goal))
        {
            let age = Timestamp::parse(&handoff.updated_at).map(|at| self.now.since(at));
            if gone(&handoff.recommended_starting_points)
                || age.is_some_and(|a| a > STALE_HANDOFF_AGE)
            {
                found.push(Found::new(STALE_HANDOFF.warning(WARNING, []), false));
            }
        }
        let paths = self.paths();
        let lost: Vec<_> = self
            .snapshot
            .decisions
            .iter()
            .rev()
            .take(20)
            .filter(|d| gone(&d.related_paths))
            .collect();
        let governs = |list: &[String]| {
            list.iter().any(|p| {
                RepoPath::parse(p).is_ok_and(|p| paths.iter().any(|(_, q)| q.starts_with(&p)))
            })
        };
        if lost.len() >= MANY_LOST || lost.iter().any(|d| governs(&d.related_paths)) {
            let count = lost.len().to_string();
            found.push(Found::new(
                MISSING_LINKED_FILE.warning(WARNING, [count.as_str()]),
                false,
            ));
        }
    }

    /// Other sessions that are open on the same thing.
    fn sessions(&self, found: &mut Vec<Found>) {
        let goal = self.goal();
        if goal.trim().is_empty() || self.action(&["risky_command"]) {
            return;
        }
        let status = lifecycle_status(
            self.snapshot,
            &self.params.caller.session_id,
            &goal,
            self.now,
        );
        let has = |code: &str| {
            aictx_proto::json::member(&status, "warnings")
                .as_array()
                .into_iter()
                .flatten()
                .any(|w| w["code"] == code)
        };
        if has("session_started_but_not_finalized") || has("mcp_resume_without_finalize") {
            let idle = self.action(&["continue_after_idle"]);
            found.push(Found::new(OPEN_RELATED_SESSION.warning(WARNING, []), idle));
        }
        if has("changes_without_evidence") {
            found.push(Found::new(
                CHANGES_WITHOUT_EVIDENCE.warning(WARNING, []),
                false,
            ));
        }
    }

    fn unreadable(&self, found: &mut Vec<Found>) {
        let idle = self.action(&["continue_after_idle"]);
        let latest = self.snapshot.contracts.latest_contract_id.as_str();
        if latest.contains(['/', '\\']) || latest.starts_with('.') {
            let file = "continuity/contracts/index.json";
            found.push(Found::new(STATE_UNREADABLE.warning(WARNING, [file]), idle));
        }
        for file in self.held.unreadable.iter().take(3) {
            found.push(Found::new(
                STATE_UNREADABLE.warning(WARNING, [file.as_str()]),
                idle,
            ));
        }
        // A torn or damaged line loses nothing but itself; a whole file, or one that another encoding
        // went through, is another matter.
        let lost = |issue: &&ReadIssue| issue.is_loss() || issue.detail.contains("UTF-8");
        for issue in self.snapshot.issues.iter().filter(lost).take(3) {
            found.push(Found::new(
                STATE_UNREADABLE.warning(WARNING, [issue.file.as_str()]),
                idle,
            ));
        }
    }
}

/// A file with credentials that nobody expected to be touched: more than out of scope.
pub(crate) fn sensitive_outside(found: &[Found]) -> bool {
    let has = |code: &Code| found.iter().any(|f| f.warning.code == code.code);
    has(&crate::finding_codes::SENSITIVE_PATH) && has(&OUTSIDE_EXPECTED_SCOPE)
}
