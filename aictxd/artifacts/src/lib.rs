//! The `.aictx/` directory of a repository: tolerant reads, durable commits, session ledgers.
//!
//! ```text
//! Store::transact: gate, lock → recover the journal → snapshot → decide → encode (scrub, bound)
//!   → plan (offsets, what to keep) → intent (durable) → apply (idempotent, durable)
//!   → remove the intent → publish the next snapshot
//! ```
//!
//! - **Nothing that was acknowledged is lost, nothing is half done.** A commit is in the journal
//!   before the first file is touched, and whoever takes the lock next finishes it.
//! - **Reading never fails.** What cannot be read is reported and left as it is.
//! - **Nothing outside is touched.** Every name is resolved below one open directory, without
//!   links.
//!
//! Bounds: rows of 64 KiB (long texts are cut and the row is flagged `truncated`), documents of
//! 8 MiB; of a history the newest 1 MiB and 500 rows are read, of failure patterns and ledgers the
//! newest 8 MiB. Histories above their limit move their older rows to compressed segments below
//! `archive/`; everything together stays below [`MAX_TOTAL`].
//!
//! What is not promised:
//! - A commit is whole for readers of the same [`Store`]; a reader in another process may look at
//!   the files in the middle of one.
//! - A program that does not take the lock loses nothing by appending to a file that is appended
//!   to. If it holds a file open while that file is rewritten, what it writes through that
//!   descriptor afterwards is lost with the old file.
//! - An outside change that keeps size, inode and both times of a file is not noticed; in a store that is
//!   [listening](Store::listening), one that is written through a mapping not before another one.
//! - Ledger rows survive the end of the process at once, a power failure only after
//!   [`Store::sync_ledger`] or a commit with a row for the same ledger.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod error;
pub mod fault;
pub mod read;
pub mod root;

mod archive;
mod archive_reader;
mod cached_file;
mod change_queue;
mod commit;
mod compact;
mod derived_records;
mod digest;
mod document_dir;
mod effect_encoding;
mod fs;
mod head;
mod history_reader;
mod journal;
mod ledger;
mod ledger_file;
mod lock;
mod reftable;
mod retention;
mod run_directory;
mod shared;
mod snapshot;
mod store;
mod trust;

#[cfg(test)]
mod tests;

pub use archive_reader::{ArchivedLedger, ledger_rows};
pub use change_queue::tells_of_all;
pub use compact::{Compacted, Row};
pub use effect_encoding::{MAX_ROW, TRUNCATED};
pub use error::StoreError;
pub use fs::Stamp;
pub use ledger::{Ledger, LedgerFile};
pub use retention::{BESIDE_ARCHIVE, MAX_LEDGER_BYTES, MAX_LEDGERS, MAX_TOTAL, Tidied};
pub use run_directory::RunDirectory;
pub use shared::{MAX_SHARED_FILES, choice_row};
pub use store::Folded;
pub use store::{Committed, FORMAT_VERSION, FoundFile, Op, Store};
pub use trust::{AskTracked, MAX_TRACKED, Tracked, Trust};
