//! Every method's handler, for the server and for `aictxd once` alike.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::{Duration, Instant};

use aictx_artifacts::root;
use aictx_continuity::{
    ExplicitReport, FailureEdit, Finalize, MemoryEdit, Project, choose_contract, contract_file,
};
use aictx_files::mounts;
use aictx_proto::Timestamp;
use aictx_proto::identity::Identity;
use aictx_proto::json;
use aictx_proto::methods as words;
use aictx_proto::methods::{FinalizeParams, FinalizeReply, HookParams, ResumeParams, ResumeReply};
use aictx_proto::path::Located;
use aictx_proto::record::{AgentExecutionRow, files};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, METHOD_NOT_FOUND, NOT_WRITABLE, RpcError};
use aictx_proto::snapshot::{GitState, Snapshot};
use aictx_redact::Report;
use aictx_work::flow::state::Asked;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::{App, Mode};
use crate::hosts::{Host, Place};
use crate::lanes::Lane;
use crate::{git, hook, intake, rpc, worktree_facts};

pub(crate) use ticket::LOOKS_AT as TICKETS;

mod clean;
mod compact;
mod doctor;
mod edited_since;
mod failures;
mod flow;
mod guard;
mod import;
mod init;
mod install;
mod map;
mod mcp;
mod memory;
mod memory_queries;
mod portability;
mod recall;
mod repo;
mod rewrite_paths;
mod routing;
mod run;
mod session;
mod status;
mod task;
mod ticket;
mod unknown_fields;

/// The result of a method as JSON, as it goes over the wire: written once, and copied from there.
pub type Json = String;

/// Calls a method by name. A panic inside becomes an error answer; the daemon lives on.
///
/// # Errors
/// Whatever the method reports; unknown methods and parameters of the wrong shape.
pub async fn call(app: &Arc<App>, method: &str, params: &str) -> Result<Json, RpcError> {
    let Some(lane) = lane_of(app, method, params) else {
        return call_here(app, method, params).await;
    };
    let (app, method, params) = (Arc::clone(app), method.to_owned(), params.to_owned());
    lane.run(async move { call_here(&app, &method, &params).await })
        .await
}

/// [`call`] for methods that call others: its type ends the circle.
pub(crate) fn call_boxed(
    app: &Arc<App>,
    method: &'static str,
    params: &Value,
) -> Pin<Box<dyn Future<Output = Result<Json, RpcError>> + Send>> {
    let (app, params) = (Arc::clone(app), params.to_string());
    Box::pin(async move { call(&app, method, &params).await })
}

/// The lane of the repository that a call names, where its file system can hang. A hook finds its
/// own.
fn lane_of(app: &App, method: &str, params: &str) -> Option<Arc<Lane>> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow, default)]
        repo: Cow<'a, str>,
    }
    if method == words::HOOK || !mounts::any_can_hang() {
        return None;
    }
    let named: Named = serde_json::from_str(params).ok()?;
    app.lanes.of(Path::new(named.repo.as_ref()))
}

async fn call_here(app: &Arc<App>, method: &str, params: &str) -> Result<Json, RpcError> {
    let started = Instant::now();
    let (clean, found) = intake::params(method, params);
    let params = clean.as_ref();
    let mut work = pin!(dispatch(app, method, params, found));
    let outcome = std::future::poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)))
            .unwrap_or_else(|_| Poll::Ready(Err(rpc::incident(method))))
    })
    .await;
    app.stats
        .record(method, started.elapsed(), outcome.is_err());
    if let Err(error) = &outcome {
        tracing::debug!(method, code = error.code, %error, "answered with an error");
    }
    if method == words::HOOK {
        return outcome;
    }
    let answer = match TELL_MEMORY.contains(&method) {
        true => intake::outgoing_json(outcome?),
        false => outcome?,
    };
    Ok(rewrite_paths::named(app, params, answer))
}

