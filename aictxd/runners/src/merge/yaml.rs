//! An entry of a YAML file, as marked lines. No library edits YAML and keeps its comments, so only
//! what can be done safely by lines is done: an entry below a member of the first level, in block
//! style. Everything else is left alone with an error.

use super::block::{self, Block, Comment};
use super::edit_record::Doc;
use super::{Note, Problem};

/// An entry below a member of the first level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The member of the first level; a plain name.
    pub parent: String,
    /// The entry's name; a plain name.
    pub name: String,
    /// Text below the name, indented by two blanks a level, lines ended by `\n`.
    pub body: String,
}

impl Entry {
    fn block(&self, with_parent: bool) -> Block {
        let below =
            |text: &str| -> String { text.lines().map(|line| format!("  {line}\n")).collect() };
        let entry = format!("{}:\n{}", self.name, below(&self.body));
        Block {
            comment: Comment::Hash,
            id: format!("{}.{}", self.parent, self.name),
            body: if with_parent {
                format!("{}:\n{}", self.parent, below(&entry))
            } else {
                entry
            },
        }
    }
}

pub(super) fn ensure(doc: &mut Doc, entry: &Entry) -> Result<(), Problem> {
    let conflict = |cause: &str| Problem::Conflict {
        cause: cause.to_owned(),
    };
    let block = entry.block(false);
    let start = format!("# AICTX:START {}", block.id);
    let end = format!("# AICTX:END {}", block.id);
    let (there, stray) = block::find(doc.text(), &start, &end);
    if stray {
        doc.note(Note::Repaired(start));
    }
    let newline = doc.newline();
    if let [first, ..] = there.as_slice() {
        let old = doc.slice(first.clone()).to_owned();
        let indent: String = old.chars().take_while(|c| *c == ' ').collect();
        let head = format!("{}:", entry.parent);
        let with_parent = old
            .lines()
            .nth(1)
            .is_some_and(|line| line.trim_end() == head);
        let written = entry.block(with_parent).write(newline, &indent);
        doc.replace(first.clone(), &written);
        return Ok(());
    }
    let lines: Vec<&str> = doc.text().split_inclusive('\n').collect();
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if lines.iter().filter(|line| line.trim_end() == "---").count() > 1 {
        return Err(conflict("it holds several documents"));
    }
    if lines.iter().any(|line| line.starts_with('\t')) {
        return Err(conflict(
            "it is indented by tabs, which YAML does not allow",
        ));
    }
    let first = lines
        .iter()
        .copied()
        .find(|line| is_text(line) && line.trim_end() != "---");
    if first.is_some_and(|line| line.starts_with(['{', '[', '-', ' ', '&', '*', '!', '|', '>'])) {
        return Err(conflict(
            "its first level is not written as `name: value` lines",
        ));
    }
    let mut at = 0;
    let mut parents = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let rest = line.strip_prefix(entry.parent.as_str());
        if let Some(value) = rest.and_then(|rest| rest.strip_prefix(':')) {
            parents.push((number, at + line.len(), value.trim()));
        }
        at += line.len();
    }
    match parents.as_slice() {
        [] => {
            let written = entry.block(true).write(newline, "");
            block::append(doc, &written, newline);
        }
        [(number, below, value)] => {
            if !value.is_empty() && !value.starts_with('#') {
                return Err(conflict(
                    "the entry above ours holds a value on its own line",
                ));
            }
            let children = lines
                .iter()
                .skip(number + 1)
                .take_while(|line| !is_text(line) || line.starts_with(' '));
            let indents: Vec<usize> = children
                .filter(|line| is_text(line))
                .map(|line| line.len() - line.trim_start_matches(' ').len())
                .collect();
            let indent = " ".repeat(indents.first().copied().unwrap_or(2));
            let named = format!("{indent}{}:", entry.name);
            let taken = lines
                .iter()
                .skip(number + 1)
                .take_while(|line| !is_text(line) || line.starts_with(' '))
                .any(|line| line.starts_with(&named));
            if taken {
                doc.note(Note::UserEntry(block.id.clone()));
                return Ok(());
            }
            let list = lines
                .get(number + 1)
                .is_some_and(|line| line.trim_start().starts_with("- "));
            if list {
                return Err(conflict("the entry above ours holds a list"));
            }
            let written = block.write(newline, &indent);
            let below = *below;
            let ended = doc
                .text()
                .get(..below)
                .is_some_and(|text| text.ends_with('\n'));
            if ended {
                doc.insert(below, &format!("{written}{newline}"));
            } else {
                doc.insert(below, &format!("{newline}{written}"));
            }
        }
        _ => {
            return Err(Problem::Duplicate {
                path: entry.parent.clone(),
            });
        }
    }
    Ok(())
}

pub(super) fn remove(doc: &mut Doc, entry: &Entry) -> Result<(), Problem> {
    block::remove(doc, &entry.block(false))
}
