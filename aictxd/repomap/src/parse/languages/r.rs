//! R.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::unquoted;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |_, _, name| !name.starts_with(b"."),
    ..Spec::new(
        || tree_sitter_r::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("binary_operator", Act::With(assignment)),
            ("call", Act::With(call)),
            ("arguments", Act::Into),
            ("argument", Act::With(argument)),
        ],
    )
};

/// `a <- function(b) …`, `a = 1`.
fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("lhs"),
        node.child_by_field_name("rhs"),
    ) else {
        return Then::Skip;
    };
    let operator = walk.field(node, "operator");
    if !matches!(operator, b"<-" | b"=" | b"<<-") || !matches!(left.kind(), "identifier" | "string")
    {
        return Then::Skip;
    }
    let name = unquoted(walk.text(left));
    match right.kind() {
        "function_definition" => {
            let head = right.child_by_field_name("parameters").unwrap_or(right);
            walk.define_as(Kind::Function, node, name, Some(head.end_byte()));
            Then::Skip
        }
        "call"
            if matches!(
                walk.field(right, "function"),
                b"R6Class" | b"setRefClass" | b"R6::R6Class"
            ) =>
        {
            let arguments = right.child_by_field_name("arguments");
            let end = arguments.map(|it| it.start_byte());
            match walk.define_as(Kind::Class, node, name, end) {
                Some(index) => Then::Within(index),
                None => Then::Skip,
            }
        }
        _ => {
            let capital = !name.iter().any(u8::is_ascii_lowercase);
            let kind = if capital {
                Kind::Constant
            } else {
                Kind::Variable
            };
            let long = right.end_position().row > right.start_position().row;
            walk.define_as(kind, node, name, long.then(|| right.start_byte()));
            Then::Skip
        }
    }
}

fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let first = node
        .child_by_field_name("arguments")
        .and_then(|it| it.named_child(0));
    let Some(first) = first else {
        return Then::Skip;
    };
    let name = unquoted(walk.text(first));
    let end = Some(first.end_byte());
    match walk.field(node, "function") {
        b"library" | b"require" | b"source" | b"requireNamespace" => walk.import(name, node),
        b"setClass" | b"setRefClass" => {
            walk.define_as(Kind::Class, node, name, end);
        }
        b"setGeneric" | b"setMethod" => {
            let end = node.child_by_field_name("arguments").and_then(|it| {
                let mut cursor = it.walk();
                let second = it.named_children(&mut cursor).nth(2);
                second.map(|it| it.end_byte())
            });
            walk.define_as(Kind::Method, node, name, end.or(Some(first.end_byte())));
        }
        b"test_that" | b"describe" | b"it" => {
            walk.define_as(Kind::Test, node, name, end);
        }
        // `R6Class("A", public = list(b = function() …))`.
        b"R6Class" | b"R6::R6Class" | b"list" if walk.in_type() => return Then::Into,
        _ => {}
    }
    Then::Skip
}

/// Functions in the lists of a class.
fn argument<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(value) = node.child_by_field_name("value") else {
        return Then::Skip;
    };
    if value.kind() == "function_definition" && walk.in_type() {
        if let Some(name) = node.child_by_field_name("name") {
            let head = value.child_by_field_name("parameters").unwrap_or(value);
            walk.define_as(Kind::Method, node, walk.text(name), Some(head.end_byte()));
        }
        return Then::Skip;
    }
    if value.kind() == "call" {
        Then::Into
    } else {
        Then::Skip
    }
}
