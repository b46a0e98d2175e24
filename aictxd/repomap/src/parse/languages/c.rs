//! C and C++.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::fact_builder::slice;
use crate::parse::skip_bodies;
use crate::parse::table::{Act, Field, Spec, Then, def};
use crate::parse::walk::Walk;

pub(in crate::parse) static SPEC: Spec = Spec {
    exported,
    outline: Some(skip_bodies::c),
    ..Spec::new(
        || tree_sitter_c::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("preproc_include", Act::With(include)),
            ("preproc_def", Act::With(macro_definition)),
            ("preproc_function_def", Act::With(macro_definition)),
            ("preproc_if", Act::Into),
            ("preproc_ifdef", Act::Into),
            ("preproc_else", Act::Into),
            ("preproc_elif", Act::Into),
            ("preproc_elifdef", Act::Into),
            ("linkage_specification", Act::Into),
            ("declaration_list", Act::Into),
            ("function_definition", Act::With(function)),
            ("declaration", Act::With(declaration)),
            ("type_definition", Act::With(typedef)),
            ("struct_specifier", Act::With(record)),
            ("union_specifier", Act::With(record)),
            ("enum_specifier", Act::With(record)),
            ("field_declaration_list", Act::Into),
            ("field_declaration", Act::With(declaration)),
            ("enumerator_list", Act::Into),
            ("enumerator", def(Kind::Constant).leaf()),
        ],
    )
};

pub(in crate::parse) static CPP: Spec = Spec {
    exported,
    outline: Some(skip_bodies::cpp),
    ..Spec::new(
        || tree_sitter_cpp::LANGUAGE.into(),
        &[
            ("comment", Act::Comment),
            ("preproc_include", Act::With(include)),
            ("preproc_def", Act::With(macro_definition)),
            ("preproc_function_def", Act::With(macro_definition)),
            ("preproc_if", Act::Into),
            ("preproc_ifdef", Act::Into),
            ("preproc_else", Act::Into),
            ("preproc_elif", Act::Into),
            ("preproc_elifdef", Act::Into),
            ("linkage_specification", Act::Into),
            ("declaration_list", Act::Into),
            ("namespace_definition", Act::With(namespace)),
            ("template_declaration", Act::Wrap),
            ("concept_definition", def(Kind::Type).leaf()),
            ("alias_declaration", def(Kind::Type).leaf()),
            ("function_definition", Act::With(function)),
            ("declaration", Act::With(declaration)),
            ("field_declaration", Act::With(declaration)),
            ("type_definition", Act::With(typedef)),
            ("class_specifier", Act::With(record)),
            ("struct_specifier", Act::With(record)),
            ("union_specifier", Act::With(record)),
            ("enum_specifier", Act::With(record)),
            ("field_declaration_list", Act::Into),
            ("enumerator_list", Act::Into),
            ("enumerator", def(Kind::Constant).leaf()),
            // Reached only through a class that was taken for a function.
            ("compound_statement", Act::Into),
            ("labeled_statement", Act::Into),
        ],
    )
};

/// Longest chain of declarators that is followed; real ones have three or four links.
const MAX_CHAIN: usize = 24;

fn exported(walk: &Walk<'_, '_>, node: Node<'_>, _: &[u8]) -> bool {
    // In a class, `static` is about something else; who may see members is not looked at.
    if walk.container_kind().is_some_and(|it| it != Kind::Module) {
        return true;
    }
    let unnamed = walk.around(1).is_some_and(|it| {
        it.kind() == "namespace_definition" && walk.part(it, Field::Name).is_none()
    });
    let hidden = matches!(node.kind(), "function_definition" | "declaration")
        && (0..3)
            .filter_map(|at| node.child(at))
            .any(|it| it.kind() == "storage_class_specifier" && walk.text(it) == b"static");
    !hidden && !unnamed
}

fn include<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let path = walk.text_of(walk.part(node, Field::Path));
    if let [b'"' | b'<', inner @ .., b'"' | b'>'] = path {
        walk.import(inner, node);
    }
    Then::Skip
}

/// Guards of headers have no value and are no macros that anybody uses.
fn macro_definition<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(name) = walk.part(node, Field::Name) else {
        return Then::Skip;
    };
    let text = walk.text(name);
    let guard = node.kind() == "preproc_def"
        && walk.part(node, Field::Value).is_none()
        && (text.ends_with(b"_H")
            || text.ends_with(b"_H_")
            || text.ends_with(b"_HPP")
            || text.ends_with(b"_H__")
            || text.ends_with(b"_INCLUDED"));
    if !guard {
        let value = walk.part(node, Field::Value);
        let long = walk.text(node).trim_ascii_end().contains(&b'\n');
        walk.define(Kind::Macro, node, name, value.filter(|_| long));
    }
    Then::Skip
}

