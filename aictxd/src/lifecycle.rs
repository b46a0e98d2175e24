//! The daemon's life: lock, socket, ready, serve, drain, stop.
//!
//! The lock held for life is what makes a daemon the only one; the socket appears by rename when
//! it already listens; the word `ready` goes out when clients can connect. Everything slow
//! (opening repositories, taking in the spool) comes after.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use aictx_files::{daemons, mounts, private};
use aictx_proto::text::file_stem;

use crate::app::{App, Mode, StopReason};
use crate::hosts::Host;
use crate::sessions::Live;
use crate::socket::PublicSocket;
use crate::{hook, logging, one_shot, process, rpc, spool, watch};

/// Requests in flight may take this long after a stop was asked for.
const DRAIN: Duration = Duration::from_secs(2);
/// And so long may take what is only brought up to date then.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// After a signal to end the process ends within this time, whatever hangs.
const LAST_RESORT: Duration = Duration::from_secs(8);
/// Interval of the daemon's housekeeping. Its only periodic wake-up.
const LOOK_AROUND: Duration = Duration::from_secs(60);
/// Interval at which everything is bounded that grows without a finalize, in minutes.
const TIDY_MINUTES: u32 = 60;
/// First descriptor that systemd passes.
const SYSTEMD_FIRST_FD: i32 = 3;

/// Options of the daemon's run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Leave the session of whoever started us, say `ready` on standard output, then be silent.
    pub detach: bool,
}

/// Result of an attempt to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// It served and stopped.
    Served,
    /// Another daemon serves already.
    Busy,
}

/// Runs the daemon until it is told to stop.
///
/// # Errors
/// When it cannot serve at all; the text names the file and the cause.
pub fn run(options: RunOptions) -> io::Result<Ended> {
    if options.detach {
        // Fails only for a process group leader, which then has no terminal to lose anyway.
        let _ = rustix::process::setsid();
    }
    let locations = one_shot::locations();
    private::directory(locations.runtime_dir()).map_err(|e| {
        let hint = "set AICTX_SOCKET to a path in a directory of yours";
        io::Error::new(e.kind(), format!("{e}; {hint}"))
    })?;
    let Some(lock) = take_lock(&locations.daemon_lock())? else {
        return Ok(Ended::Busy);
    };
    process::raise_file_limit();
    let log = logging::start(&locations.logs(), !options.detach);
    mounts::watch();
    mounts::guard_this_thread();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(8)
        .on_thread_start(mounts::guard_this_thread)
        .thread_keep_alive(Duration::from_secs(5))
        .build()?;
    let (listener, socket) = match inherited_listener() {
        Some(listener) => (listener, None),
        None => {
            let socket = PublicSocket::bind(&locations.socket)?;
            (socket.listener.try_clone()?, Some(socket))
        }
    };
    let lock_identity = identity(&lock.metadata()?);
    let mut place = Place {
        lock: locations.daemon_lock(),
        lock_identity,
        socket,
    };
    let entered = daemons::enter(&locations.state, std::process::id(), &locations.socket);
    let mut app = App::new(Mode::Daemon, locations);
    if let Err(error) = &entered {
        app.warnings.push(format!(
            "the daemon is not entered in the state directory: {error}"
        ));
    }
    app.reserve.fill();
    app.log = log.file.clone();
    app.warnings.extend(log.trouble.clone());
    app.previous_stop = take_last_stop(&app);
    let app = Arc::new(app);
    tracing::info!(
        version = aictx_proto::VERSION,
        pid = std::process::id(),
        socket = %app.locations.socket.display(),
        "serving"
    );
    let reason = runtime.block_on(serve(Arc::clone(&app), listener, &mut place, options))?;
    notify_systemd("STOPPING=1");
    if let Some(socket) = place.socket {
        socket.remove();
    }
    remember_stop(&app, reason);
    tracing::info!(reason = reason.as_str(), "stopped");
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop((entered, lock));
    Ok(Ended::Served)
}

/// The lock and the socket by which clients find this daemon.
struct Place {
    lock: PathBuf,
    lock_identity: (u64, u64),
    /// None when a service manager opened it.
    socket: Option<PublicSocket>,
}

