//! Calling a method: a running daemon, else one that is started, else `aictxd once`.
//!
//! A request that was sent is not sent a second time, except where that changes nothing: once the
//! line is on its way, the answer or its absence is reported.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aictx_proto::methods::{
    self, CLEAN, DOCTOR, FINALIZE, HELLO, Hello, IMPORT, INIT, INSTALL, MAP_REFRESH, RESUME,
    Stopping, UNINSTALL,
};
use aictx_proto::rpc::{MAX_LINE_BYTES, PROTOCOL_MISMATCH, RpcError};
use aictx_proto::{PROTOCOL_VERSION, VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::{CliError, Kind};
use super::version_check::{self, Mismatch};
use crate::cli::daemon_exit::wait_until_gone;
use crate::connect;
use crate::paths::Places;
use crate::start::{StartError, ensure_daemon};

/// Time limit for a start, including the wait for another client's start.
pub const START_DEADLINE: Duration = Duration::from_secs(3);
/// Time that a connection waits for room in the daemon's queue.
const CONNECT_DEADLINE: Duration = Duration::from_secs(1);
/// Time limit for a greeting, after which the daemon counts as silent.
const HELLO_DEADLINE: Duration = Duration::from_secs(2);
const ANSWER_DEADLINE: Duration = Duration::from_secs(10);
const LONG_ANSWER_DEADLINE: Duration = Duration::from_secs(30);
/// Parsing a whole repository takes what it takes.
const REFRESH_DEADLINE: Duration = Duration::from_secs(630);
/// Methods that may be called again when nobody knows whether the first call was carried out:
/// finalize carries an id for that, resume replaces what it wrote.
const REPEATABLE: [&str; 2] = [FINALIZE, RESUME];
/// Hint about a daemon that misbehaves.
pub const RESTART_HINT: &str = "`aictx daemon restart` replaces the running daemon";

/// Why the daemon was not asked.
#[derive(Debug)]
enum Unreached {
    /// There is none and none may be started.
    Forbidden(String),
    /// There is one that does not answer a greeting.
    Silent(String),
    /// It cannot be connected to or started.
    Failed(String),
}

impl Unreached {
    /// Returns true if the user should hear of it even when the answer is had without a daemon.
    fn is_trouble(&self) -> bool {
        !matches!(self, Self::Forbidden(_))
    }
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Forbidden(text) | Self::Silent(text) | Self::Failed(text)) = self;
        f.write_str(text)
    }
}

/// The way to the daemon.
#[derive(Debug)]
pub struct Backend {
    /// Paths of this process.
    pub places: Places,
    replaced: Cell<bool>,
}

impl Backend {
    /// By this process's environment.
    pub fn from_env() -> Self {
        Self {
            places: Places::from_env(),
            replaced: Cell::new(false),
        }
    }

    /// Calls `method`, whatever it takes to get an answer.
    ///
    /// # Errors
    /// What the method reports, or why nobody could be asked.
    pub fn call(&self, method: &str, params: &impl Serialize) -> Result<Value, CliError> {
        let params = serde_json::to_value(params)
            .map_err(|e| CliError::new(Kind::Io, format!("the request cannot be written: {e}")))?;
        match self.reach() {
            Ok(mut stream) => {
                let deadline = deadline_of(method, &params);
                let answer = exchange_on(&mut stream, method, &params, deadline);
                match answer {
                    // It may be recorded or not; its id makes it safe to ask again.
                    Err(error) if error.kind == Kind::NoAnswer && REPEATABLE.contains(&method) => {
                        let why = Unreached::Silent(error.message);
                        self.once_because(method, &params, &why)
                    }
                    answer => answer,
                }
            }
            Err(why) => {
                if why.is_trouble() {
                    let _ = writeln!(io::stderr(), "aictx: {why}; working without the daemon");
                }
                self.once_because(method, &params, &why)
            }
        }
    }

    /// Calls `method` in a running daemon; `None` when there is none. Starts nothing.
    ///
    /// # Errors
    /// What the method reports.
    pub fn ask_running(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Option<Value>, CliError> {
        let Some(mut stream) = self.connect_running()? else {
            return Ok(None);
        };
        let params = serde_json::to_value(params).unwrap_or_else(|_| json!({}));
        exchange_on(&mut stream, method, &params, deadline_of(method, &params)).map(Some)
    }

    /// Greets the daemon, if one is running.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn hello(&self) -> Result<Option<Hello>, CliError> {
        self.ask_running(HELLO, &methods::Empty {})?
            .map(parse)
            .transpose()
    }

    /// Asks a running daemon to stop; gives its process id. `None` when there is none or it does not
    /// answer.
    pub fn ask_to_stop(&self) -> Option<u32> {
        let mut stream = self.connect_running().ok()??;
        let value = exchange_on(&mut stream, methods::STOP, &json!({}), HELLO_DEADLINE).ok()?;
        let stopping: Stopping = parse(value).ok()?;
        Some(stopping.pid)
    }

