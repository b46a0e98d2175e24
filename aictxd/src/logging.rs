//! Logs: a rotating file for the daemon, standard error in the foreground.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::socket::private_directory;

/// Days of logs kept.
const KEEP: usize = 7;
/// Variable with the filter, in `tracing`'s syntax; default `info`.
const FILTER: &str = "AICTX_LOG";

/// Where the log goes.
#[derive(Debug, Default)]
pub struct Log {
    /// Newest file; none in the foreground and where none could be made.
    pub file: Option<PathBuf>,
    /// Why there is no file.
    pub trouble: Option<String>,
    /// Flushes at the end of the process.
    _guard: Option<WorkerGuard>,
}

/// Starts logging. A home that cannot be written costs the log file, not the daemon.
pub fn start(directory: &Path, foreground: bool) -> Log {
    let filter = EnvFilter::try_from_env(FILTER).unwrap_or_else(|_| EnvFilter::new("info"));
    let mut log = Log::default();
    let (writer, colours) = if foreground {
        let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        (BoxMakeWriter::new(std::io::stderr), colours)
    } else {
        match rolling(directory) {
            Ok((appender, file)) => {
                let (writer, guard) = tracing_appender::non_blocking(appender);
                log.file = Some(file);
                log._guard = Some(guard);
                (BoxMakeWriter::new(writer), false)
            }
            Err(trouble) => {
                log.trouble = Some(format!("there is no log file: {trouble}"));
                (BoxMakeWriter::new(std::io::sink), false)
            }
        }
    };
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_target(false)
        .with_writer(writer)
        .try_init();
    log
}

fn rolling(directory: &Path) -> Result<(RollingFileAppender, PathBuf), String> {
    private_directory(directory).map_err(|e| e.to_string())?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("aictxd")
        .filename_suffix("log")
        .max_log_files(KEEP)
        .build(directory)
        .map_err(|e| e.to_string())?;
    Ok((
        appender,
        newest(directory).unwrap_or_else(|| directory.to_owned()),
    ))
}

/// The newest log file.
pub fn newest(directory: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?;
    entries
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "log"))
        .max()
}
