//! The hook lane: bytes in, one request, bytes out, exit 0.
//!
//! Nothing in here may harm the agent: every failure is silence. What happens when the daemon
//! cannot be reached is in [`undelivered`], off the fast path.

use std::ffi::{CStr, c_int};
use std::mem;
use std::ptr;

use aictx_proto::hook::{self as events, CONNECT_DEADLINE_MS, DEADLINE_VARIABLE};
use aictx_proto::locations::{MAX_SOCKET_PATH, SOCKET_VARIABLE};
use aictx_proto::rpc::{HOOK_LINE_HEAD, MAX_LINE_BYTES, RESULT_HEAD};

use crate::connect::peer_is_us;
use crate::places::user_id;

pub mod undelivered;

/// Request lines up to this size never touch the heap. Larger ones are rare (whole-file writes).
const LINE_BUFFER: usize = 64 * 1024;
/// Longest runner or event name.
const MAX_NAME: usize = 40;
/// What closes the request behind the payload.
const TAIL: &[u8] = b"}}\n";

/// Request first, answer afterwards. Static instead of zeroed on the stack: its pages are touched
/// only as far as they are used, and each page touched costs a microsecond. For the same reason
/// the lane's functions stand in a section of their own, beside the C start-up code.
static mut LINE: [u8; LINE_BUFFER] = [0; LINE_BUFFER];

/// Whether `name` can stand in the request without escaping.
pub fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && !name.starts_with(b"-")
}

/// Runs `aictx hook <runner> [event]`. Always 0: a hook that fails must not stop the agent.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub fn run(runner: &[u8], event: Option<&[u8]>) -> c_int {
    ignore_broken_pipe();
    // SAFETY: the process has one thread and this is the only borrow of `LINE`.
    let line = unsafe { &mut *ptr::addr_of_mut!(LINE) };
    let Some(start) = write_head(line, runner, event) else {
        return 0;
    };
    let room_end = LINE_BUFFER - TAIL.len();
    let mut end = start;
    loop {
        let room = line.get_mut(end..room_end).unwrap_or_default();
        if room.is_empty() {
            return undelivered::large(runner, event, line.get(start..end).unwrap_or_default());
        }
        match read_stdin(room) {
            0 => break,
            n => end += n,
        }
    }
    end = frame(line, start, end);
    // The answer goes behind the request, which may be needed again.
    let (message, answer) = line.split_at_mut_checked(end).unwrap_or_default();
    let payload = message.get(start..end - TAIL.len()).unwrap_or_default();
    let event_name = event.or_else(|| event_in(payload)).unwrap_or_default();
    let deadline = deadline_ms(event_name);
    let sent = match connect() {
        Some(socket) => exchange(socket, message, answer, deadline),
        None => Sent::Lost,
    };
    if sent == Sent::HandedOver {
        return 0;
    }
    undelivered::run(runner, event_name, payload, deadline, sent)
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The daemon has it: it answered, or it still may after the deadline.
    HandedOver,
    /// There is no daemon, or it ended before it answered: nobody can say whether it took the
    /// event, and twice in the ledger is better than not at all.
    Lost,
    /// It is there and did not even read the line before the deadline.
    Refused,
}

/// Writes everything up to the payload; gives its length.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn write_head(line: &mut [u8], runner: &[u8], event: Option<&[u8]>) -> Option<usize> {
    let mut digits = [0; 10];
    let pid = decimal(parent_pid(), &mut digits);
    let parts: [&[u8]; 7] = [
        HOOK_LINE_HEAD.as_bytes(),
        runner,
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

/// Line breaks between JSON tokens mean nothing, and inside strings JSON forbids them raw: blanks
/// instead keep the meaning and make one line.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn one_line(payload: &mut [u8]) {
    for byte in payload {
        if matches!(*byte, b'\n' | b'\r') {
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

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    // SAFETY: both pointers are valid for their lengths.
    let hit = unsafe {
        libc::memmem(
            haystack.as_ptr().cast(),
            haystack.len(),
            needle.as_ptr().cast(),
            needle.len(),
        )
    };
    (!hit.is_null()).then(|| hit as usize - haystack.as_ptr() as usize)
}

/// Sends the line, reads the answer and prints the result; silence on anything unexpected.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn exchange(socket: c_int, message: &[u8], answer: &mut [u8], deadline: u64) -> Sent {
    set_timeout(socket, libc::SO_RCVTIMEO, deadline);
    if !send_all(socket, message) {
        return if timed_out() {
            Sent::Refused
        } else {
            Sent::Lost
        };
    }
    let mut length = 0;
    loop {
        let room = answer.get_mut(length..).unwrap_or_default();
        if room.is_empty() {
            let have = answer.get(..length).unwrap_or_default();
            undelivered::finish_large_answer(socket, have, deadline);
            return Sent::HandedOver;
        }
        match receive(socket, room) {
            Some(n) if n > 0 => length += n,
            None if timed_out() => return Sent::HandedOver,
            _ => return Sent::Lost,
        }
        let have = answer.get(..length).unwrap_or_default();
        if have.last() == Some(&b'\n') {
            if let Some(result) = result_in(have) {
                write_stdout(result);
            }
            return Sent::HandedOver;
        }
    }
}

/// The bare result in an answer line: `None` for errors and for `null`.
pub(crate) fn result_in(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(RESULT_HEAD.as_bytes())?;
    let result = rest
        .strip_suffix(b"\n")
        .unwrap_or(rest)
        .strip_suffix(b"}")?;
    (result != b"null").then_some(result)
}

/// Answer deadline for `event` in milliseconds: the environment's word for this event, else its
/// word for all, else the table.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn deadline_ms(event: &[u8]) -> u64 {
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
    match own.or(all) {
        Some(ms) => ms.clamp(1, 600_000),
        None => events::answer_deadline_ms(event),
    }
}

