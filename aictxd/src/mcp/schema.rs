//! Arguments of tools: published as JSON Schema, and checked before anything is asked.

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

/// Type of an argument.
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
    /// Description; empty where the name says it.
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

    /// Checks a value against the kind of the argument.
    fn check(&self, value: &Value) -> Result<(), ArgumentError> {
        let name = self.name;
        let fits = match self.kind {
            Kind::Text => match value.as_str() {
                None => return Err(ArgumentError::NotText(name)),
                Some(text) if text.chars().count() > MAX_TEXT => {
                    return Err(ArgumentError::TooLong(name));
                }
                Some(text) => !(self.required && text.trim().is_empty()),
            },
            Kind::Texts => {
                let entries = value.as_array().ok_or(ArgumentError::NotTexts(name))?;
                let short = |entry: &Value| {
                    let text = entry.as_str();
                    text.is_some_and(|text| text.chars().count() <= MAX_ENTRY)
                };
                entries.len() <= MAX_ENTRIES && entries.iter().all(short)
            }
            Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Flag => value.is_boolean(),
            Kind::Count(most) => value.as_u64().is_some_and(|n| (1..=most).contains(&n)),
        };
        match (fits, self.kind) {
            (true, _) => Ok(()),
            (false, Kind::Text) => Err(ArgumentError::Empty(name)),
            (false, Kind::Texts) => Err(ArgumentError::TooMany(name)),
            (false, Kind::Word(words)) => Err(ArgumentError::UnknownWord(name, words)),
            (false, Kind::Flag) => Err(ArgumentError::NotFlag(name)),
            (false, Kind::Count(most)) => Err(ArgumentError::OutOfRange(name, most)),
        }
    }
}

/// Argument of every tool.
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

/// An argument that a tool does not take, said to the model that called.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentError {
    /// No argument has this name.
    #[error("there is no argument `{name}`; known: {}", .known.join(", "))]
    Unknown {
        /// The name, cut to 80 characters.
        name: String,
        /// The arguments that there are.
        known: Vec<&'static str>,
    },
    /// A required argument is not there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// No text.
    #[error("`{0}` must be a text")]
    NotText(&'static str),
    /// A text over the limit.
    #[error("`{0}` is longer than {MAX_TEXT} characters")]
    TooLong(&'static str),
    /// A required text without words.
    #[error("`{0}` must not be empty")]
    Empty(&'static str),
    /// No list.
    #[error("`{0}` must be a list of texts")]
    NotTexts(&'static str),
    /// A list, or a text in it, over the limit.
    #[error("`{0}` must hold at most {MAX_ENTRIES} texts of at most {MAX_ENTRY} characters")]
    TooMany(&'static str),
    /// None of the words of a closed set.
    #[error("`{}` must be one of {}", .0, .1.join(", "))]
    UnknownWord(&'static str, &'static [&'static str]),
    /// No boolean.
    #[error("`{0}` must be true or false")]
    NotFlag(&'static str),
    /// No number, or one out of range.
    #[error("`{0}` must be a number from 1 to {1}")]
    OutOfRange(&'static str, u64),
}

/// Checks a call's arguments.
///
/// # Errors
/// The first that is wrong.
pub(super) fn check(tool: &Tool, given: &Map<String, Value>) -> Result<(), ArgumentError> {
    for (name, value) in given {
        let Some(argument) = arguments(tool).find(|argument| argument.name == name) else {
            return Err(ArgumentError::Unknown {
                name: name.chars().take(80).collect(),
                known: arguments(tool).map(|argument| argument.name).collect(),
            });
        };
        argument.check(value)?;
    }
    let missing = arguments(tool).find(|a| a.required && !given.contains_key(a.name));
    missing.map_or(Ok(()), |argument| {
        Err(ArgumentError::Missing(argument.name))
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
    /// Identity of the caller, as parameters want it.
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
