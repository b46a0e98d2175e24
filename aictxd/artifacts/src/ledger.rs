//! Session ledgers: appended without the repository lock, never rewritten.
//!
//! The first row of a ledger is a proof ([`LedgerKind::Proof`]): a tag of the
//! [user's key](crate::trust) over the inode and the name of the file. Git puts files in their place
//! as new inodes, so what it checks out has no valid proof, and neither has a copy. A ledger without
//! a valid proof is never read or added to; a session whose file name is taken by one has its ledger
//! under another name, which nobody else can predict.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::record::files::SESSIONS_DIR;
use aictx_proto::snapshot::ReadIssue;
use aictx_proto::text::file_stem;
use aictx_redact::Report;

use crate::effect_encoding;
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::ledger_file::lacking;
use crate::read::{self, MAX_FILE};
use crate::store::Store;
use crate::trust::Trust;

/// Longest wait for a ledger's lock; its holder writes one row.
const LOCK_DEADLINE: Duration = Duration::from_millis(250);
const LOCK_STEP: Duration = Duration::from_millis(1);
/// Most ledgers that are listed.
const MAX_LISTED: usize = 10_000;

/// Bytes of a ledger's end that tell whether it can be read.
const LOOKED_AT: u64 = 64 * 1024;

/// Names that a ledger may have: that of its session, and others for where that one is taken.
const MAX_NAMES: u32 = 16;

/// Between the stem of a session and the digits of another name; no stem holds it.
const OTHER_NAME: char = '~';

/// Foreign ledgers that are reported by name.
const MAX_REPORTED: usize = 8;

/// The names that a session's ledger may have, in the order in which they are tried.
fn names<'t>(trust: &'t Trust, stem: &'t str) -> impl Iterator<Item = String> + 't {
    (0..MAX_NAMES).map(move |n| match n {
        0 => format!("{SESSIONS_DIR}/{stem}.jsonl"),
        n => format!(
            "{SESSIONS_DIR}/{stem}{OTHER_NAME}{}.jsonl",
            trust.digits(&format!("ledger {n} {stem}"))
        ),
    })
}

/// The session's stem in the name of a ledger's file.
fn stem_of(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl")?;
    Some(stem.split_once(OTHER_NAME).map_or(stem, |(stem, _)| stem))
}

/// The stem and the text of a ledger without its proof, which holds for that file alone; nothing for
/// any other file.
pub(crate) fn unproven_text<'t>(file: &'t str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let name = file.strip_prefix(SESSIONS_DIR)?.strip_prefix('/')?;
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let is_proof =
        serde_json::from_str::<LedgerRow>(first).is_ok_and(|r| r.kind == LedgerKind::Proof);
    Some((stem_of(name)?, if is_proof { rest } else { text }))
}

/// A ledger's file that a session goes on in.
enum Place {
    There(OpenLedger),
    /// It has to be made.
    Free(String),
}

/// A ledger's file that is open.
struct OpenLedger {
    file: String,
    open: File,
    /// The proof, as far as it is not there.
    lacking: Vec<u8>,
}

impl OpenLedger {
    /// Appends whole lines with one write, behind the proof, and on a line of their own.
    fn append(mut self, mut lines: Vec<u8>) -> io::Result<()> {
        if !self.lacking.is_empty() {
            lines.splice(0..0, self.lacking);
        } else if !fs::is_line_end(&self.open, fs::len(&self.open)? - 1)? {
            lines.insert(0, b'\n');
        }
        fs::write(&mut self.open, &lines, &self.file)
    }
}

/// The newest bytes of a ledger.
struct Tail {
    /// The file.
    file: String,
    /// Size of the file.
    bytes: u64,
    /// Offset of the first.
    from: u64,
    /// Whole lines.
    rows: Vec<u8>,
}

