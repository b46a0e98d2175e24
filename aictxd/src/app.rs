//! The state that handlers share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aictx_artifacts::root;
use aictx_proto::Timestamp;
use aictx_proto::identity::{Caller, Identity};
use aictx_proto::locations::Locations;
use aictx_proto::methods::AtWork;
use tokio::sync::watch;

use crate::connections::Connections;
use crate::hosts::Hosts;
use crate::index_service::Maps;
use crate::intake;
use crate::lanes::Lanes;
use crate::policy::Policies;
use crate::process::{Build, Reserve};
use crate::registry::Registry;
use crate::session_activity::Presence;
use crate::sessions::Sessions;
use crate::setup::ledger::Ledger;
use crate::stats::Stats;
use crate::storage_location::Homes;
use crate::worktree_facts::Facts;

/// Why the daemon stops; logged, and shown by the next daemon's `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// `daemon.stop`.
    Request,
    /// SIGTERM or SIGINT.
    Signal,
    /// The program file was replaced by another build.
    Upgrade,
    /// Its runtime directory is gone: no client can find it any more.
    Unreachable,
}

impl StopReason {
    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Signal => "signal",
            Self::Upgrade => "upgrade",
            Self::Unreachable => "unreachable",
        }
    }
}

/// Way in which this process was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A daemon: watches, keeps sessions, waits for processes.
    Daemon,
    /// One call, then exit.
    Once,
}

/// Everything handlers need. One per process.
#[derive(Debug)]
pub struct App {
    /// Daemon or one call.
    pub mode: Mode,
    /// The user's places.
    pub locations: Locations,
    /// The user's own policy file.
    pub user_policy: PathBuf,
    /// Storage locations of memories.
    pub homes: Homes,
    /// Open repositories.
    pub hosts: Hosts,
    /// Indexes of worktrees.
    pub maps: Arc<Maps>,
    /// The watcher, once it runs.
    pub watcher: std::sync::OnceLock<crate::watch::Service>,
    /// Facts of worktrees beside their memory.
    pub facts: Facts,
    /// Cached answers of git.
    pub git: crate::git::Answers,
    /// Reads, writes and limits of sessions.
    pub presence: Presence,
    /// Policies as read last.
    pub policies: Policies,
    /// Threads for repositories on file systems that can hang.
    pub lanes: Lanes,
    /// Live sessions.
    pub sessions: Sessions,
    /// Events that this process took, by id.
    pub events: crate::hook::Events,
    /// Events that were told just now, where they are told twice.
    pub repeats: crate::hook::Repeats,
    /// Flows of the daemon.
    pub flows: crate::flow::supervisor::Flows,
    /// Registered repositories.
    pub registry: Registry,
    /// Counters.
    pub stats: Stats,
    /// Open connections.
    pub connections: Arc<Connections>,
    /// Descriptors for when there are no others.
    pub reserve: Reserve,
    /// Identity of the running program file.
    pub build: Build,
    /// Start of this process.
    pub started: Instant,
    /// Start in nanoseconds since the epoch.
    pub generation: u64,
    /// Log file, when there is one.
    pub log: Option<PathBuf>,
    /// Why the daemon before this one stopped.
    pub previous_stop: String,
    /// Trouble found at start (read-only home and the like).
    pub warnings: Vec<String>,
    stop: watch::Sender<Option<StopReason>>,
    /// True once the sessions that an earlier daemon left are known.
    recovered: watch::Sender<bool>,
    /// Something happened to the socket or its directory.
    pub place_changed: Arc<tokio::sync::Notify>,
    /// Repositories were registered or removed: somebody should look after them now.
    pub registry_changed: tokio::sync::Notify,
    /// Events that were tried and have to wait.
    pub waiting: crate::spool::Waiting,
    /// Held while the spool is taken in, so that events stay in order.
    pub spool_turn: tokio::sync::Mutex<()>,
    /// Work that goes on after its reply; `once` waits for it.
    background: AtomicU64,
    background_done: tokio::sync::Notify,
}

