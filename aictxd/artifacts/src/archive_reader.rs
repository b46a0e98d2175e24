//! Reading the archive: rows of a history, and ledgers of sessions that come back.

use std::borrow::Cow;

use aictx_proto::ledger::LedgerRow;
use aictx_proto::record::{Origin, files};
use aictx_proto::text::file_stem;
use serde::de::DeserializeOwned;

use crate::archive::{
    MAX_MEMBER, MAX_READ_SEGMENT, Packed, last_member, segments, unpack, verifies,
};
use crate::error::StoreError;
use crate::fs;
use crate::ledger;
use crate::ledger_file::proof_line;
use crate::read;
use crate::store::Store;

/// Members, from the newest on, in which a row that was archived lately is looked for.
const LATE_MEMBERS: usize = 2;

impl Store {
    /// The newest `limit` archived rows of a history, oldest first. Unreadable lines are passed
    /// over, and so are segments that git tracks of a history that belongs to one machine.
    pub fn archived_rows<T: DeserializeOwned>(&self, file: &str, limit: usize) -> Vec<T> {
        let root = self.root();
        let mut newest_first: Vec<Vec<T>> = Vec::new();
        let mut count = 0;
        for segment in segments(&root, file).iter().rev() {
            if count >= limit {
                break;
            }
            let origin = segment.origin(&root);
            if !origin.is_own() && !files::is_shared(file) {
                continue;
            }
            let bytes = unpack(&root, &segment.file);
            let rows = read::rows::<T>(&bytes, limit - count, origin).rows;
            count += rows.len();
            newest_first.push(rows);
        }
        newest_first.into_iter().rev().flatten().collect()
    }

    /// The newest of the rows that went to the archive lately in which `text` stands and of which `is_it` holds.
    /// Looks at the last members of the newest segment only, some hundred rows: at most 384 KiB, whatever
    /// the history's length.
    pub fn lately_archived<T: DeserializeOwned>(
        &self,
        file: &str,
        text: &str,
        is_it: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let root = self.root();
        let mut segments = segments(&root, file);
        segments.retain(|segment| segment.origin(&root).is_own());
        let newest = segments.pop()?;
        let open = root.read_if_there(&newest.file).ok()??;
        let from = newest.bytes.saturating_sub(MAX_READ_SEGMENT);
        let mut bytes = fs::read_range(&open, from, MAX_READ_SEGMENT).ok()?;
        let text = memchr::memmem::Finder::new(text);
        for _ in 0..LATE_MEMBERS {
            let (begins, rows) = last_member(&bytes, MAX_MEMBER);
            bytes.truncate(begins);
            let lines = rows.split(|b| *b == b'\n').rev();
            let found = lines
                .filter(|line| text.find(line).is_some())
                .filter_map(|line| serde_json::from_slice::<T>(line).ok())
                .find(&is_it);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The sessions that went to the archive, the last one first. One whose session came back is there
    /// as often as it went. A segment is read when its turn comes.
    pub fn archived_ledgers(&self) -> impl Iterator<Item = ArchivedLedger> {
        let root = self.root();
        let newest_first = segments(&root, files::SESSIONS_DIR).into_iter().rev();
        newest_first.flat_map(move |segment| {
            let bytes = unpack(&root, &segment.file);
            // A ledger is one line here, however long; the segment as a whole is bounded.
            let lines = bytes.split(|b| *b == b'\n').rev();
            let packed = lines.filter_map(|line| serde_json::from_slice::<Packed>(line).ok());
            let ledgers = packed.filter_map(|packed| {
                let name = packed.file.strip_prefix(files::SESSIONS_DIR)?;
                let stem = name.strip_prefix('/')?.strip_suffix(".jsonl")?.to_owned();
                let parts = [stem.as_bytes(), packed.text.as_bytes()];
                let origin = match verifies(&root, &parts, &packed.proof) {
                    true => Origin::Own,
                    false => Origin::Repository,
                };
                Some(ArchivedLedger {
                    stem,
                    text: packed.text,
                    origin,
                })
            });
            ledgers.collect::<Vec<_>>()
        })
    }

    /// Puts the ledger of a session that comes back in its place again, where it went to the archive;
    /// whether it did. Nothing is done when there is one, or when a ledger of the archive has no proof
    /// that this user put it there.
    ///
    /// # Errors
    /// Not writable.
    pub fn bring_back(&self, session_id: &str) -> Result<bool, StoreError> {
        if self.has_ledger(session_id) {
            return Ok(false);
        }
        let stem = file_stem(session_id);
        let is_it = |ledger: &ArchivedLedger| ledger.stem == stem && ledger.origin.is_own();
        let Some(archived) = self.archived_ledgers().find(is_it) else {
            return Ok(false);
        };
        let root = self.root();
        let usual = format!("{}/{stem}.jsonl", files::SESSIONS_DIR);
        let file = self
            .ledger_file(&root, session_id)
            .map_err(|e| root.error(&usual, e))?;
        let rows = archived.text.as_bytes();
        let with_proof = |inode: u64| {
            let proof = proof_line(root.trust(), &file, inode);
            Cow::Owned([proof.as_slice(), rows].concat())
        };
        let made = root
            .make_dirs(files::SESSIONS_DIR)
            .and_then(|()| root.create_with(&file, &with_proof));
        match made {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(root.error(&file, e)),
        }
    }
}

/// The ledger of a session, in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedLedger {
    /// `file_stem` of the session id.
    pub stem: String,
    /// Its rows ([`ledger_rows`]).
    pub text: String,
    /// Origin: this user's or not.
    pub origin: Origin,
}

/// The rows of a ledger's text, oldest first. Unreadable lines are passed over.
pub fn ledger_rows(text: &str) -> Vec<LedgerRow> {
    ledger::rows_of(text.as_bytes(), "").0
}
