//! A word while it is read: what is put in, and what that makes of it.

use super::variables::MAX_VALUES;
use super::{Text, Word};

/// A word being read, and those that an expansion has made of it.
#[derive(Default)]
pub(super) struct Building<'t> {
    pub(super) word: Word<'t>,
    pub(super) started: bool,
    /// Nothing is left of it, but something was read.
    pub(super) vanished: bool,
    /// Members of the array that the word assigns.
    pub(super) members: Option<Vec<Word<'t>>>,
    /// Words that an expansion has ended.
    pub(super) finished: Vec<Word<'t>>,
    /// It began as `NAME=`, whatever was put in behind.
    pub(super) assigns: bool,
    /// True if another word follows.
    ends: bool,
    /// The other texts the word may have.
    variants: Vec<String>,
}

impl<'t> Building<'t> {
    /// Adds a part that is kept as it is when it is all of the word.
    pub(super) fn part(&mut self, text: Text<'t>) {
        if self.word.text.is_empty() && self.variants.is_empty() {
            if std::mem::take(&mut self.ends) {
                self.end_word();
            }
            self.word.text = text;
            self.started = true;
        } else {
            self.push(&text);
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if std::mem::take(&mut self.ends) {
            self.end_word();
        }
        self.word.text.push_str(text);
        for variant in &mut self.variants {
            variant.push_str(text);
        }
        self.started = true;
    }
    pub(super) fn expansion(&mut self, text: &str) {
        self.push(text);
        self.word.unknown = true;
    }
    pub(super) fn covers(&mut self, from: usize, to: usize) {
        if from < to {
            // There are fewer commands than that.
            let (from, to) = (from as u32, to as u32);
            let start = self.word.inner.map_or(from, |(first, _)| first.min(from));
            self.word.inner = Some((start, to));
        }
    }

    /// Puts in a value; without quotes it falls apart at blanks, and at what `IFS` adds to them.
    pub(super) fn value(&mut self, value: &Word<'t>, quoted: bool, separators: &str) {
        // Asked in any case: what is put in changes the answer.
        let quoted = self.is_assignment() || quoted;
        self.word.carried = true;
        self.word.unknown |= value.unknown;
        self.word.wavers |= value.wavers;
        if value.inner.is_some() {
            self.word.inner = value.inner;
        }
        let apart = |c: char| matches!(c, ' ' | '\t' | '\n') || separators.contains(c);
        if quoted || !value.text.contains(apart) {
            self.part(value.text.clone());
            return;
        }
        self.ends |= value.text.starts_with(apart) && self.started;
        let parts = value.text.split(apart).filter(|part| !part.is_empty());
        for part in parts.take(MAX_VALUES) {
            self.push(part);
            self.ends = true;
        }
        self.ends = value.text.ends_with(apart) && self.started;
        self.vanished |= !self.started;
    }

    /// Returns true if it began as `NAME=` before any value came in.
    fn is_assignment(&mut self) -> bool {
        self.assigns |= !self.word.carried && is_assignment(&self.word.text);
        self.assigns
    }

    pub(super) fn end_word(&mut self) {
        let Word {
            unknown, wavers, ..
        } = self.word;
        self.finished.push(std::mem::take(&mut self.word));
        self.word.carried = true;
        self.word.unknown = unknown;
        self.word.wavers = wavers;
    }

    /// Puts in one of several values.
    pub(super) fn one_of(&mut self, values: &[Word<'t>], quoted: bool) {
        let kept = self.is_assignment() || quoted;
        let blank = |value: &Word| value.text.contains([' ', '\t', '\n']);
        self.word.splits |= !kept && values.iter().any(blank);
        self.word.carried = true;
        self.word.unknown |= values.iter().any(|value| value.unknown);
        self.word.wavers = true;
        let so_far = self.word.text.clone();
        let room = MAX_VALUES.saturating_sub(self.variants.len());
        for value in values.iter().skip(1).take(room) {
            self.variants.push(format!("{so_far}{}", value.text));
        }
        self.started = true;
        if let Some(first) = values.first() {
            self.word.text.push_str(&first.text);
        }
    }

    pub(super) fn into_words(mut self) -> impl Iterator<Item = Word<'t>> {
        let finished = std::mem::take(&mut self.finished);
        finished.into_iter().chain([self.into_word()])
    }

    /// The last word, which is the only one unless an expansion split it.
    pub(super) fn into_word(self) -> Word<'t> {
        Word {
            others: self.variants.into_boxed_slice(),
            ..self.word
        }
    }
}

/// Returns true if a text is an assignment, or the head of one.
pub(super) fn is_assignment(text: &str) -> bool {
    // Most texts are short.
    let at = text.bytes().position(|byte| byte == b'=');
    at.and_then(|at| text.get(..at)).is_some_and(|name| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
