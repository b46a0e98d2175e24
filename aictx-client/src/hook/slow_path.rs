//! Slow path of a hook whose line could not be handed over the fast way: large input, large
//! answers, no daemon. Ordinary `std` code; correctness before microseconds.
//!
//! The rule: an event is in a ledger or in the spool when the hook ends, or it is counted as lost.
//! Its id makes it safe to hand it over more than once.

use std::ffi::c_int;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aictx_proto::hook::{Deadlines, is_gate, is_observation};
use aictx_proto::rpc::HOOK_LINE_HEAD;
use serde::Deserialize;

use super::syscalls::{has_more, now_ms, parent_pid};
use super::{MAX_PAYLOAD, Sent, TAIL, Whole, deadlines, event_in, one_line, say, taken};
use crate::connect;
use crate::paths::Places;
use crate::start;

/// Most bytes taken from standard input when even one line is too small.
const MAX_INPUT: usize = 256 * 1024 * 1024;
/// Bytes read from standard input at once, when there is much.
const CHUNK: usize = 256 * 1024;
/// Time limit for starting a daemon, after which the event goes elsewhere.
const START_DEADLINE: Duration = Duration::from_millis(500);
/// Extra time of a one-shot process over the daemon: it has to start first.
const ONCE_ALLOWANCE: Duration = Duration::from_millis(350);
/// Factor over the daemon's time for a process that only judges: the daemon has spent its time then.
const VERDICT_ALLOWANCE: u32 = 2;
/// A large payload takes longer to be read; so many times as long for the answer.
const LARGE_ALLOWANCE: u64 = 4;

/// One event that is still in our hands.
struct Event<'a> {
    runner: &'a str,
    name: &'a str,
    id: &'a str,
    payload: &'a [u8],
    /// For an answer of the daemon.
    answer: Duration,
    /// End of the whole hook.
    end: Instant,
}

impl Event<'_> {
    /// The time left for the whole hook, at most `wanted`.
    fn within(&self, wanted: Duration) -> Duration {
        wanted.min(self.end.saturating_duration_since(Instant::now()))
    }

    fn until(&self, wanted: Duration) -> Instant {
        Instant::now() + self.within(wanted)
    }

    /// Directory that the agent works in: as the payload says, else our own.
    fn directory(&self) -> PathBuf {
        #[derive(Deserialize)]
        struct Payload {
            cwd: PathBuf,
        }
        let said = serde_json::from_slice(self.payload).ok();
        let said = said
            .map(|Payload { cwd }| cwd)
            .filter(|cwd| cwd.is_absolute());
        said.or_else(|| std::env::current_dir().ok())
            .unwrap_or_default()
    }

    /// Puts the event into a spool; whether one took it.
    fn spool(&self, places: &Places) -> bool {
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let line = request_line(self, Some(at.as_millis()));
        places.spools(&self.directory()).keep(&line).is_ok()
    }

    /// Counts the event as lost. The agent does not hear of it.
    fn lose(&self, places: &Places) {
        places.spools(&self.directory()).count_lost();
    }
}

/// Delivers an event that the daemon did not take, for the reason in `sent`. `payload` is one line
/// already, and `begun` the hook's start by the monotonic clock in milliseconds.
pub(super) fn run(
    runner: &[u8],
    event: &[u8],
    id: &[u8],
    payload: &[u8],
    deadlines: Deadlines,
    begun: u64,
    sent: Sent,
) -> c_int {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let left = (begun + deadlines.total).saturating_sub(now_ms());
    let event = Event {
        runner: text(runner),
        name: text(event),
        id: text(id),
        payload,
        answer: Duration::from_millis(deadlines.answer),
        end: Instant::now() + Duration::from_millis(left),
    };
    deliver(&Places::from_env(), &event, sent)
}