fn namespace<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let name = walk.part(node, Field::Name);
    let body = walk.part(node, Field::Body);
    match name.and_then(|name| walk.define(Kind::Module, node, name, body)) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// Declaration in a chain of declarators.
struct Declared<'t> {
    /// Last name of it: `b` of `A::b`, `~A`, `operator+`.
    name: Node<'t>,
    /// Last name before that: `A`.
    scope: Option<Node<'t>>,
    /// True if it is a function, not a pointer to one.
    function: bool,
}

fn declared<'t>(walk: &Walk<'_, '_>, declarator: Node<'t>) -> Option<Declared<'t>> {
    let mut at = declarator;
    let mut scope = None;
    let mut function = false;
    let mut pointer = false;
    for _ in 0..MAX_CHAIN {
        match at.kind() {
            "function_declarator" => {
                function = true;
                pointer = false;
                at = walk.part(at, Field::Declarator)?;
            }
            "pointer_declarator" | "reference_declarator" | "array_declarator" => {
                pointer = function;
                at = inner(walk, at)?;
            }
            "init_declarator" => at = walk.part(at, Field::Declarator)?,
            "parenthesized_declarator" | "attributed_declarator" => at = inner(walk, at)?,
            "qualified_identifier" => {
                scope = walk.part(at, Field::Scope).or(scope);
                at = walk.part(at, Field::Name)?;
            }
            "template_function" | "template_type" | "template_method" | "dependent_name" => {
                at = walk.part(at, Field::Name)?;
            }
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "operator_cast" | "primitive_type" => {
                return Some(Declared {
                    name: at,
                    scope,
                    function: function && !pointer,
                });
            }
            _ => return None,
        }
    }
    None
}

/// The declarator in a declarator; some have it as a field, some as their only child.
fn inner<'t>(walk: &Walk<'_, '_>, node: Node<'t>) -> Option<Node<'t>> {
    walk.part(node, Field::Declarator).or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|it| it.kind().ends_with("declarator") || it.kind().ends_with("identifier"))
    })
}

fn define<'t>(
    walk: &mut Walk<'t, '_>,
    kind: Kind,
    node: Node<'t>,
    it: &Declared<'t>,
    body: Option<usize>,
) -> Option<u32> {
    let text = match it.name.kind() {
        // `operator bool() const` is named `operator bool`.
        "operator_cast" => {
            let end = walk.part(it.name, Field::Declarator)?.start_byte();
            slice(walk.source, it.name.start_byte()..end)
        }
        _ => walk.text(it.name),
    };
    let index = walk.define_as(kind, node, text, body)?;
    if let Some(scope) = it.scope {
        let scope = walk.text(scope);
        let end = scope.iter().position(|&c| c == b'<').unwrap_or(scope.len());
        let owner = scope.get(..end).unwrap_or(scope);
        // The type may stand in a header; a name like `A::b` is a method nearly always.
        let is_type = owner.first().is_some_and(u8::is_ascii_uppercase);
        if kind == Kind::Function && is_type {
            walk.edit(index, |it| it.kind = Kind::Method);
        }
        walk.draft.bind(index, owner);
    }
    Some(index)
}

fn function<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(ty) = walk.part(node, Field::Type)
        && matches!(ty.kind(), "class_specifier" | "struct_specifier")
        && walk.part(ty, Field::Body).is_none()
        && let Some(then) = exported_class(walk, node, ty)
    {
        return then;
    }
    let Some(it) = walk
        .part(node, Field::Declarator)
        .and_then(|it| declared(walk, it))
    else {
        return Then::Skip;
    };
    // `TEST(Suite, Case) { … }` looks like a function without a type.
    let name = walk.text(it.name);
    let untyped = walk.part(node, Field::Type).is_none();
    if untyped
        && matches!(
            name,
            b"TEST" | b"TEST_F" | b"TEST_P" | b"TYPED_TEST" | b"BENCHMARK"
        )
    {
        test(walk, node);
        return Then::Skip;
    }
    if matches!(
        name,
        b"if" | b"for" | b"while" | b"switch" | b"return" | b"else"
    ) {
        // The parser lost its way in a body.
        return Then::Skip;
    }
    let body = walk.part(node, Field::Body);
    let end = match (body, walk.child(node, "field_initializer_list")) {
        (_, Some(list)) => Some(list.start_byte()),
        (body, None) => body.map(|it| it.start_byte()),
    };
    define(walk, Kind::Function, node, &it, end);
    Then::Skip
}

