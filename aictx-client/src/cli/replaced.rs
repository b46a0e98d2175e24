//! Commands and options of the Python program of the same name that have no meaning here, and what
//! takes their place.
//!
//! Options that do have a meaning are part of [`super::arguments`]. The table is only consulted
//! once the parser has refused a command line, so that it can never hide an option of ours.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::error::CliError;

/// An option of a command, or with an empty `flag` the command and everything behind it.
struct Replaced {
    command: &'static str,
    flag: &'static str,
    instead: &'static str,
}

const fn replaced(command: &'static str, flag: &'static str, instead: &'static str) -> Replaced {
    Replaced {
        command,
        flag,
        instead,
    }
}

const WORKSPACES: &str =
    "there are no workspaces: `aictx init` registers each repository, `aictx repo list` shows them";
const SKILLS: &str =
    "executions are not recorded by skill: leave it out, and name the skill in --task";

#[rustfmt::skip]
const TABLE: &[Replaced] = &[
    replaced("", "--banner", "no banner is printed: `aictx version` shows the versions"),
    replaced("doctor", "--release-readiness", "it checked the Makefile of the Python program itself: `aictx doctor --exit-code` is the strict form"),
    replaced("view", "--online", "nothing is published: `aictx view --output FILE` writes the view, and --mermaid its diagram"),
    replaced("internal", "--execution-mode", SKILLS),
    replaced("internal", "--skill-id", SKILLS),
    replaced("internal", "--skill-name", SKILLS),
    replaced("internal", "--skill-path", SKILLS),
    replaced("internal", "--skill-source", SKILLS),
    replaced("internal workspace", "", WORKSPACES),
    replaced("internal query", "", "`aictx recall TEXT` searches what is remembered"),
    replaced("internal route", "", "`aictx prepare GOAL` shows what to look at for a goal"),
    replaced("internal migrate", "", "files of earlier versions are read as they are: nothing has to be migrated"),
    replaced("internal detect-stale", "", "`aictx internal compact` shows which memory is obsolete"),
    replaced("internal ensure-gitignore", "", "`aictx init` keeps memory out of git, `aictx init --portable-continuity` shares it"),
    replaced("internal touch", "", "use is recorded as memory is shown: `aictx pin ID` keeps an item first"),
    replaced("internal new-note", "", "`aictx remember TEXT` adds a note"),
    replaced("internal failure", "", "`aictx finalize --status failure --error TEXT` records a failure"),
    replaced("internal task-memory", "", "`aictx remember TEXT` adds a rule, `aictx finalize` learns from the work"),
    replaced("internal memory-graph", "", "`aictx recall TEXT` searches what is remembered, `aictx memory list` lists it"),
];

/// Explains a command line that the parser refused because of something the Python program had.
pub(super) fn explain(refused: &clap::Error, words: &[&str]) -> Option<CliError> {
    let named = match refused.kind() {
        ErrorKind::InvalidSubcommand => "",
        ErrorKind::UnknownArgument | ErrorKind::InvalidValue => {
            let Some(ContextValue::String(argument)) = refused.get(ContextKind::InvalidArg) else {
                return None;
            };
            argument.split([' ', '=']).next().unwrap_or_default()
        }
        _ => return None,
    };
    let words: Vec<&str> = words
        .iter()
        .copied()
        .filter(|w| !w.starts_with('-'))
        .collect();
    let entry = TABLE.iter().find(|entry| {
        entry.flag == named
            && words.starts_with(&entry.command.split_whitespace().collect::<Vec<_>>())
    })?;
    let name = format!("{} {}", entry.command, entry.flag);
    Some(CliError::usage(format!(
        "`aictx {}` is not part of this version; {}",
        name.trim(),
        entry.instead
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help;

    fn said(arguments: &[&str]) -> Option<String> {
        let argv = [&["aictx"], arguments].concat();
        let refused = help::command().try_get_matches_from(argv).unwrap_err();
        explain(&refused, arguments).map(|error| error.message)
    }

    #[test]
    fn every_entry_is_reached_and_hides_no_option_of_ours() {
        for entry in TABLE {
            let mut line: Vec<&str> = entry.command.split_whitespace().collect();
            match (entry.command, entry.flag) {
                (_, "") => line.push("x"),
                ("internal", flag) => line.extend(["run-execution", flag, "x"]),
                (_, flag) => line.extend([flag, "x"]),
            }
            let text = said(&line).unwrap_or_else(|| panic!("{line:?}"));
            assert!(text.ends_with(entry.instead), "{line:?}: {text}");
            assert!(!text.contains('\n') && text.len() < 200, "{text}");
        }
    }

    #[test]
    fn what_nobody_ever_had_is_not_explained() {
        for line in [
            &["install", "--nonsense"][..],
            &["statsu"],
            &["internal", "x"],
            &["resume", "--manual"],
        ] {
            assert_eq!(said(line), None, "{line:?}");
        }
    }
}
