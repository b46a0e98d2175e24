//! Words: quotes, escapes, expansions and the commands inside them.

use super::expand::decode_ansi_c;
use super::lex::{Lexer, run};
use super::variables::MAX_VALUES;
use super::word_builder::Building;
use super::{MAX_DEPTH, Word};

/// Variables that have a value whatever a text says.
const INHERITED: [&str; 3] = ["HOME", "PWD", "OLDPWD"];

impl<'t> Lexer<'t, '_> {
    /// Returns the end of the word that starts here, when all of it stands for itself: nothing in it is quoted, put
    /// in or taken apart. Most words are such.
    pub(super) fn plain_word(&self) -> Option<usize> {
        let bytes = self.text.as_bytes().get(self.pos..)?;
        let plain = |byte: &u8| PLAIN.get(usize::from(*byte)) == Some(&true);
        let length = bytes.iter().position(|byte| !plain(byte));
        let length = length.unwrap_or(bytes.len());
        let ends = matches!(
            bytes.get(length),
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b')')
        );
        (ends && length > 0).then_some(self.pos + length)
    }

    /// Reads one word.
    pub(super) fn word(&mut self) -> Building<'t> {
        let mut word = Building::default();
        let windows = self.windows();
        while !self.flat && !self.context.stopped {
            let start = self.pos;
            while self
                .peek()
                .is_some_and(|byte| is_ordinary(byte) && !(windows && matches!(byte, b'{' | b'}')))
            {
                self.pos += 1;
            }
            if self.pos > start {
                let text = self.part(start, self.pos);
                if windows && text.contains('^') {
                    word.push(&text.replace('^', ""));
                } else {
                    word.part(text);
                }
            }
            let Some(byte) = self.peek() else {
                return word;
            };
            match byte {
                b'\\' if windows => {
                    word.push("\\");
                    self.pos += 1;
                }
                b'`' if windows => self.escape(&mut word),
                b'\\' => self.escape(&mut word),
                b'\'' => {
                    self.pos += 1;
                    let length = memchr::memchr(b'\'', self.rest().as_bytes());
                    self.script.unclosed |= length.is_none();
                    let end = self.pos + length.unwrap_or(self.rest().len());
                    word.part(self.part(self.pos, end));
                    word.word.quoted = true;
                    self.pos = (end + 1).min(self.text.len());
                }
                b'"' => {
                    self.pos += 1;
                    word.word.quoted = true;
                    word.started = true;
                    self.double_quoted(&mut word, Some(b'"'));
                }
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backtick(&mut word),
                b'<' | b'>' if self.process_substitution() && !word.started => {
                    self.pos += 2;
                    self.substitution(&mut word, true);
                }
                b'(' if word.word.text.ends_with('=') => self.array(&mut word),
                // `!(a|b)`: a pattern for names; `**/*.py(.N)`: which of those that match, in zsh.
                b'(' if is_pattern(&word.word.text) && !windows => {
                    let start = self.pos;
                    self.skip_arithmetic();
                    let text = self.slice(start).to_owned();
                    word.push(&text);
                }
                _ => return word,
            }
        }
        word
    }

    /// `NAME=( … )`: the members are data.
    fn array(&mut self, word: &mut Building<'t>) {
        word.word.unknown = true;
        if !self.context.expand {
            self.skip_arithmetic();
            return;
        }
        if self.depth >= MAX_DEPTH {
            self.script.undecided = true;
            self.flat = true;
            return;
        }
        self.depth += 1;
        word.push("(…)");
        self.pos += 1;
        let mut members = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b')' => {
                    self.pos += 1;
                    break;
                }
                b' ' | b'\t' | b'\r' | b'\n' => self.pos += 1,
                _ => {
                    let member = self.word();
                    if self.flat {
                        break;
                    }
                    if !member.started {
                        self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
                    } else if members.len() < MAX_VALUES {
                        members.extend(member.into_words());
                    }
                }
            }
        }
        self.depth -= 1;
        word.members = Some(members);
    }

    fn escape(&mut self, word: &mut Building<'t>) {
        self.pos += 1;
        let Some(next) = self.rest().chars().next() else {
            word.push("\\");
            return;
        };
        self.pos += next.len_utf8();
        if next == '\r' && self.peek() == Some(b'\n') {
            self.pos += 1;
        } else if next != '\n' {
            word.push(next.encode_utf8(&mut [0; 4]));
            word.word.quoted = true;
        }
    }

    /// Inside double quotes (`close`), `${…}` (`}`) or a here-document (nothing) up to the end.
    pub(super) fn double_quoted(&mut self, word: &mut Building<'t>, close: Option<u8>) {
        let windows = self.windows();
        while !self.flat {
            let start = self.pos;
            while self
                .peek()
                .is_some_and(|byte| !matches!(byte, b'\\' | b'$' | b'`') && Some(byte) != close)
            {
                self.pos += 1;
            }
            word.part(self.part(start, self.pos));
            match self.peek() {
                None => {
                    self.script.unclosed |= close.is_some();
                    return;
                }
                Some(b'\\') if windows => {
                    word.push("\\");
                    self.pos += 1;
                }
                Some(b'`') if windows => self.escape(word),
                Some(b'\\') => {
                    let escaped = self.ahead(1);
                    if matches!(escaped, Some(b'"' | b'\\' | b'$' | b'`' | b'\n' | b'}')) {
                        self.escape(word);
                    } else {
                        word.push("\\");
                        self.pos += 1;
                    }
                }
                Some(b'$') => self.dollar(word, true),
                Some(b'`') => self.backtick(word),
                Some(_) => {
                    self.pos += 1;
                    return;
                }
            }
        }
    }

    /// Puts in the values of a variable, when the text tells them.
    fn known(&mut self, word: &mut Building<'t>, name: &str, apart: bool, quoted: bool) -> bool {
        if !self.context.expand {
            return false;
        }
        if name == "PWD" {
            // Relative paths start there; what it is called is not told.
            word.push(".");
            word.word.wavers = true;
            return true;
        }
        // Unless the text sets it, a blank: `rm${IFS}-rf`.
        if name == "IFS" && !quoted && self.context.separators.is_empty() {
            word.value(&Word::plain(" "), false, "");
            return true;
        }
        let separators = self.context.separators.clone();
        let Some(values) = self.context.values(name) else {
            return false;
        };
        let mut values = values.to_vec();
        let is_steady = self.context.is_steady(name);
        word.word.wavers |= !is_steady;
        // Where the text may not have set it, it is what the shell began with.
        if !is_steady && INHERITED.contains(&name) {
            values.push(Word::plain(format!("${name}")));
        }
        // What is put in again and again has been read often enough.
        if !self
            .context
            .spend(values.iter().map(|value| value.text.len()).sum())
        {
            self.script.undecided = true;
            self.context.stopped = true;
            return true;
        }
        // `"$*"` is one word.
        if name == "*" && quoted && values.len() > 1 {
            let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
            let joined = Word {
                unknown: values.iter().any(|value| value.unknown),
                wavers: true,
                ..Word::plain(texts.join(" "))
            };
            word.value(&joined, true, "");
            return true;
        }
        match values.as_slice() {
            [one] => {
                word.value(one, quoted, &separators);
            }
            several => {
                if apart {
                    for (nth, value) in several.iter().enumerate() {
                        if nth > 0 {
                            word.end_word();
                        }
                        word.value(value, true, "");
                    }
                } else {
                    word.one_of(several, quoted);
                }
            }
        }
        true
    }

    fn dollar(&mut self, word: &mut Building<'t>, quoted: bool) {
        match self.ahead(1) {
            Some(b'(') if self.ahead(2) == Some(b'(') => {
                let start = self.pos;
                let first = self.script.commands.len();
                self.pos += 1;
                if self.arithmetic() {
                    word.covers(first, self.script.commands.len());
                    let text = self.slice(start).to_owned();
                    word.expansion(&text);
                } else {
                    self.pos = start + 2;
                    self.substitution(word, quoted);
                }
            }
            Some(b'(') => {
                self.pos += 2;
                self.substitution(word, quoted);
            }
            Some(b'{') => {
                let start = self.pos;
                self.pos += 2;
                if let Some((name, apart, length)) = plain_parameter(self.rest()) {
                    let name = name.to_owned();
                    let given = self.rest().get(name.len()..=name.len()) == Some("}");
                    let has = given || apart || self.context.has_text(&name);
                    if has && self.known(word, &name, apart, quoted) {
                        self.pos += length;
                        return;
                    }
                }
                if self.depth >= MAX_DEPTH {
                    self.script.undecided = true;
                    self.flat = true;
                    return;
                }
                self.depth += 1;
                let mut inside = Building::default();
                self.double_quoted(&mut inside, Some(b'}'));
                self.depth -= 1;
                let covered = inside.word.range();
                word.covers(covered.start, covered.end);
                let text = self.slice(start).to_owned();
                word.expansion(&text);
            }
            Some(b'\'') if !quoted => {
                self.pos += 2;
                let start = self.pos;
                while let Some(byte) = self.peek() {
                    match byte {
                        b'\\' => self.pos += 2,
                        b'\'' => break,
                        _ => self.pos += 1,
                    }
                }
                self.pos = self.pos.min(self.text.len());
                while !self.text.is_char_boundary(self.pos) {
                    self.pos += 1;
                }
                let text = decode_ansi_c(self.slice(start));
                word.push(&text);
                word.word.quoted = true;
                self.script.unclosed |= self.peek().is_none();
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
                let name = text.get(1..).unwrap_or_default();
                let apart = matches!(name, "@" | "*");
                if !self.known(word, name, apart, quoted) {
                    word.expansion(&text);
                }
            }
            _ => {
                self.pos += 1;
                word.push("$");
            }
        }
    }

    /// `$( … )` and `<( … )`, after the opening.
    pub(super) fn substitution(&mut self, word: &mut Building<'t>, quoted: bool) {
        let first = self.script.commands.len();
        let dir = self.dir.clone();
        let waiting = std::mem::take(&mut self.awaiting);
        let known = self.context.functions.enter();
        let (status, denied) = (self.status, self.denied);
        self.nested(b')');
        (self.status, self.denied) = (status, denied);
        self.context.functions.leave(known);
        self.awaiting.splice(0..0, waiting);
        self.dir = dir;
        self.output(word, first, quoted);
    }

    /// Puts in the output of the commands from `first` on, when it can be told.
    fn output(&mut self, word: &mut Building<'t>, first: usize, quoted: bool) {
        let commands = self.script.commands.get(first..).unwrap_or_default();
        word.covers(first, self.script.commands.len());
        let told = match commands {
            [one] if self.context.expand && one.redirects.is_empty() => told_output(one),
            _ => None,
        };
        match told {
            Some(text) => {
                let separators = self.context.separators.clone();
                let told = Word {
                    wavers: true,
                    ..Word::plain(text)
                };
                word.value(&told, quoted, &separators);
            }
            None => word.expansion("$(…)"),
        }
    }

    fn backtick(&mut self, word: &mut Building<'t>) {
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
        let frame = self.frame();
        let known = self.context.functions.enter();
        let outer = self.context.enter_scope();
        run(self.script, self.context, inside.into(), &frame, false);
        self.context.leave_scope(outer);
        self.context.functions.leave(known);
        self.output(word, first, false);
    }
}

