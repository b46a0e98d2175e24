//! End-to-end tests: real binaries, real sockets, real git, in parallel, each in its own home.
//! One test binary, one module per promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod agents;
mod bad_input;
mod compatibility;
mod differential;
mod durability;
mod failures;
mod faults;
mod flows;
mod format;
mod history;
mod hostile;
mod hostile_files;
mod idle;
mod import;
mod interleaved;
mod interop;
mod lifecycle;
mod map;
mod mcp;
mod memory;
mod moved;
mod outcomes;
mod policy;
mod protocol;
mod reach;
mod recall;
mod recorded;
mod reports;
mod requests;
mod retention;
mod review;
mod rules;
mod runs;
mod secrets;
mod session;
mod setup;
mod shown;
mod silence;
mod stale;
mod surroundings;
mod tasks;
mod tickets;
mod turn_ends;
mod turns;
mod watch;
mod wrapped;
