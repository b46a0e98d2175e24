//! Dart.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{has, part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |_, _, name| !name.starts_with(b"_"),
    ..Spec::new(
        || tree_sitter_dart::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("block_comment", Act::Comment),
            ("documentation_comment", Act::Comment),
            ("documentation_block_comment", Act::Comment),
            ("annotation", Act::Attribute),
            ("import_or_export", Act::With(import)),
            ("part_directive", Act::With(import)),
            ("part_of_directive", Act::With(import)),
            ("class_declaration", def(Kind::Class).open()),
            ("mixin_declaration", def(Kind::Trait).open()),
            ("enum_declaration", def(Kind::Enum).open()),
            ("extension_declaration", def(Kind::Class).open()),
            ("extension_type_declaration", Act::With(extension_type)),
            ("class_body", Act::Into),
            ("enum_body", Act::Into),
            ("extension_body", Act::Into),
            ("enum_entry", def(Kind::Constant).leaf()),
            ("member_declaration", Act::Wrap),
            ("declaration", Act::With(member)),
            ("method_declaration", Act::With(function)),
            ("function_declaration", Act::With(function)),
            ("getter_declaration", Act::With(function)),
            ("setter_declaration", Act::With(function)),
            ("external_function_declaration", Act::With(function)),
            ("type_alias", Act::With(alias)),
            ("top_level_variable_declaration", Act::With(variables)),
        ],
    )
};

/// Returns the quoted text: `import 'a.dart' as b;`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = walk.text(node);
    let quoted = text.split(|c| matches!(c, b'\'' | b'"')).nth(1);
    walk.import(quoted.unwrap_or(b""), node);
    Then::Skip
}

fn extension_type<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let body = node.child_by_field_name("body");
    match node
        .child_by_field_name("name")
        .and_then(|name| walk.define(Kind::Class, node, name, body))
    {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// Name of a signature: `A.b` of a constructor is `b`, `A` is `A`, `operator +` is `operator +`.
fn named<'t>(walk: &Walk<'t, '_>, signature: Node<'t>) -> Option<&'t [u8]> {
    let inner = match signature.kind() {
        "method_signature" => signature.named_child(0)?,
        _ => signature,
    };
    if inner.kind() == "operator_signature" {
        return inner
            .child_by_field_name("operator")
            .map(|it| walk.text(it));
    }
    let mut cursor = inner.walk();
    let last = inner
        .children_by_field_name("name", &mut cursor)
        .filter(|it| it.is_named())
        .last()?;
    Some(walk.text(last))
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(signature) = node.child_by_field_name("signature") else {
        return Then::Skip;
    };
    if let Some(name) = named(walk, signature) {
        let end = node
            .child_by_field_name("body")
            .map_or(signature.end_byte(), |it| it.start_byte());
        walk.define_as(Kind::Function, node, name, Some(end));
    }
    Then::Skip
}

/// A member without a body: a constructor, an abstract method, or a field, which counts where it
/// never changes.
fn member<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    const SIGNATURES: &[&str] = &[
        "constructor_signature",
        "constant_constructor_signature",
        "factory_constructor_signature",
        "redirecting_factory_constructor_signature",
        "function_signature",
        "getter_signature",
        "setter_signature",
        "operator_signature",
    ];
    if let Some(signature) = part(node, SIGNATURES) {
        if let Some(name) = named(walk, signature) {
            let constructor = signature.kind().contains("constructor");
            let end = Some(signature.end_byte());
            if let Some(index) = walk.define_as(Kind::Method, node, name, end) {
                walk.edit(index, |it| it.declared_only = !constructor);
            }
        }
        return Then::Skip;
    }
    if let Some(list) = part(node, &["static_final_declaration_list"]) {
        constants(walk, node, list, Kind::Constant);
    }
    Then::Skip
}

fn constants<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>, list: Node<'t>, kind: Kind) {
    walk.children(list, |walk, child| {
        if let Some(name) = child
            .child_by_field_name("name")
            .or_else(|| part(child, &["identifier"]))
        {
            walk.define(kind, node, name, None);
        }
        true
    });
}

fn variables<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let list = part(
        node,
        &[
            "static_final_declaration_list",
            "initialized_identifier_list",
        ],
    );
    if let Some(list) = list {
        let text = walk.text(node);
        let first = text.split(|&c| c == b'=').next().unwrap_or(text);
        let kind = if has(first, b"const") || has(first, b"final") {
            Kind::Constant
        } else {
            Kind::Variable
        };
        constants(walk, node, list, kind);
    }
    Then::Skip
}

fn alias<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["type_identifier"]) {
        let name = unquoted(walk.text(name));
        walk.define_as(Kind::Type, node, name, None);
    }
    Then::Skip
}
