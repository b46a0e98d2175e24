//! Sessions that began and never ended, and work that nobody proved, as far as
//! they concern the request: the caller's own session is not among them, and everything ages.

use std::collections::HashSet;

use aictx_proto::Timestamp;
use aictx_proto::record::LifecycleEvent;
use aictx_proto::shown;
use aictx_proto::snapshot::{Rows, Snapshot};
use serde_json::{Value, json};

use crate::row_cache::{Prepared, hash};
use crate::text_similarity::{goals, shared, terms};

/// A resume without a finalize counts from this age on, in seconds, and up to that one.
const OPEN_AFTER: u64 = 2 * 3_600;
const OPEN_UNTIL: u64 = 7 * 86_400;
/// A finalize without evidence counts for this long.
const UNPROVEN_FOR: u64 = 86_400;
/// A task that nobody touched for so long is stale.
const STALE_TASK: u64 = 24 * 3_600;
/// Sessions and warnings told.
const MAX_TOLD: usize = 12;

/// Open resumes that are compared with what was finalized.
const MAX_COMPARED: usize = 48;

/// Characters of a request in an event: enough to see whether two speak of the same.
pub(crate) const MAX_TASK: usize = 160;

/// An event as it is written: counts of nothing are left out, as empty texts are.
pub(crate) fn row(event: &LifecycleEvent) -> Value {
    let mut row = crate::record_json::row_value(event);
    if let Some(members) = row.as_object_mut() {
        members.retain(|_, value| value.as_u64() != Some(0));
    }
    row
}

/// Identity and request of a caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) request: &'a str,
    pub(crate) now: Timestamp,
}

/// The lifecycle as it concerns a request of a session.
pub fn lifecycle_status(
    snapshot: &Snapshot,
    session_id: &str,
    request: &str,
    now: Timestamp,
) -> Value {
    status(
        snapshot,
        Asked {
            session_id,
            request,
            now,
        },
    )
}

/// `{schema_version, status, open_sessions, warnings, thresholds}`.
pub(crate) fn status(snapshot: &Snapshot, asked: Asked) -> Value {
    let events = &snapshot.lifecycle;
    let request = terms(asked.request);
    let relates = |event: &LifecycleEvent| {
        // Evidence of a relation, not its absence of one.
        asked.request.trim().is_empty() || shared(&request, &terms(&event.task)) > 0
    };
    let mut sessions = Vec::new();
    let mut warnings: Vec<Value> = Vec::new();
    let mut warn = |code: &str, event: &LifecycleEvent, summary: &str, next: &str| {
        let entry = json!({
            "code": code, "severity": "warning", "summary": summary,
            "session_id": event.session_id, "task": shown::line(&event.task, 160),
            "suggested_next_action": next,
        });
        let known = |w: &Value| {
            ["code", "session_id", "task"]
                .iter()
                .all(|name| w.get(name) == entry.get(name))
        };
        if warnings.len() < MAX_TOLD && !warnings.iter().any(known) {
            warnings.push(entry);
        }
    };
    for event in open_resumes(events, asked, relates) {
        sessions.push(json!({
            "session_id": event.session_id, "started": event.timestamp,
            "task": shown::line(&event.task, 160),
            "status": "resume_called, finalize_missing", "source": event.source,
        }));
        let code = if event.source == "mcp" {
            "mcp_resume_without_finalize"
        } else {
            "session_started_but_not_finalized"
        };
        warn(
            code,
            event,
            "a session began and was never finalized",
            "look at what it left: aictx log",
        );
    }
    let recent =
        |event: &&LifecycleEvent| age(event, asked.now).is_some_and(|age| age < UNPROVEN_FOR);
    let unproven = |event: &&LifecycleEvent| {
        event.event_type == "finalize_called"
            && event.status == "success"
            && event.files_edited_count > 0
            && event.commands_count == 0
            && event.tests_count == 0
    };
    for event in events
        .iter()
        .map(|event| &**event)
        .rev()
        .take(100)
        .filter(recent)
        .filter(unproven)
    {
        if event.session_id != asked.session_id && relates(event) {
            let text = "files were edited and nothing was run to check them";
            warn(
                "changes_without_evidence",
                event,
                text,
                "run the tests before building on it",
            );
        }
    }
    if let Some(task) = &snapshot.active_task {
        let idle = Timestamp::parse(&task.updated_at).map(|at| asked.now.since(at));
        let asks = asked.request.trim().is_empty() || shared(&request, &terms(&task.goal)) > 0;
        if idle.is_some_and(|idle| (STALE_TASK..OPEN_UNTIL).contains(&idle)) && asks {
            let event = LifecycleEvent {
                task: task.goal.clone(),
                ..LifecycleEvent::default()
            };
            let text = "the active task has not been touched for a day";
            warn(
                "active_work_state_no_recent_finalization",
                &event,
                text,
                "aictx task update or close",
            );
        }
    }
    json!({
        "schema_version": "1.0",
        "status": if warnings.is_empty() { "ok" } else { "warning" },
        "open_sessions": sessions, "warnings": warnings,
        "thresholds": { "resume_finalize_hours": 2, "stale_work_state_hours": 24 },
    })
}

