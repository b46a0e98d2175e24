//! Visible sessions: identity, number, banner shown once.

use std::collections::HashSet;

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, KeyOrder};
use aictx_proto::identity::{Identity, runtime_name};
use aictx_proto::record::{RecentSession, SessionFile, files};
use aictx_proto::snapshot::Snapshot;
use serde_json::json;

/// Sessions remembered by id, newest first.
const MAX_RECENT: usize = 32;

/// A session, counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Its number among all visible sessions of the repository.
    pub number: u64,
    /// It was never seen before.
    pub is_new: bool,
    /// Its banner was shown already.
    pub banner_shown: bool,
    /// When it was first seen.
    pub started_at: String,
    /// `<runtime>@<repo_id>`.
    pub agent_label: String,
    /// The file to write.
    pub file: SessionFile,
}

/// Counts a session by its id: the same id is the same session however many others came in
/// between, and its times are those of its own events.
pub fn touch(snapshot: &Snapshot, identity: &Identity, now: Timestamp) -> Touch {
    let mut file = (*snapshot.session).clone();
    if file.session_count == 0 {
        // The file is not there, or was set aside because it could not be read: numbers go on.
        file.session_count = counted(snapshot);
    }
    let now = now.to_string();
    let known = file
        .recent_sessions
        .iter()
        .position(|s| s.session_id == identity.session_id);
    let known_by_slot = !file.session_id.is_empty() && file.session_id == identity.session_id;
    let mut entry = match known {
        Some(at) => file.recent_sessions.remove(at),
        // Written by the ancestor: it knows only its own slot.
        None if known_by_slot => RecentSession {
            session_id: identity.session_id.clone(),
            number: file.session_count.max(1),
            started_at: file.started_at.clone(),
            last_seen_at: String::new(),
            banner_shown: file.banner_shown_session_id == identity.session_id,
        },
        None => RecentSession {
            session_id: identity.session_id.clone(),
            number: file.session_count + 1,
            started_at: now.clone(),
            ..RecentSession::default()
        },
    };
    let is_new = known.is_none() && !known_by_slot;
    entry.last_seen_at.clone_from(&now);
    if is_new {
        file.session_count += 1;
        file.execution_count = 0;
    }
    let same_slot = known_by_slot && !is_new;
    file.execution_count = if same_slot {
        file.execution_count + 1
    } else {
        1
    };
    file.runtime = runtime_name(&identity.adapter_id);
    file.repo_id.clone_from(&snapshot.repo_id);
    file.agent_label = format!("{}@{}", file.runtime, file.repo_id);
    file.session_id.clone_from(&identity.session_id);
    file.started_at.clone_from(&entry.started_at);
    file.last_session_at = now;
    let touch = Touch {
        number: entry.number,
        is_new,
        banner_shown: entry.banner_shown,
        started_at: entry.started_at.clone(),
        agent_label: file.agent_label.clone(),
        file: SessionFile::default(),
    };
    file.recent_sessions.insert(0, entry);
    file.recent_sessions.truncate(MAX_RECENT);
    Touch { file, ..touch }
}

/// Counts the sessions in the events of this machine. Decisions have numbers, too, but may be
/// somebody else's.
fn counted(snapshot: &Snapshot) -> u64 {
    let ids = snapshot.lifecycle.iter().map(|e| e.session_id.as_str());
    let ids: HashSet<&str> = ids.filter(|id| !id.is_empty()).collect();
    ids.len() as u64
}

impl Touch {
    /// Notes that the banner is being shown now.
    pub fn mark_banner(&mut self, now: Timestamp) {
        if let Some(entry) = self.file.recent_sessions.first_mut() {
            entry.banner_shown = true;
        }
        self.file
            .banner_shown_session_id
            .clone_from(&self.file.session_id);
        self.file.banner_shown_at = now.to_string();
    }

    /// The write that makes it last.
    pub fn effect(&self) -> Effect {
        Effect::ReplaceJson {
            file: files::SESSION.to_owned(),
            value: serde_json::to_value(&self.file).unwrap_or_else(|_| json!({})),
            order: KeyOrder::Sorted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::identity::SessionSource;
    use aictx_proto::record::LifecycleEvent;
    use std::sync::Arc;

    fn identity(id: &str) -> Identity {
        Identity {
            agent_id: "claude".into(),
            adapter_id: "claude".into(),
            session_id: id.into(),
            session_source: SessionSource::Explicit,
        }
    }

    #[test]
    fn w7_interleaved_sessions_keep_their_numbers() {
        let mut snapshot = Snapshot {
            repo_id: "r".into(),
            ..Snapshot::default()
        };
        let mut numbers = Vec::new();
        for (i, id) in ["x", "y", "x", "y", "x"].into_iter().enumerate() {
            let touch = touch(
                &snapshot,
                &identity(id),
                Timestamp::from_unix(i as i64 * 60),
            );
            numbers.push((touch.number, touch.is_new));
            snapshot.session = Arc::new(touch.file);
        }
        assert_eq!(
            numbers,
            [(1, true), (2, true), (1, false), (2, false), (1, false)]
        );
        assert_eq!(snapshot.session.session_count, 2);
        assert_eq!(
            snapshot.session.started_at, "1970-01-01T00:00:00Z",
            "W22: its own start"
        );
        assert_eq!(snapshot.session.agent_label, "claude@r");
    }

    #[test]
    fn numbers_go_on_when_the_file_is_lost() {
        let event = |session: &str| {
            Arc::new(LifecycleEvent {
                session_id: session.into(),
                ..LifecycleEvent::default()
            })
        };
        let snapshot = Snapshot {
            lifecycle: Arc::new(["a", "a", "b", ""].map(event).into()),
            ..Snapshot::default()
        };
        let next = touch(&snapshot, &identity("c"), Timestamp::from_unix(0));
        assert_eq!((next.number, next.file.session_count), (3, 3));
    }

    #[test]
    fn files_of_the_ancestor_go_on_counting() {
        let old = SessionFile {
            session_id: "s2".into(),
            session_count: 3,
            banner_shown_session_id: "s2".into(),
            ..SessionFile::default()
        };
        let snapshot = Snapshot {
            session: Arc::new(old),
            ..Snapshot::default()
        };
        let same = touch(&snapshot, &identity("s2"), Timestamp::from_unix(0));
        assert_eq!(
            (same.number, same.is_new, same.banner_shown),
            (3, false, true)
        );
        let new = touch(&snapshot, &identity("s3"), Timestamp::from_unix(0));
        assert_eq!(
            (new.number, new.is_new, new.file.session_count),
            (4, true, 4)
        );
    }
}
