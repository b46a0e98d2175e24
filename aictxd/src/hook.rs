//! One hook event, from the agent's bytes to the agent's answer.
//!
//! Verdicts are answered first and recorded after; everything else is recorded first, so that
//! what was acknowledged survives the death of this process.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use aictx_files::mounts;
use aictx_proto::Timestamp;
use aictx_proto::hook::{ANSWER_DEADLINE_MS, DEADLINE_VARIABLE};
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_TEXT};
use aictx_proto::methods::HookParams;
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NOT_WRITABLE, RpcError};
use aictx_proto::text::truncate_chars;
use aictx_runners::{Action, Answer, Dialect, HookEvent, Moment, dialect};
use serde_json::Value;

use self::end::{begin, leave_if_begun_elsewhere, watch_process};
use self::others::{names_work, together};
use crate::app::App;
use crate::guarding;
use crate::hosts::Host;
use crate::lanes::Lane;
use crate::names::WorktreeNames;
use crate::process::AgentProcess;
use crate::sessions::Live;
use crate::spool;

pub use self::alone::verdict_alone;
pub use self::end::{abandon, adopt, finish_session, finish_unfinished};
pub use self::repeat::Repeats;

mod alone;
mod end;
mod judge;
mod others;
mod record;
mod repeat;
mod told;

/// How long after a verdict its record is written. The agent's process is woken on the processor
/// that we would go on working on; it should run first.
const AFTER_ANSWER: Duration = Duration::from_millis(1);

/// How long hooks wait for what their answer could do without: less than the client waits for the answer.
struct Patience {
    /// For the map, or for the session's earlier rows; the client's own limit is 150 ms.
    map: Duration,
    /// For the commit of a session's start; the client's own limit is a second.
    start: Duration,
}

/// Who gives hooks another deadline gives the daemon that started with it another one, too.
static PATIENCE: LazyLock<Patience> =
    LazyLock::new(|| Patience::within(std::env::var(DEADLINE_VARIABLE).ok()));

impl Patience {
    fn within(deadline: Option<String>) -> Self {
        let given = deadline.and_then(|ms| ms.trim().parse::<u64>().ok());
        let share = |usual: u64, of: u64| {
            Duration::from_millis(given.map_or(usual, |ms| ms.clamp(1, 600_000) * usual / of))
        };
        Self {
            map: share(100, ANSWER_DEADLINE_MS),
            start: share(600, 1_000),
        }
    }
}

/// Handles one event.
///
/// # Errors
/// When runner or payload cannot be understood, and when the event could not be kept because the
/// disk is full; the client stays silent then.
pub async fn handle(app: &Arc<App>, params: HookParams<'_>) -> Result<Option<Value>, RpcError> {
    let (dialect, event) = understand(&params)?;
    if let Some(lane) = lane_of(app, &event) {
        let (app, params) = (Arc::clone(app), serde_json::to_string(&params));
        let params = params.map_err(|e| RpcError::new(INTERNAL, e.to_string()))?;
        let work = async move {
            let params = serde_json::from_str(&params);
            let params = params.map_err(|e| RpcError::new(INTERNAL, e.to_string()))?;
            let (dialect, event) = understand(&params)?;
            take(&app, &params, dialect, &event).await
        };
        return lane.run(work).await;
    }
    take(app, &params, dialect, &event).await
}

/// Handles an event that was understood.
async fn take(
    app: &Arc<App>,
    params: &HookParams<'_>,
    dialect: &'static dyn Dialect,
    event: &HookEvent<'_>,
) -> Result<Option<Value>, RpcError> {
    let started = Instant::now();
    let name = format!("hook.{}", event.name);
    let now = params
        .spooled_at
        .and_then(|ms| i64::try_from(ms / 1000).ok())
        .map_or_else(|| app.now(), Timestamp::from_unix);
    let Some(mut session) = Session::of(app, dialect.name(), event, params.pid, now) else {
        // Not one of our repositories, or one whose memory cannot be opened.
        app.stats.record(&name, started.elapsed(), false);
        return Ok(alone::verdict(app, dialect, event));
    };
    // A call may say where it runs; that is where its paths begin.
    if let Some(dir) = event.moment.runs_in() {
        session.cwd.push(dir);
    }
    let live = params.spooled_at.is_none();
    if live
        && app
            .repeats
            .is_repeat(dialect.name(), event, &session.live.worktree)
    {
        return Ok(None);
    }
    let answer = session.take(event, params.spooled_at.is_some()).await;
    if session.disk_full.load(Ordering::Relaxed) {
        // The state directory may lie on another disk; the event waits there.
        let waits = params.spooled_at.is_none() && spool::keep(app, params);
        if !waits && answer.is_none() {
            app.stats.record(&name, started.elapsed(), true);
            return Err(RpcError::new(
                NOT_WRITABLE,
                "the event was not recorded: the disk is full",
            ));
        }
    }
    let reply = answer.and_then(|answer| dialect.render(&event.name, &answer));
    app.stats.record(&name, started.elapsed(), false);
    app.stats.record(
        &format!("agent.{}", dialect.name()),
        started.elapsed(),
        false,
    );
    Ok(reply)
}

