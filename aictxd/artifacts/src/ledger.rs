//! Session ledgers: appended without the repository lock, never rewritten.

use std::fs::TryLockError;
use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::record::files::SESSIONS_DIR;
use aictx_proto::snapshot::ReadIssue;

use crate::encode;
use crate::error::StoreError;
use crate::fs;
use crate::read::{self, MAX_FILE};
use crate::scrub::Report;
use crate::store::Store;

/// How long a ledger's lock is waited for; whoever holds it writes one row.
const LOCK_DEADLINE: Duration = Duration::from_millis(50);
const LOCK_STEP: Duration = Duration::from_millis(1);
/// Most ledgers that are listed.
const MAX_LISTED: usize = 10_000;

/// How much of a ledger's end tells whether it can be read.
const LOOKED_AT: u64 = 64 * 1024;

/// The newest bytes of a ledger.
struct Tail {
    /// Size of the file.
    bytes: u64,
    /// Where they begin.
    from: u64,
    /// Whole lines.
    rows: Vec<u8>,
}

/// A ledger as read.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Rows, oldest first.
    pub rows: Vec<LedgerRow>,
    /// What could not be read.
    pub issues: Vec<ReadIssue>,
    /// Size of the file.
    pub bytes: u64,
    /// Whether older rows were left out because the file is larger than [`MAX_FILE`].
    pub truncated: bool,
}

/// A ledger in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerFile {
    /// File name without `.jsonl`; [`aictx_proto::text::file_stem`] of the session id, and itself
    /// good as one.
    pub stem: String,
    /// Size.
    pub bytes: u64,
    /// Last append.
    pub modified: SystemTime,
}

/// Whether a line of these is a row; the first of a sound ledger is one.
fn has_row(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|b| *b == b'\n');
    lines.any(|line| serde_json::from_slice::<LedgerRow>(line).is_ok())
}

impl Store {
    /// Appends rows with one write, without the repository lock and without a sync: the end of a
    /// process loses nothing, a power failure may lose the newest rows ([`sync_ledger`]). If an
    /// earlier writer was torn off in the middle of a line, the rows start on a line of their own.
    ///
    /// # Errors
    /// Not writable or unsafe; then at most a part of the rows is there, as a torn line that
    /// readers pass over.
    ///
    /// [`sync_ledger`]: Self::sync_ledger
    pub fn append_ledger(
        &self,
        session_id: &str,
        rows: &[LedgerRow],
    ) -> Result<Report, StoreError> {
        let mut report = Report::default();
        if rows.is_empty() {
            return Ok(report);
        }
        let mut bytes = encode::ledger_rows(rows, &mut report)?;
        let file = encode::ledger_file(session_id);
        let root = self.root();
        let fail = |e| root.error(&file, e);
        let (mut open, len, _) = root.append_handle(&file).map_err(fail)?;
        if len > 0 && !fs::is_line_end(&open, len - 1).map_err(fail)? {
            bytes.insert(0, b'\n');
        }
        fs::write(&mut open, &bytes, &file).map_err(fail)?;
        Ok(report)
    }

