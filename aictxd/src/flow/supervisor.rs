//! One task a flow: does what [`Flow::activity`] asks for, and commits each change of state.
//!
//! A task holds no state of its own: it reads the flow, does one thing, and applies the result to the flow as it
//! is by then. Commands change the same state between two steps. After a crash the next daemon goes on from the
//! state, from the lock of the turn's host and from the files of the turn.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use aictx_files::untrusted;
use aictx_proto::flow::{FlowReason, TurnPhase, Usage};
use aictx_proto::rpc::RpcError;
use aictx_work::flow::engine::{Activity, Survey};
use aictx_work::flow::state::{Flow, Receipt};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::database::{Database, DatabaseError};
use super::flow_files::{DIRECTORY, FlowFiles, FlowFilesError, read_revision};
use super::hold::{self, Point};
use super::surroundings::{Surroundings, holder, is_claimed};
use super::turn_end::{archive, attend, judge};
use super::turn_folder::TurnFolder;
use super::turn_start::{call, close_work, launch};
use super::{lanes, worktree};
use crate::app::{App, Mode};

/// Turns that run at once, over all flows.
const MAX_TURNS: usize = 2;
/// Times that a change is tried again when somebody else changed the flow.
const MAX_TRIES: usize = 16;
/// Shortest and longest time between two looks at a host.
pub(super) const LOOKS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// Bytes of output of all turns that are kept.
const MAX_OUTPUTS: u64 = 2 * 1024 * 1024 * 1024;
/// Longest sleep; the clock may have jumped meanwhile.
const LONGEST_SLEEP: i64 = 600;
/// Bytes of output of one agent, and of one check, that are kept.
pub(super) const MAX_OUTPUT: u64 = 64 * 1024 * 1024;
/// Directory of the folders of flows in the state directory.
const FLOWS: &str = "flows";
/// Copy of a flow's state in its folder of the state directory.
const COPY: &str = "flow.json";
/// Seconds after its end in which a flow is looked at when the daemon starts.
const RECENT: i64 = 24 * 60 * 60;
/// Free space below which no turn begins, in bytes.
const MIN_SPACE: u64 = 500 * 1024 * 1024;

/// Failed operations on flows.
#[derive(Debug, thiserror::Error)]
pub enum FlowsError {
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The files of a flow.
    #[error(transparent)]
    Files(#[from] FlowFilesError),
    /// The folder of a turn.
    #[error("{}: {source}", path.display())]
    Folder {
        /// Folder.
        path: PathBuf,
        /// Error.
        source: io::Error,
    },
    /// git does not answer in a worktree.
    #[error("{}: git does not answer; `git status` there says why", .0.display())]
    Git(PathBuf),
    /// Another method of the daemon refuses.
    #[error("{0}")]
    Method(RpcError),
    /// Somebody else changes the flow all the time.
    #[error("flow {0} is changed by others all the time")]
    Contended(String),
    /// There is no such flow.
    #[error("there is no flow {0}")]
    Unknown(String),
    /// A thread of ours failed.
    #[error("the work on the flow failed")]
    Panicked,
}

/// Sign of life of a turn under way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    /// Last thing that the agent said or did.
    pub line: String,
    /// Usage so far, as far as the agent tells it.
    pub usage: Usage,
    /// The turn waits for others to end.
    pub is_queued: bool,
}

/// A flow's task.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) wake: Notify,
    /// A sleeping flow goes on although its time has not come.
    is_called: AtomicBool,
    pub(super) live: Mutex<Live>,
    /// Held while a turn runs.
    pub(super) slot: Mutex<Option<OwnedSemaphorePermit>>,
}

