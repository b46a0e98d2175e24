//! HCL and Terraform.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec::new(
    || tree_sitter_hcl::LANGUAGE.into(),
    &[
        ("comment", Act::Comment),
        ("body", Act::Into),
        ("block", Act::With(block)),
        ("attribute", Act::With(attribute)),
    ],
);

/// `resource "a" "b"` is named `a.b`, `data "a" "b"` `data.a.b`, `variable "a"` `a`.
fn block<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if walk.container().is_some() {
        return Then::Skip;
    }
    let Some(sort) = node.child(0) else {
        return Then::Skip;
    };
    let sort = walk.text(sort);
    let mut name = Vec::new();
    if sort == b"data" {
        name.extend_from_slice(b"data");
    }
    walk.children(node, |walk, child| {
        let label = child.start_byte() > node.start_byte();
        if label && matches!(child.kind(), "string_lit" | "identifier") {
            if !name.is_empty() {
                name.push(b'.');
            }
            name.extend_from_slice(unquoted(walk.text(child)));
        }
        child.kind() != "block_start"
    });
    if name.is_empty() {
        name.extend_from_slice(sort);
    }
    let kind = match sort {
        b"variable" => Kind::Variable,
        b"module" => Kind::Module,
        _ => Kind::Section,
    };
    let end = part(node, &["block_start"]).map(|it| it.start_byte());
    let index = walk.define_as(kind, node, &name, end);
    match (sort, index) {
        (b"locals" | b"module", Some(index)) => Then::Within(index),
        _ => Then::Skip,
    }
}

/// Locals are variables, the source of a module is imported; files of values have keys.
fn attribute<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = part(node, &["identifier"]) else {
        return Then::Skip;
    };
    match walk.container_kind() {
        Some(Kind::Section) => {
            walk.define(Kind::Variable, node, name, None);
        }
        Some(Kind::Module) => {
            if walk.text(name) == b"source"
                && let Some(value) = part(node, &["expression"])
            {
                let text = unquoted(walk.text(value));
                walk.import(text, node);
            }
        }
        _ => {
            walk.define(Kind::ConfigKey, node, name, None);
        }
    }
    Then::Skip
}
