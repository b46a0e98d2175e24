//! Go.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    outline: Some(skip_bodies::go),
    ..Spec::new(
        || tree_sitter_go::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("function_declaration", Act::With(function)),
            ("method_declaration", Act::With(method)),
            ("type_declaration", Act::With(group)),
            ("type_spec", Act::With(type_spec)),
            ("type_alias", def(Kind::Type).leaf()),
            ("interface_type", Act::Into),
            ("method_elem", Act::With(method_elem)),
            ("const_declaration", Act::With(group)),
            ("const_spec", Act::With(values)),
            ("var_declaration", Act::With(group)),
            ("var_spec_list", Act::Into),
            ("var_spec", Act::With(values)),
            ("import_declaration", Act::Into),
            ("import_spec_list", Act::Into),
            ("import_spec", Act::With(import)),
        ],
    )
};

/// A name that begins with a capital is exported.
fn exported(_: &Walk<'_, '_>, _: Node<'_>, name: &[u8]) -> bool {
    String::from_utf8_lossy(name.get(..4).unwrap_or(name))
        .chars()
        .next()
        .is_some_and(char::is_uppercase)
}

/// `type ( A int; B string )` has a comment for each, `type A int` one above the word `type`.
fn group<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let grouped = walk.child(node, "(").is_some() || walk.child(node, "var_spec_list").is_some();
    if grouped { Then::Into } else { Then::Wrap }
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let kind = if is_test(walk.text(name), walk.field(node, "parameters")) {
        Kind::Test
    } else {
        Kind::Function
    };
    if let Some(index) = walk.define(kind, node, name, body) {
        // Written in assembly.
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

fn is_test(name: &[u8], parameters: &[u8]) -> bool {
    let starts = |prefix: &[u8]| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.first().is_none_or(|c| !c.is_ascii_lowercase()))
    };
    let takes = |what: &[u8]| parameters.windows(what.len()).any(|it| it == what);
    starts(b"Test") && (takes(b"testing.T") || takes(b"testing.M"))
        || starts(b"Benchmark") && takes(b"testing.B")
        || starts(b"Fuzz") && takes(b"testing.F")
        || starts(b"Example") && parameters == b"()"
}

/// A method belongs to the type of its receiver, wherever that stands in the file.
fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let Some(index) = walk.define(Kind::Method, node, name, body) else {
        return Then::Skip;
    };
    // `(s *Server[T])`: the type is the last name before any bracket.
    let receiver = walk.field(node, "receiver");
    let end = receiver
        .iter()
        .position(|&c| c == b'[')
        .unwrap_or(receiver.len());
    let owner = receiver
        .get(..end)
        .unwrap_or(receiver)
        .split(|&c| matches!(c, b'(' | b')' | b'*' | b' ' | b'\t' | b'\n'))
        .rfind(|it| !it.is_empty())
        .unwrap_or(b"");
    walk.draft.bind(index, owner);
    Then::Skip
}

fn type_spec<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(name), Some(ty)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("type"),
    ) else {
        return Then::Skip;
    };
    let (kind, body) = match ty.kind() {
        "struct_type" => (Kind::Struct, walk.child(ty, "field_declaration_list")),
        "interface_type" => (Kind::Interface, walk.child(ty, "{")),
        _ => (Kind::Type, None),
    };
    match walk.define(kind, node, name, body) {
        Some(index) if kind == Kind::Interface => Then::Within(index),
        _ => Then::Skip,
    }
}

fn method_elem<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name")
        && let Some(index) = walk.define(Kind::Method, node, name, None)
    {
        walk.edit(index, |it| it.declared_only = true);
    }
    Then::Skip
}

/// `const A, B = 1, 2`.
fn values<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let kind = if node.kind() == "const_spec" {
        Kind::Constant
    } else {
        Kind::Variable
    };
    walk.children(node, |walk, child| match child.kind() {
        "identifier" => {
            if walk.text(child) != b"_" {
                walk.define(kind, node, child, None);
            }
            true
        }
        "," | "comment" => true,
        _ => false,
    });
    Then::Skip
}

fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let path = walk.field(node, "path");
    let inner = path.get(1..path.len().saturating_sub(1)).unwrap_or(path);
    walk.import(inner, node);
    Then::Skip
}
