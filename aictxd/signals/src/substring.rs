//! Searches that are made in every line: cheap to start, unlike those of `str`, which prepare
//! themselves anew each time.

use std::sync::OnceLock;

use memchr::memmem::Finder;

/// A text to look for, prepared once.
pub(crate) struct Needle {
    text: &'static str,
    finder: OnceLock<Finder<'static>>,
}

impl Needle {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            finder: OnceLock::new(),
        }
    }

    /// Returns the first position.
    pub(crate) fn find(&self, line: &str) -> Option<usize> {
        self.finder
            .get_or_init(|| Finder::new(self.text))
            .find(line.as_bytes())
    }

    pub(crate) fn is_in(&self, line: &str) -> bool {
        self.find(line).is_some()
    }

    /// Splits a line around the first match.
    pub(crate) fn split<'t>(&self, line: &'t str) -> Option<(&'t str, &'t str)> {
        let at = self.find(line)?;
        Some((line.get(..at)?, line.get(at + self.text.len()..)?))
    }
}

/// Returns true if a text starts with one of some texts. Most lines are told apart by their first byte.
pub(crate) fn starts_with_any(text: &str, starts: &[&str]) -> bool {
    let first = text.as_bytes().first();
    starts
        .iter()
        .any(|start| start.as_bytes().first() == first && text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_str_does_it() {
        static SIGN: Needle = Needle::new(": ");
        for line in ["", ":", ": ", "a: b: c", "ä: ö", "a:b"] {
            assert_eq!(SIGN.find(line), line.find(": "));
            assert_eq!(SIGN.is_in(line), line.contains(": "));
            assert_eq!(SIGN.split(line), line.split_once(": "));
        }
        assert!(starts_with_any("open x", &["a", "open ", "o"]));
        assert!(!starts_with_any("ope", &["a", "open "]));
        assert!(!starts_with_any("", &["a"]));
    }
}
