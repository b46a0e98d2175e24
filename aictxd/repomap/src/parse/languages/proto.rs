//! Protocol Buffers.

use tree_sitter::Node;

use crate::facts::{Kind, Span};
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec::new(
    || tree_sitter_proto::LANGUAGE.into(),
    &[
        ("comment", Act::Comment),
        ("package", Act::With(package)),
        ("import", Act::With(import)),
        ("message", Act::With(item)),
        ("message_body", Act::Into),
        ("enum", Act::With(item)),
        ("enum_body", Act::Into),
        ("enum_field", Act::With(item)),
        ("service", Act::With(item)),
        ("rpc", Act::With(item)),
        ("extend", Act::Into),
    ],
);

fn package<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = part(node, &["full_ident"])
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
    let path = unquoted(walk.field(node, "path"));
    walk.import(path, node);
    Then::Skip
}

fn item<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (kind, name) = match node.kind() {
        "message" => (Kind::Section, "message_name"),
        "enum" => (Kind::Enum, "enum_name"),
        "service" => (Kind::Interface, "service_name"),
        "rpc" => (Kind::Method, "rpc_name"),
        _ => (Kind::Constant, "identifier"),
    };
    let Some(name) = part(node, &[name]) else {
        return Then::Skip;
    };
    let body = part(node, &["message_body", "enum_body", "{"]);
    match walk.define(kind, node, name, body) {
        Some(index) if matches!(kind, Kind::Section | Kind::Enum | Kind::Interface) => {
            Then::Within(index)
        }
        _ => Then::Skip,
    }
}