/// Methods whose answers tell texts of memory, which may be older than the scrubber or written by hand, and what was
/// just stored.
const TELL_MEMORY: [&str; 27] = [
    words::RESUME,
    words::FINALIZE,
    words::RECALL,
    words::PREVIEW,
    words::NEXT,
    words::PREPARE,
    words::SUGGEST,
    words::REUSE,
    words::REFLECT,
    words::REPORT,
    words::LOG,
    words::WHY,
    words::MEMORY_LIST,
    words::FAILURES_LIST,
    words::FAILURES_SHOW,
    words::TASK_STATUS,
    words::TASK_LIST,
    words::TASK_SHOW,
    words::TICKET_LIST,
    words::TICKET_SHOW,
    words::SESSION_SHOW,
    words::RUN_LIST,
    words::RUN_SHOW,
    words::RUN_HANDOFF,
    words::RUN_RESUME,
    words::RUN_CLOSE,
    words::RUN_ADD,
];

/// Calls the handler of a method. `found` is what was scrubbed from its parameters.
async fn dispatch(
    app: &Arc<App>,
    method: &str,
    params: &str,
    found: Report,
) -> Result<Json, RpcError> {
    match method {
        words::HOOK => {
            let params: HookParams = serde_json::from_str(params).map_err(|e| wrong(&e))?;
            reply(&hook::handle(app, params).await?)
        }
        words::RESUME => resume(app, read(params)?).await,
        words::FINALIZE => {
            let mut done = finalize(app, read(params)?, found).await?;
            done.warnings
                .extend(unknown_fields::unknown_members(params));
            reply(&done)
        }
        words::GUARD => reply(&guard::guard(app, read(params)?)?),
        words::STEER => reply(&on_pool(app, params, guard::steer).await?),
        words::VERDICTS => reply(&on_pool(app, params, guard::verdicts).await?),
        words::TRUST => reply(&on_pool(app, params, guard::trust).await?),
        words::WHO => reply(&on_pool(app, params, guard::who).await?),
        words::CLAIM => reply(&on_pool(app, params, guard::claim).await?),
        words::INIT => reply(&on_pool(app, params, init::init).await?),
        words::CLEAN => reply(&on_pool(app, params, clean::clean).await?),
        words::INSTALL => reply(&on_pool(app, params, install::install).await?),
        words::UNINSTALL => reply(&on_pool(app, params, clean::uninstall).await?),
        words::DOCTOR => reply(&on_pool(app, params, doctor::doctor).await?),
        words::MCP_STATUS => reply(&on_pool(app, params, mcp::status).await?),
        words::REPO_ADD => reply(&on_pool(app, params, repo::add).await?),
        words::REPO_LIST => reply(&repo::list(app)),
        words::REPO_REMOVE => reply(&on_pool(app, params, repo::remove).await?),
        words::SESSION_LIST => reply(&on_pool(app, params, session::list).await?),
        words::SESSION_SHOW => reply(&on_pool(app, params, session::show).await?),
        words::RECALL => reply(&on_pool(app, params, recall::recall).await?),
        words::IMPORT => reply(&import::run(app, read(params)?).await?),
        words::PREVIEW => {
            let (app, params) = (Arc::clone(app), read(params)?);
            let looked = tokio::task::spawn_blocking(move || hook::preview(&app, &params)).await;
            reply(&looked.unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))?)
        }
        words::FAILURES_LIST => reply(&on_pool(app, params, failures::list).await?),
        words::FAILURES_SHOW => reply(&on_pool(app, params, failures::show).await?),
        words::FAILURES_RESOLVE => {
            let params: words::FailureParams = read(params)?;
            let edit = FailureEdit::Resolve(params.summary.clone());
            reply(&failures::edit(app, params, edit).await?)
        }
        words::FAILURES_REOPEN => {
            reply(&failures::edit(app, read(params)?, FailureEdit::Reopen).await?)
        }
        words::FAILURES_FORGET => {
            reply(&failures::edit(app, read(params)?, FailureEdit::Forget).await?)
        }
        words::TASK_START => reply(&task::change(app, read(params)?, "start").await?),
        words::TASK_UPDATE => reply(&task::change(app, read(params)?, "update").await?),
        words::TASK_RESUME => reply(&task::change(app, read(params)?, "resume").await?),
        words::TASK_CLOSE => reply(&task::change(app, read(params)?, "close").await?),
        words::TASK_STATUS => {
            reply(&on_pool(app, params, |app, p| task::look(app, p, "status")).await?)
        }
        words::TASK_LIST => {
            reply(&on_pool(app, params, |app, p| task::look(app, p, "list")).await?)
        }
        words::TASK_SHOW => {
            reply(&on_pool(app, params, |app, p| task::look(app, p, "show")).await?)
        }
        words::TICKET_LIST => reply(&on_pool(app, params, ticket::list).await?),
        words::TICKET_SHOW => reply(&on_pool(app, params, ticket::show).await?),
        words::TICKET_NEXT => reply(&on_pool(app, params, ticket::next).await?),
        words::TICKET_LINT => reply(&ticket::lint(app, read(params)?).await?),
        words::TICKET_NEW => change_ticket(app, params, ticket::Change::New).await,
        words::TICKET_INSERT => change_ticket(app, params, ticket::Change::Insert).await,
        words::TICKET_MOVE => change_ticket(app, params, ticket::Change::Move).await,
        words::TICKET_EDIT => change_ticket(app, params, ticket::Change::Edit).await,
        words::TICKET_SET => change_ticket(app, params, ticket::Change::Set).await,
        words::TICKET_DONE => change_ticket(app, params, ticket::Change::Done).await,
        words::TICKET_REOPEN => change_ticket(app, params, ticket::Change::Reopen).await,
        words::TICKET_REMOVE => change_ticket(app, params, ticket::Change::Remove).await,
        words::TICKET_CLAIM => change_ticket(app, params, ticket::Change::Claim).await,
        words::TICKET_RELEASE => change_ticket(app, params, ticket::Change::Release).await,
        words::TICKET_IMPORT => change_ticket(app, params, ticket::Change::Import).await,
        words::RUN_START => reply(&run::start(app, read(params)?).await?),
        words::RUN_LIST => reply(&on_pool(app, params, run::list).await?),
        words::RUN_SHOW => reply(&on_pool(app, params, run::show).await?),
        words::RUN_ADD => reply(&run::add(app, read(params)?).await?),
        words::RUN_HANDOFF => reply(&run::tell(app, read(params)?).await?),
        words::RUN_PARK => reply(&run::set_state(app, read(params)?, run::Move::Park).await?),
        words::RUN_RESUME => reply(&run::set_state(app, read(params)?, run::Move::Resume).await?),
        words::RUN_REOPEN => reply(&run::set_state(app, read(params)?, run::Move::Reopen).await?),
        words::RUN_ABANDON => reply(&run::set_state(app, read(params)?, run::Move::Abandon).await?),
        words::RUN_CLOSE => reply(&run::close(app, read(params)?).await?),
        words::RUN_GC => reply(&on_pool(app, params, run::gc).await?),
        words::INTAKE => reply(&on_pool(app, params, routing::intake).await?),
        words::DOCS_CHECK => reply(&on_pool(app, params, routing::check).await?),
        words::NEXT => {
            wait_for_map(app, params).await?;
            reply(&on_pool(app, params, memory_queries::next).await?)
        }
        words::PREPARE => {
            wait_for_map(app, params).await?;
            reply(&on_pool(app, params, memory_queries::prepare).await?)
        }
        words::SUGGEST => reply(&on_pool(app, params, memory_queries::suggest).await?),
        words::REUSE => reply(&on_pool(app, params, memory_queries::reuse).await?),
        words::REFLECT => reply(&on_pool(app, params, memory_queries::reflect).await?),
        words::REPORT => reply(&on_pool(app, params, memory_queries::report).await?),
        words::LOG => reply(&on_pool(app, params, memory_queries::log).await?),
        words::WHY => reply(&on_pool(app, params, memory_queries::why).await?),
        words::MEMORY_VIEW => reply(&memory::view(app, read(params)?).await?),
        words::MEMORY_LIST => reply(&on_pool(app, params, memory::list).await?),
        words::MEMORY_PIN => reply(&memory::edit(app, read(params)?, MemoryEdit::Pin).await?),
        words::MEMORY_UNPIN => reply(&memory::edit(app, read(params)?, MemoryEdit::Unpin).await?),
        words::MEMORY_WRONG => {
            let params: words::MemoryParams = read(params)?;
            let edit = MemoryEdit::Wrong(params.reason.clone());
            reply(&memory::edit(app, params, edit).await?)
        }
        words::MEMORY_RIGHT => reply(&memory::edit(app, read(params)?, MemoryEdit::Right).await?),
        words::MEMORY_FORGET => reply(&memory::edit(app, read(params)?, MemoryEdit::Forget).await?),
        words::MEMORY_DECIDE => reply(&memory::decide(app, read(params)?).await?),
        words::MESSAGES => reply(&memory::messages(app, read(params)?).await?),
        words::COMPACT => reply(&on_pool(app, params, compact::compact).await?),
        words::PORTABILITY_STATUS => reply(&on_pool(app, params, portability::status).await?),
        words::PORTABILITY_COMPACT => reply(&on_pool(app, params, portability::compact).await?),
        words::MAP_QUERY => map::ask(app, read(params)?, map::query).await,
        words::MAP_BRIEF => map::ask(app, read(params)?, map::brief).await,
        words::MAP_OUTLINE => map::ask(app, read(params)?, map::outline).await,
        words::MAP_SYMBOL => map::ask(app, read(params)?, map::symbol).await,
        words::MAP_REFS => map::ask(app, read(params)?, map::refs).await,
        words::MAP_RELATED => map::ask(app, read(params)?, map::related).await,
        words::MAP_IMPACT => map::ask(app, read(params)?, map::impact).await,
        words::MAP_STATUS => map::ask(app, read(params)?, map::status).await,
        words::MAP_REFRESH => reply(&map::refresh(app, read(params)?).await?),
        words::MAP_EXPORT => map::ask(app, read(params)?, map::export).await,
        words::FLOW_PREFLIGHT => reply(&flow::preflight(app, read(params)?).await?),
        words::FLOW_START => reply(&flow::start(app, read(params)?).await?),
        words::FLOW_STATUS => reply(&on_pool(app, params, flow::status).await?),
        words::FLOW_PAUSE => reply(&flow::ask(app, read(params)?, Asked::Pause).await?),
        words::FLOW_STOP => reply(&flow::ask(app, read(params)?, Asked::Stop).await?),
        words::FLOW_RESUME => reply(&flow::resume(app, read(params)?).await?),
        words::FLOW_SAY => reply(&flow::say(app, read(params)?).await?),
        words::FLOW_REPLY => reply(&flow::reply(app, read(params)?).await?),
        words::FLOW_INBOX => reply(&flow::inbox(app, read(params)?).await?),
        words::FLOW_LOG => reply(&flow::log(app, read(params)?).await?),
        words::FLOW_DIFF => reply(&flow::diff(app, read(params)?).await?),
        words::FLOW_RESTORE => reply(&flow::restore(app, read(params)?).await?),
        words::FLOW_RECOVER => reply(&flow::recover(app).await?),
        words::FLOW_RETIRE => reply(&flow::retire(app, read(params)?).await?),
        words::FLOW_COST => reply(&flow::cost(app, read(params)?).await?),
        words::STATUS => reply(&status::status(app)),
        words::HELLO => reply(&status::hello(app)),
        words::STOP => reply(&status::stop(app, &read(params)?)),
        words::SPOOL_DRAIN => {
            app.waiting.try_again();
            let report = crate::spool::drain(app).await;
            hook::finish_unfinished(app).await;
            reply(&report)
        }
        words::DISCOVER => reply(&aictx_proto::openrpc::document()),
        other => Err(RpcError::new(
            METHOD_NOT_FOUND,
            format!("there is no method `{other}`"),
        )),
    }
}

