//! Retention: histories and ledgers that would grow for ever.
//!
//! Nothing is dropped from a history: its older rows move to a segment below `archive/`. Ledgers
//! are raw material; what they led to is in the histories, so old ones are removed.

use std::time::{Instant, SystemTime};

use aictx_proto::record::files::{
    AGENT_EXECUTION_LOG, DECISIONS, EXECUTION_LOGS, HANDOFFS, LIFECYCLE_EVENTS, SESSIONS_DIR,
};

use crate::commit;
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::lock::DEADLINE;
use crate::store::Store;

/// Largest history; above it all but the newest rows move to the archive.
pub const MAX_HISTORY: u64 = 16 * 1024 * 1024;
/// Bytes of a history that stay.
const KEPT_HISTORY: u64 = 4 * 1024 * 1024;
/// Largest history that is split at once; whoever made a larger one has to decide about it.
const MAX_SPLIT: u64 = 256 * 1024 * 1024;
/// Most ledgers kept.
pub const MAX_LEDGERS: usize = 200;
/// Most bytes of ledgers kept.
pub const MAX_LEDGER_BYTES: u64 = 64 * 1024 * 1024;
/// Histories that are bounded here; failure patterns are bounded by their writer.
const HISTORIES: &[&str] = &[
    EXECUTION_LOGS,
    AGENT_EXECUTION_LOG,
    HANDOFFS,
    DECISIONS,
    LIFECYCLE_EVENTS,
];

impl Store {
    /// Moves the older rows of histories above [`MAX_HISTORY`] into the archive; gives how many
    /// histories were split. A handful of `stat`s in the usual case.
    ///
    /// # Errors
    /// Locked, or not writable. Interrupted at any point every row is there: in the history, in
    /// the archive, or (until the next split) in both.
    pub fn archive_histories(&self) -> Result<usize, StoreError> {
        self.archive_above(MAX_HISTORY, KEPT_HISTORY)
    }

    pub(crate) fn archive_above(&self, limit: u64, keep: u64) -> Result<usize, StoreError> {
        let root = self.root();
        let is_large = |file: &str| {
            root.stamp(file)
                .is_ok_and(|s| s.is_some_and(|s| s.is_file && s.len > limit && s.len < MAX_SPLIT))
        };
        if !HISTORIES.iter().any(|file| is_large(file)) {
            return Ok(0);
        }
        self.locked(Instant::now() + DEADLINE, |root, _| {
            let mut split = 0;
            for file in HISTORIES.iter().filter(|file| is_large(file)) {
                self.split(root, file, keep)
                    .map_err(|e| root.error(file, e))?;
                split += 1;
            }
            Ok(split)
        })
    }

    fn split(&self, root: &Root, file: &str, keep: u64) -> std::io::Result<()> {
        let Some(mut open) = root.read_if_there(file)? else {
            return Ok(());
        };
        let bytes = fs::read_range(&mut open, 0, MAX_SPLIT)?;
        let from = bytes.len() - usize::try_from(keep).unwrap_or(0).min(bytes.len());
        let Some(newline) = memchr::memchr(b'\n', bytes.get(from..).unwrap_or_default()) else {
            return Ok(());
        };
        let (old, new) = bytes.split_at(from + newline + 1);
        let segment = self.free_name(root, &format!("archive/{file}"));
        let parent = segment.rsplit_once('/').map_or("", |(dir, _)| dir);
        root.make_dirs(parent)?;
        root.create_new(&segment, old)?;
        root.sync_parent(&segment)?;
        // Rows that a program without the lock appends meanwhile are carried over.
        commit::replace_rows(root, file, new.to_vec(), bytes.len() as u64)?;
        root.sync_parent(file)
    }

    /// Removes the oldest ledgers beyond [`MAX_LEDGERS`] or [`MAX_LEDGER_BYTES`]; gives how many.
    /// `is_needed` is asked for each candidate: a live session's ledger, or one that is still to
    /// be finalized, stays.
    pub fn prune_ledgers(&self, is_needed: &dyn Fn(&str) -> bool) -> usize {
        self.prune_ledgers_beyond(MAX_LEDGERS, MAX_LEDGER_BYTES, is_needed)
    }