/// A ledger as read.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Rows, oldest first; the proof is none of them.
    pub rows: Vec<LedgerRow>,
    /// Problems met while reading.
    pub issues: Vec<ReadIssue>,
    /// Size of the file.
    pub bytes: u64,
    /// True if older rows were left out because the file is larger than [`MAX_FILE`].
    pub truncated: bool,
}

/// A ledger in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerFile {
    /// [`file_stem`] of the session id, and itself good as one.
    pub stem: String,
    /// The file, relative to `.aictx/`.
    pub(crate) file: String,
    /// Size.
    pub bytes: u64,
    /// Last append.
    pub modified: SystemTime,
}

/// Returns true if a line of these is a row; the first of a sound ledger is one.
fn has_row(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|b| *b == b'\n');
    lines.any(|line| serde_json::from_slice::<LedgerRow>(line).is_ok())
}

/// Returns true if one of these lines is the row of an event.
fn names_event(lines: &[u8], event: &str) -> bool {
    // Within a text the quotes around a name are escaped.
    let member = format!("\"event\":{}", serde_json::Value::from(event));
    !event.is_empty() && memchr::memmem::find(lines, member.as_bytes()).is_some()
}

/// Rows of a ledger's text, oldest first, without the proof; and what could not be read.
pub(crate) fn rows_of(text: &[u8], file: &str) -> (Vec<LedgerRow>, Option<ReadIssue>) {
    let read = read::rows::<LedgerRow>(text, usize::MAX, aictx_proto::record::Origin::Own);
    let issue = read::bad_lines(file, read.why, read.bad);
    let mut rows = read.rows;
    rows.retain(|row| row.kind != LedgerKind::Proof);
    (rows, issue)
}

impl Root {
    /// Returns the path of a session's ledger (by its stem), live or archived.
    fn ledger_place(&self, stem: &str, writes: bool) -> io::Result<Place> {
        let (mut free, mut refused) = (None, None);
        for file in names(self.trust(), stem) {
            let opened = match writes {
                true => self.open_to_append(&file),
                false => self.read_if_there(&file),
            };
            match opened {
                Ok(Some(open)) => {
                    if let Some(lacking) = lacking(self, &file, &open)? {
                        return Ok(Place::There(OpenLedger {
                            file,
                            open,
                            lacking,
                        }));
                    }
                }
                Ok(None) => {
                    let is_other = free.is_some();
                    free.get_or_insert(file);
                    // The first of the other names is where the ledger lies if the usual one was
                    // taken when it was begun.
                    if is_other {
                        break;
                    }
                }
                // A link or a directory is in its place.
                Err(e) if fs::is_refused(&e) => refused = Some(e),
                Err(e) => return Err(e),
            }
        }
        let why = || refused.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into());
        free.map(Place::Free).ok_or_else(why)
    }

    /// The ledger of a session (by its stem), open to append to; made when it is not there.
    fn ledger_to_append(&self, stem: &str) -> io::Result<OpenLedger> {
        let file = match self.ledger_place(stem, true)? {
            Place::There(ledger) => return Ok(ledger),
            Place::Free(file) => file,
        };
        let (open, ..) = self.append_handle(&file)?;
        let lacking = lacking(self, &file, &open)?;
        // Somebody else may have made it in between.
        let lacking = lacking.ok_or(io::ErrorKind::AlreadyExists)?;
        Ok(OpenLedger {
            file,
            open,
            lacking,
        })
    }
}

impl Store {
    /// The file of a session's ledger, for a commit that appends to it.
    pub(crate) fn ledger_file(&self, root: &Root, session_id: &str) -> io::Result<String> {
        let place = root.ledger_place(&file_stem(session_id), false)?;
        Ok(match place {
            Place::There(OpenLedger { file, .. }) | Place::Free(file) => file,
        })
    }

