//! What a session is told about others, about its user's limits, and about work that nobody checked.

use aictx_proto::Timestamp;
use aictx_proto::path::Located;
use aictx_proto::shown::{Code, Line, Name};
use aictx_proto::text::clean;
use aictx_steer::{EVERYTHING, SteerState, SteerVerdict, readable_entries};

use crate::hook::HookVerdict;

/// A file that somebody else changed, or is at work on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parallel {
    /// The other session; empty when nobody that we know changed it.
    pub session: String,
    /// Its agent.
    pub runner: String,
    /// When it edited the file.
    pub at: Option<Timestamp>,
    /// The session that asks had read the file before.
    pub read_before: bool,
    /// The other claimed the path; nothing was changed yet, as far as is known.
    pub claimed: bool,
    /// The session that asks was told before, and went on.
    pub old_news: bool,
    /// The other has ended since.
    pub ended: bool,
    /// It is not known to have edited the file: that was changed while a command of it ran.
    pub by_command: bool,
}

impl Parallel {
    /// Returns true if somebody is at work there, which a policy may forbid; a file that is only not as it was read
    /// can be read again.
    pub fn is_at_work(&self) -> bool {
        !self.session.is_empty() && !self.ended
    }
}

/// What to tell an agent that is about to edit a file which is not as it knows it. Advice, in one
/// line: the agent can read the file again.
pub fn parallel_note(path: &str, parallel: &Parallel, now: Timestamp) -> String {
    let path = Name::new(path, 160);
    let when = parallel
        .at
        .map_or_else(|| "just now".to_owned(), |at| ago(at, now));
    if parallel.session.is_empty() {
        return format!(
            "aictx: {path} changed on disk since this session last read it, {when}, by something outside of recorded sessions. Read it again before editing."
        );
    }
    let who: String = parallel.session.chars().take(8).collect();
    let (runner, who) = (Name::new(&parallel.runner, 24), Name::new(&who, 8));
    if parallel.claimed {
        return format!(
            "aictx: {path} was claimed {when} by another live session ({runner}, {who}), which is still open. Stay out of its way, or ask the user."
        );
    }
    let by = match (parallel.by_command, parallel.ended) {
        (false, false) => "edited {when} by another live session",
        (false, true) => "edited {when} by a session that has ended",
        (true, false) => "changed {when} by a command of another live session",
        (true, true) => "changed {when} by a command of a session that has ended",
    };
    let by = by.replace("{when}", &when);
    let what = if parallel.read_before {
        "since this session last read it. Read it again before editing."
    } else {
        "and that session is still open. Look at it before editing, and stay out of each other's way."
    };
    format!("aictx: {path} was {by} ({runner}, {who}) {what}")
}

/// How long ago something was, in words.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.since(at) / 60 {
        0 => "just now".to_owned(),
        minutes => format!("{minutes} min ago"),
    }
}

/// Lifted limits that are told of.
const MAX_LIFTED: usize = 4;

/// The verdict of the user's own limits on a path that is about to be edited.
pub fn hook_limits(limits: &SteerState, path: &Located, shown: &str) -> HookVerdict {
    let Located::Inside(inside) = path else {
        return HookVerdict::Pass;
    };
    let shown = Name::new(shown, 160);
    // The user's own words are the clearest rule.
    let rule = |entry: &str, otherwise: String| match limits.words_of(entry) {
        "" => otherwise,
        words => format!("the user said in this session: \"{words}\""),
    };
    let scope = || {
        let otherwise = format!(
            "the user limited this session to {}",
            listed(&limits.allowed_paths, 160)
        );
        let first = limits.allowed_paths.first();
        rule(first.map_or("", String::as_str), otherwise)
    };
    match limits.verdict(inside) {
        None => HookVerdict::Pass,
        Some(SteerVerdict::Forbidden(entry)) => {
            let otherwise = format!(
                "the user said in this session not to touch {}",
                in_words(&entry)
            );
            HookVerdict::Deny(format!(
                "aictx: {}; this would change {shown}. Leave it as it is and go on without it, or ask the user to lift the limit.",
                rule(&entry, otherwise)
            ))
        }
        Some(SteerVerdict::OutsideAllowed) if limits.moved_on => HookVerdict::Ask(format!(
            "aictx: the user limited this session to {} before the last request; {shown} lies outside.",
            listed(&limits.allowed_paths, 160)
        )),
        Some(SteerVerdict::OutsideAllowed) => HookVerdict::Deny(format!(
            "aictx: {}; this would change {shown}, which lies outside. Stay inside, or ask the user to lift the limit.",
            scope()
        )),
    }
}

