//! `run.*`: agent runs, their ledgers, and their mirror in the tasks of the memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use aictx_continuity::{
    Checkout, TaskError, active_thread, close_task, find_thread, resume_task, start_task,
    update_task,
};
use aictx_proto::Timestamp;
use aictx_proto::effect::Effects;
use aictx_proto::identity::{Caller, Identity};
use aictx_proto::json::member;
use aictx_proto::methods::{
    DecideParams, RunAddParams, RunAdded, RunCloseParams, RunClosed, RunEntry, RunGc, RunGcParams,
    RunHandoff, RunList, RunListParams, RunParams, RunStartParams, RunState, RunStatus,
};
use aictx_proto::path::Located;
use aictx_proto::record::{Origin, Thread};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, RpcError};
use aictx_proto::snapshot::{GitState, Snapshot};
use aictx_work::run::gate::{Artifact, unresolved};
use aictx_work::run::handoff::handoff;
use aictx_work::run::id::RunId;
use aictx_work::run::ledger::{Ledger, text};
use aictx_work::run::operation::{
    Act, Actor, Closing, activate, deactivate, parked_for, start as start_run,
};
use aictx_work::run::state::Run;
use aictx_work::run::{DIRECTORY, RunError, task_mirror};
use serde_json::{Value, json};

use super::{base, place, task};
use crate::app::App;
use crate::git;
use crate::hosts::{Place, store_error};
use crate::runs::{Runs, run_error};

/// Runs listed when nobody says how many, and at most.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;
/// Open runs without an entry for so long are parked, in seconds.
const IDLE: u64 = 14 * 24 * 60 * 60;
/// Closed runs are compressed after so long, in seconds.
const OLD: u64 = 30 * 24 * 60 * 60;
/// Learnings of one run that become decisions of the memory.
const MAX_LEARNINGS: usize = 20;

/// Does something with files on a thread that may wait for them.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RpcError> + Send + 'static,
) -> Result<T, RpcError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))
}

fn actor(identity: &Identity) -> Actor {
    Actor {
        agent: identity.agent_id.clone(),
        session: identity.session_id.clone(),
    }
}

/// Decides on a run under the lock of its directory.
fn change<T>(
    runs: &Runs,
    decide: impl FnOnce(&Runs) -> Result<(T, Effects), RpcError>,
) -> Result<T, RpcError> {
    let decided = runs.directory.transact(|_| match decide(runs) {
        Ok((reply, effects)) => (Ok(reply), effects),
        Err(error) => (Err(error), Effects::new()),
    });
    decided.map_err(|e| store_error(&e))?.0
}

/// States of the paths that the learnings of a run name: git is asked once for all of them.
fn artifacts(worktree: &Path, run: &Run) -> impl Fn(&str) -> Artifact + use<> {
    let paths = run.learning.iter().map(|row| text(row, "path"));
    let located: BTreeMap<String, Option<String>> = paths
        .map(|path| (path.to_owned(), inside(worktree, "", path)))
        .collect();
    let is_git = worktree.join(".git").exists();
    let asked: Vec<String> = located.values().flatten().cloned().collect();
    let tracked = is_git.then(|| git::tracked(worktree, &asked)).flatten();
    let state = |path: &str| {
        // Of a directory git lists the files in it.
        let below = format!("{path}/");
        let is_tracked = |name: &String| name == path || name.starts_with(&below);
        match &tracked {
            _ if worktree.join(path).symlink_metadata().is_err() => Artifact::Missing,
            None if !is_git => Artifact::Unknown,
            Some(tracked) if tracked.iter().any(is_tracked) => Artifact::Tracked,
            _ => Artifact::Untracked,
        }
    };
    let states: BTreeMap<String, Artifact> = located
        .into_iter()
        .map(|(path, inside)| {
            (
                path,
                inside.map_or(Artifact::Outside, |inside| state(&inside)),
            )
        })
        .collect();
    move |path| states.get(path).copied().unwrap_or(Artifact::Outside)
}

/// A path as somebody gave it, from the root of the worktree; nothing for one that is not in it.
fn inside(worktree: &Path, cwd: &str, path: &str) -> Option<String> {
    match aictx_artifacts::root::locate(worktree, base(worktree, cwd), path) {
        Located::Inside(inside) if !inside.is_root() => Some(inside.as_str().to_owned()),
        _ => None,
    }
}

