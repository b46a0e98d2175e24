//! Lua.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    ..Spec::new(
        || tree_sitter_lua::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("function_declaration", Act::With(function)),
            ("variable_declaration", Act::Wrap),
            ("assignment_statement", Act::With(assignment)),
            ("expression_list", Act::Into),
            ("table_constructor", Act::Into),
            ("field", Act::With(field)),
            ("function_call", Act::With(call)),
            ("arguments", Act::Into),
            ("function_definition", Act::Into),
            ("block", Act::Into),
            ("if_statement", Act::Into),
            ("do_statement", Act::Into),
        ],
    )
};

fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    let outer = walk.around(0).map_or("", |it| it.kind());
    !(outer == "variable_declaration" || walk.text(node).starts_with(b"local"))
}

/// Last name of `a.b.c` and `a:c`, and whether it is a method.
fn last<'t>(name: Node<'t>) -> (Node<'t>, bool) {
    match name.kind() {
        "dot_index_expression" => (name.child_by_field_name("field").unwrap_or(name), false),
        "method_index_expression" => (name.child_by_field_name("method").unwrap_or(name), true),
        _ => (name, false),
    }
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name") {
        let (name, method) = last(name);
        let kind = if method { Kind::Method } else { Kind::Function };
        let head = node.child_by_field_name("parameters").unwrap_or(name);
        walk.define_as(kind, node, walk.text(name), Some(head.end_byte()));
    }
    Then::Skip
}

fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(names), Some(values)) = (
        part(node, &["variable_list"]),
        part(node, &["expression_list"]),
    ) else {
        return Then::Skip;
    };
    let (Some(name), Some(value)) = (names.named_child(0), values.named_child(0)) else {
        return Then::Skip;
    };
    if walk.count(&["function_definition"]) > 0 {
        return Then::Skip;
    }
    let (name, _) = last(name);
    match value.kind() {
        "function_definition" => {
            let head = value.child_by_field_name("parameters").unwrap_or(value);
            walk.define_as(Kind::Function, node, walk.text(name), Some(head.end_byte()));
            Then::Skip
        }
        "function_call" => {
            call(walk, value);
            Then::Skip
        }
        kind => {
            let capital = !walk.text(name).iter().any(u8::is_ascii_lowercase);
            let what = if capital && kind != "table_constructor" {
                Kind::Constant
            } else {
                Kind::Variable
            };
            let long = value.end_position().row > value.start_position().row;
            match walk.define(what, node, name, Some(value).filter(|_| long)) {
                Some(index) if kind == "table_constructor" => Then::Within(index),
                _ => Then::Skip,
            }
        }
    }
}

/// Entries of tables count where they are functions.
fn field<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let (Some(name), Some(value)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("value"),
    ) && value.kind() == "function_definition"
    {
        let head = value.child_by_field_name("parameters").unwrap_or(value);
        let name = unquoted(walk.text(name));
        walk.define_as(Kind::Method, node, name, Some(head.end_byte()));
    }
    Then::Skip
}

fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let first = node
        .child_by_field_name("arguments")
        .and_then(|it| it.named_child(0));
    let Some(first) = first.filter(|it| it.kind() == "string") else {
        return Then::Skip;
    };
    let text = unquoted(walk.text(first));
    match walk.field(node, "name") {
        b"require" | b"dofile" | b"loadfile" => walk.import(text, node),
        b"describe" | b"context" => {
            if let Some(index) = walk.define_as(Kind::Test, node, text, Some(first.end_byte())) {
                return Then::Within(index);
            }
        }
        b"it" | b"test" => {
            walk.define_as(Kind::Test, node, text, Some(first.end_byte()));
        }
        _ => {}
    }
    Then::Skip
}
