//! `aictx hook` where the lane did not take it: a registration that cannot be right. The agent must
//! not suffer from that.

use std::ffi::c_int;
use std::io::{self, IsTerminal};

use crate::cli::Answer;
use crate::cli::arguments::Hook;
use crate::hook::{PROBE, is_name, run};

/// Reads standard input to its end, so that the agent never sees a broken pipe. Silent success.
pub fn swallow() -> c_int {
    if !io::stdin().is_terminal() {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    }
    0
}

/// Returns true if this is `aictx hook probe`.
pub fn is_probe(options: &Hook) -> bool {
    options.runner.as_deref().map(str::as_bytes) == Some(PROBE)
}

/// A hook that came through the parser: some option stood before it.
pub fn hook(options: &Hook) -> Answer {
    let runner = options.runner.as_deref().unwrap_or_default().as_bytes();
    let event = options.event.as_deref().map(str::as_bytes);
    let status = if is_name(runner) {
        run(runner, event.filter(|e| is_name(e)))
    } else {
        swallow()
    };
    Answer {
        status,
        ..Answer::default()
    }
}