fn state(runs: &Runs, run: &Run, changed: bool) -> RunState {
    RunState {
        id: run.id.to_string(),
        path: format!("{DIRECTORY}/{}", run.id),
        status: run.status,
        active: run.status == RunStatus::Open && runs.pointer().as_ref() == Some(&run.id),
        changed,
        handoff: String::new(),
        warnings: issues(run),
    }
}

fn issues(run: &Run) -> Vec<String> {
    const MOST: usize = 10;
    run.issues
        .iter()
        .take(MOST)
        .map(ToString::to_string)
        .collect()
}

/// `run.start`.
pub(super) async fn start(app: &Arc<App>, params: RunStartParams) -> Result<RunState, RpcError> {
    let place = place(app, &params.repo)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let git = git::state(app, &place.worktree).await;
    let (app_, at, who, now) = (Arc::clone(app), place.clone(), actor(&identity), app.now());
    let started = blocking(move || {
        let plan = match params.skip_intake {
            true => None,
            false => Some(super::routing::route(&at.worktree, &params.request)),
        };
        let runs = Runs::create(&app_.hosts, &at.worktree)?;
        let id = match params.run_id.as_str() {
            "" => RunId::of_request(&params.request, now),
            id => RunId::parse(id).map_err(|e| run_error(&e))?,
        };
        change(&runs, |runs| {
            let active = runs.active();
            let known = runs.load(&id).map_err(|e| store_error(&e))?;
            let known = known.filter(|run| run.problem.is_object());
            // A repetition of the same start changes nothing.
            let is_same = |run: &Run| {
                let is_named = params.run_id.is_empty() || run.id == id;
                is_named && run.status == RunStatus::Open && run.request() == params.request.trim()
            };
            if let Some(same) = [known.as_ref(), active.as_ref()]
                .into_iter()
                .flatten()
                .find(|run| is_same(run))
            {
                let effects = match active {
                    Some(_) => Effects::new(),
                    None => vec![activate(&same.id)],
                };
                return Ok(((same.id.clone(), false, None), effects));
            }
            if known.is_some() {
                return Err(run_error(&RunError::Exists(id.to_string())));
            }
            let mut effects = Effects::new();
            if let Some(active) = &active {
                match (params.park, params.switch) {
                    (true, _) => {
                        let act = Act {
                            run: active,
                            actor: &who,
                            now,
                        };
                        effects.extend(act.park("", Some(&id)).map_err(|e| run_error(&e))?);
                    }
                    (_, true) => {}
                    _ => return Err(run_error(&RunError::Active(active.id.to_string()))),
                }
            }
            let there = Ledger::ALL.into_iter();
            let there: Vec<Ledger> = there
                .filter(|ledger| {
                    let read = runs.directory.read(&id.file(ledger.file()));
                    !matches!(read, Ok(None))
                })
                .collect();
            let started = start_run(&id, &params, plan.as_ref(), &git, &there, now);
            effects.extend(started.map_err(|e| run_error(&e))?);
            let parked = active.filter(|_| params.park).map(|run| run.id);
            Ok(((id.clone(), true, parked), effects))
        })
    });
    let (id, changed, parked) = started.await?;
    if let Some(parked) = parked {
        mirror(app, &place, &identity, &parked).await;
    }
    let warnings = mirror(app, &place, &identity, &id).await;
    let (app, at) = (Arc::clone(app), place);
    blocking(move || {
        let runs = Runs::existing(&app.hosts, &at.worktree)?;
        let run = runs.resolve(id.as_str())?;
        let mut state = state(&runs, &run, changed);
        state.warnings.extend(warnings);
        Ok(state)
    })
    .await
}

/// `run.list`.
pub(super) fn list(app: &App, params: &RunListParams) -> Result<RunList, RpcError> {
    let wanted = match params.status.as_str() {
        "" => None,
        name => Some(RunStatus::parse(name).ok_or_else(|| {
            let names = RunStatus::NAMES.join(", ");
            RpcError::new(INVALID_PARAMS, format!("`status` must be one of {names}"))
        })?),
    };
    let place = place(app, &params.repo)?;
    let Some(runs) = Runs::open(&app.hosts, &place.worktree)? else {
        return Ok(RunList::default());
    };
    let active = runs.active().map(|run| run.id);
    let mut all = runs.all();
    all.retain(|run| wanted.is_none_or(|status| run.status == status));
    let limit = match params.limit as usize {
        0 => DEFAULT_LIMIT,
        limit => limit.min(MAX_LIMIT),
    };
    Ok(RunList {
        truncated: all.len() > limit,
        runs: all
            .iter()
            .take(limit)
            .map(|run| run.item(active.as_ref()))
            .collect(),
    })
}