/// Up to nine decimal digits and nothing else.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let step = |n: u64, d: &u8| d.is_ascii_digit().then(|| n * 10 + u64::from(*d - b'0'));
    digits.iter().try_fold(0, step)
}

/// `NAME=value` entries of the environment.
fn environment() -> impl Iterator<Item = &'static [u8]> {
    unsafe extern "C" {
        static environ: *const *const libc::c_char;
    }
    let mut at = 0;
    std::iter::from_fn(move || {
        // SAFETY: the C runtime keeps `environ` a null-terminated array of C strings, and nothing
        // changes it while the lane runs.
        unsafe {
            if environ.is_null() || (*environ.add(at)).is_null() {
                return None;
            }
            let entry = CStr::from_ptr(*environ.add(at));
            at += 1;
            Some(entry.to_bytes())
        }
    })
}

/// The value of an environment variable, if it is an absolute path.
fn absolute(name: &str) -> Option<&'static [u8]> {
    let value = environment().find_map(|e| e.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    value.starts_with(b"/").then_some(value)
}

/// Writes the socket path, NUL-terminated, into `sun_path`; the same places in the same order as
/// [`aictx_proto::locations::Locations::derive`], without allocating (a test holds them together).
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn socket_path(into: &mut [u8]) -> Option<usize> {
    let join = |into: &mut [u8], parts: &[&[u8]]| -> Option<usize> {
        let mut at = 0;
        for part in parts {
            into.get_mut(at..at + part.len())?.copy_from_slice(part);
            at += part.len();
        }
        (at <= MAX_SOCKET_PATH).then_some(at)
    };
    if let Some(path) = absolute(SOCKET_VARIABLE) {
        return join(into, &[path]);
    }
    let mut digits = [0; 10];
    let uid = decimal(user_id(), &mut digits);
    let trimmed = |dir: &'static [u8]| match dir {
        [rest @ .., b'/'] if !rest.is_empty() => rest,
        other => other,
    };
    if let Some(dir) = absolute("XDG_RUNTIME_DIR") {
        if let Some(length) = join(into, &[trimmed(dir), b"/aictx/v1/sock"]) {
            return Some(length);
        }
    } else if cfg!(target_os = "macos")
        && let Some(dir) = absolute("TMPDIR")
        && let Some(length) = join(into, &[trimmed(dir), b"/aictx-", uid, b"/v1/sock"])
    {
        return Some(length);
    }
    join(into, &[b"/tmp/aictx-", uid, b"/v1/sock"])
}

/// A connected socket whose other end belongs to this user.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
fn connect() -> Option<c_int> {
    // SAFETY: `sockaddr_un` is plain data; all zeroes is a valid value.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let mut path = [0_u8; mem::size_of::<libc::sockaddr_un>()];
    let room = address.sun_path.len() - 1;
    let length = socket_path(path.get_mut(..room)?)?;
    for (to, from) in address.sun_path.iter_mut().zip(path.iter().take(length)) {
        *to = (*from).cast_signed() as libc::c_char;
    }
    // SAFETY: plain system calls; `address` is a valid, NUL-terminated `sockaddr_un`.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | close_on_exec(), 0);
        if socket < 0 {
            return None;
        }
        set_timeout(socket, libc::SO_SNDTIMEO, CONNECT_DEADLINE_MS);
        let size = mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
        if libc::connect(socket, (&raw const address).cast(), size) != 0 || !peer_is_us(socket) {
            libc::close(socket);
            return None;
        }
        Some(socket)
    }
}

