//! The guard's answer: findings, decision, cures.

use aictx_proto::methods::guard::{
    GUARD_ACTIONS, GuardChecks, GuardExplanation, GuardFinding, GuardParams, GuardReply,
    GuardWarning, SuggestedAction,
};
use aictx_proto::path::{Located, locate};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::time::Timestamp;

use crate::command::{CommandFinding, Facts, NoFacts, Place, command_risk};
use crate::contract_check::{Found, Held, Question, sensitive_outside};
use crate::finding_codes::{
    self, Class, ERROR, GENERATED_STATE_PATH, INFO, MAX_EVIDENCE, MISSING_PATHS, POLICY_ASKS,
    POLICY_DENIES, SENSITIVE_PATH, WARNING,
};
use crate::policy::Say;
use crate::protected_paths;

/// Findings shown in one answer; [`GuardReply::warnings_total`] counts them all.
pub const MAX_WARNINGS: usize = 8;
/// Findings of an explanation.
const MAX_EXPLAINED: usize = 64;
/// Accepted values of `risk`; an empty one is `normal`.
pub const RISKS: &[&str] = &["high", "low", "normal"];
/// Paths looked at in one question.
const MAX_PATHS: usize = 1_000;

/// A question that cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// `action` is none of [`GUARD_ACTIONS`].
    #[error("unknown action; allowed: {}", GUARD_ACTIONS.join(", "))]
    UnknownAction,
    /// `risk` is none of [`RISKS`].
    #[error("unknown risk; allowed: {}", RISKS.join(", "))]
    UnknownRisk,
}

/// Judges the next step. `root` is the absolute root of the worktree; `now` is for findings about
/// age, which come with the state they are about.
///
/// # Errors
/// An unknown action or risk, with the allowed values.
pub fn guard(
    snapshot: &Snapshot,
    params: &GuardParams,
    root: &str,
    now: Timestamp,
) -> Result<GuardReply, GuardError> {
    guard_with(snapshot, params, root, now, &Held::default(), &NoFacts)
}

/// [`guard`] with what is known beside memory, and about the things a command would hit.
///
/// # Errors
/// As [`guard`].
pub fn guard_with(
    snapshot: &Snapshot,
    params: &GuardParams,
    root: &str,
    now: Timestamp,
    held: &Held,
    facts: &dyn Facts,
) -> Result<GuardReply, GuardError> {
    let action = params.action.as_str();
    if !GUARD_ACTIONS.contains(&action) {
        return Err(GuardError::UnknownAction);
    }
    if !params.risk.is_empty() && !RISKS.contains(&params.risk.as_str()) {
        return Err(GuardError::UnknownRisk);
    }
    let mut found: Vec<Found> = Vec::new();
    let cwd = if params.cwd.is_empty() {
        root
    } else {
        &params.cwd
    };
    let mut named = false;
    for raw in params.paths.iter().take(MAX_PATHS) {
        if raw.trim().is_empty() {
            continue;
        }
        named = true;
        let located = locate(root, cwd, raw.trim());
        let said = match (&located, held.rules) {
            (Located::Inside(path), Some(rules)) => rules.on_path(path),
            (Located::Outside(_), Some(rules)) => rules.on_outside(),
            _ => None,
        };
        let allowed = matches!(said, Some((Say::Allow, _)));
        if let Some((code, severity)) = protected_paths::verdict(&located)
            && !(allowed && code.code != GENERATED_STATE_PATH.code)
        {
            found.push(Found::new(code.warning(severity, [raw.as_str()]), false));
        }
        found.extend(said.and_then(|said| by_policy(said, raw)));
    }
    let has_command = !params.command.trim().is_empty();
    let mut told = None;
    let mut explained: Vec<GuardFinding> = Vec::new();
    if has_command {
        let risk = command_risk(&params.command, Place { root, cwd }, facts);
        told = Some(risk.reply());
        let (left, said) = match held.rules {
            Some(rules) => rules.weigh(&params.command, &risk),
            None => (risk.findings.iter().collect(), None),
        };
        if params.explain {
            explained.extend(risk.findings.iter().map(CommandFinding::explained));
        }
        let risks = left.into_iter();
        found.extend(risks.map(|finding| Found::new(finding.warning.clone(), false)));
        found.extend(said.and_then(|said| by_policy(said, "")));
    }
    if action == "edit" && !named && !has_command {
        found.push(Found::new(MISSING_PATHS.warning(WARNING, []), false));
    }
    let written = facts.edited();
    let question = Question {
        written: &written,
        snapshot,
        params,
        held,
        root,
        cwd,
        now,
    };
    found.extend(question.findings());
    if params.explain {
        let of_command = explained.len();
        for Found { warning, .. } in &found {
            let known = explained
                .iter()
                .take(of_command)
                .any(|f| f.code == warning.code && f.evidence == warning.evidence);
            if !known {
                explained.push(GuardFinding {
                    code: warning.code.clone(),
                    severity: warning.severity.clone(),
                    evidence: warning.evidence.clone(),
                    ..GuardFinding::default()
                });
            }
        }
        explained.truncate(MAX_EXPLAINED);
    }
    if sensitive_outside(&found) {
        found
            .iter_mut()
            .for_each(|f| f.reground |= f.warning.code == SENSITIVE_PATH.code);
    }
    let mut reply = answer(found, held.check);
    reply.command_risk = told;
    if let Some((_, source)) = held.contract {
        reply.contract_source = source.as_str().to_owned();
    }
    if params.explain {
        reply.explanation = Some(GuardExplanation {
            findings: explained,
            contract_id: held
                .contract
                .map(|(record, _)| record.contract_id.clone())
                .unwrap_or_default(),
            limits: held
                .limits
                .map(|limits| limits.forbidden_paths.clone())
                .unwrap_or_default(),
            took_us: 0,
        });
    }
    Ok(reply)
}

