//! `internal run-execution`: a command run under observation.
//!
//! What it prints is shown as it is printed, byte for byte; the beginning and the end of it are kept
//! for the record. Signals go to the command, and its exit status is ours.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aictx_proto::event::ErrorEvent;
use aictx_proto::methods::{FINALIZE, FinalizeParams, FinalizeReply};
use serde_json::json;

use super::execution::add_observed;
use super::{absolute, caller, request_id, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::RunExecution;
use crate::cli::backend::{Backend, parse};
use crate::cli::compatibility;
use crate::cli::error::CliError;
use crate::cli::render;

/// Bytes kept of the beginning and of the end of each stream.
const KEPT_START: usize = 64 * 1024;
const KEPT_END: usize = 1024 * 1024;
/// File systems stamp files with the clock of the kernel's last tick, at most this long ago. Waiting for
/// the next one tells what was written before the command from what it writes.
const CLOCK_TICK: Duration = Duration::from_millis(11);
/// Interval between checks of the time limit.
const TICK: Duration = Duration::from_millis(20);
/// Time for which streams may stay open after the command ended.
const DRAIN: Duration = Duration::from_secs(2);
/// Exit statuses of shells: not found, not executable, time limit.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;
pub(super) const TIMED_OUT: i32 = 124;

/// The command's process, for the signal handler; 0 when there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Passes a signal on to the command.
extern "C" fn pass_on(signal: libc::c_int) {
    let child = CHILD.load(Ordering::Relaxed);
    if child > 0 {
        // SAFETY: `kill` is async-signal-safe and touches no memory of ours.
        unsafe {
            libc::kill(child, signal);
        }
    }
}

/// `aictx internal run-execution`.
pub(super) fn run(
    backend: &Backend,
    options: RunExecution,
    json: bool,
) -> Result<Answer, CliError> {
    let repo = absolute(&options.at.repo)?;
    // Before the command runs: a wrong option must not be found out afterwards.
    let mut account = FinalizeParams::default();
    add_observed(&mut account, options.observed)?;
    let words: Vec<String> = options
        .command
        .iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect();
    let line = words
        .iter()
        .map(|w| aictx_proto::text::shell_word(w))
        .collect::<Vec<_>>()
        .join(" ");
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    std::thread::sleep(CLOCK_TICK);
    let started = Instant::now();
    let ran = execute(
        &options.command,
        options.timeout.map(Duration::from_secs),
        json,
    );
    let took = started.elapsed();
    let seconds = took.as_secs_f64();
    let (status, said) = match &ran.end {
        End::Status(0) => (0, format!("`{line}` passed in {seconds:.1} s")),
        End::Status(code) => (
            *code,
            format!("`{line}` ended with {code} after {seconds:.1} s"),
        ),
        End::TimedOut => (
            TIMED_OUT,
            format!("`{line}` was stopped after {seconds:.1} s"),
        ),
        End::NotStarted(code, why) => {
            let _ = writeln!(io::stderr(), "aictx: {why}");
            (*code, format!("`{line}` could not be started: {why}"))
        }
    };
    let mut output = String::from_utf8_lossy(&ran.stdout.bytes()).into_owned();
    output.push_str(&String::from_utf8_lossy(&ran.stderr.bytes()));
    let error_events = match &ran.end {
        End::TimedOut => vec![ErrorEvent {
            toolchain: "unknown".to_owned(),
            phase: "runtime".to_owned(),
            severity: "error".to_owned(),
            code: "timeout".to_owned(),
            message: format!(
                "Stopped at its time limit of {} s",
                options.timeout.unwrap_or_default()
            ),
            command: line.clone(),
            exit_code: TIMED_OUT.into(),
            ..ErrorEvent::default()
        }],
        End::NotStarted(_, why) => {
            output.push_str(why);
            Vec::new()
        }
        End::Status(_) => Vec::new(),
    };
    let id = options.execution_id.trim();
    let mut params = FinalizeParams {
        repo,
        cwd: working_directory(),
        status: if status == 0 { "success" } else { "failure" }.to_owned(),
        summary: said,
        task: options.task,
        task_type: options.task_type,
        commands_executed: vec![line],
        files_opened: account.files_opened,
        files_edited: account.files_edited,
        files_reopened: account.files_reopened,
        tests_executed: account.tests_executed,
        notable_errors: account.notable_errors,
        work_state: account.work_state,
        output,
        error_events,
        exit_code: Some(status),
        edited_since_ms: u64::try_from(since.as_millis()).ok(),
        execution_time_ms: u64::try_from(took.as_millis()).ok(),
        validated_learning: options.validated_learning && status == 0,
        execution_id: if id == "auto" {
            String::new()
        } else {
            id.to_owned()
        },
        caller: caller(options.caller),
        request_id: request_id(),
        ..FinalizeParams::default()
    };
    params.commands_executed.extend(account.commands_executed);
    params.error_events.extend(account.error_events);
    let recorded = backend.call(FINALIZE, &params);
    let mut value = match recorded {
        Ok(value) => value,
        Err(error) => {
            // The command ran: its status counts, and the record's failure is told beside it.
            let _ = writeln!(
                io::stderr(),
                "aictx: the execution was not recorded: {}",
                error.message
            );
            return Ok(Answer {
                value: json!({
                    "execution_id": null, "command": words, "exit_code": status,
                    "stdout": String::from_utf8_lossy(&ran.stdout.bytes()),
                    "stderr": String::from_utf8_lossy(&ran.stderr.bytes()), "prepared": null,
                    "finalized": null,
                }),
                status,
                ..Answer::default()
            });
        }
    };
    let reply: FinalizeReply = parse(value.clone())?;
    compatibility::finalize(&mut value, &params.repo);
    let prepared = compatibility::prepared(&value, &params);
    let mut notes = render::finalize_notes(&reply);
    notes.push_str(&render::finalize(&reply));
    Ok(Answer {
        value: json!({
            "execution_id": reply.execution_id, "command": words, "exit_code": status,
            "stdout": String::from_utf8_lossy(&ran.stdout.bytes()),
            "stderr": String::from_utf8_lossy(&ran.stderr.bytes()), "prepared": prepared,
            "finalized": value,
        }),
        // Standard output belongs to the command.
        text: String::new(),
        notes,
        status,
    })
}

/// End of a command.
pub(super) enum End {
    Status(i32),
    TimedOut,
    NotStarted(i32, String),
}

pub(super) struct Ran {
    pub(super) end: End,
    pub(super) stdout: Kept,
    pub(super) stderr: Kept,
}

pub(super) fn execute(command: &[OsString], limit: Option<Duration>, quiet: bool) -> Ran {
    let none = |code, why: String| Ran {
        end: End::NotStarted(code, why),
        stdout: Kept::default(),
        stderr: Kept::default(),
    };
    let Some((program, arguments)) = command.split_first() else {
        return none(NOT_FOUND, "no command was given".to_owned());
    };
    let spawned = Command::new(program)
        .args(arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let code = if error.kind() == io::ErrorKind::NotFound {
                NOT_FOUND
            } else {
                NOT_EXECUTABLE
            };
            return none(code, format!("{}: {error}", program.to_string_lossy()));
        }
    };
    CHILD.store(i32::try_from(child.id()).unwrap_or(0), Ordering::Relaxed);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: the handler only loads an atomic and calls `kill`, both async-signal-safe.
        unsafe {
            libc::signal(signal, pass_on as *const () as libc::sighandler_t);
        }
    }
    let out = Copier::start(child.stdout.take(), io::stdout(), quiet);
    let err = Copier::start(child.stderr.take(), io::stderr(), quiet);
    let end = wait(&mut child, limit);
    CHILD.store(0, Ordering::Relaxed);
    let drained = Instant::now() + DRAIN;
    Ran {
        end,
        stdout: out.finish(drained),
        stderr: err.finish(drained),
    }
}

