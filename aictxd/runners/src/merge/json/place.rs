//! Exact positions at which entries are inserted and removed.
//!
//! What goes in behind a value takes the comma with it, stays behind that value's comment, and
//! keeps or leaves out a trailing comma as the list does; taking it out reverses just that.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::Ranged;
use serde_json::Value;

use crate::merge::edit_record::Doc;
use crate::merge::json_style::Style;
use crate::merge::trivia::{between, has_line_end, indent_at};

/// Positions of the parts of an object or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    /// Behind the opening bracket.
    open: usize,
    /// Before the closing one.
    close: usize,
    /// Members or elements.
    parts: Vec<Range<usize>>,
}

impl Container {
    pub(super) fn of_list(list: &Array<'_>) -> Self {
        let parts = list.elements.iter().map(|part| part.start()..part.end());
        Self::new(list.range.start, list.range.end, parts.collect())
    }

    pub(super) fn of_object(object: &Object<'_>) -> Self {
        let parts = object.properties.iter();
        let parts = parts.map(|part| part.range.start..part.range.end);
        Self::new(object.range.start, object.range.end, parts.collect())
    }

    fn new(start: usize, end: usize, parts: Vec<Range<usize>>) -> Self {
        Self {
            open: start + 1,
            close: end.saturating_sub(1),
            parts,
        }
    }
}

/// Inserted content.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot<'a> {
    Element(&'a Value),
    Member(&'a str, &'a Value),
}

impl Slot<'_> {
    fn write(&self, style: &Style, indent: Option<&str>) -> String {
        match self {
            Self::Element(value) => style.value(value, indent),
            Self::Member(name, value) => style.member(name, value, indent),
        }
    }
}

/// The style of a text: one step of indentation is that of the first member on a line of its own.
fn style(doc: &Doc) -> Style {
    let text = doc.text();
    let root = text.find('{').map_or(0, |open| open + 1);
    let inside = text.get(root..).unwrap_or_default();
    let mut indents = inside.split('\n').skip(1).filter_map(|line| {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - rest.len())?;
        (rest.starts_with(['"', '\'']) && !indent.is_empty()).then_some(indent)
    });
    let tight = text.find("\":").and_then(|at| text.get(at + 2..));
    let tight = tight.is_some_and(|rest| !rest.starts_with([' ', '\t', '\n', '\r']));
    Style {
        newline: doc.newline(),
        unit: indents.next().unwrap_or("  ").to_owned(),
        gap: if tight { "" } else { " " },
    }
}

/// Returns true if the parts of a container stand on lines of their own; what is empty follows the root.
fn is_tall(doc: &Doc, container: &Container) -> bool {
    let text = doc.text();
    match container.parts.first() {
        Some(first) => has_line_end(text, container.open, first.start),
        None => {
            // A document on a single line stays one.
            let body = text.trim_matches(|c: char| c.is_whitespace());
            let small = matches!(body.len(), 0..=2);
            small || has_line_end(body, 0, body.len())
        }
    }
}

/// Puts something behind the last part.
pub(super) fn append(doc: &mut Doc, container: &Container, slot: Slot<'_>) {
    let style = style(doc);
    let tall = is_tall(doc, container);
    let Some(last) = container.parts.last() else {
        return fill(doc, container, slot, &style, tall);
    };
    let text = doc.text();
    let trivia = between(text, last.end, container.close);
    let indent = tall.then(|| indent_at(text, last.start).to_owned());
    let written = slot.write(&style, indent.as_deref());
    let before = match &indent {
        Some(indent) => format!("{}{indent}", style.newline),
        None if trivia.open => style.newline.to_owned(),
        None => style.gap.to_owned(),
    };
    if trivia.comma.is_some() {
        doc.insert(trivia.end, &format!("{before}{written},"));
    } else if trivia.end == last.end {
        doc.insert(trivia.end, &format!(",{before}{written}"));
    } else {
        doc.insert(trivia.end, &format!("{before}{written}"));
        doc.insert(last.end, ",");
    }
}

/// Puts something into an empty container.
fn fill(doc: &mut Doc, container: &Container, slot: Slot<'_>, style: &Style, tall: bool) {
    let text = doc.text();
    let trivia = between(text, container.open, container.close);
    let outer = indent_at(text, container.open.saturating_sub(1)).to_owned();
    let inner = format!("{outer}{}", style.unit);
    let tall = tall || trivia.open;
    let mut written = slot.write(style, tall.then_some(inner.as_str()));
    if tall {
        written = format!("{}{inner}{written}", style.newline);
        if !has_line_end(text, trivia.end, container.close) {
            written = format!("{written}{}{outer}", style.newline);
        }
    }
    doc.insert(trivia.end, &written);
}

/// Replaces a value.
pub(super) fn replace(doc: &mut Doc, range: Range<usize>, value: &Value) {
    let style = style(doc);
    let tall = has_line_end(doc.text(), range.start, range.end)
        || has_line_end(doc.text(), 0, range.start);
    let indent = indent_at(doc.text(), range.start).to_owned();
    let written = style.value(value, tall.then_some(indent.as_str()));
    doc.replace(range, &written);
}

/// Takes a part out.
pub(super) fn remove(doc: &mut Doc, container: &Container, at: usize) {
    let Some(part) = container.parts.get(at).cloned() else {
        return;
    };
    let previous = at.checked_sub(1).and_then(|at| container.parts.get(at));
    let next = container.parts.get(at + 1);
    let text = doc.text();
    let before = between(text, previous.map_or(container.open, |p| p.end), part.start);
    let behind = between(text, part.end, next.map_or(container.close, |n| n.start));
    // Which comma goes: its own; without one, as the last part, that of the part before it.
    let own = behind.comma;
    let foreign = before.comma.filter(|_| own.is_none());
    let mut end = part.end;
    if own == Some(part.end) {
        end += 1;
    }
    let mut start = before.end;
    if let Some(comma) = foreign
        && comma + 1 == start
    {
        start = comma;
    }
    // What follows must not end up behind a comment to the end of its line.
    let rest = text.get(end..).unwrap_or_default();
    let blank = rest.len() - rest.trim_start().len();
    if before.open && !has_line_end(text, end, end + blank) {
        start = part.start;
    }
    let apart: Vec<Range<usize>> = [
        own.filter(|comma| *comma != part.end),
        foreign.filter(|comma| *comma < start),
    ]
    .into_iter()
    .flatten()
    .map(|comma| comma..comma + 1)
    .collect();
    if container.parts.len() == 1 && own.is_none() && start == container.open {
        // What is empty now closes on its own line again.
        let outer = indent_at(text, container.open.saturating_sub(1));
        let left = text.get(end..container.close).unwrap_or_default();
        let ending = left.strip_suffix(outer).unwrap_or(left);
        if matches!(ending, "\n" | "\r\n") {
            end = container.close;
        }
    }
    // From the back, so that offsets stay right.
    let (behind_it, before_it): (Vec<_>, Vec<_>) =
        apart.into_iter().partition(|comma| comma.start >= end);
    for comma in behind_it {
        doc.replace(comma, "");
    }
    doc.replace(start..end, "");
    for comma in before_it {
        doc.replace(comma, "");
    }
}
