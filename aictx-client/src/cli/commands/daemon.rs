//! `daemon`, `status`, `version` and `scrub`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use aictx_files::daemons::{self, Running};
use aictx_proto::methods::{DaemonStatus, Empty, Hello, REPO_LIST, RepoList, STATUS};
use aictx_proto::{PROTOCOL_VERSION, VERSION};
use serde_json::{Value, json};

use super::absolute;
use crate::cli::Answer;
use crate::cli::arguments::{Daemon, Eval, Signals};
use crate::cli::backend::{Backend, RESTART_HINT, START_DEADLINE, parse};
use crate::cli::daemon_exit::{STEP, STOP_DEADLINE, wait_until_gone};
use crate::cli::error::{CliError, Kind};
use crate::cli::render;
use crate::cli::terminal_text::{Paint, clean};
use crate::start::ensure_daemon;

/// Time that a killed process may take to end.
const KILL_DEADLINE: Duration = Duration::from_secs(2);
/// Most bytes of a log file that `logs` reads, from its end.
const MAX_LOG_TAIL: u64 = 4 * 1024 * 1024;

/// `aictx daemon`.
pub(super) fn daemon(
    backend: &Backend,
    command: &Daemon,
    paint: Paint,
) -> Result<Answer, CliError> {
    match command {
        Daemon::Start => {
            let already = backend.hello()?;
            let hello = match &already {
                Some(hello) => hello.clone(),
                None => start(backend)?,
            };
            let verb = if already.is_some() {
                "is running"
            } else {
                "started"
            };
            Ok(running(&hello, verb))
        }
        Daemon::Stop => {
            let stopped = stop(backend)?;
            let pids: Vec<u32> = stopped.iter().map(|one| one.pid).collect();
            Ok(Answer {
                value: json!({
                    "running": false, "stopped": !pids.is_empty(),
                    "pid": pids.first(), "pids": pids,
                }),
                text: match stopped.is_empty() {
                    true => "aictxd is not running\n".to_owned(),
                    false => stopped.iter().map(Stopped::to_text).collect(),
                },
                ..Answer::default()
            })
        }
        Daemon::Restart => {
            let stopped = stop(backend)?;
            let verb = if stopped.is_empty() {
                "started"
            } else {
                "restarted"
            };
            let killed = stopped.iter().filter(|one| one.was_killed);
            let notes = killed.map(Stopped::to_text).collect();
            let answer = running(&start(backend)?, verb);
            Ok(Answer { notes, ..answer })
        }
        Daemon::Status => match status(backend, paint)? {
            Some(answer) => Ok(answer),
            None => Err(CliError::new(Kind::NotRunning, "aictxd is not running")
                .hint("`aictx daemon start` starts it; so does the next command that needs it")),
        },
        Daemon::Logs { lines } => logs(&backend.places.locations.logs(), *lines),
    }
}

fn running(hello: &Hello, verb: &str) -> Answer {
    Answer {
        value: json!({
            "running": true,
            "version": hello.version,
            "build": hello.build,
            "pid": hello.pid,
        }),
        text: format!(
            "aictxd {verb} (version {}, pid {})\n",
            clean(&hello.version),
            hello.pid
        ),
        ..Answer::default()
    }
}

/// Starts a daemon and waits until it answers. A daemon that is just leaving may make the first
/// try find nobody to talk to, so the last word is the deadline's.
fn start(backend: &Backend) -> Result<Hello, CliError> {
    let end = Instant::now() + START_DEADLINE;
    loop {
        ensure_daemon(&backend.places, end)
            .map_err(|e| CliError::new(Kind::NoDaemon, e.to_string()))?;
        match backend.hello() {
            Ok(Some(hello)) => return Ok(hello),
            Err(e) if Instant::now() >= end => return Err(e),
            Ok(None) if Instant::now() >= end => {
                return Err(CliError::new(
                    Kind::NoAnswer,
                    "the daemon was started but does not answer",
                )
                .hint("`aictx daemon logs` may say why"));
            }
            _ => thread::sleep(STEP),
        }
    }
}

/// A daemon that was stopped.
pub(super) struct Stopped {
    pid: u32,
    was_killed: bool,
}

