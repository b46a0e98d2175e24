//! Swift.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{contains, has, imported, modifiers, part};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, node, _| {
        let words = modifiers(walk, node);
        !has(words, b"private") && !has(words, b"fileprivate")
    },
    ..Spec::new(
        || tree_sitter_swift::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("multiline_comment", Act::Comment),
            ("modifiers", Act::Modifiers),
            ("attribute", Act::Attribute),
            ("import_declaration", Act::With(import)),
            ("class_declaration", Act::With(class)),
            ("class_body", Act::Into),
            ("enum_class_body", Act::Into),
            ("enum_entry", Act::With(entry)),
            ("protocol_declaration", def(Kind::Interface).open()),
            ("protocol_body", Act::Into),
            ("function_declaration", Act::With(function)),
            ("protocol_function_declaration", Act::With(function)),
            ("init_declaration", def(Kind::Method).declares().leaf()),
            ("property_declaration", Act::With(property)),
            ("typealias_declaration", def(Kind::Type).leaf()),
            ("associatedtype_declaration", def(Kind::Type).leaf()),
            ("macro_declaration", Act::With(macro_declaration)),
        ],
    )
};

/// `import struct A.B` imports `A.B`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(path) = part(node, &["identifier"]) {
        walk.import(imported(walk.text(path), &[], &[]), node);
    }
    Then::Skip
}

/// An extension adds to a type that may stand anywhere.
fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    let body = node.child_by_field_name("body");
    let inherits = || {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|it| {
            it.kind() == "inheritance_specifier" && contains(walk.text(it), b"XCTestCase")
        })
    };
    let kind = match walk.field(node, "declaration_kind") {
        b"extension" => {
            let text = walk.text(name);
            let last = text.iter().rposition(|&c| c == b'.').map_or(0, |at| at + 1);
            return Then::Of(name.start_byte() + last, name.end_byte());
        }
        b"struct" => Kind::Struct,
        b"enum" => Kind::Enum,
        _ if inherits() => Kind::Test,
        _ => Kind::Class,
    };
    match walk.define(kind, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// `case a, b = 1`.
fn entry<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        walk.define(Kind::Constant, node, name, None);
    }
    Then::Skip
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let suite = walk.container_kind() == Some(Kind::Test);
    let kind = match () {
        () if suite && walk.text(name).starts_with(b"test") => Kind::Test,
        () if has(modifiers(walk, node), b"@Test") => Kind::Test,
        () if suite => Kind::Method,
        () => Kind::Function,
    };
    if let Some(index) = walk.define(kind, node, name, body) {
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

/// Properties at the top of a file, and constants of types.
fn property<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let words = modifiers(walk, node);
    let fixed = part(node, &["value_binding_pattern"]).is_some_and(|it| walk.text(it) == b"let");
    let member = walk.container().is_some();
    if member && !(fixed && (has(words, b"static") || has(words, b"class"))) {
        return Then::Skip;
    }
    let kind = if fixed {
        Kind::Constant
    } else {
        Kind::Variable
    };
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(kind, node, name, node.child_by_field_name("computed_value"));
    }
    Then::Skip
}

fn macro_declaration<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["simple_identifier"]) {
        walk.define(Kind::Macro, node, name, None);
    }
    Then::Skip
}
