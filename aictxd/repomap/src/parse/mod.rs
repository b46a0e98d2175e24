//! One file's bytes to [`Facts`].
//!
//! Languages with a grammar are parsed and walked once, from definition to definition, along a table
//! that says what each kind of node means (`table`, `walk`, `languages`), some of them without the
//! bodies that no table looks into (`outline`). Simple formats are read by
//! small scanners (`scan`), the rest line by line (`lines`). Whatever stands in a file, reading it
//! ends, within limits, and never fails.
//!
//! Imports are kept as the language writes them, without quotes, one entry for each thing imported:
//!
//! | language | written | kept |
//! |---|---|---|
//! | Rust | `use a::{self, b::{C, d::*}};`, `mod e;`, `extern crate f;` | `a`, `a::b::C`, `a::b::d::*`, `self::e`, `f` |
//! | Python | `import a.b as c`, `from .a import b, c`, `from a import *` | `a.b`, `.a.b`, `.a.c`, `a` |
//! | JavaScript, TypeScript | `import … from "./a"`, `export * from "b"`, `require("c")` | `./a`, `b`, `c` |
//! | C, C++ | `#include "a/b.h"`, `#include <c.h>` | `a/b.h`, `c.h` |
//! | Go, Dart, Protobuf, CSS | `import "a/b"` | `a/b` |
//! | Java, Kotlin, Scala, C#, Swift, Haskell, Elixir, Julia | `import a.b.C`, `import a.*` | `a.b.C`, `a.*` |
//! | PHP | `use A\B\{C, D};`, `require 'e.php'` | `A\B\C`, `A\B\D`, `e.php` |
//! | Ruby | `require "a"`, `require_relative "b"` | `a`, `./b` |
//! | Lua, R, shell, Make, CMake | what is loaded, sourced or included | its name or path |

pub mod allocator;
mod doc;
mod fact_builder;
mod generated;
mod language;
mod languages;
mod line_patterns;
mod lines;
mod scan;
mod skip_bodies;
mod table;
mod walk;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Range, Tree};

use crate::facts::{Facts, Outcome};

use self::fact_builder::{Draft, head};
pub use self::language::Language;
use self::language::Reader;
use self::skip_bodies::Outlined;
use self::table::Spec;
use self::walk::Seen;

/// Changes whenever the facts of any file may change: part of the key that facts are kept by.
pub const VERSION: u32 = 7;

/// How many of a file's first bytes are looked at for a NUL.
const BINARY_HEAD: usize = 4_096;

/// Returns whether a file is taken for no text.
pub(crate) fn is_binary(source: &[u8]) -> bool {
    memchr::memchr(0, head(source, BINARY_HEAD)).is_some()
}

/// Rows of a source without bodies that may make no sense before it is parsed with them.
const MANY_LOST: usize = 20;

/// How much work a file is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file that is looked into, in bytes.
    pub max_bytes: usize,
    /// Longest parse of one file; after it a line-wise reading has to do.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 20,
            deadline: Duration::from_millis(200),
        }
    }
}

/// Returns true if a file may hold secrets by its name: it is then not to be read.
pub fn is_private(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let key = lower.starts_with("id_")
        && (!lower.contains('.') || lower.ends_with(".pub"))
        && ["rsa", "dsa", "ecdsa", "ed25519", "xmss"]
            .iter()
            .any(|it| lower.get(3..).is_some_and(|rest| rest.starts_with(it)));
    let accounts = [
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        ".htpasswd",
        ".my.cnf",
    ];
    key || accounts.contains(&lower.as_str())
        || [".jks", ".keystore", ".kdbx", ".tfvars", ".ovpn"]
            .iter()
            .any(|suffix| lower.ends_with(suffix))
        || lower.starts_with(".env")
        || lower.ends_with(".pem")
        || lower.ends_with(".key")
        || lower.ends_with(".p12")
        || lower.ends_with(".pfx")
}

/// Reads files; keeps what can be used again. One a thread.
pub struct Parser {
    inner: tree_sitter::Parser,
    scratch: String,
    /// A source without bodies.
    outlined: Outlined,
    /// Sources are parsed as they are.
    whole: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser with nothing in it yet.
    pub fn new() -> Self {
        allocator::install_allocator();
        Self {
            inner: tree_sitter::Parser::new(),
            scratch: String::new(),
            outlined: Outlined::default(),
            whole: false,
        }
    }

    /// A parser that leaves nothing out before it parses: slower, and what the other is held
    /// against.
    pub fn whole() -> Self {
        Self {
            whole: true,
            ..Self::new()
        }
    }

