//! One content to what the index keeps of it.

use std::borrow::Cow;

use crate::facts::{Facts, Outcome};
use crate::parse::{Language, Limits, Parser, is_binary};
use crate::segment::ContentId;

/// The first bytes of a file that tell its language.
const HEAD: usize = 4_096;

/// Per-thread state of extraction.
#[derive(Default)]
pub(crate) struct Extractor {
    parser: Parser,
}

impl Extractor {
    /// Language number and facts of a content.
    pub(crate) fn facts(&mut self, path: &str, bytes: &[u8], max_bytes: u64) -> (u8, Facts) {
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        let language = Language::of(path, head);
        let limits = Limits {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
            ..Limits::default()
        };
        let facts = self.parser.parse(path, language, bytes, &limits);
        (number(language), facts)
    }
}

/// A file's text without its secrets; binary files stay as they are, no words are taken of them.
pub(crate) fn clean(bytes: &[u8], scrub: fn(&str) -> Option<String>) -> Cow<'_, [u8]> {
    if is_binary(bytes) {
        return Cow::Borrowed(bytes);
    }
    let clean = scrub(&String::from_utf8_lossy(bytes));
    clean.map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_bytes()))
}

/// Scrubs names, signatures, documentation and imports. One look at all of them is enough for most files.
pub(crate) fn scrub(facts: &mut Facts, scrub: fn(&str) -> Option<String>) {
    if scrub(&facts.text).is_none() {
        return;
    }
    for number in 0..facts.definitions.len() {
        let Some(definition) = facts.definitions.get(number).copied() else {
            continue;
        };
        let kept = |span| scrub(facts.get(span));
        let name = kept(definition.name);
        let (signature, doc) = (kept(definition.signature), kept(definition.doc));
        let name = name.map(|text| facts.intern(&text));
        let signature = signature.map(|text| facts.intern(&text));
        let doc = doc.map(|text| facts.intern(&text));
        if let Some(definition) = facts.definitions.get_mut(number) {
            definition.name = name.unwrap_or(definition.name);
            definition.signature = signature.unwrap_or(definition.signature);
            definition.doc = doc.unwrap_or(definition.doc);
        }
    }
    for number in 0..facts.imports.len() {
        let Some(import) = facts.imports.get(number).copied() else {
            continue;
        };
        let module = scrub(facts.get(import.module)).map(|text| facts.intern(&text));
        if let (Some(module), Some(import)) = (module, facts.imports.get_mut(number)) {
            import.module = module;
        }
    }
}

/// 0 for a file without a known language, one more than its place in the table otherwise.
fn number(language: Option<Language>) -> u8 {
    language.map_or(0, |language| language.number().saturating_add(1))
}

/// Name of a language by its stored number; empty for none.
pub(crate) fn language_name(number: u8) -> &'static str {
    let language = number.checked_sub(1).and_then(Language::from_number);
    language.map_or("", Language::name)
}

/// What a file's facts are kept under. The same bytes mean different things as `a.js` and `a.ts`, so
/// the language that the path promises is part of it.
pub(crate) fn key(path: &str, content: ContentId) -> ContentId {
    let mut key = content;
    let [.., last] = &mut key.0;
    *last ^= number(Language::of(path, &[]));
    key
}

/// Returns true if a file's words are indexed.
pub(crate) fn has_words(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Parsed | Outcome::Deadline | Outcome::TextOnly
    )
}
