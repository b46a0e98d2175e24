//! Names of ticket files: `TICKET-<number><suffix>.md`.

use std::fmt;

/// Digits of a number at least.
const MIN_DIGITS: usize = 3;
/// Digits of a number at most, padding included; what is longer is no ticket.
const MAX_DIGITS: usize = 18;

/// Name of a ticket's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    text: String,
    number: u64,
    suffix: String,
}

impl FileName {
    /// Parses a name without directories: letters in any case, at least three ASCII digits, any suffix.
    pub fn parse(name: &str) -> Option<Self> {
        let head = name.get(.."TICKET-".len())?;
        let stem = name.get(..name.len().checked_sub(".md".len())?)?;
        let end = name.get(stem.len()..)?;
        if !head.eq_ignore_ascii_case("TICKET-") || !end.eq_ignore_ascii_case(".md") {
            return None;
        }
        let rest = stem.get(head.len()..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let suffix = rest.get(digits..)?;
        if !(MIN_DIGITS..=MAX_DIGITS).contains(&digits) || suffix.contains(['/', '\\', '\0']) {
            return None;
        }
        Some(Self {
            text: name.to_owned(),
            number: rest.get(..digits)?.parse().ok()?,
            suffix: suffix.to_owned(),
        })
    }

    /// Makes a name; `largest` is the largest number that names are made of together, which decides the padding.
    pub fn new(number: u64, largest: u64, suffix: &str) -> Self {
        let width = largest.max(number).to_string().len().max(MIN_DIGITS);
        Self {
            text: format!("TICKET-{number:0width$}{suffix}.md"),
            number,
            suffix: suffix.to_owned(),
        }
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Place in the queue.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The part between the digits and `.md`.
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    /// The name without `.md`.
    pub fn stem(&self) -> &str {
        self.text
            .get(..self.text.len() - ".md".len())
            .unwrap_or_default()
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