/// All flows of the daemon.
#[derive(Debug)]
pub struct Flows {
    state: PathBuf,
    database: OnceLock<Database>,
    opening: Mutex<()>,
    /// Held while the copies of a state are written.
    copying: Mutex<()>,
    /// The tasks that run. One that is about to end looks once more whether there is work, with the lock in hand.
    tasks: Mutex<HashMap<String, Arc<Task>>>,
    pub(super) slots: Arc<Semaphore>,
    /// Environments of agents, by flow; only in memory, since they hold keys.
    environments: Mutex<HashMap<String, BTreeMap<String, String>>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flows {
    /// With their files in the user's state directory. Nothing is opened.
    pub fn new(state: &Path) -> Self {
        Self {
            state: state.to_owned(),
            database: OnceLock::new(),
            opening: Mutex::default(),
            copying: Mutex::default(),
            tasks: Mutex::default(),
            slots: Arc::new(Semaphore::new(MAX_TURNS)),
            environments: Mutex::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.state.join("flows.db")
    }

    /// The database, opened at the first use.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn database(&self) -> Result<&Database, DatabaseError> {
        if let Some(database) = self.database.get() {
            return Ok(database);
        }
        let _turn = lock(&self.opening);
        if let Some(database) = self.database.get() {
            return Ok(database);
        }
        let database = Database::open(&self.path())?;
        Ok(self.database.get_or_init(|| database))
    }

    /// Folder of a turn, of the attempt at hand.
    pub fn folder(&self, flow_id: &str, turn: u32, attempt: u32) -> PathBuf {
        let name = match attempt {
            0 | 1 => format!("{turn:04}"),
            attempt => format!("{turn:04}.{attempt}"),
        };
        self.state
            .join(FLOWS)
            .join(flow_id)
            .join("turns")
            .join(name)
    }

    /// Directory of everything of a flow in the user's state directory.
    pub fn directory(&self, flow_id: &str) -> PathBuf {
        self.state.join(FLOWS).join(flow_id)
    }

    /// Sets variables of the environment of a flow's agents; others that were set before stay.
    pub fn set_environment(&self, flow_id: &str, variables: BTreeMap<String, String>) {
        if !variables.is_empty() {
            let mut all = lock(&self.environments);
            all.entry(flow_id.to_owned()).or_default().extend(variables);
        }
    }

    /// Gives the agents of one flow the environment of another one's.
    pub(super) fn share_environment(&self, from: &str, to: &str) {
        let known = lock(&self.environments).get(from).cloned();
        self.set_environment(to, known.unwrap_or_default());
    }

    pub(super) fn environment(&self, flow_id: &str) -> Vec<(String, String)> {
        let known = lock(&self.environments).get(flow_id).cloned();
        known.map_or_else(
            || {
                let all = std::env::vars_os();
                let text = all.map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                });
                text.flatten().collect()
            },
            |known| known.into_iter().collect(),
        )
    }

    /// Sign of life of the turn under way.
    pub fn live(&self, flow_id: &str) -> Live {
        let task = lock(&self.tasks).get(flow_id).cloned();
        task.map(|task| lock(&task.live).clone())
            .unwrap_or_default()
    }

    /// Changes a flow as it is now and saves it, with events. The closure may be called again when somebody else
    /// was faster. Blocks.
    ///
    /// # Errors
    /// The flow is not there or cannot be saved.
    pub fn update<T>(
        &self,
        app: &App,
        flow_id: &str,
        mut change: impl FnMut(&mut Flow, &mut Vec<String>) -> (T, Option<Receipt>),
    ) -> Result<(Flow, T), FlowsError> {
        let database = self.database()?;
        for _ in 0..MAX_TRIES {
            let flow = database.get(flow_id)?;
            let mut flow = flow.ok_or_else(|| FlowsError::Unknown(flow_id.to_owned()))?;
            let before = flow.clone();
            let mut events = Vec::new();
            let (value, receipt) = change(&mut flow, &mut events);
            if flow == before && events.is_empty() && receipt.is_none() {
                return Ok((flow, value));
            }
            let events = described(&before, &flow, events);
            match database.save(&mut flow, &events, receipt.as_ref(), app.now().unix()) {
                Ok(()) => {
                    if let Some(receipt) = &receipt {
                        hold::at(Point::Settled, receipt.n);
                    }
                    self.saved(app, &before, &flow);
                    return Ok((flow, value));
                }
                Err(DatabaseError::Stale(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(FlowsError::Contended(flow_id.to_owned()))
    }

    /// After a state was saved: its copy in the worktree, a shared limit of use, a notification.
    fn saved(&self, app: &App, before: &Flow, flow: &Flow) {
        self.write_copies(app, flow);
        if flow.reason_code == Some(FlowReason::QuotaWait)
            && let (Some(due), Some(ticket)) = (flow.due_at, &flow.ticket)
            && let Err(error) = self
                .database()
                .and_then(|db| db.set_quota(&account(flow, &ticket.agent), due))
        {
            tracing::warn!(%error, "the limit is not known to other flows");
        }
        if before.status != flow.status {
            super::notification::tell(flow);
        }
    }

    /// Writes the copies of a state: one of the user's own, from which the database is made anew, and `flow.json` of the
    /// worktree, which agents can change and nobody believes. Who saved last may come first.
    fn write_copies(&self, app: &App, flow: &Flow) {
        let _turn = lock(&self.copying);
        let own = self.read_copy(&flow.flow_id);
        if own.is_some_and(|own| own.state_rev > flow.state_rev) {
            return;
        }
        let folder = TurnFolder::create(self.directory(&flow.flow_id));
        if let Err(error) = folder.and_then(|folder| folder.write_json(COPY, flow)) {
            tracing::warn!(flow = flow.flow_id, %error, "a copy of the state was not written");
        }
        let files = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id);
        if let Err(error) = files.and_then(|files| files.write_state(flow)) {
            tracing::warn!(flow = flow.flow_id, %error, "flow.json was not written");
        }
    }

    fn read_copy(&self, flow_id: &str) -> Option<Flow> {
        TurnFolder::at(self.directory(flow_id)).read_json(COPY)
    }

    /// Sees to it that a flow is worked on.
    pub fn ensure(&self, app: &Arc<App>, flow_id: &str) {
        let mut tasks = lock(&self.tasks);
        if let Some(task) = tasks.get(flow_id) {
            task.wake.notify_one();
            return;
        }
        let task = Arc::new(Task::default());
        tasks.insert(flow_id.to_owned(), Arc::clone(&task));
        tokio::spawn(work(Arc::clone(app), flow_id.to_owned(), task));
    }

    /// Lets a flow that sleeps look again.
    fn wake(&self, flow_id: &str) {
        if let Some(task) = lock(&self.tasks).get(flow_id) {
            task.is_called.store(true, Ordering::Release);
            task.wake.notify_one();
        }
    }

    /// Sends an interrupt to the turn under way of a flow, if there is one.
    pub fn interrupt(&self, flow: &Flow) {
        if let Some(turn) = flow
            .turn
            .as_ref()
            .filter(|turn| matches!(turn.phase, TurnPhase::Launched | TurnPhase::Outboxed))
        {
            let path = self.folder(&flow.flow_id, turn.n, turn.attempt);
            TurnFolder::at(path.clone()).signal(rustix::process::Signal::INT);
            for check in 0..64 {
                let check = path.join(format!("check-{check}"));
                if !check.exists() {
                    break;
                }
                TurnFolder::at(check).signal(rustix::process::Signal::INT);
            }
        }
    }

    /// Ends the flows of a repository that aictx is taken out of, with their checkpoints. Their agents are interrupted.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn leave(&self, app: &App, repo: &Path) -> Result<(), FlowsError> {
        // Of a daemon: a process for one call would take the database over.
        if app.mode != Mode::Daemon || !self.path().exists() {
            return Ok(());
        }
        for flow in self.database()?.list(&repo.to_string_lossy())? {
            self.interrupt(&flow);
            worktree::forget_checkpoints(Path::new(&flow.worktree), &flow.flow_id, None);
            self.database()?.remove(&flow.flow_id)?;
            // Nothing restores it; it may never have been written.
            let _ = std::fs::remove_file(self.directory(&flow.flow_id).join(COPY));
        }
        Ok(())
    }

    /// Returns true if the task may end: nobody has asked for it since.
    fn may_end(&self, flow_id: &str) -> bool {
        let mut tasks = lock(&self.tasks);
        let is_idle = |flow: Flow| flow.activity() == Activity::Rest;
        let idle = self.database().and_then(|database| database.get(flow_id));
        let may = idle.map_or(true, |flow| flow.is_none_or(is_idle));
        if may {
            tasks.remove(flow_id);
        }
        may
    }
}

/// Takes up the flows that an earlier daemon left.
pub async fn recover(app: &Arc<App>) {
    let own = Arc::clone(app);
    let found = tokio::task::spawn_blocking(move || recover_states(&own)).await;
    match found {
        Ok(Ok(flows)) => {
            for flow in flows {
                close_left(app, &flow).await;
                if flow.activity() == Activity::Rest {
                    continue;
                }
                app.flows.ensure(app, &flow.flow_id);
            }
        }
        Ok(Err(error)) => tracing::warn!(%error, "flows were not taken up"),
        Err(error) => tracing::warn!(%error, "flows were not taken up"),
    }
}

fn recover_states(app: &App) -> Result<Vec<Flow>, FlowsError> {
    if !app.flows.path().exists() && !app.flows.state.join(FLOWS).is_dir() {
        return Ok(Vec::new());
    }
    let database = app.flows.database()?;
    if database.is_new() {
        restore_states(app)?;
    }
    for flow in database.list("")? {
        reconcile(app, database, &flow)?;
    }
    let mut flows = database.list("")?;
    let recent = app.now().unix() - RECENT;
    flows.retain(|flow| {
        flow.activity() != Activity::Rest || flow.finished_at.is_some_and(|at| at > recent)
    });
    Ok(flows)
}

/// Closes the Work State of the ticket that was finished last, where the daemon died before it did.
async fn close_left(app: &Arc<App>, flow: &Flow) {
    let Some(ticket) = flow.finished.last().cloned() else {
        return;
    };
    let (own, id) = (flow.clone(), ticket.id.clone());
    let is_open = blocking(app, move |app| is_claimed(app, &own, &id)).await;
    if is_open.unwrap_or(false) {
        close_work(app, flow, &ticket.id, ticket.verified).await;
    }
}

/// Sees to it that the database and the copies hold the same state of a flow, the newer one. The daemon may have died
/// between the writes, and the database may have lost its last ones.
fn reconcile(app: &App, database: &Database, flow: &Flow) -> Result<(), FlowsError> {
    let copy = app.flows.read_copy(&flow.flow_id);
    let own = copy.as_ref().map(|copy| copy.state_rev);
    let newest = match copy.filter(|copy| copy.state_rev > flow.state_rev) {
        Some(copy) => {
            tracing::warn!(
                flow = flow.flow_id,
                "the database is older than the copy, which is taken"
            );
            database.catch_up(&copy)?;
            copy
        }
        None => flow.clone(),
    };
    let worktree = Path::new(&flow.worktree);
    let is_there = worktree.join(DIRECTORY).join(&flow.flow_id).is_dir();
    let theirs = read_revision(worktree, &flow.flow_id);
    let is_behind = own != Some(newest.state_rev) || theirs != Some(newest.state_rev);
    if is_there && is_behind {
        app.flows.write_copies(app, &newest);
    }
    Ok(())
}

/// Takes the copies of states into a database that has lost them.
///
/// # Errors
/// The database cannot be read or written.
pub fn restore_states(app: &App) -> Result<usize, DatabaseError> {
    let database = app.flows.database()?;
    let mut taken = 0;
    let entries = untrusted::entries(&app.flows.state.join(FLOWS));
    let ids = entries.into_iter().flatten().map(|entry| entry.name);
    let read = |id: OsString| app.flows.read_copy(id.to_str()?);
    let mut states: Vec<Flow> = ids.filter_map(read).collect();
    states.sort_by_key(|flow| flow.created_at);
    for flow in states {
        if database.get(&flow.flow_id)?.is_some() {
            continue;
        }
        match database.insert(&flow) {
            Ok(()) => taken += 1,
            Err(DatabaseError::Taken(other)) => {
                tracing::warn!(flow = flow.flow_id, other, "has another flow beside it");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(taken)
}

/// Removes the output of turns of flows that have ended, the oldest flow first, until all of it is below a bound.
/// Prompts, ends and receipts stay until a flow is retired.
pub async fn prune(app: &Arc<App>) {
    let pruned = blocking(app, |app| {
        if !app.flows.path().exists() {
            return Ok(0);
        }
        let mut flows = app.flows.database()?.list("")?;
        flows.sort_by_key(|flow| std::cmp::Reverse(flow.created_at));
        let (mut kept, mut removed) = (0_u64, 0_u64);
        for flow in flows {
            for log in outputs(&app.flows.directory(&flow.flow_id).join("turns")) {
                let bytes = std::fs::symlink_metadata(&log).map_or(0, |meta| meta.len());
                kept += bytes;
                if kept > MAX_OUTPUTS && !flow.is_open() && std::fs::remove_file(&log).is_ok() {
                    (kept, removed) = (kept - bytes, removed + bytes);
                }
            }
        }
        Ok(removed)
    });
    match pruned.await {
        Ok(0) => {}
        Ok(bytes) => tracing::info!(bytes, "output of old flows was removed"),
        Err(error) => tracing::warn!(%error, "output of old flows was not looked at"),
    }
}

/// The files with the output of turns and of their checks, the newest turn first.
fn outputs(turns: &Path) -> Vec<PathBuf> {
    let below = |directory: &Path| {
        let entries = untrusted::entries(directory).into_iter().flatten();
        let mut paths: Vec<_> = entries.map(|entry| directory.join(entry.name)).collect();
        paths.sort();
        paths
    };
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "log");
    let mut logs = Vec::new();
    for turn in below(turns).into_iter().rev() {
        let (checks, files): (Vec<_>, Vec<_>) =
            below(&turn).into_iter().partition(|path| path.is_dir());
        let of_checks = checks.iter().flat_map(|check| below(check));
        logs.extend(files.into_iter().chain(of_checks).filter(is_log));
    }
    logs
}

/// Events that follow from a change of state, around those of its cause: tickets that are done before, the new status
/// behind.
fn described(before: &Flow, after: &Flow, own: Vec<String>) -> Vec<String> {
    let done = after.finished.iter().skip(before.finished.len());
    let done = done.map(|ticket| {
        let verified = match ticket.verified {
            Some(true) => "verified",
            Some(false) => "its checks failed before",
            None => "unverified",
        };
        format!("{} is done ({verified})", ticket.file)
    });
    let is_news = before.status != after.status || before.reason_code != after.reason_code;
    let status = is_news.then(|| match after.reason_code {
        Some(code) => format!("{}: {} ({})", after.status, after.reason, code.code()),
        None => after.status.to_string(),
    });
    done.chain(own).chain(status).collect()
}

/// Works on a flow until it rests.
async fn work(app: Arc<App>, flow_id: String, task: Arc<Task>) {
    let mut failures = 0_u32;
    let id = flow_id.clone();
    let own = blocking(&app, move |app| Ok(app.flows.database()?.get(&id)?)).await;
    let lane_of = own
        .ok()
        .flatten()
        .map_or_else(String::new, |flow| flow.lane_of);
    loop {
        match step(&app, &flow_id, &task).await {
            Ok(true) => failures = 0,
            Ok(false) if app.flows.may_end(&flow_id) => {
                if !lane_of.is_empty() {
                    app.flows.wake(&lane_of);
                }
                release_ticket(&app, &flow_id).await;
                return;
            }
            Ok(false) => {}
            Err(error) => {
                failures += 1;
                tracing::warn!(flow = flow_id, %error, "a step failed");
                if matches!(error, FlowsError::Database(DatabaseError::Fenced)) {
                    lock(&app.flows.tasks).remove(&flow_id);
                    return;
                }
                let pauses = failures >= 3 && give_up(&app, &flow_id, &error).await;
                if !pauses {
                    let delay = Duration::from_millis(250).saturating_mul(1 << failures.min(8));
                    tokio::time::sleep(delay).await;
                }
                if matches!(error, FlowsError::Unknown(_)) {
                    lock(&app.flows.tasks).remove(&flow_id);
                    return;
                }
            }
        }
    }
}

/// Account whose limit of use a flow shares with others: the agent's, or the program's for the driver `command`.
pub fn account(flow: &Flow, agent: &str) -> String {
    match flow.options.driver.as_str() {
        "" => agent.to_owned(),
        driver => [&[driver.to_owned()], flow.options.exec.as_slice()]
            .concat()
            .join(" "),
    }
}

/// Lets go of the ticket of a flow that has ended.
async fn release_ticket(app: &Arc<App>, flow_id: &str) {
    let id = flow_id.to_owned();
    let flow = blocking(app, move |app| Ok(app.flows.database()?.get(&id)?)).await;
    let Some(flow) = flow.ok().flatten().filter(|flow| !flow.is_open()) else {
        return;
    };
    if let Some(ticket) = &flow.ticket {
        let params = serde_json::json!({
            "repo": flow.worktree, "ticket": ticket.file, "holder": holder(&flow), "force": true,
        });
        if let Err(error) = call(app, aictx_proto::methods::TICKET_RELEASE, &params).await {
            tracing::debug!(flow = flow_id, %error, "its ticket was not released");
        }
    }
}

/// Pauses a flow whose work fails again and again.
async fn give_up(app: &Arc<App>, flow_id: &str, error: &FlowsError) -> bool {
    let text = error.to_string();
    let now = app.now().unix();
    let paused = update(app, flow_id, move |flow, _| {
        let signal = flow.paused_at.clone();
        flow.refused(FlowReason::InfraError, &text, &signal, now);
        ((), None)
    });
    paused.await.is_ok()
}

/// Runs blocking work on the pool.
pub(super) async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&Arc<App>) -> Result<T, FlowsError> + Send + 'static,
) -> Result<T, FlowsError> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or(Err(FlowsError::Panicked))
}

