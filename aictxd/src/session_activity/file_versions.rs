//! Versions of files as sessions know them, and their changes by others.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_files::{mounts, untrusted};
use aictx_guard::Parallel;
use aictx_proto::Timestamp;
use rustix::fs::{AtFlags, CWD, statat};

use super::{Presence, Session, claim_on};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;
/// Files up to this size are compared by their contents when their times differ.
const MAX_COMPARED: u64 = 256 * 1024;
/// Assumed longest run of a command without a duration.
const UNKNOWN_RUN: i64 = 10 * SECOND;
/// Upper bound of the lag of file systems' clocks.
const COARSE: i64 = SECOND / 20;
/// Formatters that run behind an agent's edit are done after this.
const AFTER_EDIT: i64 = 3 * SECOND;

/// Nanoseconds since the epoch.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    })
}

/// An event's time, as exact as it is known: what happens now has more than seconds.
pub(super) fn moment_of(at: Timestamp) -> i64 {
    let (at, now) = (at.unix().saturating_mul(SECOND), now());
    if now.saturating_sub(at).abs() < 2 * SECOND {
        now
    } else {
        at
    }
}

fn timestamp(moment: i64) -> Timestamp {
    Timestamp::from_unix(moment / SECOND)
}

/// One state of a file, as far as a `stat` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    len: u64,
    modified: i64,
    /// Change time; unlike the time above, nobody sets it.
    changed: i64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        mounts::check(path).ok()?;
        let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // Field types differ between systems; the casts keep every bit that matters to equality.
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
        Some(Self {
            inode: stat.st_ino as u64,
            len: stat.st_size.max(0) as u64,
            modified: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }

    /// Returns true if the file was written since; its rights and its links do not matter.
    fn is_as(&self, before: &Self) -> bool {
        (self.inode, self.len, self.modified) == (before.inode, before.len, before.modified)
    }
}

fn nanos(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(rest)
}

/// Hash of a small file. Links are not followed, and nothing that is no plain file is read: a
/// pipe would never end.
fn contents(path: &Path, stamp: &Stamp) -> Option<u64> {
    if stamp.len > MAX_COMPARED {
        return None;
    }
    let held = untrusted::open_itself(path)
        .ok()?
        .beginning(MAX_COMPARED)
        .ok()?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&held);
    Some(hasher.finish())
}

/// A file as a session knows it.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) path: PathBuf,
    /// Last read or write by the session, in seconds.
    pub(super) at: Timestamp,
    seen: i64,
    /// Stamp at that time, if this process saw it.
    stamp: Option<Stamp>,
    contents: Option<u64>,
    /// Last write by the session.
    pub(super) edited: Option<i64>,
}

impl Known {
    /// A file that is read or written now.
    pub(super) fn now(path: PathBuf, edited: bool, at: Timestamp) -> Self {
        let stamp = Stamp::of(&path);
        Self {
            contents: stamp.as_ref().and_then(|stamp| contents(&path, stamp)),
            stamp,
            ..Self::recalled(path, edited, at)
        }
    }

    /// A file of which only that is known.
    pub(super) fn recalled(path: PathBuf, edited: bool, at: Timestamp) -> Self {
        let seen = moment_of(at);
        Self {
            path,
            at,
            seen,
            stamp: None,
            contents: None,
            edited: edited.then_some(seen),
        }
    }

    /// Returns true if it lies at a path: the parts of neither need be looked at, since nobody writes one in two
    /// ways.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.path.as_os_str() == path.as_os_str()
    }

    /// Returns the present stamp, if it changed.
    fn changed(&self) -> Option<Stamp> {
        let (before, now) = (self.stamp.as_ref()?, Stamp::of(&self.path)?);
        if now.is_as(before) {
            return None;
        }
        let same = now.len == before.len
            && self.contents.is_some()
            && contents(&self.path, &now) == self.contents;
        (!same).then_some(now)
    }
}

