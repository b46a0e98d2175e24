//! C and C++.

use super::macros::definition;
use super::tokens::{Dialect, Quotes, Token, Tokens};
use super::{Block, Cut, Outlined};

const C: Dialect = Dialect {
    directives: true,
    nested_comments: false,
    quotes: Quotes::C,
};

/// What stands before a brace.
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

/// What was read since the last `;` or brace.
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

    /// What a brace opens here; nothing where it may hold definitions. In C, fields are none.
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
    let mut tokens = Tokens::new(source, C);
    let mut cut = Cut::new(source, out).standing_in(b";");
    let mut head = Head::NEW;
    // Braces around what is read that were not passed.
    let mut scopes = 0_usize;
    let mut lines = Lines::default();
    while let Some(token) = tokens.next() {
        match token {
            Token::Directive(_) if scopes > 0 => {}
            Token::Directive(_) => {
                let line = lines.at(source, tokens.start());
                let doc = tokens.comment_above();
                let found = definition(tokens.text(), tokens.start(), doc, line);
                if let Some(found) = found {
                    cut.leave_out(tokens.start(), tokens.end(), &[]);
                    cut.out.macros.extend(found);
                }
            }
            Token::Word => head.word(tokens.text()),
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
                let block = head.block(methods);
                let passed = block.is_some_and(|it| cut.pass(&mut tokens, it));
                scopes += usize::from(!passed);
                if block != Some(Block::Part) {
                    head = Head::NEW;
                }
                if cut.hopeless() {
                    return false;
                }
            }
            Token::Mark(mark @ (b';' | b'}')) => {
                scopes = scopes.saturating_sub(usize::from(mark == b'}'));
                head = Head::NEW;
            }
            Token::Mark(mark) if head.depth == 0 => {
                head.assigned |= mark == b'=';
                head.arrow |= mark == b'>'
                    && tokens.byte_before(tokens.start()) == Some(b'-')
                    && head.before == (Before::Group { special: false });
                // It may be the first half of an arrow.
                if mark != b'-' || !matches!(head.before, Before::Group { .. }) {
                    head.before = Before::Other;
                }
            }
            Token::Mark(_) => {}
        }
    }
    cut.finish()
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
