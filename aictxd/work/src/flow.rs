//! Flows: agents work off the tickets of a worktree, turn by turn (docs/flows.md).

pub mod dispatch;
pub mod engine;
pub mod prompt;
pub mod state;

#[cfg(test)]
mod tests;
