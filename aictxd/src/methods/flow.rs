//! `flow.*`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aictx_files::child::{self, Limits};
use aictx_proto::flow::{Conversation, FlowReason, FlowStatus, InboxState, TurnPhase, Usage};
use aictx_proto::methods::{
    self as words, FlowEvent, FlowLimits, FlowParams, FlowQuestion, FlowReply, FlowRow,
    FlowStartParams, Severity,
};
use aictx_proto::rpc::{CONFLICT, INTERNAL, INVALID_PARAMS, NOT_FOUND, REFUSED, RpcError};
use aictx_proto::text::hex;
use aictx_runners::driver::{self, Fit};
use aictx_work::flow::engine::{FlowError, Resume};
use aictx_work::flow::prompt::MIN_BUDGET;
use aictx_work::flow::state::{Asked, Caps, Flow, InboxItem, Options, Receipt};
use aictx_work::ticket::fields::USER;
use aictx_work::ticket::{Entry, Gate, Queue};
use serde_json::json;

use super::place;
use crate::app::App;
use crate::flow::database::{Database, DatabaseError};
use crate::flow::flow_files::{DIRECTORY, FlowFiles};
use crate::flow::supervisor::{self, FlowsError};
use crate::flow::surroundings;
use crate::flow::turn_folder::TurnFolder;
use crate::flow::worktree;
use crate::hosts::Place;
use crate::ticket_files::TicketFiles;

/// Time for an agent to say its version.
const PROBE: Duration = Duration::from_secs(10);
/// Bytes of a log that are shown.
const MAX_LOG: u64 = 256 * 1024;
/// Events that are shown.
const MAX_EVENTS: i64 = 200;
/// Checks of a turn whose output is shown.
const MAX_CHECKS: usize = 64;
/// Most lanes of a flow.
const MAX_LANES: u32 = 8;
/// Longest message to an agent, in bytes.
const MAX_TEXT: usize = 64 * 1024;

fn failed(error: FlowsError) -> RpcError {
    match error {
        FlowsError::Method(error) => error,
        FlowsError::Unknown(_) => {
            RpcError::new(NOT_FOUND, error.to_string()).hint("`aictx flow status --all` lists them")
        }
        FlowsError::Database(DatabaseError::Taken(_)) => RpcError::new(CONFLICT, error.to_string()),
        _ => RpcError::new(INTERNAL, error.to_string()),
    }
}

fn refused(error: &FlowError) -> RpcError {
    RpcError::new(REFUSED, error.to_string())
}

/// The tickets of a place.
fn queue(app: &App, place: &Place) -> Result<Queue, RpcError> {
    let host = app.hosts.open(&place.root)?;
    TicketFiles::of(app, place, host)?.read()
}

fn database(app: &App) -> Result<&Database, RpcError> {
    app.flows.database().map_err(|e| failed(e.into()))
}

/// The flow that is meant: by id, else the one of the caller's worktree.
fn flow_of(app: &App, params: &FlowParams) -> Result<Flow, RpcError> {
    let database = database(app)?;
    let error = |e: DatabaseError| failed(e.into());
    if !params.flow.is_empty() {
        let found = database.find(&params.flow).map_err(error)?;
        return found.ok_or_else(|| failed(FlowsError::Unknown(params.flow.clone())));
    }
    let place = place(app, &params.repo)?;
    let worktree = place.worktree.to_string_lossy().into_owned();
    if let Some(flow) = database.of_worktree(&worktree).map_err(error)? {
        return Ok(flow);
    }
    if database.is_new() {
        supervisor::restore_states(app).map_err(error)?;
    }
    let found = database.of_worktree(&worktree).map_err(error)?;
    found.ok_or_else(|| {
        RpcError::new(NOT_FOUND, format!("there is no flow in {worktree}"))
            .hint("`aictx flow start` begins one")
    })
}

