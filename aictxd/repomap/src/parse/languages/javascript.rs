//! JavaScript with JSX, and what TypeScript shares with it.
//!
//! Functions have no one form here: declarations, constants with arrows, members of object literals,
//! assignments to properties, and whole files inside one call. In bodies of functions only functions
//! and classes count, unless they are the file's scope in fact (`(function () { … })()`, `define(…)`,
//! `describe(…)`).

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::unquoted;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    finish: Some(finish),
    ..Spec::new(
        || tree_sitter_javascript::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("decorator", Act::Attribute),
            ("export_statement", Act::With(export)),
            ("import_statement", Act::With(import)),
            ("lexical_declaration", Act::Wrap),
            ("variable_declaration", Act::Wrap),
            ("variable_declarator", Act::With(declarator)),
            ("function_declaration", Act::With(function)),
            ("generator_function_declaration", Act::With(function)),
            ("class_declaration", def(Kind::Class).open()),
            ("class", Act::With(class_expression)),
            ("class_body", Act::Into),
            ("method_definition", Act::With(method)),
            ("field_definition", Act::With(field)),
            ("expression_statement", Act::Wrap),
            ("assignment_expression", Act::With(assignment)),
            ("call_expression", Act::With(call)),
            ("parenthesized_expression", Act::Into),
            ("unary_expression", Act::Into),
            ("arguments", Act::Into),
            ("arrow_function", Act::With(function_expression)),
            ("function_expression", Act::With(function_expression)),
            ("statement_block", Act::Into),
            ("if_statement", Act::Into),
            ("else_clause", Act::Into),
            ("labeled_statement", Act::With(reactive)),
            ("try_statement", Act::Into),
            ("object", Act::With(object)),
            ("pair", Act::With(pair)),
            ("shorthand_property_identifier", Act::With(shorthand)),
        ],
    )
};

/// Decides if the file has module scope: without it, everything at the top is global.
pub(super) fn finish(walk: &mut Walk<'_, '_>) {
    let alone = walk.draft.exports_nothing();
    let facts = &mut walk.draft.facts;
    if !alone || !facts.imports.is_empty() {
        return;
    }
    let mut at_top = facts.definitions.iter().filter(|it| it.container.is_none());
    if at_top.all(|it| !it.exported) {
        for it in &mut facts.definitions {
            it.exported |= it.container.is_none() && it.kind != Kind::Test;
        }
    }
}

pub(super) fn exported(walk: &Walk<'_, '_>, node: Node<'_>, name: &[u8]) -> bool {
    let ambient = walk.count(&["ambient_declaration"]) > 0;
    let container = walk.container_kind();
    if matches!(container, Some(Kind::Function | Kind::Method)) {
        return false;
    }
    if container.is_some_and(|it| it != Kind::Module) {
        let hidden = name.starts_with(b"#")
            || node.child(0).is_some_and(|it| {
                it.kind() == "accessibility_modifier" && walk.text(it) == b"private"
            });
        return !hidden;
    }
    ambient || {
        // Not beyond the block that it stands in.
        let mut around = (0..8).map_while(|at| walk.around(at)).map(|it| it.kind());
        around
            .find(|it| matches!(*it, "export_statement" | "statement_block" | "program"))
            .is_some_and(|it| it == "export_statement")
    }
}

pub(super) fn export<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(source) = node.child_by_field_name("source") {
        import_string(walk, source);
        return Then::Skip;
    }
    if let Some(clause) = walk.child(node, "export_clause") {
        walk.children(clause, |walk, child| {
            let name = walk.field(child, "name");
            walk.draft.export(name);
            true
        });
        return Then::Skip;
    }
    if let Some(value) = node.child_by_field_name("value") {
        let body = value.child_by_field_name("body");
        let kind = match value.kind() {
            "identifier" => {
                let name = walk.text(value);
                walk.draft.export(name);
                return Then::Skip;
            }
            "arrow_function" | "function_expression" | "generator_function" => Kind::Function,
            "class" => Kind::Class,
            _ => return Then::Wrap,
        };
        let name = match walk.field(value, "name") {
            b"" => b"default",
            name => name,
        };
        let index = walk.define_as(kind, node, name, body.map(|it| it.start_byte()));
        if let Some(index) = index {
            walk.edit(index, |it| it.exported = true);
        }
        return within(index);
    }
    Then::Wrap
}

