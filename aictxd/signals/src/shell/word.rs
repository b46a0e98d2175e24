//! Words: quotes, escapes, expansions and the commands inside them.

use super::lex::{Lexer, run};
use super::{MAX_DEPTH, Word};

/// A word being read.
#[derive(Default)]
pub(super) struct Building {
    pub(super) word: Word,
    pub(super) started: bool,
}

impl Building {
    fn push(&mut self, text: &str) {
        self.word.text.push_str(text);
        self.started = true;
    }
    fn expansion(&mut self, text: &str) {
        self.push(text);
        self.word.unknown = true;
    }
    fn covers(&mut self, from: usize, to: usize) {
        if from < to {
            let start = self.word.inner.map_or(from, |(first, _)| first.min(from));
            self.word.inner = Some((start, to));
        }
    }
}

impl Lexer<'_, '_> {
    /// Reads one word.
    pub(super) fn word(&mut self) -> Building {
        let mut word = Building::default();
        loop {
            let start = self.pos;
            while self.peek().is_some_and(is_ordinary) {
                self.pos += 1;
            }
            if self.pos > start {
                word.push(self.text.get(start..self.pos).unwrap_or_default());
            }
            let Some(byte) = self.peek() else {
                return word;
            };
            match byte {
                b'\\' => self.escape(&mut word),
                b'\'' => {
                    self.pos += 1;
                    let length =
                        memchr::memchr(b'\'', self.rest().as_bytes()).unwrap_or(self.rest().len());
                    let end = self.pos + length;
                    word.push(self.text.get(self.pos..end).unwrap_or_default());
                    word.word.quoted = true;
                    self.pos = (end + 1).min(self.text.len());
                }
                b'"' => {
                    self.pos += 1;
                    word.word.quoted = true;
                    word.started = true;
                    self.double_quoted(&mut word, Some(b'"'));
                }
                b'$' => self.dollar(&mut word),
                b'`' => self.backtick(&mut word),
                b'<' | b'>' if self.process_substitution() && !word.started => {
                    self.pos += 2;
                    self.substitution(&mut word);
                }
                b'(' if word.word.text.ends_with('=') => {
                    // An array: its members are data.
                    self.skip_arithmetic();
                    word.word.unknown = true;
                }
                _ => return word,
            }
        }
    }

    fn escape(&mut self, word: &mut Building) {
        self.pos += 1;
        let Some(next) = self.rest().chars().next() else {
            word.push("\\");
            return;
        };
        self.pos += next.len_utf8();
        if next != '\n' {
            word.word.text.push(next);
            word.word.quoted = true;
            word.started = true;
        }
    }

    /// Inside double quotes (`close`), `${…}` (`}`) or a here-document (nothing) up to the end.
    pub(super) fn double_quoted(&mut self, word: &mut Building, close: Option<u8>) {
        loop {
            let start = self.pos;
            while self
                .peek()
                .is_some_and(|byte| !matches!(byte, b'\\' | b'$' | b'`') && Some(byte) != close)
            {
                self.pos += 1;
            }
            word.push(self.text.get(start..self.pos).unwrap_or_default());
            match self.peek() {
                None => return,
                Some(b'\\') => {
                    let escaped = self.ahead(1);
                    if matches!(escaped, Some(b'"' | b'\\' | b'$' | b'`' | b'\n' | b'}')) {
                        self.escape(word);
                    } else {
                        word.push("\\");
                        self.pos += 1;
                    }
                }
                Some(b'$') => self.dollar(word),
                Some(b'`') => self.backtick(word),
                Some(_) => {
                    self.pos += 1;
                    return;
                }
            }
        }
    }

    fn dollar(&mut self, word: &mut Building) {
        match self.ahead(1) {
            Some(b'(') if self.ahead(2) == Some(b'(') => {
                let start = self.pos;
                self.pos += 1;
                self.skip_arithmetic();
                let text = self.slice(start).to_owned();
                word.expansion(&text);
            }
            Some(b'(') => {
                self.pos += 2;
                self.substitution(word);
            }
            Some(b'{') => {
                let start = self.pos;
                self.pos += 2;
                if self.depth >= MAX_DEPTH {
                    self.give_up();
                    return;
                }
                self.depth += 1;
                let mut inside = Building::default();
                self.double_quoted(&mut inside, Some(b'}'));
                self.depth -= 1;
                if let Some((from, to)) = inside.word.inner {
                    word.covers(from, to);
                }
                let text = self.slice(start).to_owned();
                word.expansion(&text);
            }
            Some(b'\'') => {
                // `$'…'`: escapes are not decoded, so the value is not known when there are any.
                self.pos += 2;
                let start = self.pos;
                while let Some(byte) = self.peek() {
                    match byte {
                        b'\\' => {
                            self.pos += 2;
                            word.word.unknown = true;
                        }
                        b'\'' => break,
                        _ => self.pos += 1,
                    }
                }
                self.pos = self.pos.min(self.text.len());
                let text = self.slice(start).to_owned();
                word.push(&text);
                word.word.quoted = true;
                self.pos = (self.pos + 1).min(self.text.len());
            }
            Some(b'"') => {
                self.pos += 1;
            }
            Some(byte)
                if byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'@' | b'*' | b'#' | b'?' | b'!' | b'-' | b'$') =>
            {
                let start = self.pos;
                self.pos += 2;
                if byte.is_ascii_alphabetic() || byte == b'_' {
                    while self
                        .peek()
                        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    {
                        self.pos += 1;
                    }
                }
                let text = self.slice(start).to_owned();
                word.expansion(&text);
            }
            _ => {
                self.pos += 1;
                word.push("$");
            }
        }
    }

    /// `$( … )` and `<( … )`, after the opening.
    fn substitution(&mut self, word: &mut Building) {
        let first = self.script.commands.len();
        let dir = self.dir.clone();
        let waiting = std::mem::take(&mut self.awaiting);
        self.nested(b')');
        self.awaiting.splice(0..0, waiting);
        self.dir = dir;
        word.covers(first, self.script.commands.len());
        word.expansion("$(…)");
    }

    fn backtick(&mut self, word: &mut Building) {
        self.pos += 1;
        let mut inside = String::new();
        while let Some(next) = self.rest().chars().next() {
            self.pos += next.len_utf8();
            match next {
                '`' => break,
                '\\' => {
                    let escaped = self.rest().chars().next().unwrap_or('\\');
                    self.pos += self.rest().chars().next().map_or(0, char::len_utf8);
                    if !matches!(escaped, '`' | '\\' | '$') {
                        inside.push('\\');
                    }
                    inside.push(escaped);
                }
                other => inside.push(other),
            }
        }
        let first = self.script.commands.len();
        run(self.script, &inside, &self.frame(), false);
        word.covers(first, self.script.commands.len());
        word.expansion("$(…)");
    }
}

fn is_ordinary(byte: u8) -> bool {
    !matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'`'
    )
}
