//! One walk over a syntax tree, from definition to definition.

use tree_sitter::{Node, Tree, TreeCursor};

use crate::facts::{Definition, Kind};

use super::fact_builder::{Draft, New, slice};
use super::skip_bodies::Outlined;
use super::table::{Act, Def, Field, Table, Then};

/// Deepest nesting that is followed. Deeper trees are data or made to hurt.
const MAX_DEPTH: usize = 128;

/// Where the walk is: one level of the tree.
struct Frame<'t> {
    /// The node whose children are visited.
    node: Node<'t>,
    /// What they are in.
    container: Option<u32>,
    /// Name of the type they belong to, see [`Then::Of`].
    owner: Option<(usize, usize)>,
    /// Comment read last, if nothing came after it.
    comment: Option<Comment>,
    /// First byte of the attributes read last.
    attributes: Option<usize>,
    /// First byte and row of the wrapper.
    start: Option<(usize, usize)>,
    /// True if something was defined here: the wrapper's beginning belongs to the first.
    defined: bool,
    /// Last row of the child read last.
    last_row: Option<usize>,
    /// Inside something the parser did not understand.
    broken: bool,
    /// What follows here is private.
    hidden: bool,
}

/// Last row of a comment that stands above a wrapper: nothing in it is too far away.
const ABOVE_ALL: usize = usize::MAX - 1;

#[derive(Clone, Copy)]
struct Comment {
    start: usize,
    end: usize,
    /// Row that what it documents may start below.
    last_row: usize,
}

/// What a tree was made of.
#[derive(Clone, Copy)]
pub(super) enum Seen<'s> {
    /// A source.
    Source(&'s [u8]),
    /// A source's outline.
    Outline(&'s [u8], &'s Outlined),
}

/// A walk over one tree. `'t` is the tree and the source, `'d` the draft.
pub(super) struct Walk<'t, 'd> {
    pub(super) source: &'t [u8],
    /// The source as it was, where `source` is an outline of it.
    written: Option<(&'t [u8], &'t Outlined)>,
    pub(super) draft: &'d mut Draft,
    table: &'d Table,
    frames: Vec<Frame<'t>>,
    spare: TreeCursor<'t>,
}

