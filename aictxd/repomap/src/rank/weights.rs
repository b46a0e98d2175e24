//! The one place for the weights of ranking.
//!
//! How they were found: `examples/fit.rs` read eight public repositories as they were 400 commits
//! ago and asked with the messages of later commits (60 tasks about code and 60 about any file
//! each). The weights of features are those of a conditional logit over some 250 candidates a
//! task, each repository counting the same, then rounded by hand; leaving a repository out of the
//! fit costs it about 0.005 to 0.01 MRR. Nine repositories in Python, Go, JavaScript, TypeScript,
//! Java, C and Ruby had no part in that fit; on tasks about code they gain as much over plain BM25
//! as the eight. The numbers inside features (BM25's, half-lives, what a word counts where) were
//! tried one by one around usual values, with all weights fitted anew, on all seventeen; the optimum
//! is flat: only how much a body counts, the power of votes and the BM25 of past messages were moved
//! by it, for 0.001 to 0.002.
//! Set by hand, because past commits cannot tell: what is named outright wins, active files, what
//! a class costs when it is asked for, other people's code.

use super::feature_kind::{Feature, Values};

/// All numbers that ranking uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Weight of each feature.
    pub linear: [f32; Feature::COUNT],
    /// BM25 k1 of each field.
    pub k1: [f32; 5],
    /// BM25 b of each field.
    pub b: [f32; 5],
    /// What a word below the title counts.
    pub body_text: f32,
    /// What a word of the scope counts beside its own feature.
    pub scope_text: f32,
    /// What two words written as one count.
    pub pairs: f32,
    /// What the other form of an abbreviated word counts.
    pub short: f32,
    /// What each further occurrence of a word counts.
    pub again: f32,
    /// How many of the nearest past commits vote.
    pub near: usize,
    /// Power of the similarity in a vote.
    pub near_power: f32,
    /// Power of the number of files by which a vote is divided.
    pub near_files: f32,
    /// Commits after which a past commit's vote has halved.
    pub near_half: f32,
    /// Commits after which a change is half as recent.
    pub recent_half: f32,
    /// BM25 k1 and b of the words of past commits.
    pub past: [f32; 2],
}

impl Default for Weights {
    fn default() -> Self {
        let mut linear = [0.0; Feature::COUNT];
        for (feature, weight) in DEFAULT {
            if let Some(to) = linear.get_mut(*feature as usize) {
                *to = *weight;
            }
        }
        Self {
            linear,
            k1: [1.2; 5],
            b: [0.3, 0.5, 0.5, 0.5, 0.6],
            body_text: 0.5,
            scope_text: 1.2,
            pairs: 0.3,
            short: 0.4,
            again: 0.3,
            near: 40,
            near_power: 2.5,
            near_files: 0.7,
            near_half: 1000.0,
            recent_half: 320.0,
            past: [2.0, 0.6],
        }
    }
}

const DEFAULT: &[(Feature, f32)] = &[
    (Feature::Body, 2.3),
    (Feature::Title, 1.1),
    (Feature::Path, 1.05),
    (Feature::Stem, 0.65),
    (Feature::Scope, 1.05),
    (Feature::Name, 0.2),
    (Feature::Cover, 0.25),
    (Feature::Past, 1.75),
    (Feature::Near, 1.0),
    (Feature::NearBeside, 0.65),
    (Feature::Cochange, 1.5),
    (Feature::Pair, 0.7),
    (Feature::Recent, 0.6),
    (Feature::ExactPath, 3.0),
    (Feature::ExactDirectory, 0.2),
    (Feature::ExactName, 0.8),
    (Feature::Import, 1.15),
    (Feature::NamedPath, 8.0),
    (Feature::NamedSymbol, 3.0),
    (Feature::Active, 1.5),
    (Feature::TestAsked, 0.1),
    (Feature::Test, -0.3),
    (Feature::Docs, -0.9),
    (Feature::Config, -0.7),
    (Feature::ConfigAsked, -0.3),
    (Feature::Fixture, -1.0),
    (Feature::Generated, -0.6),
    (Feature::GeneratedAsked, -0.2),
    (Feature::Vendored, -1.0),
];

/// Weighted sum.
pub(super) fn dot(values: &Values, weights: &Weights) -> f32 {
    values.iter().zip(&weights.linear).map(|(v, w)| v * w).sum()
}