fn identity(meta: &fs::Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

impl Place {
    /// Looks whether clients still find this daemon. Where only the socket is gone it is bound
    /// again and given for serving.
    ///
    /// # Errors
    /// When the lock is gone, and with it the right to the socket: another daemon may hold a new
    /// one.
    fn check(&mut self) -> Result<Option<UnixListener>, StopReason> {
        let lock = fs::symlink_metadata(&self.lock);
        if !lock.is_ok_and(|meta| identity(&meta) == self.lock_identity) {
            return Err(StopReason::Unreachable);
        }
        let Some(socket) = self.socket.as_mut().filter(|socket| !socket.is_in_place()) else {
            return Ok(None);
        };
        let bound = socket
            .bind_again()
            .and_then(|()| socket.listener.try_clone());
        match bound {
            Ok(listener) => {
                tracing::warn!("the socket was removed; it is bound again");
                Ok(Some(listener))
            }
            Err(error) => {
                tracing::error!(%error, "the socket was removed and cannot be bound again");
                Err(StopReason::Unreachable)
            }
        }
    }
}

async fn serve(
    app: Arc<App>,
    listener: UnixListener,
    place: &mut Place,
    options: RunOptions,
) -> io::Result<StopReason> {
    listener.set_nonblocking(true)?;
    let table = rpc::module(&app).map_err(io::Error::other)?;
    // From here on a signal drains; before it, it would just kill.
    let signals = listen_for_signals(&app)?;
    say_ready(options.detach);
    notify_systemd("READY=1");
    let (rebind, rebound) = tokio::sync::mpsc::channel(1);
    let server = tokio::spawn(rpc::serve(Arc::clone(&app), table, listener, rebound));
    // The first message of a person would wait for these patterns otherwise.
    drop(tokio::task::spawn_blocking(aictx_steer::warm));
    let keeper = tokio::spawn(keep_house(Arc::clone(&app)));
    let reason = loop {
        tokio::select! {
            reason = app.stopped() => break reason,
            () = app.place_changed.notified() => {}
        }
        match place.check() {
            Ok(None) => {}
            Ok(Some(listener)) => {
                let _ = rebind.send(listener).await;
            }
            Err(reason) => app.request_stop(reason),
        }
    };
    app.maps.stop();
    // A second signal, or the end of patience, skips the waiting.
    let drained = async {
        let _ = server.await;
        app.background_finished().await;
    };
    tokio::select! {
        () = drained => {}
        () = tokio::time::sleep(DRAIN) => tracing::warn!("stopped with requests in flight"),
        () = second_signal(signals) => tracing::warn!("stopped at once on a second signal"),
    }
    keeper.abort();
    list_failures(&app).await;
    app.maps.save();
    Ok(reason)
}

/// Brings up to date what is derived and may be behind. Without patience: it is made again at the
/// next occasion.
async fn list_failures(app: &App) {
    let mut hosts = app.hosts.all();
    hosts.retain(|host| mounts::check(&host.root).is_ok());
    let listed = tokio::task::spawn_blocking(move || {
        for host in hosts {
            host.settle();
            host.archive();
            if let Err(error) = host.list_failures(Duration::ZERO) {
                tracing::warn!(repo = %host.root.display(), %error, "failures were not listed");
            }
        }
    });
    if tokio::time::timeout(LAST_WORDS, listed).await.is_err() {
        tracing::warn!("stopped before all failures were listed");
    }
}

struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

fn listen_for_signals(app: &Arc<App>) -> io::Result<Signals> {
    let mut first = Signals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
    };
    let second = Signals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
    };
    // A write beyond the limit on file sizes is an error like a full disk, not the end.
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    end_at_last()?;
    let app = Arc::clone(app);
    tokio::spawn(async move {
        tokio::select! {
            _ = first.terminate.recv() => {}
            _ = first.interrupt.recv() => {}
        }
        app.request_stop(StopReason::Signal);
    });
    Ok(second)
}

/// Ends the process [`LAST_RESORT`] after a signal to end, should the thread that ought to do so
/// hang.
fn end_at_last() -> io::Result<()> {
    let (mut told, tell) = io::pipe()?;
    rustix::io::ioctl_fionbio(&tell, true)?;
    let tell = Arc::new(tell);
    for number in [SignalKind::terminate(), SignalKind::interrupt()] {
        let tell = Arc::clone(&tell);
        // SAFETY: the action only writes a byte to a pipe that does not block, which a signal handler
        // may do.
        unsafe {
            signal_hook_registry::register(number.as_raw_value(), move || {
                let _ = rustix::io::write(&*tell, b".");
            })?;
        }
    }
    std::thread::Builder::new()
        .name("end".into())
        .spawn(move || {
            if told.read_exact(&mut [0]).is_ok() {
                std::thread::sleep(LAST_RESORT);
                tracing::error!("did not stop in time");
                std::process::exit(1);
            }
        })?;
    Ok(())
}