/// A flow as people and programs see it.
fn row(app: &App, flow: &Flow) -> FlowRow {
    let live = app.flows.live(&flow.flow_id);
    let turn = flow
        .turn
        .as_ref()
        .filter(|turn| turn.phase != TurnPhase::Settled && flow.is_open());
    let mut usage = flow.usage;
    if turn.is_some_and(|turn| turn.phase == TurnPhase::Launched) {
        usage.add(live.usage);
    }
    let finished = flow.finished.iter();
    let unverified = finished.filter(|ticket| ticket.verified != Some(true));
    FlowRow {
        flow_id: flow.flow_id.clone(),
        status: flow.status,
        reason_code: flow.reason_code,
        reason: flow.reason.clone(),
        details: flow.details.clone(),
        worktree: flow.worktree.clone(),
        branch: flow.branch.clone(),
        ticket: flow
            .ticket
            .as_ref()
            .map_or_else(String::new, |ticket| ticket.file.clone()),
        title: flow
            .ticket
            .as_ref()
            .map_or_else(String::new, |ticket| ticket.title.clone()),
        tickets: (flow.finished.len(), 0),
        unverified: unverified.map(|ticket| ticket.file.clone()).collect(),
        turns: (flow.turns, flow.caps.turns),
        turn: turn.map_or(0, |turn| turn.n),
        kind: turn.map_or_else(String::new, |turn| turn.kind.to_string()),
        agent: turn.map_or_else(String::new, |turn| turn.driver.clone()),
        turn_started_at: turn.map_or(0, |turn| turn.started_at),
        line: live.line,
        is_queued: live.is_queued,
        usage,
        max_tokens: flow.caps.tokens,
        max_cost_usd: flow.caps.cost_usd,
        seconds: flow.seconds,
        due_at: flow.due_at,
        full_access: flow.options.full_access,
        state_rev: flow.state_rev,
        created_at: flow.created_at,
        finished_at: flow.finished_at,
        next: next(flow),
    }
}

/// A row with the counts of the worktree's tickets, which are read.
fn full_row(app: &App, flow: &Flow) -> FlowRow {
    let mut row = row(app, flow);
    let place = Place {
        root: PathBuf::from(&flow.repo),
        worktree: PathBuf::from(&flow.worktree),
    };
    if let Ok(queue) = queue(app, &place) {
        let done = queue.entries.iter().filter(|entry| entry.is_done()).count();
        row.tickets = (done, queue.entries.len());
    }
    row
}

fn next(flow: &Flow) -> String {
    match (flow.status, flow.reason_code) {
        (FlowStatus::Paused | FlowStatus::Waiting, Some(reason)) => reason.command().to_owned(),
        (FlowStatus::Running | FlowStatus::Stopping, _) => "aictx flow watch".to_owned(),
        (FlowStatus::Stopped | FlowStatus::Failed, _) => "aictx flow resume".to_owned(),
        (FlowStatus::Completed, _) => "aictx flow log".to_owned(),
        _ => "aictx flow start".to_owned(),
    }
}

fn told(app: &App, flow: &Flow, message: String) -> FlowReply {
    FlowReply {
        message,
        flows: vec![full_row(app, flow)],
        changed: true,
        ..FlowReply::default()
    }
}

/// A beginning as asked for, and what stands against it.
struct Plan {
    place: Place,
    queue: Queue,
    options: Options,
    caps: Caps,
    problems: Vec<String>,
    warnings: Vec<String>,
}

