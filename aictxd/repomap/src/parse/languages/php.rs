//! PHP.

use tree_sitter::Node;

use crate::facts::{Kind, Span};
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, node, _| {
        part(node, &["visibility_modifier"]).is_none_or(|it| walk.text(it) != b"private")
    },
    ..Spec::new(
        || tree_sitter_php::LANGUAGE_PHP.into(),
        &[
            ("comment", Act::Comment),
            ("attribute_list", Act::Attribute),
            ("namespace_definition", Act::With(namespace)),
            ("namespace_use_declaration", Act::With(uses)),
            ("class_declaration", Act::With(class)),
            ("interface_declaration", def(Kind::Interface).open()),
            ("trait_declaration", def(Kind::Trait).open()),
            ("enum_declaration", def(Kind::Enum).open()),
            ("declaration_list", Act::Into),
            ("enum_declaration_list", Act::Into),
            ("enum_case", def(Kind::Constant).leaf()),
            ("method_declaration", Act::With(method)),
            ("function_definition", def(Kind::Function).leaf()),
            ("const_declaration", Act::With(constants)),
            ("if_statement", Act::Into),
            ("else_clause", Act::Into),
            ("compound_statement", Act::Into),
            ("expression_statement", Act::Wrap),
            ("assignment_expression", Act::With(assignment)),
            ("function_call_expression", Act::With(call)),
            ("include_expression", Act::With(include)),
            ("include_once_expression", Act::With(include)),
            ("require_expression", Act::With(include)),
            ("require_once_expression", Act::With(include)),
        ],
    )
};

fn namespace<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    let body = node.child_by_field_name("body");
    match walk.define(Kind::Module, node, name, body) {
        Some(index) if body.is_none() => {
            walk.edit(index, |it| {
                it.declared_only = true;
                it.doc = Span::default();
            });
            Then::Skip
        }
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// `use A\{B, C as D};` imports `A\B` and `A\C`.
fn uses<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let mut path = Vec::new();
    if let Some(prefix) = part(node, &["namespace_name"]) {
        path.extend_from_slice(walk.text(prefix));
        path.push(b'\\');
    }
    let list = node.child_by_field_name("body").unwrap_or(node);
    let text = walk.text(node);
    let functions = text.starts_with(b"use function") || text.starts_with(b"use const");
    let before = path.len();
    walk.children(list, |walk, child| {
        if child.kind() == "namespace_use_clause"
            && let Some(name) = part(child, &["qualified_name", "name"])
        {
            path.truncate(before);
            path.extend_from_slice(walk.text(name));
            // Functions of the language itself.
            if functions && !path.contains(&b'\\') {
                return true;
            }
            walk.import(path.strip_prefix(b"\\").unwrap_or(&path), child);
        }
        true
    });
    Then::Skip
}

fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    let suite = part(node, &["base_clause"]).is_some_and(|it| walk.text(it).ends_with(b"TestCase"));
    let kind = if suite { Kind::Test } else { Kind::Class };
    match walk.define(kind, node, name, node.child_by_field_name("body")) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let test = walk.container_kind() == Some(Kind::Test) && walk.text(name).starts_with(b"test");
    let kind = if test { Kind::Test } else { Kind::Method };
    if let Some(index) = walk.define(kind, node, name, body) {
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

fn constants<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    walk.children(node, |walk, child| {
        if child.kind() == "const_element"
            && let Some(name) = child.named_child(0)
        {
            walk.define(Kind::Constant, node, name, None);
        }
        true
    });
    Then::Skip
}

/// `$a = function () {}`.
fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) && left.kind() == "variable_name"
        && matches!(right.kind(), "anonymous_function" | "arrow_function")
        && let Some(name) = left.named_child(0)
    {
        let body = right.child_by_field_name("body");
        walk.define(Kind::Function, node, name, body);
    }
    Then::Skip
}

/// `define('A', 1)`.
fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if walk.field(node, "function") == b"define"
        && let Some(arguments) = node.child_by_field_name("arguments")
        && let Some(name) = arguments.named_child(0)
    {
        let text = walk.text(name);
        if unquoted(text).len() < text.len() {
            walk.define_as(Kind::Constant, node, unquoted(text), None);
        }
    }
    Then::Skip
}

/// Returns the name at the end: `__DIR__ . '/a.php'`.
fn include<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = walk.text(node);
    let path = text
        .rsplit(|c| matches!(c, b'\'' | b'"'))
        .nth(1)
        .unwrap_or(b"");
    walk.import(path.strip_prefix(b"/").unwrap_or(path), node);
    Then::Skip
}