    fn connect_running(&self) -> Result<Option<UnixStream>, CliError> {
        let socket = &self.places.locations.socket;
        match connect::connect(socket, Instant::now() + CONNECT_DEADLINE) {
            Ok(stream) => Ok(Some(stream)),
            Err(e) if means_nobody(&e) => Ok(None),
            Err(e) => Err(CliError::io(socket.display(), &e)
                .hint("AICTX_SOCKET names another socket, for example in a directory of yours")),
        }
    }

    /// A connection to a daemon of our version, as far as that can be had; else the reason to
    /// answer without one.
    fn reach(&self) -> Result<UnixStream, Unreached> {
        let (mut stream, hello) = match self.greet() {
            // It was just stopping. Only a greeting was sent, so asking again does no harm.
            Err(Unreached::Silent(_)) => self.greet()?,
            other => other?,
        };
        let beside = || version_check::version_of(self.places.daemon.as_deref()?);
        let verdict = version_check::decide(&hello, VERSION, self.replaced.get(), beside);
        if verdict != Mismatch::Replace {
            return Ok(stream);
        }
        self.replaced.set(true);
        let params = json!({ "build": hello.build });
        let _ = exchange_on(&mut stream, methods::STOP, &params, HELLO_DEADLINE);
        drop(stream);
        wait_until_gone(&self.places, hello.pid);
        self.greet().map(|(stream, _)| stream)
    }

    fn greet(&self) -> Result<(UnixStream, Hello), Unreached> {
        let mut stream = self.connect_or_start()?;
        let hello = exchange_on(&mut stream, HELLO, &json!({}), HELLO_DEADLINE)
            .and_then(parse)
            .map_err(|e| Unreached::Silent(e.message))?;
        Ok((stream, hello))
    }

    fn connect_or_start(&self) -> Result<UnixStream, Unreached> {
        let socket = &self.places.locations.socket;
        let failed = |e: io::Error| Unreached::Failed(format!("{}: {e}", socket.display()));
        let end = Instant::now() + START_DEADLINE;
        match connect::connect(socket, Instant::now() + CONNECT_DEADLINE) {
            Ok(stream) => return Ok(stream),
            Err(e) if !means_nobody(&e) => return Err(failed(e)),
            Err(_) => {}
        }
        match ensure_daemon(&self.places, end) {
            Ok(()) => connect::connect(socket, end).map_err(failed),
            Err(e @ StartError::NotAllowed) => Err(Unreached::Forbidden(e.to_string())),
            Err(e @ StartError::Failed(_)) => Err(Unreached::Failed(e.to_string())),
        }
    }

    /// Answers without a daemon, even where one could be started.
    ///
    /// # Errors
    /// What the method reports.
    pub fn once(&self, method: &str, params: &Value) -> Result<Value, CliError> {
        self.once_because(method, params, &"no daemon is running")
    }

