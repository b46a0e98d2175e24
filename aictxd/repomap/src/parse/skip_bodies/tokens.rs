//! The tokens of languages that are written with braces, as far as braces need them.

/// Syntax of a language for text in which braces mean nothing.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    /// Lines that begin with `#` are for a preprocessor.
    pub(super) directives: bool,
    /// Comments may hold comments.
    pub(super) nested_comments: bool,
    /// Meaning of quotes.
    pub(super) quotes: Quotes,
}

/// Languages differ most in what they quote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// `'a'`, `"a"`, `R"x(a)x"`, `1'000`.
    C,
    /// `'a'`, `"a"`, and all lines between backticks.
    Go,
    /// `'a'`, `"a"`, and all lines between three quotes.
    Java,
    /// `'a'` but also `'a`, `"a"` over several lines, `r#"a"#`.
    Rust,
}

/// Effect of a preprocessor conditional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditional {
    /// It begins.
    If,
    /// Another branch of it begins.
    Else,
    /// It ends.
    End,
    /// It is none.
    None,
}

/// A token; white space and comments are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a keyword or a number.
    Word,
    /// A string or a character.
    Literal,
    /// A line for the preprocessor with those that continue it.
    Directive(Conditional),
    /// Any other byte.
    Mark(u8),
}

/// The tokens of a source, one after the other.
pub(super) struct Tokens<'s> {
    source: &'s [u8],
    dialect: Dialect,
    start: usize,
    at: usize,
    /// True if nothing but space stands before `at` in its line.
    fresh: bool,
    /// True if a line break stands between the token read last and the one before it.
    broke: bool,
    /// The comment read last: of lines one below the other, all of them.
    comment: Option<Comment>,
}

/// A comment that nothing stands before in its line.
struct Comment {
    start: usize,
    end: usize,
}