/// `class EXPORT Name : Base { … }`: without knowing the macro, a function that returns a class.
fn exported_class<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>, ty: Node<'t>) -> Option<Then> {
    let after = slice(walk.source, ty.end_byte()..node.end_byte());
    let blank = after.iter().position(|c| !c.is_ascii_whitespace())?;
    let rest = after.get(blank..)?;
    let end = rest
        .iter()
        .position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'))?;
    let next = rest.get(end..)?.trim_ascii_start().first()?;
    // A function has parameters there.
    if end == 0 || !matches!(next, b'{' | b':' | b'<' | b'f') {
        return None;
    }
    let body = walk.part(node, Field::Body)?;
    let kind = record_kind(ty);
    let index = walk.define_as(kind, node, rest.get(..end)?, Some(body.start_byte()))?;
    Some(Then::Within(index))
}

/// `TEST(Suite, Case)` is named `Suite.Case`.
fn test<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) {
    let Some(declarator) = walk.part(node, Field::Declarator) else {
        return;
    };
    let parameters = walk.field(declarator, "parameters");
    let mut name = Vec::new();
    for piece in parameters.split(|c| !(c.is_ascii_alphanumeric() || *c == b'_')) {
        if piece.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push(b'.');
        }
        name.extend_from_slice(piece);
    }
    let body = walk.part(node, Field::Body).map(|it| it.start_byte());
    walk.define_as(Kind::Test, node, &name, body);
}

/// Prototypes, variables, and fields that are functions; a type defined on the way as well.
fn declaration<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let ty = walk.part(node, Field::Type);
    let defines = ty.is_some_and(|it| walk.part(it, Field::Body).is_some());
    let in_type = walk.in_type();
    let starts = |word: &[u8]| {
        let mut first = (0..3).filter_map(|at| node.child(at));
        first.any(|it| walk.text(it) == word)
    };
    let outside = starts(b"extern");
    let kind = if starts(b"const") || starts(b"constexpr") {
        Kind::Constant
    } else {
        Kind::Variable
    };
    let mut cursor = node.walk();
    let declarators = walk
        .number(Field::Declarator)
        .map(|it| node.children_by_field_id(it, &mut cursor));
    for child in declarators.into_iter().flatten() {
        let Some(it) = declared(walk, child) else {
            continue;
        };
        if it.function {
            if let Some(index) = define(walk, Kind::Function, node, &it, None) {
                walk.edit(index, |it| it.declared_only = true);
            }
        } else if !in_type
            && !defines
            && let Some(index) = define(walk, kind, node, &it, None)
        {
            walk.edit(index, |it| it.declared_only = outside);
        }
    }
    if defines { Then::Wrap } else { Then::Skip }
}

fn record_kind(node: Node<'_>) -> Kind {
    match node.kind() {
        "class_specifier" => Kind::Class,
        "enum_specifier" => Kind::Enum,
        _ => Kind::Struct,
    }
}

/// A struct counts where its fields are: `struct a *b;` only uses it.
fn record<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(body) = walk.part(node, Field::Body) else {
        return Then::Skip;
    };
    let Some(name) = walk.part(node, Field::Name) else {
        return Then::Into;
    };
    let plain = match declared(walk, name) {
        Some(it) => it.name,
        None => name,
    };
    match walk.define(record_kind(node), node, plain, Some(body)) {
        Some(index) => Then::Within(index),
        None => Then::Into,
    }
}

/// `typedef struct { … } a;` defines the struct `a`, `typedef struct b { … } a;` both.
fn typedef<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    let Some(ty) = walk.part(node, Field::Type) else {
        return Then::Skip;
    };
    let body = walk.part(ty, Field::Body);
    let named = walk.text_of(walk.part(ty, Field::Name));
    let unnamed = named.is_empty();
    let mut container = None;
    let mut cursor = node.walk();
    let declarators = walk
        .number(Field::Declarator)
        .map(|it| node.children_by_field_id(it, &mut cursor));
    for child in declarators.into_iter().flatten() {
        let Some(it) = declared(walk, child) else {
            continue;
        };
        if body.is_some() && walk.text(it.name) == named {
            continue;
        }
        let (kind, end) = match body {
            Some(body) if unnamed && container.is_none() => {
                (record_kind(ty), Some(body.start_byte()))
            }
            Some(body) => (Kind::Type, Some(body.start_byte())),
            None => (Kind::Type, None),
        };
        let index = define(walk, kind, node, &it, end);
        container = container.or(index);
    }
    match (body, container) {
        (Some(_), Some(index)) if unnamed => Then::Within(index),
        (Some(_), _) => Then::Wrap,
        _ => Then::Skip,
    }
}
