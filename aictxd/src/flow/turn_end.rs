//! The end of a turn: its output, its dispatch, its checks, its receipt.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use aictx_proto::flow::{
    AgentError, CommitBy, ErrorClass, FlowReason, TurnKind, TurnOutcome, TurnReport, Usage,
};
use aictx_proto::methods::{self as words, Severity};
use aictx_proto::text;
use aictx_redact::{Report, scrub_text};
use aictx_runners::driver::{self, Driver, Exit, Progress, Reader};
use aictx_work::flow::engine::{Activity, Judgement};
use aictx_work::flow::state::{CheckResult, DiffStat, Flow, Receipt, Turn};
use aictx_work::ticket::Entry;
use aictx_work::ticket::fields::Check;
use jiff::tz::TimeZone;
use serde_json::json;

use super::flow_files::{DIRECTORY, FlowFiles, FlowFilesError};
use super::hold::{self, Point};
use super::supervisor::{FlowsError, LOOKS, Live, MAX_OUTPUT, Task, blocking, lock, update};
use super::surroundings::{Surroundings, give_back, holder};
use super::turn_folder::{ExitNote, HostState, Request, TurnFolder};
use super::turn_start::{TICKET_DIGEST, call, refuse};
use super::{turn_host, worktree};
use crate::app::App;

/// Bytes of output that are read at once.
const CHUNK: u64 = 1024 * 1024;
/// Seconds of one check, where it does not say otherwise.
const CHECK_SECONDS: u64 = 600;
/// Bytes of a check's output that are told.
const MAX_TAIL: u64 = 4 * 1024;
/// Bytes of the agent's own errors that its driver is given.
const MAX_STDERR: u64 = 16 * 1024;
/// Share of a limit at which a running turn is interrupted.
const OVERRUN: f64 = 1.1;
/// Starts of a check whose host goes away.
const CHECK_STARTS: u32 = 2;
/// Characters of an answer in a receipt.
const MAX_SUMMARY: usize = 400;

/// Rules of a time zone, or of this machine's where it has no name.
fn time_zone(name: &str) -> Option<TimeZone> {
    if name.is_empty() {
        return TimeZone::try_system().ok();
    }
    TimeZone::get(name).ok()
}

/// Follows the output of a turn.
struct Output {
    reader: Box<dyn Reader + Send>,
    offset: u64,
    line: Vec<u8>,
}

impl Output {
    fn new(driver: &dyn Driver) -> Self {
        let mut reader = driver.reader();
        reader.set_zones(time_zone);
        Self {
            reader,
            offset: 0,
            line: Vec::new(),
        }
    }

    /// Reads what is new; returns true if there was something.
    fn follow(&mut self, folder: &TurnFolder, now: i64, live: &Mutex<Live>) -> bool {
        let before = self.offset;
        loop {
            let bytes = folder
                .read_from("stdout.log", self.offset, CHUNK)
                .unwrap_or_default();
            if bytes.is_empty() {
                return self.offset > before;
            }
            self.offset += bytes.len() as u64;
            for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                // The driver cuts lines, too; this bounds what is kept of one that never ends.
                if self.line.len() < 4 * CHUNK as usize {
                    self.line.extend_from_slice(part);
                }
                if part.ends_with(b"\n") {
                    self.take_line(now, live);
                }
            }
        }
    }

    fn take_line(&mut self, now: i64, live: &Mutex<Live>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let Some(progress) = self.reader.line(line.trim_end_matches(['\n', '\r']), now) else {
            return;
        };
        let mut live = lock(live);
        match progress {
            Progress::Usage(usage) => live.usage = usage,
            Progress::Message(text) | Progress::Notice(text) => live.line = shown(&text),
            Progress::Tool { name, summary } => live.line = shown(&format!("{name}: {summary}")),
        }
    }
}

fn shown(text: &str) -> String {
    let text = scrub_text(text, &mut Report::default()).into_owned();
    aictx_proto::shown::line(&text, 200)
}

