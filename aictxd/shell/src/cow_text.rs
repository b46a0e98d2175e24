//! The text of a word, which mostly is a part of the line.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::slice::SliceIndex;

/// A text that is borrowed from the line while it stands there as it is, so that words cost no memory of
/// their own.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Text<'t>(Cow<'t, str>);

impl<'t> Text<'t> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The line's own text, when it is part of it.
    pub(super) fn lasting(&self) -> Option<&'t str> {
        match self.0 {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    /// A part of it.
    pub(super) fn part(&self, range: impl SliceIndex<str, Output = str>) -> Self {
        match self.lasting() {
            Some(text) => text.get(range).unwrap_or_default().into(),
            None => self.get(range).unwrap_or_default().to_owned().into(),
        }
    }

    /// Adds to its end.
    pub(super) fn push_str(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.to_mut().push_str(text);
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<'t> From<&'t str> for Text<'t> {
    fn from(text: &'t str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl<'t> From<&'t String> for Text<'t> {
    fn from(text: &'t String) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text) -> Self {
        text.0.into_owned()
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
