//! Kotlin.

use tree_sitter::Node;

use crate::facts::{Kind, Span};
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{has, imported, modifiers, part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, node, _| !has(modifiers(walk, node), b"private"),
    outline: Some(skip_bodies::kotlin),
    ..Spec::new(
        || tree_sitter_kotlin_ng::LANGUAGE.into(),
        &[
            ("line_comment", Act::Comment),
            ("block_comment", Act::Comment),
            ("modifiers", Act::Modifiers),
            ("annotation", Act::Attribute),
            ("package_header", Act::With(package)),
            ("import", Act::With(import)),
            ("class_declaration", Act::With(class)),
            ("object_declaration", Act::With(class)),
            ("companion_object", Act::Into),
            ("class_body", Act::Into),
            ("enum_class_body", Act::Into),
            ("enum_entry", Act::With(entry)),
            ("function_declaration", Act::With(function)),
            ("secondary_constructor", Act::With(constructor)),
            ("property_declaration", Act::With(property)),
            ("type_alias", Act::With(alias)),
        ],
    )
};

fn package<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["qualified_identifier"])
        && let Some(index) = walk.define(Kind::Module, node, name, None)
    {
        walk.edit(index, |it| {
            it.declared_only = true;
            it.doc = Span::default();
        });
    }
    Then::Skip
}

fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let path = imported(walk.text(node), &[b"import"], &[b" as ", b";"]);
    walk.import(path, node);
    Then::Skip
}

fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    let words = modifiers(walk, node);
    let interface = part(node, &["interface"]).is_some() || has(words, b"annotation");
    let kind = match () {
        () if interface => Kind::Interface,
        () if has(words, b"enum") => Kind::Enum,
        () => Kind::Class,
    };
    let body = part(node, &["class_body", "enum_class_body"]);
    match walk.define(kind, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn entry<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["identifier"]) {
        walk.define(Kind::Constant, node, name, part(node, &["class_body"]));
    }
    Then::Skip
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = part(node, &["function_body"]);
    let words = modifiers(walk, node);
    let kind = if has(words, b"@Test") || has(words, b"@ParameterizedTest") {
        Kind::Test
    } else {
        Kind::Function
    };
    let name = unquoted(walk.text(name));
    let index = walk.define_as(kind, node, name, body.map(|it| it.start_byte()));
    if let Some(index) = index {
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

fn constructor<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let end = part(node, &["constructor_delegation_call", "block"]).map(|it| it.start_byte());
    walk.define_as(Kind::Method, node, b"constructor", end);
    Then::Skip
}

/// Properties at the top of a file, and constants wherever they are.
fn property<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let constant = has(modifiers(walk, node), b"const");
    if !constant && walk.container().is_some() {
        return Then::Skip;
    }
    let name = part(node, &["variable_declaration"]).and_then(|it| part(it, &["identifier"]));
    let value = part(node, &["val"]).is_some();
    let kind = match () {
        () if constant => Kind::Constant,
        () if value => Kind::Constant,
        () => Kind::Variable,
    };
    if let Some(name) = name {
        walk.define(kind, node, name, part(node, &["getter"]));
    }
    Then::Skip
}

fn alias<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("type") {
        walk.define(Kind::Type, node, name, None);
    }
    Then::Skip
}