/// An entry of the limits for somebody to read.
fn in_words(entry: &str) -> String {
    match entry {
        EVERYTHING => "any file".to_owned(),
        entry => Name::new(entry, 120).to_string(),
    }
}

/// Entries of the limits for somebody to read, cut to `limit` characters.
fn listed(entries: &[String], limit: usize) -> String {
    let words = readable_entries(entries).into_iter().map(in_words);
    clean(&words.collect::<Vec<_>>().join(", "), limit)
}

/// What an agent is reminded of when its user set limits.
pub fn limits_note(limits: &SteerState) -> Option<String> {
    if limits.is_empty() {
        return None;
    }
    let listed = |paths: &[String]| listed(paths, 300);
    let mut parts = Vec::new();
    if !limits.forbidden_paths.is_empty() {
        parts.push(format!(
            "not to be edited: {}",
            listed(&limits.forbidden_paths)
        ));
    }
    if !limits.allowed_paths.is_empty() {
        parts.push(format!(
            "only to be edited: {}",
            listed(&limits.allowed_paths)
        ));
    }
    if !limits.excepted_paths.is_empty() {
        parts.push(format!("except: {}", listed(&limits.excepted_paths)));
    }
    (!parts.is_empty()).then(|| {
        format!(
            "aictx keeps to the user's limits for this session: {}.",
            parts.join("; ")
        )
    })
}

/// What an agent is told when a message of its user lifted limits.
pub fn lifted_note(before: &SteerState, after: &SteerState) -> Option<String> {
    let forbids = |entry: &&String| !after.forbidden_paths.contains(entry);
    let lifted = before.forbidden_paths.iter().filter(forbids);
    // Another scope in its place is no freedom.
    let scopes = before.allowed_paths.iter();
    let scopes = scopes.filter(|_| after.allowed_paths.is_empty());
    let lifted: Vec<&String> = lifted.chain(scopes).collect();
    let mut told: Vec<String> = Vec::new();
    for entry in &lifted {
        let words = before.words_of(entry);
        let entries = before.said.iter().filter(|said| said.words == words);
        let whole = entries.clone().all(|said| lifted.contains(&&said.entry));
        let what = in_words(entry);
        let one = match (words.is_empty(), whole) {
            (true, _) => format!("limit lifted: {what}"),
            (false, true) => format!("limit lifted: \"{words}\""),
            (false, false) => format!("limit lifted for {what}: \"{words}\""),
        };
        if told.len() < MAX_LIFTED && !told.contains(&one) {
            told.push(one);
        }
    }
    (!told.is_empty()).then(|| format!("aictx: {}.", told.join("; ")))
}

/// What is known when an agent wants to end its turn.
#[derive(Debug, Clone, Copy)]
pub struct TurnEnd<'a> {
    /// Files edited since the last check passed.
    pub edited: &'a [String],
    /// The check that this repository has; empty when none is known.
    pub check: &'a str,
    /// A test run that passed since and does not cover them all; empty when there is none.
    pub partly: &'a str,
    /// Kind of task.
    pub task_type: &'a str,
    /// The agent was asked back in this turn already, by us or by another hook.
    pub asked_before: bool,
    /// The user wants this gate.
    pub enabled: bool,
}