const fn close_on_exec() -> c_int {
    #[cfg(target_os = "linux")]
    return libc::SOCK_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    return 0;
}

fn set_timeout(socket: c_int, option: c_int, milliseconds: u64) {
    let value = libc::timeval {
        tv_sec: (milliseconds / 1000) as _,
        tv_usec: ((milliseconds % 1000) * 1000) as _,
    };
    // SAFETY: `value` is a valid `timeval` of the size given.
    unsafe {
        libc::setsockopt(
            socket,
            libc::SOL_SOCKET,
            option,
            (&raw const value).cast(),
            mem::size_of::<libc::timeval>() as libc::socklen_t,
        );
    }
}

fn send_all(socket: c_int, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the slice is valid for its length.
        let n = unsafe { libc::send(socket, bytes.as_ptr().cast(), bytes.len(), 0) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => bytes = bytes.get(n..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Bytes received; 0 at the end, nothing at the deadline and on any error.
fn receive(socket: c_int, room: &mut [u8]) -> Option<usize> {
    // SAFETY: the slice is valid for its length.
    usize::try_from(unsafe { libc::recv(socket, room.as_mut_ptr().cast(), room.len(), 0) }).ok()
}

/// Whether the system call that just failed did so because its time was up.
fn timed_out() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock
}

/// Bytes read; 0 at the end and on any error but an interrupted call.
fn read_stdin(room: &mut [u8]) -> usize {
    loop {
        // SAFETY: the slice is valid for its length.
        let n = unsafe { libc::read(0, room.as_mut_ptr().cast(), room.len()) };
        match usize::try_from(n) {
            Ok(n) => return n,
            Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => return 0,
        }
    }
}

pub(crate) fn write_stdout(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice is valid for its length.
        let n = unsafe { libc::write(1, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => bytes = bytes.get(n..).unwrap_or_default(),
            _ => return,
        }
    }
}

/// A daemon that dies between connect and send, or an agent that closed our output, must not kill
/// us by signal: that would look like a failed hook.
fn ignore_broken_pipe() {
    // SAFETY: changes one signal's disposition, before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}

fn parent_pid() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::getppid() }.try_into().unwrap_or(0)
}

/// Decimal digits of `n` in `room`.
fn decimal(mut n: u32, room: &mut [u8; 10]) -> &[u8] {
    let mut at = room.len();
    for slot in room.iter_mut().rev() {
        *slot = b'0' + (n % 10) as u8;
        n /= 10;
        at -= 1;
        if n == 0 {
            break;
        }
    }
    room.get(at..).unwrap_or_default()
}

/// Longest payload that fits into one line with everything around it.
pub(crate) const MAX_PAYLOAD: usize = MAX_LINE_BYTES - 512;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framed(payload: &[u8]) -> String {
        let mut line = vec![0; 4096];
        let start = write_head(&mut line, b"claude", None).unwrap();
        line[start..start + payload.len()].copy_from_slice(payload);
        let end = frame(&mut line, start, start + payload.len());
        String::from_utf8_lossy(&line[..end]).into_owned()
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
            None
        );
        assert_eq!(
            result_in(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n"),
            None
        );
        assert_eq!(result_in(b"HTTP/1.1 400"), None);
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
    fn numbers_are_decimal() {
        for n in [0, 7, 10, 4_294_967_295] {
            assert_eq!(decimal(n, &mut [0; 10]), n.to_string().as_bytes());
        }
    }

    #[test]
    fn names_need_no_escaping() {
        assert!(is_name(b"claude") && is_name(b"tool.execute.after"));
        for bad in [&b""[..], b"--help", b"a\"b", b"a b", &[b'a'; 41]] {
            assert!(!is_name(bad));
        }
    }

    proptest! {
        /// Whatever comes in, exactly one line goes out, and it ends in a newline.
        #[test]
        fn one_line_out(payload in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut line = vec![0; 4096];
            let start = write_head(&mut line, b"claude", Some(b"Stop")).unwrap();
            line[start..start + payload.len()].copy_from_slice(&payload);
            let end = frame(&mut line, start, start + payload.len());
            prop_assert_eq!(line[..end].iter().filter(|b| **b == b'\n').count(), 1);
            prop_assert_eq!(line[end - 1], b'\n');
        }
    }
}