/// A place among tokens to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    start: usize,
    at: usize,
    fresh: bool,
    broke: bool,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(source: &'s [u8], dialect: Dialect) -> Self {
        Self {
            source,
            dialect,
            start: 0,
            at: 0,
            fresh: true,
            broke: false,
            comment: None,
        }
    }

    /// First byte of the token read last.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// End of the token read last.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    /// Text of the token read last.
    pub(super) fn text(&self) -> &'s [u8] {
        self.source.get(self.start..self.at).unwrap_or(&[])
    }

    /// Text of a token read before.
    pub(super) fn text_at(&self, token: std::ops::Range<usize>) -> &'s [u8] {
        self.source.get(token).unwrap_or(&[])
    }

    /// Returns true if nothing is left to read.
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.source.len()
    }

    /// Returns true if the token read last begins its line, without any space before it.
    pub(super) fn at_margin(&self) -> bool {
        self.byte_before(self.start).is_none_or(|it| it == b'\n')
    }

    /// Returns true if the token read last is the first of its line.
    pub(super) fn broke(&self) -> bool {
        self.broke
    }

    /// Returns true if nothing but a comment stands beside the token read last in its line.
    pub(super) fn is_alone(&self) -> bool {
        let behind = self
            .rest()
            .iter()
            .find(|it| !matches!(it, b' ' | b'\t' | b'\r'));
        (self.broke || self.start == 0) && behind.is_none_or(|it| matches!(it, b'\n' | b'/'))
    }

    /// The byte before a place.
    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.source.get(at.checked_sub(1)?).copied()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            start: self.start,
            at: self.at,
            fresh: self.fresh,
            broke: self.broke,
        }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.start = mark.start;
        self.at = mark.at;
        self.fresh = mark.fresh;
        self.broke = mark.broke;
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Option<Token> {
        self.broke = false;
        loop {
            self.start = self.at;
            let byte = self.peek(0)?;
            self.at += 1;
            match byte {
                b'\n' => {
                    self.fresh = true;
                    self.broke = true;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => continue,
                b'/' if self.peek(0) == Some(b'/') => {
                    self.line_comment();
                    self.note(false);
                    continue;
                }
                b'/' if self.peek(0) == Some(b'*') => {
                    self.at += 1;
                    self.block_comment();
                    self.note(true);
                    continue;
                }
                _ => {}
            }
            let fresh = std::mem::take(&mut self.fresh);
            return Some(match byte {
                b'#' if fresh && self.dialect.directives => self.directive(),
                b'"' => self.string(),
                b'\'' => self.character(),
                b'`' if self.dialect.quotes == Quotes::Go => {
                    self.pass_to(b"`");
                    Token::Literal
                }
                _ if is_word(byte) => self.word(byte),
                _ => Token::Mark(byte),
            });
        }
    }

    /// Notes the comment just read.
    fn note(&mut self, block: bool) {
        if !self.fresh {
            // It is about what it stands behind.
            return;
        }
        let (start, end) = (self.start, self.at);
        match &mut self.comment {
            Some(it) if !block && breaks_once(self.source.get(it.end..start)) => it.end = end,
            it => *it = Some(Comment { start, end }),
        }
    }

    /// The comment right above the token read last.
    pub(super) fn comment_above(&self) -> Option<std::ops::Range<usize>> {
        let it = self.comment.as_ref()?;
        breaks_once(self.source.get(it.end..self.start)).then_some(it.start..it.end)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'s [u8] {
        self.source.get(self.at..).unwrap_or(&[])
    }

    /// Goes behind the next `what`, or to the end of all.
    fn pass_to(&mut self, what: &[u8]) {
        self.at += match memchr::memmem::find(self.rest(), what) {
            Some(at) => at + what.len(),
            None => self.rest().len(),
        };
    }

    /// Goes to the end of the line, or of the last of those that continue it.
    fn line_comment(&mut self) {
        loop {
            let rest = self.rest();
            let Some(length) = memchr::memchr(b'\n', rest) else {
                self.at += rest.len();
                return;
            };
            self.at += length;
            let line = rest.get(..length).unwrap_or(&[]);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !(self.dialect.directives && line.ends_with(b"\\")) {
                return;
            }
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        if !self.dialect.nested_comments {
            return self.pass_to(b"*/");
        }
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(at) = memchr::memchr2(b'/', b'*', self.rest()) else {
                self.at = self.source.len();
                return;
            };
            self.at += at;
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => depth += 1,
                (Some(b'*'), Some(b'/')) => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
        }
    }

    fn word(&mut self, first: u8) -> Token {
        loop {
            let rest = self.rest();
            self.at += rest
                .iter()
                .position(|&it| !is_word(it))
                .unwrap_or(rest.len());
            // `1'000` is one number.
            let parted = self.dialect.quotes == Quotes::C
                && first.is_ascii_digit()
                && self.peek(0) == Some(b'\'')
                && self.peek(1).is_some_and(|it| it.is_ascii_alphanumeric());
            if !parted {
                break;
            }
            self.at += 1;
        }
        let raw = match self.dialect.quotes {
            Quotes::C => self.peek(0) == Some(b'"') && self.raw_c(),
            Quotes::Rust => matches!(self.peek(0), Some(b'"' | b'#')) && self.raw_rust(),
            Quotes::Go | Quotes::Java => false,
        };
        if raw { Token::Literal } else { Token::Word }
    }

    /// Goes behind `R"x( … )x"`, where the word read last begins one.
    fn raw_c(&mut self) -> bool {
        if !matches!(self.text(), b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
            return false;
        }
        let rest = self.rest();
        // A delimiter has at most 16 characters.
        let Some(open) = rest.iter().take(18).position(|&it| it == b'(') else {
            return false;
        };
        let mut close = vec![b')'];
        close.extend_from_slice(rest.get(1..open).unwrap_or(&[]));
        close.push(b'"');
        self.at += open;
        self.pass_to(&close);
        true
    }

    /// Goes behind `r#" … "#`, where the word read last begins one.
    fn raw_rust(&mut self) -> bool {
        if !matches!(self.text(), b"r" | b"br" | b"cr") {
            return false;
        }
        let hashes = self.rest().iter().take_while(|&&it| it == b'#').count();
        if self.peek(hashes) != Some(b'"') {
            return false;
        }
        let mut close = vec![b'"'];
        close.resize(hashes + 1, b'#');
        self.at += hashes + 1;
        self.pass_to(&close);
        true
    }

    /// Goes behind a string whose first quote was read.
    fn string(&mut self) -> Token {
        if self.dialect.quotes == Quotes::Java && self.rest().starts_with(b"\"\"") {
            self.at += 2;
            self.text_block();
        } else {
            self.quoted(b'"', self.dialect.quotes == Quotes::Rust);
        }
        Token::Literal
    }

    /// Goes to the end of `""" … """`.
    fn text_block(&mut self) {
        while let Some(at) = memchr::memchr2(b'\\', b'"', self.rest()) {
            self.at += at;
            if self.peek(0) == Some(b'\\') {
                self.at = (self.at + 2).min(self.source.len());
            } else if self.rest().starts_with(b"\"\"\"") {
                self.at += 3;
                return;
            } else {
                self.at += 1;
            }
        }
        self.at = self.source.len();
    }

    /// Goes behind the quote that ends a literal, or to the end of its line.
    fn quoted(&mut self, quote: u8, lines: bool) {
        loop {
            let Some(at) = memchr::memchr3(quote, b'\\', b'\n', self.rest()) else {
                self.at = self.source.len();
                return;
            };
            self.at += at;
            match self.peek(0) {
                Some(b'\\') => self.at = (self.at + 2).min(self.source.len()),
                Some(b'\n') if !lines => return,
                Some(b'\n') => self.at += 1,
                _ => {
                    self.at += 1;
                    return;
                }
            }
        }
    }

    /// A character, whose quote was read; in Rust it may as well be a lifetime.
    fn character(&mut self) -> Token {
        if self.dialect.quotes == Quotes::Rust && self.peek(0) != Some(b'\\') {
            // One character of at most four bytes stands between two quotes.
            let wide = self.peek(0).map_or(1, |it| match it {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            });
            if self.peek(wide) != Some(b'\'') {
                return Token::Mark(b'\'');
            }
            self.at += wide + 1;
        } else {
            self.quoted(b'\'', false);
        }
        Token::Literal
    }

    /// A line for the preprocessor. Of `#if 0`, what is not compiled belongs to it.
    fn directive(&mut self) -> Token {
        let kind = self.directive_line();
        let mut depth = 0_usize;
        if kind == Conditional::If && self.is_never() {
            while let Some(length) = memchr::memchr(b'\n', self.rest()) {
                let line = self
                    .rest()
                    .get(length + 1..)
                    .unwrap_or(&[])
                    .trim_ascii_start();
                match line.strip_prefix(b"#").map(named) {
                    Some(Conditional::If) => depth += 1,
                    Some(Conditional::Else) if depth == 0 => break,
                    Some(Conditional::End) if depth == 0 => break,
                    Some(Conditional::End) => depth -= 1,
                    _ => {}
                }
                self.at += length + 1;
            }
        }
        Token::Directive(kind)
    }

    fn is_never(&self) -> bool {
        let words = self.text().split(u8::is_ascii_whitespace);
        let mut words = words.filter(|it| !matches!(*it, b"" | b"#"));
        matches!(words.next(), Some(b"#if" | b"if")) && words.next() == Some(b"0")
    }

    /// Goes to the end of a line whose `#` was read.
    fn directive_line(&mut self) -> Conditional {
        let kind = named(self.rest());
        loop {
            let Some(at) = memchr::memchr3(b'\n', b'/', b'"', self.rest()) else {
                self.at = self.source.len();
                return kind;
            };
            self.at += at;
            match (self.peek(0), self.peek(1)) {
                (Some(b'\n'), _) => {
                    let before = self.byte_before(self.at);
                    let before = if before == Some(b'\r') {
                        self.byte_before(self.at - 1)
                    } else {
                        before
                    };
                    if before != Some(b'\\') {
                        return kind;
                    }
                    self.at += 1;
                }
                (_, Some(b'*')) => {
                    self.at += 2;
                    self.block_comment();
                }
                (_, Some(b'/')) => self.line_comment(),
                // `"/*"` is no comment.
                (Some(b'"'), _) => {
                    self.at += 1;
                    self.quoted(b'"', false);
                }
                _ => self.at += 1,
            }
        }
    }
}

/// Returns the effect of a directive, by the text behind its `#`.
fn named(rest: &[u8]) -> Conditional {
    let rest = rest.trim_ascii_start();
    let end = rest.iter().position(|it| !it.is_ascii_alphabetic());
    match rest.get(..end.unwrap_or(rest.len())) {
        Some(b"if" | b"ifdef" | b"ifndef") => Conditional::If,
        Some(b"else" | b"elif" | b"elifdef" | b"elifndef") => Conditional::Else,
        Some(b"endif") => Conditional::End,
        _ => Conditional::None,
    }
}

/// Returns true if nothing but space and one line break stands there.
fn breaks_once(between: Option<&[u8]>) -> bool {
    between.is_some_and(|it| {
        it.iter().all(u8::is_ascii_whitespace) && memchr::memchr_iter(b'\n', it).count() == 1
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