/// A stream being shown and kept by a thread of its own.
struct Copier {
    kept: Arc<Mutex<Kept>>,
    done: mpsc::Receiver<()>,
}

impl Copier {
    fn start(
        from: Option<impl Read + Send + 'static>,
        to: impl Write + Send + 'static,
        quiet: bool,
    ) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (sender, done) = mpsc::channel();
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            if let Some(from) = from {
                copy(from, to, quiet, &shared);
            }
            drop(sender);
        });
        Self { kept, done }
    }

    /// Returns the kept output once the stream has ended, or at that time at the latest: a process that the
    /// command left behind may hold the stream open for ever.
    fn finish(self, at: Instant) -> Kept {
        let _ = self
            .done
            .recv_timeout(at.saturating_duration_since(Instant::now()));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}

fn wait(child: &mut Child, limit: Option<Duration>) -> End {
    let ended = |status: io::Result<ExitStatus>| match status {
        Ok(status) => End::Status(
            status
                .code()
                .or_else(|| Some(128 + status.signal()?))
                .unwrap_or(1),
        ),
        Err(error) => End::NotStarted(1, format!("it cannot be waited for: {error}")),
    };
    let Some(limit) = limit else {
        return ended(child.wait());
    };
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < end => std::thread::sleep(TICK),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return End::TimedOut;
            }
            Ok(Some(status)) => return ended(Ok(status)),
            Err(error) => return ended(Err(error)),
        }
    }
}

