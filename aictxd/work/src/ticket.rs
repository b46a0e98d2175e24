//! Tickets: Markdown files with YAML frontmatter whose numeric order is the queue of work.
//!
//! ```text
//! file name → number          text → frontmatter (fields with places) → Ticket + findings
//!                             text + key + value → text in which that field differs (`edit`)
//! tickets → Queue: order, duplicates, dependencies, who is ready (`queue`)
//! command + Queue → Changes: files to write and to remove (`operations`, `import`)
//! ```
//!
//! YAML is read by `saphyr-parser`, which reports events with the place of each and brings one
//! dependency that we did not have; values are interpreted here, since the format has rules of its own
//! (docs/tickets.md#frontmatter). Nothing writes YAML: a ticket is never serialised anew.

pub mod changes;
pub mod edit;
pub mod fields;
pub mod file_name;
pub mod finding;
pub mod frontmatter;
pub mod import;
pub mod operations;
pub mod queue;
mod scalar;
pub mod zip;

pub use changes::Changes;
pub use edit::{EditError, Value};
pub use fields::Ticket;
pub use file_name::FileName;
pub use operations::TicketError;
pub use queue::{Claim, Entry, Gate, Next, Queue};

#[cfg(test)]
mod tests;
