//! The conditions of closing a run.

use aictx_proto::methods::{
    CommandStatus, Gate, HypothesisStatus, RepoAction, RunCloseParams, RunMissing,
};
use serde_json::{Map, Value};

use super::MIN_REASON;
use super::ledger::text;
use super::state::{Run, repo_action};

/// State of a path that a learning names as its artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Artifact {
    /// It is there, and git tracks it or it is staged.
    Tracked,
    /// It is there, and git does not know it.
    Untracked,
    /// It is there, and there is no git.
    Unknown,
    /// It is not there.
    Missing,
    /// It is not a path in the repository.
    Outside,
}

/// Reason why a learning is not resolved; nothing for one that is.
pub fn unresolved(
    learning: &Map<String, Value>,
    artifact: &dyn Fn(&str) -> Artifact,
) -> Option<String> {
    let (id, path) = (text(learning, "id"), text(learning, "path"));
    let is_reason = |text: &str| text.trim().chars().count() >= MIN_REASON;
    match repo_action(learning) {
        None => Some(format!("{id} names no known repo action")),
        Some(RepoAction::None) => {
            let has_reason = is_reason(text(learning, "reason"));
            let why = format!("{id} has no artifact and no reason of {MIN_REASON} characters");
            (!has_reason).then_some(why)
        }
        Some(_) if path.is_empty() => Some(format!("{id} names no artifact")),
        Some(_) => match artifact(path) {
            Artifact::Tracked | Artifact::Unknown => None,
            Artifact::Untracked => Some(format!("{id}: git does not track {path}")),
            Artifact::Missing => Some(format!("{id}: {path} is not there")),
            Artifact::Outside => Some(format!("{id}: {path} is not a path in this repository")),
        },
    }
}

/// Everything that keeps a run from being closed.
pub fn missing(
    run: &Run,
    closing: &RunCloseParams,
    artifact: &dyn Fn(&str) -> Artifact,
) -> Vec<RunMissing> {
    let mut found = Vec::new();
    let mut miss = |gate, message: String, next: String| {
        found.push(RunMissing {
            gate,
            message,
            next,
        });
    };
    for wrong in &closing.overrides {
        if wrong.reason.trim().chars().count() < MIN_REASON {
            let message =
                format!("the reason for passing over it has less than {MIN_REASON} characters");
            miss(
                wrong.gate,
                message,
                format!("--override {}=REASON", wrong.gate),
            );
        }
    }
    let is_checked = |gate| !closing.overrides.iter().any(|over| over.gate == gate);
    if is_checked(Gate::Hypotheses) {
        for open in run.in_state(HypothesisStatus::Open) {
            if !closing.carry.contains(&open.id) {
                let message = format!("{} is open: {}", open.id, open.text);
                let next = format!(
                    "aictx run hypothesis resolve {0} --status STATUS, or --carry {0}",
                    open.id
                );
                miss(Gate::Hypotheses, message, next);
            }
        }
        let is_open = |id: &String| run.in_state(HypothesisStatus::Open).any(|h| h.id == *id);
        for id in closing.carry.iter().filter(|id| !is_open(id)) {
            let message = format!("{id} is carried, but no open hypothesis");
            miss(Gate::Hypotheses, message, "aictx run status".to_owned());
        }
    }
    if is_checked(Gate::Learning) {
        for learning in &run.learning {
            if let Some(message) = unresolved(learning, artifact) {
                let next = "aictx run learning add … --path PATH of a tracked file, or --repo-action none --reason WHY";
                miss(Gate::Learning, message, next.to_owned());
            }
        }
    }
    if is_checked(Gate::Verification) {
        let stated = closing
            .verification
            .iter()
            .filter(|text| !text.trim().is_empty());
        let is_unverified = closing.unverified.trim().chars().count() >= MIN_REASON;
        if stated.count() == 0 && !is_unverified {
            let message = "no verification is stated".to_owned();
            let next = "--verification COMMAND, or --unverified REASON";
            miss(Gate::Verification, message, next.to_owned());
        }
        for entry in &closing.verification {
            if let Some(command) = command_of(run, entry)
                && text(command, "status") != CommandStatus::Pass.name()
            {
                let status = text(command, "status");
                let message = format!("{entry} did not pass: {status}");
                miss(
                    Gate::Verification,
                    message,
                    "aictx run verify -- COMMAND".to_owned(),
                );
            }
        }
    }
    let has_risk = closing.risks.iter().any(|risk| !risk.trim().is_empty());
    if is_checked(Gate::Risks) && !has_risk && !closing.no_risks {
        let message = "residual risks are not stated".to_owned();
        miss(
            Gate::Risks,
            message,
            "--risk TEXT, or --no-risks".to_owned(),
        );
    }
    if is_checked(Gate::Summary) && closing.summary.trim().is_empty() {
        let message = "the summary is empty".to_owned();
        miss(Gate::Summary, message, "--summary TEXT".to_owned());
    }
    found
}

/// The command that an entry of the verification names by its id, or by its command line: its last result.
pub fn command_of<'r>(run: &'r Run, entry: &str) -> Option<&'r Map<String, Value>> {
    let mut commands = run.commands.iter().rev();
    commands.find(|row| text(row, "id") == entry || text(row, "command") == entry)
}
