//! Edits of single fields that leave every other byte of a text as it is.

use std::ops::Range;

use super::finding::{Code, Finding};
use super::frontmatter::{Content, Field, Frontmatter, Node};
use super::scalar::{double_quoted, quoted_line, scalar};

/// Longest text of a ticket that is read and written, in bytes.
pub const MAX_TICKET: usize = 4 * 1024 * 1024;

/// Reason why a text was not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The frontmatter cannot be read.
    #[error("{}:{}: {} {}", .0.place.line, .0.place.column, .0.code.as_str(), .0.message)]
    Unreadable(Finding),
    /// The key stands there more than once.
    #[error("{line}:1: `{key}` stands there twice; remove one of the two lines")]
    Twice {
        /// Key.
        key: String,
        /// Line of the second one.
        line: u32,
    },
    /// The mapping is written in braces, where nothing is added or removed by lines.
    #[error(
        "2:1: `{key}` cannot be changed in frontmatter that is written in braces; write one key a line"
    )]
    Braces {
        /// Key.
        key: String,
    },
    /// The edit would have changed more than its field.
    #[error(
        "{line}:1: `{key}` cannot be changed without touching other keys; edit the file by hand"
    )]
    Entangled {
        /// Key.
        key: String,
        /// Its line.
        line: u32,
    },
}

/// A new value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Boolean.
    Bool(bool),
    /// Text.
    Text(String),
    /// List of texts.
    List(Vec<String>),
}

/// Sets a field, or removes it. The text itself when it holds the value already.
///
/// # Errors
/// See [`EditError`]; nothing is changed then.
pub fn set(text: &str, key: &str, value: Option<&Value>) -> Result<String, EditError> {
    let front = Frontmatter::of(text).map_err(EditError::Unreadable)?;
    let mut named = front.fields.iter().filter(|field| field.key == key);
    let (field, second) = (named.next(), named.next());
    if let Some(second) = second {
        return Err(EditError::Twice {
            key: key.to_owned(),
            line: second.place.line,
        });
    }
    let edited = match (field, value) {
        (None, None) => return Ok(text.to_owned()),
        (Some(field), Some(value)) if holds(&field.node, value) => return Ok(text.to_owned()),
        (Some(field), Some(value)) => replaced(text, &front, field, value),
        _ if front.is_flow => {
            return Err(EditError::Braces {
                key: key.to_owned(),
            });
        }
        (Some(field), None) => {
            let lines = line_start(text, field.key_span.start)..lines_end(text, &front, field);
            with(text, lines, "")
        }
        (None, Some(value)) => {
            let at = insertion(&front, text, key);
            with(
                text,
                at..at,
                &format!("{key}: {}{}", written(value, None), front.line_end),
            )
        }
    };
    let entangled = || EditError::Entangled {
        key: key.to_owned(),
        line: field.map_or(1, |field| field.place.line),
    };
    let after = Frontmatter::of(&edited).map_err(|_| entangled())?;
    let holds_it = match value {
        Some(value) => after.get(key).is_some_and(|node| holds(node, value)),
        None => after.get(key).is_none(),
    };
    match holds_it
        && same_but(&front, &after, key)
        && edited.get(after.body..) == text.get(front.body..)
    {
        true => Ok(edited),
        false => Err(entangled()),
    }
}

/// Replaces single values by their places, which must not overlap: references to other tickets.
pub(super) fn splice(text: &str, mut values: Vec<(Range<usize>, String)>) -> String {
    values.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    values
        .into_iter()
        .fold(text.to_owned(), |text, (span, value)| {
            with(&text, span, &value)
        })
}

/// Replaces the text below the frontmatter.
///
/// # Errors
/// The frontmatter cannot be read.
pub fn with_body(text: &str, body: &str) -> Result<String, EditError> {
    let front = Frontmatter::of(text).map_err(EditError::Unreadable)?;
    let mut head = text.get(..front.body).unwrap_or_default().to_owned();
    if !head.ends_with('\n') {
        head.push_str(front.line_end);
    }
    Ok(head + body)
}

