//! Who is at work on what, as far as this process has seen it: what each session has read and
//! written, and what its user has put off limits. Derived from hooks; limits are in the session's
//! ledger, too, and come back from there.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aictx_guard::{Parallel, SteerState};
use aictx_proto::Timestamp;
use aictx_proto::ledger::LedgerKind;
use rustix::fs::{AtFlags, CWD, statat};

use crate::hosts::Host;

/// Sessions remembered; the one heard of longest ago makes room.
const MAX_SESSIONS: usize = 512;
/// Files remembered of one session, newest last.
const MAX_FILES: usize = 512;

/// One state of a file, as far as a `stat` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

fn stamp(path: &Path) -> Option<Stamp> {
    let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    // Field types differ between systems; the casts keep every bit that matters to equality.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    Some(Stamp {
        inode: stat.st_ino as u64,
        len: stat.st_size.max(0) as u64,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
    })
}

/// A file as a session knows it.
#[derive(Debug, Clone)]
struct Known {
    path: PathBuf,
    at: Timestamp,
    stamp: Option<Stamp>,
    edited: bool,
}

#[derive(Debug, Default)]
struct Session {
    runner: String,
    files: VecDeque<Known>,
    /// Last command that it ran: whatever it changed is not news to it.
    ran_at: Option<Timestamp>,
    request: String,
    limits: Option<Arc<SteerState>>,
    seen: u64,
}

/// What all sessions are doing.
#[derive(Debug, Default)]
pub struct Presence {
    sessions: Mutex<(u64, HashMap<String, Session>)>,
}

impl Presence {
    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<String, Session>)> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, session: &str, change: impl FnOnce(&mut Session) -> T) -> T {
        let mut all = self.lock();
        all.0 += 1;
        let now = all.0;
        if all.1.len() >= MAX_SESSIONS && !all.1.contains_key(session) {
            let oldest = all
                .1
                .iter()
                .min_by_key(|(_, s)| s.seen)
                .map(|(id, _)| id.clone());
            oldest.and_then(|id| all.1.remove(&id));
        }
        let entry = all.1.entry(session.to_owned()).or_default();
        entry.seen = now;
        change(entry)
    }

    /// Notes a request of the user.
    pub fn asked(&self, session: &str, runner: &str, request: &str) {
        self.with(session, |s| {
            runner.clone_into(&mut s.runner);
            s.request = aictx_proto::text::clean(request, 160);
        });
    }

    /// Notes that a session read or wrote a file (absolute).
    pub fn touched(&self, session: &str, runner: &str, path: PathBuf, edited: bool, at: Timestamp) {
        let stamp = stamp(&path);
        self.with(session, |s| {
            runner.clone_into(&mut s.runner);
            let before = s.files.iter().position(|f| f.path == path);
            let known = before.and_then(|i| s.files.remove(i));
            let edited = edited || known.is_some_and(|k| k.edited);
            s.files.push_back(Known {
                path,
                at,
                stamp,
                edited,
            });
            if s.files.len() > MAX_FILES {
                s.files.pop_front();
            }
        });
    }

    /// Notes that a session ran a command.
    pub fn ran(&self, session: &str, at: Timestamp) {
        self.with(session, |s| s.ran_at = Some(at));
    }

    /// Forgets a session that ended.
    pub fn ended(&self, session: &str) {
        self.lock().1.remove(session);
    }

    /// What speaks for a look before `session` edits a file: somebody else changed it since this
    /// session saw it, or is at work on it. `live` says which other sessions still are.
    pub fn before_edit(
        &self,
        session: &str,
        path: &Path,
        live: impl Fn(&str) -> bool,
    ) -> Option<Parallel> {
        let all = self.lock();
        let own = all.1.get(session);
        let seen = own.and_then(|s| s.files.iter().find(|f| f.path == path));
        let other = all
            .1
            .iter()
            .filter(|(id, _)| *id != session && live(id))
            .filter_map(|(id, s)| {
                let file = s.files.iter().find(|f| f.edited && f.path == path)?;
                Some((id.clone(), s.runner.clone(), file.at))
            })
            .max_by_key(|(_, _, at)| *at);
        if let Some((id, runner, at)) = other {
            // Read again since then: it is no news.
            let known = seen.is_some_and(|s| s.at > at && !s.edited);
            return (!known).then(|| Parallel {
                session: id,
                runner,
                at: Some(at),
                read_before: seen.is_some(),
            });
        }
        let seen = seen?;
        let now = stamp(path);
        let by_itself = own.and_then(|s| s.ran_at).is_some_and(|ran| ran >= seen.at);
        (seen.stamp.is_some() && now != seen.stamp && now.is_some() && !by_itself).then(|| {
            Parallel {
                read_before: true,
                ..Parallel::default()
            }
        })
    }

    /// What the user put off limits in a session; read from its ledger the first time.
    pub fn limits(&self, host: &Host, session: &str) -> Arc<SteerState> {
        if session.is_empty() {
            return Arc::default();
        }
        if let Some(limits) = self.lock().1.get(session).and_then(|s| s.limits.clone()) {
            return limits;
        }
        let told = host.store.newest_of(session, LedgerKind::Steered);
        let limits = told
            .and_then(|row| serde_json::from_value(row.limits?).ok())
            .unwrap_or_default();
        self.set_limits(session, limits)
    }

    /// Replaces the limits of a session in memory.
    pub fn set_limits(&self, session: &str, limits: SteerState) -> Arc<SteerState> {
        let limits = Arc::new(limits);
        self.with(session, |s| s.limits = Some(Arc::clone(&limits)));
        limits
    }

    /// Runner, request and edited files (absolute, newest last) of a session.
    pub fn of(&self, session: &str) -> (String, String, Vec<PathBuf>) {
        let all = self.lock();
        all.1.get(session).map_or_else(Default::default, |s| {
            let edited = s.files.iter().filter(|f| f.edited).map(|f| f.path.clone());
            (s.runner.clone(), s.request.clone(), edited.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: i64) -> Timestamp {
        Timestamp::from_unix(n)
    }

    #[test]
    fn another_sessions_edit_is_news_until_it_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.rs");
        std::fs::write(&file, "one").unwrap();
        let presence = Presence::default();
        let ask = |live: bool| presence.before_edit("a", &file, |_| live);
        presence.touched("a", "claude", file.clone(), false, at(1));
        assert_eq!(ask(true), None);
        presence.touched("b", "codex", file.clone(), true, at(2));
        let found = ask(true).unwrap();
        assert_eq!((found.session.as_str(), found.read_before), ("b", true));
        presence.touched("a", "claude", file.clone(), false, at(3));
        assert_eq!(ask(true), None, "read again");
        presence.ended("b");
        assert_eq!(ask(true), None);
    }

    #[test]
    fn a_change_from_outside_is_told_unless_the_session_ran_something() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.rs");
        std::fs::write(&file, "one").unwrap();
        let presence = Presence::default();
        presence.touched("a", "claude", file.clone(), false, at(1));
        std::fs::write(&file, "another").unwrap();
        let found = presence.before_edit("a", &file, |_| false).unwrap();
        assert!(found.session.is_empty());
        presence.ran("a", at(2));
        assert_eq!(presence.before_edit("a", &file, |_| false), None);
        assert_eq!(
            presence.before_edit("b", &file, |_| false),
            None,
            "never read"
        );
    }
}
