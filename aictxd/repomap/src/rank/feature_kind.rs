//! The kinds of evidence.

use crate::index_view::Class;

/// A kind of evidence. All but the exact ones lie between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Feature {
    /// BM25 of the text, relative to the best file.
    Body,
    /// BM25 of the path, likewise.
    Path,
    /// BM25 of names of definitions, likewise.
    Name,
    /// BM25 of signatures, likewise.
    Signature,
    /// BM25 of first sentences of documentation, likewise.
    Doc,
    /// BM25 of the messages of the file's past commits, likewise.
    Past,
    /// Votes of the past commits nearest to the question, relative to the best file, times how
    /// near the nearest is.
    Near,
    /// Votes for the directory.
    NearBeside,
    /// How recently it changed.
    Recent,
    /// Changed together with the best files of the first stage.
    Cochange,
    /// Imports, or is imported by, the best files of the first stage.
    Import,
    /// The test of one of the best files, or what one of them tests.
    Pair,
    /// Share of the question's weight that its words cover.
    Cover,
    /// BM25 of text, path and names for the words of the title alone, relative to the best file.
    Title,
    /// Share of the words of its own name that the question has.
    Stem,
    /// The question names this path.
    ExactPath,
    /// The question names this directory.
    ExactDirectory,
    /// The question names something defined here.
    ExactName,
    /// The title names this path, and no other file can be meant.
    NamedPath,
    /// The title names a definition that only this file has.
    NamedSymbol,
    /// Its path has the scope of the title.
    Scope,
    /// An active file of the session.
    Active,
    /// A test and not asked for.
    Test,
    /// A test and asked for.
    TestAsked,
    /// Documentation and not asked for.
    Docs,
    /// Documentation and asked for.
    DocsAsked,
    /// Configuration and not asked for.
    Config,
    /// Configuration and asked for.
    ConfigAsked,
    /// Test data.
    Fixture,
    /// Made by a program.
    Generated,
    /// Made by a program, and configuration or dependencies are asked for.
    GeneratedAsked,
    /// Somebody else's.
    Vendored,
}

impl Feature {
    /// Number of features.
    pub const COUNT: usize = Feature::Vendored as usize + 1;
}

/// Feature values of one file.
pub type Values = [f32; Feature::COUNT];

/// Sets a value.
pub(super) fn set(values: &mut Values, feature: Feature, value: f32) {
    if let Some(to) = values.get_mut(feature as usize) {
        *to = value;
    }
}

/// Sets the features of a class.
pub(super) fn class(values: &mut Values, class: Class, asks: [f32; 3]) {
    let [tests, docs, config] = asks;
    let mut both = |not, asked, ask| {
        set(values, not, 1.0 - ask);
        set(values, asked, ask);
    };
    match class {
        Class::Source => {}
        Class::Test => both(Feature::Test, Feature::TestAsked, tests),
        Class::Docs => both(Feature::Docs, Feature::DocsAsked, docs),
        Class::Config => both(Feature::Config, Feature::ConfigAsked, config),
        Class::Generated => both(Feature::Generated, Feature::GeneratedAsked, config),
        Class::Fixture => set(values, Feature::Fixture, 1.0),
        Class::Vendored => set(values, Feature::Vendored, 1.0),
    }
}
