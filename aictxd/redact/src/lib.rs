//! Replaces secrets by `[redacted:<kind>]` in everything that is written.
//!
//! A secret is recognised by its value: by the shape of known tokens (`rules`), by the name
//! it stands under together with how random it looks (`assign`, `names`, `value`), or by its place
//! in an address, a header, a command or a key block. Only the value goes; names, hosts and the rest
//! of the line stay, and the marker says nothing about the length. Ordinary text that merely talks
//! about tokens survives. Scrubbing is idempotent: a marker is never a finding.
//!
//! Clean text costs one keyword search and one look at every 22nd byte. Only lines with a keyword
//! are analysed; every analyser looks at a bounded piece of the line and never goes back, so hostile
//! input costs no more than long input.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

pub mod layout;

mod account_list;
mod assignment;
mod auth_header;
mod benign_words;
mod bytes;
mod clean_cache;
mod cli_password;
mod cli_password_table;
mod column_table;
mod disclosure;
mod encoded;
mod entropy;
mod json;
mod json_scan;
mod keyless_tokens;
mod keyword_index;
mod known_calls;
mod line;
mod line_scanner;
mod login_sentence;
mod manifest;
mod marker;
mod multiline;
mod name_words;
mod one_time_code;
mod pem;
mod proximity;
mod secret_name;
mod secret_sentence;
mod spaced_value;
mod sql_rows;
mod stream;
mod text_kind;
mod token_format;
mod token_pattern;
mod url;
mod value_bounds;
mod value_kind;

pub use stream::StreamScrubber;

use line_scanner::{Edit, Engine};

/// The most findings a report keeps one by one; beyond, only the counts grow.
const MAX_FINDINGS: usize = 1024;

/// One replaced secret. It never holds the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind in the marker: one of eight.
    pub kind: &'static str,
    /// The rule that found it: a row of the token table or the name of an analyser.
    pub rule: &'static str,
    /// JSON pointer of the member it stood in; empty for plain text.
    pub field: String,
}

/// Replacements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first 1024 findings, in the order of the text.
    pub findings: Vec<Finding>,
    counts: BTreeMap<&'static str, u64>,
}

impl Report {
    /// Returns true if nothing was replaced.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of replaced values by kind, those beyond the kept findings included.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.counts.clone()
    }

    /// Adds another report to this one.
    pub fn merge(&mut self, other: Report) {
        for (kind, n) in other.counts {
            *self.counts.entry(kind).or_default() += n;
        }
        let room = MAX_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(other.findings.into_iter().take(room));
    }

    fn add(&mut self, kind: &'static str, rule: &'static str) {
        self.add_at(kind, rule, "");
    }

    fn add_at(&mut self, kind: &'static str, rule: &'static str, field: &str) {
        *self.counts.entry(kind).or_default() += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding {
                kind,
                rule,
                field: field.to_owned(),
            });
        }
    }

    fn merge_at(&mut self, mut other: Report, field: &str) {
        for finding in &mut other.findings {
            field.clone_into(&mut finding.field);
        }
        self.merge(other);
    }
}

/// Builds the tables, which otherwise the first use does: some milliseconds once a process.
pub fn prepare() {
    keyword_index::prepare();
}

/// Most passes over a text in which something was replaced.
const MAX_PASSES: usize = 8;

/// Replaces the secrets of a text. Borrowed when there are none. What a replacement leaves behind can
/// read as the beginning of something else on the lines that follow, so the text is looked at until
/// nothing more is found; scrubbing the result again changes nothing.
pub fn scrub_text<'a>(text: &'a str, report: &mut Report) -> Cow<'a, str> {
    let Some(mut bytes) = scrub_block(text.as_bytes(), report) else {
        return Cow::Borrowed(text);
    };
    for _ in 0..MAX_PASSES {
        match scrub_block(&bytes, report) {
            Some(again) if again != bytes => bytes = again,
            _ => break,
        }
    }
    Cow::Owned(into_text(bytes))
}

/// As [`scrub_text`], for texts that come again and again: those that were clean are remembered, also
/// for when they are written.
pub fn scrub_again<'a>(text: &'a str, report: &mut Report) -> Cow<'a, str> {
    let mark = clean_cache::mark(None, text);
    if mark.as_ref().is_some_and(clean_cache::Mark::is_clean) {
        return Cow::Borrowed(text);
    }
    let mut found = Report::default();
    let scrubbed = scrub_text(text, &mut found);
    if let Some(mark) = mark.filter(|_| found.is_empty()) {
        mark.remember();
    }
    report.merge(found);
    scrubbed
}

/// Replaces the secrets of bytes of any encoding that contains ASCII; everything else, invalid
/// UTF-8 included, stays as it is.
pub fn scrub_bytes(bytes: &[u8], report: &mut Report) -> Vec<u8> {
    scrub_block(bytes, report).unwrap_or_else(|| bytes.to_vec())
}

/// Replaces the secrets in all strings of a value, member names included. A member name that
/// announces a secret (`password`) lets the whole string be judged as its value; identifiers, counts
/// and paths (`session_id`, `files`) are not judged by their name.
pub fn scrub_value(value: &mut Value, report: &mut Report) {
    json::walk(value, &json::Place::default(), None, 0, report);
}

/// Returns whether there is nothing to redact in JSON that is written out. Of what is not plain (white
/// space between members, members that say what others mean) it says no.
pub fn is_clean_row(json: &str) -> bool {
    json_scan::is_clean_row(json)
}

/// As [`scrub_value`] for a document that is written out (without white space, as serde_json writes
/// it); gives it as documents are laid out. A text that is no JSON is scrubbed as a text.
pub fn scrub_written(json: &str, report: &mut Report) -> String {
    if let Some(clean) = json_scan::laid_out_clean(json) {
        return clean;
    }
    match serde_json::from_str(json) {
        Ok(mut value) => {
            scrub_value(&mut value, report);
            layout::document(&value)
        }
        Err(_) => scrub_text(json, report).into_owned(),
    }
}

fn scrub_block(block: &[u8], report: &mut Report) -> Option<Vec<u8>> {
    let mut engine = Engine::default();
    let mut edits = Vec::new();
    engine.feed(block, &mut edits, report);
    if edits.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(block.len());
    apply(block, &edits, &mut out);
    out.extend_from_slice(&engine.finish());
    Some(out)
}

/// Copies the block with its edits made.
fn apply(block: &[u8], edits: &[Edit], out: &mut Vec<u8>) {
    let mut from = 0;
    for edit in edits {
        out.extend_from_slice(bytes::sub(block, from, edit.start));
        out.extend_from_slice(&edit.text);
        from = edit.end;
    }
    out.extend_from_slice(bytes::sub(block, from, block.len()));
}

/// Findings begin and end at ASCII bytes, so the text stays UTF-8; should that ever fail, the broken
/// character is replaced rather than the text lost.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}