/// The first of its warnings, as `{code, severity, summary, suggested_next_action}`.
pub(crate) fn gaps(status: &Value, limit: usize) -> Vec<Value> {
    let warnings = status["warnings"].as_array();
    warnings
        .into_iter()
        .flatten()
        .take(limit)
        .map(|w| {
            json!({
                "code": w["code"], "severity": w["severity"], "summary": w["summary"],
                "suggested_next_action": w["suggested_next_action"],
            })
        })
        .collect()
}

/// Facts of an event for pairing.
#[derive(Debug)]
struct Known {
    kind: Kind,
    /// Hash of the session's name.
    session: u64,
    at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Resumed,
    Finalized,
    Other,
}

static KNOWN: Prepared<LifecycleEvent, Known> = Prepared::new(|event| Known {
    kind: match event.event_type.as_str() {
        "resume_called" if !event.session_id.is_empty() => Kind::Resumed,
        "finalize_called" => Kind::Finalized,
        _ => Kind::Other,
    },
    session: hash(&event.session_id),
    at: Timestamp::parse(&event.timestamp),
});
/// Prepares a list that will be asked about.
pub(crate) fn warm(rows: &Rows<LifecycleEvent>) {
    drop(KNOWN.of(rows));
}

fn age(event: &LifecycleEvent, now: Timestamp) -> Option<u64> {
    Some(now.since(Timestamp::parse(&event.timestamp)?))
}

/// The newest resume of each other session that no finalize of it followed, of a certain age, and that
/// `relates` to the request; at most 12. Goals are only compared for those, of which at most 48 are
/// looked at, so that a long history costs a walk over its rows.
fn open_resumes<'e>(
    events: &'e Rows<LifecycleEvent>,
    asked: Asked,
    relates: impl Fn(&LifecycleEvent) -> bool,
) -> Vec<&'e LifecycleEvent> {
    let known = KNOWN.of(events);
    let own = hash(asked.session_id);
    let mut done: HashSet<u64> = HashSet::with_capacity(events.len());
    // What an agent finalized under another name counts, where it is the same thing.
    let mut finished: Vec<&LifecycleEvent> = Vec::new();
    let mut open: Vec<&LifecycleEvent> = Vec::new();
    let mut compared = 0;
    for (event, known) in events.iter().zip(&known.each).rev() {
        let event = &**event;
        match known.kind {
            Kind::Finalized => {
                done.insert(known.session);
                finished.push(event);
            }
            Kind::Resumed if known.session != own => {
                let newest = done.insert(known.session);
                let age = known.at.map(|at| asked.now.since(at));
                let counts = age.is_some_and(|age| (OPEN_AFTER..OPEN_UNTIL).contains(&age));
                if !newest || !counts || !relates(event) {
                    continue;
                }
                let elsewhere = finished
                    .iter()
                    .any(|f| f.agent_id == event.agent_id && goals(&f.task, &event.task).yes);
                if !elsewhere {
                    open.push(event);
                }
                compared += 1;
                if open.len() >= MAX_TOLD || compared >= MAX_COMPARED {
                    break;
                }
            }
            Kind::Resumed | Kind::Other => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, session: &str, task: &str, at: i64) -> LifecycleEvent {
        LifecycleEvent {
            event_type: kind.into(),
            session_id: session.into(),
            task: task.into(),
            timestamp: Timestamp::from_unix(at).to_string(),
            status: "success".into(),
            files_edited_count: 1,
            commands_count: 1,
            ..LifecycleEvent::default()
        }
    }

    fn codes(events: Vec<LifecycleEvent>, session: &str, request: &str, now: i64) -> Vec<String> {
        let snapshot = Snapshot {
            lifecycle: aictx_proto::snapshot::shared(events),
            ..Snapshot::default()
        };
        let asked = Asked {
            session_id: session,
            request,
            now: Timestamp::from_unix(now),
        };
        let found = status(&snapshot, asked);
        let list = found["warnings"].as_array().unwrap();
        list.iter()
            .map(|w| w["code"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn w38_sessions_pair_by_id_age_out_and_the_callers_own_is_none() {
        let hour = 3_600;
        let open = vec![event("resume_called", "a", "fix ui", 0)];
        assert_eq!(codes(open.clone(), "b", "", 3 * hour).len(), 1);
        assert!(codes(open.clone(), "a", "", 3 * hour).is_empty());
        assert!(codes(open.clone(), "b", "", hour).is_empty());
        assert!(codes(open.clone(), "b", "", 8 * 24 * hour).is_empty());
        assert!(
            codes(open.clone(), "b", "write docs", 3 * hour).is_empty(),
            "no relation"
        );
        let mut closed = open;
        closed.push(event("finalize_called", "a", "x", 10));
        assert!(codes(closed, "b", "", 3 * hour).is_empty());
        let mut bare = event("finalize_called", "a", "x", 0);
        bare.commands_count = 0;
        assert_eq!(
            codes(vec![bare.clone()], "b", "", hour),
            ["changes_without_evidence"]
        );
        assert!(codes(vec![bare], "b", "", 30 * hour).is_empty());
    }
}
