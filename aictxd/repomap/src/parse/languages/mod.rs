//! The languages with a grammar: one table each.

use tree_sitter::Node;

use super::walk::Walk;

pub(super) mod bash;
pub(super) mod c;
pub(super) mod csharp;
pub(super) mod dart;
pub(super) mod elixir;
pub(super) mod go;
pub(super) mod haskell;
pub(super) mod hcl;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod julia;
pub(super) mod kotlin;
pub(super) mod lua;
pub(super) mod ocaml;
pub(super) mod php;
pub(super) mod proto;
pub(super) mod python;
pub(super) mod r;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod scala;
pub(super) mod swift;
pub(super) mod typescript;
pub(super) mod zig;

/// Every table, by name: what the tests go through.
#[cfg(test)]
pub(super) const ALL: &[(&str, &super::table::Spec)] = &[
    ("bash", &bash::SPEC),
    ("c", &c::SPEC),
    ("cpp", &c::CPP),
    ("csharp", &csharp::SPEC),
    ("dart", &dart::SPEC),
    ("elixir", &elixir::SPEC),
    ("go", &go::SPEC),
    ("haskell", &haskell::SPEC),
    ("hcl", &hcl::SPEC),
    ("java", &java::SPEC),
    ("javascript", &javascript::SPEC),
    ("julia", &julia::SPEC),
    ("kotlin", &kotlin::SPEC),
    ("lua", &lua::SPEC),
    ("ocaml", &ocaml::SPEC),
    ("ocaml interface", &ocaml::INTERFACE),
    ("php", &php::SPEC),
    ("proto", &proto::SPEC),
    ("python", &python::SPEC),
    ("r", &r::SPEC),
    ("ruby", &ruby::SPEC),
    ("rust", &rust::SPEC),
    ("scala", &scala::SPEC),
    ("swift", &swift::SPEC),
    ("tsx", &typescript::TSX),
    ("typescript", &typescript::SPEC),
    ("zig", &zig::SPEC),
];

/// Returns true if `word` is one of the words of a text; `@` and `#` may be part of one.
fn has(words: &[u8], word: &[u8]) -> bool {
    words
        .split(|c| !c.is_ascii_alphanumeric() && !matches!(c, b'_' | b'@' | b'#'))
        .any(|it| it == word)
}

/// Returns true if `part` is anywhere in a text.
fn contains(text: &[u8], part: &[u8]) -> bool {
    text.len() >= part.len() && memchr::memmem::find(text, part).is_some()
}

/// A string without its quotes.
fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [b'"' | b'\'' | b'`', inner @ .., b'"' | b'\'' | b'`'] => inner,
        text => text,
    }
}

/// The first child of one of these kinds.
fn part<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|it| kinds.contains(&it.kind()))
}

/// The text of the child of kind `modifiers`, which stands near the start.
fn modifiers<'t>(walk: &Walk<'t, '_>, node: Node<'_>) -> &'t [u8] {
    (0..3)
        .filter_map(|at| node.child(at))
        .find(|it| it.kind() == "modifiers")
        .map_or(&[], |it| walk.text(it))
}

/// Returns the text between two pieces of an import declaration: `import a.b;` and
/// `import a.b as c` are both `a.b`.
fn imported<'a>(text: &'a [u8], before: &[&[u8]], after: &[&[u8]]) -> &'a [u8] {
    let mut text = text.trim_ascii();
    for word in before {
        if let Some(rest) = text.strip_prefix(*word)
            && rest.first().is_some_and(u8::is_ascii_whitespace)
        {
            text = rest.trim_ascii();
        }
    }
    for mark in after {
        if let Some(at) = memchr::memmem::find(text, mark) {
            text = text.get(..at).unwrap_or(text).trim_ascii();
        }
    }
    text
}
