//! One hook event, from the agent's bytes to the agent's answer.
//!
//! Verdicts are answered first and recorded after; everything else is recorded first, so that
//! what was acknowledged survives the death of this process.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aictx_artifacts::{Store, StoreError};
use aictx_files::mounts;
use aictx_proto::Timestamp;
use aictx_proto::hook::{ANSWER_DEADLINE_MS, DEADLINE_VARIABLE};
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_TEXT};
use aictx_proto::methods::HookParams;
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, NO_REPOSITORY, RpcError, UNAVAILABLE};
use aictx_proto::text::truncate_chars;
use aictx_runners::{Action, Answer, Dialect, HookEvent, Moment, dialect};
use serde_json::Value;

use self::events::Progress;
use self::others::{names_work, together};
use self::session_end::{begin, leave_if_begun_elsewhere, watch_process};
use crate::app::{App, Mode};
use crate::guard_env;
use crate::hosts::{Host, store_error};
use crate::intake;
use crate::lanes::Lane;
use crate::path_lookup::WorktreeNames;
use crate::process::AgentProcess;
use crate::sessions::Live;
use crate::spool;

pub use self::dedup::Repeats;
pub use self::events::Events;
pub use self::session_end::{abandon, adopt, finish_session, finish_unfinished};
pub use self::verdict_only::verdict_alone;

mod context_injection;
mod dedup;
mod events;
mod ledger_rows;
mod others;
mod pre_tool_use;
mod session_end;
mod transcript;
mod verdict_only;

pub use context_injection::preview;

/// Delay of a verdict's record. The agent's process is woken on the processor
/// that we would go on working on; it should run first.
const AFTER_ANSWER: Duration = Duration::from_millis(1);

/// Longest path of a transcript, in characters.
const MAX_TRANSCRIPT: usize = 4_096;
/// Longest reason of a start, an end or a compaction, in characters; agents send a word.
const MAX_SOURCE: usize = 80;

/// Time limits for optional parts of a hook's answer: less than the client waits for the answer.
struct Patience {
    /// For the map, or for the session's earlier rows; the client's own limit is 150 ms.
    map: Duration,
    /// For the commit of a session's start; the client's own limit is a second.
    start: Duration,
}

/// `AICTX_HOOK_TIMEOUT_MS` also scales the daemon's wait budget.
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

/// Handles one event. It is in its session's ledger or in the spool when this succeeds.
///
/// # Errors
/// When runner or payload cannot be understood, and when the event could be neither recorded nor
/// kept: the client keeps it then.
pub async fn handle(app: &Arc<App>, params: HookParams<'_>) -> Result<Option<Value>, RpcError> {
    let (dialect, event) = understand(&params)?;
    let is_spooled = params.spooled_at.is_some();
    if !is_spooled && app.waiting.is_behind(&params) {
        app.waiting.try_again();
        spool::drain(app).await;
    }
    let Some(lane) = lane_of(app, &event) else {
        return attend(app, dialect, &event, &params).await;
    };
    let (app, params) = (Arc::clone(app), serde_json::to_string(&params));
    let params = params.map_err(|e| RpcError::new(INTERNAL, e.to_string()))?;
    let work = async move {
        let params = serde_json::from_str(&params);
        let params = params.map_err(|e| RpcError::new(INTERNAL, e.to_string()))?;
        let (dialect, event) = understand(&params)?;
        attend(&app, dialect, &event, &params).await
    };
    lane.run(work).await
}

/// Handles an event that was understood, once.
async fn attend(
    app: &Arc<App>,
    dialect: &'static dyn Dialect,
    event: &HookEvent<'_>,
    params: &HookParams<'_>,
) -> Result<Option<Value>, RpcError> {
    let started = Instant::now();
    let is_spooled = params.spooled_at.is_some();
    // The names that an agent has, not whatever it sends.
    let known = dialect
        .events()
        .iter()
        .any(|known| known.name == event.name);
    let name = match known {
        true => format!("hook.{}", event.name),
        false => "hook.other".to_owned(),
    };
    let now = params
        .spooled_at
        .and_then(|ms| i64::try_from(ms / 1000).ok())
        .map_or_else(|| app.now(), Timestamp::from_unix);
    let known = app.events.begin(params.id);
    match known {
        Some(Progress::Recorded) if is_spooled => return Ok(None),
        Some(Progress::Begun) if is_spooled => {
            let why = "the event is being handled";
            return Err(RpcError::new(UNAVAILABLE, why));
        }
        _ => {}
    }
    let taken = take(app, dialect, event, params, known, now).await;
    if known.is_none() {
        app.events.end(params.id, matches!(taken, Ok((_, true))));
    }
    let failed = taken.is_err();
    app.stats.record(&name, started.elapsed(), failed);
    let (reply, is_recorded) = taken?;
    if is_recorded {
        app.stats.record(
            &format!("agent.{}", dialect.name()),
            started.elapsed(),
            false,
        );
    }
    Ok(reply)
}

