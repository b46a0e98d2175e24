//! The host of a process: starts it, keeps its output and its end, and outlives the daemon.
//!
//! It is `aictxd host FOLDER` in a session of its own. The lock of its folder is its standard input, inherited
//! from the daemon, so that there is no moment at which the host runs and the lock is free.

use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aictx_files::{private, untrusted};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep_until, timeout};

use super::turn_folder::{ExitNote, HostNote, Request, TurnFolder};

/// Name of the variable that holds the folder: every process of a turn has it.
pub const TURN_DIR: &str = "AICTX_TURN_DIR";
/// Seconds between a polite end and a kill.
const LAST_GRACE: Duration = Duration::from_secs(5);
/// Time that pipes held by processes left behind get.
const DRAIN: Duration = Duration::from_millis(500);
/// Bytes copied at once.
const CHUNK: usize = 64 * 1024;
/// Line behind output that was cut off.
const CUT: &[u8] = b"\n[aictx: further output was dropped]\n";

/// Starts a host for what `request.json` of a folder asks for, with exactly this environment.
///
/// # Errors
/// A host has the folder already; the program cannot be started.
#[expect(clippy::disallowed_methods, reason = "the host bounds what it runs")]
pub fn spawn(folder: &TurnFolder, environment: &[(String, String)]) -> io::Result<()> {
    let lock = folder.lock()?;
    let mut command = tokio::process::Command::new(std::env::current_exe()?);
    command
        .arg("host")
        .arg(folder.path())
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .env(TURN_DIR, folder.path())
        .current_dir("/")
        .stdin(Stdio::from(lock))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // tokio reaps it when it ends while the daemon lives; afterwards somebody else does.
    command.spawn().map(drop)
}

/// Runs as the host of a folder.
pub fn run(folder: PathBuf) -> ExitCode {
    // Signals to the daemon's session are not for us.
    let _ = rustix::process::setsid();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let folder = TurnFolder::at(folder);
    let done = runtime.and_then(|runtime| {
        let done = runtime.block_on(host(&folder));
        runtime.shutdown_background();
        done
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("aictxd: host: {}: {error}", folder.path().display());
            ExitCode::FAILURE
        }
    }
}

async fn host(folder: &TurnFolder) -> io::Result<()> {
    if folder.read_json::<ExitNote>("exit.json").is_some() {
        return Ok(());
    }
    let request: Request = folder
        .read_json("request.json")
        .ok_or_else(|| io::Error::other("request.json cannot be read"))?;
    let (mut interrupt, mut terminate) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    );
    let started_at = now();
    folder.write_json(
        "host.json",
        &HostNote {
            pid: rustix::process::getpid().as_raw_nonzero().get(),
            started_at,
        },
    )?;
    let mut exit = ExitNote {
        started_at,
        ..ExitNote::default()
    };
    let mut child = match start(folder, &request) {
        Ok(child) => child,
        Err(error) => {
            exit.not_started = format!("{}: {error}", request.program);
            exit.ended_at = now();
            return folder.write_json("exit.json", &exit);
        }
    };
    let outputs = [
        child.stdout().take().map(|pipe| {
            let log = folder.file("stdout.log");
            tokio::spawn(keep(pipe, log, request.max_output))
        }),
        child.stderr().take().map(|pipe| {
            let log = folder.file("stderr.log");
            tokio::spawn(keep(pipe, log, request.max_output))
        }),
    ];
    let mut steps = Escalation::new(&request);
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            _ = interrupt.recv() => exit.interrupted = true,
            _ = terminate.recv() => exit.interrupted = true,
            () = sleep_until(steps.at) => exit.timed_out |= steps.signals == 0,
        }
        steps.next(child.as_mut());
    };
    // What the process left behind must not outlive its turn.
    let _ = child.start_kill();
    kill_marked(folder.path());
    for output in outputs.into_iter().flatten() {
        let abort = output.abort_handle();
        match timeout(DRAIN, output).await {
            Ok(Ok(Ok(bytes))) => exit.output += bytes,
            _ => abort.abort(),
        }
    }
    exit.ended_at = now();
    (exit.code, exit.signal) = status.map_or((None, None), of_status);
    folder.write_json("exit.json", &exit)
}

fn start(folder: &TurnFolder, request: &Request) -> io::Result<Box<dyn ChildWrapper>> {
    let mut command = tokio::process::Command::new(&request.program);
    let stdin = match request.has_prompt {
        true => {
            let prompt = untrusted::open(&folder.file("prompt.md"));
            Stdio::from(prompt.map_err(io::Error::other)?.into_file())
        }
        false => Stdio::null(),
    };
    command
        .args(&request.args)
        .current_dir(&request.cwd)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    CommandWrap::from(command)
        .wrap(ProcessGroup::leader())
        .spawn()
}