pub(super) async fn attend(
    app: &Arc<App>,
    flow: &Flow,
    task: &Arc<Task>,
) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let folder = TurnFolder::at(app.flows.folder(&flow.flow_id, turn.n, turn.attempt));
    let Some(driver) = driver::driver(&turn.driver) else {
        let text = format!("no driver `{}` is known", turn.driver);
        return refuse(app, flow, FlowReason::AgentMissing, text).await;
    };
    if lock(&task.slot).is_none() {
        // A turn that an earlier daemon began takes a slot as any other, and never waits for one.
        let slot = Arc::clone(&app.flows.slots).try_acquire_owned();
        *lock(&task.slot) = slot.ok();
    }
    let is_total = driver.capabilities().usage_of_conversation;
    let earlier = flow.ticket.as_ref().filter(|_| is_total);
    let earlier = earlier.map_or_else(Usage::default, |ticket| ticket.session_usage);
    let mut output = Output::new(driver);
    let (mut pace, mut busy_at, mut work_done) = (LOOKS.0, app.now().unix(), 0);
    let mut interrupted = None;
    let exit = loop {
        let (own, task_) = (folder.clone(), Arc::clone(task));
        let now = app.now().unix();
        let looked = blocking(app, move |_| {
            // In this order: what was written before the end is read after it.
            let host = own.host();
            let is_busy = output.follow(&own, now, &task_.live);
            Ok((host, is_busy, output))
        });
        let (host, is_busy, back) = looked.await?;
        output = back;
        match host {
            HostState::Ended(exit) => break Some(exit),
            HostState::Lost => break None,
            HostState::Alive => {}
        }
        if is_busy {
            (pace, busy_at) = (LOOKS.0, now);
        }
        if interrupted.is_none() {
            let stall = i64::try_from(flow.caps.stall_seconds).unwrap_or(i64::MAX);
            if now - busy_at >= stall / 2 {
                let done = turn_host::work_done(folder.path());
                if done != work_done {
                    (work_done, busy_at) = (done, now);
                }
            }
            let usage = lock(&task.live).usage.since(earlier);
            let reason = match (now - busy_at >= stall, is_over(flow, usage)) {
                (true, _) => Some(FlowReason::Stall),
                (_, true) => Some(FlowReason::BudgetExhausted),
                _ => None,
            };
            if reason.is_some() {
                interrupted = reason;
                folder.signal(rustix::process::Signal::INT);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(pace) => {}
            () = task.wake.notified() => {}
        }
        pace = (pace * 2).min(LOOKS.1);
    };
    lock(&task.slot).take();
    *lock(&task.live) = Live::default();
    let now = app.now().unix();
    let own = flow.clone();
    let Some(exit) = exit else {
        return blocking(app, move |app| lost(app, &own, &folder, output, now)).await;
    };
    let report = report(output, &exit, &folder, now);
    update(app, &flow.flow_id, move |flow, events| {
        if flow.activity() != Activity::Attend {
            return ((), None);
        }
        hold::at(Point::Ended, turn.n);
        let mut report = report.clone();
        if let Some(ticket) = flow.ticket.as_mut().filter(|_| is_total) {
            let total = report.usage;
            report.usage = total.since(ticket.session_usage);
            // A turn that failed may have reported nothing.
            if total.tokens() > 0 {
                ticket.session_usage = total;
            }
        }
        let interrupted = match (&interrupted, flow.asked, exit.interrupted, exit.timed_out) {
            (Some(reason), ..) => Some(*reason),
            (None, Some(_), true, _) => Some(FlowReason::UserStop),
            (None, None, true, _) => Some(FlowReason::AgentCrash),
            (None, _, _, true) => Some(FlowReason::MaxTurnsTicket),
            _ => None,
        };
        let started = exit.started_at.max(1);
        let error = report
            .error
            .as_ref()
            .map_or(String::new(), |e| format!(": {}", e.text));
        let outcome = report.outcome;
        flow.collected(report, interrupted, started, exit.ended_at.max(started));
        if let Some(turn) = &flow.turn {
            events.push(format!("turn {}: {outcome}{error}", turn.n));
        }
        ((), None)
    })
    .await?;
    Ok(())
}

fn is_over(flow: &Flow, usage: Usage) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "compared with a limit")]
    let tokens = flow
        .caps
        .tokens
        .is_some_and(|cap| (flow.usage.tokens() + usage.tokens()) as f64 > cap as f64 * OVERRUN);
    let cost = flow.usage.cost_usd.unwrap_or_default() + usage.cost_usd.unwrap_or_default();
    tokens || flow.caps.cost_usd.is_some_and(|cap| cost > cap * OVERRUN)
}