fn plan(app: &App, params: &FlowStartParams) -> Result<Plan, RpcError> {
    let place = place(app, &params.repo)?;
    let queue = queue(app, &place)?;
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    for finding in queue.findings(Gate::Start) {
        let line = format!("{}:{}: {}", finding.file, finding.line, finding.message);
        match finding.severity {
            Severity::Error => problems.push(line),
            Severity::Warning => warnings.push(line),
        }
    }
    let is_wanted = |entry: &&Entry| {
        !entry.is_done() && (params.until == 0 || entry.file.number() <= params.until)
    };
    let open: Vec<&Entry> = queue.entries.iter().filter(is_wanted).collect();
    match (queue.entries.is_empty(), open.is_empty()) {
        (true, _) => problems.push("there are no tickets; `aictx ticket new` writes one".into()),
        (_, true) => warnings.push("every ticket is done already".into()),
        _ => {}
    }
    let git = worktree::facts(&place.worktree);
    if let Some(what) = worktree::unfinished(&place.worktree) {
        problems.push(format!("{what} is in progress; finish or abort it first"));
    }
    match &git {
        None if place.worktree.join(".git").exists() => {
            problems.push("git does not answer; `git status` says why".into());
        }
        None => warnings.push(
            "this is no git repository: nothing is committed and no turn can be undone".into(),
        ),
        Some(git) if git.head.is_empty() => warnings.push("the branch has no commit yet".into()),
        Some(git) if !git.dirty.is_empty() => warnings.push(format!(
            "{} changed already; tickets need not commit them",
            counted(git.dirty.len(), "path is", "paths are")
        )),
        Some(_) => {}
    }
    if !params.unverified && params.verify.is_empty() {
        let has_none = |entry: &&&Entry| {
            let ticket = entry.ticket.as_ref();
            ticket.is_some_and(|ticket| ticket.verify.is_empty() && ticket.agent != USER)
        };
        let names: Vec<String> = open
            .iter()
            .filter(has_none)
            .map(|entry| entry.file.to_string())
            .collect();
        if !names.is_empty() {
            problems.push(format!(
                "nothing proves that {} done: add `verify:` to the ticket, give --verify COMMAND, or --unverified",
                match names.as_slice() {
                    [one] => format!("{one} is"),
                    many => format!("{} are", many.join(", ")),
                }
            ));
        }
    }
    drivers(params, &open, &mut problems, &mut warnings);
    let database = database(app)?;
    let repo = place.root.to_string_lossy();
    let mut untrusted = Vec::new();
    for command in checks(&open, &params.verify) {
        if !params.trust_verify
            && !database
                .is_trusted(&repo, &command)
                .map_err(|e| failed(e.into()))?
        {
            untrusted.push(command);
        }
    }
    if !untrusted.is_empty() {
        warnings.push(format!(
            "these checks are not trusted yet, and the flow will ask: {}; --trust-verify trusts them",
            untrusted.join("; ")
        ));
    }
    if params.prompt_bytes != 0 && params.prompt_bytes < MIN_BUDGET {
        problems.push(format!("a prompt needs at least {MIN_BUDGET} bytes"));
    }
    Ok(Plan {
        options: options(params),
        caps: caps(&params.limits),
        place,
        queue,
        problems,
        warnings,
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The checks of some tickets, and the flow's own.
fn checks(open: &[&Entry], own: &[String]) -> Vec<String> {
    let of = |entry: &&Entry| entry.ticket.as_ref().map(|ticket| ticket.verify.clone());
    let theirs = open.iter().filter_map(of).flatten();
    let mut all: Vec<String> = theirs
        .map(|check| check.command)
        .chain(own.iter().cloned())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Looks at the agents that the tickets need.
fn drivers(
    params: &FlowStartParams,
    open: &[&Entry],
    problems: &mut Vec<String>,
    warnings: &mut Vec<String>,
) {
    let mut names: Vec<&str> = match params.driver.as_str() {
        "" => {
            let agents = open.iter().filter_map(|entry| entry.ticket.as_ref());
            agents
                .map(|ticket| ticket.agent.as_str())
                .filter(|agent| *agent != USER)
                .collect()
        }
        driver => vec![driver],
    };
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let Some(driver) = driver::driver(name) else {
            let known: Vec<_> = driver::drivers().map(|driver| driver.name()).collect();
            problems.push(format!(
                "`{name}` cannot be driven; --driver takes one of {}",
                known.join(", ")
            ));
            continue;
        };
        let probe = driver.probe();
        if probe.program.is_empty() {
            if params.exec.is_empty() {
                problems.push(format!(
                    "the driver `{name}` needs --exec 'PROGRAM ARGUMENTS'"
                ));
            }
            continue;
        }
        let mut command = std::process::Command::new(probe.program);
        command.args(probe.args).stderr(std::process::Stdio::null());
        if let Some(path) = params.environment.get("PATH") {
            command.env("PATH", path);
        }
        let output = child::output(&mut command, Limits::new(PROBE, 64 * 1024));
        let Ok(output) = output else {
            problems.push(format!(
                "`{}` is not installed, or not in PATH",
                probe.program
            ));
            continue;
        };
        let text = String::from_utf8_lossy(&output.bytes);
        match probe
            .version(&text)
            .map(|version| (version, probe.fit(version)))
        {
            Some((_, Fit::Known)) => {}
            Some((version, Fit::Newer)) => warnings.push(format!(
                "`{}` is {version}; {} is the newest that was tried",
                probe.program, probe.tested
            )),
            Some((version, Fit::TooOld)) => problems.push(format!(
                "`{}` is {version}; a flow needs {} or newer",
                probe.program, probe.oldest
            )),
            None => warnings.push(format!("`{}` does not say its version", probe.program)),
        }
    }
}

fn options(params: &FlowStartParams) -> Options {
    let usual = Options::default();
    Options {
        driver: params.driver.clone(),
        exec: params.exec.clone(),
        commit: params.commit.unwrap_or(usual.commit),
        conversation: params.conversation.unwrap_or(Conversation::Ticket),
        full_access: params.full_access,
        verify: params.verify.clone(),
        strict: params.strict,
        strict_commit: params.strict_commit,
        until: params.until,
        lanes: params.lanes.clamp(1, MAX_LANES),
        prompt_bytes: match params.prompt_bytes {
            0 => usual.prompt_bytes,
            bytes => bytes,
        },
        webhook: params.webhook.clone(),
        notify: params.notify,
    }
}

fn caps(limits: &FlowLimits) -> Caps {
    let usual = Caps::default();
    Caps {
        turns: limits.turns.unwrap_or(usual.turns),
        ticket_turns: limits.ticket_turns.unwrap_or(usual.ticket_turns),
        turn_seconds: limits.turn_seconds.unwrap_or(usual.turn_seconds),
        stall_seconds: limits.stall_seconds.unwrap_or(usual.stall_seconds),
        tokens: limits.tokens,
        cost_usd: limits.cost_usd,
        seconds: limits.seconds,
        ..usual
    }
}

/// Runs a handler that blocks.
async fn on_pool<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&Arc<App>) -> Result<T, RpcError> + Send + 'static,
) -> Result<T, RpcError> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))
}

