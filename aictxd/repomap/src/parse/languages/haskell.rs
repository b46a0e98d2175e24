//! Haskell.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::part;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, _, _| walk.container().is_some() || !walk.hidden(),
    ..Spec::new(
        || tree_sitter_haskell::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("haddock", Act::Comment),
            ("header", Act::With(header)),
            ("imports", Act::Into),
            ("import", Act::With(import)),
            ("declarations", Act::Into),
            ("data_type", Act::With(data)),
            ("newtype", Act::With(data)),
            ("data_constructors", Act::Into),
            ("data_constructor", Act::With(constructor)),
            ("gadt_constructors", Act::Into),
            ("gadt_constructor", def(Kind::Constant).leaf()),
            ("newtype_constructor", def(Kind::Constant).leaf()),
            ("type_synonym", Act::With(synonym)),
            ("class", def(Kind::Trait).body("declarations").open()),
            ("class_declarations", Act::Into),
            ("instance", Act::With(instance)),
            ("instance_declarations", Act::Into),
            ("signature", Act::With(signature)),
            ("function", Act::With(function)),
            ("bind", Act::With(function)),
            ("foreign_import", Act::With(foreign)),
        ],
    )
};

/// Reads the export list of a module.
fn header<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("module") {
        walk.define(
            Kind::Module,
            node,
            name,
            Some(name).and_then(|it| it.next_sibling()),
        );
        walk.draft.export(walk.text(name));
    }
    if let Some(list) = node.child_by_field_name("exports") {
        walk.hide(true);
        walk.children(list, |walk, child| {
            if let Some(name) = child.named_child(0) {
                walk.draft.export(walk.text(name));
            }
            true
        });
    }
    Then::Skip
}

fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = walk.field(node, "module");
    walk.import(name, node);
    Then::Skip
}

fn data<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = ["constructors", "constructor"]
        .iter()
        .find_map(|it| node.child_by_field_name(it));
    let kind = match body {
        Some(it) if it.named_child_count() > 1 && node.kind() == "data_type" => Kind::Enum,
        _ => Kind::Struct,
    };
    match walk.define(kind, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Skip,
    }
}

/// `A b`, `A { c :: b }` and `a :+ b`.
fn constructor<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let inner = node.child_by_field_name("constructor");
    let name = inner.and_then(|it| {
        it.child_by_field_name("name")
            .or_else(|| part(it, &["constructor", "constructor_operator"]))
    });
    if let Some(name) = name {
        walk.define(Kind::Constant, node, name, None);
    }
    Then::Skip
}

fn synonym<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(Kind::Type, node, name, None);
    }
    Then::Skip
}

/// Assigns the members of an instance to its type.
fn instance<'t>(_: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = node
        .child_by_field_name("patterns")
        .and_then(|it| it.named_child(0));
    match name {
        Some(it) if it.kind() == "name" => Then::Of(it.start_byte(), it.end_byte()),
        _ => Then::Into,
    }
}

/// The type of a function; what follows is the function itself.
fn signature<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let names = node.child_by_field_name("names").unwrap_or(node);
    walk.children(names, |walk, child| {
        if matches!(child.kind(), "variable" | "prefix_id") {
            let text = walk.text(child);
            let name = text.strip_prefix(b"(").unwrap_or(text);
            let name = name.strip_suffix(b")").unwrap_or(name);
            if let Some(index) = walk.define_as(Kind::Function, node, name, None) {
                walk.edit(index, |it| it.declared_only = true);
            }
        }
        child.kind() != "::"
    });
    Then::Skip
}

/// Equations of one function stand together, below its type, and count once.
fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = node.child_by_field_name("name").or_else(|| {
        let infix = part(node, &["infix"])?;
        infix.child_by_field_name("operator")
    });
    let Some(name) = name else { return Then::Skip };
    let text = walk.text(name);
    let count = walk.draft.facts.definitions.len();
    // One type may be for several functions.
    for last in count.saturating_sub(4)..count {
        let Ok(last) = u32::try_from(last) else {
            continue;
        };
        let same = walk.draft.get(last).is_some_and(|it| {
            it.container == walk.container() && matches!(it.kind, Kind::Function | Kind::Method)
        });
        if same && walk.draft.name_of(last).as_bytes() == text {
            let end = u32::try_from(node.end_position().row + 1).unwrap_or(u32::MAX);
            let class = walk.container_kind() == Some(Kind::Trait);
            walk.edit(last, |it| {
                it.end_line = end.max(it.line);
                it.declared_only &= class;
            });
            return Then::Skip;
        }
    }
    let end = node.child_by_field_name("match").map(|it| it.start_byte());
    walk.define_as(Kind::Function, node, text, end);
    Then::Skip
}

fn foreign<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node
        .child_by_field_name("signature")
        .and_then(|it| it.child_by_field_name("name"))
    {
        walk.define(Kind::Function, node, name, None);
    }
    Then::Skip
}