/// A command that may have written something, from its beginning to its end.
#[derive(Debug, Clone)]
pub(super) struct Run {
    worktree: PathBuf,
    from: i64,
    to: i64,
}

impl Run {
    pub(super) fn until(
        worktree: &Path,
        at: Timestamp,
        began: Option<i64>,
        took_ms: Option<u64>,
    ) -> Self {
        let to = moment_of(at);
        let took = took_ms.and_then(|ms| i64::try_from(ms).ok()?.checked_mul(SECOND / 1_000));
        let from = match (took, began.filter(|began| *began <= to)) {
            // We hear of it a moment after its end.
            (Some(took), _) => to.saturating_sub(took).saturating_sub(SECOND / 2),
            (None, Some(began)) => began,
            (None, None) => to.saturating_sub(UNKNOWN_RUN),
        };
        Self {
            worktree: worktree.to_owned(),
            from: from.saturating_sub(COARSE),
            // We hear of it when it is over.
            to,
        }
    }

    fn may_have_written(&self, path: &Path, moment: i64) -> bool {
        (self.from..=self.to).contains(&moment) && path.starts_with(&self.worktree)
    }
}

/// Changes of an ended session.
#[derive(Debug)]
pub(super) struct Past {
    session: String,
    runner: String,
    files: Vec<(PathBuf, i64)>,
    runs: VecDeque<Run>,
}

impl Past {
    pub(super) fn of(
        session: &str,
        runner: String,
        files: VecDeque<Known>,
        runs: VecDeque<Run>,
    ) -> Option<Self> {
        let edited = files.into_iter();
        let files: Vec<_> = edited.filter_map(|f| Some((f.path, f.edited?))).collect();
        (!files.is_empty() || !runs.is_empty()).then(|| Self {
            session: session.to_owned(),
            runner,
            files,
            runs,
        })
    }
}

/// Another session that changed a file.
struct Other {
    session: String,
    runner: String,
    at: i64,
    ended: bool,
    by_command: bool,
}

impl Other {
    fn told(self, read_before: bool) -> Parallel {
        Parallel {
            session: self.session,
            runner: self.runner,
            at: Some(timestamp(self.at)),
            read_before,
            ended: self.ended,
            by_command: self.by_command,
            ..Parallel::default()
        }
    }
}