/// `flow.preflight`.
pub(super) async fn preflight(
    app: &Arc<App>,
    params: FlowStartParams,
) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let plan = plan(app, &params)?;
        Ok(FlowReply {
            message: match plan.problems.len() {
                0 => "a flow can start".to_owned(),
                count => counted(
                    count,
                    "thing keeps a flow from starting",
                    "things keep a flow from starting",
                ),
            },
            problems: plan.problems,
            warnings: plan.warnings,
            ..FlowReply::default()
        })
    })
    .await
}

/// `flow.start`.
pub(super) async fn start(app: &Arc<App>, params: FlowStartParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| start_now(app, params)).await
}

fn start_now(app: &Arc<App>, params: FlowStartParams) -> Result<FlowReply, RpcError> {
    let own_place = place(app, &params.repo)?;
    let worktree = own_place.worktree.to_string_lossy().into_owned();
    let database = database(app)?;
    let error = |e: DatabaseError| failed(e.into());
    if database.is_new() {
        supervisor::restore_states(app).map_err(error)?;
    }
    let there = database.of_worktree(&worktree).map_err(error)?;
    let there = there.filter(Flow::is_open);
    if let Some(flow) = &there
        && !params.new
    {
        app.flows.ensure(app, &flow.flow_id);
        let mut reply = told(
            app,
            flow,
            format!("flow {} is {} already", flow.flow_id, flow.status),
        );
        reply.changed = false;
        return Ok(reply);
    }
    let plan = plan(app, &params)?;
    if let Some(problem) = plan.problems.first() {
        return Err(RpcError::new(REFUSED, problem.clone())
            .hint("`aictx flow preflight` lists everything that is in the way"));
    }
    let now = app.now().unix();
    let repo = plan.place.root.to_string_lossy().into_owned();
    let mut flow = Flow::new(new_id()?, repo.clone(), worktree, now);
    if let Some(git) = worktree::facts(&plan.place.worktree) {
        (flow.branch, flow.base_head) = (git.branch, git.head);
    }
    (flow.options, flow.caps) = (plan.options, plan.caps);
    if params.trust_verify {
        let open: Vec<&Entry> = plan.queue.entries.iter().filter(|e| !e.is_done()).collect();
        for command in checks(&open, &params.verify) {
            database.trust(&repo, &command).map_err(error)?;
        }
    }
    if let Some(old) = &there {
        let lanes = old.lanes.iter().map(|lane| lane.flow_id.as_str());
        for old in lanes.chain([old.flow_id.as_str()]) {
            let by = flow.flow_id.clone();
            let ended = app.flows.update(app, old, |flow, _| {
                app.flows.interrupt(flow);
                flow.supersede(&by, now);
                ((), None)
            });
            ended.map_err(failed)?;
        }
    }
    match database.insert(&flow) {
        Ok(()) => {}
        // Somebody else was faster: that one is it.
        Err(DatabaseError::Taken(other)) => {
            let flow = database.get(&other).map_err(error)?;
            let flow = flow.ok_or_else(|| failed(FlowsError::Unknown(other)))?;
            let mut reply = told(
                app,
                &flow,
                format!("flow {} is {} already", flow.flow_id, flow.status),
            );
            reply.changed = false;
            return Ok(reply);
        }
        Err(other) => return Err(error(other)),
    }
    app.flows.set_environment(&flow.flow_id, params.environment);
    app.flows.ensure(app, &flow.flow_id);
    let mut reply = told(app, &flow, format!("started flow {}", flow.flow_id));
    reply.warnings = plan.warnings;
    Ok(reply)
}

fn new_id() -> Result<String, RpcError> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes)
        .map_err(|e| RpcError::new(INTERNAL, format!("no random bytes for an id: {e}")))?;
    Ok(format!("flw_{}", hex(&bytes)))
}

/// `flow.status`.
pub(super) fn status(app: &App, params: &FlowParams) -> Result<FlowReply, RpcError> {
    if params.all {
        let flows = database(app)?.list("").map_err(|e| failed(e.into()))?;
        return Ok(FlowReply {
            message: counted(flows.len(), "flow", "flows"),
            flows: flows.iter().map(|flow| row(app, flow)).collect(),
            ..FlowReply::default()
        });
    }
    let flow = flow_of(app, params)?;
    let mut reply = told(
        app,
        &flow,
        format!("flow {} is {}", flow.flow_id, flow.status),
    );
    reply.inbox = flow
        .question()
        .map(|item| question(app, &flow, item))
        .into_iter()
        .collect();
    reply.changed = false;
    Ok(reply)
}

