//! The one list of agents.

use crate::plan::Agent;
use crate::{Dialect, DialectError};

/// Every agent, in the order in which they are listed to people.
pub static AGENTS: &[&dyn Agent] = &[
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

/// Names of all agents.
pub fn names() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.name())
}

/// Finds an agent by name.
///
/// # Errors
/// [`DialectError::UnknownRunner`].
pub fn agent(name: &str) -> Result<&'static dyn Agent, DialectError> {
    AGENTS
        .iter()
        .find(|agent| agent.name() == name)
        .copied()
        .ok_or_else(|| DialectError::UnknownRunner {
            name: name.to_owned(),
        })
}

/// Finds a dialect by name.
///
/// # Errors
/// [`DialectError::UnknownRunner`].
pub fn dialect(runner: &str) -> Result<&'static dyn Dialect, DialectError> {
    let agent: &'static dyn Dialect = agent(runner)?;
    Ok(agent)
}
