//! Who is working where, as far as this process has seen it.
//!
//! The ledger on disk is the truth; this map only routes events (a session belongs to one
//! repository wherever its agent has changed directory to) and notices when an agent is gone
//! without having said so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aictx_proto::Timestamp;
use aictx_proto::methods::LiveSession;

use crate::hosts::Host;
use crate::process::AgentProcess;

/// Most live sessions; the one silent for longest makes room.
const MAX_LIVE: usize = 512;

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
    /// Grows with each event; tells "silent since" apart from "silent again".
    pub events: u64,
}

/// All live sessions, by id.
#[derive(Debug, Default)]
pub struct Sessions {
    live: Mutex<HashMap<String, Live>>,
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

    /// Notes a session; gives whether it was unknown.
    pub fn begin(&self, session_id: &str, live: Live) -> bool {
        let mut map = self.lock();
        if map.len() >= MAX_LIVE
            && !map.contains_key(session_id)
            && let Some(oldest) = map
                .iter()
                .min_by_key(|(_, l)| l.last_seen)
                .map(|(id, _)| id.clone())
        {
            map.remove(&oldest);
        }
        let before = map.get(session_id).map(|l| l.events);
        map.insert(
            session_id.to_owned(),
            Live {
                events: before.unwrap_or(0) + 1,
                ..live
            },
        );
        before.is_none()
    }

    /// Notes an event of a session.
    pub fn seen(&self, session_id: &str, now: Timestamp) {
        if let Some(live) = self.lock().get_mut(session_id) {
            live.last_seen = now;
            live.events += 1;
        }
    }

    /// Forgets a session.
    pub fn end(&self, session_id: &str) -> Option<Live> {
        self.lock().remove(session_id)
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