async fn change_ticket(
    app: &Arc<App>,
    params: &str,
    what: ticket::Change,
) -> Result<Json, RpcError> {
    reply(&ticket::change(app, read(params)?, what).await?)
}

/// Runs a handler that reads or writes much, or waits for a lock, beside the requests of others.
async fn on_pool<P, T>(
    app: &Arc<App>,
    params: &str,
    handle: fn(&App, &P) -> Result<T, RpcError>,
) -> Result<T, RpcError>
where
    P: DeserializeOwned + Send + 'static,
    T: Send + 'static,
{
    let params = read::<P>(params)?;
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || handle(&app, &params))
        .await
        .unwrap_or_else(|_| Err(RpcError::new(INTERNAL, "the handler failed")))
}

fn read<T: DeserializeOwned>(params: &str) -> Result<T, RpcError> {
    // JSON-RPC allows params to be missing or an empty array.
    let params = if matches!(params.trim(), "" | "[]" | "null") {
        "{}"
    } else {
        params
    };
    serde_json::from_str(params).map_err(|e| wrong(&e))
}

fn wrong(error: &serde_json::Error) -> RpcError {
    RpcError::new(INVALID_PARAMS, format!("the parameters are wrong: {error}"))
}

/// A result that something is still to be done with.
fn as_value(value: &impl Serialize) -> Result<Value, RpcError> {
    serde_json::to_value(value).map_err(|e| RpcError::new(INTERNAL, e.to_string()))
}

