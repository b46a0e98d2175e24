//! Lenient reading of payloads: members by name, borrowed where JSON allows it.
//!
//! A payload is walked once. Values are kept as the text they are, so that a large file content
//! that nobody asks for is skipped over and never copied. A member that is missing or of the wrong
//! type reads as empty; of members that stand twice the last counts, as in most JSON parsers.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::DialectError;

/// Most members of one object that are looked at.
const MAX_MEMBERS: usize = 256;
/// Most elements of one list that are looked at.
const MAX_ELEMENTS: usize = 256;

/// The members of a JSON object.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    list: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Members<'a> {
    /// Reads an object; the error is the parser's.
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Reads an agent's payload.
    pub(crate) fn open(runner: &'static str, payload: &'a str) -> Result<Self, DialectError> {
        Self::parse(payload).map_err(|e| DialectError::Payload {
            runner,
            cause: e.to_string(),
        })
    }

    /// The event's name: what the agent says about itself beats what stood in its settings file.
    pub(crate) fn event(&self, names: &[&str], registered: Option<&'a str>) -> Cow<'a, str> {
        match self.text(names) {
            name if name.is_empty() => Cow::Borrowed(registered.unwrap_or_default()),
            name => name,
        }
    }

    /// The members of a value; none when it is no object.
    pub(crate) fn of(raw: &'a RawValue) -> Self {
        if raw.get().starts_with('{') {
            serde_json::from_str(raw.get()).unwrap_or_default()
        } else {
            Self::default()
        }
    }

    /// The value of a member.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.list
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, raw)| *raw)
    }

    /// The names of the members.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, _)| name.as_ref())
    }

    /// The values of the members.
    pub(crate) fn values(&self) -> impl Iterator<Item = &'a RawValue> {
        self.list.iter().map(|(_, raw)| *raw)
    }

    /// The first of the members that is a string and not empty, else an empty one.
    pub(crate) fn text(&self, names: &[&str]) -> Cow<'a, str> {
        names
            .iter()
            .filter_map(|name| self.raw(name))
            .map(text_of)
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    /// Returns true if one of the members is `true`.
    pub(crate) fn flag(&self, names: &[&str]) -> bool {
        names
            .iter()
            .any(|name| self.raw(name).is_some_and(|raw| raw.get() == "true"))
    }

    /// The first of the members that is a number, without its fraction.
    pub(crate) fn whole(&self, names: &[&str]) -> Option<i64> {
        names.iter().find_map(|name| {
            let text = self.raw(name)?.get();
            text.parse().ok().or_else(|| {
                let number: f64 = text.parse().ok()?;
                // The cast saturates; nothing here needs more.
                number.is_finite().then_some(number as i64)
            })
        })
    }

    /// Returns a duration in whole milliseconds, never negative.
    pub(crate) fn duration(&self, names: &[&str]) -> Option<u64> {
        u64::try_from(self.whole(names)?).ok()
    }

    /// The members of the first member that is an object.
    pub(crate) fn object(&self, names: &[&str]) -> Self {
        names
            .iter()
            .filter_map(|name| self.raw(name))
            .find(|raw| raw.get().starts_with('{'))
            .map(Self::of)
            .unwrap_or_default()
    }

    /// The elements of a member that is a list.
    pub(crate) fn elements(&self, name: &str) -> Vec<&'a RawValue> {
        self.raw(name).map(elements_of).unwrap_or_default()
    }

    /// The first string of a member that is a list, else an empty one.
    pub(crate) fn first(&self, name: &str) -> Cow<'a, str> {
        let elements = self.elements(name);
        elements.first().map(|raw| text_of(raw)).unwrap_or_default()
    }
}

/// The elements of a value that is a list.
pub(crate) fn elements_of(raw: &RawValue) -> Vec<&RawValue> {
    if !raw.get().starts_with('[') {
        return Vec::new();
    }
    let mut list: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    list.truncate(MAX_ELEMENTS);
    list
}

