//! Rust.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    outline: Some(skip_bodies::rust),
    ..Spec::new(
        || tree_sitter_rust::LANGUAGE.into(),
        &[
            ("line_comment", Act::With(comment)),
            ("block_comment", Act::Comment),
            ("attribute_item", Act::Attribute),
            ("struct_item", def(Kind::Struct).leaf()),
            ("union_item", def(Kind::Struct).leaf()),
            ("enum_item", def(Kind::Enum).open()),
            ("enum_variant_list", Act::Into),
            ("enum_variant", def(Kind::Constant).body("").leaf()),
            ("trait_item", def(Kind::Trait).open()),
            ("impl_item", Act::With(impl_item)),
            ("declaration_list", Act::Into),
            ("foreign_mod_item", Act::Into),
            ("function_item", Act::With(function)),
            ("function_signature_item", Act::With(function)),
            ("macro_definition", def(Kind::Macro).leaf()),
            ("const_item", def(Kind::Constant).leaf()),
            ("static_item", def(Kind::Variable).leaf()),
            ("type_item", def(Kind::Type).leaf()),
            ("associated_type", def(Kind::Type).leaf()),
            ("mod_item", Act::With(module)),
            ("use_declaration", Act::With(uses)),
            ("extern_crate_declaration", Act::With(extern_crate)),
        ],
    )
};

/// `//!` speaks about what is around it, not about what follows.
fn comment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if !walk.text(node).starts_with(b"//!") {
        walk.comment(node);
    }
    Then::Comment
}

fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    match node.kind() {
        "macro_definition" => {
            return walk
                .attributes(node)
                .windows(12)
                .any(|it| it == b"macro_export");
        }
        "enum_variant" => return true,
        _ => {}
    }
    if walk.container_kind() == Some(Kind::Trait) {
        return true;
    }
    // What an impl of a trait has is as visible as the trait.
    let in_impl_of_trait = walk
        .around(1)
        .is_some_and(|it| it.kind() == "impl_item" && it.child_by_field_name("trait").is_some());
    in_impl_of_trait
        || node
            .child(0)
            .is_some_and(|it| it.kind() == "visibility_modifier")
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let kind = if is_test(walk.attributes(node)) {
        Kind::Test
    } else {
        Kind::Function
    };
    if let Some(index) = walk.define(kind, node, name, body) {
        let in_impl = walk.around(1).is_some_and(|it| it.kind() == "impl_item");
        walk.edit(index, |it| {
            it.declared_only = body.is_none();
            if in_impl && it.kind == Kind::Function {
                it.kind = Kind::Method;
            }
        });
    }
    Then::Skip
}

/// `#[test]`, `#[tokio::test]`, `#[bench]`, `#[rstest]`, `#[test_case(…)]`.
fn is_test(attributes: &[u8]) -> bool {
    attributes.split(|&c| c == b'[').skip(1).any(|attribute| {
        let end = attribute
            .iter()
            .position(|c| !(c.is_ascii_alphanumeric() || matches!(c, b'_' | b':')))
            .unwrap_or(attribute.len());
        let path = attribute.get(..end).unwrap_or(attribute);
        let last = path.rsplit(|&c| c == b':').next().unwrap_or(path);
        matches!(
            last,
            b"test" | b"bench" | b"rstest" | b"test_case" | b"quickcheck"
        )
    })
}

/// The functions of an impl belong to its type.
fn impl_item<'t>(_: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let mut at = node.child_by_field_name("type");
    // `&mut a::T<U>`: what counts is `T`. The bound is on how deep types are written.
    for _ in 0..16 {
        let Some(ty) = at else { break };
        at = match ty.kind() {
            "generic_type" | "reference_type" => ty.child_by_field_name("type"),
            "scoped_type_identifier" => ty.child_by_field_name("name"),
            "type_identifier" => return Then::Of(ty.start_byte(), ty.end_byte()),
            _ => None,
        };
    }
    Then::Into
}

/// `mod a;` stands for a file, which is then imported as well.
fn module<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let index = walk.define(Kind::Module, node, name, body);
    if body.is_none() {
        let path = [b"self::", walk.text(name)].concat();
        walk.import(&path, node);
    }
    match index {
        Some(index) if body.is_none() => {
            walk.edit(index, |it| it.declared_only = true);
            Then::Skip
        }
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn extern_crate<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = walk.field(node, "name");
    walk.import(name, node);
    Then::Skip
}

fn uses<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(argument) = node.child_by_field_name("argument") {
        let mut path = Vec::new();
        leaves(walk, argument, &mut path, 0);
    }
    Then::Skip
}

/// One import for each leaf of a tree of `use`; `path` is what stands before it.
fn leaves<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>, path: &mut Vec<u8>, depth: usize) {
    let before = path.len();
    match node.kind() {
        "use_list" if depth < 32 => walk.children(node, |walk, child| {
            if child.is_named() {
                leaves(walk, child, path, depth + 1);
            }
            true
        }),
        "scoped_use_list" => {
            add(path, walk.field(node, "path"));
            if let Some(list) = node.child_by_field_name("list") {
                leaves(walk, list, path, depth + 1);
            }
        }
        "use_as_clause" => {
            if let Some(inner) = node.child_by_field_name("path") {
                leaves(walk, inner, path, depth + 1);
            }
        }
        "self" if !path.is_empty() => walk.import(path, node),
        "line_comment" | "block_comment" | "use_list" => {}
        _ => {
            add(path, walk.text(node));
            walk.import(path, node);
        }
    }
    path.truncate(before);
}

fn add(path: &mut Vec<u8>, piece: &[u8]) {
    if !path.is_empty() && !piece.is_empty() {
        path.extend_from_slice(b"::");
    }
    path.extend_from_slice(piece);
}
