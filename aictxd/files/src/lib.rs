//! Files that need care: the user's private files, and files that somebody else controls.
//!
//! - [`private`]: directories and files that only this user may enter.
//! - [`daemons`]: which daemons of the user run.
//! - [`key`]: the user's secret key, and what is tagged or sealed with it.
//! - [`spool`]: events that wait for a daemon, sealed.
//! - [`untrusted`]: bounded reads of files that a repository controls.
//! - [`beneath`]: opens below a directory that no link leads out of.
//! - [`range`]: reads of parts of an open file.
//! - [`mapped`]: mapped files that may be cut short.
//! - [`mounts`]: file systems that can hang, and threads that keep away from them.
//! - [`child`]: child processes that read such files for us, bounded in time and output.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod beneath;
pub mod child;
pub mod daemons;
pub mod key;
pub mod mapped;
// Elsewhere nothing is known to hang.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub mod mounts;
pub mod private;
pub mod range;
pub mod spool;
pub mod untrusted;