/// Files told of each session that is at work.
const MAX_FILES: usize = 20;

impl App {
    /// Returns the identity of a caller: a live session tells its agent, where the caller
    /// does not know.
    pub fn identify(&self, caller: &Caller, worktree: &Path) -> Identity {
        let mut identity = caller.identify(|agent| self.sessions.only_live(agent, worktree));
        identity.session_id = intake::session_id(&identity.session_id).into_owned();
        for name in [&mut identity.agent_id, &mut identity.adapter_id] {
            *name = intake::text(name).into_owned();
        }
        let unknown = |name: &str| name == "generic";
        if unknown(&identity.agent_id)
            && unknown(&identity.adapter_id)
            && let Some(live) = self.sessions.get(&identity.session_id)
        {
            identity.agent_id.clone_from(&live.runner);
            identity.adapter_id = live.runner;
        }
        identity
    }

    /// Returns true if the repository at `root` is a registered one that was moved there; if so, everything that
    /// goes by its path follows. Costs next to nothing when it is not.
    pub fn follow_move(&self, root: &Path) -> bool {
        let from = match self.registry.follow(root) {
            Ok(Some(from)) => from,
            Ok(None) => return false,
            Err(error) => {
                tracing::warn!(repo = %root.display(), %error, "was moved; the registry does not know");
                return false;
            }
        };
        tracing::info!(repo = %root.display(), from = %from.display(), "was moved");
        if let Err(error) = self.homes.moved(&from, root) {
            tracing::warn!(repo = %root.display(), %error, "its memory did not move with it");
        }
        let noted = Ledger::open(&self.locations.state, true).and_then(|mut ledger| {
            ledger.moved(&from, root);
            ledger.save()
        });
        if let Err(error) = noted {
            tracing::warn!(repo = %root.display(), %error, "what was installed in it is not known any more");
        }
        self.hosts.close(&from);
        if let Ok(host) = self.hosts.open(root) {
            for (id, live) in self.sessions.all() {
                if live.host.root != from {
                    continue;
                }
                let within = live.worktree.strip_prefix(&from);
                let worktree = within.map_or_else(|_| live.worktree.clone(), |w| root.join(w));
                self.sessions.moved_to(&id, &host, &worktree);
                // Its files go by their paths.
                self.presence.ended(&id);
                let rows = host.store.read_ledger(&id).rows;
                self.presence.recall(&id, &live.runner, &worktree, &rows);
            }
        }
        self.registry_changed.notify_one();
        true
    }

    /// Returns the sessions at work in a repository, the most recently seen first.
    pub fn at_work(&self, root: &Path) -> Vec<AtWork> {
        let all = self.sessions.all().into_iter();
        let here = all.filter(|(_, live)| live.host.root == root);
        let mut sessions: Vec<AtWork> = here
            .map(|(id, live)| {
                let (_, request, edited) = self.presence.of(&id);
                let limits = self.presence.limits(&live.host, &id);
                let relative = |path: &PathBuf| {
                    path.strip_prefix(&live.worktree)
                        .unwrap_or(path)
                        .to_string_lossy()
                        .into_owned()
                };
                AtWork {
                    runner: live.runner.clone(),
                    branch: root::head(&live.worktree).branch,
                    worktree: live.worktree.to_string_lossy().into_owned(),
                    request,
                    files: edited.iter().rev().take(MAX_FILES).map(relative).collect(),
                    limits: limits.forbidden_paths.clone(),
                    claims: self.presence.claims(&id),
                    last_seen_at: live.last_seen.to_string(),
                    session_id: id,
                }
            })
            .collect();
        sessions.sort_by(|a, b| {
            b.last_seen_at
                .cmp(&a.last_seen_at)
                .then_with(|| a.session_id.cmp(&b.session_id))
        });
        sessions
    }

