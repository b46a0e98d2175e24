//! The languages with a grammar: one table each.

pub(super) mod c;
pub(super) mod go;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod rust;
pub(super) mod typescript;

/// Every table, by name: what the tests go through.
#[cfg(test)]
pub(super) const ALL: &[(&str, &super::table::Spec)] = &[
    ("c", &c::SPEC),
    ("cpp", &c::CPP),
    ("go", &go::SPEC),
    ("java", &java::SPEC),
    ("javascript", &javascript::SPEC),
    ("python", &python::SPEC),
    ("rust", &rust::SPEC),
    ("tsx", &typescript::TSX),
    ("typescript", &typescript::SPEC),
];