/// Whether to ask the agent back before its turn ends: files were edited, the repository has a check,
/// and it was not seen to pass since. Once a turn, never for documentation.
pub fn turn_end(end: &TurnEnd) -> Option<String> {
    let code = end
        .edited
        .iter()
        .any(|path| !aictx_shell::is_untested(path));
    // Who was to find something out and edited code all the same has something to check.
    let documents = end.task_type == "documentation";
    if !end.enabled || end.asked_before || end.check.is_empty() || !code || documents {
        return None;
    }
    let files: Vec<&str> = end
        .edited
        .iter()
        .rev()
        .take(3)
        .map(String::as_str)
        .collect();
    let partly = match end.partly {
        "" => String::new(),
        run => format!(
            " (only {}, which does not cover all of it)",
            Code::new(run, 120)
        ),
    };
    Some(format!(
        "aictx: {} {} edited and {} has not been seen to pass since{partly}. Run it, or say why it does not apply.",
        Line::join(files.iter().map(|file| Name::new(file, 120)), ", "),
        if files.len() == 1 { "was" } else { "were" },
        Code::new(end.check, 120)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::path::locate;

    #[test]
    fn the_users_limits_hold_for_edits() {
        let limits = SteerState {
            forbidden_paths: vec!["migrations".into()],
            ..SteerState::default()
        };
        let ask = |path: &str| hook_limits(&limits, &locate("/r", "/r", path), path);
        assert!(matches!(ask("migrations/001.sql"), HookVerdict::Deny(_)));
        assert_eq!(ask("src/a.rs"), HookVerdict::Pass);
        let only = SteerState {
            allowed_paths: vec!["src".into()],
            ..SteerState::default()
        };
        let ask = |path: &str| hook_limits(&only, &locate("/r", "/r", path), path);
        assert!(matches!(ask("docs/a.md"), HookVerdict::Deny(_)));
        assert_eq!(ask("src/a.rs"), HookVerdict::Pass);
        assert!(
            limits_note(&only)
                .unwrap()
                .contains("only to be edited: src")
        );
        assert_eq!(limits_note(&SteerState::default()), None);
    }

    #[test]
    fn a_turn_ends_freely_without_code_or_with_its_check() {
        let code = ["src/a.rs".to_owned()];
        let docs = ["README.md".to_owned(), "docs/x.html".to_owned()];
        let end = TurnEnd {
            edited: &code,
            check: "cargo test",
            partly: "",
            task_type: "bug_fixing",
            asked_before: false,
            enabled: true,
        };
        assert!(turn_end(&end).unwrap().contains("cargo test"));
        let part = TurnEnd {
            partly: "cargo test -p b",
            ..end
        };
        let said = turn_end(&part).unwrap();
        assert!(
            said.contains("since (only `cargo test -p b`, which"),
            "{said}"
        );
        for free in [
            TurnEnd {
                edited: &docs,
                ..end
            },
            TurnEnd { edited: &[], ..end },
            TurnEnd { check: "", ..end },
            TurnEnd {
                asked_before: true,
                ..end
            },
            TurnEnd {
                enabled: false,
                ..end
            },
            TurnEnd {
                task_type: "documentation",
                ..end
            },
        ] {
            assert_eq!(turn_end(&free), None);
        }
    }

    #[test]
    fn others_are_named_with_their_time() {
        let now = Timestamp::from_unix(600);
        let other = Parallel {
            session: "abcdefghij".into(),
            runner: "codex".into(),
            at: Some(Timestamp::from_unix(300)),
            read_before: true,
            ..Parallel::default()
        };
        let text = parallel_note("src/a.rs", &other, now);
        assert!(
            text.contains("5 min ago by another live session (codex, abcdefgh)"),
            "{text}"
        );
        let claimed = Parallel {
            claimed: true,
            ..other
        };
        assert!(parallel_note("src", &claimed, now).contains("was claimed 5 min ago"));
        assert!(
            parallel_note("a", &Parallel::default(), now).contains("outside of recorded sessions")
        );
    }
}