/// Resolves at the second signal: the first one is the stop itself when a signal caused it.
async fn second_signal(mut signals: Signals) {
    for _ in 0..2 {
        tokio::select! {
            _ = signals.terminate.recv() => {}
            _ = signals.interrupt.recv() => {}
        }
    }
}

/// Opens what is registered, recovers what an earlier daemon left, then looks around once a
/// minute.
async fn keep_house(app: Arc<App>) {
    let watcher = watch::Service::start(&app);
    let _ = app.watcher.set(watcher.clone());
    let mut unusable = HashSet::new();
    open_registered(&app, &watcher, &mut unusable).await;
    // First what was observed meanwhile, so that it is part of what is finalized.
    spool::drain(&app).await;
    recover_sessions(&app).await;
    crate::flow::supervisor::recover(&app).await;
    tidy(&app).await;
    let mut minutes = 0_u32;
    let mut tick = tokio::time::interval(LOOK_AROUND);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    tick.tick().await;
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = watcher.spool_changed() => {
                spool::drain(&app).await;
                continue;
            }
            () = app.registry_changed.notified() => {
                open_registered(&app, &watcher, &mut unusable).await;
                continue;
            }
        }
        app.place_changed.notify_one();
        app.reserve.fill();
        app.waiting.try_again();
        minutes = minutes.wrapping_add(1);
        if minutes.is_multiple_of(TIDY_MINUTES) {
            tidy(&app).await;
        }
        app.registry.refresh();
        open_registered(&app, &watcher, &mut unusable).await;
        watcher.look_around();
        hook::finish_unfinished(&app).await;
        for (id, live) in app.sessions.all() {
            if live.is_over(app.now()) {
                let app = Arc::clone(&app);
                tokio::spawn(async move { hook::abandon(&app, &id).await });
            }
        }
        spool::drain(&app).await;
        if app.build.was_replaced() && app.sessions.all().is_empty() {
            app.request_stop(StopReason::Upgrade);
        }
    }
}