    /// Appends the row of an event unless the ledger holds that event; whether it appended.
    /// Processes that do so at once agree on one of them.
    ///
    /// # Errors
    /// As [`append_ledger`](Self::append_ledger).
    pub fn append_ledger_once(
        &self,
        session_id: &str,
        row: &LedgerRow,
    ) -> Result<bool, StoreError> {
        let file = encode::ledger_file(session_id);
        let fail = |e| self.root().error(&file, e);
        let (lock, _, _) = self.root().append_handle(&file).map_err(fail)?;
        let end = Instant::now() + LOCK_DEADLINE;
        // Past the deadline the event may be recorded twice, which is better than not at all.
        while matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) && Instant::now() < end {
            std::thread::sleep(LOCK_STEP);
        }
        if self.ledger_has_event(session_id, &row.event) {
            return Ok(false);
        }
        self.append_ledger(session_id, std::slice::from_ref(row))?;
        Ok(true)
    }

    /// Whether the newest [`MAX_FILE`] bytes of a session's ledger hold the row of an event.
    pub fn ledger_has_event(&self, session_id: &str, event: &str) -> bool {
        if event.is_empty() {
            return false;
        }
        let Ok(Some(tail)) = self.tail(&encode::ledger_file(session_id)) else {
            return false;
        };
        // Within a text the quotes around a name are escaped.
        let member = format!("\"event\":{}", serde_json::Value::from(event));
        memchr::memmem::find(&tail.rows, member.as_bytes()).is_some()
    }

    /// Whether a session has a ledger; one `stat`.
    pub fn has_ledger(&self, session_id: &str) -> bool {
        let stamp = self.root().stamp(&encode::ledger_file(session_id));
        stamp.is_ok_and(|s| s.is_some_and(|s| s.is_file && s.len > 0))
    }

    /// Whether a session has a ledger in which nothing can be read any more: something else is in its
    /// place, or none of its lines is a row. A torn or damaged line loses nothing but itself.
    pub fn ledger_is_lost(&self, session_id: &str) -> bool {
        let file = encode::ledger_file(session_id);
        match self.root().stamp(&file) {
            Ok(None) => false,
            Ok(Some(stamp)) if stamp.is_file && stamp.len == 0 => false,
            Ok(Some(stamp)) if stamp.is_file => {
                let found = (file, stamp);
                let sound = || self.sound.lock().unwrap_or_else(PoisonError::into_inner);
                if sound().as_ref() == Some(&found) {
                    return false;
                }
                let lost = match self.tail_of(&found.0, LOOKED_AT) {
                    Ok(Some(tail)) => !tail.rows.is_empty() && !has_row(&tail.rows),
                    Ok(None) => false,
                    Err(_) => true,
                };
                if !lost {
                    *sound() = Some(found);
                }
                lost
            }
            _ => true,
        }
    }

    /// The newest row of a kind in a ledger, and whether a newer one was there that cannot be read any more.
    /// Only lines that name the kind are parsed, which makes it much cheaper than reading all; an unreadable
    /// ledger has none.
    pub fn newest_of(&self, session_id: &str, kind: LedgerKind) -> (Option<LedgerRow>, bool) {
        let name = serde_json::to_string(&kind).unwrap_or_default();
        let tail = self.tail(&encode::ledger_file(session_id));
        let (Ok(Some(tail)), false) = (tail, name.is_empty()) else {
            return (None, false);
        };
        let mut damaged = false;
        let mut rest = tail.rows.as_slice();
        // A line is looked at once, however often it says the name.
        while let Some(at) = memchr::memmem::rfind(rest, name.as_bytes()) {
            let before = rest.get(..at).unwrap_or_default();
            let from = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let Some((before, line)) = rest.split_at_checked(from) else {
                break;
            };
            let line = line.split(|b| *b == b'\n').next().unwrap_or_default();
            match serde_json::from_slice::<LedgerRow>(line) {
                Ok(row) if row.kind == kind => return (Some(row), damaged),
                Ok(_) => {}
                // Within a text the quotes around a name are escaped: this line was of the kind.
                Err(_) => damaged = true,
            }
            rest = before;
        }
        (None, damaged)
    }

    fn tail(&self, file: &str) -> io::Result<Option<Tail>> {
        self.tail_of(file, MAX_FILE)
    }

    fn tail_of(&self, file: &str, most: u64) -> io::Result<Option<Tail>> {
        let Some(mut open) = self.root().read_if_there(file)? else {
            return Ok(None);
        };
        let bytes = fs::len(&open)?;
        let (from, rows) = read::tail(&mut open, most)?;
        Ok(Some(Tail { bytes, from, rows }))
    }

    /// Reads a ledger, the newest [`MAX_FILE`] bytes of it. A missing one is empty.
    pub fn read_ledger(&self, session_id: &str) -> Ledger {
        let file = encode::ledger_file(session_id);
        match self.tail(&file) {
            Ok(None) => Ledger::default(),
            Ok(Some(Tail { bytes, from, rows })) => {
                let read = read::rows(&rows, usize::MAX);
                Ledger {
                    rows: read.rows,
                    issues: read::bad_lines(&file, read.why, read.bad)
                        .into_iter()
                        .collect(),
                    bytes,
                    truncated: from > 0,
                }
            }
            Err(e) => Ledger {
                issues: vec![read::unreadable(&file, e)],
                ..Ledger::default()
            },
        }
    }

    /// All ledgers, newest first.
    pub fn ledgers(&self) -> Vec<LedgerFile> {
        let root = self.root();
        let names = root.list(SESSIONS_DIR, MAX_LISTED).unwrap_or_default();
        let mut found: Vec<_> = names
            .iter()
            .filter_map(|name| {
                let stem = name.strip_suffix(".jsonl")?;
                let stamp = root.stamp(&format!("{SESSIONS_DIR}/{name}")).ok()??;
                stamp.is_file.then(|| LedgerFile {
                    stem: stem.to_owned(),
                    bytes: stamp.len,
                    modified: stamp.modified_at(),
                })
            })
            .collect();
        found.sort_by(|a, b| {
            b.modified
                .cmp(&a.modified)
                .then_with(|| a.stem.cmp(&b.stem))
        });
        found
    }

    /// Makes a ledger durable against power failure. A missing one is fine.
    ///
    /// # Errors
    /// The system could not.
    pub fn sync_ledger(&self, session_id: &str) -> Result<(), StoreError> {
        let file = encode::ledger_file(session_id);
        let root = self.root();
        let fail = |e| root.error(&file, e);
        if let Some(open) = root.read_if_there(&file).map_err(fail)? {
            fs::sync(open, &file).map_err(fail)?;
            root.sync_parent(&file).map_err(fail)?;
        }
        Ok(())
    }
}