/// Delivers an event whose payload is larger than the static buffer.
pub(super) fn large(
    runner: &[u8],
    event: Option<&[u8]>,
    id: &[u8],
    head: &[u8],
    begun: u64,
) -> c_int {
    let mut payload = head.to_vec();
    read_rest(&mut payload, event.unwrap_or_default(), begun);
    one_line(&mut payload);
    let name = event
        .or_else(|| event_in(&payload))
        .unwrap_or_default()
        .to_vec();
    let deadlines = deadlines(&name);
    let deadlines = deadlines.with_answer(deadlines.answer * LARGE_ALLOWANCE);
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let left = (begun + deadlines.total).saturating_sub(now_ms());
    let event = Event {
        runner: text(runner),
        name: text(&name),
        id: text(id),
        payload: &payload,
        answer: Duration::from_millis(deadlines.answer),
        end: Instant::now() + Duration::from_millis(left),
    };
    let places = Places::from_env();
    if payload.len() > MAX_PAYLOAD {
        return answer_once(&places, &event).unwrap_or_else(|| {
            event.lose(&places);
            0
        });
    }
    match over_socket(&places, &event) {
        Sent::HandedOver(status) => status,
        sent => deliver(&places, &event, sent),
    }
}

/// Reads the rest of standard input: to its end, to the end of the JSON document, or until half of
/// the hook's time is over.
fn read_rest(payload: &mut Vec<u8>, event: &[u8], begun: u64) {
    let end = begun + deadlines(event).total / 2;
    let mut stdin = std::io::stdin().lock();
    let mut chunk = vec![0; CHUNK];
    let mut whole = Whole::default();
    while payload.len() < MAX_INPUT {
        if !has_more(0) && (whole.after(payload) || !has_more(end.saturating_sub(now_ms()))) {
            return;
        }
        match stdin.read(&mut chunk) {
            Ok(n) if n > 0 => payload.extend_from_slice(chunk.get(..n).unwrap_or_default()),
            _ => return,
        }
    }
}

/// Reads on after an answer that is longer than the static buffer.
pub(super) fn finish_large_answer(socket: c_int, have: &[u8], deadline: u64) -> Sent {
    // SAFETY: `exchange` owns the descriptor and gives it away here, once.
    let stream = unsafe { UnixStream::from_raw_fd(socket) };
    let end = Instant::now() + Duration::from_millis(deadline);
    match connect::read_line(stream, have.to_vec(), end) {
        Some(line) => taken(&line),
        None => Sent::Late,
    }
}

/// Tries every way that is left in order and gives the exit status.
fn deliver(places: &Places, event: &Event, sent: Sent) -> c_int {
    let sent = match sent {
        Sent::Lost if places.may_start() => {
            match start::ensure_daemon(places, event.until(START_DEADLINE)) {
                Ok(()) => over_socket(places, event),
                Err(_) => Sent::Lost,
            }
        }
        other => other,
    };
    match sent {
        Sent::HandedOver(status) => return status,
        Sent::Unreadable => return unreadable(places, event),
        _ => {}
    }
    // Whoever only tells may wait in the spool, which costs less than a process.
    let asks = !is_observation(event.name);
    let record = || {
        (sent == Sent::Lost)
            .then(|| answer_once(places, event))
            .flatten()
    };
    if asks && let Some(status) = record() {
        return status;
    }
    // It judges while the event is put into the spool.
    let verdict = is_gate(event.name).then(|| once(places, event, &["--verdict-only"]));
    if !event.spool(places) {
        if !asks && let Some(status) = record() {
            return status;
        }
        event.lose(places);
    }
    let verdict = verdict.flatten().and_then(|(_, answer)| {
        let wait = event.within(event.answer * VERDICT_ALLOWANCE);
        answer.recv_timeout(wait).ok().flatten()
    });
    verdict.map_or(0, |answer| said(&answer))
}

