//! One task a flow: does what [`Flow::activity`] asks for, and commits each change of state.
//!
//! A task holds no state of its own: it reads the flow, does one thing, and applies the result to the flow as it
//! is by then. Commands change the same state between two steps. After a crash the next daemon goes on from the
//! state, from the lock of the turn's host and from the files of the turn.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use aictx_continuity::claimed_tickets;
use aictx_files::untrusted;
use aictx_proto::flow::{
    AgentError, CommitBy, ErrorClass, FlowReason, TurnKind, TurnOutcome, TurnPhase, TurnReport,
    Usage,
};
use aictx_proto::methods::{self as words, Severity};
use aictx_proto::rpc::RpcError;
use aictx_proto::text::hex;
use aictx_redact::{Report, scrub_text};
use aictx_runners::driver::{self, Approval, Driver, Exit, Progress, Reader, TurnSettings};
use aictx_work::flow::engine::{Activity, GitFacts, Judgement, Survey};
use aictx_work::flow::prompt::{self, Content, Doc, Notice, Parts, Paths, Requested};
use aictx_work::flow::state::{CheckResult, Flow, Receipt, Turn};
use aictx_work::ticket::fields::Check;
use aictx_work::ticket::{Claim, Entry, Queue};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, Semaphore};

use super::database::{Database, DatabaseError};
use super::flow_files::{DIRECTORY, FlowFiles, FlowFilesError, read_states};
use super::turn_folder::{ExitNote, HostState, Request, TurnFolder};
use super::{turn_host, worktree};
use crate::app::App;
use crate::hosts::Place;
use crate::ticket_files::TicketFiles;

/// Turns that run at once, over all flows.
const MAX_TURNS: usize = 2;
/// Times that a change is tried again when somebody else changed the flow.
const MAX_TRIES: usize = 16;
/// Shortest and longest time between two looks at a host.
const LOOKS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// Longest sleep; the clock may have jumped meanwhile.
const LONGEST_SLEEP: i64 = 600;
/// Bytes of output that are read at once.
const CHUNK: u64 = 1024 * 1024;
/// Bytes of output of one agent, and of one check, that are kept.
const MAX_OUTPUT: u64 = 64 * 1024 * 1024;
/// Seconds of one check, where it does not say otherwise.
const CHECK_SECONDS: u64 = 600;
/// Seconds between an interrupt and harder means.
const GRACE: u64 = 15;
/// Bytes of a check's output that are told.
const MAX_TAIL: u64 = 4 * 1024;
/// Bytes of the agent's own errors that its driver is given.
const MAX_STDERR: u64 = 16 * 1024;
/// Free space below which no turn begins, in bytes.
const MIN_SPACE: u64 = 500 * 1024 * 1024;
/// Share of a limit at which a running turn is interrupted.
const OVERRUN: f64 = 1.1;
/// Bytes of a file that a ticket asks for.
const MAX_CONTEXT: u64 = 64 * 1024;
/// Bytes of a context document.
const MAX_DOC: u64 = 64 * 1024;
/// Characters of an answer in a receipt.
const MAX_SUMMARY: usize = 400;

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

/// What a turn under way shows.
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
struct Task {
    wake: Notify,
    live: Mutex<Live>,
}