fn report(output: Output, exit: &ExitNote, folder: &TurnFolder, now: i64) -> TurnReport {
    if !exit.not_started.is_empty() {
        return TurnReport {
            outcome: TurnOutcome::Error,
            error: Some(AgentError {
                class: ErrorClass::Config,
                text: exit.not_started.clone(),
                resets_at: None,
            }),
            text: String::new(),
            session: String::new(),
            usage: Usage::default(),
        };
    }
    let mut output = output;
    if !output.line.is_empty() {
        output.take_line(now, &Mutex::default());
    }
    let status = Exit {
        code: exit.code,
        signal: exit.signal,
    };
    let stderr = folder.tail("stderr.log", MAX_STDERR);
    let interrupted = exit.interrupted || exit.timed_out;
    let mut report = output.reader.finish(status, &stderr, interrupted, now);
    let mut found = Report::default();
    report.text = scrub_text(&report.text, &mut found).into_owned();
    if let Some(error) = &mut report.error {
        error.text = scrub_text(&error.text, &mut found).into_owned();
    }
    report
}

/// The host of a turn went away without a trace. What the agent did counts; if it did nothing, the turn is
/// started once more.
fn lost(
    app: &App,
    flow: &Flow,
    folder: &TurnFolder,
    output: Output,
    now: i64,
) -> Result<(), FlowsError> {
    turn_host::kill_marked(folder.path());
    let around = Surroundings::of(app, flow)?;
    let before = flow
        .ticket
        .as_ref()
        .map(|ticket| ticket.fingerprint.as_str());
    let dispatch = Path::new(&flow.worktree)
        .join(DIRECTORY)
        .join(&flow.flow_id)
        .join("DISPATCH.md");
    let has_traces = before != Some(around.fingerprint.as_str()) || dispatch.exists();
    let exit = ExitNote::default();
    let mut report = report(output, &exit, folder, now);
    report.outcome = TurnOutcome::Crashed;
    report.error = Some(AgentError {
        class: ErrorClass::AgentBug,
        text: "the process that watched over the agent went away".to_owned(),
        resets_at: None,
    });
    app.flows.update(app, &flow.flow_id, |flow, events| {
        if flow.activity() != Activity::Attend {
            return ((), None);
        }
        let n = flow.turn.as_ref().map_or(0, |turn| turn.n);
        events.push(format!("turn {n}: its host is gone"));
        match has_traces {
            true => {
                let started = flow.turn.as_ref().map_or(now, |turn| turn.started_at);
                flow.collected(report.clone(), None, started, now);
            }
            false => flow.lost(&around.fingerprint, now),
        }
        ((), None)
    })?;
    Ok(())
}

pub(super) async fn archive(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let folder = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    let digest = TurnFolder::at(folder).read_json(TICKET_DIGEST);
    let problem = match digest {
        Some(digest) => give_back(app, &flow, &turn, digest).await?,
        None => None,
    };
    blocking(app, move |app| {
        hold::at(Point::Collected, turn.n);
        let files = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id)?;
        let archived = files.archive_dispatch(&turn, flow.dispatch_seq, app.now());
        let (dispatch, problem) = match (archived, problem) {
            (Ok(dispatch), problem) => (dispatch, problem.unwrap_or_default()),
            (Err(error @ FlowFilesError::Store(_)), _) => return Err(error.into()),
            // A person corrects the file, and the next turn archives it.
            (Err(error), _) => (None, error.to_string()),
        };
        hold::at(Point::Archived, turn.n);
        app.flows.update(app, &flow.flow_id, |flow, events| {
            if flow.activity() == Activity::Archive {
                if let Some(dispatch) = &dispatch {
                    events.push(format!("dispatch {}: {}", dispatch.seq, dispatch.title));
                }
                flow.archived(dispatch.clone(), problem.clone());
            }
            ((), None)
        })?;
        Ok(())
    })
    .await
}

