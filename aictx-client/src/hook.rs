//! The hook lane: bytes in, one request, bytes out, exit 0.
//!
//! Nothing in here may harm the agent: every failure is silence. What happens when the daemon
//! cannot be reached is in [`undelivered`], off the fast path; the system calls are in `raw`.

use std::ffi::c_int;
use std::ptr;

use aictx_proto::hook::{self as events, DEADLINE_VARIABLE, Deadlines, EXIT_HEAD, EXIT_TAIL};
use aictx_proto::rpc::{
    HOOK_LINE_HEAD, INVALID_PARAMS, INVALID_REQUEST, MAX_LINE_BYTES, PARSE_ERROR, RESULT_HEAD,
    TOO_LARGE,
};

use self::syscalls::{
    connect, decimal, end_after, environment, find, has_more, ignore_broken_pipe, now_ms, own_pid,
    parent_pid, read_stdin, receive, send_all, set_timeout, timed_out, unix_nanos, write_to,
};

pub mod slow_path;
pub(crate) mod syscalls;

/// Request lines up to this size never touch the heap. Larger ones are rare (whole-file writes).
const LINE_BUFFER: usize = 64 * 1024;
/// Longest runner or event name.
const MAX_NAME: usize = 40;
/// The word in the place of a runner that asks for `aictx hook probe`, which is for people.
pub const PROBE: &[u8] = b"probe";
/// Exit status by which some agents are refused a call.
const REFUSED: c_int = 2;
/// Most bytes of an event's id: sixteen digits, a dash and a process id.
const MAX_ID: usize = 27;
/// Milliseconds behind its deadline at which a hook is ended from outside: for waits that have
/// no deadline of their own (a hung file system, an agent that does not read our answer).
const LAST_RESORT_MS: u64 = 250;
/// End of the request behind the payload.
const TAIL: &[u8] = b"}}\n";

/// Request first, answer afterwards. Static instead of zeroed on the stack: its pages are touched
/// only as far as they are used, and each page touched costs a microsecond. For the same reason
/// the lane's functions stand in a section of their own, beside the C start-up code.
static mut LINE: [u8; LINE_BUFFER] = [0; LINE_BUFFER];

/// Returns true if `name` can stand in the request without escaping.
pub fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && !name.starts_with(b"-")
}

/// Returns true if somebody hands over standard input, instead of typing it.
pub fn has_input() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::isatty(0) == 0 }
}

/// Runs `aictx hook <runner> [event]`. A hook that fails must not stop the agent, so this is 0, but
/// for agents to which 2 is the word for a refusal.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub fn run(runner: &[u8], event: Option<&[u8]>) -> c_int {
    let begun = now_ms();
    ignore_broken_pipe();
    let mut deadlines = deadlines(event.unwrap_or_default());
    end_after(deadlines.total + LAST_RESORT_MS);
    // SAFETY: the process has one thread and this is the only borrow of `LINE`.
    let line = unsafe { &mut *ptr::addr_of_mut!(LINE) };
    let mut id = [0; MAX_ID];
    let id = event_id(&mut id);
    let Some(start) = write_head(line, runner, id, event) else {
        return 0;
    };
    let room_end = LINE_BUFFER - TAIL.len();
    let mut whole = Whole::default();
    let mut end = start;
    loop {
        let room = line.get_mut(end..room_end).unwrap_or_default();
        if room.is_empty() {
            let head = line.get(start..end).unwrap_or_default();
            return slow_path::large(runner, event, id, head, begun);
        }
        match read_stdin(room) {
            0 => break,
            n => end += n,
        }
        // An agent may keep our standard input open behind the payload.
        if !has_more(0) {
            let read = line.get(start..end).unwrap_or_default();
            let left = (begun + deadlines.total / 2).saturating_sub(now_ms());
            if whole.after(read) || !has_more(left) {
                break;
            }
        }
    }
    end = frame(line, start, end);
    // The answer goes behind the request, which may be needed again.
    let (message, answer) = line.split_at_mut_checked(end).unwrap_or_default();
    let payload = message.get(start..end - TAIL.len()).unwrap_or_default();
    let event_name = event.or_else(|| event_in(payload)).unwrap_or_default();
    if event.is_none() {
        deadlines = self::deadlines(event_name);
    }
    let left = (begun + deadlines.total).saturating_sub(now_ms());
    let sent = match connect() {
        Some(socket) => exchange(socket, message, answer, deadlines.answer.min(left)),
        // There is a daemon, and its queue is full.
        None if timed_out() => Sent::Late,
        None => Sent::Lost,
    };
    if let Sent::HandedOver(status) = sent {
        return status;
    }
    slow_path::run(runner, event_name, id, payload, deadlines, begun, sent)
}

