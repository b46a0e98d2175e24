//! C#.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::{contains, imported, part};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    ..Spec::new(
        || tree_sitter_c_sharp::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("attribute_list", Act::Attribute),
            ("using_directive", Act::With(import)),
            ("namespace_declaration", def(Kind::Module).open()),
            ("file_scoped_namespace_declaration", Act::With(namespace)),
            ("declaration_list", Act::Into),
            ("preproc_if", Act::Into),
            ("preproc_else", Act::Into),
            ("preproc_elif", Act::Into),
            ("class_declaration", def(Kind::Class).open()),
            ("struct_declaration", def(Kind::Struct).open()),
            ("record_declaration", def(Kind::Struct).open()),
            ("interface_declaration", def(Kind::Interface).open()),
            ("enum_declaration", def(Kind::Enum).open()),
            ("enum_member_declaration_list", Act::Into),
            ("enum_member_declaration", def(Kind::Constant).leaf()),
            ("delegate_declaration", def(Kind::Type).leaf()),
            ("method_declaration", Act::With(method)),
            ("constructor_declaration", Act::With(method)),
            ("property_declaration", Act::With(property)),
            ("event_declaration", Act::With(property)),
            ("field_declaration", Act::With(field)),
            ("event_field_declaration", Act::With(field)),
        ],
    )
};

/// Returns true if a declaration has a word like `public` before it.
fn has_modifier(walk: &Walk<'_, '_>, node: Node<'_>, word: &[u8]) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take(8)
        .any(|it| it.kind() == "modifier" && walk.text(it) == word)
}

/// Members are private unless they say otherwise, types are not.
fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    if has_modifier(walk, node, b"private") {
        return false;
    }
    let open = [&b"public"[..], b"internal", b"protected"];
    !matches!(walk.container_kind(), Some(Kind::Class | Kind::Struct))
        || open.iter().any(|it| has_modifier(walk, node, it))
}

/// `using static A.B;`, `using C = A.B;`.
fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let before: &[&[u8]] = &[b"global", b"using", b"static", b"unsafe"];
    let path = imported(walk.text(node), before, &[b";"]);
    let path = path.rsplit(|&c| c == b'=').next().unwrap_or(path);
    walk.import(path, node);
    Then::Skip
}

fn namespace<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name")
        && let Some(index) = walk.define(Kind::Module, node, name, None)
    {
        walk.edit(index, |it| it.declared_only = true);
    }
    Then::Into
}

fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let attributes = part(node, &["attribute_list"]).map_or(&b""[..], |it| walk.text(it));
    let test = [&b"[Fact"[..], b"[Theory", b"[Test", b"[Benchmark"]
        .iter()
        .any(|it| attributes.starts_with(it));
    let kind = if test && !contains(attributes, b"TestInitialize") {
        Kind::Test
    } else {
        Kind::Method
    };
    if let Some(index) = walk.define(kind, node, name, body) {
        walk.edit(index, |it| it.declared_only = body.is_none());
    }
    Then::Skip
}

fn property<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name") {
        let body = ["accessors", "value"]
            .iter()
            .find_map(|it| node.child_by_field_name(it));
        walk.define(Kind::Variable, node, name, body);
    }
    Then::Skip
}

/// Fields count where they never change, and events.
fn field<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let event = node.kind() == "event_field_declaration";
    let fixed = has_modifier(walk, node, b"const")
        || has_modifier(walk, node, b"static") && has_modifier(walk, node, b"readonly");
    let kind = match () {
        () if event => Kind::Variable,
        () if fixed => Kind::Constant,
        () => return Then::Skip,
    };
    if let Some(list) = part(node, &["variable_declaration"]) {
        walk.children(list, |walk, child| {
            if child.kind() == "variable_declarator"
                && let Some(name) = child.child_by_field_name("name")
            {
                walk.define(kind, node, name, None);
            }
            true
        });
    }
    Then::Skip
}
