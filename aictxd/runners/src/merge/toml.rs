//! A table of a TOML file, as a marked block at its end: a table header may stand there whatever
//! comes before it. The parser says whether the file is sound before and after.

use std::str::FromStr;

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use super::block::{self, Block, Comment};
use super::edit_record::{Doc, newline_of};
use super::{Note, Problem, dotted, entry_owner};

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name, by parts. A table of this name that is not in our block is the user's own.
    pub path: Vec<String>,
    /// Members as TOML: `name = value` lines ended by `\n`.
    pub members: String,
}

impl Table {
    fn block(&self) -> Block {
        let names: Vec<String> = self.path.iter().map(|name| quoted(name)).collect();
        let id: String = self
            .path
            .iter()
            .map(|name| name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "-"))
            .collect::<Vec<_>>()
            .join(".");
        Block {
            comment: Comment::Hash,
            id,
            body: format!("[{}]\n{}", names.join("."), self.members),
        }
    }
}

/// A name as it stands in a header, or a text as a value: bare where TOML allows it.
pub(crate) fn quoted(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        text(name)
    }
}

/// A string value.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn parse(text: &str) -> Result<DocumentMut, Problem> {
    DocumentMut::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start);
        Problem::at(text, at, e.message().trim().replace('\n', ", "))
    })
}

fn has(document: &DocumentMut, path: &[String]) -> bool {
    let mut table: &dyn TableLike = document.as_table();
    let Some((last, parents)) = path.split_last() else {
        return false;
    };
    for name in parents {
        match table.get(name).and_then(Item::as_table_like) {
            Some(next) => table = next,
            None => return false,
        }
    }
    table.contains_key(last)
}

/// The texts, lists of texts and booleans of a table.
pub(super) fn value(text: &str, path: &[String]) -> Option<Value> {
    let document = parse(text).ok()?;
    let mut table: &dyn TableLike = document.as_table();
    for name in path {
        table = table.get(name)?.as_table_like()?;
    }
    let plain = |item: &Item| match item.as_array() {
        Some(list) => list.iter().filter_map(toml_edit::Value::as_str).collect(),
        None => item
            .as_bool()
            .map_or_else(|| Value::from(item.as_str()), Value::from),
    };
    let members = table.iter();
    Some(
        members
            .map(|(name, item)| (name.to_owned(), plain(item)))
            .collect(),
    )
}

pub(super) fn ensure(doc: &mut Doc, table: &Table, replace_ancestor: bool) -> Result<(), Problem> {
    parse(doc.text())?;
    if value(doc.text(), &table.path).is_some_and(|entry| entry_owner::is_switched_off(&entry)) {
        doc.note(Note::SwitchedOff(dotted(&table.path)));
        return Ok(());
    }
    let before = doc.text().to_owned();
    let mut draft = Doc::new(doc.text());
    if replace_ancestor {
        block::remove_ancestor(&mut draft)?;
    }
    let block = table.block();
    let (there, stray) = find(draft.text(), &block);
    let newline = match there.first() {
        Some(first) => newline_of(draft.slice(first.clone())),
        None => doc.newline(),
    };
    let written = block.write(newline, "");
    if stray {
        doc.note(Note::Repaired(format!("AICTX:START {}", block.id)));
    }
    match there.as_slice() {
        [] => {
            if has(&parse(draft.text())?, &table.path) {
                let (old, _) = block::find(&before, "# <AICTX:START mcp>", "# <AICTX:END mcp>");
                doc.note(if old.is_empty() {
                    Note::UserEntry(dotted(&table.path))
                } else {
                    Note::Ancestor(dotted(&table.path))
                });
                return Ok(());
            }
            block::append(&mut draft, &written, newline);
        }
        [first, rest @ ..] => {
            for more in rest.iter().rev() {
                block::cut(&mut draft, more.clone());
            }
            draft.replace(first.clone(), &written);
        }
    }
    let after = parse(draft.text()).ok();
    if !after.is_some_and(|after| has(&after, &table.path)) {
        return Err(Problem::Conflict {
            cause: format!(
                "`{}` cannot be added as a table of its own beside what stands there",
                dotted(&table.path)
            ),
        });
    }
    doc.follow(draft);
    Ok(())
}

fn find(text: &str, block: &Block) -> (Vec<std::ops::Range<usize>>, bool) {
    let start = format!("# AICTX:START {}", block.id);
    let end = format!("# AICTX:END {}", block.id);
    block::find(text, &start, &end)
}

pub(super) fn remove(doc: &mut Doc, table: &Table) -> Result<(), Problem> {
    block::remove(doc, &table.block())
}