/// `unusable` holds the repositories whose trouble was logged already.
async fn open_registered(
    app: &Arc<App>,
    watcher: &watch::Service,
    unusable: &mut HashSet<PathBuf>,
) {
    if let Err(error) = app.registry.identify() {
        tracing::debug!(%error, "the registry was not brought up to date");
    }
    let registered: Vec<PathBuf> = app
        .registry
        .list()
        .into_iter()
        .filter(|e| e.exists)
        .map(|e| e.repo_path.into())
        .collect();
    watcher.keep_only(registered.clone());
    for root in registered {
        if let Some(lane) = app.lanes.of(&root) {
            let app = Arc::clone(app);
            lane.spawn(async move { open_slowly(&app, &root).await });
            continue;
        }
        match app.hosts.open(&root) {
            Ok(host) => {
                unusable.remove(&root);
                watcher.watch(&host);
            }
            Err(error) => {
                if unusable.insert(root.clone()) {
                    tracing::warn!(repo = %root.display(), %error, "not opened");
                }
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Opens a repository whose file system can hang, on its lane, and recovers its sessions the first
/// time.
async fn open_slowly(app: &Arc<App>, root: &Path) {
    let is_new = app.hosts.known(root).is_none();
    if let Ok(host) = app.hosts.open(root)
        && is_new
    {
        recover(app, vec![host]).await;
    }
}

async fn recover_sessions(app: &Arc<App>) {
    let mut hosts = app.hosts.all();
    hosts.retain(|host| mounts::check(&host.root).is_ok());
    recover(app, hosts).await;
}

/// Sessions whose end nobody saw: the daemon was not running, or was killed. Those that are still at work
/// come first, for others wait to hear of them.
async fn recover(app: &Arc<App>, hosts: Vec<Arc<Host>>) {
    let mut over = Vec::new();
    for host in hosts {
        let reader = Arc::clone(&host);
        let open = tokio::task::spawn_blocking(move || open_sessions(&reader)).await;
        for open in open.unwrap_or_default() {
            // A ledger is a file of the repository: a directory that it names is believed only
            // when it is this repository's.
            let named = PathBuf::from(&open.worktree);
            let is_ours = app.hosts.place(&named).is_ok_and(|p| p.root == host.root);
            let live = Live {
                host: Arc::clone(&host),
                runner: open.runner,
                worktree: if is_ours { named } else { host.root.clone() },
                process: process::AgentProcess {
                    pid: open.pid,
                    start: open.pid_start,
                },
                last_seen: open.last_seen,
                at_rest: open.at_rest,
                events: 0,
            };
            let id = open.session_id;
            if app.sessions.get(&id).is_some_and(|l| l.process.pid != 0) {
                // Heard of since this daemon started.
                continue;
            }
            if !open.ended && !live.is_over(app.now()) {
                // What it claims, has read and may not touch holds, also when there is no work yet.
                hook::adopt(app, &id, live);
            } else if open.has_work {
                app.sessions.end(&id);
                over.push((id, live, open.last_seen));
            }
        }
    }
    app.set_recovered();
    for (id, live, last_seen) in over {
        hook::finish_session(app, &id, &live, last_seen).await;
    }
}

/// Bounds what every repository keeps.
async fn tidy(app: &Arc<App>) {
    crate::flow::supervisor::prune(app).await;
    for host in app.hosts.all() {
        let Some(lane) = app.lanes.of(&host.root) else {
            host.tidy(app).await;
            host.store.unstock();
            continue;
        };
        let app = Arc::clone(app);
        lane.spawn(async move {
            host.tidy(&app).await;
            host.store.unstock();
        });
    }
}

/// Reads all ledgers of a repository, oldest session first, so that the newest handoff is written
/// last; blocks.
fn open_sessions(host: &Host) -> Vec<aictx_continuity::OpenSession> {
    let ledgers = host.store.ledgers();
    let mut open: Vec<_> = ledgers
        .iter()
        .filter_map(|file| {
            let ledger = host.store.read_ledger(&file.stem);
            let open = aictx_continuity::open_session(&ledger.rows)?;
            // The row names the session; a ledger of that session is the file that it is in.
            (file_stem(&open.session_id) == file.stem).then_some(open)
        })
        .collect();
    open.sort_by_key(|session| session.last_seen);
    open
}

#[expect(clippy::disallowed_methods, reason = "a file of the runtime directory")]
fn take_lock(path: &std::path::Path) -> io::Result<Option<File>> {
    let context = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    let mut lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(context)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(e)) => return Err(context(e)),
    }
    // For people only; the lock itself is what counts.
    lock.set_len(0).map_err(context)?;
    let _ = writeln!(lock, "{} {}", std::process::id(), aictx_proto::VERSION);
    Ok(Some(lock))
}

/// The socket that systemd opened for us, when it did.
fn inherited_listener() -> Option<UnixListener> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    if number("LISTEN_PID")? != std::process::id() || number("LISTEN_FDS")? == 0 {
        return None;
    }
    // SAFETY: the service manager passed this descriptor to this very process (LISTEN_PID) and
    // nothing else in the program knows its number.
    let socket = unsafe { OwnedFd::from_raw_fd(SYSTEMD_FIRST_FD) };
    let _ = rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC);
    Some(UnixListener::from(socket))
}

/// Tells whoever started us, then lets go of their pipe.
#[expect(clippy::disallowed_methods, reason = "/dev/null")]
fn say_ready(detached: bool) {
    if !detached {
        return;
    }
    let _ = io::stdout()
        .write_all(b"ready\n")
        .and_then(|()| io::stdout().flush());
    if let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
        let _ = rustix::stdio::dup2_stdin(&null);
    }
}

/// One datagram to the service manager, if there is one.
fn notify_systemd(state: &str) {
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let path = path.to_string_lossy().into_owned();
    let Ok(socket) = UnixDatagram::unbound() else {
        return;
    };
    #[cfg(target_os = "linux")]
    if let Some(name) = path.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        if let Ok(address) = SocketAddr::from_abstract_name(name) {
            let _ = socket.send_to_addr(state.as_bytes(), &address);
        }
        return;
    }
    if let Ok(address) = SocketAddr::from_pathname(&path) {
        let _ = socket.send_to_addr(state.as_bytes(), &address);
    }
}

fn last_stop_file(app: &App) -> PathBuf {
    app.locations.state.join("last_stop")
}

/// Reads and removes the reason the daemon before us left; a daemon that was killed left none.
#[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
fn take_last_stop(app: &App) -> String {
    let path = last_stop_file(app);
    let reason = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(path);
    reason.trim().chars().take(40).collect()
}

#[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
fn remember_stop(app: &App, reason: StopReason) {
    let _ = fs::write(last_stop_file(app), reason.as_str());
}
