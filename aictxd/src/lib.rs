//! The process: arguments, lock, socket, server, sessions, hosts, watch.
//!
//! Rooms below this one (`aictx-continuity`, `aictx-guard`, …) decide without I/O; this one gathers
//! what they need, commits what they want and answers. [`app::App`] is the whole state; a running
//! daemon and `aictxd once` build the same one and call the same [`methods::call`].

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod app;
pub mod audit;
pub mod check_for_file;
pub mod cli;
pub mod connections;
pub mod eval;
pub mod flow;
pub mod git;
pub mod guard_env;
pub mod hook;
pub mod hosts;
pub mod importing;
pub mod index_service;
pub mod intake;
pub mod lanes;
pub mod lifecycle;
pub mod logging;
pub mod mcp;
pub mod methods;
pub mod one_shot;
pub mod path_lookup;
pub mod permissions;
pub mod policy;
pub mod process;
pub mod project;
mod recall_index;
pub mod registry;
pub mod rpc;
pub mod runs;
pub mod session_activity;
pub mod sessions;
pub mod setup;
pub mod socket;
pub mod spool;
pub mod stats;
pub mod storage_location;
pub mod ticket_files;
pub mod watch;
pub mod worktree_facts;
