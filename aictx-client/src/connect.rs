//! A blocking connection to the daemon, for everything that is not the fast path.

use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use aictx_proto::rpc::MAX_LINE_BYTES;

use crate::hook::syscalls;

/// Connects before `end` and makes sure that the other end is this user's.
///
/// # Errors
/// As the system reports them: `NotFound` and `ConnectionRefused` when nobody listens, `WouldBlock`
/// when the queue stays full, `PermissionDenied` when somebody else listens.
pub fn connect(socket: &Path, end: Instant) -> io::Result<UnixStream> {
    let left = left_until(end);
    let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
    match syscalls::connect_to(socket.as_os_str().as_bytes(), left) {
        // SAFETY: a new descriptor that nothing else owns.
        Some(fd) => Ok(unsafe { UnixStream::from_raw_fd(fd) }),
        None => Err(io::Error::last_os_error()),
    }
}

/// The time left until `end`, at least a millisecond: no time at all would mean for ever.
fn left_until(end: Instant) -> Duration {
    let left = end.saturating_duration_since(Instant::now());
    left.max(Duration::from_millis(1))
}

/// Writes everything before `end`.
///
/// # Errors
/// As the system reports them; `WouldBlock` at the deadline.
pub fn send(stream: &mut UnixStream, mut bytes: &[u8], end: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left_until(end)))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if !bytes.is_empty() && Instant::now() >= end {
            return Err(io::ErrorKind::WouldBlock.into());
        }
    }
    Ok(())
}

/// Reads on until a newline, behind what is there already. `None` at the deadline, at the end of
/// the stream and beyond the longest line.
pub fn read_line(mut stream: UnixStream, mut line: Vec<u8>, end: Instant) -> Option<Vec<u8>> {
    let mut chunk = [0; 16 * 1024];
    while line.last() != Some(&b'\n') {
        stream.set_read_timeout(Some(left_until(end))).ok()?;
        let n = stream.read(&mut chunk).ok().filter(|n| *n > 0)?;
        line.extend_from_slice(chunk.get(..n)?);
        if line.len() > MAX_LINE_BYTES || Instant::now() > end {
            return None;
        }
    }
    Some(line)
}