    /// What a file says. Apart from `path`, which only tells whether it is private, the answer
    /// depends on language and source alone, unless the deadline strikes.
    pub fn parse(
        &mut self,
        path: &str,
        language: Option<Language>,
        source: &[u8],
        limits: &Limits,
    ) -> Facts {
        let bare = |outcome| Facts {
            outcome,
            ..Facts::default()
        };
        if is_private(path) {
            return bare(Outcome::Private);
        }
        // Spans are 32 bits wide.
        if source.len() > limits.max_bytes.min(u32::MAX as usize / 4) {
            return bare(Outcome::TooLarge);
        }
        if is_binary(source) {
            return bare(Outcome::Binary);
        }
        let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
        let Some(language) = language else {
            return bare(Outcome::TextOnly);
        };
        if generated::is_generated(source, language.is_prose()) {
            return bare(Outcome::Generated);
        }
        let mut draft = Draft::new(source.len(), std::mem::take(&mut self.scratch));
        let outcome = self.read(language, source, limits, &mut draft);
        let (mut facts, scratch) = draft.finish();
        self.scratch = scratch;
        facts.outcome = outcome;
        facts
    }

    fn read(
        &mut self,
        language: Language,
        source: &[u8],
        limits: &Limits,
        draft: &mut Draft,
    ) -> Outcome {
        match language.reader() {
            Reader::Tree(spec) => return self.outlined(language, spec, source, limits, draft),
            Reader::Scan(scan) => scan(source, draft),
            Reader::Lines(patterns) => lines::read(patterns, source, draft),
            Reader::Embedded(find) => {
                if let Some((language, ranges)) = find(source, draft) {
                    return self.tree(language, source, &ranges, limits, draft);
                }
            }
        }
        Outcome::Parsed
    }

    /// Parses and walks a source without what its table does not look into.
    fn outlined(
        &mut self,
        language: Language,
        spec: &Spec,
        source: &[u8],
        limits: &Limits,
        draft: &mut Draft,
    ) -> Outcome {
        let Some(outline) = spec.outline.filter(|_| !self.whole) else {
            return self.tree(language, source, &[], limits, draft);
        };
        let mut outlined = std::mem::take(&mut self.outlined);
        let cut = outline(source, &mut outlined);
        let text = if cut { &outlined.text } else { source };
        let nothing_left = cut && outlined.is_bare();
        let tree = if nothing_left {
            None
        } else {
            self.syntax(language, text, &[], limits)
        };
        // Now and then the parser finds its way by what stands in a body.
        let lost = tree.as_ref().filter(|_| cut).map_or(0, lost_rows);
        let whole = if lost >= MANY_LOST {
            self.syntax(language, source, &[], limits)
        } else {
            None
        };
        let better = whole.filter(|it| lost_rows(it) < lost);
        let outcome = match (&better, &tree) {
            (None, tree) if nothing_left || cut && tree.is_some() => {
                outlined.tell_functions(source, draft);
                let outcome = match tree {
                    Some(_) => walked(
                        language,
                        tree.as_ref(),
                        Seen::Outline(source, &outlined),
                        draft,
                    ),
                    None => Outcome::Parsed,
                };
                outlined.tell_macros(source, draft);
                outcome
            }
            (better, tree) => {
                let tree = better.as_ref().or(tree.as_ref());
                walked(language, tree, Seen::Source(source), draft)
            }
        };
        outlined.clear();
        self.outlined = outlined;
        outcome
    }

    /// Parses and walks; with `ranges`, only what lies in them.
    fn tree(
        &mut self,
        language: Language,
        source: &[u8],
        ranges: &[Range],
        limits: &Limits,
        draft: &mut Draft,
    ) -> Outcome {
        let tree = self.syntax(language, source, ranges, limits);
        walked(language, tree.as_ref(), Seen::Source(source), draft)
    }

    /// The syntax tree of a source, or why there is none.
    fn syntax(
        &mut self,
        language: Language,
        source: &[u8],
        ranges: &[Range],
        limits: &Limits,
    ) -> Option<Tree> {
        let table = language.table()?;
        self.inner.set_language(&table.grammar).ok()?;
        self.inner.set_included_ranges(ranges).ok()?;
        let started = Instant::now();
        let mut progress = |_: &tree_sitter::ParseState| {
            if started.elapsed() < limits.deadline {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut input = |at: usize, _| source.get(at..).unwrap_or(&[]);
        let tree = self
            .inner
            .parse_with_options(&mut input, None, Some(options));
        if tree.is_none() {
            // Where it stopped is of no use to the next file.
            self.inner.reset();
        }
        tree
    }
}

/// What a tree says, or where the deadline struck, what its lines say.
fn walked(language: Language, tree: Option<&Tree>, seen: Seen<'_>, draft: &mut Draft) -> Outcome {
    match (language.table(), tree) {
        (None, _) => Outcome::TextOnly,
        (Some(table), Some(tree)) => {
            walk::walk(table, tree, seen, draft);
            Outcome::Parsed
        }
        (Some(_), None) => {
            let (Seen::Source(source) | Seen::Outline(source, _)) = seen;
            lines::read(&lines::ANY, source, draft);
            Outcome::Deadline
        }
    }
}

/// How many rows of a source the parser did not understand.
fn lost_rows(tree: &Tree) -> usize {
    let mut lost = 0_usize;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() {
            lost += node.end_position().row - node.start_position().row;
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return lost;
            }
        }
    }
}
