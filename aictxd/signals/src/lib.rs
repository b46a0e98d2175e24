//! Bytes in, facts out: what a tool's output complains about, and what a command line runs.
//!
//! No input or output, bounded memory, time linear in the text. Nothing here ever fails: text that
//! means nothing gives no facts.

pub mod shell;
