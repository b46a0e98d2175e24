//! C and C++.

use std::ops::Range;

use super::functions;
use super::macros::{definition, inclusion};
use super::tokens::{Conditional, Dialect, Quotes, Token, Tokens};
use super::{Block, Cut, Outlined, Told};
use crate::facts::Kind;

const C: Dialect = Dialect {
    directives: true,
    nested_comments: false,
    quotes: Quotes::C,
};

/// Construct before a brace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// `struct`, `enum`, …
    Keyword,
    /// A word; right behind a keyword, or `__attribute__`, what it is called with is no list of
    /// parameters.
    Word { special: bool },
    /// `( … )`.
    Group { special: bool },
    /// Anything else.
    Other,
}

/// Tokens since the last `;` or brace.
struct Head {
    before: Before,
    /// Parentheses that are open, and whether they are special.
    depth: usize,
    special: bool,
    assigned: bool,
    namespace: bool,
    /// The last keyword was `struct` or `union`.
    record: bool,
    /// `auto f() -> T`.
    arrow: bool,
}

impl Head {
    const NEW: Self = Self {
        before: Before::Other,
        depth: 0,
        special: false,
        assigned: false,
        namespace: false,
        record: false,
        arrow: false,
    };

    fn word(&mut self, word: &[u8]) {
        if self.depth > 0 {
            return;
        }
        self.before = match word {
            b"struct" | b"union" | b"enum" | b"class" => {
                // `template <class A = B> class C {` assigns nothing to the class.
                self.assigned = false;
                self.record = matches!(word, b"struct" | b"union");
                Before::Keyword
            }
            b"const" | b"volatile" | b"noexcept" | b"override" | b"final" | b"mutable"
                if self.before == (Before::Group { special: false }) =>
            {
                self.before
            }
            b"namespace" => {
                self.namespace = true;
                Before::Other
            }
            b"__attribute__" | b"__attribute" | b"__declspec" | b"alignas" | b"_Alignas"
            | b"__aligned" | b"decltype" | b"typeof" | b"__typeof__" => {
                Before::Word { special: true }
            }
            _ => Before::Word {
                special: self.before == Before::Keyword,
            },
        };
    }

    /// Returns the block that a brace opens; `None` where it may hold definitions. In C, fields are none.
    fn block(&self, methods: bool) -> Option<Block> {
        match self.before {
            _ if self.depth > 0 => Some(Block::Part),
            _ if self.namespace => None,
            _ if self.assigned => Some(Block::Value),
            Before::Group { special: false } => Some(Block::Body),
            Before::Word { special: false } if self.arrow => Some(Block::Body),
            _ if self.record && !methods => Some(Block::Fields),
            _ => None,
        }
    }
}

/// Leaves out bodies of functions, plain fields and long values.
pub(in crate::parse) fn c(source: &[u8], out: &mut Outlined) -> bool {
    outline(source, out, false)
}

/// Leaves out bodies of functions and long values.
pub(in crate::parse) fn cpp(source: &[u8], out: &mut Outlined) -> bool {
    outline(source, out, true)
}

fn outline(source: &[u8], out: &mut Outlined, methods: bool) -> bool {
    let mut outliner = Outliner {
        source,
        methods,
        tokens: Tokens::new(source, C),
        cut: Cut::new(source, out).standing_in(b";"),
        head: Head::NEW,
        function: functions::Head::NEW,
        scopes: 0,
        lines: Lines::default(),
    };
    while let Some(token) = outliner.tokens.next() {
        if !outliner.notes(token) {
            outliner.reads(token);
        }
        if outliner.cut.hopeless() {
            return false;
        }
    }
    outliner.cut.finish()
}

/// A source on its way to its outline.
struct Outliner<'s, 'o> {
    source: &'s [u8],
    /// Types may have methods.
    methods: bool,
    tokens: Tokens<'s>,
    cut: Cut<'s, 'o>,
    /// Tokens since the last `;` or brace, as the head of anything.
    head: Head,
    /// The same as the head of a function that needs no grammar.
    function: functions::Head,
    /// Braces around what is read that were not passed.
    scopes: usize,
    lines: Lines,
}

