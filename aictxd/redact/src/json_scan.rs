//! JSON that is written out already: looked at string by string and laid out on the way, without
//! taking it apart.
//!
//! Nearly every document is clean, and of a clean one nothing changes but its layout. Whatever is not
//! plain (a finding, a member that says what another one means, a layout of another writer) is left
//! to [`super::scrub_value`], which this agrees with.

use std::borrow::Cow;

use super::json::{MAX_DEPTH, Place, is_word, string};
use super::{Report, clean_cache, scrub_text};
use crate::layout;

/// The document as its file holds it, if there is nothing to redact in it.
pub(super) fn laid_out_clean(json: &str) -> Option<String> {
    let room = String::with_capacity(json.len() + json.len() / 4);
    let reader = Reader::read(json, Some(room))?;
    reader.out
}

/// Returns true if there is nothing to redact in a row, which has no layout.
pub(super) fn is_clean_row(json: &str) -> bool {
    Reader::read(json, None).is_some()
}

struct Reader<'j> {
    json: &'j str,
    at: usize,
    /// The layout, where it is wanted.
    out: Option<String>,
    /// For each open object or list, true once it has a member.
    open: Vec<bool>,
}

/// A string as it is written.
#[derive(Clone, Copy)]
struct Token<'j> {
    /// With its quotes.
    written: &'j str,
    escapes: bool,
}

impl<'j> Reader<'j> {
    /// Reads all of a clean text.
    fn read(json: &'j str, out: Option<String>) -> Option<Self> {
        // serde_json escapes them in strings, and puts none between. To the end, whatever is found: so a
        // processor looks at many bytes at once.
        let controls = |any: bool, byte: u8| any | (byte < 0x20);
        if json.bytes().fold(false, controls) {
            return None;
        }
        let mut reader = Self {
            json,
            at: 0,
            out,
            open: Vec::new(),
        };
        reader.value(None)?;
        (reader.at == json.len()).then_some(reader)
    }

    fn rest(&self) -> &'j str {
        self.json.get(self.at..).unwrap_or_default()
    }

    fn put(&mut self, text: &str) {
        if let Some(out) = &mut self.out {
            out.push_str(text);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Copies a value that stands under a name (that of the list that it is in, for items).
    fn value(&mut self, name: Option<&str>) -> Option<()> {
        match self.peek()? {
            b'"' => {
                let token = self.token()?;
                let text = text_of(token)?;
                self.put(token.written);
                is_clean(name, &text).then_some(())
            }
            b'{' => self.members(b'}', |reader| {
                let token = reader.token()?;
                let key = text_of(token)?;
                reader.take(b':')?;
                // What these say decides about others.
                let tells = key.eq_ignore_ascii_case("value")
                    || (key == "kind" && reader.rest().starts_with("\"Secret\""));
                if tells || !(is_word(&key) || is_clean_key(&key)) {
                    return None;
                }
                reader.put(token.written);
                reader.put(layout::colon(reader.open.len()));
                reader.value(Some(&key))
            }),
            b'[' => self.members(b']', |reader| reader.value(name)),
            _ => {
                let rest = self.rest();
                let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
                let literal = rest.get(..end)?;
                let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
                if literal.is_empty() || !literal.bytes().all(plain) {
                    return None;
                }
                self.at += end;
                self.put(literal);
                Some(())
            }
        }
    }

    /// Copies what is between the brackets of an object or a list.
    fn members(&mut self, end: u8, mut member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.open.len() >= MAX_DEPTH {
            return None;
        }
        self.put(self.rest().get(..1)?);
        self.at += 1;
        self.open.push(false);
        while self.peek()? != end {
            if self.open.last().copied()? {
                self.take(b',')?;
                self.put(",");
            }
            self.put(layout::new_line(self.open.len()));
            if let Some(filled) = self.open.last_mut() {
                *filled = true;
            }
            member(self)?;
        }
        let bracket = self.rest().get(..1)?;
        self.at += 1;
        let filled = self.open.pop()?;
        self.put(layout::before_end(self.open.len(), !filled));
        self.put(bracket);
        Some(())
    }

    /// The string that stands next, with its quotes.
    fn token(&mut self) -> Option<Token<'j>> {
        let (start, mut escapes) = (self.at, false);
        self.take(b'"')?;
        loop {
            let rest = self.json.as_bytes().get(self.at..)?;
            let found = memchr::memchr2(b'"', b'\\', rest)?;
            let escaped = rest.get(found) == Some(&b'\\');
            self.at += found + 1 + usize::from(escaped);
            escapes |= escaped;
            if !escaped {
                let written = self.json.get(start..self.at)?;
                return Some(Token { written, escapes });
            }
        }
    }
}

