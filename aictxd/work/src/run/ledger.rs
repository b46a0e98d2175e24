//! The ledgers of a run: JSON objects, one a line, read as far as they can be read.

use serde_json::{Map, Value};

/// A ledger of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ledger {
    /// Hypotheses and their ends.
    Hypotheses,
    /// Observations.
    Evidence,
    /// Commands and their results.
    Commands,
    /// Learnings.
    Learning,
    /// Everything that the upstream format has no file for: notes, links, parking and reopening.
    Events,
}

impl Ledger {
    /// Every ledger.
    pub const ALL: [Self; 5] = [
        Self::Hypotheses,
        Self::Evidence,
        Self::Commands,
        Self::Learning,
        Self::Events,
    ];
    /// Those that every run has from the start.
    pub const UPSTREAM: [Self; 4] = [
        Self::Hypotheses,
        Self::Evidence,
        Self::Commands,
        Self::Learning,
    ];

    /// Name of the file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Hypotheses => "hypotheses.jsonl",
            Self::Evidence => "evidence.jsonl",
            Self::Commands => "commands.jsonl",
            Self::Learning => "learning.jsonl",
            Self::Events => "events.jsonl",
        }
    }

    /// First letter of its ids.
    pub fn prefix(self) -> char {
        match self {
            Self::Hypotheses => 'H',
            Self::Evidence => 'E',
            Self::Commands => 'C',
            Self::Learning => 'L',
            Self::Events => 'N',
        }
    }
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerIssue {
    /// The ledger's file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: usize,
    /// Description of the error.
    pub why: &'static str,
}

impl std::fmt::Display for LedgerIssue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.why)
    }
}

/// Reads the rows of a ledger. Blank lines are skipped, other lines without an object are issues. What follows the
/// last line end is a row if it is whole: a torn write never looks like one.
pub fn rows(
    ledger: Ledger,
    bytes: &[u8],
    issues: &mut Vec<LedgerIssue>,
) -> Vec<Map<String, Value>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let why = match serde_json::from_slice(line) {
            Ok(Value::Object(row)) => {
                rows.push(row);
                continue;
            }
            Ok(_) => "the line is no JSON object",
            Err(error) if error.is_eof() => "the line ends in the middle of a JSON object",
            Err(_) => "the line is not valid JSON",
        };
        issues.push(LedgerIssue {
            file: ledger.file(),
            line: at + 1,
            why,
        });
    }
    rows
}

/// A text of a row; empty where there is none.
pub fn text<'r>(row: &'r Map<String, Value>, name: &str) -> &'r str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}
