//! Files of ledgers: their place, and the first line that proves whose they are.

use std::fs::File;
use std::io;

use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::record::files::SESSIONS_DIR;
use aictx_proto::time::Timestamp;

use crate::fs::{self, Root};
use crate::trust::{Tagged, Trust};

/// Returns the missing part of the proof that an open file is a ledger of this user.
/// Nothing for a file that is somebody else's.
pub(crate) fn lacking(root: &Root, file: &str, open: &File) -> io::Result<Option<Vec<u8>>> {
    let stamp = fs::stamp_of(open)?;
    match root.proofs.known(file, stamp.inode) {
        Some(true) if stamp.len > 0 => return Ok(Some(Vec::new())),
        Some(false) => return Ok(None),
        _ => {}
    }
    let lacking = unremembered(root, file, open)?;
    if lacking.as_ref().is_none_or(Vec::is_empty) {
        root.proofs.note(file, stamp.inode, lacking.is_some());
    }
    Ok(lacking)
}

/// [`lacking`], without what is remembered.
fn unremembered(root: &Root, file: &str, open: &File) -> io::Result<Option<Vec<u8>>> {
    let stamp = fs::stamp_of(open)?;
    let line = proof_line(root.trust(), file, stamp.inode);
    let there = fs::read_range(open, 0, line.len() as u64)?;
    let missing = line.strip_prefix(there.as_slice());
    // An empty file may be anybody's.
    let missing = missing.filter(|_| !there.is_empty() || !root.names().tracked.holds(file));
    Ok(missing.map(<[u8]>::to_vec))
}

/// The first line of the ledger that this user has in a file.
pub(crate) fn proof_line(trust: &Trust, file: &str, inode: u64) -> Vec<u8> {
    let row = LedgerRow {
        proof: trust.tag(Tagged::Ledger, &[&inode.to_le_bytes(), file.as_bytes()]),
        // It is the same whenever it is written, so that one that was torn off can be completed.
        ..LedgerRow::observed(Timestamp::default(), LedgerKind::Proof)
    };
    let mut line = serde_json::to_vec(&row).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Returns true if a file is a ledger by its place.
pub(crate) fn is_ledger(file: &str) -> bool {
    let inside = file.strip_prefix(SESSIONS_DIR);
    inside.is_some_and(|rest| rest.starts_with('/') && rest.ends_with(".jsonl"))
}
