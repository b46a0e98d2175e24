//! Python.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Spec, Then};
use crate::parse::walk::Walk;

use super::{contains, part};

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    inner_doc: Some(docstring),
    outline: Some(skip_bodies::python),
    ..Spec::new(
        || tree_sitter_python::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("decorator", Act::Attribute),
            ("decorated_definition", Act::Wrap),
            ("class_definition", Act::With(class)),
            ("function_definition", Act::With(function)),
            ("type_alias_statement", Act::With(type_alias)),
            ("expression_statement", Act::Wrap),
            ("assignment", Act::With(assignment)),
            ("block", Act::Into),
            ("if_statement", Act::Into),
            ("elif_clause", Act::Into),
            ("else_clause", Act::Into),
            ("try_statement", Act::Into),
            ("except_clause", Act::Into),
            ("finally_clause", Act::Into),
            ("with_statement", Act::Into),
            ("for_statement", Act::With(repeated)),
            ("while_statement", Act::With(repeated)),
            ("match_statement", Act::With(repeated)),
            ("case_clause", Act::Into),
            ("import_statement", Act::With(import)),
            ("import_from_statement", Act::With(import_from)),
        ],
    )
};

fn exported(walk: &Walk<'_, '_>, _: Node<'_>, name: &[u8]) -> bool {
    if in_function(walk) {
        return false;
    }
    let dunder = name.len() > 4 && name.starts_with(b"__") && name.ends_with(b"__");
    dunder || !name.starts_with(b"_")
}

/// Returns true if what is visited is a statement of a function, however deep.
fn in_function(walk: &Walk<'_, '_>) -> bool {
    match walk.container_kind() {
        Some(Kind::Function | Kind::Method) => true,
        // A suite or a case.
        Some(Kind::Test) => {
            let mut around = (0..).map_while(|at| walk.around(at)).map(|it| it.kind());
            around.find(|it| matches!(*it, "function_definition" | "class_definition"))
                == Some("function_definition")
        }
        _ => false,
    }
}

/// Skips loops and conditional code, which define nothing but what a function may.
fn repeated<'t>(walk: &mut Walk<'t, '_>, _: Node<'t>) -> Then {
    if in_function(walk) {
        Then::Into
    } else {
        Then::Skip
    }
}

/// The string that a class or function begins with.
fn docstring(node: Node<'_>) -> Option<Node<'_>> {
    let body = node.child_by_field_name("body")?;
    let first = body.named_child(0)?;
    let string = first.named_child(0)?;
    (first.kind() == "expression_statement" && string.kind() == "string").then_some(string)
}

fn class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Into;
    };
    if in_function(walk) {
        // Made for one call; suites of tests have thousands of them.
        return Then::Skip;
    }
    // A comment may stand between the head and the body.
    let body = part(node, &[":"]);
    let bases = walk.field(node, "superclasses");
    let derived = contains(bases, b"TestCase");
    // `TestClient` is no suite: one has tests in it.
    let suite = derived
        || walk.text(name).starts_with(b"Test") && contains(walk.field(node, "body"), b"def test");
    let kind = if suite { Kind::Test } else { Kind::Class };
    match walk.define(kind, node, name, body) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    // A comment may stand between the head and the body.
    let body = part(node, &[":"]);
    let container = match in_function(walk) {
        true => Some(Kind::Function),
        false => walk.container_kind(),
    };
    let test = walk.text(name).starts_with(b"test") && matches!(container, None | Some(Kind::Test));
    let kind = match container {
        _ if test && walk.text(name).get(4).is_none_or(|&c| c == b'_') => Kind::Test,
        Some(Kind::Class | Kind::Test) => Kind::Method,
        _ => Kind::Function,
    };
    let Some(index) = walk.define(kind, node, name, body) else {
        return Then::Skip;
    };
    let overload = contains(walk.attributes(node), b"overload");
    walk.edit(index, |it| it.declared_only = overload);
    // Functions in it count, nothing else.
    Then::Within(index)
}

fn type_alias<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if in_function(walk) {
        return Then::Skip;
    }
    let left = walk.field(node, "left");
    let end = left.iter().position(|&c| c == b'[').unwrap_or(left.len());
    walk.define_as(Kind::Type, node, left.get(..end).unwrap_or(left), None);
    Then::Skip
}

/// Names in capitals are constants wherever they stand; other names count at the top of a file.
fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(left) = node.child_by_field_name("left") else {
        return Then::Skip;
    };
    if left.kind() != "identifier" || in_function(walk) {
        return Then::Skip;
    }
    let name = walk.text(left);
    let right = node.child_by_field_name("right");
    if name == b"__all__" {
        // What is listed is exported, with an underscore or not.
        if let Some(list) = right {
            walk.children(list, |walk, child| {
                let name = child.named_child(1).map_or(&b""[..], |it| walk.text(it));
                walk.draft.export(name);
                true
            });
        }
        return Then::Skip;
    }
    let annotation = walk.field(node, "type");
    let value = right.map_or(&b""[..], |it| walk.text(it));
    let is_type = contains(annotation, b"TypeAlias")
        || [
            &b"TypeVar("[..],
            b"NewType(",
            b"ParamSpec(",
            b"NamedTuple(",
            b"namedtuple(",
        ]
        .iter()
        .any(|it| value.starts_with(it))
        || [&b"Union["[..], b"Optional[", b"Callable[", b"Literal["]
            .iter()
            .any(|it| value.starts_with(it));
    let lambda = right.is_some_and(|it| it.kind() == "lambda");
    let capital =
        name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
    let kind = match walk.container_kind() {
        _ if is_type => Kind::Type,
        None if lambda => Kind::Function,
        _ if capital => Kind::Constant,
        None => Kind::Variable,
        Some(_) => return Then::Skip,
    };
    if walk.broken() {
        return Then::Skip;
    }
    walk.define_as(kind, node, name, None);
    Then::Skip
}

fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if in_function(walk) {
        return Then::Skip;
    }
    walk.children(node, |walk, child| {
        let name = match child.kind() {
            "dotted_name" => walk.text(child),
            "aliased_import" => walk.field(child, "name"),
            _ => return true,
        };
        walk.import(name, child);
        true
    });
    Then::Skip
}

/// `from a import b, c` imports `a.b` and `a.c`, `from . import b` imports `.b`, and a star the
/// module itself.
fn import_from<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if in_function(walk) {
        return Then::Skip;
    }
    let Some(from) = node.child_by_field_name("module_name") else {
        return Then::Skip;
    };
    let mut path = walk.text(from).to_vec();
    if path.last().is_some_and(|&c| c != b'.') {
        path.push(b'.');
    }
    let prefix = path.len();
    walk.children(node, |walk, child| {
        if child.start_byte() <= from.start_byte() {
            return true;
        }
        let name = match child.kind() {
            "dotted_name" => walk.text(child),
            "aliased_import" => walk.field(child, "name"),
            "wildcard_import" => {
                walk.import(walk.text(from), child);
                return true;
            }
            _ => return true,
        };
        path.truncate(prefix);
        path.extend_from_slice(name);
        walk.import(&path, child);
        true
    });
    Then::Skip
}
