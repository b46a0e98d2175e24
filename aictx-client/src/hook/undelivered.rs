//! What a hook does when its line could not be handed over the fast way: large input, large
//! answers, no daemon. Ordinary `std` code; correctness before microseconds.

use std::ffi::c_int;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aictx_proto::hook::{is_gate, is_observation};
use aictx_proto::rpc::HOOK_LINE_HEAD;

use super::raw::parent_pid;
use super::{MAX_PAYLOAD, Sent, TAIL, deadline_ms, event_in, one_line, result_in, say};
use crate::places::Places;
use crate::start::{self, StartError};
use crate::{connect, places};

/// Most events that may wait in the spool; beyond it they are only counted.
const MAX_SPOOLED: usize = 5_000;
/// Most bytes that may wait there before large events are only counted.
const MAX_SPOOLED_BYTES: u64 = 256 * 1024 * 1024;
/// Events up to this size are bounded by their number alone.
const SMALL_EVENT: usize = 64 * 1024;
/// Most bytes taken from standard input when even one line is too small.
const MAX_INPUT: u64 = 256 * 1024 * 1024;
/// How long starting a daemon may take before the event goes elsewhere.
const START_DEADLINE: Duration = Duration::from_millis(500);
/// How much longer than the daemon a one-shot process may take: it has to start first.
const ONCE_ALLOWANCE_MS: u64 = 350;
/// How many times as long as the daemon a process may take that only judges: the daemon has spent its time then.
const VERDICT_ALLOWANCE: u32 = 2;

/// One event that is still in our hands.
struct Event<'a> {
    runner: &'a str,
    name: &'a str,
    payload: &'a [u8],
    deadline: Duration,
}

/// No daemon took the event, for the reason in `sent`. `payload` is one line already.
pub(super) fn run(runner: &[u8], event: &[u8], payload: &[u8], deadline: u64, sent: Sent) -> c_int {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let event = Event {
        runner: text(runner),
        name: text(event),
        payload,
        deadline: Duration::from_millis(deadline),
    };
    let places = Places::from_env();
    let delivered = deliver(&places, &event, sent);
    delivered.unwrap_or_else(|| count_lost(&places))
}

/// Standard input was larger than the static buffer.
pub(super) fn large(runner: &[u8], event: Option<&[u8]>, head: &[u8]) -> c_int {
    let mut payload = head.to_vec();
    let stdin = std::io::stdin().lock();
    let _ = stdin.take(MAX_INPUT).read_to_end(&mut payload);
    one_line(&mut payload);
    let name = event
        .or_else(|| event_in(&payload))
        .unwrap_or_default()
        .to_vec();
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let event = Event {
        runner: text(runner),
        name: text(&name),
        payload: &payload,
        deadline: Duration::from_millis(
            deadline_ms(&name).max(super::events::ANSWER_DEADLINE_MS * 4),
        ),
    };
    let places = Places::from_env();
    let delivered = if payload.len() > MAX_PAYLOAD {
        answer_once(&places, &event)
    } else {
        match over_socket(&places, &event) {
            Sent::HandedOver(status) => Some(status),
            sent => deliver(&places, &event, sent),
        }
    };
    delivered.unwrap_or_else(|| count_lost(&places))
}

/// The answer is longer than the static buffer: go on reading it into memory. Gives the exit status.
pub(super) fn finish_large_answer(socket: c_int, have: &[u8], deadline: u64) -> c_int {
    use std::os::fd::FromRawFd;
    // SAFETY: `exchange` owns the descriptor and gives it away here, once.
    let stream = unsafe { UnixStream::from_raw_fd(socket) };
    let end = Instant::now() + Duration::from_millis(deadline);
    let line = connect::read_line(stream, have.to_vec(), end);
    line.and_then(|line| result_in(&line).map(say)).unwrap_or(0)
}

/// Tries every way that is left in order and gives the exit status; nothing when the event is lost.
fn deliver(places: &Places, event: &Event, sent: Sent) -> Option<c_int> {
    if sent == Sent::Lost && places.may_start() {
        match start::ensure_daemon(places, Instant::now() + START_DEADLINE) {
            Ok(()) => match over_socket(places, event) {
                Sent::HandedOver(status) => return Some(status),
                Sent::Late => return Some(verdict_alone(places, event).unwrap_or(0)),
                Sent::Lost | Sent::Refused => {}
            },
            Err(StartError::NotAllowed | StartError::Failed(_)) => {}
        }
    }
    if is_observation(event.name) {
        return spool(places, event).is_ok().then_some(0);
    }
    match sent {
        // What it was told is recorded by it; what it would have said of a tool is said here.
        Sent::Late => Some(verdict_alone(places, event).unwrap_or(0)),
        // The deadline was spent on a daemon that does not read; there is none left for the rest.
        Sent::Refused => verdict_alone(places, event),
        Sent::Lost | Sent::HandedOver(_) => {
            answer_once(places, event).or_else(|| verdict_alone(places, event))
        }
    }
}