/// Counts an event that nobody can read. Before a tool the user is asked, in repositories that are looked after.
fn unreadable(places: &Places, event: &Event) -> c_int {
    event.lose(places);
    if !is_gate(event.name) {
        return 0;
    }
    let nothing = Event {
        payload: b"null",
        ..*event
    };
    let answer = once(places, &nothing, &["--verdict-only"]).and_then(|(_, answer)| {
        let wait = event.within(event.answer + ONCE_ALLOWANCE);
        answer.recv_timeout(wait).ok().flatten()
    });
    answer.map_or(0, |answer| said(&answer))
}

/// One exchange with a running daemon.
fn over_socket(places: &Places, event: &Event) -> Sent {
    let end = event.until(event.answer);
    let mut stream = match connect::connect(&places.locations.socket, end) {
        Ok(stream) => stream,
        Err(e) if e.kind() == ErrorKind::WouldBlock => return Sent::Late,
        Err(_) => return Sent::Lost,
    };
    match connect::send(&mut stream, &request_line(event, None), end) {
        Ok(()) => {}
        Err(_) if Instant::now() >= end => return Sent::Late,
        Err(_) => return Sent::Lost,
    }
    match connect::read_line(stream, Vec::new(), end) {
        Some(answer) => taken(&answer),
        None if Instant::now() < end => Sent::Lost,
        None => Sent::Late,
    }
}

fn request_line(event: &Event, spooled_at: Option<u128>) -> Vec<u8> {
    let mut line = Vec::with_capacity(event.payload.len() + 256);
    line.extend_from_slice(HOOK_LINE_HEAD.as_bytes());
    let Event { runner, id, .. } = event;
    let pid = parent_pid();
    line.extend_from_slice(format!("{runner}\",\"id\":\"{id}\",\"pid\":{pid}").as_bytes());
    if !event.name.is_empty() {
        line.extend_from_slice(format!(",\"event\":\"{}\"", event.name).as_bytes());
    }
    if let Some(at) = spooled_at {
        line.extend_from_slice(format!(",\"spooled_at\":{at}").as_bytes());
    }
    line.extend_from_slice(b",\"payload\":");
    line.extend_from_slice(if event.payload.is_empty() {
        b"null"
    } else {
        event.payload
    });
    line.extend_from_slice(TAIL);
    line
}

/// Runs the daemon's own code in a process of its own; `None` when nobody can say whether the event
/// was recorded. The process is not killed at the deadline: what it records (a session's end) is
/// worth finishing even when its answer comes too late.
fn answer_once(places: &Places, event: &Event) -> Option<c_int> {
    let (_, answer) = once(places, event, &[])?;
    let wait = event.within(event.answer + ONCE_ALLOWANCE);
    answer.recv_timeout(wait).ok()?.map(|answer| said(&answer))
}

/// Says what a process answered; gives the exit status.
fn said(answer: &[u8]) -> c_int {
    match answer.trim_ascii() {
        b"null" => 0,
        result => say(result),
    }
}

/// Receivers: true once a process has taken all of its input; its answer if it went well.
type Outcome = (mpsc::Receiver<bool>, mpsc::Receiver<Option<Vec<u8>>>);

/// Starts a process that handles one event.
fn once(places: &Places, event: &Event, more: &[&str]) -> Option<Outcome> {
    let program = places.daemon.as_ref()?;
    let mut command = Command::new(program);
    command.args(["once", "hook", "--runner", event.runner]);
    command.args(["--pid", &parent_pid().to_string(), "--event-id", event.id]);
    if !event.name.is_empty() {
        command.args(["--event", event.name]);
    }
    command.args(more);
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = child.ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    // Both ends of the pipe in threads of their own: a child that stops reading or writing must
    // not hold the agent beyond the deadline. They end with this process.
    let payload = event.payload.to_vec();
    let (handed_over, taken) = mpsc::channel();
    thread::spawn(move || {
        let written = stdin.write_all(&payload).is_ok();
        drop(stdin);
        let _ = handed_over.send(written);
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.read_to_end(&mut answer).is_ok();
        let ended = child.wait().is_ok_and(|status| status.success());
        let _ = sender.send((read && ended).then_some(answer));
    });
    Some((taken, receiver))
}