pub(super) fn import<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let source = node.child_by_field_name("source").or_else(|| {
        let clause = walk.child(node, "import_require_clause")?;
        clause.child_by_field_name("source")
    });
    if let Some(source) = source {
        import_string(walk, source);
    }
    Then::Skip
}

fn import_string<'t>(walk: &mut Walk<'t, '_>, string: Node<'t>) {
    let text = unquoted(walk.text(string));
    walk.import(text, string);
}

/// `require("x")`, also as `require("x").y` and `await import("x")`.
fn required<'t>(walk: &Walk<'t, '_>, value: Node<'t>) -> Option<Node<'t>> {
    let mut at = value;
    for _ in 0..4 {
        match at.kind() {
            "member_expression" => at = at.child_by_field_name("object")?,
            "await_expression" => at = at.named_child(0)?,
            "call_expression" => {
                let callee = at.child_by_field_name("function")?;
                if !matches!(walk.text(callee), b"require" | b"import") {
                    at = callee;
                    continue;
                }
                let argument = at.child_by_field_name("arguments")?.named_child(0)?;
                return (argument.kind() == "string").then_some(argument);
            }
            _ => return None,
        }
    }
    None
}

/// Returns true if the walk is inside a function.
fn in_function(walk: &Walk<'_, '_>) -> bool {
    let container = walk.container_kind();
    matches!(container, Some(Kind::Function | Kind::Method))
        || walk.count(&["arrow_function", "function_expression"]) > 0
}

/// Into a definition, if it is one.
fn within(index: Option<u32>) -> Then {
    index.map_or(Then::Skip, Then::Within)
}

/// A function behind a call that only wraps it: `memo(() => …)`.
fn wrapped_function<'t>(walk: &Walk<'t, '_>, value: Node<'t>) -> Option<Node<'t>> {
    if value.kind() != "call_expression" {
        return None;
    }
    let callee = walk.field(value, "function");
    let last = callee.rsplit(|&c| c == b'.').next().unwrap_or(callee);
    if !matches!(
        last,
        b"memo" | b"forwardRef" | b"observer" | b"useCallback" | b"debounce"
    ) {
        return None;
    }
    let first = value.child_by_field_name("arguments")?.named_child(0)?;
    is_function(first).then_some(first)
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "generator_function"
    )
}

pub(super) fn declarator<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let value = node.child_by_field_name("value");
    if let Some(module) = value.and_then(|it| required(walk, it)) {
        import_string(walk, module);
        return Then::Skip;
    }
    let constant = walk
        .around(0)
        .and_then(|it| it.child(0))
        .is_some_and(|it| it.kind() == "const");
    let plain = if constant {
        Kind::Constant
    } else {
        Kind::Variable
    };
    if name.kind() == "object_pattern" {
        if exported(walk, node, b"") {
            walk.children(name, |walk, child| {
                if child.kind() == "shorthand_property_identifier_pattern" {
                    walk.define(plain, node, child, None);
                }
                true
            });
        }
        return Then::Skip;
    }
    if name.kind() != "identifier" {
        return Then::Skip;
    }
    let Some(value) = value else {
        if !in_function(walk) {
            walk.define(plain, node, name, None);
        }
        return Then::Skip;
    };
    let function = Some(value)
        .filter(|it| is_function(*it))
        .or_else(|| wrapped_function(walk, value));
    if let Some(function) = function {
        let body = function.child_by_field_name("body");
        return within(walk.define(Kind::Function, node, name, body));
    }
    if value.kind() == "class" {
        let body = value.child_by_field_name("body");
        return within(walk.define(Kind::Class, node, name, body));
    }
    if in_function(walk) {
        return Then::Skip;
    }
    // A long value says little in one line.
    let long = value.end_position().row > value.start_position().row;
    let index = walk.define(plain, node, name, Some(value).filter(|_| long));
    match (value.kind(), index) {
        ("object" | "call_expression" | "as_expression" | "satisfies_expression", Some(index)) => {
            Then::Within(index)
        }
        _ => Then::Skip,
    }
}

