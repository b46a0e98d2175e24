//! `repo.*`, `status`, `hello`, `daemon.stop`, `spool.drain`.

use serde::{Deserialize, Serialize};

/// Parameters of `repo.add` and `repo.remove`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepoParams {
    /// Absolute path of the repository or of a directory in it.
    pub repo: String,
}

/// One registered repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RepoEntry {
    /// Folder name.
    pub name: String,
    /// Canonical absolute path.
    pub repo_path: String,
    /// Workspace it belongs to (the ancestor's field; `default`).
    pub workspace: String,
    /// Last use.
    pub last_seen: String,
    /// False when the path is gone.
    pub exists: bool,
}

/// Result of `repo.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepoList {
    /// Registered repositories, by path.
    pub repositories: Vec<RepoEntry>,
}

/// Result of `hello`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Hello {
    /// `aictxd`.
    pub name: String,
    /// Product version.
    pub version: String,
    /// Build identity: changes whenever the program file changes.
    pub build: String,
    /// Protocol version.
    pub proto: u32,
    /// Process id.
    pub pid: u32,
    /// Start time in nanoseconds since the epoch: tells two daemons apart.
    pub generation: u64,
    /// Names of all methods.
    pub methods: Vec<String>,
}

/// Parameters of `daemon.stop`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StopParams {
    /// Stop only the daemon with this build; another one answers `stopping: false`.
    pub build: String,
}

/// Result of `daemon.stop`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stopping {
    /// True if the daemon is going to stop.
    pub stopping: bool,
    /// Its process id.
    pub pid: u32,
}

/// Result of `spool.drain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SpoolReport {
    /// Events taken in.
    pub drained: u64,
    /// Events that could not be read; moved aside, not deleted.
    pub rejected: u64,
    /// Events still waiting.
    pub waiting: u64,
}

/// Latency of one method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MethodStats {
    /// Method, or `hook.<event>`.
    pub method: String,
    /// Calls since start.
    pub calls: u64,
    /// Calls that ended in an error.
    pub errors: u64,
    /// Median handling time in microseconds (upper bound of its histogram bucket).
    pub p50_us: u64,
    /// 99th percentile, likewise.
    pub p99_us: u64,
}

/// Counters of a repository's watcher.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WatchStats {
    /// `native`, `polling` or `off`.
    pub mode: String,
    /// Why it is not `native`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Directories registered.
    pub directories: u64,
    /// Change batches delivered.
    pub batches: u64,
    /// Paths in them.
    pub changed_paths: u64,
    /// Kernel queue overflows.
    pub overflows: u64,
    /// Full rescans.
    pub rescans: u64,
}

/// One repository in the daemon.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RepoStatus {
    /// Root.
    pub repo: String,
    /// `open`, `idle`, `missing` or `read_only`; `unknown` where its file system may not answer.
    pub state: String,
    /// Snapshot generation.
    pub generation: u64,
    /// Operations waiting for the writer.
    pub queued: u64,
    /// Commits since it was opened.
    pub commits: u64,
    /// Problems found when reading its files.
    pub warnings: Vec<String>,
    /// Watcher.
    pub watch: WatchStats,
}

/// One session the daemon knows to be alive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LiveSession {
    /// Session id.
    pub session_id: String,
    /// Runner.
    pub runner: String,
    /// Repository root.
    pub repo: String,
    /// Agent process, 0 when unknown.
    pub pid: u32,
    /// Last event.
    pub last_seen_at: String,
}

/// Result of `status`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DaemonStatus {
    /// Product version.
    pub version: String,
    /// Build identity.
    pub build: String,
    /// Protocol version.
    pub proto: u32,
    /// Process id.
    pub pid: u32,
    /// Socket path.
    pub socket: String,
    /// Seconds since start.
    pub uptime_seconds: u64,
    /// Why the previous daemon of this user stopped; empty when unknown.
    pub previous_stop: String,
    /// Resident memory in bytes, 0 when unknown.
    pub rss_bytes: u64,
    /// CPU time used, in milliseconds.
    pub cpu_ms: u64,
    /// Connections open now.
    pub connections: u64,
    /// Files that the daemon has open, 0 when unknown.
    pub open_files: u64,
    /// Files that it may have open, 0 when there is no limit.
    pub open_files_limit: u64,
    /// Repositories.
    pub repositories: Vec<RepoStatus>,
    /// Live sessions.
    pub sessions: Vec<LiveSession>,
    /// Latencies, most called first.
    pub methods: Vec<MethodStats>,
    /// Events waiting in the spool.
    pub spool_waiting: u64,
    /// Events that could be neither recorded nor spooled.
    pub hooks_lost: u64,
    /// Log file.
    pub log: String,
    /// Warnings.
    pub warnings: Vec<String>,
}
