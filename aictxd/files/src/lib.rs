//! Files that need care: the user's private files, and files that somebody else controls.
//!
//! - [`private`]: directories and files that only this user may enter.
//! - [`daemons`]: which daemons of the user run.
//! - [`key`]: the user's secret key, and what is tagged or sealed with it.
//! - [`spool`]: events that wait for a daemon, sealed.

pub mod daemons;
pub mod key;
pub mod private;
pub mod spool;