impl Presence {
    /// Returns the reason to look at a file before `session` edits it: somebody else changed it since this
    /// session saw it, or is at work on it. `live` says which other sessions still are.
    pub fn before_edit(
        &self,
        session: &str,
        path: &Path,
        live: impl Fn(&str) -> bool,
    ) -> Option<Parallel> {
        let known = |s: &Session| s.files.iter().find(|f| f.is_at(path)).cloned();
        let seen = self.lock().1.get(session).and_then(known);
        // The disk is looked at while nobody waits for what all sessions do.
        let changed = seen.as_ref().and_then(Known::changed);
        let all = self.lock();
        let own = all.1.get(session);
        let others = || all.1.iter().filter(|(id, _)| *id != session);
        let edited = others().filter_map(|(id, s)| {
            let file = s.files.iter().find(|f| f.is_at(path))?;
            Some(Other {
                session: id.clone(),
                runner: s.runner.clone(),
                at: file.edited?,
                ended: !live(id),
                by_command: false,
            })
        });
        let Some(seen) = seen else {
            // Never seen by this session: whoever is still at work there is news.
            let newest = edited.filter(|other| !other.ended).max_by_key(|o| o.at);
            return newest
                .map(|other| other.told(false))
                .or_else(|| claimed(&all.1, session, path, &live));
        };
        if seen.stamp.is_none() {
            // Recalled from the record: only the order of events is known.
            let newest = edited.filter(|other| !other.ended).max_by_key(|o| o.at);
            return newest
                .filter(|other| other.at > seen.seen)
                .map(|other| other.told(true))
                .or_else(|| claimed(&all.1, session, path, &live));
        }
        let Some(now) = changed else {
            return claimed(&all.1, session, path, &live);
        };
        let past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = past.iter().filter(|p| p.session != session);
        let by_edit = ended.clone().filter_map(|p| {
            let (_, at) = p.files.iter().find(|(file, _)| file == path)?;
            Some(Other {
                session: p.session.clone(),
                runner: p.runner.clone(),
                at: *at,
                ended: true,
                by_command: false,
            })
        });
        let newest = edited.chain(by_edit).max_by_key(|other| other.at);
        if let Some(other) = newest.filter(|other| other.at + COARSE >= seen.seen) {
            return Some(other.told(true));
        }
        let ran = |runs: &VecDeque<Run>| {
            let since = runs.iter().filter(|run| run.to >= seen.seen);
            since
                .into_iter()
                .any(|run| run.may_have_written(path, now.changed))
        };
        // What its own command did is no news to it, nor what its formatter did behind its edit.
        let last_edited = seen.edited.filter(|at| *at == seen.seen);
        let behind_edit = last_edited.is_some_and(|at| now.changed <= at + AFTER_EDIT);
        if behind_edit || own.is_some_and(|own| ran(&own.runs)) {
            return claimed(&all.1, session, path, &live);
        }
        let by_command = |session: &str, runner: &str, ended: bool| Other {
            session: session.to_owned(),
            runner: runner.to_owned(),
            at: now.changed,
            ended,
            by_command: true,
        };
        let of_live = others().filter(|(_, s)| ran(&s.runs));
        let of_live = of_live.map(|(id, s)| by_command(id, &s.runner, !live(id)));
        let of_past = ended.filter(|p| ran(&p.runs));
        let of_past = of_past.map(|p| by_command(&p.session, &p.runner, true));
        let told = of_live.chain(of_past).next().map(|other| other.told(true));
        told.or_else(|| {
            Some(Parallel {
                read_before: true,
                at: Some(timestamp(now.changed)),
                ..Parallel::default()
            })
        })
    }
}

