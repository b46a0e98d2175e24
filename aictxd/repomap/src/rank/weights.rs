//! The one place for the weights of ranking.

use super::features::Feature;

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
            body_text: 0.4,
            scope_text: 1.2,
            pairs: 0.3,
            short: 0.4,
            again: 0.3,
            near: 40,
            near_power: 2.0,
            near_files: 0.7,
            near_half: 1000.0,
            recent_half: 40.0,
            past: [1.2, 0.5],
        }
    }
}

const DEFAULT: &[(Feature, f32)] = &[
    (Feature::Body, 3.0),
    (Feature::Path, 1.5),
    (Feature::Name, 1.0),
    (Feature::Signature, 0.3),
    (Feature::Doc, 0.3),
    (Feature::Past, 1.0),
    (Feature::Near, 2.0),
    (Feature::Recent, 1.0),
    (Feature::Often, 0.5),
    (Feature::Cochange, 1.0),
    (Feature::ExactPath, 3.0),
    (Feature::ExactName, 1.0),
    (Feature::Scope, 0.5),
    (Feature::Cover, 0.5),
    (Feature::Title, 1.0),
    (Feature::Test, -0.7),
    (Feature::Docs, -0.7),
    (Feature::Config, -0.7),
    (Feature::Fixture, -1.5),
    (Feature::Generated, -1.0),
    (Feature::Vendored, -1.5),
];
