//! Live sessions, as far as this process has seen them.
//!
//! The ledger on disk is the truth; this map only routes events (a session belongs to one
//! repository wherever its agent has changed directory to) and notices when an agent is gone
//! without having said so.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use aictx_proto::Timestamp;
use aictx_proto::methods::LiveSession;
use tokio::sync::Notify;

use crate::hosts::Host;
use crate::process::AgentProcess;

/// Most live sessions; the one silent for longest makes room.
const MAX_LIVE: usize = 512;
/// Seconds of silence within a turn after which a session is over.
const MAX_SILENCE: u64 = 6 * 3_600;

/// Seconds of silence after its last turn after which a session is over, whether its process is still there or not:
/// some agents run many sessions in one background process and never say that one of them ended.
/// `AICTXD_SESSION_QUIET_SECONDS` overrides it.
static MAX_REST: LazyLock<u64> = LazyLock::new(|| {
    let given = std::env::var("AICTXD_SESSION_QUIET_SECONDS").ok();
    let given = given.and_then(|seconds| seconds.trim().parse().ok());
    given.unwrap_or(30 * 60)
});
/// The same when another session begins in the worktree.
const MAX_REST_BESIDE: u64 = 60;

/// A session that has begun and not ended.
#[derive(Debug, Clone)]
pub struct Live {
    /// Its repository.
    pub host: Arc<Host>,
    /// Runner's name.
    pub runner: String,
    /// Worktree it started in.
    pub worktree: PathBuf,
    /// The agent's process.
    pub process: AgentProcess,
    /// Last event.
    pub last_seen: Timestamp,
    /// Its last turn has ended, and nothing was heard of it since.
    pub at_rest: bool,
    /// Grows with each event; tells "silent since" apart from "silent again".
    pub events: u64,
}

impl Live {
    /// Returns true where nothing more is expected of it: its process is gone, or it has been silent for too long. One
    /// that is heard of again goes on.
    pub fn is_over(&self, now: Timestamp) -> bool {
        let silence = now.since(self.last_seen);
        let is_silent = match self.at_rest {
            true => silence >= *MAX_REST,
            false => silence > MAX_SILENCE,
        };
        is_silent || self.process.pid != 0 && self.process.is_gone()
    }

    /// The same when another session begins in its worktree.
    pub fn is_over_beside_another(&self, now: Timestamp) -> bool {
        let silence = now.since(self.last_seen);
        self.is_over(now) || self.at_rest && silence >= MAX_REST_BESIDE.min(*MAX_REST)
    }
}

/// Change of the map when a session was noted.
#[derive(Debug)]
pub struct Begun {
    /// It was unknown.
    pub is_new: bool,
    /// The session that was forgotten for it.
    pub evicted: Option<(String, Live)>,
}

/// All live sessions, by id.
#[derive(Debug, Default)]
pub struct Sessions {
    live: Mutex<HashMap<String, Live>>,
    /// Watched processes of live sessions; told when the last one of theirs has ended.
    watched: Mutex<HashMap<AgentProcess, Arc<Notify>>>,
    /// Ended, and not finalized because the repository could not be written.
    unfinished: Mutex<HashMap<String, Live>>,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of this id.
    pub fn get(&self, session_id: &str) -> Option<Live> {
        self.lock().get(session_id).cloned()
    }

    /// Notes a session. The one that had to make room for it, if any, is for the caller to end.
    pub fn begin(&self, session_id: &str, live: Live) -> Begun {
        let mut map = self.lock();
        let mut evicted = None;
        if map.len() >= MAX_LIVE && !map.contains_key(session_id) {
            let oldest = map
                .iter()
                .min_by_key(|(_, l)| l.last_seen)
                .map(|(id, _)| id.clone());
            evicted = oldest.and_then(|id| map.remove_entry(&id));
            if let Some((_, gone)) = &evicted {
                self.release(&map, gone.process);
            }
        }
        let before = map.get(session_id).map(|l| l.events);
        map.insert(
            session_id.to_owned(),
            Live {
                events: before.unwrap_or(0) + 1,
                ..live
            },
        );
        Begun {
            is_new: before.is_none(),
            evicted,
        }
    }