/// Returns the text of a string token.
fn text_of(token: Token<'_>) -> Option<Cow<'_, str>> {
    if token.escapes {
        return serde_json::from_str(token.written).ok().map(Cow::Owned);
    }
    let inner = 1..token.written.len().checked_sub(1)?;
    token.written.get(inner).map(Cow::Borrowed)
}

fn is_clean(name: Option<&str>, text: &str) -> bool {
    if clean_cache::mark(name, text).is_some_and(|mark| mark.is_clean()) {
        return true;
    }
    let (mut copy, mut found) = (text.to_owned(), Report::default());
    string(&mut copy, &Place::default(), name, &mut found);
    found.is_empty() && copy == text
}

/// As [`super::json`] judges the names of members.
fn is_clean_key(key: &str) -> bool {
    let mark = clean_cache::mark(None, key);
    if mark.as_ref().is_some_and(clean_cache::Mark::is_clean) {
        return true;
    }
    let mut found = Report::default();
    let clean = matches!(scrub_text(key, &mut found), Cow::Borrowed(_)) && found.is_empty();
    if let Some(mark) = mark.filter(|_| clean) {
        mark.remember();
    }
    clean
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::{scrub_value, scrub_written};

    /// As whoever takes the document apart has it.
    fn apart(json: &str) -> String {
        let mut value: Value = serde_json::from_str(json).unwrap();
        scrub_value(&mut value, &mut Report::default());
        layout::document(&value)
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-z \"\\\\\n\u{e9}/:{}\\[\\],]{0,12}",
            Just("ghp_0123456789abcdefghijABCDEFGHIJ012345".to_owned()),
            Just("Secret".to_owned()),
        ];
        let key = prop_oneof![
            "[a-z_]{1,6}",
            "[A-Za-z /~\"]{0,6}",
            Just("password".to_owned()),
            Just("value".to_owned()),
            Just("kind".to_owned()),
            Just("data".to_owned()),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            let members = prop::collection::vec((key.clone(), inner.clone()), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..5).prop_map(Value::from),
                members.prop_map(|members| Value::Object(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_as_if_taken_apart(value in values()) {
            let json = value.to_string();
            prop_assert_eq!(scrub_written(&json, &mut Report::default()), apart(&json));
            let row_is_clean = is_clean_row(&json);
            prop_assert_eq!(row_is_clean, laid_out_clean(&json).is_some());
            let (mut same, mut found) = (value.clone(), Report::default());
            scrub_value(&mut same, &mut found);
            prop_assert!(!row_is_clean || (same == value && found.is_empty()));
        }

        #[test]
        fn no_text_is_too_strange(text in "[\\[\\]{}:,\"\\\\a-z0-9 .\n-]{0,40}") {
            if let Some(indented) = laid_out_clean(&text) {
                let known = serde_json::from_str::<Value>(&text);
                prop_assert_eq!(known.ok(), serde_json::from_str::<Value>(&indented).ok());
            }
        }
    }

    #[test]
    fn a_clean_document_is_not_taken_apart() {
        let value = json!({"kind": "file", "a": [1, -2.5, {}, [], "x \"y\" \u{e9}"], "goal": {"b": null, "c": true}});
        let json = value.to_string();
        assert_eq!(laid_out_clean(&json), Some(apart(&json)));
        for other in [
            json!({"password": "hunter2-Kx9"}),
            json!({"name": "DB_PASSWORD", "value": "hunter2-Kx9"}),
            json!({"data": {"a": "hunter2-Kx9"}, "kind": "Secret"}),
        ] {
            let json = other.to_string();
            assert_eq!(laid_out_clean(&json), None);
            let mut report = Report::default();
            assert!(!scrub_written(&json, &mut report).contains("hunter2"));
            assert!(!report.is_empty());
        }
        assert_eq!(scrub_written("no json", &mut Report::default()), "no json");
    }
}