    /// The same library code in a process of its own.
    fn once_because(
        &self,
        method: &str,
        params: &Value,
        reason: &dyn fmt::Display,
    ) -> Result<Value, CliError> {
        let unreachable = |cause: String| {
            CliError::new(Kind::NoDaemon, format!("{reason}; {cause}"))
                .hint("install aictxd beside aictx, or set AICTX_DAEMON to its path")
        };
        let Some(program) = &self.places.daemon else {
            return Err(unreachable("there is no aictxd beside aictx".to_owned()));
        };
        let broken = |e: io::Error| unreachable(format!("{}: {e}", program.display()));
        let mut child = Command::new(program)
            .args(["once", method])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(broken)?;
        if let Some(mut stdin) = child.stdin.take() {
            // It reads everything before it writes anything, so this cannot block for ever; when
            // it dies early, its own words say more than our broken pipe.
            let _ = stdin.write_all(params.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(broken)?;
        if output.status.success() {
            return serde_json::from_slice(&output.stdout).map_err(|e| {
                unreachable(format!("`aictxd once {method}` answered nonsense: {e}"))
            });
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let error = said
            .lines()
            .rev()
            .find_map(|line| serde_json::from_str::<RpcError>(line).ok());
        Err(error.map_or_else(
            || unreachable(format!("`aictxd once {method}` failed: {}", said.trim())),
            CliError::from,
        ))
    }
}

/// Reads a result as a type.
///
/// # Errors
/// When the daemon answers something else: it is of another release.
pub fn parse<T: DeserializeOwned>(value: Value) -> Result<T, CliError> {
    serde_json::from_value(value).map_err(|e| {
        CliError::new(
            Kind::Method(PROTOCOL_MISMATCH.kind.to_owned()),
            format!("the daemon's answer is not understood: {e}"),
        )
        .hint(RESTART_HINT)
    })
}

/// Returns true if a failed connection means that no daemon serves there; anything else (rights, limits)
/// would hit a new daemon just the same.
fn means_nobody(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}

/// One request and its answer.
fn exchange_on(
    stream: &mut UnixStream,
    method: &str,
    params: &Value,
    deadline: Duration,
) -> Result<Value, CliError> {
    let line = request_line(method, params);
    if line.len() > MAX_LINE_BYTES {
        return Err(CliError::new(
            Kind::Method(aictx_proto::rpc::TOO_LARGE.kind.to_owned()),
            "the request is longer than 16 MiB",
        ));
    }
    let no_answer = |cause: String| {
        CliError::new(Kind::NoAnswer, cause)
            .hint(format!("`aictx daemon logs` may say why; {RESTART_HINT}"))
    };
    let end = Instant::now() + deadline;
    connect::send(stream, &line, end)
        .map_err(|e| no_answer(format!("the daemon does not take `{method}`: {e}")))?;
    let reader = stream
        .try_clone()
        .map_err(|e| no_answer(format!("the connection broke: {e}")))?;
    let answer = connect::read_line(reader, Vec::new(), end).ok_or_else(|| {
        no_answer(if Instant::now() < end {
            format!("the daemon closed the connection before it answered `{method}`")
        } else {
            format!(
                "the daemon did not answer `{method}` within {} s",
                deadline.as_secs()
            )
        })
    })?;
    outcome(&answer)
}

fn request_line(method: &str, params: &Value) -> Vec<u8> {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "aictx": { "proto": PROTOCOL_VERSION, "client": VERSION },
        "method": method,
        "params": params,
    });
    let mut line = request.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Time limit for an answer, the caller's own wait included.
fn deadline_of(method: &str, params: &Value) -> Duration {
    let wait = params.get("wait_ms").and_then(Value::as_u64).unwrap_or(0);
    let own = match method {
        FINALIZE | IMPORT | INIT | INSTALL | CLEAN | UNINSTALL | DOCTOR => LONG_ANSWER_DEADLINE,
        MAP_REFRESH => REFRESH_DEADLINE,
        _ => ANSWER_DEADLINE,
    };
    own.saturating_add(Duration::from_millis(wait))
}

/// The result in an answer line, or its error.
fn outcome(line: &[u8]) -> Result<Value, CliError> {
    let mut answer: Value = serde_json::from_slice(line).map_err(|e| {
        CliError::new(
            Kind::NoAnswer,
            format!("the daemon's answer is not JSON: {e}"),
        )
        .hint(RESTART_HINT)
    })?;
    if let Some(error) = answer.get_mut("error") {
        let mut error = CliError::from(parse::<RpcError>(error.take())?);
        if error.code() == PROTOCOL_MISMATCH.kind && !error.hint.contains("daemon restart") {
            error.hint = RESTART_HINT.to_owned();
        }
        return Err(error);
    }
    Ok(answer.get_mut("result").map_or(Value::Null, Value::take))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_say_who_speaks() {
        let line = request_line("guard", &json!({"a": "x\ny"}));
        let text = String::from_utf8(line).unwrap();
        assert_eq!(text.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["aictx"]["proto"], PROTOCOL_VERSION);
        assert_eq!(value["aictx"]["client"], VERSION);
        assert_eq!(value["params"]["a"], "x\ny");
    }

    #[test]
    fn answers() {
        assert_eq!(
            outcome(br#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#).unwrap(),
            json!({"a": 1})
        );
        let error = outcome(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m","data":{"kind":"protocol_mismatch","hint":""}}}"#).unwrap_err();
        assert_eq!(error.code(), "protocol_mismatch");
        assert!(error.hint.contains("aictx daemon restart"));
        assert_eq!(outcome(b"garbage").unwrap_err().code(), "no_answer");
    }

    #[test]
    fn writers_get_more_time() {
        let waiting = |ms: u64| json!({ "wait_ms": ms });
        assert_eq!(deadline_of("finalize", &json!({})).as_secs(), 30);
        assert_eq!(deadline_of("init", &json!({})).as_secs(), 30);
        assert_eq!(deadline_of("resume", &json!({})).as_secs(), 10);
        assert_eq!(deadline_of("map.query", &waiting(5_000)).as_secs(), 15);
    }

    fn asked(serve: impl FnOnce(UnixStream) + Send + 'static, deadline: u64) -> CliError {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || serve(theirs));
        let deadline = Duration::from_millis(deadline);
        let error = exchange_on(&mut ours, "finalize", &json!({}), deadline).unwrap_err();
        drop(ours);
        server.join().unwrap();
        error
    }

    #[test]
    fn a_daemon_that_leaves_or_sleeps_is_reported() {
        let leaves = |stream: UnixStream| {
            let _ = connect::read_line(stream, Vec::new(), Instant::now() + HELLO_DEADLINE);
        };
        let error = asked(leaves, 2_000);
        assert_eq!(error.code(), "no_answer");
        assert!(error.message.contains("closed"), "{}", error.message);
        let sleeps = |mut stream: UnixStream| {
            let _ = io::copy(&mut stream, &mut io::sink());
        };
        let error = asked(sleeps, 20);
        assert_eq!(error.code(), "no_answer");
        assert!(
            error.message.contains("did not answer"),
            "{}",
            error.message
        );
    }

    #[test]
    fn requests_over_the_limit_stay_here() {
        let (mut ours, _theirs) = UnixStream::pair().unwrap();
        let params = json!({ "summary": "x".repeat(MAX_LINE_BYTES) });
        let error = exchange_on(&mut ours, "finalize", &params, HELLO_DEADLINE).unwrap_err();
        assert_eq!(error.code(), "too_large");
    }
}
