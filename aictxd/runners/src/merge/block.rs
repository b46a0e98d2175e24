//! Marked blocks of text: `<!-- AICTX:START id -->` … `<!-- AICTX:END id -->` in Markdown, the same
//! behind `#` elsewhere.
//!
//! A block begins and ends with a marker on a line of its own. Of markers that do not match only
//! complete pairs are ours; what else looks like one stays, and is reported.

use std::ops::Range;

use super::edit_record::{Doc, newline_of};
use super::{Note, Problem};

/// Comment syntax of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comment {
    /// `<!-- … -->`
    Html,
    /// `# …`
    Hash,
}

/// A block at the end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Comment syntax of its markers.
    pub comment: Comment,
    /// Tells it from other blocks of ours; one word. The ancestor's blocks have none.
    pub id: String,
    /// Text between the markers, lines ended by `\n`.
    pub body: String,
}

/// Most blocks looked for in one file.
const MAX_BLOCKS: usize = 100;

impl Block {
    fn marker(&self, word: &str) -> String {
        marker(self.comment, word, &self.id)
    }

    /// The block as text, without the end of its last line.
    pub(super) fn write(&self, newline: &str, indent: &str) -> String {
        let mut lines = vec![self.marker("START")];
        lines.extend(self.body.lines().map(str::to_owned));
        lines.push(self.marker("END"));
        let lines = lines.into_iter().map(|line| {
            if line.is_empty() {
                line
            } else {
                format!("{indent}{line}")
            }
        });
        lines.collect::<Vec<_>>().join(newline)
    }
}

fn marker(comment: Comment, word: &str, id: &str) -> String {
    let gap = if id.is_empty() { "" } else { " " };
    match comment {
        Comment::Html => format!("<!-- AICTX:{word}{gap}{id} -->"),
        Comment::Hash => format!("# AICTX:{word}{gap}{id}"),
    }
}

/// Complete blocks, and whether there are markers besides.
pub(super) fn find(text: &str, start: &str, end: &str) -> (Vec<Range<usize>>, bool) {
    let mut blocks = Vec::new();
    let mut opened = None;
    let mut stray = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare == start {
            // Of two beginnings the later one is nearer to the end.
            stray |= opened.is_some();
            opened = Some(at);
        } else if bare == end {
            match opened.take() {
                Some(from) if blocks.len() < MAX_BLOCKS => {
                    let line_end = line.trim_end_matches(['\n', '\r']).len();
                    blocks.push(from..at + line_end);
                }
                _ => stray = true,
            }
        }
        at += line.len();
    }
    (blocks, stray || opened.is_some())
}

pub(super) fn ensure(doc: &mut Doc, block: &Block, replace_ancestor: bool) -> Result<(), Problem> {
    if replace_ancestor {
        remove_all(
            doc,
            &marker(block.comment, "START", ""),
            &marker(block.comment, "END", ""),
        );
    } else {
        let (old, _) = find(
            doc.text(),
            &marker(block.comment, "START", ""),
            &marker(block.comment, "END", ""),
        );
        if !old.is_empty() && !block.id.is_empty() {
            doc.note(Note::Ancestor("a marked block".into()));
        }
    }
    let (blocks, stray) = find(doc.text(), &block.marker("START"), &block.marker("END"));
    if stray {
        doc.note(Note::Repaired(block.marker("START")));
    }
    // A block that is there keeps its line ends: with it the file's first one may be another.
    let newline = match blocks.first() {
        Some(first) => newline_of(doc.slice(first.clone())),
        None => doc.newline(),
    };
    let written = block.write(newline, "");
    match blocks.as_slice() {
        [] => append(doc, &written, newline),
        [first, rest @ ..] => {
            for more in rest.iter().rev() {
                cut(doc, more.clone());
            }
            doc.replace(first.clone(), &written);
        }
    }
    Ok(())
}

/// Puts a block at the end, behind a blank line. It ends as the file ended, with or without a line
/// end, so that taking it out leaves that as it was.
pub(super) fn append(doc: &mut Doc, written: &str, newline: &str) {
    let end = doc.text().len();
    let with = if end == 0 {
        format!("{written}{newline}")
    } else if doc.text().ends_with('\n') {
        format!("{newline}{written}{newline}")
    } else {
        format!("{newline}{newline}{written}")
    };
    doc.insert(end, &with);
}