/// Returns the session that claimed a path earlier.
fn claimed(
    all: &std::collections::HashMap<String, Session>,
    session: &str,
    path: &Path,
    live: impl Fn(&str) -> bool,
) -> Option<Parallel> {
    let own = all.get(session);
    let seen = own.and_then(|s| s.files.iter().find(|f| f.is_at(path)));
    let mine = own.and_then(|s| claim_on(s, path));
    let (id, s, at) = all
        .iter()
        .filter(|(id, _)| *id != session && live(id))
        .filter_map(|(id, s)| Some((id, s, claim_on(s, path)?)))
        .min_by_key(|(_, _, at)| *at)
        // Whoever claimed it first has it.
        .filter(|(_, _, at)| mine.is_none_or(|mine| *at < mine))?;
    Some(Parallel {
        session: id.clone(),
        runner: s.runner.clone(),
        at: Some(at),
        claimed: true,
        old_news: seen.is_some_and(|seen| seen.edited.is_some() && seen.at >= at),
        ..Parallel::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that sessions `a` and `b` work on; what happens, happens now.
    struct Shared {
        presence: Presence,
        dir: tempfile::TempDir,
        file: PathBuf,
        written: u32,
    }

    impl Shared {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("a.rs");
            std::fs::write(&file, "one").unwrap();
            Self {
                presence: Presence::default(),
                dir,
                file,
                written: 0,
            }
        }

        fn at() -> Timestamp {
            timestamp(now())
        }

        /// Something new is in the file, long before or long after any command that is not told.
        fn write(&mut self) {
            self.written += 1;
            std::fs::write(&self.file, "x".repeat(self.written as usize + 5)).unwrap();
        }

        fn reads(&self, who: &str) {
            let file = self.file.clone();
            self.presence
                .touched(who, "claude", file, false, Self::at());
        }

        fn edits(&mut self, who: &str) {
            self.write();
            let file = self.file.clone();
            self.presence.touched(who, "codex", file, true, Self::at());
        }

        fn ask(&self, live: bool) -> Option<Parallel> {
            self.presence.before_edit("a", &self.file, |_| live)
        }
    }

    #[test]
    fn another_sessions_edit_is_news_until_it_is_read() {
        let mut shared = Shared::new();
        shared.reads("a");
        assert_eq!(shared.ask(true), None);
        shared.edits("b");
        let found = shared.ask(true).unwrap();
        assert_eq!((found.session.as_str(), found.read_before), ("b", true));
        assert!(found.at.is_some() && !found.ended);
        shared.reads("a");
        assert_eq!(shared.ask(true), None, "read again");
        shared.edits("a");
        assert_eq!(shared.ask(true), None, "nobody has changed its own edit");
        shared.edits("b");
        shared.presence.ended("b");
        let found = shared.ask(true).unwrap();
        assert_eq!((found.session.as_str(), found.ended), ("b", true));
    }

    #[test]
    fn a_change_from_outside_is_told_with_its_time() {
        let mut shared = Shared::new();
        shared.reads("a");
        shared.write();
        let found = shared.ask(false).unwrap();
        assert!(found.session.is_empty() && found.at.is_some());
        assert_eq!(
            shared.presence.before_edit("b", &shared.file, |_| false),
            None,
            "never read"
        );
    }

    #[test]
    fn what_the_sessions_own_command_changed_is_no_news() {
        let mut shared = Shared::new();
        shared.reads("a");
        shared.presence.begins("a", Shared::at());
        shared.write();
        let dir = shared.dir.path().to_owned();
        shared.presence.ran("a", &dir, Shared::at(), None);
        assert_eq!(shared.ask(false), None);
        // The command before, or one in another worktree, is no excuse.
        shared.reads("a");
        let elsewhere = tempfile::tempdir().unwrap();
        shared.presence.begins("a", Shared::at());
        std::thread::sleep(std::time::Duration::from_millis(
            2 * COARSE as u64 / 1_000_000,
        ));
        shared.write();
        shared
            .presence
            .ran("a", elsewhere.path(), Shared::at(), None);
        assert!(shared.ask(false).is_some());
    }

    #[test]
    fn what_another_sessions_command_changed_is_that_ones() {
        let mut shared = Shared::new();
        shared.reads("a");
        shared.presence.begins("b", Shared::at());
        shared.write();
        let dir = shared.dir.path().to_owned();
        shared.presence.ran("b", &dir, Shared::at(), None);
        let found = shared.ask(true).unwrap();
        assert_eq!((found.session.as_str(), found.by_command), ("b", true));
        shared.presence.ended("b");
        let found = shared.ask(true).unwrap();
        assert_eq!((found.session.as_str(), found.ended), ("b", true));
    }

    #[test]
    fn what_is_no_plain_file_is_not_read() {
        let mut shared = Shared::new();
        for target in ["/dev/zero", "/dev/null"] {
            std::fs::remove_file(&shared.file).unwrap();
            std::os::unix::fs::symlink(target, &shared.file).unwrap();
            shared.reads("a");
            assert_eq!(shared.ask(true), None);
        }
        std::fs::remove_file(&shared.file).unwrap();
        let mut pipe = std::process::Command::new("mkfifo");
        assert!(pipe.arg(&shared.file).status().unwrap().success());
        shared.reads("a");
        assert_eq!(shared.ask(true), None);
        std::fs::remove_file(&shared.file).unwrap();
        shared.write();
        assert!(shared.ask(true).is_some());
    }

    #[test]
    fn a_file_that_holds_the_same_is_the_same() {
        let mut shared = Shared::new();
        shared.write();
        shared.reads("a");
        let held = std::fs::read(&shared.file).unwrap();
        std::fs::write(&shared.file, b"?").unwrap();
        std::fs::write(&shared.file, held).unwrap();
        assert_eq!(shared.ask(false), None);
    }
}