    pub(crate) fn prune_ledgers_beyond(
        &self,
        count: usize,
        bytes: u64,
        is_needed: &dyn Fn(&str) -> bool,
    ) -> usize {
        let root = self.root();
        let mut seen = 0;
        let mut pruned = 0;
        for (index, ledger) in self.ledgers().iter().enumerate() {
            seen += ledger.bytes;
            let fits = index < count && seen <= bytes;
            // The newest may be large, but it is the newest.
            if fits || index == 0 || is_needed(&ledger.stem) {
                continue;
            }
            let file = format!("{SESSIONS_DIR}/{}.jsonl", ledger.stem);
            // Heard of since it was listed: not old after all.
            let same = root.stamp(&file).is_ok_and(|now| {
                let at = |time: SystemTime| time == ledger.modified;
                now.is_some_and(|s| s.len == ledger.bytes && at(s.modified_at()))
            });
            if same && root.unlink(&file).is_ok() {
                pruned += 1;
            }
        }
        pruned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::effect::{Effect, KeyOrder};
    use aictx_proto::ledger::{LedgerKind, LedgerRow};
    use serde_json::json;

    fn append(store: &Store, n: usize) {
        let row = json!({ "event_type": "x", "n": n, "text": "y".repeat(200) });
        let effect = Effect::AppendRows {
            file: LIFECYCLE_EVENTS.to_owned(),
            rows: vec![row],
            order: KeyOrder::Sorted,
        };
        store.transact(|_| ((), vec![effect])).unwrap();
    }

    fn numbers(text: &str) -> Vec<u64> {
        text.lines()
            .map(|l| {
                let row: serde_json::Value = serde_json::from_str(l).unwrap();
                row["n"].as_u64().unwrap()
            })
            .collect()
    }

    #[test]
    fn every_row_of_a_split_history_is_in_one_place_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        for n in 0..40 {
            append(&store, n);
        }
        assert_eq!(store.archive_histories().unwrap(), 0);
        assert_eq!(store.archive_above(4_000, 1_000).unwrap(), 1);
        for n in 40..60 {
            append(&store, n);
        }
        assert_eq!(store.archive_above(4_000, 1_000).unwrap(), 1);
        let aictx = dir.path().join(".aictx");
        let live = std::fs::read_to_string(aictx.join(LIFECYCLE_EVENTS)).unwrap();
        assert!(live.len() <= 1_000 && !live.is_empty());
        let mut segments: Vec<_> = std::fs::read_dir(aictx.join("archive/continuity"))
            .unwrap()
            .map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap())
            .collect();
        segments.sort_by_key(|text| numbers(text)[0]);
        assert_eq!(segments.len(), 2);
        let all = numbers(&(segments.concat() + &live));
        assert_eq!(all, (0..60).collect::<Vec<u64>>());
    }

    #[test]
    fn old_ledgers_go_needed_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        for n in 0..6 {
            let row = LedgerRow::observed(Default::default(), LedgerKind::Stop);
            store.append_ledger(&format!("s{n}"), &[row]).unwrap();
            let file = dir.path().join(format!(".aictx/sessions/s{n}.jsonl"));
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + n);
            let open = std::fs::File::options().append(true).open(file).unwrap();
            open.set_modified(at).unwrap();
        }
        assert_eq!(store.prune_ledgers(&|_| false), 0);
        assert_eq!(store.prune_ledgers_beyond(2, 1_000_000, &|s| s == "s1"), 3);
        let left: Vec<String> = store.ledgers().into_iter().map(|l| l.stem).collect();
        assert_eq!(left, ["s5", "s4", "s1"]);
        assert_eq!(store.prune_ledgers_beyond(9, 1, &|_| false), 2);
        assert_eq!(
            store.ledgers().len(),
            1,
            "the newest stays whatever its size"
        );
    }
}
