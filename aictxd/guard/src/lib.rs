//! Pure decisions before a step is taken: is this path, is this command safe, and does the step
//! still agree with what the repository remembers.
//!
//! Safety findings need nothing but the arguments, so they hold when no state can be read.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod budgets;
mod command;
mod contract_check;
mod finding_codes;
mod guard_reply;
mod hook;
mod parallel_work;
mod policy;
mod protected_paths;
mod reading;

pub use budgets::{Budgets, Spent, Step, is_deletion};
pub use command::{
    CommandFinding, CommandRisk, Facts, Kind, Kinds, Known, Level, Limit, MAX_TEXT, MemoryFacts,
    NoFacts, Place, Tier, command_risk, command_risk_in, is_made_again, is_precious,
};
pub use contract_check::{ContractChoice, ContractSource, Held, choose_guard_contract};
pub use guard_reply::{GuardError, MAX_WARNINGS, RISKS, guard, guard_with};
pub use hook::{
    HookVerdict, hook_command, hook_command_with, hook_discard, hook_edit, hook_risk,
    hook_unreadable,
};
pub use parallel_work::{
    Parallel, TurnEnd, hook_limits, lifted_note, limits_note, parallel_note, turn_end,
};
pub use policy::{Policy, READ_ONLY, Rules, Say, covers};
pub use protected_paths::{names_among, path_risk};
pub use reading::only_reads;
