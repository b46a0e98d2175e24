//! Looking at memory: what to do next, what was done before, what happened, what costs what.
//! Nothing here writes.

pub use self::log::{Happened, LogQuery, log};
pub use self::next_and_prepare::{next, prepare};
pub use self::report::{Reported, report};
pub use self::strategy::{reflect, reuse, suggest_strategy};

mod log;
mod next_and_prepare;
mod report;
mod strategy;
#[cfg(test)]
mod tests;

/// Situation of a caller (`next`, `suggest`, `reuse`).
#[derive(Debug, Clone, Copy, Default)]
pub struct AtHand<'a> {
    /// The request.
    pub request: &'a str,
    /// Explicit task type.
    pub task_type: &'a str,
    /// Files read or written.
    pub files: &'a [String],
    /// Commands run.
    pub commands: &'a [String],
    /// Test runs.
    pub tests: &'a [String],
    /// Errors seen.
    pub errors: &'a [String],
}
