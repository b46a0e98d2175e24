//! Julia.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{part, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |_, _, name| !name.starts_with(b"_"),
    ..Spec::new(
        || tree_sitter_julia::LANGUAGE.into(),
        &[
            ("line_comment", Act::Comment),
            ("block_comment", Act::Comment),
            ("string_literal", Act::With(docstring)),
            ("module_definition", Act::With(module)),
            ("using_statement", Act::With(import)),
            ("import_statement", Act::With(import)),
            ("call_expression", Act::With(include)),
            ("abstract_definition", Act::With(type_definition)),
            ("primitive_definition", Act::With(type_definition)),
            ("struct_definition", Act::With(type_definition)),
            ("const_statement", Act::Wrap),
            ("assignment", Act::With(assignment)),
            ("function_definition", Act::With(function)),
            ("macro_definition", Act::With(function)),
            ("macrocall_expression", Act::With(macro_call)),
            ("macro_argument_list", Act::Into),
            ("compound_statement", Act::Into),
            ("if_statement", Act::Into),
        ],
    )
};

/// A string that stands alone documents what follows.
fn docstring<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    // A first line with four blanks is the head of a function, written again.
    let text = walk.text(node);
    let body = text.strip_prefix(b"\"\"\"\n    ").map_or(0, |rest| {
        memchr::memmem::find(rest, b"\n\n").map_or(0, |at| text.len() - rest.len() + at + 2)
    });
    walk.comment_from(node, node.start_byte() + body);
    Then::Comment
}

fn module<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    match walk.define_as(Kind::Module, node, walk.text(name), Some(name.end_byte())) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// `using A, B`, `import A: b, c`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = walk.text(node);
    let text = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .and_then(|at| text.get(at..))
        .unwrap_or(b"");
    let text = text.split(|&c| c == b':').next().unwrap_or(text);
    for name in text.split(|&c| c == b',') {
        walk.import(name, node);
    }
    Then::Skip
}

fn include<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let is_include = node
        .named_child(0)
        .is_some_and(|it| walk.text(it) == b"include");
    if is_include && let Some(list) = part(node, &["argument_list"]) {
        let path = list.named_child(0).map_or(&b""[..], |it| walk.text(it));
        if unquoted(path).len() < path.len() {
            walk.import(unquoted(path), node);
        }
    }
    Then::Skip
}

/// First name in a head: `A` of `A{T} <: B`.
fn first_name<'t>(walk: &Walk<'t, '_>, node: Node<'t>) -> &'t [u8] {
    let text = walk.text(node);
    let end = text
        .iter()
        .position(|c| matches!(c, b'{' | b'<' | b' ' | b'('))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

fn type_definition<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(head) = part(node, &["type_head"]) else {
        return Then::Skip;
    };
    let kind = if node.kind() == "struct_definition" {
        Kind::Struct
    } else {
        Kind::Type
    };
    walk.define_as(kind, node, first_name(walk, head), Some(head.end_byte()));
    Then::Skip
}

/// Name of a function in its head: `b` of `A.b(c::D{T}) where {T}`.
fn function_name<'t>(walk: &Walk<'t, '_>, head: Node<'t>) -> Option<&'t [u8]> {
    let mut at = head;
    for _ in 0..8 {
        at = match at.kind() {
            "signature" | "where_expression" | "typed_expression" => at.named_child(0)?,
            "call_expression" | "parametrized_type_expression" => at.named_child(0)?,
            "field_expression" => {
                let count = at.named_child_count().saturating_sub(1);
                at.named_child(count as u32)?
            }
            "identifier" | "operator" => return Some(walk.text(at)),
            _ => return None,
        };
    }
    None
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(head) = part(node, &["signature"]) else {
        return Then::Skip;
    };
    if let Some(name) = function_name(walk, head) {
        let kind = if node.kind() == "macro_definition" {
            Kind::Macro
        } else {
            Kind::Function
        };
        walk.define_as(kind, node, name, Some(head.end_byte()));
    }
    Then::Skip
}

/// `f(x) = …` is a function, `const A = …` a constant.
fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(left) = node.named_child(0) else {
        return Then::Skip;
    };
    let constant = walk
        .around(0)
        .is_some_and(|it| it.kind() == "const_statement");
    match left.kind() {
        "identifier" => {
            let kind = if constant {
                Kind::Constant
            } else {
                Kind::Variable
            };
            if !walk.broken() && walk.count(&["compound_statement"]) == 0 {
                walk.define(kind, node, left, None);
            }
        }
        "call_expression" | "where_expression" | "typed_expression" => {
            if let Some(name) = function_name(walk, left) {
                walk.define_as(Kind::Function, node, name, Some(left.end_byte()));
            }
        }
        _ => {}
    }
    Then::Skip
}

/// `@testset "a" begin`, `@enum A b c`, and definitions behind `@inline` and the like.
fn macro_call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = part(node, &["macro_identifier"]).map_or(&b""[..], |it| walk.text(it));
    let arguments = part(node, &["macro_argument_list"]);
    let first = arguments.and_then(|it| it.named_child(0));
    match (name, first) {
        (b"@testset" | b"@testitem", Some(title)) => {
            let text = unquoted(walk.text(title));
            match walk.define_as(Kind::Test, node, text, Some(title.end_byte())) {
                Some(index) => Then::Within(index),
                None => Then::Skip,
            }
        }
        (b"@enum", Some(name)) => {
            walk.define_as(Kind::Enum, node, first_name(walk, name), None);
            Then::Skip
        }
        (b"@inline" | b"@noinline" | b"@generated" | b"@kwdef" | b"Base.@kwdef", _) => Then::Wrap,
        (b"@doc", _) => Then::Wrap,
        _ => Then::Skip,
    }
}
