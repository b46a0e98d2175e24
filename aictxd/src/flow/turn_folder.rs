//! The folder of a turn in the user's state directory: what the daemon and a host tell each other.
//!
//! ```text
//! prompt.md     standard input of the agent
//! request.json  program, arguments, directory, limits
//! host.lock     locked from before the host is started until it ends, however it ends
//! host.json     process id of the host, once the agent runs
//! stdout.log    output of the agent, bounded
//! stderr.log
//! exit.json     end of the agent; written last, by rename
//! ```

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aictx_files::{private, untrusted};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest file of those that are read whole, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Process to be run by a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Program.
    pub program: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// `prompt.md` is its standard input.
    pub has_prompt: bool,
    /// Seconds until it is ended.
    pub timeout: u64,
    /// Seconds between an interrupt and harder means.
    pub grace: u64,
    /// Bytes of output that are kept.
    pub max_output: u64,
}

/// The host of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostNote {
    /// Its process id.
    pub pid: i32,
    /// Start, in seconds since the Unix epoch.
    pub started_at: i64,
}

/// End of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExitNote {
    /// Exit status.
    pub code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// Start and end, in seconds since the Unix epoch.
    pub started_at: i64,
    /// End.
    pub ended_at: i64,
    /// Bytes of output, with those that were not kept.
    pub output: u64,
    /// It took too long.
    pub timed_out: bool,
    /// The host was told to end it.
    pub interrupted: bool,
    /// Why it could not be started.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub not_started: String,
}

/// State of the host of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostState {
    /// It runs.
    Alive,
    /// The process has ended.
    Ended(ExitNote),
    /// The host is gone and left no end.
    Lost,
}

/// The folder of a turn or of one of its checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnFolder(PathBuf);

impl TurnFolder {
    /// The folder at a path, which is made.
    ///
    /// # Errors
    /// It cannot be made, or is not the user's alone.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        private::directory(&path)?;
        Ok(Self(path))
    }

    /// The folder at a path that may not be there.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Path of it.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file as a whole: temporary file, fsync, rename, fsync of the folder.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = self.file(&format!("{name}.tmp"));
        let mut file = private::file(&draft)?;
        file.set_len(0)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, self.file(name))?;
        sync_directory(&self.0)
    }

    /// Writes a file as JSON.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.write(name, &serde_json::to_vec(value)?)
    }

    /// Reads a JSON file; nothing where it is missing or not what it should be.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = untrusted::read(&self.file(name), MAX_FILE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Reads a file from an offset on, at most so many bytes.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn read_from(&self, name: &str, offset: u64, limit: u64) -> io::Result<Vec<u8>> {
        let file = untrusted::open(&self.file(name)).map_err(io::Error::other)?;
        let mut file = file.into_file();
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The end of a file, at most so many bytes, as text; empty where there is none.
    pub fn tail(&self, name: &str, limit: u64) -> String {
        let len = fs::symlink_metadata(self.file(name)).map_or(0, |meta| meta.len());
        let bytes = self.read_from(name, len.saturating_sub(limit), limit);
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// Takes the lock of the host, to be handed to it.
    ///
    /// # Errors
    /// `WouldBlock` when a host has it; as the system reports them.
    pub fn lock(&self) -> io::Result<File> {
        private::lock(&self.file("host.lock"), Duration::ZERO)
    }

    /// Looks at the host. The lock is asked first: an end that is written after that look is found, too.
    pub fn host(&self) -> HostState {
        let is_free = match self.lock() {
            Ok(_) => true,
            // Without the folder there never was one; any other trouble passes.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        match self.read_json("exit.json") {
            Some(exit) => HostState::Ended(exit),
            None if is_free => HostState::Lost,
            None => HostState::Alive,
        }
    }

    /// Returns true if a host was there and came to start its process, or was about to.
    pub fn had_host(&self) -> bool {
        self.file("host.json").exists()
    }

    /// Sends a signal to the host, if it is alive.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let Some(host) = self.read_json::<HostNote>("host.json") else {
            return;
        };
        // While the lock is held the process id is the host's.
        if self.host() == HostState::Alive
            && let Some(pid) = rustix::process::Pid::from_raw(host.pid)
        {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the user's own directory")]
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