/// Walks a tree.
pub(super) fn walk(table: &Table, tree: &Tree, seen: Seen<'_>, draft: &mut Draft) {
    let root = tree.root_node();
    let mut cursor = tree.walk();
    let (source, written) = match seen {
        Seen::Source(source) => (source, None),
        Seen::Outline(source, outlined) => (outlined.text.as_slice(), Some((source, outlined))),
    };
    let mut walk = Walk {
        source,
        written,
        draft,
        table,
        frames: vec![Frame {
            node: root,
            container: None,
            owner: None,
            comment: None,
            attributes: None,
            start: None,
            last_row: None,
            broken: root.is_error(),
            hidden: false,
            defined: false,
        }],
        spare: tree.walk(),
    };
    if cursor.goto_first_child() {
        'walk: loop {
            let node = cursor.node();
            let frame = walk.visit(node);
            if let Some(frame) = frame
                && walk.frames.len() < MAX_DEPTH
                && cursor.goto_first_child()
            {
                walk.frames.push(frame);
                continue;
            }
            while !cursor.goto_next_sibling() {
                walk.leave();
                if walk.frames.is_empty() || !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
    }
    walk.frames.clear();
    if let Some(finish) = table.spec.finish {
        finish(&mut walk);
    }
}

impl<'t> Walk<'t, '_> {
    /// Looks at a node; a frame where its children are to be visited.
    fn visit(&mut self, node: Node<'t>) -> Option<Frame<'t>> {
        let kind = node.kind_id();
        let then = match self.table.act(kind) {
            None if kind == u16::MAX => {
                let mut frame = self.frame(node, Then::Into);
                frame.broken = true;
                self.passed(node);
                return Some(frame);
            }
            None => Then::Skip,
            Some(Act::Comment) => {
                self.comment(node);
                return None;
            }
            Some(Act::Attribute) => {
                self.attribute(node);
                return None;
            }
            Some(Act::Modifiers) => return None,
            Some(Act::Into) => Then::Into,
            Some(Act::Wrap) => Then::Wrap,
            Some(Act::Define(def)) => self.rule(node, &def),
            Some(Act::With(look)) => look(self, node),
        };
        let frame = match then {
            Then::Skip => None,
            Then::Comment => return None,
            then => Some(self.frame(node, then)),
        };
        self.passed(node);
        frame
    }

    fn frame(&mut self, node: Node<'t>, then: Then) -> Frame<'t> {
        let row = node.start_position().row;
        let mut frame = Frame {
            node,
            container: self.container(),
            owner: None,
            comment: None,
            attributes: None,
            start: None,
            last_row: None,
            broken: false,
            hidden: false,
            defined: false,
        };
        let mut start = None;
        if matches!(then, Then::Wrap) {
            start = Some(self.start_of(node, true));
        }
        if let Some(outer) = self.frames.last() {
            frame.broken = outer.broken;
            match then {
                Then::Within(container) => frame.container = Some(container),
                Then::Of(from, to) => frame.owner = Some((from, to)),
                _ => frame.owner = outer.owner,
            }
            if matches!(then, Then::Wrap) {
                frame.start = outer.start.or(start);
                frame.attributes = outer.attributes;
                frame.comment = outer.comment.filter(|it| it.last_row + 1 >= row);
                if let Some(comment) = &mut frame.comment {
                    // It stands above whatever is in here.
                    comment.last_row = ABOVE_ALL;
                }
            }
        }
        frame
    }

    /// All children have been dealt with.
    fn leave(&mut self) {
        let left = self.frames.pop();
        // A comment behind the last of them may speak about what comes next.
        if let (Some(left), Some(frame)) = (left, self.frames.last_mut())
            && left.start.is_none()
        {
            frame.comment = frame.comment.or(left.comment);
        }
    }

    /// A child has been dealt with.
    fn passed(&mut self, node: Node<'t>) {
        let row = last_row(node);
        let named = node.is_named();
        if let Some(frame) = self.frames.last_mut() {
            frame.last_row = Some(row);
            // A wrapper's comment is for all that it wraps; commas do not part comment and item.
            if named && frame.start.is_none() {
                frame.comment = None;
                frame.attributes = None;
            }
        }
    }

    /// Keeps a comment: the next definition may be what it speaks about.
    pub(super) fn comment(&mut self, node: Node<'t>) {
        self.comment_from(node, node.start_byte());
    }

    /// Keeps what of a comment begins at `start`.
    pub(super) fn comment_from(&mut self, node: Node<'t>, start: usize) {
        let first = node.start_position().row;
        let (end, last_row) = (node.end_byte(), last_row(node));
        let block = slice(self.source, start..end).starts_with(b"/*");
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if frame.last_row == Some(first) {
            // Behind something: it speaks about that.
            return;
        }
        match &mut frame.comment {
            Some(it) if it.last_row.saturating_add(1) == first && !block => {
                it.end = end;
                it.last_row = last_row;
            }
            _ => {
                frame.comment = Some(Comment {
                    start,
                    end,
                    last_row,
                });
            }
        }
    }

    /// Notes an attribute: what stands above it belongs to what follows.
    pub(super) fn attribute(&mut self, node: Node<'t>) {
        let first = node.start_position().row;
        let last_row = last_row(node);
        if let Some(frame) = self.frames.last_mut() {
            frame.attributes.get_or_insert(node.start_byte());
            if let Some(comment) = &mut frame.comment
                && comment.last_row.saturating_add(1) >= first
            {
                comment.last_row = comment.last_row.max(last_row);
            }
        }
    }

    /// First byte and row of a node without its attributes; with `through`, also without those of
    /// what it begins with.
    fn start_of(&mut self, node: Node<'t>, through: bool) -> (usize, usize) {
        let own = (node.start_byte(), node.start_position().row);
        self.spare.reset(node);
        if !self.spare.goto_first_child() {
            return own;
        }
        let mut inside = false;
        loop {
            let child = self.spare.node();
            match self.table.act(child.kind_id()) {
                Some(Act::Attribute | Act::Comment) => {}
                Some(Act::Modifiers) if !inside && self.spare.goto_first_child() => {
                    inside = true;
                    continue;
                }
                Some(_) if through && !inside && self.spare.goto_first_child() => continue,
                _ => return (child.start_byte(), child.start_position().row),
            }
            if self.spare.goto_next_sibling() {
                continue;
            }
            if !inside || !self.spare.goto_parent() || !self.spare.goto_next_sibling() {
                return own;
            }
            inside = false;
        }
    }

    fn rule(&mut self, node: Node<'t>, def: &Def) -> Then {
        let [name, body] = self.table.parts(node);
        let found = name.and_then(|name| self.define(def.kind, node, name, body));
        if def.declares
            && body.is_none()
            && let Some(index) = found
        {
            self.edit(index, |it| it.declared_only = true);
        }
        match found {
            _ if !def.inside => Then::Skip,
            Some(index) => Then::Within(index),
            None => Then::Into,
        }
    }

    /// Adds the definition that `node` is, named by the text of `name`; its signature ends where
    /// `body` begins.
    pub(super) fn define(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        name: Node<'t>,
        body: Option<Node<'t>>,
    ) -> Option<u32> {
        let name = self.text(name);
        self.define_as(kind, node, name, body.map(|it| it.start_byte()))
    }

    /// [`Walk::define`] with a name that is no node, and a body that is a place.
    pub(super) fn define_as(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        name: &[u8],
        body: Option<usize>,
    ) -> Option<u32> {
        let frame = self.frames.last()?;
        if frame.broken && matches!(kind, Kind::Variable | Kind::Constant) {
            // Pieces of a body, most of the time.
            return None;
        }
        let (container, owner) = (frame.container, frame.owner);
        let later = |row: usize| frame.defined && row < node.start_position().row;
        let (start, row) = match frame.start {
            Some((at, row)) if !later(row) => (at, row),
            _ => self.start_of(node, false),
        };
        let kind = if kind == Kind::Function && (owner.is_some() || self.in_type()) {
            Kind::Method
        } else {
            kind
        };
        let exported = (self.table.spec.exported)(self, node, name);
        let end = body.unwrap_or(node.end_byte()).max(start);
        let index = self.draft.push(&New {
            kind,
            name,
            signature: match self.written {
                Some((source, outlined)) => outlined.written(source, start..end),
                None => slice(self.source, start..end),
            },
            container,
            line: line(row),
            end_line: line(last_row(node)),
            exported,
            declared_only: false,
        })?;
        if let Some(frame) = self.frames.last_mut() {
            frame.defined = true;
            if frame.start.is_some_and(|(_, first)| first < row) {
                frame.comment = frame.comment.filter(|it| it.last_row < ABOVE_ALL);
            }
        }
        let inner = self.table.spec.inner_doc.and_then(|find| find(node));
        let doc = match inner {
            Some(doc) => Some((doc.start_byte(), doc.end_byte())),
            None => self.comment_above(node),
        };
        if let Some((from, to)) = doc {
            self.draft.document(index, slice(self.source, from..to));
        }
        if let Some((from, to)) = owner {
            self.draft.bind(index, slice(self.source, from..to));
        }
        Some(index)
    }

    /// The comment right above a node.
    fn comment_above(&self, node: Node<'t>) -> Option<(usize, usize)> {
        let comment = self.frames.last()?.comment?;
        let row = node.start_position().row;
        (comment.last_row.saturating_add(1) >= row).then_some((comment.start, comment.end))
    }

    /// Changes a definition just made.
    pub(super) fn edit(&mut self, index: u32, change: impl FnOnce(&mut Definition)) {
        if let Some(definition) = self.draft.get_mut(index) {
            change(definition);
        }
    }

    /// Adds an import that `node` makes.
    pub(super) fn import(&mut self, module: &[u8], node: Node<'t>) {
        self.draft.import(module, line(node.start_position().row));
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'t [u8] {
        slice(self.source, node.byte_range())
    }

    /// The child of a node in a field.
    pub(super) fn part<'n>(&self, node: Node<'n>, field: Field) -> Option<Node<'n>> {
        self.table.child(node, field)
    }

    /// The number of a field, where the grammar has it.
    pub(super) fn number(&self, field: Field) -> Option<std::num::NonZeroU16> {
        self.table.field(field)
    }

    /// The text of a node; empty where there is none.
    pub(super) fn text_of(&self, node: Option<Node<'_>>) -> &'t [u8] {
        node.map_or(&[], |it| self.text(it))
    }

    /// The text of a field of a node; empty where it has none.
    pub(super) fn field(&self, node: Node<'_>, name: &str) -> &'t [u8] {
        node.child_by_field_name(name)
            .map_or(&[], |it| self.text(it))
    }

    /// What is around the children that are visited.
    pub(super) fn container(&self) -> Option<u32> {
        self.frames.last().and_then(|frame| frame.container)
    }

    /// The node whose children are visited, and with 1 the one around it, and so on.
    pub(super) fn around(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.frames.len().checked_sub(levels + 1)?;
        self.frames.get(at).map(|frame| frame.node)
    }

    /// Kind of the container.
    pub(super) fn container_kind(&self) -> Option<Kind> {
        self.draft.get(self.container()?).map(|it| it.kind)
    }

    /// How many of the nodes around are of one of these kinds.
    pub(super) fn count(&self, kinds: &[&str]) -> usize {
        let around = self.frames.iter();
        around.filter(|it| kinds.contains(&it.node.kind())).count()
    }

    /// Returns true if what is found here is part of a type.
    pub(super) fn in_type(&self) -> bool {
        matches!(
            self.container_kind(),
            Some(
                Kind::Class
                    | Kind::Struct
                    | Kind::Enum
                    | Kind::Interface
                    | Kind::Trait
                    | Kind::Type
            )
        )
    }

    /// From here to the end of what is around, definitions are private, or are again not.
    pub(super) fn hide(&mut self, hidden: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.hidden = hidden;
        }
    }

    /// Returns true if [`Walk::hide`] was called for what is visited, or for the whole file.
    pub(super) fn hidden(&self) -> bool {
        let first = self.frames.first();
        first.is_some_and(|it| it.hidden) || self.frames.last().is_some_and(|it| it.hidden)
    }

    /// Returns true if the parser stumbled over what is around.
    pub(super) fn broken(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.broken)
    }

    /// Source of the attributes above a node.
    pub(super) fn attributes(&self, node: Node<'t>) -> &'t [u8] {
        match self.frames.last().and_then(|frame| frame.attributes) {
            Some(from) => slice(self.source, from..node.start_byte()),
            None => &[],
        }
    }

    /// Calls `each` with the children of a node, in order, until it says `false`.
    pub(super) fn children(
        &mut self,
        node: Node<'t>,
        mut each: impl FnMut(&mut Self, Node<'t>) -> bool,
    ) {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            more = each(self, cursor.node()) && cursor.goto_next_sibling();
        }
    }

    /// The first child of a kind.
    pub(super) fn child(&self, node: Node<'t>, kind: &str) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|it| it.kind() == kind)
    }
}

/// Last row that has any text of the node: one that ends with its line break ends in that line.
fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    }
}

/// Line of a row.
fn line(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}