impl Outliner<'_, '_> {
    /// Notes and leaves out a definition that ends with this token or with the body that it opens.
    fn notes(&mut self, token: Token) -> bool {
        let Token::Mark(mark @ (b'{' | b';')) = token else {
            return false;
        };
        if self.scopes > 0 {
            return false;
        }
        let defines = mark == b'{';
        let end = self.tokens.start();
        let with_body = self.function.called_with_body().filter(|_| defines);
        let function = match self.function.done() {
            Some(from) => Some((from, self.function.name())),
            None => with_body,
        };
        if let Some((from, name)) = function {
            if defines {
                if !self.cut.pass_since(from, &mut self.tokens) {
                    // The grammar has to find out.
                    self.scopes += 1;
                    self.starts_anew(functions::Head::NEW);
                    return true;
                }
            } else {
                self.cut.leave_out(from, self.tokens.end(), &[]);
            }
            self.note(Kind::Function, name, from..end, !defines);
        } else if let Some((from, variable)) = self.function.called().filter(|_| !defines) {
            self.cut.leave_out(from, self.tokens.end(), &[]);
            if let Some(name) = variable {
                self.note(Kind::Variable, name, from..end, false);
            }
        } else {
            return false;
        }
        self.starts_anew(functions::Head::NEW);
        true
    }

    fn note(&mut self, kind: Kind, name: Range<usize>, signature: Range<usize>, declared: bool) {
        let line = self.lines.at(self.source, signature.start);
        self.cut.out.functions.push(Told {
            kind,
            name,
            signature,
            doc: self.function.doc(),
            line,
            end_line: self.lines.at(self.source, self.tokens.start()),
            exported: self.function.exported(),
            declared_only: declared,
        });
    }

    /// Something ended; this is what may follow.
    fn starts_anew(&mut self, function: functions::Head) {
        self.head = Head::NEW;
        self.function = function;
    }

    fn reads(&mut self, token: Token) {
        if token == Token::Word && self.is_bracket() {
            self.cut
                .leave_out(self.tokens.start(), self.tokens.end(), &[]);
            return;
        }
        self.function.read(token, &self.tokens);
        let head = &mut self.head;
        match token {
            Token::Directive(Conditional::None) => self.directive(),
            Token::Directive(_) => {}
            Token::Word => head.word(self.tokens.text()),
            Token::Literal => head.before = Before::Other,
            Token::Mark(b'(') => {
                if head.depth == 0 {
                    head.special = head.before == (Before::Word { special: true });
                }
                head.depth += 1;
            }
            Token::Mark(b')') => {
                head.depth = head.depth.saturating_sub(1);
                if head.depth == 0 {
                    head.before = Before::Group {
                        special: head.special,
                    };
                }
            }
            Token::Mark(b'{') => {
                let block = head.block(self.methods);
                let passed = block.is_some_and(|it| self.cut.pass(&mut self.tokens, it));
                self.scopes += usize::from(!passed);
                match block {
                    Some(Block::Part) => {}
                    Some(Block::Body) => self.starts_anew(functions::Head::NEW),
                    _ => self.starts_anew(functions::Head::BEHIND_A_BLOCK),
                }
            }
            Token::Mark(b';') => self.starts_anew(functions::Head::NEW),
            Token::Mark(b'}') => {
                self.scopes = self.scopes.saturating_sub(1);
                self.starts_anew(functions::Head::BEHIND_A_BLOCK);
            }
            Token::Mark(mark) if head.depth == 0 => {
                head.assigned |= mark == b'=';
                head.arrow |= mark == b'>'
                    && self.tokens.byte_before(self.tokens.start()) == Some(b'-')
                    && head.before == (Before::Group { special: false });
                // It may be the first half of an arrow.
                if mark != b'-' || !matches!(head.before, Before::Group { .. }) {
                    head.before = Before::Other;
                }
            }
            Token::Mark(_) => {}
        }
    }

    /// Returns true if a word is a macro around what follows: the grammar would take it for a type.
    fn is_bracket(&self) -> bool {
        self.scopes == 0
            && self.head.depth == 0
            && !self.head.assigned
            && functions::is_bracket(self.tokens.text())
            && self.tokens.is_alone()
    }

    /// Notes what a line includes or the macro that it defines.
    fn directive(&mut self) {
        let (start, text) = (self.tokens.start(), self.tokens.text());
        let line = self.lines.at(self.source, start);
        if let Some(path) = inclusion(text, start) {
            self.cut.out.imports.push((path, line));
        } else if let Some(found) = definition(text, start, self.tokens.comment_above(), line) {
            self.cut.out.macros.extend(found);
        } else if self.scopes == 0 {
            return;
        }
        // Between braces the grammar expects few of them, and others hide what is around them.
        self.cut.leave_out(start, self.tokens.end(), &[]);
    }
}

/// Counts lines on the way through a source.
#[derive(Default)]
struct Lines {
    at: usize,
    breaks: u32,
}

impl Lines {
    /// The line of a place that is not before the last one asked for.
    fn at(&mut self, source: &[u8], place: usize) -> u32 {
        let passed = source.get(self.at..place).unwrap_or(&[]);
        let breaks = memchr::memchr_iter(b'\n', passed).count();
        self.at = place;
        self.breaks = self
            .breaks
            .saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.breaks.saturating_add(1)
    }
}