pub(super) async fn judge(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let own = flow.clone();
    let around = blocking(app, move |app| Surroundings::of(app, &own)).await?;
    let entry = around.entry(&turn);
    // What an agent that crashed has finished is proved as any other work.
    let was_interrupted = turn
        .report
        .as_ref()
        .is_some_and(|r| r.outcome == TurnOutcome::Interrupted);
    let is_done = entry.is_some_and(Entry::is_done);
    // A daemon that died behind a failed check may have set the ticket back already.
    let has_begun = check_folder(app, &flow, &turn, 0).exists();
    let mut checks = Vec::new();
    if (is_done && !was_interrupted) || has_begun {
        let ticket = entry.and_then(|entry| entry.ticket.as_ref());
        let mut commands: Vec<Check> = ticket
            .map(|ticket| ticket.verify.clone())
            .unwrap_or_default();
        // Whatever an agent made of its ticket.
        let pinned = flow
            .ticket
            .iter()
            .flat_map(|ticket| ticket.checks.iter().flatten());
        let pinned = pinned.map(|check| (&check.command, check.timeout.as_str()));
        let own = flow.options.verify.iter().map(|command| (command, ""));
        for (command, timeout) in pinned.chain(own) {
            if commands.iter().all(|check| check.command != *command) {
                commands.push(Check {
                    command: command.clone(),
                    timeout: timeout.to_owned(),
                });
            }
        }
        for (n, check) in commands.iter().enumerate() {
            let result = run_check(app, &flow, &turn, n, check).await?;
            let passed = result.passed();
            checks.push(result);
            if !passed {
                break;
            }
        }
    }
    let has_failed = |check: &CheckResult| !check.passed() && !check.interrupted;
    if is_done && checks.iter().any(has_failed) {
        let params = json!({ "repo": flow.worktree, "ticket": turn.file, "holder": holder(&flow) });
        call(app, words::TICKET_REOPEN, &params).await?;
    }
    let (own, own_turn) = (flow.clone(), turn.clone());
    let found = blocking(app, move |app| examine(app, &own, &own_turn, checks)).await?;
    record(app, &flow, &turn, &found).await;
    blocking(app, move |app| settle(app, &flow, &turn, &found)).await
}

/// Work of a turn as it lies in the worktree.
struct Examined {
    facts: Judgement,
    /// Paths that it changed.
    changed: Vec<String>,
    diff: DiffStat,
    /// Commit and tree after it.
    head: String,
    tree: String,
    /// First item of the ticket that is not ticked off.
    next: String,
}

/// Records a turn as an execution of the memory. Agents with hooks of their own have theirs.
async fn record(app: &Arc<App>, flow: &Flow, turn: &Turn, found: &Examined) {
    let report = turn.report.as_ref();
    let report = report.filter(|report| report.outcome == TurnOutcome::Ok);
    let is_recorded = turn.driver == "command" && turn.kind != TurnKind::Verify;
    let Some(report) = report.filter(|_| is_recorded) else {
        return;
    };
    let failed = found.facts.checks.iter().find(|check| !check.passed());
    let title = flow
        .ticket
        .as_ref()
        .map_or("", |ticket| ticket.title.as_str());
    let question = turn.dispatch.as_ref().filter(|dispatch| dispatch.pauses);
    let commands: Vec<&str> = found
        .facts
        .checks
        .iter()
        .map(|check| check.command.as_str())
        .collect();
    let summary: String = report.text.chars().take(MAX_SUMMARY).collect();
    let params = json!({
        "repo": flow.worktree,
        // The same call once more, after a crash, changes nothing.
        "request_id": format!("{}-{}", flow.flow_id, turn.n),
        "status": match (failed, found.facts.done) {
            (Some(_), _) => "failure",
            (None, true) => "success",
            (None, false) => "unknown",
        },
        "task": title,
        "summary": if summary.is_empty() { title } else { &summary },
        "files_edited": found.changed,
        "tests_executed": commands,
        "output": failed.map_or("", |check| check.tail.as_str()),
        "exit_code": failed.and_then(|check| check.exit),
        "next_steps": if found.next.is_empty() { vec![] } else { vec![&found.next] },
        "blocked": question.map_or_else(Vec::new, |question| vec![&question.title]),
        "caller": {
            "agent_id": turn.agent, "adapter_id": "flow", "session_id": format!("{}-{}", flow.flow_id, turn.n),
        },
    });
    if let Err(error) = call(app, words::FINALIZE, &params).await {
        tracing::warn!(flow = flow.flow_id, turn = turn.n, %error, "is not in memory");
    }
}

fn check_folder(app: &App, flow: &Flow, turn: &Turn, number: usize) -> PathBuf {
    let folder = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    folder.join(format!("check-{number}"))
}

