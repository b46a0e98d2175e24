//! Beginning and end of sessions: said by the agent, seen by its process going away,
//! or forced by others that needed the room. Each end finalizes the session from its ledger.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aictx_proto::Timestamp;
use aictx_proto::identity::Caller;
use aictx_redact::Report;
use aictx_runners::{HookEvent, Moment};

use super::Session;
use crate::app::{App, Mode};
use crate::methods::{Looked, finalize_session};
use crate::process::AgentProcess;
use crate::sessions::Live;
use crate::spool;

/// Longest time for which a session's end holds its hook. The agents allow 1 to 1.5 s.
const END_DEADLINE: Duration = Duration::from_millis(800);
/// An agent whose process is gone gets this long to be heard of again before its session is
/// finalized. `AICTXD_SESSION_GRACE_MS` overrides it.
const GRACE: Duration = Duration::from_secs(2);
/// So many times longer for one of which only a shell between it and its hook is known to be gone.
const MISSED: u32 = 5;

impl Session {
    /// Finalizes the session from its ledger. The work goes on when the hook cannot wait.
    pub(super) async fn finish(&self, spooled: bool) {
        let session = self.clone();
        let work = async move {
            if !spooled {
                // What was observed while nobody could be reached belongs to the session.
                spool::drain(&session.app).await;
            }
            session.app.sessions.end(&session.id);
            finish_session(&session.app, &session.id, &session.live, session.now).await;
        };
        if spooled || self.app.mode == Mode::Once {
            work.await;
            return;
        }
        let (done, finished) = tokio::sync::oneshot::channel();
        self.app.after_reply(async move {
            work.await;
            let _ = done.send(());
        });
        let _ = tokio::time::timeout(END_DEADLINE, finished).await;
    }
}

/// Limits of a session's start on handing over the work of others: time and number.
const HAND_OVER_DEADLINE: Duration = Duration::from_millis(200);
const MAX_HANDED_OVER: usize = 8;

impl Session {
    /// Finalizes what the sessions did whose turn has ended in this worktree, so that this one is told of it. Those
    /// that have been silent for long are over; the others go on when they are heard of again.
    pub(super) async fn take_over(&self) {
        let mut resting = self.app.sessions.at_rest(&self.live.worktree);
        resting.retain(|(id, _)| *id != self.id);
        resting.truncate(MAX_HANDED_OVER);
        if resting.is_empty() {
            return;
        }
        let (app, now) = (Arc::clone(&self.app), self.now);
        let work = tokio::spawn(async move {
            for (id, live) in resting {
                // What it claims stays its own until it is over for everybody.
                if live.is_over_beside_another(now) && app.presence.claims(&id).is_empty() {
                    app.sessions.end(&id);
                    app.presence.ended(&id);
                }
                finish_session(&app, &id, &live, now).await;
            }
        });
        let _ = tokio::time::timeout(HAND_OVER_DEADLINE, work).await;
    }
}

/// Ends a session whose id begins in another repository: what is told and observed from there on is that one's. An
/// agent that only goes into another directory stays where it began.
pub(super) fn leave_if_begun_elsewhere(app: &Arc<App>, event: &HookEvent, cwd: &Path) {
    let id = event.session_id.as_ref();
    if !matches!(event.moment, Moment::SessionStart { .. }) {
        return;
    }
    let Some(live) = app.sessions.get(id) else {
        return;
    };
    let elsewhere = app.hosts.place(cwd).is_ok_and(|place| {
        place.root != live.host.root
            && live.host.root.is_dir()
            && app.registry.contains(&place.root)
    });
    if elsewhere {
        app.sessions.end(id);
        app.presence.ended(id);
        let (task, id, now) = (Arc::clone(app), id.to_owned(), app.now());
        app.after_reply(async move { finish_session(&task, &id, &live, now).await });
    }
}

