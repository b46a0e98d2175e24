//! One hook event, from the agent's bytes to the agent's answer.
//!
//! Verdicts are answered first and recorded after; everything else is recorded first, so that
//! what was acknowledged survives the death of this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_guard::HookVerdict;
use aictx_proto::Timestamp;
use aictx_proto::identity::Caller;
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_COMMAND, MAX_TEXT, Outcome};
use aictx_proto::methods::HookParams;
use aictx_proto::path::Located;
use aictx_proto::rpc::{INVALID_PARAMS, NOT_WRITABLE, RpcError};
use aictx_proto::text::truncate_chars;
use aictx_runners::{Action, Answer, Decision, HookEvent, Moment, Output, ToolCall, dialect};
use aictx_signals::Run;
use serde_json::Value;

use crate::app::{App, Mode};
use crate::hosts::Host;
use crate::methods::finalize_session;
use crate::process::AgentProcess;
use crate::sessions::Live;
use crate::{git, project, spool};

/// Output up to this size is read for errors on the request thread; more goes to the pool.
const INLINE_OUTPUT: usize = 64 * 1024;
/// How long after a verdict its record is written. The agent's process is woken on the processor
/// that we would go on working on; it should run first.
const AFTER_ANSWER: Duration = Duration::from_millis(1);
/// How long a session's end may hold its hook. The agents allow 1 to 1.5 s.
const END_DEADLINE: Duration = Duration::from_millis(800);
/// An agent whose process is gone gets this long to be heard of again before its session is
/// finalized. `AICTXD_SESSION_GRACE_MS` overrides it.
const GRACE: Duration = Duration::from_secs(2);

