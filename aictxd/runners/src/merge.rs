//! Edits of other people's files, as text in and text out.
//!
//! Whatever a person wrote stays: formatting, order, comments, byte order mark, line ends, the end
//! of the file. Our entries are recognised by what they call (`…/aictx hook …`, `…/aictxd mcp`) or
//! by their markers, so they can be replaced and removed without anything remembered. What is
//! remembered beside that, the [`Record`], makes removal exact to the byte while nobody else has
//! touched the file. A file that cannot be understood is left alone with an error that says where
//! and why. Nothing here opens a file.

use serde_json::Value;

use self::edit_record::Doc;

pub mod block;
mod edit_record;
mod entry_owner;
mod error;
mod json;
mod json_style;
mod owned_file;
mod toml;
mod trivia;
mod yaml;

pub use self::block::{Block, Comment};
pub use self::edit_record::{Record, Splice, digest};
pub use self::entry_owner::{Owner, Server, server};
pub use self::error::{MergeError, Problem};
pub use self::json::{Item, Rule};
pub use self::owned_file::Whole;
pub use self::toml::Table;
pub(crate) use self::toml::text as toml_text;
pub use self::yaml::Entry;

/// A JSON file with comments and trailing commas as a value; of members that stand twice the last
/// counts.
pub fn json_value(text: &str) -> Option<Value> {
    json::value(text)
}

/// Largest file that is edited, in bytes.
pub const MAX_FILE: usize = 16 * 1024 * 1024;

/// Text before the ancestor's block in an instruction file of its own, without blanks.
const ANCESTOR_HEAD: &str = "---\napplyTo:\"**/*\"\n---";

/// Planned content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Entries of a JSON file, comments and trailing commas allowed.
    Json(Vec<Item>),
    /// A marked block of text, for Markdown and for lists such as `.gitignore`.
    Block(Block),
    /// A table of a TOML file.
    Toml(Table),
    /// An entry of a YAML file.
    Yaml(Entry),
    /// A file of our own.
    Whole(Whole),
}

/// Result for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Nothing to do.
    Unchanged,
    /// This is its new text.
    Write(String),
    /// It goes.
    Delete,
}

/// Finding of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The user has an entry of their own in our place; it stays and ours is not written.
    UserEntry(String),
    /// The entry in our place is switched off; it stays as it is.
    SwitchedOff(String),
    /// The ancestor's entry stands here; it is replaced when asked for.
    Ancestor(String),
    /// Markers were out of order: complete blocks were taken, the rest was left as it is.
    Repaired(String),
    /// The file is ours and was changed by somebody; it stays.
    Changed(String),
}

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Result for the file.
    pub after: After,
    /// Record of the change; `None` when nothing changes.
    pub record: Option<Record>,
    /// Findings.
    pub notes: Vec<Note>,
}

/// Puts our entries into a file (`None`: there is none). Doing it twice is doing it once.
///
/// With `replace_ancestor` the ancestor's entries in the same places are taken out.
///
/// # Errors
/// See [`Problem`]; the file must then be left alone.
pub fn install(
    file: &str,
    current: Option<&str>,
    content: &Content,
    replace_ancestor: bool,
) -> Result<Outcome, MergeError> {
    let fail = |problem| MergeError::new(file, problem);
    if current.is_some_and(|text| text.len() > MAX_FILE) {
        return Err(fail(Problem::TooLarge));
    }
    let mut doc = Doc::new(current.unwrap_or_default());
    match content {
        Content::Json(items) => json::ensure(&mut doc, items, replace_ancestor),
        Content::Block(block) => block::ensure(&mut doc, block, replace_ancestor),
        Content::Toml(table) => toml::ensure(&mut doc, table, replace_ancestor),
        Content::Yaml(entry) => yaml::ensure(&mut doc, entry),
        Content::Whole(whole) => owned_file::ensure(&mut doc, whole, current.is_some()),
    }
    .map_err(fail)?;
    Ok(doc.outcome(file, current.is_none()))
}