/// All flows of the daemon.
#[derive(Debug)]
pub struct Flows {
    state: PathBuf,
    database: OnceLock<Database>,
    opening: Mutex<()>,
    /// The tasks that run. One that is about to end looks once more whether there is work, with the lock in hand.
    tasks: Mutex<HashMap<String, Arc<Task>>>,
    slots: Semaphore,
    /// Environments of agents, by flow; only in memory, since they hold keys.
    environments: Mutex<HashMap<String, BTreeMap<String, String>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flows {
    /// With their files in the user's state directory. Nothing is opened.
    pub fn new(state: &Path) -> Self {
        Self {
            state: state.to_owned(),
            database: OnceLock::new(),
            opening: Mutex::default(),
            tasks: Mutex::default(),
            slots: Semaphore::new(MAX_TURNS),
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
            .join("flows")
            .join(flow_id)
            .join("turns")
            .join(name)
    }

    /// Directory of everything of a flow in the user's state directory.
    pub fn directory(&self, flow_id: &str) -> PathBuf {
        self.state.join("flows").join(flow_id)
    }

    /// Sets variables of the environment of a flow's agents; others that were set before stay.
    pub fn set_environment(&self, flow_id: &str, variables: BTreeMap<String, String>) {
        if !variables.is_empty() {
            let mut all = lock(&self.environments);
            all.entry(flow_id.to_owned()).or_default().extend(variables);
        }
    }

    fn environment(&self, flow_id: &str) -> Vec<(String, String)> {
        let known = lock(&self.environments).get(flow_id).cloned();
        known.map_or_else(
            || std::env::vars().collect(),
            |known| known.into_iter().collect(),
        )
    }

    /// What a turn under way shows.
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
            describe(&before, &flow, &mut events);
            match database.save(&mut flow, &events, receipt.as_ref(), app.now().unix()) {
                Ok(()) => {
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
        let copy = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id);
        if let Err(error) = copy.and_then(|files| files.write_state(flow)) {
            tracing::warn!(flow = flow.flow_id, %error, "flow.json was not written");
        }
        if flow.reason_code == Some(FlowReason::QuotaWait)
            && let (Some(due), Some(ticket)) = (flow.due_at, &flow.ticket)
            && let Err(error) = self
                .database()
                .and_then(|db| db.set_quota(&ticket.agent, due))
        {
            tracing::warn!(%error, "the limit is not known to other flows");
        }
        if before.status != flow.status {
            super::notification::tell(flow);
        }
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

    /// Sends an interrupt to the turn under way of a flow, if there is one.
    pub fn interrupt(&self, flow: &Flow) {
        if let Some(turn) = flow
            .turn
            .as_ref()
            .filter(|turn| turn.phase == TurnPhase::Launched)
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

/// Takes up the flows that an earlier daemon left. Where the database is gone, it is made anew of the files that
/// the flows of registered repositories left.
pub async fn recover(app: &Arc<App>) {
    let own = Arc::clone(app);
    let found = tokio::task::spawn_blocking(move || recover_states(&own)).await;
    match found {
        Ok(Ok(flows)) => {
            for flow in flows {
                app.flows.ensure(app, &flow.flow_id);
            }
        }
        Ok(Err(error)) => tracing::warn!(%error, "flows were not taken up"),
        Err(error) => tracing::warn!(%error, "flows were not taken up"),
    }
}

fn recover_states(app: &App) -> Result<Vec<Flow>, FlowsError> {
    let roots = app
        .registry
        .list()
        .into_iter()
        .map(|entry| PathBuf::from(entry.repo_path));
    let roots: Vec<PathBuf> = roots.filter(|root| root.join(DIRECTORY).is_dir()).collect();
    if roots.is_empty() && !app.flows.path().exists() {
        return Ok(Vec::new());
    }
    let database = app.flows.database()?;
    if database.is_new() {
        for root in roots {
            restore_states(database, &root)?;
        }
    }
    let mut flows = database.list("")?;
    flows.retain(|flow| flow.activity() != Activity::Rest);
    Ok(flows)
}

/// Takes the states of a worktree's flows into the database, where they are not there.
///
/// # Errors
/// The database cannot be written.
pub fn restore_states(database: &Database, worktree: &Path) -> Result<usize, DatabaseError> {
    let mut taken = 0;
    let mut states = read_states(worktree);
    states.sort_by_key(|flow| flow.created_at);
    for flow in states {
        if Path::new(&flow.worktree) != worktree || database.get(&flow.flow_id)?.is_some() {
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

/// Events that follow from a change of state.
fn describe(before: &Flow, after: &Flow, events: &mut Vec<String>) {
    for ticket in after.finished.iter().skip(before.finished.len()) {
        let verified = match ticket.verified {
            Some(true) => "verified",
            Some(false) => "its checks failed before",
            None => "unverified",
        };
        events.push(format!("{} is done ({verified})", ticket.file));
    }
    if before.status != after.status || before.reason_code != after.reason_code {
        let reason = match after.reason_code {
            Some(code) => format!(": {} ({})", after.reason, code.code()),
            None => String::new(),
        };
        events.push(format!("{}{reason}", after.status));
    }
}

/// Works on a flow until it rests.
async fn work(app: Arc<App>, flow_id: String, task: Arc<Task>) {
    let mut failures = 0_u32;
    loop {
        match step(&app, &flow_id, &task).await {
            Ok(true) => failures = 0,
            Ok(false) if app.flows.may_end(&flow_id) => return,
            Ok(false) => {}
            Err(error) => {
                failures += 1;
                tracing::warn!(flow = flow_id, %error, "a step failed");
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
async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&Arc<App>) -> Result<T, FlowsError> + Send + 'static,
) -> Result<T, FlowsError> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or(Err(FlowsError::Panicked))
}

async fn update<T: Send + 'static>(
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
            let now = app.now().unix();
            update(app, flow_id, move |flow, _| {
                flow.woken(now);
                ((), None)
            })
            .await?;
        }
        Activity::Look => look(app, flow).await?,
        Activity::Launch => launch(app, &flow, task).await?,
        Activity::Attend => attend(app, &flow, task).await?,
        Activity::Archive => {
            blocking(app, move |app| archive(app, &flow)).await?;
        }
        Activity::Judge => judge(app, flow).await?,
    }
    Ok(true)
}

/// The tickets, docs and git of a flow's worktree.
struct Surroundings {
    queue: Queue,
    claims: Vec<Claim>,
    git: Option<GitFacts>,
    tree: String,
    fingerprint: String,
    docs: Vec<(Doc, String)>,
}

impl Surroundings {
    fn of(app: &App, flow: &Flow) -> Result<Self, FlowsError> {
        let worktree = Path::new(&flow.worktree);
        let place = Place {
            root: PathBuf::from(&flow.repo),
            worktree: worktree.to_owned(),
        };
        let host = app.hosts.open(&place.root).map_err(FlowsError::Method)?;
        let files = TicketFiles::of(app, &place, Arc::clone(&host));
        let queue = files
            .and_then(|files| files.read())
            .map_err(FlowsError::Method)?;
        let holder = holder(flow);
        let snapshot = host.snapshot();
        let claims = claimed_tickets(&snapshot).filter(|(_, link)| link.holder != holder);
        let claims = claims.map(|(_, link)| Claim {
            ticket: link.id.clone(),
            holder: link.holder.clone(),
            at: link.claimed_at.clone(),
        });
        let claims = claims.collect();
        let git = worktree::facts(worktree);
        let tree = match &git {
            Some(_) => worktree::tree(worktree, &scratch(app, flow)?).unwrap_or_default(),
            None => String::new(),
        };
        let context = worktree.join(CONTEXT);
        let read = |doc: Doc| {
            let text = untrusted::read_text(&context.join(doc.file_name()), MAX_DOC).ok()?;
            (!text.trim().is_empty()).then_some((doc, text))
        };
        let docs: Vec<_> = Doc::ALL.iter().filter_map(|doc| read(*doc)).collect();
        let fingerprint = fingerprint(flow, git.as_ref(), &tree, &queue, &docs);
        Ok(Self {
            queue,
            claims,
            git,
            tree,
            fingerprint,
            docs,
        })
    }

    fn none() -> Self {
        Self {
            queue: Queue::default(),
            claims: Vec::new(),
            git: None,
            tree: String::new(),
            fingerprint: String::new(),
            docs: Vec::new(),
        }
    }

    fn entry(&self, turn: &Turn) -> Option<&Entry> {
        let mut entries = self.queue.entries.iter();
        let same = entries.find(|entry| entry.id == turn.ticket_id);
        same.or_else(|| {
            let mut entries = self.queue.entries.iter();
            entries.find(|entry| entry.file.as_str() == turn.file)
        })
    }
}

/// Directory of the context documents, relative to the worktree.
pub const CONTEXT: &str = ".aictx/context";

/// Name under which a flow claims tickets.
pub fn holder(flow: &Flow) -> String {
    format!("flow {}", flow.flow_id)
}

fn scratch(app: &App, flow: &Flow) -> Result<PathBuf, FlowsError> {
    let path = app.flows.directory(&flow.flow_id);
    aictx_files::private::directory(&path).map_err(|source| FlowsError::Folder {
        path: path.clone(),
        source,
    })?;
    Ok(path)
}

/// Digest of everything that counts as progress: code, tickets, context documents.
fn fingerprint(
    flow: &Flow,
    git: Option<&GitFacts>,
    tree: &str,
    queue: &Queue,
    docs: &[(Doc, String)],
) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update(text.len().to_le_bytes());
        digest.update(text);
    };
    match git {
        Some(git) => {
            add(&git.head);
            add(tree);
        }
        // Nothing tells what changed: every turn counts.
        None => add(&flow.last_turn.to_string()),
    }
    for entry in &queue.entries {
        add(entry.file.as_str());
        add(&entry.text);
    }
    for (_, text) in docs {
        add(text);
    }
    hex(&digest.finalize())
}

/// Digest of what a resume looks for changes in: what counts as progress, and the replies.
///
/// # Errors
/// The tickets cannot be read.
pub fn signal(app: &App, flow: &Flow) -> Result<(String, Option<GitFacts>), FlowsError> {
    let around = Surroundings::of(app, flow)?;
    Ok((around.fingerprint, around.git))
}

async fn look(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let before = flow.finished.len();
    let flow = blocking(app, move |app| look_now(app, &flow)).await?;
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
    let repo = flow.repo.clone();
    let space = worktree::space_left(worktree_path).unwrap_or(u64::MAX);
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
                signal: around.fingerprint.clone(),
                quota_until: &|agent| database.quota_until(agent).ok().flatten(),
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

/// Calls a method of the daemon, as a client would.
async fn call(
    app: &Arc<App>,
    method: &'static str,
    params: &serde_json::Value,
) -> Result<serde_json::Value, FlowsError> {
    let answer = crate::methods::call_boxed(app, method, params).await;
    let answer = answer.map_err(FlowsError::Method)?;
    Ok(serde_json::from_str(&answer).unwrap_or_default())
}

/// Opens the Work State of the ticket at hand.
async fn open_work(app: &Arc<App>, flow: &Flow, turn: &Turn) {
    let params = json!({
        "repo": flow.worktree, "ticket": turn.file, "holder": holder(flow),
        "caller": { "agent_id": turn.agent },
    });
    if let Err(error) = call(app, words::TICKET_CLAIM, &params).await {
        tracing::warn!(flow = flow.flow_id, ticket = turn.file, %error, "was not claimed");
    }
}

/// Closes the Work State of a ticket that is done.
async fn close_work(app: &Arc<App>, flow: &Flow, ticket_id: &str, verified: Option<bool>) {
    let evidence = match verified {
        Some(true) => format!("the checks of the ticket passed in flow {}", flow.flow_id),
        _ => format!("unverified: no check ran in flow {}", flow.flow_id),
    };
    let params = json!({
        "repo": flow.worktree, "ticket": ticket_id, "holder": holder(flow), "evidence": evidence,
    });
    if let Err(error) = call(app, words::TICKET_DONE, &params).await {
        tracing::warn!(flow = flow.flow_id, ticket = ticket_id, %error, "its Work State stays open");
    }
}

async fn launch(app: &Arc<App>, flow: &Flow, task: &Task) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let path = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    // A daemon that died behind the start of the host has not noted it.
    if TurnFolder::at(path.clone()).host() == HostState::Lost {
        let Some(driver) = driver::driver(&turn.driver) else {
            let text = format!("no driver `{}` is known", turn.driver);
            return refuse(app, flow, FlowReason::AgentMissing, text).await;
        };
        if turn.attempt == 1 && turn.kind == TurnKind::Work {
            open_work(app, flow, &turn).await;
        }
        let capsule = match driver.name() {
            // Other agents are told by their hooks.
            "command" => capsule(app, flow).await,
            _ => String::new(),
        };
        let own = flow.clone();
        let prepared = blocking(app, move |app| prepare(app, &own, driver, &capsule)).await?;
        if let Some((reason, text)) = prepared {
            return refuse(app, flow, reason, text).await;
        }
        lock(&task.live).is_queued = true;
        let slot = app.flows.slots.acquire().await;
        *lock(&task.live) = Live::default();
        // Somebody may have stopped the flow while it waited for its turn.
        let id = flow.flow_id.clone();
        let now = blocking(app, move |app| Ok(app.flows.database()?.get(&id)?)).await?;
        if now.is_none_or(|now| now.activity() != Activity::Launch || now.asked.is_some()) {
            let id = flow.flow_id.clone();
            update(app, &id, |flow, _| {
                if flow.activity() == Activity::Launch {
                    flow.turn = None;
                }
                ((), None)
            })
            .await?;
            return Ok(());
        }
        // The slot is free again when the turn has ended; see `attend`.
        if let Ok(slot) = slot {
            slot.forget();
        }
        let environment = agent_environment(app, flow, &turn, driver);
        let folder = TurnFolder::at(path.clone());
        let started = turn_host::spawn(&folder, &environment);
        if let Err(source) = started {
            app.flows.slots.add_permits(1);
            return Err(FlowsError::Folder { path, source });
        }
    } else {
        // The turn of an adopted host takes a slot as any other; it never waits for one.
        if let Ok(slot) = app.flows.slots.try_acquire() {
            slot.forget();
        }
    }
    let now = app.now().unix();
    update(app, &flow.flow_id, move |flow, _| {
        if flow.activity() == Activity::Launch {
            flow.launched(now);
        }
        ((), None)
    })
    .await?;
    Ok(())
}

async fn refuse(
    app: &Arc<App>,
    flow: &Flow,
    reason: FlowReason,
    text: String,
) -> Result<(), FlowsError> {
    let now = app.now().unix();
    update(app, &flow.flow_id, move |flow, _| {
        if flow.activity() == Activity::Launch {
            let fingerprint = flow
                .ticket
                .as_ref()
                .map(|ticket| ticket.fingerprint.clone());
            flow.refused(reason, &text, &fingerprint.unwrap_or_default(), now);
        }
        ((), None)
    })
    .await
    .map(drop)
}

/// What a session that starts now would be told of memory.
async fn capsule(app: &Arc<App>, flow: &Flow) -> String {
    let params = json!({ "repo": flow.worktree, "runner": "generic", "prompt": "" });
    let preview = call(app, words::PREVIEW, &params).await.unwrap_or_default();
    let start = preview.get("start").and_then(serde_json::Value::as_str);
    start.unwrap_or_default().to_owned()
}

fn agent_environment(
    app: &App,
    flow: &Flow,
    turn: &Turn,
    driver: &dyn Driver,
) -> Vec<(String, String)> {
    let mut environment = app.flows.environment(&flow.flow_id);
    let launch = driver.launch(&settings(flow, turn, ""));
    environment.extend(launch.env);
    let ticket = Path::new(&flow.worktree).join(ticket_path(app, flow, &turn.file));
    let own = [
        ("AICTX_FLOW_ID", flow.flow_id.clone()),
        ("AICTX_TICKET_ID", turn.ticket_id.clone()),
        ("AICTX_TICKET", ticket.to_string_lossy().into_owned()),
        ("AICTX_TURN", turn.n.to_string()),
        ("AICTX_ROOT", flow.worktree.clone()),
        (
            "AICTX_FLOW_DIR",
            format!("{}/{DIRECTORY}/{}", flow.worktree, flow.flow_id),
        ),
    ];
    environment.extend(own.map(|(name, value)| (name.to_owned(), value)));
    environment
}

fn ticket_path(app: &App, flow: &Flow, file: &str) -> String {
    let place = Place {
        root: PathBuf::from(&flow.repo),
        worktree: PathBuf::from(&flow.worktree),
    };
    let host = app.hosts.open(&place.root);
    let files = host.and_then(|host| TicketFiles::of(app, &place, host));
    match files {
        Ok(files) => format!("{}/{file}", files.directory),
        Err(_) => format!(".aictx/tickets/{file}"),
    }
}

fn settings<'a>(flow: &'a Flow, turn: &'a Turn, new_session: &'a str) -> TurnSettings<'a> {
    TurnSettings {
        model: &turn.model,
        reasoning: &turn.reasoning,
        resume: &turn.resume,
        new_session,
        approval: match flow.options.full_access {
            true => Approval::Full,
            false => Approval::Workspace,
        },
        exec: &flow.options.exec,
    }
}

/// Writes the prompt and the request of a turn, and keeps the worktree as it is before it; a reason where the turn
/// cannot be.
fn prepare(
    app: &App,
    flow: &Flow,
    driver: &dyn Driver,
    capsule: &str,
) -> Result<Option<(FlowReason, String)>, FlowsError> {
    let (Some(turn), Some(at_hand)) = (&flow.turn, &flow.ticket) else {
        return Ok(None);
    };
    let worktree_path = Path::new(&flow.worktree);
    let around = Surroundings::of(app, flow)?;
    let files = FlowFiles::create(&app.hosts, worktree_path, &flow.flow_id)?;
    files.prepare()?;
    let Some(entry) = around.entry(turn) else {
        // The next look chooses another one.
        return Ok(Some((
            FlowReason::NoTickets,
            format!("{} is gone", turn.file),
        )));
    };
    let wanted = entry
        .ticket
        .as_ref()
        .map_or(&[][..], |ticket| &ticket.context);
    let contents: Vec<_> = wanted
        .iter()
        .map(|file| {
            let path = worktree_path.join(&file.path);
            let real = path.canonicalize().ok();
            let is_inside = real.is_none_or(|real| real.starts_with(worktree_path));
            match untrusted::read_text(&path, MAX_CONTEXT) {
                Ok(text) if is_inside => Ok(text),
                Err(error) if error.is_missing() => Err(Content::Missing),
                _ if path.is_dir() => Err(Content::NotAFile),
                _ => Err(Content::Unreadable),
            }
        })
        .collect();
    let context: Vec<Requested<'_>> = wanted
        .iter()
        .zip(&contents)
        .map(|(file, content)| Requested {
            file,
            content: content
                .as_ref()
                .map_or_else(|missing| *missing, |text| Content::Text(text)),
        })
        .collect();
    let docs: Vec<(Doc, &str)> = around
        .docs
        .iter()
        .map(|(doc, text)| (*doc, text.as_str()))
        .collect();
    let replies = files.replies(flow.reply_seq, turn.replies);
    let ticket_file = ticket_path(app, flow, entry.file.as_str());
    let flow_dir = format!("{DIRECTORY}/{}", flow.flow_id);
    let paths = Paths {
        ticket: &ticket_file,
        flow_dir: &flow_dir,
        context_dir: CONTEXT,
    };
    let mut notices = Vec::new();
    let gates = &at_hand.gates;
    let left = |cap: u32, used: u32| cap.saturating_sub(used);
    match turn.kind {
        TurnKind::RepairFrontmatter => notices.push(Notice::Findings {
            findings: &gates.lint,
            attempts: left(flow.caps.lint, gates.lint_turns),
        }),
        TurnKind::Commit => notices.push(Notice::Commit {
            paths: &gates.commit,
            hook: &gates.commit_output,
            attempts: left(flow.caps.commit, gates.commit_turns),
        }),
        TurnKind::VerifyFix => {
            if let Some(check) = &gates.verify {
                notices.push(Notice::Verify {
                    check,
                    attempts: left(flow.caps.verify_fix, gates.verify_turns),
                });
            }
        }
        TurnKind::Work => {}
    }
    if at_hand.idle_turns > 0 {
        notices.push(Notice::Idle {
            turns: at_hand.idle_turns,
        });
    }
    let usage = format!("{} tokens so far", flow.usage.tokens());
    let built = prompt::build(
        &Parts {
            kind: turn.kind,
            continued: !turn.resume.is_empty(),
            commit: flow.options.commit,
            turn: flow.turns + 1,
            max_turns: flow.caps.turns,
            usage: &usage,
            paths,
            ticket: &entry.text,
            previous_ticket: None,
            docs: &docs,
            context: &context,
            capsule,
            handoff: "",
            // A conversation that goes on has it already.
            last_answer: if turn.resume.is_empty() {
                &at_hand.last_answer
            } else {
                ""
            },
            notices: &notices,
            replies: &replies,
        },
        flow.options.prompt_bytes,
    );
    let built = match built {
        Ok(built) => built,
        Err(error @ prompt::PromptError::RequiredFile(_)) => {
            return Ok(Some((
                FlowReason::MissingRequiredContext,
                error.to_string(),
            )));
        }
        Err(error) => return Ok(Some((FlowReason::NeedsUserFix, error.to_string()))),
    };
    let path = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    let fail = |source| FlowsError::Folder {
        path: path.clone(),
        source,
    };
    let folder = TurnFolder::create(path.clone()).map_err(fail)?;
    let session = new_session();
    let launch = driver.launch(&settings(flow, turn, &session));
    let mut args = launch.args;
    if !launch.stdin {
        args.push(built.text.clone());
    }
    folder
        .write("prompt.md", built.text.as_bytes())
        .map_err(fail)?;
    folder
        .write_json("blocks.json", &built.sizes)
        .map_err(fail)?;
    let request = Request {
        program: launch.program,
        args,
        cwd: worktree_path.to_owned(),
        has_prompt: launch.stdin,
        timeout: flow.caps.turn_seconds,
        grace: GRACE,
        max_output: MAX_OUTPUT,
    };
    folder.write_json("request.json", &request).map_err(fail)?;
    if !around.tree.is_empty() {
        let name = worktree::checkpoint(turn.n, false);
        if worktree::keep(worktree_path, &flow.flow_id, &name, &around.tree).is_none() {
            tracing::warn!(flow = flow.flow_id, turn = turn.n, "there is no checkpoint");
        }
        worktree::forget_checkpoints(worktree_path, &flow.flow_id, Some(turn.n));
    }
    let tree = around.tree;
    app.flows.update(app, &flow.flow_id, |flow, _| {
        if let Some(turn) = flow
            .turn
            .as_mut()
            .filter(|turn| turn.phase == TurnPhase::Prepared)
        {
            turn.tree_before.clone_from(&tree);
        }
        ((), None)
    })?;
    Ok(None)
}

/// A random UUID of version 4.
fn new_session() -> String {
    let mut bytes = [0_u8; 16];
    // Without random bytes the agent refuses the id, which is better than two sessions of one.
    let _ = getrandom::fill(&mut bytes);
    let hex = hex(&bytes);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-4{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}

/// Follows the output of a turn.
struct Output {
    reader: Box<dyn Reader + Send>,
    offset: u64,
    line: Vec<u8>,
}

impl Output {
    fn new(driver: &dyn Driver) -> Self {
        Self {
            reader: driver.reader(),
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

async fn attend(app: &Arc<App>, flow: &Flow, task: &Arc<Task>) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let folder = TurnFolder::at(app.flows.folder(&flow.flow_id, turn.n, turn.attempt));
    let Some(driver) = driver::driver(&turn.driver) else {
        let text = format!("no driver `{}` is known", turn.driver);
        return refuse(app, flow, FlowReason::AgentMissing, text).await;
    };
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
            let usage = lock(&task.live).usage;
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
    app.flows.slots.add_permits(1);
    *lock(&task.live) = Live::default();
    let now = app.now().unix();
    let own = flow.clone();
    let Some(exit) = exit else {
        return blocking(app, move |app| lost(app, &own, &folder, output, now)).await;
    };
    let report = report(output, &exit, &folder, now);
    let is_total = driver.capabilities().usage_of_conversation;
    update(app, &flow.flow_id, move |flow, events| {
        if flow.activity() != Activity::Attend {
            return ((), None);
        }
        let mut report = report.clone();
        if let Some(ticket) = flow.ticket.as_mut().filter(|_| is_total) {
            let total = report.usage;
            report.usage = total.since(ticket.session_usage);
            ticket.session_usage = total;
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

fn archive(app: &App, flow: &Flow) -> Result<(), FlowsError> {
    let Some(turn) = &flow.turn else {
        return Ok(());
    };
    let files = FlowFiles::create(&app.hosts, Path::new(&flow.worktree), &flow.flow_id)?;
    let archived = files.archive_dispatch(turn, flow.dispatch_seq, app.now());
    let (dispatch, problem) = match archived {
        Ok(dispatch) => (dispatch, String::new()),
        // A person corrects the file, and the next turn archives it.
        Err(error @ (FlowFilesError::Dispatch { .. } | FlowFilesError::Attachments { .. })) => {
            (None, error.to_string())
        }
        Err(error) => return Err(error.into()),
    };
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
}

async fn judge(app: &Arc<App>, flow: Flow) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let own = flow.clone();
    let around = blocking(app, move |app| Surroundings::of(app, &own)).await?;
    let entry = around.entry(&turn);
    let was_ok = turn
        .report
        .as_ref()
        .is_some_and(|r| r.outcome == TurnOutcome::Ok);
    let is_done = entry.is_some_and(Entry::is_done);
    let mut checks = Vec::new();
    if is_done && was_ok {
        let ticket = entry.and_then(|entry| entry.ticket.as_ref());
        let mut commands: Vec<Check> = ticket
            .map(|ticket| ticket.verify.clone())
            .unwrap_or_default();
        commands.extend(flow.options.verify.iter().map(|command| Check {
            command: command.clone(),
            timeout: String::new(),
        }));
        for (n, check) in commands.iter().enumerate() {
            let result = run_check(app, &flow, &turn, n, check).await?;
            let passed = result.passed();
            checks.push(result);
            if !passed {
                break;
            }
        }
    }
    if checks.iter().any(|check| !check.passed()) {
        let params = json!({ "repo": flow.worktree, "ticket": turn.file, "holder": holder(&flow) });
        call(app, words::TICKET_REOPEN, &params).await?;
    }
    blocking(app, move |app| settle(app, &flow, &turn, checks)).await
}

/// Runs a check of a ticket under a host of its own; one that ran already is not run again.
async fn run_check(
    app: &Arc<App>,
    flow: &Flow,
    turn: &Turn,
    number: usize,
    check: &Check,
) -> Result<CheckResult, FlowsError> {
    let path = app
        .flows
        .folder(&flow.flow_id, turn.n, turn.attempt)
        .join(format!("check-{number}"));
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
            tail: "it was not trusted, and did not run; the next look asks".to_owned(),
            ..CheckResult::default()
        });
    }
    let folder = TurnFolder::create(path.clone()).map_err(fail)?;
    let seconds = seconds(&check.timeout).unwrap_or(CHECK_SECONDS);
    if folder.host() == HostState::Lost {
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
        turn_host::spawn(&folder, &app.flows.environment(&flow.flow_id)).map_err(fail)?;
    }
    let mut pace = LOOKS.0;
    let exit = loop {
        match folder.host() {
            HostState::Ended(exit) => break exit,
            HostState::Lost => break ExitNote::default(),
            HostState::Alive => tokio::time::sleep(pace).await,
        }
        pace = (pace * 2).min(LOOKS.1);
    };
    let tail = folder.tail("stdout.log", MAX_TAIL);
    Ok(CheckResult {
        command,
        exit: exit.code,
        ms: u64::try_from(exit.ended_at - exit.started_at).unwrap_or(0) * 1000,
        tail: scrub_text(&tail, &mut Report::default()).into_owned(),
        timed_out: exit.timed_out,
    })
}

/// Reads `90`, `90s`, `10m` or `2h` as seconds.
pub fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, factor) = match text.chars().last()? {
        's' => (text.trim_end_matches('s'), 1),
        'm' => (text.trim_end_matches('m'), 60),
        'h' => (text.trim_end_matches('h'), 3_600),
        _ => (text, 1),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(factor)
}

/// Looks at what a turn did, commits where that is the daemon's task, and settles it.
fn settle(app: &App, flow: &Flow, turn: &Turn, checks: Vec<CheckResult>) -> Result<(), FlowsError> {
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
        signal: around.fingerprint.clone(),
        checks,
    };
    let diff = match has_trees {
        true => worktree::diff_stat(worktree_path, &turn.tree_before, &around.tree),
        false => Default::default(),
    };
    let head = around.git.as_ref().map_or("", |git| git.head.as_str());
    let (now, tree) = (app.now().unix(), around.tree.as_str());
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
            head_after: head.to_owned(),
            tree_before: turn.tree_before.clone(),
            tree_after: tree.to_owned(),
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
        flow.judged(&facts, now);
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