/// Answers one event, and whether it is recorded, by this call or before.
async fn take(
    app: &Arc<App>,
    dialect: &'static dyn Dialect,
    event: &HookEvent<'_>,
    params: &HookParams<'_>,
    known: Option<Progress>,
    now: Timestamp,
) -> Result<(Option<Value>, bool), RpcError> {
    let is_spooled = params.spooled_at.is_some();
    let found = Session::of(app, dialect.name(), event, params, known, now);
    let mut session = match found {
        Ok(Some(session)) => session,
        // Not one of our repositories.
        Ok(None) => return Ok((verdict_only::verdict(app, dialect, event), false)),
        Err(error) => {
            if is_spooled {
                return Err(error);
            }
            spool::keep(app, params, None, error)?;
            return Ok((verdict_only::verdict(app, dialect, event), false));
        }
    };
    let store = &session.host().store;
    if is_spooled && store.ledger_has_event(&session.id, params.id) {
        return Ok((None, true));
    }
    // A call may say where it runs; that is where its paths begin.
    if let Some(dir) = event.moment.runs_in() {
        session.cwd.push(dir);
    }
    let worktree = &session.live.worktree;
    if !is_spooled && app.repeats.is_repeat(dialect.name(), event, worktree) {
        // Neither of two reports is silent about a danger; only one is recorded.
        let answer = session.verdict_again(event).await;
        let reply = answer.and_then(|answer| dialect.answer(&event.name, &answer));
        return Ok((reply, true));
    }
    let answer = session.take(event, is_spooled).await;
    let answer = session
        .deliver(dialect, event, answer)
        .map(|answer| Answer {
            context: intake::outgoing(answer.context),
            ..answer
        });
    let unrecorded = session.unrecorded();
    let is_recorded = unrecorded.is_none();
    if let Some(why) = unrecorded {
        if is_spooled {
            return Err(why);
        }
        let memory = Some(session.host().memory());
        match (spool::keep(app, params, memory.clone(), why), &answer) {
            (Ok(()), _) => {}
            // What there is to tell is told all the same, unless the client can keep the event itself.
            (Err(why), Some(_)) if why.code != UNAVAILABLE.code => spool::lose(app, memory),
            (Err(why), _) => return Err(why),
        }
    }
    let reply = answer.and_then(|answer| dialect.answer(&event.name, &answer));
    Ok((reply, is_recorded))
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
    let mut event = dialect
        .parse(params.payload.get(), params.event)
        .map_err(invalid)?;
    if let Cow::Owned(clean) = intake::session_id(&event.session_id) {
        event.session_id = Cow::Owned(clean);
    }
    if let Cow::Owned(clean) = intake::text(&event.agent_id) {
        event.agent_id = Cow::Owned(clean);
    }
    Ok((dialect, event))
}

/// Returns a key for the events of one session: the agent and its session's id, or
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

/// Manner in which the row of an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recording {
    /// It cannot be in the ledger.
    New,
    /// Another process may have written it.
    PerhapsAgain,
    /// It is in the ledger.
    Done,
}

/// An event's session, placed in its repository.
#[derive(Clone)]
struct Session {
    app: Arc<App>,
    id: String,
    live: Live,
    cwd: PathBuf,
    now: Timestamp,
    /// Id of the event.
    event: String,
    recording: Recording,
    /// Why something of this event could not be recorded.
    trouble: Arc<Mutex<Option<StoreError>>>,
}