/// What the policy says of a path or of the command, as a finding; what it allows is none.
fn by_policy((say, whose): (Say, String), what: &str) -> Option<Found> {
    let warning = match say {
        Say::Allow => return None,
        Say::Ask => POLICY_ASKS.warning(WARNING, [what, whose.as_str()]),
        Say::Deny => POLICY_DENIES.warning(ERROR, [what, whose.as_str()]),
    };
    Some(Found::new(warning, false))
}

/// Orders, merges and cuts the findings and draws the conclusion from all of them.
fn answer(mut found: Vec<Found>, check: &str) -> GuardReply {
    found.sort_by_key(|f| {
        (
            severity_rank(&f.warning.severity),
            finding_codes::order(&f.warning.code),
        )
    });
    let reground = found
        .iter()
        .any(|f| f.reground && f.warning.severity != INFO);
    let mut kept: Vec<GuardWarning> = Vec::new();
    for Found { warning, .. } in found {
        match kept
            .iter_mut()
            .find(|known| known.code == warning.code && known.check == warning.check)
        {
            Some(known) => {
                for evidence in warning.evidence {
                    if known.evidence.len() < MAX_EVIDENCE && !known.evidence.contains(&evidence) {
                        known.evidence.push(evidence);
                    }
                }
            }
            None => kept.push(warning),
        }
    }
    let (decision, status, next) = conclusion(&kept, reground);
    let checks = checks(&kept);
    let suggested_actions = cures(&kept, check);
    let warnings_total = kept.len() as u64;
    kept.truncate(MAX_WARNINGS);
    GuardReply {
        status: status.to_owned(),
        decision: decision.to_owned(),
        warnings: kept,
        checks,
        suggested_next: next.to_owned(),
        suggested_actions,
        warnings_total,
        command_risk: None,
        contract_source: String::new(),
        verdict_id: String::new(),
        explanation: None,
    }
}

/// Decision, status and the literal next step.
fn conclusion(
    found: &[GuardWarning],
    reground: bool,
) -> (&'static str, &'static str, &'static str) {
    let blocking = |warning: &GuardWarning| {
        warning.severity == ERROR
            && matches!(
                finding_codes::class(&warning.code),
                Class::Safety | Class::Scope
            )
    };
    if found.iter().any(blocking) {
        (
            "block",
            ERROR,
            "stop and get explicit confirmation before continuing",
        )
    } else if reground {
        (
            "re_ground",
            WARNING,
            "run resume or prepare before continuing",
        )
    } else if found
        .iter()
        .any(|warning| matches!(warning.severity.as_str(), ERROR | WARNING))
    {
        ("caution", WARNING, "continue with caution")
    } else {
        ("allow", "ok", "continue")
    }
}

fn severity_rank(severity: &str) -> u8 {
    match severity {
        ERROR => 0,
        WARNING => 1,
        _ => 2,
    }
}

fn checks(found: &[GuardWarning]) -> GuardChecks {
    let of = |check: &str| {
        found
            .iter()
            .filter(|warning| warning.check == check && warning.severity != "info")
            .map(|warning| warning.severity.as_str())
            .min_by_key(|severity| severity_rank(severity))
            .unwrap_or("ok")
            .to_owned()
    };
    GuardChecks {
        work_state: of("work_state"),
        contract_alignment: of("contract_alignment"),
        continuity_quality: of("continuity_quality"),
        lifecycle: of("lifecycle"),
        validation: of("validation"),
    }
}

fn cures(found: &[GuardWarning], check: &str) -> Vec<SuggestedAction> {
    let mut out: Vec<SuggestedAction> = Vec::new();
    for warning in found {
        let (kind, value) = match warning.code.as_str() {
            "state_unreadable" => ("run_command", "aictx status"),
            "validation_evidence_missing" | "changes_without_evidence" if !check.is_empty() => {
                ("run_command", check)
            }
            "missing_active_work_state"
            | "dangling_active_task"
            | "active_work_state_stale"
            | "missing_execution_contract"
            | "contract_goal_mismatch"
            | "open_related_session" => ("run_resume", "aictx resume"),
            "forbidden_by_user" | "outside_allowed_by_user" => {
                ("ask_user", "May this path be touched after all?")
            }
            "destructive_command" | "command_not_decidable" => {
                ("ask_user", "Should this command run?")
            }
            "path_outside_repo" => (
                "ask_user",
                "Should a path outside the repository be touched?",
            ),
            "vcs_internals_path" | "sensitive_path" | "ci_config_path" => {
                ("ask_user", "Should this file be changed?")
            }
            "generated_state_path" => ("run_command", "aictx status"),
            _ => continue,
        };
        if !out.iter().any(|action| action.value == value) {
            out.push(SuggestedAction {
                kind: kind.to_owned(),
                value: value.to_owned(),
            });
        }
    }
    out
}