/// Fate of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The daemon has recorded the event and answered. The exit status is what the answer asks for.
    HandedOver(c_int),
    /// There is no daemon, or it ended before it answered.
    Lost,
    /// There is a daemon that did not answer before the deadline. It may still record the event.
    Late,
    /// The daemon answered that it could not record the event.
    Declined,
    /// The daemon could not read the event, and nobody else could.
    Unreadable,
}

/// Makes an id that no other event of this machine has: nanoseconds since the epoch in hexadecimal
/// digits, and this process.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn event_id(room: &mut [u8; MAX_ID]) -> &[u8] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let nanos = unix_nanos();
    let (at, rest) = room.split_at_mut(16);
    for (n, slot) in at.iter_mut().rev().enumerate() {
        let digit = (nanos >> (4 * n)) & 0xf;
        *slot = DIGITS.get(digit as usize).copied().unwrap_or(b'0');
    }
    let mut digits = [0; 10];
    let pid = decimal(own_pid(), &mut digits);
    let mut end = 16;
    for (slot, byte) in rest.iter_mut().zip(b"-".iter().chain(pid)) {
        *slot = *byte;
        end += 1;
    }
    room.get(..end).unwrap_or_default()
}

/// Finds the end of a JSON document that is read piece by piece.
#[derive(Debug, Default)]
struct Whole {
    seen: usize,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl Whole {
    /// Reads on to the end of `text`, which begins with what was read before.
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
    fn after(&mut self, text: &[u8]) -> bool {
        for byte in text.get(self.seen..).unwrap_or_default() {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.has_begun = true;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.seen = text.len();
        self.has_begun && self.depth == 0 && !self.in_string
    }
}

/// Writes everything up to the payload; gives its length.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn write_head(line: &mut [u8], runner: &[u8], id: &[u8], event: Option<&[u8]>) -> Option<usize> {
    let mut digits = [0; 10];
    let pid = decimal(parent_pid(), &mut digits);
    let parts: [&[u8]; 9] = [
        HOOK_LINE_HEAD.as_bytes(),
        runner,
        b"\",\"id\":\"",
        id,
        b"\",\"pid\":",
        pid,
        if event.is_some() {
            b",\"event\":\""
        } else {
            b""
        },
        event.unwrap_or_default(),
        if event.is_some() {
            b"\",\"payload\":"
        } else {
            b",\"payload\":"
        },
    ];
    let mut at = 0;
    for part in parts {
        line.get_mut(at..at + part.len())?.copy_from_slice(part);
        at += part.len();
    }
    Some(at)
}

/// Makes the payload at `start..end` one line and closes the request; gives the new end. An empty
/// payload becomes `null`, so that the daemon can say what is wrong instead of seeing broken JSON.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn frame(line: &mut [u8], start: usize, end: usize) -> usize {
    let payload = line.get_mut(start..end).unwrap_or_default();
    one_line(payload);
    let mut end = start
        + payload
            .iter()
            .rposition(|b| *b != b' ')
            .map_or(0, |last| last + 1);
    if end == start {
        if let Some(room) = line.get_mut(start..start + 4) {
            room.copy_from_slice(b"null");
        }
        end = start + 4;
    }
    if let Some(room) = line.get_mut(end..end + TAIL.len()) {
        room.copy_from_slice(TAIL);
    }
    end + TAIL.len()
}

/// Line breaks between JSON tokens mean nothing, and inside strings JSON forbids them raw, as all control characters:
/// blanks instead keep the meaning and make one line. A byte order mark in front becomes blanks, too.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn one_line(payload: &mut [u8]) {
    if let Some(mark) = payload
        .first_chunk_mut()
        .filter(|mark| **mark == *b"\xef\xbb\xbf")
    {
        *mark = *b"   ";
    }
    for byte in payload {
        if *byte < b' ' {
            *byte = b' ';
        }
    }
}

/// The value of `"hook_event_name"`, found by bytes. A quote inside a JSON string is always
/// escaped, so text in a prompt or a file cannot imitate the member; a nested member of that name
/// could, and would only change a deadline.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn event_in(payload: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"\"hook_event_name\"";
    let at = find(payload, KEY)?;
    let rest = payload.get(at + KEY.len()..)?;
    let open = rest.iter().take(8).position(|b| *b == b'"')?;
    let value = rest.get(open + 1..)?;
    let close = value.iter().take(MAX_NAME + 1).position(|b| *b == b'"')?;
    value.get(..close).filter(|v| is_name(v))
}