pub(super) async fn update<T: Send + 'static>(
    app: &Arc<App>,
    flow_id: &str,
    change: impl FnMut(&mut Flow, &mut Vec<String>) -> (T, Option<Receipt>) + Send + 'static,
) -> Result<(Flow, T), FlowsError> {
    let flow_id = flow_id.to_owned();
    blocking(app, move |app| app.flows.update(app, &flow_id, change)).await
}

/// Does one thing for a flow; false when there is nothing to do.
async fn step(app: &Arc<App>, flow_id: &str, task: &Arc<Task>) -> Result<bool, FlowsError> {
    let id = flow_id.to_owned();
    let flow = blocking(app, move |app| Ok(app.flows.database()?.get(&id)?)).await?;
    let flow = flow.ok_or_else(|| FlowsError::Unknown(flow_id.to_owned()))?;
    match flow.activity() {
        Activity::Rest => return Ok(false),
        Activity::Sleep(until) => {
            let left = (until - app.now().unix()).clamp(0, LONGEST_SLEEP);
            let pause = Duration::from_secs(u64::try_from(left).unwrap_or(0));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = task.wake.notified() => {}
            }
            let is_called = task.is_called.swap(false, Ordering::AcqRel);
            let now = if is_called { until } else { app.now().unix() };
            update(app, flow_id, move |flow, _| {
                flow.woken(now);
                ((), None)
            })
            .await?;
        }
        Activity::Look => look(app, flow).await?,
        Activity::Lane => lanes::step(app, flow).await?,
        Activity::Launch => launch(app, &flow, task).await?,
        Activity::Attend => attend(app, &flow, task).await?,
        Activity::Archive => archive(app, flow).await?,
        Activity::Judge => judge(app, flow).await?,
    }
    Ok(true)
}