/// What there is to be said of a tool before it is used, by a process that only judges: silence would let it pass.
/// Nothing for other events, and when not even that process can be run.
fn verdict_alone(places: &Places, event: &Event) -> Option<c_int> {
    if !is_gate(event.name) {
        return None;
    }
    let (_, answer) = once(places, event, &["--verdict-only"])?;
    let answer = answer
        .recv_timeout(event.deadline * VERDICT_ALLOWANCE)
        .ok()
        .flatten()?;
    Some(said(&answer))
}

/// One exchange with a running daemon.
fn over_socket(places: &Places, event: &Event) -> Sent {
    let end = Instant::now() + event.deadline;
    let Ok(mut stream) = connect::connect(&places.locations.socket) else {
        return Sent::Lost;
    };
    let _ = stream.set_write_timeout(Some(event.deadline));
    match stream.write_all(&request_line(event, None)) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::WouldBlock => return Sent::Refused,
        Err(_) => return Sent::Lost,
    }
    match connect::read_line(stream, Vec::new(), end) {
        Some(answer) => Sent::HandedOver(result_in(&answer).map_or(0, say)),
        None if Instant::now() < end => Sent::Lost,
        None => Sent::Late,
    }
}

fn request_line(event: &Event, spooled_at: Option<u128>) -> Vec<u8> {
    let mut line = Vec::with_capacity(event.payload.len() + 256);
    line.extend_from_slice(HOOK_LINE_HEAD.as_bytes());
    line.extend_from_slice(event.runner.as_bytes());
    line.extend_from_slice(format!("\",\"pid\":{}", parent_pid()).as_bytes());
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

/// Leaves the event for the next daemon: written aside, then renamed, so that nobody reads half.
fn spool(places: &Places, event: &Event) -> std::io::Result<()> {
    let directory = places.locations.spool();
    places::private_directory(&directory)?;
    let is_large = event.payload.len() > SMALL_EVENT;
    let (mut count, mut last, mut bytes) = (0, 0, event.payload.len() as u64);
    for entry in fs::read_dir(&directory)? {
        let entry = entry?;
        count += 1;
        if is_large {
            // Whole files are few, and worth a look at every size.
            bytes += entry.metadata().map_or(0, |m| m.len());
        }
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|n| n.split_once('-')?.0.parse().ok());
        last = last.max(number.filter(|n| *n < u128::from(u64::MAX)).unwrap_or(0));
    }
    if count >= MAX_SPOOLED || is_large && bytes > MAX_SPOOLED_BYTES {
        return Err(std::io::Error::other("the spool is full"));
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    // Names are the order of events; a clock that was set back must not change it.
    let number = now.as_nanos().max(last + 1);
    let name = format!("{number:020}-{}", std::process::id());
    let draft = directory.join(format!(".{name}.tmp"));
    let written = places::private_file(&draft)
        .and_then(|mut file| file.write_all(&request_line(event, Some(now.as_millis()))))
        .and_then(|()| fs::rename(&draft, directory.join(format!("{name}.json"))));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Runs the daemon's own code in a process of its own. It is not killed at the deadline: what it
/// records (a session's end) is worth finishing even when its answer comes too late. For an event
/// that only tells, it is enough that the process has all of it.
fn answer_once(places: &Places, event: &Event) -> Option<c_int> {
    let (taken, answer) = once(places, event, &[])?;
    let allowance = event.deadline + Duration::from_millis(ONCE_ALLOWANCE_MS);
    if is_observation(event.name) {
        return taken.recv_timeout(allowance).unwrap_or(false).then_some(0);
    }
    match answer.recv_timeout(allowance) {
        Ok(answer) => answer.map(|answer| said(&answer)),
        // Too late to record and judge; judging alone takes less.
        Err(_) if is_gate(event.name) => None,
        Err(_) => taken.try_recv().unwrap_or(false).then_some(0),
    }
}

/// Says what a process answered; gives the exit status.
fn said(answer: &[u8]) -> c_int {
    match answer.trim_ascii() {
        b"null" => 0,
        result => say(result),
    }
}

/// Whether a process has taken all of its input, and what it answered if it went well.
type Outcome = (mpsc::Receiver<bool>, mpsc::Receiver<Option<Vec<u8>>>);

/// Starts a process that handles one event.
fn once(places: &Places, event: &Event, more: &[&str]) -> Option<Outcome> {
    let program = places.daemon.as_ref()?;
    let mut command = Command::new(program);
    command.args(["once", "hook", "--runner", event.runner]);
    command.args(["--pid", &parent_pid().to_string()]);
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

/// Remembers that an event was lost, for `status` and `doctor`: the file's size is the count. The
/// agent does not hear of it.
fn count_lost(places: &Places) -> c_int {
    let path = places.locations.lost_counter();
    if let Some(parent) = path.parent() {
        let _ = places::private_directory(parent);
    }
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file
        && file.metadata().is_ok_and(|m| m.len() < 1_000_000)
    {
        let _ = file.write_all(b".");
    }
    0
}