/// `flow.pause` and `flow.stop`.
pub(super) async fn ask(
    app: &Arc<App>,
    params: FlowParams,
    what: Asked,
) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let signal = surroundings::signal(app, &flow).map_or_else(|_| String::new(), |(s, _)| s);
        let now = app.now().unix();
        let asked = app.flows.update(app, &flow.flow_id, |flow, _| {
            (flow.ask(what, &signal, now), None)
        });
        let (flow, asked) = asked.map_err(failed)?;
        asked.map_err(|e| refused(&e))?;
        let lanes = flow.lanes.iter().map(|lane| &lane.flow_id);
        for flow_id in lanes.chain([&flow.flow_id]) {
            let asked = app.flows.update(app, flow_id, |flow, _| {
                // A lane may have ended.
                let _ = flow.is_open().then(|| flow.ask(what, &signal, now));
                ((), None)
            });
            let (flow, ()) = asked.map_err(failed)?;
            if params.force {
                app.flows.interrupt(&flow);
            }
            app.flows.ensure(app, flow_id);
        }
        let message = match flow.asked {
            Some(_) if params.force => format!("flow {}: the turn is interrupted", flow.flow_id),
            Some(_) => format!(
                "flow {} ends its turn first; --now interrupts it",
                flow.flow_id
            ),
            None => format!("flow {} is {}", flow.flow_id, flow.status),
        };
        Ok(told(app, &flow, message))
    })
    .await
}

/// `flow.resume`.
pub(super) async fn resume(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let flow = resume_flow(app, &flow, &params, false)?;
        Ok(told(app, &flow, format!("flow {} goes on", flow.flow_id)))
    })
    .await
}

fn resume_flow(
    app: &Arc<App>,
    flow: &Flow,
    params: &FlowParams,
    replied: bool,
) -> Result<Flow, RpcError> {
    if !flow.is_open() {
        let database = database(app)?;
        let other = database
            .of_worktree(&flow.worktree)
            .map_err(|e| failed(e.into()))?;
        if let Some(other) = other.filter(|other| other.is_open()) {
            let text = format!("flow {} works on this worktree", other.flow_id);
            return Err(RpcError::new(CONFLICT, text).hint("stop that one first"));
        }
    }
    let wish = Resume {
        force: params.force,
        accept_branch: params.accept_branch,
        turns: params.raise.turns.unwrap_or_default(),
        tokens: params.raise.tokens.unwrap_or_default(),
        cost_usd: params.raise.cost_usd.unwrap_or_default(),
        seconds: params.raise.seconds.unwrap_or_default(),
    };
    let (signal, git) = surroundings::signal(app, flow).unwrap_or_default();
    let branch = git.map_or_else(String::new, |git| git.branch);
    let resumed = app.flows.update(app, &flow.flow_id, |flow, events| {
        let resumed = flow.resume(&wish, &branch, &signal, replied);
        if resumed.is_ok() && wish.force {
            events.push("resumed by force".to_owned());
        }
        (resumed, None)
    });
    let (flow, resumed) = resumed.map_err(failed)?;
    resumed.map_err(|e| match &e {
        FlowError::NoSignal { reason } => refused(&e).hint(reason.command()),
        _ => refused(&e),
    })?;
    if params.trust_verify {
        let place = Place {
            root: PathBuf::from(&flow.repo),
            worktree: PathBuf::from(&flow.worktree),
        };
        let queue = queue(app, &place)?;
        // One that is done may still have to be proven.
        let open: Vec<&Entry> = queue.entries.iter().collect();
        for command in checks(&open, &flow.options.verify) {
            database(app)?
                .trust(&flow.repo, &command)
                .map_err(|e| failed(e.into()))?;
        }
    }
    for lane in &flow.lanes {
        // Lanes that were stopped with it go on with it; those that ask something wait for their own answer.
        let resumed = app.flows.update(app, &lane.flow_id, |own, _| {
            use FlowReason::{UserPauseRequest, UserStop};
            if matches!(own.reason_code, Some(UserStop | UserPauseRequest)) {
                // Refused only where it works already.
                let _ = own.resume(&Resume::default(), &lane.branch, "", true);
            }
            ((), None)
        });
        resumed.map_err(failed)?;
        app.flows
            .set_environment(&lane.flow_id, params.environment.clone());
        app.flows.ensure(app, &lane.flow_id);
    }
    if params.force
        && let Some(ticket) = &flow.ticket
    {
        let account = supervisor::account(&flow, &ticket.agent);
        database(app)?
            .set_quota(&account, 0)
            .map_err(|e| failed(e.into()))?;
    }
    app.flows
        .set_environment(&flow.flow_id, params.environment.clone());
    app.flows.ensure(app, &flow.flow_id);
    Ok(flow)
}

