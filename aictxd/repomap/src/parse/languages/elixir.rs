//! Elixir: everything is a call.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, node, _| {
        !matches!(
            walk.field(node, "target"),
            b"defp" | b"defmacrop" | b"defguardp"
        )
    },
    ..Spec::new(
        || tree_sitter_elixir::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("call", Act::With(call)),
            ("do_block", Act::Into),
            ("unary_operator", Act::With(attribute)),
        ],
    )
};

/// `@doc "…"` is documentation, `@type` defines, `@spec` belongs to what follows.
fn attribute<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(operand) = node.child_by_field_name("operand") else {
        return Then::Skip;
    };
    let arguments = part(operand, &["arguments"]);
    let Some(value) = arguments.and_then(|it| it.named_child(0)) else {
        return Then::Skip;
    };
    match walk.field(operand, "target") {
        b"doc" | b"typedoc" => {
            if value.kind() == "string" {
                walk.comment(value);
            }
            Then::Comment
        }
        b"moduledoc" | b"behaviour" => Then::Skip,
        b"type" | b"typep" | b"opaque" => {
            if let Some(name) = head(walk, value) {
                walk.define_as(Kind::Type, node, name, None);
            }
            Then::Skip
        }
        b"callback" | b"macrocallback" => {
            if let Some(name) = head(walk, value) {
                let index = walk.define_as(Kind::Function, node, name, None);
                if let Some(index) = index {
                    walk.edit(index, |it| it.declared_only = true);
                }
            }
            Then::Skip
        }
        b"spec" | b"impl" | b"deprecated" | b"since" | b"tag" | b"dialyzer" => {
            walk.attribute(node);
            Then::Comment
        }
        _ => {
            let index = part(operand, &["identifier"])
                .and_then(|name| walk.define(Kind::Constant, node, name, None));
            if let Some(index) = index {
                walk.edit(index, |it| it.exported = false);
            }
            Then::Skip
        }
    }
}

/// Name that a head begins with: `a` of `a(b) when c`, of `a :: b`, of `a`.
fn head<'t>(walk: &Walk<'t, '_>, node: Node<'t>) -> Option<&'t [u8]> {
    let mut at = node;
    for _ in 0..8 {
        at = match at.kind() {
            "binary_operator" => {
                let operator = walk.field(at, "operator");
                if !matches!(operator, b"when" | b"::" | b"\\\\") {
                    // `def a + b` defines an operator.
                    return Some(operator);
                }
                at.child_by_field_name("left")?
            }
            "call" => at.child_by_field_name("target")?,
            "identifier" | "alias" | "operator_identifier" => return Some(walk.text(at)),
            _ => return None,
        };
    }
    None
}

fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let target = walk.field(node, "target");
    let arguments = part(node, &["arguments"]);
    let block = part(node, &["do_block"]);
    let Some(first) = arguments.and_then(|it| it.named_child(0)) else {
        return Then::Skip;
    };
    let end = block.map(|it| it.start_byte());
    let container = |index: Option<u32>| match index {
        Some(index) => Then::Within(index),
        None => Then::Into,
    };
    match target {
        b"defmodule" => container(walk.define_as(Kind::Module, node, walk.text(first), end)),
        b"defprotocol" => container(walk.define_as(Kind::Interface, node, walk.text(first), end)),
        b"defimpl" => Then::Into,
        b"def" | b"defp" | b"defmacro" | b"defmacrop" | b"defguard" | b"defguardp"
        | b"defdelegate" => {
            let Some(name) = head(walk, first) else {
                return Then::Skip;
            };
            // Clauses of one function stand together and count once.
            if let Some(last) = same(walk, name) {
                let end = u32::try_from(node.end_position().row + 1).unwrap_or(u32::MAX);
                walk.edit(last, |it| it.end_line = end.max(it.line));
                return Then::Skip;
            }
            let kind = if target.starts_with(b"defmacro") || target.starts_with(b"defguard") {
                Kind::Macro
            } else {
                Kind::Function
            };
            let end = end.unwrap_or(first.end_byte());
            let index = walk.define_as(kind, node, name, Some(end));
            if walk.container_kind() == Some(Kind::Interface)
                && let Some(index) = index
            {
                walk.edit(index, |it| it.declared_only = true);
            }
            Then::Skip
        }
        b"describe" if block.is_some() => {
            container(walk.define_as(Kind::Test, node, unquoted(walk.text(first)), end))
        }
        b"test" if block.is_some() => {
            walk.define_as(Kind::Test, node, unquoted(walk.text(first)), end);
            Then::Skip
        }
        b"use" | b"import" | b"alias" | b"require" => {
            import(walk, first);
            Then::Skip
        }
        _ => Then::Skip,
    }
}

/// The definition right before, if it is of the same function.
fn same(walk: &Walk<'_, '_>, name: &[u8]) -> Option<u32> {
    let last = u32::try_from(walk.draft.facts.definitions.len().checked_sub(1)?).ok()?;
    let it = walk.draft.get(last)?;
    (it.container == walk.container()
        && matches!(it.kind, Kind::Function | Kind::Macro | Kind::Method)
        && walk.draft.name_of(last).as_bytes() == name)
        .then_some(last)
}

/// `alias A.{B, C}` imports `A.B` and `A.C`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) {
    let text = walk.text(node);
    let Some(open) = text.iter().position(|&c| c == b'{') else {
        walk.import(text, node);
        return;
    };
    let (prefix, list) = text.split_at_checked(open).unwrap_or((text, b""));
    for name in list.split(|c| matches!(c, b'{' | b'}' | b',')) {
        if !name.trim_ascii().is_empty() {
            walk.import(&[prefix, name.trim_ascii()].concat(), node);
        }
    }
}
