//! The daemon, asked over its socket: started when there is none, done without when there can be none.
//!
//! A request that was sent is never sent a second time: its answer, or that there was none, is told.

use std::io::{self, BufRead};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use aictx_files::private;
use aictx_proto::locations::{
    Locations, SOCKET_VARIABLE, is_inherited, may_start, usual_runtime_dir,
};
use aictx_proto::methods::{DOCTOR, FINALIZE, MAP_REFRESH};
use aictx_proto::rpc::{MAX_LINE_BYTES, METHOD_NOT_FOUND, RpcError, TOO_LARGE, UNAVAILABLE};
use aictx_proto::{PROTOCOL_VERSION, VERSION};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::Semaphore;

use crate::app::{App, Mode};
use crate::{methods, one_shot, process};

/// Calls of one client under way at once; others wait, so that one client leaves the daemon room for
/// the hooks of all.
const MAX_CALLS: usize = 8;
/// Time limit for a start, including the wait for another process's start.
const START_DEADLINE: Duration = Duration::from_secs(5);
const ANSWER_DEADLINE: Duration = Duration::from_secs(10);
const LONG_ANSWER_DEADLINE: Duration = Duration::from_secs(30);
/// Parsing a whole repository takes what it takes.
const REFRESH_DEADLINE: Duration = Duration::from_secs(630);

/// The user's places. Agents that keep the environment to themselves leave out where the runtime
/// directory is: then it is looked for where it usually is, unless a daemon serves elsewhere.
fn locations() -> (Locations, Option<String>) {
    let told = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let derived = one_shot::locations();
    if told("XDG_RUNTIME_DIR") || told(SOCKET_VARIABLE) || derived.socket.exists() {
        return (derived, None);
    }
    let usual = usual_runtime_dir(process::user_id());
    let ours = |meta: std::fs::Metadata| meta.is_dir() && meta.uid() == process::user_id();
    if !std::fs::symlink_metadata(&usual).is_ok_and(ours) {
        return (derived, None);
    }
    let socket = Path::new(&usual).join("aictx/v1/sock");
    let locations = Locations {
        socket,
        socket_note: "",
        ..derived
    };
    (locations, Some(usual))
}

/// The way to the daemon.
#[derive(Debug)]
pub(super) struct Backend {
    locations: Locations,
    /// The runtime directory, where the environment did not tell.
    runtime: Option<String>,
    may_start: bool,
    /// This program as it was when we started; it may be replaced while we serve.
    program: Option<PathBuf>,
    /// Calls that may be under way at once.
    turns: Semaphore,
}

impl Backend {
    /// By this process's environment.
    pub(super) fn from_env() -> Self {
        let (locations, runtime) = locations();
        Self {
            locations,
            runtime,
            may_start: may_start(|name| std::env::var(name).ok()),
            program: std::env::current_exe().ok(),
            turns: Semaphore::new(MAX_CALLS),
        }
    }

    /// Calls a method.
    ///
    /// # Errors
    /// What the method reports, or that its answer did not come.
    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let _turn = self.turns.acquire().await;
        match self.reach().await {
            Some(stream) => {
                let deadline = deadline_of(method, &params);
                let exchange = exchange(stream, method, &params);
                tokio::time::timeout(deadline, exchange)
                    .await
                    .unwrap_or_else(|_| Err(silent("it took too long")))
            }
            None => self.alone(method, &params).await,
        }
    }

    /// A connection to a daemon of this user, which may have to be started first.
    async fn reach(&self) -> Option<UnixStream> {
        match self.connect().await {
            Ok(stream) => return Some(stream),
            Err(e) if !means_nobody(&e) || !self.may_start => return None,
            Err(_) => {}
        }
        let (locations, program) = (self.locations.clone(), self.program.clone()?);
        let runtime = self.runtime.clone();
        let start = move || start(&locations, &program, runtime.as_deref());
        let start = tokio::task::spawn_blocking(start);
        match tokio::time::timeout(START_DEADLINE, start).await {
            Ok(Ok(Ok(()))) => self.connect().await.ok(),
            _ => None,
        }
    }

    async fn connect(&self) -> io::Result<UnixStream> {
        let stream = UnixStream::connect(&self.locations.socket).await?;
        if stream.peer_cred()?.uid() != process::user_id() {
            let text = "the socket is served by another user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        Ok(stream)
    }

    /// The same handlers in this process, as `aictxd once` has them.
    async fn alone(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        let app = Arc::new(App::new(Mode::Once, self.locations.clone()));
        let outcome = methods::call(&app, method, &params.to_string()).await;
        app.background_finished().await;
        let answer = outcome?;
        serde_json::from_str(&answer).map_err(|e| silent(&e.to_string()))
    }
}