    /// The session's repository is elsewhere now.
    pub fn moved_to(&self, session_id: &str, host: &Arc<Host>, worktree: &Path) {
        if let Some(live) = self.lock().get_mut(session_id) {
            live.host = Arc::clone(host);
            worktree.clone_into(&mut live.worktree);
        }
    }

    /// The session goes on in another process of its agent.
    pub fn moved(&self, session_id: &str, process: AgentProcess) {
        let mut map = self.lock();
        if let Some(live) = map.get_mut(session_id) {
            let before = std::mem::replace(&mut live.process, process);
            self.release(&map, before);
        }
    }

    /// Notes that a process is going to be watched; `None` when it is already. What is given tells
    /// when that is not wanted any more.
    pub fn watch(&self, process: AgentProcess) -> Option<Arc<Notify>> {
        match self.watched().entry(process) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => Some(Arc::clone(entry.insert(Arc::default()))),
        }
    }

    /// Notes that a process has ended; gives its live sessions.
    pub fn unwatch(&self, process: AgentProcess) -> Vec<String> {
        let map = self.lock();
        self.watched().remove(&process);
        let its = map.iter().filter(|(_, live)| live.process == process);
        its.map(|(id, _)| id.clone()).collect()
    }

    /// Lets go of a process that has no live session any more.
    fn release(&self, live: &HashMap<String, Live>, process: AgentProcess) {
        if live.values().all(|other| other.process != process)
            && let Some(unwanted) = self.watched().remove(&process)
        {
            unwanted.notify_one();
        }
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<AgentProcess, Arc<Notify>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an event of a session.
    pub fn seen(&self, session_id: &str, now: Timestamp) {
        if let Some(live) = self.lock().get_mut(session_id) {
            live.last_seen = now;
            live.at_rest = false;
            live.events += 1;
        }
    }

    /// Notes that the turn of a session has ended.
    pub fn rests(&self, session_id: &str) {
        if let Some(live) = self.lock().get_mut(session_id) {
            live.at_rest = true;
        }
    }

    /// Sessions in a worktree whose last turn has ended, the one heard of last first.
    pub fn at_rest(&self, worktree: &Path) -> Vec<(String, Live)> {
        let map = self.lock();
        let here = map
            .iter()
            .filter(|(_, live)| live.at_rest && live.worktree == worktree);
        let mut here: Vec<_> = here.map(|(id, live)| (id.clone(), live.clone())).collect();
        here.sort_by_key(|(_, live)| std::cmp::Reverse(live.last_seen));
        here
    }

    /// Forgets a session.
    pub fn end(&self, session_id: &str) -> Option<Live> {
        let mut map = self.lock();
        let ended = map.remove(session_id)?;
        self.release(&map, ended.process);
        Some(ended)
    }

    /// Remembers an ended session that could not be finalized. Beyond the bound the next daemon
    /// finds it in its ledger.
    pub fn unfinished(&self, session_id: &str, live: Live) {
        let mut map = self
            .unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if map.len() < MAX_LIVE {
            map.insert(session_id.to_owned(), live);
        }
    }

    /// Those sessions, once.
    pub fn take_unfinished(&self) -> Vec<(String, Live)> {
        let mut map = self
            .unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.drain().collect()
    }

    /// The only live session of an agent in a worktree, if there is exactly one.
    pub fn only_live(&self, agent: &str, worktree: &Path) -> Option<String> {
        let map = self.lock();
        let mut fitting = map.iter().filter(|(_, live)| {
            live.worktree == worktree && (agent == "generic" || live.runner == agent)
        });
        let (id, _) = fitting.next()?;
        fitting.next().is_none().then(|| id.clone())
    }

    /// All live sessions with their ids.
    pub fn all(&self) -> Vec<(String, Live)> {
        self.lock()
            .iter()
            .map(|(id, live)| (id.clone(), live.clone()))
            .collect()
    }

    /// For `status`, newest first.
    pub fn status(&self) -> Vec<LiveSession> {
        let mut list: Vec<LiveSession> = self
            .all()
            .into_iter()
            .map(|(session_id, live)| LiveSession {
                session_id,
                runner: live.runner,
                repo: live.host.root.to_string_lossy().into_owned(),
                pid: live.process.pid,
                last_seen_at: live.last_seen.to_string(),
            })
            .collect();
        list.sort_by(|a, b| {
            b.last_seen_at
                .cmp(&a.last_seen_at)
                .then_with(|| a.session_id.cmp(&b.session_id))
        });
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::Hosts;

    #[test]
    fn whoever_makes_room_is_handed_back_and_silence_ends_what_has_no_process() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let homes = crate::storage_location::Homes::new(&state);
        let host = Hosts::new(crate::app::Mode::Once, homes, vec![state])
            .create(dir.path())
            .unwrap();
        let live = |at: i64| Live {
            host: Arc::clone(&host),
            runner: "claude".into(),
            worktree: dir.path().to_owned(),
            process: AgentProcess::default(),
            last_seen: Timestamp::from_unix(at),
            at_rest: false,
            events: 0,
        };
        let sessions = Sessions::default();
        for n in 0..MAX_LIVE {
            let begun = sessions.begin(&n.to_string(), live(n as i64));
            assert!(begun.is_new && begun.evicted.is_none());
        }
        assert!(!sessions.begin("7", live(7)).is_new);
        let begun = sessions.begin("one more", live(9_999));
        assert_eq!(begun.evicted.unwrap().0, "0");
        let now = Timestamp::from_unix(MAX_SILENCE as i64 + 100);
        assert!(live(99).is_over(now) && !live(101).is_over(now));
        // Whatever its process does, and only once its turn has ended.
        let own = AgentProcess::behind(std::process::id());
        let rests = |seconds: i64| Live {
            at_rest: true,
            process: own,
            ..live(MAX_SILENCE as i64 + 100 - seconds)
        };
        for (seconds, over, over_beside) in
            [(1, false, false), (61, false, true), (1_801, true, true)]
        {
            let one = rests(seconds);
            let found = (one.is_over(now), one.is_over_beside_another(now));
            assert_eq!(found, (over, over_beside), "{seconds}");
            let works = Live {
                at_rest: false,
                ..one
            };
            assert!(!works.is_over_beside_another(now), "{seconds}");
        }
    }

    #[test]
    fn a_process_is_watched_once_and_until_its_last_session_ends() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let homes = crate::storage_location::Homes::new(&state);
        let host = Hosts::new(crate::app::Mode::Once, homes, vec![state])
            .create(dir.path())
            .unwrap();
        let process = |pid| AgentProcess { pid, start: 1 };
        let live = |pid| Live {
            host: Arc::clone(&host),
            runner: "claude".into(),
            worktree: dir.path().to_owned(),
            process: process(pid),
            last_seen: Timestamp::from_unix(0),
            at_rest: false,
            events: 0,
        };
        let sessions = Sessions::default();
        sessions.begin("a", live(7));
        sessions.begin("b", live(7));
        assert!(sessions.watch(process(7)).is_some() && sessions.watch(process(7)).is_none());
        sessions.end("a");
        assert!(sessions.watch(process(7)).is_none(), "b is live");
        sessions.moved("b", process(8));
        assert!(
            sessions.watch(process(7)).is_some(),
            "b is of another process"
        );
        assert!(sessions.watch(process(8)).is_some());
        assert_eq!(sessions.unwatch(process(8)), ["b"]);
        assert!(sessions.watch(process(8)).is_some());
    }
}