/// Notes a live session and watches its process; gives whether it was unknown. A session that had
/// to make room is finalized.
pub(super) fn begin(app: &Arc<App>, id: &str, live: Live) -> bool {
    let process = live.process;
    let begun = app.sessions.begin(id, live);
    if begun.is_new {
        watch_process(app, process);
    }
    if let Some((id, live)) = begun.evicted {
        let (task, now) = (Arc::clone(app), app.now());
        app.after_reply(async move { finish_session(&task, &id, &live, now).await });
    }
    begun.is_new
}

/// Takes over a live session that an earlier daemon knew.
pub fn adopt(app: &Arc<App>, id: &str, live: Live) {
    if app.sessions.get(id).is_none() {
        let rows = live.host.store.read_ledger(id).rows;
        app.presence.recall(id, &live.runner, &live.worktree, &rows);
        begin(app, id, live);
    }
}

/// Finalizes the sessions of an agent's process when it ends without having said so. One descriptor
/// for a process, however many sessions it has, and none once it has no session any more.
pub(super) fn watch_process(app: &Arc<App>, process: AgentProcess) {
    if app.mode == Mode::Once || process.pid == 0 {
        return;
    }
    let Some(unwanted) = app.sessions.watch(process) else {
        return;
    };
    let app = Arc::clone(app);
    tokio::spawn(async move {
        tokio::select! {
            () = process.gone() => {}
            () = unwanted.notified() => return,
            _ = app.stopped() => return,
        }
        for id in app.sessions.unwatch(process) {
            let app = Arc::clone(&app);
            tokio::spawn(async move { abandon(&app, &id).await });
        }
    });
}

/// Ends a session whose agent is gone once it has not been heard of for the grace period. One that
/// goes on in another process is left alone.
pub async fn abandon(app: &Arc<App>, id: &str) {
    let Some(mut before) = app.sessions.get(id) else {
        return;
    };
    let times = if before.process.was_missed() {
        MISSED
    } else {
        1
    };
    loop {
        tokio::time::sleep(grace() * times).await;
        match app.sessions.get(id) {
            Some(live) if live.process == before.process && live.is_over(app.now()) => {
                if live.events == before.events {
                    app.sessions.end(id);
                    app.presence.ended(id);
                    return finish_session(app, id, &live, app.now()).await;
                }
                before = live;
            }
            _ => return,
        }
    }
}

fn grace() -> Duration {
    std::env::var("AICTXD_SESSION_GRACE_MS")
        .ok()
        .and_then(|v| v.parse().ok())
        .map_or(GRACE, Duration::from_millis)
}

/// Tries again to finalize what could not be finalized when its session ended.
pub async fn finish_unfinished(app: &Arc<App>) {
    for (id, live) in app.sessions.take_unfinished() {
        // Begun again in the meantime: it ends again, too.
        if app.sessions.get(&id).is_none() {
            finish_session(app, &id, &live, live.last_seen).await;
        }
    }
}

/// Finalizes what the ledger holds. When that fails it says so in the log and remembers the
/// session for [`finish_unfinished`].
pub async fn finish_session(app: &Arc<App>, id: &str, live: &Live, now: Timestamp) {
    let Some(lane) = app.lanes.of(&live.host.root) else {
        return finish_here(app, id, live, now).await;
    };
    let (task, name, here) = (Arc::clone(app), id.to_owned(), live.clone());
    let work = async move {
        finish_here(&task, &name, &here, now).await;
        Ok(())
    };
    if lane.run(work).await.is_err() {
        app.sessions.unfinished(id, live.clone());
    }
}

async fn finish_here(app: &Arc<App>, id: &str, live: &Live, now: Timestamp) {
    let caller = Caller {
        agent_id: live.runner.clone(),
        session_id: id.to_owned(),
        ..Caller::default()
    };
    let identity = caller.identify(|_| None);
    super::transcript::hear_last_message(id, live, now).await;
    let done = async {
        let looked = Looked::at(app, &live.host, &live.worktree).await?;
        finalize_session(
            app,
            &live.host,
            looked,
            None,
            identity,
            now,
            Report::default(),
        )
        .await
    };
    if let Err(error) = done.await {
        tracing::warn!(session = id, %error, "a session was not finalized; its ledger is kept");
        app.sessions.unfinished(id, live.clone());
    }
}