/// Name, whether all members are meant, and length of `NAME}`, `NAME[@]}` or `NAME:?}`.
fn plain_parameter(rest: &str) -> Option<(&str, bool, usize)> {
    if rest.starts_with("@}") || rest.starts_with("*}") {
        return Some((rest.get(..1)?, true, 2));
    }
    let length = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (name, after) = rest.split_at_checked(length)?;
    if name.is_empty() {
        return None;
    }
    for (ending, apart) in [("}", false), ("[@]}", true), ("[*]}", true), (":?}", false)] {
        if after.starts_with(ending) {
            return Some((name, apart, length + ending.len()));
        }
    }
    // `${NAME:-value}`: what it has, if it has something.
    let instead = after
        .strip_prefix(":-")
        .or_else(|| after.strip_prefix('-'))?;
    let end = instead.find(['}', '$', '`', '\\', '"', '\'', '{'])?;
    instead.get(end..)?.starts_with('}').then(|| {
        let whole = rest.len() - instead.len() + end + 1;
        (name, false, whole)
    })
}

/// Returns the output of the few commands whose output the text tells.
fn told_output(command: &super::SimpleCommand) -> Option<String> {
    match command.name() {
        "pwd" => Some(".".to_owned()),
        // A new, empty place: nothing in it can be lost.
        "mktemp" => Some(super::NEW_PLACE.to_owned()),
        "echo" | "printf" => {
            let words = command.arguments();
            if words.iter().any(|word| word.unknown) {
                return None;
            }
            let texts: Vec<&str> = words
                .iter()
                .map(|word| word.text.as_str())
                .skip_while(|text| matches!(*text, "-n" | "-e" | "-ne" | "-en" | "%s" | "%s\\n"))
                .collect();
            (command.name() == "echo" || !texts.iter().any(|text| text.contains('%')))
                .then(|| texts.join(" "))
        }
        _ => None,
    }
}

/// Returns true if a bracket behind this text belongs to a pattern for names.
fn is_pattern(text: &str) -> bool {
    text.ends_with(['!', '@', '+', ']']) || text.contains(['*', '?'])
}

/// Bytes that are what they are in any shell and at any place of a word: asked of every byte of a line.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut rest: &mut [bool] = &mut plain;
    let mut byte = 0_u8;
    while let [first, behind @ ..] = rest {
        *first = is_plain(byte);
        byte = byte.wrapping_add(1);
        rest = behind;
    }
    plain
};

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_'
                | b'.'
                | b'/'
                | b','
                | b':'
                | b'@'
                | b'+'
                | b'='
                | b'%'
                | b'!'
                | b'#'
                | b'*'
                | b'?'
                | b'['
                | b']'
                | b'~'
        )
}

/// Bytes that mean nothing in a word without quotes.
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