/// Handles one event.
///
/// # Errors
/// When runner or payload cannot be understood, and when the event could not be kept because the
/// disk is full; the client stays silent then.
pub async fn handle(app: &Arc<App>, params: HookParams<'_>) -> Result<Option<Value>, RpcError> {
    let started = Instant::now();
    let invalid = |e: aictx_runners::DialectError| RpcError::new(INVALID_PARAMS, e.to_string());
    let dialect = dialect(params.runner).map_err(invalid)?;
    let event = dialect
        .parse(params.payload.get(), params.event)
        .map_err(invalid)?;
    let name = format!("hook.{}", event.name);
    let now = params
        .spooled_at
        .and_then(|ms| i64::try_from(ms / 1000).ok())
        .map_or_else(|| app.now(), Timestamp::from_unix);
    let Some(session) = Session::of(app, dialect.name(), &event, params.pid, now) else {
        // Not one of our repositories: inert.
        app.stats.record(&name, started.elapsed(), false);
        return Ok(None);
    };
    let answer = session.take(&event, params.spooled_at.is_some()).await;
    if session.disk_full.load(Ordering::Relaxed) {
        // The state directory may lie on another disk; the event waits there.
        let waits = params.spooled_at.is_none() && spool::keep(app, &params);
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
    Ok(reply)
}

/// An event's session, placed in its repository.
#[derive(Clone)]
struct Session {
    app: Arc<App>,
    id: String,
    live: Live,
    /// The session was not known to this process before.
    is_new: bool,
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
        if let Some(live) = app.sessions.get(&event.session_id) {
            app.sessions.seen(&event.session_id, now);
            let id = event.session_id.clone().into_owned();
            return Some(Self {
                app: Arc::clone(app),
                id,
                live,
                is_new: false,
                cwd,
                now,
                disk_full: Arc::default(),
            });
        }
        if !cwd.is_absolute() {
            return None;
        }
        let place = app.hosts.place(&cwd).ok()?;
        if !app.registry.contains(&place.root) {
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
        let is_new = app.sessions.begin(&id, live.clone());
        let session = Self {
            app: Arc::clone(app),
            id,
            live,
            is_new,
            cwd,
            now,
            disk_full: Arc::default(),
        };
        if is_new {
            watch_process(app, &session.id, session.live.process);
            if !matches!(event.moment, Moment::SessionStart { .. }) && !session.is_in_ledger() {
                session.record(&[session.start_row("observed", event)]);
            }
        }
        Some(session)
    }

    fn host(&self) -> &Arc<Host> {
        &self.live.host
    }

    /// Whether the ledger knows that this session goes on, in this very process: an earlier daemon
    /// or a process of one call has seen its beginning.
    fn is_in_ledger(&self) -> bool {
        let ledger = self.host().store.read_ledger(&self.id);
        let last = ledger
            .rows
            .iter()
            .rfind(|r| matches!(r.kind, LedgerKind::SessionStart | LedgerKind::SessionEnd));
        let now = self.live.process;
        last.is_some_and(|row| {
            row.kind == LedgerKind::SessionStart
                && (now.pid == 0 || (row.pid, row.pid_start) == (now.pid, now.start))
        })
    }

    fn record(&self, rows: &[LedgerRow]) {
        if let Err(error) = self.host().observe(&self.id, rows) {
            self.disk_full
                .fetch_or(error.is_disk_full(), Ordering::Relaxed);
        }
    }

    fn row(&self, kind: LedgerKind, agent_id: &str) -> LedgerRow {
        LedgerRow {
            agent_id: agent_id.to_owned(),
            ..LedgerRow::observed(self.now, kind)
        }
    }

    fn start_row(&self, source: &str, event: &HookEvent) -> LedgerRow {
        let branch = root::head(&self.live.worktree).branch;
        LedgerRow {
            session_id: self.id.clone(),
            runner: self.live.runner.clone(),
            source: source.to_owned(),
            worktree: self.live.worktree.to_string_lossy().into_owned(),
            branch,
            transcript: event.transcript.clone().into_owned(),
            pid: self.live.process.pid,
            pid_start: self.live.process.start,
            ..self.row(LedgerKind::SessionStart, &event.agent_id)
        }
    }

    /// Records the event and says what there is to say.
    async fn take(&self, event: &HookEvent<'_>, spooled: bool) -> Option<Answer> {
        match &event.moment {
            Moment::SessionStart { source } => return self.start(source, event).await,
            Moment::ToolIntent(call) => return Some(self.judge(call, event)),
            Moment::SessionEnd { reason } => {
                let row = LedgerRow {
                    source: reason.clone().into_owned(),
                    ..self.row(LedgerKind::SessionEnd, &event.agent_id)
                };
                self.record(&[row]);
                self.finish(spooled).await;
            }
            Moment::Prompt { text } => self.record(&[LedgerRow {
                text: truncate_chars(text, MAX_TEXT),
                ..self.row(LedgerKind::Prompt, &event.agent_id)
            }]),
            Moment::ToolDone {
                call,
                output,
                duration_ms,
            } => {
                let row = self.done(call, output, event).await;
                self.record(&[LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                }]);
            }
            Moment::ToolFailed {
                call,
                error,
                interrupted,
                duration_ms,
            } => {
                let row = self.failed(call, error, *interrupted, event).await;
                self.record(&[LedgerRow {
                    duration_ms: *duration_ms,
                    ..row
                }]);
            }
            Moment::Compact { trigger } => self.record(&[LedgerRow {
                source: trigger.clone().into_owned(),
                ..self.row(LedgerKind::Compact, &event.agent_id)
            }]),
            Moment::Stop { last_message } => self.record(&[LedgerRow {
                text: truncate_chars(last_message, MAX_TEXT),
                ..self.row(LedgerKind::Stop, &event.agent_id)
            }]),
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

    /// The capsule. A new visible session is counted and its number is in the text, so the answer
    /// waits for the commit.
    async fn start(&self, source: &str, event: &HookEvent<'_>) -> Option<Answer> {
        self.record(&[self.start_row(source, event)]);
        if !self.is_new {
            self.app.sessions.begin(
                &self.id,
                Live {
                    last_seen: self.now,
                    ..self.live.clone()
                },
            );
        }
        let caller = Caller {
            agent_id: self.live.runner.clone(),
            session_id: self.id.clone(),
            ..Caller::default()
        };
        let identity = caller.identify(|_| None);
        let project = project::look(&self.live.worktree);
        let ledger = self.host().store.read_ledger(&self.id);
        let (source, now) = (source.to_owned(), self.now);
        let branch = root::head(&self.live.worktree).branch;
        let written = self
            .host()
            .write(move |snapshot| {
                let start = aictx_continuity::SessionStart {
                    identity: &identity,
                    project: &project,
                    source: &source,
                    branch: &branch,
                    rows: &ledger.rows,
                    now,
                };
                aictx_continuity::session_start(snapshot, &start)
            })
            .await;
        let context = match written {
            Ok((context, _)) => context,
            Err(error) => {
                tracing::warn!(repo = %self.host().root.display(), %error, "a session start was not recorded");
                return None;
            }
        };
        Some(Answer {
            context,
            decision: Decision::Pass,
        })
    }

    /// The verdict on a tool call. Pure apart from resolving links; recorded after the answer.
    fn judge(&self, call: &ToolCall, event: &HookEvent) -> Answer {
        let place = |raw: &str| root::locate(&self.live.worktree, &self.cwd, raw);
        let worktree = self.live.worktree.to_string_lossy();
        let verdict = match &call.action {
            Action::Edit(path) => aictx_guard::hook_edit(&place(path)),
            Action::Command { command, .. } => {
                aictx_guard::hook_command(command, &worktree, &self.cwd.to_string_lossy())
            }
            Action::Read(_) | Action::Other => HookVerdict::Pass,
        };
        let (decision, verdict_name) = match verdict {
            HookVerdict::Pass => (Decision::Pass, ""),
            HookVerdict::Ask(reason) => (Decision::Ask(reason), "ask"),
            HookVerdict::Deny(reason) => (Decision::Deny(reason), "deny"),
        };
        let (session, call) = (self.clone(), call.detach());
        let agent_id = event.agent_id.clone().into_owned();
        let verdict = verdict_name.to_owned();
        let first = self.host().observe_later(move || {
            let row = session.call_row(LedgerKind::ToolIntent, &call, &agent_id);
            (session.id, LedgerRow { verdict, ..row })
        });
        if first {
            let host = Arc::clone(self.host());
            self.app.after_reply(async move {
                tokio::time::sleep(AFTER_ANSWER).await;
                host.flush();
            });
        }
        Answer {
            context: String::new(),
            decision,
        }
    }

    /// Tool, call, paths and command of a row.
    fn call_row(&self, kind: LedgerKind, call: &ToolCall, agent_id: &str) -> LedgerRow {
        let mut row = LedgerRow {
            tool: truncate_chars(&call.tool, 80),
            call_id: truncate_chars(&call.call_id, 120),
            ..self.row(kind, agent_id)
        };
        match &call.action {
            Action::Read(path) | Action::Edit(path) => row.paths = self.paths(path),
            Action::Command { command, .. } => {
                row.command = truncate_chars(command, MAX_COMMAND);
                row.test = aictx_signals::is_test_command(command);
                row.cwd = self.cwd_in_repository();
            }
            Action::Other => {}
        }
        row
    }

    /// A path as it is recorded: relative inside the repository, nothing outside of it.
    fn paths(&self, raw: &str) -> Vec<String> {
        match root::locate(&self.live.worktree, &self.cwd, raw) {
            Located::Inside(path) if !path.is_root() => vec![path.as_str().to_owned()],
            Located::Inside(_) | Located::Outside(_) => Vec::new(),
        }
    }

    fn cwd_in_repository(&self) -> String {
        match root::locate(
            &self.live.worktree,
            Path::new(""),
            &self.cwd.to_string_lossy(),
        ) {
            Located::Inside(path) if !path.is_root() => path.as_str().to_owned(),
            _ => String::new(),
        }
    }

    async fn done(
        &self,
        call: &ToolCall<'_>,
        output: &Output<'_>,
        event: &HookEvent<'_>,
    ) -> LedgerRow {
        let kind = match &call.action {
            Action::Read(_) => LedgerKind::Read,
            Action::Edit(_) => LedgerKind::Edit,
            Action::Command { .. } => LedgerKind::Command,
            Action::Other => LedgerKind::Tool,
        };
        let mut row = self.call_row(kind, call, &event.agent_id);
        if let Action::Command {
            command,
            background,
        } = &call.action
        {
            if *background || output.interrupted {
                row.outcome = Outcome::Unknown;
                return row;
            }
            // The agent reports a failing pipeline as a success when its last command succeeds,
            // so the status of a success is known only without a pipe; then the text decides.
            let exit = (!aictx_signals::hides_status(command)).then_some(0);
            self.read_output(&mut row, command, exit, &output.stdout, &output.stderr)
                .await;
        }
        row
    }

    async fn failed(
        &self,
        call: &ToolCall<'_>,
        error: &str,
        interrupted: bool,
        event: &HookEvent<'_>,
    ) -> LedgerRow {
        let mut row = self.call_row(LedgerKind::Tool, call, &event.agent_id);
        if let Action::Command { command, .. } = &call.action {
            row.kind = LedgerKind::Command;
            if interrupted {
                return row;
            }
            let (exit, text) = match aictx_signals::exit_status_from_text(error) {
                Some((exit, rest)) => (Some(exit), rest),
                None => (None, error),
            };
            self.read_output(&mut row, command, exit, text, "").await;
            // Called a failure by the agent: that is known even when the status is not.
            row.outcome = Outcome::Failed;
        } else {
            row.outcome = Outcome::Failed;
            row.text = truncate_chars(error, 300);
        }
        row
    }

    /// Fills outcome and errors of a command's row from what it printed.
    async fn read_output(
        &self,
        row: &mut LedgerRow,
        command: &str,
        exit: Option<i32>,
        stdout: &str,
        stderr: &str,
    ) {
        row.exit_status = exit;
        let root = self.live.worktree.to_string_lossy().into_owned();
        let cwd = self.cwd.to_string_lossy().into_owned();
        let read = move |command: &str, stdout: &str, stderr: &str, root: &str, cwd: &str| {
            let run = Run {
                command,
                exit_status: exit,
                stdout: stdout.as_bytes(),
                stderr: stderr.as_bytes(),
                root,
                cwd,
            };
            (aictx_signals::outcome(&run), aictx_signals::events(&run))
        };
        let (outcome, errors) = if stdout.len() + stderr.len() <= INLINE_OUTPUT {
            read(command, stdout, stderr, &root, &cwd)
        } else {
            let (command, stdout, stderr) =
                (command.to_owned(), stdout.to_owned(), stderr.to_owned());
            tokio::task::spawn_blocking(move || read(&command, &stdout, &stderr, &root, &cwd))
                .await
                .unwrap_or_default()
        };
        row.outcome = outcome;
        row.errors = errors;
    }

    /// Finalizes the session from its ledger. The work goes on when the hook cannot wait.
    async fn finish(&self, spooled: bool) {
        self.app.sessions.end(&self.id);
        let (app, id, live) = (Arc::clone(&self.app), self.id.clone(), self.live.clone());
        let now = self.now;
        let work = async move { finish_session(&app, &id, &live, now).await };
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

/// Ends a session whose agent is gone, unless it is heard of again within the grace period.
pub async fn abandon(app: &Arc<App>, id: &str) {
    let Some(before) = app.sessions.get(id) else {
        return;
    };
    tokio::time::sleep(grace()).await;
    match app.sessions.get(id) {
        Some(live) if live.events == before.events => {
            app.sessions.end(id);
            finish_session(app, id, &live, app.now()).await;
        }
        _ => {}
    }
}

/// Takes over a live session that an earlier daemon knew.
pub fn adopt(app: &Arc<App>, id: &str, live: Live) {
    app.sessions.begin(id, live.clone());
    watch_process(app, id, live.process);
}

/// Finalizes a session when its agent's process ends without having said so.
fn watch_process(app: &Arc<App>, id: &str, process: AgentProcess) {
    if app.mode == Mode::Once || process.pid == 0 {
        return;
    }
    let (app, id) = (Arc::clone(app), id.to_owned());
    tokio::spawn(async move {
        tokio::select! {
            () = process.gone() => {}
            _ = app.stopped() => return,
        }
        abandon(&app, &id).await;
    });
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
    let caller = Caller {
        agent_id: live.runner.clone(),
        session_id: id.to_owned(),
        ..Caller::default()
    };
    let git = git::state(&live.worktree).await;
    let identity = caller.identify(|_| None);
    if let Err(error) =
        finalize_session(app, &live.host, &live.worktree, None, identity, git, now).await
    {
        tracing::warn!(session = id, %error, "a session was not finalized; its ledger is kept");
        app.sessions.unfinished(id, live.clone());
    }
}