/// `run.show`: the summary of the upstream format, and beside it what that does not have.
pub(super) fn show(app: &App, params: &RunParams) -> Result<Value, RpcError> {
    let place = place(app, &params.repo)?;
    let runs = Runs::existing(&app.hosts, &place.worktree)?;
    let run = runs.resolve(&params.run_id)?;
    let state = state(&runs, &run, false);
    let artifact = artifacts(&place.worktree, &run);
    let learnings: Vec<Value> = run
        .learning
        .iter()
        .filter_map(|row| {
            let why = unresolved(row, &artifact)?;
            Some(json!({ "id": text(row, "id"), "why": why }))
        })
        .collect();
    let origin = match runs.is_foreign(&run.id) {
        true => Origin::Repository,
        false => Origin::Own,
    };
    let mut value = run.summary();
    for (name, content) in [
        ("status", json!(run.status)),
        ("active", json!(state.active)),
        ("path", json!(state.path)),
        ("created_at", json!(run.said("created_at"))),
        ("updated_at", json!(run.updated_at())),
        ("evidence", json!(run.evidence)),
        ("events", json!(run.events)),
        ("problem", run.problem.clone()),
        ("unresolved_learning", json!(learnings)),
        ("failing_commands", json!(run.failing())),
        ("closeouts", json!(run.closeouts.len())),
        ("origin", json!(origin)),
        ("warnings", json!(state.warnings)),
    ] {
        aictx_proto::json::set(&mut value, name, content);
    }
    Ok(value)
}

/// `run.add`.
pub(super) async fn add(app: &Arc<App>, mut params: RunAddParams) -> Result<RunAdded, RpcError> {
    let place = place(app, &params.repo)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let (app_, at, who, now) = (Arc::clone(app), place.clone(), actor(&identity), app.now());
    let added = blocking(move || {
        let runs = Runs::existing(&app_.hosts, &at.worktree)?;
        let mut warnings = locate(&at.worktree, &params.cwd, &mut params.entry)?;
        change(&runs, |runs| {
            let run = runs.resolve(&params.run_id)?;
            let act = Act {
                run: &run,
                actor: &who,
                now,
            };
            let (row, recorded, effects) = act.add(&params.entry).map_err(|e| run_error(&e))?;
            warnings.extend(issues(&run));
            let added = RunAdded {
                run_id: run.id.to_string(),
                row,
                recorded,
                warnings,
            };
            Ok((added, effects))
        })
    });
    let mut added = added.await?;
    if let Ok(id) = RunId::parse(&added.run_id) {
        let warnings = mirror(app, &place, &identity, &id).await;
        added.warnings.extend(warnings);
    }
    Ok(added)
}

/// Makes the paths of an entry relative to the worktree; what is said of those that are not there.
fn locate(worktree: &Path, cwd: &str, entry: &mut RunEntry) -> Result<Vec<String>, RpcError> {
    let mut warnings = Vec::new();
    let mut located = |path: &mut String, behind: String| -> Result<(), RpcError> {
        let found = inside(worktree, cwd, path);
        let found = found.ok_or_else(|| run_error(&RunError::OutsidePath(path.clone())))?;
        if worktree.join(&found).symlink_metadata().is_err() {
            warnings.push(format!("{found} is not there yet"));
        }
        *path = found + &behind;
        Ok(())
    };
    match entry {
        RunEntry::Learning { path, .. } if !path.trim().is_empty() => {
            *path = path.trim().to_owned();
            located(path, String::new())?;
        }
        RunEntry::Evidence { file, .. } if !file.trim().is_empty() => {
            let is_line = |line: &str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
            let (name, line) = match file.trim().rsplit_once(':') {
                Some((name, line)) if is_line(line) => (name.to_owned(), format!(":{line}")),
                _ => (file.trim().to_owned(), String::new()),
            };
            *file = name;
            located(file, line)?;
        }
        _ => {}
    }
    Ok(warnings)
}