/// Shows a stream as it comes and keeps its beginning and end. A reader that went away ends the
/// showing, not the command.
fn copy(mut from: impl Read, mut to: impl Write, quiet: bool, kept: &Mutex<Kept>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut shown = !quiet;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => {
                let bytes = buffer.get(..n).unwrap_or_default();
                shown = shown && to.write_all(bytes).and_then(|()| to.flush()).is_ok();
                kept.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .add(bytes);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// The beginning and the end of a stream.
#[derive(Default)]
pub(super) struct Kept {
    start: Vec<u8>,
    end: std::collections::VecDeque<u8>,
    left_out: u64,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_START.saturating_sub(self.start.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.start.extend_from_slice(head);
        self.end.extend(tail);
        let over = self.end.len().saturating_sub(KEPT_END);
        self.end.drain(..over);
        self.left_out += over as u64;
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = self.start.clone();
        if self.left_out > 0 {
            let mark = format!("\n… [{} characters truncated] …\n", self.left_out);
            out.extend_from_slice(mark.as_bytes());
        }
        out.extend(self.end.iter());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_and_end_are_kept_within_bounds() {
        let mut kept = Kept::default();
        for n in 0..3_000_u32 {
            kept.add(format!("{n:0>999}\n").as_bytes());
        }
        let bytes = kept.bytes();
        assert!(bytes.len() <= KEPT_START + KEPT_END + 60);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("000") && text.ends_with("2999\n") && text.contains("truncated"));
        let mut short = Kept::default();
        short.add(b"abc");
        assert_eq!(short.bytes(), b"abc");
    }

    #[test]
    fn programs_that_are_not_there_end_with_127() {
        let ran = execute(&["/no/such/program".into()], None, true);
        assert!(matches!(ran.end, End::NotStarted(NOT_FOUND, _)));
        let ran = execute(
            &["sh".into(), "-c".into(), "printf 'a\\377b'; exit 3".into()],
            None,
            true,
        );
        assert!(matches!(ran.end, End::Status(3)));
        assert_eq!(ran.stdout.bytes(), b"a\xffb");
        let ran = execute(
            &["sh".into(), "-c".into(), "kill -TERM $$".into()],
            None,
            true,
        );
        assert!(matches!(ran.end, End::Status(143)));
        let ran = execute(
            &["sleep".into(), "60".into()],
            Some(Duration::from_millis(50)),
            true,
        );
        assert!(matches!(ran.end, End::TimedOut));
    }
}
