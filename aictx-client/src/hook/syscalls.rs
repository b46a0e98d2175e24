//! The system calls of the hook lane: its socket, its standard streams and its environment,
//! without allocating. What the lane calls on its fast path is inlined into the lane's own section.

use std::ffi::{CStr, c_int};
use std::mem;

use aictx_proto::hook::CONNECT_DEADLINE_MS;
use aictx_proto::locations::{MAX_SOCKET_PATH, SOCKET_VARIABLE};

use crate::paths::user_id;

/// `NAME=value` entries of the environment.
#[inline]
pub(super) fn environment() -> impl Iterator<Item = &'static [u8]> {
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
#[inline]
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
pub(super) fn connect() -> Option<c_int> {
    let mut path = [0_u8; mem::size_of::<libc::sockaddr_un>()];
    let length = socket_path(path.get_mut(..MAX_SOCKET_PATH + 1)?)?;
    connect_to(path.get(..length)?, CONNECT_DEADLINE_MS)
}

/// Returns true if the other end of a connected socket is a process of this user: nobody else may answer
/// for our daemon, whoever made the socket file. Allocates nothing.
#[cfg(target_os = "linux")]
fn peer_is_us(socket: c_int) -> bool {
    // SAFETY: `ucred` is plain data for which zeroes are valid, and `size` is its size.
    unsafe {
        let mut peer: libc::ucred = mem::zeroed();
        let mut size = size_of::<libc::ucred>() as libc::socklen_t;
        let status = libc::getsockopt(
            socket,
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut size,
        );
        status == 0 && peer.uid == user_id()
    }
}

/// See the Linux variant.
#[cfg(not(target_os = "linux"))]
fn peer_is_us(socket: c_int) -> bool {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: both out-pointers are valid.
    unsafe { libc::getpeereid(socket, &raw mut uid, &raw mut gid) == 0 && uid == user_id() }
}

/// Connects to the socket at `path`, waiting for room in its queue for at most so many
/// milliseconds, and makes sure that the other end belongs to this user. The last system error
/// says why there is none.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".text.hot.aictx"))]
pub(crate) fn connect_to(path: &[u8], deadline: u64) -> Option<c_int> {
    // SAFETY: `sockaddr_un` is plain data; all zeroes is a valid value.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    if path.len() >= address.sun_path.len() {
        set_errno(libc::ENAMETOOLONG);
        return None;
    }
    for (to, from) in address.sun_path.iter_mut().zip(path) {
        *to = (*from).cast_signed() as libc::c_char;
    }
    // SAFETY: plain system calls; `address` is a valid, NUL-terminated `sockaddr_un`.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | close_on_exec(), 0);
        if socket < 0 {
            return None;
        }
        // Linux lets a connection wait for as long as a transmission may.
        set_timeout(socket, libc::SO_SNDTIMEO, deadline);
        let size = mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
        let is_connected = libc::connect(socket, (&raw const address).cast(), size) == 0;
        if is_connected && peer_is_us(socket) {
            return Some(socket);
        }
        let why = match is_connected {
            true => libc::EACCES,
            false => errno(),
        };
        libc::close(socket);
        set_errno(why);
        None
    }
}

fn errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn set_errno(value: c_int) {
    #[cfg(target_os = "linux")]
    // SAFETY: points to this thread's variable.
    unsafe {
        *libc::__errno_location() = value;
    }
    #[cfg(target_os = "macos")]
    // SAFETY: points to this thread's variable.
    unsafe {
        *libc::__error() = value;
    }
}

#[inline]
const fn close_on_exec() -> c_int {
    #[cfg(target_os = "linux")]
    return libc::SOCK_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    return 0;
}

#[inline]
pub(super) fn set_timeout(socket: c_int, option: c_int, milliseconds: u64) {
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

#[inline]
pub(super) fn send_all(socket: c_int, mut bytes: &[u8]) -> bool {
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
#[inline]
pub(super) fn receive(socket: c_int, room: &mut [u8]) -> Option<usize> {
    // SAFETY: the slice is valid for its length.
    usize::try_from(unsafe { libc::recv(socket, room.as_mut_ptr().cast(), room.len(), 0) }).ok()
}

/// Returns true if the system call that just failed did so because its time was up.
#[inline]
pub(super) fn timed_out() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock
}

/// Bytes read; 0 at the end and on any error but an interrupted call.
#[inline]
pub(super) fn read_stdin(room: &mut [u8]) -> usize {
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

/// Waits until standard input has something to read, its end included; false after so many milliseconds.
#[inline]
pub(super) fn has_more(milliseconds: u64) -> bool {
    let mut input = libc::pollfd {
        fd: 0,
        events: libc::POLLIN,
        revents: 0,
    };
    let wait = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
    // SAFETY: one valid `pollfd`.
    unsafe { libc::poll(&raw mut input, 1, wait) > 0 }
}

/// Milliseconds of the monotonic clock.
#[inline]
pub(crate) fn now_ms() -> u64 {
    clock(libc::CLOCK_MONOTONIC) / 1_000_000
}

/// Nanoseconds since the Unix epoch.
#[inline]
pub(super) fn unix_nanos() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

#[inline]
fn clock(which: libc::clockid_t) -> u64 {
    // SAFETY: `timespec` is plain data, and the pointer is valid.
    let time = unsafe {
        let mut time: libc::timespec = mem::zeroed();
        libc::clock_gettime(which, &raw mut time);
        time
    };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Ends this process successfully after so many milliseconds (rounded up to seconds), whatever it
/// waits for.
#[inline]
pub(super) fn end_after(milliseconds: u64) {
    extern "C" fn end(_: c_int) {
        // SAFETY: async-signal-safe.
        unsafe { libc::_exit(0) }
    }
    let seconds = u32::try_from(milliseconds.div_ceil(1000)).unwrap_or(u32::MAX);
    // SAFETY: the handler calls nothing but `_exit`.
    unsafe {
        libc::signal(libc::SIGALRM, end as *const () as libc::sighandler_t);
        libc::alarm(seconds);
    }
}

/// This process.
#[inline]
pub(super) fn own_pid() -> u32 {
    std::process::id()
}

#[inline]
pub(super) fn write_to(stream: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice is valid for its length.
        let n = unsafe { libc::write(stream, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => bytes = bytes.get(n..).unwrap_or_default(),
            _ => return,
        }
    }
}

/// A daemon that dies between connect and send, or an agent that closed our output, must not kill
/// us by signal: that would look like a failed hook.
#[inline]
pub(super) fn ignore_broken_pipe() {
    // SAFETY: changes one signal's disposition, before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}

#[inline]
pub(super) fn parent_pid() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::getppid() }.try_into().unwrap_or(0)
}

/// Decimal digits of `n` in `room`.
#[inline]
pub(super) fn decimal(mut n: u32, room: &mut [u8; 10]) -> &[u8] {
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

#[inline]
pub(super) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal() {
        for n in [0, 7, 10, 4_294_967_295] {
            assert_eq!(decimal(n, &mut [0; 10]), n.to_string().as_bytes());
        }
    }
}
