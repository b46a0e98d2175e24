//! Effects: what a decision wants written. Decisions make them, `aictx_artifacts` commits them.

use serde_json::Value;

use crate::ledger::LedgerRow;

/// Order of the members of a JSON object in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrder {
    /// Sorted by name, at every level.
    Sorted,
    /// As built.
    AsBuilt,
}

/// One write below `.aictx/`. `file` is relative to `.aictx/`, `/`-separated, and never climbs.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Append rows to a JSONL file.
    AppendRows {
        /// File.
        file: String,
        /// Rows, a line each.
        rows: Vec<Value>,
        /// Member order.
        order: KeyOrder,
    },
    /// Replace a JSONL file by these rows. Lines that could not be read stay, behind the rows.
    ReplaceRows {
        /// File.
        file: String,
        /// Rows, a line each.
        rows: Vec<Value>,
        /// Member order.
        order: KeyOrder,
    },
    /// Replace a JSON file (two-space indent, newline at the end).
    ReplaceJson {
        /// File.
        file: String,
        /// Content.
        value: Value,
        /// Member order.
        order: KeyOrder,
    },
    /// As `ReplaceJson`, with the members as they stand in a document that is written out already
    /// (without white space). For what is large and only shown: nobody reads it back.
    ReplaceWritten {
        /// File.
        file: String,
        /// Content.
        json: String,
    },
    /// Replace a text file.
    ReplaceText {
        /// File.
        file: String,
        /// Content.
        text: String,
    },
    /// Remove a file that nothing refers to any more; one that is not there is no error.
    Remove {
        /// File.
        file: String,
    },
    /// Append a row to the ledger of a session.
    Ledger {
        /// Session id as the runner gave it.
        session_id: String,
        /// Row.
        row: Box<LedgerRow>,
    },
}

/// Writes that become durable together or not at all, in this order.
pub type Effects = Vec<Effect>;