fn reply(value: &impl Serialize) -> Result<Json, RpcError> {
    serde_json::to_string(value).map_err(|e| RpcError::new(INTERNAL, e.to_string()))
}

/// Returns the base of a caller's relative paths: its working directory if that is in the worktree,
/// else at the worktree's root.
fn base<'p>(worktree: &'p Path, cwd: &'p str) -> &'p Path {
    let cwd = Path::new(cwd);
    if cwd.starts_with(worktree) {
        cwd
    } else {
        worktree
    }
}

/// The repository that a path given by a caller is in.
pub(crate) fn place(app: &App, path: &str) -> Result<Place, RpcError> {
    let path = PathBuf::from(path);
    if !path.is_absolute() {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "`repo` must be an absolute path",
        ));
    }
    app.hosts.place(&path)
}

/// The first question about a repository waits so long for its map.
const FIRST_MAP: Duration = Duration::from_secs(2);

/// The same for a call with a member `repo`.
async fn wait_for_map(app: &Arc<App>, params: &str) -> Result<(), RpcError> {
    let params: words::InRepo = read(params)?;
    first_map(app, &place(app, &params.repo)?).await;
    Ok(())
}

/// Waits for the map of a repository that nobody has asked about yet.
async fn first_map(app: &Arc<App>, place: &Place) {
    if app.mode == Mode::Daemon {
        app.maps
            .first(&place.root, &place.worktree, FIRST_MAP)
            .await;
    }
}

