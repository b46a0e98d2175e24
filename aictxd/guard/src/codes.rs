//! The findings that exist: code, check, class and sentence, in the order of the format.
//!
//! Sentences are fixed, so that no text from a repository can speak through the guard.

use aictx_proto::methods::guard::GuardWarning;

/// What kind of finding a code is; the decision depends on it (spec/guard.md §3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Holds whatever state and contract say.
    Safety,
    /// About what is remembered.
    State,
    /// About what the step may touch.
    Scope,
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

/// All codes in table order.
pub(crate) static ALL: &[&Code] = &[
    &MISSING_ACTIVE_WORK_STATE,
    &STATE_UNREADABLE,
    &MISSING_PATHS,
    &PATH_OUTSIDE_REPO,
    &GENERATED_STATE_PATH,
    &VCS_INTERNALS_PATH,
    &SENSITIVE_PATH,
    &CI_CONFIG_PATH,
    &DESTRUCTIVE_COMMAND,
    &COMMAND_NOT_DECIDABLE,
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
    let text = aictx_proto::text::printable(text);
    aictx_proto::text::clean(&text, EVIDENCE_CHARS)
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
