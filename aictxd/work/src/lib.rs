//! Tickets, flows and agent runs as pure decisions: texts in, records, findings and edits out. No I/O.

pub mod flow;
pub mod intake;
pub mod run;
pub mod ticket;