impl Stopped {
    fn to_text(&self) -> String {
        match self.was_killed {
            false => format!("aictxd stopped (pid {})\n", self.pid),
            true => format!(
                "aictxd did not answer and was killed (pid {}); what it had recorded is kept\n",
                self.pid
            ),
        }
    }
}

/// Stops every daemon of the user and waits for its end: the one behind the socket, and those whose
/// socket is gone or that do not answer, by their entries in the state directory.
pub(super) fn stop(backend: &Backend) -> Result<Vec<Stopped>, CliError> {
    let mut stopped = Vec::new();
    if let Some(pid) = backend.ask_to_stop()
        && wait_until_gone(&backend.places, pid)
    {
        stopped.push(Stopped {
            pid,
            was_killed: false,
        });
    }
    for daemon in daemons::running(&backend.places.locations.state) {
        let was_killed = end(&daemon)?;
        stopped.push(Stopped {
            pid: daemon.pid,
            was_killed,
        });
    }
    Ok(stopped)
}

/// Ends a daemon by signals; whether it had to be killed.
fn end(daemon: &Running) -> Result<bool, CliError> {
    for (signal, patience) in [
        (libc::SIGTERM, STOP_DEADLINE),
        (libc::SIGKILL, KILL_DEADLINE),
    ] {
        if let Ok(pid) = libc::pid_t::try_from(daemon.pid) {
            // SAFETY: no preconditions; the entry's lock says that the process lives.
            unsafe { libc::kill(pid, signal) };
        }
        let end = Instant::now() + patience;
        while Instant::now() < end {
            if daemon.has_ended() {
                return Ok(signal == libc::SIGKILL);
            }
            thread::sleep(STEP);
        }
    }
    Err(CliError::new(
        Kind::NoAnswer,
        format!(
            "aictxd (pid {}) does not end, not even when killed",
            daemon.pid
        ),
    )
    .hint("it waits for a file system that does not answer; it ends with that"))
}

fn status(backend: &Backend, paint: Paint) -> Result<Option<Answer>, CliError> {
    let Some(value) = backend.ask_running(STATUS, &Empty {})? else {
        return Ok(None);
    };
    let report: DaemonStatus = parse(value.clone())?;
    let mut notes = render::warnings(&report.warnings);
    if report.version != VERSION {
        notes.push_str(&format!(
            "warning: the daemon is version {}, this client {VERSION}; {RESTART_HINT}\n",
            clean(&report.version)
        ));
    }
    Ok(Some(Answer {
        value: with_running(value),
        text: render::status(&report, paint),
        notes,
        status: 0,
    }))
}

/// Puts `running: true` before the daemon's own members.
fn with_running(value: Value) -> Value {
    let mut members = serde_json::Map::new();
    members.insert("running".to_owned(), true.into());
    if let Value::Object(own) = value {
        members.extend(own);
    }
    Value::Object(members)
}

/// `aictx status`.
pub(super) fn overview(backend: &Backend, paint: Paint) -> Result<Answer, CliError> {
    if let Some(answer) = status(backend, paint)? {
        return Ok(answer);
    }
    let value = backend.once(REPO_LIST, &json!({}))?;
    let list: RepoList = parse(value.clone())?;
    Ok(Answer {
        value: json!({
            "running": false,
            "socket": backend.places.locations.socket,
            "repositories": value.get("repositories"),
        }),
        text: format!("aictxd is not running\n\n{}", render::repositories(&list)),
        ..Answer::default()
    })
}

/// `aictx version`.
pub(super) fn version(backend: &Backend) -> Result<Answer, CliError> {
    let hello = backend.hello()?;
    let daemon = hello.as_ref().map(
        |h| json!({ "version": h.version, "build": h.build, "protocol": h.proto, "pid": h.pid }),
    );
    let line = hello.as_ref().map_or_else(
        || "aictxd  not running\n".to_owned(),
        |h| {
            format!(
                "aictxd  {} (protocol {}, build {}, pid {})\n",
                clean(&h.version),
                h.proto,
                clean(&h.build),
                h.pid
            )
        },
    );
    Ok(Answer {
        value: json!({ "version": VERSION, "protocol": PROTOCOL_VERSION, "daemon": daemon }),
        text: format!("aictx   {VERSION} (protocol {PROTOCOL_VERSION})\n{line}"),
        ..Answer::default()
    })
}

