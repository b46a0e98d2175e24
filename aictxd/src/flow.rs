//! Flows at work: the engine of `aictx-work` with processes, files and a database around it (docs/flows.md).
//!
//! ```text
//! supervisor   one task a flow: does what `Flow::activity` asks for, and commits each change of state
//! lanes        tickets that are worked on at once, each in a worktree of its own
//! surroundings what is decided on: tickets, git, context documents
//! turn_start   prompt, request, checkpoint, host
//! turn_end     output, dispatch, checks, receipt
//! turn_host    a process per turn that outlives the daemon: starts the agent, keeps its output and its end
//! turn_folder  what the daemon and a host tell each other, as files
//! database     states, receipts of turns, events, trust; rebuilt from `flow.json` when it is gone
//! worktree     facts of git: state, trees of what lies in a worktree, private refs
//! hold         points at which tests hold the daemon
//! notification desktop and webhook, where the person asked for them
//! flow_files   `.aictx/flows/<id>` of a worktree: dispatches, replies, `flow.json`
//! ```

pub mod database;
pub mod flow_files;
mod hold;
mod lanes;
mod notification;
pub mod supervisor;
pub mod surroundings;
mod turn_end;
pub mod turn_folder;
pub mod turn_host;
mod turn_start;
pub mod worktree;
