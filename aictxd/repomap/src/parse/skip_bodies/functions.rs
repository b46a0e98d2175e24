//! Functions of C and C++ whose heads need no grammar: a type, a name, and parameters that can be
//! nothing else. Most functions and prototypes are of that kind, and their parameters are most of what
//! bodies leave behind.

use std::ops::Range;

use super::tokens::{Token, Tokens};

/// How far a head was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was read yet.
    Fresh,
    /// The type, and the name as far as it is one.
    Type,
    /// What is between the parentheses.
    Parameters,
    /// What is behind them.
    Behind,
    /// The arguments of an attribute there or before the type, with so many groups open.
    Attribute(usize),
    /// The arguments of a word without a type: `EXPORT_SYMBOL(name);`, `static LIST_HEAD(name);`.
    Call(usize),
    /// What is behind them.
    Called,
    /// It is something else.
    Other,
}

/// What was read since the last `;` or brace, as the head of a function.
pub(super) struct Head {
    stage: Stage,
    start: usize,
    /// The comment above.
    doc: Option<Range<usize>>,
    /// The word read last that may be the name.
    name: Range<usize>,
    /// Nothing stands behind that word yet.
    named: bool,
    /// A word that may be a type stands before it.
    typed: bool,
    /// Other files do not see it.
    hidden: bool,
    parameter: Parameter,
    /// The parameters were read.
    called: bool,
    /// The word read last may be an attribute, which may have arguments.
    attribute: bool,
    /// The first argument of a call that is a single word.
    argument: Option<Range<usize>>,
    /// What is called says that it defines something: `DEFINE_MUTEX(name);`.
    defining: bool,
}

/// A parameter as far as it was read.
#[derive(Default)]
struct Parameter {
    words: usize,
    stars: usize,
    dots: usize,
    bracket: bool,
    /// Its only word is a type of the language.
    builtin: bool,
}

impl Parameter {
    /// Returns true if it can be nothing else: arguments of macros are single words.
    fn is_plain(&self) -> bool {
        let typed = self.words >= 2 || self.words == 1 && (self.stars > 0 || self.builtin);
        let more = self.words + self.stars == 0 && self.dots == 3;
        !self.bracket && (typed && self.dots == 0 || more)
    }
}

impl Head {
    pub(super) const NEW: Self = Self {
        stage: Stage::Fresh,
        start: 0,
        doc: None,
        name: 0..0,
        named: false,
        typed: false,
        hidden: false,
        parameter: Parameter {
            words: 0,
            stars: 0,
            dots: 0,
            bracket: false,
            builtin: false,
        },
        called: false,
        attribute: false,
        argument: None,
        defining: false,
    };

    /// What follows belongs to something else, up to the next `;`.
    pub(super) const BEHIND_A_BLOCK: Self = Self {
        stage: Stage::Other,
        ..Self::NEW
    };

    /// Reads the next token.
    #[inline]
    pub(super) fn read(&mut self, token: Token, tokens: &Tokens<'_>) {
        self.stage = match (self.stage, token) {
            (Stage::Other, _) => Stage::Other,
            (Stage::Fresh, Token::Directive(_)) => Stage::Fresh,
            (Stage::Fresh, Token::Word) => {
                self.start = tokens.start();
                self.doc = tokens.comment_above();
                self.of_type(tokens)
            }
            (Stage::Type, Token::Word) => self.of_type(tokens),
            (Stage::Type, Token::Mark(b'*')) => {
                self.typed |= self.named;
                self.named = false;
                Stage::Type
            }
            (Stage::Type, Token::Mark(b'(')) if self.named && self.typed => Stage::Parameters,
            (Stage::Type, Token::Mark(b'(')) if self.named && !self.typed => {
                let first = self.name.start == self.start;
                if self.attribute && !first {
                    Stage::Attribute(1)
                } else if first || self.hidden {
                    self.defining = defines(tokens.text_at(self.name.clone()));
                    Stage::Call(1)
                } else {
                    Stage::Other
                }
            }
            (Stage::Parameters, token) => self.of_parameters(token, tokens),
            (Stage::Behind, Token::Word) => {
                self.attribute = tokens.text().starts_with(b"__") || is_macro(tokens.text());
                if starts_anew(tokens.text()) {
                    Stage::Other
                } else {
                    Stage::Behind
                }
            }
            (Stage::Behind, Token::Mark(b'(')) if self.attribute => Stage::Attribute(1),
            (Stage::Attribute(1), Token::Mark(b')')) => {
                self.attribute = false;
                self.named = false;
                if self.called {
                    Stage::Behind
                } else {
                    Stage::Type
                }
            }
            (Stage::Attribute(depth), token) => {
                within(depth, token).map_or(Stage::Other, Stage::Attribute)
            }
            (Stage::Call(depth), token) => self.of_call(depth, token, tokens),
            (Stage::Called, Token::Word) if self.attribute => {
                self.named = false;
                self.argument = None;
                self.of_type(tokens)
            }
            _ => Stage::Other,
        };
    }

