//! Commands that a session runs again and again to the same end, with nothing edited in between.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use aictx_proto::ledger::{LedgerRow, Outcome};

use super::Presence;

/// Equal ends in a row at which a session is told, and then asked before it runs a failing check once more.
const MANY: u32 = 3;
/// Commands remembered of one session, newest last.
const MAX_COMMANDS: usize = 16;

/// Commands of a session that ended alike the last times they ran.
#[derive(Debug, Default)]
pub(super) struct Loops(VecDeque<Ends>);

/// The last ends of one command.
#[derive(Debug)]
struct Ends {
    command: u64,
    result: u64,
    /// Number of equal ends in a row.
    times: u32,
    /// It is a check that fails: running it again changes nothing.
    is_failing_check: bool,
}

impl Loops {
    /// Forgets all ends, because something changed that they depend on.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes an end. Returns how often in a row the command ended so.
    fn ended(&mut self, mut ends: Ends) -> u32 {
        let before = self.0.iter().position(|one| one.command == ends.command);
        let before = before.and_then(|at| self.0.remove(at));
        if let Some(before) = before.filter(|before| before.result == ends.result) {
            ends.times = before.times.saturating_add(1);
        }
        let times = ends.times;
        self.0.push_back(ends);
        if self.0.len() > MAX_COMMANDS {
            self.0.pop_front();
        }
        times
    }
}

impl Presence {
    /// Notes how a command of a session ended. Returns how often in a row it ended so, each time that this is a
    /// multiple of three.
    pub fn ended_alike(
        &self,
        session: &str,
        row: &LedgerRow,
        printed: (&str, &str),
    ) -> Option<u32> {
        let is_check = row.test || row.errors.iter().any(|error| error.phase != "runtime");
        let ends = Ends {
            command: key(&row.command, &row.cwd),
            result: result(row, printed),
            times: 1,
            is_failing_check: row.outcome == Outcome::Failed && is_check,
        };
        let may_change_others = !is_check && !aictx_shell::only_looks(&row.command);
        let times = self.with(session, |s| {
            if may_change_others {
                s.loops.0.retain(|known| known.command == ends.command);
            }
            s.loops.ended(ends)
        });
        times.is_multiple_of(MANY).then_some(times)
    }

    /// Returns how often in a row a check failed alike, where it is time to ask before it runs once more.
    pub fn failed_alike(&self, session: &str, command: &str, cwd: &str) -> Option<u32> {
        let command = key(command, cwd);
        let all = self.lock();
        let mut ends = all.1.get(session)?.loops.0.iter();
        let ends = ends.find(|ends| ends.command == command)?;
        (ends.is_failing_check && ends.times.is_multiple_of(MANY)).then_some(ends.times)
    }
}

fn key(command: &str, cwd: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (command.trim(), cwd).hash(&mut hasher);
    hasher.finish()
}

/// Hash of an end: of its errors, whose fingerprints hold no times and no lines; else of all that was printed.
fn result(row: &LedgerRow, printed: (&str, &str)) -> u64 {
    let mut hasher = DefaultHasher::new();
    (row.outcome as u8, row.exit_status).hash(&mut hasher);
    for error in &row.errors {
        (&error.fingerprint, &error.message).hash(&mut hasher);
    }
    if row.errors.is_empty() {
        printed.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use aictx_proto::Timestamp;
    use aictx_proto::event::ErrorEvent;
    use std::path::PathBuf;

    use super::*;

    fn failing() -> LedgerRow {
        LedgerRow {
            command: "cargo test".into(),
            outcome: Outcome::Failed,
            test: true,
            errors: vec![ErrorEvent {
                fingerprint: "f".into(),
                ..ErrorEvent::default()
            }],
            ..LedgerRow::default()
        }
    }

    #[test]
    fn the_third_equal_end_in_a_row_is_told_and_the_fourth_run_asked_about() {
        let presence = Presence::default();
        let row = failing();
        let ended = |printed| presence.ended_alike("s", &row, (printed, ""));
        // Times in what was printed do not matter where errors are known.
        assert_eq!(ended("in 1 s"), None);
        assert_eq!(ended("in 2 s"), None);
        assert_eq!(presence.failed_alike("s", "cargo test", ""), None);
        assert_eq!(ended("in 3 s"), Some(3));
        assert_eq!(presence.failed_alike("s", " cargo test ", ""), Some(3));
        assert_eq!(presence.failed_alike("s", "cargo test", "sub"), None);
        assert_eq!(presence.failed_alike("other", "cargo test", ""), None);
        assert_eq!(ended("in 4 s"), None);
        assert_eq!(presence.failed_alike("s", "cargo test", ""), None);
    }

    #[test]
    fn another_end_an_edit_and_a_request_begin_anew() {
        let presence = Presence::default();
        let twice = |row: &LedgerRow| {
            (0..2).for_each(|_| assert_eq!(presence.ended_alike("s", row, ("", "")), None));
        };
        twice(&failing());
        twice(&LedgerRow {
            outcome: Outcome::Passed,
            errors: Vec::new(),
            ..failing()
        });
        twice(&failing());
        presence.touched(
            "s",
            "claude",
            PathBuf::from("/a"),
            true,
            Timestamp::from_unix(0),
        );
        twice(&failing());
        presence.asked("s", "claude", "go on");
        twice(&failing());
        // What was only read changes nothing.
        presence.touched(
            "s",
            "claude",
            PathBuf::from("/a"),
            false,
            Timestamp::from_unix(0),
        );
        assert_eq!(presence.ended_alike("s", &failing(), ("", "")), Some(3));
    }

    #[test]
    fn a_check_after_a_command_that_may_have_helped_is_not_asked_about() {
        let presence = Presence::default();
        let ran = |command: &str| LedgerRow {
            command: command.into(),
            outcome: Outcome::Passed,
            ..LedgerRow::default()
        };
        let fail = |times: u32| {
            (0..times).for_each(|_| {
                presence.ended_alike("s", &failing(), ("", ""));
            });
            presence.failed_alike("s", "cargo test", "")
        };
        fail(2);
        presence.ended_alike("s", &ran("docker start db"), ("", ""));
        assert_eq!(fail(2), None);
        presence.ended_alike("s", &ran("git log -3"), ("", ""));
        assert_eq!(fail(1), Some(3), "to look helps nobody");
    }

    #[test]
    fn what_passes_or_only_waits_is_told_and_not_asked_about() {
        let presence = Presence::default();
        let waits = LedgerRow {
            command: "curl -sf localhost/health".into(),
            outcome: Outcome::Failed,
            ..LedgerRow::default()
        };
        let told: Vec<_> = (0..3)
            .map(|_| presence.ended_alike("s", &waits, ("", "refused")))
            .collect();
        assert_eq!(told, [None, None, Some(3)]);
        assert_eq!(presence.failed_alike("s", &waits.command, ""), None);
    }

    #[test]
    fn commands_remembered_are_bounded() {
        let presence = Presence::default();
        for n in 0..100 {
            let row = LedgerRow {
                command: format!("cat a{n}.rs"),
                ..LedgerRow::default()
            };
            presence.ended_alike("s", &row, ("", ""));
        }
        let all = presence.lock();
        assert_eq!(all.1["s"].loops.0.len(), MAX_COMMANDS);
    }
}
