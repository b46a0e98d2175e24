//! Budgets of a policy: how much an agent may do in one turn before its user is asked.
//!
//! A turn is what follows one request of the user. What counts is what was seen to happen; the next
//! request starts from nothing.

use std::collections::BTreeSet;

use aictx_proto::ledger::{LedgerKind, LedgerRow};
use serde::{Deserialize, Serialize};

use crate::hook::HookVerdict;
use crate::policy::Say;

/// Files of one turn that are told apart; more count once each.
const MAX_FILES: usize = 4096;

/// The most of one turn. What is absent has no bound.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    /// Different files edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// Commands run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<u32>,
    /// Commands run that delete or discard something, here or elsewhere, as far as the guard can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletions: Option<u32>,
    /// What is said beyond: `ask` (also when absent) once for each further budget's worth, `deny` until
    /// the user's next request, `allow` never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Say>,
}

/// What a turn did so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spent {
    files: BTreeSet<String>,
    /// Files beyond those that are told apart.
    more: u32,
    commands: u32,
    deletions: u32,
}

/// What is about to be done.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Files are edited; relative to the repository.
    Edit(&'a [String]),
    /// A command is run.
    Command {
        /// It deletes or discards something.
        deletes: bool,
    },
}

impl Budgets {
    /// Nothing has a bound.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These budgets with those of a repository over them: unless it is trusted, only what is stricter
    /// counts.
    pub(crate) fn tightened(self, over: Self, trusted: bool) -> Self {
        let least = |have: Option<u32>, new: Option<u32>| match (have, new) {
            (have, None) => have,
            (Some(have), Some(new)) if !trusted => Some(have.min(new)),
            (_, new) => new,
        };
        let said = match (self.over, over.over) {
            (have, None) => have,
            (_, Some(new)) if trusted => Some(new),
            // Asking is what is done when nothing is said.
            (have, Some(new)) => (new > have.unwrap_or(Say::Ask)).then_some(new).or(have),
        };
        Self {
            files: least(self.files, over.files),
            commands: least(self.commands, over.commands),
            deletions: least(self.deletions, over.deletions),
            over: said,
        }
    }

    /// The verdict on the next step of a turn.
    pub fn verdict(&self, spent: &Spent, step: Step) -> HookVerdict {
        let say = self.over.unwrap_or(Say::Ask);
        if say == Say::Allow {
            return HookVerdict::Pass;
        }
        let (files, commands, deletions) = spent.with(step);
        let had = spent.more.saturating_add(spent.files.len() as u32);
        let counted = [
            (self.files, had, files, "files edited"),
            (self.commands, spent.commands, commands, "commands run"),
            (self.deletions, spent.deletions, deletions, "deletions run"),
        ];
        for (budget, before, more, what) in counted {
            let Some(budget) = budget.filter(|_| more > 0) else {
                continue;
            };
            let after = before.saturating_add(more);
            let over = match say {
                Say::Deny => after > budget,
                // Once the user agreed, the work goes on for as much again.
                _ => budget == 0 || share(after, budget) > share(before, budget),
            };
            if over {
                let text = format!(
                    "aictx: the policy's budget of {budget} {what} in one turn is spent ({before} so far). Go on?"
                );
                return match say {
                    Say::Deny => HookVerdict::Deny(format!(
                        "aictx: the policy's budget of {budget} {what} in one turn is spent. Tell the user what is done and what is left; their next request starts a new one."
                    )),
                    _ => HookVerdict::Ask(text),
                };
            }
        }
        HookVerdict::Pass
    }
}

/// How many whole budgets were used up before the last of `count` things.
fn share(count: u32, budget: u32) -> u32 {
    count.saturating_sub(1) / budget.max(1)
}

impl Spent {
    /// What a session's ledger says of its last turn; `deletes` judges a command.
    pub fn of(rows: &[LedgerRow], deletes: impl Fn(&str) -> bool) -> Self {
        let asked = rows
            .iter()
            .rposition(|row| row.kind == LedgerKind::Prompt && row.agent_id.is_empty());
        let from = asked.map_or(0, |at| at + 1);
        let mut out = Self::default();
        for row in rows.get(from..).unwrap_or_default() {
            match row.kind {
                LedgerKind::Edit => out.add(Step::Edit(&row.paths)),
                LedgerKind::Command => {
                    out.add(Step::Command {
                        deletes: deletes(&row.command),
                    });
                    out.add(Step::Edit(&row.paths));
                }
                _ => {}
            }
        }
        out
    }

