//! Features as reasons.

use super::feature_kind::{Feature, Values};
use super::weights::Weights;

/// Why a file is an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// Kind of evidence, `repo_map:…`.
    pub name: &'static str,
    /// What it adds to the score; below 0 for what speaks against the file.
    pub value: f32,
}

/// Contributions smaller than this are not worth telling.
const LEAST: f32 = 0.05;

/// Kinds of evidence and the features that each of them sums up.
static KINDS: &[(&str, &[Feature])] = &[
    (
        "repo_map:exact_path",
        &[
            Feature::ExactPath,
            Feature::ExactDirectory,
            Feature::NamedPath,
        ],
    ),
    (
        "repo_map:exact_symbol",
        &[Feature::ExactName, Feature::NamedSymbol],
    ),
    ("repo_map:text_match", &[Feature::Body, Feature::Title]),
    ("repo_map:path_match", &[Feature::Path, Feature::Stem]),
    ("repo_map:scope_match", &[Feature::Scope]),
    (
        "repo_map:symbol_match",
        &[Feature::Name, Feature::Signature],
    ),
    ("repo_map:doc_match", &[Feature::Doc]),
    ("repo_map:coverage", &[Feature::Cover]),
    ("repo_map:history_match", &[Feature::Past, Feature::Near]),
    ("repo_map:history_beside", &[Feature::NearBeside]),
    ("repo_map:cochange", &[Feature::Cochange]),
    ("repo_map:import_neighbour", &[Feature::Import]),
    ("repo_map:test_pair", &[Feature::Pair]),
    ("repo_map:recency", &[Feature::Recent]),
    ("repo_map:active_file", &[Feature::Active]),
    (
        "repo_map:file_class",
        &[
            Feature::Test,
            Feature::TestAsked,
            Feature::Docs,
            Feature::DocsAsked,
            Feature::Config,
            Feature::ConfigAsked,
            Feature::Fixture,
            Feature::Generated,
            Feature::GeneratedAsked,
            Feature::Vendored,
        ],
    ),
];

/// Returns true if the question or the session speaks for a file, not just its own nature and age, or other
/// files.
pub(super) fn is_evidence(values: &Values) -> bool {
    const QUIET: [Feature; 4] = [
        Feature::Recent,
        Feature::Cochange,
        Feature::Import,
        Feature::Pair,
    ];
    let quiet = |at: usize| at >= Feature::Test as usize || QUIET.iter().any(|q| *q as usize == at);
    values
        .iter()
        .enumerate()
        .any(|(at, v)| *v > 0.0 && !quiet(at))
}

/// All reasons that count, the strongest first.
pub(super) fn reasons(values: &Values, weights: &Weights) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = KINDS
        .iter()
        .map(|(name, features)| Reason {
            name,
            value: features
                .iter()
                .filter_map(|f| {
                    let at = *f as usize;
                    Some(values.get(at)? * weights.linear.get(at)?)
                })
                .sum(),
        })
        .filter(|r| r.value.abs() >= LEAST)
        .collect();
    // Stable: equal ones stay in the order of kinds.
    reasons.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    reasons
}