async fn resume(app: &Arc<App>, params: ResumeParams) -> Result<Json, RpcError> {
    if params.brief && params.full {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "`brief` and `full` exclude each other",
        ));
    }
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let now = app.now();
    let look_only = params.look_only;
    let worktree = place.worktree.clone();
    first_map(app, &place).await;
    let (at, task, app_, host_) = (
        place,
        params.task.clone(),
        Arc::clone(app),
        Arc::clone(&host),
    );
    // Where nothing can be written the same is decided again, to be told.
    let fallback = (at.clone(), params.clone(), identity.clone());
    let look = move || {
        let asked_at = app_.facts.ask_ahead(&at.worktree);
        worktree_facts::gather_for(&app_, &at, &host_.snapshot(), &task, &[], asked_at)
    };
    let decide = move |snapshot: &Snapshot, project: &Project| {
        aictx_continuity::resume(snapshot, &params, &identity, project, now)
    };
    if look_only {
        let seen = host.snapshot();
        let looked = tokio::task::spawn_blocking(move || decide(&seen, &look()).0);
        let looked = looked.await;
        let resumed = looked.map_err(|_| RpcError::new(INTERNAL, "the handler failed"))?;
        let mut told = resumed.reply;
        // Neither is there: nothing was written.
        (told.contract_ref, told.written_files) = (Value::Null, Value::Null);
        return reply(&told);
    }
    // A process that serves one call has nothing to do afterwards but to wait for the disk.
    let written = match app.mode {
        Mode::Daemon => {
            git::get_ready(app, &worktree);
            worktree_facts::get_ready(app, &worktree);
            // What is not sent is taken apart behind the answer.
            let look = move || (look(), OnceLock::new());
            let decide = move |snapshot: &Snapshot, seen: &(Project, OnceLock<ResumeReply>)| {
                let (project, told) = seen;
                let (resumed, effects) = decide(snapshot, project);
                let _ = told.set(resumed.reply);
                (resumed.json, effects)
            };
            host.look_and_write_soon(look, decide).await
        }
        Mode::Once => {
            let project = look();
            let decide = move |snapshot: &Snapshot| {
                let (resumed, effects) = decide(snapshot, &project);
                (resumed.json, effects)
            };
            host.write(decide).await
        }
    };
    match written {
        Ok((json, _)) => Ok(json),
        Err(error) if error.code == NOT_WRITABLE.code => {
            let (at, params, identity) = fallback;
            let (app, host) = (Arc::clone(app), Arc::clone(&host));
            let decided = tokio::task::spawn_blocking(move || {
                let seen = host.snapshot();
                let asked_at = app.facts.ask_ahead(&at.worktree);
                let project =
                    worktree_facts::gather_for(&app, &at, &seen, &params.task, &[], asked_at);
                aictx_continuity::resume(&seen, &params, &identity, &project, now).0
            });
            let resumed = decided.await;
            let resumed = resumed.map_err(|_| RpcError::new(INTERNAL, "the handler failed"))?;
            reply(&without_writing(resumed.reply, &error))
        }
        Err(error) => Err(error),
    }
}

