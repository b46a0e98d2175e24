//! TypeScript and TSX: JavaScript with types.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::javascript as js;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: js::exported,
    finish: Some(js::finish),
    ..Spec::new(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), NODES)
};

pub(in crate::parse) static TSX: Spec = Spec {
    exported: js::exported,
    finish: Some(js::finish),
    ..Spec::new(|| tree_sitter_typescript::LANGUAGE_TSX.into(), NODES)
};

const NODES: &[(&str, Act)] = &[
    ("comment", Act::Comment),
    ("decorator", Act::Attribute),
    ("export_statement", Act::With(js::export)),
    ("import_statement", Act::With(js::import)),
    ("lexical_declaration", Act::Wrap),
    ("variable_declaration", Act::Wrap),
    ("variable_declarator", Act::With(js::declarator)),
    ("function_declaration", Act::With(js::function)),
    ("generator_function_declaration", Act::With(js::function)),
    ("function_signature", Act::With(signature)),
    ("class_declaration", def(Kind::Class).open()),
    ("abstract_class_declaration", def(Kind::Class).open()),
    ("class", Act::With(js::class_expression)),
    ("class_body", Act::Into),
    ("method_definition", Act::With(js::method)),
    ("method_signature", Act::With(signature)),
    ("abstract_method_signature", Act::With(signature)),
    ("public_field_definition", Act::With(js::field)),
    ("interface_declaration", def(Kind::Interface).open()),
    ("interface_body", Act::Into),
    ("type_alias_declaration", def(Kind::Type).leaf()),
    ("enum_declaration", def(Kind::Enum).open()),
    ("enum_body", Act::Into),
    ("enum_assignment", def(Kind::Constant).leaf()),
    ("property_identifier", Act::With(enum_member)),
    ("internal_module", Act::With(namespace)),
    ("module", Act::With(namespace)),
    ("ambient_declaration", Act::Wrap),
    ("expression_statement", Act::Wrap),
    ("assignment_expression", Act::With(js::assignment)),
    ("call_expression", Act::With(js::call)),
    ("parenthesized_expression", Act::Into),
    ("unary_expression", Act::Into),
    ("as_expression", Act::Into),
    ("satisfies_expression", Act::Into),
    ("arguments", Act::Into),
    ("arrow_function", Act::With(js::function_expression)),
    ("function_expression", Act::With(js::function_expression)),
    ("statement_block", Act::Into),
    ("if_statement", Act::Into),
    ("else_clause", Act::Into),
    ("labeled_statement", Act::With(js::reactive)),
    ("try_statement", Act::Into),
    ("object", Act::With(js::object)),
    ("pair", Act::With(js::pair)),
    ("shorthand_property_identifier", Act::With(js::shorthand)),
];

/// A declaration without a body: ambient, of an interface, abstract, or an overload. Overloads
/// count once, with what implements them.
fn signature<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    if name.kind() == "computed_property_name" {
        return Then::Skip;
    }
    let kind = if node.kind() == "function_signature" {
        Kind::Function
    } else {
        Kind::Method
    };
    if declared(walk, kind, name).is_some() {
        return Then::Skip;
    }
    if let Some(index) = walk.define(kind, node, name, None) {
        walk.edit(index, |it| it.declared_only = true);
    }
    Then::Skip
}

/// The declaration right before, if it is of the same function.
fn declared<'t>(walk: &Walk<'t, '_>, kind: Kind, name: Node<'t>) -> Option<u32> {
    let last = walk.draft.facts.definitions.len().checked_sub(1)?;
    let last = u32::try_from(last).ok()?;
    let it = walk.draft.get(last)?;
    let same = it.declared_only
        && it.kind == kind
        && it.container == walk.container()
        && walk.draft.name_of(last).as_bytes() == walk.text(name);
    same.then_some(last)
}

/// Returns true if `node` implements the declaration right before; it then stands for both.
pub(super) fn implements<'t>(
    walk: &mut Walk<'t, '_>,
    node: Node<'t>,
    kind: Kind,
    name: Node<'t>,
) -> Option<u32> {
    let index = declared(walk, kind, name)?;
    let end = u32::try_from(node.end_position().row + 1).unwrap_or(u32::MAX);
    walk.edit(index, |it| {
        it.declared_only = false;
        it.end_line = end.max(it.line);
    });
    Some(index)
}

fn enum_member<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if walk.around(0).is_some_and(|it| it.kind() == "enum_body") {
        walk.define(Kind::Constant, node, node, None);
    }
    Then::Skip
}

fn namespace<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    let text = walk.text(name);
    let text = match text {
        [b'"' | b'\'', inner @ .., b'"' | b'\''] => inner,
        text => text,
    };
    let body = node.child_by_field_name("body").map(|it| it.start_byte());
    match walk.define_as(Kind::Module, node, text, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}