/// Repairs what can be repaired without a guess: spellings of `done` and `agent`, a missing `done` or `ticket_id`
/// (`id` makes one), a value with a colon and no quotes, the former name of `after`.
///
/// # Errors
/// The frontmatter cannot be read, or an edit is not possible.
pub fn repair(text: &str, agents: &[&str], id: &str) -> Result<String, EditError> {
    let mut text = text.to_owned();
    // Each such line hides the ones below it.
    for _ in 0..64 {
        let Err(finding) = Frontmatter::of(&text) else {
            break;
        };
        let line = usize::try_from(finding.place.line)
            .unwrap_or_default()
            .saturating_sub(1);
        let Some((span, quoted)) = span_of_line(&text, line)
            .and_then(|span| Some((span.clone(), quoted_line(text.get(span)?)?)))
        else {
            break;
        };
        text = with(&text, span, &quoted);
    }
    let front = Frontmatter::of(&text).map_err(EditError::Unreadable)?;
    let (_, findings) = super::Ticket::of(&front, agents);
    for finding in findings {
        let fix = finding.fix.split_once(": ").map(|(_, value)| value);
        text = match (finding.code, fix) {
            (Code::Done | Code::DoneSpelling, Some(value)) => {
                set(&text, "done", Some(&Value::Bool(value == "true")))?
            }
            (Code::AgentSpelling, Some(value)) => {
                set(&text, "agent", Some(&Value::Text(value.to_owned())))?
            }
            (Code::IdMissing, _) => set(&text, "ticket_id", Some(&Value::Text(id.to_owned())))?,
            (Code::DependsOn, _) => renamed(&text, "depends_on", "after"),
            _ => text,
        };
    }
    Ok(text)
}

/// Renames a key where the other name is free.
fn renamed(text: &str, from: &str, to: &str) -> String {
    match Frontmatter::of(text) {
        Ok(front) if front.get(to).is_none() => match front.field(from) {
            Some(field) => with(text, field.key_span.clone(), to),
            None => text.to_owned(),
        },
        _ => text.to_owned(),
    }
}

fn with(text: &str, span: Range<usize>, new: &str) -> String {
    let (head, tail) = (text.get(..span.start), text.get(span.end..));
    [head.unwrap_or_default(), new, tail.unwrap_or_default()].concat()
}

fn span_of_line(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        if at == line {
            let bare = whole.strip_suffix('\n').unwrap_or(whole);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            return Some(start..start + bare.len());
        }
        start += whole.len();
    }
    None
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1)
}

/// End of the lines of a field, where the next one begins; comments and blank lines in between stay.
fn lines_end(text: &str, front: &Frontmatter, field: &Field) -> usize {
    let end = value_end(text, &field.node).max(field.key_span.end);
    let rest = text.get(end..front.block.end).unwrap_or_default();
    rest.find('\n').map_or(front.block.end, |at| end + at + 1)
}

/// End of what is written of a value: spans of blocks reach to the token behind them.
fn value_end(text: &str, node: &Node) -> usize {
    let inner = match &node.content {
        Content::Scalar { .. } => None,
        Content::Sequence(items) => items.last(),
        Content::Mapping(fields) => fields.last().map(|field| &field.node),
    };
    let written = text.get(node.span.clone()).unwrap_or_default();
    // A list or mapping in brackets ends with its bracket.
    if matches!(node.content, Content::Scalar { .. }) || written.ends_with([']', '}']) {
        return node.span.start + written.trim_end().len();
    }
    inner
        .map_or(node.span.start, |inner| value_end(text, inner))
        .max(node.span.start)
}