    fn of_type(&mut self, tokens: &Tokens<'_>) -> Stage {
        let word = tokens.text();
        if is_no_head(word) {
            return Stage::Other;
        }
        self.hidden |= word == b"static";
        self.typed |= self.named;
        // What says only how a function is called or linked is no type, and no name.
        self.named = !is_specifier(word);
        self.attribute = word.starts_with(b"__");
        self.name = tokens.start()..tokens.end();
        Stage::Type
    }

    fn of_parameters(&mut self, token: Token, tokens: &Tokens<'_>) -> Stage {
        let it = &mut self.parameter;
        match token {
            Token::Mark(b']') => it.bracket = false,
            // How many there are.
            Token::Word | Token::Mark(b'+' | b'-' | b'*') if it.bracket => {}
            Token::Mark(b'[') if it.words > 0 => it.bracket = true,
            Token::Word => {
                it.words += 1;
                it.builtin = is_builtin(tokens.text());
                if starts_anew(tokens.text()) && !is_tag(tokens.text()) {
                    return Stage::Other;
                }
            }
            Token::Mark(b'*' | b'&') => it.stars += 1,
            Token::Mark(b'.') => it.dots += 1,
            Token::Mark(b',') if it.is_plain() => *it = Parameter::default(),
            Token::Mark(b')') => {
                let none =
                    it.words + it.stars + it.dots == 0 && self.name.end + 1 == tokens.start();
                self.called = true;
                self.attribute = false;
                return if none || it.is_plain() {
                    Stage::Behind
                } else {
                    Stage::Other
                };
            }
            _ => return Stage::Other,
        }
        Stage::Parameters
    }

    fn of_call(&mut self, depth: usize, token: Token, tokens: &Tokens<'_>) -> Stage {
        match token {
            Token::Word if depth == 1 => {
                self.parameter.words += 1;
                self.parameter.builtin = is_builtin(tokens.text());
                if self.argument.is_none() && self.parameter.words == 1 {
                    self.name = tokens.start()..tokens.end();
                }
            }
            Token::Mark(b',' | b')') if depth == 1 => {
                let it = std::mem::take(&mut self.parameter);
                let one = it.words == 1 && it.stars == 0 && !it.builtin;
                if one && self.argument.is_none() {
                    self.argument = Some(self.name.clone());
                }
            }
            _ => self.parameter.stars += 1,
        }
        match within(depth, token) {
            Some(0) => Stage::Called,
            depth => depth.map_or(Stage::Other, Stage::Call),
        }
    }

    /// Where the function begins, when all of its head was read.
    pub(super) fn done(&self) -> Option<usize> {
        (self.stage == Stage::Behind).then_some(self.start)
    }

