//! A hermetic environment for end-to-end tests: temporary home, own socket, real git, the real
//! binaries; nothing of the user's environment gets in and nothing gets out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use aictx_files::key::UserKey;
use aictx_files::spool::Spool;
use aictx_proto::methods::DaemonStatus;
use serde_json::{Value, json};
use tempfile::TempDir;

pub use programs::program;

pub mod agents;
pub mod chaos;
pub mod documentation;
pub mod hostile;
pub mod mcp;
pub mod memory;
pub mod play;
mod programs;
pub mod session;
pub mod stable_text;
pub mod terminal;

/// An id for a tool call, as agents give each of theirs: another one every time.
pub fn call_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("call-{}", LAST.fetch_add(1, Ordering::Relaxed))
}

/// Time limit after which a test gives up waiting. Generous: it is a bound, not a
/// measurement.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// One user with a home, a runtime directory and repositories.
#[derive(Debug)]
pub struct TestEnv {
    directory: TempDir,
    variables: BTreeMap<String, String>,
}

/// Result of a program.
#[derive(Debug)]
pub struct Run {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit status; -1 for death by signal.
    pub status: i32,
}

impl Run {
    fn of(output: &Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code().unwrap_or(-1),
        }
    }

    /// Fails the test unless the program succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(
            self.status, 0,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.stdout.trim())
            .unwrap_or_else(|e| panic!("{e}: {}\nstderr: {}", self.stdout, self.stderr))
    }
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// An empty home. Nothing runs yet.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("aictx-").tempdir().unwrap();
        let root = directory.path();
        for name in ["home", "run", "state", "cache"] {
            let path = root.join(name);
            fs::create_dir(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let text = |name: &str| root.join(name).to_string_lossy().into_owned();
        let variables = [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("HOME", text("home")),
            ("XDG_RUNTIME_DIR", text("run")),
            ("XDG_STATE_HOME", text("state")),
            ("XDG_CACHE_HOME", text("cache")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_AUTHOR_NAME", "T".into()),
            ("GIT_AUTHOR_EMAIL", "t@example.invalid".into()),
            ("GIT_COMMITTER_NAME", "T".into()),
            ("GIT_COMMITTER_EMAIL", "t@example.invalid".into()),
            ("NO_COLOR", "1".into()),
            // Debug builds on busy machines: deadlines are what one test checks, not all of them.
            ("AICTX_HOOK_TIMEOUT_MS", "20000".into()),
            ("AICTXD_SESSION_GRACE_MS", "50".into()),
        ];
        let variables = variables
            .into_iter()
            .map(|(k, v)| (k.to_owned(), v))
            .collect();
        Self {
            directory,
            variables,
        }
    }

    /// The environment's root directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Sets a variable for everything started from here on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.path().join("run/aictx/v1/sock")
    }

    /// A command with this environment and no other.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.path());
        command
    }

    /// Runs `aictx` with arguments in a directory.
    #[must_use]
    pub fn aictx(&self, directory: &Path, arguments: &[&str]) -> Run {
        let output = self
            .command(program("aictx"))
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Run::of(&output)
    }

    /// Runs `aictx hook claude` with these bytes on standard input.
    #[must_use]
    pub fn hook_bytes(&self, directory: &Path, payload: &[u8]) -> Run {
        self.with_input(
            self.command(program("aictx"))
                .args(["hook", "claude"])
                .current_dir(directory),
            payload,
        )
    }

    /// Runs `aictx hook claude` with a payload.
    #[must_use]
    pub fn hook(&self, directory: &Path, payload: &Value) -> Run {
        self.hook_bytes(directory, payload.to_string().as_bytes())
    }

    /// Runs `aictxd once <method>` with parameters.
    #[must_use]
    pub fn once(&self, method: &str, params: &Value) -> Run {
        self.with_input(
            self.command(program("aictxd")).args(["once", method]),
            params.to_string().as_bytes(),
        )
    }

    /// Runs a command with these bytes on standard input.
    #[must_use]
    pub fn with_input(&self, command: &mut Command, input: &[u8]) -> Run {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // The other side may stop reading (that is what some tests are about).
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run::of(&output)
    }

    /// Runs git.
    #[track_caller]
    pub fn git(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self
            .command("git")
            .args(arguments)
            .current_dir(directory)
            .output()
            .unwrap();
        Run::of(&output).ok().stdout
    }

    /// A git repository with one commit, not initialised for aictx.
    pub fn plain_repository(&self, name: &str) -> PathBuf {
        let root = self.path().join(name);
        fs::create_dir_all(&root).unwrap();
        let root = fs::canonicalize(root).unwrap();
        self.git(&root, &["init", "-q", "-b", "main", "."]);
        fs::write(root.join("README.md"), "# Demo calculator\n").unwrap();
        fs::write(root.join("calc.py"), "def add(a, b):\n    return a-b\n").unwrap();
        fs::write(root.join("test_calc.py"), "from calc import add\n").unwrap();
        fs::write(root.join("pyproject.toml"), "[project]\nname = \"demo\"\n").unwrap();
        self.git(&root, &["add", "-A"]);
        self.git(&root, &["commit", "-q", "-m", "start"]);
        root
    }

    /// A git repository that is initialised and registered.
    pub fn repository(&self, name: &str) -> PathBuf {
        let root = self.plain_repository(name);
        let params = json!({
            "repo": root, "runners": ["claude"], "program": program("aictx"),
        });
        self.once("init", &params).ok();
        root
    }

    /// Puts an event into the spool as a client does, under this number in the order of events.
    pub fn spool(&self, number: u64, params: &Value) {
        let state = self.path().join("state/aictx");
        let key = UserKey::load_or_create(&state).unwrap();
        let spool = Spool::private(&state.join("spool")).unwrap();
        let draft = Spool::private(&self.path().join("spool-draft")).unwrap();
        let line = json!({ "params": params }).to_string();
        draft.put(&key, line.as_bytes()).unwrap();
        let name = draft.names().unwrap().remove(0);
        let event = spool.path().join(format!("{number:020}-7.event"));
        fs::rename(draft.path().join(name), event).unwrap();
    }

    /// Number of events in the spool.
    pub fn spooled(&self) -> usize {
        let spool = Spool::open(&self.path().join("state/aictx/spool"));
        spool.map_or(0, |spool| spool.names().unwrap().len())
    }

    /// Starts a daemon in the foreground and waits until it answers.
    pub fn daemon(&self) -> Daemon {
        self.daemon_with(&[])
    }

    /// As [`Self::daemon`], with more environment.
    pub fn daemon_with(&self, variables: &[(&str, &str)]) -> Daemon {
        let mut child = self
            .command(program("aictxd"))
            .args(["run", "--detach"])
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut word = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut word)
            .unwrap();
        assert_eq!(word.trim(), "ready");
        Daemon {
            child,
            socket: self.socket(),
        }
    }

    /// One request over the socket.
    pub fn rpc(&self, method: &str, params: &Value) -> Value {
        rpc(&self.socket(), method, params)
    }

    /// The daemon's status.
    pub fn status(&self) -> DaemonStatus {
        serde_json::from_value(self.rpc("status", &json!({}))["result"].clone()).unwrap()
    }

    /// Asks whatever daemon runs here to stop, and waits until it is gone.
    pub fn stop_daemon(&self) {
        if let Ok(stream) = UnixStream::connect(self.socket()) {
            let _ = exchange(stream, r#"{"jsonrpc":"2.0","id":1,"method":"daemon.stop"}"#);
            // It may still put something away when it answers no more; its lock is its own for life.
            let lock = self.socket().with_extension("lock");
            wait_until("the daemon is gone", || {
                UnixStream::connect(self.socket()).is_err()
                    && fs::File::open(&lock).is_ok_and(|lock| lock.try_lock().is_ok())
            });
        }
    }

    /// Rows of a JSONL file under `.aictx`, but for the proof of a ledger; every line must parse. A
    /// reader may catch a line that is just being written: then it looks again, until it ends in a newline.
    #[track_caller]
    pub fn rows(&self, repository: &Path, file: &str) -> Vec<Value> {
        let path = repository.join(".aictx").join(file);
        let mut text = String::new();
        wait_until("the file ends in a newline", || {
            text = fs::read_to_string(&path).unwrap_or_default();
            text.is_empty() || text.ends_with('\n')
        });
        text.lines()
            .map(|l| {
                serde_json::from_str(l).unwrap_or_else(|e| panic!("{}: {e}: {l}", path.display()))
            })
            .filter(|row: &Value| row["kind"] != "proof")
            .collect()
    }

    /// A JSON file under `.aictx`.
    #[track_caller]
    pub fn file(&self, repository: &Path, file: &str) -> Value {
        let path = repository.join(".aictx").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

impl Drop for TestEnv {
    /// No daemon outlives its home: one that a client started on its own is stopped as well.
    fn drop(&mut self) {
        if let Ok(stream) = UnixStream::connect(self.socket()) {
            let _ = exchange(stream, r#"{"jsonrpc":"2.0","id":1,"method":"daemon.stop"}"#);
        }
    }
}

/// A running daemon; killed when dropped.
#[derive(Debug)]
pub struct Daemon {
    /// The process.
    pub child: Child,
    socket: PathBuf,
}

impl Daemon {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Dies without a chance to say goodbye.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to stop and waits for its end; gives its exit status.
    pub fn stop(mut self) -> i32 {
        if let Ok(stream) = UnixStream::connect(&self.socket) {
            let _ = exchange(stream, r#"{"jsonrpc":"2.0","id":1,"method":"daemon.stop"}"#);
        }
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One request over a socket; the whole answer.
pub fn rpc(socket: &Path, method: &str, params: &Value) -> Value {
    let stream = UnixStream::connect(socket).unwrap();
    let line = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    serde_json::from_str(&exchange(stream, &line).unwrap()).unwrap()
}

/// Sends a line and reads a line.
pub fn exchange(mut stream: UnixStream, line: &str) -> std::io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(line.as_bytes())?;
    stream.write_all(b"\n")?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(answer)
}

/// Reads everything until the other side closes.
pub fn drain(mut stream: UnixStream) -> String {
    let mut text = String::new();
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.read_to_string(&mut text);
    text
}

/// Looks again and again until something holds; fails the test when it never does.
#[track_caller]
pub fn wait_until(what: &str, holds: impl FnMut() -> bool) {
    wait_within(PATIENCE, what, holds);
}

/// As [`wait_until`], for what takes a build that is not optimised long on a machine that is busy.
#[track_caller]
pub fn wait_long_until(what: &str, holds: impl FnMut() -> bool) {
    wait_within(PATIENCE * 8, what, holds);
}

#[track_caller]
fn wait_within(patience: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + patience;
    while !holds() {
        assert!(Instant::now() < end, "never happened: {what}");
        // Between two looks at another process there is nothing to be notified by.
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