pub(super) fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    let body = node.child_by_field_name("body");
    let kind = Kind::Function;
    match super::typescript::implements(walk, node, kind, name) {
        Some(index) => Then::Within(index),
        None => within(walk.define(kind, node, name, body)),
    }
}

/// The class of `const A = class {}` and of `export default class {}` has been seen already.
pub(super) fn class_expression<'t>(_: &mut Walk<'t, '_>, _: Node<'t>) -> Then {
    Then::Into
}

pub(super) fn method<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = node.child_by_field_name("name") else {
        return Then::Skip;
    };
    // Others are only known when the program runs.
    let known = walk.text(name).starts_with(b"[Symbol.");
    if name.kind() == "computed_property_name" && !known {
        return Then::Skip;
    }
    if let Some(index) = super::typescript::implements(walk, node, Kind::Method, name) {
        return Then::Within(index);
    }
    let body = node.child_by_field_name("body");
    let text = unquoted(walk.text(name));
    within(walk.define_as(Kind::Method, node, text, body.map(|it| it.start_byte())))
}

/// Svelte's `$: name = …`, a variable that follows others.
pub(super) fn reactive<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let body = node.child_by_field_name("body");
    let assigned = body
        .filter(|_| walk.field(node, "label") == b"$")
        .and_then(|it| it.named_child(0))
        .filter(|it| it.kind() == "assignment_expression")
        .and_then(|it| it.child_by_field_name("left"));
    if let Some(name) = assigned.filter(|it| it.kind() == "identifier") {
        walk.define(Kind::Variable, node, name, None);
    }
    Then::Skip
}

/// Fields count where they are functions.
pub(super) fn field<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = node
        .child_by_field_name("property")
        .or_else(|| node.child_by_field_name("name"));
    if let (Some(name), Some(value)) = (name, node.child_by_field_name("value"))
        && is_function(value)
    {
        let body = value.child_by_field_name("body");
        return within(walk.define(Kind::Method, node, name, body));
    }
    Then::Skip
}

/// `exports.a = …`, `module.exports = …`, `A.prototype.b = …`, `a.b = function …`.
pub(super) fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return Then::Skip;
    };
    if left.kind() != "member_expression" {
        return Then::Skip;
    }
    let target = walk.text(left);
    if target == b"module.exports" {
        match right.kind() {
            "object" => return Then::Into,
            "identifier" => {
                let name = walk.text(right);
                walk.draft.export(name);
                return Then::Skip;
            }
            _ => {}
        }
    }
    let Some(property) = left.child_by_field_name("property") else {
        return Then::Skip;
    };
    if let Some(module) = required(walk, right) {
        import_string(walk, module);
        return Then::Skip;
    }
    let kind = match right.kind() {
        "class" => Kind::Class,
        _ if is_function(right) => Kind::Function,
        "identifier" if target.starts_with(b"exports.") => {
            let name = walk.text(right);
            walk.draft.export(name);
            return Then::Skip;
        }
        "object" if target.ends_with(b".prototype") => return Then::Into,
        _ => return Then::Skip,
    };
    let exports = target.starts_with(b"exports.") || target.starts_with(b"module.exports");
    let body = right.child_by_field_name("body");
    let name = match walk.text(property) {
        b"exports" => walk.field(right, "name"),
        name => name,
    };
    let Some(index) = walk.define_as(kind, node, name, body.map(|it| it.start_byte())) else {
        return Then::Skip;
    };
    if exports {
        walk.edit(index, |it| it.exported = true);
    } else if kind == Kind::Function {
        // `A.b` and `A.prototype.b` belong to `A`, if that is a class; `this.b` to nothing.
        let object = walk.field(left, "object");
        let owner = object.strip_suffix(b".prototype").unwrap_or(object);
        walk.edit(index, |it| {
            it.exported = true;
            if owner != object {
                it.kind = Kind::Method;
            }
        });
        if owner
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$'))
        {
            walk.draft.bind(index, owner);
        }
    }
    Then::Within(index)
}