/// `run.handoff`.
pub(super) async fn tell(app: &Arc<App>, params: RunParams) -> Result<RunHandoff, RpcError> {
    let place = place(app, &params.repo)?;
    let git = git::state(app, &place.worktree).await;
    let app = Arc::clone(app);
    blocking(move || {
        let runs = Runs::existing(&app.hosts, &place.worktree)?;
        let run = runs.resolve(&params.run_id)?;
        Ok(handoff_of(&place.worktree, &run, &git, params.max_bytes))
    })
    .await
}

fn handoff_of(worktree: &Path, run: &Run, git: &GitState, max_bytes: u32) -> RunHandoff {
    let artifact = artifacts(worktree, run);
    let told = handoff(run, git, &artifact, max_bytes as usize);
    RunHandoff {
        id: run.id.to_string(),
        text: told.text,
        left_out: u32::try_from(told.left_out).unwrap_or(u32::MAX),
    }
}

/// A change of a run's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Park,
    Resume,
    Reopen,
    Abandon,
}

/// `run.park`, `run.resume`, `run.reopen` and `run.abandon`.
pub(super) async fn set_state(
    app: &Arc<App>,
    params: RunParams,
    to: Move,
) -> Result<RunState, RpcError> {
    if to == Move::Abandon && params.reason.trim().is_empty() {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "a reason is required to abandon a run",
        ));
    }
    let place = place(app, &params.repo)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let git = git::state(app, &place.worktree).await;
    let (app_, at, who, now) = (Arc::clone(app), place.clone(), actor(&identity), app.now());
    let is_resumed = to == Move::Resume;
    let max_bytes = params.max_bytes;
    let moved = blocking(move || {
        let runs = Runs::existing(&app_.hosts, &at.worktree)?;
        change(&runs, |runs| {
            let run = match (to, params.run_id.as_str()) {
                (Move::Resume | Move::Reopen, "") => latest(runs, to)?,
                (_, id) => runs.resolve(id)?,
            };
            let pointer = runs.pointer();
            let is_pointed = pointer.as_ref() == Some(&run.id);
            let active = runs.active().filter(|active| active.id != run.id);
            let act = Act {
                run: &run,
                actor: &who,
                now,
            };
            let reason = params.reason.as_str();
            let decided = match to {
                Move::Park => act.park(reason, None),
                Move::Resume => act.resume(),
                Move::Reopen => act.reopen(reason),
                Move::Abandon => act.abandon(reason),
            };
            let mut effects = decided.map_err(|e| run_error(&e))?;
            if !effects.is_empty() {
                decompress(runs, &run)?;
            }
            match to {
                Move::Park | Move::Abandon if is_pointed => effects.push(deactivate()),
                Move::Resume if !is_pointed => effects.push(activate(&run.id)),
                // Who reopens a run beside an active one says so by resuming it.
                Move::Reopen if !is_pointed && active.is_none() => effects.push(activate(&run.id)),
                _ => {}
            }
            Ok(((run.id.clone(), !effects.is_empty()), effects))
        })
    });
    let (id, changed) = moved.await?;
    let warnings = mirror(app, &place, &identity, &id).await;
    let app = Arc::clone(app);
    blocking(move || {
        let runs = Runs::existing(&app.hosts, &place.worktree)?;
        let run = runs.resolve(id.as_str())?;
        let mut state = state(&runs, &run, changed);
        state.warnings.extend(warnings);
        if is_resumed {
            let started_on = member(member(&run.problem, "git"), "branch").as_str();
            let started_on = started_on.unwrap_or_default();
            if git.available && !started_on.is_empty() && started_on != git.branch {
                let (here, there) = (&git.branch, started_on);
                let warning = format!("the run was started on branch {there}, this is {here}");
                state.warnings.push(warning);
            }
            state.handoff = handoff_of(&place.worktree, &run, &git, max_bytes).text;
        }
        Ok(state)
    })
    .await
}

/// The run that is resumed or reopened when nobody names one: the one that changed last, of those that can be.
fn latest(runs: &Runs, to: Move) -> Result<Run, RpcError> {
    if let (Move::Resume, Some(active)) = (to, runs.active()) {
        return Ok(active);
    }
    let fits = |run: &Run| match to {
        Move::Resume => matches!(run.status, RunStatus::Open | RunStatus::Parked),
        _ => matches!(run.status, RunStatus::Closed | RunStatus::Abandoned),
    };
    let fitting = runs.all().into_iter().filter(fits);
    let latest = fitting.max_by(|a, b| a.updated_at().cmp(b.updated_at()));
    latest.ok_or_else(|| run_error(&RunError::NoActive(Vec::new())))
}

