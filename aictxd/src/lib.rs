//! The process: arguments, lock, socket, server, sessions, hosts, watch.
//!
//! Rooms below this one (`aictx-continuity`, `aictx-guard`, …) decide without I/O; this one gathers
//! what they need, commits what they want and answers. [`app::App`] is the whole state; a running
//! daemon and `aictxd once` build the same one and call the same [`methods::call`].

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod app;
pub mod audit;
pub mod checks;
pub mod cli;
pub mod connections;
pub mod evaluate;
pub mod facts;
pub mod git;
pub mod guarding;
pub mod homes;
pub mod hook;
pub mod hosts;
pub mod importing;
pub mod intake;
pub mod lanes;
pub mod lifecycle;
pub mod logging;
pub mod maps;
pub mod mcp;
pub mod methods;
pub mod names;
pub mod once;
pub mod permissions;
pub mod policy;
pub mod presence;
pub mod process;
pub mod project;
mod recall_index;
pub mod registry;
pub mod rpc;
pub mod sessions;
pub mod setup;
pub mod socket;
pub mod spool;
pub mod stats;
pub mod watch;