/// `flow.say`: the text is in the next prompt.
pub(super) async fn say(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        if !flow.is_open() {
            let text = format!("flow {} is {}", flow.flow_id, flow.status);
            return Err(RpcError::new(REFUSED, text));
        }
        let seq = write_reply(app, &flow, &params)?;
        let message = format!("reply {seq} is in the next prompt");
        Ok(told(app, &flow, message))
    })
    .await
}

fn write_reply(app: &App, flow: &Flow, params: &FlowParams) -> Result<u32, RpcError> {
    let text = params.text.trim();
    if text.is_empty() || text.len() > MAX_TEXT {
        let message = format!("a text of 1 to {MAX_TEXT} bytes is needed");
        return Err(RpcError::new(INVALID_PARAMS, message));
    }
    let database = database(app)?;
    if !params.key.is_empty() {
        let there = database.reply_of(&flow.flow_id, &params.key);
        if let Some(seq) = there.map_err(|e| failed(e.into()))? {
            return Ok(seq);
        }
    }
    let files = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id);
    let seq = files.and_then(|files| files.reply(flow.reply_seq, text, &params.key));
    let seq = seq.map_err(|e| failed(e.into()))?;
    if !params.key.is_empty() {
        let noted = database.note_reply(&flow.flow_id, &params.key, seq);
        noted.map_err(|e| failed(e.into()))?;
    }
    Ok(seq)
}

/// `flow.reply`.
pub(super) async fn reply(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    let decision = params.decision.then(|| params.clone());
    let reply = on_pool(app, move |app| {
        // An item of the inbox is an address, too.
        let mut params = params;
        if let Some((flow, _)) = params.flow.rsplit_once('.') {
            params.flow = flow.to_owned();
        }
        let mut flow = flow_of(app, &params)?;
        if !flow.is_open() && flow.status != FlowStatus::Stopped {
            let text = format!("flow {} is {}", flow.flow_id, flow.status);
            return Err(RpcError::new(REFUSED, text));
        }
        // A question of a lane is one of its flow.
        if flow.question().is_none() {
            for lane in &flow.lanes {
                let own = database(app)?
                    .get(&lane.flow_id)
                    .map_err(|e| failed(e.into()))?;
                if let Some(own) = own.filter(|own| own.question().is_some()) {
                    flow = own;
                    break;
                }
            }
        }
        let seq = write_reply(app, &flow, &params)?;
        let resumes = !params.no_resume && flow.status == FlowStatus::Paused;
        let (flow, tail) = match resumes {
            true => (resume_flow(app, &flow, &params, true)?, "the flow goes on"),
            false => (flow, "it is in the next prompt"),
        };
        Ok(told(app, &flow, format!("reply {seq}: {tail}")))
    })
    .await?;
    if let Some(params) = decision {
        let question = reply.flows.first().map_or("", |flow| flow.title.as_str());
        let decide = json!({
            "repo": params.repo, "decision": params.text, "reason": format!("answer to a flow: {question}"),
            "caller": params.caller,
        });
        super::call_boxed(app, words::MEMORY_DECIDE, &decide).await?;
    }
    Ok(reply)
}

fn question(app: &App, flow: &Flow, item: &InboxItem) -> FlowQuestion {
    let files = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id);
    let text = files.ok().filter(|_| item.dispatch > 0);
    let text = text.and_then(|files| files.dispatch_text(item.dispatch));
    FlowQuestion {
        id: item.id.clone(),
        flow_id: flow.flow_id.clone(),
        worktree: flow.worktree.clone(),
        reason: item.reason,
        title: item.title.clone(),
        text: text.unwrap_or_default(),
        state: item.state.to_string(),
        at: item.at,
        resolution: item.resolution.clone(),
    }
}

/// `flow.inbox`.
pub(super) async fn inbox(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        if let Some((flow_id, _)) = params.dismiss.rsplit_once('.') {
            let reason = match params.reason.as_str() {
                "" => "dismissed",
                reason => reason,
            };
            let dismissed = app.flows.update(app, flow_id, |flow, _| {
                let found = flow
                    .inbox
                    .iter_mut()
                    .find(|item| item.id == params.dismiss && item.state == InboxState::Open);
                let is_found = found.is_some();
                if let Some(item) = found {
                    item.state = InboxState::Dismissed;
                    reason.clone_into(&mut item.resolution);
                }
                (is_found, None)
            });
            let (flow, found) = dismissed.map_err(failed)?;
            if !found {
                let text = format!("there is no open question {}", params.dismiss);
                return Err(RpcError::new(NOT_FOUND, text));
            }
            return Ok(told(app, &flow, format!("dismissed {}", params.dismiss)));
        }
        if !params.dismiss.is_empty() {
            let text = format!("there is no open question {}", params.dismiss);
            return Err(RpcError::new(NOT_FOUND, text).hint("`aictx flow inbox` lists them"));
        }
        let flows = database(app)?.list("").map_err(|e| failed(e.into()))?;
        let mut questions = Vec::new();
        for flow in &flows {
            let items = flow.inbox.iter();
            let items = items.filter(|item| params.all || item.state == InboxState::Open);
            questions.extend(items.map(|item| question(app, flow, item)));
        }
        questions.sort_by_key(|question| question.at);
        Ok(FlowReply {
            message: counted(questions.len(), "question", "questions"),
            inbox: questions,
            ..FlowReply::default()
        })
    })
    .await
}