/// Puts back the ledgers of a run that were compressed.
fn decompress(runs: &Runs, run: &Run) -> Result<(), RpcError> {
    Ledger::ALL
        .into_iter()
        .try_for_each(|ledger| runs.directory.decompress(&run.id.file(ledger.file())))
        .map_err(|e| store_error(&e))
}

/// `run.close`.
pub(super) async fn close(app: &Arc<App>, params: RunCloseParams) -> Result<RunClosed, RpcError> {
    let place = place(app, &params.repo)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let caller = params.caller.clone();
    let (app_, at, who, now) = (Arc::clone(app), place.clone(), actor(&identity), app.now());
    let closed = blocking(move || {
        let runs = Runs::existing(&app_.hosts, &at.worktree)?;
        change(&runs, |runs| {
            let run = to_close(runs, &params.run_id)?;
            let artifact = artifacts(&at.worktree, &run);
            let act = Act {
                run: &run,
                actor: &who,
                now,
            };
            let closing = act.close(&params, &artifact).map_err(|e| run_error(&e))?;
            let path = |stem: &str| format!("{DIRECTORY}/{}/{stem}.md", run.id);
            let mut reply = RunClosed {
                id: run.id.to_string(),
                warnings: issues(&run),
                ..RunClosed::default()
            };
            let mut effects = Effects::new();
            match closing {
                Closing::Refused(missing) => reply.missing = missing,
                Closing::Already { stem, closeout } => {
                    (reply.closed, reply.path, reply.closeout) = (true, path(&stem), closeout);
                }
                Closing::Closed {
                    stem,
                    closeout,
                    effects: writes,
                } => {
                    effects = writes;
                    (reply.closed, reply.changed) = (true, true);
                    (reply.path, reply.closeout) = (path(&stem), closeout);
                }
            }
            // Also where an interrupted one left it.
            if reply.closed && runs.pointer().as_ref() == Some(&run.id) {
                let all = runs.all();
                match parked_for(&all, &run.id) {
                    Some(parked) => {
                        let act = Act {
                            run: parked,
                            actor: &who,
                            now,
                        };
                        effects.extend(act.resume().map_err(|e| run_error(&e))?);
                        effects.push(activate(&parked.id));
                        reply.resumed = parked.id.to_string();
                    }
                    None => effects.push(deactivate()),
                }
            }
            Ok(((reply, runs.is_foreign(&run.id)), effects))
        })
    });
    let (mut reply, is_foreign) = closed.await?;
    // A repetition brings the memory up to what an interrupted one left.
    if reply.closed
        && let Ok(id) = RunId::parse(&reply.id)
    {
        let mut warnings = mirror(app, &place, &identity, &id).await;
        // The word of others does not become the user's own.
        if !is_foreign {
            warnings.extend(remember(app, &place, &caller, &reply).await);
        }
        reply.warnings.extend(warnings);
        if let Ok(resumed) = RunId::parse(&reply.resumed) {
            mirror(app, &place, &identity, &resumed).await;
        }
    }
    Ok(reply)
}

/// The run to close: the active one, also where it is closed already and only `ACTIVE` still names it.
fn to_close(runs: &Runs, id: &str) -> Result<Run, RpcError> {
    match runs.resolve(id) {
        Err(error) if id.is_empty() => {
            // Closing once more what was closed last is a repetition, not an error.
            let last = runs.pointer().map(|id| id.to_string());
            let last = last.or_else(|| {
                let closed = runs.all().into_iter();
                let closed = closed.filter(|run| run.status == RunStatus::Closed);
                Some(
                    closed
                        .max_by(|a, b| closed_at(a).cmp(closed_at(b)))?
                        .id
                        .to_string(),
                )
            });
            last.ok_or(error).and_then(|id| runs.resolve(&id))
        }
        found => found,
    }
}

fn closed_at(run: &Run) -> &str {
    let last = run.closeouts.last().unwrap_or(&Value::Null);
    member(last, "closed_at").as_str().unwrap_or_default()
}

