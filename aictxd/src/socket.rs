//! The socket and its directory, and who may speak to it.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use aictx_proto::locations::MAX_SOCKET_PATH;
use rustix::net::SendFlags;

use crate::process::user_id;

/// Flags for sending by which a closed peer is an error and no signal. Where the system has no such flag the signal
/// is ignored anyway, as in every program of Rust.
#[cfg(target_os = "linux")]
pub const QUIETLY: SendFlags = SendFlags::NOSIGNAL;
/// The same elsewhere.
#[cfg(not(target_os = "linux"))]
pub const QUIETLY: SendFlags = SendFlags::empty();

/// A listening socket that is already in its public place.
#[derive(Debug)]
pub struct PublicSocket {
    /// The listener, non-blocking.
    pub listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

impl PublicSocket {
    /// Binds a private name, then renames it over the public one, so that there is no moment in
    /// which a client finds nothing or a stale socket. The caller holds the daemon lock.
    ///
    /// # Errors
    /// As the system reports them; too long paths with the variable to set.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let draft = path.with_extension(std::process::id().to_string());
        if draft.as_os_str().len() > MAX_SOCKET_PATH {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "the socket path {} is too long ({MAX_SOCKET_PATH} bytes at most, with room for a \
                     process id); set AICTX_SOCKET to a shorter one",
                    path.display()
                ),
            ));
        }
        let _ = fs::remove_file(&draft);
        let listener = UnixListener::bind(&draft)?;
        let ready = fs::set_permissions(&draft, fs::Permissions::from_mode(0o1600))
            .and_then(|()| fs::symlink_metadata(&draft))
            .and_then(|meta| fs::rename(&draft, path).map(|()| meta.ino()));
        match ready {
            Ok(inode) => {
                listener.set_nonblocking(true)?;
                Ok(Self {
                    listener,
                    path: path.to_owned(),
                    inode,
                })
            }
            Err(e) => {
                let _ = fs::remove_file(&draft);
                Err(e)
            }
        }
    }

    /// Returns true if the public name still leads to this socket.
    pub fn is_in_place(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|meta| meta.ino() == self.inode)
    }

    /// Takes a new socket in the place of one that was removed.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn bind_again(&mut self) -> io::Result<()> {
        *self = Self::bind(&self.path)?;
        Ok(())
    }

    /// Removes the socket if it is still ours: a successor may have renamed its own over it.
    pub fn remove(&self) {
        if self.is_in_place() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Takes the next connection, which does not block and is not handed to programs.
///
/// # Errors
/// As the system reports them; `WouldBlock` when there is none.
pub fn accept(listener: &UnixListener) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::net::SocketFlags;
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        Ok(rustix::net::accept_with(listener, flags)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        // Not handed to programs already.
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        Ok(stream.into())
    }
}

/// A connection of our own user, or nothing. On the thread of a runtime.
pub fn of_our_user(stream: OwnedFd) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        let peer = rustix::net::sockopt::socket_peercred(&stream);
        peer.is_ok_and(|peer| peer.uid.as_raw() == user_id())
            .then_some(stream)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let stream = std::os::unix::net::UnixStream::from(stream);
        let stream = tokio::net::UnixStream::from_std(stream).ok()?;
        let ours = stream.peer_cred().is_ok_and(|peer| peer.uid() == user_id());
        let stream = stream.into_std().ok().filter(|_| ours)?;
        Some(stream.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_sockets_are_replaced_and_overlong_paths_explained() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sock");
        drop(UnixListener::bind(&path).unwrap());
        let socket = PublicSocket::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        std::os::unix::net::UnixStream::connect(&path).unwrap();
        socket.remove();
        assert!(!path.exists());
        let long = dir.path().join("x".repeat(120));
        assert!(
            PublicSocket::bind(&long)
                .unwrap_err()
                .to_string()
                .contains("AICTX_SOCKET")
        );
    }
}
