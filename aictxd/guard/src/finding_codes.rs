//! The findings that exist: code, check, class and sentence, in the order of the format.
//!
//! Sentences are fixed, so that no text from a repository can speak through the guard.

use aictx_proto::methods::guard::GuardWarning;

/// What kind of finding a code is; the decision depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Holds whatever state and contract say.
    Safety,
    /// About what is remembered.
    State,
    /// About what the step may touch.
    Scope,
    /// About what was proven.
    Validation,
}

/// One code.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) code: &'static str,
    pub(crate) check: &'static str,
    pub(crate) class: Class,
    /// At most 220 characters.
    pub(crate) message: &'static str,
}

/// Severity words of the format.
pub(crate) const ERROR: &str = "error";
/// See [`ERROR`].
pub(crate) const WARNING: &str = "warning";
/// See [`ERROR`]. Raises no decision.
pub(crate) const INFO: &str = "info";

/// Characters of one evidence text.
const EVIDENCE_CHARS: usize = 160;
/// Evidence texts of one finding.
pub(crate) const MAX_EVIDENCE: usize = 3;

const fn safety(code: &'static str, message: &'static str) -> Code {
    Code {
        code,
        check: "contract_alignment",
        class: Class::Safety,
        message,
    }
}

pub(crate) static MISSING_ACTIVE_WORK_STATE: Code = Code {
    code: "missing_active_work_state",
    check: "work_state",
    class: Class::State,
    message: "No Work State is active, so there is nothing to continue from. Resume first.",
};
pub(crate) static STATE_UNREADABLE: Code = Code {
    code: "state_unreadable",
    check: "continuity_quality",
    class: Class::State,
    message: "Recorded state could not be read, so it was left out of this answer.",
};
pub(crate) static MISSING_PATHS: Code = Code {
    code: "missing_paths",
    check: "contract_alignment",
    class: Class::Scope,
    message: "An edit was announced without a path, so it cannot be judged. Name the files.",
};
pub(crate) static DESTRUCTIVE_COMMAND: Code = safety(
    "destructive_command",
    "This command deletes, overwrites or publishes something that may not come back.",
);
pub(crate) static COMMAND_NOT_DECIDABLE: Code = safety(
    "command_not_decidable",
    "What this command would change depends on values that cannot be read from its text.",
);
pub(crate) static PATH_OUTSIDE_REPO: Code = safety(
    "path_outside_repo",
    "This path lies outside the repository.",
);
pub(crate) static GENERATED_STATE_PATH: Code = safety(
    "generated_state_path",
    "This path holds state that aictx writes itself. It must not be edited by hand.",
);
pub(crate) static VCS_INTERNALS_PATH: Code = safety(
    "vcs_internals_path",
    "This path belongs to the version control system and can break it or run code.",
);
pub(crate) static SENSITIVE_PATH: Code = safety(
    "sensitive_path",
    "This file usually holds credentials or keys.",
);
pub(crate) static CI_CONFIG_PATH: Code = safety(
    "ci_config_path",
    "This file decides what runs in continuous integration or in a release.",
);

const fn state(code: &'static str, check: &'static str, message: &'static str) -> Code {
    Code {
        code,
        check,
        class: Class::State,
        message,
    }
}

const fn scope(code: &'static str, message: &'static str) -> Code {
    Code {
        code,
        check: "contract_alignment",
        class: Class::Scope,
        message,
    }
}

