//! Error events: one structured fact of what a tool complained about.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// At most this many events are kept of one command or execution.
pub const MAX_EVENTS: usize = 8;

/// One error event, as `error_events` of the format holds it. All text except
/// `exit_code`, as the ancestor writes it; the optional fields are left out when empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorEvent {
    /// Exact tool for Python and JavaScript linters, checkers and runners, else the language
    /// family (`pytest`, `rust`, `python`, …; `unknown`).
    pub toolchain: String,
    /// `test`, `lint`, `typecheck`, `build` or `runtime`; a property of the recogniser.
    pub phase: String,
    /// `error` or `warning`.
    pub severity: String,
    /// Message, at most 500 characters.
    pub message: String,
    /// Error code or exception class, at most 80 characters, may be empty.
    pub code: String,
    /// Repository-relative where it can be known, at most 400 characters, may be empty.
    pub file: String,
    /// Line number as text, may be empty.
    pub line: String,
    /// The command that printed it.
    pub command: String,
    /// Exit status of that command; 0 when unknown.
    pub exit_code: i64,
    /// Stable identity of the error; never holds a line or column.
    pub fingerprint: String,
    /// Column number as text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub column: String,
    /// Exact tool when `toolchain` names only the family.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Test identity, at most 300 characters.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub test: String,
    /// Go or JVM package.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// `cause` for the inner error of a chain.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Number of identical events merged into this one; left out when 1.
    #[serde(skip_serializing_if = "is_at_most_one")]
    pub count: u32,
    /// Members this version does not know; kept so that rewriting a record loses nothing.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub extra: Map<String, Value>,
}

// Signature fixed by serde's `skip_serializing_if`.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_at_most_one(n: &u32) -> bool {
    *n <= 1
}

impl ErrorEvent {
    /// One line for lists of notable errors: `toolchain:phase: code file:line message`, absent
    /// parts left out.
    pub fn render(&self) -> String {
        let mut out = format!("{}:{}:", self.toolchain, self.phase);
        let place = match (self.file.as_str(), self.line.as_str()) {
            ("", _) => String::new(),
            (file, "") => file.to_owned(),
            (file, line) => format!("{file}:{line}"),
        };
        for part in [&self.code, &place, &self.message] {
            if !part.is_empty() {
                out.push(' ');
                out.push_str(part);
            }
        }
        out
    }
}
