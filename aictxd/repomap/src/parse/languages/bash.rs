//! Shell scripts.

use tree_sitter::Node;

use crate::facts::Kind;
use crate::parse::table::{Act, Spec, Then, def};
use crate::parse::walk::Walk;

use super::unquoted;

pub(in crate::parse) static SPEC: Spec = Spec::new(
    || tree_sitter_bash::LANGUAGE.into(),
    &[
        ("comment", Act::Comment),
        ("function_definition", def(Kind::Function).leaf()),
        ("declaration_command", Act::Wrap),
        ("variable_assignment", Act::With(assignment)),
        ("command", Act::With(command)),
        ("if_statement", Act::Into),
        ("elif_clause", Act::Into),
        ("else_clause", Act::Into),
        ("list", Act::Into),
        ("redirected_statement", Act::Into),
    ],
);

/// Names in capitals are settings, others are the script's own business.
fn assignment<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if let Some(name) = node.child_by_field_name("name") {
        let text = walk.text(name);
        if text.iter().any(u8::is_ascii_uppercase) && !text.iter().any(u8::is_ascii_lowercase) {
            walk.define(Kind::Variable, node, name, None);
        }
    }
    Then::Skip
}

/// `source a.sh`, `. a.sh`; what is found at run time is left out of the path.
fn command<'t>(walk: &mut Walk<'t, '_>, node: Node<'t>) -> Then {
    if matches!(walk.field(node, "name"), b"source" | b".") {
        let path = unquoted(walk.field(node, "argument"));
        let path = match path {
            [b'$', ..] => path.splitn(2, |&c| c == b'/').nth(1).unwrap_or(b""),
            path => path,
        };
        walk.import(path, node);
    }
    Then::Skip
}
