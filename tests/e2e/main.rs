//! End-to-end tests: real binaries, real sockets, real git, in parallel, each in its own home.
//! One test binary, one module per promise.

mod lifecycle;
mod protocol;
mod session;