/// The text with another value in the place of a field's.
fn replaced(text: &str, front: &Frontmatter, field: &Field, value: &Value) -> String {
    let node = &field.node;
    let old = text.get(node.span.clone()).unwrap_or_default();
    let is_scalar = matches!(node.content, Content::Scalar { .. });
    let gap = text
        .get(field.key_span.end..node.span.start)
        .unwrap_or_default();
    let is_inline = old.trim_end().lines().count() <= 1 && !gap.contains('\n');
    if node.is_null() && old.trim().is_empty() {
        // `key:` alone.
        let colon = text
            .get(field.key_span.end..)
            .and_then(|rest| rest.find(':'));
        let at = field.key_span.end + colon.map_or(0, |at| at + 1);
        return with(text, at..at, &format!(" {}", written(value, None)));
    }
    if is_inline {
        let span = node.span.start..node.span.start + old.trim_end().len();
        let quote = is_scalar.then(|| old.chars().next()).flatten();
        return with(
            text,
            span,
            &written(value, quote.filter(|c| matches!(c, '"' | '\''))),
        );
    }
    // A value of several lines makes way as a whole; what stands behind its key stays where that is a comment.
    let colon = text
        .get(field.key_span.end..)
        .and_then(|rest| rest.find(':'));
    let from = field.key_span.end + colon.map_or(0, |at| at + 1);
    let line_end = text
        .get(from..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |at| from + at);
    let behind = text.get(from..line_end).unwrap_or_default();
    let comment = match behind.find(" #") {
        Some(at) if node.span.start > line_end => behind.get(at..).unwrap_or_default().trim_end(),
        _ => "",
    };
    let new = format!(" {}{comment}{}", written(value, None), front.line_end);
    with(text, from..lines_end(text, front, field), &new)
}

/// Place of a new field: `ticket_id` first, `done` behind `agent`, everything else last.
fn insertion(front: &Frontmatter, text: &str, key: &str) -> usize {
    match (key, front.field("agent")) {
        ("ticket_id", _) => front.block.start,
        ("done", Some(agent)) => lines_end(text, front, agent),
        _ => front.block.end,
    }
}

/// Returns true if a value is what is wanted, in the spelling that is wanted.
fn holds(node: &Node, value: &Value) -> bool {
    match value {
        Value::Bool(wanted) => {
            let spelled = if *wanted { "true" } else { "false" };
            node.boolean() == Some(*wanted) && node.text() == Some(spelled)
        }
        Value::Text(wanted) => node.text() == Some(wanted),
        Value::List(wanted) => match &node.content {
            Content::Sequence(items) => {
                items.len() == wanted.len()
                    && items
                        .iter()
                        .zip(wanted)
                        .all(|(item, text)| item.text() == Some(text))
            }
            _ => false,
        },
    }
}

/// Returns true if two frontmatters say the same but for one key.
fn same_but(before: &Frontmatter, after: &Frontmatter, key: &str) -> bool {
    let others = |front: &Frontmatter| -> Vec<(String, String)> {
        let others = front.fields.iter().filter(|field| field.key != key);
        others
            .map(|field| (field.key.clone(), said(&field.node)))
            .collect()
    };
    others(before) == others(after)
}

/// Content of a value, without its place, for comparison.
fn said(node: &Node) -> String {
    match &node.content {
        Content::Scalar { text, is_plain } => format!("{is_plain}{text:?}"),
        Content::Sequence(items) => format!("{:?}", items.iter().map(said).collect::<Vec<_>>()),
        Content::Mapping(fields) => {
            let fields = fields.iter().map(|field| (&field.key, said(&field.node)));
            format!("{:?}", fields.collect::<Vec<_>>())
        }
    }
}

/// A value as YAML on one line, in the quotes that were there where they can hold it.
fn written(value: &Value, quote: Option<char>) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Text(text) => match quote {
            Some('\'') if !text.contains(char::is_control) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            Some('"') => double_quoted(text),
            _ => scalar(text),
        },
        Value::List(items) => {
            // A ticket may be named by its bare number.
            let is_number =
                |item: &str| !item.is_empty() && item.bytes().all(|b| b.is_ascii_digit());
            let item = |item: &String| match is_number(item) {
                true => item.clone(),
                false => scalar(item),
            };
            let items: Vec<String> = items.iter().map(item).collect();
            format!("[{}]", items.join(", "))
        }
    }
}
