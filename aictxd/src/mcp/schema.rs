//! What tools take: told to clients as JSON Schema, and checked before anything is asked.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::tools::{Tool, Writes};
use super::{Profile, Root};

/// Longest text of an argument, in characters.
const MAX_TEXT: usize = 12_000;
/// Most entries of a list, and characters of each.
const MAX_ENTRIES: usize = 200;
const MAX_ENTRY: usize = 1_000;

/// What an argument holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// Texts.
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number from 1 to this.
    Count(u64),
    /// Yes or no.
    Flag,
}

/// An argument of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    /// What for; empty where the name says it.
    pub(super) about: &'static str,
}

impl Argument {
    /// One that may be left out.
    pub(super) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            about,
        }
    }

    /// One that may not.
    pub(super) const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            required: true,
            ..Self::new(name, kind, about)
        }
    }

    /// For clients of a profile: bounds are told to those that have everything, and checked for all.
    fn schema(&self, profile: Profile) -> Value {
        let mut schema = match self.kind {
            Kind::Text if profile < Profile::Full => json!({ "type": "string" }),
            Kind::Texts if profile < Profile::Full => json!({
                "type": "array", "items": { "type": "string" },
            }),
            Kind::Text => json!({ "type": "string", "maxLength": MAX_TEXT }),
            Kind::Texts => json!({
                "type": "array", "maxItems": MAX_ENTRIES,
                "items": { "type": "string", "maxLength": MAX_ENTRY },
            }),
            Kind::Word(words) => json!({ "type": "string", "enum": words }),
            Kind::Count(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
            Kind::Flag => json!({ "type": "boolean" }),
        };
        if !self.about.is_empty() && (self.name != REPO.name || profile == Profile::Full) {
            aictx_proto::json::set(&mut schema, "description", self.about);
        }
        schema
    }

    /// What is wrong with a value, if anything is.
    fn complaint(&self, value: &Value) -> Option<String> {
        let name = self.name;
        match self.kind {
            Kind::Text => match value.as_str() {
                None => Some(format!("`{name}` must be a text")),
                Some(text) if text.chars().count() > MAX_TEXT => {
                    Some(format!("`{name}` is longer than {MAX_TEXT} characters"))
                }
                Some(text) if self.required && text.trim().is_empty() => {
                    Some(format!("`{name}` must not be empty"))
                }
                Some(_) => None,
            },
            Kind::Texts => {
                let Some(entries) = value.as_array() else {
                    return Some(format!("`{name}` must be a list of texts"));
                };
                let fits = |entry: &Value| {
                    entry
                        .as_str()
                        .is_some_and(|text| text.chars().count() <= MAX_ENTRY)
                };
                if entries.len() > MAX_ENTRIES || !entries.iter().all(fits) {
                    return Some(format!(
                        "`{name}` must hold at most {MAX_ENTRIES} texts of at most {MAX_ENTRY} \
                         characters"
                    ));
                }
                None
            }
            Kind::Word(words) => {
                let known = value.as_str().is_some_and(|word| words.contains(&word));
                (!known).then(|| format!("`{name}` must be one of {}", words.join(", ")))
            }
            Kind::Flag => (!value.is_boolean()).then(|| format!("`{name}` must be true or false")),
            Kind::Count(most) => {
                let fits = value.as_u64().is_some_and(|n| (1..=most).contains(&n));
                (!fits).then(|| format!("`{name}` must be a number from 1 to {most}"))
            }
        }
    }
}

/// What every tool takes.
const REPO: Argument = Argument::new(
    "repo",
    Kind::Text,
    "Directory; by default the repository that is served",
);

/// Arguments that say who calls; the server knows it.
const IDENTITY: [&str; 3] = ["agent_id", "adapter_id", "session_id"];

fn arguments(tool: &Tool) -> impl Iterator<Item = &Argument> {
    tool.arguments.iter().copied().flatten().chain([&REPO])
}

/// Checks a call's arguments.
///
/// # Errors
/// What is wrong first, for the model that called.
pub(super) fn check(tool: &Tool, given: &Map<String, Value>) -> Result<(), String> {
    for (name, value) in given {
        let Some(argument) = arguments(tool).find(|argument| argument.name == name) else {
            let known: Vec<&str> = arguments(tool).map(|argument| argument.name).collect();
            let name: String = name.chars().take(80).collect();
            return Err(format!(
                "there is no argument `{name}`; known: {}",
                known.join(", ")
            ));
        };
        if let Some(complaint) = argument.complaint(value) {
            return Err(complaint);
        }
    }
    let missing = arguments(tool).find(|a| a.required && !given.contains_key(a.name));
    missing.map_or(Ok(()), |argument| {
        Err(format!("`{}` is missing", argument.name))
    })
}

/// A tool as clients of a profile see it.
pub(super) fn describe(tool: &Tool, profile: Profile) -> Described {
    let looks = tool.writes == Writes::Nothing || profile == Profile::Readonly;
    // Who calls is known without being said, and what is listed every model has to carry.
    let listed =
        |argument: &&Argument| profile == Profile::Full || !IDENTITY.contains(&argument.name);
    let properties: Map<String, Value> = arguments(tool)
        .filter(listed)
        .map(|argument| (argument.name.to_owned(), argument.schema(profile)))
        .collect();
    let required: Vec<&str> = arguments(tool)
        .filter(|a| a.required)
        .map(|a| a.name)
        .collect();
    let mut input = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
    });
    if !required.is_empty() {
        aictx_proto::json::set(&mut input, "required", required);
    }
    let output = json!({
        "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"],
    });
    let annotations = ToolAnnotations::new()
        .read_only(looks)
        .destructive(!looks && tool.writes == Writes::Changes)
        .idempotent(looks || tool.repeats)
        .open_world(false);
    Described::new(tool.name, tool.about, object(input))
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    })
}

/// A call that was checked.
#[derive(Debug)]
pub(super) struct Call<'a> {
    given: &'a Map<String, Value>,
    /// Directory it is about.
    pub(super) root: Root,
    /// Who calls, as parameters want it.
    pub(super) caller: Value,
    /// Nothing may be written.
    pub(super) look_only: bool,
}

impl<'a> Call<'a> {
    /// With these arguments, about nothing yet.
    pub(super) fn new(given: &'a Map<String, Value>) -> Self {
        Self {
            given,
            root: Root::from(""),
            caller: Value::Null,
            look_only: true,
        }
    }

    /// A text, without blanks around it; empty when it was not given.
    pub(super) fn text(&self, name: &str) -> &'a str {
        let text = self.given.get(name).and_then(Value::as_str);
        text.unwrap_or_default().trim()
    }

    /// True for a flag that was given as true.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.given.get(name).and_then(Value::as_bool) == Some(true)
    }

    /// A number; 0 when it was not given.
    pub(super) fn count(&self, name: &str) -> u64 {
        self.given.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// These of its arguments that were given, under the names that members have.
    pub(super) fn members(&self, names: &[(&str, &str)]) -> Map<String, Value> {
        let given = |(name, member): &(&str, &str)| {
            Some(((*member).to_owned(), self.given.get(*name)?.clone()))
        };
        names.iter().filter_map(given).collect()
    }
}