fn receipts(app: &App, flow: &Flow) -> Result<Vec<Receipt>, RpcError> {
    database(app)?
        .receipts(&flow.flow_id)
        .map_err(|e| failed(e.into()))
}

/// Number and attempt of a turn: the one that is named, else the last.
fn turn_of(flow: &Flow, receipts: &[Receipt], wanted: u32) -> Result<(u32, u32), RpcError> {
    let wanted = if wanted == 0 { flow.last_turn } else { wanted };
    let now = flow.turn.as_ref().filter(|turn| turn.n == wanted);
    let past = receipts.iter().find(|receipt| receipt.n == wanted);
    let attempt = now
        .map(|turn| turn.attempt)
        .or(past.map(|receipt| receipt.attempt))
        // One that came to no end has no receipt.
        .or((1..=flow.last_turn).contains(&wanted).then_some(1));
    attempt.map(|attempt| (wanted, attempt)).ok_or_else(|| {
        let text = format!("flow {} has no turn {wanted}", flow.flow_id);
        RpcError::new(NOT_FOUND, text).hint("`aictx flow log` lists its turns")
    })
}

/// `flow.log`.
pub(super) async fn log(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let receipts = receipts(app, &flow)?;
        let mut reply = told(app, &flow, String::new());
        reply.changed = false;
        if params.part == "events" {
            let events = database(app)?.events(&flow.flow_id, params.since, MAX_EVENTS);
            let events = events.map_err(|e| failed(e.into()))?.into_iter();
            let event = |e: crate::flow::database::Event| FlowEvent {
                seq: e.seq,
                at: e.at,
                text: e.text,
            };
            reply.events = events.map(event).collect();
            return Ok(reply);
        }
        if params.part.is_empty() {
            let wanted = receipts
                .iter()
                .filter(|receipt| params.turn == 0 || receipt.n == params.turn);
            let values = wanted.map(serde_json::to_value).collect::<Result<_, _>>();
            reply.turns = values.map_err(|e| RpcError::new(INTERNAL, e.to_string()))?;
            reply.message = counted(receipts.len(), "turn", "turns");
            return Ok(reply);
        }
        let (turn, attempt) = turn_of(&flow, &receipts, params.turn)?;
        let folder = TurnFolder::at(app.flows.folder(&flow.flow_id, turn, attempt));
        reply.message = format!("turn {turn}");
        reply.text = match params.part.as_str() {
            "prompt" => folder.tail("prompt.md", MAX_LOG),
            "stdout" => folder.tail("stdout.log", MAX_LOG),
            "stderr" => folder.tail("stderr.log", MAX_LOG),
            "verify" => {
                let checks = (0..MAX_CHECKS).map(|n| folder.file(&format!("check-{n}")));
                let checks = checks.take_while(|path| path.exists()).map(TurnFolder::at);
                let texts = checks.map(|check| check.tail("stdout.log", MAX_LOG));
                texts.collect::<Vec<_>>().join("\n")
            }
            other => {
                let text = format!("`part` cannot be `{other}`");
                return Err(RpcError::new(INVALID_PARAMS, text));
            }
        };
        let clean = aictx_redact::scrub_text(&reply.text, &mut aictx_redact::Report::default());
        reply.text = clean.into_owned();
        Ok(reply)
    })
    .await
}

/// `flow.diff`.
pub(super) async fn diff(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let receipts = receipts(app, &flow)?;
        let wanted: Vec<&Receipt> = receipts
            .iter()
            .filter(|receipt| params.turn == 0 || receipt.n == params.turn)
            .collect();
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return Err(RpcError::new(NOT_FOUND, "no turn has ended yet"));
        };
        let worktree = Path::new(&flow.worktree);
        let text = worktree::patch(worktree, &first.tree_before, &last.tree_after);
        let mut reply = told(app, &flow, format!("turns {} to {}", first.n, last.n));
        reply.changed = false;
        reply.text = text.ok_or_else(|| {
            RpcError::new(NOT_FOUND, "git does not have these states any more")
                .hint("checkpoints of the last 20 turns are kept")
        })?;
        Ok(reply)
    })
    .await
}

