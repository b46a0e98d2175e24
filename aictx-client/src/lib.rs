//! The client. [`hook`] is the lane that agents pay for on every tool call; [`cli`] is everything
//! else. The lane knows no argument parser, no JSON parser and no async runtime, and allocates
//! nothing when the daemon answers.

use std::ffi::{CStr, c_char, c_int};

pub mod cli;
pub mod connect;
pub mod hook;
pub mod paths;
pub mod start;

/// Borrows the argument vector of a C `main`.
///
/// # Safety
/// `argv` must point to `argc` valid NUL-terminated strings that are never changed or freed.
#[allow(clippy::undocumented_unsafe_blocks)] // the contract above covers both reads
pub unsafe fn arguments(argc: c_int, argv: *const *const c_char) -> Arguments {
    Arguments {
        argc: usize::try_from(argc).unwrap_or(0),
        argv,
    }
}

/// The argument vector, without copying it.
#[derive(Debug, Clone, Copy)]
pub struct Arguments {
    argc: usize,
    argv: *const *const c_char,
}

impl Arguments {
    /// Argument `index` (0 is the program), or nothing.
    pub fn get(&self, index: usize) -> Option<&'static CStr> {
        if index >= self.argc {
            return None;
        }
        // SAFETY: `index < argc` and the constructor's contract.
        let pointer = unsafe { *self.argv.add(index) };
        // SAFETY: non-null entries are valid C strings by the constructor's contract.
        (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
    }
}

/// Runs the program and gives its exit status.
pub fn run(arguments: &Arguments) -> c_int {
    if let (Some(verb), Some(runner)) = (arguments.get(1), arguments.get(2))
        && verb.to_bytes() == b"hook"
        && hook::is_name(runner.to_bytes())
        && runner.to_bytes() != hook::PROBE
    {
        let event = arguments
            .get(3)
            .map(CStr::to_bytes)
            .filter(|e| hook::is_name(e));
        return hook::run(runner.to_bytes(), event);
    }
    if arguments.get(1).is_none() && hook::has_input() {
        // An agent that does not know the member `args` of its settings calls the bare program.
        return hook::run(b"claude", None);
    }
    cli::run(arguments)
}
