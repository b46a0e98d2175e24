//! JSON values: every string, with the member name as context.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::marker;
use super::secret_name::{Name, classify, is_exempt_field};
use super::value_kind::{Candidate, Tie, is_secret};
use super::{Report, assignment, auth_header, clean_cache, line::Line, scrub_text};

/// The deepest nesting that is walked with names; serde_json itself refuses deeper input.
pub(super) const MAX_DEPTH: usize = 256;

/// Names that are remembered, and their length in bytes.
const MAX_NAMES: usize = 512;
const MAX_NAME: usize = 64;

/// Path of a value in a document. Written out only for findings.
#[derive(Clone, Copy, Default)]
pub(super) struct Place<'p> {
    within: Option<&'p Place<'p>>,
    step: Step<'p>,
}

/// A step into a document.
#[derive(Clone, Copy, Default)]
enum Step<'p> {
    #[default]
    Whole,
    Member(&'p str),
    Item(usize),
}

impl<'p> Place<'p> {
    fn then(&'p self, step: Step<'p>) -> Self {
        Self {
            within: Some(self),
            step,
        }
    }

    /// As a JSON pointer (RFC 6901).
    fn pointer(&self) -> String {
        let mut pointer = self.within.map(Self::pointer).unwrap_or_default();
        match self.step {
            Step::Whole => {}
            Step::Member(name) => {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Step::Item(at) => pointer.push_str(&format!("/{at}")),
        }
        pointer
    }
}

/// Walks the value.
pub(super) fn walk(
    value: &mut Value,
    place: &Place,
    name: Option<&str>,
    depth: usize,
    report: &mut Report,
) {
    if depth > MAX_DEPTH {
        // Not looked at, so not let through.
        report.add_at(marker::SECRET, "too-deep", &place.pointer());
        *value = Value::String("[redacted:secret]".to_owned());
        return;
    }
    match value {
        Value::String(text) => string(text, place, name, report),
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                walk(item, &place.then(Step::Item(at)), name, depth + 1, report);
            }
        }
        Value::Object(map) => {
            keys(map, place, report);
            if map.get("kind").and_then(Value::as_str) == Some("Secret") {
                manifest(map, place, report);
            }
            let pair = pair_name(map);
            for (key, item) in map.iter_mut() {
                let context = match &pair {
                    Some(name) if key.eq_ignore_ascii_case("value") => name.as_str(),
                    _ => key.as_str(),
                };
                let place = place.then(Step::Member(key));
                walk(item, &place, Some(context), depth + 1, report);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The members of a Kubernetes secret are secrets, whatever their names.
fn manifest(map: &mut Map<String, Value>, place: &Place, report: &mut Report) {
    for part in ["data", "stringData"] {
        let Some(members) = map.get_mut(part).and_then(Value::as_object_mut) else {
            continue;
        };
        for (key, member) in members.iter_mut() {
            let marked = member
                .as_str()
                .is_some_and(|t| !marker::markers(t.as_bytes()).is_empty());
            if member.as_str().is_some_and(|t| t.len() >= 3) && !marked {
                let part = place.then(Step::Member(part));
                let pointer = part.then(Step::Member(key)).pointer();
                report.add_at(marker::SECRET, "kubernetes-secret", &pointer);
                *member = Value::String("[redacted:secret]".to_owned());
            }
        }
    }
}

/// `{"name": "DB_PASSWORD", "value": …}`: the name that the value stands under.
fn pair_name(map: &Map<String, Value>) -> Option<String> {
    if !map.keys().any(|k| k.eq_ignore_ascii_case("value")) {
        return None;
    }
    map.iter()
        .find(|(k, _)| k.eq_ignore_ascii_case("name") || k.eq_ignore_ascii_case("key"))
        .and_then(|(_, v)| v.as_str())
        .map(str::to_owned)
}

/// Returns true if a name is made of small letters and underscores, as most are: without a digit or a capital
/// it is no key or token, and what it means as a name is looked at with its value.
pub(super) fn is_word(key: &str) -> bool {
    let plain = |all: bool, b: u8| all & (b.is_ascii_lowercase() | (b == b'_'));
    key.len() <= 40 && key.bytes().fold(true, plain)
}

/// Member names are text too.
fn keys(map: &mut Map<String, Value>, place: &Place, report: &mut Report) {
    let mut found = Report::default();
    let mut speaks = |key: &str| {
        let mark = clean_cache::mark(None, key);
        if mark.as_ref().is_some_and(clean_cache::Mark::is_clean) {
            return false;
        }
        let speaks = matches!(scrub_text(key, &mut found), std::borrow::Cow::Owned(_));
        if let Some(mark) = mark.filter(|_| !speaks && found.is_empty()) {
            mark.remember();
        }
        speaks
    };
    if !map
        .keys()
        .filter(|key| !is_word(key))
        .any(|key| speaks(key))
    {
        return;
    }
    report.merge_at(found, &place.pointer());
    let mut rest = Report::default();
    for (key, value) in std::mem::take(map) {
        let mut clean = scrub_text(&key, &mut rest).into_owned();
        let mut n = 2;
        while map.contains_key(&clean) {
            clean = format!("{} ({n})", scrub_text(&key, &mut rest));
            n += 1;
        }
        map.insert(clean, value);
    }
}

/// Depends on nothing but the text and the name it stands under.
pub(super) fn string(text: &mut String, place: &Place, name: Option<&str>, report: &mut Report) {
    let mark = clean_cache::mark(name, text);
    if mark.as_ref().is_some_and(clean_cache::Mark::is_clean) {
        return;
    }
    let mut found = Report::default();
    let class = name.and_then(announced);
    if let (Some(class), Some(name)) = (class, name) {
        if whole(text, class, name) {
            report.add_at(class.kind(), assignment::rule_of(class), &place.pointer());
            *text = format!("[redacted:{}]", class.kind());
            return;
        }
        if matches!(
            class,
            Name::Cookie | Name::Authorization | Name::Auth | Name::Token
        ) {
            let mut line = Line::new(text.as_bytes());
            if class == Name::Cookie {
                auth_header::cookies(&mut line, 0, text.len());
            } else {
                auth_header::scheme(&mut line, 0, class == Name::Authorization);
            }
            let spans = line.merged();
            if !spans.is_empty() {
                let bytes = super::line_scanner::replace(text.as_bytes(), &spans, &mut found);
                *text = super::into_text(bytes);
            }
        }
    }
    // The same texts stand under many names that announce nothing.
    let bare = match class {
        None => clean_cache::mark(None, text),
        Some(_) => None,
    };
    if !bare.as_ref().is_some_and(clean_cache::Mark::is_clean) {
        if let std::borrow::Cow::Owned(clean) = scrub_text(text, &mut found) {
            *text = clean;
        }
        if let Some(bare) = bare.filter(|_| found.is_empty()) {
            bare.remember();
        }
    }
    if found.is_empty() {
        if let Some(mark) = mark {
            mark.remember();
        }
        return;
    }
    report.merge_at(found, &place.pointer());
}

/// Returns the class of a member's name. The names of records are few, and each stands over many texts.
fn announced(name: &str) -> Option<Name> {
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Option<Name>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(class) = known.get(name) {
            return *class;
        }
        let class = match is_exempt_field(name) {
            true => None,
            false => classify(name.as_bytes()),
        };
        if name.len() <= MAX_NAME && known.len() < MAX_NAMES {
            known.insert(name.to_owned(), class);
        }
        class
    })
}

/// Returns true if the whole string is the secret that the member name announces.
fn whole(text: &str, class: Name, name: &str) -> bool {
    let candidate = Candidate {
        text: text.as_bytes(),
        quoted: true,
        tie: Tie::Colon,
        upper_name: !name.bytes().any(|c| c.is_ascii_lowercase()),
        leads: true,
        next: 0,
        last: true,
    };
    // A key block is replaced as a block, not as a whole.
    text.len() <= 16384
        && !text.contains(std::str::from_utf8(marker::OPEN).unwrap_or("["))
        && !matches!(class, Name::Authorization | Name::Signature)
        && (class != Name::Cookie || !text.contains('='))
        && is_secret(&candidate, class)
}