/// Keeps the learnings of a closed run as decisions of the memory, each with its artifact or reason.
async fn remember(
    app: &Arc<App>,
    place: &Place,
    caller: &Caller,
    closed: &RunClosed,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if app.hosts.open(&place.root).is_err() {
        return warnings;
    }
    let learnings = member(&closed.closeout, "learning").as_array();
    for row in learnings.into_iter().flatten().take(MAX_LEARNINGS) {
        let of = |name: &str| member(row, name).as_str().unwrap_or_default();
        let why = match of("path") {
            "" => of("reason").to_owned(),
            path => format!("it is in {path}"),
        };
        let rationale = format!("{why} ({} of run {}, {})", of("id"), closed.id, of("kind"));
        let paths: Vec<&str> = [of("path")]
            .into_iter()
            .filter(|path| !path.is_empty())
            .collect();
        let decision = json!({
            "decision": of("summary"), "rationale": rationale, "related_paths": paths,
        });
        let params = DecideParams {
            repo: place.worktree.to_string_lossy().into_owned(),
            decision: decision.as_object().cloned().unwrap_or_default(),
            caller: caller.clone(),
            ..DecideParams::default()
        };
        if let Err(error) = super::memory::decide(app, params).await {
            warnings.push(format!(
                "{} is not in the memory: {}",
                of("id"),
                error.message
            ));
        }
    }
    warnings
}

/// `run.gc`.
pub(super) fn gc(app: &App, params: &RunGcParams) -> Result<RunGc, RpcError> {
    let place = place(app, &params.repo)?;
    let Some(runs) = Runs::open(&app.hosts, &place.worktree)? else {
        return Ok(RunGc::default());
    };
    let now = app.now();
    let age = |at: &str| Timestamp::parse(at).map_or(0, |at| now.since(at));
    let who = Actor {
        agent: "aictx".to_owned(),
        ..Actor::default()
    };
    change(&runs, |runs| {
        let mut reply = RunGc {
            applied: params.apply,
            ..RunGc::default()
        };
        let mut effects = Effects::new();
        for run in runs.all() {
            match run.status {
                RunStatus::Open if age(run.updated_at()) >= IDLE => {
                    let act = Act {
                        run: &run,
                        actor: &who,
                        now,
                    };
                    effects.extend(
                        act.park("no entry for 14 days", None)
                            .map_err(|e| run_error(&e))?,
                    );
                    if runs.pointer().as_ref() == Some(&run.id) {
                        effects.push(deactivate());
                    }
                    reply.parked.push(run.id.to_string());
                }
                RunStatus::Closed if age(closed_at(&run)) >= OLD => {
                    let files = Ledger::ALL.map(|ledger| run.id.file(ledger.file()));
                    let listed = runs.directory.list(run.id.as_str(), MAX_LIMIT);
                    let listed = listed.unwrap_or_default();
                    if !Ledger::ALL
                        .iter()
                        .any(|ledger| listed.iter().any(|name| name == ledger.file()))
                    {
                        continue;
                    }
                    if params.apply {
                        files
                            .iter()
                            .try_for_each(|file| runs.directory.compress(file))
                            .map_err(|e| store_error(&e))?;
                    }
                    reply.compressed.push(run.id.to_string());
                }
                _ => {}
            }
        }
        if !params.apply {
            effects.clear();
        }
        Ok((reply, effects))
    })
}

/// Makes the task of the memory say what the run says, where there is a memory; what went wrong with that, which
/// never keeps a run from being written. The first time a task is started for the run, or the active one is linked.
async fn mirror(app: &Arc<App>, place: &Place, identity: &Identity, id: &RunId) -> Vec<String> {
    let said = |error: RpcError| {
        vec![format!(
            "the task of the run was not updated: {}",
            error.message
        )]
    };
    let Ok(host) = app.hosts.open(&place.root) else {
        return Vec::new();
    };
    let checkout = match task::checkout(app, place, &host.snapshot()).await {
        Ok(checkout) => checkout,
        Err(error) => return said(error),
    };
    let (app_, at, id, who, now) = (
        Arc::clone(app),
        place.clone(),
        id.clone(),
        identity.clone(),
        app.now(),
    );
    let written = host.write(move |snapshot| {
        let decide = || -> Result<_, RpcError> {
            let runs = Runs::existing(&app_.hosts, &at.worktree)?;
            let run = runs.resolve(id.as_str())?;
            if runs.is_foreign(&run.id) {
                return Ok((None, Effects::new()));
            }
            let task_of = |run: &Run| {
                run.task()
                    .filter(|(_, started)| *started)
                    .map(|(id, _)| id.to_owned())
            };
            let others: Vec<String> = match run.task() {
                Some(_) => Vec::new(),
                None => runs.all().iter().filter_map(task_of).collect(),
            };
            let is_active = runs.pointer().as_ref() == Some(&run.id);
            let at = At {
                snapshot,
                checkout: &checkout,
                identity: &who,
                now,
            };
            let (link, effects) = mirrored(at, &run, &others, is_active)
                .map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
            Ok((link.map(|link| (runs, run, link)), effects))
        };
        match decide() {
            Ok((link, effects)) => (Ok(link), effects),
            Err(error) => (Err(error), Effects::new()),
        }
    });
    let linked = match written.await {
        Ok((Ok(linked), _)) => linked,
        Ok((Err(error), _)) | Err(error) => return said(error),
    };
    let Some((runs, run, (task, started))) = linked else {
        return Vec::new();
    };
    let who = actor(identity);
    let noted = blocking(move || {
        change(&runs, |runs| {
            // As it is now: its ids may have gone on.
            let run = runs.resolve(run.id.as_str())?;
            let act = Act {
                run: &run,
                actor: &who,
                now,
            };
            let effects = match run.task() {
                None => vec![act.link_task(&task, started)],
                Some(_) => Effects::new(),
            };
            Ok(((), effects))
        })
    });
    noted.await.map_or_else(said, |()| Vec::new())
}