async fn look(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let before = flow.finished.len();
    let flow = blocking(app, move |app| {
        let flow = look_now(app, &flow)?;
        let finished = flow.finished.get(before..).and_then(<[_]>::last);
        if let Some(ticket) = finished {
            hold::at(Point::Finished, ticket.turns);
        }
        Ok(flow)
    });
    let flow = flow.await?;
    for ticket in flow.finished.iter().skip(before) {
        close_work(app, &flow, &ticket.id, ticket.verified).await;
    }
    Ok(())
}

fn look_now(app: &App, flow: &Flow) -> Result<Flow, FlowsError> {
    let worktree_path = Path::new(&flow.worktree);
    let has_worktree = worktree_path.is_dir();
    let now = app.now().unix();
    let (around, replies) = match has_worktree {
        true => {
            let files = FlowFiles::create(&app.hosts, worktree_path, &flow.flow_id)?;
            (
                Surroundings::of(app, flow)?,
                files.take_reply(flow.reply_seq)?,
            )
        }
        false => (Surroundings::none(), flow.reply_seq),
    };
    let database = app.flows.database()?;
    let (repo, lanes) = (flow.repo.clone(), lanes::statuses(app, flow)?);
    let space = worktree::space_left(worktree_path).unwrap_or(u64::MAX);
    let own = flow.clone();
    let (flow, ()) = app.flows.update(app, &flow.flow_id, |flow, events| {
        if flow.activity() != Activity::Look {
            return ((), None);
        }
        flow.look(
            &Survey {
                queue: &around.queue,
                claims: &around.claims,
                git: around.git.clone(),
                has_worktree,
                disk_is_full: space < MIN_SPACE,
                replies,
                fingerprint: around.fingerprint.clone(),
                signal: around.signal.clone(),
                lanes: &lanes,
                quota_until: &|agent| {
                    let account = account(&own, agent);
                    database.quota_until(&account).ok().flatten()
                },
                is_trusted: &|command| database.is_trusted(&repo, command).unwrap_or(false),
            },
            now,
        );
        if let Some(turn) = &flow.turn {
            events.push(format!(
                "turn {}: {} {} by {}",
                turn.n, turn.kind, turn.file, turn.driver
            ));
        }
        ((), None)
    })?;
    Ok(flow)
}