/// Takes our entries out again. With the record of the installation the result is the file as it
/// was, to the byte, unless somebody changed it since; then, and without a record, just our entries
/// go. `None` as current text: there is nothing to do.
///
/// # Errors
/// See [`Problem`]; the file must then be left alone.
pub fn uninstall(
    file: &str,
    current: Option<&str>,
    content: &Content,
    record: Option<&Record>,
) -> Result<Outcome, MergeError> {
    let fail = |problem| MergeError::new(file, problem);
    let unchanged = Outcome {
        after: After::Unchanged,
        record: None,
        notes: Vec::new(),
    };
    let Some(current) = current else {
        return Ok(unchanged);
    };
    if let Some(after) = record.and_then(|record| record.undo(current)) {
        return Ok(Outcome { after, ..unchanged });
    }
    if current.len() > MAX_FILE {
        return Err(fail(Problem::TooLarge));
    }
    let mut doc = Doc::new(current);
    match content {
        Content::Json(items) => json::remove(&mut doc, items, record),
        Content::Block(block) => block::remove(&mut doc, block),
        Content::Toml(table) => toml::remove(&mut doc, table),
        Content::Yaml(entry) => yaml::remove(&mut doc, entry),
        Content::Whole(whole) => {
            return Ok(owned_file::remove(file, current, whole, record));
        }
    }
    .map_err(fail)?;
    let ours = record.is_some_and(|record| record.created_by_us);
    let mut outcome = doc.outcome(file, false);
    outcome.record = None;
    if ours && let After::Write(text) = &outcome.after {
        let left = text.trim_start_matches('\u{feff}').trim();
        if left.is_empty() || left == "{}" {
            outcome.after = After::Delete;
        }
    }
    Ok(outcome)
}

/// Takes everything of ours out of a file whose plan is not known any more: hooks and servers of a
/// JSON file, marked blocks of any other. Files of our own are not among them.
///
/// # Errors
/// See [`Problem`]; the file must then be left alone.
pub fn remove_everything(file: &str, current: &str) -> Result<Outcome, MergeError> {
    let fail = |problem| MergeError::new(file, problem);
    if current.len() > MAX_FILE {
        return Err(fail(Problem::TooLarge));
    }
    let mut doc = Doc::new(current);
    match file.rsplit_once('.').map(|(_, end)| end) {
        Some("json" | "jsonc") => json::remove_owner(&mut doc, Owner::Us).map_err(fail)?,
        _ => block::remove_every(&mut doc),
    }
    Ok(Outcome {
        record: None,
        ..doc.outcome(file, false)
    })
}

/// Takes out what the ancestor left in a file: hooks and servers of a JSON file, blocks of any
/// other.
///
/// # Errors
/// See [`Problem`]; the file must then be left alone.
pub fn remove_ancestor(file: &str, current: &str) -> Result<Outcome, MergeError> {
    let fail = |problem| MergeError::new(file, problem);
    if current.len() > MAX_FILE {
        return Err(fail(Problem::TooLarge));
    }
    let mut doc = Doc::new(current);
    match file.rsplit_once('.').map(|(_, end)| end) {
        Some("json" | "jsonc") => json::remove_ancestor(&mut doc),
        _ => block::remove_ancestor(&mut doc),
    }
    .map_err(fail)?;
    let mut outcome = doc.outcome(file, false);
    if let After::Write(text) = &outcome.after
        && (matches!(text.trim(), "" | "{}")
            || file.ends_with(".gitignore") && text.lines().all(is_ancestor_rule)
            || text.replace(['\r', ' '], "").trim() == ANCESTOR_HEAD)
    {
        // The ancestor had created it.
        outcome.after = After::Delete;
    }
    Ok(outcome)
}

/// Rules that the ancestor writes outside of its block into a `.gitignore` that it creates.
fn is_ancestor_rule(line: &str) -> bool {
    matches!(line.trim(), "" | ".DS_Store" | ".aictx/")
}

/// The text at a path of members, for messages.
fn dotted(path: &[String]) -> String {
    path.join(".")
}

/// Returns true if a value is an object or a list without anything in it.
fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
}
