//! How a language with a grammar is described, and that description made fast.

use tree_sitter::Node;

use crate::facts::Kind;

use super::skip_bodies::Outline;
use super::walk::Walk;

/// Description of one language.
pub(super) struct Spec {
    /// Its grammar.
    pub(super) grammar: fn() -> tree_sitter::Language,
    /// What is done with nodes, by the name of their kind. Nodes of other kinds are not looked
    /// into: that is what keeps bodies of functions out.
    pub(super) nodes: &'static [(&'static str, Act)],
    /// Whether a definition can be seen outside its file, where what is around it can.
    pub(super) exported: fn(&Walk<'_, '_>, Node<'_>, &[u8]) -> bool,
    /// Where documentation stands inside a definition, if it does there.
    pub(super) inner_doc: Option<for<'t> fn(Node<'t>) -> Option<Node<'t>>>,
    /// A last look at what was found.
    pub(super) finish: Option<fn(&mut Walk<'_, '_>)>,
    /// How a source is freed of what `nodes` does not look into, before it is parsed.
    pub(super) outline: Option<Outline>,
}

impl Spec {
    /// A language with nothing but a grammar and a table; everything is exported.
    pub(super) const fn new(
        grammar: fn() -> tree_sitter::Language,
        nodes: &'static [(&'static str, Act)],
    ) -> Self {
        Self {
            grammar,
            nodes,
            exported: |_, _, _| true,
            inner_doc: None,
            finish: None,
            outline: None,
        }
    }
}

/// What is done with a node.
#[derive(Clone, Copy)]
pub(super) enum Act {
    /// Its children stand for it.
    Into,
    /// Its children stand for it, and what is written above it or at its start belongs to them.
    Wrap,
    /// It may be documentation of what follows.
    Comment,
    /// It belongs to what follows and is not part of it.
    Attribute,
    /// The first thing in a definition, attributes and words like `public` mixed.
    Modifiers,
    /// It is a definition.
    Define(Def),
    /// It needs a closer look.
    With(for<'t> fn(&mut Walk<'t, '_>, Node<'t>) -> Then),
}

/// A definition that its node says everything about.
#[derive(Clone, Copy)]
pub(super) struct Def {
    pub(super) kind: Kind,
    /// Field with the name.
    pub(super) name: &'static str,
    /// Field with the body, which ends the signature.
    pub(super) body: &'static str,
    /// True if its children are looked at.
    pub(super) inside: bool,
    /// True if one without a body is only a declaration.
    pub(super) declares: bool,
}

impl Def {
    /// One whose children are looked at as well.
    pub(super) const fn open(self) -> Act {
        Act::Define(Def {
            inside: true,
            ..self
        })
    }

    /// One whose children are of no interest.
    pub(super) const fn leaf(self) -> Act {
        Act::Define(self)
    }

    /// One whose body stands in another field than `body`.
    pub(super) const fn body(self, body: &'static str) -> Self {
        Def { body, ..self }
    }

    /// One that is only declared where it has no body.
    pub(super) const fn declares(self) -> Self {
        Def {
            declares: true,
            ..self
        }
    }
}

/// A definition with a `name` and perhaps a `body`.
pub(super) const fn def(kind: Kind) -> Def {
    Def {
        kind,
        name: "name",
        body: "body",
        inside: false,
        declares: false,
    }
}

/// Where to go from a node.
#[derive(Clone, Copy)]
pub(super) enum Then {
    /// On: nothing below it counts.
    Skip,
    /// On: it was kept as a comment, or is one that is not for what follows.
    Comment,
    /// Into it; what is found there stands where it stands itself.
    Into,
    /// Into it, see [`Act::Wrap`].
    Wrap,
    /// Into it as the container of what is found there.
    Within(u32),
    /// Into it; functions found there belong to the type of this name (a range of the source),
    /// wherever that stands.
    Of(usize, usize),
}

/// A description with kinds as numbers.
pub(super) struct Table {
    pub(super) spec: &'static Spec,
    pub(super) grammar: tree_sitter::Language,
    /// Place in [`Spec::nodes`] plus one, by kind.
    places: Vec<u8>,
    /// Fields with the name and the body, by place in [`Spec::nodes`].
    parts: Vec<[u16; 2]>,
    /// Numbers of the fields in [`Field`].
    fields: [u16; FIELDS.len()],
}