pub(crate) static ACTIVE_WORK_STATE_STALE: Code = state(
    "active_work_state_stale",
    "work_state",
    "The active task has not been touched for more than a day.",
);
pub(crate) static WORK_STATE_RISKS_PRESENT: Code = state(
    "work_state_risks_present",
    "work_state",
    "The active task holds open risks. Read them before going on: aictx task status.",
);
pub(crate) static NOT_INITIALIZED: Code = state(
    "not_initialized",
    "work_state",
    "Nothing is recorded in this repository yet. aictx init begins it.",
);
pub(crate) static DANGLING_ACTIVE_TASK: Code = state(
    "dangling_active_task",
    "work_state",
    "The pointer to the active task names a task that is not there.",
);
pub(crate) static ACTIVE_TASK_NOT_IN_PROGRESS: Code = state(
    "active_task_not_in_progress",
    "work_state",
    "The task that is pointed at is not in progress.",
);
pub(crate) static UNVERIFIED_WORK_STATE: Code = state(
    "unverified_work_state",
    "work_state",
    "An earlier task on the same thing was left with something unverified.",
);
pub(crate) static FIRST_ACTION_MISMATCH: Code = scope(
    "first_action_mismatch",
    "The contract names another file to begin with.",
);
pub(crate) static OUTSIDE_EXPECTED_SCOPE: Code = scope(
    "outside_expected_scope",
    "This path lies outside the scope that the contract expects.",
);
pub(crate) static OUTSIDE_TICKET_SCOPE: Code = scope(
    "outside_ticket_scope",
    "This path lies outside the scope of the ticket at hand.",
);
pub(crate) static CONFLICTS_WITH_AVOID_SCOPE: Code = scope(
    "conflicts_with_avoid_scope",
    "The contract says to leave this path alone.",
);
pub(crate) static UNBOUNDED_CONTRACT_SCOPE: Code = scope(
    "unbounded_contract_scope",
    "The contract wants everything left alone, which binds nobody.",
);
pub(crate) static MISSING_EXECUTION_CONTRACT: Code = scope(
    "missing_execution_contract",
    "No contract says what this work is about. aictx resume makes one.",
);
pub(crate) static CONTRACT_GOAL_MISMATCH: Code = scope(
    "contract_goal_mismatch",
    "The contract on record is for another goal.",
);
pub(crate) static BORROWED_CONTRACT: Code = scope(
    "borrowed_contract",
    "The contract on record belongs to another session.",
);
pub(crate) static EXPIRED_CONTRACT: Code = scope(
    "expired_contract",
    "The newest contract is too old to bind anybody.",
);
pub(crate) static FORBIDDEN_BY_USER: Code = scope(
    "forbidden_by_user",
    "The user said in this session that this path must not be touched.",
);
pub(crate) static OUTSIDE_ALLOWED_BY_USER: Code = scope(
    "outside_allowed_by_user",
    "The user limited this session to other paths.",
);
pub(crate) static POLICY_DENIES: Code = safety(
    "policy_denies",
    "The policy says that this must not happen. `aictx trust` shows what holds here.",
);
pub(crate) static POLICY_ASKS: Code = safety(
    "policy_asks",
    "The policy says that the user is asked first. `aictx trust` shows what holds here.",
);
pub(crate) static PARALLEL_EDIT: Code = scope(
    "parallel_edit",
    "Another session that is still open edited or claimed this path.",
);
pub(crate) static TAKES_OTHERS_CHANGES: Code = scope(
    "takes_others_changes",
    "This takes along changes of other live sessions, or what the user put off limits. Name your own paths instead.",
);
pub(crate) static CHANGED_SINCE_READ: Code = scope(
    "changed_since_read",
    "This file changed since this session last read it. Read it again first.",
);
pub(crate) static VALIDATION_EVIDENCE_MISSING: Code = Code {
    code: "validation_evidence_missing",
    check: "validation",
    class: Class::Validation,
    message: "The check that the contract names has not been seen to pass. Run it first.",
};
pub(crate) static STALE_HANDOFF: Code = state(
    "stale_handoff",
    "continuity_quality",
    "The last handoff speaks of files that are gone, or is too old to trust.",
);
pub(crate) static MISSING_LINKED_FILE: Code = state(
    "missing_linked_file",
    "continuity_quality",
    "Decisions that concern this step speak of files that are gone.",
);
pub(crate) static OPEN_RELATED_SESSION: Code = state(
    "open_related_session",
    "lifecycle",
    "Another session on the same thing was never finalized.",
);
pub(crate) static CHANGES_WITHOUT_EVIDENCE: Code = state(
    "changes_without_evidence",
    "lifecycle",
    "An earlier session on the same thing edited files and ran nothing to check them.",
);

/// All codes in table order.
pub(crate) static ALL: &[&Code] = &[
    &ACTIVE_WORK_STATE_STALE,
    &WORK_STATE_RISKS_PRESENT,
    &MISSING_ACTIVE_WORK_STATE,
    &NOT_INITIALIZED,
    &DANGLING_ACTIVE_TASK,
    &ACTIVE_TASK_NOT_IN_PROGRESS,
    &UNVERIFIED_WORK_STATE,
    &FORBIDDEN_BY_USER,
    &OUTSIDE_ALLOWED_BY_USER,
    &PARALLEL_EDIT,
    &TAKES_OTHERS_CHANGES,
    &CHANGED_SINCE_READ,
    &FIRST_ACTION_MISMATCH,
    &OUTSIDE_EXPECTED_SCOPE,
    &OUTSIDE_TICKET_SCOPE,
    &CONFLICTS_WITH_AVOID_SCOPE,
    &UNBOUNDED_CONTRACT_SCOPE,
    &MISSING_EXECUTION_CONTRACT,
    &CONTRACT_GOAL_MISMATCH,
    &BORROWED_CONTRACT,
    &EXPIRED_CONTRACT,
    &VALIDATION_EVIDENCE_MISSING,
    &STALE_HANDOFF,
    &MISSING_LINKED_FILE,
    &OPEN_RELATED_SESSION,
    &CHANGES_WITHOUT_EVIDENCE,
    &STATE_UNREADABLE,
    &MISSING_PATHS,
    &PATH_OUTSIDE_REPO,
    &GENERATED_STATE_PATH,
    &VCS_INTERNALS_PATH,
    &SENSITIVE_PATH,
    &CI_CONFIG_PATH,
    &DESTRUCTIVE_COMMAND,
    &COMMAND_NOT_DECIDABLE,
    &POLICY_DENIES,
    &POLICY_ASKS,
];

impl Code {
    /// A finding with this code.
    pub(crate) fn warning<'e>(
        &self,
        severity: &str,
        evidence: impl IntoIterator<Item = &'e str>,
    ) -> GuardWarning {
        GuardWarning {
            code: self.code.to_owned(),
            severity: severity.to_owned(),
            message: self.message.to_owned(),
            check: self.check.to_owned(),
            evidence: evidence
                .into_iter()
                .filter(|text| !text.trim().is_empty())
                .map(shown)
                .take(MAX_EVIDENCE)
                .collect(),
        }
    }
}

/// Caller's text, made safe to show.
fn shown(text: &str) -> String {
    aictx_proto::shown::line(text, EVIDENCE_CHARS)
}

/// Place of a code in the table; unknown codes last.
pub(crate) fn order(code: &str) -> usize {
    ALL.iter()
        .position(|known| known.code == code)
        .unwrap_or(ALL.len())
}

/// Class of a code.
pub(crate) fn class(code: &str) -> Class {
    ALL.iter()
        .find(|known| known.code == code)
        .map_or(Class::Safety, |known| known.class)
}