/// `flow.restore`.
pub(super) async fn restore(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let turn = match params.turn {
            0 => flow.last_turn,
            turn => turn,
        };
        let branch = match params.branch.as_str() {
            "" => format!("{}-before-{turn}", flow.flow_id),
            name => name.to_owned(),
        };
        let reference = worktree::reference(&flow.flow_id, &worktree::checkpoint(turn, false));
        worktree::branch_at(Path::new(&flow.worktree), &branch, &reference).map_err(|e| {
            RpcError::new(REFUSED, e.to_string().trim().to_owned())
                .hint("`aictx flow log` lists the turns; checkpoints of the last 20 are kept")
        })?;
        let message = format!("branch {branch} is the worktree as it was before turn {turn}");
        Ok(told(app, &flow, message))
    })
    .await
}

/// `flow.recover`.
pub(super) async fn recover(app: &Arc<App>) -> Result<FlowReply, RpcError> {
    let restored = on_pool(app, |app| {
        supervisor::restore_states(app).map_err(|e| failed(e.into()))
    });
    let restored = restored.await?;
    supervisor::recover(app).await;
    on_pool(app, move |app| {
        let flows = database(app)?.list("").map_err(|e| failed(e.into()))?;
        let at_work = flows.iter().filter(|flow| flow.is_open());
        Ok(FlowReply {
            message: format!(
                "{} restored from files; {} open",
                counted(restored, "flow was", "flows were"),
                counted(at_work.clone().count(), "flow is", "flows are")
            ),
            flows: at_work.map(|flow| row(app, flow)).collect(),
            changed: restored > 0,
            ..FlowReply::default()
        })
    })
    .await
}

/// `flow.retire`.
pub(super) async fn retire(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        if flow.is_open() {
            let text = format!("flow {} is {}", flow.flow_id, flow.status);
            return Err(RpcError::new(REFUSED, text).hint("`aictx flow stop` ends it first"));
        }
        let worktree = Path::new(&flow.worktree);
        let files = FlowFiles::create(&app.hosts, worktree, &flow.flow_id);
        let files = files.map_err(|e| failed(e.into()))?;
        let state = app.flows.directory(&flow.flow_id);
        let mut reply = told(
            app,
            &flow,
            format!("removed what was left of flow {}", flow.flow_id),
        );
        if params.dry_run {
            reply.changed = false;
            reply.message = format!(
                "{}, {} and the checkpoints of flow {} would be removed; tickets and memory stay",
                files.path().display(),
                state.display(),
                flow.flow_id
            );
            return Ok(reply);
        }
        // What an unfinished lane holds is nobody's to remove but the person's.
        for lane in &flow.lanes {
            let path = Path::new(&lane.worktree);
            if path.exists() {
                worktree::remove_clean(worktree, path).map_err(|e| {
                    let said = e.to_string();
                    RpcError::new(REFUSED, format!("{}: {}", path.display(), said.trim()))
                        .hint("keep what you need of it, then `git worktree remove --force` it")
                })?;
            }
        }
        let all = database(app)?
            .list(&flow.repo)
            .map_err(|e| failed(e.into()))?;
        let lanes = all.iter().filter(|own| own.lane_of == flow.flow_id);
        let lanes: Vec<String> = lanes.map(|own| own.flow_id.clone()).collect();
        for flow_id in lanes.iter().chain([&flow.flow_id]) {
            worktree::forget_checkpoints(worktree, flow_id, None);
            for directory in [
                worktree.join(DIRECTORY).join(flow_id),
                app.flows.directory(flow_id),
            ] {
                match std::fs::remove_dir_all(&directory) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        let text = format!("{}: {e}", directory.display());
                        return Err(RpcError::new(INTERNAL, text));
                    }
                    _ => {}
                }
            }
            database(app)?
                .remove(flow_id)
                .map_err(|e| failed(e.into()))?;
        }
        Ok(reply)
    })
    .await
}

/// `flow.cost`.
pub(super) async fn cost(app: &Arc<App>, params: FlowParams) -> Result<FlowReply, RpcError> {
    on_pool(app, move |app| {
        let flow = flow_of(app, &params)?;
        let mut by_ticket: BTreeMap<String, (u32, Usage, i64)> = BTreeMap::new();
        for receipt in receipts(app, &flow)? {
            let sum = by_ticket.entry(receipt.file).or_default();
            sum.0 += 1;
            sum.1.add(receipt.usage);
            sum.2 += receipt.ended_at - receipt.started_at;
        }
        let line = |(file, (turns, usage, seconds)): (String, (u32, Usage, i64))| {
            json!({ "file": file, "turns": turns, "usage": usage, "seconds": seconds })
        };
        let mut reply = told(app, &flow, String::new());
        reply.changed = false;
        reply.turns = by_ticket.into_iter().map(line).collect();
        Ok(reply)
    })
    .await
}
