//! The verdict on a tool call that an agent is about to make.
//!
//! What cannot be undone is denied or asked about; everything else is the agent's own business,
//! because a guard that cries wolf is switched off. That goes for files outside of the repository, too
//!: the user is asked, but not about temporary files and the agent's own notes.

use aictx_proto::path::Located;

use crate::command::{
    CommandFinding, CommandRisk, Facts, Kind, Level, NoFacts, Place, Tier, command_risk,
    is_agents_own,
};
use crate::finding_codes::TAKES_OTHERS_CHANGES;
use crate::protected_paths::path_risk;

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

/// Judges an edit of a path, given as located and as the absolute one: recorded state is never edited by
/// hand, git's own files and what lies outside of the repository only with consent.
pub fn hook_edit(path: &Located, absolute: &str) -> HookVerdict {
    let Some(warning) = path_risk(path) else {
        return HookVerdict::Pass;
    };
    let reason = |advice: &str| reason(&warning.message, &warning.evidence, advice);
    match warning.code.as_str() {
        "generated_state_path" => HookVerdict::Deny(reason(
            "Use the aictx commands to change what is remembered; .aictx/memory/source/ may be edited.",
        )),
        "vcs_internals_path" => HookVerdict::Ask(reason("Use git commands instead.")),
        "path_outside_repo" if !is_agents_own(absolute) => HookVerdict::Ask(reason("")),
        _ => HookVerdict::Pass,
    }
}

/// Judges a call that throws away what was not committed, such as leaving a worktree with its changes.
pub fn hook_discard() -> HookVerdict {
    HookVerdict::Ask(reason(
        "this throws away changes that were not committed; they cannot be brought back.",
        &[],
        "Commit or stash them first, or ask the user.",
    ))
}

/// Judges a call that nobody could read.
pub fn hook_unreadable() -> HookVerdict {
    HookVerdict::Ask(reason(
        "what this call would do could not be read, so nothing was checked.",
        &[],
        "Let the user look at it.",
    ))
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

/// Returns true if no word of a policy makes a finding pass.
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
    // Of what is taken along, the policy on parallel edits decides.
    let asks = |f: &CommandFinding| f.asks && f.kind != Kind::TakeAlong;
    let counted = findings.filter(|f| f.level == Level::Destructive || asks(f));
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
    let text = sentence(worst);
    if is_denied(worst) {
        HookVerdict::Deny(text)
    } else {
        HookVerdict::Ask(text)
    }
}

/// What to tell an agent whose command takes along changes that are not its own, and whether the user is asked.
pub(crate) fn along_note<'f>(
    mut findings: impl Iterator<Item = &'f CommandFinding>,
) -> Option<(String, bool)> {
    let found = findings.find(|f| f.warning.code == TAKES_OTHERS_CHANGES.code)?;
    let note = reason(&found.warning.message, &found.warning.evidence, "");
    Some((note, found.asks))
}

/// What stands in the way of a command, in one sentence: the rule and whose it is, what the command would do to what,
/// and how to go on.
fn sentence(finding: &CommandFinding) -> String {
    let evidence = &finding.warning.evidence;
    let (verb, targets) = match evidence.split_first() {
        Some((verb, targets)) if *verb == finding.verb => (verb.as_str(), targets),
        _ => ("", evidence.as_slice()),
    };
    let what = targets.join(", ");
    let does = match verb {
        "" | ">" | ">>" => "this command".to_owned(),
        verb => format!("`{verb}`"),
    };
    let on = match what.is_empty() {
        true => String::new(),
        false => format!(" ({what})"),
    };
    let text = match finding.warning.code.as_str() {
        "forbidden_by_user" => {
            let (path, words) = match targets.split_first() {
                Some((path, [words, ..])) => (path.as_str(), format!(": \"{words}\"")),
                Some((path, [])) => (path.as_str(), " that it must not be touched".to_owned()),
                None => ("a path", " that it must not be touched".to_owned()),
            };
            format!(
                "the user said in this session{words}; {does} would change {path}. Leave it as it is and go on without it, or ask the user to lift the limit."
            )
        }
        "destructive_command" => {
            let loss = finding.kind.loss();
            let next = match is_denied(finding) {
                true => "Name exactly what is meant, or let the user run it.",
                false => "The user decides.",
            };
            format!("what may not come back is guarded: {does} {loss}{on}. {next}")
        }
        _ => return reason(&finding.warning.message, evidence, ""),
    };
    aictx_proto::shown::line(&format!("aictx: {text}"), MAX_REASON)
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
    aictx_proto::shown::line(&text, MAX_REASON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::path::locate;

    fn edit(path: &str) -> HookVerdict {
        hook_edit(&locate("/r", "/r", path), path)
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
    fn files_elsewhere_are_asked_about_unless_temporary_or_the_agents_own() {
        for asked in [
            "/etc/hosts",
            "/home/u/.bashrc",
            "/home/u/other/src/a.rs",
            "/home/u/.claude/settings.json",
            "/home/u/.claude/plans/../settings.json",
            "../x",
        ] {
            assert!(matches!(edit(asked), HookVerdict::Ask(_)), "{asked}");
        }
        for passed in [
            "/tmp/x",
            "/home/u/.claude/plans/x.md",
            "/home/u/.claude/projects/r/memory/m.md",
            "/home/u/.cache/x",
        ] {
            assert_eq!(edit(passed), HookVerdict::Pass, "{passed}");
        }
        assert!(matches!(
            command("echo x > /etc/passwd"),
            HookVerdict::Ask(_)
        ));
        assert_eq!(command("echo x > /tmp/out"), HookVerdict::Pass);
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