    /// Where a word with arguments begins, when all of it was read, and the variable that it defines
    /// if it does: `static LIST_HEAD(name);`.
    pub(super) fn called(&self) -> Option<(usize, Option<Range<usize>>)> {
        let variable = self.hidden || self.defining;
        (self.stage == Stage::Called && (!variable || self.argument.is_some()))
            .then(|| (self.start, self.argument.clone().filter(|_| variable)))
    }

    /// The same where a body follows: `SYSCALL_DEFINE3(open, …) {`.
    pub(super) fn called_with_body(&self) -> Option<(usize, Range<usize>)> {
        let argument = self.argument.clone()?;
        (self.stage == Stage::Called && self.defining).then_some((self.start, argument))
    }

    /// Its name.
    pub(super) fn name(&self) -> Range<usize> {
        self.name.clone()
    }

    /// The comment above it.
    pub(super) fn doc(&self) -> Option<Range<usize>> {
        self.doc.clone()
    }

    /// Returns true if other files see it.
    pub(super) fn exported(&self) -> bool {
        !self.hidden
    }
}

/// A word in capitals.
pub(super) fn is_macro(word: &[u8]) -> bool {
    let capital = |it: &u8| it.is_ascii_uppercase() || it.is_ascii_digit() || *it == b'_';
    word.len() > 1 && word.iter().all(capital)
}

/// Returns true if a macro's name says that it defines what is named first.
fn defines(word: &[u8]) -> bool {
    memchr::memmem::find(word, b"DEFINE").is_some()
}

/// A macro that stands alone in its line and opens or closes something around what follows, as
/// `EXTERN_C_BEGIN` and `G_END_DECLS` do.
pub(super) fn is_bracket(word: &[u8]) -> bool {
    is_macro(word)
        && word
            .split(|it| *it == b'_')
            .any(|it| matches!(it, b"BEGIN" | b"START" | b"END"))
}

/// Returns the number of open groups behind a token; `None` where it cannot be an argument.
fn within(depth: usize, token: Token) -> Option<usize> {
    match token {
        Token::Mark(b'(') => Some(depth + 1),
        Token::Mark(b')') => depth.checked_sub(1),
        Token::Mark(mark) => (!b"{};#".contains(&mark)).then_some(depth),
        Token::Word | Token::Literal => Some(depth),
        Token::Directive(_) => None,
    }
}

/// Words that say how a function is linked or called, or what kind of type follows.
fn is_specifier(word: &[u8]) -> bool {
    matches!(
        word,
        b"static"
            | b"extern"
            | b"inline"
            | b"__inline"
            | b"__inline__"
            | b"__always_inline"
            | b"const"
            | b"volatile"
            | b"register"
            | b"constexpr"
            | b"signed"
            | b"struct"
            | b"union"
            | b"enum"
    )
}

fn is_tag(word: &[u8]) -> bool {
    matches!(word, b"struct" | b"union" | b"enum")
}

/// Words with which something else than a function begins.
fn is_no_head(word: &[u8]) -> bool {
    matches!(
        word,
        b"typedef"
            | b"using"
            | b"template"
            | b"typename"
            | b"operator"
            | b"friend"
            | b"namespace"
            | b"class"
            | b"public"
            | b"private"
            | b"protected"
            | b"return"
            | b"else"
            | b"case"
            | b"default"
            | b"goto"
            | b"new"
            | b"delete"
            | b"throw"
            | b"if"
            | b"for"
            | b"while"
            | b"do"
            | b"switch"
            | b"sizeof"
            | b"asm"
            | b"__asm__"
            | b"defined"
    )
}

/// Words that cannot stand behind parameters: what stood before was no function.
fn starts_anew(word: &[u8]) -> bool {
    is_tag(word) || is_no_head(word) || matches!(word, b"static" | b"extern" | b"inline")
}

/// Types that may be all of a parameter.
fn is_builtin(word: &[u8]) -> bool {
    matches!(
        word,
        b"void"
            | b"int"
            | b"char"
            | b"short"
            | b"long"
            | b"float"
            | b"double"
            | b"unsigned"
            | b"bool"
            | b"size_t"
    )
}