/// A resume of a memory that cannot be written: it names no file, and says why.
fn without_writing(mut told: ResumeReply, error: &RpcError) -> ResumeReply {
    (told.contract_ref, told.written_files) = (Value::Null, Value::Null);
    let hint = &error.data.hint;
    let why = format!("nothing can be recorded here: {} ({hint})", error.message);
    if !told.text.is_empty() {
        told.text.push_str(&format!("\n{why}\n"));
    }
    told.warnings.insert(0, why);
    told
}

async fn finalize(
    app: &Arc<App>,
    mut params: FinalizeParams,
    found: Report,
) -> Result<FinalizeReply, RpcError> {
    let invalid = |text: &str| RpcError::new(INVALID_PARAMS, text);
    if !matches!(params.status.as_str(), "success" | "failure" | "unknown") {
        return Err(invalid(
            "`status` must be `success`, `failure` or `unknown`",
        ));
    }
    if params.summary.trim().is_empty() && params.task.trim().is_empty() {
        return Err(invalid("`summary` or `task` must say what was done"));
    }
    aictx_continuity::check_report(&params).map_err(|e| invalid(&e.to_string()))?;
    let place = place(app, &params.repo)?;
    let host = app.hosts.open(&place.root)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let looked = Looked::at(app, &host, &place.worktree).await?;
    if let Some(since) = params.edited_since_ms {
        let mut edited = edited_since::written_since(&place.worktree, &looked.git, since);
        let others = edited_since::edited_by_others(&host, &identity.session_id, since);
        edited.retain(|path| !others.contains(path));
        let absolute = |path: &String| place.worktree.join(path).to_string_lossy().into_owned();
        params.files_edited.extend(edited.iter().map(absolute));
    }
    let now = app.now();
    let recorded = finalize_session(app, &host, looked, Some(params), identity, now, found).await?;
    recorded.ok_or_else(|| RpcError::new(INTERNAL, "an explicit finalize was not recorded"))
}

/// A worktree as it is when something is finalized in it.
pub struct Looked {
    place: Place,
    git: GitState,
    project: Project,
}