/// Sends the line, reads the answer and prints the result; silence on anything unexpected.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn exchange(socket: c_int, message: &[u8], answer: &mut [u8], deadline: u64) -> Sent {
    set_timeout(socket, libc::SO_RCVTIMEO, deadline);
    if !send_all(socket, message) {
        return if timed_out() { Sent::Late } else { Sent::Lost };
    }
    let mut length = 0;
    loop {
        let room = answer.get_mut(length..).unwrap_or_default();
        if room.is_empty() {
            let have = answer.get(..length).unwrap_or_default();
            return slow_path::finish_large_answer(socket, have, deadline);
        }
        match receive(socket, room) {
            Some(n) if n > 0 => length += n,
            None if timed_out() => return Sent::Late,
            _ => return Sent::Lost,
        }
        let have = answer.get(..length).unwrap_or_default();
        if have.last() == Some(&b'\n') {
            return taken(have);
        }
    }
}

/// Says what an answer line wants said. An error is no answer.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn taken(line: &[u8]) -> Sent {
    match result_in(line) {
        Some(result) => Sent::HandedOver(match result {
            b"null" => 0,
            result => say(result),
        }),
        None if is_fault_of_payload(line) => Sent::Unreadable,
        None => Sent::Declined,
    }
}

/// Tells error lines that have one of JSON-RPC's own codes for requests that are wrong.
fn is_fault_of_payload(line: &[u8]) -> bool {
    const CODE: &[u8] = b"\"code\":";
    let code = find(line, CODE).and_then(|at| line.get(at + CODE.len()..));
    let codes = [&INVALID_PARAMS, &INVALID_REQUEST, &PARSE_ERROR, &TOO_LARGE];
    code.is_some_and(|code| {
        let digits = code
            .iter()
            .take_while(|b| **b == b'-' || b.is_ascii_digit());
        let digits = code.get(..digits.count()).unwrap_or_default();
        let number = std::str::from_utf8(digits)
            .ok()
            .and_then(|d| d.parse().ok());
        codes.iter().any(|known| Some(known.code) == number)
    })
}

/// Says a result the way it wants to be said; gives the exit status.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn say(result: &[u8]) -> c_int {
    match refusal_in(result) {
        Some(reason) => {
            write_to(2, reason);
            REFUSED
        }
        None => {
            write_to(1, result);
            0
        }
    }
}

/// The reason in a result that is said by exit status.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn refusal_in(result: &[u8]) -> Option<&[u8]> {
    result
        .strip_prefix(EXIT_HEAD.as_bytes())?
        .strip_suffix(EXIT_TAIL.as_bytes())
}

/// The bare result in an answer line; `None` for errors and for what is no answer.
pub(crate) fn result_in(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(RESULT_HEAD.as_bytes())?;
    rest.strip_suffix(b"\n").unwrap_or(rest).strip_suffix(b"}")
}

/// Deadlines of a hook for `event`: by the environment's word for this event, else by its word for
/// all, else by the table.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn deadlines(event: &[u8]) -> Deadlines {
    let (mut own, mut all) = (None, None);
    for entry in environment() {
        match entry.strip_prefix(DEADLINE_VARIABLE.as_bytes()) {
            Some([b'=', value @ ..]) => all = number(value),
            Some([b'_', named @ ..]) => {
                if let Some(([name @ .., b'='], value)) = named.split_at_checked(event.len() + 1)
                    && name
                        .iter()
                        .zip(event)
                        .all(|(n, e)| *n == e.to_ascii_uppercase())
                {
                    own = number(value);
                }
            }
            _ => {}
        }
    }
    let usual = events::deadlines(event);
    own.or(all).map_or(usual, |ms| usual.with_answer(ms))
}

/// Up to nine decimal digits and nothing else.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let step = |n: u64, d: &u8| d.is_ascii_digit().then(|| n * 10 + u64::from(*d - b'0'));
    digits.iter().try_fold(0, step)
}