/// Fields that are asked for at nearly every definition. To find a field's number by its name, the
/// names of all fields are compared.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Body,
    Declarator,
    Name,
    Path,
    Scope,
    Type,
    Value,
}

/// Names of [`Field`], in its order.
const FIELDS: [&str; 7] = [
    "body",
    "declarator",
    "name",
    "path",
    "scope",
    "type",
    "value",
];

/// The number of a field; 0, which no field has, where the grammar does not know it.
fn number(grammar: &tree_sitter::Language, name: &str) -> u16 {
    grammar.field_id_for_name(name).map_or(0, u16::from)
}

/// The child in a field of this number.
fn child<'t>(node: Node<'t>, field: u16) -> Option<Node<'t>> {
    (field != 0)
        .then(|| node.child_by_field_id(field))
        .flatten()
}

impl Table {
    pub(super) fn new(spec: &'static Spec) -> Self {
        let grammar = (spec.grammar)();
        let mut places = vec![0; grammar.node_kind_count()];
        for (at, (name, _)) in spec.nodes.iter().enumerate() {
            // A kind that two rules of the grammar share has one number in trees.
            let id = grammar.id_for_node_kind(name, true);
            if let (Some(place), Ok(at)) = (places.get_mut(usize::from(id)), u8::try_from(at + 1)) {
                *place = at;
            }
        }
        let parts = spec.nodes.iter().map(|(_, act)| match act {
            Act::Define(def) => [def.name, def.body].map(|name| number(&grammar, name)),
            _ => [0, 0],
        });
        Self {
            spec,
            places,
            parts: parts.collect(),
            fields: FIELDS.map(|name| number(&grammar, name)),
            grammar,
        }
    }

    /// The number of a field, where the grammar has it.
    pub(super) fn field(&self, field: Field) -> Option<std::num::NonZeroU16> {
        std::num::NonZeroU16::new(self.fields.get(field as usize).copied()?)
    }

    /// The child in a field.
    pub(super) fn child<'t>(&self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        child(node, self.field(field).map_or(0, u16::from))
    }

    /// Name and body of a node that its kind makes a definition.
    pub(super) fn parts<'t>(&self, node: Node<'t>) -> [Option<Node<'t>>; 2] {
        let place = self.places.get(usize::from(node.kind_id())).copied();
        let place = place.and_then(|it| it.checked_sub(1));
        let parts = place.and_then(|it| self.parts.get(usize::from(it)));
        parts
            .copied()
            .unwrap_or([0, 0])
            .map(|field| child(node, field))
    }

    /// What is done with nodes of a kind.
    pub(super) fn act(&self, kind: u16) -> Option<Act> {
        // Errors have a number far beyond the table.
        match self.places.get(usize::from(kind)) {
            None | Some(0) => None,
            Some(&place) => {
                let (_, act) = self.spec.nodes.get(usize::from(place) - 1)?;
                Some(*act)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::languages;

    #[test]
    fn fields_have_their_names() {
        for (field, name) in [
            (Field::Body, "body"),
            (Field::Declarator, "declarator"),
            (Field::Name, "name"),
            (Field::Path, "path"),
            (Field::Scope, "scope"),
            (Field::Type, "type"),
            (Field::Value, "value"),
        ] {
            assert_eq!(FIELDS[field as usize], name);
        }
    }

    #[test]
    fn tables_name_what_grammars_have() {
        for (name, spec) in languages::ALL {
            let grammar = (spec.grammar)();
            assert!(spec.nodes.len() < 255, "{name}");
            let mut seen = std::collections::BTreeSet::new();
            for (kind, act) in spec.nodes {
                assert!(
                    grammar.id_for_node_kind(kind, true) != 0,
                    "{name}: no kind {kind}"
                );
                assert!(seen.insert(kind), "{name}: {kind} twice");
                if let Act::Define(def) = act {
                    for field in [def.name, def.body] {
                        assert!(
                            matches!(field, "" | "body")
                                || grammar.field_id_for_name(field).is_some(),
                            "{name}: {kind} has no field {field}"
                        );
                    }
                }
            }
        }
    }
}