/// Takes a block out, with the blank line before it and the end of its own last line.
pub(super) fn cut(doc: &mut Doc, block: Range<usize>) {
    let text = doc.text();
    let inside = text.get(block.clone()).unwrap_or_default();
    let newline = newline_of(inside);
    let mut range = block;
    let mut lines_before = 1;
    if text
        .get(range.end..)
        .is_some_and(|rest| rest.starts_with(newline))
    {
        range.end += newline.len();
    } else if range.end == text.len() {
        lines_before = 2;
    }
    let mut before = text.get(..range.start).unwrap_or_default();
    for _ in 0..lines_before {
        match before.strip_suffix(newline) {
            // A single line end is that of somebody's last line.
            Some(rest) if lines_before == 2 || rest.ends_with('\n') => before = rest,
            _ => break,
        }
    }
    range.start = before.len();
    doc.replace(range, "");
}

fn remove_all(doc: &mut Doc, start: &str, end: &str) {
    let (blocks, stray) = find(doc.text(), start, end);
    if stray && !blocks.is_empty() {
        doc.note(Note::Repaired(start.to_owned()));
    }
    for block in blocks.into_iter().rev() {
        cut(doc, block);
    }
}

pub(super) fn remove(doc: &mut Doc, block: &Block) -> Result<(), Problem> {
    remove_all(doc, &block.marker("START"), &block.marker("END"));
    Ok(())
}

/// All blocks of ours, whatever their ids.
pub(super) fn remove_every(doc: &mut Doc) {
    let mut ids: Vec<(Comment, String)> = Vec::new();
    for line in doc.text().lines().map(str::trim) {
        let html = line
            .strip_prefix("<!-- AICTX:START ")
            .and_then(|rest| rest.strip_suffix(" -->"))
            .map(|id| (Comment::Html, id));
        let hash = line
            .strip_prefix("# AICTX:START ")
            .map(|id| (Comment::Hash, id));
        // The ancestor's blocks in ignore and attribute files bear names, too.
        if let Some((comment, id)) = html.or(hash)
            && !matches!(id, "gitignore" | "gitattributes")
            && ids.len() < MAX_BLOCKS
        {
            ids.push((comment, id.to_owned()));
        }
    }
    for (comment, id) in ids {
        remove_all(
            doc,
            &marker(comment, "START", &id),
            &marker(comment, "END", &id),
        );
    }
}

/// Comments of the ancestor outside of its blocks, with the lines that it writes behind each.
const ANCESTOR_HEADS: [(&str, &[&str]); 3] = [
    (
        "# AICTX managed Claude repo integration",
        &[".claude/", "CLAUDE.md"],
    ),
    (
        "# AICTX managed fallback docs for stronger repo instruction loading",
        &["project_doc_fallback_filenames = [\"CLAUDE.md\"]"],
    ),
    (
        "# AICTX managed mandatory Codex developer instructions",
        &[],
    ),
];

/// Lines the ancestor put outside of its blocks: comments that name it with the blank line before and
/// the lines behind them, and a setting of Codex that names a file of its own, without which Codex
/// does not start.
fn remove_ancestor_lines(doc: &mut Doc) {
    let mut at = 0;
    let mut following: &[&str] = &[];
    let mut left = 0;
    let mut blank = None;
    let mut cuts = Vec::new();
    for line in doc.text().split_inclusive('\n') {
        let bare = line.trim();
        let range = at..at + line.len();
        at += line.len();
        let codex = bare
            .strip_prefix("model_instructions_file")
            .is_some_and(|rest| rest.trim_end().ends_with("AICTX_Codex.md\""));
        let head = ANCESTOR_HEADS.iter().find(|(head, _)| *head == bare);
        let before = blank.take();
        if let Some((_, lines)) = head {
            following = lines;
            left = lines.len();
            cuts.extend(before);
            cuts.push(range);
        } else if codex || left > 0 && following.contains(&bare) {
            left = left.saturating_sub(1);
            cuts.push(range);
        } else {
            left = 0;
            blank = bare.is_empty().then_some(range);
        }
    }
    for cut in cuts.into_iter().rev() {
        doc.replace(cut, "");
    }
}

/// The ancestor's blocks: Markdown, ignore and attribute files, and its table in Codex's settings.
pub(super) fn remove_ancestor(doc: &mut Doc) -> Result<(), Problem> {
    for (start, end) in [
        ("<!-- AICTX:START -->", "<!-- AICTX:END -->"),
        ("# AICTX:START gitignore", "# AICTX:END gitignore"),
        ("# AICTX:START gitattributes", "# AICTX:END gitattributes"),
        ("# <AICTX:START mcp>", "# <AICTX:END mcp>"),
    ] {
        remove_all(doc, start, end);
    }
    remove_ancestor_lines(doc);
    Ok(())
}
