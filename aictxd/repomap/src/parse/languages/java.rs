//! Java.

use tree_sitter::Node;

use crate::facts::{Kind, Span};
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{has, modifiers};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    outline: Some(skip_bodies::java),
    ..Spec::new(
        || tree_sitter_java::LANGUAGE.into(),
        &[
            ("line_comment", Act::Comment),
            ("block_comment", Act::Comment),
            ("modifiers", Act::Modifiers),
            ("annotation", Act::Attribute),
            ("marker_annotation", Act::Attribute),
            ("package_declaration", Act::With(package)),
            ("module_declaration", def(Kind::Module).leaf()),
            ("import_declaration", Act::With(import)),
            ("class_declaration", def(Kind::Class).open()),
            ("record_declaration", def(Kind::Struct).open()),
            ("enum_declaration", def(Kind::Enum).open()),
            ("interface_declaration", def(Kind::Interface).open()),
            ("annotation_type_declaration", def(Kind::Interface).open()),
            ("class_body", Act::Into),
            ("interface_body", Act::Into),
            ("enum_body", Act::Into),
            ("enum_body_declarations", Act::Into),
            ("annotation_type_body", Act::Into),
            ("enum_constant", def(Kind::Constant).leaf()),
            ("method_declaration", Act::With(method)),
            (
                "annotation_type_element_declaration",
                def(Kind::Method).declares().leaf(),
            ),
            ("constructor_declaration", def(Kind::Method).leaf()),
            ("compact_constructor_declaration", def(Kind::Method).leaf()),
            ("field_declaration", Act::With(field)),
            ("constant_declaration", Act::With(field)),
        ],
    )
};

fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    let words = modifiers(walk, node);
    let member = matches!(walk.container_kind(), Some(Kind::Interface | Kind::Enum))
        && !has(words, b"private");
    let open = has(words, b"public") || has(words, b"protected");
    open || member || node.kind() == "module_declaration"
}

fn package<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.named_child(node.named_child_count().saturating_sub(1) as u32)
        && let Some(index) = walk.define(Kind::Module, node, name, None)
    {
        walk.edit(index, |it| {
            it.exported = true;
            it.declared_only = true;
            // The licence of the file stands above it.
            it.doc = Span::default();
        });
    }
    Then::Skip
}

/// `import static a.B.c;` imports `a.B.c`, `import a.*;` imports `a.*`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let text = walk.text(node);
    let text = text.strip_prefix(b"import").unwrap_or(text).trim_ascii();
    let text = match text.strip_prefix(b"static") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_whitespace) => rest,
        _ => text,
    };
    let text = text.strip_suffix(b";").unwrap_or(text);
    walk.import(text, node);
    Then::Skip
}

fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let words = modifiers(walk, node);
    let test = [
        &b"@Test"[..],
        b"@ParameterizedTest",
        b"@RepeatedTest",
        b"@Benchmark",
    ]
    .iter()
    .any(|it| has(words, it));
    let suite = || {
        let class = walk.around(1).filter(|it| it.kind() == "class_declaration");
        class.is_some_and(|it| walk.field(it, "superclass").ends_with(b"TestCase"))
    };
    let test = test || walk.text(name).starts_with(b"test") && suite();
    let body = node.child_by_field_name("body");
    let kind = if test { Kind::Test } else { Kind::Method };
    if let Some(index) = walk.define(kind, node, name, body) {
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

/// Fields that are `static final`, and all of an interface, are constants; others do not count.
fn field<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let words = modifiers(walk, node);
    let constant =
        node.kind() == "constant_declaration" || has(words, b"static") && has(words, b"final");
    if !constant {
        return Then::Skip;
    }
    walk.children(node, |walk, child| {
        if child.kind() == "variable_declarator"
            && let Some(name) = child.child_by_field_name("name")
        {
            walk.define(Kind::Constant, node, name, None);
        }
        true
    });
    Then::Skip
}
