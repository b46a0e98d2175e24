//! Ids of items of memory that have none of their own: short hashes of what makes them themselves.

use aictx_proto::record::{Decision, HandoffRow, Strategy, Subsystem, Thread};
use aictx_proto::text::{clean, file_stem, hex};
use sha2::{Digest, Sha256};

/// Eight hexadecimal digits of the SHA-256 of some parts, kept apart from each other.
pub(crate) fn short_hash(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let [first, second, third, fourth, ..] = hasher.finalize().0;
    hex(&[first, second, third, fourth])
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn long_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// File of one thing in a directory of many: its name made plain, and the first digits of its hash.
pub(crate) fn shard(directory: &str, name: &str) -> String {
    let plain = file_stem(&clean(name, 84));
    let hash = long_hash(name);
    let hash = hash.get(..8).unwrap_or(&hash);
    format!("{directory}/{plain}--{hash}.json")
}

/// `decision::<hash>` of what was decided, when and by which execution.
pub(crate) fn decision_id(decision: &Decision) -> String {
    let parts = [
        decision.decision.as_str(),
        &decision.timestamp,
        &decision.execution_id,
    ];
    format!("decision::{}", short_hash(&parts))
}

/// `strategy::<execution>`.
pub(crate) fn strategy_id(strategy: &Strategy) -> String {
    format!("strategy::{}", strategy.task_id)
}

/// `handoff::<execution>`.
pub(crate) fn handoff_id(row: &HandoffRow) -> String {
    format!("handoff::{}", row.execution_id)
}

/// `note::<name>`.
pub(crate) fn subsystem_id(subsystem: &Subsystem) -> String {
    format!("note::{}", subsystem.name)
}

/// `task::<id>`.
pub(crate) fn thread_id(thread: &Thread) -> String {
    format!("task::{}", thread.task_id)
}
