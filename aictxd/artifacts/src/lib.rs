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
//! Bounds: rows of 64 KiB, documents of 8 MiB, histories are read 1 MiB or 500 rows from their
//! end. Logs are not rotated here.

pub mod error;
pub mod fault;
pub mod read;
pub mod root;
pub mod scrub;

mod commit;
mod encode;
mod fold;
mod fs;
mod journal;
mod ledger;
mod lock;
mod part;
mod snapshot;
mod store;

#[cfg(test)]
mod tests;

pub use encode::{MAX_ROW, TRUNCATED};
pub use error::StoreError;
pub use ledger::{Ledger, LedgerFile};
pub use store::{Committed, FORMAT_VERSION, Op, Store};
