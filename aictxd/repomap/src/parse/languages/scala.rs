//! Scala 2 and 3.

use tree_sitter::Node;

use crate::facts::{Kind, Span};
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{has, imported, modifiers, part};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported: |walk, node, _| !has(modifiers(walk, node), b"private"),
    ..Spec::new(
        || tree_sitter_scala::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("block_comment", Act::Comment),
            ("annotation", Act::Attribute),
            ("package_clause", Act::With(package)),
            ("package_object", def(Kind::Module).open()),
            ("import_declaration", Act::With(import)),
            ("class_definition", def(Kind::Class).open()),
            ("object_definition", def(Kind::Class).open()),
            ("trait_definition", def(Kind::Trait).open()),
            ("enum_definition", def(Kind::Enum).open()),
            ("enum_body", Act::Into),
            ("enum_case_definitions", Act::Into),
            ("simple_enum_case", def(Kind::Constant).leaf()),
            ("full_enum_case", def(Kind::Constant).leaf()),
            ("given_definition", def(Kind::Constant).open()),
            ("extension_definition", Act::Into),
            ("template_body", Act::Into),
            ("with_template_body", Act::Into),
            ("function_definition", def(Kind::Function).leaf()),
            (
                "function_declaration",
                def(Kind::Function).declares().leaf(),
            ),
            ("val_definition", Act::With(value)),
            ("var_definition", Act::With(value)),
            ("type_definition", def(Kind::Type).leaf()),
        ],
    )
};

fn package<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
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

/// `import a.{b, c => d}` imports `a.b` and `a.c`, `import a._` imports `a.*`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = imported(walk.text(node), &[b"import"], &[b";"]);
    let open = text.iter().position(|&c| c == b'{');
    let Some((prefix, list)) = open.and_then(|at| text.split_at_checked(at)) else {
        for path in text.split(|&c| c == b',') {
            let path = imported(path, &[], &[b" as "]);
            match path.strip_suffix(b"._") {
                Some(prefix) => walk.import(&[prefix, b".*"].concat(), node),
                None => walk.import(path, node),
            }
        }
        return Then::Skip;
    };
    for name in list.split(|c| matches!(c, b'{' | b'}' | b',')) {
        let name = imported(name, &[], &[b"=>", b" as "]);
        let name = if name == b"_" { b"*" } else { name };
        if !name.is_empty() {
            walk.import(&[prefix.trim_ascii(), name].concat(), node);
        }
    }
    Then::Skip
}

/// Values at the top of a file, those of objects, and those of capitals.
fn value<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("pattern") else {
        return Then::Skip;
    };
    let capital = walk.text(name).first().is_some_and(u8::is_ascii_uppercase);
    let top = !walk.in_type() && part(node, &["val", "var"]).is_some();
    let single = walk
        .around(1)
        .is_some_and(|it| it.kind() == "object_definition");
    if name.kind() == "identifier" && (capital || top || single) {
        let kind = if node.kind() == "val_definition" {
            Kind::Constant
        } else {
            Kind::Variable
        };
        walk.define(kind, node, name, None);
    }
    Then::Skip
}
