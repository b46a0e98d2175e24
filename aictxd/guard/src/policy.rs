//! Policy: what a user, or a repository that the user trusts, wants the guard to say.
//!
//! A repository's policy that is not trusted can only make verdicts worse: repository content never
//! lowers a finding for itself.

use std::collections::BTreeMap;

use aictx_proto::path::RepoPath;
use aictx_proto::pattern::PathPattern;
use serde::{Deserialize, Serialize};

use crate::hook::HookVerdict;

/// Entries of each list of a policy.
const MAX_ENTRIES: usize = 256;
/// Longest entry, in bytes.
const MAX_ENTRY: usize = 400;

/// What to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Say {
    /// Nothing; what the guard itself says of catastrophes stays.
    Allow,
    /// The user is asked.
    Ask,
    /// It must not happen.
    Deny,
}

/// A policy file. Unknown members are refused by whoever reads the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// By kind of effect (`delete`, `publish`, `database_write`, …), see `command_risk.effects`.
    pub effects: BTreeMap<String, Say>,
    /// By path or pattern: what is said when it is edited.
    pub paths: BTreeMap<String, Say>,
    /// By command, `*` standing for any text: the first words decide.
    pub commands: BTreeMap<String, Say>,
    /// Whether an agent is asked back at the end of a turn whose edits nobody checked.
    pub stop_gate: Option<bool>,
    /// What is said when another live session is at work on a file; a note when absent.
    pub parallel_edits: Option<Say>,
}

/// What holds: the user's policy, and a repository's over it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The policy.
    pub policy: Policy,
}

impl Rules {
    /// Puts a repository's policy over the user's. Unless it is trusted, only what is stricter counts.
    pub fn of(user: Policy, repository: Option<Policy>, trusted: bool) -> Self {
        let Some(over) = repository else {
            return Self { policy: user };
        };
        let mut policy = user;
        let merge = |into: &mut BTreeMap<String, Say>, from: BTreeMap<String, Say>| {
            for (name, say) in from.into_iter().take(MAX_ENTRIES) {
                if name.len() > MAX_ENTRY {
                    continue;
                }
                match into.get(&name) {
                    Some(have) if !trusted && *have >= say => {}
                    None if !trusted && say == Say::Allow => {}
                    _ => {
                        into.insert(name, say);
                    }
                }
            }
        };
        merge(&mut policy.effects, over.effects);
        merge(&mut policy.paths, over.paths);
        merge(&mut policy.commands, over.commands);
        policy.stop_gate = match (over.stop_gate, policy.stop_gate) {
            (Some(gate), _) if trusted => Some(gate),
            // Asking back is the stricter one.
            (Some(true), _) => Some(true),
            (_, have) => have,
        };
        policy.parallel_edits = match (over.parallel_edits, policy.parallel_edits) {
            (Some(say), _) if trusted => Some(say),
            (Some(say), have) if have.is_none_or(|have| say > have) && say != Say::Allow => {
                Some(say)
            }
            (_, have) => have,
        };
        Self { policy }
    }

    /// Whether the gate at the end of a turn is on; it is unless somebody says otherwise.
    pub fn stop_gate(&self) -> bool {
        self.policy.stop_gate.unwrap_or(true)
    }

    /// What the policy says of editing a path.
    pub fn of_path(&self, path: &RepoPath) -> Option<(Say, &str)> {
        let found = self.policy.paths.iter().filter(|(entry, _)| {
            let below =
                RepoPath::parse(entry).is_ok_and(|dir| !dir.is_root() && path.starts_with(&dir));
            below || PathPattern::new(entry).matches(path)
        });
        found
            .map(|(entry, say)| (*say, entry.as_str()))
            .max_by_key(|(say, _)| *say)
    }

    /// What it says of a command with these effects; the strictest word counts, and an explicit word
    /// on the command counts more than one on its effects.
    pub fn of_command(&self, command: &str, effects: &[String]) -> Option<(Say, String)> {
        let words = command.split_whitespace().collect::<Vec<_>>().join(" ");
        let named = self
            .policy
            .commands
            .iter()
            .filter(|(entry, _)| matches_command(entry, &words));
        let strictest = |found: Vec<(Say, String)>| found.into_iter().max_by_key(|(say, _)| *say);
        let by_command = strictest(named.map(|(entry, say)| (*say, entry.clone())).collect());
        by_command.or_else(|| {
            let found = effects
                .iter()
                .filter_map(|kind| Some((*self.policy.effects.get(kind)?, kind.clone())));
            strictest(found.collect())
        })
    }

