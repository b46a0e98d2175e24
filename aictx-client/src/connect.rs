//! A blocking connection to the daemon, for everything that is not the fast path.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use aictx_proto::rpc::MAX_LINE_BYTES;

use crate::places::user_id;

/// Connects and makes sure that the other end is this user's.
///
/// # Errors
/// As the system reports them; `PermissionDenied` when somebody else listens there.
pub fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(socket)?;
    if !peer_is_us(stream.as_raw_fd()) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} is served by another user", socket.display()),
        ));
    }
    Ok(stream)
}

/// Whether the other end of a connected socket is a process of this user: nobody else may answer
/// for our daemon, whoever made the socket file. Allocates nothing.
#[cfg(target_os = "linux")]
pub(crate) fn peer_is_us(socket: RawFd) -> bool {
    // SAFETY: `ucred` is plain data for which zeroes are valid, and `size` is its size.
    unsafe {
        let mut peer: libc::ucred = std::mem::zeroed();
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
pub(crate) fn peer_is_us(socket: RawFd) -> bool {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: both out-pointers are valid.
    unsafe { libc::getpeereid(socket, &raw mut uid, &raw mut gid) == 0 && uid == user_id() }
}

/// Reads on until a newline, behind what is there already. `None` at the deadline, at the end of
/// the stream and beyond the longest line.
pub fn read_line(mut stream: UnixStream, mut line: Vec<u8>, end: Instant) -> Option<Vec<u8>> {
    let mut chunk = [0; 16 * 1024];
    while line.last() != Some(&b'\n') {
        let left = end
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left)).ok()?;
        let n = stream.read(&mut chunk).ok().filter(|n| *n > 0)?;
        line.extend_from_slice(chunk.get(..n)?);
        if line.len() > MAX_LINE_BYTES || Instant::now() > end {
            return None;
        }
    }
    Some(line)
}
