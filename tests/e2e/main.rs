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
mod differential;
mod durability;
mod failures;
mod idle;
mod lifecycle;
mod map;
mod protocol;
mod review;
mod session;
mod setup;
mod watch;