/// The lane of the repository that an event concerns, where its file system can hang.
fn lane_of(app: &App, event: &HookEvent) -> Option<Arc<Lane>> {
    if !mounts::any_can_hang() {
        return None;
    }
    let live = app.sessions.get(&event.session_id);
    live.and_then(|live| app.lanes.of(&live.host.root))
        .or_else(|| app.lanes.of(Path::new(event.cwd.as_ref())))
}

fn understand<'a>(
    params: &HookParams<'a>,
) -> Result<(&'static dyn Dialect, HookEvent<'a>), RpcError> {
    let invalid = |e: aictx_runners::DialectError| RpcError::new(INVALID_PARAMS, e.to_string());
    let dialect = dialect(params.runner).map_err(invalid)?;
    let event = dialect
        .parse(params.payload.get(), params.event)
        .map_err(invalid)?;
    Ok((dialect, event))
}

/// What tells the events of one session from those of others: the agent and its session's id, or
/// the directory of an agent that names none.
///
/// # Errors
/// When runner or payload cannot be understood.
pub fn whose(params: &HookParams) -> Result<String, RpcError> {
    let (dialect, event) = understand(params)?;
    let which = match event.session_id.as_ref() {
        "" => event.cwd,
        _ => event.session_id,
    };
    Ok(format!("{} {which}", dialect.name()))
}

/// An event's session, placed in its repository.
#[derive(Clone)]
struct Session {
    app: Arc<App>,
    id: String,
    live: Live,
    cwd: PathBuf,
    now: Timestamp,
    /// Something of this event could not be recorded for want of space.
    disk_full: Arc<AtomicBool>,
}

impl Session {
    /// Finds the session of an event: by id, else by the directory the agent is in.
    fn of(
        app: &Arc<App>,
        runner: &str,
        event: &HookEvent,
        pid: u32,
        now: Timestamp,
    ) -> Option<Self> {
        let cwd = PathBuf::from(event.cwd.as_ref());
        leave_if_begun_elsewhere(app, event, &cwd);
        if let Some(mut live) = app.sessions.get(&event.session_id) {
            app.sessions.seen(&event.session_id, now);
            let id = event.session_id.clone().into_owned();
            // A session goes on in another process when its agent was started again.
            let begins = matches!(
                event.moment,
                Moment::SessionStart { .. } | Moment::Prompt { .. }
            );
            if begins || live.process.was_missed() {
                let process = AgentProcess::behind(pid);
                if process.pid != 0 && !process.was_missed() && process != live.process {
                    live.process = process;
                    app.sessions.moved(&id, process);
                    watch_process(app, &id, process);
                }
            }
            // The agent may have gone to another worktree of the repository, or the repository to
            // another place.
            if let Ok(place) = app.hosts.place(&cwd) {
                if place.root != live.host.root
                    && !live.host.root.is_dir()
                    && app.follow_move(&place.root)
                    && let Ok(host) = app.hosts.open(&place.root)
                {
                    live.host = host;
                }
                if place.root == live.host.root {
                    live.worktree = place.worktree;
                }
            }
            return Some(Self {
                app: Arc::clone(app),
                id,
                live,
                cwd,
                now,
                disk_full: Arc::default(),
            });
        }
        if !cwd.is_absolute() {
            return None;
        }
        let place = app.hosts.place(&cwd).ok()?;
        if !app.registry.contains(&place.root) && !app.follow_move(&place.root) {
            return None;
        }
        let host = app.hosts.open(&place.root).ok()?;
        let process = AgentProcess::behind(pid);
        let id = if event.session_id.is_empty() {
            // An agent that names no session still is one process.
            format!("{runner}:process:{}", process.pid)
        } else {
            event.session_id.clone().into_owned()
        };
        let live = Live {
            host,
            runner: runner.to_owned(),
            worktree: place.worktree,
            process,
            last_seen: now,
            events: 0,
        };
        let is_new = begin(app, &id, live.clone());
        let session = Self {
            app: Arc::clone(app),
            id,
            live,
            cwd,
            now,
            disk_full: Arc::default(),
        };
        // A ledger that is there says already whose it is: after a restart of this process the
        // session goes on, and what comes late does not begin it anew.
        if is_new && session.host().store.has_ledger(&session.id) {
            // Before anything is added to it: whether it can be read is seen now or never.
            let _ = app.presence.limits(session.host(), &session.id);
            let rows = session.host().store.read_ledger(&session.id).rows;
            let (live, presence) = (&session.live, &app.presence);
            presence.recall(&session.id, &live.runner, &live.worktree, &rows);
        } else if is_new && !matches!(event.moment, Moment::SessionStart { .. }) {
            session.record(&[session.start_row("observed", event)]);
        }
        Some(session)
    }

