//! The user's secret key: 32 random bytes in the state directory, made at first use.
//!
//! It proves that a file was written by a program of this user and not brought along by a
//! repository ([`UserKey::tag`]), and it keeps what waits on disk unreadable to anybody who gets
//! hold of the files but not of the state directory ([`UserKey::seal`]).

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, KeyInit, Mac};
use rustix::fs::{Mode, OFlags};
use sha2::Sha256;

use crate::private;

/// Bytes of the key.
const KEY: usize = 32;
/// Bytes of a nonce of XChaCha20-Poly1305; random ones never repeat in practice.
const NONCE: usize = 24;

/// A secret of this user.
#[derive(Clone)]
pub struct UserKey {
    secret: [u8; KEY],
    is_kept: bool,
}

impl std::fmt::Debug for UserKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserKey").finish_non_exhaustive()
    }
}

/// Path of the key in a state directory.
pub fn path_in(state: &Path) -> PathBuf {
    state.join("key")
}

impl UserKey {
    /// Reads the key of a state directory, or makes one. Processes that start together agree on
    /// one key.
    ///
    /// # Errors
    /// When the directory is not private or cannot be written, or the key file is not one. The
    /// text names the file.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    pub fn load_or_create(state: &Path) -> io::Result<Self> {
        let path = path_in(state);
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        if let Some(key) = Self::load(state)? {
            return Ok(key);
        }
        private::directory(state)?;
        let draft = state.join(format!(".key.{:016x}", u64::from_le_bytes(random()?)));
        let made = Self::write_draft(&draft).and_then(|()| match fs::hard_link(&draft, &path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // Some file systems have no hard links.
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
                ) =>
            {
                fs::rename(&draft, &path)
            }
            done => done,
        });
        let _ = fs::remove_file(&draft);
        made.map_err(named)?;
        let _ = File::open(state).and_then(|directory| directory.sync_all());
        Self::load(state)?.ok_or_else(|| named(io::ErrorKind::NotFound.into()))
    }

    /// Reads the key of a state directory; `None` when there is none yet.
    ///
    /// # Errors
    /// When it cannot be read or is not a key.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    pub fn load(state: &Path) -> io::Result<Option<Self>> {
        let path = path_in(state);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let mut secret = [0; KEY];
        let is_key = file
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.len() == KEY as u64);
        if !is_key {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is not a key of 32 bytes; remove it", path.display()),
            ));
        }
        file.read_exact(&mut secret)?;
        Ok(Some(Self {
            secret,
            is_kept: true,
        }))
    }

    /// A key that ends with this process, for when none can be kept: what is tagged or sealed with
    /// it cannot be verified or opened afterwards.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn ephemeral() -> io::Result<Self> {
        Ok(Self {
            secret: random()?,
            is_kept: false,
        })
    }

    /// Returns true if the key outlives this process.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    fn write_draft(draft: &Path) -> io::Result<()> {
        let mut file = private::file(draft)?;
        file.set_len(0)?;
        file.write_all(&random::<KEY>()?)?;
        file.sync_all()
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        // HMAC takes keys of any length; the empty one stands for an error that cannot happen.
        let mut mac = Hmac::new_from_slice(&self.secret)
            .unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<Sha256>>::default()));
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            // Lengths keep the parts apart.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// Proof that this key's owner wrote `parts` for `purpose`: HMAC-SHA-256 over both.
    pub fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.mac(purpose, parts).finalize().into_bytes().into()
    }

    /// Returns true if `tag` is the proof for `parts`, compared in constant time.
    pub fn verifies(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        self.mac(purpose, parts).verify_slice(tag).is_ok()
    }

    fn cipher(&self, purpose: &str) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.tag("aictx key", &[purpose.as_bytes()]).into())
    }

    /// Encrypts and authenticates `text` for `purpose` (XChaCha20-Poly1305, the nonce in front).
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal(&self, purpose: &str, text: &[u8]) -> io::Result<Vec<u8>> {
        let nonce: [u8; NONCE] = random()?;
        let payload = Payload {
            msg: text,
            aad: purpose.as_bytes(),
        };
        let sealed = self
            .cipher(purpose)
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| io::Error::other("too long to be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// The text of what [`seal`](Self::seal) made with this key for this purpose; `None` for
    /// anything else.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, msg) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg,
            aad: purpose.as_bytes(),
        };
        self.cipher(purpose)
            .decrypt(&XNonce::from(*nonce), payload)
            .ok()
    }
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn processes_that_start_together_agree_on_one_key() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let tags: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| UserKey::load_or_create(&state).unwrap().tag("t", &[b"x"])))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(tags.windows(2).all(|two| two[0] == two[1]));
        assert_eq!(fs::metadata(path_in(&state)).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "no draft is left");
        fs::write(path_in(&state), b"short").unwrap();
        assert!(UserKey::load_or_create(&state).is_err());
    }

    #[test]
    fn a_tag_holds_for_its_key_purpose_and_parts_only() {
        let (key, other) = (UserKey::ephemeral().unwrap(), UserKey::ephemeral().unwrap());
        let tag = key.tag("journal", &[b"ab", b"c"]);
        assert!(key.verifies("journal", &[b"ab", b"c"], &tag));
        assert!(!key.verifies("journal", &[b"a", b"bc"], &tag));
        assert!(!key.verifies("ledger", &[b"ab", b"c"], &tag));
        assert!(!other.verifies("journal", &[b"ab", b"c"], &tag));
        assert!(!key.verifies("journal", &[b"ab", b"c"], b""));
    }

    #[test]
    fn what_was_sealed_opens_for_its_key_and_purpose_only() {
        let (key, other) = (UserKey::ephemeral().unwrap(), UserKey::ephemeral().unwrap());
        let sealed = key.seal("spool", b"secret").unwrap();
        assert_eq!(key.open("spool", &sealed).as_deref(), Some(&b"secret"[..]));
        assert_eq!(key.open("other", &sealed), None);
        assert_eq!(other.open("spool", &sealed), None);
        for at in 0..sealed.len() {
            let mut bent = sealed.clone();
            bent[at] ^= 1;
            assert_eq!(key.open("spool", &bent), None, "byte {at}");
            assert_eq!(key.open("spool", &sealed[..at]), None, "cut at {at}");
        }
    }
}