fn deadline_of(method: &str, params: &Value) -> Duration {
    let wait = params.get("wait_ms").and_then(Value::as_u64).unwrap_or(0);
    let own = match method {
        FINALIZE | DOCTOR => LONG_ANSWER_DEADLINE,
        MAP_REFRESH => REFRESH_DEADLINE,
        _ => ANSWER_DEADLINE,
    };
    own.saturating_add(Duration::from_millis(wait))
}

/// Returns true if a failed connection means that no daemon serves there.
fn means_nobody(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}

fn silent(why: &str) -> RpcError {
    RpcError::new(UNAVAILABLE, format!("the daemon did not answer: {why}"))
        .hint("`aictx daemon logs` may say why; `aictx daemon restart` replaces it")
}

async fn exchange(mut stream: UnixStream, method: &str, params: &Value) -> Result<Value, RpcError> {
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "aictx": { "proto": PROTOCOL_VERSION, "client": VERSION },
        "method": method, "params": params,
    });
    let mut line = request.to_string().into_bytes();
    line.push(b'\n');
    let broken = |e: io::Error| silent(&e.to_string());
    stream.write_all(&line).await.map_err(broken)?;
    let mut answer = Vec::new();
    let mut reader = BufReader::new(stream).take(MAX_LINE_BYTES as u64 + 1);
    reader
        .read_until(b'\n', &mut answer)
        .await
        .map_err(broken)?;
    if answer.len() > MAX_LINE_BYTES {
        return Err(RpcError::new(TOO_LARGE, "the answer is longer than 16 MiB"));
    }
    let mut answer: Value =
        serde_json::from_slice(&answer).map_err(|_| silent("the connection was closed"))?;
    match answer.get_mut("error").map(Value::take) {
        Some(error) => Err(told(error)),
        None => Ok(answer
            .get_mut("result")
            .map(Value::take)
            .unwrap_or_default()),
    }
}

/// An error of the daemon's. It may be of an earlier release than we are.
fn told(error: Value) -> RpcError {
    match serde_json::from_value::<RpcError>(error) {
        Ok(error) if error.code == METHOD_NOT_FOUND.code => {
            error.hint("the daemon is of another release; `aictx daemon restart` replaces it")
        }
        Ok(error) => error,
        Err(e) => silent(&e.to_string()),
    }
}

/// Starts a daemon and waits for its word. Whoever starts one holds the start lock, looks again
/// first, and gives it the variables that a daemon may inherit and no others.
#[expect(
    clippy::disallowed_methods,
    reason = "starts the daemon, under a lock of the runtime directory"
)]
fn start(locations: &Locations, program: &Path, runtime: Option<&str>) -> io::Result<()> {
    private::directory(locations.runtime_dir())?;
    let _lock = private::lock(&locations.start_lock(), START_DEADLINE)?;
    if std::os::unix::net::UnixStream::connect(&locations.socket).is_ok() {
        return Ok(());
    }
    let kept = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_inherited));
    let mut child = Command::new(program)
        .args(["run", "--detach"])
        .env_clear()
        .envs(kept)
        .envs(runtime.map(|directory| ("XDG_RUNTIME_DIR", directory)))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut word = String::new();
    if let Some(output) = child.stdout.take() {
        io::BufReader::new(output).read_line(&mut word)?;
    }
    // Reaped when it ends while we serve; it is nobody's child afterwards.
    std::thread::spawn(move || child.wait());
    match word.trim() {
        "ready" | "busy" => Ok(()),
        other => Err(io::Error::other(other.to_owned())),
    }
}
