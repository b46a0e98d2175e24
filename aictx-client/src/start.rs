//! Starting the daemon, without races: a start lock around "look again, then spawn", and a pipe on
//! which the new daemon says that it serves. A PID file or an existing socket proves nothing.

use std::fmt;
use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use aictx_files::private;
use aictx_proto::locations::{NO_DAEMON_VARIABLE, is_inherited};

use crate::connect;
use crate::paths::Places;

/// Why there is no daemon.
#[derive(Debug)]
pub enum StartError {
    /// `AICTX_NO_DAEMON` is set, or there is no `aictxd` to start.
    NotAllowed,
    /// It was tried; the text names the cause.
    Failed(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed => write!(
                f,
                "no daemon is running and {NO_DAEMON_VARIABLE} forbids starting one"
            ),
            Self::Failed(cause) => write!(f, "the daemon could not be started: {cause}"),
        }
    }
}

/// Makes sure that a daemon serves the socket, starting one when there is none.
///
/// # Errors
/// See [`StartError`].
pub fn ensure_daemon(places: &Places, end: Instant) -> Result<(), StartError> {
    if connect::connect(&places.locations.socket, end).is_ok() {
        return Ok(());
    }
    if !places.may_start() {
        return Err(StartError::NotAllowed);
    }
    let failed = |what: &str, error: std::io::Error| StartError::Failed(format!("{what}: {error}"));
    private::directory(places.locations.runtime_dir()).map_err(|e| {
        let hint = "set AICTX_SOCKET to a path in a directory of yours";
        StartError::Failed(format!("socket directory: {e}; {hint}"))
    })?;
    let lock_path = places.locations.start_lock();
    let patience = end.saturating_duration_since(Instant::now());
    let _lock = private::lock(&lock_path, patience).map_err(|e| match e.kind() {
        ErrorKind::WouldBlock => {
            StartError::Failed("another client is still starting it".to_owned())
        }
        _ => failed("start lock", e),
    })?;
    // Somebody else may have won while we waited.
    if connect::connect(&places.locations.socket, end).is_ok() {
        return Ok(());
    }
    spawn(places, end)
}

/// Starts `aictxd` in a session of its own and waits for its word on its standard output.
fn spawn(places: &Places, end: Instant) -> Result<(), StartError> {
    let program = places.daemon.as_ref().ok_or_else(|| {
        StartError::Failed("aictxd is not beside aictx; set AICTX_DAEMON to its path".into())
    })?;
    let kept = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_inherited));
    let mut child = Command::new(program)
        .args(["run", "--detach"])
        .env_clear()
        .envs(kept)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| StartError::Failed(format!("{}: {e}", program.display())))?;
    let Some(stdout) = child.stdout.take() else {
        return Err(StartError::Failed("no pipe to the new daemon".into()));
    };
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut word = String::new();
        let _ = BufReader::new(stdout).read_line(&mut word);
        let _ = sender.send(word);
        // Reap it if it ends while we are still here; it is nobody's child afterwards.
        let _ = child.wait();
    });
    let left = end.saturating_duration_since(Instant::now());
    match receiver.recv_timeout(left).as_deref().map(str::trim) {
        Ok("ready" | "busy") => Ok(()),
        Ok("") => Err(StartError::Failed(
            "it ended at once; `aictxd run` in a terminal shows why".into(),
        )),
        Ok(text) => Err(StartError::Failed(text.to_owned())),
        Err(_) => Err(StartError::Failed("it did not answer in time".into())),
    }
}
