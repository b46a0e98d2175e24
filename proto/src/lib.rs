//! The words that `aictx` (the client) and `aictxd` (the daemon) both speak.
//!
//! Wire types, durable record types, identifiers, error codes and the one repository-relative path
//! type live here. This crate does no I/O, knows no clock and starts no thread; it may be used by
//! anything that wants to talk to the daemon or read `.aictx/` files.

mod closed_set;

pub mod effect;
pub mod event;
pub mod flow;
pub mod fold;
pub mod hook;
pub mod identity;
pub mod json;
pub mod ledger;
pub mod locations;
pub mod methods;
#[cfg(feature = "schema")]
pub mod openrpc;
pub mod path;
pub mod pattern;
pub mod record;
pub mod rpc;
pub mod shown;
pub mod snapshot;
pub mod text;
pub mod time;
pub mod tokens;
pub mod words;

pub use event::ErrorEvent;
pub use path::{Located, Outside, RepoPath};
pub use pattern::PathPattern;
pub use time::Timestamp;

/// Version of the wire protocol. It is part of the socket path (`v1`), so that incompatible
/// generations never meet; additions do not raise it.
pub const PROTOCOL_VERSION: u32 = 1;

/// Product version, shared by client and daemon.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