/// The task that a run is linked to now, and whether the run started it; and what the memory is to hold.
type Mirrored = (Option<(String, bool)>, Effects);

/// Snapshot, author and time of a change to a task.
#[derive(Clone, Copy)]
struct At<'a> {
    snapshot: &'a Snapshot,
    checkout: &'a Checkout,
    identity: &'a Identity,
    now: Timestamp,
}

/// `others` are the tasks that other runs started: they are not this run's, though one of them may be the active
/// one of the worktree.
fn mirrored(
    at: At<'_>,
    run: &Run,
    others: &[String],
    is_active: bool,
) -> Result<Mirrored, TaskError> {
    let At {
        snapshot,
        checkout,
        identity,
        now,
    } = at;
    let active = active_thread(snapshot, checkout).thread;
    let who = (
        identity.agent_id.as_str(),
        identity.adapter_id.as_str(),
        identity.session_id.as_str(),
    );
    let Some((task, started)) = run.task() else {
        if run.status != RunStatus::Open {
            return Ok((None, Effects::new()));
        }
        if let Some(active) = active.filter(|task| !others.contains(&task.task_id)) {
            let patch = task_mirror::patch(run, false);
            let (_, effects) = update_task(snapshot, checkout, who, &active.task_id, &patch, now)?;
            return Ok((Some((active.task_id.clone(), false)), effects));
        }
        let patch = task_mirror::patch(run, true);
        let started = |id: &str| {
            start_task(
                snapshot,
                checkout,
                who,
                run.request(),
                id,
                &patch,
                false,
                now,
            )
        };
        let by_run = run.id.as_str().to_lowercase();
        let (outcome, effects) = started("").or_else(|_| started(&by_run))?;
        return Ok((Some((outcome.thread.task_id, true)), effects));
    };
    let Some(thread) = find_thread(snapshot, task) else {
        return Ok((None, Effects::new()));
    };
    let patch = task_mirror::patch(run, started);
    let wanted = match run.status {
        RunStatus::Open => "in_progress",
        RunStatus::Parked => "paused",
        RunStatus::Closed => "resolved",
        RunStatus::Abandoned => "abandoned",
    };
    // A task that was there before the run goes on after it.
    let is_elsewhere = is_active && active.is_none_or(|active| active.task_id != task);
    let effects = match (started && thread.status != wanted, wanted) {
        (_, "in_progress") if started && (thread.status != wanted || is_elsewhere) => {
            let (_, effects) = resume_task(snapshot, checkout, who, task, now)?;
            effects
        }
        (true, _) => close_task(snapshot, checkout, who, task, wanted, &patch, now)?.1,
        (false, _) => {
            let (outcome, effects) = update_task(snapshot, checkout, who, task, &patch, now)?;
            match says_the_same(thread, &outcome.thread) {
                true => Effects::new(),
                false => effects,
            }
        }
    };
    Ok((None, effects))
}

fn says_the_same(before: &Thread, after: &Thread) -> bool {
    let stamped = Thread {
        updated_at: after.updated_at.clone(),
        git_context: after.git_context.clone(),
        version: after.version,
        ..before.clone()
    };
    stamped == *after
}