/// Runs a check of a ticket under a host of its own; one that ran already is not run again.
async fn run_check(
    app: &Arc<App>,
    flow: &Flow,
    turn: &Turn,
    number: usize,
    check: &Check,
) -> Result<CheckResult, FlowsError> {
    let path = check_folder(app, flow, turn, number);
    let fail = |source| FlowsError::Folder {
        path: path.clone(),
        source,
    };
    let command = check.command.clone();
    let trusted = {
        let (repo, command) = (flow.repo.clone(), command.clone());
        blocking(app, move |app| {
            Ok(app.flows.database()?.is_trusted(&repo, &command)?)
        })
        .await?
    };
    if !trusted {
        return Ok(CheckResult {
            command,
            // The next look asks.
            interrupted: true,
            ..CheckResult::default()
        });
    }
    let folder = TurnFolder::create(path.clone()).map_err(fail)?;
    let seconds = text::seconds(&check.timeout).unwrap_or(CHECK_SECONDS);
    let start = || {
        app.flows.database()?.check_epoch()?;
        turn_host::kill_marked(folder.path());
        let request = Request {
            program: "sh".to_owned(),
            args: vec!["-c".to_owned(), format!("exec 2>&1\n{command}")],
            cwd: PathBuf::from(&flow.worktree),
            has_prompt: false,
            timeout: seconds,
            grace: 1,
            max_output: MAX_OUTPUT,
        };
        folder.write_json("request.json", &request).map_err(fail)?;
        turn_host::spawn(&folder, &app.flows.environment(&flow.flow_id)).map_err(fail)
    };
    let (mut pace, mut starts) = (LOOKS.0, 0);
    let exit = loop {
        match folder.host() {
            HostState::Ended(exit) => break exit,
            HostState::Lost if starts == CHECK_STARTS => break ExitNote::default(),
            HostState::Lost => {
                start()?;
                starts += 1;
            }
            HostState::Alive => tokio::time::sleep(pace).await,
        }
        pace = (pace * 2).min(LOOKS.1);
    };
    let mut tail = folder.tail("stdout.log", MAX_TAIL);
    if exit.timed_out {
        tail.push_str(&format!("\n[ended after {seconds} s]"));
    }
    Ok(CheckResult {
        command,
        exit: exit.code,
        ms: u64::try_from(exit.ended_at - exit.started_at).unwrap_or(0) * 1000,
        tail: scrub_text(&tail, &mut Report::default()).into_owned(),
        timed_out: exit.timed_out,
        interrupted: exit.interrupted,
    })
}

/// Looks at what a turn did, and commits it where that is the daemon's task.
fn examine(
    app: &App,
    flow: &Flow,
    turn: &Turn,
    checks: Vec<CheckResult>,
) -> Result<Examined, FlowsError> {
    let worktree_path = Path::new(&flow.worktree);
    let mut around = Surroundings::of(app, flow)?;
    let passed = checks.iter().all(CheckResult::passed);
    let is_done = |around: &Surroundings| around.entry(turn).is_some_and(Entry::is_done);
    let mut commit_output = String::new();
    if flow.options.commit == CommitBy::Daemon && is_done(&around) && passed {
        let at_hand = flow.ticket.as_ref();
        let baseline = at_hand.map_or(&[][..], |ticket| &ticket.baseline);
        let dirty = around.git.as_ref().map_or(&[][..], |git| &git.dirty);
        let paths: Vec<String> = dirty
            .iter()
            .filter(|path| !baseline.contains(path))
            .cloned()
            .collect();
        if !paths.is_empty() {
            let title = at_hand.map_or("", |ticket| ticket.title.as_str());
            let said = worktree::commit(worktree_path, &paths, title);
            let said = said.map_err(|source| FlowsError::Folder {
                path: worktree_path.to_owned(),
                source,
            })?;
            if let Some(text) = said {
                commit_output = scrub_text(&text, &mut Report::default()).into_owned();
            }
            around = Surroundings::of(app, flow)?;
        }
    }
    if !around.tree.is_empty() {
        let name = worktree::checkpoint(turn.n, true);
        let _ = worktree::keep(worktree_path, &flow.flow_id, &name, &around.tree);
    }
    let has_trees = !turn.tree_before.is_empty() && !around.tree.is_empty();
    let changed = match has_trees {
        true => worktree::changed_paths(worktree_path, &turn.tree_before, &around.tree),
        false => Vec::new(),
    };
    let entry = around.entry(turn);
    let ticket = entry.and_then(|entry| entry.ticket.as_ref());
    let scope: Vec<_> = ticket
        .map(|ticket| ticket.scope.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|pattern| aictx_proto::PathPattern::new(pattern))
        .collect();
    let is_inside = |path: &str| {
        let path = aictx_proto::RepoPath::parse(path);
        path.is_ok_and(|path| scope.iter().any(|pattern| pattern.matches(&path)))
    };
    let outside = |path: &&String| !scope.is_empty() && !is_inside(path);
    let errors = entry.map(|entry| {
        let errors = entry.findings.iter();
        let errors = errors.filter(|finding| finding.code.severity() == Severity::Error);
        errors
            .map(|f| format!("line {}: {}", f.place.line, f.message))
            .collect()
    });
    let text = entry.map_or("", |entry| entry.text.as_str());
    let facts = Judgement {
        is_there: entry.is_some(),
        done: is_done(&around),
        agent: ticket.map_or_else(String::new, |ticket| ticket.agent.clone()),
        findings: errors.unwrap_or_default(),
        out_of_scope: changed.iter().filter(outside).cloned().collect(),
        unticked: unticked(text),
        git: around.git.clone(),
        commit_output,
        fingerprint: around.fingerprint.clone(),
        signal: around.signal.clone(),
        checks,
    };
    let diff = match has_trees {
        true => worktree::diff_stat(worktree_path, &turn.tree_before, &around.tree),
        false => Default::default(),
    };
    let next = entry.map_or("", Entry::first_task).to_owned();
    Ok(Examined {
        facts,
        changed,
        diff,
        head: around.git.map_or_else(String::new, |git| git.head),
        tree: around.tree,
        next,
    })
}