fn of_status(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    (status.code(), status.signal())
}

/// Signals to a process group, each harder than the one before.
struct Escalation {
    at: Instant,
    signals: u32,
    grace: Duration,
}

impl Escalation {
    fn new(request: &Request) -> Self {
        Self {
            at: Instant::now() + Duration::from_secs(request.timeout),
            signals: 0,
            grace: Duration::from_secs(request.grace),
        }
    }

    fn next(&mut self, child: &mut dyn ChildWrapper) {
        let (signal, patience) = match self.signals {
            0 => (Signal::INT, self.grace),
            1 => (Signal::TERM, LAST_GRACE),
            _ => (Signal::KILL, LAST_GRACE),
        };
        let _ = child.signal(signal.as_raw());
        self.signals += 1;
        self.at = Instant::now() + patience;
    }
}

/// Copies output to a file, up to a limit; returns how much there was.
async fn keep(mut from: impl AsyncRead + Unpin, to: PathBuf, limit: u64) -> io::Result<u64> {
    let mut file = private::file(&to)?;
    file.set_len(0)?;
    let mut buffer = vec![0; CHUNK];
    let mut all: u64 = 0;
    loop {
        let read = from.read(&mut buffer).await?;
        let Some(chunk) = buffer.get(..read).filter(|chunk| !chunk.is_empty()) else {
            return Ok(all);
        };
        let room = usize::try_from(limit.saturating_sub(all)).unwrap_or(usize::MAX);
        let kept = chunk.get(..room.min(read)).unwrap_or(chunk);
        file.write_all(kept)?;
        if all <= limit && all + read as u64 > limit {
            file.write_all(CUT)?;
        }
        all += read as u64;
    }
}

/// Kills every process that has this folder in its environment, the caller excepted. Processes that left the
/// group of the agent are found by it, and process ids that were given away again are not.
pub fn kill_marked(folder: &Path) {
    for pid in marked(folder) {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// Processes that have this folder in their environment, the caller excepted.
#[cfg(target_os = "linux")]
fn marked(folder: &Path) -> Vec<Pid> {
    let mut mark = format!("{TURN_DIR}=").into_bytes();
    mark.extend_from_slice(folder.as_os_str().as_encoded_bytes());
    let own = rustix::process::getpid();
    let entries = untrusted::entries(Path::new("/proc")).into_iter().flatten();
    let pids = entries.filter_map(|entry| Pid::from_raw(entry.name.to_str()?.parse().ok()?));
    let is_marked = |pid: &Pid| {
        let environment = proc_file(*pid, "environ");
        let mut entries = environment.split(|byte| *byte == 0);
        *pid != own && entries.any(|entry| entry == mark)
    };
    pids.filter(is_marked).collect()
}

/// Processor time of the processes of a folder, in a unit of the system: it changes while they work.
#[cfg(target_os = "linux")]
pub fn work_done(folder: &Path) -> u64 {
    let time = |pid: Pid| {
        let stat = String::from_utf8(proc_file(pid, "stat")).ok()?;
        // The name before it may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11);
        let user: u64 = fields.next()?.parse().ok()?;
        Some(user + fields.next()?.parse::<u64>().ok()?)
    };
    marked(folder).into_iter().filter_map(time).sum()
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a file of the kernel")]
fn proc_file(pid: Pid, name: &str) -> Vec<u8> {
    std::fs::read(format!("/proc/{}/{name}", pid.as_raw_nonzero())).unwrap_or_default()
}

/// Processes that have this folder in their environment, the caller excepted.
#[cfg(not(target_os = "linux"))]
fn marked(folder: &Path) -> Vec<Pid> {
    let mut list = std::process::Command::new("ps");
    list.args(["-E", "-ww", "-x", "-o", "pid=,command="]);
    let limits = aictx_files::child::Limits::new(Duration::from_secs(5), CHUNK * 256);
    let listed = aictx_files::child::output(&mut list, limits);
    let listed = listed.map_or_else(|_| Vec::new(), |output| output.bytes);
    let mark = format!("{TURN_DIR}={}", folder.display());
    let own = rustix::process::getpid();
    let marked = |line: &str| {
        let (pid, command) = line.trim_start().split_once(' ')?;
        let pid = Pid::from_raw(pid.parse().ok()?)?;
        let is_marked = command.split(' ').any(|word| word == mark);
        (is_marked && pid != own).then_some(pid)
    };
    String::from_utf8_lossy(&listed)
        .lines()
        .filter_map(marked)
        .collect()
}

/// Always another number: nothing tells cheaply whether processes work, so none counts as idle.
#[cfg(not(target_os = "linux"))]
pub fn work_done(_: &Path) -> u64 {
    u64::try_from(now()).unwrap_or(0)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}