impl Session {
    /// Finds the session of an event: by id, else by the directory the agent is in. `None` when it
    /// is in none of our repositories.
    ///
    /// # Errors
    /// When it is in one of them whose memory cannot be opened.
    fn of(
        app: &Arc<App>,
        runner: &str,
        event: &HookEvent,
        params: &HookParams,
        known: Option<Progress>,
        now: Timestamp,
    ) -> Result<Option<Self>, RpcError> {
        let cwd = PathBuf::from(event.cwd.as_ref());
        let recording = match known {
            Some(Progress::Recorded) => Recording::Done,
            Some(Progress::Begun) => Recording::PerhapsAgain,
            None if params.spooled_at.is_some()
                || app.mode == Mode::Once
                || events::is_late(params.id, app.generation) =>
            {
                Recording::PerhapsAgain
            }
            None => Recording::New,
        };
        let placed = |id: String, live: Live| Self {
            app: Arc::clone(app),
            id,
            live,
            cwd: cwd.clone(),
            now,
            event: params.id.to_owned(),
            recording,
            trouble: Arc::default(),
        };
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
                let process = AgentProcess::behind(params.pid);
                if process.pid != 0 && !process.was_missed() && process != live.process {
                    live.process = process;
                    app.sessions.moved(&id, process);
                    watch_process(app, process);
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
            return Ok(Some(placed(id, live)));
        }
        if !cwd.is_absolute() {
            return Ok(None);
        }
        let Ok(place) = app.hosts.place(&cwd) else {
            return Ok(None);
        };
        if !app.registry.contains(&place.root) && !app.follow_move(&place.root) {
            return Ok(None);
        }
        let host = match app.hosts.open(&place.root) {
            Ok(host) => host,
            // Its user has removed its memory.
            Err(error) if error.code == NO_REPOSITORY.code => return Ok(None),
            Err(error) => return Err(error),
        };
        let process = AgentProcess::behind(params.pid);
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
            at_rest: false,
            events: 0,
        };
        let is_new = begin(app, &id, live.clone());
        let session = placed(id, live);
        // A ledger that is there says already whose it is: after a restart of this process the
        // session goes on, and what comes late does not begin it anew.
        let has_ledger = |store: &Store| {
            // One that can be told for nobody's any more may have held limits.
            store.has_ledger(&session.id) || store.ledger_is_lost(&session.id)
        };
        if is_new && has_ledger(&session.host().store) {
            // Before anything is added to it: whether it can be read is seen now or never.
            let _ = app.presence.limits(session.host(), &session.id);
            let rows = session.host().store.read_ledger(&session.id).rows;
            let (live, presence) = (&session.live, &app.presence);
            presence.recall(&session.id, &live.runner, &live.worktree, &rows);
        } else if is_new && !matches!(event.moment, Moment::SessionStart { .. }) {
            session.record(&[session.start_row("observed", event)]);
        }
        Ok(Some(session))
    }

    fn host(&self) -> &Arc<Host> {
        &self.live.host
    }

    /// Appends rows beside the one that records the event.
    fn record(&self, rows: &[LedgerRow]) {
        self.failed_with(self.host().observe(&self.id, rows).err());
    }

    /// Appends the row that records the event, unless the ledger has it.
    fn record_event(&self, row: LedgerRow) {
        let row = LedgerRow {
            event: self.event.clone(),
            ..row
        };
        let written = match self.recording {
            Recording::Done => Ok(()),
            // A busy machine may have kept it for so long that others took it meanwhile.
            Recording::New if !events::is_late(&self.event, self.app.generation) => {
                self.host().observe(&self.id, &[row])
            }
            Recording::New | Recording::PerhapsAgain => self.host().observe_once(&self.id, &row),
        };
        self.failed_with(written.err());
    }

    fn failed_with(&self, error: Option<StoreError>) {
        if let Some(error) = error {
            if error.is_out_of_descriptors() {
                self.app.shed();
            }
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            trouble.get_or_insert(error);
        }
    }

    /// Why something of the event could not be recorded; [`UNAVAILABLE`] where another process could.
    fn unrecorded(&self) -> Option<RpcError> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let error = trouble.as_ref()?;
        let why = store_error(error);
        Some(match error.is_out_of_descriptors() {
            true => RpcError::new(UNAVAILABLE, why.message),
            false => why,
        })
    }

    /// Records the event and says what there is to say.
    async fn take(&self, event: &HookEvent<'_>, spooled: bool) -> Option<Answer> {
        match &event.moment {
            Moment::SessionStart { source } => {
                return self.start(&intake::cut(source, MAX_SOURCE), event).await;
            }
            Moment::ToolIntent(call) => {
                self.app.recovered(PATIENCE.map).await;
                let Action::Command { command, .. } = &call.action else {
                    return Some(self.judge(call, event, None));
                };
                self.app.presence.begins(&self.id, self.now);
                let others = self.app.presence.others_at_work(&self.id);
                let git =
                    guard_env::state_for(&self.app, &self.live.worktree, command, others).await;
                let told = self.failed_last_time(command, event).await;
                return together(Some(self.judge(call, event, git)), told);
            }
            Moment::SessionEnd { reason } => {
                self.app.presence.ended(&self.id);
                let row = LedgerRow {
                    source: intake::cut(reason, MAX_SOURCE),
                    ..self.row(LedgerKind::SessionEnd, &event.agent_id)
                };
                self.record_event(row);
                self.finish(spooled).await;
            }
            Moment::Prompt { text } if self.app.presence.is_own_question(&self.id, text) => {
                self.record_event(LedgerRow {
                    tool: intake::cut(&event.name, 80),
                    ..self.row(LedgerKind::Other, &event.agent_id)
                });
            }
            Moment::Prompt { text } => {
                // The prompt of a flow is not in the user's words; what they asked for is in it.
                let asked = aictx_work::flow::prompt::request(text);
                let text = &intake::text(asked.as_deref().unwrap_or(text));
                let names = WorktreeNames::of(&self.app, &self.live.worktree);
                let meant = self.meant(text, &names);
                let label = meant.as_ref().map(|m| m.classification.clone());
                let orders = (meant.as_ref()).is_some_and(|m| m.suggested_updates.orders_work);
                self.record_event(LedgerRow {
                    text: truncate_chars(text, MAX_TEXT),
                    label: label.unwrap_or_default(),
                    orders,
                    ..self.row(LedgerKind::Prompt, &event.agent_id)
                });
                let mut begun = false;
                if event.agent_id.is_empty() {
                    begun = self.app.presence.asked(&self.id, &self.live.runner, text);
                }
                let about_files = !begun || meant.as_ref().is_none_or(names_work);
                // What was said while nobody listened holds, too.
                let limits = meant.and_then(|m| self.limit(&m, &names, &event.agent_id));
                if !spooled {
                    let (recalled, named) =
                        tokio::join!(self.recall(text, &event.agent_id), async {
                            match about_files {
                                true => self.suggest(text, &event.agent_id).await,
                                false => None,
                            }
                        });
                    // In this order, whichever was found first.
                    let told = [recalled, named].into_iter().flatten();
                    let (answers, rows): (Vec<Answer>, Vec<LedgerRow>) = told.unzip();
                    if !rows.is_empty() {
                        self.record(&rows);
                    }
                    return answers
                        .into_iter()
                        .fold(limits, |all, one| together(all, Some(one)));
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
                let printed = (output.stdout.as_ref(), output.stderr.as_ref());
                let told = together(self.ran_again(&row, printed), told);
                self.add_to_run(&row);
                self.record_event(LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                });
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
                let told = together(self.ran_again(&row, (error.as_ref(), "")), told);
                self.add_to_run(&row);
                self.record_event(LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                });
                return told;
            }
            Moment::Compact { trigger } => self.record_event(LedgerRow {
                source: intake::cut(trigger, MAX_SOURCE),
                ..self.row(LedgerKind::Compact, &event.agent_id)
            }),
            Moment::Stop {
                last_message,
                asked_back,
            } => {
                self.record_event(LedgerRow {
                    text: intake::cut(last_message, MAX_TEXT),
                    transcript: match last_message.is_empty() {
                        true => intake::cut(&event.transcript, MAX_TRANSCRIPT),
                        false => String::new(),
                    },
                    ..self.row(LedgerKind::Stop, &event.agent_id)
                });
                if last_message.is_empty() && !event.transcript.is_empty() {
                    let session = self.clone();
                    self.app.after_reply(async move {
                        let Session { id, live, now, .. } = session;
                        transcript::hear_last_message(&id, &live, now).await;
                    });
                }
                let takes_questions = dialect(&self.live.runner).is_ok_and(|dialect| {
                    let mut events = dialect.events().iter();
                    events.any(|known| known.asks_back && known.name == event.name)
                });
                let is_own_turn = event.agent_id.is_empty();
                let question = match !spooled && takes_questions && is_own_turn {
                    true => self.ask_back(*asked_back).await,
                    false => None,
                };
                if is_own_turn && question.is_none() {
                    self.app.sessions.rests(&self.id);
                }
                return question;
            }
            Moment::Subagent {
                phase,
                last_message,
            } => self.record_event(LedgerRow {
                source: (*phase).to_owned(),
                text: intake::cut(last_message, MAX_TEXT),
                ..self.row(LedgerKind::Subagent, &event.agent_id)
            }),
            Moment::Other => self.record_event(LedgerRow {
                tool: intake::cut(&event.name, 80),
                ..self.row(LedgerKind::Other, &event.agent_id)
            }),
        }
        None
    }
}
