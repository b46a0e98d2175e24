//! Zig: types are values of constants.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    ..Spec::new(
        || tree_sitter_zig::LANGUAGE.into(),
        &[
            ("comment", Act::With(comment)),
            ("variable_declaration", Act::With(variable)),
            ("function_declaration", Act::With(function)),
            ("struct_declaration", Act::Into),
            ("enum_declaration", Act::Into),
            ("union_declaration", Act::Into),
            ("opaque_declaration", Act::Into),
            ("container_field", Act::With(field)),
            ("test_declaration", Act::With(test)),
            ("block", Act::Into),
            ("expression_statement", Act::Into),
            ("return_expression", Act::Into),
        ],
    )
};

/// `//!` speaks about the file.
fn comment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if !walk.text(node).starts_with(b"//!") {
        walk.comment(node);
    }
    Then::Comment
}

fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    let first = node.child(0).map_or(&b""[..], |it| walk.text(it));
    matches!(first, b"pub" | b"export" | b"extern") || node.kind() == "container_field"
}

fn variable<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    // Bodies are entered for the type that they return, not for their variables.
    if walk.around(0).is_some_and(|it| it.kind() == "block") {
        return Then::Skip;
    }
    let Some(name) = part(node, &["identifier"]) else {
        return Then::Skip;
    };
    let value = node
        .named_child(node.named_child_count().saturating_sub(1) as u32)
        .filter(|it| it.start_byte() > name.start_byte());
    let kind = match value.map(|it| it.kind()) {
        Some("struct_declaration" | "union_declaration" | "opaque_declaration") => Kind::Struct,
        Some("enum_declaration" | "error_set_declaration") => Kind::Enum,
        Some("builtin_function") if import(walk, node, value) => return Then::Skip,
        _ if part(node, &["const"]).is_some() => Kind::Constant,
        _ => Kind::Variable,
    };
    let body = value.filter(|_| matches!(kind, Kind::Struct | Kind::Enum));
    let body = body.and_then(|it| part(it, &["{"]));
    match walk.define(kind, node, name, body) {
        Some(index) if matches!(kind, Kind::Struct | Kind::Enum) => Then::Within(index),
        _ => Then::Skip,
    }
}

fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>, value: Option<Node<'t>>) -> bool {
    let text = value.map_or(&b""[..], |it| walk.text(it));
    let Some(rest) = text.strip_prefix(b"@import(") else {
        return false;
    };
    let path = rest.strip_suffix(b")").unwrap_or(rest);
    walk.import(unquoted(path), node);
    true
}

/// A function that returns a type is what other languages call a generic type.
fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let index = walk.define(Kind::Function, node, name, body);
    if let Some(index) = index {
        walk.edit(index, |it| it.declared_only = body.is_none());
        if walk.field(node, "type") == b"type" {
            return Then::Within(index);
        }
    }
    Then::Skip
}

fn field<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let variant = walk
        .around(0)
        .is_some_and(|it| it.kind() == "enum_declaration");
    if variant && let Some(name) = node.named_child(0) {
        walk.define(Kind::Constant, node, name, None);
    }
    Then::Skip
}

fn test<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["string", "identifier"]) {
        let end = part(node, &["block"]).map(|it| it.start_byte());
        walk.define_as(Kind::Test, node, unquoted(walk.text(name)), end);
    }
    Then::Skip
}