/// Longest payload that fits into one line with everything around it.
pub(crate) const MAX_PAYLOAD: usize = MAX_LINE_BYTES - 512;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framed(payload: &[u8]) -> String {
        let mut line = vec![0; 4096];
        let start = write_head(&mut line, b"claude", b"0-1", None).unwrap();
        line[start..start + payload.len()].copy_from_slice(payload);
        let end = frame(&mut line, start, start + payload.len());
        String::from_utf8_lossy(&line[..end]).into_owned()
    }

    #[test]
    fn a_byte_order_mark_and_control_characters_are_blanks() {
        let line = framed(b"\xef\xbb\xbf{\"a\": \"b\x01\tc\"}");
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["params"]["payload"]["a"], "b  c");
    }

    #[test]
    fn the_line_is_a_request() {
        let line = framed(b"{\n \"a\": 1\r\n}\n");
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["method"], "hook");
        assert_eq!(value["params"]["runner"], "claude");
        assert_eq!(value["params"]["payload"]["a"], 1);
        assert_eq!(value["aictx"]["proto"], aictx_proto::PROTOCOL_VERSION);
        assert_eq!(line.matches('\n').count(), 1);
        let empty: serde_json::Value = serde_json::from_str(&framed(b" \n ")).unwrap();
        assert!(empty["params"]["payload"].is_null());
    }

    #[test]
    fn results_are_cut_out() {
        assert_eq!(
            result_in(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n"),
            Some(&b"{\"a\":1}"[..])
        );
        assert_eq!(
            result_in(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n"),
            Some(&b"null"[..])
        );
        assert_eq!(
            result_in(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n"),
            None
        );
        assert_eq!(result_in(b"HTTP/1.1 400"), None);
    }

    #[test]
    fn an_error_is_no_answer() {
        let error = |code: i32| {
            let error = serde_json::json!({"code": code, "message": "\"code\":-32602", "data": {}});
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{error}}}\n")
        };
        assert_eq!(
            taken(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n"),
            Sent::HandedOver(0)
        );
        for known in aictx_proto::rpc::ERROR_CODES {
            let is_ours = [
                "parse_error",
                "invalid_request",
                "invalid_params",
                "too_large",
            ];
            let expected = match is_ours.contains(&known.kind) {
                true => Sent::Unreadable,
                false => Sent::Declined,
            };
            assert_eq!(
                taken(error(known.code).as_bytes()),
                expected,
                "{}",
                known.kind
            );
        }
        assert_eq!(taken(b"HTTP/1.1 400\n"), Sent::Declined);
    }

    #[test]
    fn ids_are_a_time_and_a_process() {
        let id = String::from_utf8(event_id(&mut [0; MAX_ID]).to_vec()).unwrap();
        let (time, pid) = id.split_once('-').unwrap();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let age = since.unwrap().as_nanos() - u64::from_str_radix(time, 16).unwrap() as u128;
        assert!(age < 60_000_000_000, "{age} ns");
        assert_eq!(pid.parse::<u32>().unwrap(), std::process::id());
        assert_eq!(time.len(), 16);
    }

    #[test]
    fn refusals_by_status_are_cut_out() {
        let said = r#"{"aictx_exit":2,"aictx_stderr":"not here: 'x' ä"}"#;
        assert_eq!(
            refusal_in(said.as_bytes()),
            Some("not here: 'x' ä".as_bytes())
        );
        for other in [
            &br#"{"aictx_exit":2}"#[..],
            br#"{"decision":"deny","reason":"aictx_exit"}"#,
            b"null",
            b"",
        ] {
            assert_eq!(refusal_in(other), None);
        }
    }

    #[test]
    fn events_are_found_by_bytes() {
        assert_eq!(
            event_in(br#"{"hook_event_name":"Stop"}"#),
            Some(&b"Stop"[..])
        );
        assert_eq!(
            event_in(br#"{"hook_event_name" : "PreToolUse","x":1}"#),
            Some(&b"PreToolUse"[..])
        );
        assert_eq!(
            event_in(br#"{"prompt":"say \"hook_event_name\":\"Stop\""}"#),
            None
        );
        assert_eq!(event_in(br#"{"hook_event_name":17}"#), None);
        assert_eq!(event_in(b"garbage"), None);
    }

    #[test]
    fn names_need_no_escaping() {
        assert!(is_name(b"claude") && is_name(b"tool.execute.after"));
        for bad in [&b""[..], b"--help", b"a\"b", b"a b", &[b'a'; 41]] {
            assert!(!is_name(bad));
        }
    }

    proptest! {
        /// In pieces of any size, a document is whole exactly at its end.
        #[test]
        fn a_document_is_whole_at_its_end(
            text in "[a-z\\\\\"{}\\[\\], ]{0,40}",
            steps in proptest::collection::vec(1_usize..9, 1..30),
        ) {
            let document = serde_json::json!({"a": text, "b": [1, {"c": text}]}).to_string();
            let mut whole = Whole::default();
            let mut at = 0;
            for step in steps.iter().cycle() {
                at = (at + step).min(document.len());
                let is_whole = whole.after(&document.as_bytes()[..at]);
                prop_assert_eq!(is_whole, at == document.len(), "{} of {}", at, document);
                if at == document.len() {
                    break;
                }
            }
        }

        /// Whatever comes in, exactly one line goes out, and it ends in a newline.
        #[test]
        fn one_line_out(payload in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut line = vec![0; 4096];
            let start = write_head(&mut line, b"claude", b"0-1", Some(b"Stop")).unwrap();
            line[start..start + payload.len()].copy_from_slice(&payload);
            let end = frame(&mut line, start, start + payload.len());
            prop_assert_eq!(line[..end].iter().filter(|b| **b == b'\n').count(), 1);
            prop_assert_eq!(line[end - 1], b'\n');
        }
    }
}
