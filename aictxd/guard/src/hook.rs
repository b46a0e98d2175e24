//! The verdict on a tool call that an agent is about to make.
//!
//! What cannot be undone is denied or asked about; everything else is the agent's own business,
//! because a guard that cries wolf is switched off. Paths outside the repository are left to the
//! agent's own permission rules.

use aictx_proto::path::Located;

use crate::command::{
    CommandFinding, CommandRisk, Facts, Level, NoFacts, Place, Tier, command_risk,
};
use crate::path::path_risk;

/// Longest reason shown, in characters.
const MAX_REASON: usize = 400;

/// What to tell the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// No objection.
    Pass,
    /// The user should decide, for this reason.
    Ask(String),
    /// It must not happen, for this reason.
    Deny(String),
}

/// Judges an edit: recorded state is never edited by hand, git's own files only with consent.
pub fn hook_edit(path: &Located) -> HookVerdict {
    let Some(warning) = path_risk(path) else {
        return HookVerdict::Pass;
    };
    let reason = |advice: &str| reason(&warning.message, &warning.evidence, advice);
    match warning.code.as_str() {
        "generated_state_path" => HookVerdict::Deny(reason(
            "Use the aictx commands to change what is remembered; .aictx/memory/source/ may be edited.",
        )),
        "vcs_internals_path" => HookVerdict::Ask(reason("Use git commands instead.")),
        _ => HookVerdict::Pass,
    }
}

/// Judges a command line that would run in `cwd` of the repository at `root`, both absolute.
pub fn hook_command(command: &str, root: &str, cwd: &str) -> HookVerdict {
    hook_command_with(command, Place { root, cwd }, &NoFacts)
}

/// [`hook_command`] with what is known about the things the command would hit.
pub fn hook_command_with(command: &str, place: Place, facts: &dyn Facts) -> HookVerdict {
    hook_risk(&command_risk(command, place, facts))
}

/// The verdict on a command that was judged.
pub fn hook_risk(risk: &CommandRisk) -> HookVerdict {
    hook_findings(risk.findings.iter())
}

/// Whether no word of a policy makes a finding pass.
pub(crate) fn is_denied(finding: &CommandFinding) -> bool {
    let code = finding.warning.code.as_str();
    finding.tier == Tier::Catastrophic
        || matches!(
            code,
            "generated_state_path" | "forbidden_by_user" | "policy_denies"
        )
}

/// The verdict on these findings of a command; the worst of them is told.
pub(crate) fn hook_findings<'f>(findings: impl Iterator<Item = &'f CommandFinding>) -> HookVerdict {
    // Paths outside of the repository are the business of the agent's own rules.
    let counted = findings
        .filter(|finding| finding.warning.code != "path_outside_repo")
        .filter(|finding| finding.level == Level::Destructive);
    let rank = |finding: &CommandFinding| (is_denied(finding), finding.tier);
    let Some(worst) = counted.reduce(|worst, next| {
        if rank(next) > rank(worst) {
            next
        } else {
            worst
        }
    }) else {
        return HookVerdict::Pass;
    };
    let text = reason(&worst.warning.message, &worst.warning.evidence, "");
    if is_denied(worst) {
        HookVerdict::Deny(text)
    } else {
        HookVerdict::Ask(text)
    }
}

fn reason(message: &str, evidence: &[String], advice: &str) -> String {
    let mut text = format!("aictx: {message}");
    if !evidence.is_empty() {
        text.push_str(&format!(" ({})", evidence.join("; ")));
    }
    if !advice.is_empty() {
        text.push(' ');
        text.push_str(advice);
    }
    aictx_proto::text::truncate_chars(&aictx_proto::text::printable(&text), MAX_REASON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::path::locate;

    fn edit(path: &str) -> HookVerdict {
        hook_edit(&locate("/r", "/r", path))
    }

    fn command(text: &str) -> HookVerdict {
        hook_command(text, "/r", "/r")
    }

    #[test]
    fn state_files_are_denied_git_files_asked_about_the_rest_passes() {
        assert!(matches!(
            edit(".aictx/continuity/handoff.json"),
            HookVerdict::Deny(_)
        ));
        assert_eq!(edit(".aictx/memory/source/notes.md"), HookVerdict::Pass);
        assert!(matches!(edit(".git/config"), HookVerdict::Ask(_)));
        assert_eq!(edit("src/a.rs"), HookVerdict::Pass);
        assert_eq!(edit("/tmp/x"), HookVerdict::Pass);
        assert_eq!(edit(".env"), HookVerdict::Pass);
    }

    #[test]
    fn catastrophes_are_denied_destruction_asked_about() {
        assert!(matches!(command("rm -rf /"), HookVerdict::Deny(_)));
        assert!(matches!(command("sudo rm -rf ~"), HookVerdict::Deny(_)));
        assert!(matches!(
            command("git reset --hard HEAD~3"),
            HookVerdict::Ask(_)
        ));
        assert!(matches!(command("git checkout -- ."), HookVerdict::Ask(_)));
        for safe in [
            "cargo test",
            "git status",
            "echo rm -rf /",
            "rm -f parser.tmp",
            "cat .aictx/x | python -m json.tool",
            "ls /etc",
        ] {
            assert_eq!(command(safe), HookVerdict::Pass, "{safe}");
        }
    }
}
