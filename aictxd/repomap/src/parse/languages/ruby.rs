//! Ruby.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{contains, unquoted};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, _, _| !walk.hidden(),
    ..Spec::new(
        || tree_sitter_ruby::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("class", Act::With(class)),
            ("module", Act::With(class)),
            ("singleton_class", Act::Into),
            ("body_statement", Act::Into),
            ("method", Act::With(method)),
            ("singleton_method", Act::With(method)),
            ("assignment", Act::With(assignment)),
            ("identifier", Act::With(word)),
            ("call", Act::With(call)),
            ("argument_list", Act::Into),
            ("do_block", Act::Into),
            ("block", Act::Into),
            ("block_body", Act::Into),
            ("begin", Act::Into),
            ("if", Act::Into),
            ("unless", Act::Into),
            ("then", Act::Into),
            ("else", Act::Into),
        ],
    )
};

/// `class A::B` is named `B`.
fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let name = name.child_by_field_name("name").unwrap_or(name);
    let parent = node.child_by_field_name("superclass");
    let body = node.child_by_field_name("body");
    let kind = match node.kind() {
        "module" => Kind::Module,
        _ if parent.is_some_and(|it| contains(walk.text(it), b"Test")) => Kind::Test,
        _ => Kind::Class,
    };
    // Comments stand between head and body at times, and are no part of the head.
    let head = parent.map_or(name.end_byte(), |it| it.end_byte());
    let end = body.map_or(head, |it| it.start_byte().min(head));
    match walk.define_as(kind, node, walk.text(name), Some(end)) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let head = node.child_by_field_name("parameters").unwrap_or(name);
    let container = walk.container_kind();
    let kind = match container {
        Some(Kind::Test) if walk.text(name).starts_with(b"test_") => Kind::Test,
        Some(_) => Kind::Method,
        None => Kind::Function,
    };
    // `private def a`.
    let private = walk
        .around(1)
        .is_some_and(|it| it.kind() == "call" && walk.field(it, "method").starts_with(b"private"));
    let index = walk.define_as(kind, node, walk.text(name), Some(head.end_byte()));
    if let Some(index) = index.filter(|_| private) {
        walk.edit(index, |it| it.exported = false);
    }
    Then::Skip
}

fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return Then::Skip;
    };
    if left.kind() != "constant" {
        return Then::Skip;
    }
    let value = walk.text(right);
    let kind = match () {
        () if value.starts_with(b"Struct.new") || value.starts_with(b"Data.define") => Kind::Struct,
        () if value.starts_with(b"Class.new") => Kind::Class,
        () if value.starts_with(b"Module.new") => Kind::Module,
        () => Kind::Constant,
    };
    walk.define(kind, node, left, None);
    Then::Skip
}

/// `private` alone is for all that follows.
fn word<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    match walk.text(node) {
        b"private" | b"protected" => walk.hide(true),
        b"public" => walk.hide(false),
        _ => {}
    }
    Then::Skip
}

fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let method = walk.field(node, "method");
    let arguments = node.child_by_field_name("arguments");
    let first = arguments.and_then(|it| it.named_child(0));
    let block = node.child_by_field_name("block");
    match method {
        b"require" | b"load" => {
            if let Some(path) = first.filter(|it| it.kind() == "string") {
                walk.import(unquoted(walk.text(path)), path);
            }
            Then::Skip
        }
        b"require_relative" => {
            if let Some(path) = first.filter(|it| it.kind() == "string") {
                let path = [b"./", unquoted(walk.text(path))].concat();
                walk.import(&path, node);
            }
            Then::Skip
        }
        b"attr_reader" | b"attr_writer" | b"attr_accessor" => {
            if let Some(arguments) = arguments {
                walk.children(arguments, |walk, child| {
                    if let Some(name) = walk.text(child).strip_prefix(b":") {
                        walk.define_as(Kind::Variable, node, name, None);
                    }
                    true
                });
            }
            Then::Skip
        }
        b"describe" | b"context" | b"it" | b"specify" | b"test" | b"scenario" | b"feature" => {
            let Some((title, block)) = first.zip(block) else {
                return Then::Skip;
            };
            let name = unquoted(walk.text(title));
            let found = walk.define_as(Kind::Test, node, name, Some(block.start_byte()));
            match found {
                Some(index) if matches!(method, b"describe" | b"context" | b"feature") => {
                    Then::Within(index)
                }
                _ => Then::Skip,
            }
        }
        b"task" | b"namespace" => {
            let Some((title, block)) = first.zip(block) else {
                return Then::Skip;
            };
            let text = walk.text(title);
            let name = text
                .split(|&c| c == b'=')
                .next()
                .unwrap_or(text)
                .trim_ascii();
            let name = name.strip_prefix(b":").unwrap_or(name);
            let name = name.strip_suffix(b":").unwrap_or(name);
            let kind = if method == b"task" {
                Kind::Entrypoint
            } else {
                Kind::Module
            };
            match walk.define_as(kind, node, unquoted(name), Some(block.start_byte())) {
                Some(index) if method == b"namespace" => Then::Within(index),
                _ => Then::Skip,
            }
        }
        b"included" | b"class_methods" | b"private" | b"protected" | b"module_function"
        | b"memoize" => Then::Into,
        _ => Then::Skip,
    }
}
