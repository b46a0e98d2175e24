//! The one list of agents.

use crate::{Dialect, DialectError};

/// Every dialect, in the order in which they are listed to people.
pub static DIALECTS: &[&dyn Dialect] = &[
    &crate::claude::Claude,
    &crate::codex::Codex,
    &crate::gemini::Gemini,
    &crate::cursor::Cursor,
    &crate::copilot::Copilot,
    &crate::opencode::OpenCode,
    &crate::cline::Cline,
    &crate::windsurf::Windsurf,
    &crate::generic::Generic,
];

/// Names of all dialects.
pub fn names() -> impl Iterator<Item = &'static str> {
    DIALECTS.iter().map(|dialect| dialect.name())
}

/// Finds a dialect by name.
///
/// # Errors
/// [`DialectError::UnknownRunner`].
pub fn dialect(runner: &str) -> Result<&'static dyn Dialect, DialectError> {
    DIALECTS
        .iter()
        .find(|dialect| dialect.name() == runner)
        .copied()
        .ok_or_else(|| DialectError::UnknownRunner {
            name: runner.to_owned(),
        })
}