/// `aictx scrub`: becomes the daemon program, which holds the one scrubber there is.
pub(super) fn scrub(backend: &Backend, json: bool) -> Result<Answer, CliError> {
    become_daemon_program(backend, &["scrub"], json)
}

/// `aictx eval`: long work with a progress bar of its own, in a process of its own.
pub(super) fn eval(backend: &Backend, command: &Eval, json: bool) -> Result<Answer, CliError> {
    let Eval::Localize {
        at,
        commits,
        tasks,
        all,
    } = command;
    let repo = absolute(&at.repo)?;
    let (commits, tasks) = (commits.to_string(), tasks.to_string());
    let mut arguments = vec!["eval", "localize", "--repo", &repo];
    arguments.extend(["--commits", &commits, "--tasks", &tasks]);
    arguments.extend(all.then_some("--all"));
    become_daemon_program(backend, &arguments, json)
}

/// `aictx signals`: standard input goes to the other program as it is.
pub(super) fn signals(
    backend: &Backend,
    command: &Signals,
    json: bool,
) -> Result<Answer, CliError> {
    let Signals::Parse {
        command,
        exit_code,
        at,
    } = command;
    let root = absolute(&at.repo)?;
    let exit_code = exit_code.map(|n| n.to_string());
    let mut arguments = vec!["signals", "parse", "--command", command, "--root", &root];
    if let Some(code) = &exit_code {
        arguments.extend(["--exit-code", code]);
    }
    become_daemon_program(backend, &arguments, json)
}

/// Goes on as the other program; comes back only when that cannot be started.
pub(super) fn become_daemon_program(
    backend: &Backend,
    arguments: &[impl AsRef<OsStr>],
    json: bool,
) -> Result<Answer, CliError> {
    let hint = "install aictxd beside aictx, or set AICTX_DAEMON to its path";
    let Some(program) = &backend.places.daemon else {
        return Err(CliError::new(Kind::NoDaemon, "there is no aictxd beside aictx").hint(hint));
    };
    let error = Command::new(program)
        .args(arguments)
        .args(json.then_some("--json"))
        .exec();
    Err(CliError::io(program.display(), &error).hint(hint))
}

fn logs(directory: &Path, lines: usize) -> Result<Answer, CliError> {
    let Some(file) = newest_log(directory) else {
        return Err(CliError::new(
            Kind::Io,
            format!("there is no log file in {}", directory.display()),
        )
        .hint("a daemon writes one when it starts; `aictxd run` in a terminal logs there"));
    };
    let text = tail(&file, lines).map_err(|e| CliError::io(file.display(), &e))?;
    Ok(Answer {
        value: json!({ "file": file, "lines": text.lines().collect::<Vec<_>>() }),
        text: clean(&text),
        ..Answer::default()
    })
}

/// Names carry the date, so the last one by name is the newest.
fn newest_log(directory: &Path) -> Option<PathBuf> {
    fs::read_dir(directory)
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "log"))
        .max()
}

/// The last lines of a file, however long it is.
fn tail(path: &Path, lines: usize) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(MAX_LOG_TAIL);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MAX_LOG_TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().collect();
    let wanted = all.get(all.len().saturating_sub(lines)..).unwrap_or(&all);
    Ok(wanted.iter().flat_map(|line| [*line, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_the_newest_log() {
        let dir = tempfile::tempdir().unwrap();
        assert!(newest_log(dir.path()).is_none());
        assert_eq!(logs(dir.path(), 1).unwrap_err().code(), "io");
        fs::write(dir.path().join("aictxd.2026-01-02.log"), "a\nb\nc\n").unwrap();
        fs::write(dir.path().join("aictxd.2026-01-01.log"), "old\n").unwrap();
        fs::write(dir.path().join("zzz.txt"), "no log\n").unwrap();
        assert_eq!(logs(dir.path(), 2).unwrap().text, "b\nc\n");
        assert_eq!(logs(dir.path(), 0).unwrap().text, "");
        assert_eq!(logs(dir.path(), 9).unwrap().value["lines"][0], "a");
    }

    #[test]
    fn the_flag_comes_first() {
        let value = with_running(json!({"version": "1"}));
        assert_eq!(value.to_string(), r#"{"running":true,"version":"1"}"#);
    }
}
