//! What one file says: its definitions and imports.
//!
//! Facts are a pure function of a file's language and bytes, so they can be kept by content and
//! never need to be made twice. All strings of a file lie in one arena; a record holds spans of it.

use std::fmt;

/// Most definitions kept of one file; [`Facts::cut`] counts the rest.
pub const MAX_DEFINITIONS: usize = 2_000;
/// Most imports kept of one file.
pub const MAX_IMPORTS: usize = 500;
/// Longest signature, in characters.
pub const MAX_SIGNATURE: usize = 120;
/// Longest first sentence of a documentation comment, in characters.
pub const MAX_DOC: usize = 120;
/// Longest name, in bytes; longer ones are no names that anybody types.
pub const MAX_NAME: usize = 200;

/// A piece of [`Facts::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Length in bytes; 0 where there is nothing.
    pub len: u32,
}

/// Kind of a definition. The words are those of the file format; the numbers are stored in index files
/// and never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The file itself, where nothing else is known of it.
    File = 0,
    /// A class.
    Class = 1,
    /// A struct, record or union.
    Struct = 2,
    /// An enumeration.
    Enum = 3,
    /// An interface or protocol.
    Interface = 4,
    /// A trait, mixin or type class.
    Trait = 5,
    /// A type alias or other named type.
    Type = 6,
    /// A free function.
    Function = 7,
    /// A function of a type: method, constructor, accessor.
    Method = 8,
    /// A constant, or a variant of an enumeration.
    Constant = 9,
    /// A variable, field or property.
    Variable = 10,
    /// A module, namespace or package.
    Module = 11,
    /// A macro.
    Macro = 12,
    /// A test case, suite or benchmark.
    Test = 13,
    /// A heading of a text.
    Heading = 14,
    /// A key of a configuration file.
    ConfigKey = 15,
    /// Something that is started: a script, a target, a job.
    Entrypoint = 16,
    /// A part of a document or schema: an element id, a table, a message, a resource.
    Section = 17,
}

impl Kind {
    /// Every kind, at the index of its number.
    pub const ALL: [Kind; 18] = [
        Kind::File,
        Kind::Class,
        Kind::Struct,
        Kind::Enum,
        Kind::Interface,
        Kind::Trait,
        Kind::Type,
        Kind::Function,
        Kind::Method,
        Kind::Constant,
        Kind::Variable,
        Kind::Module,
        Kind::Macro,
        Kind::Test,
        Kind::Heading,
        Kind::ConfigKey,
        Kind::Entrypoint,
        Kind::Section,
    ];

    /// The kind stored as `number`.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The word of the file format.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Class => "class",
            Kind::Struct => "struct",
            Kind::Enum => "enum",
            Kind::Interface => "interface",
            Kind::Trait => "trait",
            Kind::Type => "type",
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
            Kind::Module => "module",
            Kind::Macro => "macro",
            Kind::Test => "test",
            Kind::Heading => "heading",
            Kind::ConfigKey => "config_key",
            Kind::Entrypoint => "entrypoint",
            Kind::Section => "section",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// Name without its container.
    pub name: Span,
    /// First line of the definition without its body, at most [`MAX_SIGNATURE`] characters.
    pub signature: Span,
    /// First sentence of its documentation, at most [`MAX_DOC`] characters.
    pub doc: Span,
    /// Index of the definition around it in [`Facts::definitions`], which stands before it.
    pub container: Option<u32>,
    /// First line, from 1. A doc comment or attribute above is not part of the range.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Kind.
    pub kind: Kind,
    /// Visible outside its file, as far as the language says so.
    pub exported: bool,
    /// Only declared here (a prototype, a required method); the definition stands elsewhere.
    pub declared_only: bool,
}

/// One import, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// Module or path: `crate::a::b`, `./util`, `a/b.h`, `os.path`. Rust's grouped imports give one
    /// entry a leaf.
    pub module: Span,
    /// Line, from 1.
    pub line: u32,
}

/// How much of a file was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Outcome {
    /// Parsed whole.
    #[default]
    Parsed = 0,
    /// The parser ran out of time; definitions come from a line-wise reading.
    Deadline = 1,
    /// No grammar: found by path and words.
    TextOnly = 2,
    /// Not text.
    Binary = 3,
    /// Larger than the limit: found by path only.
    TooLarge = 4,
    /// Made by a program (marker, minified): found by path only.
    Generated = 5,
    /// Could not be read.
    Unreadable = 6,
    /// May hold secrets (`.env`, keys): never read.
    Private = 7,
}

impl Outcome {
    /// The outcome stored as `number`; a file of text where the number is unknown.
    pub fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Parsed,
            1 => Self::Deadline,
            3 => Self::Binary,
            4 => Self::TooLarge,
            5 => Self::Generated,
            6 => Self::Unreadable,
            7 => Self::Private,
            _ => Self::TextOnly,
        }
    }

    /// The reason that the file format gives for a record without symbols
    ///; empty for a parsed file.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Parsed => "",
            Self::Deadline => "parse_deadline",
            Self::TextOnly => "unsupported_language",
            Self::Binary => "binary_file",
            Self::TooLarge => "file_too_large",
            Self::Generated => "generated",
            Self::Unreadable => "read_error",
            Self::Private => "private",
        }
    }
}

/// Everything that one file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The arena that all spans point into.
    pub text: String,
    /// Definitions in the order of their first line; containers before what they contain, also
    /// where a type stands below its methods.
    pub definitions: Vec<Definition>,
    /// Imports in order.
    pub imports: Vec<Import>,
    /// How much was understood.
    pub outcome: Outcome,
    /// Definitions beyond [`MAX_DEFINITIONS`].
    pub cut: u32,
}

impl Facts {
    /// The text of a span; empty where the span is not one of this file's.
    pub fn get(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text
            .get(start..start.saturating_add(span.len as usize))
            .unwrap_or("")
    }

    /// Adds text to the arena, on a line of its own.
    pub fn intern(&mut self, text: &str) -> Span {
        if text.is_empty() {
            return Span::default();
        }
        let (Ok(start), Ok(len)) = (u32::try_from(self.text.len()), u32::try_from(text.len()))
        else {
            return Span::default();
        };
        self.text.push_str(text);
        self.text.push('\n');
        Span { start, len }
    }
}