/// A string; empty when the value is anything else.
pub(crate) fn text_of(raw: &RawValue) -> Cow<'_, str> {
    let text = raw.get();
    if !text.starts_with('"') {
        return Cow::Borrowed("");
    }
    match serde_json::from_str::<&str>(text) {
        Ok(plain) => Cow::Borrowed(plain),
        Err(_) => Cow::Owned(serde_json::from_str(text).unwrap_or_else(|_| unescape(text))),
    }
}

/// The text of a JSON string that serde_json refuses: half a surrogate pair (agents cut texts in the middle of one)
/// becomes U+FFFD. Linear.
fn unescape(string: &str) -> String {
    let inner = string.strip_prefix('"').unwrap_or(string);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    let mut pair = [0; 2];
    while let Some(c) = rest.next() {
        let plain = match c {
            '\\' => match rest.next().unwrap_or('\\') {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let digits = rest.as_str().get(..4);
                    let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
                    if let Some(unit) = unit {
                        units.push(unit);
                        rest = rest.as_str().get(4..).unwrap_or_default().chars();
                        continue;
                    }
                    char::REPLACEMENT_CHARACTER
                }
                other => other,
            },
            c => c,
        };
        units.extend_from_slice(plain.encode_utf16(&mut pair));
    }
    String::from_utf16_lossy(&units)
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk<'a>(std::marker::PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for Walk<'a> {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::with_capacity(16);
                while let Some((Key(key), raw)) = map.next_entry::<Key<'a>, &'de RawValue>()? {
                    if list.len() < MAX_MEMBERS {
                        list.push((key, raw));
                    }
                }
                Ok(Members { list })
            }
        }

        deserializer.deserialize_map(Walk(std::marker::PhantomData))
    }
}

/// A member's name; copied only when it holds escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name<'a>(std::marker::PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for Name<'a> {
            type Value = Key<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(Name(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_a_surrogate_pair_hides_nothing() {
        for (string, said) in [
            (r#""echo \ud83d; rm -rf ~""#, "echo \u{fffd}; rm -rf ~"),
            (r#""\ude00a\ud83d""#, "\u{fffd}a\u{fffd}"),
            (
                r#""\ud83d\ude00 \"x\" \\ \/ \n é \ud83d""#,
                "😀 \"x\" \\ / \n é \u{fffd}",
            ),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
        ] {
            let raw: &RawValue = serde_json::from_str(string).unwrap();
            assert_eq!(text_of(raw), said, "{string}");
        }
    }

    proptest! {
        #[test]
        fn unescaping_is_what_serde_json_does(said in any::<String>()) {
            let string = serde_json::to_string(&said).unwrap();
            prop_assert_eq!(unescape(&string), said);
        }
    }

    #[test]
    fn members_of_the_wrong_type_read_as_empty() {
        let members =
            Members::parse(r#"{"a":1,"b":"x\ny","c":[1,"z"],"d":true,"e":1.9,"f":{"g":"h"}}"#)
                .unwrap();
        assert_eq!(members.text(&["a", "b"]), "x\ny");
        assert_eq!(members.text(&["c", "missing"]), "");
        assert!(members.flag(&["a", "d"]) && !members.flag(&["b"]));
        assert_eq!(members.whole(&["b", "e"]), Some(1));
        assert_eq!(members.object(&["a", "f"]).text(&["g"]), "h");
        assert_eq!(members.first("c"), "");
        assert_eq!(members.elements("c").len(), 2);
        assert!(matches!(
            Members::parse(r#"{"p":"plain"}"#).unwrap().text(&["p"]),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn the_last_of_two_counts_and_only_objects_are_payloads() {
        let members = Members::parse(r#"{"a":"1","a":"2"}"#).unwrap();
        assert_eq!(members.text(&["a"]), "2");
        for text in ["[1]", "null", "\"{}\"", "", "{", "{}x"] {
            assert!(Members::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn strings_come_back_whole(name in "\\PC{0,12}", value in "\\PC{0,40}") {
            let text = serde_json::json!({ name.as_str(): value.as_str(), "other": [name.as_str()] }).to_string();
            let members = Members::parse(&text).unwrap();
            if name != "other" {
                prop_assert_eq!(members.text(&[name.as_str()]), value);
            }
        }
    }
}