/// A test, a suite, or a call that the whole file is in.
pub(super) fn call<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(callee), Some(arguments)) = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    ) else {
        return Then::Skip;
    };
    let callee_text = walk.text(callee);
    if matches!(callee_text, b"require" | b"import") {
        if let Some(module) = required(walk, node) {
            import_string(walk, module);
        }
        return Then::Skip;
    }
    let mut words = callee_text.split(|c| !(c.is_ascii_alphanumeric() || *c == b'_'));
    let (first, second) = (words.next().unwrap_or(b""), words.next().unwrap_or(b""));
    let suite = matches!(
        first,
        b"describe" | b"suite" | b"context" | b"xdescribe" | b"fdescribe"
    ) || matches!(
        (first, second),
        (b"QUnit", b"module") | (b"test", b"describe")
    );
    let case = matches!(
        first,
        b"it" | b"test" | b"specify" | b"bench" | b"xit" | b"fit" | b"xtest"
    ) || matches!((first, second), (b"Deno" | b"QUnit", b"test"));
    if suite || case {
        let (title, callback) = (arguments.named_child(0), last_function(walk, arguments));
        if let (Some(title), Some(callback)) = (title, callback)
            && matches!(title.kind(), "string" | "template_string")
        {
            let text = unquoted(walk.text(title));
            let index = walk.define_as(Kind::Test, node, text, Some(callback.start_byte()));
            return match index {
                Some(index) if suite => Then::Within(index),
                _ => Then::Skip,
            };
        }
    }
    if in_function(walk) || walk.count(&["call_expression"]) > 1 {
        return Then::Skip;
    }
    Then::Into
}

fn last_function<'t>(walk: &mut Walk<'t, '_>, arguments: Node<'t>) -> Option<Node<'t>> {
    let mut found = None;
    walk.children(arguments, |_, child| {
        if is_function(child) {
            found = Some(child);
        }
        true
    });
    found
}

/// Reached only through a call: the scope of the file.
pub(super) fn function_expression<'t>(_: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    match node.child_by_field_name("body") {
        Some(body) if body.kind() == "statement_block" => Then::Into,
        _ => Then::Skip,
    }
}

/// Deeper objects are data.
pub(super) fn object<'t>(walk: &mut Walk<'t, '_>, _: Node<'t>) -> Then {
    if walk.count(&["object"]) < 2 {
        Then::Into
    } else {
        Then::Skip
    }
}

pub(super) fn pair<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let (Some(key), Some(value)) = (
        node.child_by_field_name("key"),
        node.child_by_field_name("value"),
    ) else {
        return Then::Skip;
    };
    if is_function(value) && key.kind() != "computed_property_name" {
        let body = value.child_by_field_name("body").map(|it| it.start_byte());
        let name = unquoted(walk.text(key));
        return within(walk.define_as(Kind::Method, node, name, body));
    }
    if value.kind() == "object" {
        Then::Into
    } else {
        Then::Skip
    }
}

/// `module.exports = { a }`.
pub(super) fn shorthand<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if walk
        .around(1)
        .is_some_and(|it| it.kind() == "assignment_expression")
    {
        let name = walk.text(node);
        walk.draft.export(name);
    }
    Then::Skip
}