/// Takes in what a turn did.
fn settle(app: &App, flow: &Flow, turn: &Turn, found: &Examined) -> Result<(), FlowsError> {
    hold::at(Point::Settling, turn.n);
    let (facts, diff, now) = (&found.facts, found.diff, app.now().unix());
    app.flows.update(app, &flow.flow_id, |flow, events| {
        if flow.activity() != Activity::Judge {
            return ((), None);
        }
        let report = turn.report.as_ref();
        let receipt = Receipt {
            n: turn.n,
            kind: turn.kind,
            file: turn.file.clone(),
            ticket_id: turn.ticket_id.clone(),
            agent: turn.agent.clone(),
            model: turn.model.clone(),
            attempt: turn.attempt,
            outcome: report.map_or(TurnOutcome::Crashed, |report| report.outcome),
            error: report.and_then(|report| report.error.clone()),
            usage: report.map_or_else(Usage::default, |report| report.usage),
            started_at: turn.started_at,
            ended_at: turn.ended_at,
            head_before: turn.head_before.clone(),
            head_after: found.head.clone(),
            tree_before: turn.tree_before.clone(),
            tree_after: found.tree.clone(),
            diff,
            verified: (!facts.checks.is_empty())
                .then(|| facts.checks.iter().all(CheckResult::passed)),
            dispatch: turn.dispatch.as_ref().map_or(0, |dispatch| dispatch.seq),
            summary: report.map_or_else(String::new, |report| {
                report.text.chars().take(MAX_SUMMARY).collect()
            }),
        };
        if diff.files_changed > 0 {
            events.push(format!(
                "turn {}: {} +{} -{}",
                turn.n,
                counted(diff.files_changed, "file", "files"),
                diff.insertions,
                diff.deletions
            ));
        }
        for check in &facts.checks {
            let result = if check.passed() { "passed" } else { "failed" };
            events.push(format!("`{}` {result}", check.command));
        }
        if !facts.out_of_scope.is_empty() {
            events.push(format!(
                "outside of the scope: {}",
                facts.out_of_scope.join(", ")
            ));
        }
        flow.judged(facts, now);
        ((), Some(receipt))
    })?;
    Ok(())
}

/// Open items below a heading that speaks of acceptance, in the text of a ticket.
fn unticked(text: &str) -> Vec<String> {
    let (mut is_inside, mut is_code, mut items) = (false, false, Vec::new());
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
        } else if is_code {
        } else if line.starts_with('#') {
            is_inside = line.to_ascii_lowercase().contains("acceptance");
        } else if is_inside && let Some(item) = trimmed.strip_prefix("- [ ]") {
            items.push(item.trim().to_owned());
        }
    }
    items
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
