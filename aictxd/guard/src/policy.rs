//! Policy: what a user, or a repository that the user trusts, wants the guard to say.
//!
//! A repository's policy that is not trusted can only make verdicts worse: repository content never
//! lowers a finding for itself.

use std::collections::{BTreeMap, BTreeSet};

use aictx_proto::path::RepoPath;
use aictx_proto::pattern::PathPattern;
use aictx_proto::pattern::names_below;
use aictx_shell::{Dialect, Redirect, RedirectKind, SimpleCommand, Word};
use serde::{Deserialize, Serialize};

use crate::budgets::Budgets;
use crate::command::{CommandFinding, CommandRisk, Kind, Kinds, Level};
use crate::hook::{HookVerdict, along_note, hook_findings, is_denied};

/// Entries of each list of a policy.
const MAX_ENTRIES: usize = 256;
/// Longest entry, in bytes.
const MAX_ENTRY: usize = 400;

/// Among effects, the name for having none: see [`crate::only_reads`]. It can only be allowed.
pub const READ_ONLY: &str = "read_only";

/// Why a command is asked about while a policy cannot be read.
const UNREAD: &str = "aictx: there is a policy that cannot be read, so what it says of this is not known \
                      (`aictx trust` says what is wrong with it).";

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
    /// By command, `*` standing for any text. What asks or denies counts for all that begins so, what
    /// allows for the whole command only.
    pub commands: BTreeMap<String, Say>,
    /// True if an agent is asked back at the end of a turn whose edits nobody checked.
    pub stop_gate: Option<bool>,
    /// What is said when another live session is at work on a file; a note when absent.
    pub parallel_edits: Option<Say>,
    /// How much an agent may do in one turn before its user is asked.
    #[serde(skip_serializing_if = "Budgets::is_empty")]
    pub budgets: Budgets,
}

/// What holds: the user's policy, and a repository's over it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The policy.
    pub policy: Policy,
    /// Entries that are the repository's word and not the user's.
    theirs: BTreeSet<String>,
    /// There is a policy that cannot be read, and nothing is known of what it said before.
    pub unread: bool,
}

