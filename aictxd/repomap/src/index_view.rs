//! What ranking sees of an index.

use std::ops::ControlFlow;

pub mod memory;

use crate::facts::Kind;

/// A file of a view: dense numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// Where a word stands. The numbers are stored in index files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Field {
    /// In the path.
    Path = 0,
    /// In the name of a definition.
    Name = 1,
    /// In a signature.
    Signature = 2,
    /// In the first sentence of a doc comment, or in a heading.
    Doc = 3,
    /// Anywhere in the text: identifiers, comments, strings.
    Body = 4,
}

impl Field {
    /// Number of fields.
    pub const COUNT: usize = 5;
    /// Every field, at the index of its number.
    pub const ALL: [Field; Self::COUNT] = [
        Field::Path,
        Field::Name,
        Field::Signature,
        Field::Doc,
        Field::Body,
    ];
}

/// What sort of file it is, told by its path (and for `Generated` by its content).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Class {
    /// A source file.
    #[default]
    Source = 0,
    /// A test, benchmark or example of use.
    Test = 1,
    /// Documentation.
    Docs = 2,
    /// Configuration, build file, manifest.
    Config = 3,
    /// Test data.
    Fixture = 4,
    /// Made by a program: lock files, generated or minified code.
    Generated = 5,
    /// Somebody else's code, carried along.
    Vendored = 6,
}

impl Class {
    /// Every class, at the index of its number.
    pub const ALL: [Class; 7] = [
        Class::Source,
        Class::Test,
        Class::Docs,
        Class::Config,
        Class::Fixture,
        Class::Generated,
        Class::Vendored,
    ];

    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Source => "source",
            Class::Test => "test",
            Class::Docs => "docs",
            Class::Config => "config",
            Class::Fixture => "fixture",
            Class::Generated => "generated",
            Class::Vendored => "vendored",
        }
    }

    /// The class stored as `number`; a source file where the number is unknown.
    pub fn from_number(number: u8) -> Self {
        let class = Self::ALL.get(usize::from(number)).copied();
        class.unwrap_or_default()
    }
}

/// A definition as a view shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Name without container.
    pub name: &'a str,
    /// Signature.
    pub signature: &'a str,
    /// First sentence of its documentation.
    pub doc: &'a str,
    /// Number of the definition around it, among the file's.
    pub container: Option<u32>,
    /// First line, from 1.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Kind.
    pub kind: Kind,
    /// Visible outside its file.
    pub exported: bool,
    /// Only declared here.
    pub declared_only: bool,
}

/// Where a view has a term: made by [`View::term`] and of use to that view alone.
#[derive(Debug, Clone, Default)]
pub struct Term(
    /// One number for each place where a view looks, `u32::MAX` where the term is not.
    Vec<u32>,
);

impl Term {
    pub(crate) fn at(&self, place: usize) -> Option<u32> {
        self.0.get(place).copied().filter(|at| *at != u32::MAX)
    }
}

impl FromIterator<Option<u32>> for Term {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(places: I) -> Self {
        Self(
            places
                .into_iter()
                .map(|at| at.unwrap_or(u32::MAX))
                .collect(),
        )
    }
}

/// Takes files and how often each of them has a term.
pub type EachPostings<'a> = dyn FnMut(&[(FileId, u32)]) + 'a;
/// Takes the number, the name and the signature of a definition.
pub type EachText<'a> = dyn FnMut(u32, &[u8], &[u8]) + 'a;

/// An indexed tree. Everything is deterministic: the same tree gives the same numbers in the same
/// order.
pub trait View: Sync {
    /// Number of files; ids are below it. Files are in the order of their paths' bytes.
    fn files(&self) -> u32;
    /// Path relative to the root, `/`-separated. Names that are not UTF-8 show replacement
    /// characters.
    fn path(&self, file: FileId) -> &str;
    /// The file at exactly this path.
    fn file_at(&self, path: &str) -> Option<FileId>;
    /// Class of the file.
    fn class(&self, file: FileId) -> Class;
    /// Name of its language, empty when unknown.
    fn language(&self, file: FileId) -> &str;
    /// Number of words of each file in a field.
    fn lengths(&self, field: Field) -> &[u32];
    /// Mean of [`View::length`] over all files with any word in that field.
    fn mean_length(&self, field: Field) -> f32;
    /// Looks a term (as [`crate::words`] makes terms) up in every field.
    fn term(&self, term: &str) -> Term;
    /// Number of files that have a term in `field`. May count files that are gone, as an index with
    /// overlays does; ranking weighs terms by it and decides which ones are too common to be read.
    fn frequency(&self, field: Field, term: &Term) -> u32;
    /// Calls `each` with the files that have a term in `field` and how often, many at a time, each
    /// file once, in no particular order.
    fn postings(&self, field: Field, term: &Term, each: &mut EachPostings<'_>);
    /// Number of definitions in a file.
    fn symbol_count(&self, file: FileId) -> u32;
    /// The `number`-th definition of a file.
    fn symbol(&self, file: FileId, number: u32) -> Option<Symbol<'_>>;
    /// Calls `each` with the number, the name and the signature of every definition of a file.
    fn symbol_texts(&self, file: FileId, each: &mut EachText<'_>);
    /// Calls `each` with every definition whose name is exactly `name`, headings aside, until it
    /// breaks.
    fn symbols_named(&self, name: &str, each: &mut dyn FnMut(FileId, u32) -> ControlFlow<()>);
    /// Files that this file imports, as far as imports could be resolved.
    fn imports(&self, file: FileId) -> &[FileId];
    /// Files that import this file.
    fn importers(&self, file: FileId) -> &[FileId];
}
