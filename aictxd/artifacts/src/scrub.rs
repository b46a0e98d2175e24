//! Stand-in with the signatures of the scrubber.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

/// What was redacted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report(BTreeMap<&'static str, u64>);

impl Report {
    /// Whether nothing was redacted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Redactions by kind.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.clone()
    }

    /// Adds what another report counted.
    pub fn merge(&mut self, other: Report) {
        for (kind, n) in other.0 {
            *self.0.entry(kind).or_default() += n;
        }
    }
}

/// Redacts secrets in a text.
pub fn scrub_text<'a>(text: &'a str, _report: &mut Report) -> Cow<'a, str> {
    Cow::Borrowed(text)
}

/// Redacts secrets in every string of a value.
pub fn scrub_value(_value: &mut Value, _report: &mut Report) {}
