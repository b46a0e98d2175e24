//! Logs: a rotating file for the daemon, standard error in the foreground.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use aictx_files::private;
use aictx_proto::shown;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::app::unix_nanos;
use crate::intake;

/// Days of logs kept.
const KEEP: usize = 7;
/// Bytes of one day's file; what comes on top is counted and dropped.
const MAX_FILE: u64 = 20 * 1024 * 1024;
/// Days change when the appender's files do: by UTC.
const NANOS_PER_DAY: u64 = 86_400_000_000_000;
/// Variable with the filter, in `tracing`'s syntax; default `info`.
const FILTER: &str = "AICTX_LOG";

/// Destination of the log.
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
        let writer = move || Scrubbed {
            inner: std::io::stderr(),
            colours,
        };
        (BoxMakeWriter::new(writer), colours)
    } else {
        match rolling(directory) {
            Ok((appender, file)) => {
                let scrubbed = Scrubbed {
                    inner: Capped::new(appender, &file),
                    colours: false,
                };
                // Lines are scrubbed on the log's own thread.
                let (writer, guard) = tracing_appender::non_blocking(scrubbed);
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

fn rolling(directory: &Path) -> Result<(RollingFileAppender, PathBuf), Box<dyn Error>> {
    private::directory(directory)?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("aictxd")
        .filename_suffix("log")
        .max_log_files(KEEP)
        .build(directory)?;
    Ok((
        appender,
        newest(directory).unwrap_or_else(|| directory.to_owned()),
    ))
}

/// Takes secrets and control characters out of whole lines: a line may quote what an agent sent.
struct Scrubbed<W> {
    inner: W,
    /// Escape sequences stay, for they are the log's own.
    colours: bool,
}

impl<W: Write> Write for Scrubbed<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let mut text = intake::text(&text);
        if !self.colours {
            text = shown::lines(&text).into_owned().into();
        }
        self.inner.write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Keeps one day's file below [`MAX_FILE`].
struct Capped<W> {
    inner: W,
    day: u64,
    /// Bytes in the day's file.
    written: u64,
    /// Lines that the day's file had no room for.
    dropped: u64,
}

impl<W: Write> Capped<W> {
    /// `file` is what `inner` appends to now; an earlier process may have filled it.
    fn new(inner: W, file: &Path) -> Self {
        Self {
            inner,
            day: today(),
            written: std::fs::metadata(file).map_or(0, |meta| meta.len()),
            dropped: 0,
        }
    }

    fn line(&mut self, day: u64, line: &[u8]) -> io::Result<()> {
        if day != self.day {
            self.day = day;
            self.written = 0;
            let dropped = std::mem::take(&mut self.dropped);
            if dropped > 0 {
                self.put(format!("{dropped} lines of an earlier day were dropped\n").as_bytes())?;
            }
        }
        if self.written.saturating_add(line.len() as u64) <= MAX_FILE {
            return self.put(line);
        }
        self.dropped += 1;
        if self.dropped == 1 {
            let limit = MAX_FILE / (1024 * 1024);
            let last = format!("this file has reached {limit} MiB: no more lines today\n");
            self.inner.write_all(last.as_bytes())?;
            self.written = MAX_FILE;
        }
        Ok(())
    }

    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        self.inner.write_all(line)?;
        self.written += line.len() as u64;
        Ok(())
    }
}

impl<W: Write> Write for Capped<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.line(today(), line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn today() -> u64 {
    unix_nanos() / NANOS_PER_DAY
}

/// The newest log file.
#[expect(clippy::disallowed_methods, reason = "the user's own directory")]
pub fn newest(directory: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?;
    entries
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "log"))
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_limit_and_the_next_one_starts_afresh() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("aictxd.log");
        std::fs::write(&file, vec![b'.'; 1024 * 1024]).unwrap();
        let mut log = Capped::new(Vec::new(), &file);
        let mut line = vec![b'x'; 1024 * 1024];
        line[1024 * 1024 - 1] = b'\n';
        let day = log.day;
        for _ in 0..30 {
            log.line(day, &line).unwrap();
        }
        log.line(day, b"short\n").unwrap();
        // What an earlier process wrote counts.
        let full = 19 * line.len();
        let last = String::from_utf8_lossy(&log.inner[full..]).into_owned();
        assert_eq!(last, "this file has reached 20 MiB: no more lines today\n");
        log.inner.clear();
        log.line(day + 1, b"morning\n").unwrap();
        let next = String::from_utf8_lossy(&log.inner);
        assert_eq!(next, "12 lines of an earlier day were dropped\nmorning\n");
        assert_eq!(log.written, next.len() as u64);
    }
}