impl Looked {
    /// Asks git, and looks at what memory speaks of meanwhile.
    ///
    /// # Errors
    /// When looking failed, which is a fault of this program.
    pub async fn at(app: &Arc<App>, host: &Host, worktree: &Path) -> Result<Self, RpcError> {
        let place = Place {
            root: host.root.clone(),
            worktree: worktree.to_owned(),
        };
        let (app_, at, snapshot) = (Arc::clone(app), place.clone(), host.snapshot());
        let project =
            tokio::task::spawn_blocking(move || worktree_facts::gather(&app_, &at, &snapshot));
        let git = git::state(app, worktree).await;
        let project = project
            .await
            .map_err(|_| RpcError::new(INTERNAL, "the handler failed"))?;
        Ok(Self {
            place,
            git,
            project,
        })
    }
}

/// Finalizes a session's open execution: from an explicit report merged with the ledger, or from
/// the ledger alone. `None` when there is nothing to finalize. `redacted` is what was scrubbed from
/// the report.
///
/// # Errors
/// When nothing could be written.
pub async fn finalize_session(
    app: &Arc<App>,
    host: &Arc<Host>,
    looked: Looked,
    params: Option<FinalizeParams>,
    identity: Identity,
    now: Timestamp,
    mut redacted: Report,
) -> Result<Option<FinalizeReply>, RpcError> {
    let store = Arc::clone(&host.store);
    let app_ = Arc::clone(app);
    let at = looked.place.clone();
    let Looked {
        place,
        git,
        mut project,
    } = looked;
    let nonce = match &params {
        Some(params) if !params.request_id.is_empty() => {
            aictx_continuity::request_nonce(&params.request_id)
        }
        _ => crate::app::unix_nanos() ^ u64::from(std::process::id()).rotate_left(40),
    };
    let session = identity.session_id.clone();
    let (settle_at, who) = (place.clone(), identity.clone());
    let decided = host
        .write_looking_at(Some(session), move |snapshot| {
            let report = params.map(|params| explicit_report(&place.worktree, params));
            // Under the repository's lock, so that a session is finalized once however many
            // processes want to.
            let ledger = store.read_ledger(&identity.session_id);
            let paths = aictx_continuity::touched_paths(&ledger.rows, report.as_ref());
            worktree_facts::gather_more(&app_, &place, &mut project, &paths);
            project.checkout = project.checkout.with_git(&git);
            let failed = aictx_continuity::failed_branches(snapshot, &ledger.rows, report.as_ref());
            project.checkout.joined = app_
                .facts
                .joined(&place.worktree, &project.checkout, failed);
            if aictx_continuity::told_of_the_map(&ledger.rows) {
                project.map_state = worktree_facts::map_state(&store);
            }
            let goal = report.as_ref().map_or("", |r| r.params.task.as_str());
            let chosen = choose_contract(
                &snapshot.contracts,
                &identity.session_id,
                &identity.agent_id,
                goal,
            );
            let contract =
                chosen.and_then(|c| store.contract(&contract_file(&c.contract.contract_id)));
            // A report that is sent again may be of an execution that many others followed.
            let asked = aictx_continuity::executions_asked(snapshot, &ledger.rows, report.as_ref());
            let earlier = asked.iter().filter_map(|id| {
                let is_it = |row: &AgentExecutionRow| row.execution_id == *id;
                store.lately_archived(files::AGENT_EXECUTION_LOG, id, is_it)
            });
            let earlier: Vec<_> = earlier.map(Arc::new).collect();
            let worked = ticket::Worked::of(snapshot, &project.checkout, &ledger.rows);
            let input = Finalize {
                snapshot,
                earlier: &earlier,
                contract: contract.as_deref(),
                identity: &identity,
                report: report.as_ref(),
                rows: &ledger.rows,
                git: &git,
                project: &project,
                nonce,
                now,
            };
            let (reply, effects) = aictx_continuity::finalize(&input);
            ((reply, worked), effects)
        })
        .await?;
    let ((mut reply, worked), found) = decided;
    redacted.merge(found);
    if let (Some(reply), Some(worked)) = (&mut reply, worked)
        && reply.recorded
    {
        let success = json::member(&reply.telemetry_entry, "success").as_bool() == Some(true);
        let settled = ticket::settle(app, &settle_at, host, &who, worked, success).await;
        reply
            .warnings
            .extend(settled.unwrap_or_else(|e| Some(e.message)));
    }
    if reply.is_some() && app.mode == Mode::Daemon {
        let (app, host) = (Arc::clone(app), Arc::clone(host));
        drop(tokio::spawn(async move {
            let (app_, worktree) = (Arc::clone(&app), at.worktree.clone());
            let warm = move || {
                let snapshot = host.store.latest();
                worktree_facts::warm(&app_, &at, &snapshot);
                host.recalled.follow(&host.store, &snapshot);
            };
            let _ = tokio::task::spawn_blocking(warm).await;
            worktree_facts::listen(&app, &worktree).await;
        }));
    }
    if reply.is_some() && host.is_untidy(app.mode) {
        let (app_, host) = (Arc::clone(app), Arc::clone(host));
        app.after_reply(async move { host.tidy(&app_).await });
    }
    Ok(reply.map(|mut reply| {
        reply.redacted = redacted
            .counts()
            .into_iter()
            .map(|(kind, n)| (kind.to_owned(), n.into()))
            .collect();
        reply
    }))
}