    /// The guard's verdict with the policy's word in it. What is catastrophic stays denied whatever a
    /// policy says.
    pub fn apply(&self, verdict: HookVerdict, said: Option<(Say, String)>) -> HookVerdict {
        let Some((say, entry)) = said else {
            return verdict;
        };
        let text = || format!("aictx: your policy says so ({entry}).");
        match (say, verdict) {
            (Say::Deny, HookVerdict::Pass | HookVerdict::Ask(_)) => HookVerdict::Deny(text()),
            (Say::Ask, HookVerdict::Pass) => HookVerdict::Ask(text()),
            (Say::Allow, HookVerdict::Ask(_)) => HookVerdict::Pass,
            (_, verdict) => verdict,
        }
    }
}

/// Whether a command begins as an entry does; `*` stands for any text. Linear in both.
fn matches_command(entry: &str, command: &str) -> bool {
    let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = entry.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = command.strip_prefix(first) else {
        return false;
    };
    let mut any = false;
    for part in parts {
        any = true;
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    any || rest.is_empty() || rest.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(effects: &[(&str, Say)], commands: &[(&str, Say)]) -> Policy {
        let map = |list: &[(&str, Say)]| list.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect();
        Policy {
            effects: map(effects),
            commands: map(commands),
            ..Policy::default()
        }
    }

    #[test]
    fn a_repository_only_tightens_until_it_is_trusted() {
        let user = policy(&[("delete", Say::Ask)], &[("make deploy", Say::Deny)]);
        let repository = policy(
            &[
                ("delete", Say::Allow),
                ("publish", Say::Deny),
                ("disk", Say::Allow),
            ],
            &[("make deploy", Say::Allow)],
        );
        let rules = Rules::of(user.clone(), Some(repository.clone()), false);
        assert_eq!(rules.policy.effects["delete"], Say::Ask);
        assert_eq!(rules.policy.effects["publish"], Say::Deny);
        assert!(!rules.policy.effects.contains_key("disk"));
        assert_eq!(
            rules.of_command("make deploy now", &[]).unwrap().0,
            Say::Deny
        );
        let trusted = Rules::of(user, Some(repository), true);
        assert_eq!(trusted.policy.effects["delete"], Say::Allow);
        assert_eq!(
            trusted.of_command("make deploy", &[]).unwrap().0,
            Say::Allow
        );
    }

    #[test]
    fn words_of_a_policy_and_what_stays() {
        let rules = Rules::of(
            policy(
                &[("delete", Say::Deny)],
                &[("terraform apply*", Say::Ask), ("git push", Say::Allow)],
            ),
            None,
            false,
        );
        let deletes = ["delete".to_owned()];
        assert_eq!(rules.of_command("rm -rf x", &deletes).unwrap().0, Say::Deny);
        assert_eq!(
            rules.of_command("terraform apply -auto", &[]).unwrap().0,
            Say::Ask
        );
        assert_eq!(rules.of_command("git pushy", &[]), None);
        assert_eq!(
            rules.apply(
                HookVerdict::Ask("x".into()),
                Some((Say::Allow, "git push".into()))
            ),
            HookVerdict::Pass
        );
        let denied = HookVerdict::Deny("rm -rf /".into());
        assert_eq!(
            rules.apply(denied.clone(), Some((Say::Allow, "e".into()))),
            denied
        );
        assert!(matches!(
            rules.apply(HookVerdict::Pass, Some((Say::Deny, "e".into()))),
            HookVerdict::Deny(_)
        ));
    }

    #[test]
    fn paths_of_a_policy_cover_what_is_below() {
        let mut policy = Policy::default();
        policy.paths.insert("infra".into(), Say::Deny);
        policy.paths.insert("**/*.sql".into(), Say::Ask);
        let rules = Rules::of(policy, None, false);
        let say = |path: &str| rules.of_path(&RepoPath::parse(path).unwrap()).map(|s| s.0);
        assert_eq!(say("infra/main.tf"), Some(Say::Deny));
        assert_eq!(say("db/x.sql"), Some(Say::Ask));
        assert_eq!(say("src/a.rs"), None);
    }

    proptest::proptest! {
        #[test]
        fn untrusted_policies_never_lower(kind in "[a-z]{1,6}", user in 0..3u8, repo in 0..3u8) {
            let say = |n: u8| [Say::Allow, Say::Ask, Say::Deny][usize::from(n)];
            let rules = Rules::of(policy(&[(&kind, say(user))], &[]), Some(policy(&[(&kind, say(repo))], &[])), false);
            assert!(rules.policy.effects[&kind] >= say(user));
        }
    }
}