    fn host(&self) -> &Arc<Host> {
        &self.live.host
    }

    fn record(&self, rows: &[LedgerRow]) {
        if let Err(error) = self.host().observe(&self.id, rows) {
            self.disk_full
                .fetch_or(error.is_disk_full(), Ordering::Relaxed);
        }
    }

    /// Records the event and says what there is to say.
    async fn take(&self, event: &HookEvent<'_>, spooled: bool) -> Option<Answer> {
        match &event.moment {
            Moment::SessionStart { source } => return self.start(source, event).await,
            Moment::ToolIntent(call) => {
                self.app.recovered(PATIENCE.map).await;
                let git = match &call.action {
                    Action::Command { command, .. } => {
                        self.app.presence.begins(&self.id, self.now);
                        let others = self.app.presence.others_at_work(&self.id);
                        guarding::state_for(&self.app, &self.live.worktree, command, others).await
                    }
                    _ => None,
                };
                return Some(self.judge(call, event, git));
            }
            Moment::SessionEnd { reason } => {
                self.app.presence.ended(&self.id);
                let row = LedgerRow {
                    source: reason.clone().into_owned(),
                    ..self.row(LedgerKind::SessionEnd, &event.agent_id)
                };
                self.record(&[row]);
                self.finish(spooled).await;
            }
            Moment::Prompt { text } => {
                let names = WorktreeNames::of(&self.app, &self.live.worktree);
                let meant = self.meant(text, &names);
                let label = meant.as_ref().map(|m| m.classification.clone());
                let orders = (meant.as_ref()).is_some_and(|m| m.suggested_updates.orders_work);
                self.record(&[LedgerRow {
                    text: truncate_chars(text, MAX_TEXT),
                    label: label.unwrap_or_default(),
                    orders,
                    ..self.row(LedgerKind::Prompt, &event.agent_id)
                }]);
                let mut begun = false;
                if event.agent_id.is_empty() {
                    begun = self.app.presence.asked(&self.id, &self.live.runner, text);
                }
                let about_files = !begun || meant.as_ref().is_none_or(names_work);
                // What was said while nobody listened holds, too.
                let limits = meant.and_then(|m| self.limit(&m, &names, &event.agent_id));
                if !spooled {
                    let named = match about_files {
                        true => self.suggest(text, &event.agent_id).await,
                        false => None,
                    };
                    return together(limits, named);
                }
            }
            Moment::ToolDone {
                call,
                output,
                duration_ms,
            } => {
                let row = self.done(call, output, *duration_ms, event).await;
                self.note(&row, &call.action, *duration_ms);
                let told = self.known_failure(&row, &event.agent_id).await;
                self.record(&[LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                }]);
                return told;
            }
            Moment::ToolFailed {
                call,
                error,
                interrupted,
                duration_ms,
            } => {
                let row = self
                    .failed(call, error, *interrupted, *duration_ms, event)
                    .await;
                // A command that failed may have written something before; what else failed did not happen.
                match call.action {
                    Action::Command { .. } => self.note(&row, &call.action, *duration_ms),
                    _ => self.spend(&call.action, &self.app.policy(&self.host().root)),
                }
                let told = self.known_failure(&row, &event.agent_id).await;
                self.record(&[LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                }]);
                return told;
            }
            Moment::Compact { trigger } => self.record(&[LedgerRow {
                source: trigger.clone().into_owned(),
                ..self.row(LedgerKind::Compact, &event.agent_id)
            }]),
            Moment::Stop {
                last_message,
                asked_back,
            } => {
                self.record(&[LedgerRow {
                    text: truncate_chars(last_message, MAX_TEXT),
                    ..self.row(LedgerKind::Stop, &event.agent_id)
                }]);
                let takes_questions = dialect(&self.live.runner).is_ok_and(|dialect| {
                    let mut events = dialect.events().iter();
                    events.any(|known| known.asks_back && known.name == event.name)
                });
                if !spooled && takes_questions && event.agent_id.is_empty() {
                    return self.ask_back(*asked_back).await;
                }
            }
            Moment::Subagent {
                phase,
                last_message,
            } => self.record(&[LedgerRow {
                source: (*phase).to_owned(),
                text: truncate_chars(last_message, MAX_TEXT),
                ..self.row(LedgerKind::Subagent, &event.agent_id)
            }]),
            Moment::Other => self.record(&[LedgerRow {
                tool: truncate_chars(&event.name, 80),
                ..self.row(LedgerKind::Other, &event.agent_id)
            }]),
        }
        None
    }
}