/// Makes the paths of a report repository-relative; what lies outside is reported, not stored.
fn explicit_report(worktree: &Path, mut params: FinalizeParams) -> ExplicitReport {
    let cwd = base(worktree, &params.cwd).to_owned();
    let mut outside = Vec::new();
    let mut relative = |list: &mut Vec<String>| {
        let given = std::mem::take(list);
        for raw in given {
            match root::locate(worktree, &cwd, &raw) {
                Located::Inside(path) if !path.is_root() => list.push(path.as_str().to_owned()),
                Located::Inside(_) => {}
                Located::Outside(_) => outside.push(raw),
            }
        }
    };
    read_errors(worktree, &mut params);
    relative(&mut params.files_opened);
    relative(&mut params.files_edited);
    relative(&mut params.files_reopened);
    let named = params.decisions.iter_mut().map(|d| (d, "related_paths"));
    let parts = params.semantic_updates.iter_mut();
    for (item, member) in named.chain(parts.map(|s| (s, "key_paths"))) {
        if let Some(paths) = item.get_mut(member).and_then(Value::as_array_mut) {
            let mut given: Vec<String> = paths
                .iter()
                .filter_map(|p| Some(p.as_str()?.to_owned()))
                .collect();
            relative(&mut given);
            *paths = given.into_iter().map(Value::String).collect();
        }
    }
    ExplicitReport { params, outside }
}

/// Adds the errors that a report's output and its own words tell of.
fn read_errors(worktree: &Path, params: &mut FinalizeParams) {
    let output = std::mem::take(&mut params.output);
    let command = params
        .commands_executed
        .last()
        .or(params.tests_executed.last());
    let command = command.cloned().unwrap_or_default();
    let run = aictx_signals::Run {
        command: &command,
        // What the report says of the whole: a success has no errors.
        exit_status: params
            .exit_code
            .or((params.status == "success").then_some(0)),
        stdout: output.as_bytes(),
        stderr: b"",
        root: &worktree.to_string_lossy(),
        cwd: &params.cwd.clone(),
    };
    // A command that was ended by a signal, or that was not found, may have said nothing at all.
    let silent = params.exit_code.is_some_and(|status| status != 0);
    if !output.is_empty() || silent && params.error_events.is_empty() {
        params.error_events.extend(aictx_signals::events(&run));
    }
    if params.status != "success" {
        // Of a success they say what was in the way. Which command it was nobody says, either.
        let run = aictx_signals::Run { command: "", ..run };
        let told = params.notable_errors.iter();
        let told = told.filter_map(|error| aictx_signals::told(error, &run));
        params.error_events.extend(told);
    }
}