impl Rules {
    /// Puts a repository's policy over the user's. Unless it is trusted, only what is stricter counts.
    pub fn of(user: Policy, repository: Option<Policy>, trusted: bool) -> Self {
        let Some(over) = repository else {
            return Self {
                policy: user,
                ..Self::default()
            };
        };
        let mut policy = user;
        let mut theirs = BTreeSet::new();
        let mut merge = |into: &mut BTreeMap<String, Say>, from: BTreeMap<String, Say>| {
            for (name, say) in from.into_iter().take(MAX_ENTRIES) {
                if name.len() > MAX_ENTRY {
                    continue;
                }
                match into.get(&name) {
                    Some(have) if !trusted && *have >= say => {}
                    None if !trusted && say == Say::Allow => {}
                    have => {
                        if have != Some(&say) {
                            theirs.insert(name.clone());
                        }
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
        policy.budgets = policy.budgets.tightened(over.budgets, trusted);
        Self {
            policy,
            theirs,
            unread: false,
        }
    }

    /// Returns true if command lines that provably only read need no question of the agent's own.
    pub fn allows_reading(&self) -> bool {
        !self.unread && self.policy.effects.get(READ_ONLY) == Some(&Say::Allow)
    }

    /// Returns true if the gate at the end of a turn is on; it is unless somebody says otherwise.
    pub fn stop_gate(&self) -> bool {
        self.policy.stop_gate.unwrap_or(true)
    }

    /// What the policy says of editing a path, and whose word that is.
    pub fn on_path(&self, path: &RepoPath) -> Option<(Say, String)> {
        let (say, entry) = self.of_path(path)?;
        Some((say, self.whose(entry)))
    }

    /// What the policy says of editing files outside of the repository, and whose word that is.
    pub fn on_outside(&self) -> Option<(Say, String)> {
        let kind = Kind::OutsideRepository.as_str();
        let say = self.policy.effects.get(kind)?;
        Some((*say, self.whose(kind)))
    }

    /// What the policy says, other than to allow it, of something below a directory.
    pub fn below(&self, directory: &RepoPath) -> Option<(Say, String)> {
        self.strictest_path(|entry| names_below([fixed(entry)], directory))
    }

    /// The same of files that end in one of some ways.
    pub fn among(&self, directory: &RepoPath, endings: &[&str]) -> Option<(Say, String)> {
        self.strictest_path(|entry| {
            crate::protected_paths::names_among([fixed(entry)], directory, endings)
        })
    }

    /// The same of something that a pattern stands for.
    pub fn like(&self, pattern: &str) -> Option<(Say, String)> {
        let last = PathPattern::new(pattern.rsplit('/').next().unwrap_or(pattern));
        let whole = PathPattern::new(pattern);
        self.strictest_path(|entry| {
            let named = match anywhere(entry) {
                Some(name) => RepoPath::parse(name).map(|name| last.matches(&name)),
                None => RepoPath::parse(fixed(entry)).map(|path| whole.matches(&path)),
            };
            named.unwrap_or(false)
        })
    }

    fn strictest_path(&self, is_it: impl Fn(&str) -> bool) -> Option<(Say, String)> {
        let entries = self.policy.paths.iter();
        let (entry, say) = entries
            .filter(|(entry, say)| **say != Say::Allow && is_it(entry))
            .max_by_key(|(_, say)| **say)?;
        Some((*say, self.whose(entry)))
    }

    /// Returns true if it speaks of paths at all.
    pub fn has_paths(&self) -> bool {
        !self.policy.paths.is_empty()
    }

    /// Returns true if it says to ask about commands, or to deny them, by their words.
    pub fn has_commands(&self) -> bool {
        (self.policy.commands.values()).any(|say| *say != Say::Allow)
    }

    /// The kinds of effects that it says to ask about, or to deny.
    pub fn minded(&self) -> Kinds {
        let effects = self.policy.effects.iter();
        Kinds::named(
            effects
                .filter(|(_, say)| **say != Say::Allow)
                .map(|(kind, _)| kind.as_str()),
        )
    }

    /// Whose word an entry is, in words.
    fn whose(&self, entry: &str) -> String {
        let whose = match self.theirs.contains(entry) {
            true => "this repository's",
            false => "your",
        };
        format!("{whose} policy says so ({entry})")
    }

    /// What the policy says of editing a path.
    pub fn of_path(&self, path: &RepoPath) -> Option<(Say, &str)> {
        let found = self
            .policy
            .paths
            .iter()
            .filter(|(entry, _)| names(entry, path));
        found
            .map(|(entry, say)| (*say, entry.as_str()))
            .max_by_key(|(say, _)| *say)
    }

    /// The verdict on a command line whose risk was judged, with the policy's words in it.
    ///
    /// - A word to ask or deny counts for every command of the line that begins as its entry does, and
    ///   for every kind of effect; the strictest decides.
    /// - `allow` takes away what one simple command was found to do, and nothing else: its entry must
    ///   be that whole command (`*` stands for any text), or name the kind of that very effect. It does
    ///   not reach what the guard itself denies.
    pub fn on_command(&self, line: &str, risk: &CommandRisk) -> HookVerdict {
        let (left, said) = self.weigh(line, risk);
        let verdict = self.apply(hook_findings(left.into_iter()), said);
        // What nobody can read may forbid just this.
        if self.unread && verdict == HookVerdict::Pass && risk.level() > Level::Safe {
            return HookVerdict::Ask(UNREAD.to_owned());
        }
        verdict
    }

    /// What to tell an agent whose command takes along changes that are not its own, and whether the user is asked.
    pub fn on_taking_along(&self, line: &str, risk: &CommandRisk) -> Option<(String, bool)> {
        along_note(risk.findings.iter())?;
        along_note(self.weigh(line, risk).0.into_iter())
    }

    /// What is left of the findings on a command line when the policy has allowed what it allows, and
    /// the strictest of its other words with whose it is.
    pub(crate) fn weigh<'r>(
        &self,
        line: &str,
        risk: &'r CommandRisk,
    ) -> (Vec<&'r CommandFinding>, Option<(Say, String)>) {
        let script = if self.policy.commands.is_empty() {
            None
        } else {
            Some(aictx_shell::analyse(line, Dialect::Posix))
        };
        let commands = script.as_ref().map_or(&[][..], |s| s.commands.as_slice());
        let left: Vec<&'r CommandFinding> = risk
            .findings
            .iter()
            .filter(|finding| {
                is_denied(finding) || !self.allows(finding.kind, finding.segment, commands)
            })
            .collect();
        // What is no finding is there to be minded, and so is what the line shows of it.
        let quiet = risk.quiet.iter();
        let quiet = quiet.filter(|(kind, segment)| !self.allows(*kind, *segment, commands));
        let said = strictest(
            self.by_command(line, commands, &risk.runs)
                .into_iter()
                .chain(left.iter().filter_map(|f| self.by_effect(f.kind)))
                .chain(quiet.filter_map(|(kind, _)| self.by_effect(*kind))),
        );
        (left, said.map(|(say, entry)| (say, self.whose(&entry))))
    }

    /// The strictest word to ask or deny among those on commands: on those that the line shows, and on whatever else
    /// it `runs`.
    fn by_command(
        &self,
        line: &str,
        commands: &[SimpleCommand],
        runs: &[String],
    ) -> Option<(Say, String)> {
        if self.policy.commands.is_empty() {
            return None;
        }
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let texts: Vec<String> = commands.iter().map(text_of).collect();
        let texts = || texts.iter().chain(runs);
        let entries = self.policy.commands.iter();
        let entries = entries.filter(|(_, say)| **say != Say::Allow);
        let hit = entries.filter(|(entry, _)| {
            let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
            // A program is the same one wherever it lies.
            let program = entry.split(' ').next().unwrap_or_default();
            let bare = program.rfind('/').map(|at| at + 1);
            let bare = bare.and_then(|at| entry.get(at..)).unwrap_or(&entry);
            begins_as(&entry, &words)
                || texts().any(|text| begins_as(&entry, text) || begins_as(bare, text))
        });
        strictest(hit.map(|(entry, say)| (*say, entry.clone())))
    }

    /// The word on a kind of effect.
    fn by_effect(&self, kind: Kind) -> Option<(Say, String)> {
        let kind = kind.as_str();
        let say = *self.policy.effects.get(kind)?;
        (say != Say::Allow).then(|| (say, kind.to_owned()))
    }

    /// Returns true if the user allows what a simple command does. A word on the command counts more than one on
    /// its effect.
    fn allows(&self, kind: Kind, segment: Option<usize>, commands: &[SimpleCommand]) -> bool {
        let effect = self.policy.effects.get(kind.as_str());
        if effect == Some(&Say::Allow) {
            return true;
        }
        let command = segment.and_then(|at| commands.get(at));
        let Some(command) = command.filter(|command| is_plain(command)) else {
            return false;
        };
        let text = text_of(command);
        let entries = self.policy.commands.iter();
        entries
            .filter(|(_, say)| **say == Say::Allow)
            .any(|(entry, _)| is_whole(entry, &text))
    }

    /// The guard's verdict with the policy's word in it. What is catastrophic stays denied whatever a
    /// policy says.
    pub fn apply(&self, verdict: HookVerdict, said: Option<(Say, String)>) -> HookVerdict {
        let Some((say, whose)) = said else {
            return verdict;
        };
        let text = || format!("aictx: {whose}.");
        match (say, verdict) {
            (Say::Deny, HookVerdict::Pass | HookVerdict::Ask(_)) => HookVerdict::Deny(text()),
            (Say::Ask, HookVerdict::Pass) => HookVerdict::Ask(text()),
            (Say::Allow, HookVerdict::Ask(_)) => HookVerdict::Pass,
            (_, verdict) => verdict,
        }
    }
}

/// The name of an entry that is meant at every depth, as git reads what it is told to ignore: one without a slash
/// but at its end.
fn anywhere(entry: &str) -> Option<&str> {
    let name = entry.trim().trim_end_matches('/');
    (!name.is_empty() && name != "." && !name.contains(['/', '\\'])).then_some(name)
}

/// An entry that is meant from the root, without the slash that may say so.
fn fixed(entry: &str) -> &str {
    let entry = entry.trim();
    entry.strip_prefix('/').unwrap_or(entry)
}

/// Returns true if an entry of a policy stands for a path, or for a directory that it is in.
fn names(entry: &str, path: &RepoPath) -> bool {
    let Some(name) = anywhere(entry) else {
        return covers(fixed(entry), path);
    };
    if !name.contains(['*', '?', '[']) {
        return path.segments().any(|segment| segment == name);
    }
    let pattern = PathPattern::new(name);
    let is_it = |segment: &str| RepoPath::parse(segment).is_ok_and(|one| pattern.matches(&one));
    path.segments().any(is_it)
}

/// Returns true if an entry, a path or a pattern, stands for a path or for a directory that it is in.
pub fn covers(entry: &str, path: &RepoPath) -> bool {
    let below = RepoPath::parse(entry).is_ok_and(|dir| !dir.is_root() && path.starts_with(&dir));
    below || PathPattern::new(entry).matches(path)
}

fn strictest(said: impl IntoIterator<Item = (Say, String)>) -> Option<(Say, String)> {
    said.into_iter().max_by_key(|(say, _)| *say)
}

/// Program and arguments as one text.
fn text_of(command: &SimpleCommand) -> String {
    let words: Vec<&str> = command.words.iter().map(|w| w.text.as_str()).collect();
    words.join(" ")
}

/// Returns true if the words of a command are all there is to it: it runs here, as this user, on operands that
/// the line shows, and writes to no file.
fn is_plain(command: &SimpleCommand) -> bool {
    let known = |word: &Word| !word.unknown && word.inner.is_none() && word.others.is_empty();
    let harmless = |redirect: &Redirect| match redirect.kind {
        RedirectKind::Duplicate => true,
        RedirectKind::Write | RedirectKind::Append => redirect.target.text == "/dev/null",
        _ => false,
    };
    // Below where the line started: the same words elsewhere hit other things.
    let here = command
        .dir
        .as_deref()
        .is_some_and(|dir| !dir.starts_with('/') && !dir.split('/').any(|part| part == ".."));
    here && !command.remote
        && !command.elevated
        && !command.fed
        && command.assignments.is_empty()
        && command.words.iter().all(known)
        && command.redirects.iter().all(harmless)
}

/// Returns true if a command begins as an entry does; `*` stands for any text. Linear in both.
/// The entry has one blank between its words.
fn begins_as(entry: &str, command: &str) -> bool {
    match after(entry, command) {
        Some(_) if entry.contains('*') => true,
        Some(rest) => rest.is_empty() || rest.starts_with(' '),
        None => false,
    }
}

/// Returns true if an entry is the whole of a command; `*` stands for any text.
fn is_whole(entry: &str, command: &str) -> bool {
    let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
    match entry.rsplit_once('*') {
        None => entry == command,
        Some((front, end)) => after(front, command).is_some_and(|rest| rest.ends_with(end)),
    }
}

/// What follows the earliest text that an entry stands for at the front of a command.
fn after<'c>(entry: &str, command: &'c str) -> Option<&'c str> {
    let mut parts = entry.split('*');
    let mut rest = command.strip_prefix(parts.next().unwrap_or_default())?;
    for part in parts {
        let at = rest.find(part)?;
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    Some(rest)
}

#[cfg(test)]
mod tests;
