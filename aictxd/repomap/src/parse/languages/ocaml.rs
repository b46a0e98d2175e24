//! OCaml: implementations and interfaces.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::part;

pub(in crate::parse) static SPEC: Spec =
    Spec::new(|| tree_sitter_ocaml::LANGUAGE_OCAML.into(), NODES);

pub(in crate::parse) static INTERFACE: Spec =
    Spec::new(|| tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into(), NODES);

/// Documentation stands above, or below with an empty line behind it.
fn comment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = walk.text(node);
    let last = walk.draft.facts.definitions.len().checked_sub(1);
    let row = node.start_position().row;
    let after = walk.source.get(node.end_byte()..).unwrap_or(&[]);
    let alone = after.trim_ascii().is_empty() || after.starts_with(b"\n\n");
    if let Some(last) = last.and_then(|it| u32::try_from(it).ok())
        && text.starts_with(b"(**")
        && alone
        && walk
            .draft
            .get(last)
            .is_some_and(|it| it.doc.len == 0 && it.end_line as usize == row)
    {
        walk.draft.document(last, text);
        return Then::Comment;
    }
    walk.comment(node);
    Then::Comment
}

const NODES: &[(&str, Act)] = &[
    ("comment", Act::With(comment)),
    ("open_module", Act::With(open)),
    ("include_module", Act::With(open)),
    ("type_definition", Act::Wrap),
    ("type_binding", Act::With(type_binding)),
    ("variant_declaration", Act::Into),
    ("constructor_declaration", Act::With(constructor)),
    ("exception_definition", Act::Wrap),
    ("value_definition", Act::Wrap),
    ("let_binding", Act::With(binding)),
    ("value_specification", Act::With(specification)),
    ("external", Act::With(specification)),
    ("module_definition", Act::Wrap),
    ("module_binding", Act::With(module)),
    ("module_type_definition", Act::With(module_type)),
    ("structure", Act::Into),
    ("signature", Act::Into),
    ("class_definition", Act::Wrap),
    ("class_binding", Act::With(class)),
    ("object_expression", Act::Into),
    ("method_definition", Act::With(method)),
];

fn open<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(path) = node.child_by_field_name("module")
        && path.kind() == "module_path"
    {
        let text = walk.text(path);
        walk.import(text, node);
    }
    Then::Skip
}

fn type_binding<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let kind = match body.map(|it| it.kind()) {
        Some("variant_declaration") => Kind::Enum,
        Some("record_declaration") => Kind::Struct,
        _ => Kind::Type,
    };
    match walk.define(kind, node, name, body.filter(|_| kind != Kind::Type)) {
        Some(index) => Then::Within(index),
        None => Then::Skip,
    }
}

/// A variant, or an exception.
fn constructor<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["constructor_name"]) {
        let kind = if walk.in_type() {
            Kind::Constant
        } else {
            Kind::Type
        };
        walk.define(kind, node, name, None);
    }
    Then::Skip
}

fn binding<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("pattern") else {
        return Then::Skip;
    };
    let text = match name.kind() {
        "value_name" => walk.text(name),
        "parenthesized_operator" => name.named_child(0).map_or(&b""[..], |it| walk.text(it)),
        _ => return Then::Skip,
    };
    let body = node.child_by_field_name("body");
    let function = part(node, &["parameter"]).is_some()
        || body.is_some_and(|it| matches!(it.kind(), "function_expression" | "fun_expression"));
    let kind = if function {
        Kind::Function
    } else {
        Kind::Constant
    };
    let long = body.is_some_and(|it| it.end_position().row > it.start_position().row);
    let end = body.filter(|_| function || long).map(|it| it.start_byte());
    walk.define_as(kind, node, text, end);
    Then::Skip
}

fn specification<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let function = node
        .child_by_field_name("type")
        .is_none_or(|it| it.kind() == "function_type");
    let kind = if function {
        Kind::Function
    } else {
        Kind::Constant
    };
    if let Some(name) = part(node, &["value_name"])
        && let Some(index) = walk.define(kind, node, name, None)
    {
        walk.edit(index, |it| it.declared_only = true);
    }
    Then::Skip
}

fn module<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = part(node, &["module_name"]) else {
        return Then::Into;
    };
    let body = node
        .child_by_field_name("body")
        .or_else(|| node.child_by_field_name("module_type"))
        .filter(|it| matches!(it.kind(), "structure" | "signature"));
    match walk.define(Kind::Module, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn module_type<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = part(node, &["module_type_name"]) else {
        return Then::Into;
    };
    let body = node.child_by_field_name("body");
    match walk.define(Kind::Interface, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = part(node, &["class_name"]) else {
        return Then::Into;
    };
    match walk.define(Kind::Class, node, name, node.child_by_field_name("body")) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let private = part(node, &["private"]).is_some();
    if let Some(name) = part(node, &["method_name"]) {
        let body = node.child_by_field_name("body");
        if let Some(index) = walk.define(Kind::Method, node, name, body) {
            walk.edit(index, |it| it.exported = !private);
        }
    }
    Then::Skip
}