    /// Counts a step that was taken.
    pub fn add(&mut self, step: Step) {
        match step {
            Step::Edit(paths) => {
                for path in paths {
                    if self.files.len() < MAX_FILES {
                        self.files.insert(path.clone());
                    } else if !self.files.contains(path) {
                        self.more = self.more.saturating_add(1);
                    }
                }
            }
            Step::Command { deletes } => {
                self.commands = self.commands.saturating_add(1);
                self.deletions = self.deletions.saturating_add(u32::from(deletes));
            }
        }
    }

    /// New files, commands and deletions of a step.
    fn with(&self, step: Step) -> (u32, u32, u32) {
        match step {
            Step::Edit(paths) => {
                let new: BTreeSet<&String> = paths
                    .iter()
                    .filter(|path| !self.files.contains(*path))
                    .collect();
                (new.len() as u32, 0, 0)
            }
            Step::Command { deletes } => (0, 1, u32::from(deletes)),
        }
    }
}

/// Returns true if one of these kinds of effects is a deletion that a budget counts.
pub fn is_deletion(kinds: &[String]) -> bool {
    kinds.iter().any(|kind| {
        matches!(
            kind.as_str(),
            "delete" | "discard_changes" | "remote_delete" | "database_write" | "disk"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::Timestamp;

    fn edit(path: &str) -> Vec<String> {
        vec![path.to_owned()]
    }

    #[test]
    fn asking_comes_back_after_as_much_again() {
        let budgets = Budgets {
            files: Some(2),
            ..Budgets::default()
        };
        let mut spent = Spent::default();
        let mut asked = Vec::new();
        for file in ["a", "b", "a", "c", "d", "e"] {
            let paths = edit(file);
            let step = Step::Edit(&paths);
            if budgets.verdict(&spent, step) != HookVerdict::Pass {
                asked.push(file);
            }
            spent.add(step);
        }
        assert_eq!(asked, ["c", "e"]);
        // What was refused did not happen: it is asked again.
        let paths = edit("f");
        spent.add(Step::Edit(&paths));
        let paths = edit("g");
        assert!(matches!(
            budgets.verdict(&spent, Step::Edit(&paths)),
            HookVerdict::Ask(_)
        ));
        let many: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        let over = budgets.verdict(&Spent::default(), Step::Edit(&many));
        assert!(matches!(over, HookVerdict::Ask(_)));
    }

    #[test]
    fn denying_lasts_until_the_next_request() {
        let budgets = Budgets {
            deletions: Some(1),
            over: Some(Say::Deny),
            ..Budgets::default()
        };
        let deletes = |command: &str| command.starts_with("rm -r");
        let row = |kind, command: &str| LedgerRow {
            command: command.to_owned(),
            ..LedgerRow::observed(Timestamp::from_unix(1), kind)
        };
        let mut rows = vec![
            row(LedgerKind::Prompt, ""),
            row(LedgerKind::Command, "rm -r a"),
            row(LedgerKind::Command, "ls"),
        ];
        let step = Step::Command { deletes: true };
        let spent = Spent::of(&rows, deletes);
        assert!(matches!(
            budgets.verdict(&spent, step),
            HookVerdict::Deny(_)
        ));
        let other = Step::Command { deletes: false };
        assert_eq!(budgets.verdict(&spent, other), HookVerdict::Pass);
        rows.push(row(LedgerKind::Prompt, ""));
        let spent = Spent::of(&rows, deletes);
        assert_eq!(budgets.verdict(&spent, step), HookVerdict::Pass);
    }

    #[test]
    fn a_repository_only_takes_away() {
        let user = Budgets {
            files: Some(10),
            over: Some(Say::Ask),
            ..Budgets::default()
        };
        let theirs = Budgets {
            files: Some(50),
            commands: Some(5),
            over: Some(Say::Allow),
            ..Budgets::default()
        };
        let strict = user.clone().tightened(theirs.clone(), false);
        assert_eq!(
            (strict.files, strict.commands, strict.over),
            (Some(10), Some(5), Some(Say::Ask))
        );
        let trusted = user.tightened(theirs, true);
        assert_eq!((trusted.files, trusted.over), (Some(50), Some(Say::Allow)));
    }
}