    /// The ledger of a session, open for reading.
    fn open_ledger(&self, session_id: &str) -> io::Result<Option<(String, File)>> {
        let place = (self.root()).ledger_place(&file_stem(session_id), false)?;
        Ok(match place {
            Place::There(ledger) => Some((ledger.file, ledger.open)),
            Place::Free(_) => None,
        })
    }

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
        let bytes = effect_encoding::ledger_rows(rows, &mut report)?;
        let root = self.root();
        let open = root.ledger_to_append(&file_stem(session_id));
        open.and_then(|ledger| ledger.append(bytes))
            .map_err(|e| root.error(&effect_encoding::ledger_file(session_id), e))?;
        Ok(report)
    }

    /// Appends the row of an event unless the newest [`MAX_FILE`] bytes of the ledger hold that event;
    /// whether it appended. Processes that do so at once agree on one of them.
    ///
    /// # Errors
    /// As [`append_ledger`](Self::append_ledger).
    pub fn append_ledger_once(
        &self,
        session_id: &str,
        row: &LedgerRow,
    ) -> Result<bool, StoreError> {
        let bytes =
            effect_encoding::ledger_rows(std::slice::from_ref(row), &mut Report::default())?;
        let root = self.root();
        let append = || {
            let mut ledger = root.ledger_to_append(&file_stem(session_id))?;
            let end = Instant::now() + LOCK_DEADLINE;
            // Past the deadline the event may be recorded twice, which is better than not at all.
            while matches!(ledger.open.try_lock(), Err(TryLockError::WouldBlock))
                && Instant::now() < end
            {
                std::thread::sleep(LOCK_STEP);
            }
            let (_, rows) = read::tail(&mut ledger.open, MAX_FILE)?;
            if names_event(&rows, &row.event) {
                return Ok(false);
            }
            // Whoever held the lock may have written the proof.
            let lacking = lacking(&root, &ledger.file, &ledger.open)?;
            ledger.lacking = lacking.ok_or(io::ErrorKind::AlreadyExists)?;
            ledger.append(bytes).map(|()| true)
        };
        append().map_err(|e| root.error(&effect_encoding::ledger_file(session_id), e))
    }

    /// Returns true if the newest [`MAX_FILE`] bytes of a session's ledger hold the row of an event.
    pub fn ledger_has_event(&self, session_id: &str, event: &str) -> bool {
        let tail = self.tail(session_id).ok().flatten();
        tail.is_some_and(|tail| names_event(&tail.rows, event))
    }

    /// Returns true if a session has a ledger.
    pub fn has_ledger(&self, session_id: &str) -> bool {
        let found = self.open_ledger(session_id).ok().flatten();
        found.is_some_and(|(_, open)| fs::len(&open).is_ok_and(|len| len > 0))
    }

    /// Returns true if a session has a ledger in which nothing can be read any more: something else is in its
    /// place, or none of its lines is a row. A torn or damaged line loses nothing but itself, and a
    /// ledger of somebody else says nothing of the session.
    pub fn ledger_is_lost(&self, session_id: &str) -> bool {
        let usual = effect_encoding::ledger_file(session_id);
        let (found, is_own) = match self.open_ledger(session_id) {
            Ok(Some((file, _))) => (file, true),
            Ok(None) => (usual, false),
            Err(_) => return true,
        };
        let root = self.root();
        match root.stamp(&found) {
            Ok(None) => false,
            // What came with the repository is no ledger of the session.
            Ok(Some(_)) if !is_own && root.names().tracked.holds(&found) => false,
            Ok(Some(stamp)) if !stamp.is_file => true,
            Ok(Some(stamp)) if stamp.len == 0 => false,
            Ok(Some(stamp)) => {
                let found = (found, stamp);
                let sound = || self.sound.lock().unwrap_or_else(PoisonError::into_inner);
                if sound().as_ref() == Some(&found) {
                    return false;
                }
                let lost = match root.read_if_there(&found.0).and_then(|open| {
                    open.map(|mut open| read::tail(&mut open, LOOKED_AT))
                        .transpose()
                }) {
                    Ok(Some((_, rows))) => !rows.is_empty() && !has_row(&rows),
                    Ok(None) => false,
                    Err(_) => true,
                };
                if !lost {
                    *sound() = Some(found);
                }
                lost
            }
            Err(_) => true,
        }
    }

    /// The newest row of a kind in a ledger, and whether a newer one was there that cannot be read any more.
    /// Only lines that name the kind are parsed, which makes it much cheaper than reading all; an unreadable
    /// ledger has none.
    pub fn newest_of(&self, session_id: &str, kind: LedgerKind) -> (Option<LedgerRow>, bool) {
        let name = serde_json::to_string(&kind).unwrap_or_default();
        let tail = self.tail(session_id);
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

    fn tail(&self, session_id: &str) -> io::Result<Option<Tail>> {
        let Some((file, mut open)) = self.open_ledger(session_id)? else {
            return Ok(None);
        };
        let bytes = fs::len(&open)?;
        let (from, rows) = read::tail(&mut open, MAX_FILE)?;
        let tail = Tail {
            file,
            bytes,
            from,
            rows,
        };
        Ok(Some(tail))
    }

    /// Reads a ledger, the newest [`MAX_FILE`] bytes of it. A missing one is empty.
    pub fn read_ledger(&self, session_id: &str) -> Ledger {
        match self.tail(session_id) {
            Ok(None) => Ledger::default(),
            Ok(Some(tail)) => {
                let (rows, issue) = rows_of(&tail.rows, &tail.file);
                Ledger {
                    rows,
                    issues: issue.into_iter().collect(),
                    bytes: tail.bytes,
                    truncated: tail.from > 0,
                }
            }
            Err(e) => Ledger {
                issues: vec![read::unreadable(
                    &effect_encoding::ledger_file(session_id),
                    e,
                )],
                ..Ledger::default()
            },
        }
    }

    /// All ledgers of this user, newest first. Those of others are reported in the next snapshot.
    pub fn ledgers(&self) -> Vec<LedgerFile> {
        let root = self.root();
        let listed = root.list(SESSIONS_DIR, MAX_LISTED).unwrap_or_default();
        let mut found: Vec<LedgerFile> = Vec::new();
        let mut foreign = Vec::new();
        for name in &listed {
            let Some(stem) = stem_of(name) else {
                continue;
            };
            let file = format!("{SESSIONS_DIR}/{name}");
            let Ok(Some(stamp)) = root.stamp(&file) else {
                continue;
            };
            let is_proven = || match root.proofs.known(&file, stamp.inode) {
                Some(is_proven) => is_proven,
                None => root.read_if_there(&file).is_ok_and(|open| {
                    let proof = |open| lacking(&root, &file, &open);
                    open.is_some_and(|open| proof(open).is_ok_and(|lacking| lacking.is_some()))
                }),
            };
            if stamp.is_file && is_proven() {
                found.push(LedgerFile {
                    stem: stem.to_owned(),
                    bytes: stamp.len,
                    modified: stamp.modified_at(),
                    file,
                });
            } else if foreign.len() < MAX_REPORTED {
                foreign.push(read::unproven(&file, "not read as a session of yours"));
            }
        }
        self.report_foreign(SESSIONS_DIR, foreign);
        found.sort_by(|a, b| {
            b.modified
                .cmp(&a.modified)
                .then_with(|| a.stem.cmp(&b.stem))
        });
        // A session has one ledger; should it have two, it goes on in the one that it finds first.
        let mut seen = std::collections::HashSet::new();
        found.retain(|ledger| seen.insert(ledger.stem.clone()));
        found
    }

    /// Makes a ledger durable against power failure. A missing one is fine.
    ///
    /// # Errors
    /// The system could not.
    pub fn sync_ledger(&self, session_id: &str) -> Result<(), StoreError> {
        let root = self.root();
        let fail = |e| root.error(&effect_encoding::ledger_file(session_id), e);
        if let Some((file, open)) = self.open_ledger(session_id).map_err(fail)? {
            fs::sync(open, &file).map_err(fail)?;
            root.sync_parent(&file).map_err(fail)?;
        }
        Ok(())
    }
}