    /// Builds the state. Opens nothing yet.
    pub fn new(mode: Mode, locations: Locations) -> Self {
        let registry = Registry::load(locations.registry());
        let homes = Homes::new(&locations.state);
        Self {
            mode,
            user_policy: crate::policy::user_file(&locations.state),
            hosts: Hosts::new(
                mode,
                homes.clone(),
                vec![locations.state.clone(), locations.runtime_dir().to_owned()],
            ),
            maps: Arc::new(Maps::new(mode, &locations.cache, homes.clone())),
            homes,
            watcher: std::sync::OnceLock::new(),
            facts: Facts::default(),
            git: crate::git::Answers::default(),
            presence: Presence::default(),
            policies: Policies::default(),
            lanes: Lanes::default(),
            sessions: Sessions::default(),
            events: crate::hook::Events::default(),
            flows: crate::flow::supervisor::Flows::new(&locations.state),
            repeats: crate::hook::Repeats::default(),
            stats: Stats::default(),
            connections: Arc::default(),
            reserve: Reserve::default(),
            build: Build::of_this_program(),
            started: Instant::now(),
            generation: unix_nanos(),
            log: None,
            previous_stop: String::new(),
            warnings: Vec::new(),
            stop: watch::Sender::new(None),
            recovered: watch::Sender::new(mode == Mode::Once),
            place_changed: Arc::default(),
            registry_changed: tokio::sync::Notify::new(),
            waiting: crate::spool::Waiting::default(),
            spool_turn: tokio::sync::Mutex::new(()),
            background: AtomicU64::new(0),
            background_done: tokio::sync::Notify::new(),
            registry,
            locations,
        }
    }

    /// Now, by the system clock. Only the outermost layer reads it; decisions are given the time.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix(i64::try_from(unix_nanos() / 1_000_000_000).unwrap_or(0))
    }

    /// Lets go of descriptors that are only convenient, when there are no others.
    pub fn shed(&self) {
        self.reserve.release();
        for host in self.hosts.all() {
            host.store.unstock();
        }
    }

    /// Asks the server to stop; the first reason wins.
    pub fn request_stop(&self, reason: StopReason) {
        self.stop.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(reason);
            }
            first
        });
    }

    /// Says that the sessions which an earlier daemon left at work are known.
    pub fn set_recovered(&self) {
        self.recovered.send_replace(true);
    }

    /// Waits until [`Self::set_recovered`], at most for `patience`. At once after that.
    pub async fn recovered(&self, patience: Duration) {
        if !*self.recovered.borrow() {
            let mut receiver = self.recovered.subscribe();
            let known = receiver.wait_for(|known| *known);
            let _ = tokio::time::timeout(patience, known).await;
        }
    }

    /// Returns the reason of a requested stop.
    pub fn stopping(&self) -> Option<StopReason> {
        *self.stop.borrow()
    }

    /// Waits until a stop is asked for.
    pub async fn stopped(&self) -> StopReason {
        let mut receiver = self.stop.subscribe();
        loop {
            if let Some(reason) = *receiver.borrow_and_update() {
                return reason;
            }
            if receiver.changed().await.is_err() {
                return StopReason::Request;
            }
        }
    }

    /// Runs `work` after the current reply has left.
    pub fn after_reply(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        self.background.fetch_add(1, Ordering::Relaxed);
        let app = Arc::clone(self);
        tokio::spawn(async move {
            work.await;
            app.background.fetch_sub(1, Ordering::Relaxed);
            app.background_done.notify_waiters();
        });
    }

    /// Waits until nothing started by [`Self::after_reply`] is left.
    pub async fn background_finished(&self) {
        loop {
            let done = self.background_done.notified();
            if self.background.load(Ordering::Relaxed) == 0 {
                return;
            }
            done.await;
        }
    }
}

/// Nanoseconds since the Unix epoch; 0 when the clock stands before it.
pub fn unix_nanos() -> u64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
