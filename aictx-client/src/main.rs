//! `aictx`: a fast lane for hooks in front of an ordinary command line.
//!
//! There is no Rust runtime start-up on purpose: `main` is the C entry point, because the twelve
//! system calls that `std` makes before an ordinary `main` are a measurable part of a hook. The
//! command line behind it does what `std` would have done where it matters.
#![no_main]

use std::ffi::{c_char, c_int};

/// C entry point.
///
/// # Safety
/// Called once by the C runtime with the process's argument vector.
// SAFETY: the symbol is unique in this program and has the signature the C runtime expects.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the C runtime passes `argc` valid, NUL-terminated strings that live for the whole
    // process; nothing changes them afterwards.
    let arguments = unsafe { aictx_client::arguments(argc, argv) };
    aictx_client::run(&arguments)
}
